// explore: a lock and nothing else, in every order of its steps.
#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/base/terminal.h"
#include "harness/cli/verb.h"
#include "harness/explain/story.h"
#include "harness/explore/lock.h"
#include "harness/explore/search.h"
#include "harness/locks/lock.h"
#include "harness/report/pictures/picture.h"
#include "harness/run/perform.h"
#include "harness/run/run_files.h"
#include "harness/run/slots.h"
#include "harness/run/usage.h"
#include "harness/scenario/units.h"
#include "harness/workloads/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define FALLBACK_NS (60 * NS_PER_S)
#define MOST_NS (24 * 3600 * NS_PER_S)
#define BUSY 1.5            // so many that can run for each processor of the machine
#define MOST_SHOWS 50       // replays, until one shows what is told
#define SEED 1              // tokens are drawn from it, and nothing else
#define LEFT "search.state" // in the folder of a round: what --resume goes on with

struct explore_options {
    struct run_options run; // first: some of its options are options here
    int64_t clients, threads, operations, faults, leases, for_ns, schedules, random;
    bool says_faults, says_leases, rare, all;
    const char *workload, *sampling;
    const char *servers, *traits; // of programs
    const char *resume;           // the folder of an earlier run, or NULL
};

// So many clients of so many threads, with so many operations each, are explored one after the
// other, unless it is said how many; those of a workload only if the lock has what that needs.
static const struct round {
    int64_t clients, threads, operations;
    bool rare;
    const char *workload; // NULL: increment
} rounds[] = {
    {2, 1, 1, false, NULL},     {1, 2, 1, false, NULL},     {2, 1, 2, false, NULL},
    {3, 1, 1, false, NULL},     {2, 1, 1, false, "nested"}, {2, 1, 2, true, NULL},
    {2, 1, 1, true, "readers"},
};

#define ROUNDS (sizeof rounds / sizeof *rounds)

static int take_for(void *options, char *value, struct error *error)
{
    int64_t *for_ns = &((struct explore_options *)options)->for_ns;
    if (seconds_read(value, for_ns) == READING_FINE && *for_ns > 0 && *for_ns <= MOST_NS)
        return 0;
    return error_set(error, "--for takes a time of at most 24h: 90, in seconds, or 5m; not '%s'",
                     value);
}

static const struct option explore_options[] = {
    {"clients", "N", "so many clients (default: 2, then 3)",
     NUMBER(struct explore_options, clients, 4)},
    {"threads", "N", "so many threads in each (default: 1; 2 in a round of one client)",
     NUMBER(struct explore_options, threads, 2)},
    {"operations", "N", "so many operations each, or jobs of a queue (default: 1, then 2)",
     NUMBER(struct explore_options, operations, 4)},
    {"faults", "N",
     "lost requests and replies, errors, crashes, evictions: at most so many (default: 1)",
     NUMBER(struct explore_options, faults, 3),
     .said = offsetof(struct explore_options, says_faults)},
    {"leases", "N", "at most so many leases pass (default: 1)",
     NUMBER(struct explore_options, leases, 3),
     .said = offsetof(struct explore_options, says_leases)},
    {"rare", "", "restarts, failovers, clocks that jump, and zeros that are drawn are faults, too",
     FLAG(struct explore_options, rare)},
    {"all", "",
     "goes on when a lock is broken, and tells each violation that it finds, and what the lock's "
     "traits admit",
     FLAG(struct explore_options, all)},
    {"workload", "KIND", "what is done with the lock: increment, nested, readers, jobs",
     TEXT(struct explore_options, workload)},
    {"for", "TIME", "at most so long for each lock: 60, in seconds (default), or 5m",
     TAKEN_BY(take_for)},
    {"schedules", "N",
     "at most so many in each round, however long they take, unless --for is said",
     NUMBER(struct explore_options, schedules, 1000000000)},
    {"random", "SEED", "schedules are drawn at random: none is ever exhausted",
     NUMBER(struct explore_options, random, INT64_MAX)},
    {"sampling", "HOW", "by which they are drawn: uniform (default, a yardstick), pos, pct",
     TEXT(struct explore_options, sampling)},
    {"servers", "KIND", "of a program: what it locks with (redis, memcached, etcd)",
     TEXT(struct explore_options, servers)},
    {"traits", "LIST", "of a program: what it promises (default: " PROGRAM_TRAITS ")",
     TEXT(struct explore_options, traits)},
    {"resume", "DIR", "goes on where the run in that folder ended, with the same locks and limits",
     TEXT(struct explore_options, resume)},
    {"jobs", "N", "so many locks at a time (default: as many as there are processors)",
     NUMBER(struct explore_options, run.jobs, MAX_SLOTS)},
    OPTION_OUT,
    {.name = NULL},
};

