#include "harness/history/event.h"

#include "harness/base/text.h"

#include <stddef.h>
#include <string.h>

static const char *const kind_names[] = {
#define NONE(id, name) name,
#define X(id, member, name, ...) name,
    EVENT_KINDS(X, NONE)
#undef X
#undef NONE
};

static const char *const argument_names[][4] = {
#define NONE(id, name) {"", "", "", ""},
#define X(id, member, name, ...) FOUR(__VA_ARGS__, , , , )
#define FOUR(a, b, c, d, ...) {#a, #b, #c, #d},
    EVENT_KINDS(X, NONE)
#undef FOUR
#undef X
#undef NONE
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NAME_OF(names, number) ((number) < COUNT(names) ? (names)[number] : "?")

const char *event_kind_name(unsigned kind)
{
    return kind < EVENT_KIND_COUNT ? kind_names[kind] : NULL;
}

const char *const *event_argument_names(unsigned kind)
{
    return argument_names[kind];
}

bool event_has_operation(unsigned kind)
{
    return strcmp(argument_names[kind][0], "operation") == 0;
}

struct event_command event_command(const struct event *event)
{
    struct event_command command = {""};
    memcpy(command.text, &event->args[0], sizeof event->args[0]);
    text_clean(command.text);
    return command;
}

enum outcome release_outcome(enum release_answer answer)
{
    if (answer == RELEASE_UNKNOWN)
        return OUTCOME_UNKNOWN;
    return answer == RELEASE_NOT_OWNER || answer == RELEASE_GONE ? OUTCOME_NO : OUTCOME_OK;
}

const char *outcome_name(unsigned outcome)
{
    static const char *const names[] = {"ok", "no", "unknown", "broken"};
    return NAME_OF(names, outcome);
}

const char *release_answer_name(unsigned answer)
{
    static const char *const names[] = {"released", "not-owner", "gone", "unknown", "unchecked"};
    return NAME_OF(names, answer);
}

const char *lost_reason_name(unsigned reason)
{
    static const char *const names[] = {"not", "not-owner", "deadline", "suspended", "session"};
    return NAME_OF(names, reason);
}

const char *stop_reason_name(unsigned reason)
{
    static const char *const names[] = {"done", "time", "stuck", "limit", "broken", "interrupted"};
    return NAME_OF(names, reason);
}

const char *heal_reason_name(unsigned reason)
{
    static const char *const names[] = {"cause", "bound", "end", "death"};
    return NAME_OF(names, reason);
}

const char *usage_figure_name(unsigned figure)
{
    static const char *const names[] = {"processor", "switches", "bytes", "packets"};
    return NAME_OF(names, figure);
}

const char *reply_kind_name(unsigned reply)
{
    static const char *const names[] = {"some", "nil", "zero", "negative", "ok", "error"};
    return NAME_OF(names, reply);
}
