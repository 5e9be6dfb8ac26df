#include "harness/scenario/moves.h"

#include "harness/base/scope.h"

#include <stdio.h>
#include <string.h>

enum subject { OF_ALL, OF_CLIENT, OF_SERVER };

#define FORGETS 1
#define IS_RARE 2
#define SETS_CLOCK 4
#define DISCONNECTS 8
#define PROLONGS 16

static const struct {
    const char *text; // "%s": where the client stands, or the server's name
    enum subject of;
    enum move_class class;
    unsigned traits;
} forms[MOVE_KINDS] = {
    [MOVE_STEP] = {" %s", OF_CLIENT, CLASS_STEP, 0},
    [MOVE_LOSE_REQUEST] = {" %s, request lost", OF_CLIENT, CLASS_FAULT, 0},
    [MOVE_LOSE_REPLY] = {" %s, reply lost", OF_CLIENT, CLASS_FAULT, 0},
    [MOVE_LOSE_MESSAGE] = {" %s, lost", OF_CLIENT, CLASS_FAULT, 0},
    [MOVE_TIME_INSIDE] = {" %s, a lease passes before its reply", OF_CLIENT, CLASS_LEASE, 0},
    [MOVE_REFUSE] = {" %s, answered by an error", OF_CLIENT, CLASS_FAULT, 0},
    [MOVE_DRAW_ZERO] = {" %s, and draws a zero", OF_CLIENT, CLASS_FAULT, IS_RARE},
    [MOVE_CLOCK_BACK] = {" %s, its clock a lease behind", OF_CLIENT, CLASS_FAULT,
                         SETS_CLOCK | IS_RARE},
    [MOVE_CLOCK_AHEAD] = {" %s, its clock a lease ahead", OF_CLIENT, CLASS_FAULT,
                          SETS_CLOCK | IS_RARE},
    [MOVE_CRASH] = {" crashes", OF_CLIENT, CLASS_FAULT, 0},
    [MOVE_TIME] = {"a lease passes", OF_ALL, CLASS_LEASE, 0},
    [MOVE_WAIT] = {"all wait", OF_ALL, CLASS_WAIT, 0},
    [MOVE_TIMER] = {"time passes until a timer is due", OF_ALL, CLASS_TIMER, 0},
    [MOVE_RESTART] = {"%s restarts and keeps all", OF_SERVER, CLASS_FAULT, DISCONNECTS | IS_RARE},
    [MOVE_AMNESIA] = {"%s restarts and loses all", OF_SERVER, CLASS_FAULT,
                      DISCONNECTS | FORGETS | IS_RARE},
    [MOVE_FAIL_OVER] = {"%s fails over without its last write", OF_SERVER, CLASS_FAULT,
                        DISCONNECTS | FORGETS | IS_RARE},
    [MOVE_SERVER_AHEAD] = {"%s sets its clock a lease ahead", OF_SERVER, CLASS_FAULT,
                           FORGETS | IS_RARE},
    [MOVE_SERVER_BACK] = {"%s sets its clock far back", OF_SERVER, CLASS_FAULT, PROLONGS | IS_RARE},
    [MOVE_EVICT] = {"%s evicts the lock", OF_SERVER, CLASS_FAULT, FORGETS},
};

// Whether where its client stands, or its server's name, is told with it.
static bool has_place(enum move_kind kind)
{
    return strstr(forms[kind].text, "%s") != NULL;
}

enum move_class move_class(struct move move)
{
    return forms[move.kind].class;
}

bool move_is_of_same(struct move one, struct move other)
{
    return one.client == other.client && one.thread == other.thread && one.server == other.server;
}

bool move_forgets(struct move move)
{
    return (forms[move.kind].traits & FORGETS) != 0;
}

bool move_prolongs(struct move move)
{
    return (forms[move.kind].traits & PROLONGS) != 0;
}

bool move_disconnects(struct move move)
{
    return (forms[move.kind].traits & DISCONNECTS) != 0;
}

bool move_sets_clock(struct move move)
{
    return (forms[move.kind].traits & SETS_CLOCK) != 0;
}

