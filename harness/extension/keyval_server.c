// Keyval: Redis under another name, alone, asked one thing a connection.
#include "harness/cluster/server.h"

#include <stdio.h>

static pid_t start(const struct node *node, struct error *error)
{
    return server_run(node, false, error,
                      "redis-server --port %d --bind %s --save '' --dir %s --protected-mode no",
                      node->port, node->end.address, node->data);
}

static bool ready(const struct node *node)
{
    char wanted[48];
    snprintf(wanted, sizeof wanted, "process_id:%d\r\n", (int)node->server);
    return node_says(node, "INFO server", wanted);
}

// It ends the connection when it is told to.
static int ask(struct session *session, const char *request)
{
    struct text line = {0};
    text_format(&line, "%s\r\nQUIT\r\n", request);
    int result = session_converse(session, line.bytes, line.length);
    text_free(&line);
    if (result == 0 && session_answered(session, "-"))
        return session_unexpected(session, session->answer.bytes, request);
    return result;
}

static const struct topology single = SINGLE_SERVER("keyval");
static const struct topology *const topologies[] = {&single, NULL};

const struct server_kind keyval_server = {
    .name = "keyval",
    .form = {.title = "Keyval", .durability = {"keyval: in memory only"}, .shows_keys = true},
    .program = "redis-server",
    .package = "redis-server",
    .port = 7379,
    .topologies = topologies,
    .start = start,
    .ready = ready,
    .ask = ask,
    .takes_preload = true,
};
