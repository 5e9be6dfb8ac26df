#include "harness/base/scope.h"
#include "harness/report/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// --- cases ---------------------------------------------------------------------------------------

// In the order of exit codes: a missed expectation comes before all else.
enum case_kind { CASE_PASSED, CASE_FAILED, CASE_BROKE, CASE_SKIPPED, CASE_KINDS };

// What a person is to see of it at once.
enum alarm { ALARM_NONE, ALARM_WARNING, ALARM_ERROR };

struct ci_case {
    const struct trial_result *result;       // of a trial; NULL:
    const struct threshold_outcome *outcome; // of a threshold
    const struct trial *trial;               // it, or the threshold's first
    enum case_kind kind;
    enum alarm alarm; // skipped trials, which are told together, raise none
    int line;         // of the scenario's file, that says what is expected; or 1 if none does
    struct text name; // its scheme, and which of its repeats
    struct text why;  // of a threshold: its sentence
};

struct ci_cases {
    struct ci_case *items; // the trials, and then the thresholds
    size_t count;
};

static struct ci_cases cases_of(const struct run_report *report)
{
    static const enum alarm alarms[] = {[THRESHOLD_MET] = ALARM_NONE,
                                        [THRESHOLD_MISSED] = ALARM_ERROR,
                                        [THRESHOLD_NOT_MEASURED] = ALARM_WARNING};
    const struct run_result *run = report->run;
    struct ci_cases cases = {.count = run->count + report->thresholds.count};
    cases.items = memory_zeroed(cases.count + 1, sizeof *cases.items);
    for (size_t i = 0; i < cases.count; i++) {
        struct ci_case *each = &cases.items[i];
        if (i < run->count) {
            const struct trial_result *result = each->result = &run->trials[i];
            const struct expectation *expectation = result->trial->expectation;
            enum verdict verdict = result->judgement.verdict;
            bool is_missed = result->judgement.expectation == EXPECTATION_MISSED;
            bool is_open = verdict == VERDICT_UNKNOWN;
            each->trial = result->trial;
            each->kind = is_missed || (is_open && expectation != NULL) ? CASE_FAILED
                         : verdict <= VERDICT_STUCK                    ? CASE_PASSED
                         : verdict == VERDICT_ERROR                    ? CASE_BROKE
                                                                       : CASE_SKIPPED;
            each->alarm = is_missed || each->kind == CASE_BROKE      ? ALARM_ERROR
                          : is_open && !trial_is_measurement(result) ? ALARM_WARNING
                                                                     : ALARM_NONE;
            each->line = expectation != NULL ? expectation->place.line : 0;
        } else {
            each->outcome = &report->thresholds.items[i - run->count];
            each->trial = each->outcome->trial;
            each->kind = each->outcome->result == THRESHOLD_MET ? CASE_PASSED : CASE_FAILED;
            each->alarm = alarms[each->outcome->result];
            each->line = each->outcome->threshold->place.line;
            threshold_sentence(each->outcome, &each->why);
        }
        text_format(&each->name, "%s%s", each->trial->scheme,
                    i < run->count ? repeat_words(each->trial).text : "");
        each->line = each->line > 0 ? each->line : 1;
    }
    return cases;
}

static void cases_free(struct ci_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        text_free(&cases->items[i].name);
        text_free(&cases->items[i].why);
    }
    free(cases->items);
}

// "acquire.p99 < 50ms" of a threshold, else "".
static const char *limit_of(const struct ci_case *each)
{
    return each->outcome != NULL ? each->outcome->threshold->limit.text : "";
}

// --- any text ------------------------------------------------------------------------------------

// Adds a character of `size` bytes; 0: it is one byte, of that number, that is no UTF-8.
typedef void add_character(struct text *out, uint32_t character, const char *bytes, size_t size);

static void add_part(struct text *out, const char *string, size_t length, add_character *add)
{
    for (size_t i = 0, size; i<length; i += size> 0 ? size : 1) {
        uint32_t character = 0;
        size = utf8_decode(string + i, &character);
        add(out, size > 0 ? character : (unsigned char)string[i], string + i, size);
    }
}

// NULL is "".
static void add_as(struct text *out, const char *string, add_character *add)
{
    add_part(out, string, string != NULL ? strlen(string) : 0, add);
}

