// The story of a violation: who held the lock when, what each read and wrote, what struck
// meanwhile, and what would have prevented it.
#include "harness/explain/story.h"

#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/check/lost_lock.h"
#include "harness/check/stuck.h"
#include "harness/check/sweep.h"
#include "harness/explain/diagnosis.h"
#include "harness/explain/fault_text.h"
#include "harness/explain/story_lines.h"
#include "harness/workloads/workload.h"

#include <stdio.h>
#include <string.h>

// --- who takes part ------------------------------------------------------------------------------

#define STORY_HOLDS 12
#define STORY_ACCESSES 6 // a hold that makes more reads and writes is told in part

// A release, a write or a failover that takes longer is told with both its moments: something
// happens meanwhile, and a picture shows it where it began.
#define LONG_NS (5 * NS_PER_MS)

struct story {
    const struct trial_model *model;
    struct story_lines lines;
    const struct hold *holds[STORY_HOLDS]; // that take part
    size_t hold_count;
    const struct hold *culprit; // whose release removed another's lock; NULL
    const struct hold *wronged; // whose lock it removed; NULL
    bool certainly;             // that release certainly removed it; else it only may have
    bool tokens;                // fencing tokens are part of what is to be shown
    bool needs_ends;            // releases are part of what is to be shown
    int64_t violated_until_ns;
    const struct workload_words *words;
};

static bool has_hold(const struct story *story, const struct hold *hold)
{
    for (size_t i = 0; i < story->hold_count; i++) {
        if (story->holds[i] == hold)
            return true;
    }
    return false;
}

static void add_hold(struct story *story, const struct hold *hold)
{
    if (hold != NULL && story->hold_count < STORY_HOLDS && !has_hold(story, hold))
        story->holds[story->hold_count++] = hold;
}

static struct words name_of(const struct story *story, const struct hold *hold)
{
    return worker_name(story->model, hold->client, hold->worker);
}

static double seconds(const struct story *story, int64_t at_ns)
{
    return (double)(at_ns - story->model->started_ns) / (double)NS_PER_S;
}

// True if a fault of the scenario killed the client: then the fault's line tells of its death.
static bool fault_killed(const struct trial_model *model, int client)
{
    FOR_EACH_FAULT (record, model) {
        if (record->instance->target.client == client && fault_can(record->instance, FAULT_KILLS) &&
            took_effect(record))
            return true;
    }
    return false;
}

// --- the grant -----------------------------------------------------------------------------------

// Another of the story's holds whose worker believes in it when `hold` is granted, or NULL.
static const struct hold *believer(const struct story *story, const struct hold *hold)
{
    for (size_t i = 0; i < story->hold_count; i++) {
        const struct hold *other = story->holds[i];
        bool earlier = other->granted_ns < hold->granted_ns ||
                       (other->granted_ns == hold->granted_ns && other < hold);
        if (earlier && other->released_ns > hold->granted_ns)
            return other;
    }
    return NULL;
}

// How the lock can be granted although another believes that it holds it.
static void add_believer(const struct story *story, const struct hold *hold,
                         const struct hold *other, struct text *out)
{
    text_format(out, ": %s", name_of(story, other).text);
    if (other->valid_until_ns <= hold->granted_ns)
        text_format(out, "'s lease ran out %s ago",
                    lasting(hold->granted_ns - other->valid_until_ns).text);
    else if (hold_lease_end_ns(story->model, other) > hold->granted_ns)
        text_format(out, " still %s", story->words->holds);
    else
        text_add(out,
                 other->is_unanchored ? "'s lease may be over" : "'s lease is just running out");
}

