#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

// client-1 is paused inside its release from 10 to 320 ms; client-2 is granted meanwhile.
static void build_removal(struct build *build, enum release_answer answer, double returned_ms)
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_release(build, 1, 1, 10, 320, RELEASE_UNCHECKED);
    build_acquire(build, 2, 2, 2, 312, 612, 0);
    build_release(build, 2, 2, returned_ms - 1, returned_ms, answer);
}

HISTORY_TEST(a_lock_that_vanished_inside_its_lease_is_refused, "increment")
{
    build_removal(build, RELEASE_GONE, 330);
    build_judge(build);
    const struct finding *finding = finding_named(build, "wrongful-release");
    assert_state(build, "wrongful-release", FINDING_VIOLATED);
    assert_int_equal(build->digest.holds[finding->evidence.holds[0]].client, 2);
    assert_int_equal(build->digest.holds[finding->evidence.holds[1]].client, 1);
    assert_int_equal(finding->evidence.from_ns, ms(312));
    assert_int_equal(finding->evidence.to_ns, ms(330));
    assert_text_has(finding->text, "the release of client-1 removed it");
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(a_lock_taken_over_inside_its_lease_is_refused, "increment")
{
    build_removal(build, RELEASE_NOT_OWNER, 330);
    build_hold(build, 3, 3, 321, 340, 621);
    build_judge(build);
    assert_state(build, "wrongful-release", FINDING_VIOLATED);
    assert_state(build, "double-grant", FINDING_VIOLATED);
    assert_string_equal(judgement_first_violation(&build->judgement)->check->name,
                        "wrongful-release");
}

HISTORY_TEST(a_lock_gone_after_its_lease_is_lawful, "increment")
{
    build_removal(build, RELEASE_GONE, 607);
    build_judge(build);
    assert_state(build, "wrongful-release", FINDING_KEPT);
}

TEST(a_release_that_was_not_checked_or_not_answered_proves_nothing)
{
    static const enum release_answer answers[] = {RELEASE_UNCHECKED, RELEASE_UNKNOWN,
                                                  RELEASE_RELEASED};
    for (size_t i = 0; i < 3; i++) {
        struct build build;
        build_start(&build, "increment");
        build_removal(&build, answers[i], 330);
        build_judge(&build);
        assert_state(&build, "wrongful-release", FINDING_KEPT);
        build_free(&build);
    }
}

// Client-2's release got no answer while it was cut off, and TCP sent it once more: 1.7 s later it
// removed what client-1 had. A fault that was drawn, and could not be ended in time, says nothing.
TEST(a_release_that_was_given_up_may_come_late)
{
    static const struct {
        double gone_ms;
        bool drawn;
        enum finding_state state;
        const char *text;
    } cases[] = {
        {1700, false, FINDING_VIOLATED, "the release of client-2 may have removed it"},
        {9000, false, FINDING_VIOLATED, "no release in the history explains it"},
        {1700, true, FINDING_UNDECIDED, "fault 1 was to last 300 ms, and this machine was so late"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build build;
        build_start(&build, "increment");
        build_fault(&build, "cut", 0, 15, 985);
        build.steps[0].drawn = cases[i].drawn;
        build.steps[0].bound_ns = 300 * NS_PER_MS;
        build_acquire(&build, 2, 1, 0, 10, 1010, 0);
        build_release(&build, 2, 1, 20, 1020, RELEASE_UNKNOWN);
        build_acquire(&build, 1, 2, cases[i].gone_ms - 30, cases[i].gone_ms - 20,
                      cases[i].gone_ms + 980, 0);
        build_release(&build, 1, 2, cases[i].gone_ms - 10, cases[i].gone_ms, RELEASE_GONE);
        build_judge(&build);
        assert_state(&build, "wrongful-release", cases[i].state);
        assert_text_has(finding_named(&build, "wrongful-release")->text, cases[i].text);
        build_free(&build);
    }
}

// Two servers led, and each granted the lock: none of the two releases removed the other's.
TEST(what_is_released_at_another_leader_removes_nothing)
{
    for (int leaders = 1; leaders <= 2; leaders++) {
        struct build build;
        build_start(&build, "increment");
        for (int client = 1; client <= 2; client++)
            BUILD_EVENT(&build, 0, client, CONNECTED, OUTCOME_OK, client == 1 ? 1 : leaders);
        build_acquire(&build, 1, 1, 1, 2, 300, 0);
        build_acquire(&build, 2, 2, 1, 3, 300, 0);
        build_release(&build, 2, 2, 10, 12, RELEASE_UNCHECKED);
        build_acquire(&build, 2, 3, 13, 14, 300, 0);
        build_release(&build, 1, 1, 20, 21, RELEASE_UNCHECKED);
        build_release(&build, 2, 3, 30, 31, RELEASE_UNCHECKED);
        build_judge(&build);
        assert_state(&build, "double-grant", FINDING_VIOLATED);
        assert_state(&build, "wrongful-release", leaders == 1 ? FINDING_VIOLATED : FINDING_KEPT);
        build_free(&build);
    }
}

HISTORY_TEST(without_a_lease_a_lock_must_never_vanish, "increment")
{
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_release(build, 1, 1, 8000, 8001, RELEASE_GONE);
    build_judge(build);
    assert_state(build, "wrongful-release", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "wrongful-release")->text, "no release in the history");
}

HISTORY_TEST(a_slow_release_proves_as_much_as_a_quick_one, "increment")
{
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_release(build, 1, 1, 10, 1010, RELEASE_GONE);
    build_judge(build);
    assert_state(build, "wrongful-release", FINDING_VIOLATED);
}

HISTORY_TEST(the_hand_off_before_the_grant_is_not_to_blame, "increment")
{
    build_acquire(build, 3, 9, 0, 1, NEVER_MS, 0);
    build_release(build, 3, 9, 11, 13, RELEASE_UNCHECKED);
    build_acquire(build, 1, 1, 5, 12, NEVER_MS, 0);
    build_acquire(build, 2, 2, 6, 14, NEVER_MS, 0);
    build_release(build, 2, 2, 15, 16, RELEASE_UNCHECKED);
    build_release(build, 1, 1, 20, 21, RELEASE_GONE);
    build_judge(build);
    const struct finding *finding = finding_named(build, "wrongful-release");
    assert_int_equal(build->digest.holds[finding->evidence.holds[1]].client, 2);
}

// client-1's plain delete comes late, inside client-2's hold, and client-3 is granted the lock;
// client-2 then deletes client-3's lock as plainly, and nobody ever finds his own gone.
TEST(a_fault_inside_the_hold_explains_it_better_than_an_ordinary_release)
{
    for (int struck = 0; struck < 2; struck++) {
        struct build build;
        build_start(&build, "increment");
        build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
        if (struck)
            build_fault(&build, "disconnect", 1, 5, 5);
        build_acquire(&build, 2, 2, 9, 10, NEVER_MS, 0);
        build_release(&build, 2, 2, 15, 16, RELEASE_UNCHECKED);
        build_release(&build, 1, 1, 20, 21, RELEASE_GONE);
        build_judge(&build);
        const struct finding *finding = finding_named(&build, "wrongful-release");
        assert_state(&build, "wrongful-release", FINDING_VIOLATED);
        assert_text_has(finding->text, struck ? "fault 1 (pause client after read) struck meanwhile"
                                              : "the release of client-2 removed it");
        build_free(&build);
    }
}

// client-2 was let in although client-1 held the lock, and the server found the lock that it gave
// back to be its own: client-1's had been gone before.
HISTORY_TEST(whoever_gives_back_a_lock_of_its_own_has_removed_no_other, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 1000, 0);
    build_acquire(build, 2, 2, 5, 227, 1227, 0);
    build_release(build, 2, 2, 248, 251, RELEASE_RELEASED);
    build_release(build, 1, 1, 30, 252, RELEASE_NOT_OWNER);
    build_judge(build);
    const struct finding *finding = finding_named(build, "wrongful-release");
    assert_state(build, "wrongful-release", FINDING_VIOLATED);
    assert_int_equal(finding->evidence.holds[1], SIZE_MAX);
    assert_text_has(finding->text, "no release in the history explains it");
}

