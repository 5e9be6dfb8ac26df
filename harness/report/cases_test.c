// Runs in rows, and how they are told: cases/*.cases. The rows of a case are taken one after the
// other; cases/README.md says which there are.
#include "harness/check/test_history.h"
#include "harness/report/pictures/test_svg.h"
#include "harness/report/test_latencies.h"
#include "harness/report/test_run.h"
#include "harness/testing/cases.h"

#define OF(name, kind, member)                                                                     \
    {                                                                                              \
        name, FIELD_##kind, offsetof(struct trial_result, member)                                  \
    }
#define LATENCY(name, member)                                                                      \
    OF(name, SIZE, member.count), OF(name "-p50", SPAN, member.p50_ns),                            \
        OF(name "-p90", SPAN, member.p90_ns), OF(name "-p95", SPAN, member.p95_ns),                \
        OF(name "-p99", SPAN, member.p99_ns), OF(name "-p999", SPAN, member.p999_ns),              \
        OF(name "-p9999", SPAN, member.p9999_ns), OF(name "-max", SPAN, member.max_ns)
#define WAITS(name, member)                                                                        \
    OF(name, SIZE, member.count), OF(name "-p50", SPAN, member.p50_ns),                            \
        OF(name "-p99", SPAN, member.p99_ns), OF(name "-max", SPAN, member.max_ns)
#define USED(name, member)                                                                         \
    OF(name, INT, member.processes), OF(name "-processor", SPAN, member.processor_ns),             \
        OF(name "-knows-switches", BOOL, member.knows_switches),                                   \
        OF(name "-voluntary", NUMBER, member.voluntary_switches),                                  \
        OF(name "-other", NUMBER, member.other_switches),                                          \
        OF(name "-knows-network", BOOL, member.knows_network),                                     \
        OF(name "-received", NUMBER, member.received_bytes),                                       \
        OF(name "-sent", NUMBER, member.sent_bytes)

static const struct field fields[] = {
    OF("verdict", INT, judgement.verdict),
    OF("expectation", INT, judgement.expectation),
    OF("cost-only", BOOL, judgement.is_measurement),
    OF("history", BOOL, has_history),
    OF("lanes", INT, lanes),
    OF("rate", RATIO, statistics.holds_per_second),
    OF("attempts", RATIO, statistics.attempts_per_hold),
    OF("jain", RATIO, statistics.fairness),
    OF("holds", SIZE, statistics.holds),
    OF("leased", SIZE, statistics.leased),
    OF("expired", SIZE, statistics.expired),
    OF("not-held", SIZE, statistics.not_held),
    OF("open", SIZE, statistics.open),
    OF("longest-open", SPAN, statistics.longest_open_ns),
    OF("longest-wait", SPAN, statistics.longest_wait_ns),
    OF("due", NUMBER, statistics.due),
    OF("begun", NUMBER, statistics.begun),
    LATENCY("acquire", statistics.acquire),
    OF("bound", BOOL, statistics.driver_bound.is_bound),
    OF("late-p50", BOOL, statistics.driver_bound.late[PERCENTILE_p50]),
    OF("late-p99", BOOL, statistics.driver_bound.late[PERCENTILE_p99]),
    OF("late-max", BOOL, statistics.driver_bound.late[PERCENTILE_max]),
    OF("times", INT, statistics.times),
    OF("turns-workers", SIZE, statistics.turns.workers),
    OF("turns-grants", SIZE, statistics.turns.grants),
    OF("turns-least", SIZE, statistics.turns.least_grants),
    OF("turns-most", SIZE, statistics.turns.most_grants),
    OF("turns-order", INT, statistics.turns.order),
    OF("turns-contested", SIZE, statistics.turns.contested),
    OF("turns-out", SIZE, statistics.turns.out_of_turn),
    OF("turns-overtaken", SIZE, statistics.turns.overtaken),
    OF("turns-deepest", SIZE, statistics.turns.deepest),
    OF("herd", BOOL, statistics.herd.is_known),
    OF("herd-grants", SIZE, statistics.herd.grants),
    OF("herd-acquires", NUMBER, statistics.herd.acquire_requests),
    OF("herd-releases", NUMBER, statistics.herd.release_requests),
    OF("herd-wakeups", NUMBER, statistics.herd.wakeups),
    WAITS("after-release", statistics.liveness.after_release),
    WAITS("after-crash", statistics.liveness.after_crash),
    OF("left", INT, statistics.liveness.left),
    OF("leaders", BOOL, statistics.leadership.is_known),
    OF("led-share", RATIO, statistics.leadership.share_led),
    OF("led-requests", RATIO, statistics.leadership.requests_per_second),
    OF("resources", BOOL, statistics.resources.is_known),
    OF("covered", SPAN, statistics.resources.covered_ns),
    OF("machine-busy", SPAN, statistics.resources.machine_busy_ns),
    OF("processors", INT, statistics.resources.processors),
    USED("driver", statistics.resources.driver),
    USED("clients", statistics.resources.clients),
    USED("servers", statistics.resources.servers),
};

