// For memcached_control*.c only: the connection over which a memcached server is controlled, and
// what is done over it.
#ifndef LOCKPICK_CLUSTER_MEMCACHED_CONTROL_LINK_H
#define LOCKPICK_CLUSTER_MEMCACHED_CONTROL_LINK_H

#include "harness/base/text.h"
#include "harness/cluster/control.h"

#include <stdint.h>

// One connection for one operation, which takes a second at most.
struct memcached_link {
    const struct node *node;
    int descriptor;
    int64_t give_up_ns; // CLOCK_MONOTONIC
    struct text answer; // to the last request, its line ends included
};

// 0, or -1 with `error` set and nothing to be closed.
int memcached_link_open(struct memcached_link *link, const struct node *node, struct error *error);
void memcached_link_close(struct memcached_link *link);

// Sends bytes. 0, or -1 with `error` set.
int memcached_link_send(struct memcached_link *link, const char *bytes, size_t length,
                        struct error *error);

// Sends one request (without the final line end), and waits until its answer, link->answer, ends
// with the line `last` (NULL: is one line, whatever it says). 0, or -1 with `error` set.
__attribute__((format(printf, 4, 5))) int memcached_link_ask(struct memcached_link *link,
                                                             const char *last, struct error *error,
                                                             const char *format, ...);

// Says in `error` that the server gave link->answer to `request`. Returns -1.
int memcached_unexpected(const struct memcached_link *link, const char *request,
                         struct error *error);

// True if link->answer begins so.
bool memcached_answered(const struct memcached_link *link, const char *beginning);

// An item, as the server describes it.
struct memcached_item {
    uint64_t cas; // changes when it is written or made anew
    int bytes;    // with its name and all that the server keeps about it
};

// Looks for an item without making it look used. 1 if it is there, 0 if not, -1 with `error` set.
int memcached_find(struct memcached_link *link, const char *name, struct memcached_item *item,
                   struct error *error);

// Parts of memcached_control.
int memcached_evict(const struct node *node, const struct lock_identity *lock, const char *policy,
                    struct error *error);
int memcached_relieve(const struct node *node, struct error *error);
extern const char *const memcached_policies[];

#endif
