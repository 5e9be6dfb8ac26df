// lost-update and oversell: what the store acknowledged adds up to what it has in the end.
//
// lost-update: every acknowledged increment is in the final value, and nothing else is. final -
// initial must lie in [acknowledged, acknowledged + unknown]; and whatever the final value is, two
// acknowledged increments of one and the same value are one too few.
//
// oversell: no more units are sold than there are, none twice, and the stock that is left plus what
// was sold is what there was. An accepted write of v - 1 by a buyer who had seen v sells unit v.
#include "harness/check/describe.h"
#include "harness/check/updates.h"

#include <stdlib.h>
#include <string.h>

// What is wrong; only updates that were seen twice if not both ends of the value are known.
struct balance {
    bool is_known;
    int64_t moved;   // by so much the value rose, or the stock fell
    int64_t missing; // acknowledged, but not in it; 0 or less: nothing
    int64_t surplus; // in it, although nobody can have written it; likewise
    int64_t beyond;  // sold beyond the stock
    bool below_zero; // the stock was
};

static struct balance balance_of(const struct digest *digest, const struct updates *updates,
                                 bool sells)
{
    struct balance balance = {.is_known = digest->ends.initial_known && digest->ends.final_known,
                              .moved = updates->acknowledged};
    if (balance.is_known)
        balance.moved = sells ? digest->ends.initial_value - digest->ends.final_value
                              : digest->ends.final_value - digest->ends.initial_value;
    balance.missing = updates->acknowledged - balance.moved;
    balance.surplus = balance.moved - updates->acknowledged - updates->unknown;
    balance.below_zero = sells && (updates->below_zero != SIZE_MAX ||
                                   (balance.is_known && digest->ends.final_value < 0));
    if (sells && digest->ends.initial_known)
        balance.beyond = time_later(updates->acknowledged - digest->ends.initial_value, 0);
    return balance;
}

// True if more than the final value shows it.
static bool shows_in_updates(const struct updates *updates, const struct balance *balance)
{
    return balance->beyond > 0 || balance->below_zero || updates->duplicates > 0;
}

static bool is_violated(const struct updates *updates, const struct balance *balance)
{
    return shows_in_updates(updates, balance) || balance->missing > 0 || balance->surplus > 0;
}

static void set_violated(const struct digest *digest, const struct updates *updates,
                         const struct balance *balance, int64_t count, struct finding *finding)
{
    finding->state = FINDING_VIOLATED;
    finding->count = count;
    finding->by_absence = !shows_in_updates(updates, balance) && balance->missing <= 0;
    finding->evidence = updates_evidence(digest, updates);
    if (updates->duplicates == 0 && updates->below_zero != SIZE_MAX && balance->below_zero) {
        const struct access *write = &digest->accesses[updates->below_zero];
        finding->evidence = (struct evidence){{write->hold, SIZE_MAX},
                                              {updates->below_zero, SIZE_MAX},
                                              write->invoked_ns,
                                              write->returned_ns};
    }
}

// True if it is nothing that a late write, or a store that forgot, cannot do.
static bool is_excused(const struct updates *updates, const struct balance *balance)
{
    return updates_are_excused(updates) && !balance->below_zero && balance->surplus <= 0;
}

static const char *was(int64_t count)
{
    return count == 1 ? "was" : "were";
}

// --- increments ----------------------------------------------------------------------------------

static void tell_pair(const struct digest *digest, const struct updates *updates, struct text *out)
{
    if (updates->pair[1] == SIZE_MAX) {
        text_add(out, "no two increments of the same value were recorded, so the history does not "
                      "show which");
        return;
    }
    const struct access *earlier = &digest->accesses[updates->pair[0]];
    const struct access *later = &digest->accesses[updates->pair[1]];
    bool certain = earlier->outcome == OUTCOME_OK && later->outcome == OUTCOME_OK;
    text_format(out, "%s and %s both incremented %lld%s", holder_name(digest, earlier->hold).text,
                holder_name(digest, later->hold).text, (long long)later->seen,
                certain ? "" : ", one of them without an answer");
}

static void tell_lost(const struct digest *digest, const struct updates *updates,
                      const struct balance *balance, struct text *out)
{
    long long acknowledged = (long long)updates->acknowledged;
    long long moved = (long long)balance->moved, missing = (long long)balance->missing;
    if (!balance->is_known || (missing <= 0 && updates->duplicates > 0))
        text_format(out,
                    "%lld of %lld acknowledged increments repeated one that another had made: ",
                    (long long)updates->duplicates, acknowledged);
    else if (missing > 0)
        text_format(
            out, "%lld increment%s %s acknowledged, but the value rose by %lld: %lld %s lost; ",
            acknowledged, plural(acknowledged), was(acknowledged), moved, missing, was(missing));
    else
        text_format(out,
                    "phantom update: the value rose by %lld, but only %lld increment%s %s "
                    "acknowledged and %lld more left without an answer",
                    moved, acknowledged, plural(acknowledged), was(acknowledged),
                    (long long)updates->unknown);
    if (!balance->is_known || missing > 0 || updates->duplicates > 0)
        tell_pair(digest, updates, out);
}