// A case on its way.
struct telling {
    const struct written_case *one;
    size_t line;            // of its body
    char *shown;            // last; NULL: a picture
    const char *at;         // in that, behind what was found last
    struct picture picture; // last
    struct scenario others[4];
    size_t other_count;
    struct fault_instance instances[4];
    struct external_client program;
    const char *traits[16][2];    // of each trial
    struct load_settings load[4]; // a warm-up, a phase, a ramp, a phase
};

static size_t failures; // in all cases

static __attribute__((format(printf, 2, 3))) void wrong(const struct telling *telling,
                                                        const char *format, ...)
{
    char why[3000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    print_error("%s:%zu: %s\n", telling->one->file, telling->one->line + telling->line, why);
    failures++;
}

static struct trial_result *last_result(void)
{
    return &test.results[test.run.count - 1];
}

// In place: what "\n" and "\xNN" stand for.
static char *plain(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; to++, from++) {
        unsigned byte = (unsigned char)*from;
        if (strncmp(from, "\\n", 2) == 0)
            byte = '\n', from++;
        else if (strncmp(from, "\\x", 2) == 0 && sscanf(from + 2, "%2x", &byte) == 1)
            from += 3;
        *to = (char)byte;
    }
    *to = '\0';
    return text;
}

static void set_fields(struct row *row, struct trial_result *result)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *value = take_value(row, fields[i].name);
        if (value != NULL)
            set_field(&fields[i], result, value);
    }
}

// --- rows ----------------------------------------------------------------------------------------

static struct scenario *scenario_named(struct telling *telling, char *name)
{
    size_t at = 0;
    while (at < telling->other_count && strcmp(telling->others[at].name, name) != 0)
        at++;
    if (at == telling->other_count) {
        telling->other_count++;
        telling->others[at] = test.scenario;
        telling->others[at].name = name;
        telling->others[at].faults = telling->instances;
    }
    return &telling->others[at];
}

// Which one it is of, and with what its lock is made: `in=`, `kind=`.
static void place_trial(struct telling *telling, struct row *row)
{
    struct trial *trial = &test.trials[test.run.count - 1];
    char *scenario = take_value(row, "in");
    const char **traits = telling->traits[test.run.count - 1];
    traits[0] = take_value(row, "kind");
    if (scenario != NULL)
        trial->scenario = scenario_named(telling, scenario);
    if (traits[0] != NULL)
        trial->traits = traits;
}

static void add_trial(struct telling *telling, struct row *row)
{
    static const char *const results[] = {"none", "met", "missed", NULL};
    const char *scheme = take_next(row);
    const char *verdict = take_next(row);
    int result = text_index(take_next(row), results);
    enum verdict i = VERDICT_SAFE;
    while (i < VERDICT_NOT_APPLICABLE && strcmp(verdict_name(i), verdict) != 0)
        i++;
    test_add(&test, scheme, i, (enum expectation_result)result);
    place_trial(telling, row);
}

static void add_repeat(struct telling *telling, struct row *row)
{
    const char *scheme = take_next(row);
    test_repeat(&test, scheme, strtoll(take_next(row), NULL, 10));
    place_trial(telling, row);
}

static void add_ten(struct telling *telling, struct row *row)
{
    const char *scheme = take_next(row);
    test_ten_acquires(&test, ADD(scheme, SAFE, NONE), strtod(take_next(row), NULL));
    place_trial(telling, row);
}

