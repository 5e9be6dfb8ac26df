#include "harness/report/tap.h"

#include "harness/base/utf8.h"
#include "harness/report/junit.h"
#include "harness/report/summary.h"
#include "harness/report/thresholds.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// --- text ----------------------------------------------------------------------------------------

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
    text_add(out, "\"");
}

static void add_key(struct text *out, const char *key, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    text_format(out, "  %s: ", key);
    add_quoted(out, value, strlen(value));
    text_add(out, "\n");
}

// --- trials --------------------------------------------------------------------------------------

// A line of the list for each line of the story.
static void add_story(struct text *out, const char *story)
{
    if (story == NULL || story[0] == '\0')
        return;
    text_add(out, "  story:\n");
    while (*story != '\0') {
        size_t length = strcspn(story, "\n");
        if (length > 0) {
            text_add(out, "    - ");
            add_quoted(out, story, length);
            text_add(out, "\n");
        }
        story += length + (story[length] == '\n');
    }
}

static void add_diagnosis(struct text *out, const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    text_add(out, "  ---\n");
    add_key(out, "verdict", verdict_name(judgement->verdict));
    add_key(out, "expected", judgement->expectation_text);
    add_key(out, "reason", judgement->reason);
    add_key(out, "file", result->trial->scenario->path);
    text_format(out, "  line: %d\n  seed: \"%" PRIu64 "\"\n", trial_line(result->trial),
                result->trial->seed);
    add_story(out, result->story);
    add_key(out, "folder", result->folder);
    text_add(out, "  ...\n");
}

static void add_trial(struct text *out, const struct trial_result *result, size_t number)
{
    enum case_kind kind = case_kind_of(result);
    bool is_ok = kind == CASE_PASSED || kind == CASE_SKIPPED;
    struct text scheme = {0};
    scheme_text(result->trial, &scheme);
    text_format(out, "%sok %zu - ", is_ok ? "" : "not ", number);
    add_words(out, result->trial->scenario->name);
    text_add(out, " ");
    add_words(out, text_string(&scheme));
    if (kind == CASE_SKIPPED) {
        text_format(out, " # SKIP %s: ", verdict_name(result->judgement.verdict));
        add_words(out, result->judgement.reason);
    }
    text_add(out, "\n");
    if (!is_ok)
        add_diagnosis(out, result);
    text_free(&scheme);
}

// --- thresholds ----------------------------------------------------------------------------------

// What could not be measured did not pass.
static void add_threshold(struct text *out, const struct threshold_outcome *outcome, size_t number)
{
    bool is_ok = outcome->result == THRESHOLD_MET;
    const struct scenario *scenario = outcome->trial->scenario;
    struct text sentence = {0};
    threshold_sentence(outcome, &sentence);
    text_format(out, "%sok %zu - ", is_ok ? "" : "not ", number);
    add_words(out, scenario->name);
    text_add(out, " ");
    add_words(out, outcome->trial->scheme);
    text_add(out, " ");
    add_words(out, outcome->threshold->limit.text);
    text_add(out, "\n");
    if (!is_ok) {
        text_add(out, "  ---\n");
        add_key(out, "threshold", text_string(&sentence));
        add_key(out, "file", scenario->path);
        text_format(out, "  line: %d\n  ...\n", outcome->threshold->place.line);
    }
    text_free(&sentence);
}

char *report_tap(const struct run_report *report)
{
    const struct run_result *run = report->run;
    const struct threshold_outcomes *outcomes = &report->thresholds;
    struct text out = {0};
    size_t missing = run->planned > run->count ? run->planned - run->count : 0;
    size_t count = run->count + missing + outcomes->count;
    text_format(&out, "TAP version 13\n1..%zu%s\n", count,
                count == 0 ? " # SKIP no trial finished" : "");
    text_add(&out, "# ");
    add_words(&out, run->folder);
    text_format(&out, ", seed %" PRIu64 "\n", run->seed);
    for (size_t i = 0; i < run->count; i++)
        add_trial(&out, &run->trials[i], i + 1);
    for (size_t i = 0; i < outcomes->count; i++)
        add_threshold(&out, &outcomes->items[i], run->count + i + 1);
    if (missing > 0)
        text_format(&out, "Bail out! %zu of %zu trials were not run: the run ended before\n",
                    missing, run->planned);
    return out.bytes;
}
