// The fault that sets a server's clock, on a real memcached, which looks at its own once a second.
#include "faults/fault.h"
#include "harness/testing/test.h"

#include "harness/base/clock.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_NS (8 * NS_PER_S) // less than what the fault itself waits for

struct fixture {
    struct cluster cluster;
    char folder[64];
    struct scenario scenario;
    struct fault_environment environment;
    struct fault_instance instance;
    struct fault_strike strike;
};

static int start(void **state)
{
    static struct fixture fixture;
    struct error error = {0};
    struct group_settings group = {.name = "memcached",
                                   .topology = topology_find("memcached", "single"),
                                   .count = 1,
                                   .shiftable_clock = true};
    strcpy(fixture.folder, "/tmp/lockpick-clock-fault-XXXXXX");
    struct cluster_settings settings = {.isolation = ISOLATION_LOOPBACK,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = fixture.folder,
                                        .serial = 1};
    *state = &fixture;
    if (test_folder_make(fixture.folder) != 0 ||
        cluster_open(&fixture.cluster, &settings, &error) != 0)
        return -1;
    fixture.environment = (struct fault_environment){.scenario = &fixture.scenario,
                                                     .lock_group = &fixture.cluster.groups[0]};
    return 0;
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    cluster_close(&fixture->cluster);
    return test_folder_remove(fixture->folder);
}

static struct fault_strike *aim(struct fixture *fixture, char *how)
{
    fixture->instance = (struct fault_instance){.number = 1,
                                                .verb = "clock",
                                                .target = {.server = "server-1"},
                                                .how = how,
                                                .by_ns = 3600 * NS_PER_S,
                                                .rate = 100};
    fixture->strike =
        (struct fault_strike){.instance = &fixture->instance, .environment = &fixture->environment};
    return &fixture->strike;
}

// One request, and the first word of its answer.
static const char *tell(const struct fixture *fixture, const char *request, char answer[64])
{
    struct text text = {0};
    server_ask(&fixture->cluster.nodes[0], request, &text, NULL);
    snprintf(answer, 64, "%.*s", (int)strcspn(text_string(&text), " \r"), text_string(&text));
    text_free(&text);
    return answer;
}

TEST_GROUP(start, stop);

// However the jump falls between two looks: once it is in effect the lease is over. Each round
// jumps further: set right again, memcached would not look for as long as it is early.
TEST(a_jump_is_in_effect_once_the_server_goes_by_it)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    char answer[64];
    for (int round = 0; round < 3; round++) {
        struct fault_strike *strike = aim(fixture, NULL);
        assert_string_equal(tell(fixture, "set lock 0 60 2\r\nme", answer), "STORED");
        int64_t give_up_ns = clock_monotonic_ns() + MOST_NS;
        enum strike_state now = fault_find("clock")->inject(strike, &error);
        while (now == STRIKE_PENDING && clock_monotonic_ns() < give_up_ns) {
            clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
            now = fault_find("clock")->prove(strike, &error);
        }
        assert_int_equal(now, STRIKE_IN_EFFECT);
        // It has looked, and stores what it saw; next it would look after a second.
        int64_t until_ns = clock_monotonic_ns() + NS_PER_S / 2;
        while (strcmp(tell(fixture, "get lock", answer), "END") != 0)
            assert_true(clock_monotonic_ns() < until_ns);
    }
}

TEST(a_clock_that_leases_do_not_go_by_needs_no_look)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    char how[] = "realtime";
    struct fault_strike *strike = aim(fixture, how);
    assert_int_equal(fault_find("clock")->inject(strike, &error), STRIKE_IN_EFFECT);
    assert_int_equal(fault_find("clock")->heal(strike, &error), STRIKE_IN_EFFECT);
}

TEST(a_server_that_never_looks_is_a_failure_with_its_reason)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    struct node *node = &fixture->cluster.nodes[0];
    struct clock_shift *own = node->clock;
    struct clock_shift unread = {0};
    struct fault_strike *strike = aim(fixture, NULL);
    node->clock = &unread;
    enum strike_state first = fault_find("clock")->inject(strike, &error);
    strike->acted_ns -= 3600 * NS_PER_S;
    enum strike_state last = fault_find("clock")->prove(strike, &error);
    node->clock = own;
    assert_int_equal(first, STRIKE_PENDING);
    assert_int_equal(last, STRIKE_FAILED);
    assert_non_null(strstr(error.text, "has not looked at its monotonic clock"));
    assert_false(clock_shift_is_set(&unread, SHIFTED_MONOTONIC));
}

TEST(a_server_that_stands_still_will_see_it_when_it_goes_on)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    int status;
    pid_t server = fixture->cluster.nodes[0].server;
    struct fault_strike *strike = aim(fixture, NULL);
    kill(server, SIGSTOP);
    assert_int_equal(waitpid(server, &status, WUNTRACED), server);
    enum strike_state now = fault_find("clock")->inject(strike, &error);
    kill(server, SIGCONT);
    assert_int_equal(now, STRIKE_IN_EFFECT);
    assert_int_equal(fault_find("clock")->heal(strike, &error), STRIKE_IN_EFFECT);
}

TEST(a_clock_cannot_go_back_to_before_the_machines_start)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    char how[] = "realtime";
    aim(fixture, NULL);
    fixture->instance.by_ns = -clock_monotonic_ns() - 3600 * NS_PER_S;
    assert_int_equal(fault_available(&fixture->instance, &fixture->environment, &error),
                     FAULT_MISSING);
    assert_non_null(strstr(error.text, "'how: realtime'"));
    fixture->instance.how = how; // counts from 1970
    assert_int_equal(fault_available(&fixture->instance, &fixture->environment, &error),
                     FAULT_AVAILABLE);
    fixture->instance.how = NULL;
    fixture->instance.by_ns = -clock_monotonic_ns() / 2;
    assert_int_equal(fault_available(&fixture->instance, &fixture->environment, &error),
                     FAULT_AVAILABLE);
}
