// report.html as a browser shows it: on a phone and on a desk, in light and in dark, by keyboard.
//
// Chromium is started once, without a window, with all pages in frames of their sizes; without it
// the tests are skipped. A page with mistakes shows that each would be found.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/test_folder.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/test_run.h"

static char folder[] = "/tmp/lockpick-test-page-XXXXXX";
static bool has_browser;
static struct text seen;    // a line for each page, size and colour scheme
static struct text console; // what the browser complained of, and other noise

// --- the pages -----------------------------------------------------------------------------------

static void put(const char *name, const char *text)
{
    struct error error = {0};
    AUTO_FREE char *path = path_join(folder, name);
    MUST_BE(0, file_write(path, text, strlen(text), &error));
}

// The page as it is, and a copy that may run the script that looks at it.
static void put_page(const char *name, const char *page)
{
    static const char policy[] = "<meta http-equiv=\"Content-Security-Policy\"";
    AUTO_TEXT struct text script = {0};
    AUTO_TEXT struct text copy = {0};
    char file[64];
    struct error error = {0};
    const char *from = strstr(page, policy);
    const char *body_end = strstr(page, "</body>");
    assert_non_null(from);
    assert_non_null(body_end);
    const char *to = strchr(from, '\n');
    MUST_BE(0, file_read("harness/report/page_browser_inspect.js", &script, &error));
    text_add_bytes(&copy, page, (size_t)(from - page));
    text_add_bytes(&copy, to, (size_t)(body_end - to));
    text_format(&copy, "<script>%s</script>%s", text_string(&script), body_end);
    snprintf(file, sizeof file, "%s.html", name);
    put(file, page);
    snprintf(file, sizeof file, "%s-seen.html", name);
    put(file, text_string(&copy));
}

#define LONG "a-name-without-any-blank-that-is-far-too-long-for-the-narrow-screen-of-a-phone"
#define SVG_OF(height)                                                                             \
    "<svg width=\"900\" height=\"" height "\" viewBox=\"0 0 900 " height "\" "                     \
    "xmlns=\"http://www.w3.org/2000/svg\"><text x=\"9\" y=\"20\">x</text></svg>"
#define SVG SVG_OF("300")

static void measure(struct trial_result *result)
{
    test_ten_acquires(&test, result, 10);
    result->plots[PICTURE_TIMELINE].svg = result->plots[PICTURE_THROUGHPUT].svg =
        result->plots[PICTURE_LATENCY].svg = SVG;
}

// One trial of each kind.
static void fill(void)
{
    test_run_start(&test);
    test.scenario.faults = test.instances;
    test.scenario.fault_count = 1;
    test.instances[0] =
        (struct fault_instance){.number = 1, .verb = "pause", .text = "pause " LONG};
    for (enum verdict verdict = VERDICT_SAFE; verdict <= VERDICT_NOT_APPLICABLE; verdict++) {
        struct trial_result *result =
            test_add(&test, verdict == VERDICT_STUCK ? LONG : verdict_name(verdict), verdict,
                     verdict == VERDICT_STUCK ? EXPECTATION_MISSED : EXPECTATION_NONE);
        result->has_history = verdict <= VERDICT_UNKNOWN;
        if (result->has_history)
            measure(result);
        if (verdict == VERDICT_UNSAFE || verdict == VERDICT_STUCK) {
            test_find(result, &test_stale_holder, false);
            test_find(result, &test_lost_update, true);
            result->story = "   0.004 s  client-1 acquires the lock\n" LONG "\n";
        }
    }
    struct statistics *statistics = &test.results[0].statistics;
    statistics->recoveries =
        (struct recoveries){.count = 1, .items = {{.fault = 1, .unavailable_ns = NS_PER_S}}};
    statistics->driver_bound.is_bound = true;
    strcpy(statistics->driver_bound.reason, LONG);
    strcpy(test.run.environment.durability, LONG);
    test.run.planned++;
    test.run.remarks = "kernel: 6.1 and 6.18\n";
}

static void put_small(void)
{
    struct plot pictures[] = {
        {.kind = &matrix_picture, .alternative = "Words", .svg = SVG},
        {.kind = &unsafe_window_picture, .alternative = "Words", .svg = SVG},
    };
    fill();
    test.run.pictures = pictures;
    test.run.picture_count = 2;
    AUTO_FREE char *page = report_html(test_report(&test.run));
    put_page("small", page);
    test_run_end(&test);
}

