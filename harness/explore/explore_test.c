// Schedules of real locks on real servers: the same again each time, and the ones that break a
// lock.
#include "harness/base/scope.h"
#include "harness/cluster/sandbox.h"
#include "harness/explore/lock.h"
#include "harness/explore/promises.h"
#include "harness/explore/search.h"
#include "harness/locks/lock.h"
#include "harness/run/test_trials.h"
#include "harness/run/vocabulary.h"
#include "harness/testing/cases.h"

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

// A lock by its name alone, and what the search finds. The schedules are the shortest known.
static const struct {
    const char *scheme, *broken;
    int faults, leases;
    size_t moves;
} locks[] = {
    {"redis-get-set", "double-grant", 0, 0, 10},
    {"redis-setnx-expire", "stuck", 1, 0, 20},
    {"redis-set-px-del", "wrongful-release", 0, 1, 11},
    {"redis-set-px-get-del", "wrongful-release", 0, 1, 10},
    {"redis-setnx-getset", "wrongful-release", 0, 1, 14},
    {"memcached-add", "wrongful-release", 0, 1, 11},
    {"redis-list-pop", "lost-job", 1, 0, 12},
    {"postgres-queue-select", "double-grant", 0, 0, 12},
};

TEST(broken_locks_are_broken_by_a_schedule_that_does_it_again_each_time)
{
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++) {
        const struct search_limits limits = {
            .faults = locks[i].faults, .leases = locks[i].leases, .for_ns = EXPLORED_NS};
        struct errand *errand =
            run_errand((struct errand){.scheme = locks[i].scheme, .limits = &limits});
        const struct search_result *result = &errand->result;
        const struct violation *found = &errand->violations.items[0];
        if (result->end != SEARCH_BROKEN || errand->violations.count != 1 ||
            strcmp(breach_check(&found->breach)->name, locks[i].broken) != 0 ||
            found->found.count > locks[i].moves || found->replayed != REPLAYS)
            fail_msg("%s: end %d, %s by %zu moves, again %d times", locks[i].scheme, result->end,
                     breach_check(&found->breach)->name, found->found.count, found->replayed);
        assert_int_equal(result->progress.unlike, 0);
        munmap(errand, sizeof *errand);
    }
}

static const char *const sound_locks[] = {"redis-lua", "memcached-add-cas"};

TEST(a_sound_lock_is_exhausted_and_what_its_lease_admits_is_no_bug)
{
    for (size_t i = 0; i < sizeof sound_locks / sizeof *sound_locks; i++) {
        const struct search_limits limits = {.faults = 0, .leases = 1, .for_ns = EXPLORED_NS};
        struct errand *errand =
            run_errand((struct errand){.scheme = sound_locks[i], .limits = &limits});
        if (errand->result.end != SEARCH_EXHAUSTED || errand->result.progress.waiting != 0 ||
            errand->result.progress.unlike != 0 || errand->result.admitted == 0)
            fail_msg("%s: end %d, %llu unlike", sound_locks[i], errand->result.end,
                     (unsigned long long)errand->result.progress.unlike);
        munmap(errand, sizeof *errand);
    }
}

// One keeps a job for a worker that died, as it has no lease; of the other, whoever goes on beyond
// its lease is refused by the store.
TEST(a_queue_is_exhausted_and_each_of_its_jobs_is_done)
{
    static const struct {
        const char *scheme, *admitted;
        int jobs, faults, leases;
    } queues[] = {{"redis-list-move", "stuck", 1, 1, 0},
                  {"redis-list-move", "", 2, 0, 0},
                  {"postgres-queue", "", 1, 0, 1},
                  {"bullmq", "", 2, 0, 0}, // has a watchdog
                  {"zookeeper-queue", "", 2, 0, 0}};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
        const struct search_limits limits = {
            .faults = queues[i].faults, .leases = queues[i].leases, .for_ns = EXPLORED_NS};
        struct errand *errand = run_errand((struct errand){
            .scheme = queues[i].scheme, .operations = queues[i].jobs, .limits = &limits});
        const struct search_result *result = &errand->result;
        if (result->end != SEARCH_EXHAUSTED || result->progress.unlike != 0 ||
            result->progress.remembers || result->progress.checked == 0 ||
            strcmp(result->admitted_text, queues[i].admitted) != 0)
            fail_msg("%s, %d: end %d, %llu unlike of %llu checked; admits %s", queues[i].scheme,
                     queues[i].jobs, result->end, (unsigned long long)result->progress.unlike,
                     (unsigned long long)result->progress.checked, result->admitted_text);
        munmap(errand, sizeof *errand);
    }
}

