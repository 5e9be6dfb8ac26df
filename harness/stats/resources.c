#include "harness/stats/resources.h"

#include "harness/base/text.h"
#include "harness/check/check.h"

#include <stdlib.h>

struct reading {
    int64_t node, process, at_ns, first, second;
    enum usage_figure figure;
    bool is_last_word; // the process's own, at its end
};

// Devices belong to the node, whatever process runs there.
static bool is_of_network(enum usage_figure figure)
{
    return figure == USAGE_BYTES || figure == USAGE_PACKETS;
}

static int64_t process_key(const struct reading *reading)
{
    return is_of_network(reading->figure) ? 0 : reading->process;
}

static int order_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_series(const struct reading *a, const struct reading *b)
{
    int order = order_of(a->node, b->node);
    order = order != 0 ? order : order_of((int64_t)a->figure, (int64_t)b->figure);
    return order != 0 ? order : order_of(process_key(a), process_key(b));
}

static int compare(const void *left, const void *right)
{
    const struct reading *a = left;
    const struct reading *b = right;
    int order = compare_series(a, b);
    return order != 0 ? order : order_of(a->at_ns, b->at_ns);
}

// Each series together, in the order of time; the caller frees.
static struct reading *readings_of(const struct history *history, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < history->count; i++)
        *count += history->events[i].kind == EVENT_USAGE;
    struct reading *readings = memory_new(*count * sizeof *readings);
    size_t next = 0;
    for (size_t i = 0; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->kind != EVENT_USAGE)
            continue;
        readings[next++] = (struct reading){.node = event->usage.node,
                                            .process = event->usage.process,
                                            .at_ns = event->at_ns,
                                            .first = event->usage.first,
                                            .second = event->usage.second,
                                            .figure = (enum usage_figure)event->detail,
                                            .is_last_word = event->client != 0};
    }
    if (*count > 1)
        qsort(readings, *count, sizeof *readings, compare);
    return readings;
}

// --- adding up -----------------------------------------------------------------------------------

static bool is_counted(const struct trial_model *model, int64_t at_ns)
{
    return at_ns >= model->started_ns && at_ns <= counted_end_ns(model) && counted_at(model, at_ns);
}

// What one series used in the counted time.
struct growth {
    int64_t first, second, covered_ns;
};

static struct growth growth_of(const struct trial_model *model, const struct reading *series,
                               size_t count)
{
    struct growth growth = {0};
    // Whoever began during the trial has used all that it has used in it.
    if (series[0].at_ns > model->started_ns && !is_of_network(series[0].figure) &&
        is_counted(model, series[0].at_ns)) {
        growth.first = series[0].first;
        growth.second = series[0].second;
    }
    for (size_t i = 1; i < count; i++) {
        const struct reading *before = &series[i - 1];
        const struct reading *after = &series[i];
        if (!is_counted(model, before->at_ns + (after->at_ns - before->at_ns) / 2))
            continue;
        growth.covered_ns += after->at_ns - before->at_ns;
        growth.first += after->first > before->first ? after->first - before->first : 0;
        growth.second += after->second > before->second ? after->second - before->second : 0;
    }
    return growth;
}

static void add_growth(struct resource_use *use, enum usage_figure figure,
                       const struct growth *growth)
{
    switch (figure) {
    case USAGE_PROCESSOR:
        use->processor_ns += growth->first;
        use->kernel_ns += growth->second;
        break;
    case USAGE_SWITCHES:
        use->knows_switches = true;
        use->voluntary_switches += growth->first;
        use->other_switches += growth->second;
        break;
    case USAGE_BYTES:
        use->knows_network = true;
        use->received_bytes += growth->first;
        use->sent_bytes += growth->second;
        break;
    case USAGE_PACKETS:
        use->received_packets += growth->first;
        use->sent_packets += growth->second;
        break;
    }
}

static bool is_machine(const struct reading *reading)
{
    return reading->node == 0 && reading->process == 0;
}

static void add_series(const struct trial_model *model, const struct reading *series, size_t count,
                       int64_t last_round_ns, struct resources *resources)
{
    struct growth growth = growth_of(model, series, count);
    if (is_machine(series)) {
        resources->covered_ns = growth.covered_ns;
        resources->machine_busy_ns = growth.first;
        resources->processors = (int)series[count - 1].second;
        return;
    }
    struct resource_use *use = series->node == 0  ? &resources->driver
                               : series->node > 0 ? &resources->clients
                                                  : &resources->servers;
    add_growth(use, series->figure, &growth);
    if (series->figure != USAGE_PROCESSOR)
        return;
    if (use->processes++ == 0)
        use->is_complete = true;
    const struct reading *last = &series[count - 1];
    if (!last->is_last_word && last->at_ns < last_round_ns)
        use->is_complete = false;
}

// When the conductor last began to read all, or began to after the counted time.
static int64_t last_round(const struct trial_model *model, const struct reading *readings,
                          size_t count)
{
    int64_t end_ns = counted_end_ns(model);
    int64_t last_ns = 0;
    for (size_t i = 0; i < count && last_ns < end_ns; i++) {
        if (is_machine(&readings[i]) && readings[i].at_ns > last_ns)
            last_ns = readings[i].at_ns;
    }
    return last_ns < end_ns ? last_ns : end_ns;
}

static int count_client_processors(const struct history *history)
{
    bool used[1024] = {false};
    int count = 0;
    for (size_t i = 0; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->kind != EVENT_PROCESS_START || event->client == 0)
            continue;
        int64_t processor = event->process_start.cpu;
        if (processor < 0 || processor >= 1024)
            return 0;
        count += !used[processor];
        used[processor] = true;
    }
    return count;
}

void resources_measure(const struct trial_model *model, struct resources *resources)
{
    *resources = (struct resources){0};
    const struct history *history = model->history;
    if (history == NULL)
        return;
    size_t count;
    struct reading *readings = readings_of(history, &count);
    int64_t last_round_ns = last_round(model, readings, count);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count; to++) {
            if (compare_series(&readings[from], &readings[to]) != 0)
                break;
        }
        add_series(model, &readings[from], to - from, last_round_ns, resources);
    }
    resources->is_known = resources->covered_ns > 0;
    resources->client_processors = count_client_processors(history);
    free(readings);
}

int64_t resources_of_others_ns(const struct resources *resources)
{
    int64_t own_ns = resources->driver.processor_ns + resources->clients.processor_ns +
                     resources->servers.processor_ns;
    if (!resources->is_known || resources->machine_busy_ns == 0)
        return -1;
    return resources->machine_busy_ns > own_ns ? resources->machine_busy_ns - own_ns : 0;
}
