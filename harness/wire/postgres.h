// PostgreSQL (sql.h). User and database are `postgres` unless the service says otherwise.
#ifndef LOCKPICK_WIRE_POSTGRES_H
#define LOCKPICK_WIRE_POSTGRES_H

#include "harness/wire/sql.h"

#include <postgresql/libpq-fe.h>

// --- below all points (see peer.h) ---------------------------------------------------------------

// 0, or -1 with `error` set and nothing to be closed.
int postgres_peer_open(struct sql_peer *link, const struct peer *peer,
                       const struct sql_login *login, struct error *error);
void postgres_peer_close(struct sql_peer *link);

// Executes one statement; adds what it brings to `answer`: a line a row, its columns parted by
// tabs. 0, or -1 with `error` set; if no answer came in time, the link is of no use any more.
int postgres_peer_ask(struct sql_peer *link, const char *statement, struct text *answer,
                      struct error *error);

#endif
