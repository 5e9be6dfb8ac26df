// kill: ends a client process or a server by SIGKILL, as a crash or the out-of-memory killer does.
// Its sockets are closed by the kernel; nothing it would have done still happens. A server comes
// back with what it kept, if `until` says when.
#include "faults/fault.h"

#include "harness/base/clock.h"
#include "harness/cluster/process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

// How long its end is waited for at once.
#define MOMENT_NS (10 * NS_PER_MS)
#define LOOK_EVERY_NS (NS_PER_MS / 10)

// Its parent reaps it: that is the proof that it is dead.
static enum strike_state bury(struct fault_client *client, struct error *error)
{
    int status = 0;
    pid_t process = client->process;
    if (process == 0)
        return client->killed ? STRIKE_IN_EFFECT : strike_came_too_late(error);
    pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended < 0 && errno != EINTR)
        return error_set(error, "waiting for process %d to end: %s", process, strerror(errno));
    if (ended != process)
        return STRIKE_PENDING;
    client->process = 0;
    client->is_dying = false;
    if (client->leads_group && process_group_kill(process, error) != 0)
        return STRIKE_FAILED;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        return strike_came_too_late(error); // it had ended by itself
    client->killed = true;
    history_append(&client->writer,
                   (struct event){.kind = EVENT_PROCESS_DEATH,
                                  .process_death = {process, SIGKILL, 0, client->killed_ns}});
    return STRIKE_IN_EFFECT;
}

// On a busy machine a process takes seconds to end, and meanwhile other faults must have theirs.
static enum strike_state kill_client(struct fault_client *client, struct error *error)
{
    enum strike_state state = STRIKE_PENDING;
    if (client->process == 0 || client->is_dying)
        return strike_came_too_late(error);
    int64_t from_ns = clock_monotonic_ns();
    if (client->killed_ns == 0)
        client->killed_ns = from_ns;
    if (kill(client->process, SIGKILL) != 0)
        return error_set(error, "SIGKILL to process %d: %s", client->process, strerror(errno));
    client->is_dying = true;
    // Its programs must not go on meanwhile. They are told after it, so that it does not learn of
    // their end.
    if (client->leads_group)
        kill(-client->process, SIGKILL);
    while (state == STRIKE_PENDING && clock_monotonic_ns() < from_ns + MOMENT_NS) {
        state = bury(client, error);
        if (state == STRIKE_PENDING)
            clock_sleep_until_ns(clock_monotonic_ns() + LOOK_EVERY_NS);
    }
    return state;
}

// How far it has come with a client whose driver is on another host. That is killed first, for what
// it does after its client's death would be nobody's; and its client stands still meanwhile, so
// that it does not learn of its end. It does nothing more from then on.
enum { STANDS_STILL, DIES_THERE, DIES_HERE };

static enum strike_state kill_elsewhere(struct fault_strike *strike, struct error *error)
{
    struct error ignored;
    struct fault_client *client = strike->client;
    if (strike->progress == STANDS_STILL && !process_group_stands_still(client->process, &ignored))
        return STRIKE_PENDING;
    if (strike->progress == STANDS_STILL)
        client->killed_ns = clock_monotonic_ns();
    strike->progress = DIES_THERE;
    enum strike_state state = strike_elsewhere(strike, AGENT_KILL, error);
    if (state == STRIKE_PENDING)
        return state;
    client->is_dying = false;
    if (state == STRIKE_IN_EFFECT) {
        strike->progress = DIES_HERE;
        return kill_client(client, error);
    }
    client->killed_ns = 0;
    if (client->stops == 0) {
        kill(-client->process, SIGCONT);
        atomic_store(&client->is_to_stop, false);
    }
    return state;
}

static enum strike_state stop_and_kill(struct fault_strike *strike, struct error *error)
{
    struct fault_client *client = strike->client;
    if (client->process == 0 || client->is_dying)
        return strike_came_too_late(error);
    client->is_dying = true;
    atomic_store(&client->is_to_stop, true);
    kill(-client->process, SIGSTOP);
    return kill_elsewhere(strike, error);
}

static enum strike_state prove(struct fault_strike *strike, struct error *error)
{
    if (strike->client == NULL)
        return strike_crash(strike, error);
    return strike->client->driver.host != NULL && strike->progress != DIES_HERE
               ? kill_elsewhere(strike, error)
               : bury(strike->client, error);
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    if (strike->client == NULL)
        return strike_crash(strike, error);
    return strike->client->driver.host != NULL ? stop_and_kill(strike, error)
                                               : kill_client(strike->client, error);
}

const struct fault kill_fault = {
    .form = {.name = "kill",
             .strikes = STRIKES_CLIENT | STRIKES_SERVER,
             .traits = FAULT_KILLS,
             .lasting = LASTS_IF_TOLD,
             .told = "{target} is killed"},
    .summary =
        "ends a client process, or a server, which `until` brings back (SIGKILL, as a crash does)",
    .inject = inject,
    .prove = prove,
    .heal = strike_bring_back,
    .strikes_remote = true,
};
