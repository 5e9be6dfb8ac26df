// The folder of known failures: each of the known ones is there, or is said not to be, and why.
#include "harness/cli/test_command.h"
#include "harness/testing/test.h"

#include <dirent.h>

#define FOLDER "scenarios/failures"
#define KNOWN 109

static bool has_file(int number)
{
    char beginning[16];
    bool found = false;
    snprintf(beginning, sizeof beginning, "f%02d-", number);
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry; !found && (entry = readdir(folder)) != NULL;)
        found = strncmp(entry->d_name, beginning, strlen(beginning)) == 0;
    closedir(folder);
    return found;
}

TEST(every_known_failure_is_reproduced_or_said_not_to_be)
{
    struct text reasons = {0};
    assert_int_equal(file_read(FOLDER "/not-reproduced.txt", &reasons, NULL), 0);
    for (int number = 1; number <= KNOWN; number++) {
        char line[16];
        snprintf(line, sizeof line, "\nF%02d | ", number);
        bool is_excused = strstr(reasons.bytes, line) != NULL ||
                          strncmp(reasons.bytes, line + 1, strlen(line + 1)) == 0;
        if (has_file(number) == is_excused)
            fail_msg("F%02d: %s", number,
                     is_excused ? "there is a scenario, and a reason why there is none"
                                : "there is neither a scenario nor a reason");
    }
    text_free(&reasons);
}

// What was seen of a scenario, in each column: all of it as expected.
static void check_counts(const char *seen, const char *row)
{
    size_t columns = 0;
    const char *end = strchr(seen, '\n');
    for (const char *next = seen; next != NULL && next < end; next = strchr(next + 1, '|')) {
        size_t as_expected = 0;
        size_t trials = 0;
        if (next[1] == '\n')
            break;
        if (sscanf(next, "| %zu of %zu,", &as_expected, &trials) != 2 || trials == 0 ||
            as_expected < trials)
            fail_msg("not always as expected: %s%.60s", row, next);
        columns++;
    }
    if (columns == 0)
        fail_msg("never run: %s", row);
}

// Returns how many there are.
static size_t check_rows(const char *folder)
{
    struct text page = {0};
    struct text path = {0};
    struct text arguments = {0};
    text_format(&path, "%s/README.md", folder);
    text_format(&arguments, "table %s", folder);
    assert_int_equal(file_read(path.bytes, &page, NULL), 0);
    struct command_result table = run_lockpick(arguments.bytes);
    assert_int_equal(table.code, 0);
    size_t rows = 0;
    char *rest = table.output.bytes;
    for (char *row = strsep(&rest, "\n"); row != NULL; row = strsep(&rest, "\n")) {
        if (strstr(row, "`lockpick run ") == NULL)
            continue;
        const char *found = strstr(page.bytes, row);
        if (found == NULL)
            fail_msg("%s is not up to date (scripts/failures-table): %s", path.bytes, row);
        else
            check_counts(found + strlen(row) - 1, row);
        rows++;
    }
    command_free(&table);
    text_free(&page);
    text_free(&path);
    text_free(&arguments);
    return rows;
}

TEST(each_scenario_has_its_row_and_came_out_as_expected)
{
    assert_true(check_rows(FOLDER) > 60);
}

TEST(so_has_each_of_other_people_s_locks)
{
    assert_true(check_rows(FOLDER "/third-party") >= 9);
}
