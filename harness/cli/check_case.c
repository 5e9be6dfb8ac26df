#include "harness/cli/check_case.h"

#include "harness/base/rank.h"
#include "harness/history/file.h"
#include "harness/import/import.h"
#include "harness/model/from_history.h"
#include "harness/report/model_picture.h"

#include <string.h>

static const char *const verdict_names[] = {"linearizable", "not-linearizable", "undecided"};

const char *case_verdict_name(enum case_verdict verdict)
{
    return verdict_names[verdict];
}

bool check_case_is_own(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (strcmp(slash != NULL ? slash + 1 : path, "history.bin") == 0)
        return true;
    char magic[sizeof HISTORY_MAGIC - 1];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    bool is_own = fread(magic, 1, sizeof magic, file) == sizeof magic &&
                  memcmp(magic, HISTORY_MAGIC, sizeof magic) == 0;
    fclose(file);
    return is_own;
}

// --- reading -------------------------------------------------------------------------------------

static int read_own(struct check_case *result)
{
    struct error error = {0};
    if (operations_from_history(result->path, &result->operations, &result->condition, &error) == 0)
        return 0;
    fprintf(stderr, "lockpick check: %s\n", error.text);
    return -1;
}

static int read_other(struct check_case *result)
{
    struct error error = {0};
    struct source *source = &result->source;
    struct problems problems = {.file = result->path};
    if (source_open(result->path, source, &error) != 0) {
        fprintf(stderr, "lockpick check: %s\n", error.text);
        return -1;
    }
    enum import_format format = import_format_of(result->path, source->bytes, source->length);
    int read = import_history(format, source->bytes, source->length,
                              result->options->model->has_tokens, &result->operations, &problems);
    fputs(text_string(&problems.text), stderr);
    if (problems_suffice(&problems))
        fprintf(stderr, "%s: there may be more that is wrong: these are the first %d\n",
                result->path, PROBLEMS_MOST);
    text_free(&problems.text);
    return read;
}

// --- deciding ------------------------------------------------------------------------------------

static void count(struct check_case *result)
{
    for (size_t i = 0; i < result->operations.count; i++) {
        const struct operation *operation = &result->operations.items[i];
        bool is_acquire = operation->kind == OPERATION_ACQUIRE;
        result->granted += is_acquire && operation->outcome == OUTCOME_OK;
        result->failed_acquires += is_acquire && operation->outcome == OUTCOME_NO;
        result->failed_releases += !is_acquire && operation->outcome == OUTCOME_NO;
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
        return "it has no operations on a lock";
    if (result->granted == 0)
        return "it has no successful acquire: a lock that nobody is ever granted breaks no promise";
    if (result->options->model->has_tokens && !has_token(&result->operations))
        return "no successful acquire carries a token (its value): whether they grow nobody can "
               "say. Ask whether it is a plain lock: --model mutex, or reentrant";
    return NULL;
}

static void conclude(struct check_case *result)
{
    const char *why = why_undecided(result);
    if (!result->decision.linearizable) {
        result->verdict = CASE_NOT_LINEARIZABLE;
        model_explain(result->options->model, &result->operations, &result->model_options,
                      &result->decision.first, result->story, sizeof result->story);
    } else if (result->condition.state != HISTORY_WHOLE) {
        result->verdict = CASE_UNDECIDED;
        snprintf(result->reason, sizeof result->reason,
                 "%s; what can be read of it is linearizable", result->condition.text);
    } else if (why != NULL) {
        result->verdict = CASE_UNDECIDED;
        snprintf(result->reason, sizeof result->reason, "%s", why);
    }
}

static int decide(const struct check_case *result, const struct model_options *options,
                  struct model_decision *decision)
{
    struct error error = {0};
    if (model_decide(result->options->model, &result->operations, options, decision, &error) == 0)
        return 0;
    fprintf(stderr, "%s: %s\n", result->path, error.text);
    return -1;
}

static void decide_otherwise(struct check_case *result, bool release, bool acquire)
{
    struct model_decision decision;
    struct model_options options = result->model_options;
    if ((release && result->failed_releases == 0) ||
        (acquire && (result->failed_acquires == 0 || !result->options->model->decides_busy)))
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
    if (result->options->picture == NULL || result->decision.linearizable ||
        model_picture(&result->operations, &result->decision.first, result->options->picture,
                      &error) == 0)
        return 0;
    fprintf(stderr, "lockpick check: %s\n", error.text);
    return -1;
}

int check_case_make(const char *path, const struct check_options *options,
                    struct check_case *result)
{
    *result = (struct check_case){.path = path,
                                  .options = options,
                                  .model_options = options->model_options,
                                  .is_own = check_case_is_own(path)};
    // What Lockpick records as refused was "not yours" or "gone": the server's own word for it.
    if (result->is_own && !options->says_failed_release)
        result->model_options.failed_release = FAILED_RELEASE_RELEASED;
    if ((result->is_own ? read_own(result) : read_other(result)) != 0 ||
        decide(result, &result->model_options, &result->decision) != 0)
        return -1;
    if (result->decision.window_count > 0)
        sort_values(result->decision.windows_ns, result->decision.window_count);
    count(result);
    conclude(result);
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
