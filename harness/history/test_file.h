// For tests: a history file of their own, with the times that they choose, and its bytes.
#ifndef LOCKPICK_HISTORY_TEST_FILE_H
#define LOCKPICK_HISTORY_TEST_FILE_H

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/history/reader.h"
#include "harness/history/writer.h"
#include "harness/testing/test.h"

#include <unistd.h>

struct test_file {
    char path[64];
    struct history_file file;
};

// Begun at 1 ns after the machine was started, so that events can have any time.
static inline void test_file_begin(struct test_file *test, size_t capacity)
{
    struct error error;
    strcpy(test->path, "/tmp/lockpick-history-test-XXXXXX");
    int descriptor = mkstemp(test->path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(history_file_create(test->path, capacity, 42, &test->file, &error), 0);
    test->file.header->began_ns = 1;
    test->file.header->checksum = history_header_checksum(test->file.header);
}

static inline void test_file_end(struct test_file *test)
{
    history_file_close(&test->file);
    unlink(test->path);
}

// The closed file's bytes; free with text_free.
static inline struct text test_file_bytes(struct test_file *test)
{
    struct text bytes = {0};
    history_file_close(&test->file);
    assert_int_equal(file_read(test->path, &bytes, NULL), 0);
    return bytes;
}

static inline void test_file_put(const struct test_file *test, const char *bytes, size_t length)
{
    FILE *file = fopen(test->path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static inline struct history test_file_load(const struct test_file *test)
{
    struct history history;
    struct error error;
    MUST_BE(0, history_load(test->path, &history, &error));
    return history;
}

#endif