static void tell_grant(struct story *story, const struct hold *hold, const char *who)
{
    AUTO_TEXT struct text what = {0};
    int64_t permits = trial_model_permits(story->model);
    int64_t taken = 0;
    bool late = hold->valid_until_ns <= hold->granted_ns;
    const struct event *granted = &story->model->history->events[hold->granted_event];
    const struct hold *other = believer(story, hold);
    bool is_counted = permits > 1 || story->words->is_counted;
    const struct hold *before = story->model->holds;
    for (; is_counted && before < hold; before++) // of a history of any length
        taken += before->key == hold->key && before->released_ns > hold->granted_ns;
    text_format(&what, "%s%s",
                permits > 1 && story->words->admits != NULL ? story->words->admits
                : late                                      ? story->words->learns
                                                            : story->words->acquires,
                hold->shared ? " as a reader" : "");
    if (permits == 1 && story->tokens && hold->token != 0)
        text_format(&what, " with %s %lld", story->words->token, (long long)hold->token);
    if (is_counted && taken >= permits)
        permits_tell(&(struct permits_told){.model = story->model}, story->words->all_out, &what);
    else if (story->words->is_counted && hold->granted_ns - hold->invoked_ns > LONG_NS)
        text_format(&what, " (asked at %.3f s, counts until %.3f s at least)",
                    seconds(story, hold->invoked_ns), seconds(story, hold->valid_until_ns));
    else if (story->words->is_counted)
        text_format(&what, " (counts until %.3f s)", seconds(story, hold->valid_until_ns));
    else if (permits == 1 && late)
        text_format(&what, ": its lease ran out %s ago",
                    lasting(hold->granted_ns - hold->valid_until_ns).text);
    else if (permits == 1 && other != NULL)
        add_believer(story, hold, other, &what);
    else if (hold->valid_until_ns != TIME_NEVER) // as it was granted; renewals are told apart
        text_format(&what, " (lease %s, valid until %.3f s%s)",
                    lasting(story->model->trial->scenario->lock.lease_ns).text,
                    seconds(story, granted->acquire_return.valid_until_ns),
                    hold->is_unanchored ? " at the earliest" : "");
    story_add(&story->lines, hold->granted_ns, LINE_KEY, who, "%s", text_string(&what));
}

// --- reads and writes ----------------------------------------------------------------------------

// What is known of the store when a write came.
struct stored {
    const struct access *by; // the write whose value it held; NULL: the initial value
    bool in_doubt;           // nobody knows: other writes came at the same time, or may have come
};

static struct stored stored_before(const struct trial_model *model, const struct access *write)
{
    struct stored stored = {NULL, false};
    FOR_EACH_ACCESS (other, model) {
        if (other->is_write && other->outcome == OUTCOME_OK &&
            other->returned_ns <= write->invoked_ns &&
            (stored.by == NULL || other->returned_ns > stored.by->returned_ns))
            stored.by = other;
    }
    FOR_EACH_ACCESS (other, model) {
        if (!other->is_write || other == write || other->outcome == OUTCOME_NO ||
            other->invoked_ns >= write->returned_ns)
            continue;
        // No answer: it may come at any time, unless its client died before others wrote.
        stored.in_doubt |=
            other->outcome == OUTCOME_OK
                ? other->returned_ns > write->invoked_ns
                : stored.by == NULL || model->holds[other->hold].died_ns > stored.by->invoked_ns;
    }
    return stored;
}

// The hold that had made the same update before, one of the story's if possible: an accepted write
// of the same value seen; NULL if none had.
static const struct hold *same_update_before(const struct story *story, const struct access *write)
{
    const struct hold *found = NULL;
    FOR_EACH_ACCESS (other, story->model) {
        const struct hold *hold = &story->model->holds[other->hold];
        if (other->is_write && other->hold != write->hold && other->outcome == OUTCOME_OK &&
            other->seen == write->seen && other->returned_ns < write->returned_ns &&
            (found == NULL || has_hold(story, hold)))
            found = hold;
    }
    return found;
}

// " (sent at 0.312 s)", or nothing if it was answered at once.
static void add_sent(const struct story *story, const struct access *access, struct text *out)
{
    if (access->is_write && access->returned_ns != TIME_NEVER &&
        access->returned_ns - access->invoked_ns > LONG_NS)
        text_format(out, " (sent at %.3f s)", seconds(story, access->invoked_ns));
}

static void add_sale(const struct story *story, const struct access *write, struct text *out)
{
    const struct hold *same = same_update_before(story, write);
    struct stored stored = stored_before(story->model, write);
    text_format(out, "buys unit %lld (writes %lld", (long long)write->seen,
                (long long)write->value);
    if (stored.by != NULL && !stored.in_doubt && stored.by->value != write->seen &&
        stored.by->value != write->value)
        text_format(out, " over %lld", (long long)stored.by->value);
    text_add(out, ")");
    add_sent(story, write, out);
    if (same != NULL)
        text_format(out, ": %s has bought it already", name_of(story, same).text);
}

