// What would have prevented a violation: fitted to what it comes from, and to the lock.
#include "harness/explain/causes.h"

#include <stdio.h>
#include <string.h>

#define PREVENT "What would have prevented it: "
#define CONSENSUS "a lock server that answers only once a majority has the lock (etcd, ZooKeeper)"

static bool has_trait(const struct account *account, const char *trait)
{
    const struct trial *trial = account->digest->trial;
    return trial->traits != NULL && trial_has_trait(trial, trait);
}

static bool store_refused_writes(const struct digest *digest)
{
    for (size_t i = 0; i < digest->access_count; i++) {
        if (digest->accesses[i].is_write && digest->accesses[i].outcome == OUTCOME_NO)
            return true;
    }
    return false;
}

// Tokens of this lock's, or of another's if it gives none.
static const char *fencing(const struct account *account)
{
    return has_trait(account, "fenced") || account->digest->trial->traits == NULL
               ? "a fencing token checked by the store (fenced: true)"
               : "a lock that gives fencing tokens, and a store that checks them";
}

// --- a holder that outlived its lease ------------------------------------------------------------

static const char *against_outliving(const struct account *account)
{
    switch (account->root) {
    case ROOT_LATE_GRANT:
        return "a client that looks, once it is granted the lock, whether its lease still lasts; "
               "and ";
    case ROOT_WORK:
        if (account->length_ns <= account->digest->trial->scenario->lock.lease_ns)
            return "a client that looks, once it is granted the lock, how much of its lease is "
                   "left; and ";
        return has_trait(account, "renewed")
                   ? "a longer lease; and "
                   : "a lease longer than the work, or one that is renewed meanwhile; and ";
    default:
        return "";
    }
}

static void add_against_outliving(const struct account *account, struct text *out)
{
    const char *more = against_outliving(account);
    if (account->finding->harmless)
        text_format(out, "It did no harm: the store checks fencing tokens, and %s.",
                    store_refused_writes(account->digest) ? "refused the stale write"
                                                          : "no stale write came");
    else if (account->harm)
        text_format(out, "What would have prevented the harm: %s%s.", more, fencing(account));
    else
        text_format(out, "No harm was seen this time. What would rule it out: %s%s.", more,
                    fencing(account));
}

// --- a lock that was taken from its holder -------------------------------------------------------

static const char *against_restart(const struct account *account)
{
    if (strncmp(account->digest->trial->scheme, "redlock", 7) == 0)
        return "servers that write each lock to disk before they answer, or stay down for a whole "
               "lease after a crash";
    if (has_trait(account, "memcached"))
        return "a lock server that keeps its locks on disk: memcached keeps none";
    // Its locks are those of connections, and end with them whatever is on the disk.
    if (has_trait(account, "session") && !has_trait(account, "lease"))
        return "writing in a transaction on the very connection that holds the lock, which ends "
               "with it";
    return "a lock server that writes each lock to disk before it answers (Redis: appendfsync "
           "always)";
}

static const char *against_server(const struct account *account)
{
    const struct fault_step *step = account->digest->faults[account->fault].step;
    const char *verb = step->verb;
    if (strcmp(verb, "restart") == 0)
        return against_restart(account);
    if (strcmp(verb, "failover") == 0 || strcmp(verb, "cut") == 0)
        return CONSENSUS;
    if (strcmp(verb, "evict") == 0)
        return has_trait(account, "memcached")
                   ? "a lock server that never evicts: memcached may drop any item"
                   : "a lock server that never evicts (Redis: maxmemory-policy noeviction)";
    if (strcmp(verb, "flush") == 0)
        return "a lock server that nobody may empty; a client can do nothing about it";
    if (strcmp(verb, "clock") == 0)
        return step->target.client == 0 ? "a lock server whose clock nobody sets: it measures the "
                                          "leases by it"
                                        : "a lease that the server measures by its own clock, not "
                                          "each client by its own";
    if (strcmp(verb, "disconnect") == 0)
        return "writing in a transaction on the very connection that holds the lock";
    return "";
}

// What prevents it, then what limits the harm if it happens all the same.
static void add_against_taking(const struct account *account, struct text *out)
{
    const char *verb = account->digest->faults[account->fault].step->verb;
    if (strcmp(verb, "disconnect") == 0 && has_trait(account, "transaction")) {
        text_add(out, "What limited the harm: its writes go over the connection that holds the "
                      "lock, and end with it.");
        return;
    }
    text_format(out, PREVENT "%s.", against_server(account));
    if (account->harm && !account->digest->trial->scenario->workload.fenced)
        text_format(out, " What would have limited the harm: %s.", fencing(account));
    else if (!account->harm)
        text_add(out, " No harm was seen this time.");
}

// --- all others ----------------------------------------------------------------------------------

