// The table "Liveness and fairness" of the page.
#include "harness/report/html.h"

#include <math.h>
#include <stdio.h>

static void add_cell(struct text *out, const char *text)
{
    text_format(out, "<td>%s</td>", text);
}

// The median, and below it the longest, and how many if they are few; one alone is both.
static void add_waits(struct text *out, const struct wait_figures *figures)
{
    char median[32];
    char longest[32];
    char count[32] = "";
    if (figures->count == 0) {
        add_cell(out, "–");
        return;
    }
    text_duration(figures->p50_ns, median, sizeof median);
    text_duration(figures->max_ns, longest, sizeof longest);
    if (figures->count < LEAST_FOR_PERCENTILES)
        snprintf(count, sizeof count, ", of %zu", figures->count);
    text_format(out, "<td>%s<br><small>", median);
    if (figures->count == 1)
        text_add(out, "once");
    else
        text_format(out, "max %s%s", longest, count);
    text_add(out, "</small></td>");
}

static void add_shares(struct text *out, const struct fairness *turns)
{
    if (turns->grants == 0) {
        add_cell(out, "–");
        return;
    }
    text_format(out,
                "<td>%.3f<br><small>%.1f–%.1f %%"
                "</small></td>",
                turns->jain, 100 * (double)turns->least_grants / (double)turns->grants,
                100 * (double)turns->most_grants / (double)turns->grants);
}

// A scheme that promises the order, and was seen to break it, is marked.
static void add_turns(struct text *out, const struct trial_result *result)
{
    const struct fairness *turns = &result->statistics.turns;
    if (turns->order == ORDER_UNKNOWN || turns->contested == 0) {
        add_cell(out, "–");
        add_cell(out, "–");
        return;
    }
    bool is_broken = turns->order == ORDER_QUEUED && turns->out_of_turn > 0 &&
                     trial_has_trait(result->trial, "fair");
    text_format(out,
                "<td%s>%s%.1f %%<br><small>%s%zu of %zu"
                "</small></td>",
                is_broken ? " class=\"missed\"" : "", is_broken ? "✗ " : "",
                100 * (double)turns->out_of_turn / (double)turns->contested,
                turns->order == ORDER_QUEUED ? "" : "≈ ", turns->out_of_turn, turns->contested);
    text_format(out, "<td>%zu</td>", turns->deepest);
}

static void add_ratio(struct text *out, double ratio)
{
    if (isfinite(ratio))
        text_format(out, "<td>%.2f</td>", ratio);
    else
        add_cell(out, "–");
}

static void add_herd(struct text *out, const struct herd *herd)
{
    int64_t requests = herd->acquire_requests + herd->release_requests;
    add_ratio(out, herd->is_known ? herd_per_grant(herd, requests) : NAN);
    add_ratio(out, herd->is_known ? herd_per_grant(herd, herd->wakeups) : NAN);
}

static void add_row(struct text *out, const struct trial_result *result)
{
    static const char *const leavings[] = {
        [LEAVING_UNKNOWN] = "–",
        [LEAVING_NOTHING] = "gone",
        [LEAVING_ORPHAN] = "<span class=\"missed\">orphan</span>",
    };
    const struct liveness *liveness = &result->statistics.liveness;
    struct text scheme = {0};
    char wait[32];
    scheme_text(result->trial, &scheme);
    text_add(out, "<tr><th scope=\"row\">");
    html_add(out, text_string(&scheme));
    text_add(out, "</th>");
    text_free(&scheme);
    add_waits(out, &liveness->after_release);
    add_waits(out, &liveness->after_crash);
    add_waits(out, &liveness->after_expiry);
    add_waits(out, &liveness->after_heal);
    add_cell(out, text_duration(liveness->longest_wait_ns, wait, sizeof wait));
    add_shares(out, &result->statistics.turns);
    add_turns(out, result);
    add_herd(out, &result->statistics.herd);
    text_format(out, "<td class=\"word\">%s</td></tr>\n", leavings[liveness->left]);
}

static void add_headings(struct text *out)
{
    static const char *const headings[] = {
        "after<br>release",    "after<br>crash",     "after<br>expiry", "after<br>heal",
        "longest<br>wait",     "fairness",           "out of<br>turn",  "deepest",
        "requests<br>a grant", "wake-ups<br>a grant"};
    html_begin_scroll(out, "Liveness and fairness");
    text_add(out, "<table class=\"costs\"><thead><tr><th scope=\"col\">scheme</th>");
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        text_format(out, "<th scope=\"col\">%s</th>", headings[i]);
    text_add(out, "<th class=\"word\" scope=\"col\">lock<br>left</th></tr></thead>\n");
}

bool html_has_liveness(const struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].has_history)
            return true;
    }
    return false;
}

static void add_words(struct text *out)
{
    text_add(
        out,
        "<p class=\"quiet small\">Median and longest time to the next grant after a release, a "
        "holder’s death, the end of a lease and the end of a fault; only where somebody waited "
        "all the time. Fairness is Jain’s index, with the smallest and the largest share of one "
        "worker. Out of turn are grants to one who came after one that still waited, of all "
        "grants while somebody stood in line; ≈ where only the order of asking is known, ✗ "
        "where the scheme promises the order. Deepest: by how many one was overtaken. A lock "
        "left as an orphan is one that nobody holds and nothing will free.</p>\n");
}

// A page is to be read, and to be mailed; result.json has all trials.
#define MOST_ROWS 300

void html_add_liveness(struct page *page)
{
    struct text *out = &page->text;
    const struct scenario *scenario = NULL;
    size_t rows = 0;
    if (!html_has_liveness(page->run))
        return;
    text_add(out, "<section id=\"liveness\"><h2>Liveness and fairness</h2>\n");
    add_words(out);
    add_headings(out);
    for (size_t i = 0; i < page->run->count; i++) {
        const struct trial_result *result = &page->run->trials[i];
        if (!result->has_history || rows++ >= MOST_ROWS)
            continue;
        if (result->trial->scenario != scenario) {
            text_format(out, "%s<tbody><tr><th class=\"group\" scope=\"rowgroup\" colspan=\"12\">",
                        scenario != NULL ? "</tbody>" : "");
            scenario = result->trial->scenario;
            html_add(out, scenario->name);
            text_add(out, "</th></tr>\n");
        }
        add_row(out, result);
    }
    text_add(out, "</tbody></table></div>\n");
    if (rows > MOST_ROWS)
        text_format(out, "<p class=\"small quiet\">And %zu more trials, in result.json.</p>\n",
                    rows - MOST_ROWS);
    text_add(out, "</section>\n");
}