static const char *const samplings[] = {
    [SAMPLING_UNIFORM] = "uniform", [SAMPLING_POS] = "pos", [SAMPLING_PCT] = "pct", NULL};

// What came of a lock, in memory that its slot shares.
struct explored {
    int code;
    char rows[MOST_VIOLATIONS * 300]; // of the table, in Markdown
};

struct exploration {
    const struct explore_options *options;
    struct round round; // the only one, if it was said what it is to be
    bool is_terminal;
    int columns; // of what is printed
    const struct sandbox *sandbox;
    const struct plan *plan;
    struct server_pool *pool;
    struct explored_lock *locks;
    struct scenario **files; // that locks were named by
    size_t lock_count, lock_room, file_count, file_room;
    const char *folder;     // of the run
    struct explored_round { // for each scenario
        const struct scenario *scenario;
        const struct round *round;
    } * rounds;
    const char *scheme;              // that is explored
    struct violations *violations;   // of it
    struct text told[2];             // each of its bugs in words, and of what its traits admit
    uint64_t schedules;              // of the rounds that are over
    double seconds;                  // likewise
    int serial;                      // of its networks
    int64_t round_ns;                // that the round may last
    struct explored *explored;       // of each lock
    FILE *const *said;               // likewise
    const struct progress *progress; // of the slot
};

// How a search ended: as it is said of a round, of the lock, and in the table.
static const struct {
    const char *of_round, *of_lock, *in_table;
} search_ends[] = {
    [SEARCH_BROKEN] = {"broken", "BROKEN", ""},
    [SEARCH_EXHAUSTED] = {"exhausted", "exhausted: no schedule breaks it", "–"},
    [SEARCH_UNDECIDED] = {"undecided", "undecided: not all schedules went as they should",
                          "undecided"},
    [SEARCH_OUT_OF_TIME] = {"not exhausted", "not broken within the limits", "–"},
    [SEARCH_INTERRUPTED] = {"interrupted", "interrupted: not broken until then", "interrupted"},
    [SEARCH_FAILED] = {"ended early", "not explored to the end", "not explored"},
};

// --- what is said --------------------------------------------------------------------------------

static void show(void *context, const struct search_progress *progress)
{
    const struct exploration *exploration = context;
    char doing[200];
    snprintf(doing, sizeof doing, "%s: %llu schedules, %.0f/s; %llu states, %llu waiting",
             exploration->scheme, (unsigned long long)progress->schedules,
             (double)progress->schedules / progress->seconds, (unsigned long long)progress->states,
             (unsigned long long)progress->waiting);
    exploration->progress->show(exploration->progress->context, NULL, doing, 0);
}

static void add_counted(struct text *text, int64_t count, const char *what)
{
    text_format(text, "%lld %s%s", (long long)count, what, count == 1 ? "" : "s");
}

// What sets a round apart besides its numbers.
static void add_kind(const struct round *round, const char *separator, struct text *text)
{
    if (round->workload != NULL)
        text_format(text, "%s%s", separator, round->workload);
    if (round->rare)
        text_format(text, "%srare faults, too", separator);
}

static const struct round *round_of(const struct exploration *exploration,
                                    const struct scenario *scenario)
{
    size_t at = 0;
    while (exploration->rounds[at].scenario != scenario)
        at++;
    return exploration->rounds[at].round;
}

