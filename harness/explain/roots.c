// What a violation comes from, and how sure that is. Each rule says in its comment what proves it.
#include "harness/explain/account.h"

#include "harness/base/text.h"
#include "harness/check/liveness.h"
#include "harness/check/stale_holder.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"
#include "harness/check/wire_sides.h"
#include "harness/check/wrongful_release.h"

#include <stdlib.h>
#include <string.h>

bool account_has_trait(const struct account *account, const char *trait)
{
    const struct trial *trial = account->digest->trial;
    return trial->traits != NULL && trial_has_trait(trial, trait);
}

void account_conclude(struct account *account, enum root root, bool is_proven)
{
    account->root = root;
    account->certainty = is_proven ? CERTAINTY_PROVEN : CERTAINTY_POSSIBLE;
}

static bool is_topology(const struct account *account, const char *const *names)
{
    return text_is_one_of(trial_topology(account->digest->trial), names);
}

// --- what stretched a hold -----------------------------------------------------------------------

static bool stops(const struct fault_step *step, const struct hold *hold)
{
    return fault_can(step, FAULT_STOPS) && step->target.client == hold->client &&
           (step->target.worker == 0 || step->target.worker == hold->worker);
}

static bool slows_wire_of(const struct fault_step *step, int client)
{
    return fault_can(step, FAULT_SEVERS | FAULT_SLOWS) && wire_names_client(step, client);
}

// For how long a fault lasted between two times; not above 0 if it did not.
static int64_t lasted_ns(const struct fault_record *record, int64_t from_ns, int64_t to_ns)
{
    if (record->in_effect_ns == TIME_NEVER)
        return 0;
    return time_earlier(record->healed_ns, to_ns) - time_later(record->in_effect_ns, from_ns);
}

// The fault that stopped the hold's worker (or, `on_wires`, held up what it sent) for longest.
static size_t longest_fault(const struct digest *digest, const struct hold *hold, bool on_wires,
                            int64_t from_ns, int64_t to_ns)
{
    size_t longest = SIZE_MAX;
    int64_t most = 0;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        bool strikes =
            on_wires ? slows_wire_of(record->step, hold->client) : stops(record->step, hold);
        int64_t length = lasted_ns(record, from_ns, to_ns);
        if (strikes && length > most) {
            most = length;
            longest = i;
        }
    }
    return longest;
}

size_t fault_that_stopped(const struct digest *digest, const struct hold *hold, int64_t from_ns,
                          int64_t to_ns)
{
    return longest_fault(digest, hold, false, from_ns, to_ns);
}

size_t hold_stretched_by(const struct digest *digest, const struct hold *hold)
{
    size_t pause = longest_fault(digest, hold, false, hold->invoked_ns, hold->released_ns);
    return pause != SIZE_MAX
               ? pause
               : longest_fault(digest, hold, true, hold->granted_ns, hold->released_ns);
}

static void take_fault(struct account *account, size_t fault)
{
    const struct fault_record *record = &account->digest->faults[fault];
    account->fault = fault;
    account->length_ns =
        time_earlier(record->healed_ns, account->digest->ended_ns) - record->in_effect_ns;
}

static bool covers(const struct fault_record *record, int64_t at_ns)
{
    return record->in_effect_ns <= at_ns && record->healed_ns >= at_ns;
}

// True if something that the hold's worker asked for was under way from before that time until
// after the fault was over, or was never answered.
static bool was_held_up(const struct digest *digest, const struct hold *hold,
                        const struct fault_record *fault, int64_t lease_end_ns)
{
    for (size_t i = 0; i < hold->access_count; i++) {
        const struct access *access = &digest->accesses[hold->first_access + i];
        if (access->invoked_ns <= lease_end_ns && access->returned_ns >= lease_end_ns &&
            access->returned_ns > fault->in_effect_ns)
            return true;
    }
    return hold->release_invoked && hold->released_ns <= lease_end_ns &&
           hold->returned_ns >= lease_end_ns;
}

