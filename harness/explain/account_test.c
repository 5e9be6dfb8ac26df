// What violations are said to come from, and what would have prevented them.
#include "harness/explain/test_diagnosis.h"
#include "harness/testing/test.h"

// What the schedule notes of whom a role meant.
static void note(double at_ms, int step, const char *text)
{
    struct event event = {.kind = EVENT_NOTE, .step = (uint8_t)step};
    memcpy(event.args, text, strlen(text));
    build_event(&build, at_ms, 0, 0, event);
}

// Two hold at once from 10 ms to 20 ms, with leases that last, and each counts from 0 to 1.
static void build_both(double valid_until_ms)
{
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, valid_until_ms, 0);
    build_read(&build, 1, 1, 2, 0, 0);
    build_acquire(&build, 2, 2, 1, 10, valid_until_ms, 0);
    build_read(&build, 2, 2, 11, 0, 0);
    build_write(&build, 2, 2, 12, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 2, 2, 20, 21, RELEASE_RELEASED);
    build_write(&build, 1, 1, 22, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 1, 1, 23, 24, RELEASE_GONE);
    build_stop(&build, 30, STOP_DONE);
    build_final(&build, 31, 1);
}

TEST_WITH(a_server_that_lost_the_lock_is_named, start, stop)
{
    static const struct {
        const char *verb;
        const char *cause;
        const char *remedy;
    } cases[] = {
        {"restart", "server-1 crashed and came back without client-1's lock", "to disk"},
        {"flush", "server-1 lost all its data", "that nobody may empty"},
        {"evict", "server-1 ran out of memory and evicted client-1's lock", "never evicts"},
    };
    for (size_t i = 0; i < 3; i++) {
        build_start(&build, "increment");
        strike(cases[i].verb, "server-1", 5, 6);
        build_both(4000);
        assert_diagnosis(ROOT_FORGOT, cases[i].cause, cases[i].remedy);
        if (i < 2)
            build_free(&build);
    }
}

TEST_WITH(a_server_that_was_struck_before_the_lock_was_asked_for_is_not_named, start, stop)
{
    struct diagnosis diagnosis;
    strike("restart", "server-1", 1, 2);
    strike("restart", "server-1", 10, 11);
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 5, 6, 4000, 0);
    build_release(&build, 1, 1, 20, 21, RELEASE_GONE);
    build_stop(&build, 30, STOP_DONE);
    build_final(&build, 31, 0);
    build_judge(&build);
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_text_has(diagnosis.text, "server-1 crashed and came back without client-1's lock");
    assert_null(strstr(diagnosis.text, " and server-1"));
}

static const char *const sessions[] = {"exclusive", "session", "mysql", NULL};
static const char *const leases[] = {"exclusive", "lease", "redis", NULL};

TEST_WITH(a_disconnect_is_told_with_what_its_holder_knew, start, stop)
{
    for (int told = 0; told < 2; told++) {
        build_start(&build, "increment");
        build_fault(&build, "disconnect", 1, 5, 5);
        build.trial.traits = sessions;
        build_both(NEVER_MS);
        if (told)
            BUILD_EVENT(&build, 7, 1, LOST, OUTCOME_OK, 1, 4);
        assert_diagnosis(ROOT_SESSION,
                         told ? "its lock with it; client-1 was told, and went on all the same"
                              : "its lock with it; client-1 had not noticed",
                         "on the very connection that holds the lock");
        if (!told)
            build_free(&build);
    }
}

TEST_WITH(a_disconnect_takes_no_lock_that_does_not_end_with_its_session, start, stop)
{
    struct diagnosis diagnosis;
    build_fault(&build, "disconnect", 1, 5, 5);
    build.trial.traits = leases;
    build_both(4000);
    build_judge(&build);
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_int_not_equal(diagnosis.cause, ROOT_SESSION);
    assert_int_not_equal(diagnosis.certainty, CERTAINTY_PROVEN);
    assert_null(strstr(diagnosis.text, "its lock with it"));
}

TEST_WITH(two_servers_that_lead_at_once_are_named, start, stop)
{
    build.trial.traits = leases;
    build.trial.topology = "sentinel";
    BUILD_EVENT(&build, 0, 1, CONNECTED, OUTCOME_OK, 3);
    BUILD_EVENT(&build, 0, 2, CONNECTED, OUTCOME_OK, 2);
    build_both(4000);
    assert_diagnosis(ROOT_TWO_LEADERS,
                     "server-3 granted the lock to client-1, and server-2 to client-2: their group "
                     "had chosen another leader by itself",
                     "only once a majority has the lock");
    assert_certain(CERTAINTY_PROVEN);
}

