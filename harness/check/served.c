#include "harness/check/served.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/text.h"
#include "harness/check/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// So many refusals of a lock that was free throughout are no chance meeting, as of two who ask a
// quorum at once and both have to let go again.
#define MANY_REFUSALS 3
// So many acquires without an answer are few, whatever their share; above it, one in ten is.
#define FEW_UNANSWERED 2
// Whoever waits looks again within that time, even if nothing is said of it.
#define LEAST_RETRY_NS (10 * NS_PER_MS)
// How many of the holds before an acquire are looked at for one that it has to wait for.
#define LOOK_BACK 16

// --- without a fault -----------------------------------------------------------------------------

// True if the fault was on between the two times, or its target may not have recovered from it.
static bool was_on(const struct digest *digest, const struct fault_record *record, int64_t from_ns,
                   int64_t to_ns)
{
    const struct fault_step *step = record->step;
    bool is_of_client = step->target.client > 0;
    int64_t over_ns = record->healed_ns;
    if (over_ns == TIME_NEVER && step->bound_ns < 0 && is_of_client)
        over_ns = record->in_effect_ns;
    if (over_ns != TIME_NEVER && !is_of_client)
        over_ns += digest->trial->scenario->lock.stuck_after_ns;
    return record->asked_ns <= to_ns && over_ns >= from_ns;
}

static bool is_undisturbed(const struct digest *digest, int64_t from_ns, int64_t to_ns)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        if (was_on(digest, &digest->faults[i], from_ns, to_ns))
            return false;
    }
    return true;
}

// --- when the lock was free ----------------------------------------------------------------------

struct span {
    int64_t from_ns, to_ns;
};

// Times at which somebody may have held some lock, one after the other.
struct busy {
    struct span *spans;
    size_t count;
};

static int compare_from(const void *left, const void *right)
{
    const struct span *a = left;
    const struct span *b = right;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

// Until when a lock that nobody is known to have released may have been held.
static int64_t given_back_by_ns(const struct digest *digest, int64_t valid_until_ns)
{
    return valid_until_ns == TIME_NEVER
               ? TIME_NEVER
               : valid_until_ns + digest->trial->scenario->lock.stuck_after_ns;
}

static int64_t held_until_ns(const struct digest *digest, const struct hold *hold)
{
    bool is_over = hold->returned_ns != TIME_NEVER && hold->answer != RELEASE_UNKNOWN;
    return is_over ? hold->returned_ns : given_back_by_ns(digest, hold->valid_until_ns);
}

static struct busy busy_make(const struct digest *digest)
{
    struct busy busy = {0};
    bool has_lease = trial_has_trait(digest->trial, "lease");
    busy.spans = memory_new((digest->hold_count + digest->attempt_count) * sizeof *busy.spans);
    size_t count = 0;
    for (size_t i = 0; i < digest->hold_count; i++)
        busy.spans[count++] =
            (struct span){digest->holds[i].invoked_ns, held_until_ns(digest, &digest->holds[i])};
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        int64_t by_ns = time_earlier(attempt->returned_ns, attempt->died_ns);
        if (attempt->outcome != OUTCOME_UNKNOWN)
            continue;
        if (by_ns != TIME_NEVER && has_lease)
            by_ns = given_back_by_ns(digest, by_ns + digest->trial->scenario->lock.lease_ns);
        busy.spans[count++] = (struct span){attempt->invoked_ns, has_lease ? by_ns : TIME_NEVER};
    }
    qsort(busy.spans, count, sizeof *busy.spans, compare_from);
    for (size_t i = 0; i < count; i++) {
        struct span *last = busy.count > 0 ? &busy.spans[busy.count - 1] : NULL;
        if (last != NULL && last->to_ns >= busy.spans[i].from_ns)
            last->to_ns = time_later(last->to_ns, busy.spans[i].to_ns);
        else
            busy.spans[busy.count++] = busy.spans[i];
    }
    return busy;
}

// The longest time between the two for which nobody can have held any lock.
static int64_t longest_free_ns(const struct busy *busy, int64_t from_ns, int64_t to_ns)
{
    int64_t longest_ns = 0;
    for (size_t i = FIRST_FROM(busy->spans, busy->count, to_ns, from_ns);
         i < busy->count && busy->spans[i].from_ns < to_ns; i++) {
        longest_ns = time_later(longest_ns, busy->spans[i].from_ns - from_ns);
        from_ns = time_later(from_ns, busy->spans[i].to_ns);
    }
    return time_later(longest_ns, to_ns - time_earlier(from_ns, to_ns));
}