// The holder outlived its lease: PAUSE and WIRE are proven if the fault lasted when the lease
// ended, and kept the holder from doing anything about it: a pause stops all of the process that
// might renew, a wire something of this hold's own.
static void find_stretch(struct account *account, const struct hold *stale)
{
    const struct digest *digest = account->digest;
    const struct hold *other = &digest->holds[account->holds[1]];
    bool late = stale->granted_ns >= stale->valid_until_ns;
    int64_t from_ns = late ? stale->invoked_ns : stale->granted_ns;
    int64_t to_ns = late ? stale->granted_ns : time_earlier(other->granted_ns, stale->released_ns);
    size_t pause = longest_fault(digest, stale, false, from_ns, to_ns);
    size_t wire = longest_fault(digest, stale, true, from_ns, to_ns);
    // A stale holder that a stall could explain is no finding.
    int64_t stall_ns = account->finding->check->shows == SHOWS_TWO_STALE
                           ? 0
                           : stall_to_blame_ns(digest, stale, other->granted_ns, other->granted_ns);
    if (pause != SIZE_MAX) {
        const struct fault_record *record = &digest->faults[pause];
        bool stops_renewal =
            !account_has_trait(account, "renewed") || record->step->target.worker == 0;
        account_conclude(account, ROOT_PAUSE,
                         stops_renewal && covers(record, stale->valid_until_ns));
        take_fault(account, pause);
    } else if (wire != SIZE_MAX) {
        const struct fault_record *record = &digest->faults[wire];
        account_conclude(account, ROOT_WIRE,
                         covers(record, stale->valid_until_ns) &&
                             (account_has_trait(account, "renewed") ||
                              was_held_up(digest, stale, record, stale->valid_until_ns)));
        take_fault(account, wire);
    } else if (stall_ns > 0) {
        account_conclude(account, ROOT_STALL, false);
        account->length_ns = stall_ns;
    } else {
        account_conclude(account, ROOT_WORK, true);
        account->length_ns = stale->released_ns - stale->granted_ns;
    }
    if (late)
        account_conclude(account, ROOT_LATE_GRANT, true);
}

// --- what took a lock from its holder: faults ----------------------------------------------------

// True if a server started again between those times, which the fault lasted.
static bool showed_at_start(const struct account *account, const struct fault_record *record,
                            int64_t from_ns, int64_t until_ns)
{
    const struct digest *digest = account->digest;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *other = &digest->faults[i];
        if (fault_can(other->step, FAULT_KILLS) && other->step->target.client == 0 &&
            other->step->bound_ns >= 0 && other->in_effect_ns != TIME_NEVER &&
            strcmp(other->step->target.server, record->step->target.server) == 0 &&
            other->asked_ns >= time_later(from_ns, record->in_effect_ns) &&
            other->asked_ns <= until_ns &&
            (record->step->bound_ns < 0 || other->healed_ns <= record->healed_ns))
            return true;
    }
    return false;
}

// What a fault can have done to the hold's lock before `until_ns`; ROOT_UNKNOWN: nothing.
static enum root deed_of(const struct account *account, const struct fault_record *record,
                         const struct hold *hold, const struct hold *other, int64_t until_ns)
{
    const struct fault_step *step = record->step;
    static const char *const replicated[] = {"sentinel",  "cluster", "replica",
                                             "semi-sync", "galera",  NULL};
    int client = step->target.client;
    bool on_server =
        client == 0 && step->side_counts[0] == 0 && !strikes_only_store(account->digest, step);
    bool by_session = account_has_trait(account, "session");
    bool only_pubsub = step->how != NULL && strcmp(step->how, "pubsub") == 0;
    if (fault_can(step, FAULT_MOVES_CLOCK)) {
        bool is_its = client == hold->client || (other != NULL && client == other->client);
        return account_has_trait(account, "lease") && (on_server || is_its) ? ROOT_CLOCK
                                                                            : ROOT_UNKNOWN;
    }
    if (fault_can(step, FAULT_SHOWS_AT_START) &&
        !showed_at_start(account, record, hold->invoked_ns, until_ns))
        return ROOT_UNKNOWN;
    if (fault_can(step, FAULT_EMPTIES | FAULT_MAY_FORGET) && on_server)
        return by_session && !account_has_trait(account, "lease") ? ROOT_SESSION : ROOT_FORGOT;
    if (fault_can(step, FAULT_DISCONNECTS | FAULT_KILLS) && by_session && !only_pubsub &&
        (on_server || client == hold->client))
        return ROOT_SESSION;
    if (fault_can(step, FAULT_SEVERS) && wire_parts_servers(step) &&
        is_topology(account, replicated))
        return ROOT_PARTITION;
    return ROOT_UNKNOWN;
}

