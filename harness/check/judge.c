#include "harness/base/scope.h"
#include "harness/check/by_lock.h"
#include "harness/check/check.h"
#include "harness/check/describe.h"
#include "harness/check/faults.h"
#include "harness/check/preconditions.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"
#include "harness/workloads/workload.h"

#include <stdio.h>
#include <string.h>

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {
        [VERDICT_SAFE] = "SAFE",          [VERDICT_UNSAFE] = "UNSAFE",   [VERDICT_STUCK] = "STUCK",
        [VERDICT_UNKNOWN] = "UNKNOWN",    [VERDICT_SKIPPED] = "SKIPPED", [VERDICT_ERROR] = "ERROR",
        [VERDICT_NOT_APPLICABLE] = "n/a",
    };
    return names[verdict];
}

bool finding_counts(const struct finding *finding)
{
    return finding->state == FINDING_VIOLATED && !finding->harmless;
}

static const struct finding *finding_of(const struct judgement *judgement, const char *property)
{
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (strcmp(judgement->findings[i].check->name, property) == 0)
            return &judgement->findings[i];
    }
    return NULL;
}

// The higher, the worse: of violations a breach of safety, then a stuck lock, then what did no
// harm.
static int weight(const struct finding *finding)
{
    static const int weights[] = {
        [FINDING_IRRELEVANT] = 0, [FINDING_KEPT] = 1, [FINDING_UNDECIDED] = 2};
    if (finding->state != FINDING_VIOLATED)
        return weights[finding->state];
    return finding->harmless ? 3 : finding->check->shows == SHOWS_NO_PROGRESS ? 4 : 5;
}

// Of equal violations, that which happened first is the cause of the others.
static bool is_worse(const struct finding *finding, const struct finding *other)
{
    int more = weight(finding) - weight(other);
    return more > 0 || (more == 0 && finding->state == FINDING_VIOLATED &&
                        finding->evidence.from_ns < other->evidence.from_ns);
}

const struct finding *judgement_first_violation(const struct judgement *judgement)
{
    const struct finding *first = NULL;
    if (judgement->unexpected != NULL)
        return finding_of(judgement, judgement->unexpected);
    EACH_FINDING (judgement, finding) {
        if (finding->state == FINDING_VIOLATED && (first == NULL || is_worse(finding, first)))
            first = finding;
    }
    return first;
}

struct finding check_lock(const struct check *check, const struct trial_model *model)
{
    struct finding finding = {
        .check = check,
        .state = FINDING_KEPT,
        .evidence = {{SIZE_MAX, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}, TIME_NEVER, TIME_NEVER}};
    const char *const *workloads = check->form.workloads;
    bool applies =
        (check->of == OF_ANY || trial_model_excludes(model)) &&
        (check->of != OF_ONE_HOLDER || trial_model_permits(model) <= 1) &&
        (workloads == NULL || text_is_one_of(model->trial->scenario->workload.kind, workloads));
    if (applies)
        check->decide(model, &finding);
    else
        finding.state = FINDING_IRRELEVANT;
    // What is not in a history that is not whole may have been lost.
    const struct history_condition *condition = &model->history->condition;
    if (finding.state == FINDING_VIOLATED && finding.by_absence &&
        condition->state != HISTORY_WHOLE) {
        char found[sizeof finding.text];
        memcpy(found, finding.text, sizeof found);
        finding_decide(&finding, FINDING_UNDECIDED, "%.160s; as far as it goes, %.200s",
                       condition->text, found);
    }
    return finding;
}

// Adds what was found for another lock: the worse stays, the counts are added.
static void merge(struct finding *merged, const struct finding *finding, const char *thing,
                  int64_t key)
{
    int64_t count = merged->count + finding->count;
    bool is_first = is_worse(finding, merged);
    if (is_first)
        *merged = *finding;
    merged->count = count;
    if (is_first && weight(finding) > 1)
        snprintf(merged->text, sizeof merged->text, "%s %lld: %.380s", thing, (long long)key,
                 finding->text);
}