static void say_work(const struct exploration *exploration, const struct trial *trial,
                     const struct search_result *result, struct text *text)
{
    const struct scenario *scenario = trial->scenario;
    text_format(text, "  %s: ", search_ends[result->end].of_round);
    add_counted(text, scenario->clients.processes, "client");
    if (scenario->clients.threads > 1)
        text_format(text, " of %lld threads", (long long)scenario->clients.threads);
    text_add(text, ", ");
    bool has_jobs = workload_find(scenario->workload.kind)->form.has_jobs;
    add_counted(text, workload_explored_operations(scenario), has_jobs ? "job" : "operation");
    text_add(text, has_jobs ? "" : " each");
    add_kind(round_of(exploration, scenario), ", ", text);
    text_add(text, ", up to ");
    add_counted(text, exploration->options->faults, "fault");
    text_add(text, ", up to ");
    add_counted(text, exploration->options->leases, "lease");
    text_format(text, " that pass: %llu schedules, %llu states, %.1f s\n",
                (unsigned long long)result->progress.schedules,
                (unsigned long long)result->progress.states, result->progress.seconds);
    if (result->admitted > 0)
        text_format(text, "    %llu schedules break only what a lock of its traits admits: %s\n",
                    (unsigned long long)result->admitted, result->admitted_text);
    if (result->progress.too_long > 0)
        text_format(text, "    %llu schedules were left out, of more than %d moves\n",
                    (unsigned long long)result->progress.too_long, MOST_MOVES);
    if (result->end == SEARCH_BROKEN && result->error.text[0] != '\0')
        text_format(text, "    it ended early: %s\n", result->error.text);
    if (result->unconfirmed != NULL)
        text_format(text, "    a schedule that broke it (%s) broke it in none of %d replays%s\n",
                    result->unconfirmed->name, REPLAYS, result->unconfirmed_why.text);
    if (result->progress.unlike > 0)
        text_format(text, "    %llu schedules did not go as they had gone before\n",
                    (unsigned long long)result->progress.unlike);
}

// NULL: there is none yet.
static const struct violation *first_bug(const struct exploration *exploration)
{
    FOR_EACH (violation, each, exploration->violations->items, exploration->violations->count) {
        if (!each->breach.is_admitted)
            return each;
    }
    return NULL;
}

// The scenario that does the same again; those of several can be run together, by their names.
static int write_counterexample(const struct exploration *exploration, const struct trial *trial,
                                const struct violation *violation,
                                const struct judgement *judgement, const char *lines,
                                const char *path, struct error *error)
{
    AUTO_TEXT struct text text = {0}, name = {0};
    const struct check *broken = breach_check(&violation->breach);
    struct scenario scenario = *trial->scenario;
    size_t number = (size_t)(violation - exploration->violations->items);
    text_add(&name, scenario.name);
    if (violation != first_bug(exploration))
        text_format(&name, "-%zu", number + 1);
    scenario.name = name.bytes;
    AUTO_FREE char *as_run = scenario_as_run(&scenario, SEED, NULL, NULL);
    text_format(&text, "%sschedule:\n", as_run);
    for (const char *line = lines; *line != '\0'; line += strcspn(line, "\n") + 1)
        text_format(&text, "  - \"%.*s\"\n", (int)strcspn(line, "\n"), line);
    text_format(&text, "expect: [{schemes: %s, verdict: %s, because: %s", trial->scheme,
                broken->shows == SHOWS_NO_PROGRESS ? "stuck" : "unsafe", broken->name);
    const char *before = ", allow: ["; // what else is broken with it
    FOR_EACH (finding, other, judgement->findings, judgement->finding_count) {
        if (other->check == broken || !finding_counts(other))
            continue;
        text_format(&text, "%s%s", before, other->check->name);
        before = ", ";
    }
    text_add(&text, strlen(before) == 2 ? "]}]\n" : "}]\n");
    return file_write(path, text.bytes, text.length, error);
}

// Of the lock's first bug its files have that name; those of others tell them apart.
static void name_files(const struct exploration *exploration, const struct violation *violation,
                       struct text *out)
{
    AUTO_TEXT struct text cause = {0};
    text_add(out, violation->breach.is_admitted ? "admitted" : "counterexample");
    if (violation == first_bug(exploration))
        return;
    text_format(out, "-%s", breach_check(&violation->breach)->name);
    breach_tell_cause(&violation->breach, &cause);
    for (char *rest = cause.bytes, *word; (word = strtok_r(NULL, ": ", &rest)) != NULL;)
        text_format(out, "-%s", word);
}

static void tell_title(const struct violation *violation, struct text *out)
{
    text_format(out, "\n  %s%s (", violation->breach.is_admitted ? "admitted: " : "",
                breach_check(&violation->breach)->name);
    breach_tell_cause(&violation->breach, out);
    text_add(out, "), shown by ");
    add_counted(out, (int64_t)violation->seen, "schedule");
    text_format(out, ", first by number %llu, after %.1f s\n",
                (unsigned long long)violation->schedules, violation->seconds);
}

// It can be done without.
static void draw_counterexample(const struct trial_model *model, const struct judgement *judgement,
                                const struct schedule_moves *schedule,
                                const struct told_moves *told, const char *path, struct text *out)
{
    const struct picture_steps steps = {schedule->moves, schedule->count, told->lines.bytes,
                                        told->began_ns};
    const struct picture_subject subject = {
        .model = model, .judgement = judgement, .steps = &steps};
    struct error error = {0};
    int result = picture_save(&timeline_picture, &subject, path, &error);
    text_format(out, "  as a picture:   %s\n", result == 0 ? path : error.text);
}