// --- what came of asking -------------------------------------------------------------------------

// What became of acquires without a fault.
struct answers {
    size_t granted;
    size_t refused;
    size_t unanswered;
    size_t waiting; // still, when the trial ended
};

static size_t all_of(const struct answers *answers)
{
    return answers->granted + answers->refused + answers->unanswered + answers->waiting;
}

static void describe_answers(const struct answers *answers, char *out, size_t room)
{
    const struct {
        size_t count;
        const char *name;
    } kinds[] = {{answers->refused, "not-held"},
                 {answers->unanswered, "unknown"},
                 {answers->waiting, "still waiting at the end"}};
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].count > 0 && length < room)
            length += (size_t)snprintf(out + length, room - length, "%s%zu × %s",
                                       length > 0 ? ", " : "", kinds[i].count, kinds[i].name);
    }
}

// What is known of one client.
struct asker {
    bool has_held;
    struct answers answers;
    bool turned_away;     // at least once when the lock was to be had, or without having waited
    size_t free_refusals; // of a lock that was free throughout, however shortly
};

struct served {
    const struct digest *digest;
    struct asker *askers; // by client number
    size_t asker_count;
    struct answers all;
    struct answers contended; // asked while another held the lock; but for those granted, only if
                              // they came back long before their wait was over
    struct busy busy;         // made only for those who have never held
};

static struct asker *asker_of(struct served *served, int client)
{
    served->askers =
        reaching(served->askers, &served->asker_count, (size_t)client, sizeof *served->askers);
    return &served->askers[client];
}

// True if another held that lock, as far as one can tell, when it was asked for.
static bool had_holder(const struct digest *digest, int64_t key, int64_t at_ns)
{
    size_t end = FIRST_FROM(digest->holds, digest->hold_count, granted_ns, at_ns);
    for (size_t i = end; i > 0 && end - i < LOOK_BACK; i--) {
        const struct hold *hold = &digest->holds[i - 1];
        if (hold->key == key && hold->released_ns > at_ns)
            return true;
    }
    return false;
}

// True if it came back long before its wait was over.
static bool came_early(const struct digest *digest, const struct attempt *attempt)
{
    return attempt->returned_ns - attempt->invoked_ns < digest->trial->scenario->lock.wait_ns / 2;
}

static void see_hold(struct served *served, const struct hold *hold)
{
    const struct digest *digest = served->digest;
    asker_of(served, hold->client)->has_held = true;
    if (!is_undisturbed(digest, hold->invoked_ns, hold->granted_ns))
        return;
    served->all.granted++;
    served->contended.granted += had_holder(digest, hold->key, hold->invoked_ns);
}

// True if the lock was free for long enough for whoever waits for it, looking again and again, to
// be granted it; or, of one who tries it once, throughout, as often as is no chance.
static bool was_free(struct served *served, struct asker *asker, const struct attempt *attempt)
{
    const struct digest *digest = served->digest;
    const struct lock_settings *lock = &digest->trial->scenario->lock;
    int64_t length_ns = attempt->returned_ns - attempt->invoked_ns;
    int64_t slack_ns = 2 * time_later(lock->retry_ns, LEAST_RETRY_NS);
    if (served->busy.spans == NULL)
        served->busy = busy_make(digest);
    int64_t free_ns = longest_free_ns(&served->busy, attempt->invoked_ns, attempt->returned_ns);
    asker->free_refusals += free_ns == length_ns;
    return (lock->wait_ns > 0 && free_ns > slack_ns) || asker->free_refusals >= MANY_REFUSALS;
}

// Of one that was still under way when the trial ended: true if it had been for so long that
// somebody should have been granted the lock; or if a program, which is not told of the end,
// refused it although the lock was free.
static bool waited_in_vain(struct served *served, struct asker *asker,
                           const struct attempt *attempt)
{
    const struct digest *digest = served->digest;
    const struct foreign_settings *foreign = digest->trial->foreign;
    int64_t enough_ns = digest->trial->scenario->lock.stuck_after_ns;
    if (enough_ns > 0 && digest->ended_ns - attempt->invoked_ns > enough_ns)
        return true;
    return foreign != NULL && foreign->plugin == NULL && attempt->outcome == OUTCOME_NO &&
           attempt->returned_ns != TIME_NEVER && was_free(served, asker, attempt);
}

