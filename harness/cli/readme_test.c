// What the README and the reference of scenarios show must be true.
#include "harness/cli/test_runs.h"

// The text between the first "```yaml" and the "```" that ends it.
static struct text first_scenario_of_the_readme(void)
{
    struct text readme = {0};
    struct text scenario = {0};
    assert_int_equal(file_read("README.md", &readme, NULL), 0);
    char *from = strstr(readme.bytes, "```yaml\n");
    assert_non_null(from);
    from += strlen("```yaml\n");
    char *to = strstr(from, "```");
    assert_non_null(to);
    text_add_bytes(&scenario, from, (size_t)(to - from));
    text_free(&readme);
    return scenario;
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(the_scenario_of_the_readme_comes_out_as_it_says)
{
    struct text scenario = first_scenario_of_the_readme();
    command_expect(run_scenario("readme", scenario.bytes, ""), 0, "2 as expected");
    text_free(&scenario);
}

TEST(the_example_of_the_reference_comes_out_as_it_says)
{
    static const char heading[] = "A complete example\n\n";
    struct command_result result = run_lockpick("help scenario");
    char *example = strstr(text_string(&result.output), heading);
    assert_non_null(example);
    command_expect(run_scenario("example", example + strlen(heading), ""), 0, "3 as expected");
    command_free(&result);
}

TEST(the_table_of_schemes_is_the_catalogue)
{
    struct text readme = {0};
    assert_int_equal(file_read("README.md", &readme, NULL), 0);
    struct command_result result = run_lockpick("list schemes --markdown");
    assert_int_equal(result.code, 0);
    if (strstr(readme.bytes, result.output.bytes) == NULL)
        fail_msg("README.md does not hold what `lockpick list schemes --markdown` prints");
    command_free(&result);
    text_free(&readme);
}

TEST(the_picture_of_the_readme_is_there)
{
    struct text picture = {0};
    assert_int_equal(file_read("results/reference/timeline.svg", &picture, NULL), 0);
    assert_non_null(strstr(picture.bytes, "</svg>"));
    text_free(&picture);
}
