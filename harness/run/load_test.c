// Phases in time, without any server.
#include "harness/run/load_generator.h"

#include "harness/history/test_file.h"
#include "harness/run/test_scenario.h"

#define OPENED_NS (5 * NS_PER_S)

// The load of the lines, of four clients; into `file`, or NULL.
static void open_lines(struct load *load, const char *lines, struct history_file *file)
{
    AUTO_TEXT struct text text = {0};
    struct error error;
    text_format(&text, "clients: {processes: 4}\nworkload: {kind: increment}\nload:\n%s", lines);
    const struct trial trial = {.scenario = scenario_of(text.bytes), .seed = 1};
    assert_int_equal(load_open(load, &trial, file, 0, &error), 0);
}

#define PHASES                                                                                     \
    "  - {for: 1s, rate: 10/s, arrivals: fixed, warm-up: true}\n"                                  \
    "  - {for: 2s, clients: 1}\n"                                                                  \
    "  - {for: 1s, clients: 2, rate: 10/s, to: 30/s, arrivals: fixed}\n"

TEST(a_phase_begins_when_the_one_before_is_over)
{
    struct load load;
    open_lines(&load, PHASES, NULL);
    assert_int_equal(load_phase_at(&load, 0), 0);
    assert_int_equal(load_phase_at(&load, NS_PER_S - 1), 0);
    assert_int_equal(load_phase_at(&load, NS_PER_S), 1);
    assert_int_equal(load_phase_at(&load, 3 * NS_PER_S), 2);
    assert_int_equal(load_phase_at(&load, 4 * NS_PER_S), 3);
    load_close(&load);
}

TEST(clients_take_part_from_the_first)
{
    struct load load;
    open_lines(&load, PHASES, NULL);
    assert_true(load_includes(&load, 0, 4));
    assert_true(load_includes(&load, 1, 1));
    assert_false(load_includes(&load, 1, 2));
    assert_true(load_includes(&load, 2, 2));
    assert_false(load_includes(&load, 2, 3));
    load_close(&load);
}

TEST(only_a_warm_up_leaves_nothing_undone_behind)
{
    struct load load;
    open_lines(&load,
               "  - {for: 1s}\n  - {for: 1s, warm-up: true}\n  - {for: 1s, warm-up: true}\n"
               "  - {for: 1s}\n  - {for: 1s}\n",
               NULL);
    assert_int_equal(load_backlog_ns(&load, 0), 0);
    assert_int_equal(load_backlog_ns(&load, 2), 0);
    assert_int_equal(load_backlog_ns(&load, 3), 3 * NS_PER_S);
    assert_int_equal(load_backlog_ns(&load, 4), 3 * NS_PER_S);
    load_close(&load);
}

TEST(what_is_due_in_a_warm_up_does_not_count)
{
    struct load load;
    open_lines(&load, PHASES, NULL);
    assert_int_equal(load.arrivals->count, 10 + 20);
    assert_int_equal(load_due(&load, NS_PER_S), 0);
    assert_int_equal(load_due(&load, 3 * NS_PER_S), 0);
    assert_int_equal(load_due(&load, 3 * NS_PER_S + 1), 1);
    assert_int_equal(load_due(&load, 9 * NS_PER_S), 20);
    load_close(&load);
}

TEST(each_phase_is_recorded_once_as_of_its_beginning)
{
    struct test_file test;
    struct load load;
    struct error error;
    AUTO(history_free) struct history history;
    test_file_begin(&test, 100);
    open_lines(&load, PHASES, &test.file);
    load_announce(&load, 0, OPENED_NS); // the gate is not open yet
    load_announce(&load, OPENED_NS, OPENED_NS);
    load_announce(&load, OPENED_NS, OPENED_NS + NS_PER_S / 2);
    load_announce(&load, OPENED_NS, OPENED_NS + 7 * NS_PER_S / 2);
    load_close(&load);
    history_file_close(&test.file);
    assert_int_equal(history_load(test.path, &history, &error), 0);
    assert_int_equal(history.count, 3);
    const int64_t begins_ns[] = {0, NS_PER_S, 3 * NS_PER_S};
    const int64_t args[][4] = {{1, 4, 10000, 0}, {2, 1, 0, 1}, {3, 2, 10000, 1}};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(history.events[i].kind, EVENT_LOAD);
        assert_int_equal(history.events[i].at_ns, OPENED_NS + begins_ns[i]);
        assert_memory_equal(history.events[i].args, args[i], sizeof args[i]);
    }
    unlink(test.path);
}

TEST(a_load_that_is_far_too_much_is_refused)
{
    struct load_settings much = {.for_ns = 100 * NS_PER_S, .rate = INT64_C(1000000) * 3600};
    struct scenario heavy = {.clients = {.processes = 1}, .load = &much, .load_count = 1};
    struct trial refused = {.scenario = &heavy};
    struct load load;
    struct error error;
    MUST_FAIL(-1, load_open(&load, &refused, NULL, 0, &error), "a lower rate");
    load_close(&load);
}
