// etcd, by its JSON gateway (/v3/...). What it has in common with other clients, client.h tells.
#ifndef LOCKPICK_WIRE_ETCD_H
#define LOCKPICK_WIRE_ETCD_H

#include "harness/wire/client.h"
#include "harness/wire/peer.h"

struct etcd_connection;

#define ETCD_KEY_ROOM 160
#define ETCD_CODED_ROOM (ETCD_KEY_ROOM / 3 * 4 + 8) // in base64, as JSON has it
#define ETCD_VALUE_ROOM 160

// A key as it is in the store.
struct etcd_entry {
    char key[ETCD_KEY_ROOM]; // "" if there is none
    int64_t create_revision; // of the whole store, when it was made; 0 if there is none
    int64_t mod_revision;    // ... when it was written last
    int64_t lease;
    char value[ETCD_VALUE_ROOM];
};

// Of a service whose clients go by a time of their own, one at a time: they ask etcd for leases
// that last for days, and whoever moves their time ends those that are over by it. Revisions are
// told and meant from `base_revision` on.
struct etcd_lease {
    int64_t id, until_ns; // CLOCK_MONOTONIC
};
struct etcd_leases {
    int64_t base_revision;
    struct etcd_lease *all; // that are there
    size_t count, room;
    uint64_t changes;              // requests that may have changed a key
    struct etcd_connection *looks; // with a gate, by this a worker sees what its request waits for
};

// A worker begins with server (client number modulo their count), and goes to the next one when it
// cannot connect, or gets no answer.
void *etcd_open(const struct service *service, int64_t request_ns, struct actor *actor,
                struct error *error);
void etcd_close(void *connection);

// --- leases --------------------------------------------------------------------------------------

// A lease for `ttl_s` seconds: *lease is its id.
enum outcome etcd_grant(struct etcd_connection *connection, int64_t ttl_s, int64_t *lease);

// Lets it last as long again from now on. *ttl_s: how long, 0 if there is no such lease any more.
enum outcome etcd_keep_alive(struct etcd_connection *connection, int64_t lease, int64_t *ttl_s);

// OK: it is gone, and with it its keys, by this or before.
enum outcome etcd_revoke(struct etcd_connection *connection, int64_t lease);

// True if the last request was refused because there is no such lease.
bool etcd_lacks_lease(const struct etcd_connection *connection);

// --- keys ----------------------------------------------------------------------------------------

// In one transaction: makes `key` with the lease, unless it is there, and looks up the oldest key
// that begins with `prefix`. `own` is the key as it is now.
enum outcome etcd_create(struct etcd_connection *connection, const char *key, int64_t lease,
                         const char *prefix, struct etcd_entry *own, struct etcd_entry *oldest);

// In one transaction: writes the value if the key was written last at `mod_revision` (0: if there
// is none), and looks the key up. *is_written: whether it was.
enum outcome etcd_write_if(struct etcd_connection *connection, const char *key,
                           int64_t mod_revision, const char *value, bool *is_written,
                           struct etcd_entry *entry);

// Looks the key up, as the majority of servers has it.
enum outcome etcd_get(struct etcd_connection *connection, const char *key,
                      struct etcd_entry *entry);

// Looks up the newest key that begins with `prefix` and is older than `create_revision`; *revision
// is the store's.
enum outcome etcd_get_older(struct etcd_connection *connection, const char *prefix,
                            int64_t create_revision, struct etcd_entry *entry, int64_t *revision);

// Up to `most` of the oldest keys, in the order in which they were made; *revision is the store's.
enum outcome etcd_list(struct etcd_connection *connection, struct etcd_entry *entries, size_t most,
                       size_t *count, int64_t *revision);
enum outcome etcd_delete_all(struct etcd_connection *connection, int64_t *revision);

// *deleted: how many keys that was, 0 or 1.
enum outcome etcd_delete(struct etcd_connection *connection, const char *key, int64_t *deleted);

// Waits until the key is deleted, at `revision` or later: OK. NO: not yet, or the server is not to
// be had; nothing has changed by asking.
enum outcome etcd_watch_deletion(struct etcd_connection *connection, const char *key,
                                 int64_t revision, const struct peer_patience *waiting);

// --- etcd's own lock -----------------------------------------------------------------------------

// Waits at the server until the lease owns the lock: *revision is the store's at that time. If
// `waiting` is over before, the request is cut off, which says nothing about its fate: UNKNOWN.
enum outcome etcd_lock(struct etcd_connection *connection, const char *name, int64_t lease,
                       int64_t *revision, const struct peer_patience *waiting);

// Deletes the key that the lock gave the lease; etcd does not say whether it was there.
enum outcome etcd_unlock(struct etcd_connection *connection, const char *key);

#endif
