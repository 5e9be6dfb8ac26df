// The MySQL schemes whose holds are transactions or sessions, and the one that holds nothing.
#include "harness/locks/test_mysql.h"

#define ROWS_WAITED_FOR                                                                            \
    "SELECT variable_value FROM information_schema.global_status "                                 \
    "WHERE variable_name = 'INNODB_ROW_LOCK_CURRENT_WAITS'"

#define LOCKS_WAITED_FOR                                                                           \
    "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'"

static int64_t kept(struct fixture *fixture)
{
    return ask(fixture, "SELECT value FROM lockpick_%s_account", fixture->tag);
}

static int64_t read_by(struct fixture *fixture, int worker)
{
    struct lock *lock = &fixture->locks[worker];
    int64_t value = -1;
    assert_int_equal(lock->scheme->read(lock, &value), OUTCOME_OK);
    return value;
}

static enum outcome write_by(struct fixture *fixture, int worker, int64_t value)
{
    struct lock *lock = &fixture->locks[worker];
    return lock->scheme->write(lock, value);
}

// An acquire of worker 1 that waits on the server, in a thread of its own.
static void start_to_wait(struct fixture *fixture, struct act *act, const char *waited_for)
{
    begin_to_wait(act, &fixture->locks[0], PATIENCE_NS);
    await_answer(fixture, 1, waited_for);
}

// What shows that somebody waits for the scheme's lock.
static const char *waits_for(const struct lock_scheme *scheme)
{
    return lock_scheme_has(scheme, "transaction") ? ROWS_WAITED_FOR : LOCKS_WAITED_FOR;
}

#define HOLDS_IN_SESSION lock_scheme_has(scheme, "session")

// --- FOR UPDATE ----------------------------------------------------------------------------------

CONTRACT_GROUP(mysql_contract);

SCHEME_TEST(what_a_holder_writes_takes_effect_with_its_release, IS("mysql-for-update"))
{
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(read_by(fixture, 0), 0);
    assert_int_equal(write_by(fixture, 0, 7), OUTCOME_OK);
    assert_int_equal(read_by(fixture, 0), 7);
    assert_int_equal(write_by(fixture, 0, 7), OUTCOME_OK); // a row all the same
    assert_int_equal(kept(fixture), 0);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    assert_int_equal(kept(fixture), 7);
    assert_int_equal(write_by(fixture, 0, 8), OUTCOME_NO); // it holds no more
    assert_int_equal(kept(fixture), 7);
}

