// The table of causes: the name of each, the sentence that tells it, and what would have prevented
// it. In a sentence, {word} stands for what add_word puts in its place, and {fact?yes|no} for the
// one or the other: a fact is one that is_so() knows, or a trait of the lock. What a sentence adds
// by way of a reason must be known itself.
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/check/stuck.h"
#include "harness/check/sweep.h"
#include "harness/explain/diagnosis.h"
#include "harness/explain/fault_text.h"
#include "harness/workloads/workload.h"

#include <stdio.h>
#include <string.h>

// --- the table -----------------------------------------------------------------------------------

#define ONE_STEP "a lock that checks and takes in one step, at the server"
#define CONSENSUS "a lock server that answers only once a majority has the lock (etcd, ZooKeeper)"
#define OWN_CLOCK "a lock server whose clock nobody sets: it measures the leases by it"
#define A_LEASE "a lease, set in the same step that takes the lock"
#define ASK_AGAIN "asking again with the same token, and finding that it has the lock"
#define ADMITTING                                                                                  \
    "{limiter?a log of when each was let through, of which the last window is counted, and to "    \
    "which one is added, in one step at the server|{semaphore?a semaphore that counts and takes "  \
    "in one step, at the server|{redis?" ONE_STEP                                                  \
    "|a lock that checks and takes in one step, at a server that all clients ask}}}"
#define AFTER_DEATH                                                                                \
    "{leased?{acquiring?taking the lock and setting when it ends in one step|{session?a session "  \
    "that nobody keeps alive but the client that has it|setting when the lock ends in the very "   \
    "request that takes it, also in one that is sent again, and prolonging it for its holder "     \
    "only}}|" A_LEASE "}"
#define SERVERS "servers that keep what they had stored, and of which a majority is up"
#define ITS_LOG "driver-of-client-1.log may say what it waits for"
#define GOING_ON "; {other} was granted the lock, and {who} went on all the same"

// A holder may outlive any lease: what helps is at the store, and `against` goes before that. Where
// a lock is taken from its holder, something prevents it, and something else limits the harm if it
// happens all the same.
enum kind { PLAIN, OUTLIVED, TAKEN };

