// A driver that cannot be started: each reason is told with what to do about it.
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/base/text.h"
#include "harness/testing/test.h"
#include "harness/wire/driver.h"

#include <sys/stat.h>

TEST_FOLDER("/tmp/lockpick-driver-advice-XXXXXX");

static void write_script(const char *name, const char *text, mode_t mode)
{
    struct error error;
    char *path = path_join(folder, name);
    assert_int_equal(file_write(path, text, strlen(text), &error), 0);
    assert_int_equal(chmod(path, mode), 0);
    free(path);
}

static int make_folder(void **state)
{
    (void)state;
    if (test_folder_make(folder) != 0)
        return -1;
    write_script("plain.py", "#!/usr/bin/python3\n", 0644);
    write_script("strange.py", "#! /usr/bin/pyton3 -u\n", 0755);
    return 0;
}

static void expect_failure(const char *where, const char *program, const char *wanted)
{
    static const char *const locks[] = {"lock", NULL};
    const char *const command[] = {program, NULL};
    struct foreign_settings foreign = {
        .name = "own", .command = command, .folder = where, .patience_ns = NS_PER_S};
    struct error error = {0};
    _Atomic uint32_t stop = 0;
    struct driver_settings settings = {.foreign = &foreign, .locks = locks, .stop = &stop};
    assert_null(driver_start(&settings, &error));
    if (strstr(error.text, wanted) == NULL)
        fail_msg("'%s' is not in: %s", wanted, error.text);
}

TEST_GROUP(make_folder, remove_test_folder);

TEST(a_file_that_is_not_there_is_named_with_its_folder)
{
    char wanted[100];
    snprintf(wanted, sizeof wanted, "; there is no file %s/none.py", folder);
    expect_failure(folder, "./none.py", wanted);
    expect_failure(folder, "/no/such/program", "; there is no file /no/such/program");
}

TEST(a_script_that_cannot_be_executed_is_told_how)
{
    expect_failure(folder, "./plain.py", "Permission denied; make it executable (chmod +x ");
    expect_failure(folder, "./plain.py", "or put that first: [python3, ./plain.py]");
    expect_failure(folder, "./strange.py",
                   "; its first line says that /usr/bin/pyton3 runs it, which is not there");
}

TEST(a_program_that_is_not_in_the_path_is_told_from_one_in_the_folder)
{
    expect_failure(folder, "perll-of-nobody", "; no program of that name is installed");
    expect_failure(folder, "plain.py", "; a program in the folder is named by a path: ./plain.py");
}

TEST(a_command_in_one_text_is_said_to_be_a_list)
{
    expect_failure(folder, "python3 plain.py",
                   "; 'command' is a list of the program and its arguments: [python3, lock.py]");
}

TEST(a_folder_that_is_not_there_is_not_taken_for_the_program)
{
    expect_failure("/no/such/folder", "sh", "in the folder /no/such/folder: ");
    expect_failure("/no/such/folder", "sh", "; there is no such folder");
}
