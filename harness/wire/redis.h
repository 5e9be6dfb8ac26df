// One client connection to a Redis server. Every request passes a point before and after.
#ifndef LOCKPICK_WIRE_REDIS_H
#define LOCKPICK_WIRE_REDIS_H

#include "harness/wire/client.h"
#include "harness/wire/redis_peer.h"

struct redis_connection;

enum redis_answer_kind {
    REDIS_STRING = REDIS_REPLY_STRING,
    REDIS_ARRAY = REDIS_REPLY_ARRAY,
    REDIS_INTEGER = REDIS_REPLY_INTEGER,
    REDIS_NIL = REDIS_REPLY_NIL,
    REDIS_STATUS = REDIS_REPLY_STATUS,
};

#define REDIS_MOST_ITEMS 100

struct redis_answer {
    enum redis_answer_kind kind;
    int64_t integer;
    char text[128]; // status or string, cut if longer
    // Of an array: how many items, and the first ones as numbers; what is no number is 0. Only an
    // array has items.
    size_t count;
    int64_t items[REDIS_MOST_ITEMS];
};

// A Lua script, sent by its digest once the server has it.
struct redis_script {
    const char *text;
};

// The connection follows the service's topology. With sentinels it goes to whom they call the
// master, and asks them again for the next request after a lost connection or a refusal by one that
// is no master any more. In a cluster it goes where it is redirected; one connection at a time is
// kept, so it is best used for keys of one slot. See redis_peer.h for credentials.
void *redis_open(const struct service *service, int64_t request_ns, struct actor *actor,
                 struct error *error);

void redis_close(void *connection);
bool redis_reuse(void *connection, struct actor *actor);

// Sends one command and waits for its answer; `format` is as of redis_peer.h, and its first word
// names the point.
//
// Redirections of a cluster are followed, and what it wants to be asked again later is asked again
// for about `request_ns`: each of these tries passes the points.
enum outcome redis_request(struct redis_connection *connection, struct redis_answer *answer,
                           const char *format, ...);

// With sentinels: the next request asks them again who is master. For a master that no replica
// follows any more, and that does not know why: it may have been deposed while it was away, and its
// sentinels take a while to tell it. Else nothing.
void redis_doubt_master(struct redis_connection *connection);

// Waits until so many replicas have what was written over this connection, or for `limit_ns`: the
// answer's integer says how many have it. It goes to the very server, over the very connection,
// that answered the last request: by any other it would wait for nothing. NO if that is gone.
enum outcome redis_wait(struct redis_connection *connection, struct redis_answer *answer,
                        int replicas, int64_t limit_ns);

// Runs a script with `keys` and `arguments` (NULL-terminated arrays of text). Its point is EVAL,
// whether it goes by digest or, if the server does not know the digest, whole.
enum outcome redis_eval(struct redis_connection *connection, struct redis_answer *answer,
                        const struct redis_script *script, const char *const *keys,
                        const char *const *arguments);

// Tells the server the script beforehand. 0, or -1 with `error` set.
int redis_script_load(struct redis_connection *connection, const struct redis_script *script,
                      struct error *error);

// --- several independent servers, asked all at once ----------------------------------------------

// The same command goes out to each, then the answers are read as they come.
struct redis_many;

// Connects to every server of the service, patiently; one that is down is tried again in each
// round. `limit_ns` is for a whole round, connecting included. NULL with `error` set if not even
// one can be reached. Close with redis_many_close; `service` and `actor` must live as long.
// Its error is that of a server that answered BROKEN, or "".
void *redis_many_open(const struct service *service, int64_t limit_ns, struct actor *actor,
                      struct error *error);
void redis_many_close(void *servers);
bool redis_many_reuse(void *servers, struct actor *actor);

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
// answer or time-out. A worker with a gate asks one server after the other, each in a step of its
// own: who is first at which server is all that the order decides, and each choice can be made so.
void redis_many_ask(struct redis_many *many, const char *const *words, int word_count,
                    const bool *asked, struct redis_said *said);

// Closes the connection to one of the servers, from 0; the next round makes another.
void redis_many_give_up(struct redis_many *many, int server);

// -------------------------------------------------------------------------------------------------

// Takes down at a worker's gate what a server has said.
void redis_hear(struct step_gate *gate, const redisReply *reply);

// Reads a reply, which comes from that peer. As the outcome of redis_request; *error is set unless
// it is OK.
enum outcome redis_understand(const struct peer *peer, const redisReply *reply,
                              struct redis_answer *answer, struct error *error);

#endif