// Whether the queue that is tried promises no more than that each job is done.
static bool may_repeat(const struct trial *trial)
{
    return workload_find(trial->scenario->workload.kind)->form.has_jobs &&
           trial_has_trait(trial, "at-least-once");
}

static void run_checks(const struct trial_model *model, struct judgement *judgement)
{
    for (size_t i = 0; i < MAX_CHECKS && check_catalogue[i] != NULL; i++)
        judgement->findings[judgement->finding_count++] =
            (struct finding){.check = check_catalogue[i], .state = FINDING_IRRELEVANT};
    const struct workload_words *words = workload_words(model->trial->scenario);
    FOR_EACH_LOCK (locks, model) {
        for (size_t i = 0; i < judgement->finding_count; i++) {
            struct finding finding = check_lock(check_catalogue[i], &locks.part);
            struct evidence *evidence = &finding.evidence;
            finding.harmless |= finding.state == FINDING_VIOLATED && finding.check->is_repeat &&
                                !finding.by_absence && may_repeat(model->trial);
            for (int j = 0; j < 2; j++)
                by_lock_to_whole(&locks, &evidence->holds[j], &evidence->accesses[j]);
            if (locks.indices == NULL)
                judgement->findings[i] = finding;
            else
                merge(&judgement->findings[i], &finding, words->thing, locks.key);
        }
    }
}

// What follows from what stalls could explain is undecided, too: what may be the doing of a holder
// that stalls kept too long, or let in too early. No fenced store lets a stale holder do harm.
static void excuse_followers(const struct trial_model *model, struct judgement *judgement)
{
    const struct finding *cause = NULL;
    for (size_t i = 0; i < judgement->finding_count && cause == NULL; i++)
        cause = judgement->findings[i].by_stalls ? &judgement->findings[i] : NULL;
    if (cause == NULL || model->trial->scenario->workload.fenced)
        return;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        struct finding *finding = &judgement->findings[i];
        const size_t *holds = finding->evidence.holds;
        bool follows = holds[0] == SIZE_MAX || cause->check->shows != SHOWS_TWO_STALE;
        for (size_t j = 0; j < 2 && holds[j] != SIZE_MAX; j++)
            follows |= hold_outlived_lease(model, &model->holds[holds[j]]);
        if (!follows || !finding_counts(finding) || !finding->check->may_follow)
            continue;
        finding->state = FINDING_UNDECIDED;
        finding->by_stalls = true;
    }
}

static bool is_undecided(const struct finding *finding, struct text *why)
{
    return finding->state == FINDING_UNDECIDED && say(why, "%s", finding->text);
}

static bool any_undecided(const struct judgement *judgement, bool by_stalls, struct text *why)
{
    EACH_FINDING (judgement, finding) {
        if ((!by_stalls || finding->by_stalls) && is_undecided(finding, why))
            return true;
    }
    return false;
}

static bool was_held_at(const struct trial_model *model, int64_t at_ns)
{
    FOR_EACH_HOLD (hold, model) {
        if (hold->granted_ns <= at_ns && hold->released_ns >= at_ns)
            return true;
    }
    return false;
}

// A fault that had little to bite on says so, and what it did not try.
static void qualify_safe(const struct trial_model *model, const struct fault_record *record,
                         struct text *why)
{
    const struct fault_instance *instance = record->instance;
    const char *untried = strstr(record->reason, UNTRIED_MARK);
    bool found_nothing_to_forget = fault_can(instance, FAULT_EMPTIES | FAULT_MAY_FORGET) &&
                                   !strikes_only_store(model, instance) &&
                                   !was_held_at(model, record->asked_ns) &&
                                   !was_held_at(model, record->in_effect_ns);
    if (instance->until.kind != CAUSE_NONE && record->healed_ns != TIME_NEVER &&
        record->heal_reason == HEAL_BOUND)
        text_format(why, "; the bound of fault %d came before its cause", instance->number);
    else if (found_nothing_to_forget)
        text_format(why, "; the lock was free when fault %d struck", instance->number);
    else if (untried != NULL)
        text_format(why, "; when fault %d struck, %s", instance->number,
                    untried + strlen(UNTRIED_MARK));
}

