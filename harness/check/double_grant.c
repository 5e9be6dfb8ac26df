// double-grant: two definite holds overlap while the lease of each was provably valid; of a
// semaphore, more than it has permits. The service broke its promise. Touching ends are no overlap,
// and holds that are shared may overlap each other.
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"
#include "harness/check/windows.h"
#include "harness/workloads/workload.h"

// So many holders of a semaphore are named.
#define MOST_NAMED 6

// Who had a permit when one too many was granted.
static void list_holders(const struct trial_model *model, size_t beyond, struct text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < beyond; i++) {
        const struct hold *hold = &model->holds[i];
        if (time_earlier(hold->released_ns, hold->proven_until_ns) <=
            model->holds[beyond].granted_ns)
            continue;
        if (count++ < MOST_NAMED)
            text_format(out, "%s%s", count > 1 ? ", " : "", holder_name(model, i).text);
    }
    if (count > MOST_NAMED)
        text_format(out, " and %zu more", count - MOST_NAMED);
}

static void describe(const struct trial_model *model, struct finding *finding)
{
    const struct evidence *evidence = &finding->evidence;
    struct words later = holder_name(model, evidence->holds[1]);
    bool leased = model->holds[evidence->holds[0]].proven_until_ns != TIME_NEVER;
    const struct workload_words *words = workload_words(model->trial->scenario);
    if (words->is_counted || trial_model_permits(model) > 1) {
        AUTO_TEXT struct text them = {0}, all = {0};
        list_holders(model, evidence->holds[1], &them);
        permits_tell(&(struct permits_told){model, later.text, text_string(&them), 0},
                     words->beyond, &all);
        finding_decide(finding, FINDING_VIOLATED, "%s", text_string(&all));
    } else {
        finding_decide(finding, FINDING_VIOLATED,
                       "%s was granted the lock while %s held it%s: both held it for %s",
                       later.text, holder_name(model, evidence->holds[0]).text,
                       leased ? " and its lease was valid" : "",
                       lasting(evidence->to_ns - evidence->from_ns).text);
    }
    finding_say(finding, " (%lld such grant%s among %zu)", (long long)finding->count,
                plural(finding->count), model->hold_count);
}

// The evidence is the first that stalls do not explain, if there is one.
static void find(const struct trial_model *model,
                 int64_t (*until_ns)(const struct trial_model *, const struct hold *),
                 struct finding *finding)
{
    AUTO_FREE struct definite_holds holds = definite_holds_until(model, until_ns);
    AUTO_FREE int64_t *windows = memory_new(holds.count * sizeof *windows);
    struct overlaps overlaps = overlaps_start(model, &holds);
    while (overlaps_next(&overlaps)) {
        const struct definite_hold *earlier = overlaps.earlier, *later = overlaps.later;
        const struct hold *first = &model->holds[earlier->hold];
        int64_t to_ns = time_earlier(earlier->to_ns, later->to_ns);
        bool is_first = finding->count == 0;
        bool by_stalls =
            (is_first || finding->by_stalls) &&
            stall_may_have_deposed(model, first->granted_by, model->holds[later->hold].granted_by,
                                   first->invoked_ns, later->from_ns);
        if (is_first || (finding->by_stalls && !by_stalls))
            finding->evidence =
                evidence_of_holds(earlier->hold, later->hold, later->from_ns, to_ns);
        finding->by_stalls = by_stalls;
        windows[finding->count++] = to_ns - later->from_ns;
    }
    distribution_make(windows, (size_t)finding->count, &finding->windows);
}

