// Runs of Lockpick are attacked while they last: processes of theirs are killed, stopped and given
// other signals, the whole machine sleeps, the terminal is lost, the run is asked to end. Whatever
// was done, nothing is left, no recorded event is lost, no sound lock is blamed, and what is said
// afterwards agrees.
//
//   torture_test                       a part of it, for `make test`
//   torture_test full FOR SEED [CASE]  cases for so long, drawn from SEED (0: another one each
//                                      time), or CASE alone (as `make torture`)
//
// All of it happens in namespaces of its own, in which whatever is left is a run's. What was drawn
// is the same for the same seed and case; when exactly a blow lands is up to the machine.
#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/processes.h"
#include "harness/base/random.h"
#include "harness/cli/test_apart.h"
#include "harness/cli/test_command.h"
#include "harness/history/reader.h"
#include "harness/scenario/units.h"
#include "harness/testing/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <jansson.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <unistd.h>

// How long a run may take to end after the last blow, and its processes after it. Nothing hangs so
// long but for a defect, however busy the machine is.
#define END_LIMIT_NS (240 * NS_PER_S)
#define LEFT_LIMIT_NS (60 * NS_PER_S)
#define PART_NS (35 * NS_PER_S) // of `make test`: no case begins later
#define PART_SEED 14
#define WORK "/tmp/work"
#define KEPT "results/torture"

// --- what is attacked ----------------------------------------------------------------------------

// In a part of it, so many cases out of ten are of these short scenarios, the others of any that
// has something to show in a few seconds.
#define SHORT "scenarios/torture/*.yaml"
#define OTHERS "scenarios/{failures,increment}/*.yaml"

enum blow { BLOW_KILL, BLOW_SIGNAL, BLOW_STOP, BLOW_SLEEP, BLOW_END, BLOW_TERMINAL, BLOW_NONE };
enum moment { MOMENT_ANY, MOMENT_TRIAL, MOMENT_LATE };

// A case: all that is drawn of it.
struct attack {
    uint64_t seed, number;
    char scenario[PATH_MAX];
    bool on_loopback;
    enum blow blow;
    int signal;
    enum moment moment;
    int64_t delay_ns;        // from that moment on
    int64_t for_ns;          // how long whoever is stopped stands still
    const char *victim_name; // NULL: any
    uint64_t victim;         // which of them
    bool has_terminal;
};

static void draw(struct attack *attack, bool is_short)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGUSR1};
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL, SIGQUIT};
    static const enum blow blows[] = {BLOW_KILL, BLOW_KILL,  BLOW_KILL, BLOW_SIGNAL,   BLOW_STOP,
                                      BLOW_STOP, BLOW_SLEEP, BLOW_END,  BLOW_END,      BLOW_END,
                                      BLOW_END,  BLOW_SLEEP, BLOW_END,  BLOW_TERMINAL, BLOW_NONE};
    struct random random;
    random_start(&random, attack->seed, attack->number);
    glob_t files;
    const char *pattern = random_below(&random, 5) == 0 && !is_short ? OTHERS : SHORT;
    if (glob(pattern, GLOB_BRACE, NULL, &files) != 0)
        abort();
    snprintf(attack->scenario, sizeof attack->scenario, "%s",
             files.gl_pathv[random_below(&random, files.gl_pathc)]);
    globfree(&files);
    attack->on_loopback = random_below(&random, 4) == 0;
    attack->blow = blows[random_below(&random, sizeof blows / sizeof *blows)];
    attack->signal = attack->blow == BLOW_END
                         ? ends[random_below(&random, sizeof ends / sizeof *ends)]
                         : signals[random_below(&random, sizeof signals / sizeof *signals)];
    attack->moment = (enum moment)random_below(&random, 3);
    attack->delay_ns = (int64_t)random_below(&random, 1500) * NS_PER_MS;
    attack->for_ns = (int64_t)(50 + random_below(&random, 3950)) * NS_PER_MS;
    attack->victim = random_next(&random);
    attack->has_terminal = attack->blow == BLOW_TERMINAL || random_below(&random, 3) == 0;
}

