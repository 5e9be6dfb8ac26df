#include "harness/report/json_liveness.h"

#include <math.h>

static void set_count(json_t *object, const char *key, int64_t value)
{
    json_object_set_new(object, key, json_integer(value));
}

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void set_share(json_t *object, const char *key, size_t part, size_t whole)
{
    set_number(object, key, whole > 0 ? (double)part / (double)whole : NAN);
}

static void set_waits(json_t *object, const char *key, const struct wait_figures *figures)
{
    json_t *waits = json_null();
    if (figures->count > 0) {
        waits = json_object();
        set_count(waits, "count", (int64_t)figures->count);
        set_count(waits, "p50_ns", figures->p50_ns);
        set_count(waits, "p99_ns", figures->p99_ns);
        set_count(waits, "max_ns", figures->max_ns);
    }
    json_object_set_new(object, key, waits);
}

json_t *liveness_json(const struct trial_result *result)
{
    const struct liveness *liveness = &result->statistics.liveness;
    if (!result->has_history)
        return json_null();
    json_t *object = json_object();
    set_waits(object, "after_release", &liveness->after_release);
    set_waits(object, "after_crash", &liveness->after_crash);
    set_waits(object, "after_expiry", &liveness->after_expiry);
    set_waits(object, "after_heal", &liveness->after_heal);
    json_t *heals = json_array();
    for (size_t i = 0; i < liveness->heal_count; i++) {
        json_t *heal = json_object();
        set_count(heal, "fault", liveness->heals[i].fault);
        set_count(heal, "wait_ns", liveness->heals[i].wait_ns);
        json_array_append_new(heals, heal);
    }
    json_object_set_new(object, "heals", heals);
    set_count(object, "longest_wait_ns", liveness->longest_wait_ns);
    set_count(object, "unserved_ns", liveness->unserved_ns);
    json_object_set_new(object, "orphan",
                        liveness->left == LEAVING_UNKNOWN
                            ? json_null()
                            : json_boolean(liveness->left == LEAVING_ORPHAN));
    return object;
}

static json_t *turns_json(const struct fairness *turns)
{
    if (turns->order == ORDER_UNKNOWN)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "proven", json_boolean(turns->order == ORDER_QUEUED));
    set_count(object, "margin_ns", turns->margin_ns);
    set_count(object, "contested", (int64_t)turns->contested);
    set_count(object, "out_of_turn", (int64_t)turns->out_of_turn);
    set_share(object, "out_of_turn_share", turns->out_of_turn, turns->contested);
    set_count(object, "overtaken", (int64_t)turns->overtaken);
    set_count(object, "deepest", (int64_t)turns->deepest);
    set_count(object, "deepest_wait_ns", turns->deepest_wait_ns);
    return object;
}

json_t *fairness_json(const struct trial_result *result)
{
    const struct fairness *turns = &result->statistics.turns;
    if (!result->has_history)
        return json_null();
    json_t *object = json_object();
    set_count(object, "workers", (int64_t)turns->workers);
    set_number(object, "jain", turns->grants > 0 ? turns->jain : NAN);
    set_share(object, "least_share", turns->least_grants, turns->grants);
    set_share(object, "most_share", turns->most_grants, turns->grants);
    json_object_set_new(object, "promised", json_boolean(trial_has_trait(result->trial, "fair")));
    json_object_set_new(object, "turns", turns_json(turns));
    return object;
}

json_t *herd_json(const struct trial_result *result)
{
    const struct herd *herd = &result->statistics.herd;
    if (!result->has_history || !herd->is_known)
        return json_null();
    json_t *object = json_object();
    set_count(object, "grants", (int64_t)herd->grants);
    set_number(object, "requests_per_grant",
               herd_per_grant(herd, herd->acquire_requests + herd->release_requests));
    set_number(object, "acquire_requests_per_grant", herd_per_grant(herd, herd->acquire_requests));
    set_number(object, "release_requests_per_grant", herd_per_grant(herd, herd->release_requests));
    set_number(object, "renewals_per_grant", herd_per_grant(herd, herd->renewals));
    set_number(object, "wakeups_per_grant", herd_per_grant(herd, herd->wakeups));
    return object;
}
