// The main of every test program; see test.h.
#include "harness/cluster/process.h"
#include "harness/testing/test.h"

#include <fnmatch.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// In the order of files, and of their places there: constructors come in any.
static struct test *all;

// What is asked for.
static char **patterns;
static int pattern_count;
static const struct test *file; // the first test of the file that runs

static int order(const struct test *one, const struct test *other)
{
    int by_file = strcmp(one->file, other->file);
    return by_file != 0 ? by_file : one->place - other->place;
}

void test_register(struct test *test)
{
    struct test **at = &all;
    while (*at != NULL && order(*at, test) < 0)
        at = &(*at)->next;
    test->next = *at;
    *at = test;
}

// Without folders and `.c`.
static const char *name_of(const struct test *test, char name[static 256])
{
    const char *slash = strrchr(test->file, '/');
    snprintf(name, 256, "%s", slash != NULL ? slash + 1 : test->file);
    char *dot = strrchr(name, '.');
    if (dot != NULL)
        *dot = '\0';
    return name;
}

static const struct test *next_file(const struct test *test)
{
    const char *name = test->file;
    while (test != NULL && strcmp(test->file, name) == 0)
        test = test->next;
    return test;
}

// A pattern is of a test's name, or of its file's, with or without `_test`.
static bool is_asked_for(const struct test *test)
{
    char name[256], shorter[256];
    if (test->cmocka.name == NULL)
        return false;
    snprintf(shorter, sizeof shorter, "%.*s", (int)(strlen(name_of(test, name)) - strlen("_test")),
             name);
    for (int i = 0; i < pattern_count; i++) {
        const char *pattern = patterns[i];
        if (fnmatch(pattern, test->cmocka.name, 0) == 0 || fnmatch(pattern, name, 0) == 0 ||
            fnmatch(pattern, shorter, 0) == 0)
            return true;
    }
    return pattern_count == 0;
}

static int count_asked_for(const struct test *from, const struct test *end)
{
    int count = 0;
    for (const struct test *test = from; test != end; test = test->next)
        count += is_asked_for(test);
    return count;
}

static void skip_it(void **state)
{
    (void)state;
    skip();
}

// Those up to `end` that are asked for, which share the fixture of `group` (NULL: none).
static int run_group(const struct test *group, const struct test *from, const struct test *end,
                     bool are_skipped)
{
    char name[256];
    struct CMUnitTest *tests = calloc((size_t)count_asked_for(from, end) + 1, sizeof *tests);
    size_t count = 0;
    for (const struct test *test = from; tests != NULL && test != end; test = test->next)
        if (is_asked_for(test)) {
            tests[count] = test->cmocka;
            if (are_skipped)
                tests[count] = (struct CMUnitTest){.name = test->cmocka.name, .test_func = skip_it};
            count++;
        }
    bool has_fixture = group != NULL && !are_skipped;
    int failed = count == 0
                     ? 0
                     : _cmocka_run_group_tests(name_of(from, name), tests, count,
                                               has_fixture ? group->cmocka.setup_func : NULL,
                                               has_fixture ? group->cmocka.teardown_func : NULL);
    free(tests);
    return failed;
}

static int run_groups(bool are_skipped)
{
    const struct test *end = next_file(file);
    if (count_asked_for(file, end) == 0) {
        fprintf(stderr, "no test matches; --list names them\n");
        return 2;
    }
    int failed = 0;
    for (const struct test *group = NULL, *from = file, *to; from != end; group = from = to) {
        to = from == group ? from->next : from;
        while (to != end && !to->begins_group)
            to = to->next;
        failed += run_group(group, from, to, are_skipped);
    }
    return failed == 0 ? 0 : 1;
}

int tests_run(int count, char **words)
{
    patterns = words + 1;
    pattern_count = count - 1;
    return run_groups(false);
}

int tests_skip(const char *why)
{
    fprintf(stderr, "%s\n", why);
    return run_groups(true);
}

static int run_file(int count, char **words)
{
    for (const struct test *test = file; test != next_file(file); test = test->next)
        if (test->main != NULL)
            return test->main(count, words);
    return tests_run(count, words);
}

// So that a test which crashes takes only those of its own file with it.
static bool passes_apart(int count, char **words)
{
    char name[256];
    name_of(file, name);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        words[0] = name;
        exit(run_file(count, words));
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        perror("a process for the tests");
    else if (WIFSIGNALED(status))
        fprintf(stderr, "%s: %s\n", name, strsignal(WTERMSIG(status)));
    return status == 0;
}

static int run_room(int count, char **words)
{
    int run = 0, failed = 0;
    for (file = all; file != NULL; file = next_file(file))
        if (count_asked_for(file, next_file(file)) > 0) {
            run++;
            failed += !passes_apart(count, words);
        }
    fprintf(stderr, "%d files, %d failed\n", run, failed);
    return run == 0 ? 2 : failed > 0;
}

static int list(const struct test *from, const struct test *end)
{
    char name[256];
    for (const struct test *test = from; test != end; test = test->next)
        if (test->cmocka.name != NULL)
            printf("%s %s\n", name_of(test, name), test->cmocka.name);
    return 0;
}

// PROGRAM [PATTERN...] or PROGRAM --list; a file that has a main of its own may have other words.
int main(int count, char **words)
{
    char name[256];
    programs_of_system_find();
    const char *slash = strrchr(words[0], '/');
    const char *called = slash != NULL ? slash + 1 : words[0];
    for (file = all; file != NULL && strcmp(name_of(file, name), called) != 0;)
        file = next_file(file);
    if (file == NULL && fnmatch("*_test", called, 0) == 0) {
        fprintf(stderr, "%s: no file of tests is called that\n", called);
        return 2;
    }
    if (count == 2 && strcmp(words[1], "--list") == 0)
        return file != NULL ? list(file, next_file(file)) : list(all, NULL);
    patterns = words + 1;
    pattern_count = count - 1;
    return file != NULL ? run_file(count, words) : run_room(count, words);
}

// What the sanitizers must overlook in the ZooKeeper client library: it leaks what it still has to
// tell when a session is closed that has just been cut off, as zk_expire does; and its sessions
// share a buffer in which they write addresses for the log.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libzookeeper_mt";
}

const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race_top:vsprintf";
}
