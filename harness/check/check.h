// Decides a history: a pure function of the history and the trial that made it.
//
// Each property is one `const struct check` in the catalogue. The rules are those of
// sort-and-sweep over definite holds: for a successful hold let A = acquire return and r = release
// invoke; the definite hold [A, r] is the time for which the lock must have been held under any
// linearization, and an owner mutex is linearizable if and only if the definite holds are disjoint.
#ifndef LOCKPICK_CHECK_CHECK_H
#define LOCKPICK_CHECK_CHECK_H

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/text.h"
#include "harness/history/event.h"
#include "harness/history/reader.h"
#include "harness/scenario/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verdict {
    VERDICT_SAFE,
    VERDICT_UNSAFE,
    VERDICT_STUCK,
    VERDICT_UNKNOWN,
    VERDICT_SKIPPED,
    VERDICT_ERROR,
    VERDICT_NOT_APPLICABLE, // the scheme and the scenario do not go together
};

// "SAFE", "UNSAFE", ...
const char *verdict_name(enum verdict verdict);

// One read or write of the guarded value.
struct access {
    bool is_write;
    int64_t invoked_ns;
    int64_t returned_ns;  // TIME_NEVER: no answer was recorded
    int64_t value;        // read: the value seen; write: the value written
    int64_t seen;         // write: the value that the same operation had read
    int64_t token;        // fencing token carried, 0 if none
    enum outcome outcome; // OUTCOME_NO: the store refused it; UNKNOWN also where no answer came
    size_t hold;          // index of the hold that made it
    size_t event;         // index of the invoke event in the history
};

// One acquire; and, if it was granted, the time for which its worker believed it owned the lock.
struct hold {
    int client;
    int worker;
    int64_t operation;
    int64_t key;          // number of the lock's name, from 1; 0: there is only one
    int64_t intended_ns;  // when it was to begin, in an open loop; 0: in a closed one
    int64_t invoked_ns;   // acquire invoke
    int64_t give_up_ns;   // until when it was to be tried; 0: the history does not say
    enum outcome outcome; // of the acquire
    int64_t granted_ns;  // acquire return: the definite hold begins. TIME_NEVER: it was not granted
    int64_t released_ns; // release invoke: the definite hold ends. If it never came: the death of
                         // the process, or the end of the history
    // When the library of an external client was called, by its own clock: for the acquire, and for
    // the release, which its worker had given the hold up for by then. 0: it does not say.
    int64_t acquire_called_ns, release_called_ns;
    int64_t returned_ns;     // release return, or that of an acquire that was not granted;
                             // TIME_NEVER if it never came
    int64_t valid_until_ns;  // the holder's lease, by the last successful acquire or renewal: at
                             // the latest
    int64_t proven_until_ns; // the same without a gap, at the earliest: a renewal answered after
                             // the lease had run out proves nothing about the time between
    int64_t told_until_ns;   // the latest end without a gap. It is later than proven_until_ns if a
                             // session may have ended before (sessions_bound), or if
    bool is_unanchored;      // it is not known which request was granted, from which a lease counts
    int64_t told_lost_ns; // when it was told first that the lock is lost; TIME_NEVER if it was not
    int64_t token;        // fencing token, 0 if none
    int64_t attempts;
    int64_t queued_ns; // when a server last confirmed its place in line; 0 if none did
    int granted_by;    // number of the server that led, and granted it; 0: not known
    int released_at;   // of the one that answered its release
    bool is_gone;      // of one that was refused: there is no such job any more
    bool shared;       // held together with others that share it
    bool release_invoked;
    bool died;                  // the process was killed during the hold, or the acquire
    bool rolled_back;           // a transaction that was not committed, as far as is known: it
                                // held the lock until its session ended, which nobody saw
    int64_t died_ns;            // and when; also if it was killed during the release. Else
                                // TIME_NEVER
    int64_t killed_ns;          // of an acquire: since when it waits no more. It was killed then,
                                // and was seen to be dead at died_ns, which may be seconds later
    enum release_answer answer; // of a release, valid if returned_ns is not TIME_NEVER
    size_t first_access;        // index into model.accesses
    size_t access_count;
    size_t granted_event;  // index of the acquire-return event
    size_t released_event; // index of the release-invoke event; SIZE_MAX if none
};

