// The faults of a story: what struck whom, and when it was over.
#include "harness/check/describe.h"
#include "harness/report/story_cast.h"
#include "harness/scenario/trigger.h"

#include <stdio.h>
#include <string.h>

static bool is_on(const struct fault_step *step, const struct hold *hold)
{
    return step->target.client == hold->client &&
           (step->target.worker == 0 || step->target.worker == hold->worker);
}

static void describe_target(const struct fault_step *step, char *out)
{
    if (step->target.client == 0)
        snprintf(out, DESCRIBE_ROOM, "%s", step->target.server);
    else if (step->target.worker != 0)
        snprintf(out, DESCRIBE_ROOM, "client-%d worker-%d", step->target.client,
                 step->target.worker);
    else
        snprintf(out, DESCRIBE_ROOM, "client-%d", step->target.client);
}

static void describe_point(const struct point_name *point, bool same_side, struct text *out)
{
    static const char *const moments[] = {[MOMENT_BEFORE] = "before ", [MOMENT_AFTER] = "after "};
    char worker[DESCRIBE_ROOM] = "";
    if (point->worker != 0)
        snprintf(worker, sizeof worker, "worker-%d", point->worker);
    if (point->moment == MOMENT_AT)
        text_format(out, "while %s holds the lock", point->worker != 0 ? worker : "it");
    else
        text_format(out, "%s%s%s%s", same_side ? "" : moments[point->moment], worker,
                    point->worker != 0 ? "'s " : "", point->what);
}

// " after GET or EVALSHA in release", " while it holds the lock"; "" if the fault came by time or
// at a point of another client.
static void describe_points(const struct fault_step *step, struct text *out)
{
    bool told = false;
    for (size_t i = 0; i < step->point_count; i++) {
        const struct point_name *point = &step->points[i];
        if (point->client != step->target.client)
            continue;
        text_add(out, told ? " or " : " ");
        told = true;
        describe_point(point, i > 0 && point->moment == step->points[i - 1].moment, out);
        bool same_phase_follows =
            i + 1 < step->point_count && strcmp(step->points[i + 1].phase, point->phase) == 0;
        if (point->phase[0] != '\0' && !same_phase_follows)
            text_format(out, " in %s", point->phase);
    }
}

// What the client of a fault was doing with the story's holds at the time; "" if nothing.
static const char *doing(const struct story *story, const struct fault_record *record)
{
    for (size_t i = 0; i < story->hold_count; i++) {
        const struct hold *hold = &story->digest->holds[story->holds[i]];
        if (!is_on(record->step, hold) || hold->granted_ns > record->in_effect_ns)
            continue;
        if (hold->died)
            return ", holding the lock";
        if (hold->died_ns != TIME_NEVER)
            return ", releasing the lock";
    }
    return "";
}

// What the fault does, in words that stand without its trigger.
static void describe_deed(const struct fault_step *step, const char *target, struct text *out)
{
    static const struct {
        const char *verb;
        const char *words;
    } deeds[] = {
        {"pause", "is paused"},
        {"kill", "is killed"},
        {"restart", "crashes"},
        {"flush", "loses all its data"},
        {"evict", "runs out of memory and evicts the lock"},
    };
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        if (strcmp(step->verb, deeds[i].verb) == 0) {
            text_format(out, "%s %s", target, deeds[i].words);
            return;
        }
    }
    fault_describe_deed(step, out);
}

static void tell_strike(struct story *story, const struct fault_record *record, const char *target)
{
    struct text words = {0};
    const struct fault_step *step = record->step;
    bool is_kill = strcmp(step->verb, "kill") == 0;
    int64_t at_ns =
        is_kill && record->asked_ns != TIME_NEVER ? record->asked_ns : record->in_effect_ns;
    describe_deed(step, target, &words);
    describe_points(step, &words);
    if (is_kill && step->points[0].moment != MOMENT_AT)
        text_add(&words, doing(story, record));
    story_line_add(&story->lines, at_ns, LINE_KEY, SIZE_MAX, "fault:", "%s", text_string(&words));
    text_free(&words);
}

static bool is_on_story(const struct story *story, const struct fault_record *record)
{
    for (size_t i = 0; i < story->hold_count; i++) {
        const struct hold *hold = &story->digest->holds[story->holds[i]];
        if (is_on(record->step, hold) && hold->granted_ns <= record->in_effect_ns &&
            hold->released_ns > record->healed_ns)
            return true;
    }
    return false;
}

static void tell_healing(struct story *story, const struct fault_record *record, const char *target)
{
    const struct fault_step *step = record->step;
    bool at_end = record->heal_reason == HEAL_END;
    struct text words = {0};
    if (record->heal_reason == HEAL_DEATH || (at_end && !fault_stops(step)))
        return; // it does not go on, or nobody is there any more who could
    if (fault_stops(step)) {
        text_format(&words, "%s goes on%s", target,
                    is_on_story(story, record) ? ", and still believes it holds the lock" : "");
    } else if (strcmp(step->verb, "restart") == 0) {
        text_format(&words, "%s is up again", target);
    } else {
        text_add(&words, "no more: ");
        fault_describe_deed(step, &words);
    }
    story_line_add(&story->lines, record->healed_ns, at_end ? LINE_HELPFUL : LINE_KEY, SIZE_MAX,
                   at_end ? "the trial ends:" : "fault over:", "%s", text_string(&words));
    text_free(&words);
}

void story_tell_faults(struct story *story)
{
    if (story->lines.count == 0)
        return;
    int64_t first_ns = story_lines_first_ns(&story->lines);
    int64_t last_ns = story_lines_last_ns(&story->lines);
    for (size_t i = 0; i < story->digest->fault_count; i++) {
        char target[DESCRIBE_ROOM];
        const struct fault_record *record = &story->digest->faults[i];
        if (record->in_effect_ns > last_ns || record->healed_ns < first_ns)
            continue;
        // A kill that came before has done its work before.
        if (record->step->bound_ns < 0 && record->in_effect_ns < first_ns)
            continue;
        describe_target(record->step, target);
        tell_strike(story, record, target);
        if (record->healed_ns != TIME_NEVER && record->step->bound_ns >= 0)
            tell_healing(story, record, target);
    }
}