// Of the last trial, in nanoseconds: the first, by how much each is longer, how many.
static void add_latencies(struct telling *telling, struct row *row)
{
    static const char *const names[] = {[LATENCY_ACQUIRE] = "acquire",
                                        [LATENCY_ACQUIRE_UNCORRECTED] = "uncorrected",
                                        [LATENCY_HAND_OFF] = "hand-off"};
    const char *name = take_next(row);
    enum latency latency = LATENCY_ACQUIRE;
    while (names[latency] == NULL || strcmp(names[latency], name) != 0)
        latency++;
    int64_t first_ns = strtoll(take_next(row), NULL, 10);
    int64_t step_ns = strtoll(take_next(row), NULL, 10);
    measure(last_result(), latency, first_ns, step_ns, atoi(take_next(row)));
    (void)telling;
}

static void take_phase(struct telling *telling, struct row *row)
{
    int64_t clients = strtoll(take_next(row), NULL, 10);
    int64_t rate = strtoll(take_next(row), NULL, 10);
    int64_t each_ns = strtoll(take_next(row), NULL, 10);
    struct phase_cost *phase =
        add_phase(last_result(), clients, rate, each_ns, atoi(take_next(row)));
    phase->held = take_number(row, "held", phase->held);
    phase->counts = !take_word(row, "warm-up");
    (void)telling;
}

static void choose_trial(struct telling *telling, struct row *row)
{
    size_t number = strtoul(take_next(row), NULL, 10);
    assert_in_range(number, 1, test.run.count);
    set_fields(row, &test.results[number - 1]);
    (void)telling;
}

static void change_last(struct telling *telling, struct row *row)
{
    (void)telling;
    (void)row;
}

static struct finding *find_violated(struct row *row)
{
    size_t i = 0;
    const char *name = take_next(row);
    bool harmless = take_word(row, "harmless");
    while (strcmp(check_catalogue[i]->name, name) != 0)
        i++;
    return test_find(last_result(), check_catalogue[i], harmless);
}

static void add_finding(struct telling *telling, struct row *row)
{
    struct finding *finding = find_violated(row);
    finding->count = take_number(row, "count", 1);
    if (take_word(row, "undecided"))
        finding->state = FINDING_UNDECIDED;
    (void)telling;
}

// The shortest, the median and the longest, in nanoseconds.
static void add_windows(struct telling *telling, struct row *row)
{
    struct distribution *windows = &find_violated(row)->windows;
    windows->count = 3;
    windows->min_ns = strtoll(take_next(row), NULL, 10);
    windows->median_ns = strtoll(take_next(row), NULL, 10);
    windows->p90_ns = windows->max_ns = strtoll(take_next(row), NULL, 10);
    (void)telling;
}

// Its times are in milliseconds, or `never`.
static void set_recovery(struct telling *telling, struct row *row)
{
    struct recoveries *recoveries = &last_result()->statistics.recoveries;
    int64_t times_ns[3];
    int fault = atoi(take_next(row));
    for (int i = 0; i < 3; i++) {
        const char *word = take_next(row);
        times_ns[i] = strcmp(word, "never") == 0
                          ? TIME_NEVER
                          : (int64_t)(strtod(word, NULL) * (double)NS_PER_MS);
    }
    size_t at = 0;
    while (at < recoveries->count && recoveries->items[at].fault != fault)
        at++;
    recoveries->count += at == recoveries->count;
    recoveries->items[at] = (struct recovery){fault, times_ns[0], times_ns[1], times_ns[2],
                                              take_number(row, "leaderless", -1)};
    (void)telling;
}

static void set_run(struct telling *telling, struct row *row)
{
    test.run.planned = (size_t)take_number(row, "planned", (int64_t)test.run.planned);
    test.run.count = (size_t)take_number(row, "finished", (int64_t)test.run.count);
    test.run.strict = take_number(row, "strict", test.run.strict);
    test.scenario.verdict_only = take_number(row, "verdict-only", test.scenario.verdict_only);
    test.run.environment.processors = (int)take_number(row, "processors", 0);
    test.run.environment.load_at_begin.averages[0] = take_ms(row, "load-before", 0);
    test.run.environment.load_at_end.averages[0] = take_ms(row, "load-after", 0);
    test.run.environment.load_at_begin.is_known = test.run.environment.load_at_end.is_known =
        test.run.environment.processors > 0;
    (void)telling;
}

