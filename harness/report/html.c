// One page: no script, no font, nothing fetched from afar. Pictures are embedded as images: their
// ids cannot clash, and a click opens the file beside the page, to zoom.
#include "harness/report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void html_add(struct text *out, const char *string)
{
    for (; *string != '\0'; string++) {
        switch (*string) {
        case '&':
            text_add(out, "&amp;");
            break;
        case '<':
            text_add(out, "&lt;");
            break;
        case '>':
            text_add(out, "&gt;");
            break;
        case '"':
            text_add(out, "&quot;");
            break;
        case '\'':
            text_add(out, "&#39;");
            break;
        default:
            text_add_bytes(out, string, 1);
        }
    }
}

void html_add_address(struct text *out, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.~/";
    for (; *path != '\0'; path++) {
        if (strchr(plain, *path) != NULL)
            text_add_bytes(out, path, 1);
        else
            text_format(out, "%%%02X", (unsigned)(unsigned char)*path);
    }
}

const char *html_folder(const struct run_result *run, const struct trial_result *result)
{
    size_t length = run->folder != NULL ? strlen(run->folder) : 0;
    if (length > 0 && strncmp(result->folder, run->folder, length) == 0 &&
        result->folder[length] == '/')
        return result->folder + length + 1;
    return result->folder;
}

void html_add_verdict(struct text *out, enum verdict verdict, const char *target)
{
    static const struct {
        const char *style;
        const char *sign;
    } looks[] = {
        [VERDICT_SAFE] = {"safe", "✓"},
        [VERDICT_UNSAFE] = {"unsafe", "✗"},
        [VERDICT_STUCK] = {"stuck", "‖"},
        [VERDICT_UNKNOWN] = {"unknown", "?"},
        [VERDICT_SKIPPED] = {"skipped", "–"},
        [VERDICT_ERROR] = {"error", "!"},
        [VERDICT_NOT_APPLICABLE] = {"unfit", "–"},
    };
    const char *tag = target != NULL ? "a" : "span";
    text_format(out, "<%s class=\"chip %s\"", tag, looks[verdict].style);
    if (target != NULL)
        text_format(out, " href=\"%s\"", target);
    text_format(out, ">%s %s</%s>", looks[verdict].sign, verdict_name(verdict), tag);
}

void html_add_expectation(struct text *out, enum expectation_result expectation)
{
    if (expectation == EXPECTATION_MET)
        text_add(out, "<span class=\"small quiet\">as expected</span>");
    else if (expectation == EXPECTATION_MISSED)
        text_add(out, "<span class=\"small missed\">✗ MISSED</span>");
}

// What bears on the whole run, a line each.
static void add_remarks(const char *remarks, struct text *out)
{
    for (const char *line = remarks; line != NULL && *line != '\0';) {
        struct text copy = {0};
        size_t length = strcspn(line, "\n");
        text_add_bytes(&copy, line, length);
        text_add(out, "<p class=\"remark\">");
        html_add(out, text_string(&copy));
        text_add(out, "</p>\n");
        text_free(&copy);
        line += length + (line[length] == '\n');
    }
}

void html_begin_scroll(struct text *out, const char *name)
{
    text_add(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    html_add(out, name);
    text_add(out, "\">");
}

// The policy keeps the browser from asking anybody for anything, whatever the names in the page are
// made to look like; pictures may come from the files beside it.
static void add_head(struct text *out, const char *title)
{
    text_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "img-src 'self' data: file:; style-src 'unsafe-inline'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                  "<title>Lockpick: ");
    html_add(out, title);
    text_add(out, "</title>\n<style>\n");
    html_add_style(out);
    text_add(out, "</style>\n</head>\n<body>\n"
                  "<a class=\"skip\" href=\"#content\">Skip to the report</a>\n<header>\n");
}

static void add_counts(struct text *out, const struct tally *tally)
{
    text_add(out, "<ul class=\"counts\">");
    for (enum verdict verdict = VERDICT_SAFE; verdict <= VERDICT_ERROR; verdict++) {
        if (tally->verdicts[verdict] == 0)
            continue;
        text_format(out, "<li>%zu × ", tally->verdicts[verdict]);
        html_add_verdict(out, verdict, NULL);
        text_add(out, "</li>");
    }
    if (tally->not_run > 0)
        text_format(out, "<li>%zu × <span class=\"chip\">not run</span></li>", tally->not_run);
    text_add(out, "</ul>\n");
}

static void add_nav(struct page *page)
{
    const struct run_result *run = page->run;
    const struct {
        const char *id, *title;
        bool is_there;
    } links[] = {
        {"verdicts", "Verdicts", true},
        {"unexpected", "Not as expected", html_has_part(run, PART_UNEXPECTED)},
        {"violations", "Violations", html_has_part(run, PART_BROKEN)},
        {"thresholds", "Thresholds", page->report->thresholds.count > 0},
        {"costs", "Costs", true},
        {"liveness", "Liveness", html_has_liveness(run)},
        {"trials", "Other trials", html_has_part(run, PART_KEPT)},
        {"environment", "Environment", true},
    };
    text_add(&page->text, "<nav aria-label=\"Sections\">");
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        if (links[i].is_there)
            text_format(&page->text, "<a href=\"#%s\">%s</a>", links[i].id, links[i].title);
    }
    text_add(&page->text, "</nav>\n");
}

static void add_header(struct page *page)
{
    const struct run_result *run = page->run;
    struct text *out = &page->text;
    struct text sentence = {0};
    char length[32];
    summary_sentence(page->report, &sentence);
    add_head(out, text_string(&sentence));
    text_add(out, "<h1>Lockpick report</h1>\n<p class=\"lead\">");
    html_add(out, text_string(&sentence));
    text_add(out, "</p>\n");
    add_counts(out, &page->report->tally);
    text_add(out, "<p class=\"quiet small\">");
    html_add(out, run->environment.began);
    text_format(out, "%stook %s · seed %llu · ", run->environment.began[0] != '\0' ? " · " : "",
                text_duration(run->duration_ns, length, sizeof length),
                (unsigned long long)run->seed);
    html_add(out, run->folder != NULL ? run->folder : "");
    text_add(out,
             "<br>A trial is one lock scheme in one scenario, asked for by real clients on real "
             "servers; its verdict is decided from the recorded history.</p>\n");
    add_remarks(run->remarks, out);
    if (!run->has_plots && run->plot_note[0] != '\0') {
        text_add(out, "<p class=\"quiet small\">");
        html_add(out, run->plot_note);
        text_add(out, "</p>\n");
    }
    add_nav(page);
    text_add(out, "</header>\n<main id=\"content\">\n");
    text_free(&sentence);
}

char *report_html(const struct run_report *report)
{
    struct page page = {.run = report->run, .report = report};
    html_choose_pictures(&page);
    add_header(&page);
    html_add_matrix(&page);
    html_add_trials(&page, PART_UNEXPECTED);
    html_add_trials(&page, PART_BROKEN);
    html_add_thresholds(&page);
    html_add_costs(&page);
    html_add_liveness(&page);
    html_add_trials(&page, PART_KEPT);
    html_add_unfit(&page);
    html_add_environment(&page);
    text_add(&page.text, "</main>\n</body>\n</html>\n");
    free(page.embeds);
    free(page.embeds_whole);
    return page.text.bytes;
}
