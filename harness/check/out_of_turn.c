// out-of-turn: a lock that promises to be fair lets nobody pass by who stands in line before it.
//
// A grant is out of turn if its worker asked for the lock after another had its place in line, by
// the server's word (`queued`), and was certainly granted it before that one was: its proven core
// was over before that of the other began. The other's grant came by that very place, which it had
// all the time; a place that may be lost without a word counts only for as long as it is kept for
// certain (places_queued). Who took no place that anybody saw proves nothing, nor does one that
// was never granted the lock: it may have given up its place.
#include "harness/check/catalogue.h"
#include "harness/check/describe.h"
#include "harness/check/fairness_places.h"
#include "harness/check/sweep.h"

#include <stdlib.h>

// The one that has stood in line for longest; SIZE_MAX: nobody does.
static size_t first_in_line(const int64_t *places_ns, size_t a, size_t b)
{
    return a == SIZE_MAX || (b != SIZE_MAX && places_ns[b] < places_ns[a]) ? b : a;
}

static int compare_ends(const void *left, const void *right)
{
    const struct core *a = left;
    const struct core *b = right;
    return (a->to_ns < b->to_ns) - (a->to_ns > b->to_ns);
}

// Goes back in time, and so meets each core with all that began after it was over.
static void find_passings(const struct digest *digest, const int64_t *places_ns,
                          int64_t kept_until_ns, struct finding *finding)
{
    struct cores begun = cores_proven(digest);
    struct cores ended = cores_proven(digest);
    size_t next = begun.count;
    size_t any = SIZE_MAX, exclusive = SIZE_MAX; // the first in line of those met so far
    qsort(ended.items, ended.count, sizeof *ended.items, compare_ends);
    for (size_t i = 0; i < ended.count; i++) {
        const struct hold *hold = &digest->holds[ended.items[i].hold];
        for (; next > 0 && begun.items[next - 1].from_ns > ended.items[i].to_ns; next--) {
            size_t later = begun.items[next - 1].hold;
            any = first_in_line(places_ns, any, later);
            if (!digest->holds[later].shared)
                exclusive = first_in_line(places_ns, exclusive, later);
        }
        size_t passed = hold->shared ? exclusive : any;
        if (passed == SIZE_MAX || places_ns[passed] >= hold->invoked_ns ||
            hold->granted_ns >= kept_until_ns)
            continue;
        if (finding->count++ == 0 || hold->granted_ns < finding->evidence.from_ns)
            finding->evidence = (struct evidence){{passed, ended.items[i].hold},
                                                  {SIZE_MAX, SIZE_MAX},
                                                  hold->granted_ns,
                                                  digest->holds[passed].granted_ns};
    }
    free(begun.items);
    free(ended.items);
}

// "client-2 asked for the lock 3 ms after client-1 had its place in line, and was granted it 9 ms
// before".
static void tell(const struct digest *digest, const struct evidence *evidence, int64_t place_ns,
                 struct text *out)
{
    char passed[DESCRIBE_ROOM], passing[DESCRIBE_ROOM], after[DESCRIBE_ROOM], by[DESCRIBE_ROOM];
    const struct hold *hold = &digest->holds[evidence->holds[1]];
    describe_holder(digest, evidence->holds[0], passed);
    describe_holder(digest, evidence->holds[1], passing);
    text_duration(hold->invoked_ns - place_ns, after, sizeof after);
    text_duration(evidence->to_ns - evidence->from_ns, by, sizeof by);
    text_format(out,
                "%s asked for the lock %s after %s had its place in line, and was granted it %s "
                "before",
                passing, after, passed, by);
}

static void explain(const struct digest *digest, const struct evidence *evidence, struct text *out)
{
    int64_t kept_until_ns;
    int64_t *places_ns = memory_new(digest->hold_count * sizeof *places_ns);
    places_queued(digest, places_ns, &kept_until_ns);
    tell(digest, evidence, places_ns[evidence->holds[0]], out);
    text_add(out, ": this lock promises to be fair, and lets others pass by who stands in line");
    free(places_ns);
}

static void decide(const struct digest *digest, struct finding *finding)
{
    int64_t kept_until_ns;
    int64_t *places_ns = memory_new(digest->hold_count * sizeof *places_ns);
    bool is_promised = digest->trial->traits != NULL && trial_has_trait(digest->trial, "fair") &&
                       digest_excludes(digest) && digest_permits(digest) == 1;
    if (!is_promised || !places_queued(digest, places_ns, &kept_until_ns)) {
        finding->state = FINDING_IRRELEVANT;
        free(places_ns);
        return;
    }
    find_passings(digest, places_ns, kept_until_ns, finding);
    if (finding->count > 0) {
        struct text found = {0};
        finding->state = FINDING_VIOLATED;
        tell(digest, &finding->evidence, places_ns[finding->evidence.holds[0]], &found);
        finding_say(finding, "%s (%lld grant%s out of turn)", text_string(&found),
                    (long long)finding->count, plural(finding->count));
        text_free(&found);
    } else {
        finding_say(finding, "nobody who stood in line was passed by");
    }
    free(places_ns);
}

const struct check out_of_turn_check = {
    .name = "out-of-turn",
    .summary = "a lock that promises to be fair grants in the order of the line",
    .letter = "T",
    .decide = decide,
    .explain = explain,
    .mitigation = "a line kept at the server, of which only the first may take the lock",
};