HISTORY_TEST(readers_do_not_remove_each_others_locks, "readers")
{
    for (int client = 1; client <= 2; client++) {
        build_acquire(build, client, client, client, client + 1, 1000, 0);
        build->events[build->count - 2].detail = 1; // shared
    }
    build_release(build, 1, 1, 10, 11, RELEASE_RELEASED);
    build_release(build, 2, 2, 20, 21, RELEASE_GONE);
    build_judge(build);
    assert_text_has(finding_named(build, "wrongful-release")->text, "no release in the history");
}

// The service restarts, say, and ends the session that held the lock.
TEST(what_a_fault_takes_while_its_holder_gives_it_up_was_kept_long_enough)
{
    static const struct {
        double asked_ms;
        double returned_ms;
        enum finding_state state;
    } cases[] = {
        {15, 21, FINDING_VIOLATED}, // in the hold
        {20, 25, FINDING_KEPT},     // in the release
        {26, 25, FINDING_VIOLATED}, // after it
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct build build;
        build_start(&build, "increment");
        build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
        build_fault(&build, "restart", 0, cases[i].asked_ms, cases[i].asked_ms + 1);
        build_release(&build, 1, 1, 20, cases[i].returned_ms, RELEASE_GONE);
        build_judge(&build);
        assert_state(&build, "wrongful-release", cases[i].state);
        build_free(&build);
    }
}