static const struct row {
    enum root_cause cause;
    const char *name;
    enum kind kind;
    const char *sentence;
    const char *against;
} rows[] = {
    {ROOT_UNKNOWN, "unknown", PLAIN,
     "{no-progress?{free?the lock is free, and still nobody gets it|nobody gets the lock, and the "
     "history does not show who has it}|{removal?the lock vanished although its holder had not "
     "released it and its lease had not run out; nothing in the history shows who took "
     "it|{doubtful?{doubt}|{apart?the two holds did not overlap, and still both worked on one "
     "value|nothing in the history shows why}}}}",
     "{mitigated?{mitigation}|{overlap?" ADMITTING "}}"},
    {ROOT_PAUSE, "pause", OUTLIVED,
     "{who} stood still for {length} (fault {fault}), past the end of its lease of "
     "{lease}{renewed?{whole?, and its watchdog with it}}" GOING_ON,
     ""},
    {ROOT_STALL, "stall", OUTLIVED,
     "the machine stood still for {length} while {who} held the lock with a lease of "
     "{lease}" GOING_ON,
     ""},
    {ROOT_LATE_GRANT, "late-grant", OUTLIVED,
     "{who} learned of its grant {rest} after its lease of {lease} had run out{struck? (fault "
     "{fault} {stops?stopped it|held up its messages} for {length} inside its acquire)}, and "
     "worked all the same, while {other} was granted the lock",
     "a client that looks, once it is granted the lock, whether its lease still lasts; and "},
    {ROOT_WIRE, "network", OUTLIVED,
     "what {who} sent was held up for {length} (fault {fault}), until its lease of {lease} was "
     "over" GOING_ON,
     ""},
    {ROOT_POINT, "point", OUTLIVED,
     "{who} stood at its point for {length} until fault {fault} was in effect ({deed}), past the "
     "end "
     "of its lease of {lease}" GOING_ON,
     ""},
    {ROOT_WORK, "work", OUTLIVED,
     "{short?{who} learned of its grant when {rest} of its lease of {lease} was left, and held on "
     "for {length}|{who} held on for {length}, longer than its lease of {lease}, which "
     "{renewed?was not renewed in time|nothing renews meanwhile}}" GOING_ON,
     "{short?a client that looks, once it is granted the lock, how much of its lease is "
     "left|{renewed?a longer lease|a lease longer than the work, or one that is renewed "
     "meanwhile}}; and "},
    {ROOT_REMOVED, "removed", PLAIN,
     "{seen?{sent}, which removed {who}'s lock: it does not ask whose that "
     "is|{culprit}{stopped-inside? was stopped inside its release (fault {stop}) until its own "
     "lease was over; then it removed {who}'s lock|'s release removed {who}'s lock}{unchecked?, "
     "for it does not ask whose the lock is|{had-asked?, for it had asked whose the lock "
     "is before, and deleted it after that|{own-client?; possibly it takes all workers of a "
     "process for one owner}}}}",
     "comparing the owner and deleting in one step, at the server{own-value?, with a value for "
     "each worker}"},
    {ROOT_TAKEN_BACK, "taken-back", PLAIN,
     "{who}'s acquire had no answer, and giving back what it might have got removed the lock of "
     "the one who held it",
     "comparing the owner and deleting in one step, at the server, there as in a release"},
    {ROOT_OWN_RELEASE, "own-release", PLAIN,
     "{sent} before the request that took {who}'s lock, with the same value, and it was done only "
     "after that: what gave back a try that had failed gave back the lock",
     "a value of its own for each try, or no further try until what gives back the last one was "
     "answered"},
    {ROOT_SAME_VALUE, "same-value", PLAIN,
     "{acquired?{other} and {who}|{who} and {sender}} sent the same lock value, so that the server "
     "takes them for one: {acquired?{other} found its own value there, and held the "
     "lock|{sender}'s release removed {who}'s lock}",
     "a value of its own for each worker, and for each grant"},
    {ROOT_OVERWRITTEN, "overwritten", PLAIN,
     "{sent}, without NX: it put its own value in the place of {who}'s lock",
     "taking the lock only if it is free (SET NX), and renewing it only if it is one's own"},
    {ROOT_FORGOT, "server-forgot", TAKEN,
     "{struck?{moves-leader?{failover}|{victims}{lost}{quorum?, so that the servers left made a "
     "majority that knew nothing of it}} (fault {fault})|{step}, as the schedule says}",
     "{struck?{moves-leader?" CONSENSUS
     "|{kills?{quorum?servers that write each lock to disk before they answer, or stay down for a "
     "whole lease after a crash|{memcached?a lock server that keeps its locks on disk: memcached "
     "keeps none|a lock server that writes each lock to disk before it answers (Redis: appendfsync "
     "always)}}|{prevention}}}|a lock server that keeps what it has answered, whatever strikes "
     "it}"},
    {ROOT_CLOCK, "clock", TAKEN,
     "{seen?{sent} with a time of its own clock for the end of {who}'s lease, and not with its "
     "length{struck?; }}{struck?{deed}, and by {on-client?that clock {who}'s lease is over|it "
     "{who}'s lease of {lease} is over} (fault {fault})}",
     "{on-server?" OWN_CLOCK
     "|a lease that the server measures by its own clock, not each client by its own}"},
    {ROOT_SESSION, "session-ended", TAKEN,
     "{on-client?the server ended {who}'s connection|{kills?the server that had {who}'s connection "
     "was killed|{deed}}}, and its lock with it; {who} {told?was told, and went on all the "
     "same|had not noticed} (fault {fault})",
     "writing in a transaction on the very connection that holds the lock, which ends with it"},
    {ROOT_TWO_LEADERS, "two-leaders", TAKEN,
     "server-{server} granted the lock to {who}, and server-{server-2} {two?to {other}|knew "
     "nothing of it}: their group had chosen another leader by itself, for no fault struck either",
     CONSENSUS},
    {ROOT_PARTITION, "partition", TAKEN,
     "{deed}: {who}'s lock was on one side only, and the other side gave it to "
     "{two?{other}|another} (fault {fault})",
     CONSENSUS},
    {ROOT_GIVEN_TWICE, "given-back-twice", PLAIN,
     "{culprit}'s release had no answer (fault {fault}: {deed}), and was sent again: both gave "
     "back a permit",
     "a permit that has a name, and is given back by it"},
    {ROOT_LEFT, "inner-leave", PLAIN,
     "{who} came back from an inner hold of the lock, and with that the lock was free although the "
     "outer one had not ended",
     "a count of entries, and a release at the last one only"},
    {ROOT_NODE_LOCAL, "node-local", PLAIN,
     "{who} and {other} asked different servers of the Galera cluster, and this lock is known to "
     "the server only that was asked",
     "all clients asking one and the same server, or a lock in a row that the cluster replicates "
     "(mysql-unique)"},
    {ROOT_COUNTED_LATE, "lease-miscounted", PLAIN,
     "{seen?{who} asked the server for a lease of {asked}, and believed in its lock until "
     "{longer?at least }{believed} after that{longer?, longer than it had asked for|: it counts "
     "its lease from the "
     "answer, and not from before it asked}{two?; meanwhile {other} was granted the lock}|{who} "
     "counts its lease from the reply, and not from before it asked: the lock had ended before "
     "that}",
     "a grant that is valid for the lease that was asked for, from before it was asked for"},
    {ROOT_RENEWAL, "renewal-not-done", PLAIN,
     "{who}'s renewals count as done although nothing came through to it from the servers that "
     "decide (fault {fault}); its lease ended, and {other} was granted the lock",
     "a holder that takes its lease for over once no renewal has been answered in time"},
    {ROOT_RENEWED_OTHER, "renewed-anothers", PLAIN,
     "{sent} when {other} had the lock: it does not ask whose lock it prolongs, and {who} went on "
     "as if it were its own",
     "comparing the owner and renewing in one step, at the server"},
    {ROOT_STEPS, "several-steps", PLAIN,
     "{proven?this lock's acquire takes several steps, and {stopped} was stopped between "
     "them|{stopped} was stopped inside its acquire} (fault {fault},{point}); meanwhile "
     "{first-stopped?{other}|{who}} took the lock, and then both had it{proven?|: {from-reply?it "
     "counts its lease from the reply, and not from before it asked; or }its acquire takes several "
     "steps}",
     ONE_STEP "{proven?|; and a grant that is valid for a lease from before it was asked for}"},
    {ROOT_REFUSED, "refusal-taken-for-grant", PLAIN,
     "{sent}, which the server refused, and {other} held the lock all the same",
     "a client that looks at what it was answered"},
    {ROOT_UNANSWERED_GRANT, "no-answer-taken-for-grant", PLAIN,
     "{seen?{sent}|{other}'s acquire was cut off (fault {fault})} and had no answer when {other} "
     "held the lock: no answer is no grant",
     "a client that holds nothing it was not granted"},
    {ROOT_NOT_ASKED, "not-asked", PLAIN,
     "{other} held the lock without having sent anything to take it in that acquire",
     "asking the server for every grant, whatever was held before"},
    {ROOT_ADMITS, "acquire-admits", PLAIN,
     "{limiter?who was let through is not counted for a whole window, so that "
     "{first-later?{who}|{other}} was one too many|{semaphore?the acquires let in one too many: "
     "{first-later?{who}|{other}} was granted a "
     "permit when all {permits} were out ({first-later?{other}|{who}}'s{others})|the acquires let "
     "both in: {other} was granted the lock while {who} held it{bare?, and in between the history "
     "shows no release, no end of a lease, and no fault that takes a lock away}{one-client?; "
     "possibly all workers of a process are one owner to it}}}",
     ADMITTING},
    {ROOT_LOCAL, "process-local", PLAIN,
     "this lock keeps apart the workers of one process, and knows nothing of others",
     "a lock at a server that all clients ask"},
    {ROOT_NO_LOCK, "no-lock", PLAIN, "there is no lock: everybody is let in", "any lock"},
    {ROOT_LATE_COMMIT, "late-commit", PLAIN,
     "{proven?{who} released the lock {length} before its transaction was committed, and {other} "
     "read what was there before|{who}'s lock was free before its transaction was committed: "
     "{other} was granted it, and read what was there before, while that release had no answer "
     "yet}",
     "committing first, and releasing the lock after that"},
    {ROOT_LOST_COMMIT, "lost-commit", PLAIN,
     "{who}'s commit was not done (fault {fault}: {deed}), and counts as done: {other} read what "
     "was there before",
     "a client that looks whether its commit was done"},
    {ROOT_OLD_VIEW, "old-view", PLAIN,
     "{other} read the value as it was when its acquire began, before {who} had written: its view "
     "of the data is older than its lock",
     "taking the lock first, and reading after that what is there then (SELECT ... FOR UPDATE)"},
    {ROOT_DEPTH, "depth", PLAIN,
     "{who} held the lock, and was refused to enter it again, or to leave it as often",
     "a count of entries that belongs to the holder and is kept as long as the lock"},
    {ROOT_TOKEN, "token", PLAIN,
     "{same-token?{who} and {other} were both given token {token}: a store that trusts such tokens "
     "cannot tell the two apart|{who} was given token {token}, and {other}, whose grant is the "
     "later one, {token-2}: a store that trusts such tokens refuses the newer holder and lets the "
     "older one write}",
     "drawing the token in the same step that grants the lock, from a counter that survives "
     "failovers"},
    {ROOT_STORE, "store", PLAIN,
     "the store accepted {who}'s old fencing token after it had answered the newer one of {other}",
     "a store that remembers the highest token it has seen"},
    {ROOT_OF_CHECK, "lock", PLAIN, "{explained}",
     "{mitigated?{mitigation}|{overlap?" ADMITTING "}}"},
    {ROOT_DIED_HOLDING, "died-holding", PLAIN,
     "{who} died with the lock{struck? while it was cut off (fault {fault}): the server does not "
     "learn of it, and keeps its session and its lock|{lease?{job-queue?, and nobody was given its "
     "job when the lease was over|, and its lease did not free it}|, and nothing {gone?freed it "
     "until the trial's end|frees it then}}}",
     "{struck?a server that ends the session of a client it does not hear of (TCP keepalive, "
     "wait_timeout)|{job-queue?{lease?a queue that looks again, from time to time, for jobs whose "
     "worker's lease is over|" A_LEASE "}|" AFTER_DEATH "}}"},
    {ROOT_DIED_ACQUIRING, "died-acquiring", PLAIN,
     "{who} died inside its acquire, and {proven?left the lock behind without {lease?the lease "
     "that was to free it|anybody to free it}|had the lock{gone? until the trial's end}}",
     AFTER_DEATH},
    {ROOT_NO_EXPIRY, "no-expiry", PLAIN,
     "{sent} without a time to live, and nothing after it gave the lock one; {who} died with the "
     "lock, and nothing frees it",
     A_LEASE},
    {ROOT_KEPT_ALIVE, "kept-alive", PLAIN,
     "{who} died with the lock, and {sent}, which prolonged it without a look at whose it is",
     "renewing only what is one's own, compared at the server"},
    {ROOT_LOST_RELEASE, "lost-release", PLAIN,
     "{who}'s release was not done{struck? (fault {fault}: {deed})}, and nothing else {gone?freed "
     "the lock until the trial's end|frees this lock}",
     "{leased?a release that is sent again until it is answered, by its owner's value|" A_LEASE
     "}"},
    {ROOT_UNDONE_RELEASE, "undone-release", PLAIN,
     "{who}'s release was answered \"{answer}\", but did nothing: {proven?{seen?its proxy saw no "
     "request that removes the lock|{orphan?the lock was still on the server when all had ended, "
     "and nobody else had taken it|it sent nothing to any server}}|its own session has the lock, "
     "which was asked for over another connection}",
     "a release that asks the server, over the connection that holds the lock, and looks at the "
     "answer"},
    {ROOT_LOST_ACQUIRE, "lost-acquire", PLAIN,
     "{who}'s acquire was done, but the answer was lost: nobody knows that it has the lock, and so "
     "nobody releases it",
     "{leased?|a lease; or }" ASK_AGAIN},
    {ROOT_UNKNOWN_AS_NO, "no-answer-taken-for-no", PLAIN,
     "{seen?{sent}, and the server did it, but {who} was answered not-held: it has the lock, and "
     "does not know|{who} has the lock, and does not know: during fault {fault} its acquire had no "
     "answer, which counts as a refusal; a lock that got no answer must say unknown}",
     "{leased?|a lease; or }" ASK_AGAIN},
    {ROOT_DEAD_IN_LINE, "dead-in-line", PLAIN,
     "{who} died waiting for the lock, and keeps its place in the line: nobody passes it",
     "a place in the line that ends with its client's session"},
    {ROOT_LEASE_STANDS, "lease-stands-still", PLAIN,
     "{struck?{deed} (fault {fault})|{slow-step}, as the schedule says}, and so the lease of "
     "{lease} does not end for a long time",
     OWN_CLOCK},
    {ROOT_STRUCK, "struck", PLAIN, "{deed} (fault {fault}): as long as that lasts nobody is let in",
     "{severs?a majority of servers that reach each other: as it is, the lock prefers nobody to "
     "two}"},
    {ROOT_LOST_WAKE_UP, "lost-wake-up", PLAIN,
     "{released?{who}'s release woke nobody: }{sleeper} sleeps until it is told that the lock is "
     "free, and {struck?what would have told it may have ended before (fault {fault}: {deed})|was "
     "not told}; the lock is free, and nobody looks",
     "a waiter that looks again from time to time, and whenever it has connected anew, and does "
     "not rely on being told"},
    {ROOT_SPLIT_VOTE, "split-vote", PLAIN,
     "each of those who ask has the lock on some servers and keeps it there, and nobody has a "
     "majority",
     "giving back at once what was got without a majority, and asking again after a random time"},
    {ROOT_UNANSWERED, "unanswered", PLAIN,
     "{struck?since fault {fault} ({deed}) no acquire has been answered{healed?, not even now that "
     "{end}}|no acquire is answered any more}",
     "{struck?{healed?{external_client?a lock that asks again once its servers can be "
     "asked: " ITS_LOG "|" SERVERS "}|" SERVERS
     "}|{external_client?a lock that gives up in time and says so: " ITS_LOG "|" SERVERS "}}"},
    {ROOT_LOST_PERMITS, "lost-permits", PLAIN,
     "{deed} (fault {fault}), and what it had stored of the semaphore is lost: there is no permit "
     "that anybody could be granted",
     "a server that keeps what it had stored, or a semaphore that is made anew"},
    {ROOT_HANGING_RELEASE, "hanging-release", PLAIN,
     "{who}'s release does not come back{outlived?: its lease had run out, and what it asks for "
     "cannot be done any more}",
     "a release that gives up in time, and takes a lock that is gone for released"},
};

