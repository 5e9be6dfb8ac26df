// One client connection to an SQL server (MySQL or MariaDB, PostgreSQL), and with it one session.
// What it has in common with other clients, client.h tells.
#ifndef LOCKPICK_WIRE_SQL_H
#define LOCKPICK_WIRE_SQL_H

#include "harness/wire/client.h"
#include "harness/wire/peer.h"

// --- below all points (see peer.h) ---------------------------------------------------------------

// A session with one server, which those of PostgreSQL (below) and mysql.h open, and ask over.
struct sql_peer {
    struct peer peer;
    void *session;    // the library's; NULL: not connected
    bool is_closed;   // the server has closed the connection instead of an answer
    int64_t shown_ms; // MySQL: the time that it was told to show; 0: it was told none
};

// To who is not let in.
#define SQL_WHO_ADVICE "check the user and the database in its URL, and what its 'password' names"

struct sql_login {
    const char *user, *password;
    const char *database;
    // PostgreSQL: names the session among the server's; MySQL: a statement to begin it with.
    // Either NULL: none.
    const char *application, *first;
    bool is_plain; // nothing needs to be negotiated
};

// PostgreSQL. 0, or -1 with `error` set and nothing to be closed.
int postgres_peer_open(struct sql_peer *link, const struct peer *peer,
                       const struct sql_login *login, struct error *error);
void postgres_peer_close(struct sql_peer *link);

// Executes one statement; adds what it brings to `answer`: a line a row, its columns parted by
// tabs. 0, or -1 with `error` set; if no answer came in time, the link is of no use any more.
int postgres_peer_ask(struct sql_peer *link, const char *statement, struct text *answer,
                      struct error *error);

// --- a worker's client, which passes a point before and after each request -----------------------

struct sql_connection;

// A statement. MySQL: each `?` outside of quotes stands for an argument, which is written in its
// place; PostgreSQL: $1, $2. `%s` in it stands for the connection's table.
struct sql_statement {
    const char *command; // names its points: "INSERT"
    const char *text;
};

// A text, or, with `text` NULL, a number.
struct sql_argument {
    const char *text;
    int64_t number;
};

#define SQL_TABLE_ROOM 64
#define SQL_MOST_COLUMNS 2

struct sql_value {
    bool is_null; // or there is no such column, or no row
    int64_t number;
    char text[128]; // cut if longer
};

struct sql_answer {
    int64_t rows;     // that came back
    int64_t affected; // MySQL: that an INSERT, UPDATE or DELETE has changed: an UPDATE that writes
                      // what was there already changes none
    struct sql_value values[SQL_MOST_COLUMNS]; // the first columns of the first row
    unsigned error;                            // MySQL: the server's, or the library's; 0: none
    // With NO: nothing was sent, for the session has ended; or the primary has become read-only.
    // With UNKNOWN: the server has said that it has ended the session, and with it its transaction
    // and its locks. A connection that is lost without such a word says nothing: until the server
    // notices, it may go on with the session.
    bool session_ended;
};

// User and database are the kind's own unless the service says otherwise: of PostgreSQL `postgres`
// both, else see mysql.h.
void *sql_open(const struct service *service, int64_t request_ns, struct actor *actor,
               struct error *error);

// The same with one server of the service, from 0.
void *sql_open_server(const struct service *service, int server, int64_t request_ns,
                      struct actor *actor, struct error *error);
void sql_close(void *connection);

// Which table its statements are about.
void sql_use_table(struct sql_connection *connection, const char *table);

// Sends the statement, with as many arguments as it has (NULL: none), and waits for its answer. If
// the session has ended it goes to a new one. With UNKNOWN the session is given up; the next
// request opens another.
enum outcome sql_request(struct sql_connection *connection, struct sql_answer *answer,
                         const struct sql_statement *statement,
                         const struct sql_argument *arguments);

// The same, but only in that session (see sql_session; 0: in any), for what makes no sense without
// what came before. If it has ended, nothing is sent: NO, with answer->session_ended.
//
// MySQL: with `patience` (else NULL) the statement may wait on the server, perhaps for ever:
// without request_ns, but until that is over. Then the session is ended by KILL, for else the
// server would wait on and be granted what nobody wants any more; NO, with answer->session_ended.
enum outcome sql_request_in(struct sql_connection *connection, int64_t session,
                            struct sql_answer *answer, const struct sql_statement *statement,
                            const struct sql_argument *arguments,
                            const struct peer_patience *patience);

// Which session the next request goes to: counts up from 1 with each that is opened, 0 while there
// is none.
int64_t sql_session(const struct sql_connection *connection);

// Ends the session, and with it all that belongs to it; the next request opens another.
void sql_end_session(struct sql_connection *connection);

// --- what a kind of server adds ------------------------------------------------------------------

struct sql_kind {
    const char *name;
    // The server that a client of the service begins with; NULL: the first.
    int (*first_server)(const struct service *service, const struct actor *actor);
    // Opens a session. 0, or -1, noted.
    int (*connect)(struct sql_connection *connection, int64_t limit_ns);
    void (*close)(struct sql_peer *link);
    // Whether the session has ended unasked is looked at before what belongs to it; or always,
    // before each request. What the server says then begins with `error`; 0: whatever it says.
    bool looks_always;
    char error;
    // Executes the statement, whose text has its table, in the session that is there, and gives
    // that up where it must.
    enum outcome (*execute)(struct sql_connection *connection, struct sql_answer *answer,
                            const char *text, const struct sql_argument *arguments);
};

struct sql_connection {
    struct error error;
    const struct sql_kind *kind;
    const struct service *service;
    const struct endpoint *endpoint; // of the session, or of the last one
    int64_t request_ns;
    struct actor *actor;
    struct sql_peer link;
    int descriptor;   // of the session's socket
    int64_t sessions; // opened so far
    uint64_t number;  // the server's, of the session
    // The last session that has ended was ended by the server: it said so, or closed it. Else it
    // was lost on the way or given up here, and the server may keep what belongs to it until it
    // notices.
    bool ended_by_server;
    char table[SQL_TABLE_ROOM];
    struct text text, statement; // as it was sent last: without its arguments, and with them
};

// A session was opened, to which the server gives that number; or gives it up.
void sql_note_session(struct sql_connection *connection, int descriptor, uint64_t number);
void sql_lose_session(struct sql_connection *connection, bool by_server);

// Takes down what the session's server, or its library, says.
void sql_note(struct sql_connection *connection, const char *message);

void sql_take_value(struct sql_answer *answer, int column, const char *text);

extern const struct sql_kind sql_mysql, sql_postgres;

#endif