static void add_increment(const struct story *story, const struct access *write, struct text *out)
{
    const struct hold *same = same_update_before(story, write);
    struct stored stored = stored_before(story->model, write);
    text_format(out, "%s %lld", story->words->writes, (long long)write->value);
    add_sent(story, write, out);
    if (stored.in_doubt && same != NULL)
        text_format(out, ", computed from %lld, as %s did", (long long)write->seen,
                    name_of(story, same).text);
    if (stored.in_doubt || stored.by == NULL || stored.by->value == write->seen)
        return;
    struct words other = holder_name(story->model, stored.by->hold);
    if (stored.by->value != write->value)
        text_format(out, ", computed from %lld, over the %lld that %s has written by then",
                    (long long)write->seen, (long long)stored.by->value, other.text);
    else
        // It changes nothing: it is not in the value whatever comes later. Of other values some
        // may be brought back by a third who has read them; the total is told at last.
        text_format(out, " over %s's %lld: one %s is lost", other.text, (long long)stored.by->value,
                    story->words->update);
}

static void add_access(const struct story *story, const struct access *access, struct text *out)
{
    const struct scenario *scenario = story->model->trial->scenario;
    const char *kind = scenario->workload.kind;
    const struct workload *workload = workload_find(kind);
    const struct hold *hold = &story->model->holds[access->hold];
    if (access->outcome == OUTCOME_OK && workload->job != NULL) {
        struct job_mark job = workload->job(scenario, hold->operation, hold->key);
        text_format(out, "%s job %lld %s", access->is_write ? "does" : "finds",
                    (long long)job.number,
                    access->is_write                      ? "and notes it as done"
                    : (access->value >> job.bit & 1) == 1 ? "done"
                                                          : "not done yet");
        add_sent(story, access, out);
    } else if (access->outcome == OUTCOME_OK && !access->is_write) {
        text_format(out, "reads %lld", (long long)access->value);
    } else if (access->outcome == OUTCOME_OK) {
        (strcmp(kind, "oversell") == 0 ? add_sale : add_increment)(story, access, out);
    } else {
        text_add(out, "tries to ");
        if (access->is_write)
            text_format(out, "write %lld", (long long)access->value);
        else
            text_add(out, "read");
        add_sent(story, access, out);
        if (access->outcome == OUTCOME_NO && access->token > 0)
            text_format(out, ": the store refuses its old %s %lld", story->words->token,
                        (long long)access->token);
        else
            text_add(out, access->outcome == OUTCOME_UNKNOWN ? " and gets no answer"
                                                             : ": the store refuses it");
    }
}

// Whoever removed another's lock had done its own work before; what was read shows in what is
// written, too; and of many, the last are told until the violation was over.
static void tell_accesses(struct story *story, const struct hold *hold, const char *who)
{
    bool aside = story->needs_ends && hold == story->culprit;
    const struct access *access = &story->model->accesses[hold->first_access];
    size_t left = hold->access_count;
    for (; left > STORY_ACCESSES && access[STORY_ACCESSES].invoked_ns <= story->violated_until_ns;
         left--)
        access++;
    for (size_t i = 0; i < left && i < STORY_ACCESSES; i++, access++) {
        AUTO_TEXT struct text what = {0};
        add_access(story, access, &what);
        story_join(&story->lines, hold,
                   access->returned_ns != TIME_NEVER ? access->returned_ns : access->invoked_ns,
                   aside || !access->is_write ? LINE_HELPFUL : LINE_NEEDED, who, what.bytes);
    }
}

// Steps in and out of a hold that were refused.
static void tell_reentries(struct story *story, const struct hold *hold, const char *who)
{
    const struct trial_model *model = story->model;
    FOR_EACH_REENTRY (reentry, model) {
        if (reentry->hold == index_of(model, hold) && reentry_was_refused(reentry))
            story_add(&story->lines, reentry->returned_ns, LINE_KEY, who,
                      "tries to %s depth %lld: the lock is refused",
                      reentry->is_leave ? "leave" : "enter", (long long)reentry->depth);
    }
}