static void decide_lost(const struct digest *digest, struct finding *finding)
{
    struct updates updates;
    struct text text = {0};
    updates_count(digest, &updates);
    struct balance balance = balance_of(digest, &updates, false);
    long long acknowledged = (long long)updates.acknowledged;
    bool violated = is_violated(&updates, &balance);
    if (violated && is_excused(&updates, &balance)) {
        if (balance.missing > 0)
            text_format(&text, "%lld of %lld acknowledged increments %s lost",
                        (long long)balance.missing, acknowledged, was(balance.missing));
        else
            text_format(&text, "%lld of %lld acknowledged increments repeated another's",
                        (long long)updates.duplicates, acknowledged);
        updates_excuse(digest, &updates, text.bytes, finding);
    } else if (violated) {
        set_violated(digest, &updates, &balance,
                     balance.missing > 0   ? balance.missing
                     : balance.surplus > 0 ? balance.surplus
                                           : updates.duplicates,
                     finding);
        tell_lost(digest, &updates, &balance, &text);
        finding_say(finding, "%s", text.bytes);
    } else if (!balance.is_known) {
        finding->state = FINDING_UNDECIDED;
        finding_say(finding,
                    "the %s value was never read, so nothing tells whether the %lld acknowledged "
                    "increments are all in it",
                    digest->ends.initial_known ? "final" : "initial", acknowledged);
    } else {
        finding_say(
            finding,
            "%lld acknowledged increment%s, %lld of unknown outcome: the value rose by %lld",
            acknowledged, plural(acknowledged), (long long)updates.unknown,
            (long long)balance.moved);
    }
    text_free(&text);
}

const struct check lost_update_check = {
    .name = "lost-update",
    .summary = "every acknowledged increment is in the final value, and nothing else",
    .letter = "L",
    .label = "this write",
    .decide = decide_lost,
    .may_follow = true,
    .mitigation = "a lock that excludes, or a store that writes only if the value is still the one "
                  "that was read",
    .form = {.workloads = (const char *const[]){"increment", "nested", "readers", NULL},
             .why_not = "the workload has no updates to lose"},
};

// --- sales ---------------------------------------------------------------------------------------

static void tell_units(const struct digest *digest, const struct updates *updates,
                       const struct balance *balance, struct text *out)
{
    long long left = (long long)digest->ends.final_value;
    if (updates->duplicates > 0)
        text_format(out, "%lld unit%s %s sold twice or more: %s and %s both bought unit %lld",
                    (long long)updates->duplicates, plural(updates->duplicates),
                    was(updates->duplicates),
                    holder_name(digest, digest->accesses[updates->pair[0]].hold).text,
                    holder_name(digest, digest->accesses[updates->pair[1]].hold).text,
                    (long long)digest->accesses[updates->pair[1]].seen);
    else if (balance->below_zero)
        text_add(out, "the stock fell below zero");
    else if (balance->missing > 0)
        text_format(out, "%lld are left: %lld too many", left, (long long)balance->missing);
    else if (balance->surplus > 0)
        text_format(out, "%lld are left: %lld unit%s gone unsold", left,
                    (long long)balance->surplus, balance->surplus == 1 ? " is" : "s are");
    else
        text_add(out, "the history does not show which unit was sold twice");
}

static void decide_sold(const struct digest *digest, struct finding *finding)
{
    struct updates updates;
    struct text text = {0};
    updates_count(digest, &updates);
    struct balance balance = balance_of(digest, &updates, true);
    long long sales = (long long)updates.acknowledged,
              stock = (long long)digest->ends.initial_value;
    bool violated = is_violated(&updates, &balance);
    if (violated && is_excused(&updates, &balance)) {
        int64_t missing = time_later(balance.missing, 0);
        if (updates.duplicates > 0)
            text_format(&text, "%lld unit%s %s sold twice", (long long)updates.duplicates,
                        plural(updates.duplicates), was(updates.duplicates));
        else
            text_format(&text, "%lld unit%s sold and still there", (long long)missing,
                        missing == 1 ? " is" : "s are");
        updates_excuse(digest, &updates, text.bytes, finding);
    } else if (violated) {
        set_violated(digest, &updates, &balance,
                     balance.beyond > 0       ? balance.beyond
                     : updates.duplicates > 0 ? updates.duplicates
                     : balance.missing > 0    ? balance.missing
                     : balance.surplus > 0    ? balance.surplus
                                              : 1,
                     finding);
        text_format(&text, "%lld sale%s", sales, plural(sales));
        if (digest->ends.initial_known)
            text_format(&text, " of %lld unit%s in stock", stock, plural(stock));
        text_add(&text, "; ");
        tell_units(digest, &updates, &balance, &text);
        finding_say(finding, "%s", text.bytes);
    } else if (!balance.is_known) {
        finding->state = FINDING_UNDECIDED;
        finding_say(finding,
                    "the %s stock was never read, so nothing tells whether the %lld sales add up",
                    digest->ends.initial_known ? "final" : "initial", sales);
    } else {
        finding_say(finding, "%lld of %lld units sold, %lld left, none twice", sales, stock,
                    (long long)digest->ends.final_value);
    }
    text_free(&text);
}

const struct check oversell_check = {
    .name = "oversell",
    .summary = "no unit is sold twice, none beyond the stock, and the stock adds up",
    .letter = "O",
    .label = "this sale",
    .decide = decide_sold,
    .may_follow = true,
    .mitigation =
        "a lock that excludes, or a store that takes a unit only if the stock is still the "
        "one that was read",
    .form = {.workloads = (const char *const[]){"oversell", NULL},
             .why_not = "only the workload oversell sells"},
};
