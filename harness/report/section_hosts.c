// Hosts, where clients are on others: what their clients did, and how long it takes to get there.
#include "harness/report/sections.h"

static const char words[] =
    "What is measured on a host has the way there and back in it, which is the round trip at "
    "least: "
    "the median, and below it the longest. Stalls are times in which the host, or the way to it, "
    "stood still.";

static void say_host(struct document *d, const struct trial_result *result,
                     const struct host_use *host)
{
    const struct percentiles *acquire = &host->acquire;
    doc_row(d, NULL, 1);
    doc_cell(d, LOOK_PLAIN, "%s", result->trial->scenario->name);
    doc_cell(d, LOOK_PLAIN, "%s%s", result->trial->scheme, repeat_words(result->trial).text);
    doc_cell(d, LOOK_PLAIN, "%s", host->name);
    doc_cell(d, LOOK_PLAIN, "%d", host->clients);
    doc_cell(d, LOOK_PLAIN, "%zu", host->holds);
    doc_cell(d, LOOK_PLAIN, "%s",
             acquire->count > 0 ? lasting(acquire->ns[PERCENTILE_p50]).text : "–");
    doc_cell(d, LOOK_PLAIN, "%s",
             acquire->count > 0 ? lasting(acquire->ns[PERCENTILE_p99]).text : "–");
    doc_cell(d, LOOK_PLAIN, "%s",
             host->round_trip_ns > 0 ? lasting(host->round_trip_ns).text : "–");
    if (host->round_trip_ns > 0)
        doc_say(d, LOOK_BELOW, "max %s", lasting(host->longest_round_trip_ns).text);
    doc_cell(d, LOOK_PLAIN, "%zu", host->stalls);
    if (host->stalls > 0)
        doc_say(d, LOOK_BELOW, "max %s", lasting(host->longest_stall_ns).text);
}

void say_hosts(struct document *d)
{
    static const struct doc_column columns[] = {
        WORDS("scenario"), WORDS("scheme"),      WORDS("host"),
        FIGURE("clients"), FIGURE("grants"),     FIGURE("acquire p50"),
        FIGURE("p99"),     FIGURE("round trip"), FIGURE("stalls")};
    const struct run_result *run = d->report->run;
    for (size_t i = 0; i < run->count && !d->is_quiet; i++) {
        const struct trial_result *result = &run->trials[i];
        for (size_t j = 0; j < result->statistics.host_count; j++) {
            if (doc_inside(d, DOC_TABLE) == NULL) {
                if (d->medium == TERMINAL)
                    doc_heading(d, NULL, "Hosts");
                else
                    doc_section(d, "hosts", "Hosts", "Hosts");
                if (d->medium == PAGE)
                    doc_paragraph(d, LOOK_QUIET, "%s", words);
                doc_table(d, (struct doc_table){"Hosts", COLUMNS(columns), 300, NULL});
            }
            say_host(d, result, &result->statistics.hosts[j]);
        }
    }
}
