// Leaders: for how long nobody led after faults, how often another one did, for how much of the
// time anybody led, and what that asked of the servers. Of each scheme, over all its repeats.
#include "harness/base/scope.h"
#include "harness/report/sections.h"

static const char words[] =
    "Leaderless: the longest time without an accepted act after each fault that took effect; "
    "of all of them the median, and the longest. Changes: terms of another leader than the one "
    "before. Led: the share of the time in which somebody believed that it led. Requests: to the "
    "lock’s servers, renewals included. Of several repeats the last three are the median.";

void say_leaders(struct document *d)
{
    bool is_page = d->medium == PAGE; // rows stand below their scenario
    struct doc_column columns[DOC_MOST_COLUMNS] = {WORDS("scheme")};
    struct doc_table table = {"Leaders", columns, 1, 300, NULL};
    if (!is_page) {
        columns[0] = (struct doc_column)WORDS("scenario");
        columns[table.count++] = (struct doc_column)WORDS("scheme");
    }
    bool ends_leaderless = false;
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        if (figure_is(figure, IN_LEADERS))
            columns[table.count++] = (struct doc_column)FIGURE(figure_title(figure));
    }
    FOR_EACH (scheme_cost, cost, d->report->costs, d->report->cost_count) {
        if (cost->share_led.count == 0 || d->is_quiet)
            continue;
        if (doc_inside(d, DOC_TABLE) == NULL) {
            if (d->medium == TERMINAL)
                doc_heading(d, NULL, "Leaders, of all repeats together");
            else
                doc_section(d, "leaders", "Leaders", "Leaders");
            if (is_page)
                doc_paragraph(d, LOOK_QUIET, "%s", words);
            doc_table(d, table);
        }
        doc_row(d, is_page ? cost->trial->scenario->name : NULL, 1);
        if (!is_page)
            doc_cell(d, LOOK_PLAIN, "%s", cost->trial->scenario->name);
        doc_cell(d, LOOK_PLAIN, "%s%s", cost->trial->scheme, cost->never_ns > 0 ? "*" : "");
        for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
            if (figure_is(figure, IN_LEADERS))
                doc_cell(d, LOOK_PLAIN, "%s",
                         figure_text(figure, figure_of(figure, cost, false)).text);
        }
        ends_leaderless |= cost->never_ns > 0;
    }
    if (ends_leaderless)
        doc_paragraph(
            d, LOOK_PLAIN,
            "* After some fault nobody was elected any more: leaderless to the end of the "
            "trial, which is the least that it lasts.");
}
