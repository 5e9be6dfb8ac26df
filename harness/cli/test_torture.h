// A run that was attacked, and what is looked at when it has ended: its exit code, what is left of
// it, that every event it had recorded is there, and that what is said of it is right and agrees.
#ifndef LOCKPICK_CLI_TEST_TORTURE_H
#define LOCKPICK_CLI_TEST_TORTURE_H

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/processes.h"
#include "harness/base/scope.h"
#include "harness/cli/test_command.h"
#include "harness/history/reader.h"

#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

// How long the processes of a run may stay when it has ended: so long only by a defect.
#define LEFT_LIMIT_NS (60 * NS_PER_S)

// A history as it was just before the blow.
struct kept {
    char *path;
    struct history history;
};

struct torture {
    const char *folder; // of the run
    struct text wrong;  // what is not as it should be, a line each; "": all is well
    struct kept *kept;
    size_t kept_count, kept_room;
    pid_t *bystanders; // processes that are no run's
    size_t bystander_count, bystander_room;
    char around[16384]; // what there is besides processes, before any run
    pid_t run;
    int asked_by;    // the signal that asked it to end; 0: none
    int terminal;    // the master's end; -1: none
    pid_t struck;    // 0: nobody
    bool is_running; // workers are granted the lock
    bool was_killed; // it, in the only trial
    int64_t struck_ns;
    char struck_name[64];
    int status; // of the run, as of waitpid
};

__attribute__((format(printf, 2, 3))) static void blame(struct torture *torture, const char *format,
                                                        ...)
{
    char line[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_format(&torture->wrong, "  %s\n", line);
}

static void sleep_ns(int64_t duration_ns)
{
    clock_sleep_until_ns(clock_monotonic_ns() + duration_ns);
}

// --- processes -----------------------------------------------------------------------------------

static bool is_bystander(const struct torture *torture, pid_t process)
{
    bool found = process == getpid();
    for (size_t i = 0; !found && i < torture->bystander_count; i++)
        found = torture->bystanders[i] == process;
    return found;
}

// "redis-server"; "" of one that is dead.
static void name_of_process(pid_t process, char *name, size_t room)
{
    char path[64];
    struct process_entry entry;
    AUTO_TEXT struct text line = {0};
    snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
    bool is_alive = process_read(process, &entry) && entry.state != 'Z' &&
                    file_read(path, &line, NULL) == 0 && line.length > 0;
    snprintf(name, room, "%.*s", is_alive ? (int)line.length - 1 : 0, text_string(&line));
}

// All that are a run's. The caller frees `items`.
static struct process_list list_processes(const struct torture *torture)
{
    struct process_list all = process_list_read();
    size_t count = all.count;
    all.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_bystander(torture, all.items[i].id))
            all.items[all.count++] = all.items[i];
    }
    return all;
}

// As the first process of our namespace we get all that nobody else waits for.
static void reap(struct torture *torture)
{
    int status;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (ended == torture->run) {
            torture->status = status;
            torture->run = 0;
        }
    }
}

// --- histories ----------------------------------------------------------------------------------

// Lets `see`, if it is not NULL, see the path of each history that there is. Returns how many.
static size_t see_histories(struct torture *torture, void (*see)(struct torture *, const char *))
{
    size_t count = 0;
    AUTO_FREE char *trials = path_join(torture->folder, "trials");
    DIR *all = opendir(trials);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        AUTO_TEXT struct text path = {0};
        text_format(&path, "%s/%s/history.bin", trials, entry->d_name);
        if (entry->d_name[0] != '.' && access(path.bytes, R_OK) == 0) {
            count++;
            if (see != NULL)
                see(torture, path.bytes);
        }
    }
    if (all != NULL)
        closedir(all);
    return count;
}

static void keep_history(struct torture *torture, const char *path)
{
    struct kept kept = {.path = memory_string(path)};
    struct error error;
    if (history_load(path, &kept.history, &error) == 0)
        *APPEND(torture->kept, torture->kept_count, torture->kept_room) = kept;
    else
        free(kept.path);
}

// --- what is asserted ----------------------------------------------------------------------------

static int compare_events(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct event));
}

