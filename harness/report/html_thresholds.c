// What came of the thresholds that the scenarios state.
#include "harness/report/html.h"
#include "harness/report/thresholds.h"

static void add_row(struct text *out, const struct threshold_outcome *outcome)
{
    static const struct {
        const char *style, *sign;
    } looks[] = {
        [THRESHOLD_MET] = {"safe", "✓"},
        [THRESHOLD_MISSED] = {"unsafe", "✗"},
        [THRESHOLD_NOT_MEASURED] = {"unknown", "?"},
    };
    text_add(out, "<tr><th scope=\"row\">");
    html_add(out, outcome->trial->scheme);
    text_add(out, "</th><td>");
    html_add(out, outcome->trial->scenario->name);
    text_add(out, "</td><td>");
    html_add(out, outcome->threshold->limit.text);
    text_add(out, "</td><td>");
    html_add(out, outcome->measured);
    text_format(out, "%s</td><td><span class=\"chip %s\">%s %s</span></td><td>",
                outcome->driver_bound && outcome->is_known ? "*" : "", looks[outcome->result].style,
                looks[outcome->result].sign, threshold_result_name(outcome->result));
    html_add(out, outcome->reason);
    text_add(out, "</td></tr>\n");
}

void html_add_thresholds(struct page *page)
{
    static const enum threshold_result order[] = {THRESHOLD_MISSED, THRESHOLD_NOT_MEASURED,
                                                  THRESHOLD_MET};
    struct text *out = &page->text;
    const struct threshold_outcomes *outcomes = &page->report->thresholds;
    if (outcomes->count == 0)
        return;
    text_format(out,
                "<section id=\"thresholds\"><h2>Thresholds</h2>\n<p>%zu met, %zu missed, %zu not "
                "measured.</p>\n",
                outcomes->met, outcomes->missed, outcomes->not_measured);
    html_begin_scroll(out, "Thresholds");
    text_add(out, "<table><thead><tr><th scope=\"col\">scheme</th><th scope=\"col\">scenario</th>"
                  "<th scope=\"col\">threshold</th><th scope=\"col\">measured</th>"
                  "<th scope=\"col\">outcome</th><th scope=\"col\">why</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        for (size_t j = 0; j < outcomes->count; j++) {
            if (outcomes->items[j].result == order[i])
                add_row(out, &outcomes->items[j]);
        }
    }
    text_add(out, "</tbody></table></div></section>\n");
}
