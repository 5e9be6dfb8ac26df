// What small histories cost: cases/*.events, rows of which are those of harness/check/cases. Of a
// case those figures are compared that are named, times and durations in milliseconds:
//
//   -> statistics holds=2 acquire-p50=10    of struct statistics; likewise recovery 1, leadership,
//                                           jobs, phase 1 and its pace 1, worst 1 (a stall),
//                                           resources, driver, clients and servers (each a struct
//                                           resource_use)
//   -> late 0 1 2                           by how much operations were late, in ascending order
//   -> on-time 1 31                         what their acquires took without that
#include "harness/base/rank.h"
#include "harness/check/test_cases.h"
#include "harness/stats/latencies.h"
#include "harness/stats/statistics.h"

#define OF_MANY(name, member)                                                                      \
    OF(statistics, name, SIZE, member.count), OF(statistics, name "-p50", SPAN, member.p50_ns),    \
        OF(statistics, name "-max", SPAN, member.max_ns)

static const struct field statistics_fields[] = {
    OF(statistics, "duration", SPAN, duration_ns),
    OF(statistics, "counted", SPAN, counted_ns),
    OF(statistics, "holds", SIZE, holds),
    OF(statistics, "leased", SIZE, leased),
    OF(statistics, "expired", SIZE, expired),
    OF(statistics, "not-held", SIZE, not_held),
    OF(statistics, "unknown", SIZE, unknown),
    OF(statistics, "open", SIZE, open),
    OF(statistics, "longest-open", SPAN, longest_open_ns),
    OF(statistics, "writes", SIZE, writes),
    OF(statistics, "refused-writes", SIZE, refused_writes),
    OF(statistics, "unknown-writes", SIZE, unknown_writes),
    OF(statistics, "rate", RATIO, holds_per_second),
    OF(statistics, "attempts", RATIO, attempts_per_hold),
    OF(statistics, "commands", RATIO, commands_per_hold),
    OF_MANY("acquire", acquire),
    OF_MANY("uncorrected", acquire_uncorrected),
    OF_MANY("lateness", lateness),
    OF_MANY("release", release),
    OF_MANY("hold", hold),
    OF_MANY("hand-off", hand_off),
    OF(statistics, "due", NUMBER, due),
    OF(statistics, "begun", NUMBER, begun),
    OF(statistics, "longest-wait", SPAN, longest_wait_ns),
    OF(statistics, "jain", RATIO, fairness),
    OF(statistics, "stalls", SIZE, stalls),
    OF(statistics, "stalled", SPAN, stalled_ns),
    OF(statistics, "worst-stalls", SIZE, worst_stall_count),
    OF(statistics, "recoveries", SIZE, recoveries.count),
    OF(statistics, "bound", BOOL, driver_bound.is_bound),
    OF(statistics, "workers", SIZE, turns.workers),
    OF(statistics, "most", SIZE, turns.most_grants),
    {0},
};

static const struct field recovery_fields[] = {
    OF(recovery, "after-effect", SPAN, after_effect_ns),
    OF(recovery, "after-heal", SPAN, after_heal_ns),
    OF(recovery, "unavailable", SPAN, unavailable_ns),
    OF(recovery, "leaderless", SPAN, leaderless_ns),
    OF(recovery, "leaderless-ns", NUMBER, leaderless_ns),
    OF(recovery, "fault", INT, fault),
    {0},
};

static const struct field jobs_fields[] = {
    OF(job_counts, "known", BOOL, is_known),       OF(job_counts, "jobs", NUMBER, jobs),
    OF(job_counts, "done", NUMBER, done),          OF(job_counts, "attempts", NUMBER, attempts),
    OF(job_counts, "most", NUMBER, most_attempts), {0},
};

static const struct field leadership_fields[] = {
    OF(leadership, "known", BOOL, is_known),       OF(leadership, "terms", NUMBER, terms),
    OF(leadership, "changes", NUMBER, changes),    OF(leadership, "acts", NUMBER, acts),
    OF(leadership, "share-led", RATIO, share_led), {0},
};

static const struct field stall_fields[] = {
    OF(stall, "from", SPAN, from_ns),
    OF(stall, "to", SPAN, to_ns),
    OF(stall, "number", INT, number),
    {0},
};

static const struct field phase_fields[] = {
    OF(phase_cost, "from", SPAN, from_ns),
    OF(phase_cost, "clients", NUMBER, clients),
    OF(phase_cost, "counts", BOOL, counts),
    OF(phase_cost, "grants", SIZE, grants),
    OF(phase_cost, "due", NUMBER, due),
    OF(phase_cost, "held", NUMBER, held),
    OF(phase_cost, "acquires", SIZE, acquire.count),
    OF(phase_cost, "acquire-max", SPAN, acquire.max_ns),
    OF(phase_cost, "recorded", NUMBER, histogram.total),
    OF(phase_cost, "recorded-max", SPAN, histogram.max_ns),
    {0},
};

