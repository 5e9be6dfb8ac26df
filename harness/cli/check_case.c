#include "harness/cli/check_case.h"

#include "harness/base/rank.h"
#include "harness/history/file.h"
#include "harness/model/from_history.h"
#include "harness/report/model_picture.h"
#include "harness/run/run_outputs.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const verdict_names[] = {"linearizable", "not-linearizable", "undecided"};

const char *case_verdict_name(enum case_verdict verdict)
{
    return verdict_names[verdict];
}

// --- reading -------------------------------------------------------------------------------------

static int complain(const struct error *error)
{
    fprintf(stderr, "lockpick check: %s\n", error->text);
    return -1;
}

// A history of Lockpick's is known by its name, and then a plain file, or by its first bytes.
static bool has_own_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash != NULL ? slash + 1 : path, "history.bin") == 0;
}

static bool begins_like_own(const struct source *source)
{
    return source->length >= strlen(HISTORY_MAGIC) &&
           memcmp(source->bytes, HISTORY_MAGIC, strlen(HISTORY_MAGIC)) == 0;
}

// The bytes as a file, for those who must have one. -1 with `error` set.
static int spill(const struct source *source, struct error *error)
{
    int descriptor = memfd_create("history", MFD_CLOEXEC);
    for (size_t at = 0; descriptor >= 0 && at < source->length;) {
        ssize_t wrote = write(descriptor, source->bytes + at, source->length - at);
        if (wrote <= 0) {
            close(descriptor);
            descriptor = -1;
        }
        at += wrote > 0 ? (size_t)wrote : 0;
    }
    return descriptor >= 0 ? descriptor
                           : error_set(error, "cannot unpack the history: %s", strerror(errno));
}

static int read_own(struct check_case *result)
{
    struct error error = {0};
    char path[64];
    int descriptor = -1;
    if (result->model_options.lease_ns > 0)
        error_set(&error,
                  "%s: --lease: the leases of a trial are judged by its scenario: leave "
                  "--model out",
                  result->name);
    else if (!result->source.is_mapped && result->source.length > 0)
        descriptor = spill(&result->source, &error);
    if (error.text[0] != '\0')
        return complain(&error);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    source_close(&result->source);
    int read = operations_from_history(descriptor >= 0 ? path : result->path, &result->operations,
                                       &result->condition, &error);
    if (descriptor >= 0)
        close(descriptor);
    return read == 0 ? 0 : complain(&error);
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
    }
}

static bool has_token(const struct operations *operations)
{
    for (size_t i = 0; i < operations->count; i++) {
        if (operations->items[i].token != 0)
            return true;
    }
    return false;
}

// Why nothing that was found broken does not mean that nothing is.
static const char *why_undecided(struct check_case *result)
{
    if (result->operations.count == 0)
        return NULL; // there is nothing that could be wrong
    if (result->granted == 0)
        return "it has no successful acquire: a lock that nobody is ever granted breaks no promise";
    if (result->options->model->has_tokens && !has_token(&result->operations))
        return "no successful acquire carries a token (its value): whether they grow nobody can "
               "say. Ask whether it is a plain lock: --model mutex, or reentrant";
    return NULL;
}

static void doubt(struct check_case *result, const char *format, const char *why)
{
    result->verdict = CASE_UNDECIDED;
    snprintf(result->reason, sizeof result->reason, format, why);
    text_clean(result->reason);
}

static void conclude(struct check_case *result)
{
    const struct model_decision *decision = &result->decision;
    const char *why = why_undecided(result);
    if (decision->doubt != NULL) {
        doubt(result, "%s", decision->doubt);
    } else if (!decision->linearizable) {
        result->verdict = CASE_NOT_LINEARIZABLE;
        model_explain(result->options->model, &result->operations, &result->model_options,
                      &result->decision.first, result->story, sizeof result->story);
    } else if (result->condition.state != HISTORY_WHOLE) {
        doubt(result, "%s; what can be read of it is linearizable", result->condition.text);
    } else if (why != NULL) {
        doubt(result, "%s", why);
    }
    text_clean(result->story);
}

static int decide(const struct check_case *result, const struct model_options *options,
                  struct model_decision *decision)
{
    struct error error = {0};
    if (model_decide(result->options->model, &result->operations, options, decision, &error) == 0)
        return 0;
    fprintf(stderr, "%s: %s\n", result->name, error.text);
    return -1;
}

// A violation that may be none if who goes on after an :info still is who it was: nobody said.
static void try_as_clients(struct check_case *result)
{
    struct operations operations = {0};
    struct import_notes notes;
    struct model_decision decision;
    struct text question = {0};
    if (result->verdict != CASE_NOT_LINEARIZABLE || result->options->says_owner ||
        result->notes.continued == 0 || !result->options->model->has_owners ||
        read_other(result, OWNER_IS_CLIENT, &operations, &notes) != 0)
        return;
    if (model_decide(result->options->model, &operations, &result->model_options, &decision,
                     NULL) == 0 &&
        (decision.linearizable || decision.doubt != NULL)) {
        text_format(&question,
                    "if a process that ended with an :info owns nothing that its successor can "
                    "release (--owner process), it is not linearizable: %s. If the two are one "
                    "client (--owner client, --concurrency %lld), %s. Say which",
                    result->story, (long long)notes.concurrency,
                    decision.doubt != NULL ? decision.doubt : "it is linearizable");
        doubt(result, "%s", text_string(&question));
        text_free(&question);
    }
    model_decision_free(&decision);
    operations_free(&operations);
}

static void decide_otherwise(struct check_case *result, bool release, bool acquire)
{
    struct model_decision decision;
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
    if (decide(result, &options, &decision) != 0)
        return;
    result->others[result->other_count++] =
        (struct other_mapping){options, decision.linearizable, decision.violation_count};
    model_decision_free(&decision);
}

static int draw(const struct check_case *result)
{
    struct error error = {0};
    if (result->options->picture == NULL || result->decision.linearizable)
        return 0;
    if (output_check("--picture", result->options->picture, MODEL_PICTURE_BEGINS, &error) == 0 &&
        model_picture(&result->operations, &result->decision.first, result->options->picture,
                      &error) == 0)
        return 0;
    return complain(&error);
}

int check_case_make(const char *path, const struct check_options *options,
                    struct check_case *result)
{
    struct error error = {0};
    *result = (struct check_case){.path = path,
                                  .name = source_name(path),
                                  .options = options,
                                  .model_options = options->model_options};
    result->is_own = has_own_name(path);
    if (!result->is_own && source_open(path, &result->source, &error) != 0)
        return complain(&error);
    result->is_own = result->is_own || begins_like_own(&result->source);
    // What Lockpick records as refused was "not yours" or "gone": the server's own word for it.
    if (result->is_own && !options->says_failed_release && !options->model->is_ownerless)
        result->model_options.failed_release = FAILED_RELEASE_RELEASED;
    if ((result->is_own ? read_own(result)
                        : read_other(result, options->import.owner, &result->operations,
                                     &result->notes)) != 0 ||
        decide(result, &result->model_options, &result->decision) != 0)
        return -1;
    if (result->decision.window_count > 0)
        sort_values(result->decision.windows_ns, result->decision.window_count);
    count(result);
    conclude(result);
    try_as_clients(result);
    decide_otherwise(result, true, false);
    decide_otherwise(result, false, true);
    decide_otherwise(result, true, true);
    return draw(result);
}

void check_case_free(struct check_case *result)
{
    operations_free(&result->operations);
    model_decision_free(&result->decision);
    source_close(&result->source);
}