static void describe(const struct attack *attack)
{
    static const char *const blows[] = {"kill of process",       "signal to process",
                                        "stop of process",       "sleep of the machine",
                                        "signal to the run",     "loss of the terminal",
                                        "nothing done to anyone"};
    static const char *const moments[] = {"after its start", "in the trial", "at its end"};
    printf("case %llu: %s%s%s; %s", (unsigned long long)attack->number, attack->scenario,
           attack->on_loopback ? " on loopback" : "", attack->has_terminal ? " in a terminal" : "",
           blows[attack->blow]);
    if (attack->blow == BLOW_SIGNAL || attack->blow == BLOW_END)
        printf(" (SIG%s)", sigabbrev_np(attack->signal));
    if (attack->blow == BLOW_STOP || attack->blow == BLOW_SLEEP)
        printf(" for %lld ms", (long long)(attack->for_ns / NS_PER_MS));
    printf(", %lld ms %s: ", (long long)(attack->delay_ns / NS_PER_MS), moments[attack->moment]);
    fflush(stdout);
}

// --- what came of it -----------------------------------------------------------------------------

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
    struct text line = {0};
    snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
    bool is_alive = process_read(process, &entry) && entry.state != 'Z' &&
                    file_read(path, &line, NULL) == 0 && line.length > 0;
    snprintf(name, room, "%.*s", is_alive ? (int)line.length - 1 : 0, text_string(&line));
    text_free(&line);
}

// All that are a run's. The caller frees *processes; 0 and NULL: there are none.
static size_t list_processes(const struct torture *torture, pid_t **processes)
{
    size_t count = 0;
    size_t room = 0;
    DIR *all = opendir("/proc");
    *processes = NULL;
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        pid_t process = (pid_t)atoi(entry->d_name);
        if (process > 0 && !is_bystander(torture, process))
            *APPEND(*processes, count, room) = process;
    }
    if (all != NULL)
        closedir(all);
    return count;
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

// Programs that are run for a moment: whether one is missed is up to whoever ran it.
static bool is_helper(const char *name)
{
    static const char *const helpers[] = {"sh", "ip", "nft", "tc", "cp", "rm", "gnuplot", NULL};
    return text_is_one_of(name, helpers);
}

static void strike(struct torture *torture, pid_t process, int number)
{
    name_of_process(process, torture->struck_name, sizeof torture->struck_name);
    torture->struck_ns = clock_monotonic_ns();
    if (kill(process, number) == 0)
        torture->struck = process;
    printf("%s, ", torture->struck_name);
}

// Until all stand still, as those that are stopped last may have started others.
static void stop_all(struct torture *torture, int number)
{
    for (int round = 0; round < 3; round++) {
        pid_t *processes;
        size_t count = list_processes(torture, &processes);
        for (size_t i = 0; i < count; i++)
            kill(processes[i], number);
        free(processes);
    }
}

// --- the run -------------------------------------------------------------------------------------

static void execute(const struct torture *torture, const struct attack *attack)
{
    char words[PATH_MAX + 512];
    char *arguments[32];
    size_t count = 0;
    snprintf(words, sizeof words, "%s run %s --out %s --keep-going --quiet --seed %llu%s",
             lockpick_path(), attack->scenario, torture->folder,
             1 + (unsigned long long)attack->number, attack->on_loopback ? " --no-namespaces" : "");
    for (char *word = strtok(words, " "); word != NULL && count < 31; word = strtok(NULL, " "))
        arguments[count++] = word;
    arguments[count] = NULL;
    execv(arguments[0], arguments);
    _exit(127);
}

