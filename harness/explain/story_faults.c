// The faults of a story: what struck whom, and when it was over.
#include "harness/explain/story_cast.h"
#include "harness/explain/story_deeds.h"

#include <stdio.h>
#include <string.h>

// A failover that takes longer is told in two lines: the lock may be granted only after the second.
#define LONG_FAILOVER_NS (5 * NS_PER_MS)

static bool is_on(const struct fault_step *step, const struct hold *hold)
{
    return step->target.client == hold->client &&
           (step->target.worker == 0 || step->target.worker == hold->worker);
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

// What these do is seen before it is proven: a client learns that its connection is gone as soon as
// the harness that the server is down.
int64_t story_strike_ns(const struct fault_record *record)
{
    bool is_sudden =
        fault_can(record->step, FAULT_KILLS) || record->step->form.lasting == LASTS_NEVER;
    return is_sudden ? time_earlier(record->asked_ns, record->in_effect_ns) : record->in_effect_ns;
}

// Frees the words.
static void add_line(struct story *story, int64_t at_ns, const char *subject, struct text *words)
{
    story_line_add(&story->lines, at_ns, LINE_KEY, SIZE_MAX, subject, "%s", text_string(words));
    text_free(words);
}

static void tell_strike(struct story *story, const struct fault_record *record)
{
    char subject[24];
    struct text words = {0};
    const struct fault_step *step = record->step;
    snprintf(subject, sizeof subject, "fault %d:", step->number);
    bool ends_client = step->target.client != 0 && fault_can(step, FAULT_KILLS);
    int64_t at_ns = story_strike_ns(record);
    if (step->form.then != NULL && record->in_effect_ns - at_ns > LONG_FAILOVER_NS) {
        deed_fill(story->digest, record, step->form.told, &words);
        add_line(story, at_ns, subject, &words);
        deed_fill(story->digest, record, step->form.then, &words);
        add_line(story, record->in_effect_ns, subject, &words);
        return;
    }
    deed_tell(story->digest, record, &words);
    deed_tell_point(story->digest, record, &words);
    if (ends_client && step->points[0].moment != MOMENT_AT)
        text_add(&words, doing(story, record));
    add_line(story, at_ns, subject, &words);
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

static void tell_healing(struct story *story, const struct fault_record *record, int64_t last_ns)
{
    const struct fault_step *step = record->step;
    bool at_end = record->heal_reason == HEAL_END;
    char subject[24];
    struct text words = {0};
    snprintf(subject, sizeof subject, "fault %d over:", step->number);
    if (record->heal_reason == HEAL_DEATH || (at_end && !fault_can(step, FAULT_STOPS)))
        return; // it does not go on, or nobody is there any more who could
    if (record->healed_ns > last_ns && !fault_can(step, FAULT_STOPS))
        return; // all is over by then
    deed_tell_end(story->digest, record, &words);
    if (fault_can(step, FAULT_STOPS) && is_on_story(story, record))
        text_add(&words, ", and still believes it holds the lock");
    story_line_add(&story->lines, record->healed_ns, at_end ? LINE_HELPFUL : LINE_KEY, SIZE_MAX,
                   at_end ? "the trial ends:" : subject, "%s", text_string(&words));
    text_free(&words);
}

void story_tell_faults(struct story *story, size_t root)
{
    if (story->lines.count == 0)
        return;
    int64_t first_ns = story_lines_first_ns(&story->lines);
    int64_t last_ns = story_lines_last_ns(&story->lines);
    for (size_t i = 0; i < story->digest->fault_count; i++) {
        const struct fault_record *record = &story->digest->faults[i];
        bool outside = story_strike_ns(record) > last_ns || record->healed_ns < first_ns ||
                       // A kill that came before has done its work before.
                       (record->step->bound_ns < 0 && record->in_effect_ns < first_ns);
        if (record->in_effect_ns == TIME_NEVER || (outside && i != root))
            continue;
        tell_strike(story, record);
        if (record->healed_ns != TIME_NEVER && record->step->bound_ns >= 0)
            tell_healing(story, record, last_ns);
    }
}
