#include "harness/report/driver_bound.h"

#include "harness/report/statistics.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_OF_THE_TIME 0.9
#define LATE_SHARE 0.1
#define STALLED_SHARE 0.01

__attribute__((format(printf, 2, 3))) static void blame(struct driver_bound *bound,
                                                        const char *format, ...)
{
    size_t length = strlen(bound->reason);
    if (bound->is_bound && length + 3 < sizeof bound->reason) {
        strcpy(bound->reason + length, "; ");
        length += 2;
    }
    bound->is_bound = true;
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
        blame(bound,
              "the clients used %.0f %% of the time of the %d processor%s they are pinned to",
              100 * clients / (there * pinned), pinned, pinned == 1 ? "" : "s");
    else if (all > 0 && both > MOST_OF_THE_TIME * there * all)
        blame(bound, "the clients and the driver used %.0f %% of the time of all %d processors",
              100 * both / (there * all), all);
}

static void blame_lateness(const struct statistics *statistics, struct driver_bound *bound)
{
    const struct percentiles *late = &statistics->lateness;
    const struct percentiles *acquire = &statistics->acquire;
    const int64_t pairs[][2] = {{late->p50_ns, acquire->p50_ns}, {late->p99_ns, acquire->p99_ns}};
    for (int i = 0; i < 2 && late->count > 0 && acquire->count > 0; i++) {
        char was[32];
        char whole[32];
        if ((double)pairs[i][0] <= LATE_SHARE * (double)pairs[i][1])
            continue;
        blame(bound, "the driver began operations late: %s at %s, where acquire takes %s",
              text_duration(pairs[i][0], was, sizeof was), i == 0 ? "p50" : "p99",
              text_duration(pairs[i][1], whole, sizeof whole));
        return;
    }
}

static void blame_stalls(const struct statistics *statistics, struct driver_bound *bound)
{
    char length[32];
    char whole[32];
    if ((double)statistics->stalled_ns <= STALLED_SHARE * (double)statistics->counted_ns)
        return;
    blame(bound, "the harness itself stood still for %s of %s",
          text_duration(statistics->stalled_ns, length, sizeof length),
          text_duration(statistics->counted_ns, whole, sizeof whole));
}

void driver_bound_decide(const struct statistics *statistics, struct driver_bound *bound)
{
    *bound = (struct driver_bound){0};
    blame_processors(&statistics->resources, bound);
    blame_lateness(statistics, bound);
    blame_stalls(statistics, bound);
}
