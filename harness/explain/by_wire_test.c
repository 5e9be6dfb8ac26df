// What the proxies saw is proof: of each mistake a history with the requests that show it, and what
// they do not show is not claimed.
#include "harness/explain/test_diagnosis.h"
#include "harness/testing/test.h"

#define KEY 77

static const struct foreign_settings foreign = {.name = "own"};
static const char *const leased[] = {"exclusive", "lease", "owner-checked", "redis", NULL};

static int start_foreign(void **state)
{
    start(state);
    build.trial.foreign = &foreign;
    build.trial.traits = leased;
    build.scenario.lock.lease_ns = 300 * NS_PER_MS;
    build_begin(&build, 0);
    return 0;
}

// A request of a client's (its first worker's) in a phase, and its reply half a millisecond later.
static void send_words(double at_ms, int client, enum phase phase, const char *command,
                       unsigned words, int64_t value, int64_t ttl_ms, int reply)
{
    struct event asked = {.kind = EVENT_REQUEST,
                          .detail = (uint8_t)(words | (unsigned)phase << REQUEST_PHASE),
                          .args = {0, KEY, value, ttl_ms}};
    struct event answered = {
        .kind = EVENT_REPLY, .detail = (uint8_t)reply, .args = {0, KEY, value, ms(at_ms)}};
    memcpy(&asked.args[0], command, strlen(command));
    memcpy(&answered.args[0], command, strlen(command));
    build_event(&build, at_ms, client, 1, asked);
    if (reply >= 0)
        build_event(&build, at_ms + 0.5, client, 1, answered);
}

static void take_lock(double at_ms, int client, int64_t value, enum reply_kind reply)
{
    send_words(at_ms, client, PHASE_ACQUIRE, "SET", REQUEST_NX | REQUEST_EXPIRES, value, 300,
               (int)reply);
}

// client-1 holds the lock from 1 ms on, and client-2 from 10 ms on; both until 20 ms.
static void build_two(void)
{
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_acquire(&build, 2, 2, 4, 10, 306, 0);
    build_release(&build, 1, 1, 20, 21, RELEASE_GONE);
    build_release(&build, 2, 2, 22, 23, RELEASE_RELEASED);
    build_stop(&build, 50, STOP_DONE);
}

TEST_WITH(whoever_deleted_it_is_told_with_what_it_sent, start_foreign, stop)
{
    take_lock(0.2, 1, 11, REPLY_OK);
    send_words(5, 3, PHASE_RELEASE, "EVAL", REQUEST_COMPARES, 33, 0, REPLY_NEGATIVE);
    send_words(6, 3, PHASE_RELEASE, "DEL", 0, 0, 0, REPLY_SOME);
    take_lock(8, 2, 22, REPLY_OK);
    build_two();
    assert_diagnosis(ROOT_REMOVED,
                     "client-3 sent EVAL, and DEL after it, during its release, which removed "
                     "client-1's lock",
                     "comparing the owner");
    assert_certain(CERTAINTY_PROVEN);
}

// A DEL that finds nothing, of another key, or after the grant has removed nothing.
TEST_WITH(a_delete_that_removed_nothing_is_not_blamed, start_foreign, stop)
{
    struct diagnosis diagnosis;
    take_lock(0.2, 1, 11, REPLY_OK);
    send_words(5, 3, PHASE_RELEASE, "DEL", 0, 0, 0, REPLY_ZERO);
    take_lock(8, 2, 22, REPLY_OK);
    send_words(12, 3, PHASE_RELEASE, "DEL", 0, 0, 0, REPLY_SOME);
    build_two();
    build_judge(&build);
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_int_equal(diagnosis.cause, ROOT_ADMITS);
    assert_int_not_equal(diagnosis.certainty, CERTAINTY_PROVEN);
}

TEST_WITH(a_write_that_does_not_ask_is_told, start_foreign, stop)
{
    take_lock(0.2, 1, 11, REPLY_OK);
    send_words(5, 2, PHASE_NONE, "SET", REQUEST_EXPIRES, 22, 300, REPLY_OK);
    build_two();
    assert_diagnosis(ROOT_OVERWRITTEN, "client-2 sent SET in the background, without NX",
                     "only if it is free");
    assert_certain(CERTAINTY_PROVEN);
}

