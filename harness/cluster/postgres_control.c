#include "harness/cluster/postgres_control.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"

#include <poll.h>
#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_NS NS_PER_S
#define PAUSE_NS (3 * NS_PER_MS)
#define OWN_NAME "lockpick" // of our links among the server's sessions

// --- the link ------------------------------------------------------------------------------------

// One connection for one operation, which takes a second at most.
struct link {
    const struct node *node;
    PGconn *session;
    int64_t give_up_ns; // CLOCK_MONOTONIC
};

// False once the second is over.
static bool await(const struct link *link, short events)
{
    struct pollfd end = {.fd = PQsocket(link->session), .events = events};
    int64_t left_ns = link->give_up_ns - clock_monotonic_ns();
    return left_ns > 0 && poll(&end, 1, (int)(left_ns / NS_PER_MS) + 1) > 0;
}

static PGconn *begin_to_connect(const struct node *node)
{
    char port[16];
    snprintf(port, sizeof port, "%d", node->port);
    static const char *const keywords[] = {
        "host", "port", "user", "dbname", "sslmode", "gssencmode", "application_name", NULL};
    const char *const values[] = {node->end.address, port,      "postgres", "postgres",
                                  "disable",         "disable", OWN_NAME,   NULL};
    return PQconnectStartParams(keywords, values, 0);
}

// 0, or -1 with `error` set. To be closed either way.
static int open_link(struct link *link, const struct node *node, struct error *error)
{
    *link = (struct link){.node = node, .give_up_ns = clock_monotonic_ns() + LIMIT_NS};
    link->session = begin_to_connect(node);
    PostgresPollingStatusType state =
        PQstatus(link->session) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    bool in_time = true;
    while (in_time && (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING)) {
        in_time = await(link, state == PGRES_POLLING_READING ? POLLIN : POLLOUT);
        if (in_time)
            state = PQconnectPoll(link->session);
    }
    if (in_time && state == PGRES_POLLING_OK)
        return 0;
    return error_set(
        error, "cannot connect to %s on %s:%d: %s", node->name, node->end.address, node->port,
        in_time ? PQerrorMessage(link->session) : "it does not answer within a second");
}

static void close_link(struct link *link)
{
    PQfinish(link->session);
}

// False if no whole result came in time.
static bool await_result(const struct link *link)
{
    while (PQisBusy(link->session)) {
        if (!await(link, POLLIN))
            return false;
        if (PQconsumeInput(link->session) == 0)
            return true; // lost: the result says so
    }
    return true;
}

// The rows that a statement brings; `arguments` (`count` of them) are its $1, $2, ... The caller
// clears; NULL with `error` set.
static PGresult *ask(struct link *link, const char *statement, const char *const *arguments,
                     int count, struct error *error)
{
    const struct node *node = link->node;
    PGresult *rows = NULL;
    bool answered =
        PQsendQueryParams(link->session, statement, count, NULL, arguments, NULL, NULL, 0) == 1 &&
        await_result(link);
    if (answered)
        rows = PQgetResult(link->session);
    if (PQresultStatus(rows) == PGRES_TUPLES_OK) {
        while (await_result(link) && PQgetResult(link->session) != NULL)
            continue; // the end of the answer
        return rows;
    }
    error_set(error, "%s on %s:%d was asked '%.300s' and answers: %s", node->name,
              node->end.address, node->port, statement,
              answered ? PQerrorMessage(link->session) : "nothing within a second");
    PQclear(rows);
    return NULL;
}

// The first value that the statement brings, as a number; -1 with `error` set.
static int ask_number(struct link *link, const char *statement, const char *const *arguments,
                      int count, struct error *error)
{
    PGresult *rows = ask(link, statement, arguments, count, error);
    int number = rows != NULL ? atoi(PQgetvalue(rows, 0, 0)) : -1;
    PQclear(rows);
    return number;
}

// --- leads, has_lock -----------------------------------------------------------------------------

static int leads(const struct node *node, struct error *error)
{
    struct link link;
    int result = open_link(&link, node, error);
    if (result == 0)
        result = ask_number(&link, "SELECT 1", NULL, 0, error);
    close_link(&link);
    return result;
}

