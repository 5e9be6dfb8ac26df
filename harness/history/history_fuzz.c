// libFuzzer: any bytes as a history file, judged as a trial and decided by every model. Nothing may
// crash or hang, and what is not whole is not SAFE.
//
// Byte 0: what the rest is. Even: a file as it is. Odd: events, 12 bytes each, which real writers
// write. Of both, bytes 1 to 3 choose the trial and the options. What follows of a file is given
// right checksums if byte 1 is odd, for no fuzzer guesses them.
#include "harness/check/check.h"
#include "harness/history/file.h"
#include "harness/history/writer.h"
#include "harness/model/model.h"
#include "harness/model/operations.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHOICES 4
#define MOST_BYTES (64 * HISTORY_CHUNK_BYTES)
#define WRITERS 8
#define EVENT_BYTES 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// --- the file ------------------------------------------------------------------------------------

static void mend_header(struct history_header *header)
{
    memcpy(header->magic, HISTORY_MAGIC, sizeof header->magic);
    header->version = HISTORY_VERSION;
    header->byte_order = HISTORY_BYTE_ORDER;
    header->event_bytes = sizeof(struct event);
    header->chunk_bytes = HISTORY_CHUNK_BYTES;
    header->began_ns &= INT64_C(0xffffffffff);
    header->checksum = history_header_checksum(header);
    if (header->end.dropped > 1)
        header->end.checksum = history_end_checksum(&header->end);
}

static void mend(char *bytes, size_t chunks)
{
    struct history_header *header = (struct history_header *)(void *)bytes;
    mend_header(header);
    for (size_t i = 0; i < chunks; i++) {
        struct history_chunk *chunk =
            (struct history_chunk *)(void *)(bytes + (i + 1) * HISTORY_CHUNK_BYTES);
        uint32_t count = published_events(chunk->published) % (HISTORY_EVENTS_PER_CHUNK + 1);
        for (uint32_t j = 0; j < count; j++) {
            struct event *event = &chunk->events[j];
            event->kind = (uint8_t)(event->kind % EVENT_KIND_COUNT);
            event->outcome &= 3;
            event->at_ns = header->began_ns + (event->at_ns & 0xffffffff);
        }
        uint32_t checksum =
            history_chunk_checksum(header, (uint32_t)i, chunk->first, chunk->sequence);
        chunk->published = published_of(
            count, checksum_add(checksum, chunk->events, count * sizeof *chunk->events));
    }
}

static void write_file(const char *path, const uint8_t *data, size_t size, bool is_mended)
{
    size_t chunks = size < HISTORY_CHUNK_BYTES ? 0 : (size - 1) / HISTORY_CHUNK_BYTES;
    size_t room = (chunks + 1) * HISTORY_CHUNK_BYTES;
    char *bytes = aligned_alloc(HISTORY_CHUNK_BYTES, room);
    memset(bytes, 0, room);
    memcpy(bytes, data, size);
    if (is_mended)
        mend(bytes, chunks);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (write(descriptor, bytes, is_mended ? room : size) < 0)
        abort();
    close(descriptor);
    free(bytes);
}

// Into one file, which is mapped once and for all.
static void write_events(struct history_file *file, const uint8_t *data, size_t size,
                         bool is_closed)
{
    struct history_writer writers[WRITERS];
    history_file_restart(file);
    for (int i = 0; i < WRITERS; i++)
        history_writer_start(&writers[i], file, i / 2, i % 2 + (i < 2 ? 0 : 1));
    int64_t at_ns = file->header->began_ns;
    for (; size >= EVENT_BYTES; size -= EVENT_BYTES, data += EVENT_BYTES) {
        at_ns += data[1] * (data[0] < 128 ? NS_PER_US : NS_PER_MS);
        struct event event = {.at_ns = at_ns,
                              .kind = (uint8_t)(1 + data[2] % (EVENT_GAP - 1)),
                              .outcome = data[3] & 3,
                              .detail = data[4] % 5,
                              .fault_number = data[5] & 3,
                              .args = {data[6], (int8_t)data[7], (int8_t)data[8], data[9]}};
        if (data[10] & 1) // a time, of which most are not far off
            event.args[1 + data[10] / 2 % 3] = at_ns + (data[11] - 64) * NS_PER_MS;
        if (data[10] >= 250)
            event.args[0] = TIME_NEVER;
        history_append(&writers[data[0] % WRITERS], event);
    }
    if (is_closed)
        history_file_finish(file);
}

