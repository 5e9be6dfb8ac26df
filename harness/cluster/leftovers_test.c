// What is left by processes that were killed: nothing.
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/processes.h"
#include "harness/base/scope.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/data_cache.h"
#include "harness/cluster/memory.h"
#include "harness/cluster/sandbox.h"
#include "harness/cluster/test_server.h"
#include "harness/cluster/topology.h"
#include "harness/testing/test.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_NS (60 * NS_PER_S)

TEST_FOLDER("/tmp/lockpick-leftovers-test-XXXXXX");

static int make_folder(void **state)
{
    (void)state;
    return test_folder_make(folder) != 0 || setenv("XDG_CACHE_HOME", folder, 1) != 0;
}

static bool exists(const char *name)
{
    AUTO_FREE char *path = path_join(folder, name);
    return access(path, F_OK) == 0;
}

// --- processes -----------------------------------------------------------------------------------

// All that live inherit a lock on this file: it is free again when the last of them is gone.
struct witness {
    char path[80];
    int ready[2]; // its init's id comes here
    bool ends;    // by itself, once the other one is there
    struct group_settings group;
    const char *data;  // of its servers
    bool is_hit_early; // while its servers come up
};

// In a session of its own, and nobody's child any more: as daemons are.
static void start_daemon(void)
{
    int born[2];
    char byte = 0;
    assert_int_equal(pipe(born), 0);
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            signal(SIGTERM, SIG_IGN);
            (void)!write(born[1], "y", 1);
            for (;;)
                pause();
        }
        _exit(0);
    }
    assert_int_equal(read(born[0], &byte, 1), 1);
    close(born[0]);
    close(born[1]);
}

static int hold_on(const struct sandbox *sandbox, void *context)
{
    struct witness *witness = context;
    struct cluster cluster;
    struct error error = {0};
    pid_t init = getppid();
    struct cluster_settings settings = {.isolation = sandbox->isolation,
                                        .groups = &witness->group,
                                        .group_count = 1,
                                        .folder = folder,
                                        .serial = 1};
    int descriptor = open(witness->path, O_RDWR); // inherited by servers: no O_CLOEXEC
    flock(descriptor, LOCK_SH);
    start_daemon();
    if (witness->is_hit_early)
        (void)!write(witness->ready[1], &init, sizeof init);
    int result = cluster_open(&cluster, &settings, &error);
    if (!witness->is_hit_early)
        (void)!write(witness->ready[1], &init, result == 0 ? sizeof init : 1);
    while (result == 0 && !witness->ends)
        pause();
    return result;
}

// Wherever they lie.
static bool has_folders(const struct witness *witness)
{
    return exists(witness->data) || exists(SHORT_PATH_LINK);
}

// Waits for the end of all processes, and for the folders of servers to be gone.
static void await_end_of_all(const struct witness *witness)
{
    int descriptor = open(witness->path, O_RDWR | O_CLOEXEC);
    AWAIT(flock(descriptor, LOCK_EX | LOCK_NB) == 0 && !has_folders(witness));
    close(descriptor);
}

// Returns the command's process; *init becomes that of its init.
static pid_t start(struct witness *witness, bool loopback, pid_t *init)
{
    snprintf(witness->path, sizeof witness->path, "%s/witness", folder);
    assert_int_equal(file_write(witness->path, "", 0, NULL), 0);
    assert_int_equal(pipe2(witness->ready, O_CLOEXEC), 0);
    pid_t command = fork();
    if (command == 0)
        _exit(sandbox_run_why(
            loopback ? "for a test" : NULL,
            &(struct sandbox_work){
                .body = hold_on, .context = witness, .sweep = cluster_sweep, .folder = folder}));
    assert_int_equal(read(witness->ready[0], init, sizeof *init), sizeof *init);
    return command;
}

static void await_end(const struct witness *witness, pid_t command)
{
    waitpid(command, NULL, 0);
    await_end_of_all(witness);
    close(witness->ready[0]);
    close(witness->ready[1]);
}

