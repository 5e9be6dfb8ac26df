#ifndef LOCKPICK_TESTING_TEST_H
#define LOCKPICK_TESTING_TEST_H

// Tests that register themselves. The test files of a room are one program, build/ROOM/tests, which
// runs those whose names match its arguments (all without any), each file in a process of its own;
// called as build/ROOM/NAME_test, which is a link to it, it runs those of that file, in its own.

// What cmocka needs, and most tests.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/clock.h"
#include "harness/base/scope.h"

// How long, in seconds, a test waits for what must come, however busy the machine is: less than
// scripts/run-tests lets its program last.
#define PATIENCE_S 90
#define PATIENCE_NS (PATIENCE_S * NS_PER_S)

struct test {
    const char *file;                     // what is compiled, not a header
    int place;                            // in the file
    struct CMUnitTest cmocka;             // without a name if it is no test
    int (*main)(int count, char **words); // of TEST_MAIN
    bool begins_group;
    struct test *next;
};

void test_register(struct test *test);

// TEST(name) { ... }: a test. `state` is the test's own setup's, or that of its group.
#define TEST(name) TEST_WITH(name, NULL, NULL)

// The same, with a fixture of its own; either part may be NULL.
#define TEST_WITH(name, setup, teardown)                                                           \
    static void name(void **state);                                                                \
    TEST_OF(name, name, .setup_func = (setup), .teardown_func = (teardown));                       \
    static void name(__attribute__((unused)) void **state)

// A test `title` that is a call of a function, with further fields of struct CMUnitTest.
#define TEST_OF(title, function, ...)                                                              \
    TEST_REGISTER(title, .cmocka = {.name = #title, .test_func = (function), __VA_ARGS__})

// A test that is a function already, as of a contract, or in another group.
#define TEST_AGAIN(name, ...) TEST_OF(name, name, __VA_ARGS__)

// All tests of the file from here to the next TEST_GROUP share what `setup` makes; it is called
// once and so is `teardown`.
#define TEST_GROUP(setup, teardown)                                                                \
    TEST_REGISTER(group, .begins_group = true,                                                     \
                  .cmocka = {.setup_func = (setup), .teardown_func = (teardown)})

// For a file whose tests need more than to be called: `function` is the program's main (for this
// file only), and calls tests_run or tests_skip.
#define TEST_MAIN(function) TEST_REGISTER(function, .main = (function))

// Runs the tests of the file that match words[1] and on, all if there is none, or skips each and
// says why; returns the exit status.
int tests_run(int count, char **words);
int tests_skip(const char *why);

// A variable that is freed by that function at the end of its block, as those of base/scope.h.
#define AUTO(free) __attribute__((cleanup(free)))

// Fails with the test's own `error` if `result` is not what it must be.
#define MUST_BE(expected, result)                                                                  \
    do {                                                                                           \
        error = (struct error){0};                                                                 \
        int was = (result);                                                                        \
        if (was != (expected))                                                                     \
            fail_msg("%s is %d: %s", #result, was, error.text);                                    \
    } while (0)

// What must fail, by that value, with those words in the test's own `error`.
#define MUST_FAIL(failure, act, words)                                                             \
    do {                                                                                           \
        const bool fails_ = (act) == (failure);                                                    \
        if (!fails_ || strstr(error.text, words) == NULL)                                          \
            fail_msg("%s %s: '%s', and not '%s'", #act, fails_ ? "fails" : "does not fail",        \
                     error.text, words);                                                           \
    } while (0)

// Waits for a cause, and fails if it does not come.
#define AWAIT(cause)                                                                               \
    do {                                                                                           \
        int64_t give_up_ns_ = clock_monotonic_ns() + PATIENCE_NS;                                  \
        bool has_come_;                                                                            \
        while (!(has_come_ = (cause)) && clock_monotonic_ns() < give_up_ns_)                       \
            clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);                                \
        if (!has_come_)                                                                            \
            fail_msg("%s", #cause);                                                                \
    } while (0)

#define TEST_REGISTER(title, ...) TEST_REGISTER_AT(title, __COUNTER__, __VA_ARGS__)
#define TEST_REGISTER_AT(title, at, ...) TEST_REGISTER_AS(title, at, __VA_ARGS__)
#define TEST_REGISTER_AS(title, at, ...)                                                           \
    __attribute__((constructor)) static void register_##title##_##at(void)                         \
    {                                                                                              \
        static struct test test_ = {.file = __BASE_FILE__, .place = at, __VA_ARGS__};              \
        test_register(&test_);                                                                     \
    }                                                                                              \
    struct test

#endif
