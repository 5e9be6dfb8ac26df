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
        [VERDICT_NOT_APPLICABLE] = {"skipped", "–"},
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

static void add_header(struct page *page)
{
    const struct run_result *run = page->run;
    struct text *out = &page->text;
    struct tally tally = tally_make(run);
    struct text sentence = {0};
    summary_sentence(run, &sentence);
    text_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                  "<title>Lockpick: ");
    html_add(out, text_string(&sentence));
    text_format(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n", html_style);
    text_add(out, "<h1>Lockpick report</h1>\n<p class=\"lead\">");
    html_add(out, text_string(&sentence));
    text_add(out, "</p>\n<ul class=\"counts\">");
    for (enum verdict verdict = VERDICT_SAFE; verdict <= VERDICT_ERROR; verdict++) {
        if (tally.verdicts[verdict] == 0)
            continue;
        text_format(out, "<li>%zu × ", tally.verdicts[verdict]);
        html_add_verdict(out, verdict, NULL);
        text_add(out, "</li>");
    }
    char length[32];
    text_add(out, "</ul>\n<p class=\"quiet small\">");
    html_add(out, run->environment.began);
    text_format(out, " · took %s · seed %llu · ",
                text_duration(run->duration_ns, length, sizeof length),
                (unsigned long long)run->seed);
    html_add(out, run->folder != NULL ? run->folder : "");
    text_add(out, "</p>\n<nav aria-label=\"Sections\"><a href=\"#verdicts\">Verdicts</a>"
                  "<a href=\"#trials\">Trials</a><a href=\"#costs\">Costs</a>"
                  "<a href=\"#liveness\">Liveness</a>"
                  "<a href=\"#environment\">Environment</a></nav>\n</header>\n<main>\n");
    text_free(&sentence);
}

static void add_pair(struct text *out, const char *name, const char *value)
{
    text_format(out, "<dt>%s</dt><dd>", name);
    html_add(out, value[0] != '\0' ? value : "–");
    text_add(out, "</dd>\n");
}

static void add_load(struct text *out, const char *name, const struct machine_load *load)
{
    char averages[64] = "";
    if (load->is_known)
        snprintf(averages, sizeof averages, "%.2f, %.2f, %.2f over 1, 5, 15 minutes",
                 load->averages[0], load->averages[1], load->averages[2]);
    add_pair(out, name, averages);
}

static void add_environment(struct page *page)
{
    const struct environment *environment = &page->run->environment;
    struct text *out = &page->text;
    char processors[32];
    char lanes[64] = "1";
    snprintf(processors, sizeof processors, "%d", environment->processors);
    if (environment->lanes > 1)
        snprintf(lanes, sizeof lanes, "up to %d with faults, 1 of the others", environment->lanes);
    text_add(out, "<section id=\"environment\"><h2>Environment</h2>\n<dl>\n");
    add_pair(out, "Lockpick", environment->lockpick_version);
    add_pair(out, "Kernel", environment->kernel);
    add_pair(out, "Processor", environment->processor);
    add_pair(out, "Processors", processors);
    add_pair(out, "Trials at a time", lanes);
    add_pair(out, "Servers", environment->servers);
    add_pair(out, "Durability", environment->durability);
    add_pair(out, "Placement", environment->placement);
    add_pair(out, "Isolation", environment->isolation);
    add_pair(out, "Clock source", environment->clock_source);
    add_pair(out, "Governor", environment->governor);
    add_load(out, "Load at the beginning", &environment->load_at_begin);
    add_load(out, "Load at the end", &environment->load_at_end);
    add_pair(out, "Began", environment->began);
    text_add(out, "</dl></section>\n");
}

// Every missed expectation; and the first UNSAFE, as an example of what there is to see.
static void add_trials(struct page *page)
{
    const struct run_result *run = page->run;
    struct text *out = &page->text;
    text_add(out, "<section id=\"trials\"><h2>Trials</h2>\n<p class=\"quiet small\">Acquire: asked "
                  "until granted. Release: asked until answered. Hand-off: a release to the next "
                  "grant, where somebody waited. Hold: granted until release. Pictures that are "
                  "not in this page are shown from the files beside it.</p>\n");
    if (!run->has_plots && run->plot_note[0] != '\0') {
        text_add(out, "<p class=\"quiet\">");
        html_add(out, run->plot_note);
        text_add(out, "</p>\n");
    }
    bool shown = false;
    const struct scenario *scenario = NULL;
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        if (trial_is_unfit(result))
            continue;
        if (result->trial->scenario != scenario) {
            scenario = result->trial->scenario;
            text_add(out, "<h3>");
            html_add(out, scenario->name);
            text_add(out, "</h3>\n<p class=\"quiet\">");
            html_add(out, scenario->about != NULL ? scenario->about : "");
            text_add(out, "</p>\n");
        }
        bool unsafe = result->judgement.verdict == VERDICT_UNSAFE;
        bool missed = result->judgement.expectation == EXPECTATION_MISSED;
        html_add_trial(page, i, missed || (unsafe && !shown));
        shown = shown || unsafe;
    }
    text_add(out, "</section>\n");
}

char *report_html(const struct run_result *run)
{
    struct page page = {.run = run};
    html_choose_pictures(&page);
    add_header(&page);
    html_add_matrix(&page);
    add_trials(&page);
    html_add_unfit(&page);
    html_add_costs(&page);
    html_add_liveness(&page);
    add_environment(&page);
    text_add(&page.text, "</main>\n</body>\n</html>\n");
    free(page.embeds);
    return page.text.bytes;
}
