#include "harness/explain/root.h"

#include "harness/check/silence.h"
#include "harness/check/stale_holder.h"
#include "harness/check/sweep.h"
#include "harness/check/wrongful_release.h"

#include <string.h>

static bool is_property(const struct account *account, const char *name)
{
    return strcmp(account->finding->check->name, name) == 0;
}

static bool has_trait(const struct account *account, const char *trait)
{
    const struct trial *trial = account->digest->trial;
    return trial->traits != NULL && trial_has_trait(trial, trait);
}

// --- what stretched a hold -----------------------------------------------------------------------

static bool names_client(const struct fault_step *step, int client)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < step->side_counts[side]; i++) {
            if (step->sides[side][i].client == client ||
                strcmp(step->sides[side][i].server, "clients") == 0)
                return true;
        }
    }
    return false;
}

static bool stops(const struct fault_step *step, const struct hold *hold)
{
    return fault_stops(step) && step->target.client == hold->client &&
           (step->target.worker == 0 || step->target.worker == hold->worker);
}

// For how long a fault that is of this kind lasted between two times.
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
            on_wires ? names_client(record->step, hold->client) : stops(record->step, hold);
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

static void stretched(struct account *account, enum root root, size_t fault)
{
    const struct fault_record *record = &account->digest->faults[fault];
    account->root = root;
    account->fault = fault;
    account->length_ns =
        time_earlier(record->healed_ns, account->digest->ended_ns) - record->in_effect_ns;
}

// --- what took a lock from its holder ------------------------------------------------------------

// How much a fault explains that a hold's lock was gone; 0: nothing.
static int weight(const struct fault_record *record, const struct hold *hold,
                  const struct hold *other)
{
    static const struct {
        const char *verb;
        int weight;
    } weights[] = {{"flush", 4}, {"evict", 4}, {"failover", 4}, {"restart", 4},
                   {"cut", 2},   {"kill", 1},  {"deny", 1}};
    const struct fault_step *step = record->step;
    int client = step->target.client;
    if (strcmp(step->verb, "disconnect") == 0)
        return client == hold->client ? 4 : 0;
    if (strcmp(step->verb, "clock") == 0)
        return client == 0 || client == hold->client || (other != NULL && client == other->client)
                   ? 3
                   : 0;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        if (strcmp(step->verb, weights[i].verb) == 0)
            return client == 0 || step->side_counts[0] > 0 ? weights[i].weight : 0;
    }
    return 0;
}

size_t fault_that_took_lock(const struct digest *digest, const struct hold *hold,
                            const struct hold *other, int64_t until_ns)
{
    size_t found = SIZE_MAX;
    int most = 0;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        // What was asked for before and proven only later may have done its work before.
        bool over = record->healed_ns < hold->invoked_ns;
        bool lasts = record->healed_ns != TIME_NEVER || record->step->bound_ns >= 0;
        if (record->in_effect_ns == TIME_NEVER || record->asked_ns > until_ns || over ||
            (!lasts && record->in_effect_ns < hold->invoked_ns))
            continue;
        int its = weight(record, hold, other);
        bool later =
            found == SIZE_MAX || record->in_effect_ns >= digest->faults[found].in_effect_ns;
        if (its > most || (its > 0 && its == most && later)) {
            most = its;
            found = i;
        }
    }
    return found;
}

static void removed(struct account *account, size_t culprit, bool certainly)
{
    account->root = ROOT_REMOVED;
    account->culprit = culprit;
    account->certainly = certainly;
    account->fault = SIZE_MAX;
}