// The same number for all acquires of a worker.
static inline int64_t worker_key(const struct hold *hold)
{
    return (int64_t)hold->client << 32 | hold->worker;
}

// From when on an acquire, or a release, is timed.
static inline int64_t hold_acquire_began_ns(const struct hold *hold)
{
    return hold->acquire_called_ns > 0 ? hold->acquire_called_ns : hold->invoked_ns;
}

static inline int64_t hold_release_began_ns(const struct hold *hold)
{
    return hold->release_called_ns > 0 ? hold->release_called_ns : hold->released_ns;
}

// A reentry of a holder, or its return from one.
struct reentry {
    size_t hold; // index of the hold that it is inside of
    bool is_leave;
    int64_t depth; // 2 for the first inside the hold
    int64_t invoked_ns;
    int64_t returned_ns;        // TIME_NEVER: no answer was recorded
    enum outcome outcome;       // of a reentry
    enum release_answer answer; // of a leave
};

static inline bool reentry_was_refused(const struct reentry *reentry)
{
    return reentry->returned_ns != TIME_NEVER &&
           (reentry->is_leave
                ? reentry->answer == RELEASE_NOT_OWNER || reentry->answer == RELEASE_GONE
                : reentry->outcome == OUTCOME_NO);
}

// One fault of the scenario, as it went.
struct fault_record {
    const struct fault_instance *instance;
    int64_t asked_ns;     // TIME_NEVER: its trigger never came
    int64_t in_effect_ns; // TIME_NEVER: it never took effect
    int64_t healed_ns;    // TIME_NEVER: never (a kill), or the history ends before
    enum heal_reason heal_reason;
    bool failed;
    int failure;                 // errno of a failed strike, 0 if none is known
    char reason[200];            // what was said of it, "" if nothing
    int64_t met;                 // packets or connections that it met; -1 if nothing counts them
    const struct event *reached; // the worker came to its point; NULL: it has none, or nobody did
};

// A stretch of the trial with a load of its own.
struct load_phase {
    int64_t from_ns;
    int64_t to_ns;
    int64_t clients; // how many take part, from client-1
    int64_t rate;    // operations each 1000 s; 0: a closed loop. Of a ramp: that it begins with
    bool counts;     // false: a warm-up, which costs are not measured in
};

// What the servers said once all clients had ended.
enum residual_lock {
    RESIDUAL_UNKNOWN, // nobody was asked, nobody could tell, or a lease had still long to run
    RESIDUAL_NONE,    // the lock was gone; of several, all that the servers could be asked for
    RESIDUAL_ORPHAN,  // one was there: nobody held it, and nothing was going to free it
};

// What is known of a lock before and after the trial.
struct lock_ends {
    bool initial_known, final_known;
    int64_t initial_value, final_value; // of the guarded value
    enum residual_lock left;
    int64_t left_waited_ns; // how long the servers had to be waited for until it was gone
};

