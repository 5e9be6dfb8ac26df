#include "harness/history/stall.h"

#include <stdio.h>
#include <string.h>

struct event stall_event(const struct stall *stall)
{
    struct event event = {.at_ns = stall->to_ns,
                          .kind = EVENT_STALL,
                          .detail = (uint8_t)stall->of,
                          .args = {stall->to_ns - stall->from_ns, stall->number}};
    memcpy(&event.args[2], stall->server, strnlen(stall->server, STALL_NAME_BYTES));
    return event;
}

struct stall stall_of(const struct event *event)
{
    struct stall stall = {.from_ns = event->at_ns - event->args[0],
                          .to_ns = event->at_ns,
                          .of = (enum stalled)event->detail,
                          .number = (int)event->args[1]};
    memcpy(stall.server, &event->args[2], STALL_NAME_BYTES);
    for (char *next = stall.server; *next != '\0'; next++) {
        if (*next <= ' ' || *next > '~' || strchr("\"\\<>&", *next) != NULL)
            *next = '?';
    }
    return stall;
}

const char *stalled_name(unsigned of)
{
    static const char *const names[] = {"machine", "conductor", "client", "driver", "server"};
    return of < sizeof names / sizeof *names ? names[of] : "?";
}

const char *stall_owner(const struct stall *stall, char *out, size_t room)
{
    if (stall->of == STALLED_CLIENT || stall->of == STALLED_DRIVER)
        snprintf(out, room, "%sclient-%d", stall->of == STALLED_DRIVER ? "the driver of " : "",
                 stall->number);
    else if (stall->of == STALLED_SERVER)
        snprintf(out, room, "%s", stall->server[0] != '\0' ? stall->server : "a server");
    else
        snprintf(out, room, "the %s", stalled_name(stall->of));
    return out;
}
