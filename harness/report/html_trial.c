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
    const char *look = finding_counts(finding) ? "unsafe" : "unknown";
    text_add(out, "<tr><th scope=\"row\">");
    html_add(out, finding->check->name);
    text_format(out, "</th><td><span class=\"chip %s\">%s%s</span>", look,
                finding_state_name(finding->state), finding->harmless ? ", harmless" : "");
    if (finding->state == FINDING_VIOLATED)
        text_format(out, " × %lld", (long long)finding->count);
    text_add(out, "</td><td>");
    html_add(out, finding->text);
    add_windows(out, &finding->windows);
    text_add(out, "</td></tr>\n");
}

static void add_irrelevant(struct text *out, const struct judgement *judgement)
{
    const char *lead = "<p class=\"small quiet\">Irrelevant here: ";
    const char *end = "";
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (judgement->findings[i].state != FINDING_IRRELEVANT)
            continue;
        text_format(out, "%s%s", lead, judgement->findings[i].check->name);
        lead = ", ";
        end = "</p>\n";
    }
    text_add(out, end);
}

static void add_kept(struct text *out, const struct judgement *judgement)
{
    const char *lead = "<ul class=\"small\">";
    const char *end = "";
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (judgement->findings[i].state != FINDING_KEPT)
            continue;
        text_format(out, "%s<li><b>%s</b> kept: ", lead, judgement->findings[i].check->name);
        html_add(out, judgement->findings[i].text);
        text_add(out, "</li>\n");
        lead = "";
        end = "</ul>\n";
    }
    text_add(out, end);
}

// In a table what was violated or is undecided; the others more briefly.
static void add_findings(struct text *out, const struct judgement *judgement)
{
    if (judgement->finding_count == 0)
        return;
    const char *lead = "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
                       "aria-label=\"Properties\"><table class=\"findings\"><thead><tr>"
                       "<th scope=\"col\">property</th><th scope=\"col\">state</th>"
                       "<th scope=\"col\">what was found</th></tr></thead><tbody>\n";
    const char *end = "";
    text_add(out, "<h4>Properties</h4>\n");
    for (size_t i = 0; i < judgement->finding_count; i++) {
        if (judgement->findings[i].state == FINDING_IRRELEVANT ||
            judgement->findings[i].state == FINDING_KEPT)
            continue;
        text_add(out, lead);
        add_finding(out, &judgement->findings[i]);
        lead = "";
        end = "</tbody></table></div>\n";
    }
    text_add(out, end);
    add_kept(out, judgement);
    add_irrelevant(out, judgement);
}

static void add_latency_row(struct text *out, const char *name,
                            const struct percentiles *percentiles)
{
    char text[32];
    if (percentiles->count == 0)
        return;
    text_format(out, "<tr><th scope=\"row\">%s</th><td>%zu</td>", name, percentiles->count);
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        bool has_enough =
            percentile_has_enough((int64_t)percentiles->count, percentile_forms[i].percent);
        text_format(out, "<td>%s</td>",
                    has_enough ? text_duration(percentiles->ns[i], text, sizeof text) : "–");
    }
    text_add(out, "</tr>\n");
}

static void add_counts(struct text *out, const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    char rate[32];
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
    const struct stall *worst = &statistics->worst_stalls[0];
    char owner[48];
    text_format(out, "The harness itself was late %zu time%s%s%s.", statistics->stalls,
                statistics->stalls == 1 ? "" : "s", statistics->stalls > 0 ? ", at most " : "",
                statistics->stalls > 0
                    ? text_duration(statistics->longest_stall_ns, stall, sizeof stall)
                    : "");
    if (statistics->worst_stall_count > 0 && worst->of != STALLED_MACHINE)
        text_format(out, " The longest stall of a process: %s, for %s.",
                    stall_owner(worst, owner, sizeof owner),
                    text_duration(worst->to_ns - worst->from_ns, stall, sizeof stall));
    text_add(out, "</p>\n");
}

static void add_numbers(struct text *out, const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    text_add(out, "<h4>Numbers</h4>\n");
    add_counts(out, result);
    html_begin_scroll(out, "Numbers");
    text_add(out, "<table class=\"numbers\"><thead><tr><th scope=\"col\">latency</th>"
                  "<th scope=\"col\">count</th>");
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        text_format(out, "<th scope=\"col\">%s</th>", percentile_forms[i].name);
    text_add(out, "</tr></thead><tbody>\n");
    add_latency_row(out, "acquire", &statistics->acquire);
    add_latency_row(out, "release", &statistics->release);
    add_latency_row(out, "hand-off", &statistics->hand_off);
    add_latency_row(out, "hold", &statistics->hold);
    text_add(out, "</tbody></table></div>\n");
}

static void add_picture(struct page *page, size_t index, enum trial_picture which,
                        const char *title, const char *more)
{
    const struct trial *trial = page->run->trials[index].trial;
    struct text alternative = {0};
    text_format(&alternative, "%s of %s with %s. %s", title, trial->scenario->name, trial->scheme,
                more);
    html_add_picture(page, index, which, title, text_string(&alternative));
    text_free(&alternative);
}