// Between two tags, so that a parser gives it back as it was. Left out are the characters that XML
// 1.0 has no way to write (its production "Char", section 2.2); a byte that is no UTF-8 becomes
// '?', as in result.json. A parser would turn a bare CR into LF.
static void xml_text(struct text *out, uint32_t character, const char *bytes, size_t size)
{
    if (size == 0)
        text_add(out, "?");
    else if (character == '&' || character == '<' || character == '>' || character == '"')
        text_add(out, character == '&'   ? "&amp;"
                      : character == '<' ? "&lt;"
                      : character == '>' ? "&gt;"
                                         : "&quot;");
    else if (character == '\r')
        text_add(out, "&#13;");
    else if (character == '\t' || character == '\n' ||
             (character >= 0x20 && character != 0xfffe && character != 0xffff))
        text_add_bytes(out, bytes, size);
}

// In quotes, where a parser would turn tabs and line ends into spaces.
static void xml_quoted(struct text *out, uint32_t character, const char *bytes, size_t size)
{
    if (size > 0 && (character == '\t' || character == '\n'))
        text_format(out, "&#%u;", (unsigned)character);
    else
        xml_text(out, character, bytes, size);
}

// On the line of a test of TAP, where '#' begins a directive.
static void tap_words(struct text *out, uint32_t character, const char *bytes, size_t size)
{
    if (character == '#' || character == '\\')
        text_add(out, "\\");
    if (size == 0)
        text_add(out, "?");
    else if (character < 0x20 || character == 0x7f)
        text_add(out, " ");
    else
        text_add_bytes(out, bytes, size);
}

// In double quotes of YAML 1.2, which takes what is printable as it is (section 5.1,
// "c-printable"). A byte that is no UTF-8 is escaped as the character of that number.
static void yaml_quoted(struct text *out, uint32_t character, const char *bytes, size_t size)
{
    bool is_printable = (character >= 0x20 && character < 0x7f) || character == 0x85 ||
                        (character >= 0xa0 && character != 0xfffe && character != 0xffff);
    if (character == '"' || character == '\\')
        text_format(out, "\\%c", (int)character);
    else if (character == '\n')
        text_add(out, "\\n");
    else if (size > 0 && is_printable)
        text_add_bytes(out, bytes, size);
    else
        text_format(out, character <= 0xff ? "\\x%02x" : "\\u%04x", (unsigned)character);
}

// In a command of GitHub's; values of its properties end at a comma or a colon too.
static void github_words(struct text *out, uint32_t character, const char *bytes, size_t size)
{
    if (character < 0x80 && strchr("%\r\n", (int)character) != NULL)
        text_format(out, "%%%02X", (unsigned)character);
    else
        text_add_bytes(out, bytes, size > 0 ? size : 1);
}

static void github_value(struct text *out, uint32_t character, const char *bytes, size_t size)
{
    if (character == ':' || character == ',')
        text_format(out, "%%%02X", (unsigned)character);
    else
        github_words(out, character, bytes, size);
}

// --- junit.xml -----------------------------------------------------------------------------------

static void add_attribute(struct text *out, const char *name, const char *value)
{
    text_format(out, " %s=\"", name);
    add_as(out, value, xml_quoted);
    text_add(out, "\"");
}

// In seconds, with a point whatever the locale.
static void add_time(struct text *out, int64_t time_ns)
{
    int64_t time_ms = time_ns > 0 ? (time_ns + NS_PER_MS / 2) / NS_PER_MS : 0;
    text_format(out, " time=\"%" PRId64 ".%03" PRId64 "\"", time_ms / 1000, time_ms % 1000);
}

// Of the cases of one scenario, or of all (NULL), and of trials that were not run; and how long
// they took (-1: all of them together).
static void add_counts(struct text *out, const struct ci_cases *cases,
                       const struct scenario *scenario, size_t not_run, int64_t time_ns)
{
    size_t counts[CASE_KINDS] = {[CASE_BROKE] = not_run > 0};
    size_t all = not_run > 0;
    int64_t sum_ns = 0;
    FOR_EACH (ci_case, each, cases->items, cases->count) {
        if (scenario != NULL && each->trial->scenario != scenario)
            continue;
        counts[each->kind]++;
        all++;
        sum_ns += each->result != NULL ? each->result->statistics.duration_ns : 0;
    }
    text_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", all,
                counts[CASE_FAILED], counts[CASE_BROKE], counts[CASE_SKIPPED]);
    add_time(out, time_ns < 0 ? sum_ns : time_ns);
}