TEST_WITH(the_same_value_of_two_is_told, start_foreign, stop)
{
    take_lock(0.2, 1, 11, REPLY_OK);
    send_words(5, 3, PHASE_RELEASE, "EVAL", REQUEST_COMPARES, 11, 0, REPLY_SOME);
    take_lock(8, 2, 22, REPLY_OK);
    build_two();
    assert_diagnosis(ROOT_SAME_VALUE, "client-1 and client-3 sent the same lock value",
                     "for each worker");
    assert_certain(CERTAINTY_PROVEN);
}

TEST_WITH(a_refusal_that_counts_as_a_grant_is_told, start_foreign, stop)
{
    take_lock(0.2, 1, 11, REPLY_OK);
    take_lock(8, 2, 22, REPLY_NIL);
    build_two();
    assert_diagnosis(ROOT_REFUSED,
                     "client-2 sent SET NX during its acquire, which the server refused, and "
                     "client-2 held the lock all the same",
                     "looks at what it was answered");
    assert_certain(CERTAINTY_PROVEN);
}

TEST_WITH(no_answer_that_counts_as_a_grant_is_told, start_foreign, stop)
{
    take_lock(0.2, 1, 11, REPLY_OK);
    send_words(8, 2, PHASE_ACQUIRE, "SET", REQUEST_NX | REQUEST_EXPIRES, 22, 300, -1);
    build_two();
    assert_diagnosis(ROOT_UNANSWERED_GRANT, "had no answer when client-2 held the lock", "");
    assert_certain(CERTAINTY_PROVEN);
}

// That nothing was sent is known only of a client that was watched before and after, and that no
// fault kept from its servers.
TEST_WITH(a_grant_that_was_not_asked_for_is_told_if_its_proxy_was_there, start_foreign, stop)
{
    struct diagnosis diagnosis;
    for (int i = 0; i < 3; i++) {
        take_lock(0.2, 1, 11, REPLY_OK);
        take_lock(0.3, 2, 22, REPLY_NIL);
        if (i != 1)
            take_lock(30, 2, 23, REPLY_OK);
        if (i == 2)
            strike("disconnect", "", 2, 3)->target.client = 2;
        build_two();
        build_judge(&build);
        assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
        assert_int_equal(diagnosis.cause == ROOT_NOT_ASKED, i == 0);
        build_free(&build);
        start_foreign(state);
    }
}

TEST_WITH(a_lease_that_is_longer_than_was_asked_for_is_told, start_foreign, stop)
{
    send_words(0.2, 1, PHASE_ACQUIRE, "SET", REQUEST_NX | REQUEST_EXPIRES, 11, 5, REPLY_OK);
    take_lock(8, 2, 22, REPLY_OK);
    build_two();
    assert_diagnosis(ROOT_COUNTED_LATE, "client-1 asked the server for a lease of 5 ms",
                     "from before it was asked for");
    assert_certain(CERTAINTY_PROVEN);
}

TEST_WITH(a_lease_by_the_clock_of_a_client_is_told, start_foreign, stop)
{
    send_words(0.2, 1, PHASE_ACQUIRE, "SET", REQUEST_NX | REQUEST_UNTIL, 11, 0, REPLY_OK);
    take_lock(8, 2, 22, REPLY_OK);
    build_two();
    assert_diagnosis(ROOT_CLOCK, "with a time of its own clock", "by its own clock");
}

// Of a lock that was found gone, too.
TEST_WITH(a_lock_that_vanished_is_told_by_who_deleted_it, start_foreign, stop)
{
    take_lock(0.2, 1, 11, REPLY_OK);
    send_words(6, 3, PHASE_NONE, "DEL", 0, 0, 0, REPLY_SOME);
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_release(&build, 1, 1, 20, 21, RELEASE_GONE);
    build_stop(&build, 50, STOP_DONE);
    assert_diagnosis(ROOT_REMOVED, "client-3 sent DEL in the background, which removed client-1's",
                     "comparing the owner");
    assert_certain(CERTAINTY_PROVEN);
}
