// alarms: whether a run of sound schemes blamed one, and why others could not be judged.
#include "harness/base/growing.h"
#include "harness/cli/verb.h"
#include "harness/detection/result.h"

#include <ctype.h>
#include <stdlib.h>

extern const struct verb alarms_verb;

#define REASON_ROOM 160

// A reason, with the numbers in it taken out, so that like ones are counted together.
struct reason {
    char text[REASON_ROOM];
    size_t count;
};

struct counts {
    size_t trials, safe, unknown, not_run, alarms, errors;
    struct reason *reasons;
    size_t reason_count, reason_room;
};

static void simplify(const char *reason, char out[REASON_ROOM])
{
    size_t length = 0;
    for (const char *next = reason; *next != '\0' && length < REASON_ROOM - 1; next++) {
        bool is_digit =
            isdigit((unsigned char)*next) || (*next == '.' && isdigit((unsigned char)next[1]));
        if (!is_digit)
            out[length++] = *next;
        else if (length == 0 || out[length - 1] != '#')
            out[length++] = '#';
    }
    out[length] = '\0';
}

static void count_reason(struct counts *counts, const char *reason)
{
    char text[REASON_ROOM];
    simplify(reason, text);
    for (size_t i = 0; i < counts->reason_count; i++) {
        if (strcmp(counts->reasons[i].text, text) == 0) {
            counts->reasons[i].count++;
            return;
        }
    }
    struct reason *last = APPEND(counts->reasons, counts->reason_count, counts->reason_room);
    memcpy(last->text, text, sizeof text);
    last->count = 1;
}

static void count_trial(struct counts *counts, const json_t *trial)
{
    const char *verdict = text_of(trial, "verdict");
    bool is_alarm = strcmp(verdict, "UNSAFE") == 0 || strcmp(verdict, "STUCK") == 0;
    bool is_error = strcmp(verdict, "ERROR") == 0;
    counts->trials++;
    counts->alarms += is_alarm;
    counts->errors += is_error;
    if (strcmp(verdict, "SAFE") == 0) {
        counts->safe++;
    } else if (strcmp(verdict, "UNKNOWN") == 0) {
        counts->unknown++;
        count_reason(counts, text_of(trial, "reason"));
    } else if (is_alarm || is_error) {
        printf("%s %s %s %s: %s\n", is_alarm ? "ALARM" : "ERROR",
               text_of(json_object_get(trial, "scenario"), "path"), text_of(trial, "name"), verdict,
               text_of(trial, "reason"));
    } else {
        counts->not_run++;
    }
}

static int compare_counts(const void *left, const void *right)
{
    const struct reason *a = left;
    const struct reason *b = right;
    return (a->count < b->count) - (a->count > b->count);
}

static void print_counts(struct counts *counts)
{
    printf("%zu trials: %zu SAFE, %zu UNKNOWN, %zu not run, %zu errors, %zu alarms (%s)\n",
           counts->trials, counts->safe, counts->unknown, counts->not_run, counts->errors,
           counts->alarms, "UNSAFE or STUCK");
    if (counts->reason_count > 0)
        qsort(counts->reasons, counts->reason_count, sizeof *counts->reasons, compare_counts);
    for (size_t i = 0; i < counts->reason_count; i++)
        printf("%6zu UNKNOWN: %s\n", counts->reasons[i].count, counts->reasons[i].text);
}

static int run(const struct words *words, void *options)
{
    (void)options;
    struct counts counts = {0};
    struct error error;
    if (words->count != 1)
        return usage_error(&alarms_verb, "which result?");
    json_t *root = result_load(words->items[0], &error);
    if (root == NULL)
        return verb_fails(&alarms_verb, EXIT_USAGE, "%s", error.text);
    size_t index;
    const json_t *trial;
    json_array_foreach(json_object_get(root, "trials"), index, trial)
    {
        count_trial(&counts, trial);
    }
    print_counts(&counts);
    json_decref(root);
    free(counts.reasons);
    return counts.alarms > 0 ? EXIT_MISSED : EXIT_AS_EXPECTED;
}

const struct verb alarms_verb = {
    .name = "alarms",
    .arguments = "RESULT.json",
    .summary = "Tells whether sound schemes were blamed in this run",
    .run = run,
};
