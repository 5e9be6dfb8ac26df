// Which pictures are in the page itself. Hundreds of trials have more of them than a page can hold
// that is to be mailed, and read at once: the ones that tell most are embedded, the others shown
// from the files beside the page.
#include "harness/report/html.h"

#include <stdlib.h>
#include <string.h>

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

const char *html_picture_of(const struct trial_result *result, enum trial_picture which)
{
    const char *const pictures[] = {result->timeline, result->throughput, result->latency};
    return pictures[which];
}

static const char *first_property(const struct trial_result *result)
{
    const struct finding *violation = judgement_first_violation(&result->judgement);
    return violation != NULL ? violation->check->name : "";
}

static enum worth worth_of(const struct run_result *run, size_t index, enum trial_picture which)
{
    const struct trial_result *result = &run->trials[index];
    enum worth worth = WORTH_PROPERTY;
    if (which != PICTURE_TIMELINE)
        return WORTH_NUMBERS;
    if (result->judgement.expectation == EXPECTATION_MISSED)
        return WORTH_MISSED;
    if (judgement_first_violation(&result->judgement) == NULL)
        return WORTH_KEPT;
    for (size_t i = 0; i < index && worth < WORTH_BROKEN; i++) {
        const struct trial_result *other = &run->trials[i];
        if (strcmp(first_property(other), first_property(result)) == 0)
            worth = strcmp(other->trial->scheme, result->trial->scheme) == 0 ? WORTH_BROKEN
                                                                             : WORTH_SCHEME;
    }
    return worth;
}

// Those that a page may have of one worth: trial * PICTURES_OF_PAGE + which. Returns how many.
static size_t list(const struct run_result *run, enum worth worth, size_t *pictures)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count * PICTURES_OF_PAGE; i++) {
        if (worth_of(run, i / PICTURES_OF_PAGE, (enum trial_picture)(i % PICTURES_OF_PAGE)) ==
            worth)
            pictures[count++] = i;
    }
    return count;
}

// Adds the bytes of a picture if there is one, and room for it.
static bool takes(const char *svg, size_t most, size_t *bytes)
{
    size_t length = svg != NULL ? strlen(svg) : 0;
    bool fits = length > 0 && *bytes + length <= most;
    *bytes += fits ? length : 0;
    return fits;
}

static bool takes_picture(const struct run_result *run, size_t picture, size_t *bytes)
{
    return takes(html_picture_of(&run->trials[picture / PICTURES_OF_PAGE],
                                 (enum trial_picture)(picture % PICTURES_OF_PAGE)),
                 MOST_PICTURE_BYTES, bytes);
}

// Those of the whole run say more than any of one trial, and have room of their own.
void html_choose_pictures(struct document *page)
{
    const struct run_result *run = page->report->run;
    size_t all = run->count * PICTURES_OF_PAGE + 1;
    size_t *pictures = memory_new(all * sizeof *pictures);
    size_t bytes = 0;
    page->embeds = memory_zeroed(all, sizeof *page->embeds);
    page->embeds_whole = memory_zeroed(run->picture_count + 1, sizeof *page->embeds_whole);
    for (size_t i = 0; i < run->picture_count; i++)
        page->embeds_whole[i] = takes(run->pictures[i].svg, MOST_WHOLE_BYTES, &page->whole_bytes);
    for (enum worth worth = 0; worth < WORTH_COUNT; worth++) {
        size_t count = list(run, worth, pictures);
        for (size_t i = 0; i < count; i++)
            page->embeds[pictures[i]] = takes_picture(run, pictures[i], &bytes);
    }
    free(pictures);
}

// So many are drawn at a time. Once as many in turn had no room, no more of their worth are tried:
// they are about as long as each other.
#define DRAWN_AT_A_TIME 32

int html_draw_pictures(struct run_result *run, struct error *error)
{
    size_t *pictures = memory_new((run->count * PICTURES_OF_PAGE + 1) * sizeof *pictures);
    size_t bytes = 0;
    int failed = 0;
    for (enum worth worth = 0; worth < WORTH_COUNT; worth++) {
        size_t count = list(run, worth, pictures);
        size_t taken = 1;
        for (size_t from = 0, end; from < count && taken > 0; from = end) {
            struct plot_wish wishes[DRAWN_AT_A_TIME];
            size_t wanted = 0;
            for (end = from; end < count && wanted < DRAWN_AT_A_TIME; end++) {
                struct plot_wish wish = {&run->trials[pictures[end] / PICTURES_OF_PAGE],
                                         (enum trial_picture)(pictures[end] % PICTURES_OF_PAGE)};
                if ((wish.result->undrawn & 1u << wish.which) != 0)
                    wishes[wanted++] = wish;
            }
            if (plots_draw(wishes, wanted, failed == 0 ? error : NULL) != 0)
                failed = -1;
            taken = 0;
            for (size_t i = from; i < end; i++)
                taken += takes_picture(run, pictures[i], &bytes);
        }
    }
    free(pictures);
    return failed;
}
