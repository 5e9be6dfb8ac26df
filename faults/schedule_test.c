// The schedule of faults against real processes that do nothing but wait.
#include "faults/schedule.h"
#include "harness/testing/test.h"

#include "harness/base/clock.h"
#include "harness/base/processes.h"
#include "harness/history/reader.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS 2

struct fixture {
    char path[64];
    struct history_file file;
    struct history_writer writer;
    struct point_board board;
    struct fault_client clients[CLIENTS];
    struct fault_instance instances[2];
    struct scenario scenario;
    struct fault_environment environment;
    struct schedule *schedule;
};

static struct fixture fixture;

static int start(void **state)
{
    struct error error;
    (void)state;
    fixture = (struct fixture){.path = "/tmp/lockpick-schedule-test-XXXXXX"};
    close(mkstemp(fixture.path));
    if (history_file_create(fixture.path, 1000, 1, &fixture.file, &error) != 0)
        return -1;
    history_writer_start(&fixture.writer, &fixture.file, 0, 0);
    for (int i = 0; i < CLIENTS; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (;;)
                pause();
        }
        fixture.clients[i].process = child;
        history_writer_start(&fixture.clients[i].writer, &fixture.file, i + 1, 0);
    }
    fixture.scenario.faults = fixture.instances;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    schedule_free(fixture.schedule);
    for (int i = 0; i < CLIENTS; i++) {
        if (fixture.clients[i].process == 0)
            continue;
        kill(fixture.clients[i].process, SIGKILL);
        waitpid(fixture.clients[i].process, NULL, 0);
    }
    history_file_close(&fixture.file);
    unlink(fixture.path);
    return 0;
}

static struct fault_instance instance_at(int number, const char *verb, int client, int64_t at_ns)
{
    return (struct fault_instance){.number = number,
                                   .verb = verb,
                                   .target = {.client = client},
                                   .at_ns = at_ns,
                                   .nth = 1,
                                   .bound_ns = strcmp(verb, "kill") == 0 ? -1 : NS_PER_S};
}

// A pause of the client at that point of a client, from a time on (-1: any).
static struct fault_instance instance_at_point(int number, int client, struct point_name point,
                                               int64_t at_ns)
{
    struct fault_instance instance = instance_at(number, "pause", client, at_ns);
    instance.point_count = 1;
    instance.points[0] = point;
    return instance;
}

static void begin(size_t instances, int64_t start_ns)
{
    fixture.scenario.fault_count = instances;
    fixture.environment = (struct fault_environment){.scenario = &fixture.scenario,
                                                     .board = &fixture.board,
                                                     .clients = fixture.clients,
                                                     .client_count = CLIENTS};
    fixture.schedule = schedule_new(&fixture.environment, &fixture.writer);
    schedule_start(fixture.schedule, start_ns);
}

static size_t count(enum event_kind kind, int instance)
{
    AUTO(history_free) struct history history;
    struct error error;
    size_t found = 0;
    assert_int_equal(history_load(fixture.path, &history, &error), 0);
    for (size_t i = 0; i < history.count; i++)
        found += history.events[i].kind == kind &&
                 (instance == 0 || history.events[i].fault_number == instance);
    return found;
}

static void advance(int64_t now_ns)
{
    schedule_advance(fixture.schedule, now_ns);
}

static void see(struct event event)
{
    schedule_see(fixture.schedule, &event);
}

static struct event grant_to(int client, int64_t at_ns)
{
    return (struct event){
        .kind = EVENT_ACQUIRE_RETURN, .client = (uint16_t)client, .worker = 1, .at_ns = at_ns};
}

static struct event reaching(int client, int number, int64_t at_ns)
{
    return (struct event){.kind = EVENT_POINT_REACHED,
                          .client = (uint16_t)client,
                          .worker = 1,
                          .fault_number = (uint8_t)number,
                          .at_ns = at_ns};
}

static char state_of(pid_t process)
{
    struct process_entry entry;
    return process_read(process, &entry) ? entry.state : '?';
}

// The kernel takes a moment to stop a process: looks again until the event is there.
static void advance_until(enum event_kind kind, int instance)
{
    while (count(kind, instance) == 0)
        advance(1);
}

