// The account of a violation: the two holds that prove it, what it comes from, how sure that is,
// what would have prevented it, and which other findings follow from it. Words, JSON and pictures
// are made of it, so that all three say the same.
//
// A cause is a claim. It is PROVEN where the history or the wire leaves no other explanation of the
// step that it is about; POSSIBLE where something is known to be able to do that, and was there at
// the time; else UNEXPLAINED, with what is known. causes.c has the table of causes.
#ifndef LOCKPICK_EXPLAIN_ACCOUNT_H
#define LOCKPICK_EXPLAIN_ACCOUNT_H

#include "harness/check/check.h"
#include "harness/explain/requests.h"

// What it comes from.
enum root {
    ROOT_UNKNOWN,
    // A holder outlived its lease,
    ROOT_PAUSE,      // for it stood still
    ROOT_STALL,      // for the machine stood still
    ROOT_LATE_GRANT, // for the lease was over when it learned of its grant
    ROOT_WIRE,       // for its requests were held up
    ROOT_WORK,       // for its work took longer
    // A lock was taken from its holder,
    ROOT_REMOVED,     // by a release of another's
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
    // What a check explains by itself.
    ROOT_OF_CHECK,
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
    // Whoever gives it back waits for ever.
    ROOT_HANGING_RELEASE,
};

enum certainty { CERTAINTY_UNEXPLAINED, CERTAINTY_POSSIBLE, CERTAINTY_PROVEN };

#define ACCOUNT_ROOM 600
#define ACCOUNT_OTHERS 8

struct account {
    const struct digest *digest;
    const struct judgement *judgement;
    const struct finding *finding; // the violation to be told
    enum root root;
    enum certainty certainty;
    size_t fault;    // index into digest.faults of what struck; SIZE_MAX
    size_t attempt;  // index into digest.attempts: who waits for what will never come; SIZE_MAX
    bool any_worker; // of that attempt's client: they died together in their acquires
    // Indices into digest.holds, SIZE_MAX where there is none: [0] is whose hold was stretched, or
    // whose lock was taken; [1] is who was let in, or did what it could not.
    size_t holds[2];
    // Of a semaphore: the other holds that had a permit when one too many was granted.
    size_t others[ACCOUNT_OTHERS];
    size_t other_count;
    size_t culprit; // the hold whose release removed the lock of holds[0]; SIZE_MAX
    // What the proxy saw that did it, and what its client sent for the same step before: of the one
    // who did it. client 0: nothing.
    struct seen_request request, before;
    int servers[2];     // of TWO_LEADERS: which granted it to holds[0], and which led besides
    int64_t length_ns;  // how long that which stretched the hold lasted; 0: nothing did
    int64_t overlap_ns; // for how long both believed in their holds; 0: they did not
    bool is_bare;       // between the grants of two nothing shows that explains them
    bool harm;          // some value was written or sold wrongly
    size_t family[2 * MAX_CHECKS]; // the holds of violations that follow from this one
    size_t family_count;
    const char *also[MAX_CHECKS]; // other properties whose violations follow from this one
    size_t also_count;
    const char *besides[MAX_CHECKS]; // those of which that is not proven
    size_t besides_count;
    // A sentence without its full stop: "possibly: ..." or "unexplained: ..." unless it is proven.
    char cause[ACCOUNT_ROOM];
    char remedy[ACCOUNT_ROOM]; // one or more sentences; "" if none is known
};

// Accounts of all that was violated, the gravest first: of what is proven to follow from one that
// is told there is none of its own. Returns how many, 0 if the judgement has no violation.
size_t accounts_make(const struct digest *digest, const struct judgement *judgement,
                     struct account accounts[MAX_CHECKS]);

// The first of them. False if the judgement has no violation to tell of.
bool account_make(const struct digest *digest, const struct judgement *judgement,
                  struct account *account);

// "pause", "late-grant", ...: the root's name for machines; "proven", "possible", "unexplained".
const char *root_name(enum root root);
const char *certainty_name(enum certainty certainty);

// The fault that stretched a hold: stopped its worker, or held up what it sent, for longest while
// the hold lasted; SIZE_MAX if none did.
size_t hold_stretched_by(const struct digest *digest, const struct hold *hold);

// The fault that stopped the hold's worker for longest between two times; SIZE_MAX if none did.
size_t fault_that_stopped(const struct digest *digest, const struct hold *hold, int64_t from_ns,
                          int64_t to_ns);

// The commit of a hold's transaction: false if none was recorded after its release began.
bool hold_committed_late(const struct digest *digest, const struct hold *hold, int64_t *at_ns);

// Acknowledged increments that are not in the store's final value; 0 if that is not known, or if
// all are. `acknowledged` (or NULL) is how many there were.
int64_t increments_lost(const struct digest *digest, int64_t *acknowledged);

// The account for machines: the value of `evidence` in result.json, as documented in json.c. The
// caller frees it; "" if there is nothing to tell.
char *evidence_json(const struct digest *digest, const struct judgement *judgement);

// --- for the files of this room ------------------------------------------------------------------

bool account_has_trait(const struct account *account, const char *trait);

// Sets root and certainty: proven, or possible.
void account_conclude(struct account *account, enum root root, bool is_proven);

// Sets root, certainty and what goes with them; brings the two holds into their order. The second:
// where nobody is granted the lock.
void account_find_root(struct account *account);
void account_find_no_progress(struct account *account);

// The same of two holds at once, or of one whose lock vanished before `until_ns`, by what the
// proxies of external clients saw; false if that shows nothing.
bool account_find_by_wire(struct account *account, int64_t until_ns);

// An acquire that waits when the trial ends for want of a grant, and of which the history shows
// that it sleeps until it is woken: it asked hardly ever. An index into digest.attempts; SIZE_MAX
// if there is none.
size_t attempt_that_sleeps(const struct digest *digest);

// The acquire that was answered with a no while its client was cut off; SIZE_MAX. *fault: by what.
size_t attempt_refused_unheard(const struct digest *digest, size_t *fault);

// True if the fault stopped its client right after a request that only reads, or right before one:
// it had more to send.
bool stop_was_between_requests(const struct fault_record *record);

// The sentence of a cause, with {who}, {other}, {lease}, {length}, {fault} (its number), {deed} (of
// the fault) and {sent} (what the proxy saw) in it; NULL: it has one that is made.
const char *root_sentence(enum root root);

// The sentences, of all else in the account.
void account_say(struct account *account);
void account_say_remedy(struct account *account);

#endif