// The last renewal, and how many there were; after somebody else's grant it is no more its own.
static void tell_renewals(struct story *story, const struct hold *hold, const char *who)
{
    const struct event *granted = &story->model->history->events[hold->granted_event];
    const struct event *last = NULL;
    const struct hold *next = NULL;
    size_t count = 0;
    FOR_EVENTS (event, story->model, granted, hold->released_ns) {
        if (event->kind == EVENT_RENEW_RETURN && event->outcome == OUTCOME_OK &&
            event->client == hold->client && event->operation == hold->operation) {
            last = event;
            count++;
        }
    }
    for (size_t i = 0; last != NULL && next == NULL && i < story->hold_count; i++) {
        if (story->holds[i]->granted_ns > hold->granted_ns &&
            story->holds[i]->granted_ns < last->at_ns)
            next = story->holds[i];
    }
    const char *times = count == 1 ? "" : " once more";
    if (next != NULL)
        story_add(&story->lines, last->at_ns, LINE_NEEDED, who,
                  "renews the lock%s, which is %s's by now", times, name_of(story, next).text);
    else if (last != NULL)
        story_add(&story->lines, last->at_ns, LINE_HELPFUL, who,
                  "renews its lease%s: valid until %.3f s", times,
                  seconds(story, last->renew_return.valid_until_ns));
}

// --- the end of a hold ---------------------------------------------------------------------------

// A release that took long began in a line of its own.
static void tell_release(struct story *story, const struct hold *hold, const char *who,
                         bool took_long)
{
    bool is_permit =
        hold->answer == RELEASE_UNCHECKED && trial_has_trait(story->model->trial, "permits");
    if (hold == story->culprit && story->wronged != NULL)
        story_add(&story->lines, hold->returned_ns, LINE_KEY, who, "%s: it %s the lock %s%s%s",
                  hold->answer == RELEASE_UNKNOWN ? "gets no answer to its release"
                  : took_long                     ? "finishes its release"
                                                  : "releases the lock",
                  story->certainly ? "removes" : "may have removed",
                  has_hold(story, story->wronged) ? "of " : "that ",
                  name_of(story, story->wronged).text,
                  has_hold(story, story->wronged) ? "" : " has been granted meanwhile");
    else
        story_add(&story->lines, hold->returned_ns,
                  !story->needs_ends       ? LINE_ASIDE
                  : hold == story->wronged ? LINE_NEEDED
                                           : LINE_HELPFUL,
                  who, "%s",
                  took_long && hold->answer <= RELEASE_RELEASED ? "finishes its release"
                  : is_permit                                   ? "gives its permit back"
                              : story->words->releases[hold->answer]);
}

static void tell_end(struct story *story, const struct hold *hold, const char *who)
{
    // Who gave up waiting when the trial was over was not answered.
    bool answered =
        hold->returned_ns != TIME_NEVER &&
        (hold->answer != RELEASE_UNKNOWN || hold->returned_ns <= story->model->ended_ns);
    bool took_long =
        hold->release_invoked && (!answered || hold->returned_ns - hold->released_ns > LONG_NS);
    if (took_long)
        story_add(&story->lines, hold->released_ns, story->needs_ends ? LINE_NEEDED : LINE_ASIDE,
                  who, "%s", story->words->begins_release);
    if (answered)
        tell_release(story, hold, who, took_long);
    else if (hold->died_ns != TIME_NEVER && !fault_killed(story->model, hold->client))
        story_add(&story->lines, hold->died_ns, LINE_KEY, who, "dies, %s",
                  hold->died ? story->words->holding : "releasing the lock");
}

static void tell_holds(struct story *story)
{
    for (size_t i = 0; i < story->hold_count; i++) {
        const struct hold *hold = story->holds[i];
        struct words who = name_of(story, hold);
        tell_grant(story, hold, who.text);
        tell_accesses(story, hold, who.text);
        tell_reentries(story, hold, who.text);
        tell_renewals(story, hold, who.text);
        if (hold->told_lost_ns <= hold->released_ns)
            story_add(&story->lines, hold->told_lost_ns, LINE_NEEDED, who.text, "%s",
                      story->words->told_lost);
        tell_end(story, hold, who.text);
    }
}

// --- who waits -----------------------------------------------------------------------------------