TEST_WITH(a_failover_names_who_led_and_who_leads, start, stop)
{
    strike("failover", "leader", 5, NEVER_MS)->bound_ns = -1;
    note(5, 1, "redis-1 redis-3");
    build_both(4000);
    assert_diagnosis(ROOT_FORGOT,
                     "the leader redis-1 was killed before the lock had reached redis-3",
                     "a majority");
}

TEST_WITH(a_clock_is_told_with_its_owner, start, stop)
{
    strike("clock", "server-1", 5, 25)->by_ns = 120 * NS_PER_S;
    build.trial.traits = leases;
    build_both(4000);
    assert_diagnosis(ROOT_CLOCK,
                     "server-1's clock jumps ahead by 2 min, and by it client-1's lease",
                     "whose clock nobody sets");
}

static struct fault_step *build_cut(void)
{
    struct fault_step *step = strike("cut", "", 0.5, 25);
    step->side_counts[0] = 2;
    step->side_counts[1] = 1;
    step->sides[0][0] = (struct target){.client = 1};
    step->sides[0][1] = (struct target){.server = "leader"};
    step->sides[1][0] = (struct target){.server = "others"};
    note(0.5, 1, "redis-2");
    build.trial.topology = "sentinel";
    return step;
}

TEST_WITH(a_cut_is_told_with_both_sides, start, stop)
{
    build_cut();
    build_both(4000);
    assert_certain(CERTAINTY_PROVEN);
    assert_diagnosis(ROOT_PARTITION, "client-1 and the leader redis-2 are cut off from all others",
                     "a majority");
}

// Two sides must both have servers that can give the lock away; and what was granted before they
// parted may have come over.
TEST_WITH(a_cut_divides_no_lock_that_has_one_server, start, stop)
{
    struct diagnosis diagnosis;
    static const char *const whole[] = {"single", "independent", "ensemble"};
    for (size_t i = 0; i < 3; i++) {
        build_cut();
        build.trial.topology = whole[i];
        build_both(4000);
        build_judge(&build);
        assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
        assert_int_not_equal(diagnosis.cause, ROOT_PARTITION);
        assert_null(strstr(diagnosis.text, "on one side only"));
        build_free(&build);
        build_start(&build, "increment");
    }
    struct fault_step *step = build_cut();
    step->sides[0][0] = (struct target){.server = "follower-1"};
    build_both(4000);
    assert_certain(CERTAINTY_POSSIBLE);
}

// client-2 had been granted it, and released what was its own.
TEST_WITH(who_was_let_in_by_a_fault_is_not_blamed_for_its_release, start, stop)
{
    strike("flush", "server-1", 5, 6);
    build_both(4000);
    build_judge(&build);
    assert_state(&build, "wrongful-release", FINDING_VIOLATED);
    struct diagnosis diagnosis;
    assert_true(diagnosis_make(&build.digest, &build.judgement, &diagnosis));
    assert_int_equal(diagnosis.cause, ROOT_FORGOT);
    assert_null(diagnosis.culprit);
    assert_int_equal(diagnosis.also_count, 2);
    assert_int_equal(diagnosis.besides_count, 0);
    assert_int_equal(diagnosis.overlap_ns, 10 * NS_PER_MS);
}

TEST_WITH(a_lock_that_is_none_or_too_near_is_said_to_be, start, stop)
{
    static const char *const local[] = {"local", NULL};
    static const char *const redis[] = {"redis", NULL};
    static const char *const mysql[] = {"mysql", NULL};
    static const struct {
        const char *scheme;
        const char *const *traits;
        char *topology;
        enum root_cause root;
        const char *cause;
        const char *remedy;
    } cases[] = {
        {"none", NULL, NULL, ROOT_NO_LOCK, "there is no lock", "any lock"},
        {"process-mutex", local, NULL, ROOT_LOCAL, "one process", "at a server that all"},
        {"mysql-get-lock", mysql, (char *)"galera", ROOT_NODE_LOCAL, "different servers", "same"},
        {"redis-get-set", redis, NULL, ROOT_ADMITS, "let both in", "in one step, at the server."},
    };
    for (size_t i = 0; i < 4; i++) {
        build_start(&build, "increment");
        build.trial.scheme = cases[i].scheme;
        build.trial.traits = cases[i].traits;
        build.trial.topology = cases[i].topology;
        build_both(NEVER_MS);
        assert_diagnosis(cases[i].root, cases[i].cause, cases[i].remedy);
        if (i < 3)
            build_free(&build);
    }
}