static const struct row *row_of(enum root_cause cause)
{
    const struct row *row = rows;
    while (row->cause != cause)
        row++;
    return row;
}

const char *root_name(enum root_cause cause)
{
    return row_of(cause)->name;
}

const char *certainty_name(enum certainty certainty)
{
    static const char *const names[] = {"unexplained", "possible", "proven"};
    return names[certainty];
}

// --- facts ---------------------------------------------------------------------------------------

// The fault that stopped the culprit inside its release, or NULL.
static const struct fault_record *stop_of_culprit(const struct diagnosis *diagnosis)
{
    const struct hold *culprit = diagnosis->culprit;
    return longest_fault(diagnosis->model, culprit, false, culprit->released_ns,
                         culprit->returned_ns);
}

// True if the culprit was stopped right after it had asked whose the lock is.
static bool had_asked(const struct diagnosis *diagnosis)
{
    const struct fault_record *stop = stop_of_culprit(diagnosis);
    return stop != NULL && stop_was_between_requests(stop) &&
           stop->instance->points[0].moment == MOMENT_AFTER;
}

// True if the client that was stopped inside its acquire is that of the first hold.
static bool first_was_stopped(const struct diagnosis *diagnosis)
{
    return diagnosis->holds[0]->client == diagnosis->fault->instance->target.client;
}

