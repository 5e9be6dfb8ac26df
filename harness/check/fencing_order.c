// fencing-order: fencing tokens increase strictly in the order in which the grants were valid, and
// no two are equal. A store that keeps the highest token would else refuse a live holder, and let a
// stale one write.
//
// Which of two grants was valid first must be certain. It is if the one was answered before the
// acquire of the other was invoked; or, for a lock that keeps others out, if the other could not
// have come to its end before the one was answered, while the one's lease was over before the other
// was answered. The order of the answers says nothing: a token that is fetched by a second request
// may be drawn after the next holder's.
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/check/sweep.h"

#include <stdlib.h>

static void note(const struct trial_model *model, struct finding *finding, size_t earlier,
                 size_t later)
{
    const struct hold *first = &model->holds[earlier];
    const struct hold *second = &model->holds[later];
    int64_t from_ns = time_later(first->granted_ns, second->granted_ns);
    if (finding->count == 0 || from_ns < finding->evidence.from_ns)
        finding->evidence = evidence_of_holds(earlier, later, from_ns, second->released_ns);
    finding->count++;
}

// --- the highest token among the holds that were answered before a time --------------------------

// A binary indexed tree of maxima (Fenwick, "A new data structure for cumulative frequency tables",
// 1994) over the holds, which are in the order of their answers. SIZE_MAX: none.
struct highest {
    const struct trial_model *model;
    size_t *holds;
};

static void highest_open(struct highest *highest, const struct trial_model *model)
{
    *highest = (struct highest){model, memory_new(model->hold_count * sizeof *highest->holds)};
    for (size_t i = 0; i < model->hold_count; i++)
        highest->holds[i] = SIZE_MAX;
}

static size_t higher(const struct trial_model *model, size_t a, size_t b)
{
    return b != SIZE_MAX && (a == SIZE_MAX || model->holds[b].token > model->holds[a].token) ? b
                                                                                             : a;
}

static void highest_add(const struct highest *highest, size_t hold)
{
    for (size_t i = hold + 1; i <= highest->model->hold_count; i += i & (~i + 1))
        highest->holds[i - 1] = higher(highest->model, highest->holds[i - 1], hold);
}

static size_t highest_before(const struct highest *highest, int64_t at_ns)
{
    const struct trial_model *model = highest->model;
    size_t found = SIZE_MAX;
    size_t end = first_grant(model, at_ns);
    for (size_t i = end; i > 0; i -= i & (~i + 1))
        found = higher(model, found, highest->holds[i - 1]);
    return found;
}

// --- which was first -----------------------------------------------------------------------------

// When it was over. Of one that was answered when its lease was no longer proven, that must have
// been by whatever the service has said.
static int64_t over_ns(const struct trial_model *model, const struct hold *hold)
{
    int64_t proven_ns = hold_lease_end_ns(model, hold);
    bool granted_too_late = proven_ns < hold->released_ns && proven_ns <= hold->granted_ns;
    return time_earlier(hold->released_ns,
                        granted_too_late ? hold_last_end_ns(model, hold) : proven_ns);
}

// What came to nothing need not have been guarded for as long as its worker believed.
static bool is_ordered(const struct hold *hold)
{
    return hold->token != 0 && !hold->rolled_back;
}

static void compare_order(const struct trial_model *model, struct finding *finding)
{
    struct highest answered, ended, ended_exclusive; // grants, and those that were over by then
    AUTO_FREE struct ranked *ends = memory_new(model->hold_count * sizeof *ends);
    size_t end_count = 0, next = 0;
    bool excludes = trial_model_excludes(model) && trial_model_permits(model) == 1;
    highest_open(&answered, model);
    highest_open(&ended, model);
    highest_open(&ended_exclusive, model);
    for (size_t i = 0; i < model->hold_count; i++) {
        if (model->holds[i].token != 0)
            highest_add(&answered, i);
        if (is_ordered(&model->holds[i]))
            ends[end_count++] = (struct ranked){over_ns(model, &model->holds[i]), i};
    }
    sort_ranked(ends, end_count);
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct hold *hold = &model->holds[i];
        if (hold->token == 0)
            continue;
        size_t before = highest_before(&answered, hold->invoked_ns);
        for (; next < end_count && ends[next].value <= hold->granted_ns; next++) {
            highest_add(&ended, ends[next].index);
            if (!model->holds[ends[next].index].shared)
                highest_add(&ended_exclusive, ends[next].index);
        }
        // Answered by when this one was valid for certain.
        int64_t valid_ns = time_earlier(hold->released_ns, hold_lease_end_ns(model, hold));
        if (excludes && is_ordered(hold))
            before = higher(model, before,
                            highest_before(hold->shared ? &ended_exclusive : &ended, valid_ns));
        if (before != SIZE_MAX && model->holds[before].token > hold->token)
            note(model, finding, before, i);
    }
    free(ended_exclusive.holds);
    free(ended.holds);
    free(answered.holds);
}

static void compare_equal(const struct trial_model *model, struct finding *finding)
{
    AUTO_FREE struct ranked *tokens = memory_new(model->hold_count * sizeof *tokens);
    size_t count = 0;
    for (size_t i = 0; i < model->hold_count; i++) {
        if (model->holds[i].token != 0)
            tokens[count++] = (struct ranked){model->holds[i].token, i};
    }
    sort_ranked(tokens, count);
    for (size_t i = 1; i < count; i++) {
        if (tokens[i - 1].value == tokens[i].value)
            note(model, finding, tokens[i - 1].index, tokens[i].index);
    }
}

static void describe(const struct trial_model *model, struct finding *finding)
{
    const struct hold *first = &model->holds[finding->evidence.holds[0]];
    const struct hold *second = &model->holds[finding->evidence.holds[1]];
    struct words earlier = holder_name(model, finding->evidence.holds[0]);
    struct words later = holder_name(model, finding->evidence.holds[1]);
    long long older = (long long)first->token, newer = (long long)second->token;
    if (older == newer)
        finding_say(finding, "%s and %s were both given token %lld", earlier.text, later.text,
                    older);
    else if (first->granted_ns > second->granted_ns)
        finding_say(finding,
                    "%s, whose lease was over, was given token %lld beside the live grant of %s "
                    "with token %lld: the store would refuse the live one",
                    earlier.text, older, later.text, newer);
    else
        finding_say(finding, "%s was given token %lld after %s had been given %lld", later.text,
                    newer, earlier.text, older);
    finding_say(finding, " (%lld token%s out of order)", (long long)finding->count,
                older == newer ? "s" : plural(finding->count));
}

static void decide(const struct trial_model *model, struct finding *finding)
{
    size_t tokens = 0;
    FOR_EACH_HOLD (hold, model) {
        tokens += hold->token != 0;
    }
    finding->state = tokens > 0 ? FINDING_KEPT : FINDING_IRRELEVANT;
    if (tokens == 0)
        return;
    compare_order(model, finding);
    compare_equal(model, finding);
    if (finding->count == 0) {
        finding_say(finding, "%zu tokens, each newer than the one before", tokens);
        return;
    }
    finding->state = FINDING_VIOLATED;
    describe(model, finding);
}

const struct check fencing_order_check = {
    .name = "fencing-order",
    .summary = "fencing tokens grow strictly from one valid grant to the next",
    .letter = "F",
    .decide = decide,
    .shows = SHOWS_TOKENS,
    .form = {.needs = "workload.fenced", .why_not = "without workload.fenced there are no tokens"},
};
