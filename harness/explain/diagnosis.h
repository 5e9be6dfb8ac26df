// The diagnosis of a violation: the two holds that prove it, its cause, how sure that is, what
// would have prevented it, and which other findings follow from it. Words, JSON and pictures are
// made of it, so that all three say the same.
//
// A cause is a claim. It is PROVEN where the history or the wire leaves no other explanation of the
// step that it is about; POSSIBLE where something is known to be able to do that, and was there at
// the time; else UNEXPLAINED, with what is known. causes.c has the table of causes; holders.c,
// no_progress.c and by_wire.c the rules by which one is found.
#ifndef LOCKPICK_EXPLAIN_DIAGNOSIS_H
#define LOCKPICK_EXPLAIN_DIAGNOSIS_H

#include "harness/check/by_lock.h"
#include "harness/point/point.h"

#include <string.h>

enum root_cause {
    ROOT_UNKNOWN,
    // A holder outlived its lease,
    ROOT_PAUSE,      // for it stood still
    ROOT_STALL,      // for the machine stood still
    ROOT_LATE_GRANT, // for the lease was over when it learned of its grant
    ROOT_WIRE,       // for its requests were held up
    ROOT_POINT,      // for it stood at the point of a fault that took its time
    ROOT_WORK,       // for its work took longer
    // A lock was taken from its holder,
    ROOT_REMOVED,     // by a release of another's
    ROOT_TAKEN_BACK,  // by what gives back what an acquire without an answer may have got
    ROOT_OWN_RELEASE, // by what gives back an earlier try of the same acquire
    ROOT_SAME_VALUE,  // by a release of another's that has the same owner's value
    ROOT_OVERWRITTEN, // by a write that does not ask whether it is taken
    ROOT_FORGOT,      // by a server that lost it
    ROOT_CLOCK,       // by a clock that went wrong
    ROOT_SESSION,     // by the end of its session or connection
    ROOT_TWO_LEADERS, // by nobody: two servers led, and each granted it
    ROOT_PARTITION,   // by nobody: those who parted gave it away on both sides
    ROOT_GIVEN_TWICE, // by a release that was done twice
    ROOT_LEFT,        // by its holder's own return from an inner hold
    ROOT_NODE_LOCAL,  // or rather each server of a cluster has locks of its own
    // Its lease is not what its holder believes,
    ROOT_COUNTED_LATE,  // for it is counted from later than the request, or for longer
    ROOT_RENEWAL,       // for a renewal that was not done counts as done
    ROOT_RENEWED_OTHER, // for it renewed the lock of another
    // A lock lets two in,
    ROOT_STEPS,            // for its acquire takes several steps
    ROOT_REFUSED,          // for a refusal counts as a grant
    ROOT_UNANSWERED_GRANT, // for no answer counts as a grant
    ROOT_NOT_ASKED,        // for somebody holds without having asked
    ROOT_ADMITS,           // by its acquire; what that does wrong is not known
    ROOT_LOCAL,            // for it is known to one process only
    ROOT_NO_LOCK,          // for it is none
    // The lock kept them apart,
    ROOT_LATE_COMMIT, // but it was released before the commit
    ROOT_LOST_COMMIT, // but the commit was not done
    ROOT_OLD_VIEW,    // but the value was seen as of before the grant
    // Somebody was refused, or given the wrong token.
    ROOT_DEPTH,
    ROOT_TOKEN,
    ROOT_STORE,
    ROOT_OF_CHECK, // a check explains it by itself
    // Nobody is granted the lock,
    ROOT_DIED_HOLDING,   // for its holder died
    ROOT_DIED_ACQUIRING, // for a worker died that may have got it
    ROOT_NO_EXPIRY,      // for its holder died, and it was taken without a lease
    ROOT_KEPT_ALIVE,     // for its holder died, and others renew it
    ROOT_LOST_RELEASE,   // for a release was not done
    ROOT_UNDONE_RELEASE, // for a release that says it was done was not
    ROOT_LOST_ACQUIRE,   // for an acquire was done, and nobody knows
    ROOT_UNKNOWN_AS_NO,  // for an acquire without an answer was told as refused
    ROOT_DEAD_IN_LINE,   // for a worker died that stands in line for it
    ROOT_LEASE_STANDS,   // for the clock that the lease runs by went wrong
    ROOT_STRUCK,         // for a fault lasts
    ROOT_LOST_WAKE_UP,   // for whoever sleeps until it is woken was not woken
    ROOT_SPLIT_VOTE,     // for each has some of the servers, and nobody a majority
    ROOT_UNANSWERED,     // for no server answers
    ROOT_LOST_PERMITS,   // for a semaphore was lost with all its permits
    // A release is not answered.
    ROOT_HANGING_RELEASE,
};

