// stale-write: the store accepted a write that its writer began outside its exclusive time.
//
// Without fencing: the writer's lease had run out and another hold had been granted since. Who was
// granted since must be certain although a reply may come late: the other hold was still provably
// valid when both were granted, so the server had taken the lock from the writer by then.
// With fencing: the store had answered an access with a newer token before the write was begun.
#include "harness/check/stale_write.h"

#include "harness/base/rank.h"
#include "harness/check/catalogue.h"
#include "harness/check/describe.h"
#include "harness/check/sweep.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_fenced(const struct digest *digest, const struct access *access)
{
    return digest->trial->scenario->workload.fenced && access->token > 0;
}

// --- without fencing ----------------------------------------------------------------------------

struct grants {
    struct cores proven;
    size_t *longest; // longest[i]: of the first i + 1 cores, the one that ends last
};

static struct grants grants_make(const struct digest *digest)
{
    struct grants grants = {.proven = cores_proven(digest)};
    const struct core *cores = grants.proven.items;
    grants.longest = memory_new(grants.proven.count * sizeof *grants.longest);
    for (size_t i = 0; i < grants.proven.count; i++) {
        bool longer = i == 0 || cores[i].to_ns > cores[grants.longest[i - 1]].to_ns;
        grants.longest[i] = longer ? i : grants.longest[i - 1];
    }
    return grants;
}

// The hold that was granted since the writer's lease ran out and before the write, or SIZE_MAX.
static size_t granted_since(const struct digest *digest, const struct grants *grants,
                            const struct access *write)
{
    const struct hold *writer = &digest->holds[write->hold];
    int64_t lease_end_ns = hold_stale_from_ns(digest, writer);
    if (lease_end_ns > write->invoked_ns)
        return SIZE_MAX;
    const struct core *cores = grants->proven.items;
    int64_t since_ns = time_later(lease_end_ns, writer->granted_ns);
    size_t next = cores_first_from(&grants->proven, since_ns);
    if (next < grants->proven.count && cores[next].from_ns < write->invoked_ns)
        return cores[next].hold;
    // The writer learned of its grant only after its lease: others may have been granted before it.
    if (lease_end_ns > writer->granted_ns || next == 0)
        return SIZE_MAX;
    const struct core *before = &cores[grants->longest[next - 1]];
    return before->to_ns > writer->granted_ns ? before->hold : SIZE_MAX;
}

// --- with fencing -------------------------------------------------------------------------------

struct answered {
    int64_t returned_ns;
    size_t newest; // index of the access with the highest token so far
};

static int compare_answered(const void *left, const void *right)
{
    const struct answered *a = left;
    const struct answered *b = right;
    if (a->returned_ns != b->returned_ns)
        return a->returned_ns < b->returned_ns ? -1 : 1;
    return (a->newest > b->newest) - (a->newest < b->newest);
}

static struct answered *answered_make(const struct digest *digest, size_t *count)
{
    struct answered *answered = memory_new(digest->access_count * sizeof *answered);
    *count = 0;
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        if (access->outcome == OUTCOME_OK && is_fenced(digest, access))
            answered[(*count)++] = (struct answered){access->returned_ns, i};
    }
    qsort(answered, *count, sizeof *answered, compare_answered);
    for (size_t i = 1; i < *count; i++) {
        size_t before = answered[i - 1].newest;
        if (digest->accesses[before].token >= digest->accesses[answered[i].newest].token)
            answered[i].newest = before;
    }
    return answered;
}

// The access with a newer token that the store had answered before the write was begun, or
// SIZE_MAX.
static size_t newer_token(const struct digest *digest, const struct answered *answered,
                          size_t count, const struct access *write)
{
    size_t before = FIRST_FROM(answered, count, returned_ns, write->invoked_ns);
    if (before == 0 || digest->accesses[answered[before - 1].newest].token <= write->token)
        return SIZE_MAX;
    return answered[before - 1].newest;
}

// --- both ---------------------------------------------------------------------------------------

int64_t stale_writes_find(const struct digest *digest, struct evidence *first)
{
    struct grants grants = grants_make(digest);
    size_t answered_count;
    struct answered *answered = answered_make(digest, &answered_count);
    int64_t count = 0;
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *write = &digest->accesses[i];
        if (!write->is_write || write->outcome != OUTCOME_OK)
            continue;
        size_t newer = SIZE_MAX;
        size_t other;
        if (is_fenced(digest, write)) {
            newer = newer_token(digest, answered, answered_count, write);
            other = newer == SIZE_MAX ? SIZE_MAX : digest->accesses[newer].hold;
        } else {
            other = granted_since(digest, &grants, write);
        }
        if (other == SIZE_MAX)
            continue;
        if (count++ == 0 || write->invoked_ns < first->from_ns)
            *first = (struct evidence){
                {write->hold, other}, {i, newer}, write->invoked_ns, write->returned_ns};
    }
    free(answered);
    free(grants.longest);
    free(grants.proven.items);
    return count;
}

static void describe(const struct digest *digest, struct finding *finding)
{
    char writer[DESCRIBE_ROOM];
    char other[DESCRIBE_ROOM];
    char late[DESCRIBE_ROOM];
    const struct evidence *evidence = &finding->evidence;
    const struct access *write = &digest->accesses[evidence->accesses[0]];
    describe_holder(digest, evidence->holds[0], writer);
    describe_holder(digest, evidence->holds[1], other);
    if (evidence->accesses[1] != SIZE_MAX) {
        snprintf(
            finding->text, sizeof finding->text,
            "the store accepted %s's write with token %lld although it had answered %s's token "
            "%lld before (%lld such write%s)",
            writer, (long long)write->token, other,
            (long long)digest->accesses[evidence->accesses[1]].token, (long long)finding->count,
            plural(finding->count));
        return;
    }
    text_duration(write->invoked_ns - digest->holds[evidence->holds[0]].valid_until_ns, late,
                  sizeof late);
    bool after = write->invoked_ns >= digest->holds[evidence->holds[0]].valid_until_ns;
    finding_say(
        finding,
        "the store accepted %s's write of %lld, %s%s its lease had run out and after %s had "
        "been granted the lock (%lld such write%s)",
        writer, (long long)write->value, after ? late : "", after ? " after" : "when", other,
        (long long)finding->count, plural(finding->count));
}

static void decide(const struct digest *digest, struct finding *finding)
{
    if (!digest_excludes(digest)) {
        finding->state = FINDING_IRRELEVANT;
        return;
    }
    finding->count = stale_writes_find(digest, &finding->evidence);
    if (finding->count > 0) {
        finding->state = FINDING_VIOLATED;
        describe(digest, finding);
        return;
    }
    finding_say(finding, "every accepted write was begun in its writer's exclusive time");
}

const struct check stale_write_check = {
    .name = "stale-write",
    .summary = "the store accepts no write of a holder that has lost the lock to another",
    .letter = "W",
    .decide = decide,
    .shows = SHOWS_LATE_WRITE,
    .may_follow = true,
};
