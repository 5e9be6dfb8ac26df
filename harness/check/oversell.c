// oversell: no more units are sold than there are, none twice, and the stock that is left plus what
// was sold is what there was. An accepted write of v - 1 by a buyer who had seen v sells unit v.
#include "harness/check/catalogue.h"
#include "harness/check/describe.h"
#include "harness/check/updates.h"

#include <stdio.h>
#include <string.h>

struct sale {
    int64_t too_many;   // sold beyond the stock
    int64_t miscounted; // sold, but still in the stock (negative: gone, but not sold)
    bool below_zero;
};

static struct sale sale_make(const struct digest *digest, const struct updates *updates)
{
    struct sale sale = {.below_zero = updates->below_zero != SIZE_MAX};
    if (!digest->initial_known)
        return sale;
    if (updates->acknowledged > digest->initial_value)
        sale.too_many = updates->acknowledged - digest->initial_value;
    if (!digest->final_known)
        return sale;
    sale.below_zero |= digest->final_value < 0;
    int64_t gone = digest->initial_value - digest->final_value;
    if (gone < updates->acknowledged)
        sale.miscounted = updates->acknowledged - gone;
    else if (gone > updates->acknowledged + updates->unknown)
        sale.miscounted = updates->acknowledged + updates->unknown - gone;
    return sale;
}

static bool is_violated(const struct updates *updates, const struct sale *sale)
{
    return updates->duplicates > 0 || sale->too_many > 0 || sale->below_zero ||
           sale->miscounted != 0;
}

static void describe_units(const struct digest *digest, const struct updates *updates,
                           const struct sale *sale, char *out, size_t room)
{
    char first[DESCRIBE_ROOM];
    char second[DESCRIBE_ROOM];
    long long left = (long long)digest->final_value;
    if (updates->duplicates > 0)
        snprintf(out, room, "%lld unit%s sold twice or more: %s and %s both bought unit %lld",
                 (long long)updates->duplicates, updates->duplicates == 1 ? " was" : "s were",
                 describe_holder(digest, digest->accesses[updates->pair[0]].hold, first),
                 describe_holder(digest, digest->accesses[updates->pair[1]].hold, second),
                 (long long)digest->accesses[updates->pair[1]].seen);
    else if (sale->below_zero)
        snprintf(out, room, "the stock fell below zero");
    else if (sale->miscounted > 0)
        snprintf(out, room, "%lld are left: %lld too many", left, (long long)sale->miscounted);
    else if (sale->miscounted < 0)
        snprintf(out, room, "%lld are left: %lld unit%s gone unsold", left,
                 (long long)-sale->miscounted, sale->miscounted == -1 ? " is" : "s are");
    else
        snprintf(out, room, "the history does not show which unit was sold twice");
}

static void describe(const struct digest *digest, const struct updates *updates,
                     const struct sale *sale, struct finding *finding)
{
    char units[200];
    describe_units(digest, updates, sale, units, sizeof units);
    if (digest->initial_known)
        finding_say(finding, "%lld sale%s of %lld unit%s in stock; %s",
                    (long long)updates->acknowledged, plural(updates->acknowledged),
                    (long long)digest->initial_value, plural(digest->initial_value), units);
    else
        finding_say(finding, "%lld sale%s; %s", (long long)updates->acknowledged,
                    plural(updates->acknowledged), units);
}

static int64_t violations(const struct updates *updates, const struct sale *sale)
{
    if (sale->too_many > 0)
        return sale->too_many;
    if (updates->duplicates > 0)
        return updates->duplicates;
    if (sale->miscounted != 0)
        return sale->miscounted > 0 ? sale->miscounted : -sale->miscounted;
    return 1;
}

static struct evidence evidence_of(const struct digest *digest, const struct updates *updates,
                                   const struct sale *sale)
{
    struct evidence evidence = updates_evidence(digest, updates);
    if (updates->duplicates == 0 && sale->below_zero && updates->below_zero != SIZE_MAX) {
        const struct access *write = &digest->accesses[updates->below_zero];
        evidence = (struct evidence){{write->hold, SIZE_MAX},
                                     {updates->below_zero, SIZE_MAX},
                                     write->invoked_ns,
                                     write->returned_ns};
    }
    return evidence;
}

// True if it is nothing that a late write, or a store that forgot, cannot do: sold beyond the stock
// only because units came back.
static bool is_excused(const struct updates *updates, const struct sale *sale)
{
    return updates_are_excused(updates) && !sale->below_zero && sale->miscounted >= 0;
}

static void excuse(const struct digest *digest, const struct updates *updates,
                   const struct sale *sale, struct finding *finding)
{
    char harm[120];
    if (updates->duplicates > 0)
        snprintf(harm, sizeof harm, "%lld unit%s sold twice", (long long)updates->duplicates,
                 updates->duplicates == 1 ? " was" : "s were");
    else
        snprintf(harm, sizeof harm, "%lld unit%s sold and still there", (long long)sale->miscounted,
                 sale->miscounted == 1 ? " is" : "s are");
    updates_excuse(digest, updates, harm, finding);
}

static void decide(const struct digest *digest, struct finding *finding)
{
    if (strcmp(digest->trial->scenario->workload.kind, "oversell") != 0) {
        finding->state = FINDING_IRRELEVANT;
        return;
    }
    struct updates updates;
    updates_count(digest, &updates);
    struct sale sale = sale_make(digest, &updates);
    if (is_violated(&updates, &sale) && is_excused(&updates, &sale)) {
        excuse(digest, &updates, &sale, finding);
    } else if (is_violated(&updates, &sale)) {
        finding->state = FINDING_VIOLATED;
        finding->count = violations(&updates, &sale);
        finding->by_absence = updates.duplicates == 0 && sale.too_many == 0 && !sale.below_zero &&
                              sale.miscounted < 0;
        finding->evidence = evidence_of(digest, &updates, &sale);
        describe(digest, &updates, &sale, finding);
    } else if (!digest->initial_known || !digest->final_known) {
        finding->state = FINDING_UNDECIDED;
        finding_say(finding,
                    "the %s stock was never read, so nothing tells whether the %lld sales add up",
                    digest->initial_known ? "final" : "initial", (long long)updates.acknowledged);
    } else {
        finding_say(finding, "%lld of %lld units sold, %lld left, none twice",
                    (long long)updates.acknowledged, (long long)digest->initial_value,
                    (long long)digest->final_value);
    }
}

const struct check oversell_check = {
    .name = "oversell",
    .summary = "no unit is sold twice, none beyond the stock, and the stock adds up",
    .letter = "O",
    .label = "this sale",
    .decide = decide,
    .may_follow = true,
    .mitigation =
        "a lock that excludes, or a store that takes a unit only if the stock is still the "
        "one that was read",
    .form = {.workloads = (const char *const[]){"oversell", NULL},
             .why_not = "only the workload oversell sells"},
};
