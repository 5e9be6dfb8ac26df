// The schedules that break a real lock on real servers are found, and none of a sound one.
#include "harness/explore/test_errand.h"

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
