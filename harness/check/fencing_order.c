// fencing-order: fencing tokens increase strictly in the order in which the grants were valid, and
// no two are equal. A store that keeps the highest token would else refuse a live holder, and let a
// stale one write.
//
// Which of two grants was valid first must be certain. It is if the one was answered before the
// acquire of the other was invoked; or, for a lock that keeps others out, if the other could not
// have come to its end before the one was answered, while the one's lease was over before the other
// was answered. The order of the answers says nothing: a token that is fetched by a second request
// may be drawn after the next holder's.
#include "harness/base/rank.h"
#include "harness/check/describe.h"
#include "harness/check/sweep.h"

#include <stdlib.h>

// A hold, and the instant at which its grant was over, or its token.
struct instant {
    int64_t at_ns;
    size_t hold;
};

static void note(const struct digest *digest, struct finding *finding, size_t earlier, size_t later)
{
    const struct hold *first = &digest->holds[earlier];
    const struct hold *second = &digest->holds[later];
    int64_t from_ns = time_later(first->granted_ns, second->granted_ns);
    if (finding->count == 0 || from_ns < finding->evidence.from_ns)
        finding->evidence =
            (struct evidence){{earlier, later}, {SIZE_MAX, SIZE_MAX}, from_ns, second->released_ns};
    finding->count++;
}

// --- the highest token among the holds that were answered before a time --------------------------

// A binary indexed tree of maxima (Fenwick, "A new data structure for cumulative frequency tables",
// 1994) over the holds, which are in the order of their answers. SIZE_MAX: none.
struct highest {
    const struct digest *digest;
    size_t *holds;
};

static void highest_open(struct highest *highest, const struct digest *digest)
{
    *highest = (struct highest){digest, memory_new(digest->hold_count * sizeof *highest->holds)};
    for (size_t i = 0; i < digest->hold_count; i++)
        highest->holds[i] = SIZE_MAX;
}

static size_t higher(const struct digest *digest, size_t a, size_t b)
{
    return b != SIZE_MAX && (a == SIZE_MAX || digest->holds[b].token > digest->holds[a].token) ? b
                                                                                               : a;
}

static void highest_add(const struct highest *highest, size_t hold)
{
    for (size_t i = hold + 1; i <= highest->digest->hold_count; i += i & (~i + 1))
        highest->holds[i - 1] = higher(highest->digest, highest->holds[i - 1], hold);
}

static size_t highest_before(const struct highest *highest, int64_t at_ns)
{
    const struct digest *digest = highest->digest;
    size_t found = SIZE_MAX;
    size_t end = FIRST_FROM(digest->holds, digest->hold_count, granted_ns, at_ns);
    for (size_t i = end; i > 0; i -= i & (~i + 1))
        found = higher(digest, found, highest->holds[i - 1]);
    return found;
}

// --- which was first -----------------------------------------------------------------------------

// Until when the grant was valid for certain.
static int64_t proven_end_ns(const struct digest *digest, const struct hold *hold)
{
    return time_earlier(hold->released_ns, hold_lease_end_ns(digest, hold));
}

// When it was over. Of one that was answered when its lease was no longer proven, that must have
// been by whatever the service has said.
static int64_t over_ns(const struct digest *digest, const struct hold *hold)
{
    int64_t proven_ns = hold_lease_end_ns(digest, hold);
    bool granted_too_late = proven_ns < hold->released_ns && proven_ns <= hold->granted_ns;
    return time_earlier(hold->released_ns,
                        granted_too_late ? hold_last_end_ns(digest, hold) : proven_ns);
}

// What came to nothing need not have been guarded for as long as its worker believed.
static bool is_ordered(const struct hold *hold)
{
    return hold->token != 0 && !hold->rolled_back;
}

// The grants that were over at some time, as they become so: of all holds, and of those that share
// the lock with nobody.
struct over {
    struct instant *instants; // sorted
    size_t count, next;
    struct highest any, exclusive;
};

static void over_open(struct over *over, const struct digest *digest)
{
    *over = (struct over){memory_new(digest->hold_count * sizeof *over->instants), 0, 0, {0}, {0}};
    highest_open(&over->any, digest);
    highest_open(&over->exclusive, digest);
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (is_ordered(&digest->holds[i]))
            over->instants[over->count++] = (struct instant){over_ns(digest, &digest->holds[i]), i};
    }
    sort_by_key(over->instants, over->count, sizeof *over->instants);
}

