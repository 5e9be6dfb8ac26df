// The preload that comes between a server and its disk, in programs that write as servers do, and
// what is lost of data and damaged in them.
#include "harness/cluster/disk.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/process.h"
#include "harness/testing/test.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
    char home[64];
    char *data;
    struct disk_state *disk;
};

static int start(void **state)
{
    static struct fixture fixture;
    struct error error = {0};
    strcpy(fixture.home, "/tmp/lockpick-disk-XXXXXX");
    if (test_folder_make(fixture.home) != 0)
        return -1;
    fixture.data = path_join(fixture.home, "data");
    AUTO_FREE char *path = path_join(fixture.home, NODE_DISK_FILE);
    fixture.disk = file_share(path, sizeof *fixture.disk, "for a test", &error);
    *state = &fixture;
    return fixture.disk != NULL ? folder_make(fixture.data, &error) : -1;
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    munmap(fixture->disk, sizeof *fixture->disk);
    free(fixture->data);
    return test_folder_remove(fixture->home);
}

// Runs the script in the data folder as a server would be. Its exit status; what it printed is in
// `output`.
static int run(const struct fixture *fixture, const char *script, struct text *output)
{
    struct error error = {0};
    AUTO_TEXT struct text disk = {0};
    AUTO_TEXT struct text preload = {0};
    AUTO_TEXT struct text folder = {0};
    AUTO_FREE char *library = clock_preload_path(&error);
    assert_non_null(library);
    text_format(&disk, DISK_VARIABLE "=%s/" NODE_DISK_FILE, fixture->home);
    text_format(&preload, "LD_PRELOAD=%s", library);
    text_format(&folder, "--chdir=%s", fixture->data);
    const char *const arguments[] = {"env", folder.bytes, "LC_ALL=C", disk.bytes, preload.bytes,
                                     "sh",  "-c",         script,     NULL};
    return process_run(arguments, "", -1, PROCESS_LIMIT, output, &error);
}

// "" for success, else what it said.
static void expect(const struct fixture *fixture, const char *script, const char *said)
{
    AUTO_TEXT struct text output = {0};
    int status = run(fixture, script, &output);
    if ((status == 0) != (said[0] == '\0') || strstr(text_string(&output), said) == NULL)
        fail_msg("%s: exit status %d, %s", script, status, text_string(&output));
}

#define NO_ROOM "No space left on device"

// A test on a disk, with a node that has it.
#define DISK_TEST(title)                                                                           \
    static void title##_on(const struct fixture *fixture, struct node node);                       \
    TEST_WITH(title, start, stop)                                                                  \
    {                                                                                              \
        const struct fixture *made = *state;                                                       \
        title##_on(made, (struct node){                                                            \
                             .name = "redis-1", .home = (char *)made->home, .data = made->data});  \
    }                                                                                              \
    static void title##_on(__attribute__((unused)) const struct fixture *fixture,                  \
                           __attribute__((unused)) struct node node)

DISK_TEST(a_full_disk_refuses_what_needs_room)
{
    expect(fixture, "printf 12345678 > old", "");
    atomic_store(&fixture->disk->mode, DISK_FULL);
    expect(fixture, "printf 9 >> old", "I/O error"); // as the shell puts it
    expect(fixture, "printf 9 > new", NO_ROOM);
    expect(fixture, "mkdir ../data/deep 2>/dev/null; printf 9 > deep/new", NO_ROOM);
    expect(fixture, "dd if=/dev/zero of=old bs=5 seek=1 count=1 conv=notrunc", NO_ROOM);
    expect(fixture, "fallocate -l 4096 old", NO_ROOM);
    assert_int_equal(atomic_load(&fixture->disk->met), 5);
}

DISK_TEST(a_full_disk_lets_pass_what_it_has_room_for)
{
    expect(fixture, "printf 12345678 > old", "");
    atomic_store(&fixture->disk->mode, DISK_FULL);
    expect(fixture, "printf abcd | dd of=old conv=notrunc,fsync && cat old", "");
    expect(fixture, "cat old && printf 1 > ../elsewhere && printf 1 >> ../elsewhere", "");
    expect(fixture, "printf 1 | cat", "");
    expect(fixture, "rm old", "");
    assert_int_equal(atomic_load(&fixture->disk->met), 0);
}

DISK_TEST(a_hole_has_no_room_on_a_full_disk)
{
    expect(fixture, "truncate -s 1M holes", "");
    atomic_store(&fixture->disk->mode, DISK_FULL);
    expect(fixture, "printf 1 | dd of=holes conv=notrunc", NO_ROOM);
}