static void explain_safe(const struct trial_model *model, const struct judgement *judgement,
                         struct text *why)
{
    const struct finding *harmless = judgement_first_violation(judgement);
    size_t struck;
    size_t drawn = drawn_faults(model, &struck);
    size_t written = model->fault_count - drawn;
    if (harmless != NULL && may_repeat(model->trial))
        text_format(why, "%s; its trait at-least-once lets a job be done again", harmless->text);
    else if (harmless != NULL)
        text_format(why, "%lld unsafe window%s, but %s", (long long)harmless->count,
                    plural(harmless->count),
                    store_refused_writes(model) ? "the store refused every stale write"
                                                : "no stale write came");
    else
        text_format(why, "%zu hold%s, every property kept", model->hold_count,
                    plural((long long)model->hold_count));
    if (harmless == NULL && (written > 0 || drawn == 0))
        text_format(why, ", %zu fault%s in effect", written, plural((long long)written));
    if (drawn > 0)
        text_format(why, ", %zu of %zu drawn fault%s struck", struck, drawn,
                    plural((long long)drawn));
    for (size_t i = 0; i < model->fault_count; i++)
        qualify_safe(model, &model->faults[i], why);
}

// Else what the history does not show may have been.
static bool history_is_whole(const struct trial_model *model, struct text *why)
{
    return model->history->condition.state == HISTORY_WHOLE ||
           !say(why, "%s; what there is of it (%zu hold%s) shows no violation",
                model->history->condition.text, model->hold_count,
                plural((long long)model->hold_count));
}

// What is lost may have said that the machine, not the lock, is to blame for a lease that was
// outlived.
static bool machine_may_be_to_blame(const struct trial_model *model, struct text *why)
{
    return model->history->condition.harness_lost && trial_has_trait(model->trial, "lease") &&
           say(why,
               "%s; a lease seems broken, but what is lost may have said that the machine stood "
               "still, or that its clock was set",
               model->history->condition.text);
}

static enum verdict decide_verdict(const struct trial_model *model, struct judgement *judgement,
                                   struct text *why)
{
    if (model->broken_count > 0) {
        text_format(why, "%lld request%s failed because the harness or its set-up is wrong",
                    (long long)model->broken_count, plural(model->broken_count));
        return VERDICT_ERROR;
    }
    // Nothing is proven about a lease that a server expires by the clock that somebody set.
    if (model->clock_step_ns != 0 && trial_has_trait(model->trial, "lease")) {
        text_format(why,
                    "somebody set the machine's clock by %s during the trial, and the server "
                    "expires leases by it; run it again",
                    lasting(model->clock_step_ns).text);
        return VERDICT_UNKNOWN;
    }
    const struct finding *stuck = finding_of(judgement, "stuck");
    bool unsafe = false;
    for (size_t i = 0; i < judgement->finding_count; i++)
        unsafe |= finding_counts(&judgement->findings[i]) &&
                  judgement->findings[i].check->shows != SHOWS_NO_PROGRESS;
    if (unsafe ? machine_may_be_to_blame(model, why)
               : finding_counts(stuck) && servers_were_left_down(model, why))
        return VERDICT_UNKNOWN;
    if (unsafe || finding_counts(stuck)) {
        text_add(why, judgement_first_violation(judgement)->text);
        return unsafe ? VERDICT_UNSAFE : VERDICT_STUCK;
    }
    // What the wait for the lock left open explains best why a trial ended as it did.
    if (any_undecided(judgement, true, why) || !history_is_whole(model, why) ||
        is_undecided(stuck, why) || !preconditions_hold(model, why) ||
        any_undecided(judgement, false, why))
        return VERDICT_UNKNOWN;
    if (!was_contended(model, why)) {
        judgement->is_measurement = scenario_has_no_rivals(model->trial->scenario);
        return VERDICT_UNKNOWN;
    }
    explain_safe(model, judgement, why);
    return VERDICT_SAFE;
}

