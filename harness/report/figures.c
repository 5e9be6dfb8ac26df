#include "harness/report/words.h"

#include <math.h>

// A function that gives a number of a cost, NaN unless it is known.
#define VALUE(name, is_known, number)                                                              \
    static double name(const struct scheme_cost *cost)                                             \
    {                                                                                              \
        return (is_known) ? (double)(number) : NAN;                                                \
    }

VALUE(rate_of, cost->rate.count > 0, cost->rate.median)
VALUE(commands_of, true, cost->commands_per_hold)
VALUE(jain_of, cost->fairness.count > 0, cost->fairness.median)
VALUE(attempts_of, true, cost->attempts_per_hold)
VALUE(violations_of, cost->repeats > 0, cost->violations)
VALUE(longest_wait_of, cost->repeats > 0, cost->longest_wait_ns)
// Who was never granted again has waited at least as long as the outage.
VALUE(recovery_of, cost->faults > 0 && (cost->never_ns > 0 || cost->longest_recovery_ns > 0),
      time_later(cost->never_ns, cost->longest_recovery_ns))
VALUE(unavailable_of, cost->faults > 0, cost->longest_outage_ns)
VALUE(expired_of, cost->leased > 0, cost->expired)

VALUE(leaderless_median_of, cost->leaderless.count > 0, cost->leaderless.median)
VALUE(leaderless_of, cost->leaderless.count > 0, cost->leaderless.most)
VALUE(changes_of, cost->leader_changes.count > 0, cost->leader_changes.median)
VALUE(led_of, cost->share_led.count > 0, 100 * cost->share_led.median)
VALUE(requests_of, cost->requests_per_second.count > 0, cost->requests_per_second.median)

#define LATENCY(id, percent, ...)                                                                  \
    {                                                                                              \
        .latency = LATENCY_##id, .percentile = PERCENTILE_##percent, __VA_ARGS__                   \
    }
#define NUMBER(words, ...)                                                                         \
    {                                                                                              \
        .title = words, __VA_ARGS__                                                                \
    }
#define IN_ALL (IN_TERMINAL | IN_MARKDOWN | IN_SPEEDS)

