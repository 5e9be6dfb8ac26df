// not-told: a holder that has lost the lock is told so within the time that is stated
// (`lock.told`), and does not go on for longer.
//
// Only schemes that can know of a loss are asked for that: those that renew their lease, those
// whose lock lives as long as a session, and external ones.
#include "harness/check/lost_lock.h"

#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"

// --- losses --------------------------------------------------------------------------------------

// For how long faults stopped the process. Where one worker of it stands still, others can be told;
// but in an external lock it may keep them from that.
static int64_t stopped_ns(const struct trial_model *model, const struct hold *hold, int64_t from_ns,
                          int64_t to_ns)
{
    int64_t stopped_ns = 0;
    FOR_EACH_FAULT (record, model) {
        const struct target *target = &record->instance->target;
        if (!fault_can(record->instance, FAULT_STOPS) || target->client != hold->client ||
            (target->worker != 0 && model->trial->external_client == NULL))
            continue;
        int64_t length_ns =
            time_earlier(record->healed_ns, to_ns) - time_later(record->asked_ns, from_ns);
        stopped_ns += length_ns > 0 ? length_ns : 0;
    }
    return stopped_ns;
}

static bool was_found_gone(const struct hold *hold)
{
    return hold->returned_ns != TIME_NEVER &&
           (hold->answer == RELEASE_GONE || hold->answer == RELEASE_NOT_OWNER);
}

static bool find_loss(const struct trial_model *model, const struct definite_holds *rivals,
                      size_t index, struct lost_hold *loss)
{
    const struct hold *hold = &model->holds[index];
    int64_t over_ns = was_found_gone(hold) ? 0 : hold_last_end_ns(model, hold);
    size_t next =
        FIRST_FROM(rivals->items, rivals->count, from_ns, time_later(over_ns, hold->granted_ns));
    while (next < rivals->count && rivals->items[next].hold == index)
        next++;
    if (next == rivals->count || rivals->items[next].from_ns >= hold->released_ns ||
        hold->rolled_back)
        return false;
    const struct definite_hold *definite = &rivals->items[next];
    int64_t until_ns =
        time_later(definite->from_ns, time_earlier(hold->told_lost_ns, hold->released_ns));
    int64_t stalls_ns = stalled_ns(model, hold->client, definite->from_ns, until_ns);
    int64_t kept_ns = stopped_ns(model, hold, definite->from_ns, until_ns) + stalls_ns;
    *loss = (struct lost_hold){.hold = index,
                               .other = definite->hold,
                               .lost_ns = definite->from_ns,
                               .until_ns = until_ns,
                               .ran_ns = time_later(until_ns - definite->from_ns - kept_ns, 0),
                               .stalled_ns = stalls_ns,
                               .told = hold->told_lost_ns <= hold->released_ns};
    return true;
}

size_t losses_find(const struct trial_model *model, struct lost_hold *losses)
{
    size_t count = 0;
    if (!trial_model_excludes(model) || trial_model_permits(model) != 1)
        return 0;
    bool any = false;
    for (size_t i = 0; i < model->hold_count && !any; i++)
        any = was_found_gone(&model->holds[i]) || hold_outlived_lease(model, &model->holds[i]);
    if (!any)
        return 0;
    AUTO_FREE struct definite_holds all = definite_holds_until(model, hold_lease_end_ns);
    AUTO_FREE struct definite_holds exclusive = {memory_new(all.count * sizeof *exclusive.items),
                                                 0};
    for (size_t i = 0; i < all.count; i++) {
        if (!model->holds[all.items[i].hold].shared)
            exclusive.items[exclusive.count++] = all.items[i];
    }
    for (size_t i = 0; i < model->hold_count; i++)
        count += find_loss(model, model->holds[i].shared ? &exclusive : &all, i, &losses[count]);
    return count;
}

// --- the property --------------------------------------------------------------------------------

// "client-1 lost the lock to client-2, and was not told: it went on for 1.20 s".
static void tell(const struct trial_model *model, const struct lost_hold *loss, struct text *out)
{
    text_format(out, "%s lost the lock to %s, and ", holder_name(model, loss->hold).text,
                holder_name(model, loss->other).text);
    text_format(out,
                loss->told ? "was told of it only after %s" : "was not told: it went on for %s",
                lasting(loss->ran_ns).text);
    if (loss->ran_ns < loss->until_ns - loss->lost_ns)
        text_add(out, " of the time in which it ran");
}

static void explain(const struct trial_model *model, const struct evidence *evidence,
                    struct text *out)
{
    AUTO_FREE struct lost_hold *losses = memory_new(model->hold_count * sizeof *losses);
    size_t count = losses_find(model, losses);
    for (size_t i = 0; i < count; i++) {
        if (losses[i].hold == evidence->holds[0])
            tell(model, &losses[i], out);
    }
    text_format(out, "; at most %s are stated", lasting(model->trial->scenario->lock.told_ns).text);
}

// Where stalls were seen, as much again may have been too short to be seen.
static bool may_be_stalls(const struct trial_model *model, const struct lost_hold *loss)
{
    return loss->ran_ns - loss->stalled_ns <= model->trial->scenario->lock.told_ns;
}

static void decide(const struct trial_model *model, struct finding *finding)
{
    const struct trial *trial = model->trial;
    bool can_know = trial->external_client != NULL || trial_has_trait(trial, "renewed") ||
                    trial_has_trait(trial, "session");
    if (trial->scenario->lock.told_ns <= 0 || !can_know) {
        finding->state = FINDING_IRRELEVANT;
        return;
    }
    AUTO_FREE struct lost_hold *losses = memory_new(model->hold_count * sizeof *losses);
    AUTO_FREE int64_t *ran_ns = memory_new(model->hold_count * sizeof *ran_ns);
    size_t count = losses_find(model, losses);
    const struct lost_hold *first = NULL; // rather one that stalls do not explain
    int64_t told_ns = model->trial->scenario->lock.told_ns;
    for (size_t i = 0; i < count; i++) {
        const struct lost_hold *loss = &losses[i];
        ran_ns[i] = loss->ran_ns;
        if (loss->ran_ns <= told_ns)
            continue;
        finding->count++;
        bool is_surer = first != NULL && may_be_stalls(model, first) && !may_be_stalls(model, loss);
        if (first == NULL || is_surer)
            first = loss;
    }
    distribution_make(ran_ns, count, &finding->windows);
    if (first != NULL) {
        AUTO_TEXT struct text found = {0};
        finding->evidence =
            evidence_of_holds(first->hold, first->other, first->lost_ns, first->until_ns);
        tell(model, first, &found);
        finding_decide(finding, FINDING_VIOLATED, "%s; stated are at most %s (%lld of %zu loss%s)",
                       found.bytes, lasting(told_ns).text, (long long)finding->count, count,
                       count == 1 ? "" : "es");
        if (may_be_stalls(model, first))
            finding_blame_stalls(model, model->holds[first->hold].client, first->lost_ns,
                                 first->until_ns, finding);
    } else {
        finding_say(finding, "%zu loss%s, each told in time or over by then", count,
                    count == 1 ? "" : "es");
    }
}

const struct check not_told_check = {
    .name = "not-told",
    .summary = "a holder that has lost the lock is told so in the time that is stated",
    .letter = "U",
    .decide = decide,
    .explain = explain,
    .mitigation = "a client that watches its lease by its own clock, and tells its holder as soon "
                  "as it can no longer be renewed",
    .form = {.needs = "lock.told", .why_not = "without lock.told nothing is stated"},
};