static void over_close(struct over *over)
{
    free(over->any.holds);
    free(over->exclusive.holds);
    free(over->instants);
}

// Of the grants that were certainly valid before this hold's, that with the highest token.
static size_t find_before(const struct digest *digest, struct over *over, const struct hold *hold)
{
    for (; over->next < over->count && over->instants[over->next].at_ns <= hold->granted_ns;
         over->next++) {
        size_t ended = over->instants[over->next].hold;
        highest_add(&over->any, ended);
        if (!digest->holds[ended].shared)
            highest_add(&over->exclusive, ended);
    }
    return highest_before(hold->shared ? &over->exclusive : &over->any,
                          proven_end_ns(digest, hold));
}

static void compare_order(const struct digest *digest, struct finding *finding)
{
    struct highest answered;
    struct over over;
    bool excludes = digest_excludes(digest) && digest_permits(digest) == 1;
    highest_open(&answered, digest);
    over_open(&over, digest);
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (digest->holds[i].token != 0)
            highest_add(&answered, i);
    }
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->token == 0)
            continue;
        size_t before = highest_before(&answered, hold->invoked_ns);
        if (excludes && is_ordered(hold))
            before = higher(digest, before, find_before(digest, &over, hold));
        if (before != SIZE_MAX && digest->holds[before].token > hold->token)
            note(digest, finding, before, i);
    }
    over_close(&over);
    free(answered.holds);
}

static void compare_equal(const struct digest *digest, struct finding *finding)
{
    struct instant *by_token = memory_new(digest->hold_count * sizeof *by_token);
    size_t count = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (digest->holds[i].token != 0)
            by_token[count++] = (struct instant){digest->holds[i].token, i};
    }
    sort_by_key(by_token, count, sizeof *by_token);
    for (size_t i = 1; i < count; i++) {
        if (by_token[i - 1].at_ns == by_token[i].at_ns)
            note(digest, finding, by_token[i - 1].hold, by_token[i].hold);
    }
    free(by_token);
}

static void describe(const struct digest *digest, struct finding *finding)
{
    const struct hold *first = &digest->holds[finding->evidence.holds[0]];
    const struct hold *second = &digest->holds[finding->evidence.holds[1]];
    struct words earlier = holder_name(digest, finding->evidence.holds[0]);
    struct words later = holder_name(digest, finding->evidence.holds[1]);
    long long count = (long long)finding->count;
    if (first->token == second->token)
        finding_say(finding, "%s and %s were both given token %lld (%lld tokens out of order)",
                    earlier.text, later.text, (long long)first->token, count);
    else if (first->granted_ns > second->granted_ns)
        finding_say(finding,
                    "%s, whose lease was over, was given token %lld beside the live grant of %s "
                    "with token %lld: the store would refuse the live one (%lld token%s out of "
                    "order)",
                    earlier.text, (long long)first->token, later.text, (long long)second->token,
                    count, plural(count));
    else
        finding_say(finding,
                    "%s was given token %lld after %s had been given %lld (%lld token%s out of "
                    "order)",
                    later.text, (long long)second->token, earlier.text, (long long)first->token,
                    count, plural(count));
}

static void decide(const struct digest *digest, struct finding *finding)
{
    size_t tokens = 0;
    for (size_t i = 0; i < digest->hold_count; i++)
        tokens += digest->holds[i].token != 0;
    if (tokens == 0) {
        finding->state = FINDING_IRRELEVANT;
        return;
    }
    compare_order(digest, finding);
    compare_equal(digest, finding);
    if (finding->count > 0) {
        finding->state = FINDING_VIOLATED;
        describe(digest, finding);
    } else {
        finding_say(finding, "%zu tokens, each newer than the one before", tokens);
    }
}

const struct check fencing_order_check = {
    .name = "fencing-order",
    .summary = "fencing tokens grow strictly from one valid grant to the next",
    .letter = "F",
    .decide = decide,
    .shows = SHOWS_TOKENS,
    .form = {.needs = "workload.fenced", .why_not = "without workload.fenced there are no tokens"},
};
