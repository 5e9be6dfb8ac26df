// Who is kept from running is named, and nobody else: real processes, of which some get next to
// nothing of the one processor that they may use.
#include "harness/run/observer.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/process.h"
#include "harness/history/event.h"
#include "harness/history/follower.h"
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
    STOPPED,  // by a signal
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

// All on one processor, the first that this process may use. One that is to wait or to be stopped
// does when this returns: until then it may be kept from running, too.
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
    struct process_entry entry = {.state = 'R'};
    while (role != STARVED && role != HOG && strchr("RD", entry.state) != NULL &&
           process_read(id, &entry))
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
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

// A trial that is observed.
struct observed {
    char folder[40];
    struct scenario scenario;
    struct trial trial;
    struct trial_state state;
    pid_t observer;
    struct history_follower *follower;
};

static void observe(struct observed *observed, const struct lock_scheme *scheme,
                    struct fault_client *clients, int count, struct cluster *servers)
{
    static struct fault_instance fault;
    struct error error = {0};
    *observed = (struct observed){.folder = "/tmp/lockpick-observer-test-XXXXXX",
                                  .scenario = {.faults = &fault, .fault_count = count > 0},
                                  .trial = {.scenario = &observed->scenario},
                                  .state = {.trial = &observed->trial,
                                            .scheme = scheme,
                                            .control = memory_shared(sizeof(struct control))}};
    assert_int_equal(test_folder_make(observed->folder), 0);
    AUTO_FREE char *path = path_join(observed->folder, "history.bin");
    assert_int_equal(history_file_create(path, 10000, 1, &observed->state.history, &error), 0);
    observed->observer = observer_start(&observed->state, clients, count, servers, &error);
    assert_true(observed->observer > 0);
    observed->follower = history_follower_new(&observed->state.history);
}

static void end_observing(struct observed *observed)
{
    history_follower_free(observed->follower);
    history_file_close(&observed->state.history);
    munmap(observed->state.control, sizeof *observed->state.control);
    assert_int_equal(test_folder_remove(observed->folder), 0);
}

TEST(who_is_kept_from_running_is_named_and_nobody_else)
{
    if (!processes_can_be_read())
        skip();
    static const struct external_client external_client = {0};
    static const struct lock_scheme scheme = {.name = "external_client",
                                              .external_client = &external_client};
    static const int roles[] = {STARVED, PARENT, SLEEPING, STOPPED, STOPPED, HOG};
    struct fault_client clients[7] = {[3] = {.is_to_stop = true}}; // the last one has ended
    int64_t began_ns = clock_monotonic_ns();
    for (size_t i = 0; i < 6; i++)
        clients[i].process = begin(roles[i]);
    pid_t stranger = begin(STARVED); // which is nobody's program
    struct node node = {.name = "redis-1", .server = begin(STARVED)};
    struct cluster servers = {.nodes = &node, .count = 1};
    struct observed observed;
    observe(&observed, &scheme, clients, 7, &servers);

    // A server that was restarted is another process, and is known by its name all the same.
    process_kill(node.server);
    node.server = begin(STARVED);
    observer_tell(observed.state.control, &servers);

    struct seen seen = {{0}, {0}, {0}};
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    while ((seen.clients_ns[1] == 0 || seen.drivers_ns[2] == 0 || seen.clients_ns[5] == 0 ||
            seen.servers_ns[1] == 0) &&
           clock_monotonic_ns() < give_up_ns) {
        history_follow(observed.follower, see, &seen);
        clock_sleep_until_ns(clock_monotonic_ns() + 10 * NS_PER_MS);
    }
    process_kill(observed.observer);
    int64_t ran_ns;
    assert_true(process_clock_read(clients[5].process, &ran_ns));
    int64_t not_run_ns = clock_monotonic_ns() - began_ns - ran_ns;
    for (size_t i = 0; i < 6; i++)
        process_kill(clients[i].process);
    process_kill(node.server);
    process_kill(stranger);
    end_observing(&observed);

    assert_true(seen.clients_ns[1] >= PROCESS_STALL_NS);
    assert_true(seen.drivers_ns[2] >= PROCESS_STALL_NS);
    assert_true(seen.servers_ns[1] >= PROCESS_STALL_NS);
    assert_int_equal(seen.clients_ns[2], 0);
    assert_int_equal(seen.clients_ns[3], 0);
    assert_int_equal(seen.clients_ns[4], 0);
    assert_true(seen.clients_ns[5] >= PROCESS_STALL_NS);
    // Others may go before it, too, but never while it runs; a twentieth of the time is as nothing.
    assert_true(seen.clients_ns[6] - seen.clients_ns[6] / 20 <= not_run_ns);
    assert_int_equal(seen.drivers_ns[1], 0);
    assert_int_equal(seen.drivers_ns[7], 0);
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
    static const struct lock_scheme scheme = {.name = "none"};
    struct error error = {0};
    struct cluster servers = {0};
    struct observed observed;
    observe(&observed, &scheme, NULL, 0, &servers);
    struct control *control = observed.state.control;
    pid_t observer = observed.observer;
    assert_int_equal(observer_finish(control, observer, &error), 0);

    // It stands still, until somebody else wakes it.
    assert_int_equal(kill(observer, SIGSTOP), 0);
    assert_int_equal(waitpid(observer, NULL, WUNTRACED), observer);
    pid_t waker = fork();
    if (waker == 0) {
        clock_sleep_until_ns(clock_monotonic_ns() + 200 * NS_PER_MS);
        _exit(kill(observer, SIGCONT));
    }
    int64_t longest_ns = 0;
    assert_int_equal(observer_finish(control, observer, &error), 0);
    history_follow(observed.follower, see_machine, &longest_ns);
    assert_true(longest_ns >= 150 * NS_PER_MS);
    assert_int_equal(waitpid(waker, NULL, 0), waker);

    // And for one that is dead nobody waits.
    assert_int_equal(kill(observer, SIGKILL), 0);
    assert_int_equal(observer_finish(control, observer, &error), 0);
    assert_int_equal(waitpid(observer, NULL, 0), observer);
    end_observing(&observed);
}
