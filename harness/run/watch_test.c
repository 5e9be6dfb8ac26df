// When a trial counts as stuck, by what the watch has seen of it.
#include "harness/run/watch.h"

#include "harness/base/clock.h"
#include "harness/history/stall.h"
#include "harness/testing/test.h"

// What is seen or asked, in a line each; `client` is from 1.
enum what {
    END,
    ASKS, // for the lock
    HOLDS,
    REFUSED,
    LETS_GO,
    FREE, // its release has returned
    DIES,
    FAULT,
    HEALED,
    STALL,       // of the machine: it ended then, and was `ms` long
    STILL,       // the same of the client
    CONDUCTOR,   // and of the conductor, who decides nothing
    STUCK_AFTER, // the trial is stuck after that time, and not at it
    STUCK,
    NEVER_STUCK,
    UNANSWERED_AFTER, // the same of a release that nobody answers
    NEVER_UNANSWERED,
    LONGEST_WAIT, // for a grant when nothing else happened, is `ms`
};

struct line {
    int64_t at_ms;
    enum what what;
    int client;
    int64_t ms;
};

#define MS NS_PER_MS
static const struct lock_settings lock = {.request_ns = 200 * MS, .stuck_after_ns = 3 * NS_PER_S};

static void see(struct watch *watch, const struct line *line)
{
    static const struct {
        enum event_kind kind;
        enum outcome outcome;
    } events[] = {[ASKS] = {EVENT_ACQUIRE_INVOKE, OUTCOME_OK},
                  [HOLDS] = {EVENT_ACQUIRE_RETURN, OUTCOME_OK},
                  [REFUSED] = {EVENT_ACQUIRE_RETURN, OUTCOME_NO},
                  [LETS_GO] = {EVENT_RELEASE_INVOKE, OUTCOME_OK},
                  [FREE] = {EVENT_RELEASE_RETURN, OUTCOME_OK},
                  [DIES] = {EVENT_PROCESS_DEATH, OUTCOME_OK},
                  [FAULT] = {EVENT_FAULT_IN_EFFECT, OUTCOME_OK},
                  [HEALED] = {EVENT_FAULT_HEALED, OUTCOME_OK}};
    struct event event = {0};
    if (line->what < STALL)
        event = (struct event){.kind = (uint8_t)events[line->what].kind,
                               .outcome = (uint8_t)events[line->what].outcome};
    else
        event = stall_event(&(struct stall){.of = line->what == STILL       ? STALLED_CLIENT
                                                  : line->what == CONDUCTOR ? STALLED_CONDUCTOR
                                                                            : STALLED_MACHINE,
                                            .number = line->client,
                                            .from_ns = (line->at_ms - line->ms) * MS,
                                            .to_ns = line->at_ms * MS});
    event.at_ns = line->at_ms * MS;
    event.client = line->what < FAULT ? (uint16_t)line->client : 0;
    event.worker = line->what != DIES;
    watch_see(watch, &event);
}

static void follow(struct watch *watch, const struct line *line)
{
    for (; line->what != END; line++) {
        int64_t at_ns = line->at_ms * MS;
        bool is_stuck = watch_is_stuck(watch, at_ns + MS, lock.stuck_after_ns);
        bool is_unanswered = watch_is_unanswered(watch, at_ns + MS, &lock);
        bool is_right = true;
        if (line->what < STUCK_AFTER)
            see(watch, line);
        else if (line->what == LONGEST_WAIT)
            is_right = watch->longest_wait_ns == line->ms * MS;
        else if (line->what == STUCK_AFTER)
            is_right = is_stuck && !watch_is_stuck(watch, at_ns, lock.stuck_after_ns);
        else if (line->what == UNANSWERED_AFTER)
            is_right = is_unanswered && !watch_is_unanswered(watch, at_ns, &lock);
        else
            is_right = line->what == STUCK         ? is_stuck
                       : line->what == NEVER_STUCK ? !is_stuck
                                                   : !is_unanswered;
        if (!is_right)
            fail_msg("not so at %d ms", (int)line->at_ms);
    }
}

static void watch_two(bool is_external, const struct line *first, const struct line *then)
{
    struct watch watch;
    watch_start(&watch, 2, 1, 0, is_external);
    follow(&watch, first);
    follow(&watch, then);
    watch_free(&watch);
}

// The second client waits since 1,100 ms for what the first gave back at 1,000.
#define TEST_OF_WAITING(name, ...)                                                                 \
    TEST(name)                                                                                     \
    {                                                                                              \
        static const struct line first[] = {{900, ASKS, 1, 0},    {950, HOLDS, 1, 0},              \
                                            {990, LETS_GO, 1, 0}, {1000, FREE, 1, 0},              \
                                            {1100, ASKS, 2, 0},   {0}};                            \
        static const struct line then[] = {__VA_ARGS__, {0}};                                      \
        watch_two(false, first, then);                                                             \
    }

TEST_OF_WAITING(a_trial_is_stuck_once_somebody_has_waited_long_enough, {4100, STUCK_AFTER, 0, 0})

TEST_OF_WAITING(how_long_a_grant_took_when_nothing_else_happened_counts_until_a_fault,
                {1100, LONGEST_WAIT, 0, 50}, {1800, HOLDS, 2, 0}, {1800, LONGEST_WAIT, 0, 700},
                {1900, FAULT, 0, 0}, {2000, LETS_GO, 2, 0}, {2010, FREE, 2, 0}, {2100, ASKS, 1, 0},
                {4900, HOLDS, 1, 0}, {4900, LONGEST_WAIT, 0, 700})