static void add_verdict(struct text *out, const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    text_add(out, "<p>");
    html_add(out, judgement->reason);
    text_add(out, "</p>\n");
    if (judgement->expectation_text[0] != '\0' && judgement->expectation != EXPECTATION_MET) {
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

static void add_file(struct page *page, const struct trial_result *result, const char *name,
                     const char *title)
{
    text_add(&page->text, " · <a href=\"");
    html_add_address(&page->text, html_folder(page->run, result));
    text_format(&page->text, "/%s\">%s</a>", name, title);
}

static void add_files(struct page *page, const struct trial_result *result)
{
    struct text *out = &page->text;
    if (result->folder == NULL ||
        (!result->has_history && result->judgement.verdict != VERDICT_ERROR))
        return;
    text_add(out, "<p class=\"small quiet\"><a href=\"");
    html_add_address(out, html_folder(page->run, result));
    text_add(out, "/\">All files</a>");
    if (result->has_operations)
        add_file(page, result, "operations.svg", "each operation");
    if (result->has_slices)
        add_file(page, result, "latency-over-time.svg", "latency over time");
    text_format(out, " · seed %llu</p>\n", (unsigned long long)result->trial->seed);
}

// What was measured, in pictures and numbers.
static void add_measured(struct page *page, size_t index)
{
    const struct trial_result *result = &page->run->trials[index];
    char rate[64];
    char sentence[160];
    snprintf(sentence, sizeof sentence, "On average %s holds per second.",
             rate_text(result->statistics.holds_per_second, rate, sizeof rate));
    add_picture(page, index, PICTURE_THROUGHPUT, "Throughput", sentence);
    add_picture(page, index, PICTURE_LATENCY, "Latency", "The numbers are in the table below.");
    if (result->has_history && result->statistics.acquire.count < LEAST_FOR_PERCENTILES)
        text_format(&page->text,
                    "<p class=\"quiet\">No latency plot: too few operations for percentiles "
                    "(%zu acquire%s).</p>\n",
                    result->statistics.acquire.count,
                    result->statistics.acquire.count == 1 ? "" : "s");
    if (result->has_history)
        add_numbers(&page->text, result);
}

// How much of one is told.
enum telling { TELL_LINE, TELL_STORY, TELL_ALL };

static void add_whole(struct page *page, size_t index, bool open, enum telling telling)
{
    const struct trial_result *result = &page->run->trials[index];
    const struct finding *violation = judgement_first_violation(&result->judgement);
    struct text *out = &page->text;
    add_summary(out, result, open);
    // The id lies inside, as browsers open what is closed around the target of a link.
    text_format(out, "<div class=\"inside\" id=\"trial-%zu\">\n", index + 1);
    add_verdict(out, result);
    add_picture(page, index, PICTURE_TIMELINE, "Hold timeline",
                violation != NULL ? violation->text : "No violation was found.");
    if (telling == TELL_ALL) {
        add_findings(out, &result->judgement);
        add_measured(page, index);
    }
    add_files(page, result);
    text_add(out, "</div></details>\n");
}

static void add_line(struct page *page, size_t index)
{
    const struct trial_result *result = &page->run->trials[index];
    struct text *out = &page->text;
    struct text scheme = {0};
    scheme_text(result->trial, &scheme);
    text_format(out, "<p class=\"brief\" id=\"trial-%zu\">", index + 1);
    html_add_verdict(out, result->judgement.verdict, NULL);
    text_add(out, " ");
    if (result->folder != NULL) {
        text_add(out, "<a href=\"");
        html_add_address(out, html_folder(page->run, result));
        text_add(out, "/\">");
    }
    html_add(out, text_string(&scheme));
    text_add(out, result->folder != NULL ? "</a> " : " ");
    html_add_expectation(out, result->judgement.expectation);
    text_add(out, "</p>\n");
    text_free(&scheme);
}

// A page is to be mailed. What trials may take of it is what the pictures of the run, the tables
// and a line for each trial leave; but room for the first hundred there is always.
#define MOST_BYTES 1900000u
#define TABLE_BYTES 600000u
#define LINE_BYTES 220u
#define LEAST_TRIAL_BYTES 300000u

static size_t most_trial_bytes(const struct page *page)
{
    size_t taken = page->whole_bytes + TABLE_BYTES + page->run->count * LINE_BYTES;
    return taken + LEAST_TRIAL_BYTES < MOST_BYTES ? MOST_BYTES - taken : LEAST_TRIAL_BYTES;
}

// Where there are very many, the last part of the room is for stories alone.
static enum telling telling_of(const struct page *page, size_t index)
{
    const struct trial_result *result = &page->run->trials[index];
    size_t most = most_trial_bytes(page);
    bool has_story = result->story != NULL && result->story[0] != '\0';
    if (page->trial_bytes < most / 5 * 3 || (result->folder == NULL && !page->run->is_brief))
        return TELL_ALL;
    if (page->trial_bytes >= most)
        return TELL_LINE;
    return has_story ? TELL_STORY : TELL_ALL;
}

void html_add_trial(struct page *page, size_t index, bool open)
{
    enum telling telling = telling_of(page, index);
    size_t before = page->text.length;
    if (telling == TELL_LINE)
        add_line(page, index);
    else
        add_whole(page, index, open, telling);
    page->trial_bytes += page->text.length - before;
}
