#include "harness/cluster/remote.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/server.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct remote *remote_new(const char *host, const char *const *launch, const char *name)
{
    struct remote *remote = memory_zeroed(1, sizeof *remote);
    remote->address = (struct agent_address){.host = host, .launch = launch};
    // Two at the same time are of different processes, or of different names.
    snprintf(remote->address.id, sizeof remote->address.id, "s%x-%llx-%.15s", (unsigned)getpid(),
             (unsigned long long)(clock_realtime_ns() / NS_PER_US) & 0xffffffff, name);
    remote->told = json_object();
    return remote;
}

// --- its agent -----------------------------------------------------------------------------------

// The end of its log tells why.
static int say_it_did_not_answer(const struct node *node, struct error *error)
{
    AUTO_TEXT struct text launch = {0}, log = {0};
    AUTO_FREE char *path = path_join(node->folder, "server.log");
    agent_say_launch(&node->remote->address, "server", &launch);
    bool is_silent = file_read(path, &log, NULL) != 0 || log.length == 0;
    return error_set(error, "the agent of %s on host %s %s, %s%s%s", node->name,
                     node->remote->address.host, error->text, launch.bytes,
                     is_silent ? "" : "; its log ends with:\n",
                     text_string(&log) + (log.length > 400 ? log.length - 400 : 0));
}

int remote_launch(struct node *node, struct error *error)
{
    struct remote *remote = node->remote;
    AUTO_FREE char *log = path_join(node->folder, "server.log");
    json_auto_t *opening = json_pack("{s:s, s:s, s:i}", "agent", LOCKPICK_VERSION, "host",
                                     remote->address.host, "ports", 1 + node->kind->extra_ports);
    AUTO_FREE char *text = json_dumps(opening, 0);
    AUTO_FREE char *line = text_formatted("%s\n", text);
    if (striker_start(&remote->striker, &remote->address, "server", log, error) != 0)
        return error_wrap(error, "%s", node->name);
    snprintf(remote->striker.whom, sizeof remote->striker.whom, "%s on host %s", node->name,
             remote->address.host);
    remote->striker.is_prepared = true;
    striker_tell(&remote->striker, line);
    return 0;
}

int remote_await(struct node *node, struct error *error)
{
    struct remote *remote = node->remote;
    const char *folder, *address;
    json_t *ports;
    struct error why = {0};
    const char *answer = striker_await(&remote->striker, error);
    if (answer == NULL)
        return say_it_did_not_answer(node, error);
    if (agent_read_answer(answer, strlen(answer), remote->address.host, &why) != 0)
        return error_set(error, "%s: %s", node->name, why.text);
    json_auto_t *object = json_loads(answer, 0, NULL);
    if (json_unpack(object, "{s:s, s:s, s:o}", "folder", &folder, "address", &address, "ports",
                    &ports) != 0)
        return error_set(error, "the agent of %s says no place: %.200s", node->name, answer);
    node->home = memory_string(folder);
    node->data = path_join(node->home, "data");
    snprintf(node->end.address, sizeof node->end.address, "%s", address);
    node->port = (int)json_integer_value(json_array_get(ports, 0));
    for (int i = 0; i < node->kind->extra_ports; i++)
        node->extra_ports[i] = (int)json_integer_value(json_array_get(ports, (size_t)i + 1));
    return 0;
}

void remotes_close(struct node *nodes, int count)
{
    size_t open = 0;
    AUTO_FREE struct striker **strikers = memory_zeroed((size_t)count + 1, sizeof *strikers);
    for (int i = 0; i < count; i++) {
        if (nodes[i].remote != NULL)
            strikers[open++] = &nodes[i].remote->striker;
    }
    strikers_end(strikers, open);
    for (int i = 0; i < count; i++) {
        if (nodes[i].remote == NULL)
            continue;
        json_decref(nodes[i].remote->told);
        free(nodes[i].remote->pulse.round_trips);
        free(nodes[i].remote);
        free(nodes[i].home); // not a folder here
        nodes[i].home = NULL;
        nodes[i].remote = NULL;
        nodes[i].server = 0;
    }
}

// --- its life ------------------------------------------------------------------------------------

void remote_write(struct remote *remote, const char *name, const char *content, bool first)
{
    const char *key = first ? "first" : "files";
    if (json_object_get(remote->told, key) == NULL)
        json_object_set_new(remote->told, key, json_object());
    json_object_set_new(json_object_get(remote->told, key), name, json_string(content));
}

void remote_forget(struct remote *remote, const char *const *kept)
{
    json_object_set_new(remote->told, "kept", agent_array(kept));
}

int remote_start(struct remote *remote, const char *const *arguments,
                 const char *const *environment, struct error *error)
{
    json_object_set_new(remote->told, "command", agent_array(arguments));
    json_object_set_new(remote->told, "environment", agent_array(environment));
    AUTO_FREE char *text = json_dumps(remote->told, 0);
    AUTO_FREE char *line = text_formatted("start %s\n", text);
    json_object_clear(remote->told);
    remote->process = 0;
    if (!striker_tell(&remote->striker, line))
        return error_set(error, "the agent on host %s has ended", remote->address.host);
    remote->start = (struct strike_question){remote->striker.asked, clock_monotonic_ns()};
    return 0;
}

int remote_has_started(struct remote *remote, struct error *error)
{
    int64_t process;
    if (remote->process != 0)
        return 0;
    int state = striker_ask(&remote->striker, &remote->start, "start\n", &process, error);
    if (state == 0)
        remote->process = (pid_t)process;
    return state;
}

int remote_strike(struct remote *remote, int what, struct error *error)
{
    int64_t ignored;
    AUTO_FREE char *line = text_formatted("%s\n", agent_strikes[what]);
    return striker_ask(&remote->striker, &remote->strikes[what], line, &ignored, error);
}

// --- whether it lives ----------------------------------------------------------------------------

void remote_watch(struct node *node, int number, struct history_writer *writer)
{
    struct pulse *pulse = &node->remote->pulse;
    free(pulse->round_trips);
    *pulse = (struct pulse){.whose = {.of = STALLED_SERVER, .number = number}, .writer = writer};
    snprintf(pulse->whose.server, sizeof pulse->whose.server, "%.16s", node->name);
}

void remote_look(struct remote *remote)
{
    int64_t way;
    if (remote->pulse.writer == NULL)
        return;
    bool is_due = pulse_look(&remote->pulse);
    bool was_asked = remote->ping.number != 0;
    if (!is_due && !was_asked)
        return;
    if (striker_ask(&remote->striker, &remote->ping, AGENT_PING "\n", &way, NULL) == 0)
        pulse_hear(&remote->pulse, (enum process_way)way);
    else if (!was_asked && remote->ping.number != 0)
        pulse_asked(&remote->pulse);
}