TEST_WITH(a_pause_by_time_stops_the_process_and_heals_at_its_bound, start, stop)
{
    fixture.instances[0] = instance_at(1, "pause", 1, 5 * NS_PER_S);
    begin(1, 100);
    advance(5 * NS_PER_S);
    assert_int_equal(count(EVENT_FAULT_ASKED, 1), 0);
    assert_true(schedule_next_ns(fixture.schedule) == 5 * NS_PER_S + 100);
    advance(5 * NS_PER_S + 100);
    advance_until(EVENT_FAULT_IN_EFFECT, 1);
    assert_int_equal(state_of(fixture.clients[0].process), 'T');
    assert_true(schedule_now(fixture.schedule).is_striking);
    advance(schedule_next_ns(fixture.schedule) - 1);
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 0);
    advance(schedule_next_ns(fixture.schedule));
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 1);
    assert_true(state_of(fixture.clients[0].process) != 'T');
    assert_false(schedule_now(fixture.schedule).is_waiting);
}

TEST_WITH(a_cause_counts_only_after_the_fault_is_in_effect, start, stop)
{
    fixture.instances[0] = instance_at(1, "pause", 1, 0);
    fixture.instances[0].until = (struct cause){.kind = CAUSE_HOLDS, .target = {.client = 2}};
    struct event early = grant_to(2, clock_monotonic_ns());
    begin(1, 0);
    advance_until(EVENT_FAULT_IN_EFFECT, 1);
    struct event not_granted = grant_to(2, clock_monotonic_ns());
    not_granted.outcome = OUTCOME_UNKNOWN;
    see(early);
    see(grant_to(1, clock_monotonic_ns()));
    see(not_granted);
    advance(1);
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 0);
    see(grant_to(2, clock_monotonic_ns()));
    advance(1);
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 1);
}

TEST_WITH(a_cause_counts_from_where_a_held_worker_came_to_its_point, start, stop)
{
    fixture.instances[0] = instance_at_point(
        1, 1, (struct point_name){.client = 1, .worker = 1, .moment = MOMENT_AFTER, .what = "read"},
        -1);
    fixture.instances[0].target.worker = 1;
    fixture.instances[0].until = (struct cause){.kind = CAUSE_HOLDS, .target = {.client = 2}};
    begin(1, 0);
    atomic_store(&fixture.board.traps[0].reached_by, 1);
    atomic_store(&fixture.board.traps[0].state, POINT_REACHED);
    see(reaching(1, 1, 1000));
    see(grant_to(2, 1001)); // before anybody had noticed that the worker stands
    advance(2000);
    advance(2000);
    assert_int_equal(count(EVENT_FAULT_IN_EFFECT, 1), 1);
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 1);
}

TEST_WITH(a_kill_is_recorded_as_the_death_of_its_client, start, stop)
{
    fixture.instances[0] = instance_at(1, "kill", 2, 0);
    begin(1, 0);
    advance_until(EVENT_FAULT_IN_EFFECT, 1);
    assert_int_equal(fixture.clients[1].process, 0);
    assert_true(fixture.clients[1].killed);
    assert_false(fixture.clients[1].is_dying);
    assert_int_equal(count(EVENT_PROCESS_DEATH, 0), 1);
    assert_int_equal(count(EVENT_FAULT_IN_EFFECT, 1), 1);
    assert_false(schedule_now(fixture.schedule).is_striking);
    assert_true(schedule_now(fixture.schedule).has_struck);
}

TEST_WITH(a_fault_on_a_client_that_has_ended_fails_and_says_so, start, stop)
{
    fixture.instances[0] = instance_at(1, "kill", 1, 0);
    fixture.instances[1] = instance_at(2, "pause", 1, 0);
    begin(2, 0);
    advance(1);
    assert_int_equal(count(EVENT_FAULT_FAILED, 2), 1);
    assert_int_equal(count(EVENT_FAULT_IN_EFFECT, 2), 0);
}

TEST_WITH(two_pauses_of_one_client_end_with_the_later, start, stop)
{
    fixture.instances[0] = instance_at(1, "pause", 1, 0);
    fixture.instances[1] = instance_at(2, "pause", 1, 0);
    fixture.instances[1].bound_ns = 5 * NS_PER_S;
    begin(2, 0);
    advance_until(EVENT_FAULT_IN_EFFECT, 1);
    advance_until(EVENT_FAULT_IN_EFFECT, 2);
    advance(clock_monotonic_ns() + 2 * NS_PER_S);
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 1);
    assert_int_equal(state_of(fixture.clients[0].process), 'T');
    advance(clock_monotonic_ns() + 10 * NS_PER_S);
    assert_int_equal(count(EVENT_FAULT_HEALED, 2), 1);
    assert_true(state_of(fixture.clients[0].process) != 'T');
}

