// End to end: disks that fill up, at every stage of a run; and outputs that cannot be written.
#include "harness/cli/test_runs.h"
#include "harness/history/writer.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

static bool can_mount;

static char disk[64];

// A mount namespace of our own, in which nobody else sees our disks.
static bool enter_mount_namespace(void)
{
    char map[64];
    bool is_root = geteuid() == 0;
    uid_t user = geteuid();
    if (unshare(CLONE_NEWNS | (is_root ? 0 : CLONE_NEWUSER)) != 0)
        return false;
    snprintf(map, sizeof map, "0 %u 1", user);
    int descriptor = is_root ? -1 : open("/proc/self/uid_map", O_WRONLY);
    if (descriptor >= 0) {
        (void)!write(descriptor, map, strlen(map));
        close(descriptor);
    }
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static bool mount_disk(int kilobytes)
{
    char options[32];
    snprintf(options, sizeof options, "size=%dk,mode=700", kilobytes);
    return mount("none", disk, "tmpfs", 0, options) == 0;
}

static int prepare(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    snprintf(disk, sizeof disk, "%s/disk", folder);
    can_mount = enter_mount_namespace() && folder_make(disk, NULL) == 0 && mount_disk(4) &&
                umount(disk) == 0;
    write_in(folder, "small.yaml",
             "version: 1\nname: small\nabout: For a test.\n"
             "clients: {processes: 2, threads: 2}\n"
             "workload: {kind: increment, store: shm, operations: 2000}\nschemes: [none]\n");
    return setenv("PATH", "/bin", 1); // pictures are no part of this
}

static int clean_up(void **state)
{
    (void)umount(disk); // of a test that failed
    return remove_test_folder(state);
}

TEST_GROUP(prepare, clean_up);

// The history alone needs some 1.2 MB, what comes before it 8 kB.
TEST(a_run_on_a_disk_that_fills_up_names_the_disk_and_nobody_dies_of_it)
{
    if (!can_mount)
        skip();
    static const int kilobytes[] = {4, 12, 20, 32, 100, 200, 208, 400, 1000};
    static const char *const readers[] = {"report @/disk/run", "check @/disk/run/trials/*",
                                          "history @/disk/run/trials/*"};
    for (size_t i = 0; i < sizeof kilobytes / sizeof *kilobytes; i++) {
        assert_true(mount_disk(kilobytes[i]));
        struct command_result result =
            lockpick("run @/small.yaml --no-namespaces --out @/disk/run");
        if (result.code != 4 ||
            !says(&result, "No space left on device (on the disk mounted at ") ||
            !says(&result, disk) ||
            says(&result, "as expected, 0 missed, 0 without expectation, 0 "))
            fail_msg("a disk of %d kB: exit code %d: %s%s", kilobytes[i], result.code,
                     text_string(&result.output), text_string(&result.errors));
        command_free(&result);
        for (size_t j = 0; j < sizeof readers / sizeof *readers; j++) {
            result = lockpick("%s", readers[j]);
            bool says_why = result.code == 0 || result.output.length + result.errors.length > 0;
            if (result.code > 5 || !says_why)
                fail_msg("%s on a disk of %d kB: exit code %d: %s", readers[j], kilobytes[i],
                         result.code, text_string(&result.errors));
            command_free(&result);
        }
        assert_int_equal(umount(disk), 0);
    }
}

// A hole of a mapped file has no page on such a disk until it is read, and then there is no room.
TEST(holes_of_a_history_can_be_read_on_a_full_disk)
{
    if (!can_mount)
        skip();
    assert_true(mount_disk(400));
    char *path = path_join(disk, "history.bin");
    pid_t writer_process = fork();
    if (writer_process == 0) { // and is killed, as it were: the history is never closed
        struct history_file file;
        struct history_writer writer;
        if (history_file_create(path, 1000000, 1, &file, NULL) != 0)
            _exit(1);
        history_writer_start(&writer, &file, 1, 1);
        for (int i = 0; i < 100; i++)
            history_append(&writer, (struct event){.kind = EVENT_POINT_REACHED});
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(writer_process, &status, 0), writer_process);
    assert_int_equal(status, 0);
    char *filler = path_join(disk, "filler");
    int descriptor = open(filler, O_WRONLY | O_CREAT, 0600);
    char block[512] = "";
    while (write(descriptor, block, sizeof block) > 0)
        continue;
    close(descriptor);
    struct command_result result = lockpick("history @/disk/history.bin");
    int events = 0;
    for (const char *at = text_string(&result.output); (at = strstr(at, "point-reached")) != NULL;
         at++)
        events++;
    assert_int_equal(events, 100);
    command_expect(result, 0, "");
    // Text, too.
    char *text = path_join(disk, "text.edn");
    descriptor = open(text, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(ftruncate(descriptor, 1 << 20), 0);
    close(descriptor);
    command_expect(lockpick("check @/disk/text.edn --model mutex"), 2, "text.edn:1:");
    free(text);
    free(filler);
    free(path);
    assert_int_equal(umount(disk), 0);
}

TEST(an_output_that_cannot_be_written_is_exit_4_and_says_why)
{
    static const char *const commands[] = {
        "--version",
        "--help",
        "help run",
        "list schemes",
        "report @/run",
        "report --json @/run",
        "check @/run",
        "check --json @/run",
        "history @/run/trials/*",
        "compare --json @/run @/run",
        "table @/run",
        "run @/small.yaml --no-namespaces --out @/again",
        "run @/small.yaml --no-namespaces --json --out @/again",
    };
    // Where one worker does it all before the others come, nothing is decided.
    struct command_result ran = lockpick("run @/small.yaml --no-namespaces --out @/run");
    assert_true(ran.code == 0 || ran.code == 3);
    command_free(&ran);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        expect(4, "standard output could not be written to its end: No space left on device",
               "%s >/dev/full 2>@/said; code=$?; { cat @/said; exit $code; }", commands[i]);
        assert_int_equal(shell("rm -rf @/again"), 0);
    }
}
