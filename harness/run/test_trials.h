// For tests: whole trials on real servers.
#ifndef LOCKPICK_RUN_TEST_TRIALS_H
#define LOCKPICK_RUN_TEST_TRIALS_H

#include "harness/run/conductor.h"
#include "harness/run/test_scenario.h"

#include "harness/base/clock.h"
#include "harness/base/test_folder.h"

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

#endif