static void start(struct torture *torture, const struct attack *attack)
{
    char path[128];
    snprintf(path, sizeof path, "%s.out", torture->folder);
    int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    fflush(stdout);
    torture->terminal = -1;
    torture->run = attack->has_terminal ? forkpty(&torture->terminal, NULL, NULL, NULL) : fork();
    if (torture->run == 0) {
        if (!attack->has_terminal) {
            setsid();
            dup2(out, STDOUT_FILENO);
        }
        dup2(out, STDERR_FILENO);
        execute(torture, attack);
    }
    close(out);
    if (torture->terminal >= 0)
        fcntl(torture->terminal, F_SETFD, FD_CLOEXEC);
}

// What it prints to its terminal, so that it need not wait for a reader.
static void read_terminal(const struct torture *torture)
{
    char bytes[4096];
    struct pollfd look = {.fd = torture->terminal, .events = POLLIN};
    while (torture->terminal >= 0 && poll(&look, 1, 0) == 1 &&
           read(torture->terminal, bytes, sizeof bytes) > 0)
        continue;
}

// Lets time pass until then, or the run is over. False if it is.
static bool pass_time(struct torture *torture, int64_t until_ns)
{
    do {
        reap(torture);
        read_terminal(torture);
        sleep_ns(5 * NS_PER_MS);
    } while (torture->run != 0 && clock_monotonic_ns() < until_ns);
    return torture->run != 0;
}

// Lets `see`, if it is not NULL, see the path of each history that there is. Returns how many.
static size_t see_histories(struct torture *torture, void (*see)(struct torture *, const char *))
{
    size_t count = 0;
    char *trials = path_join(torture->folder, "trials");
    DIR *all = opendir(trials);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        struct text path = {0};
        text_format(&path, "%s/%s/history.bin", trials, entry->d_name);
        if (entry->d_name[0] != '.' && access(path.bytes, R_OK) == 0) {
            count++;
            if (see != NULL)
                see(torture, path.bytes);
        }
        text_free(&path);
    }
    if (all != NULL)
        closedir(all);
    free(trials);
    return count;
}

static void note_grants(struct torture *torture, const char *path)
{
    struct history history;
    struct error error;
    if (history_load(path, &history, &error) != 0)
        return;
    for (size_t i = 0; i < history.count; i++)
        torture->is_running |= history.events[i].kind == EVENT_ACQUIRE_RETURN;
    history_free(&history);
}

static void wait_for_moment(struct torture *torture, const struct attack *attack)
{
    int64_t give_up_ns = clock_monotonic_ns() + END_LIMIT_NS;
    int64_t delay_ns = attack->delay_ns + (attack->moment == MOMENT_LATE ? 1500 * NS_PER_MS : 0);
    torture->is_running = attack->moment == MOMENT_ANY;
    while (!torture->is_running && clock_monotonic_ns() < give_up_ns && pass_time(torture, 0))
        see_histories(torture, note_grants);
    pass_time(torture, clock_monotonic_ns() + delay_ns);
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

// First a name among those that processes have, then a process of that name, so that each kind is
// struck. 0: there is none.
static pid_t choose_victim(const struct torture *torture, const struct attack *attack)
{
    pid_t *processes;
    size_t count = list_processes(torture, &processes);
    char(*names)[64] = memory_zeroed(count + 1, sizeof *names);
    size_t kinds = 0;
    pid_t victim = 0;
    for (size_t i = 0; i < count; i++) {
        size_t known = 0;
        name_of_process(processes[i], names[kinds], sizeof *names);
        while (strcmp(names[known], names[kinds]) != 0)
            known++;
        kinds += known == kinds && names[kinds][0] != '\0';
    }
    const char *wanted = attack->victim_name;
    if (wanted == NULL && kinds > 0)
        wanted = names[attack->victim % kinds];
    uint64_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        char name[64];
        name_of_process(processes[i], name, sizeof name);
        if (wanted != NULL && strcmp(name, wanted) == 0 && (attack->victim >> 32) % ++seen == 0)
            victim = processes[i];
    }
    free(names);
    free(processes);
    return victim;
}

