// What is drawn for a page that keeps no other picture, and how many pictures are drawn at once.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/test_folder.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/sections.h"
#include "harness/report/test_run.h"

#define MANY 80

static struct test_many many;
static char folder[64];

// A run of trials that broke something, each in a folder of its own.
static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    test_find(ADD("broken", UNSAFE, MET), &test_stale_holder, false);
    test_many_make(&test, MANY, &many);
    strcpy(folder, "/tmp/lockpick-choice-XXXXXX");
    assert_int_equal(test_folder_make(folder), 0);
    for (size_t i = 0; i < MANY; i++) {
        struct text path = {0};
        text_format(&path, "%s/it's %zu", folder, i);
        many.run.trials[i].folder = path.bytes;
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        plots_free(&many.run.trials[i]);
        free(many.run.trials[i].folder);
    }
    test_many_free(&many);
    return test_folder_remove(folder);
}

static bool have_gnuplot(void)
{
    char note[200];
    return plots_available(note, sizeof note);
}

// So that its SVG has about 30 kB, and tells whose it is.
static void keep_timeline(size_t trial, const char *command)
{
    const char *const at = many.run.trials[trial].folder;
    AUTO_FREE char *path = path_join(at, "timeline.gp");
    AUTO_FREE char *script =
        text_formatted("reset\nset terminal svg\nset output 'timeline.svg'\nset samples 2000\n"
                       "set title 'trial %zu'\n%s sin(x)\nunset output\n",
                       trial, command);
    assert_int_equal(folder_make(at, NULL), 0);
    assert_int_equal(file_write(path, script, strlen(script), NULL), 0);
    many.run.trials[trial].plots[PICTURE_TIMELINE] =
        (struct plot){.kind = &timeline_picture, .folder = memory_string(at), .is_waiting = true};
}

static size_t count_drawn(void)
{
    size_t drawn = 0;
    for (size_t i = 0; i < MANY; i++)
        drawn += many.run.trials[i].plots[PICTURE_TIMELINE].svg != NULL;
    return drawn;
}

// Which pictures a page would have in it, as bits.
static uint64_t chosen(void)
{
    struct document page = {.medium = PAGE, .report = test_report(&many.run)};
    uint64_t bits = 0;
    html_choose_pictures(&page);
    for (size_t i = 0; i < 64; i++)
        bits |= (uint64_t)page.embeds[i * PICTURES_OF_PAGE + PICTURE_TIMELINE] << i;
    free(page.embeds);
    free(page.embeds_whole);
    return bits;
}

TEST_WITH(once_a_page_is_full_nothing_more_is_drawn, start, end)
{
    struct error error = {""};
    if (!have_gnuplot())
        skip();
    for (size_t i = 0; i < MANY; i++)
        keep_timeline(i, "plot");
    assert_int_equal(html_draw_pictures(&many.run, &error), 0);
    assert_in_range(count_drawn(), 1, MANY - 1);
    uint64_t kept = chosen();
    assert_int_equal(plots_draw_all(many.run.trials, MANY, &error), 0);
    assert_int_equal(count_drawn(), MANY);
    assert_true(kept != 0 && kept == chosen());
}

TEST_WITH(each_of_many_pictures_goes_to_its_own_trial, start, end)
{
    char title[32];
    struct error error = {""};
    if (!have_gnuplot())
        skip();
    for (size_t i = 0; i < 20; i++)
        keep_timeline(i, "plot");
    MUST_BE(0, plots_draw_all(many.run.trials, MANY, &error));
    assert_int_equal(count_drawn(), 20);
    for (size_t i = 0; i < 20; i++) {
        snprintf(title, sizeof title, "trial %zu<", i);
        assert_non_null(strstr(many.run.trials[i].plots[PICTURE_TIMELINE].svg, title));
    }
}

TEST_WITH(one_that_cannot_be_drawn_takes_no_other_along, start, end)
{
    struct error error = {""};
    if (!have_gnuplot())
        skip();
    for (size_t i = 0; i < 20; i++)
        keep_timeline(i, i == 3 ? "plott" : "plot");
    MUST_FAIL(-1, plots_draw_all(many.run.trials, MANY, &error), "it's 3");
    assert_non_null(strstr(error.text, "timeline.gp"));
    assert_null(many.run.trials[3].plots[PICTURE_TIMELINE].svg);
    assert_int_equal(count_drawn(), 19);
}

RUN_TEST(what_draws_nothing_is_left_out_of_embedded_pictures)
{
    ADD("none", SAFE, MET)->plots[PICTURE_TIMELINE].svg =
        "<svg><g fill=\"none\" stroke-linecap=\"butt\">\n</g>\n<g stroke-width=\"1.00\" id=\"a\">"
        "<g stroke-width=\"2.00\"><text>x</text></g></g></svg>";
    AUTO_FREE char *page = report_html(test_report(&test.run));
    assert_has(page, "%3Csvg%3E %3Cg id=%22a%22%3E%3Cg stroke-width=%222.00%22%3E"
                     "%3Ctext%3Ex%3C/text%3E%3C/g%3E%3C/g%3E%3C/svg%3E");
}