// What is said of a phase by its own functions.
struct pace {
    double rate;
    bool is_held;
};

static const struct field pace_fields[] = {
    OF(pace, "rate", RATIO, rate),
    OF(pace, "held", BOOL, is_held),
    {0},
};

static const struct field resources_fields[] = {
    OF(resources, "known", BOOL, is_known),
    OF(resources, "covered", SPAN, covered_ns),
    OF(resources, "machine-busy", SPAN, machine_busy_ns),
    OF(resources, "processors", INT, processors),
    OF(resources, "client-processors", INT, client_processors),
    {0},
};

// Processor times in nanoseconds.
static const struct field use_fields[] = {
    OF(resource_use, "processes", INT, processes),
    OF(resource_use, "complete", BOOL, is_complete),
    OF(resource_use, "processor", NUMBER, processor_ns),
    OF(resource_use, "kernel", NUMBER, kernel_ns),
    OF(resource_use, "knows-switches", BOOL, knows_switches),
    OF(resource_use, "voluntary", NUMBER, voluntary_switches),
    OF(resource_use, "other", NUMBER, other_switches),
    OF(resource_use, "knows-network", BOOL, knows_network),
    OF(resource_use, "received", NUMBER, received_bytes),
    OF(resource_use, "sent", NUMBER, sent_bytes),
    OF(resource_use, "received-packets", NUMBER, received_packets),
    OF(resource_use, "sent-packets", NUMBER, sent_packets),
    {0},
};

static void compare_durations(struct reading *reading, struct row *row, struct durations *durations)
{
    AUTO_TEXT struct text found = {0}, wanted = {0};
    sort_values(durations->items, durations->count);
    for (size_t i = 0; i < durations->count; i++)
        text_format(&found, " %g", (double)durations->items[i] / (double)NS_PER_MS);
    for (size_t i = 1; i < row->count; i++)
        text_format(&wanted, " %s", take_next(row));
    if (strcmp(text_string(&found), text_string(&wanted)) != 0)
        complain(reading, row->line, "they are%s", text_string(&found));
}

static void compare(struct reading *reading, size_t line)
{
    struct statistics statistics;
    struct latency_record record;
    const struct trial_model *model = &reading->build.model;
    struct lateness lateness = lateness_of(model);
    struct row row = {.file = reading->file, .line = line};
    AUTO_FREE char *copy = memory_string(strstr(reading->lines.items[line], "->") + 2);
    statistics_make(model, &statistics);
    (void)latencies_write(model, NULL, &record, NULL);
    struct pace paces[8] = {{0}};
    for (size_t i = 0; i < record.phases.count && i < sizeof paces / sizeof *paces; i++)
        paces[i] = (struct pace){phase_cost_rate(&record.phases.items[i]),
                                 phase_cost_held_rate(&record.phases.items[i])};
    const struct family families[] = {
        {"statistics", statistics_fields, &statistics, sizeof statistics, SIZE_MAX},
        {"recovery", recovery_fields, statistics.recoveries.items, sizeof(struct recovery),
         statistics.recoveries.count},
        {"leadership", leadership_fields, &statistics.leadership, 1, SIZE_MAX},
        {"jobs", jobs_fields, &statistics.jobs, 1, SIZE_MAX},
        {"worst", stall_fields, statistics.worst_stalls, sizeof(struct stall),
         statistics.worst_stall_count},
        {"phase", phase_fields, record.phases.items, sizeof *record.phases.items,
         record.phases.count},
        {"pace", pace_fields, paces, sizeof *paces, record.phases.count},
        {"resources", resources_fields, &statistics.resources, 1, SIZE_MAX},
        {"driver", use_fields, &statistics.resources.driver, 1, SIZE_MAX},
        {"clients", use_fields, &statistics.resources.clients, 1, SIZE_MAX},
        {"servers", use_fields, &statistics.resources.servers, 1, SIZE_MAX},
    };
    split(copy, &row);
    const char *what = take_next(&row);
    if (strcmp(what, "late") == 0)
        compare_durations(reading, &row, &lateness.late);
    else if (strcmp(what, "on-time") == 0)
        compare_durations(reading, &row, &lateness.acquire_on_time);
    else if (!compare_family(reading, &row, what, families, sizeof families / sizeof *families))
        complain(reading, line, "no such figures");
    durations_free(&lateness.late);
    durations_free(&lateness.acquire_on_time);
    latencies_free(&record);
}

static void measure_case(struct reading *reading, size_t line)
{
    (void)line;
    for (size_t i = 0; i < reading->expected_count; i++)
        compare(reading, reading->expected[i]);
}

TEST(every_case_costs_what_it_says)
{
    assert_int_equal(run_events("harness/stats/cases/*.events", measure_case, NULL), 0);
}
