#include "harness/stats/statistics.h"

#include "harness/base/rank.h"
#include "harness/base/scope.h"

// Of one series: a figure of a process, or of a node's devices, whatever process runs there.
struct reading {
    int64_t series; // by which they are sorted
    int64_t node, process, at_ns, first, second;
    enum usage_figure figure;
    bool is_last_word; // the process's own, at its end
};

static bool is_of_network(enum usage_figure figure)
{
    return figure == USAGE_BYTES || figure == USAGE_PACKETS;
}

// Each series together, in the order of the history, which is that of time; the caller frees.
static struct reading *readings_of(const struct history *history, size_t *count)
{
    struct reading *readings = memory_new((history->count + 1) * sizeof *readings);
    *count = 0;
    FOR_EACH (event, event, history->events, history->count) {
        enum usage_figure figure = (enum usage_figure)event->detail;
        uint64_t process = is_of_network(figure) ? 0 : (uint64_t)event->usage.process;
        uint64_t series = ((uint64_t)event->usage.node * 4 + figure) << 32 | (process & UINT32_MAX);
        if (event->kind == EVENT_USAGE && figure <= USAGE_PACKETS)
            readings[(*count)++] = (struct reading){.series = (int64_t)series,
                                                    .node = event->usage.node,
                                                    .process = event->usage.process,
                                                    .at_ns = event->at_ns,
                                                    .first = event->usage.first,
                                                    .second = event->usage.second,
                                                    .figure = figure,
                                                    .is_last_word = event->client != 0};
    }
    sort_by_key(readings, *count, sizeof *readings);
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
    if (series->at_ns > model->started_ns && !is_of_network(series->figure) &&
        is_counted(model, series->at_ns))
        growth = (struct growth){series->first, series->second, 0};
    for (const struct reading *after = series + 1; after < series + count; after++) {
        const struct reading *before = after - 1;
        if (!is_counted(model, before->at_ns + (after->at_ns - before->at_ns) / 2))
            continue;
        growth.covered_ns += after->at_ns - before->at_ns;
        growth.first += time_later(after->first - before->first, 0);
        growth.second += time_later(after->second - before->second, 0);
    }
    return growth;
}

static bool is_machine(const struct reading *reading)
{
    return reading->node == 0 && reading->process == 0;
}

static void add_series(const struct trial_model *model, const struct reading *series, size_t count,
                       int64_t last_round_ns, struct resources *resources)
{
    const struct growth growth = growth_of(model, series, count);
    const struct reading *last = &series[count - 1];
    if (is_machine(series)) {
        resources->covered_ns = growth.covered_ns;
        resources->machine_busy_ns = growth.first;
        resources->processors = (int)last->second;
        return;
    }
    struct resource_use *use = series->node == 0  ? &resources->driver
                               : series->node > 0 ? &resources->clients
                                                  : &resources->servers;
    int64_t *const sums[][2] = {[USAGE_PROCESSOR] = {&use->processor_ns, &use->kernel_ns},
                                [USAGE_SWITCHES] = {&use->voluntary_switches, &use->other_switches},
                                [USAGE_BYTES] = {&use->received_bytes, &use->sent_bytes},
                                [USAGE_PACKETS] = {&use->received_packets, &use->sent_packets}};
    *sums[series->figure][0] += growth.first;
    *sums[series->figure][1] += growth.second;
    use->knows_switches |= series->figure == USAGE_SWITCHES;
    use->knows_network |= series->figure == USAGE_BYTES;
    if (series->figure == USAGE_PROCESSOR)
        use->is_complete = (use->processes++ == 0 || use->is_complete) &&
                           (last->is_last_word || last->at_ns >= last_round_ns);
}

static int count_client_processors(const struct history *history)
{
    bool used[1024] = {false};
    int count = 0;
    FOR_EACH (event, event, history->events, history->count) {
        int64_t processor = event->process_start.cpu;
        if (event->kind != EVENT_PROCESS_START || event->client == 0)
            continue;
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
    AUTO_FREE struct reading *readings = readings_of(history, &count);
    // When the conductor last began to read all, or began to after the counted time.
    int64_t last_round_ns = 0;
    FOR_EACH (reading, reading, readings, count)
        last_round_ns =
            is_machine(reading) ? time_later(last_round_ns, reading->at_ns) : last_round_ns;
    last_round_ns = time_earlier(last_round_ns, counted_end_ns(model));
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && readings[to].series == readings[from].series;)
            to++;
        add_series(model, &readings[from], to - from, last_round_ns, resources);
    }
    resources->is_known = resources->covered_ns > 0;
    resources->client_processors = count_client_processors(history);
}

int64_t resources_of_others_ns(const struct resources *resources)
{
    int64_t own_ns = resources->driver.processor_ns + resources->clients.processor_ns +
                     resources->servers.processor_ns;
    if (!resources->is_known || resources->machine_busy_ns == 0)
        return -1;
    return time_later(resources->machine_busy_ns - own_ns, 0);
}