// Whether it is among them, by a schedule of at most so many moves that shows it each time.
static bool has_violation(const struct violations *violations, const char *property,
                          enum root_cause cause, bool is_admitted, size_t moves)
{
    bool has = false;
    FOR_EACH (violation, each, violations->items, violations->count)
        has |= strcmp(breach_check(&each->breach)->name, property) == 0 &&
               each->breach.cause == cause && each->breach.is_admitted == is_admitted &&
               each->found.count <= moves && each->replayed == REPLAYS;
    return has;
}

// Its acquire takes two steps, and its release asks nobody whose lock it removes.
TEST(a_search_for_all_tells_both_mistakes_of_a_lock_and_what_its_traits_admit_even_in_parts)
{
    struct violations found[2];
    for (int parts = 0; parts < 2; parts++) {
        const struct search_limits limits = {.faults = 1,
                                             .leases = 1,
                                             .all = true,
                                             .for_ns = EXPLORED_NS,
                                             .schedules = parts == 1 ? 150 : 0};
        struct errand *errand = run_errand((struct errand){
            .scheme = "redis-setnx-expire", .limits = &limits, .in_parts = parts == 1});
        found[parts] = errand->violations;
        assert_int_equal(errand->result.end, SEARCH_EXHAUSTED);
        assert_null(errand->result.unconfirmed);
        munmap(errand, sizeof *errand);
        assert_true(has_violation(&found[parts], "stuck", ROOT_DIED_ACQUIRING, false, 20));
        assert_true(has_violation(&found[parts], "wrongful-release", ROOT_REMOVED, false, 12));
        assert_true(has_violation(&found[parts], "stale-holder", ROOT_LATE_GRANT, true, 12));
    }
    assert_int_equal(found[0].count, found[1].count);
    for (size_t i = 0; i < found[0].count; i++) {
        assert_true(breach_is(&found[0].items[i].breach, &found[1].items[i].breach));
        assert_int_equal(found[0].items[i].seen, found[1].items[i].seen);
        assert_int_equal(found[0].items[i].schedules, found[1].items[i].schedules);
    }
}

TEST(an_interrupted_search_tells_what_it_has_found)
{
    const _Atomic uint32_t interrupted = 1;
    const struct search_limits limits = {
        .all = true, .for_ns = EXPLORED_NS, .interrupted = &interrupted};
    struct errand *errand =
        run_errand((struct errand){.scheme = "mysql-for-update-late", .limits = &limits});
    assert_int_equal(errand->result.end, SEARCH_INTERRUPTED);
    assert_int_equal(errand->result.progress.schedules, 1);
    assert_true(has_violation(&errand->violations, "lost-update", ROOT_OLD_VIEW, false, 20));
    munmap(errand, sizeof *errand);
}

