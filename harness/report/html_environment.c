#include "harness/report/html.h"

#include <stdio.h>

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

void html_add_environment(struct page *page)
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
