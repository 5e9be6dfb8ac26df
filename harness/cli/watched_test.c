// End to end: a process of a trial that somebody kills, by no fault, is named, and makes the trial
// an ERROR; whatever it was for.
#include "harness/base/clock.h"
#include "harness/cli/test_runs.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"
#include "harness/run/usage.h"

#include <signal.h>

#define LIMIT_NS (100 * NS_PER_S)

struct killing {
    const char *victim; // in its command line, or its whole name
    int signal_number;
    const char *scheme; // as a scenario has it in its list
    const char *server; // that must be installed, or NULL
    const char *said;
};

static int prepare(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    write_driver("driver.py", (const char *const[]){NULL});
    write_in(folder, "wrapper.sh", "python3 driver.py\n:\n");
    return 0;
}

// --- the killer ----------------------------------------------------------------------------------

// The name, or the command line, of a process.
static void read_words(pid_t process, const char *which, struct text *words)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, which);
    (void)file_read(path, words, NULL);
    for (size_t i = 0; i < words->length; i++) {
        if (words->bytes[i] == '\0' || words->bytes[i] == '\n')
            words->bytes[i] = i + 1 < words->length ? ' ' : '\0';
    }
}

static bool is_so_called(pid_t process, const char *words)
{
    struct text name = {0};
    struct text line = {0};
    read_words(process, "comm", &name);
    read_words(process, "cmdline", &line);
    bool is = strcmp(text_string(&name), words) == 0 || strstr(text_string(&line), words) != NULL;
    text_free(&name);
    text_free(&line);
    return is;
}

static bool is_below(const struct process_list *list, pid_t process, pid_t ancestor)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].id == process)
            return list->items[i].parent == ancestor ||
                   is_below(list, list->items[i].parent, ancestor);
    }
    return false;
}

// The oldest process below `ancestor` that is so called, 0 if there is none: one that it has forked
// just now has its words, too.
static pid_t find(pid_t ancestor, const char *words)
{
    pid_t found = 0;
    struct process_list list = process_list_read();
    for (size_t i = 0; i < list.count; i++) {
        if (is_below(&list, list.items[i].id, ancestor) && is_so_called(list.items[i].id, words))
            found = found == 0 || list.items[i].id < found ? list.items[i].id : found;
    }
    free(list.items);
    return found;
}

// Kills the victim once the trial runs: its observer is the last that is started, and clients write
// on from then.
static void kill_it(pid_t ancestor, const struct killing *killing)
{
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    pid_t victim = 0;
    while (victim == 0 && clock_monotonic_ns() < give_up_ns) {
        clock_sleep_until_ns(clock_monotonic_ns() + 20 * NS_PER_MS);
        victim = find(ancestor, "observer") != 0 ? find(ancestor, killing->victim) : 0;
    }
    clock_sleep_until_ns(clock_monotonic_ns() + 100 * NS_PER_MS);
    _exit(victim == 0 || kill(victim, killing->signal_number) != 0);
}

// --- the trials ----------------------------------------------------------------------------------

static void expect_error(const struct killing *killing)
{
    char scenario[1024];
    int status = 0;
    const struct server_kind *server =
        killing->server != NULL ? server_kind_find(killing->server) : NULL;
    if (server != NULL && !server_is_installed(server))
        return;
    snprintf(scenario, sizeof scenario,
             "version: 1\nname: watched\nabout: For a test.\nlimit: 5m\n"
             "clients: {processes: 2, threads: 1}\n"
             "workload: {kind: increment, store: shm, for: 100s, hold: 1ms}\n"
             "lock: {lease: 20s, wait: 30s, stuck-after: 60s}\nschemes: [%s]\n",
             killing->scheme);
    pid_t ancestor = getpid();
    pid_t killer = fork();
    if (killer == 0)
        kill_it(ancestor, killing);
    struct command_result result = run_scenario("watched", scenario, "");
    if (waitpid(killer, &status, WNOHANG) == 0) { // the run has ended before
        process_kill(killer);
        status = -1;
    }
    if (status != 0)
        fail_msg("%s was not there to be killed: %s%s", killing->victim,
                 text_string(&result.output), text_string(&result.errors));
    must_say(&result, "ERROR");
    command_expect(result, 4, killing->said);
}

static void expect_errors(const struct killing *killings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_error(&killings[i]);
}

TEST_GROUP(prepare, remove_test_folder);

TEST(clients_and_their_observer)
{
    static const struct killing killings[] = {
        {"observer", SIGKILL, "none", NULL,
         "the observer, which measures stalls, ended by signal 9, which no fault asked for"},
        {"client-2", SIGKILL, "none", NULL, "client-2 ended by signal 9, which no fault asked for"},
    };
    expect_errors(killings, sizeof killings / sizeof *killings);
}

TEST(servers_and_what_they_are_made_of)
{
    static const struct killing killings[] = {
        {"redis-server", SIGKILL, "redis-set-px-lua", "redis",
         "redis-1 ended by signal 9, which no fault asked for"},
        {"unix_socket_directories=", SIGKILL, "postgres-advisory", "postgres",
         "postgres-1 ended by signal 9, which no fault asked for"},
        {"postgres: checkpointer", SIGKILL, "postgres-advisory", "postgres",
         "was terminated by signal 9"},
        {"postgres: walwriter", SIGKILL, "postgres-advisory", "postgres",
         "a process of postgres-1 ended, which no fault asked for"},
        {"postgres: postgres postgres", SIGKILL, "postgres-advisory", "postgres",
         "a process of postgres-1 ended, which no fault asked for"},
        {"postgres: postgres postgres", SIGTERM, "postgres-advisory", "postgres",
         "a process of postgres-1 ended, which no fault asked for"},
    };
    expect_errors(killings, sizeof killings / sizeof *killings);
}

// The program that was started is a shell, which leaves its pipes to what it has started itself.
TEST(drivers_and_their_wrappers)
{
    static const char scheme[] =
        "{exec: {name: wrapped, servers: redis, traits: [exclusive, lease], "
        "command: [sh, wrapper.sh]}}";
    static const struct killing killings[] = {
        {"wrapper.sh", SIGKILL, scheme, "redis", "has died by signal 9"},
        {"driver.py", SIGKILL, scheme, "redis", "has ended with status"},
    };
    expect_errors(killings, sizeof killings / sizeof *killings);
}