static void add_outcome(struct text *out, const struct ci_case *each)
{
    static const char *const tags[] = {
        [CASE_FAILED] = "failure", [CASE_BROKE] = "error", [CASE_SKIPPED] = "skipped"};
    const struct trial_result *result = each->result;
    const struct judgement *judgement = result != NULL ? &result->judgement : NULL;
    bool is_failed = each->kind == CASE_FAILED;
    AUTO_TEXT struct text message = {0}; // what was expected and what came, in one line
    text_add(&message, text_string(&each->why));
    if (judgement != NULL && is_failed)
        text_add(&message, judgement->expectation_text);
    if (judgement != NULL &&
        (!is_failed || judgement->verdict > VERDICT_STUCK || message.length == 0))
        text_format(&message, "%s%s", message.length > 0 ? ": " : "", judgement->reason);
    text_format(out, "      <%s", tags[each->kind]);
    // Some readers refuse a skipped element that has more than a message.
    if (each->kind != CASE_SKIPPED)
        add_attribute(out, "type",
                      judgement != NULL ? verdict_name(judgement->verdict) : "threshold");
    add_attribute(out, "message", text_string(&message));
    if (each->kind == CASE_SKIPPED || judgement == NULL) {
        text_add(out, "/>\n");
        return;
    }
    text_add(out, ">");
    add_as(out, judgement->reason, xml_text);
    text_add(out, "\n");
    add_as(out, result->story, xml_text);
    if (result->folder != NULL) {
        text_add(out, "files: ");
        add_as(out, result->folder, xml_text);
        text_add(out, "\n");
    }
    text_format(out, "</%s>\n", tags[each->kind]);
}

static void add_case(struct text *out, const struct ci_case *each)
{
    AUTO_TEXT struct text name = {0};
    text_format(&name, "%s%s%s", text_string(&each->name), each->outcome != NULL ? ": " : "",
                limit_of(each));
    text_add(out, "    <testcase");
    add_attribute(out, "classname", each->trial->scenario->name);
    add_attribute(out, "name", name.bytes);
    add_attribute(out, "file", each->trial->scenario->path);
    text_format(out, " line=\"%d\"", each->line);
    add_time(out, each->result != NULL ? each->result->statistics.duration_ns : 0);
    text_add(out, each->kind == CASE_PASSED ? "/>\n" : ">\n");
    if (each->kind == CASE_PASSED)
        return;
    add_outcome(out, each);
    text_add(out, "    </testcase>\n");
}

// What somebody needs who wants to run it again.
static void add_properties(struct text *out, const struct run_result *run)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    const char *const properties[][2] = {{"seed", seed},
                                         {"folder", run->folder},
                                         {"lockpick", run->environment.lockpick_version},
                                         {"servers", run->environment.servers}};
    text_add(out, "    <properties>\n");
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        text_add(out, "      <property");
        add_attribute(out, "name", properties[i][0]);
        add_attribute(out, "value", properties[i][1]);
        text_add(out, "/>\n");
    }
    text_add(out, "    </properties>\n");
}

static void add_suite(struct text *out, const struct run_result *run, const struct ci_cases *cases,
                      const struct scenario *scenario)
{
    text_add(out, "  <testsuite");
    add_attribute(out, "name", scenario->name);
    add_attribute(out, "file", scenario->path);
    add_counts(out, cases, scenario, 0, -1);
    // The schema's type is a time without a zone.
    char began[sizeof run->environment.began];
    snprintf(began, sizeof began, "%.19s", run->environment.began);
    if (began[0] != '\0')
        add_attribute(out, "timestamp", began);
    text_add(out, ">\n");
    add_properties(out, run);
    FOR_EACH (ci_case, each, cases->items, cases->count) {
        if (each->trial->scenario == scenario)
            add_case(out, each);
    }
    text_add(out, "  </testsuite>\n");
}

