// The pool of servers, and whether a trial can be run with them.
#include "harness/run/servers.h"

#include "harness/base/clock.h"
#include "harness/base/test_folder.h"
#include "harness/locks/lock.h"
#include "harness/testing/test.h"

#include <signal.h>
#include <sys/wait.h>

TEST_FOLDER("/tmp/lockpick-servers-test-XXXXXX");

static struct scenario scenario_with(const char *workload, const char *store)
{
    return (struct scenario){.workload = {.kind = (char *)(size_t)workload,
                                          .store = (char *)(size_t)store,
                                          .operations = 10},
                             .clients = {.processes = 1, .threads = 1}};
}

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
    struct scenario scenario = scenario_with("increment", "shm");
    start_pool(&fixture);
    assert_int_equal(provide(&fixture, &scenario, "redis-setnx"), 0);
    pid_t first = fixture.pool.cluster.nodes[0].server;
    assert_string_equal(fixture.lock_service.topology, "single");
    assert_int_equal(provide(&fixture, &scenario, "none"), 0); // needs none, and ends none
    assert_int_equal(fixture.lock_service.server_count, 0);
    assert_int_equal(provide(&fixture, &scenario, "redis-set-px-lua"), 0);
    assert_int_equal(fixture.pool.cluster.nodes[0].server, first);
    scenario.servers[0].kind = "redis";
    scenario.servers[0].persistence = PERSISTENCE_AOF_ALWAYS;
    assert_int_equal(provide(&fixture, &scenario, "redis-set-px-lua"), 0);
    assert_int_not_equal(fixture.pool.cluster.nodes[0].server, first);
    server_pool_stop(&fixture.pool);
}

TEST(a_server_that_has_died_is_not_handed_on)
{
    struct pool_fixture fixture;
    struct scenario scenario = scenario_with("increment", "shm");
    siginfo_t information;
    start_pool(&fixture);
    assert_int_equal(provide(&fixture, &scenario, "redis-setnx"), 0);
    pid_t first = fixture.pool.cluster.nodes[0].server;
    kill(first, SIGKILL);
    waitid(P_PID, (id_t)first, &information, WEXITED | WNOWAIT);
    assert_int_equal(provide(&fixture, &scenario, "redis-setnx"), 0);
    assert_int_not_equal(fixture.pool.cluster.nodes[0].server, first);
    server_pool_stop(&fixture.pool);
}

TEST(a_store_has_a_server_of_its_own_unless_it_is_to_share_the_locks)
{
    struct pool_fixture fixture;
    struct scenario apart = scenario_with("increment", "redis");
    struct scenario shared = scenario_with("increment", "same");
    start_pool(&fixture);
    assert_int_equal(provide(&fixture, &apart, "redis-setnx"), 0);
    assert_int_not_equal(fixture.lock_service.servers[0].port,
                         fixture.store_service.servers[0].port);
    assert_int_equal(provide(&fixture, &shared, "redis-setnx"), 0);
    assert_int_equal(fixture.lock_service.servers[0].port, fixture.store_service.servers[0].port);
    server_pool_stop(&fixture.pool);
}

TEST(servers_that_a_trial_strikes_are_its_own)
{
    struct pool_fixture fixture;
    struct scenario calm = scenario_with("increment", "shm");
    struct scenario rough = calm;
    struct fault_instance restart = {
        .number = 1, .verb = "restart", .target = {.server = "leader"}};
    struct trial trial = {.scenario = &rough, .scheme = "redis-setnx"};
    rough.faults = &restart;
    rough.fault_count = 1;
    start_pool(&fixture);
    assert_int_equal(provide(&fixture, &calm, "redis-setnx"), 0);
    pid_t first = fixture.pool.cluster.nodes[0].server;
    assert_int_equal(provide(&fixture, &rough, "redis-setnx"), 0);
    assert_int_not_equal(fixture.pool.cluster.nodes[0].server, first);
    server_pool_release(&fixture.pool, &trial);
    assert_false(fixture.pool.is_up);
    // A trial that strikes only clients leaves servers as they were.
    restart = (struct fault_instance){.number = 1, .verb = "pause", .target = {.client = 1}};
    assert_int_equal(provide(&fixture, &rough, "redis-setnx"), 0);
    server_pool_release(&fixture.pool, &trial);
    assert_true(fixture.pool.is_up);
    assert_true(server_pool_suits(&fixture.pool, &trial));
    server_pool_stop(&fixture.pool);
}

