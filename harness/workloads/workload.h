// A workload: what clients do under the lock. Each operation acquires, reads the guarded value,
// decides, writes it back if there is something to write, and releases.
#ifndef LOCKPICK_WORKLOADS_WORKLOAD_H
#define LOCKPICK_WORKLOADS_WORKLOAD_H

#include "harness/base/random.h"
#include "harness/history/event.h"
#include "harness/scenario/plan.h"

// How stories and findings say what a worker does.
struct workload_words {
    const char *thing;    // what one of several locks is called; NULL: they are told as locks
    const char *acquires; // as in "client-1 acquires the lock"
    const char *learns;   // of its grant, when its lease is over already
    const char *holds;    // "still ..."
    const char *believes; // "still believes it ..."
    const char *to_hold;  // "both believed ..."
    const char *holding;  // "dies, ..."
    const char *told_lost;
    const char *waits;
    const char *granted; // "nobody has ..."
    const char *begins_release;
    const char *releases[RELEASE_UNCHECKED + 1]; // by enum release_answer

    // Where more than one may hold at once, with {permits}, {window} (the lease), {length} and, of
    // `beyond`, {who} was granted one too many and {them} that had the others. `is_counted`: it is
    // said so also if there is but one permit, and each counts from some time of its acquire on;
    // `crowded`: {who} was the last of {them}, so many, which were too many whatever their order.
    bool is_counted;
    const char *admits;  // of one of several; NULL: as `acquires` and `learns`
    const char *all_out; // "client-1 is granted one: ..."
    const char *beyond;
    const char *crowded;
    const char *too_many;

    const char *token;   // what a fencing token is called
    const char *writes;  // a value
    const char *update;  // what an accepted write is called
    const char *updated; // what its writer did to the value that it had seen
};

// Of work that is to be done once: which job it is, and where the guarded value says that it is
// done.
struct job_mark {
    int64_t number; // from 1
    int bit;
};

// As what schemes are tried: what is told of one role stands together, apart from the others.
enum role { ROLE_LOCK, ROLE_LEADER, ROLE_QUEUE, ROLE_LIMITER, ROLE_COUNT };
extern const char *const role_titles[ROLE_COUNT]; // "Locks"

struct workload {
    const char *name;
    const char *summary;
    struct workload_form form;
    const struct workload_words *words; // NULL: those of a lock
    // Where every order of requests is explored: its keys, as in "limit, permits: 1"; NULL: its
    // name is enough.
    const char *explored;
    enum role role;
    // The guarded value before the first operation; NULL: 0.
    int64_t (*initial)(const struct scenario *scenario);
    // How many operations there are in all, 0: as many as the time allows; NULL: as the scenario
    // says.
    int64_t (*operations)(const struct scenario *scenario);
    // What the operation (from 1) writes after having seen `seen`; false if there is nothing to
    // write. NULL: nothing is ever written.
    bool (*next)(const struct scenario *scenario, int64_t operation, int64_t seen,
                 int64_t *written);
    // Optional: true if the next operation only reads, twice, beside others that do.
    bool (*only_reads)(const struct scenario *scenario, struct random *random);
    // Each operation is a term: it updates again and again while its worker leads (`acts`,
    // `every`).
    bool leads;
    // Optional: the job that an operation with the lock of that key (0: there is only one) is for.
    struct job_mark (*job)(const struct scenario *scenario, int64_t operation, int64_t key);
    bool has_permits; // more than one may hold at once: as many as the scenario says
    bool nests; // each operation locks `depth` times, one inside the other, and updates at each
    bool tells_missing;    // stories tell how many accepted writes, each of 1, are not in the sum
    bool only_locks;       // the guarded value is neither read nor written
    bool never_gives_back; // what was granted ends by itself, with its lease
};

extern const struct workload *const workload_catalogue[]; // NULL-terminated
const struct workload *workload_find(const char *name);   // NULL: there is none of that name
// That for which alone schemes of these traits are; NULL: there is none.
const struct workload *workload_alone_for(const char *const *traits);

// True if the scheme that is tried says itself which of the jobs it gives out, to whoever asks.
bool trial_has_queue(const struct trial *trial);

// A lock, unless the workload says otherwise.
enum role scenario_role(const struct scenario *scenario);

int64_t workload_initial(const struct workload *workload, const struct scenario *scenario);
int64_t workload_operations(const struct workload *workload, const struct scenario *scenario);

// Where every order of requests is explored: how many operations each worker does; or how many jobs
// there are, each of which any worker may do.
int64_t workload_explored_operations(const struct scenario *scenario);

// The words for what is done in the scenario. Where it has several locks, they name one of them, so
// that a story can say which one.
const struct workload_words *workload_words(const struct scenario *scenario);

// How many workers there are in all.
int64_t workload_workers(const struct scenario *scenario);

// What `increment` does, which others share.
bool increment_next(const struct scenario *scenario, int64_t operation, int64_t seen,
                    int64_t *written);

extern const struct workload increment_workload;
extern const struct workload oversell_workload;
extern const struct workload draw_workload;
extern const struct workload nested_workload;
extern const struct workload readers_workload;
extern const struct workload permits_workload;
extern const struct key_rule permits_keys[]; // those of workloads that have permits
extern const struct workload limit_workload;
extern const struct workload leader_workload;
extern const struct workload jobs_workload;
extern const struct workload cycle_workload;

#endif
