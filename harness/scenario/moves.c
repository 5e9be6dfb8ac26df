#include "harness/scenario/moves.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *text; // "%s": where the client stands
    bool has_client;
} forms[MOVE_KINDS] = {
    [MOVE_STEP] = {" %s", true},
    [MOVE_LOSE_REQUEST] = {" %s, request lost", true},
    [MOVE_LOSE_REPLY] = {" %s, reply lost", true},
    [MOVE_TIME_INSIDE] = {" %s, a lease passes before its reply", true},
    [MOVE_CRASH] = {" crashes", true},
    [MOVE_TIME] = {"a lease passes", false},
    [MOVE_WAIT] = {"all wait", false},
};

void move_write(struct move move, const char *what, struct text *out)
{
    const char *form = forms[move.kind].text;
    const char *place = strstr(form, "%s");
    if (forms[move.kind].has_client)
        text_format(out, "client-%d", move.client);
    if (place == NULL)
        text_add(out, form);
    else
        text_format(out, "%.*s%s%s", (int)(place - form), form, what, place + 2);
}

int move_read(const char *text, struct move *move, char what[MOVE_WHAT_ROOM], struct error *error)
{
    int client = 0;
    int length = 0;
    what[0] = '\0';
    if (sscanf(text, "client-%3d%n", &client, &length) == 1 && client > 0 && client <= UINT8_MAX) {
        const char *rest = text + length;
        size_t word = rest[0] == ' ' ? strcspn(rest + 1, ", ") : 0;
        if (word > 0 && word < MOVE_WHAT_ROOM)
            snprintf(what, MOVE_WHAT_ROOM, "%.*s", (int)word, rest + 1);
    }
    for (uint8_t kind = 0; kind < MOVE_KINDS; kind++) {
        struct text written = {0};
        *move = (struct move){kind, forms[kind].has_client ? (uint8_t)client : 0};
        move_write(*move, what, &written);
        bool is_it = forms[kind].has_client == (client > 0) &&
                     (kind == MOVE_CRASH || !forms[kind].has_client || what[0] != '\0') &&
                     strcmp(text_string(&written), text) == 0 &&
                     !(kind == MOVE_STEP && strcmp(what, "crashes") == 0);
        text_free(&written);
        if (is_it) {
            if (kind == MOVE_CRASH)
                what[0] = '\0';
            return 0;
        }
    }
    return error_set(error,
                     "'%.60s' is no move: say 'client-1 SET' (or start, write, retry for the "
                     "command), the same with ', request lost', ', reply lost' or ', a lease "
                     "passes before its reply', 'client-1 crashes', 'a lease passes', or "
                     "'all wait'",
                     text);
}
