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
#include "harness/base/random.h"
#include "harness/cli/test_apart.h"
#include "harness/cli/test_torture.h"
#include "harness/scenario/units.h"
#include "harness/testing/test.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <unistd.h>

// How long a run may take to end after the last blow. Nothing hangs so long but for a defect,
// however busy the machine is.
#define END_LIMIT_NS (240 * NS_PER_S)
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
        struct process_list all = list_processes(torture);
        for (size_t i = 0; i < all.count; i++)
            kill(all.items[i].id, number);
        free(all.items);
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
        signal(SIGINT, SIG_DFL); // a shell has both ignored by what it starts in the background
        signal(SIGQUIT, SIG_DFL);
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

// First a name among those that processes have, then a process of that name, so that each kind is
// struck. 0: there is none.
static pid_t choose_victim(const struct torture *torture, const struct attack *attack)
{
    struct process_list all = list_processes(torture);
    char(*names)[64] = memory_zeroed(all.count + 1, sizeof *names);
    size_t kinds = 0;
    pid_t victim = 0;
    for (size_t i = 0; i < all.count; i++) {
        size_t known = 0;
        name_of_process(all.items[i].id, names[kinds], sizeof *names);
        while (strcmp(names[known], names[kinds]) != 0)
            known++;
        kinds += known == kinds && names[kinds][0] != '\0';
    }
    const char *wanted = attack->victim_name;
    if (wanted == NULL && kinds > 0)
        wanted = names[attack->victim % kinds];
    uint64_t seen = 0;
    for (size_t i = 0; i < all.count; i++) {
        char name[64];
        name_of_process(all.items[i].id, name, sizeof name);
        if (wanted != NULL && strcmp(name, wanted) == 0 && (attack->victim >> 32) % ++seen == 0)
            victim = all.items[i].id;
    }
    free(names);
    free(all.items);
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
        torture->asked_by = attack->signal;
        strike(torture, torture->run, attack->signal);
        break;
    case BLOW_TERMINAL:
        torture->asked_by = SIGHUP;
        close(torture->terminal);
        torture->terminal = -1;
        break;
    case BLOW_NONE:
        break;
    }
}

// --- a case --------------------------------------------------------------------------------------

// True if all was as it should be; else what was not is printed, and the run's folder kept.
static bool endure(struct torture *torture, const struct attack *attack)
{
    char folder[64];
    snprintf(folder, sizeof folder, WORK "/%llu", (unsigned long long)attack->number);
    torture->folder = folder;
    torture->struck = 0;
    torture->asked_by = 0;
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
    look_at_all(torture);
    bool is_well = torture->wrong.length == 0;
    printf("%s\n%s", is_well ? "well" : "WRONG", text_string(&torture->wrong));
    fflush(stdout);
    AUTO_TEXT struct text command = {0};
    if (!is_well)
        text_format(&command, "mkdir -p %s && cp -r --sparse=always %s %s.out %s/; ", KEPT, folder,
                    folder, KEPT);
    text_format(&command, "rm -rf %s %s.out", folder, folder);
    (void)!system(command.bytes);
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
             {"redis", "slot-1", true},
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
