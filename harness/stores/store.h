// A store: where the guarded value lives. It is read and written in two steps, so that only the
// lock keeps two updates apart. Fenced, it refuses whoever carries an older fencing token than it
// has seen.
#ifndef LOCKPICK_STORES_STORE_H
#define LOCKPICK_STORES_STORE_H

#include "harness/base/error.h"
#include "harness/point/point.h"
#include "harness/wire/client.h"

#include <stdatomic.h>
#include <stdbool.h>

struct store_kind;

// Memory that all processes of the trial share, for stores that need no server.
struct shared_account {
    _Alignas(16) _Atomic uint64_t halves[2]; // the value, and the highest token seen
};

// One worker's handle on the guarded value.
struct store {
    const struct store_kind *kind;
    struct actor *actor;
    bool fenced;
    int64_t request_ns;            // time-out of one request
    const struct service *service; // where it is kept; NULL if it needs none
    const char *name;              // of the value, unlike any other trial's: a key
    const char *tag;               // its part that is fit for names of tables
    struct shared_account *shared;
    void *connection;   // by the kind's connector
    void *state;        // the kind's own
    struct error error; // set with every BROKEN outcome
};

struct store_kind {
    const char *name;
    const char *summary;
    const char *server;                // kind of server it needs, NULL for none
    const char *rights;                // on one that runs already: as of struct lock_scheme
    const struct connector *connector; // how each worker connects to it; NULL: it need not
    size_t state_bytes;                // of zeros, at first
    // Optional: prepares the worker, which is connected. 0, or -1 with `error` set.
    int (*open)(struct store *store, struct error *error);
    // Reads the value. `token` is the reader's, 0 without fencing; a fenced store remembers it.
    // NO: refused, the token is old.
    enum outcome (*read)(struct store *store, int64_t token, int64_t *value);
    // Writes the value. NO: refused, the token is old.
    enum outcome (*write)(struct store *store, int64_t token, int64_t value);
    // Optional, for stores that know transactions: what is read and written from `begin` to
    // `commit` is one. NO from `commit`: rolled back.
    enum outcome (*begin)(struct store *store);
    enum outcome (*commit)(struct store *store);
    // Optional: once for a trial, before any worker opens it (tables), and the removal of all that
    // is of this name and tag. What is there already, or gone already, is fine. 0, or -1 with
    // `error` set.
    int (*set_up)(const struct service *service, const char *name, const char *tag,
                  struct error *error);
    int (*clean_up)(const struct service *service, const char *name, const char *tag,
                    struct error *error);
};

int store_open(struct store *store, struct error *error);
void store_close(struct store *store);

// For kinds with a connector: passes an outcome on; BROKEN takes the connection's message along. A
// store's NO says "refused, the token is old": what could not be executed is no refusal.
enum outcome store_noted(struct store *store, enum outcome outcome);

extern const struct store_kind *const store_catalogue[]; // NULL-terminated
const struct store_kind *store_kind_find(const char *name);

extern const struct store_kind shm_store;
extern const struct store_kind redis_store;
extern const struct store_kind mysql_store;

#endif