// True if what the stopped client was granted was, by its own word, asked for after the stop had
// begun: a lease that is counted from the reply looks like that. A lock of ours takes the time
// before it asks.
static bool may_count_from_reply(const struct diagnosis *diagnosis)
{
    const struct trial *trial = diagnosis->model->trial;
    const struct hold *hold = diagnosis->holds[first_was_stopped(diagnosis) ? 0 : 1];
    return trial->external_client != NULL && diagnosis_has_trait(diagnosis, "lease") &&
           hold->valid_until_ns != TIME_NEVER &&
           hold->valid_until_ns - trial->scenario->lock.lease_ns >= diagnosis->fault->in_effect_ns;
}

// True if the holder believed in its lease for longer than it had asked for, even from the answer.
static bool believed_longer(const struct diagnosis *diagnosis)
{
    const struct seen_request *request = &diagnosis->request;
    int64_t ttl_ns = request->ttl_ms * NS_PER_MS;
    return diagnosis->holds[0]->valid_until_ns >
           request->answered_ns + ttl_ns + allowed_drift_ns(ttl_ns);
}

#define FACT(name, value)                                                                          \
    if (strcmp(fact, name) == 0)                                                                   \
    return value

// Of the trial, and of the fault that struck. -1: it is none of these.
static int trial_fact(const struct diagnosis *diagnosis, const char *fact)
{
    const struct trial_model *model = diagnosis->model;
    const struct fault_record *fault = diagnosis->fault;
    FACT("limiter", scenario_role(model->trial->scenario) == ROLE_LIMITER);
    FACT("semaphore", trial_model_permits(model) > 1);
    FACT("quorum", trial_has_independent_servers(model->trial));
    FACT("external_client", model->trial->external_client != NULL);
    FACT("free", no_progress_while_free(model, false));
    FACT("gone", model->ends.left == RESIDUAL_NONE);
    FACT("orphan", model->ends.left == RESIDUAL_ORPHAN);
    FACT("struck", fault != NULL);
    FACT("stops", fault != NULL && fault_can(fault->instance, FAULT_STOPS));
    FACT("kills", fault != NULL && fault_can(fault->instance, FAULT_KILLS));
    FACT("severs", fault != NULL && fault_can(fault->instance, FAULT_SEVERS));
    FACT("moves-leader", fault != NULL && fault_can(fault->instance, FAULT_MOVES_LEADER));
    FACT("on-client", fault != NULL && fault->instance->target.client != 0);
    FACT("on-server", fault != NULL && fault->instance->target.client == 0);
    FACT("whole", fault != NULL && fault->instance->target.worker == 0); // a whole process
    FACT("healed",
         fault != NULL && fault->healed_ns != TIME_NEVER && fault->instance->bound_ns >= 0);
    return -1;
}

