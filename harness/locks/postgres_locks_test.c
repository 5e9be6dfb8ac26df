// The PostgreSQL scheme, held to its contract, and what only it does.
#include "harness/base/scope.h"
#include "harness/base/text.h"
#include "harness/locks/test_contract.h"
#include "harness/testing/test.h"

#include "harness/wire/sql.h"

// Asks as somebody else, and gives the first value as a number.
static int64_t ask(struct fixture *fixture, const char *statement)
{
    struct sql_answer answer;
    const struct sql_statement asked = {"ask", statement};
    assert_int_equal(sql_request(fixture->probe, &answer, &asked, NULL), OUTCOME_OK);
    return answer.values[0].number;
}

// The same about the lock's table.
static int64_t ask_row(struct fixture *fixture, const char *format)
{
    const char *place = strstr(format, "%s");
    AUTO_FREE char *statement =
        text_formatted("%.*s%s%s", (int)(place - format), format, fixture->tag, place + 2);
    return ask(fixture, statement);
}

// Ends the session that holds, and waits until the server has done so; or takes the row from its
// holder.
static bool evict(struct fixture *fixture, const struct lock_scheme *scheme)
{
    if (lock_scheme_has(scheme, "lease")) {
        ask_row(fixture, "UPDATE lockpick_%s_lock SET holder = '', lease_until = '-infinity'");
        return true;
    }
    ask(fixture, "SELECT count(pg_terminate_backend(pid)) FROM pg_locks "
                 "WHERE locktype = 'advisory' AND granted");
    AWAIT(ask(fixture, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == 0);
    return true;
}

static int64_t lease_left_ms(struct fixture *fixture, const struct lock_scheme *scheme)
{
    return !lock_scheme_has(scheme, "lease")
               ? -1
               : ask_row(fixture, "SELECT (extract(epoch FROM lease_until - clock_timestamp()) * "
                                  "1000)::bigint FROM lockpick_%s_lock");
}

static const struct contract postgres_contract = {
    .server = "postgres",
    .evict = evict,
    .lease_left_ms = lease_left_ms,
    .renewed_ns = NS_PER_S,
    .probe = &sql_connector,
};

CONTRACT_GROUP(postgres_contract);

SCHEME_TEST(a_session_that_ends_frees_the_lock_and_its_holder_learns_at_the_next_use,
            IS("postgres-advisory"))
{
    struct lock *lock = &fixture->locks[0];
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    evict(fixture, lock->scheme);
    assert_int_equal(acquire(fixture, 1), OUTCOME_OK);
    assert_int_equal(lock->lost, LOST_NOT);
    assert_int_equal(lock_release(lock), RELEASE_GONE);
    assert_int_equal(lock->lost, LOST_SESSION);
    assert_int_equal(acquire(fixture, 0), OUTCOME_NO); // in a session of its own
    lock_release(&fixture->locks[1]);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(lock->lost, LOST_NOT);
    assert_int_equal(lock_release(lock), RELEASE_RELEASED);
}

SCHEME_TEST(who_reenters_after_the_end_of_its_session_is_no_holder_any_more,
            IS("postgres-advisory"))
{
    struct grant grant;
    struct lock *lock = &fixture->locks[0];
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    assert_int_equal(lock_reenter(lock, &grant), OUTCOME_OK);
    evict(fixture, lock->scheme);
    assert_int_equal(lock_reenter(lock, &grant), OUTCOME_NO);
    assert_int_equal(lock->lost, LOST_SESSION);
    assert_int_equal(lock_leave(lock), RELEASE_GONE);
    assert_int_equal(lock_release(lock), RELEASE_GONE);
}

SCHEME_TEST(an_acquire_whose_session_ends_on_its_way_is_a_no, IS("postgres-advisory"))
{
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    assert_int_equal(lock_release(&fixture->locks[0]), RELEASE_RELEASED);
    ask(fixture, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                 "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()");
    assert_int_equal(acquire(fixture, 0), OUTCOME_NO);
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
}

SCHEME_TEST(a_scheme_whose_service_lacks_the_function_is_broken, IS("postgres-advisory"))
{
    ask(fixture, "ALTER FUNCTION pg_try_advisory_lock(bigint) RENAME TO hidden");
    enum outcome outcome = acquire(fixture, 0);
    ask(fixture, "ALTER FUNCTION hidden(bigint) RENAME TO pg_try_advisory_lock");
    assert_int_equal(outcome, OUTCOME_BROKEN);
    assert_non_null(strstr(fixture->locks[0].error.text, "pg_try_advisory_lock"));
}

SCHEME_TEST(a_release_that_cannot_be_executed_leaves_nothing_held, IS("postgres-advisory"))
{
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    ask(fixture, "ALTER FUNCTION pg_advisory_unlock(bigint) RENAME TO hidden");
    enum release_answer answer = lock_release(&fixture->locks[0]);
    ask(fixture, "ALTER FUNCTION hidden(bigint) RENAME TO pg_advisory_unlock");
    assert_int_equal(answer, RELEASE_UNKNOWN);
    assert_non_null(strstr(fixture->locks[0].error.text, "pg_advisory_unlock"));
    AWAIT(acquire(fixture, 1) == OUTCOME_OK); // once the server has noticed the end
    assert_int_equal(lock_release(&fixture->locks[1]), RELEASE_RELEASED);
}

CONTRACT_TESTS;
