// When a trial counts as stuck, by what the watch has seen of it.
#include "harness/run/watch.h"

#include "harness/base/clock.h"
#include "harness/history/stall.h"
#include "harness/testing/test.h"

#define STUCK_AFTER_NS (3 * NS_PER_S)

static void see(struct watch *watch, int64_t at_ms, int client, enum event_kind kind)
{
    watch_see(watch, &(struct event){.at_ns = at_ms * NS_PER_MS,
                                     .client = (uint16_t)client,
                                     .worker = 1,
                                     .kind = (uint8_t)kind,
                                     .outcome = OUTCOME_OK});
}

// One that ended at that time.
static void see_stall(struct watch *watch, int64_t at_ms, int64_t length_ms)
{
    watch_see(watch, &(struct event){.at_ns = at_ms * NS_PER_MS,
                                     .worker = 1,
                                     .kind = EVENT_STALL,
                                     .args = {length_ms * NS_PER_MS}});
}

static bool is_stuck(const struct watch *watch, int64_t now_ms)
{
    return watch_is_stuck(watch, now_ms * NS_PER_MS, STUCK_AFTER_NS);
}

// Two clients, of which the second waits since 1,100 ms for what the first gave back at 1,000.
static void start(struct watch *watch)
{
    watch_start(watch, 2, 1, 0, false);
    see(watch, 900, 1, EVENT_ACQUIRE_INVOKE);
    see(watch, 950, 1, EVENT_ACQUIRE_RETURN);
    see(watch, 990, 1, EVENT_RELEASE_INVOKE);
    see(watch, 1000, 1, EVENT_RELEASE_RETURN);
    see(watch, 1100, 2, EVENT_ACQUIRE_INVOKE);
}

TEST(a_trial_is_stuck_once_somebody_has_waited_long_enough)
{
    struct watch watch;
    start(&watch);
    assert_false(is_stuck(&watch, 4100));
    assert_true(is_stuck(&watch, 4101));
    watch_free(&watch);
}

TEST(how_long_a_grant_took_when_nothing_else_happened_counts_until_a_fault)
{
    struct watch watch;
    start(&watch);
    assert_int_equal(watch.longest_wait_ns, 50 * NS_PER_MS);
    see(&watch, 1800, 2, EVENT_ACQUIRE_RETURN);
    assert_int_equal(watch.longest_wait_ns, 700 * NS_PER_MS);
    watch_see(&watch, &(struct event){.at_ns = 1900 * NS_PER_MS, .kind = EVENT_FAULT_IN_EFFECT});
    see(&watch, 2000, 2, EVENT_RELEASE_INVOKE);
    see(&watch, 2010, 2, EVENT_RELEASE_RETURN);
    see(&watch, 2100, 1, EVENT_ACQUIRE_INVOKE);
    see(&watch, 4900, 1, EVENT_ACQUIRE_RETURN);
    assert_int_equal(watch.longest_wait_ns, 700 * NS_PER_MS);
    watch_free(&watch);
}

TEST(a_trial_is_not_stuck_while_somebody_holds)
{
    struct watch watch;
    start(&watch);
    see(&watch, 2000, 2, EVENT_ACQUIRE_RETURN);
    see(&watch, 2010, 1, EVENT_ACQUIRE_INVOKE);
    assert_false(is_stuck(&watch, 60000));
    watch_free(&watch);
}

// As long as a program has answered nothing, it may hang; afterwards, all its workers wait.
TEST(who_asks_a_program_that_has_never_answered_does_not_count_as_waiting)
{
    struct watch watch;
    watch_start(&watch, 2, 1, 0, true);
    see(&watch, 900, 1, EVENT_ACQUIRE_INVOKE);
    see(&watch, 950, 1, EVENT_ACQUIRE_RETURN);
    see(&watch, 1000, 1, EVENT_RELEASE_RETURN);
    see(&watch, 1100, 2, EVENT_ACQUIRE_INVOKE);
    assert_false(is_stuck(&watch, 60000));
    watch_see(&watch, &(struct event){.at_ns = 61000 * NS_PER_MS,
                                      .client = 2,
                                      .worker = 1,
                                      .kind = EVENT_ACQUIRE_RETURN,
                                      .outcome = OUTCOME_NO});
    see(&watch, 61001, 2, EVENT_ACQUIRE_INVOKE);
    assert_true(is_stuck(&watch, 61002));
    watch_free(&watch);
}

// Of the second stall half a second lies in the wait; the longest may come again.
TEST(time_for_which_the_machine_stood_still_does_not_count)
{
    struct watch watch;
    start(&watch);
    see_stall(&watch, 1600, 2000);
    assert_false(is_stuck(&watch, 4100 + 500 + 2000));
    assert_true(is_stuck(&watch, 4101 + 500 + 2000));
    see_stall(&watch, 2600, 300);
    assert_false(is_stuck(&watch, 4100 + 800 + 2000));
    assert_true(is_stuck(&watch, 4101 + 800 + 2000));
    watch_free(&watch);
}

