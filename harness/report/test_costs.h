// A run made by hand for the tests of pictures of costs: as many schemes as the catalogue has, with
// latencies that are known. And what a picture's texts cover.
#ifndef LOCKPICK_REPORT_TEST_COSTS_H
#define LOCKPICK_REPORT_TEST_COSTS_H

#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/report/gnuplot.h"
#include "harness/report/plot_files.h"
#include "harness/report/run_pictures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEST_MOST_TRIALS 160
#define TEST_SCHEMES 38

struct test_costs {
    struct scenario scenarios[3];
    struct trial trials[TEST_MOST_TRIALS];
    struct trial_result results[TEST_MOST_TRIALS];
    struct run_result run;
    struct drawing drawing;
};

static const char *const test_redis[] = {"exclusive", "redis", NULL};
static const char *const test_etcd[] = {"exclusive", "etcd", NULL};
static const char *const test_zookeeper[] = {"exclusive", "zookeeper", NULL};
static const char *const test_mysql[] = {"exclusive", "mysql", NULL};

// Names as long as the longest of the catalogue, and as many of each kind.
static inline const char *test_scheme(size_t index, const char *const **traits)
{
    static char names[TEST_SCHEMES][40];
    *traits = index < 2    ? NULL
              : index < 21 ? test_redis
              : index < 25 ? test_etcd
              : index < 31 ? test_zookeeper
                           : test_mysql;
    snprintf(names[index], sizeof names[index], "watchdog-unchecked-%05zu", index);
    return names[index];
}

static inline void test_costs_start(struct test_costs *test)
{
    static const char *const names[] = {"calm", "busy", "own"};
    memset(test, 0, sizeof *test);
    for (size_t i = 0; i < 3; i++)
        test->scenarios[i] = (struct scenario){.name = (char *)(uintptr_t)names[i],
                                               .workload = {.kind = "increment", .store = "shm"},
                                               .clients = {.processes = 4, .threads = 1}};
    test->run = (struct run_result){.folder = "results/one", .trials = test->results};
}

static inline void test_costs_end(struct test_costs *test)
{
    for (size_t i = 0; i < test->run.count; i++)
        latencies_free(&test->results[i].latencies);
    drawing_free(&test->drawing);
}

static inline struct trial_result *test_costs_add(struct test_costs *test,
                                                  const struct scenario *scenario,
                                                  const char *scheme, const char *const *traits)
{
    struct trial *trial = &test->trials[test->run.count];
    struct trial_result *result = &test->results[test->run.count++];
    *trial = (struct trial){.scenario = scenario, .scheme = scheme, .traits = traits, .repeat = 1};
    *result = (struct trial_result){.trial = trial, .has_history = true};
    return result;
}

// As a histogram of `count` values, `step_ns` apart from `first_ns` on.
static inline char *test_encoded(int64_t first_ns, int64_t step_ns, int count)
{
    struct histogram histogram;
    struct text encoded = {0};
    histogram_start(&histogram);
    for (int i = 0; i < count; i++)
        histogram_record(&histogram, first_ns + i * step_ns);
    histogram_encode(&histogram, &encoded);
    histogram_free(&histogram);
    return encoded.bytes;
}

static inline void test_measure(struct trial_result *result, enum latency latency, int64_t first_ns,
                                int64_t step_ns, int count)
{
    result->latencies.encoded[latency] = test_encoded(first_ns, step_ns, count);
    result->latencies.max_ns[latency] = first_ns + (count - 1) * step_ns;
}

// A phase of one second, with `count` acquires of `each_ns`.
static inline struct phase_cost *test_phase(struct trial_result *result, int64_t clients,
                                            int64_t per_second, int64_t each_ns, int count)
{
    struct phase_costs *phases = &result->latencies.phases;
    phases->items = memory_resized(phases->items, (phases->count + 1) * sizeof *phases->items);
    struct phase_cost *phase = &phases->items[phases->count];
    *phase = (struct phase_cost){.from_ns = (int64_t)phases->count * NS_PER_S,
                                 .to_ns = (int64_t)(phases->count + 1) * NS_PER_S,
                                 .clients = clients,
                                 .rate = per_second * 1000,
                                 .counts = true,
                                 .grants = (size_t)count,
                                 .due = per_second,
                                 .held = per_second,
                                 .acquire = {.count = (size_t)count, .max_ns = each_ns},
                                 .encoded = test_encoded(each_ns, 0, count)};
    phases->count++;
    return phase;
}

