// What the processes of the trials used for each lock, and how faults were got over.
#include "harness/report/html_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- what was used -------------------------------------------------------------------------------

// Of the repeats that tell: what one sort of processes used, while so many locks were granted.
struct use {
    double locks, processor_ns, covered_ns;
    double switch_locks, switches;
    double network_locks, bytes;
};

typedef const struct resource_use *(*sort_of)(const struct resources *resources);

static const struct resource_use *of_driver(const struct resources *resources)
{
    return &resources->driver;
}

static const struct resource_use *of_clients(const struct resources *resources)
{
    return &resources->clients;
}

static const struct resource_use *of_servers(const struct resources *resources)
{
    return &resources->servers;
}

static struct use use_of(const struct run_result *run, const struct scheme_cost *cost, sort_of sort)
{
    struct use use = {0};
    for (size_t i = 0; i < run->count; i++) {
        const struct statistics *statistics = &run->trials[i].statistics;
        const struct resource_use *used = sort(&statistics->resources);
        double locks = (double)statistics->holds;
        if (!cost_row_has(cost, &run->trials[i]) || !statistics->resources.is_known ||
            used->processes == 0)
            continue;
        use.locks += locks;
        use.processor_ns += (double)used->processor_ns;
        use.covered_ns += (double)statistics->resources.covered_ns;
        if (used->knows_switches) {
            use.switch_locks += locks;
            use.switches += (double)(used->voluntary_switches + used->other_switches);
        }
        if (used->knows_network) {
            use.network_locks += locks;
            use.bytes += (double)(used->received_bytes + used->sent_bytes);
        }
    }
    return use;
}

// The time for each lock, and how many processors that kept busy.
static void add_processor(struct text *out, const struct use *use)
{
    char text[32];
    if (use->locks == 0 || use->covered_ns == 0) {
        text_add(out, "<td>–</td>");
        return;
    }
    text_format(out, "<td>%s<br><small>%.2f busy</small></td>",
                text_duration(llround(use->processor_ns / use->locks), text, sizeof text),
                use->processor_ns / use->covered_ns);
}

static void add_per_lock(struct text *out, double sum, double locks)
{
    char text[40];
    text_format(out, "<td>%s</td>", locks > 0 ? rate_text(sum / locks, text, sizeof text) : "–");
}

static void add_use(struct page *page, const struct scheme_cost *cost, double highest)
{
    static const sort_of sorts[] = {of_clients, of_servers, of_driver};
    struct text *out = &page->text;
    struct use uses[3];
    (void)highest;
    for (size_t i = 0; i < 3; i++) {
        uses[i] = use_of(page->run, cost, sorts[i]);
        add_processor(out, &uses[i]);
    }
    for (size_t i = 0; i < 2; i++)
        add_per_lock(out, uses[i].switches, uses[i].switch_locks);
    add_per_lock(out, uses[0].bytes, uses[0].network_locks);
    add_per_lock(out, uses[1].bytes, uses[1].network_locks);
}

void html_add_use(struct page *page)
{
    static const struct html_heading headings[] = {{"processor time", "clients"},
                                                   {"processor time", "servers"},
                                                   {"processor time", "driver"},
                                                   {"context switches", "clients"},
                                                   {"context switches", "servers"},
                                                   {"bytes", "clients"},
                                                   {"bytes", "servers"},
                                                   {NULL, NULL}};
    html_add_cost_table(page, "What a lock used", headings, add_use);
    text_add(
        &page->text,
        "<p class=\"quiet small\">For each lock granted, of all processes of the sort. "
        "Busy: how many processors they kept so, on average. A client is the harness and the "
        "client library in one process; the driver is what conducts the trial. Bytes are those "
        "received and sent.</p>\n");
}

// --- faults --------------------------------------------------------------------------------------

// The times of one fault in all repeats: 0 after its effect, 1 after its healing, 2 unavailable.
struct times {
    double *values[3]; // seconds
    size_t counts[3];
    size_t never; // repeats in which nobody was granted the lock after the fault
};

static void take(struct times *times, int which, int64_t value_ns)
{
    if (value_ns != TIME_NEVER)
        times->values[which][times->counts[which]++] = (double)value_ns;
}

// True if the recovery is from that fault, or, as each trial draws its own, from any that was
// drawn.
static bool is_from(const struct recovery *recovery, const struct trial *trial,
                    const struct fault_step *step)
{
    const struct scenario *scenario = trial_as_run(trial);
    const struct fault_step *faults = scenario->faults;
    if (!step->drawn)
        return recovery->fault == step->number;
    return recovery->fault <= (int)scenario->fault_count && faults[recovery->fault - 1].drawn;
}