// The first fault took the lock; what strikes in the release finds none.
TEST(what_was_taken_before_the_release_is_not_excused_by_a_fault_in_it)
{
    static const char *const firsts[] = {"flush", "evict"};
    for (size_t i = 0; i < 2; i++) {
        struct build build;
        build_start(&build, "increment");
        build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
        build_fault(&build, firsts[i], 0, 10, 11);
        build_fault(&build, "restart", 0, 22, 23);
        build_release(&build, 1, 1, 20, 25, RELEASE_GONE);
        build_judge(&build);
        assert_state(&build, "wrongful-release", FINDING_VIOLATED);
        build_free(&build);
    }
}

HISTORY_TEST(a_restart_of_the_guarded_values_server_takes_no_lock, "increment")
{
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_fault(build, "restart", 0, 20, 21);
    build->steps[0].target = (struct target){.server = "store"};
    build_release(build, 1, 1, 20, 25, RELEASE_GONE);
    build_judge(build);
    assert_state(build, "wrongful-release", FINDING_VIOLATED);
}

HISTORY_TEST(a_fault_in_the_release_does_not_excuse_who_removed_anothers_lock, "increment")
{
    build_removal(build, RELEASE_GONE, 330);
    build_fault(build, "restart", 0, 329.5, 329.7);
    build_judge(build);
    const struct finding *finding = finding_named(build, "wrongful-release");
    assert_state(build, "wrongful-release", FINDING_VIOLATED);
    assert_text_has(finding->text, "the release of client-1 removed it");
}

TEST(a_transaction_that_was_rolled_back_harms_nothing)
{
    static const char *const traits[] = {"transaction", NULL};
    for (int transaction = 0; transaction < 2; transaction++) {
        struct build build;
        build_start(&build, "increment");
        build.trial.traits = transaction ? traits : NULL;
        build_begin(&build, 0);
        build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
        build_write(&build, 1, 1, 2, 1, 0, 0, OUTCOME_OK);
        build_hold(&build, 2, 2, 10, 15, NEVER_MS);
        build_release(&build, 1, 1, 20, 21, RELEASE_GONE);
        build_stop(&build, 30, STOP_DONE);
        build_final(&build, 31, transaction ? 0 : 1);
        build_judge(&build);
        assert_state(&build, "wrongful-release", transaction ? FINDING_KEPT : FINDING_VIOLATED);
        assert_state(&build, "double-grant", transaction ? FINDING_KEPT : FINDING_VIOLATED);
        assert_verdict(&build, transaction ? VERDICT_SAFE : VERDICT_UNSAFE);
        build_free(&build);
    }
}

HISTORY_TEST(a_plain_delete_that_let_another_in_is_refused, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_acquire(build, 2, 2, 2, 312, 612, 0);
    build_release(build, 1, 1, 10, 320, RELEASE_UNCHECKED);
    build_acquire(build, 3, 3, 319, 321, 621, 0);
    build_release(build, 2, 2, 330, 331, RELEASE_UNCHECKED);
    build_release(build, 3, 3, 340, 341, RELEASE_UNCHECKED);
    build_judge(build);
    const struct finding *finding = finding_named(build, "wrongful-release");
    assert_state(build, "wrongful-release", FINDING_VIOLATED);
    assert_state(build, "double-grant", FINDING_VIOLATED);
    assert_int_equal(build->digest.holds[finding->evidence.holds[0]].client, 2);
    assert_int_equal(build->digest.holds[finding->evidence.holds[1]].client, 1);
    assert_int_equal(finding->evidence.to_ns, ms(321));
    assert_string_equal(finding->text,
                        "client-2's lock vanished while it held it and its lease was valid: "
                        "another was granted it meanwhile; the release of client-1 removed it (1 "
                        "such hold)");
    assert_ptr_equal(judgement_first_violation(&build->judgement), finding);
}

