// Trials side by side on real Redis servers: all are conducted, each once, whatever becomes of a
// slot.
#include "harness/run/slots.h"

#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/history/reader.h"
#include "harness/run/test_scenario.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS 6
#define NO_JOB JOBS
#define GONE_LIMIT_MS 20000

// What happens in the sandbox, in memory that the test sees.
struct party {
    char folder[64];
    int sure, slots;
    bool loopback;
    size_t kill_during; // the slot that conducts this job dies
    size_t stop_after;  // after so many settled jobs no other is to begin
    bool alternate;     // every other job needs servers of another kind
    int sets;           // of servers that were booted
    int settled[JOBS];
    int conducted[JOBS];
    struct error errors[JOBS];
    bool is_on[JOBS];
    int most_at_once;
    size_t count;
    bool left_behind;
};

static void hear(void *context, const struct slot_job *of, const struct slot_news *news)
{
    struct party *party = context;
    size_t job = (size_t)of->serial - 1;
    int at_once = 0;
    party->is_on[job] = true;
    for (size_t i = 0; i < JOBS; i++)
        at_once += party->is_on[i];
    if (at_once > party->most_at_once)
        party->most_at_once = at_once;
    if (job == party->kill_during && strcmp(news->doing, "running") == 0)
        kill(news->process, SIGKILL);
}

static bool settle(void *context, const struct slot_job *of, int conducted,
                   const struct error *error)
{
    struct party *party = context;
    size_t job = (size_t)of->serial - 1;
    party->settled[job]++;
    party->conducted[job] = conducted;
    party->errors[job] = *error;
    party->is_on[job] = false;
    return ++party->count < party->stop_after;
}

// A pipe whose write end everything inherits that is started from now on: it is closed when the
// last of that is gone. Other processes of the machine, which on loopback are seen, do not count.
static void watch_processes(int witness[2])
{
    if (pipe(witness) != 0)
        abort();
}

static bool leaves_processes_behind(const int witness[2])
{
    close(witness[1]);
    struct pollfd end = {.fd = witness[0], .events = POLLIN};
    bool is_closed = poll(&end, 1, GONE_LIMIT_MS) == 1 && (end.revents & POLLHUP) != 0;
    close(witness[0]);
    return !is_closed || waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
}

#define PAUSED(until)                                                                              \
    "workload: {kind: increment, operations: 40}\n"                                                \
    "clients: {processes: 2, start-first: client-1}\n"                                             \
    "lock: {lease: 5s, wait: 10s, retry: 1ms, request: 1s, stuck-after: 10s}\n"                    \
    "faults: [{when: client-1 after read, pause: client-1, until: " until "}]\n"

static int conduct(const struct sandbox *sandbox, void *context)
{
    struct party *party = context;
    const struct scenario *scenario = scenario_of(PAUSED("500ms"));
    const struct scenario *other =
        scenario_of(PAUSED("500ms") "servers: {redis: {persistence: aof-always}}\n");
    const struct trial trials[] = {
        {.scenario = scenario, .scheme = "redis-set-px-lua", .seed = 7},
        {.scenario = party->alternate ? other : scenario, .scheme = "redis-lua", .seed = 8}};
    const struct trial fatal = {.scenario = scenario_of(PAUSED("59s")), .scheme = "redis-lua"};
    struct slot_job jobs[JOBS];
    char folders[JOBS][80];
    struct server_pool pool;
    const struct slot_listener listener = {.hear = hear, .settle = settle, .context = party};
    int witness[2];
    watch_processes(witness);
    for (int i = 0; i < JOBS; i++) {
        snprintf(folders[i], sizeof folders[i], "%s/%d", party->folder, i);
        jobs[i] = (struct slot_job){.trial = &trials[i % 2], .folder = folders[i], .serial = i + 1};
        if (folder_make(folders[i], NULL) != 0)
            return 1;
    }
    if (party->kill_during != NO_JOB)
        jobs[party->kill_during].trial = &fatal;
    server_pool_start(&pool, sandbox, party->folder);
    slots_conduct(&pool, jobs, JOBS, (struct slot_limits){party->sure, party->slots}, &listener);
    party->sets = atomic_load(pool.sets);
    server_pool_stop(&pool);
    party->left_behind = leaves_processes_behind(witness);
    return 0;
}

