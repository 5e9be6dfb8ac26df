// The pictures of the page, embedded or shown from the files beside it: html_choice.c says which.
#include "harness/report/html.h"

#include <stdlib.h>
#include <string.h>

// In a page of more trials, throughput and latency that are not in it are but links.
#define MOST_WITH_ALL_SHOWN 50

// How much of what begins there draws nothing: a group without anything in it, and what goes
// without saying, of which gnuplot says a lot.
static size_t length_of_nothing(const char *svg)
{
    static const char *const usual[] = {" stroke-linecap=\"butt\"", " stroke-linejoin=\"miter\"",
                                        " stroke-width=\"1.00\""};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strncmp(svg, usual[i], strlen(usual[i])) == 0)
            return strlen(usual[i]);
    }
    if (strncmp(svg, "<g ", 3) != 0)
        return 0;
    size_t length = strcspn(svg, ">");
    length += svg[length] != '\0';
    length += strspn(svg + length, " \t\r\n");
    return strncmp(svg + length, "</g>", 4) == 0 ? length + 4 : 0;
}

// SVG as a data address. White space is only indentation there; one blank of each run suffices.
static void add_data_address(struct text *out, const char *svg)
{
    text_add(out, "data:image/svg+xml;charset=utf-8,");
    bool blank = false;
    while (*svg != '\0') {
        size_t nothing = length_of_nothing(svg);
        if (nothing > 0) {
            svg += nothing;
            continue;
        }
        bool is_blank = strchr(" \t\r\n", *svg) != NULL;
        if (!is_blank && strchr("%#<>\"&'", *svg) != NULL)
            text_format(out, "%%%02X", (unsigned)*svg);
        else if (!is_blank)
            text_add_bytes(out, svg, 1);
        else if (!blank)
            text_add(out, " ");
        blank = is_blank;
        svg++;
    }
}

// A picture's address without its ending, as seen from the page; the caller frees it.
static char *address_in(const char *folder, const char *name)
{
    struct text address = {0};
    html_add_address(&address, folder);
    text_format(&address, "/%s", name);
    return address.bytes;
}

// A link to one of its files.
static void add_file_link(struct text *out, const char *address, const char *ending)
{
    const char *slash = strrchr(address, '/');
    text_format(out, "<a href=\"%s.%s\">%s.%s</a>", address, ending, slash != NULL ? slash + 1 : "",
                ending);
}

// `svg` is NULL if it is to be shown from its file; `address`, if there is none.
static void add_figure(struct text *out, const char *address, const char *svg, const char *title,
                       const char *alternative, const char *caption)
{
    static const char *const endings[] = {"svg", "gp", "dat"};
    size_t links = address != NULL ? sizeof endings / sizeof *endings : 0;
    text_add(out, "<figure><div class=\"picture\" role=\"region\" tabindex=\"0\" aria-label=\"");
    html_add(out, title);
    text_add(out, "\">");
    if (address != NULL)
        text_format(out, "<a href=\"%s.svg\" tabindex=\"-1\">", address);
    text_add(out, "<img loading=\"lazy\" alt=\"");
    html_add(out, alternative);
    text_add(out, "\" src=\"");
    if (svg != NULL)
        add_data_address(out, svg);
    else
        text_format(out, "%s.svg", address);
    text_format(out, "\">%s</div><figcaption>", address != NULL ? "</a>" : "");
    html_add(out, caption);
    for (size_t i = 0; i < links; i++) {
        text_add(out, i == 0 ? ": " : " · ");
        add_file_link(out, address, endings[i]);
    }
    text_add(out, "</figcaption></figure>\n");
}

void html_add_picture(struct document *page, size_t index, enum trial_picture which,
                      const char *title, const char *alternative)
{
    const struct trial_result *result = &page->report->run->trials[index];
    const char *svg = html_picture_of(result, which);
    struct text *out = &page->text;
    bool embeds = page->embeds[index * PICTURES_OF_PAGE + which];
    if (svg == NULL || (result->folder == NULL && !embeds))
        return;
    doc_begin(page, (struct doc_block){.kind = DOC_PICTURE});
    char *address = result->folder != NULL
                        ? address_in(html_folder(page->report->run, result), picture_name(which))
                        : NULL;
    if (!embeds && which != PICTURE_TIMELINE && page->report->run->count > MOST_WITH_ALL_SHOWN) {
        text_format(out, "<p class=\"small quiet\">%s: ", title);
        add_file_link(out, address, "svg");
        text_add(out, "</p>\n");
    } else {
        add_figure(out, address, embeds ? svg : NULL, title, alternative, title);
    }
    free(address);
}

static void add_whole(struct document *page, size_t index)
{
    const struct run_picture *picture = &page->report->run->pictures[index];
    struct text *out = &page->text;
    char *address = address_in("plots", picture->name);
    doc_begin(page, (struct doc_block){.kind = DOC_PICTURE});
    text_format(out, "<h3 id=\"picture-%s\">", picture->name);
    html_add(out, picture->title);
    text_add(out, "</h3>\n");
    if (picture->svg != NULL) {
        add_figure(out, address, page->embeds_whole[index] ? picture->svg : NULL, picture->title,
                   picture->alternative != NULL ? picture->alternative : picture->title, "Files");
    } else {
        text_add(out, "<p class=\"small quiet\">Not drawn. What to draw it from: ");
        add_file_link(out, address, "gp");
        text_add(out, " · ");
        add_file_link(out, address, "dat");
        text_add(out, "</p>\n");
    }
    free(address);
}

void html_add_whole_pictures(struct document *page, enum picture_place place)
{
    for (size_t i = 0; i < page->report->run->picture_count; i++) {
        if (page->report->run->pictures[i].place == place)
            add_whole(page, i);
    }
}
