// Operations as they are read from a trial's history, and what models make of them.
#include "harness/model/operations.h"

#include "harness/base/clock.h"
#include "harness/history/test_file.h"
#include "harness/model/model.h"
#include "harness/model/test_notation.h"
#include "harness/testing/cases.h"

#include <inttypes.h>

#define CHUNK HISTORY_CHUNK_BYTES

struct fixture {
    struct test_file test;
    struct history_writer writers[4]; // of the harness and three clients' only workers
    int64_t operation_of[4];
    struct operations operations;
    struct history_condition condition;
};

static void begin(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    test_file_begin(&fixture->test, 100000);
    for (int i = 0; i < 4; i++)
        history_writer_start(&fixture->writers[i], &fixture->test.file, i, i > 0);
}

// What is asked for at `from_ns`, and answered at `to_ns` unless that is 0.
static void note(struct fixture *fixture, int client, const char *what, int64_t from_ns,
                 int64_t to_ns)
{
    static const struct {
        char letter;
        enum event_kind kind;
    } kinds[] = {{'A', EVENT_ACQUIRE_INVOKE}, {'S', EVENT_ACQUIRE_INVOKE},
                 {'I', EVENT_REENTER_INVOKE}, {'L', EVENT_LEAVE_INVOKE},
                 {'R', EVENT_RELEASE_INVOKE}, {'V', EVENT_READ_INVOKE}};
    size_t at = 0;
    while (kinds[at].letter != *what)
        at++;
    bool acquires = kinds[at].kind == EVENT_ACQUIRE_INVOKE;
    const char *key = strchr(what, '@');
    const char *given = strchr(what, '=');
    const char *answer = strchr(what, ':');
    struct event event = {
        .kind = (uint8_t)kinds[at].kind, .detail = *what == 'S', .at_ns = from_ns};
    if (acquires)
        fixture->operation_of[client] = from_ns;
    event.args[0] = fixture->operation_of[client];
    event.args[3] = key != NULL ? strtoll(key + 1, NULL, 10) : 0;
    history_append(&fixture->writers[client], event);
    if (given != NULL)
        history_append(
            &fixture->writers[client],
            (struct event){.kind = EVENT_GIVEN,
                           .at_ns = to_ns,
                           .given = {.operation = from_ns, .key = strtoll(given + 1, NULL, 10)}});
    event.kind++;
    event.at_ns = to_ns;
    event.detail = 0;
    event.args[1] = acquires ? from_ns : 0;
    event.outcome = what[1] == '!' ? OUTCOME_NO : what[1] == '?' ? OUTCOME_UNKNOWN : OUTCOME_OK;
    if (event.outcome == OUTCOME_UNKNOWN && strchr("LR", *what) != NULL)
        event.detail = RELEASE_UNKNOWN;
    for (unsigned i = 0; answer != NULL && i <= RELEASE_UNCHECKED; i++)
        event.detail = strcmp(release_answer_name(i), answer + 1) == 0 ? (uint8_t)i : event.detail;
    if (to_ns > 0)
        history_append(&fixture->writers[client], event);
}

static void note_all(struct fixture *fixture, const char *events)
{
    for (const char *at = events; at != NULL; at = strchr(at, ';')) {
        int client;
        char what[32];
        int64_t from_ns, to_ns;
        at += *at == ';';
        assert_int_equal(
            sscanf(at, " %d %31s %" SCNd64 " %" SCNd64, &client, what, &from_ns, &to_ns), 4);
        if (*what == 'X') {
            history_append(&fixture->writers[0],
                           (struct event){.kind = EVENT_PROCESS_DEATH, .at_ns = from_ns});
            history_writer_start(&fixture->writers[client], &fixture->test.file, client, 1);
        } else {
            note(fixture, client, what, from_ns, to_ns);
        }
    }
}

static void read_as_it_is(struct fixture *fixture)
{
    struct error error;
    MUST_BE(0, operations_from_history(fixture->test.path, &fixture->operations,
                                       &fixture->condition, &error));
}

// Fails if the operations are decided otherwise.
static void assert_analysis(const struct fixture *fixture, const char *wanted)
{
    char name[16];
    AUTO(model_analysis_free) struct model_analysis analysis;
    struct error error;
    bool linearizable = strncmp(wanted, "not ", 4) != 0;
    const struct model_options options = {.failed_acquire = strstr(wanted, " busy") != NULL};
    assert_int_equal(sscanf(wanted + (linearizable ? 0 : 4), "%15s", name), 1);
    MUST_BE(0, model_decide(model_find(name), &fixture->operations, &options, &analysis, &error));
    if (analysis.linearizable != linearizable)
        fail_msg("it is not %s", wanted);
}

