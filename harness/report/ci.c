#include "harness/report/ci.h"

#include "harness/base/utf8.h"
#include "harness/report/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// --- cases ---------------------------------------------------------------------------------------

// In the order of exit codes: a missed expectation comes before all else.
enum case_kind { CASE_PASSED, CASE_FAILED, CASE_BROKE, CASE_SKIPPED, CASE_KINDS };

struct ci_case {
    const struct trial_result *result;       // of a trial; NULL:
    const struct threshold_outcome *outcome; // of a threshold
    const struct trial *trial;               // the threshold's first
    enum case_kind kind;
    int line;         // of the scenario's file, that says what is expected; or 1 if none does
    struct text name; // its scheme, and which of its repeats
    struct text why;  // of a threshold: its sentence
};

struct ci_cases {
    struct ci_case *items; // the trials, and then the thresholds
    size_t count;
};

static enum case_kind kind_of(const struct trial_result *result)
{
    enum verdict verdict = result->judgement.verdict;
    bool is_open = verdict == VERDICT_UNKNOWN && result->trial->expectation != NULL;
    if (result->judgement.expectation == EXPECTATION_MISSED || is_open)
        return CASE_FAILED;
    return verdict <= VERDICT_STUCK   ? CASE_PASSED
           : verdict == VERDICT_ERROR ? CASE_BROKE
                                      : CASE_SKIPPED;
}

static struct ci_cases cases_of(const struct run_report *report)
{
    const struct run_result *run = report->run;
    const struct threshold_outcomes *outcomes = &report->thresholds;
    struct ci_cases cases = {
        .items = memory_zeroed(run->count + outcomes->count + 1, sizeof *cases.items)};
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        const struct expectation *expectation = result->trial->expectation;
        struct ci_case *each = &cases.items[cases.count++];
        *each = (struct ci_case){.result = result,
                                 .trial = result->trial,
                                 .kind = kind_of(result),
                                 .line = expectation != NULL ? expectation->place.line : 0};
        scheme_text(result->trial, &each->name);
    }
    for (size_t i = 0; i < outcomes->count; i++) {
        const struct threshold_outcome *outcome = &outcomes->items[i];
        struct ci_case *each = &cases.items[cases.count++];
        *each =
            (struct ci_case){.outcome = outcome,
                             .trial = outcome->trial,
                             .kind = outcome->result == THRESHOLD_MET ? CASE_PASSED : CASE_FAILED,
                             .line = outcome->threshold->place.line};
        text_add(&each->name, outcome->trial->scheme);
        threshold_sentence(outcome, &each->why);
    }
    for (size_t i = 0; i < cases.count; i++)
        cases.items[i].line = cases.items[i].line > 0 ? cases.items[i].line : 1;
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

// --- text inside XML 1.0 -------------------------------------------------------------------------

// The production "Char" of XML 1.0 (section 2.2); surrogates were refused before.
static bool is_allowed(uint32_t character)
{
    if (character < 0x20)
        return character == '\t' || character == '\n' || character == '\r';
    return character != 0xfffe && character != 0xffff;
}