TEST_WITH(an_acquire_of_several_steps_is_told, start, stop)
{
    build_fault(&build, "pause", 2, 2, 9);
    build.steps[0].points[0] = (struct point_name){
        .client = 2, .moment = MOMENT_BEFORE, .what = "SET", .phase = "acquire"};
    build_both(NEVER_MS);
    assert_diagnosis(ROOT_STEPS,
                     "client-2 was stopped between them (fault 1, before SET in acquire)",
                     "in one step");
}

TEST_WITH(work_beyond_the_lease_is_told_with_its_length, start, stop)
{
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 0, 300, 0);
    build_acquire(&build, 2, 2, 1, 310, 610, 0);
    build_release(&build, 1, 1, 450, 451, RELEASE_NOT_OWNER);
    build_release(&build, 2, 2, 460, 461, RELEASE_RELEASED);
    build_stop(&build, 500, STOP_DONE);
    assert_diagnosis(ROOT_WORK, "client-1 held on for 450 ms, longer than its lease of 300 ms",
                     "a lease longer than the work");
}

// What is not proven to follow from the first violation is not hidden behind it.
TEST_WITH(what_other_holds_broke_is_told_on_its_own, start, stop)
{
    struct diagnosis diagnoses[MAX_CHECKS];
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 0, 300, 0);
    build_acquire(&build, 2, 2, 1, 310, 610, 0);
    build_release(&build, 1, 1, 450, 451, RELEASE_NOT_OWNER);
    build_release(&build, 2, 2, 460, 461, RELEASE_RELEASED);
    build_acquire(&build, 3, 3, 462, 470, 770, 0);
    build_acquire(&build, 4, 4, 463, 480, 780, 0);
    build_release(&build, 3, 3, 490, 491, RELEASE_RELEASED);
    build_release(&build, 4, 4, 492, 493, RELEASE_RELEASED);
    build_stop(&build, 500, STOP_DONE);
    build_judge(&build);
    assert_int_equal(diagnoses_make(&build.digest, &build.judgement, diagnoses), 2);
    for (int i = 0; i < 2; i++) {
        bool is_stale = strcmp(diagnoses[i].finding->check->name, "stale-holder") == 0;
        assert_int_equal(diagnoses[i].cause, is_stale ? ROOT_WORK : ROOT_ADMITS);
        assert_int_equal(diagnoses[i].also_count, 0);
        assert_null(strstr(diagnoses[i].mitigation, ": ."));
    }
    assert_int_equal(diagnoses[0].besides_count, 1);
    char *told = story_tell(&build.digest, &build.judgement);
    assert_text_has(told, "(1 time; that it follows from the above is not proven)");
    assert_text_has(told, "longer than its lease of 300 ms");
    assert_text_has(told, "the acquires let both in: client-4 was granted the lock while client-3");
    free(told);
    char *json = evidence_json(&build.digest, &build.judgement);
    assert_text_has(json, "\"certainty\":\"proven\"");
    assert_text_has(json, "\"certainty\":\"possible\"");
    assert_text_has(json, "\"id\":\"acquire-admits\"");
    free(json);
}

TEST_WITH(a_lease_that_was_nearly_over_at_the_grant_is_told, start, stop)
{
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 299, 300, 0);
    build_acquire(&build, 2, 2, 1, 301, 601, 0);
    build_release(&build, 1, 1, 304, 305, RELEASE_NOT_OWNER);
    build_release(&build, 2, 2, 330, 331, RELEASE_RELEASED);
    build_stop(&build, 500, STOP_DONE);
    assert_diagnosis(ROOT_WORK,
                     "client-1 learned of its grant when 1 ms of its lease of 300 ms was left, and "
                     "held on for 5 ms; client-2 was granted the lock",
                     "how much of its lease is left");
}

