#include "harness/wire/zookeeper_parts.h"

#include "harness/base/growing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_DIGITS 10 // of what the server puts behind the name of a node
#define TOLD_SESSION "%032" PRIx64

// --- sessions ------------------------------------------------------------------------------------

void zk_explored_note_open(struct zk *zk)
{
    struct zk_exploration *exploration = exploration_of(zk);
    zk->heard_ns = clock_monotonic_ns();
    memset(zk->gates, 0, sizeof zk->gates);
    if (exploration != NULL)
        *APPEND(exploration->open, exploration->open_count, exploration->open_room) = zk;
}

struct zk *zk_explored_open_again(const struct zk_settings *settings)
{
    struct zk_exploration *exploration = settings->service->zk_exploration;
    if (exploration == NULL || exploration->idle_count == 0)
        return NULL;
    struct zk *zk = exploration->idle[--exploration->idle_count];
    zk->settings = *settings;
    zk->request_ns = settings->request_ns;
    zk_explored_note_open(zk);
    return zk;
}

bool zk_explored_close(struct zk *zk)
{
    struct zk_exploration *exploration = exploration_of(zk);
    if (exploration == NULL)
        return false;
    size_t at = 0;
    while (exploration->open[at] != zk)
        at++;
    exploration->open[at] = exploration->open[--exploration->open_count];
    if (zk->life == NULL || zk->life->is_over || atomic_load(&zk->life->state) != SESSION_CONNECTED)
        return false;
    zk->settings.ended = NULL;
    *APPEND(exploration->idle, exploration->idle_count, exploration->idle_room) = zk;
    return true;
}

// --- requests ------------------------------------------------------------------------------------

// Without the number that the server has put behind it: that is told by the order of nodes.
static int unnumbered(const char *path)
{
    size_t length = strlen(path);
    bool is_numbered = length > NUMBER_DIGITS &&
                       strspn(path + length - NUMBER_DIGITS, "0123456789") == NUMBER_DIGITS;
    return (int)(is_numbered ? length - NUMBER_DIGITS : length);
}

// What the worker knows when it asks. Sessions are told in as many digits as tokens are
// (gate_name_tokens).
void zk_explored_hear_request(struct zk *zk, const struct actor *actor, enum zk_asked asked,
                              const char *path, const struct zk_details *details)
{
    if (actor->gate == NULL)
        return;
    struct step_gate **place = zk->gates;
    while (*place != NULL && *place != actor->gate)
        place++;
    *place = actor->gate;
    zk->client = actor->client;
    if (details->watch != NULL)
        details->watch->gate = actor->gate;
    gate_hear_text(actor->gate, "%s " TOLD_SESSION " %.*s %s %d\n", zk_commands[asked],
                   zk_current(zk)->id, unnumbered(path), path,
                   details->data != NULL ? details->data : "", details->watch != NULL);
}

// ZOK: the request is to be sent. Who sends to a session that is over learns that.
int zk_explored_code(const struct actor *actor, struct zk_life *life)
{
    enum gate_order order = gate_order(actor);
    if (order == GATE_LOSE_REQUEST || order == GATE_END)
        return ZCONNECTIONLOSS;
    if (!life->is_over)
        return ZOK;
    zk_enter(life, SESSION_ENDED);
    return ZSESSIONEXPIRED;
}

// Nodes are numbered as they are made, in place of what the server counts. With the mutex.
void zk_explored_note_answer(struct zk *zk, const struct actor *actor, enum zk_asked asked,
                             struct zk_call *call)
{
    struct zk_exploration *exploration = exploration_of(zk);
    bool was_sent = call->code != ZCONNECTIONLOSS && call->code != ZSESSIONEXPIRED;
    if (was_sent)
        zk->heard_ns = clock_monotonic_ns();
    exploration->changes += was_sent && (asked == ZK_CREATE || asked == ZK_DELETE);
    if (asked == ZK_CREATE && call->code == ZOK && actor->gate != NULL) {
        struct zk_made *made =
            APPEND(exploration->made, exploration->made_count, exploration->made_room);
        made->czxid = call->czxid;
        memcpy(made->path, call->text, sizeof made->path);
    }
    size_t at = exploration->made_count;
    while (at > 0 && exploration->made[at - 1].czxid != call->czxid)
        at--;
    call->czxid = (int64_t)at;
    if (gate_order(actor) == GATE_LOSE_REPLY) {
        zk_names_free(&call->promise.names);
        call->code = ZCONNECTIONLOSS;
        call->text[0] = '\0';
        call->czxid = 0;
    }
}

