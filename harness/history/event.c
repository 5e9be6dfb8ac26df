#include "harness/history/event.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <stdio.h>
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

const char *event_kind_name(unsigned kind)
{
    return kind < EVENT_KIND_COUNT ? kind_names[kind] : NULL;
}

const char *const *event_argument_names(unsigned kind)
{
    return argument_names[kind];
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

// A function that tells the name of a number; "?" if there are not so many.
#define NAMES(function, ...)                                                                       \
    const char *function(unsigned number)                                                          \
    {                                                                                              \
        static const char *const names[] = {__VA_ARGS__};                                          \
        return number < sizeof names / sizeof *names ? names[number] : "?";                        \
    }
NAMES(outcome_name, "ok", "no", "unknown", "broken")
NAMES(release_answer_name, "released", "not-owner", "gone", "unknown", "unchecked")
NAMES(lost_reason_name, "not", "not-owner", "deadline", "suspended", "session")
NAMES(stop_reason_name, "done", "time", "stuck", "limit", "broken", "interrupted")
NAMES(heal_reason_name, "cause", "bound", "end", "death")
NAMES(usage_figure_name, "processor", "switches", "bytes", "packets")
NAMES(reply_kind_name, "some", "nil", "zero", "negative", "ok", "error", "queued")
NAMES(stalled_name, "machine", "conductor", "client", "driver", "server")
#undef NAMES

// --- stalls --------------------------------------------------------------------------------------

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

// --- sense ---------------------------------------------------------------------------------------

// Sums and differences of a few numbers of this size are still numbers.
#define LARGEST (INT64_C(1) << 60)
#define LONGEST_RUN_NS (400 * 24 * 3600 * NS_PER_S)

// What the events of a kind may have. Arguments are bits, or counted from 1.
static const struct {
    uint8_t most_detail; // 0: any
    uint8_t free;        // may be any number: text, and what is only compared, such as tokens
    uint8_t reckoned;    // checks and reports reckon with them: not even "never"
    uint8_t lock;        // has the number of a lock
    uint8_t of_whom;     // has that of a client or a server
} rules[EVENT_KIND_COUNT] = {
    [EVENT_NOTE] = {.free = 0xf},
    [EVENT_WORKER_START] = {.most_detail = WAY_STRAIGHT | WAY_OWN_LOOP},
    [EVENT_WORKER_END] = {.reckoned = 0xf},
    [EVENT_WORKER_LOAD] = {.reckoned = 0xf},
    [EVENT_ACQUIRE_INVOKE] = {.most_detail = 1, .reckoned = 0xc, .lock = 4},
    [EVENT_ACQUIRE_RETURN] = {.most_detail = 1, .free = 0x2},
    [EVENT_RELEASE_RETURN] = {.most_detail = RELEASE_UNCHECKED},
    [EVENT_LEAVE_RETURN] = {.most_detail = RELEASE_UNCHECKED},
    [EVENT_LOST] = {.most_detail = LOST_SESSION},
    [EVENT_READ_INVOKE] = {.free = 0xe},
    [EVENT_READ_RETURN] = {.free = 0xe},
    [EVENT_WRITE_INVOKE] = {.free = 0xe},
    [EVENT_WRITE_RETURN] = {.free = 0xe},
    [EVENT_STORE_INITIAL] = {.reckoned = 0x1, .lock = 2},
    [EVENT_STORE_FINAL] = {.reckoned = 0x1, .lock = 2},
    [EVENT_LOCK_FINAL] = {.lock = 3},
    [EVENT_STOP_ASKED] = {.most_detail = STOP_INTERRUPTED, .reckoned = 0x1},
    [EVENT_FAULT_HEALED] = {.most_detail = HEAL_DEATH},
    [EVENT_STALL] = {.most_detail = STALLED_SERVER, .free = 0xc, .reckoned = 0x1, .of_whom = 2},
    [EVENT_CLOCK_STEP] = {.reckoned = 0x1},
    [EVENT_LOAD] = {.reckoned = 0xf},
    [EVENT_USAGE] = {.most_detail = USAGE_PACKETS, .reckoned = 0xf},
    [EVENT_REQUEST] = {.free = 0x1},
    [EVENT_REPLY] = {.most_detail = REPLY_QUEUED, .free = 0x1},
    [EVENT_CONNECTED] = {.of_whom = 1},
};

bool beginning_is_valid(int64_t began_ns)
{
    return began_ns > 0 && began_ns <= LARGEST;
}

static bool is_number(const struct event *event, unsigned argument, int64_t most)
{
    return argument == 0 || (event->args[argument - 1] >= 0 && event->args[argument - 1] <= most);
}

bool event_is_valid(const struct event *event, int64_t began_ns)
{
    if (event->kind == EVENT_NONE || event->kind >= EVENT_KIND_COUNT || event->kind == EVENT_GAP ||
        event->outcome > OUTCOME_BROKEN || event->client > MOST_CLIENTS ||
        event->worker > MOST_WORKERS || event->at_ns < began_ns ||
        event->at_ns - began_ns > LONGEST_RUN_NS)
        return false;
    unsigned most_detail = rules[event->kind].most_detail;
    unsigned any = rules[event->kind].free;
    unsigned reckoned = rules[event->kind].reckoned;
    for (unsigned i = 0; i < 4; i++) {
        int64_t number = event->args[i];
        bool may_be_never = (reckoned >> i & 1) == 0;
        if ((number < -LARGEST || number > LARGEST) && (any >> i & 1) == 0 &&
            !(may_be_never && number == TIME_NEVER))
            return false;
    }
    return (most_detail == 0 || event->detail <= most_detail) &&
           (event->kind != EVENT_STALL || event->args[0] >= 0) &&
           is_number(event, rules[event->kind].of_whom, MOST_CLIENTS) &&
           is_number(event, rules[event->kind].lock, MOST_LOCKS);
}

// --- as a line of JSON ---------------------------------------------------------------------------

static bool is_point_in_time(const char *name)
{
    return strcmp(name, "valid_until_ns") == 0 || strcmp(name, "give_up_ns") == 0 ||
           strcmp(name, "killed_ns") == 0 || strcmp(name, "intended_ns") == 0 ||
           strcmp(name, "asked_ns") == 0;
}

// What only some trials have; 0 where they have it not.
static bool is_rare(const char *name)
{
    return strcmp(name, "intended_ns") == 0 || strcmp(name, "key") == 0 ||
           strcmp(name, "due") == 0 || strcmp(name, "number") == 0;
}

// Adds the text of a note in place of the closing brace. Printable ASCII only: JSON takes the rest
// amiss.
static int print_note(const struct event *event, char *out, size_t room)
{
    char text[sizeof event->text + 1] = "";
    memcpy(text, event->text, sizeof event->text);
    for (char *next = text; *next != '\0'; next++) {
        if (*next < ' ' || *next > '~' || *next == '"' || *next == '\\')
            *next = '?';
    }
    return snprintf(out, room, ",\"text\":\"%s\"}", text);
}

int event_print_json(const struct event *event, int64_t zero_ns, char *line, size_t room)
{
    int length = snprintf(line, room, "{\"t\":%.6f,\"client\":%u,\"worker\":%u,\"event\":\"%s\"",
                          (double)(event->at_ns - zero_ns) / 1e9, event->client, event->worker,
                          event_kind_name(event->kind));
    const char *const *names = event_argument_names(event->kind);
#define ADD(...) length += snprintf(line + length, room - (size_t)length, __VA_ARGS__)
    if (event->outcome != OUTCOME_OK || event->kind == EVENT_ACQUIRE_RETURN ||
        event->kind == EVENT_WRITE_RETURN || event->kind == EVENT_READ_RETURN)
        ADD(",\"outcome\":\"%s\"", outcome_name(event->outcome));
    if (event->kind == EVENT_ACQUIRE_RETURN && event->detail != 0)
        ADD(",\"unanchored\":true");
    if (event->kind == EVENT_RELEASE_RETURN)
        ADD(",\"answer\":\"%s\"", release_answer_name(event->detail));
    if (event->kind == EVENT_STOP_ASKED)
        ADD(",\"reason\":\"%s\"", stop_reason_name(event->detail));
    if (event->kind == EVENT_FAULT_HEALED)
        ADD(",\"reason\":\"%s\"", heal_reason_name(event->detail));
    if (event->kind == EVENT_USAGE)
        ADD(",\"figure\":\"%s\"", usage_figure_name(event->detail));
    if (event->kind == EVENT_STALL)
        ADD(",\"of\":\"%s\"", stalled_name(event->detail));
    if (event->kind == EVENT_STALL && event->detail == STALLED_SERVER)
        ADD(",\"server\":\"%s\"", stall_of(event).server);
    if (event->fault_number != 0)
        ADD(",\"fault\":%u", event->fault_number);
    bool is_wire = event->kind == EVENT_REQUEST || event->kind == EVENT_REPLY;
    if (is_wire)
        ADD(",\"command\":\"%s\"", event_command(event).text);
    if (event->kind == EVENT_REQUEST)
        ADD(",\"phase\":%u,\"words\":%u", (unsigned)event->detail >> REQUEST_PHASE,
            (unsigned)event->detail & REQUEST_WORDS);
    if (event->kind == EVENT_REPLY)
        ADD(",\"reply\":\"%s\"", reply_kind_name(event->detail));
    for (int i = is_wire; i < 4; i++) {
        bool is_time = is_point_in_time(names[i]);
        int name_length = (int)strlen(names[i]) - (is_time ? (int)strlen("_ns") : 0);
        const char *name = strcmp(names[i], "error_number") == 0 ? "errno" : names[i];
        if (name[0] == '\0' || (event->args[i] == 0 && is_rare(name)))
            continue;
        if (event->args[i] == INT64_MAX)
            ADD(",\"%.*s\":null", name_length, name);
        else if (is_time && event->args[i] > 0)
            ADD(",\"%.*s\":%.6f", name_length, name, (double)(event->args[i] - zero_ns) / 1e9);
        else
            ADD(",\"%.*s\":%" PRId64, name_length, name, event->args[i]);
    }
    ADD("}");
    if (event->kind == EVENT_NOTE)
        length += print_note(event, line + length - 1, room - (size_t)length + 1) - 1;
#undef ADD
    return length;
}
