// Whatever faults were in effect, and however a run ended: no rule, process, namespace or file of
// it is left outside its folder.
#include "harness/base/clock.h"
#include "harness/cli/test_runs.h"

#include <dirent.h>
#include <fts.h>
#include <signal.h>

#define LIMIT_NS (60 * NS_PER_S)

// Cut, stopped, restarted and skewed until the end: faults that somebody has to take back. The
// holder stands still, so that the trial stays as it is.
static const char scenario[] =
    "version: 1\nname: long\nabout: For a test.\n"
    "workload: {kind: increment, operations: 20, hold: 5ms}\n"
    "clients: {processes: 2, start-first: client-1}\n"
    "lock: {lease: 30s, wait: 60s, retry: 10ms, request: 500ms, stuck-after: 60s}\n"
    "servers: {redis: {topology: independent, nodes: 5}}\n"
    "schemes: [redlock]\n"
    "faults:\n"
    "  - {name: held, when: client-1 after read, pause: client-1, until: 60s}\n"
    "  - {name: cut, after: held, partition: server-1 from others, until: end}\n"
    "  - {name: late, after: cut, buffer: server-2 to clients, until: end}\n"
    "  - {name: still, after: late, pause: server-3, until: end}\n"
    "  - {name: wrong, after: still, clock: server-4, by: 1s}\n"
    "  - {after: wrong, kill: server-5}\n"
    "limit: 120s\n";

// What is to be found of a run while it lasts.
struct traces {
    int processes;       // that work in its folder, or were started with its name
    char networks[4096]; // the network namespaces that they are in, other than ours
    const char *only_in; // NULL, or: count processes that are in one of these networks
};

static void read_link(const char *process, const char *name, char *target, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/%s", process, name);
    ssize_t length = readlink(path, target, room - 1);
    target[length > 0 ? length : 0] = '\0';
}

static bool is_of_run(const char *process, const char *where)
{
    char path[64];
    char folder_of_it[256];
    struct text line = {0};
    read_link(process, "cwd", folder_of_it, sizeof folder_of_it);
    snprintf(path, sizeof path, "/proc/%.20s/cmdline", process);
    (void)file_read(path, &line, NULL);
    bool names_it = line.length > 0 && memmem(line.bytes, line.length, where, strlen(where));
    text_free(&line);
    return names_it || strncmp(folder_of_it, where, strlen(where)) == 0;
}

static void see_process(const char *process, const char *where, struct traces *traces)
{
    char network[64];
    char ours[64];
    read_link(process, "ns/net", network, sizeof network);
    read_link("self", "ns/net", ours, sizeof ours);
    bool is_theirs = is_of_run(process, where);
    if (traces->only_in != NULL && network[0] != '\0')
        is_theirs |= strstr(traces->only_in, network) != NULL;
    traces->processes += is_theirs;
    size_t length = strlen(traces->networks);
    if (is_theirs && strcmp(network, ours) != 0 && strstr(traces->networks, network) == NULL)
        snprintf(traces->networks + length, sizeof traces->networks - length, "%s ", network);
}

static void look_for(const char *where, const char *only_in, struct traces *traces)
{
    DIR *all = opendir("/proc");
    assert_non_null(all);
    *traces = (struct traces){.only_in = only_in};
    for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && atoi(entry->d_name) != getpid())
            see_process(entry->d_name, where, traces);
    }
    closedir(all);
}

// The rules and queues of the network that we are in ourselves, and what programs leave elsewhere.
static void look_around(char *out, size_t room)
{
    FILE *pipe = popen("PATH=$PATH:/usr/sbin:/sbin; nft list ruleset 2>/dev/null; tc qdisc "
                       "2>/dev/null; ls -d /dev/shm/* /var/run/netns/* 2>/dev/null",
                       "r");
    assert_non_null(pipe);
    size_t length = fread(out, 1, room - 1, pipe);
    out[length] = '\0';
    pclose(pipe);
}

static pid_t start_run(const char *path, const char *out, bool loopback)
{
    pid_t run = fork();
    if (run == 0) {
        execl(lockpick_path(), "lockpick", "run", path, "--out", out, "--quiet",
              loopback ? "--no-namespaces" : (char *)NULL, (char *)NULL);
        _exit(127);
    }
    return run;
}

static bool has_fault_in_effect(const char *trial, int number)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"fault-in-effect\",\"fault\":%d", number);
    struct command_result result = lockpick("history %s", trial);
    bool found = result.code == 0 && says(&result, wanted);
    command_free(&result);
    return found;
}

static void await_fault(pid_t run, const char *trial, int number)
{
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    while (!has_fault_in_effect(trial, number)) {
        assert_int_equal(waitpid(run, NULL, WNOHANG), 0);
        assert_true(clock_monotonic_ns() < give_up_ns);
        clock_sleep_until_ns(clock_monotonic_ns() + 20 * NS_PER_MS);
    }
}

