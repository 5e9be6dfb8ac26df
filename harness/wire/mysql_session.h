// What the parts of the MySQL connection share: its session, and what errors mean.
#ifndef LOCKPICK_WIRE_MYSQL_SESSION_H
#define LOCKPICK_WIRE_MYSQL_SESSION_H

#include "harness/wire/mysql_await.h"

#define MYSQL_MOST_STATEMENTS 8
#define MYSQL_MOST_TEXT 128
// For the first connection and for loading statements, which are set-up and no part of what is
// measured: long enough for TCP to repeat what a full backlog has dropped.
#define MYSQL_SET_UP_NS (10 * NS_PER_S)

// A statement as it is known to one connection. The handle is the current session's.
struct prepared {
    const struct mysql_statement *statement;
    char *text;
    MYSQL_STMT *handle; // NULL: not yet prepared in this session
    char buffers[MYSQL_MOST_COLUMNS][MYSQL_MOST_TEXT];
    unsigned long lengths[MYSQL_MOST_COLUMNS];
    my_bool nulls[MYSQL_MOST_COLUMNS];
};

struct mysql_connection {
    MYSQL *session; // NULL: not connected
    int64_t sessions;
    bool ended_by_server; // the last session that has ended
    const struct service *service;
    const struct endpoint *endpoint; // of the session, or of the last one
    int64_t request_ns;
    struct actor *actor;
    struct prepared prepared[MYSQL_MOST_STATEMENTS];
    struct error error;
};

// Opens a connection to one server of the service, from 0; as mysql_connection_open.
struct mysql_connection *mysql_open_server(const struct service *service, int server,
                                           int64_t request_ns, struct actor *actor,
                                           struct error *error);

// Opens a session, where there are replicas with the server that takes writes. 0; 1 if there is no
// such database; -1 if it failed otherwise. Noted.
int mysql_connect_within(struct mysql_connection *connection, int64_t limit_ns);

// True if one server of the service takes writes, and the others follow it.
bool mysql_has_primary(const struct service *service);

// Has the server end the connection's session, through another. OK: it does, or has done so.
enum outcome mysql_kill_session(struct mysql_connection *connection);

// What an error means for the statement that was answered with it.
enum outcome mysql_error_outcome(unsigned error);
bool mysql_error_ends_session(unsigned error);

// Keeps the message for mysql_connection_error; `number` 0: there is none.
void mysql_note(struct mysql_connection *connection, const char *message, unsigned number);

#endif