const struct figure_form figure_forms[FIGURE_COUNT] = {
    NUMBER("locks/s", .key = "holds_per_second", .value = rate_of, // FIGURE_RATE
           .metric = METRIC_THROUGHPUT, .more_is_better = true, .places = IN_ALL | IN_COMPARISON),
    LATENCY(ACQUIRE, p50, .places = IN_ALL | IN_COMPARISON),
    LATENCY(ACQUIRE, p90, .places = IN_SPEEDS),
    LATENCY(ACQUIRE, p95, .places = IN_MARKDOWN | IN_SPEEDS),
    LATENCY(ACQUIRE, p99, .places = IN_ALL | IN_COMPARISON),
    LATENCY(ACQUIRE, p999, .places = IN_ALL | IN_COMPARISON),
    LATENCY(ACQUIRE, p9999, .places = IN_SPEEDS),
    LATENCY(ACQUIRE, max, .places = IN_ALL),
    LATENCY(HAND_OFF, p50, .brief = "ho p50", .markdown = "hand-off", .may_lack = true,
            .places = IN_ALL | IN_COMPARISON),
    LATENCY(HAND_OFF, p99, .brief = "ho p99", .places = IN_TERMINAL | IN_SPEEDS),
    NUMBER("commands\na lock", .brief = "cmds", .key = "commands_per_hold", .format = "%.1f",
           .value = commands_of, .is_neither = true, .may_lack = true, .metric = METRIC_COMMANDS,
           .if_none = "nobody counted commands", .places = IN_ALL | IN_COMPARISON),
    NUMBER("Jain", .format = "%.2f", .value = jain_of, .metric = METRIC_JAIN, .places = IN_ALL),
    LATENCY(RELEASE, p50, .places = IN_TURNS),
    LATENCY(RELEASE, p99, .places = IN_TURNS),
    LATENCY(RELEASE, max, .places = IN_TURNS),
    LATENCY(HOLD, p50, .places = IN_TURNS),
    LATENCY(HOLD, p99, .places = IN_TURNS),
    LATENCY(HOLD, max, .places = IN_TURNS),
    // Once more, beside release and hold.
    LATENCY(HAND_OFF, p50, .places = IN_TURNS),
    LATENCY(HAND_OFF, p99, .places = IN_TURNS),
    LATENCY(HAND_OFF, max, .places = IN_TURNS),
    NUMBER("attempts\na lock", .format = "%.2f", .value = attempts_of, .places = IN_TURNS),
    NUMBER("violations", .value = violations_of, .metric = METRIC_VIOLATIONS),
    NUMBER("longest wait", .value = longest_wait_of, .metric = METRIC_LONGEST_WAIT),
    NUMBER("recovery", .value = recovery_of, .metric = METRIC_RECOVERY),
    NUMBER("unavailable", .value = unavailable_of, .metric = METRIC_UNAVAILABLE),
    NUMBER("expired grants", .value = expired_of, .metric = METRIC_EXPIRED,
           .if_none = "no grant had a lease"),
    NUMBER("leaderless p50", .value = leaderless_median_of, .is_time = true, .places = IN_LEADERS),
    NUMBER("leaderless max", .value = leaderless_of, .is_time = true, .metric = METRIC_LEADERLESS,
           .places = IN_LEADERS),
    NUMBER("changes", .format = "%.0f", .value = changes_of, .places = IN_LEADERS),
    NUMBER("led", .format = "%.1f %%", .value = led_of, .places = IN_LEADERS),
    NUMBER("requests/s", .value = requests_of, .places = IN_LEADERS),
};

const struct figure_form *figure_form_of(enum metric metric)
{
    const struct figure_form *form = figure_forms;
    while (form->metric != metric)
        form++;
    return form;
}

bool figure_is(enum figure figure, enum figure_place place)
{
    return (figure_forms[figure].places & place) != 0;
}

bool figure_is_acquire(enum figure figure)
{
    return figure_forms[figure].value == NULL && figure_forms[figure].latency == LATENCY_ACQUIRE;
}

const char *figure_group(enum figure figure)
{
    const struct figure_form *form = &figure_forms[figure];
    return form->value == NULL ? latency_forms[form->latency].name : NULL;
}

const char *figure_title(enum figure figure)
{
    const struct figure_form *form = &figure_forms[figure];
    return form->value == NULL ? percentile_forms[form->percentile].name : form->title;
}

struct words figure_name(enum figure figure)
{
    const char *group = figure_group(figure);
    struct words name;
    snprintf(name.text, sizeof name.text, "%s%s%s", group != NULL ? group : "",
             group != NULL ? " " : "", figure_title(figure));
    text_clean_line(name.text);
    return name;
}

double figure_of(enum figure figure, const struct scheme_cost *cost, bool strictly)
{
    const struct figure_form *form = &figure_forms[figure];
    if (form->value != NULL)
        return form->value(cost);
    const struct percentiles *percentiles = &cost->percentiles[form->latency];
    double percent = percentile_forms[form->percentile].percent;
    bool is_known = strictly ? percentile_has_enough((int64_t)percentiles->count, percent)
                             : percentiles->count > 0;
    return is_known ? (double)percentiles->ns[form->percentile] : NAN;
}

struct words figure_text(enum figure figure, double value)
{
    const struct figure_form *form = &figure_forms[figure];
    struct words text = {"–"};
    if (isfinite(value) && (form->value == NULL || form->is_time))
        return lasting((int64_t)value);
    if (isfinite(value) && form->format == NULL)
        return rate_words(value);
    if (isfinite(value))
        snprintf(text.text, sizeof text.text, form->format, value);
    return text;
}