TEST_WITH(a_client_that_ended_by_itself_was_not_killed, start, stop)
{
    siginfo_t info;
    fixture.instances[0] = instance_at(1, "kill", 1, 0);
    kill(fixture.clients[0].process, SIGTERM);
    waitid(P_PID, (id_t)fixture.clients[0].process, &info, WEXITED | WNOWAIT);
    begin(1, 0);
    advance(1);
    assert_int_equal(count(EVENT_FAULT_FAILED, 1), 1);
    assert_int_equal(count(EVENT_FAULT_IN_EFFECT, 1), 0);
    assert_int_equal(count(EVENT_PROCESS_DEATH, 0), 0);
}

TEST_WITH(a_fault_after_another_is_armed_when_that_one_is_in_effect, start, stop)
{
    fixture.instances[0] = instance_at(1, "pause", 1, NS_PER_S);
    fixture.instances[1] = instance_at_point(
        2, 2, (struct point_name){.client = 2, .moment = MOMENT_BEFORE, .what = "write"}, -1);
    fixture.instances[1].after = 1;
    begin(2, 0);
    assert_int_equal(atomic_load(&fixture.board.armed), 0);
    advance(NS_PER_S);
    advance_until(EVENT_FAULT_IN_EFFECT, 1);
    assert_int_equal(atomic_load(&fixture.board.armed), 1);
    see(reaching(2, 2, 0));
    advance_until(EVENT_FAULT_IN_EFFECT, 2);
    assert_int_equal(state_of(fixture.clients[1].process), 'T');
}

TEST_WITH(the_end_of_the_trial_heals_and_disarms_everything, start, stop)
{
    fixture.instances[0] = instance_at(1, "pause", 1, 0);
    fixture.instances[1] = instance_at_point(
        2, 2, (struct point_name){.client = 2, .moment = MOMENT_AT, .what = "holds"}, -1);
    begin(2, 0);
    advance_until(EVENT_FAULT_IN_EFFECT, 1);
    schedule_end(fixture.schedule);
    assert_true(state_of(fixture.clients[0].process) != 'T');
    assert_int_equal(atomic_load(&fixture.board.armed), 0);
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 1);
}

// A process that cannot stop before its child has ended; it does when the other end of `hold` is
// closed.
static pid_t start_unstoppable(const int hold[2])
{
    pid_t process = fork();
    if (process == 0) {
        char byte;
        close(hold[1]);
        if (vfork() == 0) {
            (void)!read(hold[0], &byte, 1);
            _exit(0);
        }
        for (;;)
            pause();
    }
    AWAIT(state_of(process) == 'D');
    return process;
}

// A process that does not stop at once (as one that the machine is too busy for) must not do so
// after the end.
TEST_WITH(a_pause_that_is_not_proven_when_the_trial_ends_is_undone, start, stop)
{
    int hold[2];
    assert_int_equal(pipe(hold), 0);
    kill(fixture.clients[0].process, SIGKILL);
    waitpid(fixture.clients[0].process, NULL, 0);
    pid_t process = fixture.clients[0].process = start_unstoppable(hold);
    fixture.instances[0] = instance_at(1, "pause", 1, 0);
    begin(1, 0);
    advance(1);
    assert_int_equal(count(EVENT_FAULT_ASKED, 1), 1);
    schedule_end(fixture.schedule);
    close(hold[0]);
    close(hold[1]);
    AWAIT(state_of(process) == 'S');
    assert_int_equal(count(EVENT_FAULT_IN_EFFECT, 1), 0);
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 0); // it was never in effect
}

TEST_WITH(a_worker_goes_on_once_all_that_follow_at_once_stand, start, stop)
{
    fixture.instances[0] = instance_at_point(
        1, 1, (struct point_name){.client = 2, .moment = MOMENT_BEFORE, .what = "write"}, -1);
    fixture.instances[1] = instance_at(2, "pause", 2, -1);
    fixture.instances[1].after = 1;
    begin(2, 0);
    struct point_trap *trap = &fixture.board.traps[0];
    atomic_store(&trap->state, POINT_REACHED);
    see(reaching(2, 1, 0));
    while (count(EVENT_FAULT_IN_EFFECT, 2) == 0) {
        assert_int_equal(atomic_load(&trap->state), POINT_REACHED);
        advance(1);
    }
    assert_int_equal(count(EVENT_FAULT_IN_EFFECT, 1), 1);
    assert_int_equal(atomic_load(&trap->state), POINT_LET_GO);
}

