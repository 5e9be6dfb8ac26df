// The MySQL schemes that are rows in a table, and the contract of all of them.
#include "harness/base/scope.h"
#include "harness/locks/test_contract.h"
#include "harness/locks/test_mysql.h"

// --- outcomes that are not plain -----------------------------------------------------------------

CONTRACT_GROUP(mysql_contract);

// The INSERT of worker 1 reaches a server that is stopped; its question for the row, which comes
// next, one that goes on.
SCHEME_TEST(an_insert_without_an_answer_is_asked_for_and_then_held, has_row(scheme))
{
    struct act act = {.is_release = false};
    const struct point_match question = {POINT_BEFORE, PHASE_ACQUIRE, "SELECT"};
    struct point_trap *asking = set_trap(fixture, 1, 1, 1, question, 1);
    // Of the first request before it is sent, or of the second: the INSERT.
    assert_true(begin(fixture, &act, lock_scheme_has(scheme, "lease") ? 3 : 1));
    signal_servers(fixture, SIGSTOP);
    point_let_go(&fixture->board, &fixture->board.traps[0]);
    await_reached(asking);
    signal_servers(fixture, SIGCONT);
    char count[80];
    snprintf(count, sizeof count, "SELECT COUNT(*) FROM lockpick_%s_lock", fixture->tag);
    await_answer(fixture, 1, count);
    point_let_go(&fixture->board, asking);
    pthread_join(act.thread, NULL);
    hold_to(scheme, act.outcome == OUTCOME_OK, "does not know its own row");
    hold_to(scheme, acquire(fixture, 1) == OUTCOME_NO, "another is let in");
    hold_to(scheme, lock_release(&fixture->locks[0]) == RELEASE_RELEASED, "no release");
}

SCHEME_TEST(a_release_that_meets_a_deadlock_is_sent_again, IS("mysql-unique"))
{
    ask(fixture,
        "CREATE TRIGGER lockpick_%s_deadlock BEFORE DELETE ON lockpick_%s_lock FOR EACH ROW "
        "BEGIN SET @met = IFNULL(@met, 0) + 1; "
        "IF @met < 3 THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; END IF; END",
        fixture->tag, fixture->tag);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
}

SCHEME_TEST(a_deadlock_is_a_no_to_who_inserts, IS("mysql-unique"))
{
    ask(fixture,
        "CREATE TRIGGER lockpick_%s_deadlock BEFORE INSERT ON lockpick_%s_lock FOR EACH ROW "
        "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213",
        fixture->tag, fixture->tag);
    assert_int_equal(acquire(fixture, 0), OUTCOME_NO);
    ask(fixture, "DROP TRIGGER lockpick_%s_deadlock", fixture->tag);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
}

SCHEME_TEST(a_scheme_without_its_table_is_broken, strcmp(scheme->name, "mysql-get-lock") != 0)
{
    int64_t value;
    ask(fixture, "DROP TABLE IF EXISTS lockpick_%s_lock, lockpick_%s_account", fixture->tag,
        fixture->tag);
    struct lock *lock = &fixture->locks[0];
    enum outcome outcome = acquire(fixture, 0);
    if (lock_scheme_has(scheme, "optimistic"))
        outcome = scheme->read(lock, &value);
    hold_to(scheme, outcome == OUTCOME_BROKEN, "does not miss its table");
    hold_to(scheme, strstr(lock->error.text, fixture->tag) != NULL, "does not name its table");
}

// --- crash and time-out --------------------------------------------------------------------------

SCHEME_TEST(a_crash_leaves_only_what_has_neither_lease_nor_session_locked,
            !lock_scheme_has(scheme, "lease") && lock_scheme_has(scheme, "exclusive"))
{
    bool stays = strcmp(scheme->name, "mysql-unique") == 0;
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    sql_end_session(fixture->locks[0].connection);
    fixture->locks[1].options.wait_ns = stays ? 50 * NS_PER_MS : PATIENCE_NS;
    hold_to(scheme, acquire(fixture, 1) == (stays ? OUTCOME_NO : OUTCOME_OK),
            stays ? "is free after a crash" : "is not free after a crash");
}

SCHEME_TEST_WITH(a_stale_row_is_taken_over_and_its_holder_told, IS("mysql-unique-timeout"),
                 open_with_lease(fixture, scheme, false, 100 * NS_PER_MS))
{
    struct grant grant;
    struct lock *lock = &fixture->locks[0];
    int64_t began_ns = clock_monotonic_ns();
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    fixture->locks[1].options.wait_ns = PATIENCE_NS;
    assert_int_equal(lock_acquire(&fixture->locks[1], &grant), OUTCOME_OK);
    assert_true(clock_monotonic_ns() - began_ns >= 100 * NS_PER_MS);
    assert_int_equal(lock->lost, LOST_NOT); // nobody has told it
    assert_int_equal(lock_reenter(lock, &grant), OUTCOME_NO);
    assert_int_equal(lock->lost, LOST_NOT_OWNER);
    assert_int_equal(lock_release(lock), RELEASE_NOT_OWNER);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_GONE);
}