// One of that name, or what is said of it from now on.
static void set_scenario(struct telling *telling, struct row *row)
{
    struct scenario *scenario = scenario_named(telling, take_next(row));
    const char *keys = take_value(row, "keys");
    char *workload = take_value(row, "workload");
    scenario->fault_count = (size_t)take_number(row, "faults", (int64_t)scenario->fault_count);
    scenario->random.of.count =
        (size_t)take_number(row, "random", (int64_t)scenario->random.of.count);
    scenario->clients.processes = take_number(row, "clients", scenario->clients.processes);
    scenario->clients.threads = take_number(row, "threads", scenario->clients.threads);
    scenario->workload.hold_ns =
        take_number(row, "hold", scenario->workload.hold_ns / NS_PER_MS) * NS_PER_MS;
    if (keys != NULL)
        scenario->workload.keys = strcmp(keys, "own") == 0 ? KEYS_OWN : strtoll(keys, NULL, 10);
    if (workload != NULL)
        scenario->workload.kind = workload;
    if (take_word(row, "load")) {
        scenario->load = telling->load;
        scenario->load_count = sizeof telling->load / sizeof *telling->load;
    }
}

// One more of the scenario's.
static void take_fault(struct telling *telling, struct row *row)
{
    size_t at = test.scenario.fault_count++;
    test.scenario.faults = telling->instances;
    telling->instances[at].verb = take_next(row);
}

static void draw_faults(struct telling *telling, struct row *row)
{
    (void)row;
    for (size_t i = 0; i < test.scenario.fault_count; i++)
        telling->instances[i].drawn = true;
}

// The last trial's lock is a program of its own; a plug-in is none.
static void set_program(struct telling *telling, struct row *row)
{
    static const struct external_client plugin = {.name = "own", .plugin = "./own.so"};
    telling->program =
        (struct external_client){.name = "own", .install = take_value(row, "install")};
    test.trials[test.run.count - 1].external_client =
        take_word(row, "plugin") ? &plugin : &telling->program;
}

static void set_traits(struct telling *telling, struct row *row)
{
    static const char *const fair[] = {"fair", NULL};
    (void)telling;
    (void)row;
    test.trials[test.run.count - 1].traits = fair;
}

// Something is expected of the last trial, in line 12.
static void expect_safe(struct telling *telling, struct row *row)
{
    static const struct expectation safe = {.verdict = EXPECT_SAFE, .place = {12, 5}};
    (void)telling;
    (void)row;
    test.trials[test.run.count - 1].expectation = &safe;
}

static void change_threshold(struct telling *telling, struct row *row)
{
    struct limit *limit = &test.thresholds[strtoul(take_next(row), NULL, 10) - 1].limit;
    const char *bound = take_value(row, "bound");
    limit->bound = bound != NULL ? strtod(bound, NULL) : limit->bound;
    if (take_word(row, "below"))
        limit->relation = RELATION_BELOW;
    (void)telling;
}

static void keep_thresholds(struct telling *telling, struct row *row)
{
    test.scenario.threshold_count = strtoul(take_next(row), NULL, 10);
    (void)telling;
}

// --- what is expected ----------------------------------------------------------------------------

// "met|missed|open [MEASURED]"; its reason is behind a colon.
static void expect_outcome(struct telling *telling, struct row *row, const char *reason)
{
    static const char *const names[] = {[THRESHOLD_MET] = "met",
                                        [THRESHOLD_MISSED] = "missed",
                                        [THRESHOLD_NOT_MEASURED] = "open",
                                        NULL};
    const struct threshold_outcomes *outcomes = &test_report(&test.run)->thresholds;
    const struct threshold_outcome *outcome = &outcomes->items[0];
    int result = text_index(take_next(row), names);
    const char *measured = take_value(row, "measured");
    const char *scheme = take_value(row, "scheme");
    assert_int_equal(outcomes->count, 1);
    if ((int)outcome->result != result ||
        (reason != NULL && strstr(outcome->reason, reason) == NULL) ||
        (measured != NULL && strcmp(outcome->measured, measured) != 0) ||
        (scheme != NULL && strcmp(outcome->trial->scheme, scheme) != 0) ||
        (take_word(row, "driver-bound") && !outcome->driver_bound))
        wrong(telling, "it is %s of %s, %s: %s", names[outcome->result], outcome->trial->scheme,
              outcome->measured, outcome->reason);
}