// --- whether it is what the scenario expects

static bool is_named(const struct expectation *expectation, const char *property)
{
    const struct string_list *lists[] = {&expectation->because, &expectation->allow};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < lists[i]->count; j++) {
            if (strcmp(lists[i]->items[j], property) == 0)
                return true;
        }
    }
    return false;
}

// The first violated property that the expectation does not explain, or NULL.
static const char *unexplained_property(const struct expectation *expectation,
                                        const struct judgement *judgement)
{
    EACH_FINDING (judgement, finding) {
        const struct check *check = finding->check;
        bool is_explained = is_named(expectation, check->name);
        for (size_t j = 0; check->follows_from != NULL && check->follows_from[j] != NULL; j++)
            is_explained |= is_named(expectation, check->follows_from[j]);
        if (finding_counts(finding) && !is_explained)
            return check->name;
    }
    return NULL;
}

static void list_properties(struct text *out, const char *verdict, const char *const *names,
                            size_t count)
{
    text_add(out, verdict);
    for (size_t i = 0; i < count; i++)
        text_format(out, "%s%s", i == 0 ? " (" : ", ", names[i]);
    text_add(out, count > 0 ? ")" : "");
}

static const enum verdict expected_verdicts[] = {
    [EXPECT_SAFE] = VERDICT_SAFE,
    [EXPECT_UNSAFE] = VERDICT_UNSAFE,
    [EXPECT_STUCK] = VERDICT_STUCK,
};

void expectation_describe(const struct expectation *expectation, struct text *out)
{
    list_properties(out, verdict_name(expected_verdicts[expectation->verdict]),
                    (const char *const *)expectation->because.items, expectation->because.count);
}

// True if the expectation is not met; says why.
static bool is_missed(const struct trial *trial, const char *absent_fault,
                      struct judgement *judgement, struct text *why)
{
    const struct expectation *expectation = trial->expectation;
    const struct string_list *because = &expectation->because;
    bool has_faults = trial->scenario != NULL && scenario_has_faults(trial->scenario);
    // Nothing was violated but what may be, although it is not expected.
    if (expectation->verdict == EXPECT_SAFE && judgement->verdict <= VERDICT_STUCK &&
        expectation->allow.count > 0) {
        judgement->unexpected = unexplained_property(expectation, judgement);
        if (judgement->unexpected == NULL)
            return false;
    }
    if (judgement->verdict != expected_verdicts[expectation->verdict])
        return say(why, "%s",
                   judgement->verdict == VERDICT_SAFE && has_faults ? "the fault did not bite"
                   : judgement->verdict == VERDICT_SAFE  ? "nothing was found to be broken"
                   : expectation->verdict == EXPECT_SAFE ? "the lock broke its promise"
                                                         : "it broke in another way");
    if (absent_fault != NULL && expectation->verdict != EXPECT_SAFE)
        return say(why, "%s never took effect, so that is not what the scenario shows",
                   absent_fault);
    for (size_t i = 0; i < because->count; i++) {
        const struct finding *finding = finding_of(judgement, because->items[i]);
        if (finding == NULL || !finding_counts(finding))
            return say(why, "%s was not found", because->items[i]);
    }
    if (because->count > 0)
        judgement->unexpected = unexplained_property(expectation, judgement);
    return judgement->unexpected != NULL &&
           say(why,
               "it also found %s, which the scenario does not expect; if that is acceptable, add "
               "allow: [%s]",
               judgement->unexpected, judgement->unexpected);
}

