// Clients whose drivers are on other hosts, and what is between those and their servers: struck by
// agents there.
#include "faults/fault.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/cluster/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Less than the schedule waits for a fault's end.
#define ANSWER_NS (25 * NS_PER_S)

// Less than who launched an agent is patient, and more than it takes an agent to tidy up.
#define END_NS (5 * NS_PER_S)
#define LOOK_EVERY_NS NS_PER_MS

// --- wires, as an instance names them ------------------------------------------------------------

bool wire_is_elsewhere(const struct fault_instance *instance,
                       const struct fault_environment *environment)
{
    return instance->side_counts[0] > 0 && environment->client_count > 0 &&
           environment->clients[0].driver.host != NULL;
}

// The one client on that side; 0 if there are others on it.
static int only_client(const struct fault_instance *instance, int side)
{
    return instance->side_counts[side] == 1 ? instance->sides[side][0].client : 0;
}

// Fills in the cut that it is. The number of its client; or 0, with `why` set, if it is none that
// an agent can make.
static int read_cut(const struct fault_instance *instance,
                    const struct fault_environment *environment, struct agent_cut *cut,
                    char share[8], struct error *why)
{
    const struct service *service = environment->service;
    int side = only_client(instance, 0) != 0 ? 0 : 1;
    int client = only_client(instance, side);
    bool is_to = side == 0; // of A to B, A is the client
    *cut = (struct agent_cut){.number = instance->number,
                              .out = is_to || !instance->one_way,
                              .in = !is_to || !instance->one_way,
                              .how = share};
    snprintf(share, 8, "%s", fault_wire_effect(instance) == WIRE_RESET ? "reject" : "drop");
    if (fault_wire_effect(instance) == WIRE_LOSE)
        snprintf(share, 8, "%d", (int)instance->share);
    for (size_t i = 0; client != 0 && i < instance->side_counts[1 - side]; i++) {
        int number = 0;
        const char *name = instance->sides[1 - side][i].server;
        bool are_all = strcmp(name, "servers") == 0;
        if (!are_all && (sscanf(name, "server-%d", &number) != 1 || number < 1 ||
                         number > service->server_count))
            client = 0;
        for (int j = 0; j < service->server_count && cut->server_count < MAX_SERVERS; j++) {
            if (are_all || j == number - 1)
                cut->servers[cut->server_count++] = service->servers[j];
        }
        for (int j = 0; are_all && j < service->sentinel_count; j++)
            cut->servers[cut->server_count++] = service->sentinels[j];
    }
    if (client == 0)
        error_set(why, "of wires to other hosts, those of one client can be cut, from servers by "
                       "their number or from all of them: client-1 from servers");
    return client;
}

enum availability wire_elsewhere_available(const struct fault_instance *instance,
                                           const struct fault_environment *environment,
                                           struct error *why)
{
    char share[8];
    struct agent_cut cut;
    enum wire_effect effect = fault_wire_effect(instance);
    int client = read_cut(instance, environment, &cut, share, why);
    if (client == 0)
        return FAULT_MISSING;
    const struct fault_client *struck = &environment->clients[client - 1];
    if (effect != WIRE_PARTITION && effect != WIRE_RESET && effect != WIRE_LOSE)
        error_set(why, "an agent can have packets vanish on another host, but not wait");
    else if (struck->striker.why_no_wires[0] != '\0')
        error_set(why, "wires on host %s cannot be cut: %s", struck->driver.host,
                  struck->striker.why_no_wires);
    else
        return FAULT_AVAILABLE;
    return FAULT_MISSING;
}

// --- who strikes ---------------------------------------------------------------------------------

static void see_who_is_struck(const struct fault_environment *environment, int client, bool *is,
                              bool *is_cut_off)
{
    const struct scenario *scenario = environment->scenario;
    for (size_t i = 0; i < scenario->fault_count; i++) {
        const struct fault_instance *instance = &scenario->faults[i];
        *is_cut_off |= instance->side_counts[0] > 0 &&
                       (only_client(instance, 0) == client || only_client(instance, 1) == client);
        *is |= instance->target.client == client && instance->target.worker == 0;
    }
    *is |= *is_cut_off;
}

static int start(struct fault_client *client, const char *log_path, struct error *error)
{
    int to[2], from[2];
    AUTO_LIST struct string_list command = {0};
    agent_command(&client->driver, "strike", &command);
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return error_set(error, "cannot make a pipe: %s", strerror(errno));
    const struct process_settings settings = {.arguments = (const char *const *)command.items,
                                              .log_path = log_path,
                                              .streams = (const int[]){to[0], from[1]},
                                              .network_namespace = -1,
                                              .processor = -1};
    client->striker = (struct striker){.to = to[1], .from = from[0]};
    client->striker.process = process_start(&settings, error);
    close(to[0]);
    close(from[1]);
    fcntl(from[0], F_SETFL, O_NONBLOCK);
    if (client->striker.process > 0)
        return 0;
    return error_wrap(error, "no agent was launched on host %s", client->driver.host);
}

void strikers_stop(const struct fault_environment *environment)
{
    int64_t give_up_ns = clock_monotonic_ns() + END_NS;
    for (int i = 0; i < environment->client_count; i++) {
        struct striker *striker = &environment->clients[i].striker;
        if (striker->to > 0)
            close(striker->to);
        if (striker->from > 0)
            close(striker->from);
    }
    for (int i = 0; i < environment->client_count; i++) {
        struct striker *striker = &environment->clients[i].striker;
        // Who has something to undo is given the time.
        while (striker->process > 0 && striker->is_prepared && clock_monotonic_ns() < give_up_ns) {
            if (waitpid(striker->process, NULL, WNOHANG) != 0)
                striker->process = 0;
            else
                clock_sleep_until_ns(clock_monotonic_ns() + LOOK_EVERY_NS);
        }
        process_kill(striker->process);
        *striker = (struct striker){0};
    }
}

