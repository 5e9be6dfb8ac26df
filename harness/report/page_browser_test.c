// report.html as a browser shows it: on a phone and on a desk, in light and in dark, by keyboard.
//
// Chromium is started once, without a window, with all pages in frames of their sizes; without it
// the tests are skipped. A page with mistakes shows that each would be found.
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/report/test_many.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static char folder[] = "/tmp/lockpick-test-page-XXXXXX";
static bool has_browser;
static struct text seen;    // a line for each page, size and colour scheme
static struct text console; // what the browser complained of, and other noise

// --- the pages -----------------------------------------------------------------------------------

static void put(const char *name, const char *text)
{
    struct error error = {0};
    char *path = path_join(folder, name);
    if (file_write(path, text, strlen(text), &error) != 0)
        fail_msg("%s", error.text);
    free(path);
}

// The page as it is, and a copy that may run the script that looks at it.
static void put_page(const char *name, const char *page)
{
    static const char policy[] = "<meta http-equiv=\"Content-Security-Policy\"";
    struct text script = {0};
    struct text copy = {0};
    char file[64];
    struct error error = {0};
    const char *from = strstr(page, policy);
    const char *body_end = strstr(page, "</body>");
    assert_non_null(from);
    assert_non_null(body_end);
    const char *to = strchr(from, '\n');
    if (file_read("harness/report/page_browser_inspect.js", &script, &error) != 0)
        fail_msg("%s", error.text);
    text_add_bytes(&copy, page, (size_t)(from - page));
    text_add_bytes(&copy, to, (size_t)(body_end - to));
    text_format(&copy, "<script>%s</script>%s", text_string(&script), body_end);
    snprintf(file, sizeof file, "%s.html", name);
    put(file, page);
    snprintf(file, sizeof file, "%s-seen.html", name);
    put(file, text_string(&copy));
    text_free(&script);
    text_free(&copy);
}

#define LONG "a-name-without-any-blank-that-is-far-too-long-for-the-narrow-screen-of-a-phone"
#define SVG                                                                                        \
    "<svg width=\"900\" height=\"300\" viewBox=\"0 0 900 300\" "                                   \
    "xmlns=\"http://www.w3.org/2000/svg\"><text x=\"9\" y=\"20\">x</text></svg>"

static void measure(struct test_run *test, struct trial_result *result)
{
    test_digest(test)->hold_count = 0;
    for (int i = 0; i < 10; i++)
        test_hold(test, 1, 50 * i, 51 * i + 1, 51 * i + 2);
    statistics_make(&test->digest, &result->statistics);
    latencies_encode(&test->digest, &result->latencies);
    result->timeline = result->throughput = result->latency = SVG;
}

// One trial of each kind.
static void fill(struct test_run *test)
{
    test_run_start(test);
    test->scenario.faults = test->steps;
    test->scenario.fault_count = 1;
    test->steps[0] = (struct fault_step){.number = 1, .verb = "pause", .text = "pause " LONG};
    for (enum verdict verdict = VERDICT_SAFE; verdict <= VERDICT_NOT_APPLICABLE; verdict++) {
        struct trial_result *result =
            test_add(test, verdict == VERDICT_STUCK ? LONG : verdict_name(verdict), verdict,
                     verdict == VERDICT_STUCK ? EXPECTATION_MISSED : EXPECTATION_NONE);
        result->has_history = verdict <= VERDICT_UNKNOWN;
        if (result->has_history)
            measure(test, result);
        if (verdict == VERDICT_UNSAFE || verdict == VERDICT_STUCK) {
            test_find(result, &test_stale_holder, false);
            test_find(result, &test_lost_update, true);
            result->story = "   0.004 s  client-1 acquires the lock\n" LONG "\n";
        }
    }
    struct statistics *statistics = &test->results[0].statistics;
    statistics->recoveries =
        (struct recoveries){.count = 1, .items = {{.fault = 1, .unavailable_ns = NS_PER_S}}};
    statistics->driver_bound.is_bound = true;
    strcpy(statistics->driver_bound.reason, LONG);
    strcpy(test->run.environment.durability, LONG);
    test->run.planned++;
    test->run.remarks = "kernel: 6.1 and 6.18\n";
}

static void put_small(void)
{
    static struct test_run test;
    struct run_picture pictures[] = {
        {.name = "matrix", .title = "Matrix", .alternative = "Words", .svg = SVG},
        {.name = "percentiles", .title = "Percentiles", .alternative = "Words", .svg = SVG},
    };
    fill(&test);
    test.run.pictures = pictures;
    test.run.picture_count = 2;
    char *page = report_html(&test.run);
    put_page("small", page);
    free(page);
    for (size_t i = 0; i < test.run.count; i++)
        latencies_free(&test.results[i].latencies);
}

static void put_large(void)
{
    static struct test_run test;
    struct test_many many;
    test_run_start(&test);
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET);
    test_many_make(&test, 60, &many);
    char *page = report_html(&many.run);
    put_page("large", page);
    free(page);
    test_many_free(&many);
}

static void put_broken(void)
{
    put_page("broken",
             "<!doctype html><html lang=\"en\"><head>\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
             "style-src 'unsafe-inline'\">\n<style>:focus{outline:none!important}</style></head>"
             "<body><p id=\"a\" style=\"width:2000px;color:#999\">x</p><p id=\"a\">y</p>"
             "<a href=\"#b\">z</a><img alt=\"\" src=\"http://127.0.0.1:9/x.png\">"
             "<svg width=\"9\" height=\"9\"></svg><table><tr><th>h</th></tr></table>"
             "<div style=\"overflow:auto;width:50px\"><p style=\"width:90px\">w</p></div>"
             "<a href=\"#a\" style=\"visibility:hidden\">v</a>"
             "<script>document.title = 1</script></body></html>");
}