// --- what is made of it --------------------------------------------------------------------------

static void judge_file(const char *path, const uint8_t *choices)
{
    static const char *const kinds[] = {"increment", "oversell", "draw", "nested",
                                        "readers",   "permits",  "cycle"};
    static const char *const traits[][3] = {
        {NULL}, {"lease", NULL}, {"lease", "fenced", NULL}, {"optimistic", "own-store", NULL}};
    struct fault_instance instance = {.number = 1,
                                      .verb = "pause",
                                      .target = {.client = 1},
                                      .at_ns = 5,
                                      .nth = 1,
                                      .bound_ns = (choices[2] & 1) ? NS_PER_S : -1,
                                      .text = (char *)"pause client-1"};
    struct scenario scenario = {
        .name = (char *)"fuzzed",
        .workload = {.kind = (char *)kinds[choices[2] / 2 % 7],
                     .jobs = 5,
                     .depth = 2,
                     .permits = 1 + (choices[2] & 1),
                     .fenced = (choices[3] & 8) != 0,
                     .boundary = (choices[3] & 16) ? BOUNDARY_INNER : BOUNDARY_NONE},
        .clients = {.processes = 3, .threads = 2},
        .lock = {.lease_ns = 300 * NS_PER_MS, .retry_ns = 10 * NS_PER_MS},
        .faults = &instance,
        .fault_count = (choices[3] & 32) ? 1 : 0};
    const struct trial trial = {
        .scenario = &scenario, .scheme = "fuzzed", .traits = traits[choices[3] & 3]};
    struct history history;
    struct trial_model model;
    struct judgement judgement;
    struct error error;
    if (history_load(path, &history, &error) != 0)
        return;
    trial_model_make(&history, &trial, &model);
    judge(&model, &judgement);
    if (judgement.verdict == VERDICT_SAFE && history.condition.state != HISTORY_WHOLE)
        abort();
    trial_model_free(&model);
    history_free(&history);
}

static void decide_file(const char *path, const uint8_t *choices)
{
    struct operations operations = {0};
    struct history_condition condition;
    struct error error;
    if (operations_from_history(path, &operations, &condition, &error) != 0)
        return;
    for (size_t i = 0; model_catalogue[i] != NULL; i++) {
        const struct model *model = model_catalogue[i];
        const struct model_options options = {
            .permits = model->has_permits ? 1 + (choices[2] & 1) : 0,
            .depth_limit = model->has_depth ? choices[2] & 3 : 0,
            .failed_release = (choices[3] & 1) ? FAILED_RELEASE_RELEASED : FAILED_RELEASE_HELD,
            .failed_acquire = (choices[3] & 2) && model->decides_busy ? FAILED_ACQUIRE_BUSY
                                                                      : FAILED_ACQUIRE_NOTHING};
        struct model_analysis analysis = {0};
        if (model_decide(model, &operations, &options, &analysis, &error) == 0)
            model_analysis_free(&analysis);
    }
    operations_free(&operations);
}

// Names in memory: of a file as it is, and of one that writers write.
static char as_it_is[] = "/dev/shm/lockpick-history-fuzz-XXXXXX";
static char written[] = "/dev/shm/lockpick-history-fuzz-XXXXXX";

static void remove_files(void)
{
    unlink(as_it_is);
    unlink(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct history_file file;
    if (size < CHOICES || size > MOST_BYTES)
        return -1;
    if (file.header == NULL) {
        size_t most = MOST_BYTES / EVENT_BYTES + WRITERS * HISTORY_EVENTS_PER_CHUNK;
        close(mkstemp(as_it_is));
        close(mkstemp(written));
        if (history_file_create(written, most, 1, &file, NULL) != 0)
            abort();
        atexit(remove_files);
    }
    bool are_events = (data[0] & 1) != 0;
    if (are_events)
        write_events(&file, data + CHOICES, size - CHOICES, (data[1] & 1) == 0);
    else
        write_file(as_it_is, data + CHOICES, size - CHOICES, (data[1] & 1) != 0);
    judge_file(are_events ? written : as_it_is, data);
    decide_file(are_events ? written : as_it_is, data);
    return 0;
}
