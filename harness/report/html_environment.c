#include "harness/report/html.h"
#include "harness/report/summary.h"

#include <stdio.h>

static void add_pair(struct text *out, const char *name, const char *value)
{
    text_format(out, "<dt>%s</dt><dd>", name);
    html_add(out, value[0] != '\0' ? value : "–");
    text_add(out, "</dd>\n");
}

void html_add_environment(struct page *page)
{
    const struct environment *environment = &page->run->environment;
    struct text *out = &page->text;
    struct text machine = {0};
    char lanes[64] = "1";
    machine_sentence(page->run, &machine);
    if (environment->lanes > 1)
        snprintf(lanes, sizeof lanes, "up to %d, 1 where costs were measured", environment->lanes);
    text_add(out, "<section id=\"environment\"><h2>Environment</h2>\n<dl>\n");
    add_pair(out, "Lockpick", environment->lockpick_version);
    add_pair(out, "Kernel", environment->kernel);
    add_pair(out, "Processor", environment->processor);
    add_pair(out, "Machine", text_string(&machine));
    add_pair(out, "Trials at a time", lanes);
    add_pair(out, "Servers", environment->servers);
    add_pair(out, "Durability", environment->durability);
    add_pair(out, "Placement", environment->placement);
    add_pair(out, "Isolation", environment->isolation);
    add_pair(out, "Clock source", environment->clock_source);
    add_pair(out, "Governor", environment->governor);
    add_pair(out, "Began", environment->began);
    text_add(out, "</dl></section>\n");
    text_free(&machine);
}