static void expect_count(struct telling *telling, const char *text)
{
    char *words;
    size_t wanted = strtoul(text, &words, 10), count = 0;
    for (const char *at = telling->shown; (at = strstr(at, words + 1)) != NULL; at += 1)
        count++;
    if (count != wanted)
        wrong(telling, "'%s' is there %zu times", words + 1, count);
}

// From where the words are, to the end.
static void expect_words(struct telling *telling, const char *words)
{
    const char *found = telling->shown != NULL ? strstr(telling->at, words) : NULL;
    if (telling->shown == NULL && !picture_has(&telling->picture, words))
        wrong(telling, "it is not there: %s\n%s\n%s\n%s", words,
              text_string(&telling->picture.data), text_string(&telling->picture.notes),
              text_string(&telling->picture.values));
    else if (telling->shown == NULL)
        return;
    else if (found != NULL)
        telling->at = found + 1;
    else
        wrong(telling, "it is not there, or not behind the one before: %s\n%.2500s", words,
              telling->at);
}

// False if there is no such picture.
static bool draw(struct telling *telling, const char *name)
{
    const struct run_report *report = test_report(&test.run);
    const struct picture_kind *const *kind = picture_catalogue;
    while (*kind != NULL && strcmp((*kind)->name, name) != 0)
        kind++;
    picture_free(&telling->picture);
    return *kind != NULL &&
           picture_write(*kind, &(struct picture_subject){.run = &test.run, .report = report},
                         &telling->picture);
}

static void show(struct telling *telling, const char *how)
{
    const struct run_report *report = test_report(&test.run);
    free(telling->shown);
    telling->shown = NULL;
    if (draw(telling, how))
        return;
    if (strcmp(how, "markdown") == 0)
        telling->shown = report_markdown(report);
    else if (strcmp(how, "junit") == 0)
        telling->shown = report_junit(report);
    else if (strcmp(how, "tap") == 0)
        telling->shown = report_tap(report);
    else if (strcmp(how, "github") == 0)
        telling->shown = PRINTED(report_github(report, out));
    else if (strcmp(how, "html") == 0)
        telling->shown = report_html(report);
    else if (strcmp(how, "words") == 0)
        telling->shown = test_page_words(report_html(report));
    else
        telling->shown = PRINTED(
            report_print(report, out, strcmp(how, "coloured") == 0, strcmp(how, "quiet") == 0));
    telling->at = telling->shown;
}

// --- cases ---------------------------------------------------------------------------------------

static const struct {
    const char *word;
    void (*take)(struct telling *telling, struct row *row);
    bool is_of_trial; // fields follow, of the last trial
} rows[] = {
    {"latency", add_latencies, false},
    {"phase", take_phase, false},
    {"windows", add_windows, false},
    {"expects-safe", expect_safe, false},
    {"trial", add_trial, true},
    {"repeat", add_repeat, true},
    {"ten", add_ten, true},
    {"set", change_last, true},
    {"of", choose_trial, false},
    {"finds", add_finding, false},
    {"recovery", set_recovery, false},
    {"run", set_run, false},
    {"scenario", set_scenario, false},
    {"fault", take_fault, false},
    {"drawn", draw_faults, false},
    {"program", set_program, false},
    {"fair", set_traits, false},
    {"limit", change_threshold, false},
    {"thresholds", keep_thresholds, false},
};