// By a signal to the command or to its init; or by itself (0).
static void start_and_end(bool loopback, int signal_number, bool to_init)
{
    struct witness witness = {
        .ends = signal_number == 0,
        .group = {.name = "redis", .topology = topology_find("redis", "independent"), .count = 2},
        .data = "redis-1/data"};
    pid_t init = 0;
    pid_t command = start(&witness, loopback, &init);
    if (signal_number != 0)
        kill(to_init ? init : command, signal_number);
    if (signal_number != 0 && signal_number != SIGKILL) // the first one asks, the second does not
        kill(command, signal_number == SIGINT ? SIGTERM : SIGINT);
    await_end(&witness, command);
}

TEST_GROUP(make_folder, remove_test_folder);

TEST(nothing_of_a_sandbox_lives_on_however_it_ends_not_even_in_a_session_of_its_own)
{
    static const int signals[] = {0, SIGKILL, SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        start_and_end(false, signals[i], false);
        start_and_end(true, signals[i], false);
    }
    start_and_end(true, SIGKILL, true);
}

static bool descends_from(pid_t process, pid_t ancestor)
{
    struct process_entry entry = {.parent = process};
    while (entry.parent != ancestor && entry.parent > 1 && process_read(entry.parent, &entry))
        continue;
    return entry.parent == ancestor;
}

// The program that the process runs, by the kernel's word (at most 15 bytes); "": it has ended.
static void read_program(pid_t process, char program[16])
{
    char path[64];
    AUTO_TEXT struct text name = {0};
    snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
    (void)file_read(path, &name, NULL);
    snprintf(program, 16, "%.*s", (int)strcspn(text_string(&name), "\n"), text_string(&name));
}

#define MOST_TRANSFERS 64

// Which of all that descend from the command have to do with the transfer of a member's data.
static int find_transfers(pid_t command, pid_t *found)
{
    AUTO_FREE struct process_list all = process_list_read();
    int count = 0;
    bool has_daemon = false;
    for (size_t i = 0; i < all.count && count < MOST_TRANSFERS; i++) {
        char program[16];
        read_program(all.items[i].id, program);
        bool is_daemon = strcmp(program, "rsync") == 0;
        if ((is_daemon || strncmp(program, "wsrep_sst", 9) == 0) &&
            descends_from(all.items[i].id, command)) {
            found[count++] = all.items[i].id;
            has_daemon |= is_daemon;
        }
    }
    return has_daemon ? count : 0;
}

// A member that joins has a script of its server's, which starts an rsync that listens.
TEST(the_transfer_between_members_of_galera_does_not_outlive_a_killed_run_on_loopback)
{
    if (access("/usr/lib/galera/libgalera_smm.so", R_OK) != 0) {
        print_message("skipped: there is no libgalera_smm.so; install galera-4\n");
        skip();
    }
    for (int to_init = 0; to_init < 2; to_init++) {
        struct witness witness = {
            .is_hit_early = true,
            .group = {.name = "mysql", .topology = topology_find("mysql", "galera"), .count = 2},
            .data = "mysql-1/data"};
        pid_t init, transfers[MOST_TRANSFERS];
        int count = 0;
        int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
        pid_t command = start(&witness, true, &init);
        while ((count = find_transfers(command, transfers)) == 0)
            assert_true(clock_monotonic_ns() < give_up_ns);
        kill(to_init ? init : command, SIGKILL);
        AWAIT(!has_folders(&witness)); // they are removed behind everybody
        for (int i = 0; i < count; i++) {
            struct process_entry entry;
            assert_true(!process_read(transfers[i], &entry) || entry.state == 'Z');
        }
        await_end(&witness, command);
    }
}

static int be_killed(const struct sandbox *sandbox, void *context)
{
    (void)sandbox;
    (void)context;
    raise(SIGKILL);
    return 0;
}

