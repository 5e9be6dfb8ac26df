#include "harness/stats/statistics.h"

#include "harness/report/test_run.h"

#define DRIVER 7
#define CLIENT 8
#define SERVER 9

static struct event events[64];
static struct history history;
static struct resources resources;

static int start(void **state)
{
    test_model_setup(state);
    history = (struct history){.events = events};
    test.model.history = &history;
    return 0;
}

// Times in milliseconds.
static struct event *add_reading(int64_t at, int64_t node, int64_t process,
                                 enum usage_figure figure, int64_t first, int64_t second)
{
    struct event *event = &events[history.count++];
    *event = (struct event){.at_ns = AT(at),
                            .kind = EVENT_USAGE,
                            .detail = (uint8_t)figure,
                            .args = {node, process, first, second}};
    return event;
}

// Of the machine: it begins a round. Two processors, all of one busy.
static void begin_round(int64_t at)
{
    add_reading(at, 0, 0, USAGE_PROCESSOR, 5000 * NS_PER_MS + at * NS_PER_MS, 2);
}

TEST_WITH(what_was_used_before_the_barrier_does_not_count, start, NULL)
{
    begin_round(-2);
    add_reading(-2, 0, DRIVER, USAGE_PROCESSOR, 100, 40);
    add_reading(-2, 1, CLIENT, USAGE_PROCESSOR, 1000, 400);
    add_reading(-1, 1, CLIENT, USAGE_SWITCHES, 10, 20);
    add_reading(-1, 1, CLIENT, USAGE_BYTES, 5000, 6000);
    add_reading(-1, 1, CLIENT, USAGE_PACKETS, 50, 60);
    add_reading(-1, -1, SERVER, USAGE_PROCESSOR, 9000, 0);
    begin_round(998);
    add_reading(998, 0, DRIVER, USAGE_PROCESSOR, 150, 50);
    add_reading(998, 1, CLIENT, USAGE_PROCESSOR, 1700, 700);
    add_reading(999, 1, CLIENT, USAGE_SWITCHES, 13, 24);
    add_reading(999, 1, CLIENT, USAGE_BYTES, 5500, 6600);
    add_reading(999, 1, CLIENT, USAGE_PACKETS, 57, 68);
    add_reading(999, -1, SERVER, USAGE_PROCESSOR, 9900, 1);
    resources_measure(&test.model, &resources);
    assert_true(resources.is_known);
    assert_int_equal(resources.covered_ns, 1000 * NS_PER_MS);
    assert_int_equal(resources.machine_busy_ns, 1000 * NS_PER_MS);
    assert_int_equal(resources.processors, 2);
    assert_int_equal(resources.driver.processor_ns, 50);
    assert_int_equal(resources.driver.kernel_ns, 10);
    assert_false(resources.driver.knows_network);
    assert_int_equal(resources.clients.processes, 1);
    assert_true(resources.clients.is_complete);
    assert_int_equal(resources.clients.processor_ns, 700);
    assert_int_equal(resources.clients.kernel_ns, 300);
    assert_int_equal(resources.clients.voluntary_switches, 3);
    assert_int_equal(resources.clients.other_switches, 4);
    assert_int_equal(resources.clients.received_bytes, 500);
    assert_int_equal(resources.clients.sent_bytes, 600);
    assert_int_equal(resources.clients.received_packets, 7);
    assert_int_equal(resources.clients.sent_packets, 8);
    assert_int_equal(resources.servers.processor_ns, 900);
    assert_false(resources.servers.knows_switches);
}

TEST_WITH(a_killed_process_counts_up_to_its_last_reading, start, NULL)
{
    begin_round(-1);
    add_reading(-1, 1, CLIENT, USAGE_PROCESSOR, 100, 0);
    add_reading(-1, 2, CLIENT + 10, USAGE_PROCESSOR, 100, 0);
    begin_round(400);
    add_reading(400, 1, CLIENT, USAGE_PROCESSOR, 300, 0);
    add_reading(400, 2, CLIENT + 10, USAGE_PROCESSOR, 500, 0);
    begin_round(999); // client 1 is gone
    add_reading(999, 2, CLIENT + 10, USAGE_PROCESSOR, 900, 0);
    resources_measure(&test.model, &resources);
    assert_int_equal(resources.clients.processes, 2);
    assert_int_equal(resources.clients.processor_ns, 200 + 800);
    assert_false(resources.clients.is_complete);
}

