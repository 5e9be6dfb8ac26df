#include "harness/report/figures.h"

#include "harness/report/summary.h"

#include <math.h>

// NaN unless it is known.
static double if_known(bool is_known, double value)
{
    return is_known ? value : NAN;
}

static double rate_of(const struct scheme_cost *cost)
{
    return if_known(cost->rate.count > 0, cost->rate.median);
}

static double commands_of(const struct scheme_cost *cost)
{
    return cost->commands_per_hold;
}

static double jain_of(const struct scheme_cost *cost)
{
    return if_known(cost->fairness.count > 0, cost->fairness.median);
}

static double attempts_of(const struct scheme_cost *cost)
{
    return cost->attempts_per_hold;
}

static double violations_of(const struct scheme_cost *cost)
{
    return if_known(cost->repeats > 0, (double)cost->violations);
}

static double longest_wait_of(const struct scheme_cost *cost)
{
    return if_known(cost->repeats > 0, (double)cost->longest_wait_ns);
}

static double recovery_of(const struct scheme_cost *cost)
{
    // Who was never granted again has waited at least as long as the outage.
    int64_t recovery_ns = time_later(cost->never_ns, cost->longest_recovery_ns);
    return if_known(cost->faults > 0 && recovery_ns > 0, (double)recovery_ns);
}

static double unavailable_of(const struct scheme_cost *cost)
{
    return if_known(cost->faults > 0, (double)cost->longest_outage_ns);
}

static double expired_of(const struct scheme_cost *cost)
{
    return if_known(cost->leased > 0, (double)cost->expired);
}

#define LATENCY(id, which, percent, words, json, ...)                                              \
    [FIGURE_##id##_##percent] = {.group = words,                                                   \
                                 .key = json,                                                      \
                                 .percentile = PERCENTILE_##percent,                               \
                                 .latency = LATENCY_##which,                                       \
                                 __VA_ARGS__}
#define ACQUIRE(percent, ...) LATENCY(ACQUIRE, ACQUIRE, percent, "acquire", "acquire", __VA_ARGS__)
#define HAND_OFF(percent, ...)                                                                     \
    LATENCY(HAND_OFF, HAND_OFF, percent, "hand-off", "hand_off", __VA_ARGS__)
#define RELEASE(percent)                                                                           \
    LATENCY(RELEASE, RELEASE, percent, "release", "release", .places = IN_TURNS)
#define HOLD(percent) LATENCY(HOLD, HOLD, percent, "hold", "hold", .places = IN_TURNS)
#define TURN(percent) LATENCY(TURN, HAND_OFF, percent, "hand-off", "hand_off", .places = IN_TURNS)
#define NUMBER(id, ...) [FIGURE_##id] = {.group = "", .percentile = -1, __VA_ARGS__}

#define IN_ALL (IN_TERMINAL | IN_MARKDOWN | IN_SPEEDS)

const struct figure_form figure_forms[FIGURE_COUNT] = {
    NUMBER(RATE, .title = "locks/s", .key = "holds_per_second", .value = rate_of,
           .metric = METRIC_THROUGHPUT, .more_is_better = true, .places = IN_ALL | IN_COMPARISON),
    ACQUIRE(p50, .places = IN_ALL | IN_COMPARISON),
    ACQUIRE(p90, .places = IN_SPEEDS),
    ACQUIRE(p95, .places = IN_MARKDOWN | IN_SPEEDS),
    ACQUIRE(p99, .places = IN_ALL | IN_COMPARISON),
    ACQUIRE(p999, .places = IN_ALL | IN_COMPARISON),
    ACQUIRE(p9999, .places = IN_SPEEDS),
    ACQUIRE(max, .places = IN_ALL),
    HAND_OFF(p50, .brief = "ho p50", .markdown = "hand-off", .may_lack = true,
             .places = IN_ALL | IN_COMPARISON),
    HAND_OFF(p99, .brief = "ho p99", .places = IN_TERMINAL | IN_SPEEDS),
    NUMBER(COMMANDS, .title = "commands\na lock", .brief = "cmds", .key = "commands_per_hold",
           .format = "%.1f", .value = commands_of, .is_neither = true, .may_lack = true,
           .metric = METRIC_COMMANDS, .if_none = "nobody counted commands",
           .places = IN_ALL | IN_COMPARISON),
    NUMBER(JAIN, .title = "Jain", .format = "%.2f", .value = jain_of, .metric = METRIC_JAIN,
           .places = IN_ALL),
    RELEASE(p50),
    RELEASE(p99),
    RELEASE(max),
    HOLD(p50),
    HOLD(p99),
    HOLD(max),
    TURN(p50),
    TURN(p99),
    TURN(max),
    NUMBER(ATTEMPTS, .title = "attempts\na lock", .format = "%.2f", .value = attempts_of,
           .places = IN_TURNS),
    NUMBER(VIOLATIONS, .title = "violations", .value = violations_of, .metric = METRIC_VIOLATIONS),
    NUMBER(LONGEST_WAIT, .title = "longest wait", .value = longest_wait_of,
           .metric = METRIC_LONGEST_WAIT),
    NUMBER(RECOVERY, .title = "recovery", .value = recovery_of, .metric = METRIC_RECOVERY),
    NUMBER(UNAVAILABLE, .title = "unavailable", .value = unavailable_of,
           .metric = METRIC_UNAVAILABLE),
    NUMBER(EXPIRED, .title = "expired grants", .value = expired_of, .metric = METRIC_EXPIRED,
           .if_none = "no grant had a lease"),
};

const struct figure_form *figure_form_of(enum metric metric)
{
    const struct figure_form *form = figure_forms;
    while (form->metric != metric)
        form++;
    return form;
}

const char *figure_title(enum figure figure)
{
    const struct figure_form *form = &figure_forms[figure];
    return form->percentile >= 0 ? percentile_forms[form->percentile].name : form->title;
}

const char *figure_name(enum figure figure, char *out, size_t room)
{
    const char *group = figure_forms[figure].group;
    snprintf(out, room, "%s%s%s", group, group[0] != '\0' ? " " : "", figure_title(figure));
    for (char *at = out; *at != '\0'; at++)
        *at = *at == '\n' ? ' ' : *at;
    return out;
}

double figure_of(enum figure figure, const struct scheme_cost *cost, bool strictly)
{
    const struct figure_form *form = &figure_forms[figure];
    if (form->percentile < 0)
        return form->value(cost);
    const struct percentiles *percentiles = &cost->percentiles[form->latency];
    double percent = percentile_forms[form->percentile].percent;
    bool is_known = strictly ? percentile_has_enough((int64_t)percentiles->count, percent)
                             : percentiles->count > 0;
    return is_known ? (double)percentiles->ns[form->percentile] : NAN;
}

bool figure_is_drivers(enum figure figure, const struct scheme_cost *cost)
{
    const struct figure_form *form = &figure_forms[figure];
    if (figure == FIGURE_RATE)
        return cost->driver_bound > 0;
    return form->percentile >= 0 && form->latency == LATENCY_ACQUIRE &&
           cost->late[form->percentile];
}

const char *figure_text(enum figure figure, double value, char *out, size_t room)
{
    const struct figure_form *form = &figure_forms[figure];
    if (!isfinite(value))
        snprintf(out, room, "–");
    else if (form->percentile >= 0)
        text_duration((long long)value, out, room);
    else if (form->format != NULL)
        snprintf(out, room, form->format, value);
    else
        rate_text(value, out, room);
    return out;
}
