#include "harness/explain/diagnosis.h"

#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/check/sweep.h"
#include "harness/check/updates.h"
#include "harness/workloads/workload.h"

int64_t increments_lost(const struct trial_model *model, int64_t *acknowledged)
{
    struct updates updates;
    const struct workload *workload = workload_find(model->trial->scenario->workload.kind);
    if (workload == NULL || !workload->tells_missing || !model->ends.initial_known ||
        !model->ends.final_known)
        return -1;
    updates_count(model, &updates);
    if (acknowledged != NULL)
        *acknowledged = updates.acknowledged;
    return time_later(updates.acknowledged - (model->ends.final_value - model->ends.initial_value),
                      0);
}

bool tells_requests(const struct trial_model *model)
{
    const struct scenario *scenario = model->trial->scenario;
    return model->trial->external_client != NULL || scenario->is_explored ||
           scenario->schedule.count > 0;
}

bool conclude(struct diagnosis *diagnosis, enum root_cause cause, bool is_proven)
{
    diagnosis->cause = cause;
    diagnosis->certainty = is_proven ? CERTAINTY_PROVEN : CERTAINTY_POSSIBLE;
    return true;
}

// --- one violation -------------------------------------------------------------------------------

// The holds of a finding's evidence: given, or those that made its accesses.
static size_t holds_of(const struct trial_model *model, const struct finding *finding,
                       const struct hold *holds[4])
{
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        size_t access = finding->evidence.accesses[i];
        const struct hold *found[] = {
            hold_at(model, finding->evidence.holds[i]),
            access < model->access_count ? hold_at(model, model->accesses[access].hold) : NULL};
        for (size_t j = 0; j < 2; j++) {
            if (found[j] != NULL)
                holds[count++] = found[j];
        }
    }
    return count;
}

static void make_one(const struct trial_model *model, const struct judgement *judgement,
                     const struct finding *finding, struct diagnosis *diagnosis)
{
    const struct hold *holds[4];
    *diagnosis = (struct diagnosis){.model = model, .judgement = judgement, .finding = finding};
    size_t count = holds_of(model, finding, holds);
    for (size_t i = 0; i < count; i++) {
        if (diagnosis->holds[0] == NULL)
            diagnosis->holds[0] = holds[i];
        else if (diagnosis->holds[1] == NULL && holds[i] != diagnosis->holds[0])
            diagnosis->holds[1] = holds[i];
    }
    EACH_FINDING (judgement, each)
        diagnosis->harm |= finding_counts(each) && each->check->may_follow;
    diagnose_holders(diagnosis);
    const struct hold *const *two = diagnosis->holds;
    const struct hold *later = two[0] > two[1] ? two[0] : two[1];
    bool has_others = trial_model_permits(model) > 1 && diagnosis->overlap_ns > 0;
    has_others |= diagnosis->is_crowd;
    for (const struct hold *hold = model->holds; has_others && hold < later; hold++) {
        bool is_one = diagnosis->is_crowd ? hold->invoked_ns >= two[0]->invoked_ns
                                          : hold->released_ns > later->granted_ns &&
                                                hold_lease_end_ns(model, hold) > later->granted_ns;
        if (hold != two[0] && hold != two[1] && is_one && diagnosis->other_count < DIAGNOSIS_OTHERS)
            diagnosis->others[diagnosis->other_count++] = hold;
    }
    diagnosis_say(diagnosis);
}

// --- which violations follow from which ----------------------------------------------------------

static bool has_hold(const struct diagnosis *diagnosis, const struct hold *hold)
{
    bool is_there =
        diagnosis->holds[0] == hold || diagnosis->holds[1] == hold || diagnosis->culprit == hold;
    for (size_t i = 0; i < diagnosis->family_count; i++)
        is_there = is_there || diagnosis->family[i] == hold;
    return is_there;
}

// True if the other violation is proven to follow from this one. Harm follows from the holds that
// did it, if they are this one's, or if there is nothing else (`is_only`) and it is the sum of all
// that went wrong. A lock that vanished and those who held it at once after that have one cause if
// that is proven of both, and is the same release or fault, and the same hold's lock that it took;
// but of more than one such violation only the first has been looked at.
static bool follows(const struct diagnosis *diagnosis, const struct diagnosis *other, bool is_only)
{
    const struct finding *finding = other->finding;
    const struct hold *holds[4];
    size_t count = holds_of(diagnosis->model, finding, holds);
    bool is_inside = true;
    for (size_t i = 0; i < count; i++)
        is_inside = is_inside && has_hold(diagnosis, holds[i]);
    if (finding->check->may_follow)
        return count > 0 ? is_inside : is_only || diagnosis->finding->check->may_follow;
    return diagnosis->certainty == CERTAINTY_PROVEN && other->certainty == CERTAINTY_PROVEN &&
           diagnosis->cause == other->cause && diagnosis->holds[0] == other->holds[0] &&
           diagnosis->fault == other->fault && diagnosis->culprit == other->culprit &&
           finding->count <= time_later(diagnosis->finding->count, 1);
}