// All schedules together come by no state that the search has not seen.
TEST(states_that_are_not_entered_again_hide_no_other_state)
{
    static const struct {
        const char *name;
        int faults, leases;
    } schemes[] = {{"redis-setnx", 1, 0},
                   {"redis-lua", 0, 1},
                   {"memcached-add", 1, 0},
                   {"redis-list-move", 0, 1}};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        uint64_t states[2];
        for (int all = 0; all < 2; all++) {
            const struct search_limits limits = {.faults = schemes[i].faults,
                                                 .leases = schemes[i].leases,
                                                 .for_ns = EXPLORED_NS,
                                                 .enters_all = all == 1};
            struct errand *errand =
                run_errand((struct errand){.scheme = schemes[i].name, .limits = &limits});
            printf("%s: %llu states by %llu schedules\n", schemes[i].name,
                   (unsigned long long)errand->result.progress.states,
                   (unsigned long long)errand->result.progress.schedules);
            assert_int_equal(errand->result.end, SEARCH_EXHAUSTED);
            states[all] = errand->result.progress.states;
            munmap(errand, sizeof *errand);
        }
        assert_int_equal(states[0], states[1]);
    }
}

TEST(equal_states_go_on_equally_where_servers_restart_timers_are_due_and_subscribers_lost_something)
{
    static const struct {
        const char *scheme, *workload;
        int operations;
        bool rare;
        int64_t schedules;
    } schemes[] = {{"redis-setnx", NULL, 2, true, 700},
                   {"redis-list-move", NULL, 2, true, 300},
                   {"redis-watchdog", "nested", 1, true, 700},
                   {"redisson-semaphore", NULL, 1, false, 1200}};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        const struct search_limits limits = {.faults = 1,
                                             .leases = 1,
                                             .rare = schemes[i].rare,
                                             .for_ns = EXPLORED_NS,
                                             .schedules = schemes[i].schedules};
        struct errand *errand = run_errand((struct errand){.scheme = schemes[i].scheme,
                                                           .workload = schemes[i].workload,
                                                           .operations = schemes[i].operations,
                                                           .limits = &limits});
        assert_int_equal(errand->result.end, SEARCH_OUT_OF_TIME);
        assert_true(errand->result.progress.checked > 10);
        assert_int_equal(errand->result.progress.unlike, 0);
        assert_false(errand->result.progress.remembers);
        munmap(errand, sizeof *errand);
    }
}

// To its client the renewal is the same, whether the request was lost or the answer to it; but the
// lock's key does not last as long.
TEST(a_renewal_that_was_done_is_another_state_than_one_that_was_not)
{
    static const char *const schemes[] = {"redis-watchdog", "memcached-watchdog"};
    static const enum move_kind kinds[] = {MOVE_LOSE_REQUEST, MOVE_LOSE_REPLY};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        uint64_t states[2];
        for (size_t lost = 0; lost < 2; lost++) {
            struct errand wanted = {.scheme = schemes[i], .asks_state = true};
            struct schedule_moves *schedule = &wanted.schedule;
            const struct move watchdog = {.client = 1, .thread = THREAD_WATCHDOG};
            schedule->count = 2; // its first steps: it starts, and acquires the lock
            schedule->moves[0].client = schedule->moves[1].client = 1;
            for (int renewal = 0; renewal < 2; renewal++) {
                schedule->moves[schedule->count++] = (struct move){.kind = MOVE_TIMER};
                if (i == 1)
                    schedule->moves[schedule->count++] = watchdog; // gets
                schedule->moves[schedule->count++] = watchdog;
            }
            schedule->moves[schedule->count - 1].kind = (uint8_t)kinds[lost];
            struct errand *errand = run_errand(wanted);
            states[lost] = errand->state;
            munmap(errand, sizeof *errand);
        }
        assert_true(states[0] != 0);
        assert_int_not_equal(states[0], states[1]);
    }
}

