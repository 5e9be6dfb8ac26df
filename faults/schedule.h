// The schedule of a trial's faults: waits for triggers, strikes, waits for proof, waits for causes,
// heals; and writes each of these into the history.
#ifndef LOCKPICK_FAULTS_SCHEDULE_H
#define LOCKPICK_FAULTS_SCHEDULE_H

#include "faults/fault.h"

struct schedule;

// Whether all faults of the scenario can strike in this environment. If not, `why` names the fault,
// the reason and the remedy.
enum availability schedule_available(const struct fault_environment *environment,
                                     struct error *why);

// Sets the points of the scenario's faults. `writer` is the conductor's. All arguments must outlive
// the schedule; free it with schedule_free.
struct schedule *schedule_new(struct fault_environment *environment, struct history_writer *writer);
void schedule_free(struct schedule *schedule);

// The clients have been let go: times of `at:` count from now.
void schedule_start(struct schedule *schedule, int64_t now_ns);

// Shows it one event of the history; call schedule_advance after a batch of them.
void schedule_see(struct schedule *schedule, const struct event *event);

// Does whatever is due: strikes, asks for proof, asks servers for causes, heals.
void schedule_advance(struct schedule *schedule, int64_t now_ns);

// When something will be due without any event; TIME_NEVER if nothing will.
int64_t schedule_next_ns(const struct schedule *schedule);

struct schedule_now {
    bool is_waiting;  // a fault waits for a trigger, a proof or a cause: events matter at once
    bool has_struck;  // some fault has been in effect
    bool is_striking; // one that will end, or is not proven yet, may be why nobody is granted
    // Some fault is in effect, or may be: also one that ends only with the trial, and a server that
    // was killed.
    bool is_lasting;
};
struct schedule_now schedule_now(const struct schedule *schedule);

// True once a fault on that client has been in effect.
bool schedule_has_struck_client(const struct schedule *schedule, int client);

// No fault that was drawn, and has not struck yet, is to strike any more. The first call counts.
void schedule_close(struct schedule *schedule, int64_t now_ns);

// True if nothing strikes, and every living client was granted the lock since then and since the
// last fault was over, or had `bound_ns` for it.
bool schedule_has_settled(const struct schedule *schedule, int64_t now_ns, int64_t bound_ns);

// The trial ends: heals what is in effect, lets go whoever is held, disarms the rest.
void schedule_end(struct schedule *schedule);

#endif