// Worker 2 adds 1 while worker 1 waits for the row. What worker 1 then reads.
static int64_t value_after_waiting(struct fixture *fixture, const char *scheme)
{
    struct act act = {0};
    open_scheme(fixture, lock_scheme_find(scheme), false);
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    start_to_wait(fixture, &act, ROWS_WAITED_FOR);
    assert_int_equal(write_by(fixture, 1, read_by(fixture, 1) + 1), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
    assert_int_equal(end_of(&act), OUTCOME_OK);
    int64_t value = read_by(fixture, 0);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    close_scheme(fixture);
    return value;
}

TEST(a_value_read_with_the_lock_is_fresh_and_one_read_before_it_is_stale)
{
    assert_int_equal(value_after_waiting(*state, "mysql-for-update"), 1);
    assert_int_equal(value_after_waiting(*state, "mysql-for-update-late"), 0);
}

SCHEME_TEST(a_transaction_whose_session_ends_was_never_there, IS("mysql-for-update"))
{
    struct lock *lock = &fixture->locks[0];
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(write_by(fixture, 0, 7), OUTCOME_OK);
    end_sessions(fixture);
    assert_int_equal(lock->lost, LOST_NOT); // nobody has told it
    assert_int_equal(lock_release(lock), RELEASE_GONE);
    assert_int_equal(lock->lost, LOST_SESSION);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    end_sessions(fixture);
    assert_int_equal(write_by(fixture, 0, 7), OUTCOME_NO);
    assert_int_equal(lock->lost, LOST_SESSION);
    assert_int_equal(write_by(fixture, 0, 7), OUTCOME_NO); // nor in another session
    assert_int_equal(lock_release(lock), RELEASE_GONE);
    assert_int_equal(kept(fixture), 0);
}

SCHEME_TEST(a_deadlock_ends_the_hold, IS("mysql-for-update"))
{
    struct lock *lock = &fixture->locks[0];
    ask(fixture,
        "CREATE TRIGGER lockpick_%s_deadlock BEFORE UPDATE ON lockpick_%s_account FOR EACH ROW "
        "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213",
        fixture->tag, fixture->tag);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(write_by(fixture, 0, 7), OUTCOME_NO);
    assert_int_equal(lock->lost, LOST_SESSION);
    assert_int_equal(lock_release(lock), RELEASE_GONE);
    fixture->locks[1].options.wait_ns = PATIENCE_NS;
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
}

SCHEME_TEST(an_acquire_that_fails_leaves_no_transaction_open, IS("mysql-for-update-late"))
{
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(acquire(fixture, 1), OUTCOME_NO);
    // Its plain SELECT would keep the table's definition locked until the transaction ends.
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    ask(fixture, "ALTER TABLE lockpick_%s_account WAIT 5 ADD COLUMN note INT", fixture->tag);
}

// --- waiting -------------------------------------------------------------------------------------

SCHEME_TEST(the_end_of_the_trial_ends_the_waiting, HOLDS_IN_SESSION)
{
    struct act act = {0};
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    start_to_wait(fixture, &act, waits_for(scheme));
    atomic_store(&fixture->stop, 1);
    assert_int_equal(end_of(&act), OUTCOME_NO);
    atomic_store(&fixture->stop, 0);
    await_answer(fixture, 0, waits_for(scheme));
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
}

SCHEME_TEST(who_waits_is_let_in_by_the_release, HOLDS_IN_SESSION)
{
    struct act act = {0};
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    start_to_wait(fixture, &act, waits_for(scheme));
    // Longer than any one request may take.
    clock_sleep_until_ns(clock_monotonic_ns() + fixture->locks[0].options.request_ns * 3 / 2);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
    assert_int_equal(end_of(&act), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
}

SCHEME_TEST(a_session_that_ends_while_it_waits_is_no_unknown, HOLDS_IN_SESSION)
{
    struct act act = {0};
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    start_to_wait(fixture, &act, waits_for(scheme));
    end_sessions(fixture); // the holder's, too: the next attempt gets it
    assert_int_equal(end_of(&act), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_GONE);
}

// --- GET_LOCK ------------------------------------------------------------------------------------

SCHEME_TEST(a_session_that_ends_frees_its_lock_and_the_holder_learns_at_the_next_use,
            IS("mysql-get-lock"))
{
    struct grant grant;
    struct lock *lock = &fixture->locks[0];
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    assert_int_equal(lock_reenter(lock, &grant), OUTCOME_OK);
    end_sessions(fixture);
    assert_int_equal(lock_acquire(&fixture->locks[1], &grant), OUTCOME_OK);
    assert_int_equal(lock->lost, LOST_NOT);
    assert_int_equal(lock_reenter(lock, &grant), OUTCOME_NO);
    assert_int_equal(lock->lost, LOST_SESSION);
    assert_int_equal(lock_leave(lock), RELEASE_GONE);
    assert_int_equal(lock_release(lock), RELEASE_GONE);
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant),
                     OUTCOME_NO); // in a session of its own
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    assert_int_equal(lock->lost, LOST_NOT);
    assert_int_equal(lock_release(lock), RELEASE_RELEASED);
    assert_int_equal(lock_release(lock), RELEASE_GONE); // it has it no more
}

// --- a version instead of a lock -----------------------------------------------------------------

SCHEME_TEST(of_two_that_read_the_same_version_one_writes_and_the_other_reads_again,
            IS("mysql-optimistic"))
{
    for (int worker = 0; worker < 2; worker++) {
        assert_int_equal(acquire(fixture, worker), OUTCOME_OK);
        assert_int_equal(read_by(fixture, worker), 0);
    }
    assert_int_equal(write_by(fixture, 0, 0),
                     OUTCOME_OK); // a version, though the value is the same
    assert_int_equal(write_by(fixture, 1, 1), OUTCOME_NO);
    assert_int_equal(write_by(fixture, 0, 5), OUTCOME_NO); // its own write changed the version
    assert_int_equal(read_by(fixture, 1), 0);
    assert_int_equal(write_by(fixture, 1, 1), OUTCOME_OK);
    assert_int_equal(kept(fixture), 1);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_UNCHECKED);
}
