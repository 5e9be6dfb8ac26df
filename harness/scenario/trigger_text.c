// A fault in words.
#include "harness/base/text.h"
#include "harness/scenario/trigger.h"
#include "harness/scenario/units.h"

void target_write(int client, int worker, struct text *out)
{
    text_format(out, "client-%d", client);
    if (worker != 0)
        text_format(out, " worker-%d", worker);
}

static const char *ordinal_ending(int64_t number)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    if (number % 100 >= 11 && number % 100 <= 13)
        return "th";
    return number % 10 <= 3 ? endings[number % 10] : "th";
}

// `itself`: whoever reaches the point is the one who is struck, and was named already.
static void describe_point(const struct point_name *point, bool itself, struct text *out)
{
    if (point->moment == MOMENT_AT || !itself)
        text_add(out, "when ");
    if (itself && point->moment == MOMENT_AT)
        text_add(out, "it ");
    if (!itself) {
        target_write(point->client, point->worker, out);
        text_add(out, point->moment == MOMENT_AT ? " " : " is ");
    }
    if (point->moment != MOMENT_AT)
        text_add(out, point->moment == MOMENT_BEFORE ? "before " : "after ");
    text_add(out, point->what);
    if (point->phase[0] != '\0')
        text_format(out, " in %s", point->phase);
}

static void describe_trigger(const struct fault_step *step, struct text *out)
{
    if (step->point_count == 0) {
        text_add(out, " at ");
        duration_write(step->at_ns, out);
        return;
    }
    for (size_t i = 0; i < step->point_count; i++) {
        const struct point_name *point = &step->points[i];
        text_add(out, i == 0 ? " " : " or ");
        describe_point(point,
                       point->client == step->target.client && point->worker == step->target.worker,
                       out);
    }
    if (step->nth > 1)
        text_format(out, " (%lld%s time)", (long long)step->nth, ordinal_ending(step->nth));
}

char *fault_describe(const struct fault_step *step)
{
    struct text text = {0};
    text_format(&text, "%s ", step->verb);
    target_write(step->target.client, step->target.worker, &text);
    describe_trigger(step, &text);
    if (step->until.kind != CAUSE_NONE) {
        text_add(&text, " until ");
        target_write(step->until.client, step->until.worker, &text);
        text_format(&text, " %s or ", cause_words[step->until.kind - 1]);
        duration_write(step->bound_ns, &text);
    } else if (step->bound_ns >= 0) {
        text_add(&text, " for ");
        duration_write(step->bound_ns, &text);
    }
    return text.bytes;
}
