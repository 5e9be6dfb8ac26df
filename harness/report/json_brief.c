#include "harness/report/json_brief.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static json_t *brief_findings(const json_t *findings)
{
    json_t *kept = json_array();
    size_t index;
    json_t *finding;
    json_array_foreach(findings, index, finding)
    {
        const char *state = text_of(finding, "state");
        if (strcmp(state, "violated") != 0 && strcmp(state, "undecided") != 0)
            continue;
        json_object_set_new(finding, "evidence", json_null());
        json_array_append(kept, finding);
    }
    return kept;
}

static void make_trial_brief(json_t *trial)
{
    static const char *const nothing[] = {"statistics", "liveness", "fairness",
                                          "herd",       "evidence", "folder"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        json_object_set_new(trial, nothing[i], json_null());
    json_object_set_new(trial, "story", json_string(""));
    json_object_set_new(trial, "files", json_array());
    json_object_del(trial, "traits");
    json_object_set_new(trial, "findings", brief_findings(json_object_get(trial, "findings")));
    const json_t *scenario = json_object_get(trial, "scenario");
    json_object_set_new(trial, "scenario", json_pack("{s:s}", "name", text_of(scenario, "name")));
}

// Whether the scenario of that name has faults, as its first trial tells.
static bool has_faults(const json_t *trials, const char *name)
{
    size_t index;
    const json_t *trial;
    json_array_foreach(trials, index, trial)
    {
        const json_t *scenario = json_object_get(trial, "scenario");
        if (strcmp(text_of(scenario, "name"), name) == 0)
            return json_array_size(json_object_get(scenario, "faults")) > 0;
    }
    return false;
}

void json_make_brief(json_t *result)
{
    json_t *trials = json_object_get(result, "trials");
    json_t *costs = json_array();
    size_t index;
    json_t *each;
    json_array_foreach(json_object_get(result, "costs"), index, each)
    {
        if (!has_faults(trials, text_of(each, "scenario")))
            json_array_append(costs, each);
    }
    json_object_set_new(result, "costs", costs);
    json_array_foreach(trials, index, each)
    {
        make_trial_brief(each);
    }
}
