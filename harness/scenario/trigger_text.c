// A fault in words.
#include "harness/base/text.h"
#include "harness/scenario/trigger.h"
#include "harness/scenario/units.h"

#include <string.h>

bool fault_can(const struct fault_step *step, unsigned traits)
{
    unsigned mine = step->form.traits;
    if (step->how != NULL && step->form.keeps != NULL &&
        text_is_one_of(step->how, step->form.keeps))
        mine &= ~(unsigned)(FAULT_EMPTIES | FAULT_MAY_FORGET);
    return (mine & traits) != 0;
}

static void client_write(int client, int worker, struct text *out)
{
    text_format(out, "client-%d", client);
    if (worker != 0)
        text_format(out, " worker-%d", worker);
}

void target_write(const struct target *target, struct text *out)
{
    if (target->client == 0)
        text_add(out, target->server);
    else
        client_write(target->client, target->worker, out);
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
        client_write(point->client, point->worker, out);
        text_add(out, point->moment == MOMENT_AT ? " " : " is ");
    }
    if (point->moment != MOMENT_AT)
        text_add(out, point->moment == MOMENT_BEFORE ? "before " : "after ");
    text_add(out, strcmp(point->what, "request") == 0 ? "a request" : point->what);
    if (point->phase[0] != '\0')
        text_format(out, " in %s", point->phase);
}

static void describe_cause(const struct cause *cause, struct text *out)
{
    if (cause->kind == CAUSE_LEASE_GONE) {
        text_format(out, "the lease of client-%d is gone", cause->target.client);
        return;
    }
    if (cause->kind == CAUSE_OVER) {
        text_format(out, "%s is over", cause->fault);
        return;
    }
    target_write(&cause->target, out);
    if (cause->kind == CAUSE_LEADS || cause->kind == CAUSE_SERVES)
        text_add(out, cause->kind == CAUSE_LEADS ? " is leader" : " is up");
    else
        text_format(out, " %s", cause_words[cause->kind - 1]);
}

static void describe_trigger(const struct fault_step *step, struct text *out)
{
    if (step->cause.kind != CAUSE_NONE) {
        text_add(out, " when ");
        describe_cause(&step->cause, out);
        return;
    }
    if (step->every_ns > 0) {
        text_add(out, " every ");
        duration_write(step->every_ns, out);
        return;
    }
    if (step->point_count == 0 && step->at_ns < 0) {
        text_format(out, " once %s is in effect", step->after_name);
        return;
    }
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
    if (step->at_ns > 0) {
        text_add(out, " from ");
        duration_write(step->at_ns, out);
        text_add(out, " on");
    }
}

static void describe_sides(const struct fault_step *step, struct text *out)
{
    for (int side = 0; side < 2; side++) {
        if (side == 1)
            text_add(out, step->one_way ? " to " : " from ");
        for (size_t i = 0; i < step->side_counts[side]; i++) {
            text_add(out, i > 0 ? ", " : "");
            target_write(&step->sides[side][i], out);
        }
    }
}

// In the order of the reference: what only some faults take.
static void describe_options(const struct fault_step *step, struct text *out)
{
    if (step->by_ns != 0) {
        text_add(out, step->by_ns > 0 ? " by " : " by -");
        duration_write(step->by_ns > 0 ? step->by_ns : -step->by_ns, out);
    }
    if (step->jitter_ns > 0) {
        text_add(out, " ± ");
        duration_write(step->jitter_ns, out);
    }
    if (fault_can(step, FAULT_MOVES_CLOCK) && step->rate != 100)
        text_format(out, " at %lld%% of its rate", (long long)step->rate);
    if (step->share > 0)
        text_format(out, " of %lld%%", (long long)step->share);
    if (step->how != NULL)
        text_format(out, " (%s)", step->how);
}

void fault_describe_deed(const struct fault_step *step, struct text *out)
{
    text_format(out, "%s ", step->verb);
    if (step->side_counts[0] > 0)
        describe_sides(step, out);
    else
        target_write(&step->target, out);
    describe_options(step, out);
}

char *fault_describe(const struct fault_step *step)
{
    struct text text = {0};
    fault_describe_deed(step, &text);
    describe_trigger(step, &text);
    if (step->until.kind != CAUSE_NONE) {
        text_add(&text, " until ");
        describe_cause(&step->until, &text);
        if (step->bound_ns != NO_BOUND) {
            text_add(&text, " or ");
            duration_write(step->bound_ns, &text);
        }
    } else if (step->bound_ns > 0 && step->bound_ns != NO_BOUND) {
        text_add(&text, " for ");
        duration_write(step->bound_ns, &text);
    }
    return text.bytes;
}
