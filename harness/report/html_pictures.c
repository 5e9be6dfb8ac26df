// The pictures of a page: which are in the page itself, and how each is shown. Hundreds of trials
// have more of them than a page can hold that is to be mailed, and read at once: the ones that tell
// most are embedded, the others shown from the files beside the page.
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/sections.h"

#include <string.h>

// --- which are in the page -----------------------------------------------------------------------

#define MOST_PICTURE_BYTES (320u << 10)
#define MOST_WHOLE_BYTES (700u << 10) // of the pictures of the run

// In the order in which there is room for them.
enum worth {
    WORTH_MISSED,   // not as expected
    WORTH_PROPERTY, // the first that broke this property
    WORTH_SCHEME,   // the first of its scheme that broke it
    WORTH_BROKEN,   // another one that was broken
    WORTH_KEPT,     // nothing was broken
    WORTH_NUMBERS,  // throughput, latency
    WORTH_COUNT
};

const char *html_folder(const struct run_result *run, const struct trial_result *result)
{
    size_t length = run->folder != NULL ? strlen(run->folder) : 0;
    if (length > 0 && strncmp(result->folder, run->folder, length) == 0 &&
        result->folder[length] == '/')
        return result->folder + length + 1;
    return result->folder;
}

static enum worth worth_of(const struct run_result *run, size_t index, size_t which)
{
    const struct trial_result *result = &run->trials[index];
    const struct finding *violation = judgement_first_violation(&result->judgement);
    enum worth worth = WORTH_PROPERTY;
    if (which != PICTURE_TIMELINE)
        return WORTH_NUMBERS;
    if (result->judgement.expectation == EXPECTATION_MISSED)
        return WORTH_MISSED;
    if (violation == NULL)
        return WORTH_KEPT;
    for (size_t i = 0; i < index && worth < WORTH_BROKEN; i++) {
        const struct trial_result *other = &run->trials[i];
        const struct finding *first = judgement_first_violation(&other->judgement);
        if (first != NULL && first->check == violation->check)
            worth = strcmp(other->trial->scheme, result->trial->scheme) == 0 ? WORTH_BROKEN
                                                                             : WORTH_SCHEME;
    }
    return worth;
}

// Adds the bytes of a picture if there is one, and room for it.
static bool takes(const char *svg, size_t most, size_t *bytes)
{
    size_t length = svg != NULL ? strlen(svg) : 0;
    bool fits = length > 0 && *bytes + length <= most;
    *bytes += fits ? length : 0;
    return fits;
}

// All pictures of trials for a page, `trial * PICTURES_OF_PAGE + which`, by what they tell. The
// caller frees.
static struct ranked *by_worth(const struct run_result *run)
{
    size_t all = run->count * PICTURES_OF_PAGE;
    struct ranked *pictures = memory_new((all + 1) * sizeof *pictures);
    for (size_t i = 0; i < all; i++)
        pictures[i] = (struct ranked){worth_of(run, i / PICTURES_OF_PAGE, i % PICTURES_OF_PAGE), i};
    sort_ranked(pictures, all);
    return pictures;
}

// More of them have no room in a page.
#define MOST_DRAWN 64

int html_draw_pictures(struct run_result *run, struct error *error)
{
    AUTO_FREE struct ranked *pictures = by_worth(run);
    struct plot *plots[MOST_DRAWN];
    size_t count = 0;
    for (size_t i = 0; i < run->count * PICTURES_OF_PAGE && count < MOST_DRAWN; i++) {
        size_t at = pictures[i].index;
        struct plot *plot = &run->trials[at / PICTURES_OF_PAGE].plots[at % PICTURES_OF_PAGE];
        if (plot->is_waiting)
            plots[count++] = plot;
    }
    return plots_draw(plots, count, error);
}

// Those of the whole run say more than any of one trial, and have room of their own.
void html_choose_pictures(struct document *page)
{
    const struct run_result *run = page->report->run;
    AUTO_FREE struct ranked *pictures = by_worth(run);
    size_t bytes = 0;
    page->embeds = memory_zeroed(run->count * PICTURES_OF_PAGE + 1, sizeof *page->embeds);
    page->embeds_whole = memory_zeroed(run->picture_count + 1, sizeof *page->embeds_whole);
    for (size_t i = 0; i < run->picture_count; i++)
        page->embeds_whole[i] = takes(run->pictures[i].svg, MOST_WHOLE_BYTES, &page->whole_bytes);
    for (size_t i = 0; i < run->count * PICTURES_OF_PAGE; i++) {
        const size_t at = pictures[i].index;
        const struct plot *plots = run->trials[at / PICTURES_OF_PAGE].plots;
        page->embeds[at] = takes(plots[at % PICTURES_OF_PAGE].svg, MOST_PICTURE_BYTES, &bytes);
    }
}

