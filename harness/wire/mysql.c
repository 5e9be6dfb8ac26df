#include "harness/wire/mysql.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/wire/mysql_session.h"

#include <mysql/errmsg.h>
#include <mysql/mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGUMENTS 6

const char *const mysql_commands[] = {"INSERT",   "UPDATE",       "DELETE",   "SELECT",
                                      "BEGIN",    "COMMIT",       "ROLLBACK", "KILL",
                                      "GET_LOCK", "RELEASE_LOCK", NULL};

const struct mysql_statement mysql_begin = {"BEGIN", "BEGIN"};
const struct mysql_statement mysql_commit_work = {"COMMIT", "COMMIT"};
const struct mysql_statement mysql_roll_back = {"ROLLBACK", "ROLLBACK"};

// What a request is made of.
struct request {
    const struct mysql_statement *statement;
    const struct mysql_argument *arguments;
    int64_t session; // the only one it may go to; 0: any
    const struct mysql_patience *patience;
};

// --- statements ----------------------------------------------------------------------------------

static struct prepared *find_statement(struct mysql_connection *connection,
                                       const struct mysql_statement *statement)
{
    for (size_t i = 0; i < MYSQL_MOST_STATEMENTS; i++) {
        if (connection->prepared[i].statement == statement)
            return &connection->prepared[i];
    }
    return NULL;
}

// Where the values of a row go: the same place each time.
static bool bind_row(struct prepared *prepared)
{
    MYSQL_BIND row[MYSQL_MOST_COLUMNS] = {0};
    for (size_t i = 0; i < MYSQL_MOST_COLUMNS; i++) {
        row[i].buffer_type = MYSQL_TYPE_STRING;
        row[i].buffer = prepared->buffers[i];
        row[i].buffer_length = MYSQL_MOST_TEXT - 1;
        row[i].length = &prepared->lengths[i];
        row[i].is_null = &prepared->nulls[i];
    }
    unsigned columns = mysql_stmt_field_count(prepared->handle);
    return columns <= MYSQL_MOST_COLUMNS &&
           (columns == 0 || mysql_stmt_bind_result(prepared->handle, row) == 0);
}

// Prepares the statement in the current session. OK; else certainly nothing was executed, and what
// is half prepared ends with the session.
static enum outcome prepare(struct mysql_connection *connection, struct prepared *prepared,
                            const struct mysql_limit *limit, struct mysql_answer *answer)
{
    enum outcome outcome = OUTCOME_NO;
    prepared->handle = mysql_stmt_init(connection->session);
    enum await_end end =
        mysql_await_prepare(connection->session, prepared->handle, prepared->text, limit);
    if (end == AWAIT_DONE && bind_row(prepared))
        return OUTCOME_OK;
    if (end == AWAIT_TIME_UP) {
        mysql_note(connection, "no answer in time", 0);
    } else {
        answer->error = mysql_stmt_errno(prepared->handle);
        mysql_note(connection,
                   end == AWAIT_DONE ? "more columns than expected"
                                     : mysql_stmt_error(prepared->handle),
                   answer->error);
        outcome = mysql_error_outcome(answer->error);
    }
    mysql_connection_end_session(connection);
    return outcome == OUTCOME_UNKNOWN ? OUTCOME_NO : outcome;
}

int mysql_statement_load(struct mysql_connection *connection,
                         const struct mysql_statement *statement, const char *table,
                         struct error *error)
{
    const struct mysql_limit limit = {.give_up_ns = clock_monotonic_ns() + MYSQL_SET_UP_NS};
    struct mysql_answer answer;
    struct text text = {0};
    struct prepared *place = find_statement(connection, NULL);
    if (place == NULL)
        return error_set(error, "more than %d statements on one connection", MYSQL_MOST_STATEMENTS);
    const char *gap = table != NULL ? strstr(statement->text, "%s") : NULL;
    if (gap != NULL)
        text_format(&text, "%.*s%s%s", (int)(gap - statement->text), statement->text, table,
                    gap + 2);
    else
        text_add(&text, statement->text);
    place->statement = statement;
    place->text = text.bytes;
    bool connected =
        connection->session != NULL || mysql_connect_within(connection, MYSQL_SET_UP_NS) == 0;
    if (connected && prepare(connection, place, &limit, &answer) == OUTCOME_OK)
        return 0;
    return error_set(error, "cannot prepare '%s': %s", place->text, connection->error.text);
}

// --- answers -------------------------------------------------------------------------------------

static void take_value(struct mysql_value *value, const char *text, size_t length)
{
    value->is_null = false;
    snprintf(value->text, sizeof value->text, "%.*s", (int)length, text);
    value->number = strtoll(value->text, NULL, 10);
}