static void tell_waiters(struct story *story, const struct diagnosis *diagnosis, int64_t from_ns)
{
    int told = 0;
    FOR_EACH_ATTEMPT (attempt, story->model) {
        bool is_again = false; // an earlier one of the same worker has been told of
        if (told == 3 || attempt->returned_ns < from_ns || attempt == diagnosis->attempt ||
            attempt->died)
            continue;
        for (const struct hold *other = story->model->attempts; other < attempt; other++)
            is_again |= other->client == attempt->client && other->worker == attempt->worker &&
                        other->returned_ns >= from_ns;
        if (is_again)
            continue;
        story_add(&story->lines, attempt->invoked_ns, LINE_HELPFUL, name_of(story, attempt).text,
                  "%s", story->words->waits);
        told++;
    }
}

// The acquire that may have left the lock behind.
static void tell_lost_acquire(struct story *story, const struct hold *lost, bool any_worker)
{
    struct words who = name_of(story, lost);
    story_add(&story->lines, lost->invoked_ns, LINE_NEEDED, who.text,
              "begins to acquire the lock%s", any_worker ? ", as others of its client do" : "");
    if (!lost->died)
        story_add(&story->lines, lost->returned_ns, LINE_NEEDED, who.text,
                  "gets no answer to its acquire");
    else if (!fault_killed(story->model, lost->client))
        story_add(&story->lines, lost->died_ns, LINE_NEEDED, who.text, "dies, acquiring the lock");
}

static void tell_no_progress(struct story *story, const struct diagnosis *diagnosis)
{
    const struct trial_model *model = story->model;
    const struct evidence *evidence = &diagnosis->finding->evidence;
    bool is_release = is_of_hanging_release(model, diagnosis->finding);
    int64_t from_ns = evidence->from_ns;
    struct no_progress interval = no_progress_find(model);
    const struct hold *hold = is_release ? hold_at(model, evidence->holds[0]) : interval.hold;
    story->needs_ends = true;
    add_hold(story, hold);
    if (!is_release && diagnosis->attempt != NULL)
        tell_lost_acquire(story, diagnosis->attempt, diagnosis->any_worker);
    tell_waiters(story, diagnosis, is_release ? from_ns : interval.from_ns);
    struct words length = lasting(evidence->to_ns - (is_release ? hold->released_ns : from_ns));
    if (is_release)
        story_add(&story->lines, evidence->to_ns, LINE_KEY, name_of(story, hold).text,
                  "has waited for the answer to its release for %s", length.text);
    else
        story_add(&story->lines, evidence->to_ns, LINE_KEY, "nobody", "has %s for %s",
                  story->words->granted, length.text);
}

// Who may have been given the job without being told so, and who was told that it is gone.
static void tell_lost_job(struct story *story, const struct evidence *evidence)
{
    FOR_EACH_ATTEMPT (attempt, story->model) {
        if (attempt->outcome == OUTCOME_UNKNOWN && attempt->invoked_ns < evidence->to_ns)
            tell_lost_acquire(story, attempt, false);
        else if (attempt->is_gone && attempt->returned_ns == evidence->to_ns)
            story_add(&story->lines, attempt->returned_ns, LINE_KEY, name_of(story, attempt).text,
                      "asks for the job: it is gone");
    }
}

// --- a lock that was removed ---------------------------------------------------------------------

static void set_removal(struct story *story, const struct evidence *evidence)
{
    story->wronged = hold_at(story->model, evidence->holds[0]);
    story->culprit = hold_at(story->model, evidence->holds[1]);
    story->certainly = wrongful_release_is_certain(story->model, evidence);
}

// If a hold that takes part removed the lock of another, its release says so whatever is told; but
// of two who hold one and the same lock at once nobody can tell whose it is that goes.
static void find_removal(struct story *story, const struct diagnosis *diagnosis)
{
    const struct trial_model *model = story->model;
    const struct finding *told = diagnosis->finding;
    if (diagnosis->cause == ROOT_REMOVED && diagnosis->culprit != NULL) {
        story->needs_ends = true;
        story->wronged = diagnosis->holds[0];
        story->culprit = diagnosis->culprit;
        story->certainly = diagnosis->certainty == CERTAINTY_PROVEN;
    } else if (told->check->shows != SHOWS_TWO_VALID) {
        EACH_FINDING (diagnosis->judgement, finding) {
            const struct evidence *evidence = &finding->evidence;
            if (finding->state == FINDING_VIOLATED && finding->check->shows == SHOWS_REMOVAL &&
                has_hold(story, hold_at(model, evidence->holds[1])) &&
                wrongful_release_is_certain(model, evidence))
                set_removal(story, evidence);
        }
    }
    if (told->check->shows != SHOWS_REMOVAL)
        return;
    story->needs_ends = true;
    set_removal(story, &told->evidence);
    const struct hold *granted = NULL; // because the lock had been removed
    FOR_EACH_HOLD (hold, model) {
        if (granted == NULL && hold != story->wronged && hold != story->culprit &&
            hold->granted_ns > told->evidence.from_ns &&
            hold->granted_ns < story->wronged->returned_ns &&
            hold->granted_ns >= story->wronged->granted_ns)
            granted = hold;
    }
    add_hold(story, granted);
}