static void collect(const struct run_result *run, const struct scheme_cost *cost,
                    const struct fault_step *step, struct times *times)
{
    for (int i = 0; i < 3; i++)
        times->values[i] =
            memory_new(run->count * (step->drawn ? MOST_FAULTS : 1) * sizeof(double));
    for (size_t i = 0; i < run->count; i++) {
        const struct recoveries *recoveries = &run->trials[i].statistics.recoveries;
        if (!cost_row_has(cost, &run->trials[i]))
            continue;
        for (size_t j = 0; j < recoveries->count; j++) {
            const struct recovery *recovery = &recoveries->items[j];
            if (!is_from(recovery, run->trials[i].trial, step))
                continue;
            take(times, 0, recovery->after_effect_ns);
            take(times, 1, recovery->after_heal_ns);
            take(times, 2, recovery->unavailable_ns);
            times->never += recovery->after_effect_ns == TIME_NEVER;
        }
    }
}

static void add_times(struct text *out, double *values, size_t count)
{
    struct spread spread = spread_of(values, count);
    char texts[3][32];
    if (count == 0) {
        text_add(out, "<td>–</td>");
        return;
    }
    text_format(out, "<td>%s", text_duration(llround(spread.median), texts[0], sizeof texts[0]));
    if (count > 1)
        text_format(out, "<br><small>%s–%s</small>",
                    text_duration(llround(spread.least), texts[1], sizeof texts[1]),
                    text_duration(llround(spread.most), texts[2], sizeof texts[2]));
    text_add(out, "</td>");
}

// A row, if the fault took effect in any repeat.
static bool add_fault(struct page *page, const struct scheme_cost *cost,
                      const struct fault_step *step)
{
    struct text *out = &page->text;
    struct times times = {0};
    collect(page->run, cost, step, &times);
    bool any = times.counts[2] > 0;
    if (any) {
        text_add(out, "<tr><th scope=\"row\">");
        html_add(out, cost->trial->scheme);
        text_add(out, "</th><td class=\"word\">");
        html_add(out, step->drawn          ? "those that were drawn"
                      : step->text != NULL ? step->text
                                           : step->verb);
        text_add(out, "</td>");
        for (int i = 0; i < 3; i++)
            add_times(out, times.values[i], times.counts[i]);
        if (times.never > 0)
            text_format(out, "<td class=\"missed\">%zu of %zu</td>", times.never, times.counts[2]);
        else
            text_add(out, "<td>–</td>");
        text_add(out, "</tr>\n");
    }
    for (int i = 0; i < 3; i++)
        free(times.values[i]);
    return any;
}

// As many rows as a page can be asked to hold.
#define MOST_ROWS 300

static size_t add_scheme(struct page *page, size_t index, const struct scenario **last)
{
    const struct trial *trial = page->run->trials[index].trial;
    struct scheme_cost key = {.trial = trial};
    struct text *out = &page->text;
    size_t before = out->length;
    size_t rows = 0;
    if (*last != trial->scenario) {
        text_add(out, *last == NULL ? "<tbody>" : "</tbody><tbody>");
        text_add(out, "<tr><th class=\"group\" scope=\"rowgroup\" colspan=\"6\">");
        html_add(out, trial->scenario->name);
        text_add(out, "</th></tr>\n");
    }
    bool has_drawn = false; // all of them are one row
    for (size_t i = 0; i < trial_as_run(trial)->fault_count; i++) {
        const struct fault_step *step = &trial_as_run(trial)->faults[i];
        if (!step->drawn || !has_drawn)
            rows += add_fault(page, &key, step);
        has_drawn |= step->drawn;
    }
    if (rows > 0)
        *last = trial->scenario;
    else if (out->length > before)
        out->bytes[out->length = before] = '\0';
    return rows;
}

void html_add_recoveries(struct page *page)
{
    struct text *out = &page->text;
    const struct scenario *last = NULL;
    size_t before = out->length;
    size_t rows = 0;
    bool cut = false;
    text_add(out, "<h3 id=\"recovery\">Recovery from faults</h3>\n<p class=\"quiet small\">"
                  "To the first grant after the fault took effect, and after it healed: the median "
                  "of the repeats, least–most. Unavailable: the longest time in which somebody "
                  "wanted the lock and nobody was granted it. Never: repeats that ended without "
                  "another grant.</p>\n");
    html_begin_scroll(out, "Recovery from faults");
    text_add(out, "<table class=\"costs\"><thead><tr><th scope=\"col\">scheme</th>"
                  "<th scope=\"col\" class=\"word\">fault</th><th scope=\"col\">after effect</th>"
                  "<th scope=\"col\">after healing</th><th scope=\"col\">unavailable</th>"
                  "<th scope=\"col\">never</th></tr></thead>\n");
    for (size_t i = 0; i < page->run->count; i++) {
        if (!scheme_cost_begins_at(page->run, i))
            continue;
        cut = cut || rows >= MOST_ROWS;
        if (!cut)
            rows += add_scheme(page, i, &last);
    }
    text_add(out, "</tbody></table></div>\n");
    if (cut)
        text_add(out, "<p class=\"small quiet\">And more, in result.json.</p>\n");
    if (rows == 0)
        out->bytes[out->length = before] = '\0';
    html_add_whole_pictures(page, PLACE_RECOVERY);
}