void expectation_compare(const struct trial *trial, const char *absent_fault,
                         struct judgement *judgement)
{
    AUTO_TEXT struct text expected = {0}, found = {0}, miss = {0};
    const char *names[MAX_CHECKS];
    size_t count = 0;
    char *out = judgement->expectation_text;
    const size_t room = sizeof judgement->expectation_text;
    judgement->expectation = EXPECTATION_NONE;
    judgement->unexpected = NULL;
    *out = '\0';
    if (trial->expectation == NULL)
        return;
    expectation_describe(trial->expectation, &expected);
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (finding_counts(&judgement->findings[i]))
            names[count++] = judgement->findings[i].check->name;
    }
    list_properties(&found, verdict_name(judgement->verdict), names, count);
    if (judgement->verdict > VERDICT_STUCK) {
        snprintf(out, room, "expected %s, not decided: %s", expected.bytes,
                 verdict_name(judgement->verdict));
    } else if (is_missed(trial, absent_fault, judgement, &miss)) {
        judgement->expectation = EXPECTATION_MISSED;
        snprintf(out, room, "expected %s, got %s: %s", expected.bytes, found.bytes, miss.bytes);
    } else {
        judgement->expectation = EXPECTATION_MET;
        snprintf(out, room, "%s, as expected", found.bytes);
    }
}

// True if the expectation may be missed only because the machine stood still, or because something
// is not in the history: it was interrupted, or is damaged. `excuse` says which.
static bool miss_is_excused(const struct trial_model *model, const struct judgement *judgement,
                            struct text *excuse)
{
    const struct history_condition *condition = &model->history->condition;
    const struct expectation *expectation = model->trial->expectation;
    struct words stalls;
    if (judgement->expectation != EXPECTATION_MISSED || expectation->verdict == EXPECT_SAFE)
        return false;
    // More events could still meet it: nothing was found that contradicts it.
    if (condition->state != HISTORY_WHOLE &&
        (expectation->verdict == EXPECT_UNSAFE || judgement->verdict == VERDICT_STUCK) &&
        (expectation->because.count == 0 || unexplained_property(expectation, judgement) == NULL))
        return say(excuse, "%.140s", condition->text);
    return stalls_may_have_upset(model, &stalls) &&
           say(excuse, "%.140s, which may have upset what it is about", stalls.text);
}

static void set_reason(struct judgement *judgement, struct text *reason)
{
    snprintf(judgement->reason, sizeof judgement->reason, "%s", text_string(reason));
    text_free(reason);
}

void judge(const struct trial_model *model, struct judgement *judgement)
{
    AUTO_TEXT struct text why = {0}, absent = {0}, excuse = {0};
    *judgement = (struct judgement){0};
    run_checks(model, judgement);
    excuse_followers(model, judgement);
    judgement->verdict = decide_verdict(model, judgement, &why);
    set_reason(judgement, &why);
    bool is_absent = fault_was_absent(model, &absent);
    expectation_compare(model->trial, is_absent ? absent.bytes : NULL, judgement);
    if (miss_is_excused(model, judgement, &excuse)) {
        text_format(&why, "%.200s; but %.190s", judgement->expectation_text, excuse.bytes);
        set_reason(judgement, &why);
        judgement->verdict = VERDICT_UNKNOWN;
        expectation_compare(model->trial, NULL, judgement);
    }
    if (judgement->unexpected != NULL)
        snprintf(judgement->reason, sizeof judgement->reason, "%s",
                 judgement_first_violation(judgement)->text);
}

void judge_without_history(const struct trial *trial, enum verdict verdict, const char *reason,
                           struct judgement *judgement)
{
    *judgement = (struct judgement){.verdict = verdict};
    snprintf(judgement->reason, sizeof judgement->reason, "%s", reason);
    expectation_compare(trial, NULL, judgement);
}