// The checks allow the worker that they decide by the stalls of its client.
TEST(nor_does_time_for_which_a_client_stood_still)
{
    struct watch watch;
    struct stall stall = {
        .of = STALLED_CLIENT, .number = 2, .from_ns = 2000 * NS_PER_MS, .to_ns = 2400 * NS_PER_MS};
    start(&watch);
    struct event event = stall_event(&stall);
    event.at_ns = stall.to_ns;
    event.worker = 1;
    watch_see(&watch, &event);
    assert_false(is_stuck(&watch, 4100 + 2 * 400));
    assert_true(is_stuck(&watch, 4101 + 2 * 400));
    stall = (struct stall){
        .of = STALLED_CONDUCTOR, .from_ns = 2500 * NS_PER_MS, .to_ns = 2800 * NS_PER_MS};
    event = stall_event(&stall);
    event.at_ns = stall.to_ns;
    event.worker = 1;
    watch_see(&watch, &event);
    assert_true(is_stuck(&watch, 4101 + 2 * 400));
    watch_free(&watch);
}

// A longer one is often recorded last, as it ends last.
TEST(of_stalls_that_coincide_each_moment_counts_once_whichever_ended_first)
{
    struct watch watch;
    start(&watch);
    see_stall(&watch, 2000, 100);
    see_stall(&watch, 2500, 100);
    see_stall(&watch, 2510, 400);
    assert_false(is_stuck(&watch, 4100 + 100 + 400 + 400));
    assert_true(is_stuck(&watch, 4101 + 100 + 400 + 400));
    see_stall(&watch, 2520, 600);
    assert_false(is_stuck(&watch, 4100 + 620 + 600));
    assert_true(is_stuck(&watch, 4101 + 620 + 600));
    watch_free(&watch);
}

TEST(a_grant_begins_the_wait_anew)
{
    struct watch watch;
    start(&watch);
    see_stall(&watch, 2600, 300);
    see(&watch, 3000, 2, EVENT_ACQUIRE_RETURN);
    see(&watch, 3100, 2, EVENT_RELEASE_RETURN);
    see(&watch, 3200, 2, EVENT_ACQUIRE_INVOKE);
    assert_false(is_stuck(&watch, 6200 + 300));
    assert_true(is_stuck(&watch, 6201 + 300));
    watch_free(&watch);
}

// client-1 is in its release since 4,000 ms, of which one may take 15 requests of 200 ms.
static const struct lock_settings lock = {.request_ns = 200 * NS_PER_MS,
                                          .stuck_after_ns = STUCK_AFTER_NS};

static void start_releasing(struct watch *watch)
{
    start(watch);
    see(watch, 1200, 2, EVENT_ACQUIRE_RETURN);
    see(watch, 1300, 2, EVENT_RELEASE_INVOKE);
    see(watch, 1310, 2, EVENT_RELEASE_RETURN);
    see(watch, 1400, 1, EVENT_ACQUIRE_INVOKE);
    see(watch, 1410, 1, EVENT_ACQUIRE_RETURN);
    see(watch, 4000, 1, EVENT_RELEASE_INVOKE);
}

static bool is_unanswered(const struct watch *watch, int64_t now_ms)
{
    return watch_is_unanswered(watch, now_ms * NS_PER_MS, &lock);
}

TEST(a_release_is_unanswered_once_none_takes_so_long)
{
    struct watch watch;
    start_releasing(&watch);
    see(&watch, 4500, 2, EVENT_ACQUIRE_INVOKE); // waits: nothing that is done
    assert_false(is_stuck(&watch, 60000));      // somebody may still hold the lock
    assert_true(is_unanswered(&watch, 7501));
    assert_false(is_unanswered(&watch, 7500));
    see(&watch, 7500, 1, EVENT_RELEASE_RETURN);
    assert_false(is_unanswered(&watch, 60000));
    watch_free(&watch);
}

TEST(a_release_may_take_as_long_as_its_requests)
{
    struct watch watch;
    struct lock_settings slow = lock;
    slow.request_ns = NS_PER_S;
    start_releasing(&watch);
    assert_false(watch_is_unanswered(&watch, 19000 * NS_PER_MS, &slow));
    assert_true(watch_is_unanswered(&watch, 19001 * NS_PER_MS, &slow));
    watch_free(&watch);
}

TEST(what_others_do_or_a_fault_begins_the_wait_for_a_release_anew)
{
    struct watch watch;
    start_releasing(&watch);
    see(&watch, 4500, 2, EVENT_ACQUIRE_INVOKE);
    see(&watch, 4600, 2, EVENT_ACQUIRE_RETURN);
    assert_false(is_unanswered(&watch, 60000)); // it works meanwhile
    see(&watch, 5000, 2, EVENT_RELEASE_INVOKE);
    see(&watch, 5010, 2, EVENT_RELEASE_RETURN);
    assert_false(is_unanswered(&watch, 8010));
    assert_true(is_unanswered(&watch, 8011));
    // A fault of 700 ms: for so long TCP may wait before it asks again.
    see(&watch, 5300, 0, EVENT_FAULT_IN_EFFECT);
    see(&watch, 6000, 0, EVENT_FAULT_HEALED);
    assert_false(is_unanswered(&watch, 9000 + 700));
    assert_true(is_unanswered(&watch, 9001 + 700));
    see_stall(&watch, 6400, 300);
    assert_false(is_unanswered(&watch, 9000 + 700 + 2 * 300));
    assert_true(is_unanswered(&watch, 9001 + 700 + 2 * 300));
    watch_free(&watch);
}

TEST(the_dead_release_nothing)
{
    struct watch watch;
    start_releasing(&watch);
    watch_see(&watch,
              &(struct event){.at_ns = 4100 * NS_PER_MS, .client = 1, .kind = EVENT_PROCESS_DEATH});
    assert_false(is_unanswered(&watch, 60000));
    watch_free(&watch);
}