// What stands for the character, or NULL if it stands for itself. A parser would turn a bare CR
// into LF, and tabs and line ends inside of quotes into spaces.
static const char *reference_of(uint32_t character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

static void xml_add_escaped(struct text *out, const char *string, bool quoted)
{
    size_t length = 0;
    for (const char *c = string != NULL ? string : ""; *c != '\0'; c += length) {
        uint32_t character = 0;
        length = utf8_decode(c, &character);
        if (length == 0) {
            text_add(out, "?");
            length = 1;
        } else if (quoted && (character == '\t' || character == '\n')) {
            text_format(out, "&#%u;", (unsigned)character);
        } else if (reference_of(character) != NULL) {
            text_add(out, reference_of(character));
        } else if (is_allowed(character)) {
            text_add_bytes(out, c, length);
        }
    }
}

// Adds `string` (NULL is ""), whatever bytes it has, so that it can stand between two tags, and a
// parser gives it back as it was. Left out are the characters that XML 1.0 has no way to write; a
// byte that is no UTF-8 becomes '?', as in result.json.
static void xml_add(struct text *out, const char *string)
{
    xml_add_escaped(out, string, false);
}

// Adds ` name="value"`, escaped.
static void xml_add_attribute(struct text *out, const char *name, const char *value)
{
    text_format(out, " %s=\"", name);
    xml_add_escaped(out, value, true);
    text_add(out, "\"");
}

// --- junit.xml -----------------------------------------------------------------------------------

// In seconds, with a point whatever the locale.
static void add_time(struct text *out, int64_t time_ns)
{
    int64_t time_ms = time_ns > 0 ? (time_ns + NS_PER_MS / 2) / NS_PER_MS : 0;
    text_format(out, " time=\"%" PRId64 ".%03" PRId64 "\"", time_ms / 1000, time_ms % 1000);
}

// Of the cases of one scenario, or of all (NULL), and of trials that were not run. Returns how long
// they took.
static int64_t add_counts(struct text *out, const struct ci_cases *cases,
                          const struct scenario *scenario, size_t not_run)
{
    size_t counts[CASE_KINDS] = {[CASE_BROKE] = not_run > 0};
    size_t all = not_run > 0;
    int64_t time_ns = 0;
    for (size_t i = 0; i < cases->count; i++) {
        const struct ci_case *each = &cases->items[i];
        if (scenario != NULL && each->trial->scenario != scenario)
            continue;
        counts[each->kind]++;
        all++;
        time_ns += each->result != NULL ? each->result->statistics.duration_ns : 0;
    }
    text_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", all,
                counts[CASE_FAILED], counts[CASE_BROKE], counts[CASE_SKIPPED]);
    return time_ns;
}

// What was expected and what came, in one line.
static void add_message(struct text *out, const struct ci_case *each)
{
    struct text message = {0};
    if (each->result == NULL) {
        text_add(&message, text_string(&each->why));
    } else {
        const struct judgement *judgement = &each->result->judgement;
        if (each->kind == CASE_FAILED)
            text_add(&message, judgement->expectation_text);
        if (each->kind != CASE_FAILED || judgement->verdict > VERDICT_STUCK || message.length == 0)
            text_format(&message, "%s%s", message.length > 0 ? ": " : "", judgement->reason);
    }
    xml_add_attribute(out, "message", text_string(&message));
    text_free(&message);
}

static void add_outcome(struct text *out, const struct ci_case *each)
{
    static const char *const tags[] = {
        [CASE_FAILED] = "failure", [CASE_BROKE] = "error", [CASE_SKIPPED] = "skipped"};
    const struct trial_result *result = each->result;
    text_format(out, "      <%s", tags[each->kind]);
    // Some readers refuse a skipped element that has more than a message.
    if (each->kind != CASE_SKIPPED)
        xml_add_attribute(out, "type",
                          result != NULL ? verdict_name(result->judgement.verdict) : "threshold");
    add_message(out, each);
    if (each->kind == CASE_SKIPPED || result == NULL) {
        text_add(out, "/>\n");
        return;
    }
    text_add(out, ">");
    xml_add(out, result->judgement.reason);
    text_add(out, "\n");
    xml_add(out, result->story);
    if (result->folder != NULL) {
        text_add(out, "files: ");
        xml_add(out, result->folder);
        text_add(out, "\n");
    }
    text_format(out, "</%s>\n", tags[each->kind]);
}

static void add_case(struct text *out, const struct ci_case *each)
{
    struct text name = {0};
    text_format(&name, "%s%s%s", text_string(&each->name), each->outcome != NULL ? ": " : "",
                each->outcome != NULL ? each->outcome->threshold->limit.text : "");
    text_add(out, "    <testcase");
    xml_add_attribute(out, "classname", each->trial->scenario->name);
    xml_add_attribute(out, "name", name.bytes);
    xml_add_attribute(out, "file", each->trial->scenario->path);
    text_format(out, " line=\"%d\"", each->line);
    add_time(out, each->result != NULL ? each->result->statistics.duration_ns : 0);
    text_free(&name);
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
        xml_add_attribute(out, "name", properties[i][0]);
        xml_add_attribute(out, "value", properties[i][1]);
        text_add(out, "/>\n");
    }
    text_add(out, "    </properties>\n");
}