// The lock table has a number in two halves; objsubid is 1 of a lock by one number, and 2 of one by
// two. The number is postgres_advisory.c's.
static int has_lock(const struct node *node, const struct lock_identity *lock, struct error *error)
{
    static const char question[] =
        "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = "
        "1 "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
        "AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)";
    const char *const arguments[] = {lock->name};
    struct link link;
    int result = -1;
    if (open_link(&link, node, error) == 0) {
        PGresult *rows = ask(&link, question, arguments, 1, error);
        if (rows != NULL)
            result = strcmp(PQgetvalue(rows, 0, 0), "t") == 0;
        PQclear(rows);
    }
    close_link(&link);
    return result;
}

// --- disconnect ----------------------------------------------------------------------------------

static const char *const links[] = {"connection", NULL};

// "{40112,40114}", as PostgreSQL writes an array; "{}" for any.
static void write_ports(struct text *array, const struct client_end *client)
{
    text_add(array, "{");
    for (int i = 0; client->ports != NULL && i < client->port_count; i++)
        text_format(array, "%s%d", i > 0 ? "," : "", client->ports[i]);
    text_add(array, "}");
}

// Tells the client's backends to end; their process ids, "{812,815}", are added to `ended`. How
// many, or -1 with `error` set. A link of ours is no client's, not even one that was closed a
// moment ago and is still listed.
static int end_backends(struct link *link, const struct client_end *client, struct text *ended,
                        struct error *error)
{
    static const char statement[] =
        "SELECT count(*), coalesce(array_agg(pid), '{}') FROM ("
        "SELECT pid, pg_terminate_backend(pid) AS told FROM pg_stat_activity "
        "WHERE backend_type = 'client backend' AND application_name <> '" OWN_NAME "' "
        "AND host(client_addr) = $1 AND ($2 OR client_port = ANY($3::int[]))) AS backends "
        "WHERE told";
    struct text ports = {0};
    write_ports(&ports, client);
    const char *const arguments[] = {client->address, client->ports == NULL ? "t" : "f",
                                     ports.bytes};
    PGresult *rows = ask(link, statement, arguments, 3, error);
    int count = rows != NULL ? atoi(PQgetvalue(rows, 0, 0)) : -1;
    if (rows != NULL)
        text_add(ended, PQgetvalue(rows, 0, 1));
    PQclear(rows);
    text_free(&ports);
    return count;
}

static int await_end(struct link *link, const struct text *ended, struct error *error)
{
    static const char question[] =
        "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY($1::int[])";
    const char *const arguments[] = {ended->bytes};
    int left;
    while ((left = ask_number(link, question, arguments, 1, error)) > 0) {
        if (clock_monotonic_ns() >= link->give_up_ns)
            return error_set(error, "%d backends of %s go on for a second after they were ended",
                             left, link->node->name);
        clock_sleep_until_ns(clock_monotonic_ns() + PAUSE_NS);
    }
    return left;
}

static int disconnect(const struct node *node, const struct client_end *client, const char *kind,
                      struct error *error)
{
    struct link link;
    struct text ended = {0};
    int count = -1;
    if (kind != NULL && !text_is_one_of(kind, links))
        return error_set(error, "PostgreSQL knows no link '%s' of a client", kind);
    if (open_link(&link, node, error) == 0)
        count = end_backends(&link, client, &ended, error);
    if (count > 0 && await_end(&link, &ended, error) != 0)
        count = -1;
    text_free(&ended);
    close_link(&link);
    return count;
}

// --- forget --------------------------------------------------------------------------------------

static int forget(const struct node *node, enum loss loss, struct error *error)
{
    if (loss != LOSS_ALL)
        return 0;
    return folder_remove(node->data, error) != 0 ? -1 : folder_make(node->data, error);
}

// --- all -----------------------------------------------------------------------------------------

const struct server_control postgres_control = {
    .leads = leads,
    .has_lock = has_lock,
    .links = links,
    .disconnect = disconnect,
    .forget = forget,
};