static int end_well(const struct sandbox *sandbox, void *context)
{
    (void)sandbox;
    (void)context;
    return 0;
}

static void note(const char *path)
{
    assert_int_equal(file_write(path, "", 0, NULL), 0);
}

TEST(a_sandbox_is_swept_however_its_conductor_ended)
{
    AUTO_FREE char *swept = path_join(folder, "swept");
    struct sandbox_work work = {.body = end_well, .sweep = note, .folder = swept};
    assert_int_equal(sandbox_run_why("for a test", &work), 0);
    assert_true(exists("swept")); // for what a killed process of the conductor's may have left
    assert_int_equal(unlink(swept), 0);
    work.body = be_killed;
    assert_int_equal(sandbox_run_why("for a test", &work), 128 + SIGKILL);
    assert_true(exists("swept"));
}

// --- shared memory -------------------------------------------------------------------------------

// Whether the segment stays when all that have it are gone.
static bool would_stay(int segment)
{
    struct shmid_ds about;
    return shmctl(segment, IPC_STAT, &about) == 0 && (about.shm_perm.mode & SHM_DEST) == 0;
}

// Fails if the process has memory that would outlive it. Returns how many segments it has.
static int look_at_memory(pid_t process)
{
    char path[64];
    char *next;
    int segments = 0, segment;
    AUTO_TEXT struct text maps = {0};
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    if (file_read(path, &maps, NULL) != 0 || maps.length == 0)
        return 0; // it has ended
    assert_null(strstr(maps.bytes, "/dev/shm/"));
    for (char *line = maps.bytes; line != NULL; line = next) {
        next = strchr(line, '\n');
        next = next != NULL ? next + 1 : NULL;
        // Of a segment, the inode is its id.
        char name[16] = "";
        if (sscanf(line, "%*s %*s %*s %*s %d %15s", &segment, name) != 2 ||
            strncmp(name, "/SYSV", 5) != 0)
            continue;
        segments++;
        if (would_stay(segment)) // its maker may be about to say so
            clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_S);
        assert_false(would_stay(segment));
    }
    return segments;
}

// Also those of the programs by which it makes its data, as none are kept here.
TEST(memory_that_postgres_shares_goes_with_its_processes)
{
    int segments = 0, status = 0;
    pid_t maker = fork();
    if (maker == 0) {
        struct test_server server;
        struct stat notes = {0};
        if (test_server_start(&server, "postgres") != 0)
            _exit(1);
        AUTO_FREE char *path = path_join(server.cluster.nodes[0].home, NODE_MEMORY_FILE);
        stat(path, &notes);
        test_server_stop(&server);
        _exit(notes.st_size > 0 ? 0 : 2);
    }
    while (waitpid(maker, &status, WNOHANG) == 0) {
        AUTO_FREE struct process_list all = process_list_read();
        for (size_t i = 0; i < all.count; i++) {
            if (descends_from(all.items[i].id, maker))
                segments += look_at_memory(all.items[i].id);
        }
    }
    assert_int_equal(status, 0);
    assert_true(segments > 0);
}

// A program of the server with this home makes a segment and ends before it has it, as if it were
// killed there. Returns the segment.
static int make_a_segment(const char *home)
{
    struct error error;
    int segment = -1;
    AUTO_FREE char *library = clock_preload_path(&error);
    AUTO_TEXT struct text command = {0};
    assert_non_null(library);
    text_format(&command, "LD_PRELOAD='%s' %s='%s/%s' ipcmk -M 56", library, MEMORY_VARIABLE, home,
                NODE_MEMORY_FILE);
    FILE *said = popen(command.bytes, "r");
    assert_non_null(said);
    assert_int_equal(fscanf(said, "Shared memory id: %d", &segment), 1);
    assert_int_equal(pclose(said), 0);
    return segment;
}