// --- faults --------------------------------------------------------------------------------------

// The first of the story's holds that the fault's target held then, or NULL.
static const struct hold *held_by_target(const struct story *story,
                                         const struct fault_record *record)
{
    const struct target *target = &record->instance->target;
    for (size_t i = 0; i < story->hold_count; i++) {
        const struct hold *hold = story->holds[i];
        if (target->client == hold->client &&
            (target->worker == 0 || target->worker == hold->worker) &&
            hold->granted_ns <= record->in_effect_ns &&
            (fault_can(record->instance, FAULT_KILLS) ? hold->died || hold->died_ns != TIME_NEVER
                                                      : hold->released_ns > record->healed_ns))
            return hold;
    }
    return NULL;
}

static void tell_strike(struct story *story, const struct fault_record *record)
{
    char subject[24];
    AUTO_TEXT struct text words = {0};
    const struct trial_model *model = story->model;
    const struct fault_instance *instance = record->instance;
    int64_t at_ns = fault_struck_ns(record);
    bool is_two = instance->form.then != NULL && record->in_effect_ns - at_ns > LONG_NS;
    snprintf(subject, sizeof subject, "fault %d:", instance->number);
    if (is_two) { // the lock may be granted only after the second
        fault_text_fill(model, record, instance->form.told, &words);
        story_add(&story->lines, at_ns, LINE_KEY, subject, "%s", text_string(&words));
        words.length = 0;
        fault_text_fill(model, record, instance->form.then, &words);
    } else {
        fault_text(model, record, &words);
        fault_text_point(model, record, &words);
        const struct hold *held = held_by_target(story, record);
        if (held != NULL && fault_can(instance, FAULT_KILLS) &&
            instance->points[0].moment != MOMENT_AT)
            text_format(&words, ", %s", held->died ? story->words->holding : "releasing the lock");
    }
    story_add(&story->lines, is_two ? record->in_effect_ns : at_ns, LINE_KEY, subject, "%s",
              text_string(&words));
}

static void tell_healing(struct story *story, const struct fault_record *record, int64_t last_ns)
{
    char subject[24];
    AUTO_TEXT struct text words = {0};
    bool at_end = record->heal_reason == HEAL_END;
    bool stopped = fault_can(record->instance, FAULT_STOPS);
    snprintf(subject, sizeof subject, "fault %d over:", record->instance->number);
    // It does not go on, or nobody is there any more who could; or all is over by then.
    if (record->heal_reason == HEAL_DEATH || (!stopped && (at_end || record->healed_ns > last_ns)))
        return;
    fault_text_end(story->model, record, &words);
    const struct hold *held = stopped ? held_by_target(story, record) : NULL;
    if (held != NULL && held->told_lost_ns > record->healed_ns)
        text_format(&words, ", and still believes it %s", story->words->believes);
    story_add(&story->lines, record->healed_ns, at_end ? LINE_HELPFUL : LINE_KEY,
              at_end ? "the trial ends:" : subject, "%s", text_string(&words));
}

// Tells of the faults that happened between the lines told so far; and of the cause, wherever it
// was.
static void tell_faults(struct story *story, const struct fault_record *cause)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (size_t i = 0; i < story->lines.count; i++) {
        first_ns = time_earlier(first_ns, story->lines.items[i].at_ns);
        last_ns = time_later(last_ns, story->lines.items[i].at_ns);
    }
    if (story->lines.count == 0)
        return;
    FOR_EACH_FAULT (record, story->model) {
        bool lasts = record->instance->bound_ns >= 0;
        // A kill that came before has done its work before.
        bool outside = fault_struck_ns(record) > last_ns || record->healed_ns < first_ns ||
                       (!lasts && record->in_effect_ns < first_ns);
        if (!took_effect(record) || (outside && record != cause))
            continue;
        tell_strike(story, record);
        if (record->healed_ns != TIME_NEVER && lasts)
            tell_healing(story, record, last_ns);
    }
}

