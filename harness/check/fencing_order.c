// fencing-order: fencing tokens increase strictly from one hold to the next, and no two are equal.
//
// Which of two holds came first must be certain. It is if the one was granted before the acquire of
// the other was invoked, or if the one's provably valid core ended before the other's began. Holds
// that learned of their grant late, or that overlap, are not compared that way.
#include "harness/check/catalogue.h"
#include "harness/check/describe.h"
#include "harness/check/sweep.h"

#include <stdlib.h>

// A hold, and the instant at which it comes before others, or after.
struct instant {
    int64_t at_ns;
    size_t hold;
};

static int compare_instants(const void *left, const void *right)
{
    const struct instant *a = left;
    const struct instant *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return (a->hold > b->hold) - (a->hold < b->hold);
}

static void note(const struct digest *digest, struct finding *finding, size_t earlier, size_t later)
{
    int64_t from_ns = digest->holds[later].granted_ns;
    if (finding->count == 0 || from_ns < finding->evidence.from_ns)
        finding->evidence = (struct evidence){
            {earlier, later}, {SIZE_MAX, SIZE_MAX}, from_ns, digest->holds[later].released_ns};
    finding->count++;
}

// Every hold of `after` must have a token no smaller than that of any hold of `before` whose
// instant is earlier. Holds noted in `blamed` already are not counted again.
static void compare_order(const struct digest *digest, struct finding *finding,
                          struct instant *before, size_t before_count, struct instant *after,
                          size_t after_count, bool *blamed)
{
    qsort(before, before_count, sizeof *before, compare_instants);
    qsort(after, after_count, sizeof *after, compare_instants);
    size_t highest = SIZE_MAX;
    size_t next = 0;
    for (size_t i = 0; i < after_count; i++) {
        for (; next < before_count && before[next].at_ns < after[i].at_ns; next++) {
            if (highest == SIZE_MAX ||
                digest->holds[before[next].hold].token > digest->holds[highest].token)
                highest = before[next].hold;
        }
        if (highest == SIZE_MAX || blamed[after[i].hold] ||
            digest->holds[highest].token <= digest->holds[after[i].hold].token)
            continue;
        blamed[after[i].hold] = true;
        note(digest, finding, highest, after[i].hold);
    }
}

static void compare_by_invocation(const struct digest *digest, struct finding *finding,
                                  struct instant *before, struct instant *after, bool *blamed)
{
    size_t count = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (digest->holds[i].token == 0)
            continue;
        before[count] = (struct instant){digest->holds[i].granted_ns, i};
        after[count++] = (struct instant){digest->holds[i].invoked_ns, i};
    }
    compare_order(digest, finding, before, count, after, count, blamed);
}

static void compare_by_core(const struct digest *digest, struct finding *finding,
                            struct instant *before, struct instant *after, bool *blamed)
{
    struct cores cores = cores_proven(digest);
    size_t count = 0;
    for (size_t i = 0; i < cores.count; i++) {
        const struct core *core = &cores.items[i];
        if (digest->holds[core->hold].token == 0)
            continue;
        // Touching ends are in order, unless both are the same instant.
        int64_t ended_ns = core->to_ns > core->from_ns ? core->to_ns - 1 : core->to_ns;
        before[count] = (struct instant){ended_ns, core->hold};
        after[count++] = (struct instant){core->from_ns, core->hold};
    }
    compare_order(digest, finding, before, count, after, count, blamed);
    free(cores.items);
}

static void compare_equal(const struct digest *digest, struct finding *finding,
                          struct instant *by_token)
{
    size_t count = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (digest->holds[i].token != 0)
            by_token[count++] = (struct instant){digest->holds[i].token, i};
    }
    qsort(by_token, count, sizeof *by_token, compare_instants);
    for (size_t i = 1; i < count; i++) {
        if (by_token[i - 1].at_ns == by_token[i].at_ns)
            note(digest, finding, by_token[i - 1].hold, by_token[i].hold);
    }
}

static void describe(const struct digest *digest, struct finding *finding)
{
    char earlier[DESCRIBE_ROOM];
    char later[DESCRIBE_ROOM];
    const struct hold *first = &digest->holds[finding->evidence.holds[0]];
    const struct hold *second = &digest->holds[finding->evidence.holds[1]];
    describe_holder(digest, finding->evidence.holds[0], earlier);
    describe_holder(digest, finding->evidence.holds[1], later);
    if (first->token == second->token)
        finding_say(finding, "%s and %s were both given token %lld (%lld tokens out of order)",
                    earlier, later, (long long)first->token, (long long)finding->count);
    else
        finding_say(
            finding,
            "%s was given token %lld after %s had been given %lld (%lld token%s out of order)",
            later, (long long)second->token, earlier, (long long)first->token,
            (long long)finding->count, plural(finding->count));
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
    struct instant *before = memory_new(digest->hold_count * sizeof *before);
    struct instant *after = memory_new(digest->hold_count * sizeof *after);
    bool *blamed = memory_zeroed(digest->hold_count, sizeof *blamed);
    compare_by_invocation(digest, finding, before, after, blamed);
    compare_by_core(digest, finding, before, after, blamed);
    compare_equal(digest, finding, before);
    if (finding->count > 0) {
        finding->state = FINDING_VIOLATED;
        describe(digest, finding);
    } else {
        finding_say(finding, "%zu tokens, each newer than the one before", tokens);
    }
    free(blamed);
    free(after);
    free(before);
}

const struct check fencing_order_check = {
    .name = "fencing-order",
    .summary = "fencing tokens grow strictly from one hold to the next",
    .decide = decide,
};