// The leader, and who may reach it, on one side, and the one let in on the other, from before the
// grant on: what one side knew never came to the other.
static bool parted_them(const struct fault_record *record, const struct hold *hold,
                        const struct hold *other)
{
    const struct fault_step *step = record->step;
    for (int side = 0; side < 2 && other != NULL && !step->one_way; side++) {
        bool leads = false;
        for (size_t i = 0; i < step->side_counts[side]; i++)
            leads = leads || strcmp(step->sides[side][i].server, "leader") == 0;
        if (leads && wire_has_client(step, side, hold->client) &&
            wire_has_client(step, 1 - side, other->client))
            return record->in_effect_ns <= hold->granted_ns &&
                   record->healed_ns >= other->granted_ns;
    }
    return false;
}

// Proven if the fault, which is in effect, cannot but have taken the lock that was granted before
// from the only server there is; for a fault that waits until the lock is in danger (an eviction, a
// failover that loses it) its effect is the proof.
static bool is_proven_deed(const struct account *account, const struct fault_record *record,
                           enum root deed, const struct hold *hold, const struct hold *other,
                           int64_t until_ns)
{
    static const char *const alone[] = {"single", NULL};
    static const char *const certain[] = {"loses-all", "loses-lock", NULL};
    const struct fault_step *step = record->step;
    bool is_single = is_topology(account, alone);
    if (deed == ROOT_PARTITION)
        return parted_them(record, hold, other);
    // Nothing that was written since is there any more; what was damaged may be.
    if (fault_can(step, FAULT_SHOWS_AT_START))
        return is_single && step->bound_ns >= 0 && record->in_effect_ns <= hold->invoked_ns &&
               showed_at_start(account, record, hold->granted_ns, until_ns);
    if (record->asked_ns < hold->granted_ns || record->in_effect_ns > until_ns)
        return false;
    int64_t lease_ns = account->digest->trial->scenario->lock.lease_ns;
    if (deed == ROOT_CLOCK)
        return step->target.client == 0 && is_single && step->by_ns >= lease_ns;
    if (deed == ROOT_SESSION)
        return step->target.client != 0 || is_single;
    if (fault_can(step, FAULT_EMPTIES))
        return is_single;
    bool surely = step->how != NULL && text_is_one_of(step->how, certain);
    return surely && (is_single || fault_can(step, FAULT_MOVES_LEADER));
}

// Of two that may have done it the later; but what shows when a server starts again is why it did
// not have the lock then, whatever ended it.
static int64_t rank_of(const struct fault_record *record)
{
    return fault_can(record->step, FAULT_SHOWS_AT_START) ? TIME_NEVER : record->in_effect_ns;
}

// The fault that may have taken the lock from a hold before `until_ns`: of several one that is
// proven to have, else the latest.
static bool find_taken_by_fault(struct account *account, const struct hold *hold,
                                const struct hold *other, int64_t until_ns)
{
    const struct digest *digest = account->digest;
    bool found = false;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        enum root deed = deed_of(account, record, hold, other, until_ns);
        // What was asked for before and proven only later may have done its work before.
        bool over = record->healed_ns < hold->invoked_ns;
        bool lasts = record->healed_ns != TIME_NEVER || record->step->bound_ns >= 0;
        if (deed == ROOT_UNKNOWN || record->in_effect_ns == TIME_NEVER ||
            record->asked_ns > until_ns || over ||
            (!lasts && record->in_effect_ns < hold->invoked_ns))
            continue;
        bool is_proven = is_proven_deed(account, record, deed, hold, other, until_ns);
        bool is_better = !found || (is_proven && account->certainty != CERTAINTY_PROVEN) ||
                         (is_proven == (account->certainty == CERTAINTY_PROVEN) &&
                          rank_of(record) >= rank_of(&digest->faults[account->fault]));
        if (!is_better)
            continue;
        account_conclude(account, deed, is_proven);
        account->fault = i;
        found = true;
    }
    return found;
}

// --- what took a lock from its holder: releases --------------------------------------------------