// True if a release of another's took away the lock of the hold before the next grant (what came
// after that did not let anybody in): that which was found, or one that shows in the history.
static bool was_removed(struct account *account, size_t hold, int64_t until_ns, bool certainly)
{
    const struct digest *digest = account->digest;
    const struct judgement *judgement = account->judgement;
    bool is_certain = false;
    size_t culprit = SIZE_MAX;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        if (finding->state == FINDING_VIOLATED &&
            strcmp(finding->check->name, "wrongful-release") == 0 &&
            finding->evidence.holds[0] == hold && finding->evidence.from_ns < until_ns &&
            wrongful_release_is_certain(digest, &finding->evidence))
            culprit = finding->evidence.holds[1];
    }
    if (culprit != SIZE_MAX) {
        removed(account, culprit, true);
        return true;
    }
    // A semaphore's permits are nobody's.
    if (digest_permits(digest) == 1)
        culprit = wrongful_release_culprit(digest, hold, until_ns, &is_certain);
    if (culprit == SIZE_MAX || is_certain != certainly)
        return false;
    removed(account, culprit, certainly);
    return true;
}

// --- two who hold at once ------------------------------------------------------------------------

static void find_taken(struct account *account, const struct hold *first, const struct hold *second)
{
    const struct digest *digest = account->digest;
    const struct scenario *scenario = digest->trial->scenario;
    const char *topology = scenario->servers.mysql.topology;
    size_t fault = fault_that_took_lock(digest, first, second, second->granted_ns);
    size_t step = longest_fault(digest, first, false, first->invoked_ns, first->granted_ns);
    if (step == SIZE_MAX)
        step = longest_fault(digest, second, false, second->invoked_ns, second->granted_ns);
    account->fault = fault;
    if (strcmp(digest->trial->scheme, "none") == 0)
        account->root = ROOT_NO_LOCK;
    else if (has_trait(account, "local"))
        account->root = ROOT_LOCAL;
    else if (was_removed(account, account->holds[0], second->granted_ns, true))
        return;
    else if (fault != SIZE_MAX)
        account->root = ROOT_SERVER;
    else if (has_trait(account, "mysql") && topology != NULL && strcmp(topology, "galera") == 0)
        account->root = ROOT_NODE_LOCAL;
    else if (step != SIZE_MAX)
        stretched(account, ROOT_STEPS, step);
    else
        was_removed(account, account->holds[0], second->granted_ns, false);
}

// Why a hold outlived its lease.
static void find_stretch(struct account *account, const struct hold *stale)
{
    const struct digest *digest = account->digest;
    const struct hold *other = &digest->holds[account->holds[1]];
    bool late = stale->granted_ns >= stale->valid_until_ns;
    int64_t from_ns = late ? stale->invoked_ns : stale->granted_ns;
    int64_t to_ns = late ? stale->granted_ns : time_earlier(other->granted_ns, stale->released_ns);
    size_t pause = longest_fault(digest, stale, false, from_ns, to_ns);
    size_t wire = longest_fault(digest, stale, true, from_ns, to_ns);
    if (pause != SIZE_MAX || wire != SIZE_MAX)
        stretched(account, pause != SIZE_MAX ? ROOT_PAUSE : ROOT_WIRE,
                  pause != SIZE_MAX ? pause : wire);
    else if ((account->length_ns =
                  stall_to_blame_ns(digest, stale, other->granted_ns, other->granted_ns)) > 0)
        account->root = ROOT_STALL;
    else {
        account->root = ROOT_WORK;
        account->length_ns = stale->released_ns - stale->granted_ns;
    }
    if (late)
        account->root = ROOT_LATE_GRANT;
}

