// For tests: the MySQL schemes on a real server, and somebody else who looks at it.
#ifndef LOCKPICK_LOCKS_TEST_MYSQL_H
#define LOCKPICK_LOCKS_TEST_MYSQL_H

#include "harness/locks/sql_common.h"
#include "harness/locks/test_locks.h"

// Asks as somebody else, and gives the first value as a number; -1 if there is none.
__attribute__((format(printf, 2, 3))) static inline int64_t ask(struct fixture *fixture,
                                                                const char *format, ...)
{
    char text[400];
    struct sql_answer answer;
    const struct sql_statement statement = {"ASK", text};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (sql_request(fixture->probe, &answer, &statement, NULL) != OUTCOME_OK)
        fail_msg("%s: %s", text, client_error(fixture->probe));
    return answer.values[0].is_null ? -1 : answer.values[0].number;
}

// Asks again and again until the answer is `wanted`.
static inline void await_answer(struct fixture *fixture, int64_t wanted, const char *text)
{
    AWAIT(ask(fixture, "%s", text) == wanted);
}

#define SESSIONS                                                                                   \
    "FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND db = 'lockpick'"

// Ends all sessions but our own on the server, and waits until they are gone there. Those that are
// opened meanwhile are spared.
static inline void end_sessions(struct fixture *fixture)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    int64_t last = ask(fixture, "SELECT MAX(id) " SESSIONS);
    for (int64_t id; (id = ask(fixture, "SELECT MIN(id) " SESSIONS)) != -1 && id <= last;) {
        char text[64];
        struct sql_answer answer;
        const struct sql_statement kill_it = {"KILL", text};
        if (clock_monotonic_ns() > give_up_ns)
            fail_msg("session %lld does not end", (long long)id);
        snprintf(text, sizeof text, "KILL CONNECTION %lld", (long long)id);
        sql_request(fixture->probe, &answer, &kill_it, NULL); // it may be gone by now
    }
}

static inline bool has_row(const struct lock_scheme *scheme)
{
    return text_matches(scheme->name, "mysql-unique*");
}

// A row that is a lock grows stale, or vanishes; what a session holds ends with it.
static inline bool evict(struct fixture *fixture, const struct lock_scheme *scheme)
{
    if (lock_scheme_has(scheme, "lease"))
        ask(fixture, "UPDATE lockpick_%s_lock SET lock_until = NOW(6) - INTERVAL 1 SECOND",
            fixture->tag);
    else if (has_row(scheme))
        ask(fixture, "DELETE FROM lockpick_%s_lock", fixture->tag);
    else
        end_sessions(fixture);
    return true;
}

static inline int64_t lease_left_ms(struct fixture *fixture, const struct lock_scheme *scheme)
{
    if (!lock_scheme_has(scheme, "lease"))
        return -1;
    return ask(fixture,
               "SELECT TIMESTAMPDIFF(MICROSECOND, NOW(6), lock_until) DIV 1000 "
               "FROM lockpick_%s_lock",
               fixture->tag);
}

static const struct contract mysql_contract = {
    .server = "mysql",
    .schemes = "mysql-*",
    .request_ns = NS_PER_S, // a commit may wait for a disk that others use
    .evict = evict,
    .lease_left_ms = lease_left_ms,
    .probe = &sql_connector,
    .probe_ns = 10 * NS_PER_S,
};

#endif