char *report_junit(const struct run_report *report)
{
    const struct run_result *run = report->run;
    struct ci_cases cases = cases_of(report);
    struct text out = {0};
    text_add(&out, JUNIT_BEGINS);
    add_counts(&out, &cases, NULL, report->tally.not_run, run->duration_ns);
    text_add(&out, ">\n");
    for (size_t i = 0; i < run->count; i++) {
        const struct scenario *scenario = run->trials[i].trial->scenario;
        size_t first = 0;
        while (run->trials[first].trial->scenario != scenario)
            first++;
        if (first == i)
            add_suite(&out, run, &cases, scenario);
    }
    // A suite without trials that a run had no time for would look as if all was well.
    if (report->tally.not_run > 0) {
        text_add(&out, "  <testsuite name=\"not run\" tests=\"1\" failures=\"0\" errors=\"1\" "
                       "skipped=\"0\" time=\"0.000\">\n");
        add_properties(&out, run);
        text_format(&out,
                    "    <testcase classname=\"lockpick\" name=\"not run\" time=\"0.000\">\n"
                    "      <error type=\"not-run\" message=\"%zu of %zu trials were not run: the "
                    "run ended before\"/>\n    </testcase>\n  </testsuite>\n",
                    report->tally.not_run, run->planned);
    }
    text_add(&out, "</testsuites>\n");
    cases_free(&cases);
    return out.bytes;
}

// --- TAP -----------------------------------------------------------------------------------------

static void add_quoted(struct text *out, const char *before, const char *string, size_t length)
{
    text_format(out, "%s\"", before);
    add_part(out, string, length, yaml_quoted);
    text_add(out, "\"\n");
}

static void add_key(struct text *out, const char *key, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    text_format(out, "  %s: ", key);
    add_quoted(out, "", value, strlen(value));
}

