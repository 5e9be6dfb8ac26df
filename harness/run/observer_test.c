// Who is kept from running is named, and nobody else: real processes, of which some get next to
// nothing of the one processor that they may use.
#include "harness/run/observer.h"

#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/process.h"
#include "harness/history/follower.h"
#include "harness/history/stall.h"
#include "harness/locks/lock.h"
#include "harness/run/usage.h"
#include "harness/testing/test.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    STARVED,  // works, and whoever else works goes before it
    PARENT,   // waits for its child, which is starved
    SLEEPING, // waits for nothing in particular
    STOPPED,  // by a signal, as a fault does it
    HOG,      // works, before those that are starved
};

#define LIMIT_NS (100 * NS_PER_S)

// Of each client and server how long it stood still.
struct seen {
    int64_t clients_ns[8], drivers_ns[8], servers_ns[8];
};

static void work_forever(void)
{
    for (volatile unsigned long count = 0;; count++)
        continue;
}

static void be_starved(void)
{
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    work_forever();
}

static void be(int role)
{
    if (role == STARVED)
        be_starved();
    if (role == HOG)
        work_forever();
    if (role == STOPPED)
        raise(SIGSTOP);
    pid_t parent = getpid();
    if (role == PARENT && fork() == 0) {
        process_settle(parent, -1, -1); // it dies with it
        be_starved();
    }
    for (;;)
        pause();
}

// All on one processor, the first that this process may use.
static pid_t begin(int role)
{
    cpu_set_t allowed;
    int processor = 0;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    while (!CPU_ISSET((size_t)processor, &allowed))
        processor++;
    pid_t parent = getpid();
    pid_t id = fork();
    if (id == 0) {
        if (process_settle(parent, -1, processor) != 0)
            _exit(1);
        be(role);
    }
    assert_true(id > 0);
    return id;
}

static void see(void *context, const struct event *event)
{
    struct seen *seen = context;
    const struct stall stall = stall_of(event);
    if (event->kind != EVENT_STALL || stall.number >= 8)
        return;
    int64_t *stood_ns = stall.of == STALLED_CLIENT   ? seen->clients_ns
                        : stall.of == STALLED_DRIVER ? seen->drivers_ns
                                                     : seen->servers_ns;
    if (stall.of == STALLED_SERVER)
        assert_string_equal(stall.server, "redis-1");
    if (stall.of >= STALLED_CLIENT)
        stood_ns[stall.number] += stall.to_ns - stall.from_ns;
}

TEST(who_is_kept_from_running_is_named_and_nobody_else)
{
    if (!processes_can_be_read())
        skip();
    char folder[] = "/tmp/lockpick-observer-test-XXXXXX";
    assert_int_equal(test_folder_make(folder), 0);
    char *path = path_join(folder, "history.bin");
    struct error error = {0};
    struct control *control =
        mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    static const struct external_client external_client = {0};
    static const struct lock_scheme scheme = {.name = "external_client",
                                              .external_client = &external_client};
    struct scenario scenario = {.fault_count = 1};
    struct trial trial = {.scenario = &scenario};
    struct trial_state trial_state = {.trial = &trial, .scheme = &scheme, .control = control};
    assert_int_equal(history_file_create(path, 10000, 1, &trial_state.history, &error), 0);

    static const int roles[] = {STARVED, PARENT, SLEEPING, STOPPED, HOG};
    struct fault_client clients[5] = {{0}};
    for (size_t i = 0; i < 5; i++)
        clients[i].process = begin(roles[i]);
    struct node node = {.name = "redis-1", .server = begin(STARVED)};
    struct cluster servers = {.nodes = &node, .count = 1};
    pid_t observer = observer_start(&trial_state, clients, 5, &servers, &error);
    assert_true(observer > 0);

    // A server that was restarted is another process, and is known by its name all the same.
    process_kill(node.server);
    node.server = begin(STARVED);
    observer_tell(control, &servers);

    struct seen seen = {{0}, {0}, {0}};
    struct history_follower *follower = history_follower_new(&trial_state.history);
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    while ((seen.clients_ns[1] == 0 || seen.drivers_ns[2] == 0 || seen.servers_ns[1] == 0) &&
           clock_monotonic_ns() < give_up_ns) {
        history_follow(follower, see, &seen);
        clock_sleep_until_ns(clock_monotonic_ns() + 10 * NS_PER_MS);
    }
    process_kill(observer);
    for (size_t i = 0; i < 5; i++)
        process_kill(clients[i].process);
    process_kill(node.server);
    history_follower_free(follower);
    history_file_close(&trial_state.history);
    munmap(control, sizeof *control);
    free(path);
    assert_int_equal(test_folder_remove(folder), 0);

    assert_true(seen.clients_ns[1] >= PROCESS_STALL_NS);
    assert_true(seen.drivers_ns[2] >= PROCESS_STALL_NS);
    assert_true(seen.servers_ns[1] >= PROCESS_STALL_NS);
    assert_int_equal(seen.clients_ns[2], 0);
    assert_int_equal(seen.clients_ns[3], 0);
    assert_int_equal(seen.clients_ns[4], 0);
    assert_int_equal(seen.drivers_ns[1], 0);
}

static void see_machine(void *context, const struct event *event)
{
    const struct stall stall = stall_of(event);
    int64_t *longest_ns = context;
    if (event->kind == EVENT_STALL && stall.of == STALLED_MACHINE)
        *longest_ns = time_later(*longest_ns, stall.to_ns - stall.from_ns);
}

// Otherwise a stall at the end of a trial would be nobody's: the observer is killed when that ends.
TEST(nobody_goes_on_until_the_observer_has_recorded_what_was_until_then)
{
    char folder[] = "/tmp/lockpick-observer-test-XXXXXX";
    assert_int_equal(test_folder_make(folder), 0);
    char *path = path_join(folder, "history.bin");
    struct error error = {0};
    struct control *control =
        mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    static const struct lock_scheme scheme = {.name = "none"};
    struct scenario scenario = {0};
    struct trial trial = {.scenario = &scenario};
    struct trial_state trial_state = {.trial = &trial, .scheme = &scheme, .control = control};
    struct cluster servers = {0};
    assert_int_equal(history_file_create(path, 1000, 1, &trial_state.history, &error), 0);
    pid_t observer = observer_start(&trial_state, NULL, 0, &servers, &error);
    assert_true(observer > 0);
    assert_int_equal(observer_finish(control, observer, &error), 0);

    // It stands still, until somebody else wakes it.
    assert_int_equal(kill(observer, SIGSTOP), 0);
    assert_int_equal(waitpid(observer, NULL, WUNTRACED), observer);
    pid_t waker = fork();
    if (waker == 0) {
        clock_sleep_until_ns(clock_monotonic_ns() + 200 * NS_PER_MS);
        _exit(kill(observer, SIGCONT));
    }
    struct history_follower *follower = history_follower_new(&trial_state.history);
    int64_t longest_ns = 0;
    assert_int_equal(observer_finish(control, observer, &error), 0);
    history_follow(follower, see_machine, &longest_ns);
    assert_true(longest_ns >= 150 * NS_PER_MS);
    assert_int_equal(waitpid(waker, NULL, 0), waker);

    // And for one that is dead nobody waits.
    assert_int_equal(kill(observer, SIGKILL), 0);
    assert_int_equal(observer_finish(control, observer, &error), 0);
    assert_int_equal(waitpid(observer, NULL, 0), observer);
    history_follower_free(follower);
    history_file_close(&trial_state.history);
    munmap(control, sizeof *control);
    free(path);
    assert_int_equal(test_folder_remove(folder), 0);
}
