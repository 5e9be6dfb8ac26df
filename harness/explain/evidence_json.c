// The diagnosis of a violation for machines. Its schema is documented in json.c.
#include "harness/base/scope.h"
#include "harness/explain/diagnosis.h"

#include <jansson.h>
#include <string.h>

// Reads and writes of one hold that are listed.
#define MOST_ACCESSES 6

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static json_t *length(int64_t length_ns)
{
    return json_real((double)length_ns / (double)NS_PER_S);
}

// Seconds since the start of the trial.
static json_t *seconds(const struct trial_model *model, int64_t at_ns)
{
    return at_ns == TIME_NEVER ? json_null() : length(at_ns - model->started_ns);
}

static json_t *integer(bool is_known, int64_t number)
{
    return is_known ? json_integer(number) : json_null();
}

static json_t *index_json(size_t index)
{
    return integer(index != SIZE_MAX, (int64_t)index);
}

static json_t *fault_json(const struct trial_model *model, const struct fault_record *record)
{
    if (record == NULL)
        return json_null();
    return json_pack("{s:i, s:s, s:o, s:o}", "number", record->instance->number, "verb",
                     record->instance->verb, "from_s", seconds(model, record->in_effect_ns), "to_s",
                     seconds(model, record->healed_ns));
}

// What made a hold longer than its lease: a fault, the machine, or its own work; null if it was
// not.
static json_t *stretch_json(const struct diagnosis *diagnosis, const struct hold *hold)
{
    const struct trial_model *model = diagnosis->model;
    bool is_told = hold == diagnosis->holds[0] && diagnosis->length_ns > 0;
    if (hold->valid_until_ns >= hold->released_ns && !is_told)
        return json_null();
    const struct fault_record *fault = is_told ? diagnosis->fault : hold_stretched_by(model, hold);
    int64_t length_ns = hold->released_ns - hold->granted_ns;
    if (is_told)
        length_ns = diagnosis->length_ns;
    else if (fault != NULL)
        length_ns = (fault->healed_ns == TIME_NEVER ? model->ended_ns : fault->healed_ns) -
                    fault->in_effect_ns;
    const char *by = fault != NULL                               ? "fault"
                     : is_told && diagnosis->cause == ROOT_STALL ? "stall"
                                                                 : "work";
    return json_pack("{s:s, s:o, s:o}", "by", by, "length_s", length(length_ns), "fault",
                     fault_json(model, fault));
}

static json_t *hold_json(const struct diagnosis *diagnosis, const struct hold *hold,
                         const struct one_lock *one)
{
    const struct trial_model *model = diagnosis->model;
    bool answered = hold->returned_ns != TIME_NEVER;
    size_t index = index_of(model, hold), no_access = SIZE_MAX;
    by_lock_to_whole(&one->locks, &index, &no_access);
    json_t *object = json_object();
    set(object, "hold", index_json(index));
    set(object, "client", json_integer(hold->client));
    set(object, "worker", json_integer(hold->worker));
    set(object, "operation", json_integer(hold->operation));
    set(object, "shared", json_boolean(hold->shared));
    set(object, "asked_s", seconds(model, hold->invoked_ns));
    set(object, "granted_s", seconds(model, hold->granted_ns));
    set(object, "lease_until_s", seconds(model, hold->valid_until_ns));
    set(object, "released_s",
        hold->release_invoked ? seconds(model, hold->released_ns) : json_null());
    set(object, "answered_s", seconds(model, hold->returned_ns));
    set(object, "answer", answered ? json_string(release_answer_name(hold->answer)) : json_null());
    set(object, "died_s", seconds(model, hold->died_ns));
    set(object, "token", integer(hold->token != 0, hold->token));
    set(object, "stretched", stretch_json(diagnosis, hold));
    set(object, "grant_event", index_json(hold->granted_event));
    set(object, "release_event", index_json(hold->released_event));
    return object;
}