TEST(memory_whose_maker_was_killed_before_it_had_it_is_swept)
{
    AUTO_FREE char *home = path_join(folder, "postgres-1");
    AUTO_FREE char *notes = path_join(home, NODE_MEMORY_FILE);
    assert_int_equal(folder_make(home, NULL), 0);
    assert_int_equal(file_write(notes, "", 0, NULL), 0);
    int unused = make_a_segment(home);
    int used = make_a_segment(home);
    const void *attached = shmat(used, NULL, 0);
    assert_true(would_stay(unused));
    cluster_sweep(folder);
    bool stays = would_stay(unused), used_stays = would_stay(used);
    shmdt(attached);
    shmctl(used, IPC_RMID, NULL);
    shmctl(unused, IPC_RMID, NULL);
    assert_false(stays);
    assert_true(used_stays);
    assert_int_not_equal(access(notes, F_OK), 0);
}

static int leave_a_segment(const struct sandbox *sandbox, void *context)
{
    int segment = shmget(*(key_t *)context, 56, IPC_CREAT | IPC_EXCL | 0600);
    return segment < 0 ? 1 : sandbox->isolation == ISOLATION_NAMESPACES ? 0 : 77;
}

TEST(shared_memory_of_the_namespaces_ends_with_them)
{
    key_t key = (key_t)getpid() << 8 | 0x4c;
    int code = sandbox_run(false, leave_a_segment, &key);
    int left = shmget(key, 0, 0);
    shmctl(left, IPC_RMID, NULL);
    if (code == 77)
        skip();
    assert_int_equal(code, 0);
    assert_int_equal(left, -1);
}

TEST(a_folder_elsewhere_is_removed_after_a_kill)
{
    struct error error;
    struct short_path path;
    AUTO_FREE char *odd = path_join(folder, "odd\nfolder");
    assert_int_equal(folder_make(odd, NULL), 0);
    assert_int_equal(short_path_open(&path, odd, ISOLATION_LOOPBACK, &error), 0);
    assert_int_equal(access(path.path, F_OK), 0);
    cluster_sweep(odd);
    assert_int_not_equal(access(path.path, F_OK), 0);
    assert_false(exists("odd\nfolder/" SHORT_PATH_LINK));
    free(path.link);
}

// --- kept data -----------------------------------------------------------------------------------

static int count_halves(void)
{
    AUTO_FREE char *halves = data_cache_path(".half-*");
    glob_t found;
    int count = glob(halves, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    if (count > 0)
        globfree(&found);
    return count;
}

// So many files that one can be killed in the middle of copying them.
static char *make_data(void)
{
    char *data = path_join(folder, "made");
    assert_int_equal(folder_make(data, NULL), 0);
    for (int i = 0; i < 2000; i++) {
        AUTO_TEXT struct text path = {0};
        text_format(&path, "%s/%d", data, i);
        assert_int_equal(file_write(path.bytes, "content", 7, NULL), 0);
    }
    return data;
}

TEST(half_of_a_kept_data_folder_is_removed)
{
    AUTO_FREE char *data = make_data();
    AUTO_FREE char *cache = data_cache_path("server-1.2");
    AUTO_FREE char *fetched = path_join(folder, "fetched");
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    pid_t keeper = fork();
    if (keeper == 0) {
        data_cache_keep(data, cache, PROCESS_LIMIT);
        _exit(0);
    }
    while (count_halves() == 0 && access(cache, F_OK) != 0)
        assert_true(clock_monotonic_ns() < give_up_ns);
    data_cache_sweep(); // somebody is at it
    assert_true(count_halves() == 1 || access(cache, F_OK) == 0);
    kill(keeper, SIGKILL);
    waitpid(keeper, NULL, 0);
    while (count_halves() > 0) { // its copying dies with it, a moment later
        assert_true(clock_monotonic_ns() < give_up_ns);
        data_cache_sweep();
    }
    data_cache_keep(data, cache, PROCESS_LIMIT);
    assert_int_equal(data_cache_fetch(cache, fetched, PROCESS_LIMIT), 0);
    assert_true(exists("fetched/1999"));
}
