// Every file in corpus/ is wrong, and <file>.expected beside it holds the diagnostics about it;
// every file in corpus/good/ loads. A file may begin with "# --set PATH=VALUE", a line each. With
// LOCKPICK_WRITE_EXPECTED=1 set the expectations are written anew: read the difference before you
// keep them.
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/scenario/test_parsing.h"
#include "harness/testing/test.h"

#include <glob.h>

#define CORPUS "harness/scenario/corpus/"

// The diagnostics about a file, "" if it loads. The caller frees the result.
static char *diagnostics_about(const char *path)
{
    AUTO_TEXT struct text text = {0};
    struct error error = {0};
    MUST_BE(0, file_read(path, &text, &error));
    struct diagnostics *diagnostics = diagnostics_new();
    struct scenario *scenario = NULL;
    struct override overrides[12];
    size_t count = 0;
    AUTO_FREE char *words = memory_string(text_string(&text));
    char *rest = words, *line;
    while ((line = strsep(&rest, "\n")) != NULL && strncmp(line, "# --set ", 8) == 0) {
        line += 8;
        overrides[count].path = strsep(&line, "=");
        overrides[count++].value = line;
    }
    int result = scenario_parse(strrchr(path, '/') + 1, text_string(&text), text.length,
                                &test_vocabulary, overrides, count, &scenario, diagnostics);
    assert_int_equal(result, diagnostics->count == 0 ? 0 : -1);
    assert_true((result == 0) == (scenario != NULL));
    scenario_free(scenario);
    char *all = diagnostics_text(diagnostics);
    diagnostics_free(diagnostics);
    return all;
}

static char *expected_path(const char *path)
{
    struct text expected = {0};
    text_add_bytes(&expected, path, strlen(path) - strlen("yaml"));
    text_add(&expected, "expected");
    return expected.bytes;
}

static bool is_as_expected(const char *path)
{
    AUTO_FREE char *actual = diagnostics_about(path);
    AUTO_FREE char *golden_path = expected_path(path);
    AUTO_TEXT struct text golden = {0};
    struct error error = {0};
    if (getenv("LOCKPICK_WRITE_EXPECTED") != NULL)
        file_write(golden_path, actual, strlen(actual), &error);
    MUST_BE(0, file_read(golden_path, &golden, &error));
    bool same = *actual != '\0' && strcmp(text_string(&golden), actual) == 0;
    if (!same)
        fprintf(stderr, "%s: expected\n%sbut got\n%s", path, text_string(&golden), actual);
    return same;
}

TEST(every_bad_file_gets_all_its_complaints)
{
    glob_t files;
    assert_int_equal(glob(CORPUS "*.yaml", 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= 30);
    size_t different = 0;
    for (size_t i = 0; i < files.gl_pathc; i++)
        different += !is_as_expected(files.gl_pathv[i]);
    globfree(&files);
    assert_int_equal(different, 0);
}

TEST(no_expectation_is_left_without_its_file)
{
    glob_t golden, files;
    assert_int_equal(glob(CORPUS "*.expected", 0, NULL, &golden), 0);
    assert_int_equal(glob(CORPUS "*.yaml", 0, NULL, &files), 0);
    assert_int_equal(golden.gl_pathc, files.gl_pathc);
    globfree(&golden);
    globfree(&files);
}

TEST(every_good_file_loads)
{
    glob_t files;
    assert_int_equal(glob(CORPUS "good/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        AUTO_FREE char *diagnostics = diagnostics_about(files.gl_pathv[i]);
        assert_string_equal(diagnostics, "");
    }
    globfree(&files);
}
