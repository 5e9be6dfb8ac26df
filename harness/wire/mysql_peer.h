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

// The same; writes the first column of the first row that it brings to `answer`: "" if it brings
// none, or NULL. 0, or -1 with `error` set; mysql_errno tells the number then.
int mysql_peer_ask(struct mysql_peer *link, const char *statement, char *answer, size_t room,
                   struct error *error);

// True if there is something to be read although nothing was asked: the session has ended.
// *by_server: the server has said so, or closed it. A connection that was reset may have been so by
// what is between.
bool mysql_peer_has_hung_up(const struct mysql_peer *link, bool *by_server);

#endif