// None is certain. One may be, if a lease did not end as early as it may have.
static void decide_doubtful(const struct trial_model *model, struct finding *finding)
{
    struct finding doubtful = *finding;
    bool is_in_doubt = false;
    FOR_EACH_HOLD (hold, model) {
        is_in_doubt |= hold->told_until_ns != hold->proven_until_ns;
    }
    if (is_in_doubt)
        find(model, hold_told_end_ns, &doubtful);
    if (doubtful.count == 0) {
        finding_say(finding, "no %s of %zu holds overlapped while valid",
                    trial_model_permits(model) > 1 ? "more than the permits" : "two",
                    model->hold_count);
        return;
    }
    const size_t *holds = doubtful.evidence.holds;
    const struct hold *earlier = &model->holds[holds[0]], *later = &model->holds[holds[1]];
    finding_decide(finding, FINDING_UNDECIDED, "%s was granted the lock while %s held it, but %s",
                   holder_name(model, holds[1]).text, holder_name(model, holds[0]).text,
                   describe_doubt(model, earlier, later));
    if (external_client_host(model->trial->external_client, 1) == NULL)
        return;
    // Its library's holder, which is there, may have gone on in time: what was late is our way to
    // it.
    int64_t from_ns = time_earlier(earlier->invoked_ns, later->invoked_ns);
    finding->by_stalls = true;
    if (stalled_ns(model, STALLS_OF_ALL, from_ns, later->granted_ns) > 0)
        finding_say(finding, " (%s)",
                    describe_stalls(model, STALLS_OF_ALL, from_ns, later->granted_ns).text);
}

// Of those that a rate limiter let through no two, or no more than its permits, were certainly
// within one window. Together they may be: as each counts from some time of its acquire on.
static void decide_windows(const struct trial_model *model, struct finding *finding)
{
    int64_t length_ns = without_drift_ns(model, model->trial->scenario->lock.lease_ns);
    AUTO_FREE struct span *spans = memory_new(model->hold_count * sizeof *spans);
    AUTO_FREE struct ranked *order = memory_new(model->hold_count * sizeof *order);
    struct windows_crowd crowd;
    FOR_EACH_HOLD (hold, model) {
        order[hold - model->holds] = (struct ranked){
            time_earlier(hold_lease_end_ns(model, hold) - length_ns, hold->granted_ns),
            index_of(model, hold)};
    }
    sort_ranked(order, model->hold_count);
    for (size_t i = 0; i < model->hold_count; i++)
        spans[i] = (struct span){order[i].value, model->holds[order[i].index].granted_ns};
    enum outcome hold =
        windows_hold(spans, model->hold_count, length_ns, trial_model_permits(model), &crowd);
    if (hold == OUTCOME_UNKNOWN)
        finding_decide(finding, FINDING_UNDECIDED,
                       "it takes too long to tell whether %zu can have been let through so",
                       model->hold_count);
    if (hold != OUTCOME_NO)
        return;
    AUTO_TEXT struct text all = {0};
    struct span within = {spans[crowd.first].from_ns, spans[crowd.last].to_ns};
    struct words last = holder_name(model, order[crowd.last].index);
    AUTO_FREE char *them = text_formatted("%zu", crowd.count);
    permits_tell(&(struct permits_told){model, last.text, them, within.to_ns - within.from_ns},
                 workload_words(model->trial->scenario)->crowded, &all);
    finding->count = 1;
    finding->evidence = evidence_of_holds(order[crowd.first].index, order[crowd.last].index,
                                          within.from_ns, within.to_ns);
    finding_decide(finding, FINDING_VIOLATED, "%s", text_string(&all));
    finding->by_stalls = stalled_ns(model, STALLS_OF_ALL, within.from_ns, within.to_ns) > 0;
    if (finding->by_stalls)
        finding_decide(finding, FINDING_UNDECIDED, "%s (%s)", text_string(&all),
                       describe_stalls(model, STALLS_OF_ALL, within.from_ns, within.to_ns).text);
}

static void decide(const struct trial_model *model, struct finding *finding)
{
    find(model, hold_lease_end_ns, finding);
    if (finding->count == 0) {
        decide_doubtful(model, finding);
        if (finding->state == FINDING_KEPT && workload_words(model->trial->scenario)->is_counted)
            decide_windows(model, finding);
        return;
    }
    describe(model, finding);
    if (finding->by_stalls)
        finding_blame_deposing(model, model->holds[finding->evidence.holds[0]].granted_by,
                               model->holds[finding->evidence.holds[1]].granted_by, finding);
}

const struct check double_grant_check = {
    .name = "double-grant",
    .summary = "nobody is granted the lock while another holds it with a valid lease",
    .letter = "D",
    .of = OF_EXCLUDING,
    .decide = decide,
    .shows = SHOWS_TWO_VALID,
    .follows_from = (const char *const[]){"wrongful-release", NULL},
};
