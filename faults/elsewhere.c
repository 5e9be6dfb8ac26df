// Clients whose drivers are on other hosts, and what is between those and their servers: struck by
// agents there.
#include "faults/fault.h"

#include "harness/base/scope.h"

#include <stdio.h>
#include <string.h>

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

void strikers_stop(const struct fault_environment *environment)
{
    struct striker *strikers[MOST_CLIENT_PROCESSES];
    for (int i = 0; i < environment->client_count; i++)
        strikers[i] = &environment->clients[i].striker;
    strikers_end(strikers, (size_t)environment->client_count);
}

static enum strike_state ask(struct fault_strike *strike, struct fault_client *client,
                             const char *line, int64_t *met, struct error *error)
{
    return (enum strike_state)striker_ask(&client->striker, &strike->question, line, met, error);
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
    const char *answer = striker_await(striker, error);
    if (answer == NULL)
        return error_set(error,
                         "the agent on host %s, which is to cut wires there, %s; see %s, and that "
                         "'launch' works by hand",
                         client->driver.host, error->text, striker->log);
    if (strncmp(answer, AGENT_HAS_STRUCK, strlen(AGENT_HAS_STRUCK)) != 0)
        snprintf(striker->why_no_wires, sizeof striker->why_no_wires, "%s", answer);
    return 0;
}

// The striker of one that is to be struck.
static int start(struct fault_client *client, const char *folder, struct error *error)
{
    AUTO_FREE char *log = text_formatted("%s/striker-of-client-%d.log", folder, client->number);
    if (striker_start(&client->striker, &client->driver, "strike", log, error) != 0)
        return -1;
    snprintf(client->striker.whom, sizeof client->striker.whom, "its driver on host %s",
             client->driver.host);
    return 0;
}

int strikers_start(const struct fault_environment *environment, struct error *error)
{
    for (int i = 0; i < environment->client_count; i++) {
        bool is_struck = false, is_cut_off = false;
        struct fault_client *client = &environment->clients[i];
        client->number = i + 1;
        see_who_is_struck(environment, i + 1, &is_struck, &is_cut_off);
        if (client->driver.host != NULL && is_struck &&
            start(client, environment->folder, error) != 0)
            return -1;
        client->striker.is_prepared = client->striker.process > 0 && is_cut_off &&
                                      striker_tell(&client->striker, AGENT_PREPARE "\n");
    }
    for (int i = 0; i < environment->client_count; i++) {
        struct fault_client *client = &environment->clients[i];
        if (client->striker.is_prepared && hear_of_wires(client, error) != 0)
            return -1;
    }
    return 0;
}
