// Schedules of real locks on real servers: the same again each time, and the ones that break a
// lock.
#include "harness/cluster/sandbox.h"
#include "harness/explore/lock.h"
#include "harness/explore/search.h"
#include "harness/locks/lock.h"
#include "harness/run/test_trials.h"
#include "harness/run/vocabulary.h"
#include "harness/testing/test.h"

#include <sys/mman.h>

// A lock, what is done with it in a sandbox, and what came out.
struct errand {
    const char *scheme;
    int operations;                 // of each client; 0: one
    struct schedule_moves schedule; // to be made; or, with `limits`, looked for
    int times;                      // it is to be made; 0: once
    bool differed;                  // one of them went another way than the one before
    const struct search_limits *limits;
    struct search_result result;
    char lines[2000]; // what was done
    uint64_t history; // a hash of what was recorded of it
    char broken[40];  // by the schedule that was made; "" if it broke nothing
    char folder[80];
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
    struct text lines = {0};
    int result = search_replay(replay, &errand->schedule, &lines, error) < 0
                     ? -1
                     : replay_judge(replay, &model, &judgement, error);
    snprintf(errand->lines, sizeof errand->lines, "%s", text_string(&lines));
    if (result == 0) {
        errand->history = hash_of(model->history);
        const struct check *broken =
            search_broken(replay, trial, &errand->schedule, &judgement, NULL);
        snprintf(errand->broken, sizeof errand->broken, "%s", broken != NULL ? broken->name : "");
    }
    text_free(&lines);
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

static int go(const struct sandbox *sandbox, void *context)
{
    struct errand *errand = context;
    struct error error = {0};
    struct vocabulary *vocabulary = vocabulary_new();
    const struct explored_lock lock = {.lock = errand->scheme,
                                       .clients = 2,
                                       .threads = 1,
                                       .operations =
                                           errand->operations > 0 ? errand->operations : 1};
    struct scenario *scenario = explored_scenario(&lock, vocabulary);
    struct plan plan;
    struct server_pool pool;
    int result = plan_make(&scenario, 1, vocabulary, NULL, 0, 1, &plan, &error);
    server_pool_start(&pool, sandbox, errand->folder);
    struct replay *replay = NULL;
    if (result == 0)
        result = replay_open(&plan.trials[0], &pool, errand->folder, &replay, &error);
    if (result == 0 && errand->limits != NULL)
        search(replay, &plan.trials[0], errand->limits, NULL, NULL, &errand->result);
    else if (result == 0)
        result = make_often(errand, replay, &plan.trials[0], &error);
    replay_close(replay);
    server_pool_stop(&pool);
    plan_free(&plan);
    scenario_free(scenario);
    vocabulary_free(vocabulary);
    if (result != 0)
        fprintf(stderr, "%s\n", error.text);
    return result == 0 ? 0 : 1;
}

static struct errand *run_errand(struct errand wanted)
{
    struct errand *errand = memory_shared(sizeof *errand);
    *errand = wanted;
    char *folder = test_folder();
    snprintf(errand->folder, sizeof errand->folder, "%s", folder);
    assert_int_equal(sandbox_run(false, go, errand), 0);
    remove_folder(folder);
    return errand;
}

#define EXPLORED_NS (80 * NS_PER_S) // of a busy machine

// A lock by its name alone, and what the search finds. The schedules are the shortest known.
static const struct {
    const char *scheme, *broken;
    int faults, leases;
    size_t moves;
} locks[] = {
    {"redis-get-set", "wrongful-release", 0, 0, 10},
    {"redis-setnx-expire", "stuck", 1, 0, 20},
    {"redis-set-px-del", "wrongful-release", 0, 1, 11},
    {"redis-set-px-get-del", "wrongful-release", 0, 1, 10},
    {"redis-setnx-getset", "wrongful-release", 0, 1, 14},
    {"memcached-add", "wrongful-release", 0, 1, 11},
};

TEST(broken_locks_are_broken_by_a_schedule_that_does_it_again_each_time)
{
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++) {
        const struct search_limits limits = {
            .faults = locks[i].faults, .leases = locks[i].leases, .for_ns = EXPLORED_NS};
        struct errand *errand =
            run_errand((struct errand){.scheme = locks[i].scheme, .limits = &limits});
        const struct search_result *found = &errand->result;
        if (found->end != SEARCH_BROKEN || strcmp(found->broken->name, locks[i].broken) != 0 ||
            found->found.count > locks[i].moves || found->replayed != REPLAYS)
            fail_msg("%s: end %d, %s by %zu moves, again %d times", locks[i].scheme, found->end,
                     found->broken != NULL ? found->broken->name : "nothing", found->found.count,
                     found->replayed);
        assert_int_equal(found->progress.unlike, 0);
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

// A request that is lost does nothing, one whose reply is lost does all; either way the client
// knows nothing, and takes back what it may have been granted.
TEST(a_lock_whose_requests_and_replies_are_lost_is_taken_back)
{
    static const struct {
        enum move_kind kind;
        const char *told;
    } losses[] = {
        {MOVE_LOSE_REQUEST, "client-1 add, request lost\nclient-1 gets\nclient-2 start\n"
                            "client-2 add\nclient-2 write\n"},
        {MOVE_LOSE_REPLY, "client-1 add, reply lost\nclient-1 gets\nclient-1 md\n"
                          "client-2 start\nclient-2 add\nclient-2 write\n"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct schedule_moves schedule = {
            {{.kind = MOVE_STEP, .client = 1}, {.kind = (uint8_t)losses[i].kind, .client = 1}}, 2};
        for (int again = 0; again < 10; again++) {
            struct errand *errand =
                run_errand((struct errand){.scheme = "memcached-add-cas", .schedule = schedule});
            assert_string_equal(errand->broken, "");
            if (strstr(errand->lines, losses[i].told) == NULL)
                fail_msg("it went otherwise:\n%s", errand->lines);
            munmap(errand, sizeof *errand);
        }
    }
}

// All schedules together come by no state that the search has not seen.
TEST(states_that_are_not_entered_again_hide_no_other_state)
{
    static const struct {
        const char *name;
        int faults, leases;
    } schemes[] = {
        {"redis-setnx", 1, 0}, {"redis-lua", 0, 1}, {"redisson", 0, 0}, {"etcd-lease", 0, 0}};
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

// A server that forgets lets another one in, whatever the lock: that is no bug of it. One that
// keeps all has cut its clients off, and no more.
TEST(a_server_that_forgets_breaks_every_lock_as_is_admitted)
{
    static const struct {
        const char *scheme;
        enum move_kind kind;
        const char *told;
    } strikes[] = {
        {"redis-lua", MOVE_EVICT,
         "redis-1 evicts the lock\nclient-2 start\nclient-2 EVAL\nclient-2 write\n"},
        {"redis-lua", MOVE_AMNESIA,
         "redis-1 restarts and loses all\nclient-2 start\nclient-2 EVAL\nclient-2 EVAL\n"},
        {"redis-lua", MOVE_RESTART,
         "redis-1 restarts and keeps all\nclient-2 start\nclient-2 EVAL\nclient-2 EVAL\n"},
        {"memcached-add-cas", MOVE_EVICT,
         "memcached-1 evicts the lock\nclient-2 start\nclient-2 add\nclient-2 write\n"},
        {"memcached-add-cas", MOVE_AMNESIA,
         "memcached-1 restarts and loses all\nclient-2 start\nclient-2 add\nclient-2 gets\n"},
    };
    for (size_t i = 0; i < sizeof strikes / sizeof *strikes; i++) {
        char first[sizeof((struct errand *)NULL)->lines] = "";
        for (int again = 0; again < 10; again++) {
            struct errand *errand = run_errand(
                (struct errand){.scheme = strikes[i].scheme,
                                .schedule = {{{.kind = MOVE_STEP, .client = 1},
                                              {.kind = MOVE_STEP, .client = 1},
                                              {.kind = (uint8_t)strikes[i].kind, .server = 1},
                                              {.kind = MOVE_STEP, .client = 2},
                                              {.kind = MOVE_STEP, .client = 2}},
                                             5}});
            if (strstr(errand->lines, strikes[i].told) == NULL || errand->broken[0] != '\0')
                fail_msg("%s broken; it went otherwise:\n%s", errand->broken, errand->lines);
            if (again > 0)
                assert_string_equal(errand->lines, first);
            snprintf(first, sizeof first, "%s", errand->lines);
            munmap(errand, sizeof *errand);
        }
    }
}

TEST(a_lock_without_a_lease_stays_with_who_crashed_as_it_admits)
{
    struct errand *errand =
        run_errand((struct errand){.scheme = "redis-setnx",
                                   .schedule = {{{.kind = MOVE_STEP, .client = 1},
                                                 {.kind = MOVE_STEP, .client = 1},
                                                 {.kind = MOVE_CRASH, .client = 1}},
                                                3}});
    assert_string_equal(errand->broken, "");
    assert_non_null(strstr(errand->lines, "client-1 crashes\nclient-2 start\n"
                                          "client-2 SETNX\nall wait\nclient-2 retry\n"));
    munmap(errand, sizeof *errand);
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

// The schedule's moves as they are written, of clients alone; what they leave open is added, and it
// is the same ten times.
static void must_go(const char *scheme, const char *schedule, const char *wanted)
{
    struct errand errand = {.scheme = scheme, .times = 10};
    struct error error = {0};
    for (const char *line = schedule; *line != '\0'; line += strcspn(line, "\n") + 1) {
        char what[MOVE_WHAT_ROOM];
        char text[80];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        struct move *move = &errand.schedule.moves[errand.schedule.count++];
        assert_int_equal(move_read(text, move, what, &error), 0);
    }
    struct errand *done = run_errand(errand);
    size_t length = strlen(schedule);
    if (strncmp(done->lines, schedule, length) != 0 || strcmp(done->lines + length, wanted) != 0)
        fail_msg("%s goes\n%s, not\n%s%s", scheme, done->lines, schedule, wanted);
    assert_string_equal(done->broken, "");
    assert_false(done->differed);
    munmap(done, sizeof *done);
}

// --- threads of a client -------------------------------------------------------------------------

// A schedule, as it is written, of clients with threads, and the steps that follow by themselves.
static const struct {
    const char *scheme, *schedule, *wanted;
} threaded[] = {
    // A lease that is renewed three times outlasts itself.
    {"redis-watchdog",
     "client-1 start\nclient-1 SET\ntime passes until a timer is due\nclient-1's watchdog EVAL\n"
     "time passes until a timer is due\nclient-1's watchdog EVAL, reply lost\n"
     "time passes until a timer is due\nclient-1's watchdog EVAL\nclient-2 start\nclient-2 SET\n",
     "client-1 write\nclient-1 EVAL\nclient-2 retry\nclient-2 SET\nclient-2 write\n"
     "client-2 EVAL\n"},
    // A watchdog that was held up learns that its lock is another's.
    {"redis-watchdog",
     "client-1 start\nclient-1 SET\na lease passes\nclient-2 start\nclient-2 SET\n"
     "client-1's watchdog wakes\nclient-1's watchdog EVAL\n",
     "client-1 write\nclient-1 EVAL\nclient-2 write\nclient-2 EVAL\n"},
    // A release waits for the renewal that is under way.
    {"redis-watchdog",
     "client-1 start\nclient-1 SET\ntime passes until a timer is due\nclient-1 write\n"
     "client-1's watchdog EVAL\nclient-1 EVAL\n",
     "client-2 start\nclient-2 SET\nclient-2 write\nclient-2 EVAL\n"},
    // Who waits is woken by the message of a release that came after the last look.
    {"redisson",
     "client-1 start\nclient-1 EVAL\nclient-2 start\nclient-2 EVAL\n"
     "client-2's subscriber SUBSCRIBE\nclient-2 EVAL\nclient-1 write\nclient-1 EVAL\n"
     "client-2's subscriber message\n",
     "client-2 EVAL\nclient-2 write\nclient-2 EVAL\n"},
    // If that is lost, it waits for the end of the lease.
    {"redisson",
     "client-1 start\nclient-1 EVAL\nclient-2 start\nclient-2 EVAL\n"
     "client-2's subscriber SUBSCRIBE\nclient-2 EVAL\nclient-1 write\nclient-1 EVAL\n"
     "client-2's subscriber message, lost\nclient-2's subscriber SUBSCRIBE\n"
     "client-1's sweeper DEL\n",
     "all wait\nall wait\nclient-2 write\nclient-2 EVAL\n"},
    // With its client a watchdog dies, and a subscriber.
    {"redisson",
     "client-1 start\nclient-1 EVAL\ntime passes until a timer is due\nclient-1 crashes\n",
     "client-2 start\nclient-2 EVAL\nclient-2's subscriber SUBSCRIBE\nclient-2 EVAL\nall wait\n"
     "client-2 write\nclient-2 EVAL\n"},
};

TEST(each_thread_of_a_client_goes_by_itself_and_does_the_same_again)
{
    for (size_t i = 0; i < sizeof threaded / sizeof *threaded; i++)
        must_go(threaded[i].scheme, threaded[i].schedule, threaded[i].wanted);
}

TEST(a_lock_with_threads_is_exhausted)
{
    static const struct {
        const char *scheme;
        int leases;
    } sound[] = {{"redis-watchdog", 0}, {"redisson", 0},      {"redisson-semaphore", 1},
                 {"etcd-lease", 0},     {"etcd-lock-rpc", 0}, {"zk-sequential", 0}};
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

// --- requests that wait at the server ------------------------------------------------------------

TEST(a_request_that_waits_at_the_server_is_answered_in_a_step_of_its_own)
{
    must_go("mysql-get-lock",
            "client-1 start\nclient-1 GET_LOCK\nclient-2 start\nclient-2 GET_LOCK\n",
            "client-1 write\nclient-1 RELEASE_LOCK\nclient-2 answer\nclient-2 write\n"
            "client-2 RELEASE_LOCK\n");
    must_go("mysql-for-update",
            "client-1 start\nclient-1 BEGIN\nclient-2 start\nclient-2 BEGIN\nclient-1 SELECT\n"
            "client-2 SELECT\n",
            "client-1 write\nclient-1 UPDATE\nclient-1 COMMIT\nclient-2 answer\n"
            "client-2 write\nclient-2 UPDATE\nclient-2 COMMIT\n");
}

#define FIRST_HOLDS "client-1 start\nclient-1 grant\nclient-1 txn\n"
#define SECOND_LOOKS                                                                               \
    "client-2 start\nclient-2 grant\nclient-2 txn\n"                                               \
    "client-2 range\n"
#define SECOND_HOLDS "client-2 range\nclient-2 range\nclient-2 write\nclient-2 delete\n"

TEST(a_watch_is_told_what_it_waits_for_in_a_step_of_its_own)
{
    must_go("etcd-lease", FIRST_HOLDS SECOND_LOOKS "client-2 watch\n",
            "client-1 write\nclient-1 delete\nclient-2 message\n" SECOND_HOLDS);
    must_go("etcd-lease",
            FIRST_HOLDS SECOND_LOOKS
            "client-2 watch\nclient-1 write\nclient-1 delete\nclient-2 message, lost\n",
            "client-2 retry\n" SECOND_HOLDS);
    // Of what has gone before it began, it is told at once.
    must_go("etcd-lease",
            FIRST_HOLDS SECOND_LOOKS "client-1 write\nclient-1 delete\nclient-2 watch\n",
            SECOND_HOLDS);
    must_go("etcd-lock-rpc",
            "client-1 start\nclient-1 grant\nclient-1 lock\nclient-2 start\nclient-2 grant\n"
            "client-2 lock\n",
            "client-1 write\nclient-1 range\nclient-1 unlock\nclient-2 message\nclient-2 write\n"
            "client-2 range\nclient-2 unlock\n");
    must_go("etcd-lock-rpc",
            "client-1 start\nclient-1 grant\nclient-1 lock\nclient-2 start\nclient-2 grant\n"
            "client-2 lock, reply lost\n",
            "client-2 revoke\nclient-1 write\nclient-1 range\nclient-1 unlock\nclient-2 retry\n"
            "client-2 grant\nclient-2 lock\nclient-2 write\nclient-2 range\nclient-2 unlock\n");
}

// By a revoke of the harness's.
TEST(a_lease_ends_when_its_time_is_over_unless_it_was_kept_alive)
{
    must_go("etcd-lease",
            FIRST_HOLDS SECOND_LOOKS
            "client-2 watch\ntime passes until a timer is due\nclient-1's watchdog keepalive\n"
            "client-2 keepalive\n",
            "client-1 write\nclient-1 delete\nclient-2 retry\n" SECOND_HOLDS);
    must_go("etcd-lease", FIRST_HOLDS "client-1 crashes\n" SECOND_LOOKS "client-2 watch\n",
            "all wait\nall wait\nclient-2 retry\nclient-2 keepalive\nclient-2 delete\n"
            "client-2 revoke\nall wait\nclient-2 retry\nclient-2 grant\nclient-2 txn\n"
            "client-2 write\nclient-2 delete\n");
    must_go("etcd-lease", FIRST_HOLDS SECOND_LOOKS "client-2 watch\na lease passes\n",
            "client-2 message\nclient-2 keepalive\nclient-2 delete\nclient-2 revoke\n"
            "client-1 write\nclient-1 delete\nclient-2 retry\nclient-2 grant\nclient-2 txn\n"
            "client-2 write\nclient-2 delete\n");
}

TEST(the_lock_of_a_session_is_free_once_its_client_died_or_lost_it)
{
    must_go("mysql-get-lock",
            "client-1 start\nclient-1 GET_LOCK\nclient-2 start\nclient-2 GET_LOCK\n"
            "client-1 crashes\nclient-2 answer\n",
            "client-2 write\nclient-2 RELEASE_LOCK\n");
    must_go("mysql-for-update",
            "client-1 start\nclient-1 BEGIN\nclient-1 SELECT\nclient-2 start\nclient-2 BEGIN\n"
            "client-2 SELECT, reply lost\nclient-1 write\nclient-1 UPDATE, request lost\n"
            "client-2 answer\n",
            "");
}

TEST(locks_of_databases_are_told_apart_by_schedules_that_do_it_again_each_time)
{
    static const struct {
        const char *scheme, *broken;
        int operations;
    } cases[] = {{"mysql-for-update-late", "lost-update", 1},
                 {"mysql-get-lock", NULL, 2},
                 {"postgres-advisory", NULL, 1}};
    const struct search_limits limits = {.faults = 1, .leases = 0, .for_ns = EXPLORED_NS};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errand *errand = run_errand((struct errand){
            .scheme = cases[i].scheme, .operations = cases[i].operations, .limits = &limits});
        const struct search_result *result = &errand->result;
        assert_int_equal(result->end, cases[i].broken != NULL ? SEARCH_BROKEN : SEARCH_EXHAUSTED);
        if (cases[i].broken != NULL) {
            assert_string_equal(result->broken->name, cases[i].broken);
            assert_int_equal(result->replayed, REPLAYS);
        }
        assert_int_equal(result->progress.unlike, 0);
        assert_false(result->progress.remembers);
        munmap(errand, sizeof *errand);
    }
}