static void add_diagnosis(struct text *out, const struct ci_case *each)
{
    const struct trial_result *result = each->result;
    const struct judgement *judgement = result != NULL ? &result->judgement : NULL;
    const char *const keys[][2] = {
        {"verdict", judgement != NULL ? verdict_name(judgement->verdict) : NULL},
        {"expected", judgement != NULL ? judgement->expectation_text : NULL},
        {"reason", judgement != NULL ? judgement->reason : NULL},
        {"threshold", each->why.bytes},
        {"file", each->trial->scenario->path}};
    text_add(out, "  ---\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        add_key(out, keys[i][0], keys[i][1]);
    text_format(out, "  line: %d\n", each->line);
    if (result != NULL) {
        const char *story = result->story != NULL ? result->story : "";
        text_format(out, "  seed: \"%" PRIu64 "\"\n", each->trial->seed);
        text_add(out, story[0] != '\0' ? "  story:\n" : "");
        for (size_t length; *story != '\0'; story += length + (story[length] == '\n')) {
            length = strcspn(story, "\n");
            if (length > 0)
                add_quoted(out, "    - ", story, length);
        }
        add_key(out, "folder", result->folder);
    }
    text_add(out, "  ...\n");
}

char *report_tap(const struct run_report *report)
{
    const struct run_result *run = report->run;
    size_t missing = report->tally.not_run;
    struct ci_cases cases = cases_of(report);
    struct text out = {0};
    size_t count = cases.count + missing;
    text_format(&out, "TAP version 13\n1..%zu%s\n# ", count,
                count == 0 ? " # SKIP no trial finished" : "");
    add_as(&out, run->folder, tap_words);
    text_format(&out, ", seed %" PRIu64 "\n", run->seed);
    for (size_t i = 0; i < cases.count; i++) {
        const struct ci_case *each = &cases.items[i];
        bool is_ok = each->kind == CASE_PASSED || each->kind == CASE_SKIPPED;
        text_format(&out, "%sok %zu - ", is_ok ? "" : "not ", i + 1);
        add_as(&out, each->trial->scenario->name, tap_words);
        text_add(&out, " ");
        add_as(&out, text_string(&each->name), tap_words);
        text_add(&out, each->outcome != NULL ? " " : "");
        add_as(&out, limit_of(each), tap_words);
        if (each->kind == CASE_SKIPPED) {
            text_format(&out, " # SKIP %s: ", verdict_name(each->result->judgement.verdict));
            add_as(&out, each->result->judgement.reason, tap_words);
        }
        text_add(&out, "\n");
        if (!is_ok)
            add_diagnosis(&out, each);
    }
    if (missing > 0)
        text_format(&out, "Bail out! %zu of %zu trials were not run: the run ended before\n",
                    missing, run->planned);
    cases_free(&cases);
    return out.bytes;
}

// --- GitHub --------------------------------------------------------------------------------------

// `::error file=pause.yaml,line=12,title=pause%3A none::message`.
static void annotate(struct text *out, bool is_error, const struct ci_case *each,
                     const char *message)
{
    AUTO_TEXT struct text title = {0};
    text_format(&title, "%s: %s", each->trial->scenario->name, text_string(&each->name));
    text_format(out, "::%s file=", is_error ? "error" : "warning");
    add_as(out, each->trial->scenario->path, github_value);
    text_format(out, ",line=%d,title=", each->line);
    add_as(out, title.bytes, github_value);
    text_add(out, "::");
    add_as(out, message, github_words);
    text_add(out, "\n");
}

// What fails, and then what is open, of the cases from `from` on that come before `end`.
static void annotate_alarms(struct text *out, const struct ci_cases *cases, size_t from, size_t end)
{
    for (enum alarm alarm = ALARM_ERROR; alarm > ALARM_NONE; alarm--) {
        for (size_t i = from; i < end; i++) {
            const struct ci_case *each = &cases->items[i];
            AUTO_TEXT struct text message = {0};
            if (each->alarm != alarm)
                continue;
            text_add(&message, text_string(&each->why));
            if (each->result != NULL) {
                const struct judgement *judgement = &each->result->judgement;
                bool was_expected = judgement->expectation_text[0] != '\0';
                text_format(&message, "%s%s%s", judgement->expectation_text,
                            was_expected ? "\n" : "", judgement->reason);
                if (each->result->folder != NULL)
                    text_format(&message, "\nfiles: %s", each->result->folder);
            }
            annotate(out, alarm == ALARM_ERROR, each, text_string(&message));
        }
    }
}

static bool were_skipped_alike(const struct trial_result *a, const struct trial_result *b)
{
    return a->judgement.verdict == VERDICT_SKIPPED && b->judgement.verdict == VERDICT_SKIPPED &&
           a->judgement.expectation != EXPECTATION_MISSED &&
           b->judgement.expectation != EXPECTATION_MISSED &&
           strcmp(a->judgement.reason, b->judgement.reason) == 0;
}

// One for each reason, at the first trial that has it: GitHub shows ten annotations of a kind for
// each step.
static void annotate_skipped(struct text *out, const struct run_result *run,
                             const struct ci_cases *cases)
{
    for (size_t i = 0; i < run->count; i++) {
        AUTO_TEXT struct text message = {0};
        size_t count = trials_like(run, i, were_skipped_alike);
        text_format(&message, "%zu trial%s skipped: %s", count, plural((long long)count),
                    run->trials[i].judgement.reason);
        if (count > 0)
            annotate(out, run->strict, &cases->items[i], message.bytes);
    }
}

// What is no command, so that the runner takes no line of it for one: it looks for "::" where a
// line begins, blanks or not, and for "##[" anywhere.
static void add_plain(struct text *out, const char *text)
{
    bool at_start = true;
    for (; *text != '\0'; text++) {
        text_add(out, at_start && strncmp(text, "::", 2) == 0 ? "| " : "");
        text_add_bytes(out, text, 1);
        text_add(out, strncmp(text, "##[", 3) == 0 ? " " : "");
        at_start = *text == '\n' || *text == '\r' || (at_start && strchr(" \t\v\f", *text) != NULL);
    }
    text_add(out, at_start ? "" : "\n");
}

void report_github(const struct run_report *report, FILE *out)
{
    size_t trials = report->run->count;
    struct ci_cases cases = cases_of(report);
    AUTO_TEXT struct text text = {0};
    AUTO_TEXT struct text sentence = {0};
    annotate_alarms(&text, &cases, 0, trials);
    annotate_skipped(&text, report->run, &cases);
    annotate_alarms(&text, &cases, trials, cases.count);
    FOR_EACH (ci_case, each, cases.items, trials) {
        if (each->result->story == NULL || each->result->story[0] == '\0')
            continue;
        text_format(&text, "::group::%s ", verdict_name(each->result->judgement.verdict));
        add_as(&text, each->trial->scenario->name, github_words);
        text_add(&text, ": ");
        add_as(&text, text_string(&each->name), github_words);
        text_add(&text, "\n");
        add_plain(&text, each->result->judgement.reason);
        add_plain(&text, each->result->story);
        text_add(&text, "::endgroup::\n");
    }
    summary_sentence(report, &sentence);
    text_add(&text, "::notice title=Lockpick::");
    add_as(&text, text_string(&sentence), github_words);
    fprintf(out, "%s\n", text.bytes);
    cases_free(&cases);
}