// --- the whole -----------------------------------------------------------------------------------

// Where there are several locks, each line says which one.
static void add_named(struct text *out, const char *lines, const char *thing, int64_t key)
{
    AUTO_FREE char *the_thing = text_formatted("the %s", thing);
    for (const char *next; key > 0 && (next = strstr(lines, the_thing)) != NULL;) {
        text_format(out, "%.*s%s %lld", (int)(next - lines), lines, thing, (long long)key);
        lines = next + strlen(the_thing);
    }
    text_add(out, lines);
}

// Adds its lines to those told before.
static void tell_story(const struct diagnosis *diagnosis, int64_t key, struct story_lines *told,
                       struct story_span *span, struct text *out)
{
    enum shows shows = diagnosis->finding->check->shows;
    AUTO_TEXT struct text lines = {0};
    struct story story = {.model = diagnosis->model,
                          .violated_until_ns = diagnosis->finding->evidence.to_ns,
                          .words = workload_words(diagnosis->model->trial->scenario),
                          .lines.started_ns = diagnosis->model->started_ns,
                          .tokens = shows == SHOWS_TOKENS || shows == SHOWS_LATE_WRITE ||
                                    diagnosis->model->trial->scenario->workload.fenced};
    add_hold(&story, diagnosis->holds[0]);
    add_hold(&story, diagnosis->holds[1]);
    add_hold(&story, diagnosis->culprit);
    for (size_t i = 0; i < diagnosis->other_count; i++)
        add_hold(&story, diagnosis->others[i]);
    find_removal(&story, diagnosis);
    if (shows == SHOWS_NO_PROGRESS)
        tell_no_progress(&story, diagnosis);
    if (shows == SHOWS_LOST_JOB)
        tell_lost_job(&story, &diagnosis->finding->evidence);
    tell_holds(&story);
    tell_faults(&story, diagnosis->fault);
    if (story.lines.count == 0)
        text_format(&lines, "  %s.\n", diagnosis->finding->text);
    story_lines_tell(&story.lines, told, &lines);
    add_named(out, text_string(&lines), story.words->thing, key);
    FOR_EACH (story_line, line, story.lines.items, story.lines.count) {
        span->from_ns = time_earlier(span->from_ns, line->at_ns - story.lines.started_ns);
        span->to_ns = time_later(span->to_ns, line->at_ns - story.lines.started_ns);
        *APPEND(told->items, told->count, told->room) = *line;
    }
    free(story.lines.items);
}

char *story_tell(const struct trial_model *model, const struct judgement *judgement,
                 struct story_span *span)
{
    AUTO_FREE struct diagnosis *diagnoses = memory_new(MAX_CHECKS * sizeof *diagnoses);
    struct one_lock one;
    struct story_lines told = {0};
    struct text out = {0};
    text_add(&out, "");
    *span = (struct story_span){INT64_MAX, INT64_MIN};
    one_lock_start(model, judgement, &one);
    size_t count = diagnoses_make(one.model, one.judgement, diagnoses);
    for (size_t i = 0; i < count; i++) {
        const struct diagnosis *each = &diagnoses[i];
        const struct hold *const *holds = each->holds, *const *first = diagnoses->holds;
        bool is_of_same_holds = holds[0] == first[0] && each->culprit == diagnoses->culprit &&
                                (holds[1] == first[1] || holds[1] == NULL || first[1] == NULL);
        long long times = (long long)each->finding->count;
        if (i > 0)
            text_format(&out,
                        "  Besides, %s (%lld time%s; that it follows from the above is not "
                        "proven):\n",
                        each->finding->check->name, times, plural(times));
        if (i == 0 || !is_of_same_holds)
            tell_story(each, one.key, &told, span, &out);
        diagnosis_tell(each, diagnoses, &out);
    }
    if (count > 0 && one.key > 0)
        text_format(&out, "  All this is about %s %lld of %lld.\n",
                    workload_words(model->trial->scenario)->thing, (long long)one.key,
                    (long long)scenario_key_count(model->trial->scenario));
    FOR_EACH (story_line, line, told.items, told.count)
        free(line->text);
    free(told.items);
    one_lock_end(&one);
    return out.bytes;
}