static bool only_reads(const char *command)
{
    static const char *const readers[] = {"GET",  "gets",    "get",     "EXISTS", "HGET",
                                          "PTTL", "MGET",    "getData", "exists", "getChildren",
                                          "TIME", "HEXISTS", "range",   NULL};
    return text_is_one_of(command, readers);
}

bool stop_was_between_requests(const struct fault_record *record)
{
    const struct fault_step *step = record->step;
    for (size_t i = 0; i < step->point_count; i++) {
        const struct point_name *point = &step->points[i];
        bool reads = only_reads(point->what);
        bool is_request = point->phase[0] != '\0' && strcmp(point->what, "request") != 0;
        bool between =
            point->moment == MOMENT_AFTER ? reads : point->moment == MOMENT_BEFORE && !reads;
        if (!is_request || !between)
            return false;
    }
    return step->point_count > 0;
}

// Proven if the release ended after its own lease had, said that it had removed something (or, as
// it cannot tell, had sent what removes whatever is there), and sent that when the other had been
// granted the lock: it was asked for after that, or was stopped before that and went on after it.
static bool removal_is_proven(const struct digest *digest, const struct hold *wronged,
                              const struct hold *culprit, int64_t until_ns)
{
    bool removes = culprit->answer == RELEASE_RELEASED || culprit->answer == RELEASE_UNCHECKED;
    if (!removes || culprit->returned_ns > until_ns ||
        hold_lease_end_ns(digest, culprit) > culprit->returned_ns)
        return false;
    if (culprit->released_ns >= wronged->granted_ns)
        return true;
    size_t stop = fault_that_stopped(digest, culprit, culprit->released_ns, culprit->returned_ns);
    return stop != SIZE_MAX && digest->faults[stop].healed_ns >= wronged->granted_ns &&
           stop_was_between_requests(&digest->faults[stop]);
}

// True if that release gave back what was still its own, when both held the lock: then that they
// did is what went wrong.
static bool held_both(const struct digest *digest, const struct hold *wronged, size_t culprit)
{
    const struct hold *other = &digest->holds[culprit];
    return other->answer == RELEASE_RELEASED && other->returned_ns != TIME_NEVER &&
           other->granted_ns < wronged->granted_ns && other->released_ns > wronged->granted_ns &&
           hold_lease_end_ns(digest, other) > other->returned_ns;
}

// False if the release can but have given back its own lock: it was granted later, or it was still
// its own, and the lock looks whose it is that it gives back.
static bool may_remove(const struct account *account, const struct hold *wronged, size_t culprit)
{
    const struct digest *digest = account->digest;
    const struct hold *other = &digest->holds[culprit];
    bool was_own = other->returned_ns != TIME_NEVER && other->answer == RELEASE_RELEASED &&
                   other->client != wronged->client &&
                   account_has_trait(account, "owner-checked") &&
                   hold_lease_end_ns(digest, other) > other->returned_ns;
    return other->granted_ns < wronged->granted_ns && !was_own &&
           !held_both(digest, wronged, culprit);
}

static void removed(struct account *account, size_t wronged, size_t culprit, int64_t until_ns)
{
    const struct digest *digest = account->digest;
    account_conclude(
        account, ROOT_REMOVED,
        removal_is_proven(digest, &digest->holds[wronged], &digest->holds[culprit], until_ns));
    account->culprit = culprit;
    account->fault = SIZE_MAX;
}

// True if a release of another's may have taken away the lock of the hold before the next grant
// (what came after that did not let anybody in): that which was found, or one that shows in the
// history. `certainly`: only one of which that is proven.
static bool was_removed(struct account *account, size_t hold, int64_t until_ns, bool certainly)
{
    const struct digest *digest = account->digest;
    const struct judgement *judgement = account->judgement;
    bool ignored = false;
    size_t culprit = SIZE_MAX;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        const struct evidence *evidence = &finding->evidence;
        if (finding->state == FINDING_VIOLATED && finding->check->shows == SHOWS_REMOVAL &&
            evidence->holds[0] == hold && evidence->holds[1] != SIZE_MAX &&
            evidence->from_ns < until_ns &&
            digest->holds[evidence->holds[1]].granted_ns < digest->holds[hold].granted_ns)
            culprit = evidence->holds[1];
    }
    // A semaphore's permits are nobody's.
    if (culprit == SIZE_MAX && digest_permits(digest) == 1)
        culprit = wrongful_release_culprit(digest, hold, until_ns, &ignored);
    if (culprit == SIZE_MAX || !may_remove(account, &digest->holds[hold], culprit) ||
        (certainly &&
         !removal_is_proven(digest, &digest->holds[hold], &digest->holds[culprit], until_ns)))
        return false;
    removed(account, hold, culprit, until_ns);
    return true;
}