static void see_attempt(struct served *served, const struct attempt *attempt)
{
    const struct digest *digest = served->digest;
    struct asker *asker = asker_of(served, attempt->client);
    bool is_open = attempt->returned_ns > digest->ended_ns;
    int64_t until_ns = time_earlier(attempt->returned_ns, digest->ended_ns);
    if (attempt->died || attempt->invoked_ns >= digest->ended_ns ||
        !is_undisturbed(digest, attempt->invoked_ns, until_ns))
        return;
    struct answers came = {0};
    if (is_open)
        came.waiting = !asker->has_held && waited_in_vain(served, asker, attempt);
    else if (attempt->outcome == OUTCOME_NO)
        came.refused = 1;
    else
        came.unanswered = 1;
    struct answers *const added[] = {&asker->answers, &served->all, &served->contended};
    bool contends = !is_open && came_early(digest, attempt) &&
                    had_holder(digest, attempt->key, attempt->invoked_ns);
    for (size_t i = 0; i < (contends ? 3 : 2); i++) {
        added[i]->refused += came.refused;
        added[i]->unanswered += came.unanswered;
        added[i]->waiting += came.waiting;
    }
    asker->turned_away |= came.waiting + came.unanswered > 0;
    if (came.refused > 0 && !asker->has_held)
        asker->turned_away |= came_early(digest, attempt) || was_free(served, asker, attempt);
}

// --- words ---------------------------------------------------------------------------------------

static bool was_turned_away(const struct served *served, size_t client)
{
    return !served->askers[client].has_held && served->askers[client].turned_away;
}

static void describe_turned_away(const struct served *served, size_t first, size_t count,
                                 char *reason, size_t room)
{
    char came[100];
    char more[60] = "";
    const struct answers *answers = &served->askers[first].answers;
    describe_answers(answers, came, sizeof came);
    if (count > 1)
        snprintf(more, sizeof more, "; nor did %zu other client%s", count - 1,
                 plural((long long)count - 1));
    snprintf(reason, room,
             "client-%zu asked %zu time%s without a fault and never held the lock: %s%s", first,
             all_of(answers), plural((long long)all_of(answers)), came, more);
}

static bool say_who_was_not_served(const struct served *served, char *reason, size_t room)
{
    size_t count = 0;
    size_t first = 0;
    for (size_t i = served->asker_count; i-- > 0;) {
        if (!was_turned_away(served, i))
            continue;
        count++;
        first = i;
    }
    if (count > 0)
        describe_turned_away(served, first, count, reason, room);
    return count > 0;
}

static bool say_how_many_were_unanswered(const struct answers *all, char *reason, size_t room)
{
    if (all->unanswered <= FEW_UNANSWERED || all->unanswered * 10 <= all_of(all))
        return false;
    snprintf(reason, room,
             "%zu of %zu acquires without a fault came back without an answer (unknown): of so "
             "many it is not known whether they got the lock",
             all->unanswered, all_of(all));
    return true;
}

static bool say_that_nobody_waited(const struct served *served, char *reason, size_t room)
{
    char came[100];
    char wait[DESCRIBE_ROOM];
    const struct answers *contended = &served->contended;
    size_t failed = contended->refused + contended->unanswered;
    if (contended->granted * 2 > failed || failed < MANY_REFUSALS)
        return false;
    describe_answers(contended, came, sizeof came);
    snprintf(
        reason, room,
        "%zu acquires without a fault found the lock held and came back long before their wait "
        "of %s was over (%s), and only %zu were granted it: that one can wait for it was not "
        "seen ('lock: {wait: 0ms, retry: 0ms}' is for locks that nobody waits for)",
        failed, text_duration(served->digest->trial->scenario->lock.wait_ns, wait, sizeof wait),
        came, contended->granted);
    return true;
}

bool everybody_was_served(const struct digest *digest, char *reason, size_t room)
{
    struct served served = {.digest = digest};
    if (!digest_excludes(digest))
        return true;
    for (size_t i = 0; i < digest->hold_count; i++)
        see_hold(&served, &digest->holds[i]);
    for (size_t i = 0; i < digest->attempt_count; i++)
        see_attempt(&served, &digest->attempts[i]);
    bool hollow = say_who_was_not_served(&served, reason, room) ||
                  say_how_many_were_unanswered(&served.all, reason, room) ||
                  say_that_nobody_waited(&served, reason, room);
    free(served.askers);
    free(served.busy.spans);
    return !hollow;
}