size_t diagnoses_make(const struct trial_model *model, const struct judgement *judgement,
                      struct diagnosis diagnoses[MAX_CHECKS])
{
    size_t count = 0;
    const struct finding *first = judgement_first_violation(judgement);
    if (first == NULL)
        return 0;
    make_one(model, judgement, first, &diagnoses[count++]);
    // What is no harm first: harm may follow from it.
    for (size_t i = 0; i < 2 * judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i % judgement->finding_count];
        struct diagnosis *next = &diagnoses[count];
        struct diagnosis *of = diagnoses;
        if (finding->state != FINDING_VIOLATED || finding == first ||
            finding->check->may_follow != (i >= judgement->finding_count))
            continue;
        bool is_only = count == 1 && diagnoses[0].besides_count == 0;
        make_one(model, judgement, finding, next);
        while (of < next && !follows(of, next, is_only))
            of++;
        if (of < next) {
            memcpy(of->family + of->family_count, next->holds, sizeof next->holds);
            of->family_count += 2;
            of->also[of->also_count++] = finding->check->name;
        } else {
            diagnoses[0].besides[diagnoses[0].besides_count++] = finding->check->name;
            count += finding_counts(finding);
        }
    }
    return count;
}

bool diagnosis_make(const struct trial_model *model, const struct judgement *judgement,
                    struct diagnosis *diagnosis)
{
    AUTO_FREE struct diagnosis *diagnoses = memory_new(MAX_CHECKS * sizeof *diagnoses);
    size_t count = diagnoses_make(model, judgement, diagnoses);
    if (count > 0)
        *diagnosis = diagnoses[0];
    return count > 0;
}

bool diagnosis_covers(const struct diagnosis *diagnosis, const struct check *check)
{
    return diagnosis->finding->check == check || text_is_one_of(check->name, diagnosis->also);
}

// --- in words ------------------------------------------------------------------------------------

void diagnosis_tell(const struct diagnosis *diagnosis, const struct diagnosis *first,
                    struct text *out)
{
    const struct workload_words *words = workload_words(diagnosis->model->trial->scenario);
    int64_t acknowledged = 0;
    int64_t lost = diagnosis == first ? increments_lost(diagnosis->model, &acknowledged) : 0;
    bool is_same_cause = false, is_same_mitigation = false;
    AUTO_TEXT struct text end = {0};
    for (const struct diagnosis *before = first; before < diagnosis; before++) {
        is_same_cause |= strcmp(before->text, diagnosis->text) == 0;
        is_same_mitigation |= strcmp(before->mitigation, diagnosis->mitigation) == 0;
    }
    if (diagnosis->text[0] != '\0')
        text_format(out, "  Cause: %s.\n", is_same_cause ? "as above" : diagnosis->text);
    const struct permits_told told = {.model = diagnosis->model,
                                      .length_ns = diagnosis->overlap_ns};
    if (diagnosis->overlap_ns > 0 && (words->is_counted || trial_model_permits(told.model) > 1))
        permits_tell(&told, words->too_many, &end);
    else if (diagnosis->overlap_ns > 0)
        text_format(&end, "Both believed %s for %s.", words->to_hold,
                    lasting(diagnosis->overlap_ns).text);
    text_add(&end, end.length > 0 ? " " : "");
    if (lost > 0)
        text_format(&end, "In all, %lld of %lld acknowledged %s%s %s lost. ", (long long)lost,
                    (long long)acknowledged, words->update, plural(acknowledged),
                    lost == 1 ? "was" : "were");
    if (diagnosis->also_count > 0) {
        text_add(&end, "Of the same cause: ");
        text_join(&end, diagnosis->also, "and");
        text_add(&end, ".");
    }
    while (end.length > 0 && end.bytes[end.length - 1] == ' ')
        end.bytes[--end.length] = '\0';
    if (end.length > 0)
        text_format(out, "  %s\n", end.bytes);
    if (diagnosis->mitigation[0] != '\0' && !is_same_mitigation)
        text_format(out, "  %s\n", diagnosis->mitigation);
}

// --- one lock of several

// True if the evidence is about that lock; if it does not tell, if the check finds just that there.
static bool is_of(const struct trial_model *whole, const struct finding *first,
                  const struct by_lock *locks)
{
    const struct evidence *evidence = &first->evidence;
    size_t hold = evidence->holds[0];
    if (hold == SIZE_MAX && evidence->accesses[0] != SIZE_MAX)
        hold = whole->accesses[evidence->accesses[0]].hold;
    if (hold != SIZE_MAX && whole->holds[hold].key > 0)
        return whole->holds[hold].key == locks->key;
    struct finding found = check_lock(first->check, &locks->part);
    return found.state == first->state && found.evidence.from_ns == evidence->from_ns &&
           found.evidence.to_ns == evidence->to_ns;
}

void one_lock_start(const struct trial_model *model, const struct judgement *judgement,
                    struct one_lock *one)
{
    const struct finding *first = judgement_first_violation(judgement);
    *one = (struct one_lock){.model = model, .judgement = judgement};
    if (first == NULL)
        return;
    one->locks = by_lock_start(model);
    while (by_lock_next(&one->locks) && one->locks.indices != NULL) {
        if (!is_of(model, first, &one->locks))
            continue;
        one->key = one->locks.key;
        one->model = &one->locks.part;
        one->judged = *judgement;
        for (size_t i = 0; i < judgement->finding_count; i++)
            one->judged.findings[i] = check_lock(judgement->findings[i].check, one->model);
        one->judgement = &one->judged;
        return;
    }
    by_lock_end(&one->locks);
}

void one_lock_end(struct one_lock *one)
{
    by_lock_end(&one->locks);
    *one = (struct one_lock){0};
}
