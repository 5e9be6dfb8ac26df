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

static const char *first_property(const struct trial_result *result)
{
    const struct finding *violation = judgement_first_violation(&result->judgement);
    return violation != NULL ? violation->check->name : "";
}

// Of all schemes, or of its own.
static bool is_first(const struct run_result *run, size_t index, bool of_all)
{
    const struct trial_result *result = &run->trials[index];
    for (size_t i = 0; i < index; i++) {
        const struct trial_result *other = &run->trials[i];
        if ((of_all || strcmp(other->trial->scheme, result->trial->scheme) == 0) &&
            strcmp(first_property(other), first_property(result)) == 0)
            return false;
    }
    return true;
}

static enum worth worth_of(const struct run_result *run, size_t index, enum trial_picture which)
{
    const struct trial_result *result = &run->trials[index];
    if (which != PICTURE_TIMELINE)
        return WORTH_NUMBERS;
    if (result->judgement.expectation == EXPECTATION_MISSED)
        return WORTH_MISSED;
    if (judgement_first_violation(&result->judgement) == NULL)
        return WORTH_KEPT;
    return is_first(run, index, true)    ? WORTH_PROPERTY
           : is_first(run, index, false) ? WORTH_SCHEME
                                         : WORTH_BROKEN;
}

const char *html_picture_of(const struct trial_result *result, enum trial_picture which)
{
    const char *const pictures[] = {result->timeline, result->throughput, result->latency};
    return pictures[which];
}

// A picture that a trial may have.
struct candidate {
    enum worth worth;
    size_t trial;
    enum trial_picture which;
};

// All that a page may have, those that tell most first. The caller frees them.
static struct candidate *rank(const struct run_result *run, size_t *count)
{
    size_t all = run->count * PICTURES_OF_PAGE;
    struct candidate *ranked = memory_new((all + 1) * sizeof *ranked);
    enum worth *worths = memory_new((all + 1) * sizeof *worths);
    for (size_t i = 0; i < all; i++)
        worths[i] = worth_of(run, i / PICTURES_OF_PAGE, (enum trial_picture)(i % PICTURES_OF_PAGE));
    *count = 0;
    for (int worth = 0; worth < WORTH_COUNT; worth++) {
        for (size_t i = 0; i < all; i++) {
            if ((int)worths[i] == worth)
                ranked[(*count)++] = (struct candidate){worths[i], i / PICTURES_OF_PAGE,
                                                        (enum trial_picture)(i % PICTURES_OF_PAGE)};
        }
    }
    free(worths);
    return ranked;
}

// False if there is none, or no room for it.
static bool takes(const struct run_result *run, const struct candidate *candidate, size_t *bytes)
{
    const char *svg = html_picture_of(&run->trials[candidate->trial], candidate->which);
    size_t length = svg != NULL ? strlen(svg) : 0;
    bool fits = length > 0 && *bytes + length <= MOST_PICTURE_BYTES;
    *bytes += fits ? length : 0;
    return fits;
}

// Those of the whole run say more than any of one trial, and have room of their own.
static void choose_whole(struct page *page)
{
    const struct run_result *run = page->run;
    page->embeds_whole = memory_zeroed(run->picture_count + 1, sizeof *page->embeds_whole);
    for (size_t i = 0; i < run->picture_count; i++) {
        size_t length = run->pictures[i].svg != NULL ? strlen(run->pictures[i].svg) : 0;
        if (length == 0 || page->whole_bytes + length > MOST_WHOLE_BYTES)
            continue;
        page->embeds_whole[i] = true;
        page->whole_bytes += length;
    }
}

void html_choose_pictures(struct page *page)
{
    const struct run_result *run = page->run;
    size_t count = 0;
    size_t bytes = 0;
    struct candidate *ranked = rank(run, &count);
    page->embeds = memory_zeroed(count + 1, sizeof *page->embeds);
    choose_whole(page);
    for (size_t i = 0; i < count; i++) {
        if (takes(run, &ranked[i], &bytes))
            page->embeds[ranked[i].trial * PICTURES_OF_PAGE + ranked[i].which] = true;
    }
    free(ranked);
}

// So many are drawn at a time. Once as many in turn had no room, no more of their worth are tried:
// they are about as long as each other.
#define DRAWN_AT_A_TIME 32

int html_draw_pictures(struct run_result *run, struct error *error)
{
    struct plot_wish wishes[DRAWN_AT_A_TIME];
    size_t count = 0;
    size_t bytes = 0;
    int failed = 0;
    struct candidate *ranked = rank(run, &count);
    for (size_t from = 0; from < count;) {
        enum worth worth = ranked[from].worth;
        size_t taken = 0;
        size_t wanted = 0;
        size_t end = from;
        for (; end < count && ranked[end].worth == worth && wanted < DRAWN_AT_A_TIME; end++) {
            struct plot_wish wish = {&run->trials[ranked[end].trial], ranked[end].which};
            if ((wish.result->undrawn & 1u << wish.which) != 0)
                wishes[wanted++] = wish;
        }
        if (plots_draw(wishes, wanted, failed == 0 ? error : NULL) != 0)
            failed = -1;
        for (; from < end; from++)
            taken += takes(run, &ranked[from], &bytes);
        while (taken == 0 && from < count && ranked[from].worth == worth)
            from++;
    }
    free(ranked);
    return failed;
}
