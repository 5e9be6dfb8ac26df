// A fault by command: when it is in effect, what undoes it, and what is told if it fails. With real
// commands and a real server.
#include "faults/test_strike.h"
#include "harness/testing/text.h"

#include <signal.h>
#include <unistd.h>

static void set(struct string_list *list, const char *script)
{
    string_list_add(list, "sh");
    string_list_add(list, "-c");
    string_list_add(list, script);
}

// The commands of the fault that is struck, as scripts.
static void command(const char *start, const char *proof, const char *undo)
{
    struck.environment.folder = struck.server.folder;
    struck.environment.service = &struck.server.service;
    set(&struck.instance.start, start);
    set(&struck.instance.proof, proof);
    set(&struck.instance.undo, undo);
}

static void forget_commands(void)
{
    string_list_free(&struck.instance.start);
    string_list_free(&struck.instance.proof);
    string_list_free(&struck.instance.undo);
}

#define ASK "redis-cli -h ${LOCKPICK_REDIS%:*} -p ${LOCKPICK_REDIS##*:} "

STRIKE_TEST(it_is_in_effect_once_its_proof_succeeds_and_over_once_it_is_undone, "exec",
            .kind = "redis", .open_to_all = true)
{
    AUTO_TEXT struct text start = {0}, proof = {0}, undo = {0};
    int id = (int)node->server;
    text_format(&start, "kill -STOP %d", id);
    text_format(&proof, "grep -q '^State:.T' /proc/%d/status", id);
    text_format(&undo, "kill -CONT %d", id);
    command(start.bytes, proof.bytes, undo.bytes);
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    assert_string_equal(process_doing(node->server), "is stopped");
    assert_has(struck.strike.found, "kill -STOP");
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
    must_come_to_answer(node, "PING", "PONG");
    forget_commands();
}

STRIKE_TEST(commands_are_told_where_the_servers_are, "exec", .kind = "redis", .open_to_all = true)
{
    command(ASK "SET struck yes", ASK "GET struck | grep yes", ASK "DEL struck");
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    must_answer(node, "GET struck", "yes");
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
    must_answer(node, "EXISTS struck", ":0");
    forget_commands();
}

STRIKE_TEST(a_proof_that_holds_before_proves_nothing, "exec", .kind = "redis", .open_to_all = true)
{
    command(ASK "SET struck yes", "true", "true");
    MUST_FAIL(STRIKE_FAILED, inject(&error), "proves nothing");
    must_answer(node, "EXISTS struck", ":0"); // it has not struck
    forget_commands();
}

STRIKE_TEST(one_that_fails_is_quoted, "exec", .kind = "redis", .open_to_all = true)
{
    command("echo first; echo no such pod >&2; exit 3", "false", ASK "SET undone yes");
    MUST_FAIL(STRIKE_FAILED, inject(&error), "its 'start' (sh) ended by exit status 3");
    assert_has(error.text, "no such pod");
    assert_has(error.text, "fault-1.log");
    must_answer(node, "GET undone", "yes"); // what it may have done
    forget_commands();
}

STRIKE_TEST(what_is_not_proven_when_the_trial_ends_is_undone, "exec", .kind = "redis",
            .open_to_all = true)
{
    command(ASK "SET struck yes", "false", ASK "DEL struck");
    enum strike_state state = fault_inject(&struck.strike, &error);
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (!answers(node, "EXISTS struck", ":1") && clock_monotonic_ns() < give_up_ns) {
        assert_int_equal(state, STRIKE_PENDING);
        state = fault_find("exec")->prove(&struck.strike, &error);
    }
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
    must_answer(node, "EXISTS struck", ":0");
    forget_commands();
}

// Other faults of the schedule need not wait for what undoes one that has failed.
STRIKE_TEST(while_one_that_failed_is_undone_the_schedule_goes_on, "exec", .kind = "redis",
            .open_to_all = true)
{
    const struct fault *fault = fault_find("exec");
    command("echo no such pod; exit 3", "false",
            ASK "SET undoing yes; until " ASK "GET may-end | grep yes; do sleep 0.01; done");
    enum strike_state state = fault->inject(&struck.strike, &error);
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (!answers(node, "GET undoing", "yes") && clock_monotonic_ns() < give_up_ns) {
        MUST_BE(STRIKE_PENDING, state);
        state = fault->prove(&struck.strike, &error);
    }
    MUST_BE(STRIKE_PENDING, state);
    must_answer(node, "SET may-end yes", "OK");
    MUST_FAIL(STRIKE_FAILED, decided(state, fault->prove, &error), "no such pod");
    assert_null(strstr(error.text, "not undone"));
    forget_commands();
}

STRIKE_TEST(a_program_that_is_missing_is_named, "exec", .kind = "redis", .open_to_all = true)
{
    string_list_add(&struck.instance.start, "no-such-program");
    MUST_FAIL(FAULT_MISSING, fault_available(&struck.instance, &struck.environment, &error),
              "found no no-such-program in PATH");
    // Where the servers are somebody else's, too.
    struck.environment.lock_group = NULL;
    struck.environment.is_external = true;
    free(struck.instance.start.items[0]);
    struck.instance.start.items[0] = memory_string("sh");
    assert_int_equal(fault_available(&struck.instance, &struck.environment, &error),
                     FAULT_AVAILABLE);
    forget_commands();
}