// What is no bug is told by its steps only.
static int tell_violation(struct exploration *exploration, struct replay *replay,
                          const struct trial *trial, const char *folder,
                          struct violation *violation, struct error *error)
{
    bool is_bug = !violation->breach.is_admitted;
    const struct trial_model *model;
    struct judgement judgement;
    struct told_moves told = {.lines = {0}};
    struct wrapping wrapping = {.columns = exploration->columns}; // not of commands
    struct text *out = &exploration->told[violation->breach.is_admitted];
    AUTO_TEXT struct text name = {0};
    AUTO_TEXT struct text path = {0};
    AUTO_TEXT struct text picture = {0};
    name_files(exploration, violation, &name);
    text_format(&path, "%s/%s.yaml", folder, name.bytes);
    text_format(&picture, "%s/%s.svg", folder, name.bytes);
    int shown = 0; // where not every replay shows it, the first that does is told
    for (int i = 0; shown == 0 && i < MOST_SHOWS; i++) {
        if (i > 0)
            replay_end(replay);
        told.lines.length = 0;
        shown = search_show(replay, trial, &violation->found, &violation->breach, &told, &model,
                            &judgement, error);
    }
    if (shown == 0)
        error_set(error, "%s, in %d of %d replays, was shown by none of %d more",
                  breach_check(&violation->breach)->name, violation->replayed, REPLAYS, MOST_SHOWS);
    int status = shown == 1 ? write_counterexample(exploration, trial, violation, &judgement,
                                                   told.lines.bytes, path.bytes, error)
                            : -1;
    if (status == 0) {
        if (exploration->options->all)
            tell_title(violation, out);
        text_format(out, "  the shortest schedule found, %zu steps, which %s it %d times of %d:\n",
                    violation->found.count, is_bug ? "broke" : "showed", violation->replayed,
                    REPLAYS);
        for (const char *line = told.lines.bytes; *line != '\0'; line += strcspn(line, "\n") + 1)
            text_format(out, "    %.*s\n", (int)strcspn(line, "\n"), line);
        judgement.unexpected = breach_check(&violation->breach)->name; // is told first
        AUTO_FREE char *story = story_tell(model, &judgement, &(struct story_span){0});
        text_add(out, "\n");
        if (is_bug)
            wrap(&wrapping, false, story, out);
        text_format(out, "%s  the same again: lockpick run %s\n", is_bug ? "\n" : "", path.bytes);
        if (is_bug)
            draw_counterexample(model, &judgement, &violation->found, &told, picture.bytes, out);
    }
    text_free(&told.lines);
    replay_end(replay);
    return status;
}

// The bugs of the lock, by their properties. Returns how many there are.
static size_t add_bugs(const struct exploration *exploration, struct text *out)
{
    const char *names[MOST_VIOLATIONS + 1] = {NULL};
    size_t count = 0;
    FOR_EACH (violation, each, exploration->violations->items, exploration->violations->count) {
        const char *name = breach_check(&each->breach)->name;
        if (!each->breach.is_admitted && !text_is_one_of(name, names))
            names[count++] = name;
    }
    text_join(out, names, NULL);
    return count;
}

static void say_end(const struct exploration *exploration, enum search_end end)
{
    AUTO_TEXT struct text bugs = {0};
    if (add_bugs(exploration, &bugs) > 0)
        printf("%s: %s (%s)\n", exploration->scheme, search_ends[SEARCH_BROKEN].of_lock,
               bugs.bytes);
    else
        printf("%s: %s\n", exploration->scheme, search_ends[end].of_lock);
}

static void add_rows(const struct exploration *exploration, bool admitted, const char *exhausted,
                     struct text *out)
{
    FOR_EACH (violation, each, exploration->violations->items, exploration->violations->count) {
        if (each->breach.is_admitted != admitted)
            continue;
        text_format(out, "| %s | %s%s | %zu | %d of %d | %llu | %.1f | %s | ", exploration->scheme,
                    admitted ? "admitted: " : "", breach_check(&each->breach)->name,
                    each->found.count, each->replayed, REPLAYS, (unsigned long long)each->schedules,
                    each->seconds, exhausted);
        breach_tell_cause(&each->breach, out);
        text_format(out, " | %llu |\n", (unsigned long long)each->seen);
    }
}