TEST(a_server_that_runs_already_is_described_and_none_is_booted)
{
    struct pool_fixture fixture;
    struct scenario scenario = scenario_with("increment", "shm");
    scenario.servers[0].kind = "redis";
    scenario.servers[0].external = (char *)(size_t) "redis://me:secret@db.example:7000,other/3";
    start_pool(&fixture);
    assert_int_equal(provide(&fixture, &scenario, "redis-setnx"), 0);
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

static void assert_applies(const struct scenario *scenario, const char *scheme,
                           enum applicability wanted, const char *says)
{
    struct trial trial = {.scenario = scenario, .scheme = scheme};
    struct text reason = {0};
    enum applicability found = trial_applicability(&trial, &reason);
    if (found != wanted || strstr(text_string(&reason), says) == NULL)
        fail_msg("%s: found %d, because '%s'", scheme, (int)found, text_string(&reason));
    text_free(&reason);
}

TEST(a_scheme_that_lacks_what_the_scenario_wants_is_not_applicable)
{
    struct scenario nested = scenario_with("nested", "shm");
    assert_applies(&nested, "redis-setnx", TRIAL_NOT_APPLICABLE, "reentrant");
    struct scenario same = scenario_with("increment", "same");
    assert_applies(&same, "none", TRIAL_NOT_APPLICABLE, "no store of that kind");
    struct scenario many = scenario_with("increment", "shm");
    many.servers[0].kind = "redis";
    many.servers[0].topology = (char *)(size_t) "independent";
    assert_applies(&many, "redis-setnx", TRIAL_NOT_APPLICABLE, "topology independent");
    assert_applies(&many, "redlock", TRIAL_CAN_RUN, "");
    assert_applies(&many, "none", TRIAL_CAN_RUN, "");
}

TEST(a_server_that_is_not_installed_is_named_with_its_package)
{
    char *path = memory_string(getenv("PATH"));
    struct scenario plain = scenario_with("increment", "shm");
    setenv("PATH", "/nonexistent", 1);
    assert_applies(&plain, "redis-setnx", TRIAL_NOT_INSTALLED, "apt-get install redis-server");
    plain.servers[0].kind = "redis";
    plain.servers[0].external = (char *)(size_t) "redis://localhost";
    assert_applies(&plain, "redis-setnx", TRIAL_CAN_RUN, "");
    setenv("PATH", path, 1);
    free(path);
}

TEST(a_fault_on_a_node_or_a_wire_strikes_servers)
{
    struct scenario scenario = scenario_with("increment", "shm");
    struct fault_instance instances[] = {{.verb = "pause", .target = {.client = 1}},
                                         {.verb = "kill", .target = {.client = 2}}};
    struct trial trial = {.scenario = &scenario, .scheme = "redis-setnx"};
    assert_false(trial_strikes_servers(&trial));
    scenario.faults = instances;
    scenario.fault_count = 2;
    assert_false(trial_strikes_servers(&trial));
    instances[1] = (struct fault_instance){.verb = "kill", .target = {.server = "server-1"}};
    assert_true(trial_strikes_servers(&trial));
    instances[1] = (struct fault_instance){.verb = "partition",
                                           .target = {.client = 1},
                                           .sides = {{{.client = 1}}},
                                           .side_counts = {1, 1}};
    assert_true(trial_strikes_servers(&trial));
}

TEST(only_trials_whose_numbers_nobody_reads_share_the_machine)
{
    struct scenario scenario = scenario_with("increment", "shm");
    struct fault_instance instance = {.verb = "pause", .target = {.client = 1}};
    struct trial trial = {.scenario = &scenario, .scheme = "redis-setnx"};
    assert_false(trial_may_share_machine(&trial)); // without a fault it is a measurement
    scenario.faults = &instance;
    scenario.fault_count = 1;
    assert_true(trial_may_share_machine(&trial));
    scenario.workload.for_ns = NS_PER_S; // what it achieves in its time, others would change
    assert_false(trial_may_share_machine(&trial));
    scenario.verdict_only = true;
    assert_true(trial_may_share_machine(&trial));
    scenario.servers[0].kind = "redis";
    scenario.servers[0].external = (char *)(size_t) "redis://localhost";
    assert_false(trial_may_share_machine(&trial));
}