// Every event that had been read before is read again.
static void look_for_events(struct torture *torture, struct kept *kept)
{
    AUTO(history_free) struct history now = {0};
    struct error error;
    if (history_load(kept->path, &now, &error) != 0) {
        blame(torture, "lost: %s", error.text);
        return;
    }
    if (now.condition.state == HISTORY_DAMAGED)
        blame(torture, "%s: %s", kept->path, now.condition.text);
    if (kept->history.count > 0)
        qsort(kept->history.events, kept->history.count, sizeof(struct event), compare_events);
    if (now.count > 0)
        qsort(now.events, now.count, sizeof(struct event), compare_events);
    size_t missing = 0;
    size_t at = 0;
    for (size_t i = 0; i < kept->history.count; i++) {
        while (at < now.count && compare_events(&now.events[at], &kept->history.events[i]) < 0)
            at++;
        bool found =
            at < now.count && compare_events(&now.events[at], &kept->history.events[i]) == 0;
        missing += !found && kept->history.events[i].kind != EVENT_GAP;
        at += found;
    }
    if (missing > 0)
        blame(torture, "%s: %zu of %zu events that were there are lost", kept->path, missing,
              kept->history.count);
}

static void look_for_processes(struct torture *torture)
{
    int64_t give_up_ns = clock_monotonic_ns() + LEFT_LIMIT_NS;
    struct process_list left = list_processes(torture);
    while (left.count > 0 && clock_monotonic_ns() < give_up_ns) {
        free(left.items);
        sleep_ns(10 * NS_PER_MS);
        reap(torture);
        left = list_processes(torture);
    }
    for (size_t i = 0; i < left.count; i++) {
        char name[64];
        name_of_process(left.items[i].id, name, sizeof name);
        blame(torture, "left: process %d (%s)", (int)left.items[i].id, name);
        kill(left.items[i].id, SIGKILL);
    }
    free(left.items);
}

// Mounts, IPC, files, rules and interfaces of the network; names of files that a run may keep are
// left out.
static void look_around(char *out, size_t room)
{
    FILE *pipe = popen("cut -d' ' -f5- /proc/self/mountinfo; cat /proc/sysvipc/*; "
                       "ls -A /dev/shm /tmp /run/netns /dev/mqueue 2>/dev/null; "
                       "find /tmp/cache -name '.half-*'; "
                       "ip -o link | cut -d: -f1,2; nft list ruleset; tc qdisc",
                       "r");
    size_t length = pipe != NULL ? fread(out, 1, room - 1, pipe) : 0;
    out[length] = '\0';
    if (pipe != NULL)
        pclose(pipe);
}

static void look_for_residual_locks(struct torture *torture)
{
    static char now[sizeof torture->around];
    look_around(now, sizeof now);
    if (strcmp(now, torture->around) == 0)
        return;
    size_t at = strspn(now, "");
    while (now[at] != '\0' && now[at] == torture->around[at])
        at++;
    while (at > 0 && now[at - 1] != '\n')
        at--;
    blame(torture, "left, or gone: %.300s", now + at);
    memcpy(torture->around, now, sizeof now);
}

// `lockpick VERB FOLDER`: its exit code, and what it said in `said`.
static int ask(const struct torture *torture, const char *verb, struct text *said)
{
    AUTO_TEXT struct text arguments = {0};
    text_format(&arguments, "%s %s", verb, torture->folder);
    AUTO(command_free) struct command_result result = run_lockpick(arguments.bytes);
    text_format(said, "%s%s", text_string(&result.output), text_string(&result.errors));
    int code = result.code;
    return code;
}

static bool is_analysis(int code)
{
    return code == 0 || code == 1 || code == 3 || code == 4;
}

// True if the blow came between two grants.
static bool was_in_trial(const struct torture *torture, const char *trial)
{
    AUTO_TEXT struct text path = {0};
    struct history history;
    struct error error;
    bool began = false;
    bool went_on = false;
    text_format(&path, "%s/trials/%s/history.bin", torture->folder, trial);
    if (history_load(path.bytes, &history, &error) == 0) {
        for (size_t i = 0; i < history.count; i++) {
            bool is_grant = history.events[i].kind == EVENT_ACQUIRE_RETURN;
            began |= is_grant && history.events[i].at_ns < torture->struck_ns;
            went_on |= is_grant && history.events[i].at_ns > torture->struck_ns + 300 * NS_PER_MS;
        }
        history_free(&history);
    }
    return began && went_on;
}