static void take_row(struct mysql_answer *answer, const struct prepared *prepared)
{
    unsigned columns = mysql_stmt_field_count(prepared->handle);
    for (size_t i = 0; i < columns; i++) {
        size_t length =
            prepared->lengths[i] < MYSQL_MOST_TEXT - 1 ? prepared->lengths[i] : MYSQL_MOST_TEXT - 1;
        if (!prepared->nulls[i])
            take_value(&answer->values[i], prepared->buffers[i], length);
    }
}

static enum await_end execute(struct mysql_connection *connection, const struct prepared *prepared,
                              const struct mysql_argument *arguments,
                              const struct mysql_limit *limit, struct mysql_answer *answer)
{
    MYSQL_STMT *handle = prepared->handle;
    MYSQL_BIND bound[MAX_ARGUMENTS] = {0};
    unsigned long count = mysql_stmt_param_count(handle);
    for (unsigned long i = 0; i < count && i < MAX_ARGUMENTS; i++) {
        const char *text = arguments[i].text;
        bound[i].buffer_type = text != NULL ? MYSQL_TYPE_STRING : MYSQL_TYPE_LONGLONG;
        bound[i].buffer =
            text != NULL ? (void *)(uintptr_t)text : (void *)(uintptr_t)&arguments[i].number;
        bound[i].buffer_length = text != NULL ? strlen(text) : 0;
    }
    if (count > MAX_ARGUMENTS || (count > 0 && mysql_stmt_bind_param(handle, bound) != 0))
        return AWAIT_FAILED;
    enum await_end end = mysql_await_execute(connection->session, handle, limit);
    if (end != AWAIT_DONE)
        return end;
    answer->affected = (int64_t)mysql_stmt_affected_rows(handle);
    if (mysql_stmt_field_count(handle) == 0)
        return AWAIT_DONE;
    end = mysql_await_rows(connection->session, handle, limit);
    if (end != AWAIT_DONE)
        return end;
    answer->rows = (int64_t)mysql_stmt_num_rows(handle);
    if (answer->rows > 0 && mysql_stmt_fetch(handle) != 1)
        take_row(answer, prepared);
    mysql_stmt_free_result(handle);
    return AWAIT_DONE;
}

// The same for a statement that was not loaded.
static enum await_end query(struct mysql_connection *connection, const char *text,
                            const struct mysql_limit *limit, struct mysql_answer *answer)
{
    MYSQL *session = connection->session;
    MYSQL_RES *result;
    enum await_end end = mysql_await_query(session, text, limit);
    if (end != AWAIT_DONE)
        return end;
    answer->affected = (int64_t)mysql_affected_rows(session);
    if (mysql_field_count(session) == 0)
        return AWAIT_DONE;
    end = mysql_await_result(session, &result, limit);
    if (end != AWAIT_DONE)
        return end;
    answer->rows = (int64_t)mysql_num_rows(result);
    MYSQL_ROW row = answer->rows > 0 ? mysql_fetch_row(result) : NULL;
    for (unsigned i = 0; row != NULL && i < mysql_num_fields(result) && i < MYSQL_MOST_COLUMNS; i++)
        if (row[i] != NULL)
            take_value(&answer->values[i], row[i], strlen(row[i]));
    mysql_free_result(result);
    return AWAIT_DONE;
}

// --- requests ------------------------------------------------------------------------------------

// Nobody waits for the statement any more, but the server does.
static enum outcome give_up(struct mysql_connection *connection, struct mysql_answer *answer)
{
    mysql_note(connection, "was given up while it waited", 0);
    enum outcome outcome = mysql_kill_session(connection);
    mysql_connection_end_session(connection);
    answer->session_ended = outcome == OUTCOME_OK;
    return outcome == OUTCOME_OK ? OUTCOME_NO : OUTCOME_UNKNOWN;
}

// `closed`: by the server, without an answer.
static enum outcome understand(struct mysql_connection *connection, const struct prepared *prepared,
                               enum await_end end, bool closed, struct mysql_answer *answer)
{
    bool ended = closed;
    if (end == AWAIT_DONE)
        return OUTCOME_OK;
    enum outcome outcome = OUTCOME_UNKNOWN;
    if (end == AWAIT_FAILED) {
        answer->error = prepared != NULL ? mysql_stmt_errno(prepared->handle)
                                         : mysql_errno(connection->session);
        mysql_note(connection,
                   prepared != NULL ? mysql_stmt_error(prepared->handle)
                                    : mysql_error(connection->session),
                   answer->error);
        // Of an interrupted statement KILL does not say whether it meant the whole session: we end
        // that.
        ended |= mysql_error_ends_session(answer->error);
        answer->session_ended = ended || answer->error == ER_QUERY_INTERRUPTED;
        outcome = mysql_error_outcome(answer->error);
    } else {
        mysql_note(connection, "no answer in time", 0);
    }
    // A primary that is none any more: the next request looks for the new one.
    if (answer->error == ER_OPTION_PREVENTS_STATEMENT && mysql_has_primary(connection->service))
        answer->session_ended = true;
    if (outcome == OUTCOME_UNKNOWN || answer->session_ended)
        mysql_connection_end_session(connection);
    connection->ended_by_server |= ended;
    return outcome;
}

