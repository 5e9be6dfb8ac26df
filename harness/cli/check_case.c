#include "harness/cli/check_case.h"

#include "harness/base/file.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/base/table.h"
#include "harness/cli/verb.h"
#include "harness/history/file.h"
#include "harness/model/operations.h"
#include "harness/report/fields.h"
#include "harness/report/pictures/picture.h"
#include "harness/run/run_files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *const case_verdicts[] = {"linearizable", "not-linearizable", "undecided"};

// --- reading -------------------------------------------------------------------------------------

static int read_own(struct check_case *result)
{
    struct error error = {0};
    const struct source *source = &result->source;
    char path[64];
    int descriptor = -1;
    if (result->model_options.lease_ns > 0)
        return verb_fails(&check_verb, -1,
                          "%s: --lease: the leases of a trial are judged by its scenario: leave "
                          "--model out",
                          result->name);
    // What was unpacked becomes a file: histories are read by their paths.
    if (!source->is_mapped && source->length > 0) {
        descriptor = memfd_create("history", MFD_CLOEXEC);
        if (descriptor < 0 || bytes_write(descriptor, source->bytes, source->length) != 0)
            error_set(&error, "cannot unpack the history: %s", strerror(errno));
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    source_close(&result->source);
    if (error.text[0] == '\0')
        operations_from_history(descriptor >= 0 ? path : result->path, &result->operations,
                                &result->condition, &error);
    if (descriptor >= 0)
        close(descriptor);
    return error.text[0] == '\0' ? 0 : verb_fails(&check_verb, -1, "%s", error.text);
}

static int read_other(struct check_case *result, enum import_owner owner,
                      struct operations *operations, struct import_notes *notes)
{
    struct problems problems = {.file = result->name};
    const struct source *source = &result->source;
    struct import_options options = result->options->import;
    options.owner = owner;
    enum import_format format = import_format_of(result->path, source->bytes, source->length);
    int read = import_history(format, source->bytes, source->length, &options, operations, notes,
                              &problems);
    if (problems.text.length > 0)
        fputs(text_clean(problems.text.bytes), stderr);
    if (problems_suffice(&problems))
        fprintf(stderr, "%s: there may be more that is wrong: these are the first %d\n",
                result->name, PROBLEMS_MOST);
    text_free(&problems.text);
    for (size_t i = 0; read == 0 && i < operations->error_count; i++)
        text_clean(operations->errors[i]);
    return read;
}

// --- deciding ------------------------------------------------------------------------------------

static void count(struct check_case *result)
{
    for (size_t i = 0; i < result->operations.count; i++) {
        const struct operation *operation = &result->operations.items[i];
        bool is_acquire = operation->kind == OPERATION_ACQUIRE;
        result->granted += is_acquire && operation->outcome == OUTCOME_OK;
        bool by_option = operation->outcome == OUTCOME_NO && operation->claim == CLAIM_BY_OPTION;
        result->failed_acquires += is_acquire && by_option;
        result->failed_releases += !is_acquire && by_option;
        result->has_token |= operation->token != 0;
    }
}

static void doubt(struct check_case *result, const char *format, const char *why)
{
    result->verdict = CASE_UNDECIDED;
    snprintf(result->reason, sizeof result->reason, format, why);
    text_clean(result->reason);
}

static void conclude(struct check_case *result)
{
    const struct model_analysis *analysis = &result->analysis;
    const struct operations *operations = &result->operations;
    if (analysis->doubt != NULL) {
        doubt(result, "%s", analysis->doubt);
    } else if (!analysis->linearizable) {
        result->verdict = CASE_NOT_LINEARIZABLE;
        model_explain(result->options->model, operations, &result->model_options, &analysis->first,
                      result->story, sizeof result->story);
    } else if (result->condition.state != HISTORY_WHOLE) {
        doubt(result, "%s; what can be read of it is linearizable", result->condition.text);
    } else if (operations->count > 0 && result->granted == 0) {
        doubt(result, "%s",
              "it has no successful acquire: a lock that nobody is ever granted breaks no promise");
    } else if (operations->count > 0 && result->options->model->has_tokens && !result->has_token) {
        doubt(
            result, "%s",
            "no successful acquire carries a token (its value): whether they grow nobody can say. "
            "Ask whether it is a plain lock: --model mutex, or reentrant");
    }
    text_clean(result->story);
}

static int decide(const struct check_case *result, const struct model_options *options,
                  struct model_analysis *analysis)
{
    struct error error = {0};
    if (model_decide(result->options->model, &result->operations, options, analysis, &error) == 0)
        return 0;
    fprintf(stderr, "%s: %s\n", result->name, error.text);
    return -1;
}

// A violation that may be none if who goes on after an :info still is who it was: nobody said.
static void try_as_clients(struct check_case *result)
{
    struct operations operations = {0};
    struct import_notes notes;
    struct model_analysis analysis;
    AUTO_FREE char *question = NULL;
    if (result->verdict != CASE_NOT_LINEARIZABLE || result->options->says_owner ||
        result->notes.continued == 0 || !result->options->model->has_owners ||
        read_other(result, OWNER_IS_CLIENT, &operations, &notes) != 0)
        return;
    if (model_decide(result->options->model, &operations, &result->model_options, &analysis,
                     NULL) == 0 &&
        (analysis.linearizable || analysis.doubt != NULL)) {
        question = text_formatted(
            "if a process that ended with an :info owns nothing that its successor can "
            "release (--owner process), it is not linearizable: %s. If the two are one "
            "client (--owner client, --concurrency %lld), %s. Say which",
            result->story, (long long)notes.concurrency,
            analysis.doubt != NULL ? analysis.doubt : "it is linearizable");
        doubt(result, "%s", question);
    }
    model_analysis_free(&analysis);
    operations_free(&operations);
}

static void decide_otherwise(struct check_case *result, bool release, bool acquire)
{
    struct model_analysis analysis;
    struct model_options options = result->model_options;
    if ((release && (result->failed_releases == 0 || result->options->model->is_ownerless)) ||
        (acquire && (result->failed_acquires == 0 || !result->options->model->decides_busy ||
                     options.lease_ns > 0 || result->operations.owners != NULL)))
        return;
    if (release)
        options.failed_release = options.failed_release == FAILED_RELEASE_HELD
                                     ? FAILED_RELEASE_RELEASED
                                     : FAILED_RELEASE_HELD;
    if (acquire)
        options.failed_acquire = options.failed_acquire == FAILED_ACQUIRE_NOTHING
                                     ? FAILED_ACQUIRE_BUSY
                                     : FAILED_ACQUIRE_NOTHING;
    if (decide(result, &options, &analysis) != 0)
        return;
    result->others[result->other_count++] =
        (struct other_mapping){options, analysis.linearizable, analysis.violation_count};
    model_analysis_free(&analysis);
}

int check_case_make(const char *path, const struct check_options *options,
                    struct check_case *result)
{
    struct error error = {0};
    *result = (struct check_case){.path = path,
                                  .name = source_name(path),
                                  .options = options,
                                  .model_options = options->model_options};
    // A history of Lockpick's is known by its name, and then a plain file, or by its first bytes.
    const char *slash = strrchr(path, '/');
    result->is_own = strcmp(slash != NULL ? slash + 1 : path, "history.bin") == 0;
    if (!result->is_own && source_open(path, &result->source, &error) != 0)
        return verb_fails(&check_verb, -1, "%s", error.text);
    result->is_own |= result->source.length >= strlen(HISTORY_MAGIC) &&
                      memcmp(result->source.bytes, HISTORY_MAGIC, strlen(HISTORY_MAGIC)) == 0;
    // What Lockpick records as refused was "not yours" or "gone": the server's own word for it.
    if (result->is_own && !options->says_failed_release && !options->model->is_ownerless)
        result->model_options.failed_release = FAILED_RELEASE_RELEASED;
    if ((result->is_own ? read_own(result)
                        : read_other(result, options->import.owner, &result->operations,
                                     &result->notes)) != 0 ||
        decide(result, &result->model_options, &result->analysis) != 0)
        return -1;
    if (result->analysis.window_count > 0)
        sort_values(result->analysis.windows_ns, result->analysis.window_count);
    count(result);
    conclude(result);
    try_as_clients(result);
    for (unsigned which = 1; which <= 3; which++)
        decide_otherwise(result, which & 1, which & 2);
    if (options->picture == NULL || result->analysis.linearizable)
        return 0;
    const struct picture_subject subject = {.operations = &result->operations,
                                            .violation = &result->analysis.first,
                                            .explanation = result->story};
    if (output_check("--picture", options->picture, SVG_BEGINS, &error) != 0 ||
        picture_save(&model_picture, &subject, options->picture, &error) != 0)
        return verb_fails(&check_verb, -1, "%s", error.text);
    return 0;
}

void check_case_free(struct check_case *result)
{
    operations_free(&result->operations);
    model_analysis_free(&result->analysis);
    source_close(&result->source);
}

// --- for people ----------------------------------------------------------------------------------

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_verdict(const struct check_case *result, bool coloured)
{
    static const struct {
        enum colour colour;
        const char *words;
    } words[] = {[CASE_LINEARIZABLE] = {COLOUR_GREEN, "LINEARIZABLE"},
                 [CASE_NOT_LINEARIZABLE] = {COLOUR_RED, "NOT LINEARIZABLE"},
                 [CASE_UNDECIDED] = {COLOUR_YELLOW, "UNDECIDED"}};
    const struct model_options *options = &result->model_options;
    size_t violations = result->analysis.violation_count;
    char lease[40];
    colour_print(stdout, coloured, words[result->verdict].colour, words[result->verdict].words);
    printf("  %s · %s", result->name, result->options->model->name);
    if (options->permits > 0)
        printf(" of %" PRId64 " permit%s", options->permits, plural((size_t)options->permits));
    if (options->depth_limit > 0)
        printf(" to a depth of %" PRId64, options->depth_limit);
    if (options->lease_ns > 0)
        printf(" with a lease of %s", text_duration(options->lease_ns, lease, sizeof lease));
    if (result->verdict == CASE_NOT_LINEARIZABLE)
        printf(": %zu violation%s", violations, plural(violations));
    puts("");
}

static uint32_t line_at(const struct operations *operations, int64_t instant)
{
    int64_t moment = moment_of(instant);
    bool known = instant != INSTANT_NEVER && operations->events != NULL && moment >= 1 &&
                 moment <= (int64_t)operations->event_count;
    return known ? operations->events[moment - 1].line : 0;
}

// The lines of the file, in their order, each once.
static void print_lines(const struct check_case *result)
{
    int64_t lines[2 * MODEL_EVIDENCE];
    size_t count = 0;
    char text[256];
    for (int i = 0; i < MODEL_EVIDENCE; i++) {
        size_t index = result->analysis.first.operations[i];
        if (index == SIZE_MAX)
            continue;
        const struct operation *operation = &result->operations.items[index];
        lines[count++] = line_at(&result->operations, operation->invoked);
        lines[count++] = line_at(&result->operations, operation->returned);
    }
    sort_values(lines, count);
    for (size_t i = 0; i < count; i++) {
        if (lines[i] == 0 || (i > 0 && lines[i] == lines[i - 1]))
            continue;
        printf("  %8" PRId64 "  %s\n", lines[i],
               source_line(&result->source, (uint32_t)lines[i], text, sizeof text));
    }
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
           operation_place(operations, operation->returned, to),
           operation->outcome == OUTCOME_OK   ? "ok"
           : operation->outcome == OUTCOME_NO ? "refused"
                                              : "unknown");
    if (operation->token != 0)
        printf(", token %" PRId64, operation->token);
    puts("");
}