static void look_at_verdict(struct torture *torture, const json_t *trial, const char *when)
{
    const char *verdict = json_string_value(json_object_get(trial, "verdict"));
    const char *reason = json_string_value(json_object_get(trial, "reason"));
    const char *scheme = json_string_value(json_object_get(trial, "scheme"));
    if (verdict == NULL) {
        blame(torture, "%s: a trial without a verdict", when);
        return;
    }
    printf("%s ", verdict);
    const char *expectation =
        json_string_value(json_object_get(json_object_get(trial, "expectation"), "text"));
    bool is_sound = expectation != NULL && strncmp(expectation, "expected SAFE", 13) == 0;
    if (is_sound && (strcmp(verdict, "UNSAFE") == 0 || strcmp(verdict, "STUCK") == 0))
        blame(torture, "%s: %s, a sound lock, is %s: %s", when, scheme, verdict, reason);
    const char *name = json_string_value(json_object_get(trial, "name"));
    if (torture->was_killed && strcmp(verdict, "SAFE") == 0 && was_in_trial(torture, name))
        blame(torture, "%s: %s is SAFE, though %s was killed in it", when, name,
              torture->struck_name);
    if (strcmp(verdict, "ERROR") == 0 && (reason == NULL || reason[0] == '\0'))
        blame(torture, "%s: an ERROR without a reason", when);
}

static void look_at_verdicts(struct torture *torture, const char *when)
{
    AUTO_FREE char *path = path_join(torture->folder, "result.json");
    json_error_t problem;
    json_auto_t *root = json_load_file(path, 0, &problem);
    size_t index;
    json_t *trial;
    if (root == NULL && access(path, F_OK) == 0)
        blame(torture, "%s: result.json: %s", when, problem.text);
    const json_t *trials = json_object_get(root, "trials");
    torture->was_killed &= json_array_size(trials) == 1; // else nobody knows in which
    json_array_foreach(trials, index, trial)
    {
        look_at_verdict(torture, trial, when);
    }
}

// check, report and check again: they work, and agree.
static void look_at_readers(struct torture *torture)
{
    struct text said[3] = {{0}, {0}, {0}};
    int checked = ask(torture, "check", &said[0]);
    int reported = ask(torture, "report", &said[1]);
    int checked_again = ask(torture, "check", &said[2]);
    bool had_history = see_histories(torture, NULL) > 0;
    bool was_nothing =
        checked == 2 && reported == 2 && !had_history; // it ended before there was any trial
    if (!was_nothing && (!is_analysis(reported) || checked != reported))
        blame(torture, "check ended with %d, report with %d: %.600s%.600s", checked, reported,
              text_string(&said[0]), text_string(&said[1]));
    if (checked_again != checked)
        blame(torture, "check ended with %d, and after report with %d: %.600s", checked,
              checked_again, text_string(&said[2]));
    for (int i = 0; i < 3; i++) {
        const char *differs = strstr(text_string(&said[i]), " in result.json\n");
        if (differs != NULL && strstr(text_string(&said[i]), " now, ") != NULL)
            blame(torture, "a verdict differs: %.1500s", strstr(said[i].bytes, " now, ") - 40);
        text_free(&said[i]);
    }
    if (!was_nothing)
        look_at_verdicts(torture, "after report");
}

static void look_at_code(struct torture *torture)
{
    int code =
        WIFEXITED(torture->status) ? WEXITSTATUS(torture->status) : 128 + WTERMSIG(torture->status);
    bool was_asked = torture->asked_by != 0 && code == 128 + torture->asked_by;
    printf("exit %d, ", code);
    if (!is_analysis(code) && !was_asked && code != 130 && !(torture->struck != 0 && code > 128))
        blame(torture, "the run ended with %d", code);
}

// True if a run cannot answer it: no handler can be, or there is none.
static bool is_fatal(int number)
{
    return number != SIGINT && number != SIGTERM && number != SIGHUP;
}

// A run with nothing but keys of its own on somebody else's server takes them away when it ends,
// unless it is killed.
static void look_for_keys(struct torture *torture)
{
    static const char list[] = "redis-cli -p 6399 keys '*' 2>&1 | head -c 400";
    char keys[512] = "";
    bool may_leave =
        torture->struck != 0 && (torture->asked_by == 0 || is_fatal(torture->asked_by));
    FILE *pipe = popen(list, "r");
    if (pipe == NULL)
        return;
    keys[fread(keys, 1, sizeof keys - 1, pipe)] = '\0';
    pclose(pipe);
    if (strlen(keys) > 1 && !may_leave)
        blame(torture, "left on the server: %s", keys);
    (void)!system("redis-cli -p 6399 flushall >/dev/null");
}

static void look_at_all(struct torture *torture)
{
    look_at_code(torture);
    look_for_processes(torture);
    look_for_residual_locks(torture);
    look_for_keys(torture);
    for (size_t i = 0; i < torture->kept_count; i++) {
        look_for_events(torture, &torture->kept[i]);
        history_free(&torture->kept[i].history);
        free(torture->kept[i].path);
    }
    torture->kept_count = 0;
    look_at_verdicts(torture, "by the run");
    look_at_readers(torture);
}

#endif
