// Trials judged by histories that were damaged on the way: what is left of a violation is one, and
// nothing that is lost makes a history safe, or unsafe.
#include "harness/base/random.h"
#include "harness/check/test_history.h"
#include "harness/history/file.h"
#include "harness/history/test_file.h"
#include "harness/testing/text.h"

#include <fcntl.h>

#define CLIENTS 4
#define ROUNDS 120
#define CHUNK HISTORY_CHUNK_BYTES

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FLIPS 2000
#endif
#endif
#ifndef FLIPS
#define FLIPS 20000
#endif

// A trial in which clients take turns. What there is of events is in order.
struct sample {
    struct build build;
    struct test_file test;
    struct text bytes; // of its file
};

// One turn of one client: 8 events.
static void take_turn(struct build *build, int64_t turn, double at_ms)
{
    int client = (int)(turn % CLIENTS) + 1;
    long long number = turn + 1;
    build_rows(build,
               "%g-%g client-%d acquire lease=200 token=%lld op=%lld\n"
               "%g client-%d read %lld token=%lld\n"
               "%g client-%d write %lld saw=%lld token=%lld\n"
               "%g-%g client-%d release",
               at_ms, at_ms + 1, client, number, number, at_ms + 1.2, client, number - 1, number,
               at_ms + 1.4, client, number, number - 1, number, at_ms + 2, at_ms + 2.5, client);
}

// Writes the events as their writers would have: one of each client, and one of the harness.
static void write_file(struct sample *sample)
{
    struct history_writer writers[CLIENTS + 1];
    test_file_begin(&sample->test, 100000);
    for (int i = 0; i <= CLIENTS; i++)
        history_writer_start(&writers[i], &sample->test.file, i, i > 0);
    for (size_t i = 0; i < sample->build.count; i++)
        history_append(&writers[sample->build.events[i].client], sample->build.events[i]);
}

// If it is unsafe, client-3 writes under a lease of its own in the middle of client-1's turn, and
// so overwrites what client-1 wrote: in one place only.
static void begin(struct sample *sample, bool unsafe)
{
    *sample = (struct sample){0};
    struct build *build = &sample->build;
    build_start(build, "increment");
    build_rows(build, "with traits=lease\n0 start");
    for (int64_t turn = 0; turn < ROUNDS; turn++) {
        take_turn(build, turn, (double)turn * 5);
        if (!unsafe || turn != ROUNDS / 2)
            continue;
        double at_ms = (double)turn * 5 + 0.5;
        long long seen = turn;
        build_rows(build,
                   "%g-%g client-3 acquire lease=200 token=1000 op=1000\n"
                   "%g client-3 read %lld token=1000\n"
                   "%g client-3 write %lld saw=%lld token=1000\n"
                   "%g-%g client-3 release",
                   at_ms, at_ms + 0.8, at_ms + 0.9, seen, at_ms + 1.1, seen + 1, seen, at_ms + 2,
                   at_ms + 2.5);
    }
    build_rows(build, "%d stop\n%d final %d", ROUNDS * 5, ROUNDS * 5 + 1, ROUNDS);
    build_sort(build);
    write_file(sample);
    sample->bytes = test_file_bytes(&sample->test);
}

static void end(struct sample *sample)
{
    unlink(sample->test.path);
    text_free(&sample->bytes);
    build_free(&sample->build);
}

struct answer {
    bool loaded;
    enum history_state state;
    struct judgement judgement;
};

// What the file as it is now is judged.
static struct answer ask(struct sample *sample)
{
    struct answer answer = {0};
    AUTO(history_free) struct history history;
    struct error error;
    answer.loaded = history_load(sample->test.path, &history, &error) == 0;
    if (answer.loaded) {
        struct trial_model model;
        answer.state = history.condition.state;
        trial_model_make(&history, &sample->build.trial, &model);
        judge(&model, &answer.judgement);
        trial_model_free(&model);
    }
    return answer;
}

// Damage may take a verdict away, but not turn it.
static void assert_not_turned(const struct answer *answer, enum verdict right)
{
    if (!answer->loaded)
        return;
    bool kept = answer->judgement.verdict == right;
    if (!kept && (answer->judgement.verdict != VERDICT_UNKNOWN || answer->state == HISTORY_WHOLE))
        fail_msg("judged %s instead of %s: %s", verdict_name(answer->judgement.verdict),
                 verdict_name(right), answer->judgement.reason);
    if (right == VERDICT_SAFE && kept)
        assert_int_equal(answer->state, HISTORY_WHOLE);
}

TEST(an_undamaged_file_is_judged_as_it_was_built)
{
    for (int unsafe = 0; unsafe < 2; unsafe++) {
        struct sample sample;
        begin(&sample, unsafe);
        struct answer answer = ask(&sample);
        assert_int_equal(answer.state, HISTORY_WHOLE);
        if (answer.judgement.verdict != (unsafe ? VERDICT_UNSAFE : VERDICT_SAFE))
            fail_msg("%s", answer.judgement.reason);
        end(&sample);
    }
}

