#include "harness/report/html.h"

#include <stdio.h>

static void add_summary(struct text *out, const struct trial_result *result, bool open)
{
    const struct judgement *judgement = &result->judgement;
    struct text scheme = {0};
    struct text found = {0};
    scheme_text(result->trial, &scheme);
    found_text(judgement, &found);
    text_format(out, "<details class=\"trial\"%s><summary>", open ? " open" : "");
    html_add_verdict(out, judgement->verdict, NULL);
    text_add(out, "<span class=\"name\">");
    html_add(out, text_string(&scheme));
    text_add(out, "</span> ");
    if (judgement_first_violation(judgement) != NULL) {
        text_add(out, "<span class=\"small\">");
        html_add(out, text_string(&found));
        text_add(out, "</span> ");
    }
    html_add_expectation(out, judgement->expectation);
    text_add(out, "</summary>\n");
    text_free(&scheme);
    text_free(&found);
}

static void add_windows(struct text *out, const struct distribution *windows)
{
    if (windows->count == 0)
        return;
    char median[32];
    char most[32];
    text_format(out, "<br><span class=\"small quiet\">%zu window%s, median %s, longest %s</span>",
                windows->count, windows->count == 1 ? "" : "s",
                text_duration(windows->median_ns, median, sizeof median),
                text_duration(windows->max_ns, most, sizeof most));
}

static void add_finding(struct text *out, const struct finding *finding)
{
    const char *look = finding_counts(finding)                ? "unsafe"
                       : finding->state == FINDING_KEPT       ? "safe"
                       : finding->state == FINDING_IRRELEVANT ? "skipped"
                                                              : "unknown";
    text_add(out, "<tr><th scope=\"row\">");
    html_add(out, finding->check->name);
    text_add(out, "<br><span class=\"small quiet\">");
    html_add(out, finding->check->summary);
    text_format(out, "</span></th><td><span class=\"chip %s\">%s%s</span>", look,
                finding_state_name(finding->state), finding->harmless ? ", harmless" : "");
    if (finding->state == FINDING_VIOLATED)
        text_format(out, " × %lld", (long long)finding->count);
    text_add(out, "</td><td>");
    html_add(out, finding->text);
    add_windows(out, &finding->windows);
    text_add(out, "</td></tr>\n");
}

static void add_findings(struct text *out, const struct judgement *judgement)
{
    if (judgement->finding_count == 0)
        return;
    text_add(out, "<h4>Properties</h4>\n<div class=\"scroll\" tabindex=\"0\">"
                  "<table class=\"findings\"><thead><tr><th scope=\"col\">property</th>"
                  "<th scope=\"col\">state</th><th scope=\"col\">what was found</th></tr></thead>"
                  "<tbody>\n");
    for (size_t i = 0; i < judgement->finding_count; i++)
        add_finding(out, &judgement->findings[i]);
    text_add(out, "</tbody></table></div>\n");
}

static void add_latency_row(struct text *out, const char *name, const char *meaning,
                            const struct percentiles *percentiles)
{
    const int64_t durations[] = {percentiles->p50_ns, percentiles->p90_ns, percentiles->p99_ns,
                                 percentiles->p999_ns, percentiles->max_ns};
    char text[32];
    text_format(out,
                "<tr><th scope=\"row\">%s<br><span class=\"small quiet\">%s</span></th>"
                "<td class=\"number\">%zu</td>",
                name, meaning, percentiles->count);
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        text_format(out, "<td class=\"number\">%s</td>",
                    latency_text(percentiles, durations[i], text, sizeof text));
    text_add(out, "</tr>\n");
}

static void add_counts(struct text *out, const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    char rate[32];
    char wait[32];
    char duration[32];
    char stall[32];
    text_format(out,
                "<p>%zu holds in %s (%s a second), %zu acquires given up, %zu of unknown "
                "outcome; %.2f attempts a hold.<br>",
                statistics->holds,
                text_duration(statistics->duration_ns, duration, sizeof duration),
                rate_text(statistics->holds_per_second, rate, sizeof rate), statistics->not_held,
                statistics->unknown, statistics->attempts_per_hold);
    bool is_optimistic = trial_has_trait(result->trial, "optimistic");
    text_format(out, "%zu writes acknowledged, %zu %s, %zu of unknown outcome.<br>",
                statistics->writes, statistics->refused_writes,
                is_optimistic ? "too late and done again" : "refused", statistics->unknown_writes);
    text_format(out,
                "Longest wait %s; fairness (Jain) %.3f; the harness itself was late %zu "
                "time%s%s%s.</p>\n",
                text_duration(statistics->longest_wait_ns, wait, sizeof wait), statistics->fairness,
                statistics->stalls, statistics->stalls == 1 ? "" : "s",
                statistics->stalls > 0 ? ", at most " : "",
                statistics->stalls > 0
                    ? text_duration(statistics->longest_stall_ns, stall, sizeof stall)
                    : "");
}

