#include "harness/explain/story_writes.h"

#include "harness/base/clock.h"
#include "harness/check/describe.h"
#include "harness/workloads/workload.h"

#include <stdio.h>
#include <string.h>

// A hold that makes more reads and writes than this is told in part.
#define STORY_ACCESSES 6

static bool sells(const struct story *story)
{
    return strcmp(story->digest->trial->scenario->workload.kind, "oversell") == 0;
}

static bool draws(const struct story *story)
{
    return strcmp(story->digest->trial->scenario->workload.kind, "draw") == 0;
}

// --- what the store held -------------------------------------------------------------------------

// What is known of the store when a write came.
struct stored {
    const struct access *by; // the write whose value it held; NULL: the initial value
    bool in_doubt;           // nobody knows: other writes came at the same time, or may have come
};

static bool is_in_doubt(const struct digest *digest, const struct access *other,
                        const struct access *write, const struct access *before)
{
    if (other->invoked_ns >= write->returned_ns)
        return false;
    if (other->outcome == OUTCOME_OK)
        return other->returned_ns > write->invoked_ns;
    // No answer: it may come at any time, unless its client died before others wrote.
    return before == NULL || digest->holds[other->hold].died_ns > before->invoked_ns;
}

static struct stored stored_before(const struct digest *digest, const struct access *write)
{
    struct stored stored = {NULL, false};
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *other = &digest->accesses[i];
        if (other->is_write && other->outcome == OUTCOME_OK &&
            other->returned_ns <= write->invoked_ns &&
            (stored.by == NULL || other->returned_ns > stored.by->returned_ns))
            stored.by = other;
    }
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *other = &digest->accesses[i];
        if (other->is_write && other != write && other->outcome != OUTCOME_NO)
            stored.in_doubt |= is_in_doubt(digest, other, write, stored.by);
    }
    return stored;
}

// The hold that had made the same update before, one of the story's if possible: an accepted write
// of the same value seen; SIZE_MAX if none had.
static size_t same_update_before(const struct story *story, const struct access *write)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < story->digest->access_count; i++) {
        const struct access *other = &story->digest->accesses[i];
        if (!other->is_write || other->hold == write->hold || other->outcome != OUTCOME_OK ||
            other->seen != write->seen || other->returned_ns >= write->returned_ns)
            continue;
        if (found == SIZE_MAX || story_has_hold(story, other->hold))
            found = other->hold;
    }
    return found;
}

// --- words ---------------------------------------------------------------------------------------

// Whoever removed another's lock had done its own work before; and what was read shows in what is
// written, too.
static enum line_weight weight_of(const struct story *story, const struct access *access)
{
    bool aside = story->needs_ends && access->hold == story->culprit;
    return aside || !access->is_write ? LINE_HELPFUL : LINE_NEEDED;
}

// A write that takes longer is told with both its moments: what happens meanwhile may matter, and a
// picture shows it where it was sent.
#define LONG_WRITE_NS (5 * NS_PER_MS)

// " (sent at 0.312 s)", or "" if it was answered at once.
static const char *describe_sent(const struct story *story, const struct access *access,
                                 char out[40])
{
    out[0] = '\0';
    if (access->returned_ns != TIME_NEVER &&
        access->returned_ns - access->invoked_ns > LONG_WRITE_NS)
        snprintf(out, 40, " (sent at %.3f s)",
                 (double)(access->invoked_ns - story->digest->started_ns) / (double)NS_PER_S);
    return out;
}

static void tell_sale(struct story *story, const struct access *write, const char *who)
{
    char seller[DESCRIBE_ROOM];
    char over[40] = "";
    char twice[DESCRIBE_ROOM + 40] = "";
    char sent[40];
    size_t same = same_update_before(story, write);
    struct stored stored = stored_before(story->digest, write);
    bool certain = stored.by != NULL && !stored.in_doubt;
    if (certain && stored.by->value != write->seen && stored.by->value != write->value)
        snprintf(over, sizeof over, " over %lld", (long long)stored.by->value);
    if (same != SIZE_MAX)
        snprintf(twice, sizeof twice, ": %s has bought it already",
                 describe_holder(story->digest, same, seller));
    story_line_add(&story->lines, write->returned_ns, weight_of(story, write), write->hold, who,
                   "buys unit %lld (writes %lld%s)%s%s", (long long)write->seen,
                   (long long)write->value, over, describe_sent(story, write, sent), twice);
}

