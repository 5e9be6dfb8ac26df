#include "harness/history/event.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <stdarg.h>
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
    [EVENT_ACQUIRE_RETURN] = {.most_detail = ACQUIRE_GONE, .free = 0x2},
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
    [EVENT_GIVEN] = {.lock = 2},
    [EVENT_ROUND_TRIP] = {.reckoned = 0xf, .of_whom = 1},
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
    uint64_t bits = 0; // of all of them, so that most events are seen at once to have none as large
    for (unsigned i = 0; i < 4; i++)
        bits |= (uint64_t)(event->args[i] < 0 ? ~event->args[i] : event->args[i]);
    for (unsigned i = 0; bits >= (uint64_t)LARGEST && i < 4; i++) {
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

// --- as a line -----------------------------------------------------------------------------------

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

enum detail_kind { DETAIL_WORD, DETAIL_NUMBER, DETAIL_TIME, DETAIL_DURATION };

// What is told of an event besides when it was, whose it is and its kind.
struct detail {
    char name[24];
    enum detail_kind kind;
    char value[48];
    int64_t length_ns; // of a duration
};

struct details {
    struct detail items[12];
    size_t count;
};

__attribute__((format(printf, 4, 5))) static void add(struct details *details, const char *name,
                                                      enum detail_kind kind, const char *format,
                                                      ...)
{
    struct detail *detail = &details->items[details->count++];
    va_list arguments;
    va_start(arguments, format);
    snprintf(detail->name, sizeof detail->name, "%s", name);
    detail->kind = kind;
    vsnprintf(detail->value, sizeof detail->value, format, arguments);
    va_end(arguments);
}

#define ADD_WORD(name, value) add(details, name, DETAIL_WORD, "%s", value)

// Printable ASCII only: JSON takes the rest amiss.
static void add_note(const struct event *event, struct details *details)
{
    char text[sizeof event->text + 1] = "";
    memcpy(text, event->text, sizeof event->text);
    for (char *next = text; *next != '\0'; next++) {
        if (*next < ' ' || *next > '~' || *next == '"' || *next == '\\')
            *next = '?';
    }
    ADD_WORD("text", text);
}

static void list_details(const struct event *event, int64_t zero_ns, struct details *details)
{
    const char *const *names = event_argument_names(event->kind);
    bool is_wire = event->kind == EVENT_REQUEST || event->kind == EVENT_REPLY;
    details->count = 0;
    if (event->outcome != OUTCOME_OK || event->kind == EVENT_ACQUIRE_RETURN ||
        event->kind == EVENT_WRITE_RETURN || event->kind == EVENT_READ_RETURN)
        ADD_WORD("outcome", outcome_name(event->outcome));
    if (event->kind == EVENT_ACQUIRE_RETURN && event->detail != ACQUIRE_PLAIN)
        add(details, event->detail == ACQUIRE_GONE ? "gone" : "unanchored", DETAIL_NUMBER, "true");
    if (event->kind == EVENT_RELEASE_RETURN)
        ADD_WORD("answer", release_answer_name(event->detail));
    if (event->kind == EVENT_STOP_ASKED)
        ADD_WORD("reason", stop_reason_name(event->detail));
    if (event->kind == EVENT_FAULT_HEALED)
        ADD_WORD("reason", heal_reason_name(event->detail));
    if (event->kind == EVENT_USAGE)
        ADD_WORD("figure", usage_figure_name(event->detail));
    if (event->kind == EVENT_STALL)
        ADD_WORD("of", stalled_name(event->detail));
    if (event->kind == EVENT_STALL && event->detail == STALLED_SERVER)
        ADD_WORD("server", stall_of(event).server);
    if (event->fault_number != 0)
        add(details, "fault", DETAIL_NUMBER, "%u", event->fault_number);
    if (is_wire)
        ADD_WORD("command", event_command(event).text);
    if (event->kind == EVENT_REQUEST) {
        add(details, "phase", DETAIL_NUMBER, "%u", (unsigned)event->detail >> REQUEST_PHASE);
        add(details, "words", DETAIL_NUMBER, "%u", (unsigned)event->detail & REQUEST_WORDS);
    }
    if (event->kind == EVENT_REPLY)
        ADD_WORD("reply", reply_kind_name(event->detail));
    for (int i = is_wire; i < 4; i++) {
        bool is_time = is_point_in_time(names[i]);
        char name[24];
        snprintf(name, sizeof name, "%.*s", (int)strlen(names[i]) - (is_time ? 3 : 0), names[i]);
        if (name[0] == '\0' || (event->args[i] == 0 && is_rare(names[i])))
            continue;
        if (event->args[i] == INT64_MAX)
            add(details, name, DETAIL_NUMBER, "null");
        else if (is_time && event->args[i] > 0)
            add(details, name, DETAIL_TIME, "%.6f", (double)(event->args[i] - zero_ns) / 1e9);
        else
            add(details, strcmp(name, "error_number") == 0 ? "errno" : name,
                text_matches(name, "*_ns") ? DETAIL_DURATION : DETAIL_NUMBER, "%" PRId64,
                event->args[i]);
        details->items[details->count - 1].length_ns = event->args[i];
    }
    if (event->kind == EVENT_NOTE)
        add_note(event, details);
}

#undef ADD_WORD

void event_add_json(const struct event *event, int64_t zero_ns, struct text *out)
{
    struct details details;
    list_details(event, zero_ns, &details);
    text_format(out, "{\"t\":%.6f,\"client\":%u,\"worker\":%u,\"event\":\"%s\"",
                (double)(event->at_ns - zero_ns) / 1e9, event->client, event->worker,
                event_kind_name(event->kind));
    for (size_t i = 0; i < details.count; i++) {
        const struct detail *detail = &details.items[i];
        const char *mark = detail->kind == DETAIL_WORD ? "\"" : "";
        text_format(out, ",\"%s\":%s%s%s", detail->name, mark, detail->value, mark);
    }
    text_add(out, "}");
}

const char event_row_heading[] = "           t  who                 what              details";

void event_add_row(const struct event *event, int64_t zero_ns, struct text *out)
{
    struct details details;
    char who[48] = "lockpick";
    list_details(event, zero_ns, &details);
    if (event->client > 0 && event->worker > 0)
        snprintf(who, sizeof who, "client-%u worker-%u", event->client, event->worker);
    else if (event->client > 0)
        snprintf(who, sizeof who, "client-%u", event->client);
    else if (event->kind == EVENT_STALL) {
        const struct stall stall = stall_of(event);
        stall_owner(&stall, who, sizeof who);
    }
    text_format(out, "%12.6f  %-18s  %-*s", (double)(event->at_ns - zero_ns) / 1e9, who,
                details.count > 0 ? 16 : 0, event_kind_name(event->kind));
    for (size_t i = 0; i < details.count; i++) {
        const struct detail *detail = &details.items[i];
        bool is_outcome = strcmp(detail->name, "outcome") == 0;
        char duration[40];
        size_t length = strlen(detail->name) - (detail->kind == DETAIL_DURATION ? 3 : 0);
        text_add(out, i == 0 ? "  " : ", ");
        for (size_t j = 0; j < length && !is_outcome; j++)
            text_format(out, "%c", detail->name[j] == '_' ? ' ' : detail->name[j]);
        text_format(out, "%s%s%s", is_outcome ? "" : " ",
                    strcmp(detail->value, "null") == 0 ? "none"
                    : detail->kind == DETAIL_DURATION
                        ? text_duration(detail->length_ns, duration, sizeof duration)
                        : detail->value,
                    detail->kind == DETAIL_TIME ? " s" : "");
    }
}