// A row for each violation, those that its traits admit last; and one for a lock without a bug.
static void write_rows(const struct exploration *exploration, enum search_end end,
                       const char *exhausted, struct explored *explored)
{
    AUTO_TEXT struct text rows = {0};
    exhausted = exhausted[0] != '\0' ? exhausted : "–";
    add_rows(exploration, false, exhausted, &rows);
    if (rows.length == 0)
        text_format(&rows, "| %s | %s | – | – | %llu | %.1f | %s | – | – |\n", exploration->scheme,
                    search_ends[end].in_table, (unsigned long long)exploration->schedules,
                    exploration->seconds, exhausted);
    add_rows(exploration, true, exhausted, &rows);
    snprintf(explored->rows, sizeof explored->rows, "%s", rows.bytes);
}

static int write_table(const struct exploration *exploration, size_t locks, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = path_join(exploration->folder, "explore.md");
    text_add(&text, "| lock | broken | steps | replays | schedules | seconds | exhausted: clients "
                    "× threads × operations | cause | seen |\n"
                    "|---|---|--:|--:|--:|--:|---|---|--:|\n");
    for (size_t i = 0; i < locks; i++)
        text_add(&text, exploration->explored[i].rows);
    return file_write(path, text.bytes, text.length, error);
}

// --- the work ------------------------------------------------------------------------------------

// One round, whose result is added to `work`; each violation that is new is told.
static int explore_round(struct exploration *exploration, const struct trial *trial,
                         struct text *work, struct search_result *result)
{
    const struct explore_options *options = exploration->options;
    AUTO_TEXT struct text folder = {0};
    AUTO_TEXT struct text earlier = {0};
    text_format(&folder, "%s/trials/%s", exploration->folder, trial->name);
    text_format(&earlier, "%s/trials/%s/" LEFT, options->resume, trial->name);
    AUTO_FREE char *left = path_join(folder.bytes, LEFT);
    const struct search_limits limits = {
        .order = options->random > 0 ? SEARCH_RANDOM : SEARCH_SHORTEST,
        .seed = (uint64_t)options->random,
        .sampling = (enum sampling_kind)text_index(options->sampling, samplings),
        .faults = (int)options->faults,
        .leases = (int)options->leases,
        .rare = round_of(exploration, trial->scenario)->rare,
        .all = options->all,
        .for_ns = exploration->round_ns,
        .schedules = options->schedules,
        .resume = options->resume != NULL ? earlier.bytes : NULL,
        .leave = left,
        .interrupted = exploration->sandbox->interrupted};
    struct error error = {0};
    struct replay *replay = NULL;
    struct violations *violations = exploration->violations;
    size_t told = violations->count;
    int code = EXIT_AS_EXPECTED;
    *result = (struct search_result){.end = SEARCH_FAILED};
    int status = folder_make(folder.bytes, &error);
    if (status == 0)
        status = replay_open(trial, exploration->pool, folder.bytes, exploration->serial, &replay,
                             &error);
    if (status > 0) { // it cannot be explored
        printf("%s\n", error.text);
        code = EXIT_INCONCLUSIVE;
    } else if (status == 0) {
        search(replay, trial, &limits, show, exploration, violations, result);
        error = result->end == SEARCH_FAILED ? result->error : error;
        if (result->progress.schedules > 0)
            say_work(exploration, trial, result, work);
    }
    for (; told < violations->count; told++) {
        struct violation *violation = &violations->items[told];
        violation->schedules += exploration->schedules;
        violation->seconds += exploration->seconds;
        if (tell_violation(exploration, replay, trial, folder.bytes, violation, &error) != 0)
            status = -1;
    }
    if (result->end == SEARCH_UNDECIDED)
        code = EXIT_INCONCLUSIVE;
    if (status < 0 || (status == 0 && result->end == SEARCH_FAILED))
        code = verb_fails(&explore_verb, EXIT_ENVIRONMENT, "%s: %s", trial->scheme, error.text);
    replay_close(replay);
    return code;
}

static bool goes_on(enum search_end end)
{
    return end == SEARCH_EXHAUSTED || end == SEARCH_UNDECIDED || end == SEARCH_OUT_OF_TIME;
}