// --- two who hold at once ------------------------------------------------------------------------

// True if nothing but acquires was under way between the two grants: no release of another's, no
// fault but on clients' own processes; so it is an acquire that let the second in.
static bool only_acquires_between(const struct digest *digest, const struct hold *first,
                                  const struct hold *second)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold != first && hold != second && hold->released_ns < second->granted_ns &&
            hold->returned_ns > first->granted_ns)
            return false;
    }
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (record->in_effect_ns != TIME_NEVER && record->asked_ns < second->granted_ns &&
            (record->healed_ns == TIME_NEVER || record->healed_ns > first->invoked_ns) &&
            !fault_can(record->step, FAULT_STOPS))
            return false;
    }
    return true;
}

// The fault that may have kept an answer from a client inside its acquire; SIZE_MAX.
static size_t fault_on_acquire(const struct digest *digest, const struct hold *hold)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (record->in_effect_ns != TIME_NEVER && fault_can(record->step, FAULT_SEVERS) &&
            wire_names_client(record->step, hold->client) &&
            record->in_effect_ns < hold->granted_ns && record->healed_ns > hold->invoked_ns)
            return i;
    }
    return SIZE_MAX;
}

// A renewal that was answered while nothing could come through to its client was never answered.
static bool find_false_renewal(struct account *account, const struct hold *hold, int64_t until_ns)
{
    const struct digest *digest = account->digest;
    for (size_t i = hold->granted_event; digest->history != NULL && i < digest->history->count;
         i++) {
        const struct event *event = &digest->history->events[i];
        if (event->at_ns > until_ns)
            return false;
        if (event->kind != EVENT_RENEW_RETURN || event->client != hold->client ||
            event->worker != hold->worker || event->outcome != OUTCOME_OK)
            continue;
        for (size_t fault = 0; fault < digest->fault_count; fault++) {
            const struct fault_record *record = &digest->faults[fault];
            if (covers(record, event->at_ns) && event->at_ns - record->in_effect_ns > NS_PER_MS &&
                wire_cuts_off(digest, record->step, hold->client)) {
                account_conclude(account, ROOT_RENEWAL, false);
                account->fault = fault;
                return true;
            }
        }
    }
    return false;
}

// A release of a permit that a fault kept from being answered may have been done again.
static bool find_given_twice(struct account *account, int64_t until_ns)
{
    const struct digest *digest = account->digest;
    if (!account_has_trait(account, "permits"))
        return false;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        for (size_t j = 0; record->asked_ns < until_ns && j < digest->hold_count; j++) {
            const struct hold *hold = &digest->holds[j];
            if (!fault_can(record->step, FAULT_SEVERS | FAULT_DISCONNECTS) ||
                record->in_effect_ns == TIME_NEVER || !hold->release_invoked ||
                !wire_names_client(record->step, hold->client) ||
                hold->released_ns > record->in_effect_ns ||
                hold->returned_ns < record->in_effect_ns)
                continue;
            account_conclude(account, ROOT_GIVEN_TWICE, false);
            account->fault = i;
            account->culprit = j;
            return true;
        }
    }
    return false;
}

// Proven by which server each was connected to, as the leader that its group had named.
static bool find_two_leaders(struct account *account, int one, int other, int64_t until_ns)
{
    if (!leaders_were_two(account->digest, one, other, until_ns))
        return false;
    account_conclude(account, ROOT_TWO_LEADERS, true);
    account->servers[0] = one;
    account->servers[1] = other;
    return true;
}

