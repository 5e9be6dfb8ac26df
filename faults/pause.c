// pause: stops a whole client process, as a stop-the-environment collection does (SIGSTOP: its
// lease-renewing thread stands still too), one worker thread only, at its next point, or a server.
#include "faults/fault.h"

#include "harness/cluster/process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

// --- a client ------------------------------------------------------------------------------------

// To the process, and to the programs that it has started.
static int send_signal(const struct fault_client *client, int signal, struct error *error)
{
    if (kill(client->leads_group ? -client->process : client->process, signal) == 0)
        return 0;
    return error_set(error, "signal %d to process %d: %s", signal, client->process,
                     strerror(errno));
}

static enum strike_state go_on(struct fault_client *client, struct error *error)
{
    enum strike_state state = send_signal(client, SIGCONT, error);
    atomic_store(&client->is_to_stop, false);
    return state;
}

// The kernel reports the stop when every thread of the process stands still: that is the proof.
// Asked without waiting, so that nothing can outlast the trial's limit.
static enum strike_state stop_here_is_proven(struct fault_client *client, struct error *error)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)client->process, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) != 0)
        return error_set(error, "waiting for process %d to stop: %s", client->process,
                         strerror(errno));
    if (info.si_pid == 0)
        return STRIKE_PENDING;
    if (info.si_code != CLD_STOPPED)
        return strike_came_too_late(error);
    if (client->leads_group && !process_group_stands_still(client->process, error))
        return STRIKE_PENDING;
    waitid(P_PID, (id_t)client->process, &info, WSTOPPED | WNOHANG); // take the report away
    return STRIKE_IN_EFFECT;
}

// How far it has come with a client whose driver is on another host, which stands still second: the
// client must not see that it says nothing.
enum { STOPS_HERE, STOPS_THERE, GOES_ON_THERE };

static enum strike_state stop_is_proven(struct fault_strike *strike, struct error *error)
{
    struct fault_client *client = strike->client;
    enum strike_state state = STRIKE_IN_EFFECT;
    if (strike->progress == STOPS_HERE)
        state = stop_here_is_proven(client, error);
    if (state == STRIKE_IN_EFFECT && client->driver.host != NULL) {
        strike->progress = STOPS_THERE;
        state = strike_elsewhere(strike, AGENT_STOP, error);
        if (state == STRIKE_FAILED && client->stops == 0)
            go_on(client, &(struct error){0});
    }
    client->stops += state == STRIKE_IN_EFFECT;
    return state;
}

static enum strike_state stop_process(struct fault_strike *strike, struct error *error)
{
    struct fault_client *client = strike->client;
    if (client->process == 0 || client->is_dying)
        return strike_came_too_late(error);
    if (client->stops > 0) { // another pause has stopped it already
        client->stops++;
        return STRIKE_IN_EFFECT;
    }
    atomic_store(&client->is_to_stop, true);
    if (send_signal(client, SIGSTOP, error) != 0)
        return STRIKE_FAILED;
    enum strike_state state = STRIKE_PENDING;
    for (int look = 0; look < 100 && state == STRIKE_PENDING; look++) {
        sched_yield(); // it takes the kernel a moment; mostly not more than one
        state = stop_is_proven(strike, error);
    }
    return state;
}

// --- one worker ----------------------------------------------------------------------------------

static bool is_held(struct point_trap *trap, const struct target *target)
{
    return atomic_load(&trap->state) == POINT_REACHED && trap->client == target->client &&
           atomic_load(&trap->reached_by) == (uint32_t)target->worker;
}

static enum strike_state hold_worker(struct fault_strike *strike)
{
    const struct target *target = &strike->instance->target;
    if (is_held(strike->trigger, target))
        return STRIKE_IN_EFFECT;
    // Any request of that worker will do to hold it at.
    struct point_trap *hold = strike->hold;
    hold->client = (uint16_t)target->client;
    hold->worker = (uint16_t)target->worker;
    hold->fault_number = (uint8_t)strike->instance->number;
    hold->match_count = 1;
    hold->matches[0] = (struct point_match){.side = POINT_ANYWHERE, .phase = PHASE_NONE};
    hold->nth = 1;
    point_arm(strike->environment->board, hold);
    return STRIKE_PENDING;
}

// --- all -----------------------------------------------------------------------------------------

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    if (strike->client == NULL)
        return server_stop(strike->node, error);
    return strike->instance->target.worker == 0 ? stop_process(strike, error) : hold_worker(strike);
}

static enum strike_state prove(struct fault_strike *strike, struct error *error)
{
    if (strike->client == NULL)
        return server_stop(strike->node, error);
    if (strike->client->process == 0)
        return strike_came_too_late(error);
    if (strike->instance->target.worker == 0)
        return strike->client->stops > 0 && strike->progress == STOPS_HERE
                   ? stop_process(strike, error)
                   : stop_is_proven(strike, error);
    return is_held(strike->hold, &strike->instance->target) ? STRIKE_IN_EFFECT : STRIKE_PENDING;
}

// A driver on another host goes on first: what its client asks next is answered.
static enum strike_state prepare_heal(struct fault_strike *strike, struct error *error)
{
    const struct fault_client *client = strike->client;
    if (client == NULL || client->driver.host == NULL || strike->instance->target.worker != 0 ||
        client->process == 0 || client->stops > 1)
        return STRIKE_IN_EFFECT;
    if (strike->progress != GOES_ON_THERE)
        strike->question.number = 0; // one that was to stop it
    strike->progress = GOES_ON_THERE;
    return strike_elsewhere(strike, AGENT_CONTINUE, error);
}

static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    struct fault_client *client = strike->client;
    if (client == NULL)
        return server_continue(strike->node, error);
    if (strike->instance->target.worker != 0) {
        point_let_go(strike->environment->board, strike->trigger);
        point_let_go(strike->environment->board, strike->hold);
        return STRIKE_IN_EFFECT;
    }
    if (client->process == 0 || --client->stops > 0)
        return STRIKE_IN_EFFECT;
    return go_on(client, error);
}

const struct fault pause_fault = {
    .form = {.name = "pause",
             .strikes = STRIKES_CLIENT | STRIKES_WORKER | STRIKES_SERVER,
             .traits = FAULT_STOPS,
             .lasting = LASTS_BOUNDED,
             .told = "{target} is paused",
             .over = "{target} goes on"},
    .summary =
        "stops a client process (SIGSTOP, as a GC pause does), one worker of it, or a server",
    .inject = inject,
    .prove = prove,
    .prepare_heal = prepare_heal,
    .heal = heal,
    .heals_at_once = true,
    .strikes_remote = true,
};
