// The folder of a run.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/test_folder.h"
#include "harness/run/run_files.h"
#include "harness/testing/test.h"

TEST_FOLDER("/tmp/lockpick-run-files-test-XXXXXX");

TEST_GROUP(make_test_folder, remove_test_folder);

// Else both would write one history and one guarded value, and the lock would be blamed.
TEST(of_two_runs_that_both_found_a_folder_empty_a_single_one_has_it)
{
    struct error error;
    AUTO_FREE char *out = path_join(folder, "out");
    const struct run_options options = {.out = out};
    const struct scenario_set set = {0};
    const struct plan plan = {0};
    assert_int_equal(run_folder_check(&options, &error), 0);
    AUTO_FREE char *first = run_folder_make(&options, &set, &plan, &error);
    AUTO_FREE char *second = run_folder_make(&options, &set, &plan, &error);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(strstr(error.text, "out is not empty; remove it, or name another"));
}