enum certainty { CERTAINTY_UNEXPLAINED, CERTAINTY_POSSIBLE, CERTAINTY_PROVEN };

// A request of an external client with its answer, as its proxy saw them.
struct seen_request {
    struct event_command command;
    int client, worker;           // client 0: none; worker 0: not known whose it is
    enum phase phase;             // PHASE_NONE: in the background, or not known in which
    unsigned words;               // REQUEST_NX, ...
    int64_t key, value;           // hashes; 0: none
    int64_t ttl_ms;               // 0: no such word
    int64_t sent_ns, answered_ns; // TIME_NEVER: no answer was seen
    enum reply_kind reply;        // valid if answered_ns is not TIME_NEVER
};

#define DIAGNOSIS_ROOM 600
#define DIAGNOSIS_OTHERS 8

// What it points to is in the trial model and the judgement; NULL where there is none.
struct diagnosis {
    const struct trial_model *model;
    const struct judgement *judgement;
    const struct finding *finding; // the violation to be told
    enum root_cause cause;
    enum certainty certainty;
    const struct fault_record *fault; // what struck
    const struct hold *attempt;       // who waits for what will never come
    bool any_worker;                  // of that attempt's client: they died together
    // [0]: whose hold was stretched, or whose lock was taken; [1]: who was let in, or did what it
    // could not.
    const struct hold *holds[2];
    // Of a semaphore: the other holds that had a permit when one too many was granted. Of a rate
    // limiter, where no two need be certain to have been within a window: those that were let
    // through between holds[0] and holds[1], and with them were too many (is_crowd).
    const struct hold *others[DIAGNOSIS_OTHERS];
    size_t other_count;
    bool is_crowd;
    const struct hold *culprit; // whose release removed the lock of holds[0]
    // What the proxy saw that did it, and what its client sent for the same step before.
    struct seen_request request, before;
    int servers[2];     // of TWO_LEADERS: which granted it to holds[0], and which led besides
    int64_t length_ns;  // how long that which stretched the hold lasted; 0: nothing did
    int64_t overlap_ns; // for how long both believed in their holds, or all of a crowd were let
                        // through; 0: they did not
    bool is_bare;       // between the grants of two nothing shows that explains them
    bool harm;          // some value was written or sold wrongly
    const struct hold *family[2 * MAX_CHECKS]; // of violations that follow from this one
    size_t family_count;
    // Other properties whose violations follow from this one; NULL behind them.
    const char *also[MAX_CHECKS + 1];
    size_t also_count;
    const char *besides[MAX_CHECKS]; // those of which that is not proven
    size_t besides_count;
    // A sentence without its full stop: "possibly: ..." or "unexplained: ..." unless it is proven.
    char text[DIAGNOSIS_ROOM];
    char mitigation[DIAGNOSIS_ROOM]; // one or more sentences; "" if none is known
};

// Diagnoses of all that was violated, the gravest first: what is proven to follow from one that is
// told has none of its own. Returns how many, 0 if the judgement has no violation.
size_t diagnoses_make(const struct trial_model *model, const struct judgement *judgement,
                      struct diagnosis diagnoses[MAX_CHECKS]);

// The first of them. False if the judgement has no violation.
bool diagnosis_make(const struct trial_model *model, const struct judgement *judgement,
                    struct diagnosis *diagnosis);

// True if it is of that property, or of one whose violation follows from it.
bool diagnosis_covers(const struct diagnosis *diagnosis, const struct check *check);

// Adds lines of what it comes from, what it cost, what else comes of it, and what would have
// prevented it: of one of several, of which `first` is the first, what those before have not said.
void diagnosis_tell(const struct diagnosis *diagnosis, const struct diagnosis *first,
                    struct text *out);