// Of the finding, and of the holds; or a trait of the lock.
static bool is_so(const struct diagnosis *diagnosis, const char *fact)
{
    int of_trial = trial_fact(diagnosis, fact);
    if (of_trial >= 0)
        return of_trial != 0;
    const struct hold *hold = diagnosis->holds[0];
    const struct hold *other = diagnosis->holds[1];
    const struct hold *culprit = diagnosis->culprit;
    const struct check *check = diagnosis->finding->check;
    bool is_proven = diagnosis->certainty == CERTAINTY_PROVEN;
    bool was_seen = diagnosis->request.client != 0;
    FACT("proven", is_proven);
    FACT("seen", was_seen);
    FACT("acquired", diagnosis->request.phase == PHASE_ACQUIRE);
    FACT("acquiring", diagnosis->cause == ROOT_DIED_ACQUIRING);
    FACT("no-progress", check->shows == SHOWS_NO_PROGRESS);
    FACT("removal", check->shows == SHOWS_REMOVAL);
    FACT("mitigated", check->mitigation != NULL);
    FACT("overlap", diagnosis->overlap_ns > 0);
    FACT("apart", other != NULL && diagnosis->overlap_ns == 0);
    FACT("bare", diagnosis->is_bare);
    FACT("short", diagnosis->length_ns <= diagnosis->model->trial->scenario->lock.lease_ns);
    FACT("leased", diagnosis_has_trait(diagnosis, "lease") ||
                       (hold != NULL && hold->valid_until_ns != TIME_NEVER));
    FACT("released", hold != NULL);
    FACT("two", other != NULL);
    FACT("doubtful", diagnosis->overlap_ns > 0 && hold->is_unanchored);
    FACT("told", hold->told_lost_ns <= hold->released_ns);
    FACT("longer", believed_longer(diagnosis));
    FACT("outlived", hold->valid_until_ns < diagnosis->finding->evidence.from_ns);
    FACT("same-token", hold->token == other->token);
    FACT("first-later", hold > other);
    FACT("first-stopped", first_was_stopped(diagnosis));
    FACT("from-reply", may_count_from_reply(diagnosis));
    FACT("one-client", hold->client == other->client);
    FACT("stopped-inside", stop_of_culprit(diagnosis) != NULL);
    FACT("unchecked", culprit->returned_ns != TIME_NEVER && culprit->answer == RELEASE_UNCHECKED);
    FACT("had-asked", had_asked(diagnosis));
    FACT("own-client", culprit->client == hold->client);
    FACT("own-value", is_proven && !was_seen && culprit != NULL &&
                          culprit->client == hold->client && culprit->answer != RELEASE_UNCHECKED);
    return diagnosis_has_trait(diagnosis, fact);
}
#undef FACT