HISTORY_TEST(a_double_grant_that_no_delete_explains_is_no_wrongful_release, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_release(build, 1, 1, 10, 12, RELEASE_UNCHECKED);
    build_acquire(build, 2, 2, 2, 11.5, 312, 0); // the ordinary hand-off
    build_acquire(build, 3, 3, 2, 20, 320, 0);
    build_release(build, 2, 2, 330, 331, RELEASE_UNCHECKED);
    build_release(build, 3, 3, 340, 341, RELEASE_UNCHECKED);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_VIOLATED);
    assert_state(build, "wrongful-release", FINDING_KEPT);
}

// --- releases that were sent twice ---------------------------------------------------------------

struct twice {
    bool foreign, fault, granted; // a library's lock; an answer may be lost; another is granted it
    int seen;                     // how often the proxy has seen the release
    enum reply_kind reply;        // to the first of them, if `answered`
    bool answered;
    enum finding_state state;
};

static void build_request(struct build *build, double at_ms, enum event_kind kind, unsigned detail,
                          int64_t asked)
{
    struct event event = {.kind = (uint8_t)kind, .detail = (uint8_t)detail};
    event.args[1] = 7;
    event.args[2] = 8;
    event.args[3] = asked;
    memcpy(event.args, "EVAL", 4);
    build_event(build, at_ms, 1, 1, event);
}

// client-1's release, from 10 to 100 ms, is answered "gone", and its lease ends at 300 ms.
static void judge_twice(const struct twice *twice)
{
    static const struct foreign_settings foreign = {.name = "own"};
    struct build build;
    build_start(&build, "increment");
    build.trial.foreign = twice->foreign ? &foreign : NULL;
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_release(&build, 1, 1, 10, 100, RELEASE_GONE);
    if (twice->fault) {
        build_fault(&build, "pause", 0, 9, 60);
        strcpy(build.steps[0].target.server, "server-1");
    }
    if (twice->granted)
        build_hold(&build, 2, 2, 50, 200, 350);
    for (int i = 0; i < twice->seen; i++)
        build_request(&build, 12 + 40 * i, EVENT_REQUEST, REQUEST_COMPARES, 0);
    if (twice->answered)
        build_request(&build, 20, EVENT_REPLY, twice->reply, ms(12));
    build_judge(&build);
    assert_state(&build, "wrongful-release", twice->state);
    build_free(&build);
}

TEST(a_release_that_a_library_sent_again_found_what_it_had_done_itself)
{
    static const struct twice cases[] = {
        {.foreign = true, .fault = true, .seen = 2, .state = FINDING_KEPT},
        {.foreign = true, .seen = 2, .state = FINDING_KEPT},
        {.foreign = true, .seen = 2, .granted = true, .state = FINDING_KEPT},
        {.foreign = true, .seen = 2, .answered = true, .reply = REPLY_SOME, .state = FINDING_KEPT},
        {.foreign = true, .fault = true, .state = FINDING_KEPT}, // nobody saw it
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        judge_twice(&cases[i]);
}

TEST(a_release_that_was_not_sent_again_found_its_lock_taken)
{
    static const struct twice cases[] = {
        {.foreign = true, .state = FINDING_VIOLATED},
        {.fault = true, .state = FINDING_VIOLATED}, // of a scheme of ours, which would say so
        {.foreign = true, .fault = true, .seen = 1, .state = FINDING_VIOLATED},
        {.foreign = true, .fault = true, .granted = true, .state = FINDING_VIOLATED},
        // It was gone when it was asked for first.
        {.foreign = true,
         .fault = true,
         .seen = 2,
         .answered = true,
         .reply = REPLY_ZERO,
         .state = FINDING_VIOLATED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        judge_twice(&cases[i]);
}
