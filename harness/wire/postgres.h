// One client connection to a PostgreSQL server, and with it one session. Every request passes a
// point before and after.
#ifndef LOCKPICK_WIRE_POSTGRES_H
#define LOCKPICK_WIRE_POSTGRES_H

#include "harness/base/error.h"
#include "harness/point/point.h"
#include "harness/wire/service.h"

struct postgres_connection;

struct postgres_answer {
    char text[128]; // the first column of the first row, cut if longer; "" if NULL or no row
    int rows;
    // With UNKNOWN: no answer will come, because the server has ended the session. What belonged to
    // the session ended with it. Else none came in time.
    bool session_ended;
};

// Connects, and is patient about it: this is set-up. Database and user are `postgres` unless the
// service says otherwise. NULL with `error` set if the service cannot be reached. From then on
// `request_ns` limits the wait for each answer, and for each new connection. The caller closes with
// postgres_close; `service` and `actor` must live as long.
struct postgres_connection *postgres_open(const struct service *service, int64_t request_ns,
                                          struct actor *actor, struct error *error);
void postgres_close(struct postgres_connection *connection);

// Sends one statement, a transaction of its own, and waits for its answer. `name` names the point:
// the function as people know it. `arguments` (NULL-terminated) are its $1, $2, ... as text.
//   OK       the server executed it
//   NO       certainly not executed: could not connect, or an error that says so
//   UNKNOWN  no answer: time-out or lost connection after the request may have been sent. The
//            session is given up; the next request connects anew
//   BROKEN   an error that only a wrong statement or set-up explains; see postgres_error
enum outcome postgres_request(struct postgres_connection *connection,
                              struct postgres_answer *answer, const char *name,
                              const char *statement, const char *const *arguments);

// Which session the next request goes to: counts up from 1 with each that is opened, 0 while there
// is none.
int64_t postgres_session(const struct postgres_connection *connection);

// Ends the session, and with it all that belongs to it; the next request opens another.
void postgres_end_session(struct postgres_connection *connection);

// What went wrong in the last request that was not OK.
const char *postgres_error(const struct postgres_connection *connection);

// Names of the functions that schemes and stores call, for points; NULL-terminated.
extern const char *const postgres_commands[];

#endif
