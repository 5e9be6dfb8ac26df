// For tests: histories of several locks, each with a guarded value of its own.
#ifndef LOCKPICK_CHECK_TEST_KEYS_H
#define LOCKPICK_CHECK_TEST_KEYS_H

#include "harness/check/build_history_test_support.h"

// An increment under lock `key`, from `at_ms` on for 10 ms.
static inline void keys_increment(struct build *build, int client, int64_t key, int64_t operation,
                                  double at_ms, int64_t seen)
{
    BUILD_EVENT(build, at_ms, client, ACQUIRE_INVOKE, OUTCOME_OK, operation, 0, 0, key);
    BUILD_EVENT(build, at_ms + 1, client, ACQUIRE_RETURN, OUTCOME_OK, operation, 0, ms(at_ms + 300),
                1);
    BUILD_EVENT(build, at_ms + 2, client, READ_INVOKE, OUTCOME_OK, operation);
    BUILD_EVENT(build, at_ms + 3, client, READ_RETURN, OUTCOME_OK, operation, 0, seen);
    BUILD_EVENT(build, at_ms + 4, client, WRITE_INVOKE, OUTCOME_OK, operation, 0, seen + 1, seen);
    BUILD_EVENT(build, at_ms + 5, client, WRITE_RETURN, OUTCOME_OK, operation, 0, seen + 1, seen);
    build_release(build, client, operation, at_ms + 8, at_ms + 9, RELEASE_RELEASED);
}

static inline int keys_compare_times(const void *left, const void *right)
{
    const struct event *a = left;
    const struct event *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static inline void keys_start(struct build *build, int64_t keys)
{
    build_start(build, "increment");
    build->scenario.workload.keys = keys;
    for (int64_t key = 1; key <= keys; key++)
        BUILD_EVENT(build, 0, 0, STORE_INITIAL, OUTCOME_OK, 0, key);
    BUILD_EVENT(build, 0, 0, BARRIER_OPEN, OUTCOME_OK);
}

static inline void keys_end(struct build *build, const int64_t *finals, int64_t keys)
{
    BUILD_EVENT(build, 500, 0, STOP_ASKED, OUTCOME_OK);
    for (int64_t key = 1; key <= keys; key++)
        BUILD_EVENT(build, 501, 0, STORE_FINAL, OUTCOME_OK, finals[key - 1], key);
    qsort(build->events, build->count, sizeof *build->events, keys_compare_times);
    build->history = (struct history){.events = build->events, .count = build->count};
    trial_model_make(&build->history, &build->trial, &build->model);
    build->judged = true;
    judge(&build->model, &build->judgement);
}

#endif