static void deal(struct torture *torture, const struct attack *attack)
{
    pid_t victim = choose_victim(torture, attack);
    if (victim == 0 || torture->run == 0) {
        printf("over already, ");
        return;
    }
    switch (attack->blow) {
    case BLOW_KILL:
        strike(torture, victim, SIGKILL);
        torture->was_killed = !is_helper(torture->struck_name);
        break;
    case BLOW_SIGNAL:
        strike(torture, victim, attack->signal);
        break;
    case BLOW_STOP:
        strike(torture, victim, SIGSTOP);
        pass_time(torture, clock_monotonic_ns() + attack->for_ns);
        kill(victim, SIGCONT);
        break;
    case BLOW_SLEEP:
        stop_all(torture, SIGSTOP);
        sleep_ns(attack->for_ns);
        stop_all(torture, SIGCONT);
        break;
    case BLOW_END:
        strike(torture, torture->run, attack->signal);
        break;
    case BLOW_TERMINAL:
        close(torture->terminal);
        torture->terminal = -1;
        break;
    case BLOW_NONE:
        break;
    }
}

// --- what is asserted ----------------------------------------------------------------------------

static int compare_events(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct event));
}

// Every event that had been read before is read again.
static void look_for_events(struct torture *torture, struct kept *kept)
{
    struct history now = {0};
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
    history_free(&now);
}

static void look_for_processes(struct torture *torture)
{
    pid_t *processes;
    size_t count;
    int64_t give_up_ns = clock_monotonic_ns() + LEFT_LIMIT_NS;
    while ((count = list_processes(torture, &processes)) > 0 && clock_monotonic_ns() < give_up_ns) {
        free(processes);
        sleep_ns(10 * NS_PER_MS);
        reap(torture);
    }
    for (size_t i = 0; i < count; i++) {
        char name[64];
        name_of_process(processes[i], name, sizeof name);
        blame(torture, "left: process %d (%s)", (int)processes[i], name);
        kill(processes[i], SIGKILL);
    }
    free(processes);
}

// Mounts, IPC, files, rules and interfaces of the network; names of files that a run may keep are
// left out.
static void look_around(char *out, size_t room)
{
    FILE *pipe = popen("cut -d' ' -f5- /proc/self/mountinfo; cat /proc/sysvipc/*; "
                       "ls -A /dev/shm /tmp /run/netns /dev/mqueue 2>/dev/null; "
                       "ls -A /tmp/cache/lockpick 2>/dev/null | grep '[.][A-Za-z0-9]\\{6\\}$'; "
                       "ip -o link | cut -d: -f1,2; nft list ruleset; tc qdisc",
                       "r");
    size_t length = pipe != NULL ? fread(out, 1, room - 1, pipe) : 0;
    out[length] = '\0';
    if (pipe != NULL)
        pclose(pipe);
}

static void look_for_leavings(struct torture *torture)
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
    struct text arguments = {0};
    text_format(&arguments, "%s %s", verb, torture->folder);
    struct command_result result = run_lockpick(arguments.bytes);
    text_format(said, "%s%s", text_string(&result.output), text_string(&result.errors));
    text_free(&arguments);
    int code = result.code;
    command_free(&result);
    return code;
}

static bool is_decision(int code)
{
    return code == 0 || code == 1 || code == 3 || code == 4;
}

