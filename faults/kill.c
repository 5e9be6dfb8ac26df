// kill: ends a client process or a server by SIGKILL, as a crash or the out-of-memory killer does.
// Its sockets are closed by the kernel; nothing it would have done still happens.
#include "faults/fault.h"

#include "harness/base/clock.h"
#include "harness/cluster/outage.h"
#include "harness/cluster/process_group.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static enum availability available(const struct fault_step *step, const struct fault_world *world,
                                   struct error *why)
{
    return target_available(&step->target, world, why);
}

// The process is reaped here: that is the proof that it is dead.
static enum strike_state kill_client(struct fault_client *client, struct error *error)
{
    if (client->process == 0)
        return strike_came_too_late(error);
    int64_t killed_ns = clock_monotonic_ns();
    if (kill(client->process, SIGKILL) != 0)
        return error_set(error, "SIGKILL to process %d: %s", client->process, strerror(errno));
    int status = 0;
    while (waitpid(client->process, &status, 0) < 0) {
        if (errno != EINTR)
            return error_set(error, "waiting for process %d to end: %s", client->process,
                             strerror(errno));
    }
    pid_t process = client->process;
    client->process = 0;
    if (client->leads_group && process_group_kill(process, error) != 0)
        return STRIKE_FAILED;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        return strike_came_too_late(error); // it had ended by itself
    client->killed = true;
    history_append(&client->writer, (struct event){.kind = EVENT_PROCESS_DEATH,
                                                   .args = {process, SIGKILL, 0, killed_ns}});
    return STRIKE_IN_EFFECT;
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    if (strike->client != NULL)
        return kill_client(strike->client, error);
    strike->node = target_server(&strike->step->target, strike->world, error);
    if (strike->node == NULL || outage_kill(strike->node, error) != 0)
        return STRIKE_FAILED;
    return STRIKE_IN_EFFECT;
}

const struct fault kill_fault = {
    .form = {.name = "kill", .strikes = STRIKES_CLIENT | STRIKES_SERVER, .lasting = LASTS_NEVER},
    .summary = "ends a client process or a server (SIGKILL, as a crash does)",
    .colour = "#d55e00",
    .available = available,
    .inject = inject,
};