// What all checks look at, derived once from the history: of all locks there are, or of one of
// several (by_lock.h). `holds` is sorted by granted_ns.
struct trial_model {
    const struct history *history;
    const struct trial *trial;
    struct hold *holds;
    size_t hold_count;
    struct hold *attempts; // acquires that were not granted, or never answered
    size_t attempt_count;
    struct access *accesses; // each hold's together, in the order of the holds
    size_t access_count;
    struct reentry *reentries; // in the order of their invocation
    size_t reentry_count;
    struct fault_record *faults; // one for each fault of the scenario, in its order
    size_t fault_count;
    struct stall *stalls; // sorted by from_ns; pieces of one are one
    size_t stall_count;
    int64_t longest_stall_ns;  // of all of them
    struct load_phase *phases; // in their order; none: all of the trial is one that counts
    size_t phase_count;
    // Of an open loop, in phases that count: operations that were to begin before the stop, and
    // those of them that did. 0 and 0 in a closed loop.
    int64_t due_operations, begun_operations;
    int64_t clock_step_ns; // the largest by which somebody set the machine's clock; 0 if nobody did
    struct lock_ends ends;
    struct lock_ends *locks; // of each lock that its name is known of, by its number
    size_t lock_count;
    int64_t of_lock;      // which of several it is of; 0: all of them
    bool has_line;        // some acquire took a place in a line
    int64_t line_kept_ns; // for how long a place is kept at least; TIME_NEVER: until its grant
    int64_t broken_count; // requests that failed for reasons of the harness itself
    int64_t started_ns;   // the barrier opened
    int64_t ended_ns;     // the stop was asked, else the last event
    enum stop_reason stop_reason;
    bool stop_known;
    const char *forgot;    // of a schedule that is explored: its first step in which a server loses
                           // what it has answered; NULL: there is none, or the scenario tells
    const char *prolonged; // likewise, in which leases of a server come to last longer
};

// Each fault, hold, attempt and access of a trial model in turn.
#define FOR_EACH_FAULT(item, model)                                                                \
    FOR_EACH (fault_record, item, (model)->faults, (model)->fault_count)
#define FOR_EACH_HOLD(item, model) FOR_EACH (hold, item, (model)->holds, (model)->hold_count)
#define FOR_EACH_ATTEMPT(item, model)                                                              \
    FOR_EACH (hold, item, (model)->attempts, (model)->attempt_count)
#define FOR_EACH_ACCESS(item, model)                                                               \
    FOR_EACH (access, item, (model)->accesses, (model)->access_count)
#define FOR_EACH_REENTRY(item, model)                                                              \
    FOR_EACH (reentry, item, (model)->reentries, (model)->reentry_count)
#define EACH_FINDING(judgement, item)                                                              \
    FOR_EACH (finding, item, (judgement)->findings, (judgement)->finding_count)
// Each access of a hold in its order.
#define FOR_ACCESSES_OF(item, hold, model)                                                         \
    FOR_EACH (access, item, (model)->accesses + (hold)->first_access, (hold)->access_count)
// Each event from `first` on that was not after `to_ns`; and each that there is.
#define FOR_EVENTS(item, model, first, to_ns)                                                      \
    for (const struct event *item = first;                                                         \
         item != NULL && (size_t)(item - (model)->history->events) < (model)->history->count &&    \
         item->at_ns <= (to_ns);                                                                   \
         item++)
#define FOR_EACH_EVENT(item, model)                                                                \
    FOR_EACH (event, item, (model)->history->events, (model)->history->count)

// All acquires by one index: those that were granted, and behind them the others.
static inline size_t acquire_count(const struct trial_model *model)
{
    return model->hold_count + model->attempt_count;
}

static inline const struct hold *acquire_at(const struct trial_model *model, size_t index)
{
    return index < model->hold_count ? &model->holds[index]
                                     : &model->attempts[index - model->hold_count];
}

// The first event that was not before that time, and the first hold (an index; hold_count if none)
// that was granted then or later. No event: NULL, or what FOR_EVENTS ends at.
const struct event *event_from(const struct trial_model *model, int64_t from_ns);
size_t first_grant(const struct trial_model *model, int64_t from_ns);

// NULL of an index that is none, and the other way round.
static inline const struct hold *hold_at(const struct trial_model *model, size_t index)
{
    return index < model->hold_count ? &model->holds[index] : NULL;
}

static inline size_t index_of(const struct trial_model *model, const struct hold *hold)
{
    return hold != NULL ? (size_t)(hold - model->holds) : SIZE_MAX;
}