TEST_OF_WAITING(a_trial_is_not_stuck_while_somebody_holds, {2000, HOLDS, 2, 0}, {2010, ASKS, 1, 0},
                {60000, NEVER_STUCK, 0, 0})

// Of the second stall half a second lies in the wait; the longest may come again.
TEST_OF_WAITING(time_for_which_the_machine_stood_still_does_not_count, {1600, STALL, 0, 2000},
                {4100 + 500 + 2000, STUCK_AFTER, 0, 0}, {2600, STALL, 0, 300},
                {4100 + 800 + 2000, STUCK_AFTER, 0, 0})

// The checks allow the worker that they decide by the stalls of its client.
TEST_OF_WAITING(nor_does_time_for_which_a_client_stood_still, {2400, STILL, 2, 400},
                {4100 + 2 * 400, STUCK_AFTER, 0, 0}, {2800, CONDUCTOR, 0, 300},
                {4100 + 2 * 400, STUCK_AFTER, 0, 0})

// A longer one is often recorded last, as it ends last.
TEST_OF_WAITING(of_stalls_that_coincide_each_moment_counts_once_whichever_ended_first,
                {2000, STALL, 0, 100}, {2500, STALL, 0, 100}, {2510, STALL, 0, 400},
                {4100 + 100 + 400 + 400, STUCK_AFTER, 0, 0}, {2520, STALL, 0, 600},
                {4100 + 620 + 600, STUCK_AFTER, 0, 0})

TEST_OF_WAITING(a_grant_begins_the_wait_anew, {2600, STALL, 0, 300}, {3000, HOLDS, 2, 0},
                {3090, LETS_GO, 2, 0}, {3100, FREE, 2, 0}, {3200, ASKS, 2, 0},
                {6200 + 300, STUCK_AFTER, 0, 0})

// As long as a program has answered nothing, it may hang; afterwards, all its workers wait.
TEST(who_asks_a_program_that_has_never_answered_does_not_count_as_waiting)
{
    static const struct line lines[] = {{900, ASKS, 1, 0},      {950, HOLDS, 1, 0},
                                        {990, LETS_GO, 1, 0},   {1000, FREE, 1, 0},
                                        {1100, ASKS, 2, 0},     {60000, NEVER_STUCK, 0, 0},
                                        {61000, REFUSED, 2, 0}, {61001, ASKS, 2, 0},
                                        {61002, STUCK, 0, 0},   {0}};
    watch_two(true, lines, &lines[9]);
}

// The first client is in its release since 4,000 ms, of which one may take 15 requests of 200 ms.
static const struct line releasing[] = {
    {900, ASKS, 1, 0},  {950, HOLDS, 1, 0},  {990, LETS_GO, 1, 0},  {1000, FREE, 1, 0},
    {1100, ASKS, 2, 0}, {1200, HOLDS, 2, 0}, {1300, LETS_GO, 2, 0}, {1310, FREE, 2, 0},
    {1400, ASKS, 1, 0}, {1410, HOLDS, 1, 0}, {4000, LETS_GO, 1, 0}, {0}};

#define TEST_OF_RELEASING(name, ...)                                                               \
    TEST(name)                                                                                     \
    {                                                                                              \
        static const struct line then[] = {__VA_ARGS__, {0}};                                      \
        watch_two(false, releasing, then);                                                         \
    }

// Who waits does nothing; and somebody may still hold the lock.
TEST_OF_RELEASING(a_release_is_unanswered_once_none_takes_so_long, {4500, ASKS, 2, 0},
                  {60000, NEVER_STUCK, 0, 0}, {7500, UNANSWERED_AFTER, 0, 0}, {7500, FREE, 1, 0},
                  {60000, NEVER_UNANSWERED, 0, 0})

// A fault of 700 ms: for so long TCP may wait before it asks again.
TEST_OF_RELEASING(what_others_do_or_a_fault_begins_the_wait_for_a_release_anew, {4500, ASKS, 2, 0},
                  {4600, HOLDS, 2, 0}, {60000, NEVER_UNANSWERED, 0, 0}, {5000, LETS_GO, 2, 0},
                  {5010, FREE, 2, 0}, {8010, UNANSWERED_AFTER, 0, 0}, {5300, FAULT, 0, 0},
                  {6000, HEALED, 0, 0}, {9000 + 700, UNANSWERED_AFTER, 0, 0}, {6400, STALL, 0, 300},
                  {9000 + 700 + 2 * 300, UNANSWERED_AFTER, 0, 0})

TEST_OF_RELEASING(the_dead_release_nothing, {4100, DIES, 1, 0}, {60000, NEVER_UNANSWERED, 0, 0})

TEST(a_release_may_take_as_long_as_its_requests)
{
    struct watch watch;
    struct lock_settings slow = lock;
    slow.request_ns = NS_PER_S;
    watch_start(&watch, 2, 1, 0, false);
    follow(&watch, releasing);
    assert_false(watch_is_unanswered(&watch, 19000 * MS, &slow));
    assert_true(watch_is_unanswered(&watch, 19001 * MS, &slow));
    watch_free(&watch);
}
