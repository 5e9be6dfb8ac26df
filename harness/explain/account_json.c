// The account of a violation for machines. Its schema is documented in json.c.
#include "harness/check/check.h"
#include "harness/explain/account.h"
#include "harness/explain/one_lock.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// Reads and writes of one hold that are listed.
#define MOST_ACCESSES 6

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

// Seconds since the start of the trial.
static json_t *seconds(const struct digest *digest, int64_t at_ns)
{
    return at_ns == TIME_NEVER ? json_null()
                               : json_real((double)(at_ns - digest->started_ns) / (double)NS_PER_S);
}

static json_t *length(int64_t length_ns)
{
    return json_real((double)length_ns / (double)NS_PER_S);
}

static json_t *index_json(size_t index)
{
    return index == SIZE_MAX ? json_null() : json_integer((json_int_t)index);
}

static json_t *fault_json(const struct digest *digest, size_t index)
{
    if (index == SIZE_MAX)
        return json_null();
    const struct fault_record *record = &digest->faults[index];
    json_t *object = json_object();
    set(object, "number", json_integer(record->step->number));
    set(object, "verb", json_string(record->step->verb));
    set(object, "from_s", seconds(digest, record->in_effect_ns));
    set(object, "to_s", seconds(digest, record->healed_ns));
    return object;
}

// --- holds ---------------------------------------------------------------------------------------

// What made it longer than its lease: a fault, the machine, or its own work; null if it was not.
static json_t *stretch_json(const struct account *account, size_t index)
{
    const struct digest *digest = account->digest;
    const struct hold *hold = &digest->holds[index];
    bool outlived = hold->valid_until_ns < hold->released_ns;
    bool is_stretched = index == account->holds[0] && account->length_ns > 0;
    if (!outlived && !is_stretched)
        return json_null();
    json_t *object = json_object();
    size_t fault = is_stretched ? account->fault : hold_stretched_by(digest, hold);
    const char *what = fault != SIZE_MAX                             ? "fault"
                       : is_stretched && account->root == ROOT_STALL ? "stall"
                                                                     : "work";
    int64_t length_ns = is_stretched ? account->length_ns : hold->released_ns - hold->granted_ns;
    if (!is_stretched && fault != SIZE_MAX)
        length_ns =
            (digest->faults[fault].healed_ns == TIME_NEVER ? digest->ended_ns
                                                           : digest->faults[fault].healed_ns) -
            digest->faults[fault].in_effect_ns;
    set(object, "by", json_string(what));
    set(object, "length_s", length(length_ns));
    set(object, "fault", fault_json(digest, fault));
    return object;
}

static json_t *hold_json(const struct account *account, size_t index)
{
    const struct digest *digest = account->digest;
    const struct hold *hold = &digest->holds[index];
    bool answered = hold->returned_ns != TIME_NEVER;
    json_t *object = json_object();
    set(object, "hold", index_json(index));
    set(object, "client", json_integer(hold->client));
    set(object, "worker", json_integer(hold->worker));
    set(object, "operation", json_integer(hold->operation));
    set(object, "shared", json_boolean(hold->shared));
    set(object, "asked_s", seconds(digest, hold->invoked_ns));
    set(object, "granted_s", seconds(digest, hold->granted_ns));
    set(object, "lease_until_s", seconds(digest, hold->valid_until_ns));
    set(object, "released_s",
        hold->release_invoked ? seconds(digest, hold->released_ns) : json_null());
    set(object, "answered_s", seconds(digest, hold->returned_ns));
    set(object, "answer", answered ? json_string(release_answer_name(hold->answer)) : json_null());
    set(object, "died_s", seconds(digest, hold->died_ns));
    set(object, "token", hold->token != 0 ? json_integer(hold->token) : json_null());
    set(object, "stretched", stretch_json(account, index));
    set(object, "grant_event", index_json(hold->granted_event));
    set(object, "release_event", index_json(hold->released_event));
    return object;
}

// --- accesses ------------------------------------------------------------------------------------

static json_t *access_json(const struct digest *digest, size_t index)
{
    const struct access *access = &digest->accesses[index];
    const struct hold *hold = &digest->holds[access->hold];
    json_t *object = json_object();
    set(object, "access", index_json(index));
    set(object, "kind", json_string(access->is_write ? "write" : "read"));
    set(object, "client", json_integer(hold->client));
    set(object, "worker", json_integer(hold->worker));
    set(object, "operation", json_integer(hold->operation));
    set(object, "asked_s", seconds(digest, access->invoked_ns));
    set(object, "answered_s", seconds(digest, access->returned_ns));
    bool has_value = access->is_write || access->outcome == OUTCOME_OK;
    set(object, "value", has_value ? json_integer(access->value) : json_null());
    set(object, "seen", access->is_write ? json_integer(access->seen) : json_null());
    set(object, "token", access->token != 0 ? json_integer(access->token) : json_null());
    set(object, "outcome", json_string(outcome_name(access->outcome)));
    set(object, "event", index_json(access->event));
    return object;
}