// Two holds that did not overlap: the lock kept its promise, and still one read what was old.
static void find_apart(struct account *account, const struct hold *first, const struct hold *second)
{
    int64_t commit_ns;
    if (hold_committed_late(account->digest, first, &commit_ns) && commit_ns > second->granted_ns) {
        account->root = ROOT_LATE_COMMIT;
        account->length_ns = commit_ns - first->released_ns;
    } else if (has_trait(account, "transaction") && second->invoked_ns < first->returned_ns) {
        account->root = ROOT_OLD_VIEW;
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

static void find_root_of_pair(struct account *account)
{
    const struct digest *digest = account->digest;
    const struct hold *a = &digest->holds[account->holds[0]];
    const struct hold *b = &digest->holds[account->holds[1]];
    int64_t from_ns = time_later(a->granted_ns, b->granted_ns);
    int64_t to_ns = time_earlier(a->released_ns, b->released_ns);
    bool excused = is_property(account, "double-grant");
    if (to_ns > from_ns)
        account->overlap_ns = to_ns - from_ns;
    // A hold whose client had only to write when the other came is stale, too.
    bool is_over = order_holds(account, time_later(from_ns, a->granted_ns)) && !excused;
    const struct hold *first = &digest->holds[account->holds[0]];
    const struct hold *second = &digest->holds[account->holds[1]];
    if (excused && second->granted_ns < first->granted_ns) {
        swap_holds(account);
        first = &digest->holds[account->holds[0]];
        second = &digest->holds[account->holds[1]];
    }
    if (is_over)
        find_stretch(account, first);
    else if (account->overlap_ns > 0)
        find_taken(account, first, second);
    else
        find_apart(account, first, second);
}

// --- a lock that vanished ------------------------------------------------------------------------

static void find_root_of_removal(struct account *account)
{
    const struct digest *digest = account->digest;
    const struct evidence *evidence = &account->finding->evidence;
    const struct hold *wronged = &digest->holds[evidence->holds[0]];
    bool is_certain = wrongful_release_is_certain(digest, evidence);
    account->holds[0] = evidence->holds[0];
    account->holds[1] = SIZE_MAX;
    account->fault = fault_that_took_lock(digest, wronged, NULL, evidence->to_ns);
    // Whoever was let in later released what it had been granted, unless nothing else explains it.
    if (is_certain && (account->fault == SIZE_MAX ||
                       digest->holds[evidence->holds[1]].granted_ns < wronged->granted_ns)) {
        removed(account, evidence->holds[1], true);
        return;
    }
    if (account->fault != SIZE_MAX)
        account->root = ROOT_SERVER;
    else if (evidence->holds[1] != SIZE_MAX)
        removed(account, evidence->holds[1], false);
}

// Whoever was let in beside the hold, by another finding; SIZE_MAX if nobody was.
static size_t let_in_beside(const struct account *account, size_t hold)
{
    const struct judgement *judgement = account->judgement;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        bool pairs = strcmp(finding->check->name, "double-grant") == 0 ||
                     strcmp(finding->check->name, "stale-holder") == 0;
        if (finding->state == FINDING_VIOLATED && pairs && finding->evidence.holds[0] == hold)
            return finding->evidence.holds[1];
    }
    return SIZE_MAX;
}

// A refused step in or out: the lock has lost count, or the server has lost the lock.
static void find_root_of_refusal(struct account *account)
{
    const struct digest *digest = account->digest;
    const struct hold *hold = &digest->holds[account->holds[0]];
    account->holds[1] = let_in_beside(account, account->holds[0]);
    account->root = ROOT_DEPTH;
    account->fault = fault_that_took_lock(digest, hold, NULL, account->finding->evidence.to_ns);
    if (account->fault != SIZE_MAX)
        account->root = ROOT_SERVER;
}

void account_find_root(struct account *account)
{
    if (account->finding->check->explain != NULL)
        account->root = ROOT_OF_CHECK;
    else if (is_property(account, "stuck"))
        account_find_root_of_silence(account);
    else if (is_property(account, "wrongful-release"))
        find_root_of_removal(account);
    else if (is_property(account, "reentrancy"))
        find_root_of_refusal(account);
    else if (is_property(account, "fencing-order"))
        account->root = ROOT_TOKEN;
    else if (is_property(account, "stale-write") &&
             account->finding->evidence.accesses[1] != SIZE_MAX)
        account->root = ROOT_STORE;
    else if (account->holds[1] != SIZE_MAX && account->holds[0] < account->digest->hold_count)
        find_root_of_pair(account);
}