// STEPS is proven if the client was stopped right after, or before, a request by which nothing is
// taken or after which more had to come.
static void find_taken(struct account *account, const struct hold *first, const struct hold *second)
{
    const struct digest *digest = account->digest;
    static const char *const galera[] = {"galera", NULL};
    size_t stop = longest_fault(digest, first, false, first->invoked_ns, first->granted_ns);
    size_t deaf = fault_on_acquire(digest, second);
    if (stop == SIZE_MAX)
        stop = longest_fault(digest, second, false, second->invoked_ns, second->granted_ns);
    if (strcmp(digest->trial->scheme, "none") == 0)
        account_conclude(account, ROOT_NO_LOCK, true);
    else if (account_has_trait(account, "local"))
        account_conclude(account, ROOT_LOCAL, first->client != second->client);
    else if (account_find_by_wire(account, second->granted_ns) ||
             find_two_leaders(account, first->granted_by, second->granted_by, second->granted_ns) ||
             was_removed(account, account->holds[0], second->granted_ns, true) ||
             find_taken_by_fault(account, first, second, second->granted_ns) ||
             find_false_renewal(account, first, second->granted_ns))
        return;
    else if (account_has_trait(account, "mysql") && is_topology(account, galera))
        account_conclude(account, ROOT_NODE_LOCAL, false);
    else if (stop != SIZE_MAX) {
        account_conclude(account, ROOT_STEPS, stop_was_between_requests(&digest->faults[stop]));
        take_fault(account, stop);
    } else if (find_given_twice(account, second->granted_ns)) {
        return;
    } else if (deaf != SIZE_MAX && digest->faults[deaf].healed_ns > second->granted_ns) {
        account_conclude(account, ROOT_UNANSWERED_GRANT, false);
        account->fault = deaf;
    } else if (!was_removed(account, account->holds[0], second->granted_ns, false)) {
        account_conclude(account, ROOT_ADMITS, false);
        account->is_bare = only_acquires_between(digest, first, second);
    }
}

static void swap_holds(struct account *account)
{
    size_t first = account->holds[0];
    account->holds[0] = account->holds[1];
    account->holds[1] = first;
}

// Brings the one first whose lease was over by the time, if there is such a one; else the one that
// was granted first. True if its lease was over.
static bool order_holds(struct account *account, int64_t overlap_ns)
{
    const struct digest *digest = account->digest;
    const struct hold *a = &digest->holds[account->holds[0]];
    const struct hold *b = &digest->holds[account->holds[1]];
    bool a_over = hold_stale_from_ns(digest, a) <= overlap_ns;
    bool b_over = hold_stale_from_ns(digest, b) <= overlap_ns;
    bool swap = a_over && b_over   ? hold_lease_end_ns(digest, b) < hold_lease_end_ns(digest, a)
                : a_over != b_over ? b_over
                                   : b->granted_ns < a->granted_ns;
    if (swap)
        swap_holds(account);
    return a_over || b_over;
}

// --- two who did not overlap ---------------------------------------------------------------------

// The fault that may have kept a release's commit from being done; SIZE_MAX.
static size_t fault_on_release(const struct digest *digest, const struct hold *hold)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        bool breaks = fault_can(record->step, FAULT_DISCONNECTS | FAULT_KILLS) ||
                      (fault_can(record->step, FAULT_SEVERS) &&
                       wire_names_client(record->step, hold->client));
        if (breaks && record->in_effect_ns != TIME_NEVER && record->asked_ns <= hold->returned_ns &&
            (record->healed_ns == TIME_NEVER || record->healed_ns >= hold->released_ns))
            return i;
    }
    return SIZE_MAX;
}

// What the hold read first; NULL.
static const struct access *first_read(const struct digest *digest, const struct hold *hold)
{
    for (size_t i = 0; i < hold->access_count; i++) {
        if (!digest->accesses[hold->first_access + i].is_write)
            return &digest->accesses[hold->first_access + i];
    }
    return NULL;
}