// --- how they are shown --------------------------------------------------------------------------

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
    int length = 0;
    if (strncmp(svg, "<g ", 3) == 0)
        (void)sscanf(svg, "<g %*[^>]> </g>%n", &length);
    return (size_t)length;
}

// SVG as a data address. White space is only indentation there; one blank of each run suffices.
static void add_data_address(struct text *out, const char *svg)
{
    bool was_blank = false;
    text_add(out, "data:image/svg+xml;charset=utf-8,");
    while (*svg != '\0') {
        size_t nothing = length_of_nothing(svg);
        bool is_blank = nothing == 0 ? strchr(" \t\r\n", *svg) != NULL : was_blank;
        if (nothing == 0 && !is_blank && strchr("%#<>\"&'", *svg) != NULL)
            text_format(out, "%%%02X", (unsigned)*svg);
        else if (nothing == 0 && !is_blank)
            text_add_bytes(out, svg, 1);
        else if (!was_blank && is_blank)
            text_add(out, " ");
        was_blank = is_blank;
        svg += nothing > 0 ? nothing : 1;
    }
}

// Links to files, of which a list of endings is given: "gp dat".
static void add_file_links(struct text *out, const char *address, const char *endings)
{
    const char *slash = strrchr(address, '/');
    const char *before = ": ";
    for (int length; *endings != '\0'; endings += length + (endings[length] == ' ')) {
        length = (int)strcspn(endings, " ");
        text_format(out, "%s<a href=\"%s.%.*s\">%s.%.*s</a>", before, address, length, endings,
                    slash != NULL ? slash + 1 : "", length, endings);
        before = " · ";
    }
}

// `svg` is NULL if it is to be shown from its file; `address`, if there is none.
static void add_figure(struct text *out, const char *address, const char *svg, const char *title,
                       const char *alternative, const char *caption)
{
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
    if (address != NULL)
        add_file_links(out, address, "svg gp dat");
    text_add(out, "</figcaption></figure>\n");
}

void html_add_picture(struct document *page, size_t index, enum trial_picture which,
                      const char *title, const char *alternative)
{
    const struct run_result *run = page->report->run;
    const struct trial_result *result = &run->trials[index];
    const char *svg = result->plots[which].svg;
    AUTO_TEXT struct text address = {0}; // without its ending, as seen from the page
    bool embeds = page->embeds[index * PICTURES_OF_PAGE + which];
    if (svg == NULL || (result->folder == NULL && !embeds))
        return;
    doc_begin(page, (struct doc_block){.kind = DOC_PICTURE});
    if (result->folder != NULL) {
        html_add_address(&address, html_folder(run, result));
        text_format(&address, "/%s", picture_name(which));
    }
    if (!embeds && which != PICTURE_TIMELINE && run->count > MOST_WITH_ALL_SHOWN) {
        text_format(&page->text, "<p class=\"small quiet\">%s", title);
        add_file_links(&page->text, address.bytes, "svg");
        text_add(&page->text, "</p>\n");
    } else {
        add_figure(&page->text, address.bytes, embeds ? svg : NULL, title, alternative, title);
    }
}

void html_add_whole_pictures(struct document *page, enum picture_place place)
{
    const struct run_result *run = page->report->run;
    struct text *out = &page->text;
    for (size_t i = 0; i < run->picture_count; i++) {
        const struct plot *picture = &run->pictures[i];
        const char *title = picture->kind->title;
        AUTO_TEXT struct text address = {0};
        if (picture->kind->place != place)
            continue;
        text_format(&address, "plots/%s", picture->kind->name);
        doc_begin(page, (struct doc_block){.kind = DOC_PICTURE});
        text_format(out, "<h3 id=\"picture-%s\">", picture->kind->name);
        html_add(out, title);
        text_add(out, "</h3>\n");
        if (picture->svg != NULL) {
            add_figure(out, address.bytes, page->embeds_whole[i] ? picture->svg : NULL, title,
                       picture->alternative != NULL ? picture->alternative : title, "Files");
        } else {
            text_add(out, "<p class=\"small quiet\">Not drawn. What to draw it from");
            add_file_links(out, address.bytes, "gp dat");
            text_add(out, "</p>\n");
        }
    }
}
