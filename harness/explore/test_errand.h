// Searches and schedules of one lock, in a sandbox with real servers.
#ifndef LOCKPICK_EXPLORE_TEST_ERRAND_H
#define LOCKPICK_EXPLORE_TEST_ERRAND_H

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/sandbox.h"
#include "harness/explore/lock.h"
#include "harness/explore/promises.h"
#include "harness/explore/search.h"
#include "harness/locks/lock.h"
#include "harness/run/test_trials.h"
#include "harness/run/vocabulary.h"

#include <sys/mman.h>

// A lock, what is done with it in a sandbox, and what came out.
struct errand {
    const char *scheme;
    const char *workload;           // NULL: increment
    int operations;                 // of each client; 0: one
    struct schedule_moves schedule; // to be made; or, with `limits`, looked for
    int times;                      // it is to be made; 0: once
    bool asks_state;                // that it leads to, and nothing else
    uint64_t state;
    bool differed; // one of them went another way than the one before
    const struct search_limits *limits;
    bool in_parts; // its search: one goes on with what the other has left
    struct search_result result;
    struct violations violations;
    char lines[2000]; // what was done
    uint64_t history; // a hash of what was recorded of it
    char broken[40];  // by the schedule that was made; "" if it broke nothing
    char folder[80];
    struct errand *next; // to be made on the same servers, or NULL
};

// FNV-1a (Fowler, Noll, Vo), 64 bits.
static uint64_t hash_of(const struct history *history)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < history->count; i++) {
        unsigned char bytes[sizeof history->events[i]];
        memcpy(bytes, &history->events[i], sizeof bytes);
        for (size_t at = 0; at < sizeof bytes; at++)
            hash = (hash ^ bytes[at]) * UINT64_C(1099511628211);
    }
    return hash;
}

static int make(struct errand *errand, struct replay *replay, const struct trial *trial,
                struct error *error)
{
    const struct trial_model *model;
    struct judgement judgement;
    struct told_moves told = {.lines = {0}};
    int result = search_replay(replay, &errand->schedule, &told, error) < 0
                     ? -1
                     : replay_judge(replay, &model, &judgement, error);
    snprintf(errand->lines, sizeof errand->lines, "%s", text_string(&told.lines));
    if (result == 0) {
        errand->history = hash_of(model->history);
        struct breach breaches[MAX_CHECKS];
        bool is_broken = breaches_of(replay, trial, &errand->schedule, &judgement, breaches) > 0 &&
                         !breaches[0].is_admitted;
        snprintf(errand->broken, sizeof errand->broken, "%s",
                 is_broken ? breach_check(&breaches[0])->name : "");
    }
    text_free(&told.lines);
    replay_end(replay);
    return result;
}

static int find_state(struct errand *errand, struct replay *replay, struct error *error)
{
    int result = replay_begin(replay, error);
    for (size_t i = 0; i < errand->schedule.count && result == 0; i++) {
        if (replay_can(replay, errand->schedule.moves[i]))
            replay_move(replay, errand->schedule.moves[i]);
        else
            result = error_set(error, "move %zu cannot be made", i + 1);
    }
    if (result == 0)
        result = replay_state(replay, &errand->state, error);
    replay_end(replay);
    return result;
}

static int make_often(struct errand *errand, struct replay *replay, const struct trial *trial,
                      struct error *error)
{
    const struct schedule_moves schedule = errand->schedule;
    int result = make(errand, replay, trial, error);
    for (int i = 1; i < errand->times && result == 0; i++) {
        uint64_t before = errand->history;
        errand->schedule = schedule;
        result = make(errand, replay, trial, error);
        errand->differed |= errand->history != before;
    }
    return result;
}

static void search_all(struct errand *errand, struct replay *replay, const struct trial *trial)
{
    AUTO_FREE char *left = path_join(errand->folder, "left");
    struct search_limits limits = *errand->limits;
    if (errand->in_parts)
        limits.resume = limits.leave = left;
    do {
        errand->violations.count = 0;
        search(replay, trial, &limits, NULL, NULL, &errand->violations, &errand->result);
    } while (errand->in_parts && errand->result.end == SEARCH_OUT_OF_TIME);
}

static int go(const struct sandbox *sandbox, void *context)
{
    struct errand *errand = context;
    struct error error = {0};
    struct vocabulary *vocabulary = vocabulary_new();
    const struct explored_lock lock = {.lock = errand->scheme,
                                       .clients = 2,
                                       .threads = 1,
                                       .workload = errand->workload,
                                       .operations =
                                           errand->operations > 0 ? errand->operations : 1};
    struct scenario *scenario = explored_scenario(&lock, vocabulary);
    AUTO(plan_free) struct plan plan;
    struct server_pool pool;
    int result = plan_make(&scenario, 1, vocabulary, NULL, 0, 1, &plan, &error);
    server_pool_start(&pool, sandbox, errand->folder);
    struct replay *replay = NULL;
    if (result == 0)
        result = replay_open(&plan.trials[0], &pool, errand->folder, 0, &replay, &error);
    if (result == 0 && errand->limits != NULL)
        search_all(errand, replay, &plan.trials[0]);
    for (; errand != NULL && errand->limits == NULL && result == 0; errand = errand->next)
        result = errand->asks_state ? find_state(errand, replay, &error)
                                    : make_often(errand, replay, &plan.trials[0], &error);
    replay_close(replay);
    server_pool_stop(&pool);
    scenario_free(scenario);
    vocabulary_free(vocabulary);
    if (result != 0)
        fprintf(stderr, "%s\n", error.text);
    return result == 0 ? 0 : 1;
}

static void run(struct errand *errand)
{
    char *folder = test_folder();
    snprintf(errand->folder, sizeof errand->folder, "%s", folder);
    assert_int_equal(sandbox_run(false, go, errand), 0);
    remove_folder(folder);
}

static struct errand *run_errand(struct errand wanted)
{
    struct errand *errand = memory_shared(sizeof *errand);
    *errand = wanted;
    run(errand);
    return errand;
}

#define EXPLORED_NS (3600 * NS_PER_S) // longer than any test may last: what ends it is the search

#endif
