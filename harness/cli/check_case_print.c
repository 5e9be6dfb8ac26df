// A decided history for people.
#include "harness/base/rank.h"
#include "harness/base/table.h"
#include "harness/base/text.h"
#include "harness/cli/check_case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_verdict(const struct check_case *result, bool coloured)
{
    const struct model_options *options = &result->model_options;
    size_t violations =
        result->verdict == CASE_NOT_LINEARIZABLE ? result->decision.violation_count : 0;
    char lease[40];
    switch (result->verdict) {
    case CASE_LINEARIZABLE:
        colour_print(stdout, coloured, COLOUR_GREEN, "LINEARIZABLE");
        break;
    case CASE_NOT_LINEARIZABLE:
        colour_print(stdout, coloured, COLOUR_RED, "NOT LINEARIZABLE");
        break;
    case CASE_UNDECIDED:
        colour_print(stdout, coloured, COLOUR_YELLOW, "UNDECIDED");
        break;
    }
    printf("  %s · %s", result->name, result->options->model->name);
    if (options->permits > 0)
        printf(" of %" PRId64 " permit%s", options->permits, options->permits == 1 ? "" : "s");
    if (options->depth_limit > 0)
        printf(" to a depth of %" PRId64, options->depth_limit);
    if (options->lease_ns > 0)
        printf(" with a lease of %s", text_duration(options->lease_ns, lease, sizeof lease));
    if (violations > 0)
        printf(": %zu violation%s", violations, violations == 1 ? "" : "s");
    puts("");
}

// --- the evidence --------------------------------------------------------------------------------

static uint32_t line_at(const struct operations *operations, int64_t instant)
{
    int64_t moment = moment_of(instant);
    bool known = instant != INSTANT_NEVER && operations->events != NULL && moment >= 1 &&
                 moment <= (int64_t)operations->event_count;
    return known ? operations->events[moment - 1].line : 0;
}

static int compare_lines(const void *left, const void *right)
{
    const uint32_t *a = left;
    const uint32_t *b = right;
    return (*a > *b) - (*a < *b);
}

// The lines of the file, in their order, each once.
static void print_lines(const struct check_case *result)
{
    uint32_t lines[2 * MODEL_EVIDENCE];
    size_t count = 0;
    char text[256];
    for (int i = 0; i < MODEL_EVIDENCE; i++) {
        size_t index = result->decision.first.operations[i];
        if (index == SIZE_MAX)
            continue;
        const struct operation *operation = &result->operations.items[index];
        lines[count++] = line_at(&result->operations, operation->invoked);
        lines[count++] = line_at(&result->operations, operation->returned);
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++) {
        if (lines[i] == 0 || (i > 0 && lines[i] == lines[i - 1]))
            continue;
        printf("  %8u  %s\n", lines[i], source_line(&result->source, lines[i], text, sizeof text));
    }
}

static const char *outcome_word(const struct operation *operation)
{
    return operation->outcome == OUTCOME_OK   ? "ok"
           : operation->outcome == OUTCOME_NO ? "refused"
                                              : "unknown";
}

static void print_operation(const struct operations *operations, const struct operation *operation)
{
    char who[OPERATION_TEXT_ROOM];
    char from[OPERATION_TEXT_ROOM];
    char to[OPERATION_TEXT_ROOM];
    printf("    %s: %s%s, asked at %s, answered at %s: %s",
           operation_process(operations, operation->process, who),
           operation->kind == OPERATION_ACQUIRE ? "acquire" : "release",
           operation->shared ? " as a reader" : "",
           operation_place(operations, operation->invoked, from),
           operation_place(operations, operation->returned, to), outcome_word(operation));
    if (operation->token != 0)
        printf(", token %" PRId64, operation->token);
    puts("");
}

static void print_evidence(const struct check_case *result)
{
    printf("  %s.\n\n", result->story);
    for (int i = 0; i < MODEL_EVIDENCE && result->operations.events == NULL; i++) {
        size_t index = result->decision.first.operations[i];
        if (index != SIZE_MAX)
            print_operation(&result->operations, &result->operations.items[index]);
    }
    if (result->operations.events != NULL)
        print_lines(result);
    puts("");
}

static void print_picture(const struct check_case *result)
{
    if (result->options->picture == NULL)
        return;
    if (result->verdict == CASE_NOT_LINEARIZABLE)
        printf("  picture: %s\n", result->options->picture);
    else
        puts("  picture: none, as there is no violation to draw");
}

// --- numbers -------------------------------------------------------------------------------------

