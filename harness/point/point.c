#include "harness/point/point.h"

#include "harness/base/futex.h"

#include <string.h>
#include <strings.h>

const char *phase_name(enum phase phase)
{
    static const char *const names[] = {"acquire", "release", "renew", "read", "write", ""};
    return names[phase];
}

const char *client_thread_name(enum client_thread thread)
{
    static const char *const names[CLIENT_THREADS] = {"", "second worker", "watchdog", "subscriber",
                                                      "sweeper"};
    return names[thread];
}

void point_arm(struct point_board *board, struct point_trap *trap)
{
    atomic_store(&trap->passed, 0);
    atomic_store(&trap->state, POINT_ARMED);
    atomic_fetch_add(&board->armed, 1);
}

void point_let_go(struct point_board *board, struct point_trap *trap)
{
    uint32_t before = atomic_exchange(&trap->state, POINT_LET_GO);
    if (before == POINT_ARMED || before == POINT_REACHED)
        atomic_fetch_sub(&board->armed, 1);
    futex_wake_all(&trap->state);
}

// True for what a worker passes by itself, not for a command of a server.
static bool is_of_worker(const char *what, size_t length)
{
    static const char *const own[] = {"read", "write", "holds"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strlen(own[i]) == length && memcmp(own[i], what, length) == 0)
            return true;
    }
    return false;
}

static bool matches(const struct point_match *match, const struct actor *actor,
                    enum point_side side, const char *what, size_t length)
{
    if (match->side == POINT_ANYWHERE)
        return true;
    if (match->side != side || (match->phase != PHASE_NONE && match->phase != actor->phase))
        return false;
    if (match->what[0] == '\0')
        return !is_of_worker(what, length) && !actor->is_proxied;
    return strlen(match->what) == length && strncasecmp(match->what, what, length) == 0;
}

// Which of the trap's alternatives this is, from 1; 0 if it is none.
static uint32_t alternative(const struct point_trap *trap, const struct actor *actor,
                            enum point_side side, const char *what, size_t length)
{
    if (trap->client != actor->client || (trap->worker != 0 && trap->worker != actor->worker))
        return 0;
    for (uint32_t i = 0; i < trap->match_count; i++) {
        if (matches(&trap->matches[i], actor, side, what, length))
            return i + 1;
    }
    return 0;
}

static void stop_here(struct point_trap *trap, struct actor *actor, uint32_t which)
{
    int64_t reached_ns = history_append(
        actor->history, (struct event){.kind = EVENT_POINT_REACHED,
                                       .fault_number = trap->fault_number,
                                       .point_reached = {.nth = trap->nth, .alternative = which}});
    futex_wait_while(&trap->state, POINT_REACHED);
    history_append(actor->history,
                   (struct event){.kind = EVENT_POINT_LEFT,
                                  .fault_number = trap->fault_number,
                                  .point_left = {.held_ns = clock_monotonic_ns() - reached_ns}});
}

void point_stop_if_armed(struct actor *actor, enum point_side side, const char *what, size_t length)
{
    for (int i = 0; i < MAX_ARMED; i++) {
        struct point_trap *trap = &actor->board->traps[i];
        if (atomic_load_explicit(&trap->state, memory_order_acquire) != POINT_ARMED)
            continue;
        uint32_t which = alternative(trap, actor, side, what, length);
        if (which == 0)
            continue;
        if (atomic_fetch_add(&trap->passed, 1) + 1 != trap->nth)
            continue;
        // First: who sees that it is reached sees by whom.
        atomic_store(&trap->reached_by, (uint32_t)actor->worker);
        uint32_t armed = POINT_ARMED;
        if (atomic_compare_exchange_strong(&trap->state, &armed, POINT_REACHED))
            stop_here(trap, actor, which);
    }
}