bool move_is_rare(struct move move)
{
    return (forms[move.kind].traits & IS_RARE) != 0;
}

void move_write(struct move move, const char *what, struct text *out)
{
    const char *form = forms[move.kind].text;
    const char *place = strstr(form, "%s");
    if (forms[move.kind].of == OF_CLIENT)
        text_format(out, move.thread == THREAD_WORKER ? "client-%d" : "client-%d's %s", move.client,
                    client_thread_name(move.thread));
    if (place == NULL)
        text_add(out, form);
    else
        text_format(out, "%.*s%s%s", (int)(place - form), form, what, place + 2);
}

// Of a text that goes on behind "client-1": which of its threads is meant. Returns what follows.
static const char *read_thread(const char *text, uint8_t *thread)
{
    for (*thread = THREAD_WORKER + 1; *thread < CLIENT_THREADS; ++*thread) {
        const char *name = client_thread_name(*thread);
        if (strncmp(text, "'s ", 3) == 0 && strncmp(text + 3, name, strlen(name)) == 0)
            return text + 3 + strlen(name);
    }
    *thread = THREAD_WORKER;
    return text;
}

// "redis-3 restarts ...": 3, with the name in `what`. 0: it names no server.
static uint8_t read_server(const char *text, char what[MOVE_WHAT_ROOM])
{
    size_t length = strcspn(text, " ");
    int number = 0;
    int end = 0;
    if (length >= MOVE_WHAT_ROOM || sscanf(text, "%*[a-z]-%3d%n", &number, &end) != 1 ||
        (size_t)end != length || number <= 0 || number > UINT8_MAX)
        return 0;
    snprintf(what, MOVE_WHAT_ROOM, "%.*s", (int)length, text);
    return (uint8_t)number;
}

int move_read(const char *text, struct move *move, char what[MOVE_WHAT_ROOM], struct error *error)
{
    int client = 0;
    int length = 0;
    uint8_t thread = THREAD_WORKER;
    uint8_t server = 0;
    what[0] = '\0';
    if (sscanf(text, "client-%3d%n", &client, &length) == 1 && client > 0 && client <= UINT8_MAX) {
        const char *rest = read_thread(text + length, &thread);
        size_t word = rest[0] == ' ' ? strcspn(rest + 1, ", ") : 0;
        if (word > 0 && word < MOVE_WHAT_ROOM)
            snprintf(what, MOVE_WHAT_ROOM, "%.*s", (int)word, rest + 1);
    } else {
        server = read_server(text, what);
    }
    for (uint8_t kind = 0; kind < MOVE_KINDS; kind++) {
        AUTO_TEXT struct text written = {0};
        enum subject of = forms[kind].of;
        *move = (struct move){kind, of == OF_CLIENT ? (uint8_t)client : 0, thread,
                              of == OF_SERVER ? server : 0};
        move_write(*move, what, &written);
        bool is_it = (of == OF_CLIENT) == (client > 0) && (of == OF_SERVER) == (server > 0) &&
                     (!has_place(kind) || what[0] != '\0') &&
                     strcmp(text_string(&written), text) == 0 &&
                     !(kind == MOVE_STEP && strcmp(what, "crashes") == 0) &&
                     (has_place(kind) || thread == THREAD_WORKER);
        if (is_it) {
            if (!has_place(kind))
                what[0] = '\0';
            return 0;
        }
    }
    return error_set(
        error,
        "'%.60s' is no move: say 'client-1 SET' (or start, write, retry, answer for the "
        "command; client-1's watchdog, subscriber, sweeper for the client; message, "
        "wakes), the same with ', request lost', ', reply lost', ', lost' (of a "
        "message), ', a lease passes before its reply', ', answered by an error', ', and draws a "
        "zero' or ', its clock a "
        "lease behind' (or ahead), 'client-1 crashes', 'a lease passes', 'time passes until a "
        "timer is due', 'redis-1 restarts and "
        "keeps all' (or loses all), 'redis-1 fails over without its last write', 'redis-1 sets its "
        "clock a lease ahead' (or far back), 'redis-1 evicts the lock', or 'all wait'",
        text);
}