static void print_windows(const struct model_decision *decision)
{
    static const unsigned permille[] = {0, 500, 900, 990, 1000};
    char words[5][40];
    if (decision->window_count == 0)
        return;
    for (int i = 0; i < 5; i++)
        text_duration(
            percentile_of_sorted(decision->windows_ns, decision->window_count, permille[i]),
            words[i], sizeof words[i]);
    printf("  overlaps of known length: %zu; shortest %s, median %s, 90 %% %s, 99 %% %s, longest "
           "%s\n",
           decision->window_count, words[0], words[1], words[2], words[3], words[4]);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_counts(const struct check_case *result)
{
    const struct operations *operations = &result->operations;
    if (operations->count == 0) {
        puts("  no operation on a lock");
        return;
    }
    printf("  %zu operation%s of %u process%s on %u lock%s: %zu granted, %zu of unknown outcome\n",
           operations->count, plural(operations->count), operations->process_count,
           operations->process_count == 1 ? "" : "es", operations->name_count,
           plural(operations->name_count), result->granted, result->decision.unknown_count);
}

static void print_passed_over(size_t count, const char *what)
{
    if (count > 0)
        printf("  passed over: %zu %s\n", count, what);
}

// How another tool's history was understood, where it could have been otherwise.
static void print_notes(const struct check_case *result)
{
    const struct import_notes *notes = &result->notes;
    char back[40];
    print_passed_over(notes->nemesis, "of the nemesis");
    print_passed_over(notes->skipped, "by --f NAME=skip");
    print_passed_over(notes->renewals, "of leases (renew), as there is no --lease");
    print_passed_over(notes->tokens, "tokens of acquires, which this model has not");
    if (notes->was_sorted)
        puts("  in the order of index, which is not that of the lines");
    if (notes->clock_line > 0)
        printf(
            "  time goes back, by up to %s, first at line %u: it decides nothing%s\n",
            text_duration(result->operations.clock_back_ns, back, sizeof back), notes->clock_line,
            result->model_options.lease_ns > 0 ? " but leases, which may be taken as shorter" : "");
    if (notes->continued > 0 && result->options->says_owner)
        printf("  %zu process%s went on for another after its :info: %s (--concurrency %" PRId64
               ")\n",
               notes->continued, notes->continued == 1 ? "" : "es",
               result->options->import.owner == OWNER_IS_CLIENT ? "the same client"
                                                                : "each is its own owner",
               notes->concurrency);
}

// By which error how many failed.
static void print_errors(const struct check_case *result)
{
    const struct operations *operations = &result->operations;
    size_t *counts = memory_zeroed(operations->error_count + 1, sizeof *counts);
    const char *before = "  failed by error: ";
    for (size_t i = 0; operations->error_count > 0 && i < operations->count; i++)
        counts[operations->items[i].error]++;
    for (size_t i = 0; i < operations->error_count; i++) {
        if (counts[i + 1] == 0)
            continue;
        printf("%s%s %zu", before, operations->errors[i], counts[i + 1]);
        before = ", ";
    }
    if (before[0] == ',')
        puts("");
    free(counts);
}

static void print_failed_releases(const struct check_case *result)
{
    enum failed_release mapping = result->model_options.failed_release;
    const char *of_whom = result->options->says_failed_release ? ""
                          : result->is_own ? ", the default for Lockpick's own histories"
                                           : ", the default for other tools' histories";
    if (result->failed_releases > 0)
        printf("  %zu failed release%s: taken to mean that the lock %s "
               "(--map-failed-release %s%s)\n",
               result->failed_releases, result->failed_releases == 1 ? "" : "s",
               mapping == FAILED_RELEASE_HELD ? "is still held" : "is not held any more",
               failed_release_name(mapping), of_whom);
}

// Of the others, what differs from what was assumed.
static void print_other(const struct check_case *result, const struct other_mapping *other)
{
    const struct model_options *options = &result->model_options;
    printf("  with");
    if (other->options.failed_release != options->failed_release)
        printf(" --map-failed-release %s", failed_release_name(other->options.failed_release));
    if (other->options.failed_acquire != options->failed_acquire)
        printf(" --map-failed-acquire %s", failed_acquire_name(other->options.failed_acquire));
    if (other->linearizable)
        puts(" it would be linearizable");
    else
        printf(" it would not be linearizable, by %zu violation%s\n", other->violation_count,
               other->violation_count == 1 ? "" : "s");
}

static void print_mappings(const struct check_case *result)
{
    const struct model_options *options = &result->model_options;
    print_failed_releases(result);
    if (result->failed_acquires > 0)
        printf("  %zu failed acquire%s: taken to mean %s (--map-failed-acquire %s)\n",
               result->failed_acquires, result->failed_acquires == 1 ? "" : "s",
               options->failed_acquire == FAILED_ACQUIRE_BUSY ? "that the lock was taken"
                                                              : "nothing",
               failed_acquire_name(options->failed_acquire));
    bool same = true;
    for (size_t i = 0; i < result->other_count; i++) {
        const struct other_mapping *other = &result->others[i];
        if (other->linearizable == result->decision.linearizable &&
            other->violation_count == result->decision.violation_count)
            continue;
        same = false;
        print_other(result, other);
    }
    if (same && result->other_count > 0)
        puts("  the verdict does not depend on that");
}

void check_case_print(const struct check_case *result, bool coloured)
{
    print_verdict(result, coloured);
    if (result->verdict == CASE_UNDECIDED)
        printf("  %s.\n", result->reason);
    if (result->verdict == CASE_NOT_LINEARIZABLE)
        print_evidence(result);
    print_picture(result);
    print_windows(&result->decision);
    print_counts(result);
    print_notes(result);
    print_errors(result);
    print_mappings(result);
    if (result->verdict != CASE_UNDECIDED && result->condition.state != HISTORY_WHOLE)
        printf("  %s: there may be more\n", result->condition.text);
}