DISK_TEST(a_disk_that_was_full_is_sound_with_the_next_write)
{
    atomic_store(&fixture->disk->mode, DISK_AGAIN);
    expect(fixture, "printf 1 > ../elsewhere; cat ../elsewhere", "");
    assert_int_equal(atomic_load(&fixture->disk->mode), DISK_AGAIN);
    expect(fixture, "printf 1 > new", "");
    assert_int_equal(atomic_load(&fixture->disk->mode), DISK_SOUND);
}

DISK_TEST(a_slow_disk_takes_so_long_for_each_write_and_flush)
{
    atomic_store(&fixture->disk->delay_ns, 100 * NS_PER_MS);
    atomic_store(&fixture->disk->mode, DISK_SLOW);
    int64_t from_ns = clock_monotonic_ns();
    expect(fixture, "dd if=/dev/zero of=new bs=1 count=3 conv=fsync", "");
    assert_true(clock_monotonic_ns() - from_ns >= 400 * NS_PER_MS);
    assert_int_equal(atomic_load(&fixture->disk->met), 4);
}

// A delay of an hour ends with the fault, not with the hour.
DISK_TEST(a_write_that_is_held_up_goes_on_once_the_disk_is_sound)
{
    int status = -1;
    atomic_store(&fixture->disk->delay_ns, 3600 * NS_PER_S);
    atomic_store(&fixture->disk->mode, DISK_SLOW);
    pid_t child = fork();
    if (child == 0) {
        expect(fixture, "printf 1 > new", "");
        _exit(0);
    }
    AWAIT(atomic_load(&fixture->disk->met) != 0);
    assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    atomic_store(&fixture->disk->mode, DISK_SOUND);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

DISK_TEST(what_was_written_since_is_gone_until_the_disk_has_settled)
{
    struct error error = {0};
    expect(fixture, "mkdir deep && printf before > deep/file && printf 1 > going", "");
    assert_int_equal(disk_roll_back(&node, &error), 0); // nothing to go back to
    assert_int_equal(disk_keep(&node, &error), 0);
    for (int round = 0; round < 2; round++) {
        expect(fixture, "printf since >> deep/file && rm going && printf 1 > new", "");
        assert_int_equal(disk_roll_back(&node, &error), 0);
        expect(fixture, "test \"$(cat deep/file)\" = before && test -e going && test ! -e new", "");
    }
    expect(fixture, "printf since >> deep/file", "");
    disk_settle(&node);
    assert_int_equal(disk_roll_back(&node, &error), 0);
    expect(fixture, "test \"$(cat deep/file)\" = beforesince && test ! -e ../" NODE_KEPT_DATA, "");
}

DISK_TEST(bits_are_turned_round_where_the_seed_says)
{
    struct error error = {0};
    char told[2][120];
    AUTO_TEXT struct text content = {0};
    expect(fixture,
           "mkdir deep; head -c 1000 /dev/zero | tr '\\0' x > deep/a; "
           "truncate -s 1M deep/a; printf '' > empty",
           "");
    AUTO_FREE char *path = path_join(fixture->data, "deep/a");
    size_t turned = 0;
    // The same seed twice: the second one takes the first back.
    for (int round = 0; round < 2; round++) {
        assert_int_equal(disk_flip_bits(&node, 3, told[round], sizeof told[round], &error), 0);
        text_free(&content);
        assert_int_equal(file_read(path, &content, NULL), 0);
        assert_int_equal(content.length, 1 << 20);
        size_t other = 0;
        for (size_t i = 0; i < content.length; i++)
            other += content.bytes[i] != (i < 1000 ? 'x' : 0);
        turned = round == 0 ? other : turned;
        assert_int_equal(round == 0 ? 1 : 0, round == 0 ? turned >= 1 && turned <= 4 : other);
    }
    assert_string_equal(told[0], told[1]);
    assert_non_null(strstr(told[0], "deep/a, bytes "));
    node.ready_ns = clock_realtime_ns() + NS_PER_S; // none was written since: then any
    assert_int_equal(disk_flip_bits(&node, 3, told[1], sizeof told[1], &error), 0);
    assert_string_equal(told[0], told[1]);
}

DISK_TEST(nothing_can_be_damaged_where_nothing_is)
{
    struct error error = {0};
    char told[120];
    MUST_FAIL(-1, disk_flip_bits(&node, 3, told, sizeof told, &error), "redis-1 has no data");
}