static void put_frames(void)
{
    static const char *const pages[] = {"small", "large", "broken"};
    static const char *const schemes[] = {"light", "dark"};
    static const int widths[] = {360, 1200};
    struct text out = {0};
    text_add(&out, "<!doctype html><pre id=\"seen\"></pre><script>addEventListener(\"message\", "
                   "event => seen.append(event.data + \"\\n\"))</script>\n");
    for (size_t i = 0; i < 3; i++) {
        text_format(&out, "<iframe src=\"%s.html\"></iframe>\n", pages[i]);
        for (size_t j = 0; j < 4; j++)
            text_format(&out,
                        "<iframe src=\"%s-seen.html\" width=\"%d\" height=\"640\" "
                        "style=\"border:0;color-scheme:%s\"></iframe>\n",
                        pages[i], widths[j % 2], schemes[j / 2]);
    }
    put("frames.html", text_string(&out));
    text_free(&out);
}

// --- the browser ---------------------------------------------------------------------------------

static void read_into(const char *name, struct text *out)
{
    struct error error = {0};
    char *path = path_join(folder, name);
    if (file_read(path, out, &error) != 0)
        fail_msg("%s", error.text);
    free(path);
}

static int start(void **state)
{
    struct text command = {0};
    (void)state;
    has_browser = system("command -v chromium >/dev/null") == 0;
    if (!has_browser) {
        print_message("no chromium to show the page: scripts/setup --with lint installs it\n");
        return 0;
    }
    if (test_folder_make(folder) != 0)
        return -1;
    put_small();
    put_large();
    put_broken();
    put_frames();
    // Nothing may leave the machine, whatever a page asks for; time flies once all is loaded.
    text_format(&command,
                "HOME=%s timeout 100 chromium --headless=new --no-sandbox --disable-gpu "
                "--user-data-dir=%s/profile --disable-dev-shm-usage --no-first-run "
                "--host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr "
                "--virtual-time-budget=10000 --dump-dom file://%s/frames.html "
                ">%s/seen 2>%s/console </dev/null",
                folder, folder, folder, folder, folder);
    int status = system(text_string(&command));
    text_free(&command);
    read_into("seen", &seen);
    read_into("console", &console);
    if (status != 0)
        print_error("chromium ended with %d: %s\n", status, text_string(&console));
    return status;
}

static int end(void **state)
{
    (void)state;
    text_free(&seen);
    text_free(&console);
    if (has_browser)
        test_folder_remove(folder);
    return 0;
}

static void assert_seen(const char *part)
{
    if (strstr(text_string(&seen), part) == NULL)
        fail_msg("no '%s' in:\n%s", part, text_string(&seen));
}

// --- tests ---------------------------------------------------------------------------------------

static void a_page_is_right_at_every_width_and_in_both_schemes(void **state)
{
    (void)state;
    if (!has_browser)
        skip();
    assert_seen("small at 360 light: nothing wrong\n");
    assert_seen("small at 360 dark: nothing wrong\n");
    assert_seen("small at 1200 light: nothing wrong\n");
    assert_seen("small at 1200 dark: nothing wrong\n");
}

static void so_is_one_with_a_large_table(void **state)
{
    (void)state;
    if (!has_browser)
        skip();
    assert_seen("large at 360 light: nothing wrong\n");
    assert_seen("large at 360 dark: nothing wrong\n");
    assert_seen("large at 1200 light: nothing wrong\n");
    assert_seen("large at 1200 dark: nothing wrong\n");
}

static void each_mistake_would_be_found(void **state)
{
    (void)state;
    static const char *const mistakes[] = {
        "too wide: p#a",
        "a picture without words",
        "a heading of nothing: h",
        "a drawing without words",
        "twice: #a",
        "leads nowhere: #b",
        "cannot be scrolled by keys: div",
        "has no name: div",
        "cannot be reached: a",
        "is not seen when reached: a",
        "nothing leads past the head",
        "hard to read: p#a",
        "asked for http://127.0.0.1:9/x.png",
    };
    if (!has_browser)
        skip();
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        assert_seen(mistakes[i]);
}

// In the pages as they are, whose policy lets no script run.
static void the_browser_complains_of_nothing(void **state)
{
    (void)state;
    if (!has_browser)
        skip();
    bool complains = false;
    for (char *line = strtok(text_string(&console)[0] != '\0' ? console.bytes : NULL, "\n");
         line != NULL; line = strtok(NULL, "\n")) {
        if (strstr(line, "CONSOLE") == NULL)
            continue;
        complains = complains || strstr(line, "/broken.html") != NULL;
        if (strstr(line, "/small") != NULL || strstr(line, "/large") != NULL)
            fail_msg("%s", line);
    }
    assert_true(complains);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_right_at_every_width_and_in_both_schemes),
        cmocka_unit_test(so_is_one_with_a_large_table),
        cmocka_unit_test(each_mistake_would_be_found),
        cmocka_unit_test(the_browser_complains_of_nothing),
    };
    return cmocka_run_group_tests(tests, start, end);
}