static const char *against_unknown(const struct account *account)
{
    const char *name = account->finding->check->name;
    if (account->overlap_ns > 0 && digest_permits(account->digest) > 1)
        return "a semaphore that counts and takes in one step, at the server";
    if (strcmp(name, "oversell") == 0)
        return "a lock that excludes, or a store that takes a unit only if the stock is still the "
               "one that was read";
    if (strcmp(name, "run-once") == 0)
        return "a lock that lets one in at a time, or a store that refuses to note a job twice";
    if (strcmp(name, "unstable-read") == 0)
        return "a writer that waits for every reader";
    if (strcmp(name, "lost-update") == 0)
        return "a lock that excludes, or a store that writes only if the value is still the one "
               "that was read";
    if (account->overlap_ns > 0)
        return has_trait(account, "redis")
                   ? "a lock that checks and takes in one step, at the server"
                   : "a lock that checks and takes in one step, at a server that all clients ask";
    return "";
}

static const char *against_standing(const struct account *account)
{
    if (!has_trait(account, "lease"))
        return "a lease, set in the same step that takes the lock";
    return account->root == ROOT_DIED_ACQUIRING
               ? "taking the lock and setting its lease in one step"
               : "a lease that the server counts down whatever happens to the client";
}

// Nobody is granted the lock.
static const char *against_silence(const struct account *account)
{
    switch (account->root) {
    case ROOT_DIED_HOLDING:
        if (account->fault != SIZE_MAX)
            return "a server that ends the session of a client it does not hear of (TCP keepalive, "
                   "wait_timeout)";
        return against_standing(account);
    case ROOT_DIED_ACQUIRING:
    case ROOT_LOST_RELEASE:
        return against_standing(account);
    case ROOT_LOST_ACQUIRE:
        return "a lease; or asking again with the same token, and finding that it has the lock";
    case ROOT_DEAD_IN_LINE:
        return "a place in the line that ends with its client's session";
    case ROOT_LEASE_STANDS:
        return "a lock server whose clock nobody sets: it measures the leases by it";
    case ROOT_STRUCK:
        return "a majority of servers that reach each other: as it is, the lock prefers nobody to "
               "two";
    case ROOT_LOST_WAKE_UP:
        return "a waiter that looks again from time to time, and whenever it has connected anew, "
               "and does not rely on being told";
    case ROOT_LOST_PERMITS:
        return "a server that keeps what it had stored, or a semaphore that is made anew";
    case ROOT_UNANSWERED:
        return account->fault == SIZE_MAX && account->digest->trial->foreign != NULL
                   ? "a lock that gives up in time and says so: driver-of-client-1.log may say "
                     "what it waits for"
                   : "servers that keep what they had stored, and of which a majority is up";
    case ROOT_HANGING_RELEASE:
        return "a release that gives up in time, and takes a lock that is gone for released";
    default:
        return against_unknown(account);
    }
}

static const char *against(const struct account *account)
{
    switch (account->root) {
    case ROOT_REMOVED:
        return "comparing the owner and deleting in one step, at the server";
    case ROOT_NODE_LOCAL:
        return "all clients asking one and the same server, or a lock in a row that the cluster "
               "replicates (mysql-unique)";
    case ROOT_STEPS:
        return account_may_count_from_reply(account)
                   ? "a grant that is valid for a lease from before it was asked for; or a lock "
                     "that checks and takes in one step, at the server"
                   : "a lock that checks and takes in one step, at the server";
    case ROOT_LOCAL:
        return "a lock at a server that all clients ask";
    case ROOT_NO_LOCK:
        return "any lock";
    case ROOT_LATE_COMMIT:
        return "committing first, and releasing the lock after that";
    case ROOT_OLD_VIEW:
        return "taking the lock first, and reading after that what is there then (SELECT ... FOR "
               "UPDATE)";
    case ROOT_DEPTH:
        return "a count of entries that belongs to the holder and is kept as long as the lock";
    case ROOT_TOKEN:
        return "drawing the token in the same step that grants the lock, from a counter that "
               "survives failovers";
    case ROOT_OF_CHECK:
        return account->finding->check->mitigation;
    case ROOT_STORE:
        return "a store that remembers the highest token it has seen";
    default:
        return against_silence(account);
    }
}

void account_say_remedy(struct account *account)
{
    struct text out = {0};
    bool outlived = account->root == ROOT_PAUSE || account->root == ROOT_STALL ||
                    account->root == ROOT_LATE_GRANT || account->root == ROOT_WIRE ||
                    account->root == ROOT_WORK;
    if (outlived)
        add_against_outliving(account, &out);
    else if (account->root == ROOT_SERVER)
        add_against_taking(account, &out);
    else if (against(account)[0] != '\0')
        text_format(&out, PREVENT "%s.", against(account));
    snprintf(account->remedy, sizeof account->remedy, "%s", text_string(&out));
    text_free(&out);
}