// All rounds of one lock. Each may last for its share of the time that is left.
static void explore_lock(struct exploration *exploration, const struct trial *trials, size_t count,
                         struct explored *explored)
{
    struct search_result result = {.end = SEARCH_EXHAUSTED};
    enum search_end end = SEARCH_EXHAUSTED; // of all rounds
    AUTO_TEXT struct text work = {0};
    AUTO_TEXT struct text exhausted = {0};
    AUTO_TEXT struct text lines = {0};
    AUTO_FREE struct violations *violations = memory_zeroed(1, sizeof *violations);
    int code = EXIT_AS_EXPECTED; // of all rounds
    exploration->scheme = trials[0].scheme;
    exploration->violations = violations;
    exploration->schedules = 0;
    exploration->seconds = 0;
    int64_t left_ns = exploration->options->for_ns;
    for (size_t i = 0; i < count && goes_on(result.end); i++) {
        const struct scenario *scenario = trials[i].scenario;
        exploration->round_ns = left_ns / (int64_t)(count - i);
        int of_round = explore_round(exploration, &trials[i], &work, &result);
        code = of_round != EXIT_AS_EXPECTED ? of_round : code;
        end = result.end != SEARCH_EXHAUSTED && end != SEARCH_UNDECIDED ? result.end : end;
        end = goes_on(result.end) ? end : result.end;
        double seconds = result.progress.seconds - result.progress.seconds_before;
        left_ns -= (int64_t)(seconds * NS_PER_S);
        exploration->seconds += seconds;
        exploration->schedules += result.progress.schedules;
        if (result.end != SEARCH_EXHAUSTED)
            continue;
        text_format(&exhausted, "%s%lld × %lld × %lld", exhausted.length > 0 ? ", " : "",
                    (long long)scenario->clients.processes, (long long)scenario->clients.threads,
                    (long long)workload_explored_operations(scenario));
        add_kind(round_of(exploration, scenario), " ", &exhausted);
    }
    const struct text *told = exploration->told;
    if (end != SEARCH_FAILED || work.length > 0) {
        struct wrapping wrapping = {.columns = exploration->columns};
        say_end(exploration, end);
        wrap(&wrapping, false, text_string(&work), &lines);
        printf("%s%s%s", lines.bytes, text_string(&told[0]), text_string(&told[1]));
    }
    if (end == SEARCH_OUT_OF_TIME || end == SEARCH_INTERRUPTED)
        printf("  to go on: the same with --resume %s\n", exploration->folder);
    write_rows(exploration, end, text_string(&exhausted), explored);
    explored->code = add_bugs(exploration, &lines) > 0 ? EXIT_MISSED : code;
    text_free(&exploration->told[0]);
    text_free(&exploration->told[1]);
    fflush(stdout);
}

// --- several locks -------------------------------------------------------------------------------

// What is said of a lock waits until all is said of it.
static int explore_in_slot(void *context, const struct slot_job *job, struct server_pool *pool,
                           const struct progress *progress, struct error *error)
{
    struct exploration *exploration = context;
    const struct trial *end = exploration->plan->trials + exploration->plan->count;
    size_t count = 1;
    while (job->trial + count < end && strcmp(job->trial[count].scheme, job->trial->scheme) == 0)
        count++;
    exploration->pool = pool;
    exploration->serial = job->serial;
    exploration->progress = progress;
    if (dup2(fileno(exploration->said[job->serial]), STDOUT_FILENO) < 0)
        return error_set(error, "cannot keep what is said of it: %s", strerror(errno));
    explore_lock(exploration, job->trial, count, &exploration->explored[job->serial]);
    return 0;
}

static void clear_progress(const struct exploration *exploration)
{
    if (exploration->is_terminal)
        progress_line(stderr, NULL);
}

static void hear(void *context, const struct slot_job *job, const struct slot_news *news)
{
    const struct exploration *exploration = context;
    (void)job;
    if (exploration->is_terminal)
        progress_line(stderr, news->doing);
}

static bool settle(void *context, const struct slot_job *job, int conducted,
                   const struct error *error)
{
    const struct exploration *exploration = context;
    FILE *said = exploration->said[job->serial];
    char part[4096];
    clear_progress(exploration);
    rewind(said);
    for (size_t length; (length = fread(part, 1, sizeof part, said)) > 0;)
        fwrite(part, 1, length, stdout);
    fflush(stdout);
    if (conducted != 0)
        exploration->explored[job->serial].code =
            verb_fails(&explore_verb, EXIT_ENVIRONMENT, "%s: %s", job->trial->scheme, error->text);
    return true;
}

// Of a search one at a time goes. To wake somebody on an idle processor takes far longer than what
// it does then. Where no processor is idle, whoever is pinned to one waits for it in vain.
static bool are_processors_idle(void)
{
    double load = 0; // of the last minute
    return getloadavg(&load, 1) != 1 || load <= BUSY * get_nprocs();
}