// Reads what has come. False if nothing more will.
static bool hear(struct striker *striker)
{
    for (;;) {
        char byte;
        ssize_t got = read(striker->from, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && errno == EAGAIN;
        if (byte != '\n') {
            if (striker->length < sizeof striker->heard - 1)
                striker->heard[striker->length++] = byte;
            continue;
        }
        striker->heard[striker->length] = '\0';
        striker->length = 0;
        striker->answered++;
        memcpy(striker->answers[striker->answered % 2], striker->heard, sizeof striker->heard);
    }
}

static bool tell(struct striker *striker, const char *line)
{
    striker->asked++;
    return write(striker->to, line, strlen(line)) == (ssize_t)strlen(line);
}

// Asks the client's striker, once nobody else does. What it has answered after that it has done so,
// which is a number of packets or nothing, is kept in `met`.
static enum strike_state ask(struct fault_strike *strike, struct fault_client *client,
                             const char *line, int64_t *met, struct error *error)
{
    struct striker *striker = &client->striker;
    bool is_open = hear(striker);
    int64_t now_ns = clock_monotonic_ns();
    if (strike->question == 0 && striker->asked == striker->answered && is_open) {
        strike->acted_ns = now_ns;
        is_open = tell(striker, line);
        strike->question = striker->asked;
    }
    const char *answer = strike->question > 0 && striker->answered >= strike->question
                             ? striker->answers[strike->question % 2]
                             : NULL;
    bool is_late = strike->question > 0 && now_ns - strike->acted_ns > ANSWER_NS;
    if (answer == NULL && is_open && !is_late)
        return STRIKE_PENDING;
    strike->question = 0;
    if (answer != NULL && sscanf(answer, AGENT_HAS_STRUCK " %" SCNd64, met) == 1)
        return STRIKE_IN_EFFECT;
    errno = 0;
    return error_set(error,
                     "the agent to %.*s its driver on host %s %s%.200s (striker-of-client-%d.log)",
                     (int)strcspn(line, " \n"), line, client->driver.host,
                     answer != NULL ? "says: "
                     : is_late      ? "did not answer within 25 s"
                                    : "has ended",
                     answer != NULL ? answer : "", client->number);
}

enum strike_state strike_elsewhere(struct fault_strike *strike, int what, struct error *error)
{
    int64_t ignored;
    AUTO_FREE char *line = text_formatted("%s\n", agent_strikes[what]);
    return ask(strike, strike->client, line, &ignored, error);
}

enum strike_state wire_cut_elsewhere(struct fault_strike *strike, struct error *error)
{
    char share[8];
    int64_t ignored;
    struct agent_cut cut;
    AUTO_TEXT struct text line = {0};
    int client = read_cut(strike->instance, strike->environment, &cut, share, error);
    if (client == 0)
        return STRIKE_FAILED;
    agent_cut_write(&cut, &line);
    return ask(strike, &strike->environment->clients[client - 1], text_string(&line), &ignored,
               error);
}

enum strike_state wire_join_elsewhere(struct fault_strike *strike, struct error *error)
{
    char share[8];
    struct agent_cut cut;
    int client = read_cut(strike->instance, strike->environment, &cut, share, error);
    AUTO_FREE char *line = text_formatted("join %d\n", cut.number);
    return ask(strike, &strike->environment->clients[client - 1], line, &strike->met, error);
}

// Waits for what it says of the wires there. 0, or -1 with `error` set.
static int hear_of_wires(struct fault_client *client, struct error *error)
{
    struct striker *striker = &client->striker;
    int64_t give_up_ns = clock_monotonic_ns() + ANSWER_NS;
    bool is_open = hear(striker);
    while (striker->answered < striker->asked && is_open && clock_monotonic_ns() < give_up_ns) {
        struct pollfd answer = {.fd = striker->from, .events = POLLIN};
        poll(&answer, 1, (int)(ANSWER_NS / NS_PER_MS / 10));
        is_open = hear(striker);
    }
    if (striker->answered < striker->asked)
        return error_set(error,
                         "the agent on host %s, which is to cut wires there, %s; see "
                         "striker-of-client-%d.log, and that 'launch' works by hand",
                         client->driver.host, is_open ? "did not answer within 25 s" : "has ended",
                         client->number);
    const char *answer = striker->answers[striker->answered % 2];
    if (strncmp(answer, AGENT_HAS_STRUCK, strlen(AGENT_HAS_STRUCK)) != 0)
        snprintf(striker->why_no_wires, sizeof striker->why_no_wires, "%s", answer);
    return 0;
}

int strikers_start(const struct fault_environment *environment, struct error *error)
{
    for (int i = 0; i < environment->client_count; i++) {
        bool is_struck = false, is_cut_off = false;
        struct fault_client *client = &environment->clients[i];
        AUTO_FREE char *log =
            text_formatted("%s/striker-of-client-%d.log", environment->folder, i + 1);
        client->number = i + 1;
        see_who_is_struck(environment, i + 1, &is_struck, &is_cut_off);
        if (client->driver.host != NULL && is_struck && start(client, log, error) != 0)
            return -1;
        client->striker.is_prepared =
            client->striker.process > 0 && is_cut_off && tell(&client->striker, AGENT_PREPARE "\n");
    }
    for (int i = 0; i < environment->client_count; i++) {
        struct fault_client *client = &environment->clients[i];
        if (client->striker.is_prepared && hear_of_wires(client, error) != 0)
            return -1;
    }
    return 0;
}