static void tell_job(struct story *story, const struct access *write, const char *who)
{
    const struct digest *digest = story->digest;
    char sent[40];
    int64_t job = draw_job(digest->trial->scenario, digest->holds[write->hold].operation);
    story_line_add(&story->lines, write->returned_ns, weight_of(story, write), write->hold, who,
                   "does job %lld and notes it as done%s", (long long)job + 1,
                   describe_sent(story, write, sent));
}

static void tell_look(struct story *story, const struct access *read, const char *who)
{
    const struct digest *digest = story->digest;
    int64_t job = draw_job(digest->trial->scenario, digest->holds[read->hold].operation);
    story_line_add(&story->lines, read->returned_ns, weight_of(story, read), read->hold, who,
                   "finds job %lld %s", (long long)job + 1,
                   (read->value >> job & 1) == 1 ? "done" : "not done yet");
}

static void tell_increment(struct story *story, const struct access *write, const char *who)
{
    char other[DESCRIBE_ROOM];
    char sent[40];
    struct text what = {0};
    size_t same = same_update_before(story, write);
    struct stored stored = stored_before(story->digest, write);
    text_format(&what, "writes %lld%s", (long long)write->value, describe_sent(story, write, sent));
    if (stored.in_doubt) {
        if (same != SIZE_MAX)
            text_format(&what, ", computed from %lld, as %s did", (long long)write->seen,
                        describe_holder(story->digest, same, other));
    } else if (stored.by != NULL && stored.by->value != write->seen) {
        describe_holder(story->digest, stored.by->hold, other);
        if (stored.by->value != write->value)
            text_format(&what, ", computed from %lld, over the %lld that %s has written by then",
                        (long long)write->seen, (long long)stored.by->value, other);
        else
            text_format(&what, " over %s's %lld", other, (long long)stored.by->value);
        // It changes nothing: whatever comes later, this increment is not in the value. Of other
        // values some may be brought back by a third who has read them; the total is told at last.
        if (stored.by->value == write->value)
            text_add(&what, ": one increment is lost");
    }
    story_line_add(&story->lines, write->returned_ns, weight_of(story, write), write->hold, who,
                   "%s", text_string(&what));
    text_free(&what);
}

static void tell_access(struct story *story, const struct access *access, const char *who)
{
    bool answered = access->returned_ns != TIME_NEVER;
    int64_t at_ns = answered ? access->returned_ns : access->invoked_ns;
    enum line_weight weight = weight_of(story, access);
    char sent[40];
    char what[80] = "read";
    if (access->is_write)
        snprintf(what, sizeof what, "write %lld%s", (long long)access->value,
                 describe_sent(story, access, sent));
    if (access->outcome == OUTCOME_UNKNOWN)
        story_line_add(&story->lines, at_ns, weight, access->hold, who,
                       "tries to %s and gets no answer", what);
    else if (access->outcome == OUTCOME_NO && access->token > 0)
        story_line_add(&story->lines, at_ns, weight, access->hold, who,
                       "tries to %s: the store refuses its old token %lld", what,
                       (long long)access->token);
    else if (access->outcome == OUTCOME_NO)
        story_line_add(&story->lines, at_ns, weight, access->hold, who,
                       "tries to %s: the store refuses it", what);
    else if (access->is_write && sells(story))
        tell_sale(story, access, who);
    else if (access->is_write && draws(story))
        tell_job(story, access, who);
    else if (draws(story))
        tell_look(story, access, who);
    else if (access->is_write)
        tell_increment(story, access, who);
    else
        story_line_add(&story->lines, at_ns, weight, access->hold, who, "reads %lld",
                       (long long)access->value);
}

void story_tell_accesses(struct story *story, size_t hold, const char *who)
{
    const struct hold *told = &story->digest->holds[hold];
    for (size_t i = 0; i < told->access_count && i < STORY_ACCESSES; i++)
        tell_access(story, &story->digest->accesses[told->first_access + i], who);
}