static void add_suite(struct text *out, const struct run_result *run, const struct ci_cases *cases,
                      const struct scenario *scenario)
{
    text_add(out, "  <testsuite");
    xml_add_attribute(out, "name", scenario->name);
    xml_add_attribute(out, "file", scenario->path);
    add_time(out, add_counts(out, cases, scenario, 0));
    // The schema's type is a time without a zone.
    char began[sizeof run->environment.began];
    snprintf(began, sizeof began, "%.19s", run->environment.began);
    if (began[0] != '\0')
        xml_add_attribute(out, "timestamp", began);
    text_add(out, ">\n");
    add_properties(out, run);
    for (size_t i = 0; i < cases->count; i++) {
        if (cases->items[i].trial->scenario == scenario)
            add_case(out, &cases->items[i]);
    }
    text_add(out, "  </testsuite>\n");
}

// A suite without trials that a run had no time for would look as if all was well.
static void add_not_run(struct text *out, const struct run_report *report)
{
    text_add(out, "  <testsuite name=\"not run\" tests=\"1\" failures=\"0\" errors=\"1\" "
                  "skipped=\"0\" time=\"0.000\">\n");
    add_properties(out, report->run);
    text_format(out,
                "    <testcase classname=\"lockpick\" name=\"not run\" time=\"0.000\">\n"
                "      <error type=\"not-run\" message=\"%zu of %zu trials were not run: the run "
                "ended before\"/>\n    </testcase>\n  </testsuite>\n",
                report->tally.not_run, report->run->planned);
}

char *report_junit(const struct run_report *report)
{
    const struct run_result *run = report->run;
    struct ci_cases cases = cases_of(report);
    struct text out = {0};
    text_add(&out, JUNIT_BEGINS);
    (void)add_counts(&out, &cases, NULL, report->tally.not_run);
    add_time(&out, run->duration_ns);
    text_add(&out, ">\n");
    for (size_t i = 0; i < run->count; i++) {
        const struct scenario *scenario = run->trials[i].trial->scenario;
        size_t first = 0;
        while (run->trials[first].trial->scenario != scenario)
            first++;
        if (first == i)
            add_suite(&out, run, &cases, scenario);
    }
    if (report->tally.not_run > 0)
        add_not_run(&out, report);
    text_add(&out, "</testsuites>\n");
    cases_free(&cases);
    return out.bytes;
}

// --- TAP -----------------------------------------------------------------------------------------

// On the line of a test, where '#' begins a directive. A byte that is no UTF-8 becomes '?'.
static void add_words(struct text *out, const char *words)
{
    size_t length = 0;
    for (const char *at = words != NULL ? words : ""; *at != '\0'; at += length) {
        uint32_t character = 0;
        length = utf8_decode(at, &character);
        if (character == '#' || character == '\\')
            text_add(out, "\\");
        if (length == 0)
            text_add(out, "?");
        else if (character < 0x20 || character == 0x7f)
            text_add(out, " ");
        else
            text_add_bytes(out, at, length);
        length += length == 0;
    }
}

// What YAML 1.2 (section 5.1, "c-printable") takes as it is.
static bool is_printable(uint32_t character)
{
    return (character >= 0x20 && character < 0x7f) || character == 0x85 ||
           (character >= 0xa0 && character != 0xfffe && character != 0xffff);
}

// In double quotes, `length` bytes of it. A byte that is no UTF-8 is escaped as the character of
// that number.
static void add_quoted(struct text *out, const char *string, size_t length)
{
    size_t size = 0;
    text_add(out, "\"");
    for (size_t i = 0; i < length; i += size) {
        uint32_t character = (unsigned char)string[i];
        uint32_t decoded;
        size = utf8_decode(string + i, &decoded);
        if (size > 0)
            character = decoded;
        if (character == '"' || character == '\\')
            text_format(out, "\\%c", (int)character);
        else if (character == '\n')
            text_add(out, "\\n");
        else if (size > 0 && is_printable(character))
            text_add_bytes(out, string + i, size);
        else
            text_format(out, character <= 0xff ? "\\x%02x" : "\\u%04x", (unsigned)character);
        size += size == 0;
    }
    text_add(out, "\"\n");
}