TEST_WITH(a_cause_can_trigger_and_the_end_of_another_fault_too, start, stop)
{
    fixture.instances[0] = instance_at(1, "pause", 1, -1);
    fixture.instances[0].cause = (struct cause){.kind = CAUSE_TRIES, .target = {.client = 2}};
    fixture.instances[0].name = (char *)"first";
    fixture.instances[1] = instance_at(2, "kill", 2, -1);
    fixture.instances[1].cause = (struct cause){.kind = CAUSE_OVER, .fault_number = 1};
    begin(2, 0);
    advance(1);
    assert_int_equal(count(EVENT_FAULT_ASKED, 0), 0);
    struct event tries = grant_to(2, clock_monotonic_ns());
    tries.kind = EVENT_ACQUIRE_INVOKE;
    see(tries);
    advance_until(EVENT_FAULT_IN_EFFECT, 1);
    assert_int_equal(count(EVENT_FAULT_ASKED, 2), 0);
    advance(clock_monotonic_ns() + 2 * NS_PER_S);
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 1);
    advance_until(EVENT_FAULT_IN_EFFECT, 2);
    assert_int_equal(fixture.clients[1].process, 0);
}

TEST_WITH(what_a_fault_until_the_end_holds_up_is_no_reason_to_wait, start, stop)
{
    fixture.instances[0] = instance_at(1, "pause", 1, 0);
    fixture.instances[0].bound_ns = NO_BOUND;
    begin(1, 0);
    advance_until(EVENT_FAULT_IN_EFFECT, 1);
    assert_true(schedule_next_ns(fixture.schedule) == TIME_NEVER);
    assert_false(schedule_now(fixture.schedule).is_striking);
    assert_true(schedule_now(fixture.schedule).is_lasting);
    schedule_end(fixture.schedule);
    assert_false(schedule_now(fixture.schedule).is_lasting);
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 1);
}

TEST_WITH(a_point_with_a_time_counts_from_that_time_on, start, stop)
{
    fixture.instances[0] = instance_at_point(
        1, 1, (struct point_name){.client = 1, .moment = MOMENT_AFTER, .what = "read"}, NS_PER_S);
    const struct point_trap *trap = &fixture.board.traps[0];
    int64_t now_ns = clock_monotonic_ns();
    begin(1, now_ns);
    assert_int_equal(schedule_next_ns(fixture.schedule), now_ns + NS_PER_S);
    advance(now_ns + NS_PER_S / 2);
    assert_int_equal(trap->match_count, 0);
    advance(now_ns + NS_PER_S);
    assert_int_equal(trap->match_count, 1);
    assert_int_equal(schedule_next_ns(fixture.schedule), TIME_NEVER);
    assert_int_equal(count(EVENT_FAULT_ASKED, 0), 0);
}

TEST_WITH(what_was_drawn_and_has_not_struck_strikes_no_more_once_closed, start, stop)
{
    fixture.instances[0] = instance_at(1, "pause", 1, 0);
    fixture.instances[1] = instance_at(2, "pause", 2, 0);
    fixture.instances[0].drawn = true;
    int64_t now_ns = clock_monotonic_ns();
    begin(2, now_ns);
    schedule_close(fixture.schedule, now_ns);
    advance(now_ns);
    assert_int_equal(count(EVENT_FAULT_ASKED, 1), 0);
    assert_int_equal(count(EVENT_FAULT_ASKED, 2), 1);
}

TEST_WITH(all_is_settled_once_each_client_was_granted_or_had_its_time, start, stop)
{
    fixture.instances[0] = instance_at(1, "pause", 1, 0);
    int64_t now_ns = clock_monotonic_ns();
    begin(1, now_ns);
    while (count(EVENT_FAULT_IN_EFFECT, 1) == 0)
        advance(clock_monotonic_ns());
    assert_false(schedule_has_settled(fixture.schedule, now_ns + NS_PER_S * 60, NS_PER_S));
    advance(clock_monotonic_ns() + 2 * NS_PER_S); // its bound
    assert_int_equal(count(EVENT_FAULT_HEALED, 1), 1);
    now_ns = clock_monotonic_ns();
    assert_false(schedule_has_settled(fixture.schedule, now_ns, NS_PER_S));
    assert_true(schedule_has_settled(fixture.schedule, now_ns + 2 * NS_PER_S, NS_PER_S));
    see(grant_to(1, clock_monotonic_ns()));
    assert_false(schedule_has_settled(fixture.schedule, now_ns, NS_PER_S));
    see(grant_to(2, clock_monotonic_ns()));
    assert_true(schedule_has_settled(fixture.schedule, now_ns, NS_PER_S));
}