// Appends the names in the order in which the nodes were made.
static void tell_names(const struct zk_exploration *exploration, const struct zk_names *names,
                       struct text *out)
{
    for (size_t i = 0; i < exploration->made_count; i++) {
        const char *name = strrchr(exploration->made[i].path, '/') + 1;
        bool is_there = false;
        for (size_t at = 0; at < names->count; at++)
            is_there |= strcmp(name, names->items[at]) == 0;
        if (is_there)
            text_format(out, "%.*s\n", unnumbered(name), name);
    }
}

// What is not known of a request may matter as long as the worker lives.
void zk_explored_hear_answer(struct zk *zk, const struct actor *actor, enum outcome outcome,
                             const struct zk_answer *answer, const struct zk_names *names)
{
    struct text told = {0};
    if (actor->gate == NULL)
        return;
    text_format(&told, "%d %d %d %.*s %" PRId64 "\n", (int)outcome, (int)answer->reply,
                answer->session_ended, unnumbered(answer->text), answer->text, answer->czxid);
    if (names != NULL)
        tell_names(exploration_of(zk), names, &told);
    gate_hear(actor->gate, told.bytes, told.length);
    actor->gate->spans_operations |= outcome == OUTCOME_UNKNOWN;
    text_free(&told);
}

// --- watches -------------------------------------------------------------------------

// Of a worker with a gate: whether the watch has rung, by all that has come to be until now. The
// server tells a connection of changes before it answers what comes later.
static bool has_rung(struct zk_watch *watch)
{
    struct zk *zk = watch->promise.zk;
    struct zk_life *life = zk_current(zk);
    if (life->is_over) {
        zk_enter(life, SESSION_ENDED);
        return true;
    }
    if (watch->looked_at != exploration_of(zk)->changes) {
        watch->looked_at = exploration_of(zk)->changes;
        zk_catch_up(zk);
    }
    return atomic_load(&watch->promise.is_told) != 0;
}

// Where the message is lost with its connection, the next connection brings it.
bool zk_explored_wait(struct zk_watch *watch, int64_t most_ns)
{
    int64_t until_ns = clock_monotonic_ns() + most_ns;
    enum gate_order order = GATE_LOOK;
    bool has_come = false;
    while (!has_come && order == GATE_LOOK) {
        has_come = has_rung(watch);
        order = gate_stand_for_answer(watch->gate, has_come, has_come ? TIME_NEVER : until_ns);
    }
    gate_hear_text(watch->gate, "%s\n", has_come ? "rung" : "time");
    return has_come && order != GATE_END;
}

// --- of the explorer -----------------------------------------------------------------------------

// Its library tells the server that it is there, while its threads wait or sleep.
static bool is_at_rest(const struct zk *zk)
{
    bool rests = true;
    for (struct step_gate *const *gate = zk->gates; *gate != NULL; gate++)
        rests &= (*gate)->place == GATE_OVER || (*gate)->place == GATE_SLEEPING ||
                 ((*gate)->place == GATE_WAITING && (*gate)->until_ns >= clock_monotonic_ns());
    return rests;
}

// The id of the session, which the server ends by and by.
static uint64_t end(struct zk *zk)
{
    struct zk_life *life = zk_current(zk);
    life->is_over = true;
    zookeeper_close(life->handle);
    life->handle = NULL;
    exploration_of(zk)->changes++;
    return life->id;
}

uint64_t zk_exploration_end_late(struct zk_exploration *exploration)
{
    int64_t now_ns = clock_monotonic_ns();
    for (size_t i = 0; i < exploration->open_count; i++) {
        struct zk *zk = exploration->open[i];
        if (zk->life->is_over || zk->gates[0] == NULL)
            continue;
        if (is_at_rest(zk))
            zk->heard_ns = now_ns;
        else if (now_ns - zk->heard_ns >= zk->settings.session_ns)
            return end(zk);
    }
    return 0;
}