static int conduct(void *context, const struct sandbox *sandbox, const struct plan *plan,
                   char *folder)
{
    struct exploration *exploration = context;
    const struct slot_listener listener = {explore_in_slot, hear, settle, exploration,
                                           are_processors_idle()};
    AUTO_FREE struct slot_job *jobs = memory_zeroed(plan->count, sizeof *jobs);
    AUTO_FREE FILE **said = memory_zeroed(plan->count, sizeof *said);
    AUTO_FREE char *servers = path_join(folder, "servers");
    struct server_pool pool;
    int code = EXIT_AS_EXPECTED;
    struct error error = {0};
    size_t locks = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (i > 0 && strcmp(plan->trials[i].scheme, plan->trials[i - 1].scheme) == 0)
            continue;
        said[locks] = tmpfile();
        if (said[locks] == NULL)
            return verb_fails(&explore_verb, EXIT_ENVIRONMENT, "cannot make a file in /tmp: %s",
                              strerror(errno));
        jobs[locks] = (struct slot_job){.trial = &plan->trials[i], .serial = (int)locks};
        locks++;
    }
    int64_t wanted =
        exploration->options->run.jobs > 0 ? exploration->options->run.jobs : processors_allowed();
    int at_a_time = (size_t)wanted < locks ? (int)wanted : (int)locks;
    exploration->sandbox = sandbox;
    exploration->plan = plan;
    exploration->folder = folder;
    exploration->said = said;
    exploration->explored = memory_shared(locks * sizeof *exploration->explored);
    for (size_t i = 0; i < locks; i++)
        snprintf(exploration->explored[i].rows, sizeof exploration->explored[i].rows,
                 "| %s | %s | – | – | 0 | 0.0 | – | – | – |\n", jobs[i].trial->scheme,
                 search_ends[SEARCH_FAILED].in_table);
    server_pool_start(&pool, sandbox, servers);
    slots_conduct(&pool, jobs, locks, (struct slot_limits){at_a_time, at_a_time}, &listener);
    server_pool_stop(&pool);
    for (size_t i = 0; i < locks; i++) {
        int of_lock = exploration->explored[i].code;
        // One that is broken outweighs one that is not decided.
        if (of_lock != EXIT_AS_EXPECTED && code != EXIT_MISSED)
            code = of_lock;
        fclose(said[i]);
    }
    if (write_table(exploration, locks, &error) != 0)
        code = verb_fails(&explore_verb, EXIT_ENVIRONMENT, "%s", error.text);
    run_folder_publish(folder);
    return code;
}

// Whether the lock has what the workload of the round needs.
static bool has_needs(const struct explored_lock *lock, const struct round *round)
{
    const struct lock_scheme *scheme = lock->program == NULL ? lock_scheme_find(lock->lock) : NULL;
    const struct workload *workload =
        round->workload != NULL ? workload_find(round->workload) : NULL;
    return workload == NULL || workload->form.trait == NULL || workload->form.takes_others ||
           (scheme != NULL && lock_scheme_has(scheme, workload->form.trait));
}

static bool is_named(const struct exploration *exploration, const char *lock)
{
    size_t at = 0;
    while (at < exploration->lock_count && strcmp(exploration->locks[at].lock, lock) != 0)
        at++;
    return at < exploration->lock_count;
}

// The schemes of a scenario.
static int add_schemes_of(struct exploration *exploration, const char *path,
                          const struct vocabulary *vocabulary, struct error *error)
{
    struct plan plan = {0};
    struct scenario *scenario = verb_load_scenario(path, &exploration->options->run, vocabulary);
    if (scenario == NULL)
        return -1;
    *APPEND(exploration->files, exploration->file_count, exploration->file_room) = scenario;
    int result = plan_make(&scenario, 1, vocabulary, NULL, 1, SEED, &plan, error);
    for (size_t i = 0; i < plan.count; i++) {
        const struct trial *trial = &plan.trials[i];
        if (!is_named(exploration, trial->scheme))
            *APPEND(exploration->locks, exploration->lock_count, exploration->lock_room) =
                (struct explored_lock){.lock = trial->scheme, .program = trial->external_client};
    }
    plan_free(&plan);
    return result;
}