// --- words ---------------------------------------------------------------------------------------

static const char *fill(const struct diagnosis *diagnosis, const char *words, struct text *out);

static void add_worker(const struct diagnosis *diagnosis, int client, int worker, struct text *out)
{
    text_add(out, worker_name(diagnosis->model, client, worker).text);
}

static void add_holder(const struct diagnosis *diagnosis, const struct hold *hold, struct text *out)
{
    add_worker(diagnosis, hold->client, hold->worker, out);
}

// "client-1 sent EVAL, and DEL after it, during its release"; "client-2 sent SET in the
// background". Whether the library's release sent it, or another thread of the program, the proxy
// does not see.
static void add_sent(const struct diagnosis *diagnosis, struct text *out)
{
    static const char *const steps[] = {
        [PHASE_ACQUIRE] = "acquire", [PHASE_RELEASE] = "release", [PHASE_RENEW] = "renewal"};
    const struct seen_request *request = &diagnosis->request;
    bool is_second = diagnosis->before.client != 0;
    const char *which = (request->words & REQUEST_NX) != 0   ? " NX"
                        : (request->words & REQUEST_XX) != 0 ? " XX"
                                                             : "";
    add_worker(diagnosis, request->client, request->worker, out);
    text_add(out, " sent ");
    if (is_second)
        text_format(out, "%s, and ", diagnosis->before.command.text);
    text_format(out, "%s%s%s", request->command.text, which, is_second ? " after it," : "");
    if (request->phase <= PHASE_RENEW)
        text_format(out, " during its %s", steps[request->phase]);
    else
        text_add(out, " in the background");
}

