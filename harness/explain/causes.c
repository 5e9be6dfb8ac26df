// The table of causes: the name of each, its sentence, and what prevents it.
#include "harness/base/text.h"
#include "harness/explain/account.h"

#include <stdio.h>
#include <string.h>

#define CONSENSUS "a lock server that answers only once a majority has the lock (etcd, ZooKeeper)"
#define COMPARE "comparing the owner and deleting in one step, at the server"
#define ONE_STEP "a lock that checks and takes in one step, at the server"
#define OWN_CLOCK "a lock server whose clock nobody sets: it measures the leases by it"
#define OWN_CONNECTION "writing in a transaction on the very connection that holds the lock"

// By what it promises, or by what its holder was told.
static bool is_leased(const struct account *account)
{
    return account_has_trait(account, "lease") ||
           (account->holds[0] != SIZE_MAX &&
            account->digest->holds[account->holds[0]].valid_until_ns != TIME_NEVER);
}

static const struct fault_step *step_of(const struct account *account)
{
    return account->fault == SIZE_MAX ? NULL : account->digest->faults[account->fault].step;
}

// Tokens of this lock's, or of another's if it gives none.
static const char *fencing(const struct account *account)
{
    return account_has_trait(account, "fenced") || account->digest->trial->traits == NULL
               ? "a fencing token checked by the store (fenced: true)"
               : "a lock that gives fencing tokens, and a store that checks them";
}

// --- what depends on the lock --------------------------------------------------------------------

static const char *against_late_grant(const struct account *account)
{
    (void)account;
    return "a client that looks, once it is granted the lock, whether its lease still lasts; and ";
}

static const char *against_work(const struct account *account)
{
    if (account->length_ns <= account->digest->trial->scenario->lock.lease_ns)
        return "a client that looks, once it is granted the lock, how much of its lease is left; "
               "and ";
    return account_has_trait(account, "renewed")
               ? "a longer lease; and "
               : "a lease longer than the work, or one that is renewed meanwhile; and ";
}

static const char *against_removal(const struct account *account)
{
    const struct digest *digest = account->digest;
    if (account->request.client != 0 || account->certainty != CERTAINTY_PROVEN ||
        account->culprit == SIZE_MAX)
        return COMPARE;
    const struct hold *culprit = &digest->holds[account->culprit];
    bool is_own = culprit->client == digest->holds[account->holds[0]].client;
    return is_own && culprit->answer != RELEASE_UNCHECKED ? COMPARE ", with a value for each worker"
                                                          : COMPARE;
}

static const char *against_forgetting(const struct account *account)
{
    const struct fault_step *step = step_of(account);
    if (fault_can(step, FAULT_MOVES_LEADER))
        return CONSENSUS;
    if (fault_can(step, FAULT_KILLS)) {
        if (strcmp(trial_topology(account->digest->trial), "independent") == 0)
            return "servers that write each lock to disk before they answer, or stay down for a "
                   "whole lease after a crash";
        return account_has_trait(account, "memcached")
                   ? "a lock server that keeps its locks on disk: memcached keeps none"
                   : "a lock server that writes each lock to disk before it answers (Redis: "
                     "appendfsync always)";
    }
    return step->form.mitigation;
}

static const char *against_clock(const struct account *account)
{
    const struct fault_step *step = step_of(account);
    return step == NULL || step->target.client != 0
               ? "a lease that the server measures by its own clock, not each client by its own"
               : OWN_CLOCK;
}

static const char *against_admitting(const struct account *account)
{
    if (digest_permits(account->digest) > 1)
        return "a semaphore that counts and takes in one step, at the server";
    return account_has_trait(account, "redis")
               ? ONE_STEP
               : "a lock that checks and takes in one step, at a server that all clients ask";
}

static const char *against_steps(const struct account *account)
{
    return account->certainty == CERTAINTY_PROVEN ? ONE_STEP
                                                  : ONE_STEP
               "; and a grant that is valid for a lease from before it was asked for";
}

static const char *against_death(const struct account *account)
{
    if (account->root == ROOT_DIED_HOLDING && account->fault != SIZE_MAX)
        return "a server that ends the session of a client it does not hear of (TCP keepalive, "
               "wait_timeout)";
    if (!is_leased(account))
        return "a lease, set in the same step that takes the lock";
    if (account->root == ROOT_DIED_ACQUIRING)
        return "taking the lock and setting when it ends in one step";
    return account_has_trait(account, "session")
               ? "a session that nobody keeps alive but the client that has it"
               : "setting when the lock ends in the very request that takes it, also in one that "
                 "is "
                 "sent again, and prolonging it for its holder only";
}