// The lock kept its promise, and still one read what was old. LATE_COMMIT is proven by the commit,
// where the harness does it. Of a scheme that commits by itself: an OLD_VIEW is proven if the value
// was read after the other's release had been answered, and the acquire had begun before.
static void find_apart(struct account *account, const struct hold *first, const struct hold *second)
{
    int64_t commit_ns;
    const struct digest *digest = account->digest;
    if (hold_committed_late(digest, first, &commit_ns) && commit_ns > second->granted_ns) {
        account_conclude(account, ROOT_LATE_COMMIT, true);
        account->length_ns = commit_ns - first->released_ns;
        return;
    }
    if (!account_has_trait(account, "transaction"))
        return;
    const struct access *read = first_read(digest, second);
    account->fault = fault_on_release(digest, first);
    if (account->fault != SIZE_MAX) {
        account_conclude(account, ROOT_LOST_COMMIT, false);
    } else if (read != NULL && read->invoked_ns < first->returned_ns) {
        // Who has read, and written, before the other's release is answered was let in too early.
        bool was_early = second->released_ns < first->returned_ns;
        account_conclude(account, was_early ? ROOT_LATE_COMMIT : ROOT_OLD_VIEW, false);
        account->length_ns =
            time_earlier(first->returned_ns, digest->ended_ns) - first->released_ns;
    } else if (second->invoked_ns < first->returned_ns) {
        account_conclude(account, ROOT_OLD_VIEW, true);
    }
}

static void find_root_of_pair(struct account *account)
{
    const struct digest *digest = account->digest;
    const struct hold *a = &digest->holds[account->holds[0]];
    const struct hold *b = &digest->holds[account->holds[1]];
    int64_t from_ns = time_later(a->granted_ns, b->granted_ns);
    int64_t to_ns = time_earlier(a->released_ns, b->released_ns);
    bool excused = account->finding->check->shows == SHOWS_TWO_VALID;
    if (to_ns > from_ns)
        account->overlap_ns = to_ns - from_ns;
    // A hold whose client had only to write when the other came is stale, too.
    bool is_over = order_holds(account, time_later(from_ns, a->granted_ns)) && !excused;
    if (excused &&
        digest->holds[account->holds[1]].granted_ns < digest->holds[account->holds[0]].granted_ns)
        swap_holds(account);
    const struct hold *first = &digest->holds[account->holds[0]];
    const struct hold *second = &digest->holds[account->holds[1]];
    // Where the end of the first one's lease is not known, neither is what let the second in.
    bool is_unknown =
        first->is_unanchored && hold_lease_end_ns(digest, first) <= second->granted_ns;
    if (is_over)
        find_stretch(account, first);
    else if (account->overlap_ns > 0 && !is_unknown)
        find_taken(account, first, second);
    else if (account->overlap_ns > 0)
        return;
    else
        find_apart(account, first, second);
}

// --- a lock that vanished ------------------------------------------------------------------------

// True if the holder came back from an inner hold before that, and its lock was gone after it.
static bool find_left(struct account *account, size_t hold)
{
    const struct digest *digest = account->digest;
    for (size_t i = 0; i < digest->reentry_count; i++) {
        const struct reentry *reentry = &digest->reentries[i];
        if (reentry->hold == hold && reentry->is_leave && reentry->answer == RELEASE_RELEASED) {
            account_conclude(account, ROOT_LEFT, false);
            return true;
        }
    }
    return false;
}

// Whoever was let in beside the hold, by another finding; SIZE_MAX if nobody was.
static size_t let_in_beside(const struct account *account, size_t hold)
{
    const struct judgement *judgement = account->judgement;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        bool pairs =
            finding->check->shows == SHOWS_TWO_VALID || finding->check->shows == SHOWS_TWO_STALE;
        if (finding->state == FINDING_VIOLATED && pairs && finding->evidence.holds[0] == hold)
            return finding->evidence.holds[1];
    }
    return SIZE_MAX;
}

// A lock that had not vanished: UNDONE_RELEASE is proven if nobody was granted it since, and it was
// there when all had ended; of a session's lock it is likely if the same worker got it at once, and
// others did not who waited for it.
static bool find_undone(struct account *account, const struct hold *hold)
{
    const struct digest *digest = account->digest;
    const struct hold *next = NULL;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *other = &digest->holds[i];
        if (other->granted_ns > hold->granted_ns &&
            (next == NULL || other->granted_ns < next->granted_ns))
            next = other;
    }
    bool is_orphan = next == NULL && digest->history != NULL &&
                     liveness_leaving(digest->history) == LEAVING_ORPHAN;
    bool is_same = next != NULL && next->client == hold->client && next->worker == hold->worker &&
                   account_has_trait(account, "session");
    if (is_orphan || is_same)
        account_conclude(account, ROOT_UNDONE_RELEASE, is_orphan);
    return is_orphan || is_same;
}