static inline bool took_effect(const struct fault_record *record)
{
    return record->in_effect_ns != TIME_NEVER;
}

// Whether the lock is meant to keep others out at all, and how many may hold it at once. An
// optimistic scheme keeps nobody out: what it promises shows at the store.
bool trial_model_excludes(const struct trial_model *model);
int64_t trial_model_permits(const struct trial_model *model);

// True if not all that was held was the same lock: then what one was released for says nothing of
// who waits for another.
bool trial_model_mixes_locks(const struct trial_model *model);

// Derives the trial model. Never fails: half a history gives half a trial model. Free with
// trial_model_free.
void trial_model_make(const struct history *history, const struct trial *trial,
                      struct trial_model *model);
void trial_model_free(struct trial_model *model);

// --- the counted time: what costs are measured in. A trial whose load has phases counts those that
// are no warm-up; any other counts from the barrier to the stop.

// True if it lies in the counted time. Of a trial without phases, everything does.
bool counted_at(const struct trial_model *model, int64_t at_ns);

// An operation belongs to the phase in which it was to begin: in an open loop that is before its
// invocation, if nobody was free.
bool counted_hold(const struct trial_model *model, const struct hold *hold);

// How long the counted time is, and when the last of it ends.
int64_t counted_ns(const struct trial_model *model);
int64_t counted_end_ns(const struct trial_model *model);

// --- what is found in it

// What the lease promise lets two clocks differ by on one machine: lease/100 + 2 ms, as in the
// Redlock specification.
int64_t allowed_drift_ns(int64_t lease_ns);

enum finding_state {
    FINDING_KEPT,       // the property holds
    FINDING_VIOLATED,   // and `evidence` proves it
    FINDING_UNDECIDED,  // and `text` says why
    FINDING_IRRELEVANT, // the property means nothing for this trial
};

// The smallest set of facts that proves a violation.
struct evidence {
    size_t holds[2];    // indices into model.holds; SIZE_MAX if none
    size_t accesses[2]; // indices into model.accesses; SIZE_MAX if none
    int64_t from_ns;    // the violation itself: overlap, no-progress interval, write
    int64_t to_ns;
};

static inline struct evidence evidence_of_holds(size_t hold, size_t other, int64_t from_ns,
                                                int64_t to_ns)
{
    return (struct evidence){{hold, other}, {SIZE_MAX, SIZE_MAX}, from_ns, to_ns};
}

// Durations found, for example the unsafe windows of stale holders.
struct distribution {
    size_t count;
    int64_t min_ns, median_ns, p90_ns, max_ns;
};

struct finding {
    const struct check *check;
    enum finding_state state;
    bool harmless;   // violated, but something else (fencing) took the harm away: does not make the
                     // verdict UNSAFE
    bool by_stalls;  // undecided, as stalls could explain each violation that there is
    bool by_absence; // violated, as far as the history does not show what would be needed: proves
                     // nothing if some of it is lost
    int64_t count;   // how many violations
    struct evidence evidence;    // of the first
    struct distribution windows; // count 0 where the property has none
    char text[400];              // one sentence of what was found, with the numbers
};

// What the evidence of a violation shows.
enum shows {
    SHOWS_ACCESSES,    // reads and writes, and the holds in which they were made
    SHOWS_LOSS,        // a write, and another over it by somebody who had not seen it
    SHOWS_TWO_VALID,   // two who hold at once, although the lease of each was valid
    SHOWS_TWO_STALE,   // two who hold at once, as one outlived its lease
    SHOWS_REMOVAL,     // whose lock vanished, and whose release may have removed it
    SHOWS_NO_PROGRESS, // that nobody is granted the lock, or whose release is not answered
    SHOWS_REENTRY,     // who was refused a step in or out
    SHOWS_TOKENS,      // two grants in the order of which their tokens are not
    SHOWS_LATE_WRITE,  // a write outside its writer's time
    SHOWS_LOST_JOB,    // who had a job, or may have, and who was told that it is gone
};