static json_t *accesses_json(const struct account *account, const size_t *holds, size_t count)
{
    const struct digest *digest = account->digest;
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct hold *hold = &digest->holds[holds[i]];
        for (size_t j = 0; j < hold->access_count && j < MOST_ACCESSES; j++)
            json_array_append_new(array, access_json(digest, hold->first_access + j));
    }
    return array;
}

// --- the whole -----------------------------------------------------------------------------------

static json_t *names_json(const char *const *names, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_string(names[i]));
    return array;
}

static json_t *store_json(const struct digest *digest)
{
    int64_t acknowledged = 0;
    int64_t lost = increments_lost(digest, &acknowledged);
    bool counts = strcmp(digest->trial->scenario->workload.kind, "increment") == 0 &&
                  digest->initial_known && digest->final_known;
    json_t *object = json_object();
    set(object, "initial",
        digest->initial_known ? json_integer(digest->initial_value) : json_null());
    set(object, "final", digest->final_known ? json_integer(digest->final_value) : json_null());
    set(object, "acknowledged", counts ? json_integer(acknowledged) : json_null());
    set(object, "lost", counts ? json_integer(lost) : json_null());
    return object;
}

static json_t *cause_json(const struct account *account)
{
    json_t *object = json_object();
    set(object, "kind", json_string(root_name(account->root)));
    set(object, "id", json_string(root_name(account->root)));
    set(object, "certainty", json_string(certainty_name(account->certainty)));
    set(object, "text", json_string(account->cause));
    set(object, "fault", fault_json(account->digest, account->fault));
    return object;
}

static json_t *account_json(const struct account *account)
{
    const struct digest *digest = account->digest;
    const struct evidence *evidence = &account->finding->evidence;
    size_t candidates[3 + ACCOUNT_OTHERS] = {account->holds[0], account->holds[1],
                                             account->culprit};
    size_t holds[3 + ACCOUNT_OTHERS] = {0};
    size_t count = 0;
    memcpy(candidates + 3, account->others, account->other_count * sizeof *candidates);
    json_t *object = json_object();
    json_t *array = json_array();
    for (size_t i = 0; i < 3 + account->other_count; i++) {
        bool known = candidates[i] == SIZE_MAX;
        for (size_t j = 0; j < count; j++)
            known = known || holds[j] == candidates[i];
        if (known)
            continue;
        holds[count++] = candidates[i];
        json_array_append_new(array, hold_json(account, candidates[i]));
    }
    set(object, "property", json_string(account->finding->check->name));
    set(object, "from_s", seconds(digest, evidence->from_ns));
    set(object, "to_s", seconds(digest, evidence->to_ns));
    set(object, "overlap_s", length(account->overlap_ns));
    set(object, "cause", cause_json(account));
    set(object, "remedy", json_string(account->remedy));
    set(object, "holds", array);
    set(object, "accesses", accesses_json(account, holds, count));
    set(object, "store", store_json(digest));
    set(object, "also", names_json(account->also, account->also_count));
    set(object, "besides", names_json(account->besides, account->besides_count));
    return object;
}

static void to_whole(json_t *object, const char *key, const struct one_lock *one,
                     size_t (*whole)(const struct one_lock *one, size_t index))
{
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value))
        set(object, key, index_json(whole(one, (size_t)json_integer_value(value))));
}

// Whose lock it is, and all numbers as in the whole history.
static void name_lock(json_t *object, const struct one_lock *one)
{
    size_t i;
    json_t *item;
    set(object, "lock", one->key > 0 ? json_integer(one->key) : json_null());
    json_array_foreach(json_object_get(object, "holds"), i, item)
    {
        to_whole(item, "hold", one, one_lock_hold);
        to_whole(item, "grant_event", one, one_lock_event);
        to_whole(item, "release_event", one, one_lock_event);
    }
    json_array_foreach(json_object_get(object, "accesses"), i, item)
    {
        to_whole(item, "access", one, one_lock_access);
        to_whole(item, "event", one, one_lock_event);
    }
}

// The accounts of what is not proven to follow from the first, in short.
static json_t *others_json(const struct account *accounts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 1; i < count; i++) {
        json_t *object = json_object();
        set(object, "property", json_string(accounts[i].finding->check->name));
        set(object, "count", json_integer(accounts[i].finding->count));
        set(object, "from_s", seconds(accounts[i].digest, accounts[i].finding->evidence.from_ns));
        set(object, "cause", cause_json(&accounts[i]));
        set(object, "remedy", json_string(accounts[i].remedy));
        set(object, "also", names_json(accounts[i].also, accounts[i].also_count));
        json_array_append_new(array, object);
    }
    return array;
}

char *evidence_json(const struct digest *digest, const struct judgement *judgement)
{
    struct account *accounts = memory_new(MAX_CHECKS * sizeof *accounts);
    struct one_lock one;
    char *text = NULL;
    one_lock_start(digest, judgement, &one);
    size_t count = accounts_make(one.digest, one.judgement, accounts);
    if (count > 0) {
        json_t *object = account_json(&accounts[0]);
        set(object, "others", others_json(accounts, count));
        name_lock(object, &one);
        char *dumped = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12));
        text = memory_string(dumped != NULL ? dumped : "");
        json_decref(object);
        free(dumped);
    }
    one_lock_end(&one);
    free(accounts);
    return text != NULL ? text : memory_string("");
}
