// For tests: whole trials on real servers, and their histories.
#ifndef LOCKPICK_RUN_TEST_TRIALS_H
#define LOCKPICK_RUN_TEST_TRIALS_H

#include "harness/run/conductor.h"
#include "harness/run/test_scenario.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/history/reader.h"

struct run {
    struct trial *trial;
    char *folder;
};

static inline char *test_folder(void)
{
    char *folder = memory_string("/tmp/lockpick-conductor-test-XXXXXX");
    assert_int_equal(test_folder_make(folder), 0);
    return folder;
}

static inline void remove_folder(char *folder)
{
    assert_int_equal(test_folder_remove(folder), 0);
    free(folder);
}

static inline int conduct(const struct sandbox *sandbox, void *context)
{
    struct run *run = context;
    struct error error = {0};
    struct server_pool pool;
    server_pool_start(&pool, sandbox, run->folder);
    int result = trial_conduct(run->trial, &pool, run->folder, 1, NULL, &error);
    server_pool_stop(&pool);
    if (result == 0)
        return 0;
    fprintf(stderr, "%s\n", error.text);
    return 1;
}

// Runs the trial of a scenario and loads its history.
static inline struct history run_trial(const char *text, const char *scheme, bool loopback)
{
    struct trial trial = {.scenario = scenario_of(text), .scheme = scheme, .seed = 7};
    struct run run = {.trial = &trial, .folder = test_folder()};
    assert_int_equal(sandbox_run(loopback, conduct, &run), 0);
    char *path = path_join(run.folder, "history.bin");
    struct history history;
    struct error error = {0};
    if (history_load(path, &history, &error) != 0)
        fail_msg("%s", error.text);
    free(path);
    remove_folder(run.folder);
    return history;
}

static inline size_t count_events(const struct history *history, enum event_kind kind,
                                  enum outcome outcome)
{
    size_t count = 0;
    for (size_t i = 0; i < history->count; i++)
        count += history->events[i].kind == kind && history->events[i].outcome == outcome;
    return count;
}

static inline const struct event *find_event(const struct history *history, enum event_kind kind)
{
    for (size_t i = 0; i < history->count; i++) {
        if (history->events[i].kind == kind)
            return &history->events[i];
    }
    return NULL;
}

#endif