TEST_WITH(a_client_that_had_the_last_word_is_complete, start, NULL)
{
    begin_round(-1);
    add_reading(-1, 1, CLIENT, USAGE_PROCESSOR, 100, 0);
    add_reading(700, 1, CLIENT, USAGE_PROCESSOR, 900, 0)->client = 1;
    begin_round(999);
    resources_measure(&test.model, &resources);
    assert_int_equal(resources.clients.processor_ns, 800);
    assert_true(resources.clients.is_complete);
}

TEST_WITH(what_comes_after_the_stop_does_not_count, start, NULL)
{
    begin_round(-1);
    add_reading(-1, 1, CLIENT, USAGE_PROCESSOR, 100, 0);
    begin_round(999);
    add_reading(999, 1, CLIENT, USAGE_PROCESSOR, 300, 0);
    add_reading(1500, 1, CLIENT, USAGE_PROCESSOR, 7000, 0)->client = 1;
    resources_measure(&test.model, &resources);
    assert_int_equal(resources.clients.processor_ns, 200);
}

TEST_WITH(a_server_that_was_started_again_counts_from_its_beginning, start, NULL)
{
    begin_round(-1);
    add_reading(-1, -1, SERVER, USAGE_PROCESSOR, 1000, 0);
    add_reading(-1, -1, SERVER, USAGE_BYTES, 10000, 0);
    begin_round(400);
    add_reading(400, -1, SERVER + 1, USAGE_PROCESSOR, 70, 0);
    add_reading(400, -1, SERVER + 1, USAGE_BYTES, 10300, 0);
    begin_round(999);
    add_reading(999, -1, SERVER + 1, USAGE_PROCESSOR, 90, 0);
    add_reading(999, -1, SERVER + 1, USAGE_BYTES, 10500, 0);
    resources_measure(&test.model, &resources);
    assert_int_equal(resources.servers.processor_ns, 90);
    assert_int_equal(resources.servers.received_bytes, 500); // the node's device goes on counting
    assert_false(resources.servers.is_complete);             // of the first, all after -1 ms
}

TEST_WITH(a_warm_up_does_not_count, start, NULL)
{
    struct load_phase phases[] = {{AT(0), AT(300), 2, 0, false}, {AT(300), AT(1000), 2, 0, true}};
    test.model.phases = phases;
    test.model.phase_count = 2;
    begin_round(-1);
    add_reading(-1, 1, CLIENT, USAGE_PROCESSOR, 100, 0);
    begin_round(301); // a little after the phase began
    add_reading(301, 1, CLIENT, USAGE_PROCESSOR, 5000, 0);
    begin_round(999);
    add_reading(999, 1, CLIENT, USAGE_PROCESSOR, 5300, 0);
    resources_measure(&test.model, &resources);
    assert_int_equal(resources.clients.processor_ns, 300);
    assert_int_equal(resources.covered_ns, 698 * NS_PER_MS);
}

TEST_WITH(processors_that_clients_are_pinned_to_are_counted_once, start, NULL)
{
    begin_round(-1);
    begin_round(999);
    for (int client = 1; client <= 3; client++)
        events[history.count++] = (struct event){.at_ns = AT(-5),
                                                 .client = (uint16_t)client,
                                                 .kind = EVENT_PROCESS_START,
                                                 .args = {CLIENT + client, client % 2}};
    resources_measure(&test.model, &resources);
    assert_int_equal(resources.client_processors, 2);
    events[history.count - 1].args[1] = -1;
    resources_measure(&test.model, &resources);
    assert_int_equal(resources.client_processors, 0);
}

TEST_WITH(an_older_history_tells_nothing, start, NULL)
{
    events[history.count++] = (struct event){.at_ns = AT(0), .kind = EVENT_BARRIER_OPEN};
    resources_measure(&test.model, &resources);
    assert_false(resources.is_known);
    assert_int_equal(resources.clients.processes, 0);
    test.model.history = NULL;
    resources_measure(&test.model, &resources);
    assert_false(resources.is_known);
}
