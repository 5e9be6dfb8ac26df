// How a PostgreSQL server is explored (exploration.h). It asks its clock at each statement.
#include "harness/cluster/exploration.h"
#include "harness/cluster/postgres/postgres.h"

#include <inttypes.h>

static int open_probe(struct explored_servers *servers, struct error *error)
{
    return explored_open_session(servers, sizeof(struct session), error);
}

// What clients make belongs to their sessions.
static int await_sessions(struct explored_servers *servers, const uint64_t *open, size_t count,
                          struct error *error)
{
    return explored_await_sessions(explored_session(servers, error),
                                   "SELECT count(*) FROM pg_stat_activity "
                                   "WHERE backend_type = 'client backend' "
                                   "AND application_name <> '" POSTGRES_OWN_NAME "' "
                                   "AND pid NOT IN ",
                                   open, count);
}

static int empty(struct explored_servers *servers, struct error *error)
{
    return await_sessions(servers, NULL, 0, error);
}

static int image(struct explored_servers *servers, struct text *image, struct error *error)
{
    struct session *session = explored_session(servers, error);
    if (session_ask(session, "SELECT classid, objid, mode, granted FROM pg_locks "
                             "WHERE locktype = 'advisory' ORDER BY 1, 2, 3, 4") != 0)
        return -1;
    text_add(image, text_string(&session->answer));
    return 0;
}

static int end_session(struct explored_servers *servers, uint64_t number, struct error *error)
{
    return session_ask(explored_session(servers, error), "SELECT pg_terminate_backend(%" PRIu64 ")",
                       number);
}

// A session says that it waits until it wakes up; that nobody is in its way any more, the lock
// table tells before.
static int is_blocked(struct explored_servers *servers, uint64_t number, struct error *error)
{
    return session_is_so(explored_session(servers, error),
                         "SELECT count(*) FROM pg_stat_activity WHERE pid = %" PRIu64
                         " AND wait_event_type = 'Lock' AND cardinality(pg_blocking_pids(pid)) > 0",
                         number);
}

const struct server_exploration postgres_exploration = {
    .open = open_probe,
    .close = explored_close_session,
    .empty = empty,
    .image = image,
    .is_blocked = is_blocked,
    .end_session = end_session,
    .await_sessions = await_sessions,
};