// The names of all servers that were struck in the same way since the lock was asked for:
// "server-2 and server-3".
static void add_victims(const struct diagnosis *diagnosis, struct text *out)
{
    char name[100];
    const struct fault_record *fault = diagnosis->fault;
    const struct fault_record *last = NULL;
    bool lists = false;
    FOR_EACH_FAULT (record, diagnosis->model) {
        if (strcmp(record->instance->verb, fault->instance->verb) != 0 ||
            record->in_effect_ns > fault->in_effect_ns ||
            record->in_effect_ns < diagnosis->holds[0]->invoked_ns ||
            record->instance->target.client != 0)
            continue;
        if (last != NULL)
            text_format(out, "%s%s", lists ? ", " : "",
                        fault_target_text(diagnosis->model, last, name, sizeof name));
        lists = lists || last != NULL;
        last = record;
    }
    text_format(
        out, "%s%s", lists ? " and " : "",
        fault_target_text(diagnosis->model, last != NULL ? last : fault, name, sizeof name));
}

static void add_failover(const struct diagnosis *diagnosis, struct text *out)
{
    char old[32];
    char next[32];
    if (sscanf(diagnosis->fault->reason, "%31[a-z0-9-] %31[a-z0-9-]", old, next) == 2)
        text_format(out,
                    "the leader %s was killed before the lock had reached %s, which took its "
                    "place without it",
                    old, next);
    else
        text_add(out, "the leader was killed before the lock had reached the server that took its "
                      "place");
}

// The worker of the first hold, or of the attempt.
static void add_who(const struct diagnosis *diagnosis, struct text *out)
{
    const struct hold *who = diagnosis->attempt != NULL ? diagnosis->attempt : diagnosis->holds[0];
    if (who != NULL)
        add_worker(diagnosis, who->client, diagnosis->any_worker ? 0 : who->worker, out);
}

// Of a semaphore: ", client-2's and client-3's".
static void add_others(const struct diagnosis *diagnosis, struct text *out)
{
    for (size_t i = 0; i < diagnosis->other_count; i++) {
        text_add(out, i + 1 < diagnosis->other_count ? ", " : " and ");
        add_holder(diagnosis, diagnosis->others[i], out);
        text_add(out, "'s");
    }
}

#define WORD(name, add) else if (strcmp(word, name) == 0) add

static void add_word(const struct diagnosis *diagnosis, const char *word, struct text *out)
{
    const struct trial_model *model = diagnosis->model;
    const struct fault_record *fault = diagnosis->fault;
    const struct finding *finding = diagnosis->finding;
    const struct seen_request *request = &diagnosis->request;
    const struct hold *hold = diagnosis->holds[0];
    const struct hold *other = diagnosis->holds[1];
    if (strcmp(word, "other") == 0 && other != NULL)
        add_holder(diagnosis, other, out);
    WORD("who", add_who(diagnosis, out));
    WORD("other", add_who(diagnosis, out));
    WORD("others", add_others(diagnosis, out));
    WORD("culprit", add_holder(diagnosis, diagnosis->culprit, out));
    WORD("sender", add_worker(diagnosis, request->client, request->worker, out));
    WORD("sleeper", add_holder(diagnosis, attempt_that_sleeps(model), out));
    WORD("stopped", text_format(out, "client-%d", fault->instance->target.client));
    WORD("sent", add_sent(diagnosis, out));
    WORD("victims", add_victims(diagnosis, out));
    WORD("failover", add_failover(diagnosis, out));
    WORD("lease", text_add(out, lasting(model->trial->scenario->lock.lease_ns).text));
    WORD("length", text_add(out, lasting(diagnosis->length_ns).text));
    WORD("rest", text_add(out, lasting(llabs(hold->valid_until_ns - hold->granted_ns)).text));
    WORD("asked", text_add(out, lasting(request->ttl_ms * NS_PER_MS).text));
    WORD("believed", text_add(out, lasting(hold->valid_until_ns - request->sent_ns).text));
    WORD("fault", text_format(out, "%d", fault->instance->number));
    WORD("stop", text_format(out, "%d", stop_of_culprit(diagnosis)->instance->number));
    WORD("server", text_format(out, "%d", diagnosis->servers[0]));
    WORD("server-2", text_format(out, "%d", diagnosis->servers[1]));
    WORD("permits", text_format(out, "%lld", (long long)trial_model_permits(model)));
    WORD("token", text_format(out, "%lld", (long long)hold->token));
    WORD("token-2", text_format(out, "%lld", (long long)other->token));
    WORD("answer", text_add(out, release_answer_name(hold->answer)));
    WORD("deed", fault_text(model, fault, out));
    WORD("step", text_add(out, step_that_forgets(model)));
    WORD("slow-step", text_add(out, step_that_prolongs(model)));
    WORD("end", fault_text_end(model, fault, out));
    WORD("point", fault_text_point(model, fault, out));
    WORD("lost", fill(diagnosis, fault->instance->form.lost, out));
    WORD("prevention", text_add(out, fault->instance->form.mitigation));
    WORD("mitigation", text_add(out, finding->check->mitigation));
    WORD("doubt", text_add(out, describe_doubt(model, hold, hold)));
    WORD("explained", finding->check->explain(model, &finding->evidence, out));
}
#undef WORD