static void end(struct fixture *fixture)
{
    operations_free(&fixture->operations);
    if (fixture->test.file.header != NULL)
        history_file_close(&fixture->test.file);
    unlink(fixture->test.path);
}

static void take(const struct written_case *one)
{
    struct fixture fixture;
    AUTO_TEXT struct text found = {0};
    char *analysis = strchr(one->expected.bytes, '\n');
    *analysis++ = '\0';
    bool is_open = strncmp(analysis, "open ", 5) == 0;
    begin(&fixture);
    note_all(&fixture, one->body.bytes);
    if (!is_open)
        history_file_close(&fixture.test.file);
    read_as_it_is(&fixture);
    assert_int_equal(fixture.condition.state, is_open ? HISTORY_UNFINISHED : HISTORY_WHOLE);
    for (size_t j = 0; j < fixture.operations.count; j++) {
        text_add(&found, j > 0 ? "; " : "");
        operation_print(&fixture.operations.items[j], &found);
    }
    if (strcmp(text_string(&found), one->expected.bytes) != 0)
        fail_case(one, "%s", text_string(&found));
    if (*analysis != '\0')
        assert_analysis(&fixture, analysis + (is_open ? 5 : 0));
    end(&fixture);
}

TEST(each_history_is_taken_as_it_says)
{
    each_case("harness/model/cases/from_history.cases", 15, take);
}

TEST(processes_and_locks_have_names)
{
    struct fixture fixture;
    begin(&fixture);
    history_append(&fixture.writers[0], (struct event){.kind = EVENT_BARRIER_OPEN, .at_ns = 5});
    note_all(&fixture, "1 A? 10 20; 1 A? 30 40; 2 A@2 10 20");
    history_file_close(&fixture.test.file);
    read_as_it_is(&fixture);
    assert_int_equal(fixture.operations.zero_ns, 5);
    assert_string_equal(fixture.operations.processes[0], "client-1 worker-1");
    assert_string_equal(fixture.operations.processes[1], "client-1 worker-1 #2");
    assert_string_equal(fixture.operations.names[1], "2");
    end(&fixture);
}

// --- events that are lost ------------------------------------------------------------------------

// Client 1 holds from 20 to 30 of each 100, and client 2 from 60 to 70. The six events of a turn
// lie in chunks of 85 differently each time.
static void take_turns(struct fixture *fixture, int64_t turns)
{
    begin(fixture);
    for (int64_t i = 0; i < turns; i++) {
        for (int client = 1; client <= 2; client++) {
            int64_t from_ns = i * 100 + client * 40 - 30;
            note(fixture, client, "A", from_ns, from_ns + 10);
            note(fixture, client, "V", from_ns + 15, from_ns + 16);
            note(fixture, client, "R", from_ns + 20, from_ns + 30);
        }
        note(fixture, 3, "A!", i * 100 + 22, i * 100 + 28);
    }
}

// Whatever chunk is lost, what is left shows no violation: holds whose end is lost have ended.
TEST(a_lost_chunk_makes_no_violation)
{
    struct fixture fixture;
    take_turns(&fixture, 100);
    struct text bytes = test_file_bytes(&fixture.test);
    for (size_t chunk = 1; chunk < bytes.length / CHUNK; chunk++) {
        bytes.bytes[chunk * CHUNK + 70] ^= 4;
        test_file_put(&fixture.test, bytes.bytes, bytes.length);
        bytes.bytes[chunk * CHUNK + 70] ^= 4;
        read_as_it_is(&fixture);
        assert_int_equal(fixture.condition.state, HISTORY_DAMAGED);
        assert_true(fixture.operations.count > 300);
        assert_analysis(&fixture, "mutex busy");
        operations_free(&fixture.operations);
    }
    text_free(&bytes);
    end(&fixture);
}

TEST(a_violation_outside_of_a_lost_chunk_is_still_one)
{
    struct fixture fixture;
    take_turns(&fixture, 100);
    note_all(&fixture, "1 A 10010 10020; 1 R 10030 10040; 2 A 10010 10021; 2 R 10030 10040");
    struct text bytes = test_file_bytes(&fixture.test);
    bytes.bytes[2 * CHUNK + 100] ^= 1;
    test_file_put(&fixture.test, bytes.bytes, bytes.length);
    text_free(&bytes);
    read_as_it_is(&fixture);
    assert_int_equal(fixture.condition.state, HISTORY_DAMAGED);
    assert_analysis(&fixture, "not mutex");
    end(&fixture);
}