uint64_t zk_exploration_end_of(struct zk_exploration *exploration, int client)
{
    for (size_t i = 0; i < exploration->open_count; i++) {
        struct zk *zk = exploration->open[i];
        if (zk->gates[0] == NULL || zk->client != client)
            continue;
        zk->gates[0] = NULL; // nobody goes this way any more
        return zk->life->is_over ? 0 : end(zk);
    }
    return 0;
}

// Of whose folder the node is: its name in it, NULL if it is of another.
static const char *name_in(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    bool is_in = strncmp(path, folder, length) == 0 && path[length] == '/';
    return is_in && strchr(path + length + 1, '/') == NULL ? path + length + 1 : NULL;
}

// Which of the folder's nodes are there. One that was made anew is the last of its path.
static int look_into(struct zk_exploration *exploration, struct zk *looks, const char *folder,
                     struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct zk_answer answer;
    struct zk_names names;
    size_t count = 0;
    enum outcome outcome = zk_get_children(looks, &nobody, &answer, folder, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        bool is_found = false;
        for (size_t at = exploration->made_count; !is_found && at-- > 0;) {
            const char *name = name_in(folder, exploration->made[at].path);
            is_found = name != NULL && strcmp(name, names.items[i]) == 0;
            exploration->made[at].is_there |= is_found;
        }
        count += is_found;
    }
    bool are_known = count == names.count;
    zk_names_free(&names);
    if (outcome != OUTCOME_OK)
        return error_set(error, "cannot read %s in zookeeper: %s", folder, answer.why);
    return are_known
               ? 0
               : error_set(error, "%s in zookeeper has nodes that no client has made", folder);
}

// Which of all nodes are there, unless that is known.
static int look(struct zk_exploration *exploration, struct zk *looks, struct error *error)
{
    if (exploration->looked_at == exploration->changes)
        return 0;
    for (size_t i = 0; i < exploration->made_count; i++)
        exploration->made[i].is_there = false;
    for (size_t i = 0; i < exploration->made_count; i++) {
        const char *path = exploration->made[i].path;
        char folder[ZK_TEXT_ROOM];
        size_t before = 0;
        snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
        while (before < i && name_in(folder, exploration->made[before].path) == NULL)
            before++;
        if (before == i && look_into(exploration, looks, folder, error) != 0)
            return -1;
    }
    exploration->looked_at = exploration->changes;
    return 0;
}

int zk_exploration_tell(struct zk_exploration *exploration, struct zk *looks, int64_t part_ns,
                        struct text *out, struct error *error)
{
    if (look(exploration, looks, error) != 0)
        return -1;
    text_format(out, "%zu\n", exploration->made_count);
    for (size_t i = 0; i < exploration->made_count; i++) {
        const struct zk_made *made = &exploration->made[i];
        if (made->is_there)
            text_format(out, "%.*s %zu\n", unnumbered(made->path), made->path, i + 1);
    }
    for (size_t i = 0; i < exploration->open_count; i++) {
        const struct zk *zk = exploration->open[i];
        const struct zk_life *life = zk->life;
        int64_t silence_ns = is_at_rest(zk) ? 0 : clock_monotonic_ns() - zk->heard_ns;
        if (zk->gates[0] != NULL && life->is_over)
            text_format(out, TOLD_SESSION " ended %d\n", life->id,
                        atomic_load(&life->state) == SESSION_ENDED);
        else if (silence_ns >= part_ns)
            text_format(out, TOLD_SESSION " %" PRId64 "\n", life->id, silence_ns / part_ns);
    }
    return 0;
}

int zk_exploration_empty(struct zk_exploration *exploration, struct zk *looks, struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct zk_answer answer;
    if (look(exploration, looks, error) != 0)
        return -1;
    for (size_t i = 0; i < exploration->made_count; i++) {
        const struct zk_made *made = &exploration->made[i];
        if (made->is_there &&
            zk_ask(looks, &nobody, &answer, ZK_DELETE, made->path, NULL) != OUTCOME_OK)
            return error_set(error, "cannot delete %s in zookeeper: %s", made->path, answer.why);
    }
    exploration->made_count = 0;
    return 0;
}

void zk_exploration_free(struct zk_exploration *exploration)
{
    for (size_t i = 0; i < exploration->idle_count; i++)
        zk_free(exploration->idle[i]);
    free(exploration->idle);
    free(exploration->open);
    free(exploration->made);
}