static void put_large(void)
{
    AUTO(test_many_free) struct test_many many;
    test_run_start(&test);
    ADD("none", SAFE, MET);
    test_many_make(&test, 60, &many);
    AUTO_FREE char *page = report_html(test_report(&many.run));
    put_page("large", page);
}

// The page as a printer shows it.
static void put_paper(const char *name, const char *page)
{
    static const char medium[] = "@media print";
    AUTO_TEXT struct text paper = {0};
    const char *rules = strstr(page, medium);
    assert_non_null(rules);
    text_add_bytes(&paper, page, (size_t)(rules - page));
    text_format(&paper, "@media all%s", rules + strlen(medium));
    put_page(name, text_string(&paper));
}

#define SCENARIOS 21

// A table of many columns, and a picture that is higher than a sheet.
static void put_wide(void)
{
    static struct scenario scenarios[SCENARIOS];
    static char names[SCENARIOS][32];
    struct plot picture = {.kind = &matrix_picture, .alternative = "Words", .svg = SVG_OF("3000")};
    AUTO(test_many_free) struct test_many many;
    test_run_start(&test);
    ADD("none", SKIPPED, MET);
    test_many_make(&test, (size_t)22 * SCENARIOS, &many);
    for (size_t i = 0; i < many.run.count; i++) {
        scenarios[i % SCENARIOS] = test.scenario;
        snprintf(names[i % SCENARIOS], sizeof *names, "failover-unreplicated-%zu", i % SCENARIOS);
        scenarios[i % SCENARIOS].name = names[i % SCENARIOS];
        many.trials[i].scenario = &scenarios[i % SCENARIOS];
        many.trials[i].scheme = many.schemes[i / SCENARIOS];
    }
    many.run.pictures = &picture;
    many.run.picture_count = 1;
    AUTO_FREE char *page = report_html(test_report(&many.run));
    put_paper("wide-paper", page);
}

static void put_broken(void)
{
    static const char page[] =
        "<!doctype html><html lang=\"en\"><head>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">\n<style>:focus{outline:none!important}"
        "@media print{img{display:block;height:12999px}}</style></head>"
        "<body><p id=\"a\" style=\"width:2000px;color:#999\">x</p><p id=\"a\">y</p>"
        "<a href=\"#b\">z</a><img alt=\"\" src=\"http://127.0.0.1:9/x.png\">"
        "<svg width=\"9\" height=\"9\"></svg><table><tr><th>h</th></tr></table>"
        "<div style=\"overflow:auto;width:50px\"><p style=\"width:90px\">w</p></div>"
        "<a href=\"#a\" style=\"visibility:hidden\">v</a>"
        "<script>document.title = 1</script></body></html>";
    put_page("broken", page);
    put_paper("broken-paper", page);
}

static void put_frames(void)
{
    static const char *const pages[] = {"small", "large", "broken"};
    static const char *const papers[] = {"wide-paper", "broken-paper"};
    static const char *const schemes[] = {"light", "dark"};
    static const int widths[] = {360, 1200};
    AUTO_TEXT struct text out = {0};
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
    for (size_t i = 0; i < 2; i++)
        text_format(&out,
                    "<iframe src=\"%s-seen.html\" width=\"718\" height=\"979\" "
                    "style=\"border:0;color-scheme:light\"></iframe>\n",
                    papers[i]);
    put("frames.html", text_string(&out));
}

// --- the browser ---------------------------------------------------------------------------------

static void read_into(const char *name, struct text *out)
{
    struct error error = {0};
    AUTO_FREE char *path = path_join(folder, name);
    MUST_BE(0, file_read(path, out, &error));
}

static int start(void **state)
{
    AUTO_TEXT struct text command = {0};
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
    put_wide();
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

TEST_GROUP(start, end);

TEST(pages_small_and_large_are_right_at_every_width_and_in_both_schemes)
{
    static const char *const shown[] = {"360 light", "360 dark", "1200 light", "1200 dark"};
    if (!has_browser)
        skip();
    for (size_t i = 0; i < 8; i++) {
        char line[60];
        snprintf(line, sizeof line, "%s at %s: nothing wrong\n", i < 4 ? "small" : "large",
                 shown[i % 4]);
        assert_seen(line);
    }
}

// As wide as A4, as high as Letter.
TEST(on_paper_nothing_is_cut_off)
{
    if (!has_browser)
        skip();
    assert_seen("wide-paper at 718 light: nothing wrong\n");
    assert_seen("broken-paper at 718 light: too wide: p#a; too high: img; too many "
                "sheets\n");
}

TEST(each_mistake_would_be_found)
{
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
TEST(the_browser_complains_of_nothing)
{
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
