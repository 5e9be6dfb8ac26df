// Locks in C that a scenario brings along, end to end: what they are told, and what becomes of
// those that crash or answer nonsense.
#include "harness/cli/test_runs.h"

// A lock of one process: for one, for readers, for as many as there are permits, and again for
// whoever holds it. It refuses whatever it is told wrongly.
static const char told[] =
    "#include <lockpick.h>\n"
    "#include <pthread.h>\n"
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "#include <time.h>\n"
    "static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n"
    "static const void *owner;\n"
    "static int depth, readers, holders;\n"
    "static bool take(const struct lockpick_worker *worker) {\n"
    "    int permits = worker->setup->permits;\n"
    "    if (worker->depth > 1 && (owner != worker || worker->depth != depth + 1)) return false;\n"
    "    if (worker->depth == 1 && permits > 0) return holders < permits && ++holders;\n"
    "    if (worker->depth == 1 && worker->shared) return owner == NULL && ++readers;\n"
    "    if (worker->depth == 1 && (owner != NULL || readers > 0)) return false;\n"
    "    owner = worker;\n"
    "    depth = worker->depth;\n"
    "    return true;\n"
    "}\n"
    "static enum lockpick_outcome acquire(struct lockpick_worker *worker,\n"
    "                                     struct lockpick_grant *grant) {\n"
    "    const struct timespec retry = {0, 200000};\n"
    "    (void)grant;\n"
    "    for (;;) {\n"
    "        pthread_mutex_lock(&mutex);\n"
    "        bool taken = take(worker);\n"
    "        pthread_mutex_unlock(&mutex);\n"
    "        if (taken) return LOCKPICK_OK;\n"
    "        if (worker->must_give_up(worker)) return LOCKPICK_NO;\n"
    "        nanosleep(&retry, NULL);\n"
    "    }\n"
    "}\n"
    "static enum lockpick_release release(struct lockpick_worker *worker) {\n"
    "    pthread_mutex_lock(&mutex);\n"
    "    if (worker->setup->permits > 0) holders--;\n"
    "    else if (worker->shared) readers--;\n"
    "    else if (owner != worker || worker->depth != depth) {\n"
    "        pthread_mutex_unlock(&mutex);\n"
    "        return LOCKPICK_NOT_OWNER;\n"
    "    } else if (--depth == 0) owner = NULL;\n"
    "    pthread_mutex_unlock(&mutex);\n"
    "    return LOCKPICK_RELEASED;\n"
    "}\n"
    "static int open_client(const struct lockpick_setup *setup, void **client, char *error,\n"
    "                       size_t room) {\n"
    "    (void)client;\n"
    "    if (strcmp(setup->kind, \"\") == 0 && setup->addresses[0] == NULL &&\n"
    "        setup->sentinels[0] == NULL && setup->user[0] == 0 && setup->database[0] == 0)\n"
    "        return 0;\n"
    "    snprintf(error, room, \"it is told of servers\");\n"
    "    return -1;\n"
    "}\n"
    "const struct lockpick_plugin lockpick_plugin = {\n"
    "    LOCKPICK_PLUGIN_ABI, sizeof(struct lockpick_plugin), open_client, NULL, NULL, NULL,\n"
    "    acquire, release};\n";

static const char nonsense[] =
    "#include <lockpick.h>\n"
    "#include <stdlib.h>\n"
    "static enum lockpick_outcome acquire(struct lockpick_worker *worker,\n"
    "                                     struct lockpick_grant *grant) {\n"
    "    (void)worker; (void)grant;\n"
    "    if (CRASHES) abort();\n"
    "    return LOCKPICK_OK;\n"
    "}\n"
    "static enum lockpick_release release(struct lockpick_worker *worker) {\n"
    "    (void)worker;\n"
    "    return (enum lockpick_release)77;\n"
    "}\n"
    "const struct lockpick_plugin lockpick_plugin = {\n"
    "    LOCKPICK_PLUGIN_ABI, sizeof(struct lockpick_plugin), NULL, NULL, NULL, NULL,\n"
    "    acquire, release};\n";

static bool compile(const char *options, const char *name)
{
    return shell("cc -Wall -Wextra -Werror -shared -fPIC -I harness/plugin %s -o @/%s.so @/%s.c",
                 options, name, name) == 0;
}

static int make_plugins(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    write_in(folder, "told.c", told);
    write_in(folder, "crash.c", nonsense);
    write_in(folder, "nonsense.c", nonsense);
    write_in(folder, "header.c", "#include <lockpick.h>\nint nothing;\n");
    return 0;
}

#define HEAD(name, kind)                                                                           \
    "version: 1\nname: " name "\nabout: For a test.\nworkload: {kind: " kind "}\n"                 \
    "clients: {processes: 1, threads: 3}\nlock: {wait: 20s}\n"

TEST_GROUP(make_plugins, remove_test_folder);

TEST(a_plugin_is_told_of_depth_readers_and_permits)
{
    static const char *const cases[][2] = {
        {"nested, depth: 3", "exclusive, session, owner-checked, reentrant"},
        {"readers", "exclusive, session, owner-checked, shared"},
        {"permits, permits: 2", "session, permits"},
    };
    if (system("command -v cc >/dev/null") != 0)
        skip();
    assert_true(compile("-std=c99 -D_POSIX_C_SOURCE=200809L -pedantic -pthread", "told"));
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            HEAD("told",
                 "%s, operations: 60, hold: 2ms, think: 1ms") "schemes: [{plugin: {name: own, "
                                                              "file: told.so, traits: [%s]}}]\n",
            cases[i][0], cases[i][1]);
        struct command_result result = run_scenario("told", text, "");
        must_say(&result, "SAFE");
        command_free(&result);
    }
}

TEST(one_that_crashes_or_answers_nonsense_is_an_error)
{
    if (system("command -v cc >/dev/null") != 0)
        skip();
    assert_true(compile("-DCRASHES=1", "crash"));
    assert_true(compile("-DCRASHES=0", "nonsense"));
    struct command_result result = run_scenario(
        "broken",
        HEAD("broken", "increment, operations: 60") "schemes:\n"
                                                    "  - plugin: {name: crash, file: crash.so}\n"
                                                    "  - plugin: {name: own, file: nonsense.so}\n",
        "");
    must_say(&result, "ended by signal 6, which no fault asked for; what a plug-in crashes, it "
                      "crashes its client with: crash.so");
    must_say(&result, "scheme own: its plug-in answers a release by 77, which is no answer");
    must_say(&result, "2 in error");
    command_free(&result);
}

TEST(its_header_is_c99_and_any_c_plus_plus)
{
    if (system("command -v cc >/dev/null") != 0)
        skip();
    assert_int_equal(shell("cc -std=c99 -pedantic -Wall -Wextra -Werror -I harness/plugin -c -o "
                           "@/header.o @/header.c"),
                     0);
    if (system("command -v c++ >/dev/null") == 0)
        assert_int_equal(shell("c++ -std=c++98 -pedantic -Wall -Wextra -Werror -I harness/plugin "
                               "-c -o @/header.o -x c++ @/header.c"),
                         0);
}
