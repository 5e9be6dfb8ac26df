// When operations begin, and on which lock: the load of a trial. Made before the clients are
// forked, so that all go by the same times, each on its own: nobody is told that a phase begins.
#ifndef LOCKPICK_RUN_LOAD_GENERATOR_H
#define LOCKPICK_RUN_LOAD_GENERATOR_H

#include "harness/base/random.h"
#include "harness/history/writer.h"
#include "harness/scenario/plan.h"

#include <stdatomic.h>

// --- arrivals ------------------------------------------------------------------------------------

// When operations are to begin, in an open loop: at a rate that does not care how the lock does.
// A closed loop waits for one operation before it begins the next, so a lock that stalls is asked
// less often, and its stall shows in one latency only (coordinated omission: Gil Tene, "How NOT to
// Measure Latency", 2013). Here every operation has its time before the trial begins; whoever is
// free takes the next one, and its latency counts from that time, however late it began.

// In memory that all clients share. A client that dies leaves the operation that it took undone.
struct arrivals {
    _Atomic uint64_t taken;
    uint64_t count, room;
    int64_t at_ns[]; // after the start, ascending
};

#define MOST_ARRIVALS 50000000

// Draws the times of all phases that have a rate; in a last one without a time operations come
// until there are `operations` in all. Those of ARRIVALS_POISSON are a Poisson process: also of a
// ramp, drawn at rate 1 and brought into time by the inverse of the expected count (Cinlar,
// "Introduction to Stochastic Processes", 1975). NULL if there would be more than MOST_ARRIVALS.
// The caller frees with arrivals_free; processes forked in between share it.
struct arrivals *arrivals_new(const struct load_settings *phases, size_t count, int64_t operations,
                              uint64_t seed);
void arrivals_free(struct arrivals *arrivals);

// Takes the next operation that is to begin from `from_ns` on, if it is to before `before_ns`: sets
// when, and returns its number, from 1; 0 if there is none. Those before `from_ns` that nobody has
// taken by then are left out for good.
int64_t arrivals_take(struct arrivals *arrivals, int64_t from_ns, int64_t before_ns,
                      int64_t *at_ns);

// How many have come by then, taken or not.
uint64_t arrivals_due(const struct arrivals *arrivals, int64_t at_ns);

// --- phases --------------------------------------------------------------------------------------

struct load {
    const struct scenario *scenario;
    size_t count;                       // of phases; 0: one closed loop to the end
    int64_t begins_ns[MOST_PHASES + 2]; // of each; then the end of the last
    struct arrivals *arrivals;          // of all phases that have a rate; NULL if none has
    struct history_writer writer;       // of the conductor: see load_announce
    size_t announced;
};

// `operations`: how many the workload has in all, 0 if it runs for a time. 0, or -1 with `error`
// set; call load_close in either case.
int load_open(struct load *load, const struct trial *trial, const struct history_file *history,
              int64_t operations, struct error *error);
void load_close(struct load *load);

// The phase (from 0) at that time; `count` if the last is over.
size_t load_phase_at(const struct load *load, int64_t at_ns);

// From when on what was to begin may still be begun in that phase, however late: a warm-up leaves
// nothing undone to those after it.
int64_t load_backlog_ns(const struct load *load, size_t phase);

// True if the client (from 1) takes part in that phase.
bool load_includes(const struct load *load, size_t phase, int client);

// Records the beginning of every phase that has begun by `now_ns` and was not recorded yet, as of
// the time at which it was to begin. The gate was opened at `opened_ns`, 0 if it was not yet; both
// on CLOCK_MONOTONIC.
void load_announce(struct load *load, int64_t opened_ns, int64_t now_ns);

// How many operations of an open loop were to begin by then, in phases that are no warm-up.
int64_t load_due(const struct load *load, int64_t at_ns);

// --- keys ----------------------------------------------------------------------------------------

// Which of several locks an operation takes: all alike, or some far more often, by Zipf's law: the
// nth is wanted in proportion to 1 / n^skew, as web pages and database rows are (Breslau et al.,
// "Web Caching and Zipf-like Distributions", 1999); 0.99 is what YCSB uses.
struct key_distribution {
    size_t count;
    double *up_to; // the share of the first, of the first two, ... of all, which is 1
};

// The caller frees with key_distribution_free.
void key_distribution_make(struct key_distribution *distribution, size_t count, double skew);
void key_distribution_free(struct key_distribution *distribution);

// One of them, from 0.
size_t key_distribution_draw(const struct key_distribution *distribution, struct random *random);

#endif
