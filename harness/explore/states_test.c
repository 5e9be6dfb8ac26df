// Schedules of real locks on real servers do the same again each time, and states that are equal go
// on equally.
#include "harness/explore/test_errand.h"
#include "harness/testing/cases.h"

// All schedules together come by no state that the search has not seen.
TEST(states_that_are_not_entered_again_hide_no_other_state)
{
    static const struct {
        const char *name;
        int faults, leases;
    } schemes[] = {{"redis-setnx", 1, 0},
                   {"redis-lua", 0, 1},
                   {"memcached-add", 1, 0},
                   {"redis-list-move", 0, 1}};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        uint64_t states[2];
        for (int all = 0; all < 2; all++) {
            const struct search_limits limits = {.faults = schemes[i].faults,
                                                 .leases = schemes[i].leases,
                                                 .for_ns = EXPLORED_NS,
                                                 .enters_all = all == 1};
            struct errand *errand =
                run_errand((struct errand){.scheme = schemes[i].name, .limits = &limits});
            printf("%s: %llu states by %llu schedules\n", schemes[i].name,
                   (unsigned long long)errand->result.progress.states,
                   (unsigned long long)errand->result.progress.schedules);
            assert_int_equal(errand->result.end, SEARCH_EXHAUSTED);
            states[all] = errand->result.progress.states;
            munmap(errand, sizeof *errand);
        }
        assert_int_equal(states[0], states[1]);
    }
}

TEST(equal_states_go_on_equally_where_servers_restart_timers_are_due_and_subscribers_lost_something)
{
    static const struct {
        const char *scheme, *workload;
        int operations;
        bool rare;
        int64_t schedules;
    } schemes[] = {{"redis-setnx", NULL, 2, true, 700},
                   {"redis-list-move", NULL, 2, true, 300},
                   {"redis-watchdog", "nested", 1, true, 700},
                   {"redisson-semaphore", NULL, 1, false, 1200}};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        const struct search_limits limits = {.faults = 1,
                                             .leases = 1,
                                             .rare = schemes[i].rare,
                                             .for_ns = EXPLORED_NS,
                                             .schedules = schemes[i].schedules};
        struct errand *errand = run_errand((struct errand){.scheme = schemes[i].scheme,
                                                           .workload = schemes[i].workload,
                                                           .operations = schemes[i].operations,
                                                           .limits = &limits});
        assert_int_equal(errand->result.end, SEARCH_OUT_OF_TIME);
        assert_true(errand->result.progress.checked > 10);
        assert_int_equal(errand->result.progress.unlike, 0);
        assert_false(errand->result.progress.remembers);
        munmap(errand, sizeof *errand);
    }
}

// To its client the renewal is the same, whether the request was lost or the answer to it; but the
// lock's key does not last as long.
TEST(a_renewal_that_was_done_is_another_state_than_one_that_was_not)
{
    static const char *const schemes[] = {"redis-watchdog", "memcached-watchdog"};
    static const enum move_kind kinds[] = {MOVE_LOSE_REQUEST, MOVE_LOSE_REPLY};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        uint64_t states[2];
        for (size_t lost = 0; lost < 2; lost++) {
            struct errand wanted = {.scheme = schemes[i], .asks_state = true};
            struct schedule_moves *schedule = &wanted.schedule;
            const struct move watchdog = {.client = 1, .thread = THREAD_WATCHDOG};
            schedule->count = 2; // its first steps: it starts, and acquires the lock
            schedule->moves[0].client = schedule->moves[1].client = 1;
            for (int renewal = 0; renewal < 2; renewal++) {
                schedule->moves[schedule->count++] = (struct move){.kind = MOVE_TIMER};
                if (i == 1)
                    schedule->moves[schedule->count++] = watchdog; // gets
                schedule->moves[schedule->count++] = watchdog;
            }
            schedule->moves[schedule->count - 1].kind = (uint8_t)kinds[lost];
            struct errand *errand = run_errand(wanted);
            states[lost] = errand->state;
            munmap(errand, sizeof *errand);
        }
        assert_true(states[0] != 0);
        assert_int_not_equal(states[0], states[1]);
    }
}

// What draws nothing, and does not look at the time of day, takes an ordinary step.
TEST(a_rare_draw_or_time_that_nobody_looks_at_is_no_fault)
{
    static const struct {
        const char *scheme;
        size_t at; // 0: the start, 1: the request
        enum move_kind kind;
        bool is_plain;
    } moves[] = {{"redis-lua", 1, MOVE_DRAW_ZERO, true},
                 {"redis-lua", 0, MOVE_CLOCK_BACK, true},
                 {"redis-lua", 1, MOVE_CLOCK_AHEAD, true},
                 {"redisson-fair", 0, MOVE_CLOCK_AHEAD, false}};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        struct errand wanted = {
            .scheme = moves[i].scheme,
            .schedule = {{{.kind = MOVE_STEP, .client = 1}, {.kind = MOVE_STEP, .client = 1}}, 2}};
        wanted.schedule.moves[moves[i].at].kind = (uint8_t)moves[i].kind;
        struct errand *errand = run_errand(wanted);
        enum move_kind made = (enum move_kind)errand->schedule.moves[moves[i].at].kind;
        if (made != (moves[i].is_plain ? MOVE_STEP : moves[i].kind))
            fail_msg("%s: move %d was made as %d", moves[i].scheme, moves[i].kind, made);
        munmap(errand, sizeof *errand);
    }
}

// Schedules that are written down.
static struct written {
    char *name, *moves, *expected; // what the moves leave open is expected to be added
    struct errand *errand;
} written[64];
static size_t written_count;

static void take_down(const struct written_case *one)
{
    struct written *taken = &written[written_count++];
    struct error error = {0};
    assert_in_range(written_count, 1, sizeof written / sizeof *written);
    *taken =
        (struct written){memory_string(one->name), memory_string(one->body.bytes),
                         memory_string(one->expected.bytes), memory_shared(sizeof(struct errand))};
    AUTO_FREE char *moves = memory_string(taken->moves);
    char *scheme = memory_string(one->name);
    scheme[strcspn(scheme, ":")] = '\0';
    *taken->errand = (struct errand){.times = 10, .scheme = scheme};
    for (char *rest = moves, *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';) {
        char what[MOVE_WHAT_ROOM];
        struct schedule_moves *schedule = &taken->errand->schedule;
        if (move_read(line, &schedule->moves[schedule->count++], what, &error) != 0)
            fail_case(one, "%s", error.text);
    }
}

// With all others of its lock.
static void make_written(size_t first)
{
    struct errand *last = written[first].errand;
    for (size_t i = first + 1; i < written_count; i++) {
        if (strcmp(written[i].errand->scheme, last->scheme) == 0)
            last = last->next = written[i].errand;
    }
    run(written[first].errand);
}

TEST(each_schedule_goes_as_it_is_written_and_does_the_same_again)
{
    each_case("harness/explore/cases/schedules.cases", 32, take_down);
    for (size_t i = 0; i < written_count; i++) {
        const struct written *one = &written[i];
        const struct errand *errand = one->errand;
        size_t length = strlen(one->moves);
        if (errand->lines[0] == '\0')
            make_written(i);
        if (strncmp(errand->lines, one->moves, length) != 0 ||
            strcmp(errand->lines + length, one->expected) != 0)
            fail_msg("%s: it goes\n%s", one->name, errand->lines);
        if (errand->broken[0] != '\0' || errand->differed)
            fail_msg("%s: broken: '%s'; it %s", one->name, errand->broken,
                     errand->differed ? "differs" : "is the same");
    }
}