static int add_locks(struct exploration *exploration, const struct vocabulary *vocabulary,
                     struct error *error)
{
    const struct explore_options *options = exploration->options;
    int result = 0;
    for (size_t i = 0; i < options->run.path_count && result == 0; i++) {
        const char *lock = options->run.paths[i];
        if (text_matches(lock, "*.yaml") || text_matches(lock, "*.yml"))
            result = add_schemes_of(exploration, lock, vocabulary, error);
        else if (!is_named(exploration, lock))
            *APPEND(exploration->locks, exploration->lock_count, exploration->lock_room) =
                (struct explored_lock){.lock = lock,
                                       .servers = options->servers,
                                       .traits = options->traits != NULL ? options->traits
                                                                         : PROGRAM_TRAITS};
    }
    return result;
}

static int load(void *context, const struct vocabulary *vocabulary, struct scenario_set *set,
                struct error *error)
{
    struct exploration *exploration = context;
    const struct round *said = &exploration->round;
    if (add_locks(exploration, vocabulary, error) != 0)
        return -1;
    size_t each = said->clients > 0 ? 1 : ROUNDS;
    set->scenarios = memory_zeroed(exploration->lock_count * each, sizeof *set->scenarios);
    exploration->rounds =
        memory_zeroed(exploration->lock_count * each, sizeof *exploration->rounds);
    for (size_t i = 0; i < exploration->lock_count * each; i++) {
        struct explored_lock *lock = &exploration->locks[i / each];
        const struct round *round = each == 1 ? said : &rounds[i % each];
        bool is_program = lock->program != NULL ||
                          (lock->servers != NULL && lock_scheme_find(lock->lock) == NULL);
        if (is_program && round->threads > 1 && each == 1)
            return error_set(error, "%s cannot be explored with threads: a program has one",
                             lock->lock);
        if (each > 1 && ((is_program && round->threads > 1) || !has_needs(lock, round)))
            continue;
        lock->clients = round->clients;
        lock->threads = round->threads;
        lock->operations = round->operations;
        lock->workload = round->workload;
        lock->rare = round->rare;
        struct scenario *scenario = explored_scenario(lock, vocabulary);
        exploration->rounds[set->count] = (struct explored_round){scenario, round};
        set->scenarios[set->count] = scenario;
        set->count += scenario != NULL;
        if (scenario == NULL)
            return error_set(error,
                             "there is no scheme '%s'; lockpick list schemes names all. A program "
                             "needs --servers, which says what it locks with",
                             lock->lock);
    }
    return 0;
}

// The only round, if an option says what it is to be; else one of no clients.
static struct round round_said(const struct explore_options *options)
{
    bool is_said = options->clients > 0 || options->threads > 0 || options->operations > 0 ||
                   options->rare || options->workload != NULL;
    return (struct round){!is_said               ? 0
                          : options->clients > 0 ? options->clients
                                                 : 2,
                          options->threads > 0 ? options->threads : 1,
                          options->operations > 0 ? options->operations : 1, options->rare,
                          options->workload};
}

static int run(const struct words *words, void *from)
{
    static const struct scenario_run how = {.load = load, .conduct = conduct};
    struct explore_options *options = from;
    struct exploration exploration = {.options = options,
                                      .round = round_said(options),
                                      .is_terminal = isatty(STDERR_FILENO),
                                      .columns = terminal_columns(stdout)};
    options->faults = options->says_faults ? options->faults : 1;
    options->leases = options->says_leases ? options->leases : 1;
    if (options->for_ns == 0)
        options->for_ns = options->schedules > 0 ? MOST_NS : FALLBACK_NS;
    options->run.seed = SEED;
    if (words->count == 0)
        return usage_error(&explore_verb, "which lock? Give the name of a scheme");
    if (options->sampling == NULL)
        options->sampling = samplings[SAMPLING_UNIFORM];
    else if (!text_is_one_of(options->sampling, samplings) || options->random == 0)
        return usage_error(&explore_verb, "--sampling is uniform, pos or pct, of a --random SEED");
    if (options->resume != NULL && access(options->resume, X_OK) != 0)
        return usage_error(&explore_verb, "there is no folder %s to go on with", options->resume);
    int code = verb_runs_scenarios(&explore_verb, words, &options->run, &how, &exploration);
    for (size_t i = 0; i < exploration.file_count; i++)
        scenario_free(exploration.files[i]);
    free(exploration.files);
    free(exploration.locks);
    free(exploration.rounds);
    return code;
}

extern const char template_help_explore[];
const struct verb explore_verb = {
    .name = "explore",
    .arguments = "SCHEME | PROGRAM | SCENARIO... [options]",
    .summary = "Looks for the shortest order of steps that breaks a lock",
    .help = template_help_explore,
    .options = explore_options,
    .room = sizeof(struct explore_options),
    .run = run,
};