static void print_evidence(const struct check_case *result)
{
    printf("  %s.\n\n", result->story);
    for (int i = 0; i < MODEL_EVIDENCE && result->operations.events == NULL; i++) {
        size_t index = result->analysis.first.operations[i];
        if (index != SIZE_MAX)
            print_operation(&result->operations, &result->operations.items[index]);
    }
    if (result->operations.events != NULL)
        print_lines(result);
    puts("");
}

// Of overlaps: the shortest, the median, 90 %, 99 %, the longest.
static const unsigned window_permille[] = {0, 500, 900, 990, 1000};
#define RANKS (sizeof window_permille / sizeof *window_permille)

static int64_t window_at(const struct model_analysis *analysis, size_t rank)
{
    return percentile_of_sorted(analysis->windows_ns, analysis->window_count,
                                window_permille[rank]);
}

// How long holds overlapped, and what there was.
static void print_counts(const struct check_case *result)
{
    static const char *const names[RANKS] = {"shortest", "median", "90 %", "99 %", "longest"};
    const struct operations *operations = &result->operations;
    const struct model_analysis *analysis = &result->analysis;
    char length[40];
    if (analysis->window_count > 0)
        printf("  overlaps of known length: %zu", analysis->window_count);
    for (size_t i = 0; analysis->window_count > 0 && i < RANKS; i++)
        printf("%s %s %s%s", i == 0 ? ";" : ",", names[i],
               text_duration(window_at(analysis, i), length, sizeof length),
               i + 1 < RANKS ? "" : "\n");
    if (operations->count == 0) {
        puts("  no operation on a lock");
        return;
    }
    printf("  %zu operation%s of %u process%s on %u lock%s: %zu granted, %zu of unknown outcome\n",
           operations->count, plural(operations->count), operations->process_count,
           operations->process_count == 1 ? "" : "es", operations->name_count,
           plural(operations->name_count), result->granted, analysis->unknown_count);
}