static const char *against_lost_release(const struct account *account)
{
    return is_leased(account) ? "a release that is sent again until it is answered, by its owner's "
                                "value"
                              : "a lease, set in the same step that takes the lock";
}

static const char *against_lost_acquire(const struct account *account)
{
    return is_leased(account)
               ? "asking again with the same token, and finding that it has the lock"
               : "a lease; or asking again with the same token, and finding that it has the lock";
}

static const char *against_being_struck(const struct account *account)
{
    return fault_can(step_of(account), FAULT_SEVERS)
               ? "a majority of servers that reach each other: as it is, the lock prefers nobody "
                 "to two"
               : "";
}

static const char *against_no_answer(const struct account *account)
{
    return account->fault == SIZE_MAX && account->digest->trial->foreign != NULL
               ? "a lock that gives up in time and says so: driver-of-client-1.log may say what it "
                 "waits for"
               : "servers that keep what they had stored, and of which a majority is up";
}

// What keeps the harm away, or the two apart, whatever it came from.
static const char *against_unknown(const struct account *account)
{
    if (account->finding->check->mitigation != NULL)
        return account->finding->check->mitigation;
    return account->overlap_ns > 0 ? against_admitting(account) : "";
}

// --- the table -----------------------------------------------------------------------------------

static const struct {
    const char *name;
    const char *sentence;                                 // NULL: it is made in sentences.c
    const char *against;                                  // what prevents it,
    const char *(*fitted)(const struct account *account); // or that, fitted to the lock
} causes[] = {
    [ROOT_UNKNOWN] = {.name = "unknown", .fitted = against_unknown},
    [ROOT_PAUSE] = {.name = "pause", .against = ""},
    [ROOT_STALL] =
        {.name = "stall",
         .sentence = "the machine stood still for {length} while {who} held the lock with a lease "
                     "of {lease}; {other} was granted the lock, and {who} went on all the same",
         .against = ""},
    [ROOT_LATE_GRANT] = {.name = "late-grant", .fitted = against_late_grant},
    [ROOT_WIRE] =
        {.name = "network",
         .sentence =
             "what {who} sent was held up for {length} (fault {fault}), until its lease of {lease} "
             "was over; {other} was granted the lock, and {who} went on all the same",
         .against = ""},
    [ROOT_WORK] = {.name = "work", .fitted = against_work},
    [ROOT_REMOVED] = {.name = "removed", .fitted = against_removal},
    [ROOT_SAME_VALUE] = {.name = "same-value",
                         .against = "a value of its own for each worker, and for each grant"},
    [ROOT_OVERWRITTEN] =
        {.name = "overwritten",
         .sentence = "{sent}, without NX: it put its own value in the place of {who}'s lock",
         .against = "taking the lock only if it is free (SET NX), and renewing it only if it is "
                    "one's own"},
    [ROOT_FORGOT] = {.name = "server-forgot", .fitted = against_forgetting},
    [ROOT_CLOCK] = {.name = "clock", .fitted = against_clock},
    [ROOT_SESSION] = {.name = "session-ended", .against = OWN_CONNECTION ", which ends with it"},
    [ROOT_TWO_LEADERS] = {.name = "two-leaders", .against = CONSENSUS},
    [ROOT_PARTITION] = {.name = "partition", .against = CONSENSUS},
    [ROOT_GIVEN_TWICE] = {.name = "given-back-twice",
                          .against = "a permit that has a name, and is given back by it"},
    [ROOT_LEFT] = {.name = "inner-leave",
                   .sentence = "{who} came back from an inner hold of the lock, and with that the "
                               "lock was free although the outer one had not ended",
                   .against = "a count of entries, and a release at the last one only"},
    [ROOT_NODE_LOCAL] = {.name = "node-local",
                         .sentence =
                             "{who} and {other} asked different servers of the Galera cluster, and "
                             "this lock is known to the server only that was asked",
                         .against = "all clients asking one and the same server, or a lock in a "
                                    "row that the cluster replicates (mysql-unique)"},
    [ROOT_COUNTED_LATE] = {.name = "lease-miscounted",
                           .against = "a grant that is valid for the lease that was asked for, "
                                      "from before it was asked for"},
    [ROOT_RENEWAL] =
        {.name = "renewal-not-done",
         .sentence =
             "{who}'s renewals count as done although nothing came through to it from the servers "
             "that decide (fault {fault}); its lease ended, and {other} was granted the lock",
         .against =
             "a holder that takes its lease for over once no renewal has been answered in time"},
    [ROOT_RENEWED_OTHER] = {.name = "renewed-anothers",
                            .sentence = "{sent} when {other} had the lock: it does not ask whose "
                                        "lock it prolongs, and {who} went on as if it were its own",
                            .against =
                                "comparing the owner and renewing in one step, at the server"},
    [ROOT_STEPS] = {.name = "several-steps", .fitted = against_steps},
    [ROOT_REFUSED] =
        {.name = "refusal-taken-for-grant",
         .sentence = "{sent}, which the server refused, and {other} held the lock all the same",
         .against = "a client that looks at what it was answered"},
    [ROOT_UNANSWERED_GRANT] = {.name = "no-answer-taken-for-grant",
                               .against = "a client that holds nothing it was not granted"},
    [ROOT_NOT_ASKED] =
        {.name = "not-asked",
         .sentence =
             "{other} held the lock without having sent anything to take it in that acquire",
         .against = "asking the server for every grant, whatever was held before"},
    [ROOT_ADMITS] = {.name = "acquire-admits", .fitted = against_admitting},
    [ROOT_LOCAL] =
        {.name = "process-local",
         .sentence =
             "this lock keeps apart the workers of one process, and knows nothing of others",
         .against = "a lock at a server that all clients ask"},
    [ROOT_NO_LOCK] = {.name = "no-lock",
                      .sentence = "there is no lock: everybody is let in",
                      .against = "any lock"},
    [ROOT_LATE_COMMIT] = {.name = "late-commit",
                          .against = "committing first, and releasing the lock after that"},
    [ROOT_LOST_COMMIT] = {.name = "lost-commit",
                          .sentence = "{who}'s commit was not done (fault {fault}: {deed}), and "
                                      "counts as done: {other} read what was there before",
                          .against = "a client that looks whether its commit was done"},
    [ROOT_OLD_VIEW] = {.name = "old-view",
                       .sentence =
                           "{other} read the value as it was when its acquire began, before {who} "
                           "had written: its view of the data is older than its lock",
                       .against = "taking the lock first, and reading after that what is there "
                                  "then (SELECT ... FOR UPDATE)"},
    [ROOT_DEPTH] =
        {.name = "depth",
         .sentence =
             "{who} held the lock, and was refused to enter it again, or to leave it as often",
         .against =
             "a count of entries that belongs to the holder and is kept as long as the lock"},
    [ROOT_TOKEN] = {.name = "token",
                    .against = "drawing the token in the same step that grants the lock, from a "
                               "counter that survives failovers"},
    [ROOT_OF_CHECK] = {.name = "lock", .fitted = against_unknown},
    [ROOT_STORE] = {.name = "store",
                    .sentence = "the store accepted {who}'s old fencing token after it had "
                                "answered the newer one of {other}",
                    .against = "a store that remembers the highest token it has seen"},
    [ROOT_DIED_HOLDING] = {.name = "died-holding", .fitted = against_death},
    [ROOT_DIED_ACQUIRING] = {.name = "died-acquiring", .fitted = against_death},
    [ROOT_NO_EXPIRY] = {.name = "no-expiry",
                        .sentence = "{sent} without a time to live, and nothing after it gave the "
                                    "lock one; {who} died with the lock, and nothing frees it",
                        .against = "a lease, set in the same step that takes the lock"},
    [ROOT_KEPT_ALIVE] = {.name = "kept-alive",
                         .sentence = "{who} died with the lock, and {sent}, which prolonged it "
                                     "without a look at whose it is",
                         .against = "renewing only what is one's own, compared at the server"},
    [ROOT_LOST_RELEASE] = {.name = "lost-release", .fitted = against_lost_release},
    [ROOT_UNDONE_RELEASE] = {.name = "undone-release",
                             .against = "a release that asks the server, over the connection that "
                                        "holds the lock, and looks at the answer"},
    [ROOT_LOST_ACQUIRE] = {.name = "lost-acquire",
                           .sentence = "{who}'s acquire was done, but the answer was lost: nobody "
                                       "knows that it has the lock, and so nobody releases it",
                           .fitted = against_lost_acquire},
    [ROOT_UNKNOWN_AS_NO] = {.name = "no-answer-taken-for-no",

                            .fitted = against_lost_acquire},
    [ROOT_DEAD_IN_LINE] =
        {.name = "dead-in-line",
         .sentence =
             "{who} died waiting for the lock, and keeps its place in the line: nobody passes it",
         .against = "a place in the line that ends with its client's session"},
    [ROOT_LEASE_STANDS] =
        {.name = "lease-stands-still",
         .sentence = "{deed} (fault {fault}), and by it the lease of {lease} is not over for long",
         .against = OWN_CLOCK},
    [ROOT_STRUCK] = {.name = "struck",
                     .sentence = "{deed} (fault {fault}): as long as that lasts nobody is let in",
                     .fitted = against_being_struck},
    [ROOT_LOST_WAKE_UP] = {.name = "lost-wake-up",
                           .against = "a waiter that looks again from time to time, and whenever "
                                      "it has connected anew, and does not rely on being told"},
    [ROOT_SPLIT_VOTE] = {.name = "split-vote",
                         .sentence = "each of those who ask has the lock on some servers and keeps "
                                     "it there, and nobody has a majority",
                         .against = "giving back at once what was got without a majority, and "
                                    "asking again after a random time"},
    [ROOT_UNANSWERED] = {.name = "unanswered", .fitted = against_no_answer},
    [ROOT_LOST_PERMITS] =
        {.name = "lost-permits",
         .sentence = "{deed} (fault {fault}), and what it had stored of the semaphore is lost: "
                     "there is no permit that anybody could be granted",
         .against = "a server that keeps what it had stored, or a semaphore that is made anew"},
    [ROOT_HANGING_RELEASE] =
        {.name = "hanging-release",
         .against = "a release that gives up in time, and takes a lock that is gone for released"},
};