static json_t *access_json(const struct trial_model *model, size_t index,
                           const struct one_lock *one)
{
    const struct access *access = &model->accesses[index];
    const struct hold *hold = &model->holds[access->hold];
    size_t no_hold = SIZE_MAX;
    by_lock_to_whole(&one->locks, &no_hold, &index);
    json_t *object = json_object();
    set(object, "access", index_json(index));
    set(object, "kind", json_string(access->is_write ? "write" : "read"));
    set(object, "client", json_integer(hold->client));
    set(object, "worker", json_integer(hold->worker));
    set(object, "operation", json_integer(hold->operation));
    set(object, "asked_s", seconds(model, access->invoked_ns));
    set(object, "answered_s", seconds(model, access->returned_ns));
    set(object, "value", integer(access->is_write || access->outcome == OUTCOME_OK, access->value));
    set(object, "seen", integer(access->is_write, access->seen));
    set(object, "token", integer(access->token != 0, access->token));
    set(object, "outcome", json_string(outcome_name(access->outcome)));
    set(object, "event", index_json(access->event));
    return object;
}

// All holds that take part, and what each read and wrote.
static void add_holds(const struct diagnosis *diagnosis, const struct one_lock *one, json_t *object)
{
    const struct trial_model *model = diagnosis->model;
    const struct hold *told[3 + DIAGNOSIS_OTHERS] = {diagnosis->holds[0], diagnosis->holds[1],
                                                     diagnosis->culprit};
    json_t *holds = json_array();
    json_t *accesses = json_array();
    memcpy(told + 3, diagnosis->others, diagnosis->other_count * sizeof *told);
    for (size_t i = 0; i < 3 + diagnosis->other_count; i++) {
        bool known = told[i] == NULL;
        for (size_t j = 0; j < i; j++)
            known = known || told[j] == told[i];
        if (known)
            continue;
        json_array_append_new(holds, hold_json(diagnosis, told[i], one));
        for (size_t j = 0; j < told[i]->access_count && j < MOST_ACCESSES; j++)
            json_array_append_new(accesses, access_json(model, told[i]->first_access + j, one));
    }
    set(object, "holds", holds);
    set(object, "accesses", accesses);
}

static json_t *names_json(const char *const *names, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_string(names[i]));
    return array;
}

static json_t *store_json(const struct trial_model *model)
{
    int64_t acknowledged = 0;
    int64_t lost = increments_lost(model, &acknowledged);
    return json_pack("{s:o, s:o, s:o, s:o}", "initial",
                     integer(model->ends.initial_known, model->ends.initial_value), "final",
                     integer(model->ends.final_known, model->ends.final_value), "acknowledged",
                     integer(lost >= 0, acknowledged), "lost", integer(lost >= 0, lost));
}

// In full, or (without `one`) in short.
static json_t *diagnosis_json(const struct diagnosis *diagnosis, const struct one_lock *one)
{
    const struct trial_model *model = diagnosis->model;
    const struct finding *finding = diagnosis->finding;
    const char *name = root_name(diagnosis->cause);
    json_t *object = json_object();
    json_t *cause = json_pack("{s:s, s:s, s:s}", "kind", name, "id", name, "certainty",
                              certainty_name(diagnosis->certainty));
    set(cause, "text", json_string(diagnosis->text));
    set(cause, "fault", fault_json(model, diagnosis->fault));
    set(object, "property", json_string(finding->check->name));
    if (one == NULL)
        set(object, "count", json_integer(finding->count));
    set(object, "from_s", seconds(model, finding->evidence.from_ns));
    if (one != NULL) {
        set(object, "to_s", seconds(model, finding->evidence.to_ns));
        set(object, "overlap_s", length(diagnosis->overlap_ns));
    }
    set(object, "cause", cause);
    set(object, "remedy", json_string(diagnosis->mitigation));
    if (one != NULL) {
        add_holds(diagnosis, one, object);
        set(object, "store", store_json(model));
    }
    set(object, "also", names_json(diagnosis->also, diagnosis->also_count));
    if (one != NULL)
        set(object, "besides", names_json(diagnosis->besides, diagnosis->besides_count));
    return object;
}

json_t *evidence_json(const struct trial_model *model, const struct judgement *judgement)
{
    AUTO_FREE struct diagnosis *diagnoses = memory_new(MAX_CHECKS * sizeof *diagnoses);
    struct one_lock one;
    json_t *object = NULL;
    one_lock_start(model, judgement, &one);
    size_t count = diagnoses_make(one.model, one.judgement, diagnoses);
    if (count > 0) {
        object = diagnosis_json(&diagnoses[0], &one);
        // What is not proven to follow from the first.
        json_t *others = json_array();
        for (size_t i = 1; i < count; i++)
            json_array_append_new(others, diagnosis_json(&diagnoses[i], NULL));
        set(object, "others", others);
        set(object, "lock", integer(one.key > 0, one.key));
    }
    one_lock_end(&one);
    return object;
}