static void add_key(struct text *out, const char *key, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    text_format(out, "  %s: ", key);
    add_quoted(out, value, strlen(value));
}

// A line of the list for each line of the story.
static void add_story(struct text *out, const char *story)
{
    if (story == NULL || story[0] == '\0')
        return;
    text_add(out, "  story:\n");
    for (size_t length; *story != '\0'; story += length + (story[length] == '\n')) {
        length = strcspn(story, "\n");
        if (length == 0)
            continue;
        text_add(out, "    - ");
        add_quoted(out, story, length);
    }
}

static void add_diagnosis(struct text *out, const struct ci_case *each)
{
    const struct trial_result *result = each->result;
    text_add(out, "  ---\n");
    if (result != NULL) {
        add_key(out, "verdict", verdict_name(result->judgement.verdict));
        add_key(out, "expected", result->judgement.expectation_text);
        add_key(out, "reason", result->judgement.reason);
    } else {
        add_key(out, "threshold", text_string(&each->why));
    }
    add_key(out, "file", each->trial->scenario->path);
    text_format(out, "  line: %d\n", each->line);
    if (result != NULL) {
        text_format(out, "  seed: \"%" PRIu64 "\"\n", each->trial->seed);
        add_story(out, result->story);
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
    add_words(&out, run->folder);
    text_format(&out, ", seed %" PRIu64 "\n", run->seed);
    for (size_t i = 0; i < cases.count; i++) {
        const struct ci_case *each = &cases.items[i];
        bool is_ok = each->kind == CASE_PASSED || each->kind == CASE_SKIPPED;
        text_format(&out, "%sok %zu - ", is_ok ? "" : "not ", i + 1);
        add_words(&out, each->trial->scenario->name);
        text_add(&out, " ");
        add_words(&out, text_string(&each->name));
        text_add(&out, each->outcome != NULL ? " " : "");
        add_words(&out, each->outcome != NULL ? each->outcome->threshold->limit.text : "");
        if (each->kind == CASE_SKIPPED) {
            text_format(&out, " # SKIP %s: ", verdict_name(each->result->judgement.verdict));
            add_words(&out, each->result->judgement.reason);
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

// Values of properties end at a comma or a colon too.
static void print_escaped(FILE *out, const char *text, bool in_property)
{
    for (; *text != '\0'; text++) {
        if (strchr("%\r\n", *text) != NULL || (in_property && strchr(":,", *text) != NULL))
            fprintf(out, "%%%02X", (unsigned)*text);
        else
            fputc(*text, out);
    }
}

// `::error file=pause.yaml,line=12,title=pause%3A none::message`.
static void annotate(FILE *out, bool is_error, const struct ci_case *each, const char *message)
{
    struct text title = {0};
    text_format(&title, "%s: %s", each->trial->scenario->name, text_string(&each->name));
    fprintf(out, "::%s file=", is_error ? "error" : "warning");
    print_escaped(out, each->trial->scenario->path, true);
    fprintf(out, ",line=%d,title=", each->line);
    print_escaped(out, title.bytes, true);
    fputs("::", out);
    print_escaped(out, message, false);
    fputc('\n', out);
    text_free(&title);
}

static bool is_error(const struct ci_case *each)
{
    return each->result->judgement.expectation == EXPECTATION_MISSED || each->kind == CASE_BROKE;
}

static bool is_warning(const struct ci_case *each)
{
    return !is_error(each) && each->result->judgement.verdict == VERDICT_UNKNOWN &&
           !trial_is_measurement(each->result);
}

static bool is_skipped(const struct ci_case *each)
{
    return each->result != NULL && !is_error(each) &&
           each->result->judgement.verdict == VERDICT_SKIPPED;
}

static void annotate_trial(FILE *out, bool as_error, const struct ci_case *each)
{
    const struct judgement *judgement = &each->result->judgement;
    struct text message = {0};
    if (judgement->expectation_text[0] != '\0')
        text_format(&message, "%s\n", judgement->expectation_text);
    text_add(&message, judgement->reason);
    if (each->result->folder != NULL)
        text_format(&message, "\nfiles: %s", each->result->folder);
    annotate(out, as_error, each, text_string(&message));
    text_free(&message);
}

// One for each reason, at the first trial that has it: GitHub shows ten annotations of a kind for
// each step.
static void annotate_skipped(FILE *out, const struct ci_cases *cases, bool is_strict)
{
    for (size_t i = 0; i < cases->count; i++) {
        const struct ci_case *first = &cases->items[i];
        struct text message = {0};
        size_t before = 0;
        size_t all = 0;
        for (size_t j = 0; is_skipped(first) && j < cases->count; j++) {
            bool same =
                is_skipped(&cases->items[j]) && strcmp(cases->items[j].result->judgement.reason,
                                                       first->result->judgement.reason) == 0;
            before += same && j < i;
            all += same;
        }
        if (all == 0 || before > 0)
            continue;
        text_format(&message, "%zu trial%s skipped: %s", all, all == 1 ? "" : "s",
                    first->result->judgement.reason);
        annotate(out, is_strict, first, message.bytes);
        text_free(&message);
    }
}

// What fails, and then what is open: of trials, and then of thresholds.
static void annotate_all(FILE *out, const struct ci_cases *cases, bool is_strict)
{
    for (int as_error = 1; as_error >= 0; as_error--) {
        for (size_t i = 0; i < cases->count; i++) {
            const struct ci_case *each = &cases->items[i];
            if (each->result != NULL && (as_error ? is_error(each) : is_warning(each)))
                annotate_trial(out, as_error, each);
        }
    }
    annotate_skipped(out, cases, is_strict);
    for (int as_error = 1; as_error >= 0; as_error--) {
        for (size_t i = 0; i < cases->count; i++) {
            const struct ci_case *each = &cases->items[i];
            if (each->outcome != NULL &&
                each->outcome->result == (as_error ? THRESHOLD_MISSED : THRESHOLD_NOT_MEASURED))
                annotate(out, as_error, each, text_string(&each->why));
        }
    }
}

// Prints what is no command so that the runner takes no line of it for one: it looks for "::" where
// a line begins, blanks or not, and for "##[" anywhere.
static void print_plain(FILE *out, const char *text)
{
    bool at_start = true;
    for (; *text != '\0'; text++) {
        if (at_start && strncmp(text, "::", 2) == 0)
            fputs("| ", out);
        fputc(*text, out);
        if (strncmp(text, "##[", 3) == 0)
            fputc(' ', out);
        at_start = *text == '\n' || *text == '\r' || (at_start && strchr(" \t\v\f", *text) != NULL);
    }
    if (!at_start)
        fputc('\n', out);
}

static void print_story(FILE *out, const struct ci_case *each)
{
    fprintf(out, "::group::%s ", verdict_name(each->result->judgement.verdict));
    print_escaped(out, each->trial->scenario->name, false);
    fputs(": ", out);
    print_escaped(out, text_string(&each->name), false);
    fputc('\n', out);
    print_plain(out, each->result->judgement.reason);
    print_plain(out, each->result->story);
    fputs("::endgroup::\n", out);
}

void report_github(const struct run_report *report, FILE *out)
{
    struct ci_cases cases = cases_of(report);
    struct text sentence = {0};
    annotate_all(out, &cases, report->run->strict);
    for (size_t i = 0; i < report->run->count; i++) {
        const char *story = report->run->trials[i].story;
        if (story != NULL && story[0] != '\0')
            print_story(out, &cases.items[i]);
    }
    summary_sentence(report, &sentence);
    fputs("::notice title=Lockpick::", out);
    print_escaped(out, text_string(&sentence), false);
    fputc('\n', out);
    text_free(&sentence);
    cases_free(&cases);
}

// Below the MiB that GitHub takes.
#define MOST_BYTES (1000 * 1000)

char *report_github_summary(const struct run_report *report)
{
    return report_markdown_within(report, MOST_BYTES);
}