const char *root_name(enum root root)
{
    return causes[root].name;
}

const char *root_sentence(enum root root)
{
    return causes[root].sentence;
}

const char *certainty_name(enum certainty certainty)
{
    static const char *const names[] = {"unexplained", "possible", "proven"};
    return names[certainty];
}

static const char *against(const struct account *account)
{
    return causes[account->root].fitted != NULL ? causes[account->root].fitted(account)
                                                : causes[account->root].against;
}

// --- mitigation ----------------------------------------------------------------------------------

static bool store_refused_writes(const struct digest *digest)
{
    for (size_t i = 0; i < digest->access_count; i++) {
        if (digest->accesses[i].is_write && digest->accesses[i].outcome == OUTCOME_NO)
            return true;
    }
    return false;
}

// A holder may outlive any lease: what helps is at the store.
static void add_against_outliving(const struct account *account, struct text *out)
{
    if (account->finding->harmless)
        text_format(out, "It did no harm: the store checks fencing tokens, and %s.",
                    store_refused_writes(account->digest) ? "refused the stale write"
                                                          : "no stale write came");
    else if (account->harm)
        text_format(out, "What would have prevented the harm: %s%s.", against(account),
                    fencing(account));
    else
        text_format(out, "No harm was seen this time. What would rule it out: %s%s.",
                    against(account), fencing(account));
}

// What prevents it, then what limits the harm if it happens all the same.
static void add_against_taking(const struct account *account, struct text *out)
{
    if (account->root == ROOT_SESSION && account_has_trait(account, "transaction")) {
        text_add(out, "What limited the harm: its writes go over the connection that holds the "
                      "lock, and end with it.");
        return;
    }
    text_format(out, "What would have prevented it: %s.", against(account));
    if (account->harm && !account->digest->trial->scenario->workload.fenced)
        text_format(out, " What would have limited the harm: %s.", fencing(account));
    else if (!account->harm)
        text_add(out, " No harm was seen this time.");
}

void account_say_remedy(struct account *account)
{
    struct text out = {0};
    bool outlived = account->root >= ROOT_PAUSE && account->root <= ROOT_WORK;
    bool taken = account->root >= ROOT_FORGOT && account->root <= ROOT_PARTITION;
    if (outlived)
        add_against_outliving(account, &out);
    else if (taken)
        add_against_taking(account, &out);
    else if (against(account)[0] != '\0')
        text_format(&out, "What would have prevented it: %s.", against(account));
    snprintf(account->remedy, sizeof account->remedy, "%s", text_string(&out));
    text_free(&out);
}