// What draws nothing, and does not look at the time of day, takes an ordinary step.
TEST(a_rare_draw_or_time_that_nobody_looks_at_is_no_fault)
{
    static const struct {
        const char *scheme;
        size_t at; // 0: the start, 1: the request
        enum move_kind kind;
        bool is_plain;
    } moves[] = {{"redis-lua", 1, MOVE_DRAW_ZERO, true},
                 {"redis-lua", 0, MOVE_CLOCK_BACK, true},
                 {"redis-lua", 1, MOVE_CLOCK_AHEAD, true},
                 {"redisson-fair", 0, MOVE_CLOCK_AHEAD, false}};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        struct errand wanted = {
            .scheme = moves[i].scheme,
            .schedule = {{{.kind = MOVE_STEP, .client = 1}, {.kind = MOVE_STEP, .client = 1}}, 2}};
        wanted.schedule.moves[moves[i].at].kind = (uint8_t)moves[i].kind;
        struct errand *errand = run_errand(wanted);
        enum move_kind made = (enum move_kind)errand->schedule.moves[moves[i].at].kind;
        if (made != (moves[i].is_plain ? MOVE_STEP : moves[i].kind))
            fail_msg("%s: move %d was made as %d", moves[i].scheme, moves[i].kind, made);
        munmap(errand, sizeof *errand);
    }
}

TEST(a_search_ends_with_its_time_or_its_schedules_and_claims_nothing)
{
    static const struct search_limits limits[] = {
        {.faults = 1, .leases = 1, .for_ns = 1},
        {.faults = 1, .leases = 1, .for_ns = EXPLORED_NS, .schedules = 7}};
    for (size_t i = 0; i < 2; i++) {
        struct errand *errand =
            run_errand((struct errand){.scheme = "redis-lua", .limits = &limits[i]});
        assert_int_equal(errand->result.end, SEARCH_OUT_OF_TIME);
        assert_int_equal(errand->result.progress.schedules, i == 0 ? 1 : 7);
        assert_true(errand->result.progress.waiting > 0);
        munmap(errand, sizeof *errand);
    }
}

TEST(a_search_that_goes_on_is_as_one_that_was_never_ended)
{
    struct search_progress progress[2];
    for (int parts = 0; parts < 2; parts++) {
        const struct search_limits limits = {
            .faults = 1, .for_ns = EXPLORED_NS, .schedules = parts == 1 ? 30 : 0};
        struct errand *errand = run_errand(
            (struct errand){.scheme = "redis-setnx", .limits = &limits, .in_parts = parts == 1});
        assert_int_equal(errand->result.end, SEARCH_EXHAUSTED);
        assert_true(errand->result.admitted > 0);
        progress[parts] = errand->result.progress;
        munmap(errand, sizeof *errand);
    }
    assert_int_equal(progress[0].schedules, progress[1].schedules);
    assert_int_equal(progress[0].states, progress[1].states);
    assert_int_equal(progress[0].checked, progress[1].checked);
    assert_true(progress[0].schedules > 60);
}

TEST(a_search_does_not_go_on_with_what_is_not_its_own)
{
    char *folder = test_folder();
    AUTO_FREE char *left = path_join(folder, "left");
    struct error error = {0};
    assert_int_equal(file_write(left, "lockpick", 8, &error), 0);
    const struct search_limits limits = {.faults = 1, .for_ns = EXPLORED_NS, .resume = left};
    struct errand *errand = run_errand((struct errand){.scheme = "redis-setnx", .limits = &limits});
    assert_int_equal(errand->result.end, SEARCH_FAILED);
    assert_non_null(strstr(errand->result.error.text, "cannot go on with"));
    munmap(errand, sizeof *errand);
    remove_folder(folder);
}

// Schedules that are written down.
static struct written {
    char *name, *moves, *expected; // what the moves leave open is expected to be added
    struct errand *errand;
} written[64];
static size_t written_count;

