// For redis_control*.c only: the connection over which a Redis server is controlled, and what is
// done over it.
#ifndef LOCKPICK_CLUSTER_REDIS_CONTROL_LINK_H
#define LOCKPICK_CLUSTER_REDIS_CONTROL_LINK_H

#include "harness/cluster/control.h"

#include <hiredis/hiredis.h>
#include <stdint.h>

// One connection for one operation, which takes a second at most.
struct redis_link {
    const struct node *node;
    redisContext *context;
    int64_t give_up_ns; // CLOCK_MONOTONIC
};

// 0, or -1 with `error` set and nothing to be closed.
int redis_link_open(struct redis_link *link, const struct node *node, struct error *error);
void redis_link_close(struct redis_link *link);

// Sends one request (and what hiredis has pending before it), and waits for its reply, which the
// caller frees; an error reply is one. NULL with `error` set if none came in time. `format` is
// hiredis's, without %b.
__attribute__((format(printf, 3, 4))) redisReply *redis_link_ask(struct redis_link *link,
                                                                 struct error *error,
                                                                 const char *format, ...);

// The next reply to what was sent by redisAppendCommand.
redisReply *redis_link_next(struct redis_link *link, struct error *error);

// For a request whose reply says nothing but that it was done: 0, or -1 with `error` set, also on
// an error reply.
__attribute__((format(printf, 3, 4))) int redis_link_tell(struct redis_link *link,
                                                          struct error *error, const char *format,
                                                          ...);

// True if it is an error reply that begins with that word ("" for any).
bool redis_is_error(const redisReply *reply, const char *word);

// Says in `error` that the server answered that to `request`. Returns -1.
int redis_unexpected(const struct redis_link *link, const char *request, const redisReply *reply,
                     struct error *error);

// The number after "<field>:" in the section of INFO. 0, or -1 with `error` set.
int redis_info_number(struct redis_link *link, const char *section, const char *field,
                      long long *number, struct error *error);

// 1 if it is a master (whether or not of any slots), 0 if a replica, -1 with `error` set.
int redis_is_master(struct redis_link *link, struct error *error);

bool redis_in_cluster(const struct node *node);

// Parts of redis_control.
int redis_owns(const struct node *node, const struct lock_identity *lock, struct error *error);
int redis_disconnect(const struct node *node, const struct client_end *client, const char *kind,
                     struct error *error);
int redis_evict(const struct node *node, const struct lock_identity *lock, const char *policy,
                struct error *error);
int redis_relieve(const struct node *node, struct error *error);
int redis_deny(const struct node *node, const char *refusal, bool refuses, struct error *error);
int redis_forget(const struct node *node, enum loss loss, struct error *error);
extern const char *const redis_links[], *const redis_policies[], *const redis_refusals[];

#endif