// Adds the words up to what ends them, a bar or a closing brace, and returns that. Without `out`
// they are passed over, and no fact of theirs is looked at.
static const char *fill(const struct diagnosis *diagnosis, const char *words, struct text *out)
{
    for (const char *at = words;; at++) {
        char word[32];
        size_t plain = strcspn(at, "{|}");
        if (out != NULL)
            text_add_bytes(out, at, plain);
        at += plain;
        if (*at != '{')
            return at;
        size_t length = strcspn(++at, "?}");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        at += length;
        if (*at == '?') {
            bool is_yes = out != NULL && is_so(diagnosis, word);
            at = fill(diagnosis, at + 1, is_yes ? out : NULL);
            at = *at == '|' ? fill(diagnosis, at + 1, is_yes ? NULL : out) : at;
        } else if (out != NULL) {
            add_word(diagnosis, word, out);
        }
    }
}

// --- the sentences -------------------------------------------------------------------------------

static void add_mitigation(const struct diagnosis *diagnosis, struct text *out)
{
    const struct row *row = row_of(diagnosis->cause);
    bool ends_with_lock =
        diagnosis->cause == ROOT_SESSION && diagnosis_has_trait(diagnosis, "transaction");
    AUTO_TEXT struct text against = {0};
    fill(diagnosis, row->against, &against);
    // Tokens of this lock's, or of another's if it gives none.
    const char *fencing =
        diagnosis_has_trait(diagnosis, "fenced") || diagnosis->model->trial->traits == NULL
            ? "a fencing token checked by the store (fenced: true)"
            : "a lock that gives fencing tokens, and a store that checks them";
    if (row->kind == OUTLIVED && diagnosis->finding->harmless)
        text_format(out, "It did no harm: the store checks fencing tokens, and %s.",
                    store_refused_writes(diagnosis->model) ? "refused the stale write"
                                                           : "no stale write came");
    else if (row->kind == OUTLIVED)
        text_format(out, "%s: %s%s.",
                    diagnosis->harm ? "What would have prevented the harm"
                                    : "No harm was seen this time. What would rule it out",
                    text_string(&against), fencing);
    else if (ends_with_lock)
        text_add(out, "What limited the harm: its writes go over the connection that holds the "
                      "lock, and end with it.");
    else if (against.length > 0)
        text_format(out, "What would have prevented it: %s.%s", against.bytes,
                    row->kind == TAKEN && !diagnosis->harm ? " No harm was seen this time." : "");
    if (row->kind == TAKEN && !ends_with_lock && diagnosis->harm &&
        !diagnosis->model->trial->scenario->workload.fenced)
        text_format(out, " What would have limited the harm: %s.", fencing);
}

void diagnosis_say(struct diagnosis *diagnosis)
{
    static const char *const begins[] = {[CERTAINTY_UNEXPLAINED] = "unexplained: ",
                                         [CERTAINTY_POSSIBLE] = "possibly: ",
                                         [CERTAINTY_PROVEN] = ""};
    AUTO_TEXT struct text text = {0}, mitigation = {0};
    text_add(&text, begins[diagnosis->certainty]);
    fill(diagnosis, row_of(diagnosis->cause)->sentence, &text);
    add_mitigation(diagnosis, &mitigation);
    snprintf(diagnosis->text, sizeof diagnosis->text, "%s", text_string(&text));
    snprintf(diagnosis->mitigation, sizeof diagnosis->mitigation, "%s", text_string(&mitigation));
}