// The locks that a property means something for.
enum locks {
    OF_ANY,
    OF_EXCLUDING,  // not those of an optimistic scheme
    OF_ONE_HOLDER, // nor semaphores
};

struct check {
    const char *name;    // as in `because:`, for example "stale-holder"
    const char *summary; // the property in one line
    const char *letter;  // of a violation in the matrix; "" for what has a sign of its own
    const char *label;   // of a violation in the timeline; NULL: how long it lasted
    enum locks of;       // and, if `form` names any, these workloads: else it is irrelevant
    void (*decide)(const struct trial_model *model, struct finding *finding);
    enum shows shows;
    bool may_follow; // its violations may be the doing of two who hold at once: what excuses that
                     // excuses them
    bool is_repeat;  // of a queue's job: that it was done, or worked on, again after its lease,
                     // which the trait at-least-once admits
    // What else may bring it along, by name, so that a scenario that expects that explains it;
    // NULL: nothing. A double grant is never the consequence of a stale holder: the service gave
    // the lock away too early by itself. Two holders whose releases ask nobody take the lock from
    // each other, so a double grant may show as a wrongful release too, and the other way round.
    const char *const *follows_from;
    // Optional, of a property whose violation nothing but the lock itself explains: appends why, a
    // sentence without its full stop.
    void (*explain)(const struct trial_model *model, const struct evidence *evidence,
                    struct text *out);
    const char *mitigation;    // what would have prevented it, whatever it came from; NULL
    struct property_form form; // where it cannot be broken, so that no scenario may expect it
};

// Every check; NULL-terminated. The order is that of reports.
extern const struct check *const check_catalogue[];

#define MAX_CHECKS 20

enum expectation_result { EXPECTATION_NONE, EXPECTATION_MET, EXPECTATION_MISSED };

struct judgement {
    enum verdict verdict;
    char reason[400]; // one sentence: why this verdict
    // UNKNOWN for nothing but this: the scenario lets one worker only go for each lock. Then it is
    // a measurement, and no verdict was asked for.
    bool is_measurement;
    struct finding findings[MAX_CHECKS];
    size_t finding_count;
    enum expectation_result expectation;
    const char *unexpected;     // the property for which the expectation was missed, or NULL
    char expectation_text[400]; // "expected UNSAFE (stale-holder, lost-update), got SAFE: ..."
};

// Runs every check and the gates (each fault proven in effect, traffic flowed during it, the
// processes that it rests on ran on time, both ends of the guarded value known), and compares the
// verdict with the trial's expectation.
void judge(const struct trial_model *model, struct judgement *judgement);

// Adds what is expected: "UNSAFE (stale-holder, lost-update)".
void expectation_describe(const struct expectation *expectation, struct text *out);

// Sets `expectation`, `expectation_text` and `unexpected` of a judgement whose verdict and findings
// stand. `absent_fault` is what the scenario calls a fault that never took effect, NULL if all did:
// a lock that broke without it is not what the scenario shows.
void expectation_compare(const struct trial *trial, const char *absent_fault,
                         struct judgement *judgement);

// The judgement of a trial that was not run (SKIPPED, NOT_APPLICABLE), or whose harness failed
// (ERROR).
void judge_without_history(const struct trial *trial, enum verdict verdict, const char *reason,
                           struct judgement *judgement);

// What the check finds in the trial model of one lock.
struct finding check_lock(const struct check *check, const struct trial_model *model);

// True if the finding makes the verdict UNSAFE or STUCK.
bool finding_counts(const struct finding *finding);

// The finding whose story is to be told first, or NULL: the unexpected one if there is one, else
// the gravest, and of equally grave ones that which happened first.
const struct finding *judgement_first_violation(const struct judgement *judgement);

#endif
