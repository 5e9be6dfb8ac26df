// The pool of servers, and whether a trial can be run with them.
#include "harness/run/servers.h"

#include "harness/base/clock.h"
#include "harness/base/test_folder.h"
#include "harness/locks/lock.h"
#include "harness/run/test_scenario.h"

#include <signal.h>
#include <sys/wait.h>

TEST_FOLDER("/tmp/lockpick-servers-test-XXXXXX");

// --- the pool ------------------------------------------------------------------------------------

struct pool_fixture {
    struct sandbox sandbox;
    struct server_pool pool;
    struct service lock_service;
    struct service store_service;
    struct error error;
};

static void start_pool(struct pool_fixture *fixture)
{
    *fixture = (struct pool_fixture){.sandbox = {.isolation = ISOLATION_LOOPBACK}};
    server_pool_start(&fixture->pool, &fixture->sandbox, folder);
}

static int provide(struct pool_fixture *fixture, const struct scenario *scenario,
                   const char *scheme)
{
    struct trial trial = {
        .scenario = scenario, .scheme = scheme, .traits = lock_scheme_find(scheme)->traits};
    return server_pool_provide(&fixture->pool, &trial, &fixture->lock_service,
                               &fixture->store_service, &fixture->error);
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(trials_that_need_the_same_servers_share_them)
{
    struct pool_fixture fixture;
    const struct scenario *scenario = scenario_of("");
    start_pool(&fixture);
    assert_int_equal(provide(&fixture, scenario, "redis-setnx"), 0);
    pid_t first = fixture.pool.cluster.nodes[0].server;
    assert_string_equal(fixture.lock_service.topology, "single");
    assert_int_equal(provide(&fixture, scenario, "none"), 0); // needs none, and ends none
    assert_int_equal(fixture.lock_service.server_count, 0);
    assert_int_equal(provide(&fixture, scenario, "redis-set-px-lua"), 0);
    assert_int_equal(fixture.pool.cluster.nodes[0].server, first);
    scenario = scenario_of("servers: {redis: {persistence: aof-always}}\n");
    assert_int_equal(provide(&fixture, scenario, "redis-set-px-lua"), 0);
    assert_int_not_equal(fixture.pool.cluster.nodes[0].server, first);
    server_pool_stop(&fixture.pool);
}

TEST(a_server_that_has_died_is_not_handed_on)
{
    struct pool_fixture fixture;
    const struct scenario *scenario = scenario_of("");
    siginfo_t information;
    start_pool(&fixture);
    assert_int_equal(provide(&fixture, scenario, "redis-setnx"), 0);
    pid_t first = fixture.pool.cluster.nodes[0].server;
    kill(first, SIGKILL);
    waitid(P_PID, (id_t)first, &information, WEXITED | WNOWAIT);
    assert_int_equal(provide(&fixture, scenario, "redis-setnx"), 0);
    assert_int_not_equal(fixture.pool.cluster.nodes[0].server, first);
    server_pool_stop(&fixture.pool);
}

TEST(a_store_has_a_server_of_its_own_unless_it_is_to_share_the_locks)
{
    struct pool_fixture fixture;
    const struct scenario *apart =
        scenario_of("workload: {kind: increment, operations: 10, store: redis}\n");
    const struct scenario *shared =
        scenario_of("workload: {kind: increment, operations: 10, store: same}\n");
    start_pool(&fixture);
    assert_int_equal(provide(&fixture, apart, "redis-setnx"), 0);
    assert_int_not_equal(fixture.lock_service.servers[0].port,
                         fixture.store_service.servers[0].port);
    assert_int_equal(provide(&fixture, shared, "redis-setnx"), 0);
    assert_int_equal(fixture.lock_service.servers[0].port, fixture.store_service.servers[0].port);
    server_pool_stop(&fixture.pool);
}

TEST(servers_that_a_trial_strikes_are_its_own)
{
    struct pool_fixture fixture;
    const struct scenario *calm = scenario_of("");
    const struct scenario *rough = scenario_of("faults: [{at: 1s, restart: leader}]\n");
    struct trial trial = {.scenario = rough, .scheme = "redis-setnx"};
    start_pool(&fixture);
    assert_int_equal(provide(&fixture, calm, "redis-setnx"), 0);
    pid_t first = fixture.pool.cluster.nodes[0].server;
    assert_int_equal(provide(&fixture, rough, "redis-setnx"), 0);
    assert_int_not_equal(fixture.pool.cluster.nodes[0].server, first);
    server_pool_release(&fixture.pool, &trial);
    assert_false(fixture.pool.is_up);
    // A trial that strikes only clients leaves servers as they were.
    trial.scenario = scenario_of("faults: [{at: 1s, pause: client-1, until: 1s}]\n");
    assert_int_equal(provide(&fixture, trial.scenario, "redis-setnx"), 0);
    server_pool_release(&fixture.pool, &trial);
    assert_true(fixture.pool.is_up);
    assert_true(server_pool_suits(&fixture.pool, &trial));
    server_pool_stop(&fixture.pool);
}

TEST(a_server_that_runs_already_is_described_and_none_is_booted)
{
    struct pool_fixture fixture;
    const struct scenario *scenario =
        scenario_of("servers: {redis: {external: 'redis://me@db.example:7000,other/3', "
                    "password: 'env:LOCKPICK_TEST_PASSWORD'}}\n");
    start_pool(&fixture);
    unsetenv("LOCKPICK_TEST_PASSWORD");
    assert_int_equal(provide(&fixture, scenario, "redis-setnx"), -1);
    assert_non_null(strstr(fixture.error.text, "no variable LOCKPICK_TEST_PASSWORD"));
    setenv("LOCKPICK_TEST_PASSWORD", "secret", 1);
    assert_int_equal(provide(&fixture, scenario, "redis-setnx"), 0);
    assert_false(fixture.pool.is_up);
    const struct service *service = &fixture.lock_service;
    assert_true(service->external);
    assert_string_equal(service->user, "me");
    assert_string_equal(service->password, "secret");
    assert_string_equal(service->database, "3");
    assert_int_equal(service->server_count, 2);
    assert_string_equal(service->servers[0].host, "db.example");
    assert_int_equal(service->servers[0].port, 7000);
    assert_int_equal(service->servers[1].port, 6379);
    server_pool_stop(&fixture.pool);
}

// --- applicability -------------------------------------------------------------------------------

static void assert_applies(const char *lines, const char *scheme, enum applicability wanted,
                           const char *says)
{
    struct trial trial = {.scenario = scenario_of(lines), .scheme = scheme};
    AUTO_TEXT struct text reason = {0};
    enum applicability found = trial_applicability(&trial, &reason);
    if (found != wanted || strstr(text_string(&reason), says) == NULL)
        fail_msg("%s: found %d, because '%s'", scheme, (int)found, text_string(&reason));
}

TEST(a_scheme_that_lacks_what_the_scenario_wants_is_not_applicable)
{
    assert_applies("workload: {kind: nested, operations: 10}\n", "redis-setnx",
                   TRIAL_NOT_APPLICABLE, "reentrant");
    assert_applies("workload: {kind: increment, operations: 10, store: same}\n", "none",
                   TRIAL_NOT_APPLICABLE, "no store of that kind");
    static const char many[] = "servers: {redis: {topology: independent}}\n";
    assert_applies(many, "redis-setnx", TRIAL_NOT_APPLICABLE, "topology independent");
    assert_applies(many, "redlock", TRIAL_CAN_RUN, "");
    assert_applies(many, "none", TRIAL_CAN_RUN, "");
}

#define OTHERS "servers: {redis: {external: redis://localhost}}\n"

TEST(a_server_that_is_not_installed_is_named_with_its_package)
{
    AUTO_FREE char *path = memory_string(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    assert_applies("", "redis-setnx", TRIAL_NOT_INSTALLED, "apt-get install redis-server");
    assert_applies(OTHERS, "redis-setnx", TRIAL_CAN_RUN, "");
    setenv("PATH", path, 1);
}

#define PAUSE "{at: 1s, pause: client-1, until: 1s}"

TEST(a_fault_on_a_node_or_a_wire_strikes_servers)
{
    static const struct {
        const char *faults;
        bool strikes;
    } cases[] = {{"faults: []\n", false},
                 {"faults: [" PAUSE ", {at: 1s, kill: client-2}]\n", false},
                 {"faults: [" PAUSE ", {at: 1s, kill: server-1}]\n", true},
                 {"faults: [" PAUSE ", {at: 1s, partition: client-1, until: 1s}]\n", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct trial trial = {.scenario = scenario_of(cases[i].faults),
                                    .scheme = "redis-setnx"};
        assert_int_equal(trial_strikes_servers(&trial), cases[i].strikes);
    }
}

TEST(only_trials_whose_numbers_nobody_reads_share_the_machine)
{
    static const struct {
        const char *lines;
        bool may;
    } cases[] = {
        {"", false}, // without a fault it is a measurement
        {"faults: [" PAUSE "]\n", true},
        // What it achieves in its time, others would change.
        {"faults: [" PAUSE "]\nworkload: {kind: increment, for: 5s}\n", false},
        {"faults: [" PAUSE "]\nworkload: {kind: increment, for: 5s}\nverdict-only: true\n", true},
        {"faults: [" PAUSE "]\nverdict-only: true\n" OTHERS, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct trial trial = {.scenario = scenario_of(cases[i].lines),
                                    .scheme = "redis-setnx"};
        assert_int_equal(trial_may_share_machine(&trial), cases[i].may);
    }
}
