#include "harness/report/driver_bound.h"

#include "harness/base/text.h"
#include "harness/report/statistics.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MOST_OF_THE_TIME 0.9
#define LATE_SHARE 0.1
#define STALLED_SHARE 0.01

bool driver_bound_any_late(const struct driver_bound *bound)
{
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (bound->late[i])
            return true;
    }
    return false;
}

__attribute__((format(printf, 2, 3))) static void add_reason(struct driver_bound *bound,
                                                             const char *format, ...)
{
    size_t length = strlen(bound->reason);
    if (length > 0 && length + 3 < sizeof bound->reason) {
        strcpy(bound->reason + length, "; ");
        length += 2;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bound->reason + length, sizeof bound->reason - length, format, arguments);
    va_end(arguments);
}

static void blame_processors(const struct resources *resources, struct driver_bound *bound)
{
    if (!resources->is_known)
        return;
    double there = (double)resources->covered_ns;
    double clients = (double)resources->clients.processor_ns;
    double both = clients + (double)resources->driver.processor_ns;
    int pinned = resources->client_processors;
    int all = resources->processors;
    if (pinned > 0 && clients > MOST_OF_THE_TIME * there * pinned)
        add_reason(bound,
                   "the clients used %.0f %% of the time of the %d processor%s they are pinned to",
                   100 * clients / (there * pinned), pinned, pinned == 1 ? "" : "s");
    else if (all > 0 && both > MOST_OF_THE_TIME * there * all)
        add_reason(bound,
                   "the clients and the driver used %.0f %% of the time of all %d processors",
                   100 * both / (there * all), all);
}

// What a figure may be too high by says nothing against the others. The worst is told with numbers.
static void blame_lateness(const struct statistics *statistics, struct driver_bound *bound)
{
    struct text others = {0};
    double worst_share = LATE_SHARE;
    enum percentile worst = PERCENTILE_COUNT;
    for (enum percentile i = 0; i < PERCENTILE_COUNT && statistics->acquire_on_time.count > 0;
         i++) {
        double reported = (double)statistics->acquire.ns[i];
        double share = 1 - (double)statistics->acquire_on_time.ns[i] / reported;
        bound->late[i] = reported > 0 && share > LATE_SHARE;
        if (bound->late[i] && share > worst_share) {
            worst_share = share;
            worst = i;
        }
    }
    if (worst == PERCENTILE_COUNT)
        return;
    char by[32];
    char whole[32];
    int64_t reported_ns = statistics->acquire.ns[worst];
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (bound->late[i] && i != worst)
            text_format(&others, "%s%s", others.length > 0 ? ", " : " (also ",
                        percentile_forms[i].name);
    }
    add_reason(bound,
               "the driver began operations late, so acquire is too high: %s by up to %s of %s%s%s",
               percentile_forms[worst].name,
               text_duration((long long)(worst_share * (double)reported_ns + 0.5), by, sizeof by),
               text_duration(reported_ns, whole, sizeof whole), text_string(&others),
               others.length > 0 ? ")" : "");
    text_free(&others);
}

static void blame_stalls(const struct statistics *statistics, struct driver_bound *bound)
{
    char length[32];
    char whole[32];
    if ((double)statistics->stalled_ns <= STALLED_SHARE * (double)statistics->counted_ns)
        return;
    add_reason(bound, "the harness itself stood still for %s of %s",
               text_duration(statistics->stalled_ns, length, sizeof length),
               text_duration(statistics->counted_ns, whole, sizeof whole));
}

static bool is_by_stalls(const struct statistics *statistics, enum percentile figure)
{
    int64_t reported_ns = statistics->acquire.ns[figure];
    if (statistics->stalled_ns <= 0 || reported_ns <= 0)
        return false;
    if (figure == PERCENTILE_max)
        return (double)statistics->longest_stall_ns > LATE_SHARE * (double)reported_ns;
    return (double)statistics->stalled_ns >
           percentile_forms[figure].beyond * (double)statistics->counted_ns;
}

// Of a trial that is not bound as a whole: the figures that a few acquires make up.
static void blame_stalls_for_figures(const struct statistics *statistics,
                                     struct driver_bound *bound)
{
    struct text names = {0};
    char longest[32];
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (!is_by_stalls(statistics, i))
            continue;
        bound->late[i] = true;
        text_format(&names, "%s%s", names.length > 0 ? ", " : "", percentile_forms[i].name);
    }
    if (names.length > 0)
        add_reason(bound,
                   "the harness itself stood still, for up to %s, which may be in acquire %s",
                   text_duration(statistics->longest_stall_ns, longest, sizeof longest),
                   text_string(&names));
    text_free(&names);
}

void driver_bound_decide(const struct statistics *statistics, struct driver_bound *bound)
{
    *bound = (struct driver_bound){0};
    blame_processors(&statistics->resources, bound);
    blame_stalls(statistics, bound);
    bound->is_bound = bound->reason[0] != '\0';
    blame_lateness(statistics, bound);
    if (!bound->is_bound)
        blame_stalls_for_figures(statistics, bound);
}
