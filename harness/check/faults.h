// What a fault of the trial does to whom.
#ifndef LOCKPICK_CHECK_FAULTS_H
#define LOCKPICK_CHECK_FAULTS_H

#include "harness/check/check.h"

#define FOR_EACH_ON_SIDE(target, instance, side)                                                   \
    FOR_EACH (target, target, (instance)->sides[side], (instance)->side_counts[side])

// As the scenario says it.
static inline const char *fault_title(const struct fault_instance *instance)
{
    return instance->text != NULL ? instance->text : instance->verb;
}

// --- who stands on which side of a fault on wires

// True if the client is on that side (0 or 1), by its name, as one of `clients` or of `others`.
bool wire_has_client(const struct fault_instance *instance, int side, int client);

// True if the client is on either side; if every client of the trial is.
bool wire_names_client(const struct fault_instance *instance, int client);
bool wire_names_all_clients(const struct trial_model *model, const struct fault_instance *instance);

// True if the fault lets nothing through between the client and the servers that it needs for the
// lock: all there are, or, where one of them decides, that one. Who is cut off from one of several
// that decide together goes on with the others.
bool wire_cuts_off(const struct trial_model *model, const struct fault_instance *instance,
                   int client);

// True if the fault lets nothing through between the client and that server ("server-2"), which it
// names.
bool wire_severs(const struct fault_instance *instance, int client, const char *server);

// True if servers of the lock stand on both sides: then they do not reach each other.
bool wire_parts_servers(const struct fault_instance *instance);

// True if the fault strikes the server of the guarded value, which has nothing to do with the lock.
bool strikes_only_store(const struct trial_model *model, const struct fault_instance *instance);

// --- who cannot go on

// True if the fault, while it is in effect, stops the worker.
bool fault_stops(const struct fault_instance *instance, int client, int worker);

// True if it stops it or cuts it off.
bool fault_holds_up(const struct trial_model *model, const struct fault_instance *instance,
                    int client, int worker);

// True if the fault may have kept back what the client asked between the two times, or the answer.
bool fault_lost_answer(const struct trial_model *model, const struct fault_record *record,
                       int client, int64_t asked_ns, int64_t until_ns);

// The fault that held the worker at its point, until it was in effect, when the hold's lease ended;
// NULL if there is none.
const struct fault_record *fault_that_held_at_point(const struct trial_model *model,
                                                    const struct hold *hold);

#endif
