// One step of the schedule: a fault from its trigger to its end. For schedule.c only.
#ifndef LOCKPICK_FAULTS_STEP_H
#define LOCKPICK_FAULTS_STEP_H

#include "faults/cause.h"
#include "faults/schedule.h"

enum step_state {
    STEP_ASLEEP,    // waits for the fault named by `after:`
    STEP_ARMED,     // waits for its point, its time or its cause
    STEP_TRIGGERED, // the trigger came; to strike at once
    STEP_PENDING,   // struck, not yet proven
    STEP_IN_EFFECT, // waits for its cause or its bound
    STEP_HEALING,   // asked to end, not yet over
    STEP_OVER,
};

struct step {
    struct fault_strike strike;
    const struct fault *fault;
    enum step_state state;
    struct wait_for trigger_cause;
    struct wait_for until;
    enum heal_reason heal_reason;
    bool target_died;
    bool has_found; // and told it
    bool watches;   // its points are set
    int64_t armed_ns;
    int64_t reached_ns; // a worker came to the last point that was set for this fault
    int64_t in_effect_ns;
    pid_t process; // that was struck
};

struct schedule {
    struct step *steps;
    size_t count;
    struct fault_world *world;
    struct history_writer *writer;
    struct doings doings;
    int64_t started_ns; // TIME_NEVER before the start
    int64_t ask_at_ns;  // when servers may be asked again
    bool struck;
    int64_t ended_ns;  // when the last fault was over, or was done
    int64_t closed_ns; // since when nothing that was drawn strikes any more; 0: it does
};

const struct fault_step *step_plan(const struct step *step);

// True if nothing of it happens in a client: servers must be asked how it goes.
bool step_is_on_server(const struct step *step);

// True for a fault that is healed as soon as it is in effect: over is when it has struck.
bool step_is_brief(const struct step *step);

// Waits for the step's points, its time or its cause.
void step_arm(struct schedule *schedule, struct step *step);

// Sets the trap at the step's points.
void step_watch(struct schedule *schedule, struct step *step);

// Strikes a step that was triggered, or asks for the proof of one that is pending.
void step_strike(struct schedule *schedule, struct step *step);

// Ends a step for its heal_reason, or asks whether it is over by now.
void step_heal(struct schedule *schedule, struct step *step);

// Lets workers go on that waited at the triggers of faults that stand now.
void steps_release_triggers(struct schedule *schedule);

#endif