static void flip_bits(bool unsafe, enum verdict right)
{
    struct sample sample;
    struct random random;
    begin(&sample, unsafe);
    random_start(&random, 11, unsafe);
    size_t verdicts[VERDICT_NOT_APPLICABLE + 1] = {0};
    size_t refused = 0;
    int descriptor = open(sample.test.path, O_RDWR);
    for (int i = 0; i < FLIPS; i++) {
        size_t bit = (size_t)random_below(&random, sample.bytes.length * 8);
        char byte = (char)(sample.bytes.bytes[bit / 8] ^ 1 << bit % 8);
        assert_int_equal(pwrite(descriptor, &byte, 1, (off_t)(bit / 8)), 1);
        struct answer answer = ask(&sample);
        assert_not_turned(&answer, right);
        verdicts[answer.judgement.verdict] += answer.loaded;
        refused += !answer.loaded;
        assert_int_equal(pwrite(descriptor, &sample.bytes.bytes[bit / 8], 1, (off_t)(bit / 8)), 1);
    }
    close(descriptor);
    print_message("%d flips of a %s history: %zu refused, %zu SAFE, %zu UNSAFE, %zu UNKNOWN\n",
                  FLIPS, verdict_name(right), refused, verdicts[VERDICT_SAFE],
                  verdicts[VERDICT_UNSAFE], verdicts[VERDICT_UNKNOWN]);
    assert_true(refused > 0 && verdicts[right] > 0 && verdicts[VERDICT_UNKNOWN] > 0);
    end(&sample);
}

TEST(no_flipped_bit_turns_a_verdict)
{
    flip_bits(true, VERDICT_UNSAFE);
    flip_bits(false, VERDICT_SAFE);
}

static void cut(bool unsafe, enum verdict right)
{
    struct sample sample;
    begin(&sample, unsafe);
    for (size_t length = sample.bytes.length; length-- > 0;) {
        // Between these a cut differs from its neighbour in nothing but how much is cut.
        bool at_chunk = (length + 1) % CHUNK <= 2;
        if (!at_chunk && length % 61 != 0)
            continue;
        assert_int_equal(truncate(sample.test.path, (off_t)length), 0);
        struct answer answer = ask(&sample);
        assert_true(answer.loaded == (length >= CHUNK));
        assert_not_turned(&answer, right);
    }
    end(&sample);
}

TEST(no_cut_turns_a_verdict)
{
    cut(false, VERDICT_SAFE);
    cut(true, VERDICT_UNSAFE);
}

// Whichever chunks are lost together, and however many.
TEST(no_loss_of_chunks_turns_a_verdict)
{
    static const char zeros[CHUNK];
    for (int unsafe = 0; unsafe < 2; unsafe++) {
        struct sample sample;
        begin(&sample, unsafe);
        size_t chunks = sample.bytes.length / CHUNK - 1;
        assert_true(chunks >= 9 && chunks <= 16);
        int descriptor = open(sample.test.path, O_RDWR);
        size_t unsafe_still = 0;
        for (uint32_t lost = 0; lost < UINT32_C(1) << chunks; lost += unsafe ? 3 : 5) {
            for (size_t i = 0; i < chunks; i++) {
                const char *from = sample.bytes.bytes + (i + 1) * CHUNK;
                const char *what = (lost >> i & 1) != 0 ? zeros : from;
                assert_int_equal(pwrite(descriptor, what, CHUNK, (off_t)((i + 1) * CHUNK)), CHUNK);
            }
            struct answer answer = ask(&sample);
            assert_not_turned(&answer, unsafe ? VERDICT_UNSAFE : VERDICT_SAFE);
            unsafe_still += answer.judgement.verdict == VERDICT_UNSAFE;
        }
        assert_int_equal(unsafe_still > 10, unsafe);
        close(descriptor);
        end(&sample);
    }
}

TEST(a_damaged_history_says_what_is_lost)
{
    struct sample sample;
    begin(&sample, false);
    sample.bytes.bytes[3 * CHUNK + 99] ^= 1;
    test_file_put(&sample.test, sample.bytes.bytes, sample.bytes.length);
    struct answer answer = ask(&sample);
    assert_int_equal(answer.judgement.verdict, VERDICT_UNKNOWN);
    assert_has(answer.judgement.reason, "the history is damaged: 85 of its");
    assert_has(answer.judgement.reason, "the first at byte 12288");
    assert_has(answer.judgement.reason, "shows no violation");
    end(&sample);
}

TEST(an_unfinished_history_is_judged_as_far_as_it_goes_but_never_safe)
{
    for (int unsafe = 0; unsafe < 2; unsafe++) {
        struct sample sample;
        begin(&sample, unsafe);
        unlink(sample.test.path);
        write_file(&sample); // and does not close it
        struct answer answer = ask(&sample);
        assert_int_equal(answer.state, HISTORY_UNFINISHED);
        assert_int_equal(answer.judgement.verdict, unsafe ? VERDICT_UNSAFE : VERDICT_UNKNOWN);
        assert_has(answer.judgement.reason, unsafe ? "client-3" : "never closed");
        history_file_close(&sample.test.file);
        end(&sample);
    }
}