// A lock that is not ours says itself for how long its grants are valid. If it was asked for a
// whole lease before it was found gone, that may have been over.
static bool may_be_counted_late(const struct account *account, const struct hold *hold)
{
    const struct trial *trial = account->digest->trial;
    return trial->foreign != NULL && account_has_trait(account, "lease") &&
           hold->returned_ns != TIME_NEVER &&
           hold->returned_ns - hold->invoked_ns >= trial->scenario->lock.lease_ns;
}

// Where no release may have done it: whoever held it besides, or what the holder did itself.
static void find_other_removal(struct account *account, const struct hold *wronged, size_t culprit)
{
    const struct digest *digest = account->digest;
    size_t index = (size_t)(wronged - digest->holds);
    if (find_undone(account, wronged) || find_left(account, index))
        return;
    bool both = culprit != SIZE_MAX && (digest->holds[culprit].granted_ns > wronged->granted_ns ||
                                        held_both(digest, wronged, culprit));
    account->holds[1] = both ? culprit : let_in_beside(account, index);
    account->fault = fault_on_acquire(digest, wronged);
    if (account->holds[1] != SIZE_MAX)
        account_conclude(account, ROOT_ADMITS, false);
    else if (account->fault != SIZE_MAX)
        account_conclude(account, ROOT_UNANSWERED_GRANT, false);
    else if (may_be_counted_late(account, wronged))
        account_conclude(account, ROOT_COUNTED_LATE, false);
}

static void find_root_of_removal(struct account *account)
{
    const struct digest *digest = account->digest;
    const struct evidence *evidence = &account->finding->evidence;
    const struct hold *wronged = &digest->holds[evidence->holds[0]];
    size_t culprit = evidence->holds[1];
    account->holds[0] = evidence->holds[0];
    account->holds[1] = SIZE_MAX;
    if (account_find_by_wire(account, evidence->to_ns) ||
        find_two_leaders(account, wronged->granted_by, wronged->released_at, evidence->to_ns))
        return;
    bool by_fault = find_taken_by_fault(account, wronged, NULL, evidence->to_ns);
    bool is_proven = culprit != SIZE_MAX &&
                     removal_is_proven(digest, wronged, &digest->holds[culprit], evidence->to_ns);
    if (culprit != SIZE_MAX && may_remove(account, wronged, culprit) && (!by_fault || is_proven))
        removed(account, evidence->holds[0], culprit, evidence->to_ns);
    else if (!by_fault)
        find_other_removal(account, wronged, culprit);
}

// --- all others ----------------------------------------------------------------------------------

// A refused step in or out: the lock has lost count, or the server has lost the lock.
static void find_root_of_refusal(struct account *account)
{
    const struct digest *digest = account->digest;
    const struct hold *hold = &digest->holds[account->holds[0]];
    account->holds[1] = let_in_beside(account, account->holds[0]);
    if (!find_taken_by_fault(account, hold, NULL, account->finding->evidence.to_ns))
        account_conclude(account, ROOT_DEPTH, true);
}

static void find_root_of_write(struct account *account)
{
    if (account->finding->evidence.accesses[1] != SIZE_MAX)
        account_conclude(account, ROOT_STORE, true);
    else if (account->holds[1] != SIZE_MAX)
        find_root_of_pair(account);
}

void account_find_root(struct account *account)
{
    const struct check *check = account->finding->check;
    if (check->explain != NULL) {
        account_conclude(account, ROOT_OF_CHECK, true);
        return;
    }
    switch (check->shows) {
    case SHOWS_SILENCE:
        account_find_no_progress(account);
        break;
    case SHOWS_REMOVAL:
        find_root_of_removal(account);
        break;
    case SHOWS_REENTRY:
        find_root_of_refusal(account);
        break;
    case SHOWS_TOKENS:
        account_conclude(account, ROOT_TOKEN, true);
        break;
    case SHOWS_LATE_WRITE:
        find_root_of_write(account);
        break;
    default:
        if (account->holds[1] != SIZE_MAX && account->holds[0] < account->digest->hold_count)
            find_root_of_pair(account);
    }
}
