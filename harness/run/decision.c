#include "harness/run/decision.h"

#include "harness/explain/diagnosis.h"
#include "harness/explain/story.h"

#include <stdio.h>
#include <stdlib.h>

static void write_files(const struct digest *digest, struct trial_result *result, bool with_plots)
{
    struct error error = {0};
    const char *name = result->trial->name;
    result->lacks_files = true;
    if (latencies_write(digest, result->folder, &result->latencies, &error) != 0)
        fprintf(stderr, "lockpick: the latencies of %s: %s\n", name, error.text);
    else if (plots_write(digest, result, with_plots, &error) != 0)
        fprintf(stderr, "lockpick: the plots of %s: %s\n", name, error.text);
    else
        result->lacks_files = false;
}

void trial_decide(struct trial_result *result, struct history *history, enum trial_files files)
{
    struct digest digest;
    digest_make(history, result->trial, &digest);
    judge(&digest, &result->judgement);
    statistics_make(&digest, &result->statistics);
    result->has_history = true;
    result->is_cut_short = history->condition.state == HISTORY_UNFINISHED;
    free(result->story);
    result->story = story_tell(&digest, &result->judgement);
    free(result->evidence);
    result->evidence = evidence_json(&digest, &result->judgement);
    latencies_free(&result->latencies);
    if (files == TRIAL_FILES_UNDRAWN || files == TRIAL_FILES_ALL)
        write_files(&digest, result, files == TRIAL_FILES_ALL);
    else
        latencies_encode(&digest, &result->latencies);
    if (files == TRIAL_FILES_PAGE && judgement_first_violation(&result->judgement) != NULL)
        plots_keep(&digest, result);
    digest_free(&digest);
}

void trial_result_free(struct trial_result *result)
{
    free(result->folder);
    free(result->story);
    free(result->evidence);
    plots_free(result);
    latencies_free(&result->latencies);
    *result = (struct trial_result){0};
}