// --- what texts cover ----------------------------------------------------------------------------

struct test_text {
    double left, top, right, bottom;
    char text[80];
};

static inline double test_attribute(const char *from, const char *name)
{
    const char *at = strstr(from, name);
    return at != NULL ? strtod(at + strlen(name), NULL) : 0;
}

// The texts of a picture by gnuplot, at the width of the common faces. Returns how many.
static inline size_t test_svg_texts(const char *svg, struct test_text *texts, size_t room)
{
    size_t count = 0;
    const char *group = svg;
    while ((group = strstr(group, "<g transform=\"translate(")) != NULL && count < room) {
        const char *text = strstr(group, "<text>");
        const char *end = strstr(group, "</g>");
        double x = test_attribute(group, "translate(");
        double y = test_attribute(group, ",");
        bool turned = strstr(group, "rotate(") != NULL && strstr(group, "rotate(") < text;
        double size = test_attribute(group, "font-size=\"");
        const char *anchor = strstr(group, "text-anchor=\"");
        group += 1;
        if (text == NULL || end == NULL || text > end)
            continue;
        struct test_text *found = &texts[count++];
        size_t characters = 0;
        size_t length = strcspn(text + 6, "<");
        for (size_t i = 0; i < length; i++)
            characters += ((unsigned char)text[6 + i] & 0xc0) != 0x80;
        snprintf(found->text, sizeof found->text, "%.*s", (int)length, text + 6);
        double width = (double)characters * size * 0.58;
        double share = anchor != NULL && strncmp(anchor + 13, "middle", 6) == 0 ? 0.5
                       : anchor != NULL && strncmp(anchor + 13, "end", 3) == 0  ? 1
                                                                                : 0;
        found->left = turned ? x - size * 0.8 : x - width * share;
        found->right = turned ? x : found->left + width;
        found->top = turned ? y - width * share : y - size * 0.8;
        found->bottom = turned ? found->top + width : y;
    }
    return count;
}

// True if one text touches another or reaches over the edge; `clash` says which.
static inline bool test_texts_clash(const char *svg, char *clash, size_t room)
{
    static struct test_text texts[4000];
    size_t count = test_svg_texts(svg, texts, 4000);
    double width = test_attribute(svg, "viewBox=\"0 0 ");
    assert_true(count > 0 && count < 4000 && width > 0);
    for (size_t i = 0; i < count; i++) {
        const struct test_text *a = &texts[i];
        if (a->left < 0 || a->right > width || a->top < 0) {
            snprintf(clash, room, "'%s' reaches over the edge: %g to %g", a->text, a->left,
                     a->right);
            return true;
        }
        for (size_t j = i + 1; j < count; j++) {
            const struct test_text *b = &texts[j];
            if (a->left < b->right && b->left < a->right && a->top < b->bottom &&
                b->top < a->bottom) {
                snprintf(clash, room, "'%s' covers '%s'", a->text, b->text);
                return true;
            }
        }
    }
    return false;
}

static inline bool test_draw(struct test_costs *test, const struct run_picture_kind *kind)
{
    drawing_free(&test->drawing);
    return kind->draw(&test->run, &test->drawing);
}

// Draws it, with gnuplot if that is there, and fails if a text cannot be read.
static inline void test_assert_draws_legibly(struct test_costs *test,
                                             const struct run_picture_kind *kind)
{
    char folder[] = "/tmp/lockpick-charts-XXXXXX";
    char scripted[64];
    char clash[300];
    struct error error = {""};
    bool missing = false;
    assert_true(test_draw(test, kind));
    assert_null(strcasestr(text_string(&test->drawing.data), "nan"));
    assert_null(strcasestr(text_string(&test->drawing.data), "inf"));
    assert_int_equal(test_folder_make(folder), 0);
    assert_int_equal(
        plot_files_write(folder, kind->name, &test->drawing.data, &test->drawing.script, &error),
        0);
    snprintf(scripted, sizeof scripted, "%s.gp", kind->name);
    const char *scripts[] = {scripted, NULL};
    if (gnuplot_run(folder, scripts, &missing, &error) == 0) {
        char *svg = plot_files_read(folder, kind->name, &error);
        assert_non_null(svg);
        if (test_texts_clash(svg, clash, sizeof clash))
            fail_msg("%s: %s", kind->name, clash);
        free(svg);
    } else if (!missing) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(test_folder_remove(folder), 0);
}

#endif