static void end_in_the_middle(const char *path, const char *out, int signal_number)
{
    int status;
    char before[8192];
    char after[8192];
    struct traces during;
    struct traces left;
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    look_around(before, sizeof before);
    char *trial = path_join(out, "trials/long--redlock");
    pid_t run = start_run(path, out, false);
    await_fault(run, trial, 6);
    free(trial);
    look_for(out, NULL, &during);
    assert_true(during.processes > 4);
    assert_true(strlen(during.networks) > 0);
    kill(run, signal_number);
    assert_int_equal(waitpid(run, &status, 0), run);
    give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    do {
        clock_sleep_until_ns(clock_monotonic_ns() + 10 * NS_PER_MS);
        look_for(out, during.networks, &left);
        look_around(after, sizeof after);
    } while ((left.processes > 0 || strcmp(before, after) != 0) &&
             clock_monotonic_ns() < give_up_ns);
    assert_int_equal(left.processes, 0);
    assert_string_equal(before, after);
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(a_run_that_ends_in_the_middle_of_its_faults_leaves_nothing)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGKILL};
    char *path = path_of("@/long.yaml");
    write_in(folder, "long.yaml", scenario);
    struct command_result probe = lockpick("doctor");
    bool isolates = says(&probe, "hermetic");
    command_free(&probe);
    for (size_t i = 0; isolates && i < sizeof signals / sizeof *signals; i++) {
        char *out = path_of("@/ended-%d", signals[i]);
        end_in_the_middle(path, out, signals[i]);
        free(out);
    }
    free(path);
    if (!isolates)
        skip();
}

// What a killed run leaves in its folder: how many folders with servers' data, and how large its
// largest file is.
struct weight {
    int data_folders;
    off_t largest;
};

static void weigh(const char *path, struct weight *weight)
{
    char *const roots[] = {(char *)(size_t)path, NULL};
    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    assert_non_null(walk);
    *weight = (struct weight){0};
    for (FTSENT *entry; (entry = fts_read(walk)) != NULL;) {
        weight->data_folders += entry->fts_info == FTS_D && strcmp(entry->fts_name, "data") == 0;
        if (entry->fts_info == FTS_F && entry->fts_statp->st_size > weight->largest)
            weight->largest = entry->fts_statp->st_size;
    }
    fts_close(walk);
}

// So many operations that there is room for gigabytes of events; the holder stands still.
static const char heavy[] =
    "version: 1\nname: heavy\nabout: For a test.\n"
    "workload: {kind: increment, operations: 500000, hold: 5ms, store: mysql}\n"
    "clients: {processes: 2, start-first: client-1}\n"
    "lock: {lease: 30s, wait: 60s, retry: 10ms, request: 500ms, stuck-after: 60s}\n"
    "schemes: [redis-set-px-lua]\n"
    "faults: [{when: client-1 after read, pause: client-1, until: 60s}]\n"
    "limit: 120s\n";

static void kill_a_heavy_run(const char *path, bool loopback)
{
    struct weight during;
    struct weight left;
    struct traces traces;
    char *out = path_of("@/heavy-%s", loopback ? "loopback" : "namespaces");
    char *trial = path_join(out, "trials/heavy--redis-set-px-lua");
    pid_t run = start_run(path, out, loopback);
    await_fault(run, trial, 1);
    weigh(out, &during);
    assert_true(during.data_folders >= 2);
    assert_true(during.largest > (off_t)100 << 20);
    kill(run, SIGKILL);
    waitpid(run, NULL, 0);
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    do {
        assert_true(clock_monotonic_ns() < give_up_ns);
        clock_sleep_until_ns(clock_monotonic_ns() + 10 * NS_PER_MS);
        look_for(out, NULL, &traces);
        weigh(out, &left);
    } while (traces.processes > 0 || left.data_folders > 0 || left.largest > 1 << 20);
    assert_true(has_fault_in_effect(trial, 1)); // it is still to be read
    free(trial);
    free(out);
}

TEST(a_killed_run_leaves_no_data_of_servers_and_no_empty_gigabytes)
{
    char *path = path_of("@/heavy.yaml");
    write_in(folder, "heavy.yaml", heavy);
    kill_a_heavy_run(path, false);
    kill_a_heavy_run(path, true);
    free(path);
}

TEST(without_namespaces_what_needs_them_is_skipped_and_the_rest_runs)
{
    write_in(folder, "cut.yaml",
             "version: 1\nname: cut\nabout: For a test.\n"
             "workload: {kind: increment, operations: 20, hold: 1ms}\n"
             "schemes: [redis-set-px-lua]\n"
             "faults: [{when: client-1 holds, partition: client-1 from servers, until: 100ms}]\n");
    write_in(folder, "restart.yaml",
             "version: 1\nname: restart\nabout: For a test.\n"
             "workload: {kind: increment, operations: 20, hold: 1ms}\n"
             "schemes: [redis-set-px-lua]\n"
             "faults: [{when: client-1 after read, restart: server-1}]\n"
             "expect: [{schemes: redis-set-px-lua, verdict: safe}]\n");
    struct command_result result =
        lockpick("run @/cut.yaml @/restart.yaml --no-namespaces --keep-going --out @/loopback");
    must_say(&result, "the network cannot be touched");
    must_say(&result, "1 skipped");
    must_not_say(&result, "ERROR");
    command_free(&result);
}
