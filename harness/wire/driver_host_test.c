// What is known of a driver by another host's clock, and what an agent is told and says.
#include "harness/base/scope.h"
#include "harness/testing/test.h"
#include "harness/testing/text.h"
#include "harness/wire/driver_parts.h"

#define LEASE_NS (100 * NS_PER_MS)
#define ASKED_NS (1000 * NS_PER_S) // by our clock
#define THERE_NS (7 * NS_PER_S)    // by the host's, when the call began

static struct driver_line called(int64_t for_ms)
{
    return (struct driver_line){
        .valid_ms = -1, .from_ns = THERE_NS, .to_ns = THERE_NS + for_ms * NS_PER_MS};
}

// How much later than it was asked for, in ms; a thousandth is what two clocks may differ by.
static double lease_ms(const struct driver_line *line)
{
    return (double)(driver_host_lease_ns(line, ASKED_NS, LEASE_NS) - ASKED_NS) / NS_PER_MS;
}

TEST(a_lease_on_a_host_begins_no_later_than_it_can_have_begun)
{
    struct driver_line line = called(50);
    assert_true(lease_ms(&line) == 0);
    line.request_ns = THERE_NS + 40 * NS_PER_MS;
    assert_true(lease_ms(&line) == 39.96);
    // What it says of its end beats the others; more than a lease from the answer counts for one.
    line.valid_until_ns = THERE_NS + 130 * NS_PER_MS;
    assert_true(lease_ms(&line) == 29.97);
    line.valid_until_ns = THERE_NS + 90 * NS_PER_S;
    assert_true(lease_ms(&line) == 49.95);
    line.valid_until_ns = 1; // it was over
    assert_true(lease_ms(&line) < -LEASE_NS / NS_PER_MS);
    line = called(50);
    line.valid_ms = 70;
    assert_true(lease_ms(&line) == 19.98);
    line = called(0);
    line.valid_ms = 70;
    assert_true(lease_ms(&line) == -30.03);
    // Without the call's times only what lasts means anything.
    line = (struct driver_line){.valid_ms = -1, .request_ns = THERE_NS};
    assert_true(lease_ms(&line) == 0);
    line.valid_until_ns = THERE_NS;
    assert_true(lease_ms(&line) <= -LEASE_NS / NS_PER_MS);
}

TEST(times_of_a_host_must_agree_with_each_other_and_with_ours)
{
    struct driver_line line = called(50);
    assert_true(driver_host_times_make_sense(&line, 50 * NS_PER_MS));
    assert_false(driver_host_times_make_sense(&line, 40 * NS_PER_MS));
    line.request_ns = THERE_NS + 50 * NS_PER_MS;
    assert_true(driver_host_times_make_sense(&line, 50 * NS_PER_MS));
    line.request_ns++;
    assert_false(driver_host_times_make_sense(&line, 50 * NS_PER_MS));
    line.request_ns = THERE_NS - 1;
    assert_false(driver_host_times_make_sense(&line, 50 * NS_PER_MS));
    line = called(0);
    line.to_ns--;
    assert_false(driver_host_times_make_sense(&line, 50 * NS_PER_MS));
}

static const struct external_client program = {
    .command = (const char *const[]){"my lock", "'", NULL},
    .folder = "/srv",
    .hosts = (const char *const[]){"a", "b", "c", NULL},
    .launch = (const char *const[]){"ssh", "me@{host}", "{host}{host}", "lockpick", "agent", NULL}};

TEST(clients_go_over_hosts_one_after_the_other)
{
    static const char hosts[] = "abcabca";
    for (int i = 0; hosts[i] != '\0'; i++)
        assert_int_equal(external_client_host(&program, i + 1)[0], hosts[i]);
    const struct external_client here = {.command = program.command};
    assert_null(external_client_host(&here, 1));
    assert_null(external_client_host(NULL, 1));
}

TEST(an_agent_is_launched_as_the_scenario_says_and_told_what_no_shell_reads)
{
    AUTO_LIST struct string_list serves = {0}, strikes = {0};
    AUTO_TEXT struct text opening = {0}, words = {0};
    struct agent_address address = agent_address_of(&program, "t0123456789", 5);
    agent_command(&address, NULL, &serves);
    text_join(&words, (const char *const *)serves.items, NULL);
    text_add(&words, "; ");
    agent_command(&address, "strike", &strikes);
    text_join(&words, (const char *const *)strikes.items, NULL);
    assert_string_equal(words.bytes, "ssh, me@b, bb, lockpick, agent; ssh, me@b, bb, lockpick, "
                                     "agent, strike, t0123456789-5");
    agent_write_opening(&address, &program, (const char *const[]){"LOCKPICK_REDIS=h:1", NULL},
                        &opening);
    assert_string_equal(opening.bytes,
                        "{\"agent\": \"" LOCKPICK_VERSION
                        "\", \"id\": \"t0123456789-5\", \"command\": [\"my lock\", \"'\"], "
                        "\"folder\": \"/srv\", \"needs\": [], \"environment\": "
                        "[\"LOCKPICK_REDIS=h:1\"]}\n");
}

static void must_refuse(const char *line, const char *why)
{
    struct error error = {0};
    assert_int_equal(agent_read_answer(line, strlen(line), "b", &error), -1);
    assert_has(error.text, why);
}

TEST(an_agent_of_another_version_or_none_is_refused)
{
    static const char well[] = "{\"agent\": \"" LOCKPICK_VERSION "\"}";
    struct error error;
    assert_int_equal(agent_read_answer(well, strlen(well), "b", &error), 0);
    must_refuse("{\"agent\": \"0.0.9\"}", "host b has Lockpick 0.0.9, and here is " LOCKPICK_VERSION
                                          ": install the same on both");
    must_refuse("{\"agent\": \"" LOCKPICK_VERSION "\", \"refused\": \"no such\"}",
                "host b: no such");
    must_refuse("{\"hello\": 1}", "host b has said '{\"hello\": 1}' where an agent says");
    must_refuse("Linux b 6.1", "host b has said 'Linux b 6.1' where an agent says");
    must_refuse("", "where an agent says");
}

TEST(a_pong_says_what_the_driver_does)
{
    int64_t number;
    enum process_way way;
#define READ(line) agent_read_pong(line, strlen(line), &number, &way)
    assert_true(READ("{\"pong\": 7, \"driver\": \"stood still\"}"));
    assert_true(number == 7 && way == PROCESS_STOOD_STILL);
    assert_true(READ("{\"pong\": 8, \"driver\": \"rests\"}"));
    assert_true(number == 8 && way == PROCESS_RESTS);
    assert_false(READ("{\"id\": 8, \"answer\": \"held\"}"));
    assert_false(READ("{\"pong\": "));
}
