// disconnect: the server ends what a client has open: its connections, its session, its
// subscriptions. The client is told by nothing but the end of the connection.
#include "faults/fault.h"

#include "harness/cluster/process.h"

#include <string.h>

#define MAX_PORTS 256

static const char *const hows[] = {"connection", "session", "pubsub", NULL};

// Of servers that are not ours, connections end at a gateway's nodes, and are all that is seen.
static enum availability available_by_gateway(const struct fault_prospect *prospect,
                                              struct error *why)
{
    const struct fault_environment *environment = prospect->environment;
    const struct server_kind *kind = server_kind_find(environment->service->kind);
    const char *how = prospect->instance->how;
    if (how == NULL && kind->control != NULL && kind->control->links != NULL)
        how = kind->control->links[0];
    bool is_connection = how == NULL || strcmp(how, hows[0]) == 0;
    if (is_connection && environment->external[0] != NULL)
        return FAULT_AVAILABLE;
    if (is_connection)
        error_set(why, "connections cannot be ended: %s", environment->why_no_wires);
    else
        error_set(why, "of servers that are not ours only connections can be ended (how: %s)",
                  hows[0]);
    return FAULT_MISSING;
}

static enum availability available(const struct fault_prospect *prospect, struct error *why)
{
    const struct target server = {.server = "server-1"};
    struct fault_prospect at_server = *prospect;
    if (prospect->environment->is_external)
        return available_by_gateway(prospect, why);
    enum availability there = target_available(&server, prospect->environment, why);
    if (there == FAULT_AVAILABLE)
        at_server.node = target_server(&server, prospect->environment, why);
    if (node_is_remote(at_server.node, why))
        return FAULT_MISSING;
    return at_server.node == NULL ? there
                                  : way_available(&at_server, node_control(at_server.node)->links,
                                                  "made to end a client's connections", why);
}

// At every server of the lock: how many ends that were, or -1 if none could be asked.
static int64_t end_links(const struct fault_strike *strike, const struct client_end *end,
                         struct error *error)
{
    const struct fault_environment *environment = strike->environment;
    bool are_ours = environment->lock_group != NULL;
    const struct server_group *group =
        are_ours ? environment->lock_group : environment->external[0];
    int64_t ended = -1;
    for (int i = 0; i < group->count; i++) {
        struct node *node = &group->nodes[i];
        if (node_control(node)->links == NULL || (are_ours && node->server <= 0))
            continue;
        int here = control_disconnect(node, end, strike->instance->how, error);
        if (are_ours)
            cluster_excuse_log(node);
        if (here >= 0)
            ended = (ended > 0 ? ended : 0) + here;
    }
    return ended;
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    int ports[MAX_PORTS];
    const struct fault_environment *environment = strike->environment;
    const struct node *client =
        &environment->client_nodes->nodes[strike->instance->target.client - 1];
    struct client_end end = {.address = client->end.address};
    if (strike->client->process == 0)
        return strike_came_too_late(error);
    // On loopback all clients come from one address.
    if (environment->client_nodes->isolation == ISOLATION_LOOPBACK) {
        end.ports = ports;
        end.port_count = process_ports(strike->client->process, ports, MAX_PORTS, error);
        if (end.port_count < 0)
            return STRIKE_FAILED;
    }
    strike->met = end_links(strike, &end, error);
    if (strike->met == 0)
        error_set(error, "client-%d had nothing of that kind open",
                  strike->instance->target.client);
    return strike->met > 0 ? STRIKE_IN_EFFECT : STRIKE_FAILED;
}

#define FORM                                                                                       \
    .name = "disconnect", .strikes = STRIKES_CLIENT, .lasting = LASTS_NEVER, .hows = hows,         \
    .told = "{target} is cut off: the servers end its connections"

static const struct fault_form session = {FORM, .traits = FAULT_DISCONNECTS};
static const struct fault_form pubsub = {FORM, .traits = FAULT_DISCONNECTS | FAULT_SPARES_SESSIONS};
static const struct fault_form *const ways[] = {&session, &session, &pubsub};

const struct fault disconnect_fault = {
    .form = {FORM, .traits = FAULT_DISCONNECTS, .ways = ways},
    .summary = "ends a client's connections, session or subscriptions from the server's side",
    .available = available,
    .inject = inject,
};