// How another tool's history was understood, where it could have been otherwise.
static void print_notes(const struct check_case *result)
{
    const struct import_notes *notes = &result->notes;
    char back[40];
    const struct {
        size_t count;
        const char *what;
    } passed_over[] = {{notes->nemesis, "of the nemesis"},
                       {notes->skipped, "by --f NAME=skip"},
                       {notes->renewals, "of leases (renew), as there is no --lease"},
                       {notes->tokens, "tokens of acquires, which this model has not"}};
    for (size_t i = 0; i < sizeof passed_over / sizeof *passed_over; i++) {
        if (passed_over[i].count > 0)
            printf("  passed over: %zu %s\n", passed_over[i].count, passed_over[i].what);
    }
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

// By which error how many failed, and what that was taken to mean.
static void print_failures(const struct check_case *result)
{
    const struct operations *operations = &result->operations;
    const struct model_options *options = &result->model_options;
    AUTO_FREE size_t *counts = memory_zeroed(operations->error_count + 1, sizeof *counts);
    const char *before = "  failed by error: ";
    for (size_t i = 0; operations->error_count > 0 && i < operations->count; i++)
        counts[operations->items[i].error]++;
    for (size_t i = 0; i < operations->error_count; i++) {
        if (counts[i + 1] > 0) {
            printf("%s%s %zu", before, operations->errors[i], counts[i + 1]);
            before = ", ";
        }
    }
    if (before[0] == ',')
        puts("");
    const char *of_whom = result->options->says_failed_release ? ""
                          : result->is_own ? ", the default for Lockpick's own histories"
                                           : ", the default for other tools' histories";
    if (result->failed_releases > 0)
        printf("  %zu failed release%s: taken to mean that the lock %s (--map-failed-release "
               "%s%s)\n",
               result->failed_releases, plural(result->failed_releases),
               options->failed_release == FAILED_RELEASE_HELD ? "is still held"
                                                              : "is not held any more",
               failed_releases[options->failed_release], of_whom);
    if (result->failed_acquires > 0)
        printf("  %zu failed acquire%s: taken to mean %s (--map-failed-acquire %s)\n",
               result->failed_acquires, plural(result->failed_acquires),
               options->failed_acquire == FAILED_ACQUIRE_BUSY ? "that the lock was taken"
                                                              : "nothing",
               failed_acquires[options->failed_acquire]);
    // Of other ways to understand failures, what differs from what was assumed.
    bool same = true;
    for (size_t i = 0; i < result->other_count; i++) {
        const struct other_mapping *other = &result->others[i];
        if (other->linearizable != result->analysis.linearizable ||
            other->violation_count != result->analysis.violation_count) {
            same = false;
            printf("  with");
            if (other->options.failed_release != options->failed_release)
                printf(" --map-failed-release %s", failed_releases[other->options.failed_release]);
            if (other->options.failed_acquire != options->failed_acquire)
                printf(" --map-failed-acquire %s", failed_acquires[other->options.failed_acquire]);
            if (other->linearizable)
                puts(" it would be linearizable");
            else
                printf(" it would not be linearizable, by %zu violation%s\n",
                       other->violation_count, plural(other->violation_count));
        }
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
    if (result->options->picture != NULL)
        printf("  picture: %s\n", result->verdict == CASE_NOT_LINEARIZABLE
                                      ? result->options->picture
                                      : "none, as there is no violation to draw");
    print_counts(result);
    print_notes(result);
    print_failures(result);
    if (result->verdict != CASE_UNDECIDED && result->condition.state != HISTORY_WHOLE)
        printf("  %s: there may be more\n", result->condition.text);
}

// --- for machines --------------------------------------------------------------------------------

static json_t *place_json(const struct check_case *result, int64_t instant)
{
    const struct operations *operations = &result->operations;
    char text[256];
    if (instant == INSTANT_NEVER)
        return json_null();
    if (operations->events == NULL)
        return json_pack("{s:n, s:I, s:n}", "line", "time_ns",
                         (json_int_t)(moment_of(instant) - operations->zero_ns), "text");
    const struct operation_event *event = &operations->events[moment_of(instant) - 1];
    const char *line = source_line(&result->source, event->line, text, sizeof text);
    return json_pack("{s:I, s:o, s:o}", "line", (json_int_t)event->line, "time_ns",
                     value_integer(event->at_ns), "text", value_text(line));
}

static json_t *operation_json(const struct check_case *result, const struct operation *operation)
{
    static const char *const outcomes[] = {"ok", "fail", "info", "info"};
    const struct operations *all = &result->operations;
    char process[OPERATION_TEXT_ROOM];
    const char *name = all->names != NULL ? all->names[operation->name] : NULL;
    const char *error = operation->error > 0 ? all->errors[operation->error - 1] : NULL;
    return json_pack("{s:s, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:o}",                            //
                     "kind", operation->kind == OPERATION_ACQUIRE ? "acquire" : "release",       //
                     "process", value_text(operation_process(all, operation->process, process)), //
                     "lock", value_text(name), "shared", operation->shared,                      //
                     "outcome", outcomes[operation->outcome & 3], "error", value_text(error),    //
                     "token",
                     operation->token != 0 ? json_integer(operation->token) : json_null(), //
                     "invoked", place_json(result, operation->invoked),                    //
                     "returned", place_json(result, operation->returned));
}

static json_t *violation_json(const struct check_case *result)
{
    static const char *const rules[] = {"exclusion", "ownership", "token", "depth", "failed-free"};
    const struct model_violation *violation = &result->analysis.first;
    if (result->analysis.linearizable)
        return json_null();
    json_t *operations = json_array();
    int64_t overlap_ns = operation_span_ns(&result->operations, violation->from, violation->to);
    bool overlaps = violation->rule == RULE_EXCLUSION && overlap_ns >= 0;
    for (int i = 0; i < MODEL_EVIDENCE; i++) {
        size_t index = violation->operations[i];
        if (index != SIZE_MAX)
            json_array_append_new(operations,
                                  operation_json(result, &result->operations.items[index]));
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "rule", rules[violation->rule], "story",
                     value_text(result->story), "overlap_ns",
                     overlaps ? json_integer(overlap_ns) : json_null(), "operations", operations);
}

static json_t *windows_json(const struct model_analysis *analysis)
{
    static const char *const keys[] = {"min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"};
    if (analysis->window_count == 0)
        return json_null();
    json_t *object = json_pack("{s:o}", "count", value_count(analysis->window_count));
    for (size_t i = 0; i < RANKS; i++)
        set_value(object, keys[i], json_integer(window_at(analysis, i)));
    return object;
}

static json_t *mapping_json(const struct other_mapping *mapping)
{
    return json_pack("{s:s, s:s, s:b, s:o}", "failed_release",
                     failed_releases[mapping->options.failed_release], "failed_acquire",
                     failed_acquires[mapping->options.failed_acquire], "linearizable",
                     mapping->linearizable, "violations", value_count(mapping->violation_count));
}

// The one that was asked for first.
static json_t *mappings_json(const void *record)
{
    const struct check_case *result = record;
    const struct other_mapping asked = {result->model_options, result->analysis.linearizable,
                                        result->analysis.violation_count};
    json_t *mappings = json_pack("[o]", mapping_json(&asked));
    for (size_t i = 0; i < result->other_count; i++)
        json_array_append_new(mappings, mapping_json(&result->others[i]));
    return mappings;
}

#define CASE struct check_case
MAKER(case_clients, CASE,
      it->options->import.owner == OWNER_IS_CLIENT ? json_integer(it->notes.concurrency)
                                                   : json_null())
MAKER(case_owner, CASE, value_text(owners[it->options->import.owner]))
MAKER(case_processes, CASE, value_count(it->operations.process_count))
MAKER(case_locks, CASE, value_count(it->operations.name_count))
MAKER(case_violation, CASE, violation_json(it))
MAKER(case_windows, CASE, windows_json(&it->analysis))

TABLE(passed_over_fields, FIELD_AS("nemesis", CASE, notes.nemesis, ),
      FIELD_AS("skipped", CASE, notes.skipped, ), FIELD_AS("renewals", CASE, notes.renewals, ),
      FIELD_AS("tokens", CASE, notes.tokens, ));
TABLE(case_fields, FIELD_AS("file", CASE, name, ), NAME("verdict", CASE, verdict, case_verdicts),
      FIELD_IF("reason", CASE, reason, reason),
      FIELD_IF("condition", CASE, condition.text, condition.text),
      PART("passed_over", passed_over_fields, ),
      FIELD_AS("sorted_by_index", CASE, notes.was_sorted, ),
      FIELD_AS("clock_back_ns", CASE, operations.clock_back_ns, ), MADE("owner", case_owner),
      MADE("clients", case_clients), FIELD_AS("operations", CASE, operations.count, ),
      MADE("processes", case_processes), MADE("locks", case_locks),
      FIELD_AS("holds", CASE, analysis.hold_count, ),
      FIELD_AS("unknown", CASE, analysis.unknown_count, ),
      FIELDS(CASE, granted, failed_acquires, failed_releases),
      FIELD_AS("violations", CASE, analysis.violation_count, ), MADE("violation", case_violation),
      MADE("windows", case_windows), MADE("mappings", mappings_json));

json_t *check_case_json(const struct check_case *result)
{
    return fields_json(case_fields, result);
}