// "pause", "late-grant", ...: the cause's name for machines; "proven", "possible", "unexplained".
const char *root_name(enum root_cause cause);
const char *certainty_name(enum certainty certainty);

// Acknowledged updates that are not in the store's final value; -1 if that is not known, or if
// all are. `acknowledged` (or NULL) is how many there were.
int64_t increments_lost(const struct trial_model *model, int64_t *acknowledged);

// The diagnosis for machines: the value of `evidence` in result.json, as documented in json.c. The
// caller owns it; NULL if there is nothing to tell.
struct json_t *evidence_json(const struct trial_model *model, const struct judgement *judgement);

// --- of several locks, the one that is to be told about: who waits for, or holds, another one has
// no part in it

struct one_lock {
    const struct trial_model *model;   // to tell from; its indices are its own, but those of events
    const struct judgement *judgement; // of that lock; the verdict is still that of all
    int64_t key;          // which one; 0: there is only one, and the above are the whole's
    struct by_lock locks; // makes indices those of the whole (by_lock_to_whole)
    struct judgement judged;
};

// Chooses the lock of the first violation; without one, all are told of together. Free with
// one_lock_end, before the whole.
void one_lock_start(const struct trial_model *model, const struct judgement *judgement,
                    struct one_lock *one);
void one_lock_end(struct one_lock *one);

// --- for the files of this room ------------------------------------------------------------------

static inline void swap_holds(struct diagnosis *diagnosis)
{
    const struct hold *first = diagnosis->holds[0];
    diagnosis->holds[0] = diagnosis->holds[1];
    diagnosis->holds[1] = first;
}

static inline bool diagnosis_has_trait(const struct diagnosis *diagnosis, const char *trait)
{
    return trial_has_trait(diagnosis->model->trial, trait);
}

// The first step of the schedule in which a server loses what it has answered; or NULL.
const char *step_that_forgets(const struct trial_model *model);
// Likewise, in which a server's leases come to last longer.
const char *step_that_prolongs(const struct trial_model *model);

// True if the history tells what clients sent to servers, each in its own name.
bool tells_requests(const struct trial_model *model);

// Sets cause and certainty: proven, or possible. Returns true.
bool conclude(struct diagnosis *diagnosis, enum root_cause cause, bool is_proven);

// Set cause, certainty and what goes with them; bring the two holds into their order. The second:
// where nobody is granted the lock.
void diagnose_holders(struct diagnosis *diagnosis);
void diagnose_no_progress(struct diagnosis *diagnosis);

// By what the proxies of external clients saw: why two hold at once, or one lock vanished before
// `until_ns`; why nobody is granted the lock. False if that shows nothing.
bool diagnose_by_wire(struct diagnosis *diagnosis, int64_t until_ns);
bool guess_by_wire(struct diagnosis *diagnosis,
                   int64_t until_ns); // what is possible, where nothing is proven
bool diagnose_no_progress_by_wire(struct diagnosis *diagnosis);

// The fault that stopped the hold's worker (or, `on_wires`, held up what it sent) for longest
// between two times, or NULL; that which did either for longest in all of the hold.
const struct fault_record *longest_fault(const struct trial_model *model, const struct hold *hold,
                                         bool on_wires, int64_t from_ns, int64_t to_ns);
const struct fault_record *hold_stretched_by(const struct trial_model *model,
                                             const struct hold *hold);

// The first fault that cut the client off from others at some time between, or NULL.
const struct fault_record *fault_that_severed(const struct trial_model *model, int client,
                                              int64_t from_ns, int64_t to_ns);

// True if the fault stopped its client right after a request that only reads, or right before one:
// it had more to send.
bool stop_was_between_requests(const struct fault_record *record);

// An acquire that waits when the trial ends for want of a grant, and of which the history shows
// that it sleeps until it is woken: it asked hardly ever. NULL if there is none.
const struct hold *attempt_that_sleeps(const struct trial_model *model);

// Writes the sentences, of all else in the diagnosis.
void diagnosis_say(struct diagnosis *diagnosis);

#endif
