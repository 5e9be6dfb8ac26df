// One client connection to a memcached server, in its text protocol: libmemcached knows no meta
// commands, and without those nothing can be deleted on condition.
// Protocol: github.com/memcached/memcached, doc/protocol.txt.
#ifndef LOCKPICK_WIRE_MEMCACHED_H
#define LOCKPICK_WIRE_MEMCACHED_H

#include "harness/base/error.h"
#include "harness/point/point.h"
#include "harness/wire/service.h"

struct memcached_connection;

struct memcached_answer {
    char word[24];   // the first of the answer: "STORED", "HD", "VALUE", "END", ...
    char value[128]; // after VALUE: the item's, cut if longer
    uint64_t cas;    // after VALUE: its unique number
};

// Connects, patiently: this is set-up. NULL with `error` set if the server cannot be reached. From
// then on `request_ns` limits the wait for each answer, and for each new connection. Close with
// memcached_close; `service` and `actor` must live as long.
struct memcached_connection *memcached_open(const struct service *service, int64_t request_ns,
                                            struct actor *actor, struct error *error);
void memcached_close(struct memcached_connection *connection);

// Sends one command (without the final line end) and waits for its answer; its first word names the
// point.
//   OK       the server executed it; `answer` says what it replied
//   NO       certainly not executed: could not connect, or SERVER_ERROR
//   UNKNOWN  no answer: time-out or lost connection after something was sent. The next request
//            connects anew
//   BROKEN   ERROR or CLIENT_ERROR, which only a wrong command explains; see memcached_error
__attribute__((format(printf, 3, 4))) enum outcome memcached_request(
    struct memcached_connection *connection, struct memcached_answer *answer, const char *format,
    ...);

// What went wrong in the last request that was not OK.
const char *memcached_error(const struct memcached_connection *connection);

// Command names that schemes send, for points; NULL-terminated.
extern const char *const memcached_commands[];

#endif