static void add_numbers(struct text *out, const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    text_add(out, "<h4>Numbers</h4>\n");
    add_counts(out, result);
    text_add(out, "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th></th>"
                  "<th class=\"number\" scope=\"col\">count</th>"
                  "<th class=\"number\" scope=\"col\">p50</th>"
                  "<th class=\"number\" scope=\"col\">p90</th>"
                  "<th class=\"number\" scope=\"col\">p99</th>"
                  "<th class=\"number\" scope=\"col\">p99.9</th>"
                  "<th class=\"number\" scope=\"col\">max</th></tr></thead><tbody>\n");
    add_latency_row(out, "acquire", "asked until granted", &statistics->acquire);
    add_latency_row(out, "release", "asked until answered", &statistics->release);
    add_latency_row(out, "hand-off", "release to the next grant, where somebody waited",
                    &statistics->hand_off);
    add_latency_row(out, "hold", "granted until release", &statistics->hold);
    text_add(out, "</tbody></table></div>\n");
}

static void add_picture(struct page *page, const struct trial_result *result, const char *name,
                        const char *svg, const char *title, const char *more)
{
    struct text alternative = {0};
    text_format(&alternative, "%s of %s with %s. %s", title, result->trial->scenario->name,
                result->trial->scheme, more);
    html_add_picture(page, result, name, svg, title, text_string(&alternative));
    text_free(&alternative);
}

static void add_verdict(struct text *out, const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    text_add(out, "<p>");
    html_add(out, judgement->reason);
    text_add(out, "</p>\n");
    if (judgement->expectation_text[0] != '\0') {
        text_format(out, "<p class=\"%s\">",
                    judgement->expectation == EXPECTATION_MISSED ? "missed" : "quiet");
        html_add(out, judgement->expectation_text);
        text_add(out, "</p>\n");
    }
    if (result->story != NULL && result->story[0] != '\0') {
        text_add(out, "<pre tabindex=\"0\">");
        html_add(out, result->story);
        text_add(out, "</pre>\n");
    }
}

void html_add_trial(struct page *page, size_t index, bool open)
{
    const struct trial_result *result = &page->run->trials[index];
    const struct finding *violation = judgement_first_violation(&result->judgement);
    struct text *out = &page->text;
    add_summary(out, result, open);
    // The id lies inside, as browsers open what is closed around the target of a link.
    text_format(out, "<div class=\"inside\" id=\"trial-%zu\">\n", index + 1);
    add_verdict(out, result);
    add_picture(page, result, "timeline", result->timeline, "Hold timeline",
                violation != NULL ? violation->text : "No violation was found.");
    add_findings(out, &result->judgement);
    char rate[64];
    char sentence[160];
    snprintf(sentence, sizeof sentence, "On average %s holds per second.",
             rate_text(result->statistics.holds_per_second, rate, sizeof rate));
    add_picture(page, result, "throughput", result->throughput, "Throughput", sentence);
    add_picture(page, result, "latency", result->latency, "Latency",
                "The numbers are in the table below.");
    if (result->has_history && result->statistics.acquire.count < LEAST_FOR_PERCENTILES)
        text_format(out,
                    "<p class=\"quiet\">No latency plot: too few operations for percentiles "
                    "(%zu acquire%s).</p>\n",
                    result->statistics.acquire.count,
                    result->statistics.acquire.count == 1 ? "" : "s");
    if (result->has_history)
        add_numbers(out, result);
    if (result->folder != NULL && result->has_history) {
        text_add(out, "<p class=\"small quiet\">Files: <a href=\"");
        html_add_address(out, html_folder(page->run, result));
        text_add(out, "/\">");
        html_add(out, result->folder);
        text_format(out, "</a> · seed %llu</p>\n", (unsigned long long)result->trial->seed);
    }
    text_add(out, "</div></details>\n");
}