static void take_down(const struct written_case *one)
{
    struct written *taken = &written[written_count++];
    struct error error = {0};
    assert_in_range(written_count, 1, sizeof written / sizeof *written);
    *taken =
        (struct written){memory_string(one->name), memory_string(one->body.bytes),
                         memory_string(one->expected.bytes), memory_shared(sizeof(struct errand))};
    AUTO_FREE char *moves = memory_string(taken->moves);
    char *scheme = memory_string(one->name);
    scheme[strcspn(scheme, ":")] = '\0';
    *taken->errand = (struct errand){.times = 10, .scheme = scheme};
    for (char *rest = moves, *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';) {
        char what[MOVE_WHAT_ROOM];
        struct schedule_moves *schedule = &taken->errand->schedule;
        if (move_read(line, &schedule->moves[schedule->count++], what, &error) != 0)
            fail_case(one, "%s", error.text);
    }
}

// With all others of its lock.
static void make_written(size_t first)
{
    struct errand *last = written[first].errand;
    for (size_t i = first + 1; i < written_count; i++) {
        if (strcmp(written[i].errand->scheme, last->scheme) == 0)
            last = last->next = written[i].errand;
    }
    run(written[first].errand);
}

TEST(each_schedule_goes_as_it_is_written_and_does_the_same_again)
{
    each_case("harness/explore/cases/schedules.cases", 32, take_down);
    for (size_t i = 0; i < written_count; i++) {
        const struct written *one = &written[i];
        const struct errand *errand = one->errand;
        size_t length = strlen(one->moves);
        if (errand->lines[0] == '\0')
            make_written(i);
        if (strncmp(errand->lines, one->moves, length) != 0 ||
            strcmp(errand->lines + length, one->expected) != 0)
            fail_msg("%s: it goes\n%s", one->name, errand->lines);
        if (errand->broken[0] != '\0' || errand->differed)
            fail_msg("%s: broken: '%s'; it %s", one->name, errand->broken,
                     errand->differed ? "differs" : "is the same");
    }
}

TEST(a_lock_with_threads_is_exhausted)
{
    static const struct {
        const char *scheme;
        int leases;
    } sound[] = {{"redis-watchdog", 0},    {"redisson", 0},      {"redisson-semaphore", 1},
                 {"etcd-lease", 0},        {"etcd-lock-rpc", 0}, {"zk-sequential", 0},
                 {"postgres-lease-row", 0}};
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        const struct search_limits limits = {.leases = sound[i].leases, .for_ns = EXPLORED_NS};
        struct errand *errand =
            run_errand((struct errand){.scheme = sound[i].scheme, .limits = &limits});
        if (errand->result.end != SEARCH_EXHAUSTED || errand->result.progress.unlike != 0)
            fail_msg("%s: end %d, %llu unlike", sound[i].scheme, errand->result.end,
                     (unsigned long long)errand->result.progress.unlike);
        munmap(errand, sizeof *errand);
    }
}

TEST(locks_of_databases_are_told_apart_by_schedules_that_do_it_again_each_time)
{
    static const struct {
        const char *scheme, *workload, *broken;
        int operations;
    } cases[] = {{"mysql-for-update-late", NULL, "lost-update", 1},
                 {"mysql-get-lock", NULL, NULL, 2},
                 {"mysql-get-lock", "nested", NULL, 1},
                 {"postgres-advisory", NULL, NULL, 1}};
    const struct search_limits limits = {.faults = 1, .leases = 0, .for_ns = EXPLORED_NS};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errand *errand = run_errand((struct errand){.scheme = cases[i].scheme,
                                                           .workload = cases[i].workload,
                                                           .operations = cases[i].operations,
                                                           .limits = &limits});
        const struct search_result *result = &errand->result;
        assert_int_equal(result->end, cases[i].broken != NULL ? SEARCH_BROKEN : SEARCH_EXHAUSTED);
        if (cases[i].broken != NULL) {
            const struct violation *found = &errand->violations.items[0];
            assert_string_equal(breach_check(&found->breach)->name, cases[i].broken);
            assert_int_equal(found->replayed, REPLAYS);
        }
        assert_int_equal(result->progress.unlike, 0);
        assert_false(result->progress.remembers);
        munmap(errand, sizeof *errand);
    }
}