// Sees to it that there is a session that the request may go to. False, noted, if there is none.
static bool find_session(struct mysql_connection *connection, int64_t wanted,
                         struct mysql_answer *answer)
{
    bool by_server;
    if (connection->session != NULL && mysql_has_hung_up(connection->session, &by_server)) {
        mysql_connection_end_session(connection);
        connection->ended_by_server = by_server;
    }
    if (wanted != 0 && mysql_connection_session(connection) != wanted) {
        mysql_note(connection, "the session has ended", 0);
        answer->session_ended = true;
        return false;
    }
    return connection->session != NULL ||
           mysql_connect_within(connection, connection->request_ns) == 0;
}

static enum outcome perform(struct mysql_connection *connection, const struct request *request,
                            struct mysql_answer *answer)
{
    struct prepared *prepared = find_statement(connection, request->statement);
    if (!find_session(connection, request->session, answer))
        return OUTCOME_NO;
    bool closed = false;
    const struct mysql_limit soon = {clock_monotonic_ns() + connection->request_ns, NULL, &closed};
    const struct mysql_limit whenever = {TIME_NEVER, request->patience, &closed};
    const struct mysql_limit *limit = request->patience != NULL ? &whenever : &soon;
    if (prepared != NULL && prepared->handle == NULL) {
        enum outcome outcome = prepare(connection, prepared, &soon, answer);
        if (outcome != OUTCOME_OK)
            return outcome;
    }
    enum await_end end = prepared != NULL
                             ? execute(connection, prepared, request->arguments, limit, answer)
                             : query(connection, request->statement->text, limit, answer);
    if (end == AWAIT_TIME_UP && request->patience != NULL)
        return give_up(connection, answer);
    return understand(connection, prepared, end, closed, answer);
}

static enum outcome pass_points(struct mysql_connection *connection, const struct request *request,
                                struct mysql_answer *answer)
{
    *answer = (struct mysql_answer){0};
    for (size_t i = 0; i < MYSQL_MOST_COLUMNS; i++)
        answer->values[i].is_null = true;
    point(connection->actor, POINT_BEFORE, request->statement->command);
    enum outcome outcome = perform(connection, request, answer);
    point(connection->actor, POINT_AFTER, request->statement->command);
    return outcome;
}

enum outcome mysql_request(struct mysql_connection *connection, struct mysql_answer *answer,
                           const struct mysql_statement *statement,
                           const struct mysql_argument *arguments)
{
    const struct request request = {.statement = statement, .arguments = arguments};
    return pass_points(connection, &request, answer);
}

enum outcome mysql_request_in(struct mysql_connection *connection, int64_t session,
                              struct mysql_answer *answer, const struct mysql_statement *statement,
                              const struct mysql_argument *arguments)
{
    return mysql_request_patiently(connection, session, answer, statement, arguments, NULL);
}

enum outcome mysql_request_patiently(struct mysql_connection *connection, int64_t session,
                                     struct mysql_answer *answer,
                                     const struct mysql_statement *statement,
                                     const struct mysql_argument *arguments,
                                     const struct mysql_patience *patience)
{
    const struct request request = {statement, arguments, session, patience};
    return pass_points(connection, &request, answer);
}

// --- set-up --------------------------------------------------------------------------------------

static const struct mysql_statement look = {"SELECT", "SELECT 1"};

// Executes the texts on one server; without any, waits until it sees what the others have done.
static int execute_on(const struct service *service, int server, const char *const *texts,
                      struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct mysql_answer answer;
    struct mysql_connection *connection =
        mysql_open_server(service, server, MYSQL_SET_UP_NS, &nobody, error);
    if (connection == NULL)
        return -1;
    enum outcome outcome = mysql_request(connection, &answer, &look, NULL);
    for (size_t i = 0; outcome == OUTCOME_OK && texts[i] != NULL; i++) {
        const struct mysql_statement statement = {"SET-UP", texts[i]};
        outcome = mysql_request(connection, &answer, &statement, NULL);
    }
    if (outcome != OUTCOME_OK)
        error_set(error, "cannot set up or clean up: %s", mysql_connection_error(connection));
    mysql_connection_close(connection);
    return outcome == OUTCOME_OK ? 0 : -1;
}

int mysql_execute_all(const struct service *service, const char *const *texts, struct error *error)
{
    static const char *const none[] = {NULL};
    bool is_galera = strcmp(service->topology, "galera") == 0;
    int result = execute_on(service, 0, texts, error);
    for (int i = 1; result == 0 && is_galera && i < service->server_count; i++)
        result = execute_on(service, i, none, error);
    return result;
}
