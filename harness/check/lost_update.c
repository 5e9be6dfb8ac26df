// lost-update: every acknowledged increment is in the final value, and nothing else is.
// final - initial must lie in [acknowledged, acknowledged + unknown]; and whatever the final value
// is, two acknowledged increments of one and the same value are one too few.
#include "harness/check/catalogue.h"
#include "harness/check/describe.h"
#include "harness/check/updates.h"

#include <stdio.h>
#include <string.h>

static void describe_pair(const struct digest *digest, const struct updates *updates, char *out,
                          size_t room)
{
    char first[DESCRIBE_ROOM];
    char second[DESCRIBE_ROOM];
    if (updates->pair[1] == SIZE_MAX) {
        snprintf(out, room,
                 "no two increments of the same value were recorded, so the history does "
                 "not show which");
        return;
    }
    const struct access *earlier = &digest->accesses[updates->pair[0]];
    const struct access *later = &digest->accesses[updates->pair[1]];
    bool certain = earlier->outcome == OUTCOME_OK && later->outcome == OUTCOME_OK;
    snprintf(out, room, "%s and %s both incremented %lld%s",
             describe_holder(digest, earlier->hold, first),
             describe_holder(digest, later->hold, second), (long long)later->seen,
             certain ? "" : ", one of them without an answer");
}

static void describe(const struct digest *digest, const struct updates *updates, int64_t risen,
                     struct finding *finding)
{
    char pair[200];
    describe_pair(digest, updates, pair, sizeof pair);
    int64_t missing = updates->acknowledged - risen;
    if (!digest->final_known || !digest->initial_known || (missing <= 0 && updates->duplicates > 0))
        finding_say(finding,
                    "%lld of %lld acknowledged increments repeated one that another had made: %s",
                    (long long)updates->duplicates, (long long)updates->acknowledged, pair);
    else if (missing > 0)
        finding_say(
            finding, "%lld increment%s acknowledged, but the value rose by %lld: %lld %s lost; %s",
            (long long)updates->acknowledged, updates->acknowledged == 1 ? " was" : "s were",
            (long long)risen, (long long)missing, missing == 1 ? "was" : "were", pair);
    else
        snprintf(
            finding->text, sizeof finding->text,
            "phantom update: the value rose by %lld, but only %lld increment%s acknowledged and "
            "%lld more left without an answer",
            (long long)risen, (long long)updates->acknowledged,
            updates->acknowledged == 1 ? " was" : "s were", (long long)updates->unknown);
}

// What is no fault of the lock.
static void excuse(const struct digest *digest, const struct updates *updates, int64_t missing,
                   struct finding *finding)
{
    char harm[120];
    if (missing > 0)
        snprintf(harm, sizeof harm, "%lld of %lld acknowledged increments %s lost",
                 (long long)missing, (long long)updates->acknowledged,
                 missing == 1 ? "was" : "were");
    else
        snprintf(harm, sizeof harm, "%lld of %lld acknowledged increments repeated another's",
                 (long long)updates->duplicates, (long long)updates->acknowledged);
    updates_excuse(digest, updates, harm, finding);
}

static void decide(const struct digest *digest, struct finding *finding)
{
    static const char *const counting[] = {"increment", "nested", "readers", NULL};
    if (!text_is_one_of(digest->trial->scenario->workload.kind, counting)) {
        finding->state = FINDING_IRRELEVANT;
        return;
    }
    struct updates updates;
    updates_count(digest, &updates);
    bool known = digest->initial_known && digest->final_known;
    int64_t risen = known ? digest->final_value - digest->initial_value : updates.acknowledged;
    int64_t missing = updates.acknowledged - risen;
    int64_t surplus = risen - updates.acknowledged - updates.unknown;
    bool is_short = missing > 0 || updates.duplicates > 0;
    if (is_short && surplus <= 0 && updates_are_excused(&updates)) {
        excuse(digest, &updates, missing, finding);
    } else if (is_short || surplus > 0) {
        finding->state = FINDING_VIOLATED;
        finding->count = missing > 0 ? missing : surplus > 0 ? surplus : updates.duplicates;
        finding->by_absence = missing <= 0 && updates.duplicates == 0;
        finding->evidence = updates_evidence(digest, &updates);
        describe(digest, &updates, risen, finding);
    } else if (!known) {
        finding->state = FINDING_UNDECIDED;
        finding_say(finding,
                    "the %s value was never read, so nothing tells whether the %lld acknowledged "
                    "increments are all in it",
                    digest->initial_known ? "final" : "initial", (long long)updates.acknowledged);
    } else {
        finding_say(
            finding,
            "%lld acknowledged increment%s, %lld of unknown outcome: the value rose by %lld",
            (long long)updates.acknowledged, plural(updates.acknowledged),
            (long long)updates.unknown, (long long)risen);
    }
}

const struct check lost_update_check = {
    .name = "lost-update",
    .summary = "every acknowledged increment is in the final value, and nothing else",
    .letter = "L",
    .label = "this write",
    .decide = decide,
    .may_follow = true,
    .mitigation = "a lock that excludes, or a store that writes only if the value is still the one "
                  "that was read",
    .form = {.workloads = (const char *const[]){"increment", "nested", "readers", NULL},
             .why_not = "the workload has no updates to lose"},
};
