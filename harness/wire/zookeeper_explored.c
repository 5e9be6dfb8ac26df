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
    exploration->changes += was_sent && (asked == ASKED_CREATE || asked == ASKED_DELETE);
    if (asked == ASKED_CREATE && call->code == ZOK && actor->gate != NULL) {
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

// Whether the node is among the names of the folder's, and was not made anew later.
static bool is_among(const struct zk_exploration *exploration, size_t number, const char *folder,
                     const struct zk_names *names)
{
    const char *path = exploration->made[number].path;
    size_t length = strlen(folder);
    bool is_there = false;
    if (strncmp(path, folder, length) != 0 || path[length] != '/')
        return false;
    for (size_t i = 0; i < names->count; i++)
        is_there |= strcmp(path + length + 1, names->items[i]) == 0;
    for (size_t i = number + 1; i < exploration->made_count; i++)
        is_there &= strcmp(path, exploration->made[i].path) != 0;
    return is_there;
}

// Appends the nodes of the folder's that are among the names, as they were made. How many.
static size_t tell_made(const struct zk_exploration *exploration, const char *folder,
                        const struct zk_names *names, struct text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < exploration->made_count; i++) {
        const char *path = exploration->made[i].path;
        if (!is_among(exploration, i, folder, names))
            continue;
        text_format(out, "%.*s %zu\n", unnumbered(path), path, i + 1);
        count++;
    }
    return count;
}

// What is not known of a request may matter as long as the worker lives.
void zk_explored_hear_answer(struct zk *zk, const struct actor *actor, const char *path,
                             enum outcome outcome, const struct zk_answer *answer,
                             const struct zk_names *names)
{
    struct text told = {0};
    if (actor->gate == NULL)
        return;
    text_format(&told, "%d %d %d %.*s %" PRId64 "\n", (int)outcome, (int)answer->reply,
                answer->session_ended, unnumbered(answer->text), answer->text, answer->czxid);
    if (names != NULL)
        tell_made(exploration_of(zk), path, names, &told);
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
        if (zk->gates[0] != NULL && zk->client == client && !zk->life->is_over)
            return end(zk);
    }
    return 0;
}

static bool are_of_one_folder(const struct zk_made *one, const struct zk_made *other)
{
    size_t length = (size_t)(strrchr(one->path, '/') - one->path);
    return strncmp(one->path, other->path, length + 1) == 0 &&
           strchr(other->path + length + 1, '/') == NULL;
}

// The nodes that are there, of each folder in the order in which they were made.
static int tell_nodes(const struct zk_exploration *exploration, struct zk *looks, struct text *out,
                      struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    for (size_t i = 0; i < exploration->made_count; i++) {
        const struct zk_made *made = &exploration->made[i];
        char folder[ZK_TEXT_ROOM];
        struct zk_answer answer;
        struct zk_names names;
        size_t before = 0;
        while (before < i && !are_of_one_folder(&exploration->made[before], made))
            before++;
        if (before < i)
            continue;
        snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(made->path, '/') - made->path),
                 made->path);
        enum outcome outcome = zk_get_children(looks, &nobody, &answer, folder, &names, NULL);
        bool are_all = tell_made(exploration, folder, &names, out) == names.count;
        zk_names_free(&names);
        if (outcome != OUTCOME_OK)
            return error_set(error, "cannot read %s in zookeeper: %s", folder, answer.why);
        if (!are_all)
            return error_set(error, "%s in zookeeper has nodes that no client has made", folder);
    }
    return 0;
}

int zk_exploration_tell(struct zk_exploration *exploration, struct zk *looks, int64_t part_ns,
                        struct text *out, struct error *error)
{
    if (exploration->told_at != exploration->changes) {
        exploration->told.length = 0;
        if (tell_nodes(exploration, looks, &exploration->told, error) != 0)
            return -1;
        exploration->told_at = exploration->changes;
    }
    text_add_bytes(out, exploration->told.bytes, exploration->told.length);
    for (size_t i = 0; i < exploration->open_count; i++) {
        const struct zk *zk = exploration->open[i];
        const struct zk_life *life = zk->life;
        int64_t silence_ns = is_at_rest(zk) ? 0 : clock_monotonic_ns() - zk->heard_ns;
        if (life->is_over)
            text_format(out, TOLD_SESSION " %d\n", life->id,
                        atomic_load(&life->state) == SESSION_ENDED ? -2 : -1);
        else if (silence_ns >= part_ns)
            text_format(out, TOLD_SESSION " %" PRId64 "\n", life->id, silence_ns / part_ns);
    }
    return 0;
}

void zk_exploration_restart(struct zk_exploration *exploration)
{
    exploration->made_count = 0;
    exploration->changes++;
}

void zk_exploration_free(struct zk_exploration *exploration)
{
    for (size_t i = 0; i < exploration->idle_count; i++)
        zk_free(exploration->idle[i]);
    free(exploration->idle);
    free(exploration->open);
    free(exploration->made);
    text_free(&exploration->told);
}
