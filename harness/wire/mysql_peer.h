// A connection to one MySQL or MariaDB server, and with it one session, below all points (see
// peer.h).
//
// The library's own time-outs are whole seconds. So this uses the calls of MariaDB's Connector/C
// that return instead of waiting, with a poll in between. (The library's own names begin with
// mysql_, too: what is not declared in this room is the library's.)
#ifndef LOCKPICK_WIRE_MYSQL_PEER_H
#define LOCKPICK_WIRE_MYSQL_PEER_H

#include "harness/wire/peer.h"

#include <mysql/mysql.h>

// When a statement that waits on the server is to be given up; asked every 10 ms.
struct mysql_patience {
    bool (*is_over)(void *context);
    void *context;
};

struct mysql_peer {
    struct peer peer;
    const struct mysql_patience *patience; // ends the wait before the peer's time is up; or NULL
    MYSQL *session;                        // NULL: not connected
    bool is_closed; // the server has closed the connection instead of an answer
};

struct mysql_login {
    const char *user, *password;
    const char *database; // NULL: none
    const char *first;    // a statement to begin the session with; NULL: none
};

// What has become of a statement. Failed: mysql_errno(link->session) says why. With its time up,
// the link is of no use any more but to be closed.
enum mysql_end { MYSQL_DONE, MYSQL_FAILED, MYSQL_TIME_UP };

// Anything but MYSQL_DONE: with `error` set and nothing to be closed, *number the server's error or
// the library's (0: time is up).
enum mysql_end mysql_peer_open(struct mysql_peer *link, const struct peer *peer,
                               const struct mysql_login *login, unsigned *number,
                               struct error *error);
void mysql_peer_close(struct mysql_peer *link);

// Executes one statement. *rows: what it brings, for the caller to free; NULL: it brings none.
enum mysql_end mysql_peer_execute(struct mysql_peer *link, const char *statement, MYSQL_RES **rows);

// The same of a statement that brings no rows. 0, or -1 with `error` set; mysql_errno tells the
// number then.
__attribute__((format(printf, 3, 4))) int mysql_peer_tell(struct mysql_peer *link,
                                                          struct error *error, const char *format,
                                                          ...);

// The rows that one statement brings, for the caller to free; NULL with `error` set.
__attribute__((format(printf, 3, 4))) MYSQL_RES *mysql_peer_ask(struct mysql_peer *link,
                                                                struct error *error,
                                                                const char *format, ...);

// Writes the first column of the first row that the statement brings to `answer`: "" if it brings
// none, or NULL. 0, or -1 with `error` set.
int mysql_peer_ask_text(struct mysql_peer *link, const char *statement, char *answer, size_t room,
                        struct error *error);

// Whether the first value that the statement brings is a number other than 0: 1, 0 (also if it
// brings none), or -1 with `error` set.
__attribute__((format(printf, 3, 4))) int mysql_peer_is_so(struct mysql_peer *link,
                                                           struct error *error, const char *format,
                                                           ...);

// True if there is something to be read although nothing was asked: the session has ended.
// *by_server: the server has said so, or closed it. A connection that was reset may have been so by
// what is between.
bool mysql_peer_has_hung_up(const struct mysql_peer *link, bool *by_server);

#endif