// Rows that are a word and a text. False: it is none of them.
static bool take_text(struct telling *telling, const char *word, char *text)
{
    struct judgement *judgement = test.run.count > 0 ? &last_result()->judgement : NULL;
    if (strcmp(word, "threshold") == 0)
        test_threshold(&test, text);
    else if (strcmp(word, "because") == 0)
        snprintf(judgement->reason, sizeof judgement->reason, "%s", plain(text));
    else if (strcmp(word, "expected") == 0)
        snprintf(judgement->expectation_text, sizeof judgement->expectation_text, "%s",
                 plain(text));
    else if (strcmp(word, "bound") == 0)
        snprintf(last_result()->statistics.driver_bound.reason,
                 sizeof last_result()->statistics.driver_bound.reason, "%s", plain(text));
    else if (strcmp(word, "story") == 0)
        last_result()->story = plain(text);
    else if (strcmp(word, "kernel") == 0)
        snprintf(test.run.environment.kernel, sizeof test.run.environment.kernel, "%s", text);
    else if (strcmp(word, "text") == 0) // of the last fault
        telling->instances[test.scenario.fault_count - 1].text = text;
    else if (strcmp(word, "shows") == 0)
        show(telling, text);
    else if (strcmp(word, "has") == 0)
        expect_words(telling, plain(text));
    else if (strcmp(word, "lacks") == 0 &&
             (telling->shown != NULL ? strstr(telling->shown, plain(text)) != NULL
                                     : picture_has(&telling->picture, plain(text))))
        wrong(telling, "it is there: %s", text);
    else if (strcmp(word, "draws-no") == 0 && draw(telling, text))
        wrong(telling, "it is there");
    else if (strcmp(word, "counts") == 0)
        expect_count(telling, plain(text));
    else if (strcmp(word, "outcomes") == 0 &&
             test_report(&test.run)->thresholds.count != strtoul(text, NULL, 10))
        wrong(telling, "there are %zu", test_report(&test.run)->thresholds.count);
    else if (strcmp(word, "exit") == 0 && report_exit_code(test_report(&test.run)) != atoi(text))
        wrong(telling, "it is %d", report_exit_code(test_report(&test.run)));
    else
        return strcmp(word, "lacks") == 0 || strcmp(word, "draws-no") == 0 ||
               strcmp(word, "outcomes") == 0 || strcmp(word, "exit") == 0;
    return true;
}

static void take_words(struct telling *telling, const char *word, struct row *row)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].word, word) != 0)
            continue;
        rows[i].take(telling, row);
        if (rows[i].is_of_trial)
            set_fields(row, last_result());
        return;
    }
    fail_case(telling->one, "there is no such row: %s", word);
}

static void take_row(struct telling *telling, char *line)
{
    struct row row = {.file = telling->one->file, .line = telling->one->line + telling->line};
    char *text = line + strcspn(line, " ");
    char word[16];
    snprintf(word, sizeof word, "%.*s", (int)(text - line), line);
    text += *text == ' ';
    if (take_text(telling, word, text))
        return;
    char *reason = strcmp(word, "outcome") == 0 ? strstr(text, ": ") : NULL;
    if (reason != NULL)
        *reason = '\0';
    split(text, &row);
    if (strcmp(word, "outcome") == 0)
        expect_outcome(telling, &row, reason != NULL ? reason + 2 : NULL);
    else
        take_words(telling, word, &row);
    all_taken(&row);
}

static void play(const struct written_case *one)
{
    struct telling telling = {.one = one,
                              .load = {{.warm_up = true}, {0}, {.rate = 1, .to = 5}, {0}}};
    AUTO_FREE char *body = memory_string(one->body.bytes);
    for (int i = 0; i < 4; i++)
        telling.instances[i] = (struct fault_instance){.number = i + 1, .verb = "pause"};
    test_run_start(&test);
    for (char *rest = body, *line; (line = strsep(&rest, "\n")) != NULL;) {
        telling.line++;
        if (*line != '\0' && *line != '#')
            take_row(&telling, line);
    }
    free(telling.shown);
    picture_free(&telling.picture);
    test_run_end(&test);
}

TEST(every_run_is_told_as_it_says)
{
    each_case("harness/report/cases/sections.cases", 30, play);
    each_case("harness/report/cases/thresholds.cases", 15, play);
    each_case("harness/report/cases/ci.cases", 6, play);
    each_case("harness/report/cases/pictures.cases", 20, play);
    assert_int_equal(failures, 0);
}