SCHEME_TEST(who_reenters_renews_the_lease_and_who_leaves_does_not, IS("mysql-unique-timeout"))
{
    struct grant grant;
    struct lock *lock = &fixture->locks[0];
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    int64_t valid_until_ns = grant.valid_until_ns;
    ask(fixture, "UPDATE lockpick_%s_lock SET lock_until = NOW(6) + INTERVAL 1 SECOND",
        fixture->tag);
    assert_int_equal(lock_reenter(lock, &grant), OUTCOME_OK);
    assert_true(grant.valid_until_ns > valid_until_ns);
    assert_true(lease_left_ms(fixture, lock->scheme) > 50000);
    ask(fixture, "UPDATE lockpick_%s_lock SET lock_until = NOW(6) + INTERVAL 1 SECOND",
        fixture->tag);
    assert_int_equal(lock_leave(lock), RELEASE_RELEASED);
    assert_true(lease_left_ms(fixture, lock->scheme) < 2000);
    assert_int_equal(lock_release(lock), RELEASE_RELEASED);
}

SCHEME_TEST(a_server_that_refuses_a_reentry_says_nothing_of_the_hold, IS("mysql-unique-timeout"))
{
    struct grant grant;
    struct lock *lock = &fixture->locks[0];
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    ask(fixture,
        "CREATE TRIGGER lockpick_%s_refusal BEFORE UPDATE ON lockpick_%s_lock FOR EACH ROW "
        "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213",
        fixture->tag, fixture->tag);
    assert_int_equal(lock_reenter(lock, &grant), OUTCOME_UNKNOWN);
    assert_int_equal(lock->lost, LOST_NOT);
    assert_int_equal(lock_release(lock), RELEASE_RELEASED);
}

// --- rights --------------------------------------------------------------------------------------

// Whether nothing is refused to the scheme, from its set-up to its clean-up.
static bool is_allowed(struct fixture *fixture, const struct lock_scheme *scheme)
{
    struct error error;
    struct lock *lock = &fixture->locks[0];
    struct lock_options options = next_lock(fixture, false);
    const struct service *service = &fixture->server.service;
    int64_t value = 0;
    if (scheme->set_up != NULL && scheme->set_up(service, &options, &error) != 0)
        return false;
    bool is_open = try_open_worker(fixture, scheme, 0, &options, &error) == 0;
    bool fine = is_open && acquire(fixture, 0) == OUTCOME_OK;
    if (fine && scheme->own_store != NULL)
        fine = scheme->read(lock, &value) == OUTCOME_OK &&
               scheme->write(lock, value + 1) == OUTCOME_OK;
    if (fine && scheme->reenter != NULL) {
        struct grant grant;
        fine = lock_reenter(lock, &grant) == OUTCOME_OK && lock_leave(lock) == RELEASE_RELEASED;
    }
    if (is_open) {
        enum release_answer answer = lock_release(lock);
        fine &= answer == RELEASE_RELEASED || answer == RELEASE_UNCHECKED;
        lock_close(lock);
        lock_client_close(&fixture->clients[0]);
    }
    return (scheme->clean_up == NULL || scheme->clean_up(service, &options, &error) == 0) && fine;
}

// A user gets the rights that are listed, but for one, by its number (-1: all of them). The first
// scheme to which something is refused, or NULL.
static const struct lock_scheme *first_refused(struct fixture *fixture, int without)
{
    AUTO_TEXT struct text grant = {0};
    AUTO_FREE char *words = memory_string(server_kind_find("mysql")->form.grant + strlen("GRANT "));
    *strstr(words, " ON ") = '\0';
    char *rest = words;
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        if (without-- != 0)
            text_add_item(&grant, word + strspn(word, " "));
    }
    ask(fixture, "CREATE OR REPLACE USER me@'%%'");
    ask(fixture, "GRANT %s ON lockpick.* TO me@'%%'", grant.bytes);
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        if (!is_allowed(fixture, scheme))
            return scheme;
    }
    return NULL;
}

TEST(a_user_needs_all_the_rights_that_are_listed_and_no_others)
{
    struct fixture *fixture = *state;
    char *user = fixture->server.service.user;
    snprintf(user, sizeof fixture->server.service.user, "me");
    const struct lock_scheme *refused = first_refused(fixture, -1);
    if (refused != NULL)
        fail_msg("%s needs more", refused->name);
    for (int i = 0; i < 6; i++)
        assert_non_null(first_refused(fixture, i));
    user[0] = '\0';
}

CONTRACT_TESTS;
