// A release that does not come back, end to end: STUCK once no release takes so long, and a driver
// that hangs if its patience is over before that.
#include "harness/cli/test_runs.h"

// A lock that is a folder, of the name that it is given; client-1's release removes it and never
// says so.
static const char program[] =
    "read -r hello\n"
    "echo '{\"hello\": 1}'\n"
    "while read -r line; do\n"
    "    id=${line#*'\"id\": '}\n"
    "    answer=released\n"
    "    case $line in\n"
    "    *quit*) exit ;;\n"
    "    *acquire*) until mkdir \"$1\" 2>/dev/null; do sleep 0.01; done; answer=held ;;\n"
    "    *release*) rmdir \"$1\"; case $hello in *'\"client\": 1,'*) exec sleep 1000 ;; esac ;;\n"
    "    esac\n"
    "    echo \"{\\\"id\\\": ${id%%,*}, \\\"answer\\\": \\\"$answer\\\"}\"\n"
    "done\n";

static int make_driver(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    write_in(folder, "hangs.sh", program);
    return 0;
}

// A release may send 15 requests of 20 ms.
static struct command_result run_with(const char *name, const char *stuck_after)
{
    char scenario[1024];
    snprintf(scenario, sizeof scenario,
             "version: 1\nname: %s\nabout: For a test.\n"
             "workload: {kind: increment, operations: 20, hold: 1ms}\n"
             "clients: {processes: 2, start-first: client-1}\n"
             "lock: {lease: 1s, wait: 10s, retry: 5ms, request: 20ms, stuck-after: %s}\n"
             "schemes:\n"
             "  - exec: {name: hangs, command: [sh, hangs.sh, lock-of-%s], traits: [exclusive],\n"
             "           patience: 2s}\n"
             "expect: [{schemes: hangs, verdict: stuck}]\n",
             name, stuck_after, name);
    return run_scenario(name, scenario, "");
}

TEST_GROUP(make_driver, remove_test_folder);

TEST(a_release_that_never_settles_is_stuck)
{
    struct command_result result = run_with("never-settles", "200ms");
    must_say(&result, "1 as expected");
    must_say(&result, "client-1's release was not answered in the ");
    must_say(&result, "client-1 has waited for the answer to its release for ");
    must_say(&result, "Cause: client-1's release does not come back.");
    command_free(&result);
}

TEST(a_driver_without_patience_left_is_an_error_that_names_it)
{
    struct command_result result = run_with("hangs", "30s");
    must_say(&result, "1 in error");
    must_say(&result, "the driver of client-1 (sh hangs.sh lock-of-hangs) hangs: \"release\"");
    command_free(&result);
}
