// Connections to several independent Redis servers, asked all at once: the same command goes out to
// each, then the answers are read as they come.
#ifndef LOCKPICK_WIRE_REDIS_MANY_H
#define LOCKPICK_WIRE_REDIS_MANY_H

#include "harness/wire/redis.h"

struct redis_many;

// Connects to every server of the service, patiently; one that is down is tried again in each
// round. `limit_ns` is for a whole round, connecting included. NULL with `error` set if not even
// one can be reached. Close with redis_many_close; `service` and `actor` must live as long.
struct redis_many *redis_many_open(const struct service *service, int64_t limit_ns,
                                   struct actor *actor, struct error *error);
void redis_many_close(struct redis_many *many);

// What one server said in a round.
struct redis_said {
    enum outcome outcome; // as of redis_request
    struct redis_answer answer;
};

// Sends the command (`words`, the first of which names the point) to each server whose entry in
// `asked` is true (NULL: to all), and reads until each has answered or the round's time is up.
// A connection that owes an answer is kept, and what it still brings is read before the next answer
// is: on one connection the server keeps the order. `said` has room for every server; of those that
// are not asked it is left as it is. The point is passed once before the round, and after each
// answer or time-out.
void redis_many_ask(struct redis_many *many, const char *const *words, int word_count,
                    const bool *asked, struct redis_said *said);

// The message of a server that answered BROKEN, or "".
const char *redis_many_error(const struct redis_many *many);

#endif