TEST_WITH(a_late_commit_is_told, start, stop)
{
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
    build_read(&build, 1, 1, 2, 0, 0);
    build_write(&build, 1, 1, 3, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 1, 1, 4, 5, RELEASE_RELEASED);
    BUILD_EVENT(&build, 5, 1, COMMIT_INVOKE, OUTCOME_OK, 1);
    BUILD_EVENT(&build, 14, 1, COMMIT_RETURN, OUTCOME_OK, 1);
    build_acquire(&build, 2, 2, 6, 7, NEVER_MS, 0);
    build_read(&build, 2, 2, 8, 0, 0);
    build_write(&build, 2, 2, 15, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 2, 2, 16, 17, RELEASE_RELEASED);
    build_stop(&build, 30, STOP_DONE);
    build_final(&build, 31, 1);
    assert_diagnosis(ROOT_LATE_COMMIT, "client-1 released the lock 10 ms before its transaction",
                     "committing first");
}

TEST_WITH(a_view_older_than_the_lock_is_told, start, stop)
{
    static const char *const traits[] = {"transaction", "mysql", NULL};
    build.trial.traits = traits;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
    build_read(&build, 1, 1, 2, 0, 0);
    build_write(&build, 1, 1, 3, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 1, 1, 4, 5, RELEASE_RELEASED);
    build_acquire(&build, 2, 2, 1, 6, NEVER_MS, 0);
    build_read(&build, 2, 2, 8, 0, 0);
    build_write(&build, 2, 2, 9, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 2, 2, 10, 11, RELEASE_RELEASED);
    build_stop(&build, 30, STOP_DONE);
    build_final(&build, 31, 1);
    assert_diagnosis(ROOT_OLD_VIEW, "client-2 read the value as it was when its acquire began",
                     "taking the lock first");
}

TEST_WITH(a_semaphore_is_not_said_to_let_two_in, start, stop)
{
    static const char *const traits[] = {"permits", NULL};
    build_start(&build, "permits");
    build.trial.traits = traits;
    build.scenario.workload.permits = 2;
    build_begin(&build, 0);
    for (int client = 1; client <= 3; client++)
        build_acquire(&build, client, client, client, client, NEVER_MS, 0);
    for (int client = 1; client <= 3; client++)
        build_release(&build, client, client, 10, 11, RELEASE_RELEASED);
    build_stop(&build, 30, STOP_DONE);
    assert_diagnosis(
        ROOT_ADMITS,
        "client-3 was granted a permit when all 2 were out (client-1's and client-2's)",
        "counts and takes");
    char *json = evidence_json(&build.digest, &build.judgement);
    for (int client = 1; client <= 3; client++) {
        char holder[32];
        snprintf(holder, sizeof holder, "\"client\":%d", client);
        assert_text_has(json, holder);
    }
    free(json);
}

TEST_WITH(what_changed_under_a_reader_is_told, start, stop)
{
    build_start(&build, "readers");
    strike("flush", "server-1", 5, 6);
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 4000, 0);
    build.events[build.count - 2].detail = 1; // shared
    build_read(&build, 1, 1, 2, 0, 0);
    build_acquire(&build, 2, 2, 1, 8, 4000, 0);
    build_read(&build, 2, 2, 9, 0, 0);
    build_write(&build, 2, 2, 10, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 2, 2, 11, 12, RELEASE_RELEASED);
    build_read(&build, 1, 1, 15, 1, 0);
    build_release(&build, 1, 1, 16, 17, RELEASE_GONE);
    build_stop(&build, 30, STOP_DONE);
    assert_diagnosis(ROOT_FORGOT, "server-1 lost all its data, client-1's lock",
                     "nobody may empty");
    assert_state(&build, "unstable-read", FINDING_VIOLATED);
    char *told = story_tell(&build.digest, &build.judgement);
    assert_text_has(told, "client-1 acquires the lock as a reader");
    assert_text_has(told, "client-1 reads 1\n");
    assert_text_has(told, "Of the same cause: double-grant");
    free(told);
}

TEST_WITH(a_refused_reentry_is_told_by_what_took_the_lock, start, stop)
{
    build_start(&build, "nested");
    strike("flush", "server-1", 5, 6);
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 4000, 0);
    BUILD_EVENT(&build, 10, 1, REENTER_INVOKE, OUTCOME_OK, 1, 2);
    BUILD_EVENT(&build, 11, 1, REENTER_RETURN, OUTCOME_NO, 1, 2);
    build_release(&build, 1, 1, 12, 13, RELEASE_GONE);
    build_stop(&build, 30, STOP_DONE);
    assert_diagnosis(ROOT_FORGOT, "server-1 lost all its data", "nobody may empty");
    char *told = story_tell(&build.digest, &build.judgement);
    assert_text_has(told, "client-1 tries to enter depth 2: the lock is refused");
    free(told);
}