// True if the blow came between two grants.
static bool was_in_trial(const struct torture *torture, const char *trial)
{
    struct text path = {0};
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
    text_free(&path);
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
    char *path = path_join(torture->folder, "result.json");
    json_error_t problem;
    json_t *root = json_load_file(path, 0, &problem);
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
    json_decref(root);
    free(path);
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
    if (!was_nothing && (!is_decision(reported) || checked != reported))
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

static void look_at_code(struct torture *torture, const struct attack *attack)
{
    int code =
        WIFEXITED(torture->status) ? WEXITSTATUS(torture->status) : 128 + WTERMSIG(torture->status);
    bool was_run = attack->blow == BLOW_END || attack->blow == BLOW_TERMINAL;
    int expected = attack->blow == BLOW_TERMINAL ? SIGHUP : attack->signal;
    printf("exit %d, ", code);
    if (!is_decision(code) && !(was_run && code == 128 + expected) && code != 130 &&
        !(torture->struck != 0 && code > 128))
        blame(torture, "the run ended with %d", code);
}

// True if a run cannot answer it: no handler can be, or there is none.
static bool is_fatal(int number)
{
    return number != SIGINT && number != SIGTERM && number != SIGHUP;
}

// A run with nothing but keys of its own on somebody else's server takes them away when it ends,
// unless it is killed.
static void look_for_keys(struct torture *torture, const struct attack *attack)
{
    static const char list[] = "redis-cli -p 6399 keys '*' 2>&1 | head -c 400";
    char keys[512] = "";
    bool may_leave = torture->struck != 0 && (attack->blow != BLOW_END || is_fatal(attack->signal));
    FILE *pipe = popen(list, "r");
    if (pipe == NULL)
        return;
    keys[fread(keys, 1, sizeof keys - 1, pipe)] = '\0';
    pclose(pipe);
    if (strlen(keys) > 1 && !may_leave)
        blame(torture, "left on the server: %s", keys);
    (void)!system("redis-cli -p 6399 flushall >/dev/null");
}

static void look_at_all(struct torture *torture, const struct attack *attack)
{
    look_at_code(torture, attack);
    look_for_processes(torture);
    look_for_leavings(torture);
    look_for_keys(torture, attack);
    for (size_t i = 0; i < torture->kept_count; i++)
        look_for_events(torture, &torture->kept[i]);
    look_at_verdicts(torture, "by the run");
    look_at_readers(torture);
}

// --- a case --------------------------------------------------------------------------------------

// True if all was as it should be; else what was not is printed, and the run's folder kept.
static bool endure(struct torture *torture, const struct attack *attack)
{
    char folder[64];
    snprintf(folder, sizeof folder, WORK "/%llu", (unsigned long long)attack->number);
    torture->folder = folder;
    torture->struck = 0;
    torture->was_killed = false;
    describe(attack);
    start(torture, attack);
    wait_for_moment(torture, attack);
    see_histories(torture, keep_history);
    deal(torture, attack);
    if (pass_time(torture, clock_monotonic_ns() + END_LIMIT_NS)) {
        blame(torture, "it has not ended");
        kill(torture->run, SIGKILL);
        pass_time(torture, clock_monotonic_ns() + END_LIMIT_NS);
    }
    if (torture->terminal >= 0)
        close(torture->terminal);
    look_at_all(torture, attack);
    for (size_t i = 0; i < torture->kept_count; i++) {
        history_free(&torture->kept[i].history);
        free(torture->kept[i].path);
    }
    torture->kept_count = 0;
    bool is_well = torture->wrong.length == 0;
    printf("%s\n%s", is_well ? "well" : "WRONG", text_string(&torture->wrong));
    fflush(stdout);
    struct text command = {0};
    if (!is_well)
        text_format(&command, "mkdir -p %s && cp -r --sparse=always %s %s.out %s/; ", KEPT, folder,
                    folder, KEPT);
    text_format(&command, "rm -rf %s %s.out", folder, folder);
    (void)!system(command.bytes);
    text_free(&command);
    text_free(&torture->wrong);
    torture->wrong = (struct text){0};
    return is_well;
}

// --- many cases ---------------------------------------------------------------------------------

static void start_redis(struct torture *torture)
{
    pid_t redis = fork();
    if (redis == 0) {
        execlp("redis-server", "redis-server", "--port", "6399", "--save", "", "--logfile",
               "/dev/null", (char *)NULL);
        _exit(127);
    }
    *APPEND(torture->bystanders, torture->bystander_count, torture->bystander_room) = redis;
}

struct campaign {
    uint64_t seed;
    int64_t for_ns;
    int64_t only; // case; -1: all
    bool is_part; // of the tests
};

// What the part of `make test` kills first: of each it has to be told that it died.
static const struct {
    const char *scenario, *victim;
    bool on_loopback;
} named[] = {{"redis", "observer", false},
             {"memcached", "lockpick", false},
             {"redis", "lane-1", true},
             {"postgres", "postgres", false},
             {"driver", "python3", false}};
#define NAMED_FROM 1000000

// In the new namespaces: cases, one after the other. The exit code.
static int torture_all(const void *context)
{
    const struct campaign *campaign = context;
    static struct torture torture;
    int64_t began_ns = clock_monotonic_ns();
    unsigned long long cases = 0;
    unsigned long long wrong = 0;
    setenv("XDG_CACHE_HOME", "/tmp/cache", 1);
    if (folder_make(WORK, NULL) != 0 || folder_make("/tmp/cache", NULL) != 0)
        return NOT_APART;
    start_redis(&torture);
    printf("seed %llu\n", (unsigned long long)campaign->seed);
    look_around(torture.around, sizeof torture.around);
    for (size_t i = 0; campaign->is_part && i < sizeof named / sizeof *named; i++) {
        struct attack attack = {.number = NAMED_FROM + i,
                                .on_loopback = named[i].on_loopback,
                                .moment = MOMENT_TRIAL,
                                .delay_ns = 500 * NS_PER_MS,
                                .victim_name = named[i].victim};
        snprintf(attack.scenario, sizeof attack.scenario, "scenarios/torture/%s.yaml",
                 named[i].scenario);
        wrong += !endure(&torture, &attack);
        cases++;
    }
    for (uint64_t number = campaign->only < 0 ? 1 : (uint64_t)campaign->only;; number++) {
        struct attack attack = {.seed = campaign->seed, .number = number};
        draw(&attack, campaign->is_part);
        wrong += !endure(&torture, &attack);
        cases++;
        if (campaign->only >= 0 || clock_monotonic_ns() - began_ns > campaign->for_ns)
            break;
    }
    printf("%llu cases, %llu wrong, seed %llu%s\n", cases, wrong,
           (unsigned long long)campaign->seed, wrong > 0 ? "; kept in " KEPT : "");
    fflush(stdout);
    return wrong > 0 ? 1 : 0;
}

TEST(however_a_run_is_attacked_it_leaves_loses_and_misjudges_nothing)
{
    const struct campaign campaign = {
        .seed = PART_SEED, .for_ns = PART_NS, .only = -1, .is_part = true};
    int code = run_apart(torture_all, &campaign);
    if (code == NOT_APART) {
        print_message("it needs namespaces of its own\n");
        skip();
    }
    assert_int_equal(code, 0);
}

static int run(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "full") == 0) {
        struct campaign campaign = {.seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 0,
                                    .only = argc > 4 ? strtoll(argv[4], NULL, 10) : -1};
        int64_t seconds;
        if (argc < 3 || (duration_read(argv[2], &campaign.for_ns) != READING_FINE &&
                         whole_number_read(argv[2], &seconds) != READING_FINE)) {
            fprintf(stderr, "usage: torture_test full FOR [SEED [CASE]], FOR: 90, 90s, 10m, 1h\n");
            return 2;
        }
        if (campaign.for_ns == 0)
            campaign.for_ns = seconds * NS_PER_S;
        if (campaign.seed == 0)
            campaign.seed = (uint64_t)clock_realtime_ns() % 1000000007;
        return run_apart(torture_all, &campaign);
    }
    return tests_run(argc, argv);
}

TEST_MAIN(run);