static struct party *hold_party(struct party wanted)
{
    struct party *party = memory_shared(sizeof *party);
    *party = wanted;
    snprintf(party->folder, sizeof party->folder, "/tmp/lockpick-slots-test-XXXXXX");
    assert_int_equal(test_folder_make(party->folder), 0);
    assert_int_equal(sandbox_run(party->loopback, conduct, party), 0);
    assert_false(party->left_behind);
    return party;
}

static void end_party(struct party *party)
{
    assert_int_equal(test_folder_remove(party->folder), 0);
    munmap(party, sizeof *party);
}

static void expect_whole_history(const struct party *party, int job)
{
    char path[96];
    AUTO(history_free) struct history history;
    struct error error = {0};
    size_t grants = 0;
    snprintf(path, sizeof path, "%s/%d/history.bin", party->folder, job);
    if (party->conducted[job] != 0)
        fail_msg("job %d: %s", job, party->errors[job].text);
    assert_int_equal(history_load(path, &history, &error), 0);
    for (size_t i = 0; i < history.count; i++)
        grants += history.events[i].kind == EVENT_ACQUIRE_RETURN &&
                  history.events[i].outcome == OUTCOME_OK;
    assert_int_equal(grants, 40);
}

static void expect_each_conducted_once(int sure, int slots, bool loopback)
{
    struct party *party = hold_party((struct party){.sure = sure,
                                                    .slots = slots,
                                                    .loopback = loopback,
                                                    .kill_during = NO_JOB,
                                                    .stop_after = JOBS + 1});
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(party->settled[i], 1);
        expect_whole_history(party, i);
    }
    assert_in_range(party->most_at_once, sure > 1 ? 2 : 1, slots);
    end_party(party);
}

TEST(slots_conduct_each_trial_once_and_at_the_same_time)
{
    expect_each_conducted_once(3, 3, false);
    expect_each_conducted_once(1, 1, false);
}

TEST(on_a_busy_machine_too_each_trial_is_conducted)
{
    pid_t busy[4];
    for (int i = 0; i < 4; i++) {
        busy[i] = fork();
        while (busy[i] == 0)
            continue;
    }
    expect_each_conducted_once(1, 4, false);
    for (int i = 0; i < 4; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
}

TEST(on_loopback_slots_do_not_take_each_others_ports)
{
    expect_each_conducted_once(JOBS, JOBS, true);
}

TEST(a_slot_takes_first_what_needs_the_servers_that_it_has_up)
{
    struct party *party = hold_party((struct party){
        .sure = 1, .slots = 1, .kill_during = NO_JOB, .stop_after = JOBS + 1, .alternate = true});
    for (int i = 0; i < JOBS; i++)
        expect_whole_history(party, i);
    assert_int_equal(party->sets, 2);
    end_party(party);
}

TEST(a_slot_that_is_killed_is_an_error_of_its_trial_only)
{
    for (int slots = 1; slots <= 2; slots++) { // alone, it must be replaced
        struct party *party = hold_party((struct party){
            .sure = slots, .slots = slots, .kill_during = 1, .stop_after = JOBS + 1});
        for (int i = 0; i < JOBS; i++) {
            assert_int_equal(party->settled[i], 1);
            if (i != 1)
                expect_whole_history(party, i);
        }
        assert_int_equal(party->conducted[1], -1);
        assert_non_null(strstr(party->errors[1].text, "ended by signal 9"));
        end_party(party);
    }
}

TEST(when_it_is_told_to_stop_only_trials_that_had_begun_are_ended)
{
    struct party *party =
        hold_party((struct party){.sure = 2, .slots = 2, .kill_during = NO_JOB, .stop_after = 1});
    int settled = 0;
    for (int i = 0; i < JOBS; i++) {
        settled += party->settled[i];
        if (party->settled[i] > 0)
            expect_whole_history(party, i);
    }
    // The first slot may have begun its second trial before it was told.
    assert_in_range(settled, 1, 4);
    end_party(party);
}
