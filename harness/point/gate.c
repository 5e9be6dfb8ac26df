#include "harness/point/gate.h"

#include "harness/base/futex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LEAST_TOKEN 32 // hexadecimal digits, dashes not counted
#define LEAST_MIXED 16 // characters: small and capital letters, and digits
#define MOST_TOKEN 48
#define MOST_HEARD 600 // characters, of a text that is made

// Of the machine's time: only how often a server is asked depends on it.
#define SOON_NS NS_PER_MS

void gate_free(struct step_gate *gate)
{
    text_free(&gate->heard);
    text_free(&gate->kept);
}

void gate_hear(struct step_gate *gate, const void *bytes, size_t length)
{
    if (gate == NULL || gate->is_free)
        return;
    (void)atomic_load(&gate->is_blocked);
    text_add_bytes(&gate->heard, bytes, length);
    // Of a thread that is blocked, the explorer takes down that time passes: this word orders
    // them.
    atomic_fetch_add(&gate->is_blocked, 0);
}

void gate_hear_text(struct step_gate *gate, const char *format, ...)
{
    char text[MOST_HEARD];
    va_list arguments;
    if (gate == NULL)
        return;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gate_hear(gate, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static void change_session(struct step_gate *gate, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < GATE_SESSIONS; i++) {
        if (atomic_load(&gate->sessions[i]) == from) {
            atomic_store(&gate->sessions[i], to);
            return;
        }
    }
}

void gate_open_session(struct step_gate *gate, uint64_t session)
{
    change_session(gate, 0, session);
}

void gate_end_session(struct step_gate *gate, uint64_t session)
{
    change_session(gate, session, 0);
    atomic_fetch_add(&gate->ended_sessions, 1);
}

void gate_forget(struct step_gate *gate)
{
    if (!gate->remembers)
        gate->heard.length = 0;
}

void gate_next_operation(struct step_gate *gate)
{
    gate->operation++;
    if (!gate->spans_operations)
        gate_forget(gate);
    gate->attempt_at = gate->vain_at = gate->heard.length;
}

// --- tokens --------------------------------------------------------------------------------------

static bool is_of_token(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') || byte == '-';
}

// The digest by which a script is called is none: it tells which script that is.
static bool is_digest(const char *text, size_t at)
{
    static const char before[] = "EVALSHA\r\n$40\r\n";
    size_t length = sizeof before - 1;
    return at >= length && memcmp(text + at - length, before, length) == 0;
}

// The place of the token among those that have been met, to which it is added.
static size_t name_token(const char *token, size_t length, struct text *names)
{
    char entry[MOST_TOKEN + 1] = {0};
    memcpy(entry, token, length);
    for (size_t at = 0; at < names->length; at += sizeof entry) {
        if (memcmp(names->bytes + at, entry, sizeof entry) == 0)
            return at / sizeof entry;
    }
    text_add_bytes(names, entry, sizeof entry);
    return names->length / sizeof entry - 1;
}

// How long the run of hexadecimal digits is; *is_token: as long as tokens are.
static size_t hexadecimal_run(const char *text, size_t length, size_t at, bool *is_token)
{
    size_t end = at;
    size_t digits = 0;
    for (; end < length && is_of_token(text[end]); end++)
        digits += text[end] != '-';
    *is_token = digits >= LEAST_TOKEN && end - at <= MOST_TOKEN && !is_digest(text, at);
    return end - at;
}

static bool is_of_word(char byte)
{
    return isalnum((unsigned char)byte) || (byte != '\0' && strchr("+/=_-", byte) != NULL);
}

// How long the word is that begins there, if it looks like a token that programs of others draw:
// base64, or letters and digits. 0: it does not.
static size_t mixed_token(const char *text, size_t length, size_t at)
{
    size_t end = at;
    if (at > 0 && is_of_word(text[at - 1]))
        return 0;
    bool has_small = false;
    bool has_capital = false;
    bool has_digit = false;
    for (; end < length && is_of_word(text[end]); end++) {
        has_small |= islower((unsigned char)text[end]) != 0;
        has_capital |= isupper((unsigned char)text[end]) != 0;
        has_digit |= isdigit((unsigned char)text[end]) != 0;
    }
    bool is =
        has_small && has_capital && has_digit && end - at >= LEAST_MIXED && end - at <= MOST_TOKEN;
    return is ? end - at : 0;
}

void gate_name_tokens(const char *text, size_t length, struct text *names, struct text *out)
{
    size_t copied = 0;
    for (size_t at = 0; at < length;) {
        bool is_token;
        size_t run = hexadecimal_run(text, length, at, &is_token);
        size_t mixed = is_token ? 0 : mixed_token(text, length, at);
        if (!is_token && mixed == 0) {
            at += run > 0 ? run : 1;
            continue;
        }
        size_t token = is_token ? run : mixed;
        text_add_bytes(out, text + copied, at - copied);
        text_format(out, "<%zu>", name_token(text + at, token, names));
        at += token;
        copied = at;
    }
    text_add_bytes(out, text + copied, length - copied);
}

// --- times of day --------------------------------------------------------------------------------

#define DAY_NS (24 * 3600 * NS_PER_S)

// The time that so many digits tell; TIME_NEVER: none.
static int64_t time_of(const char *digits, size_t count)
{
    int64_t value = 0;
    if (count != 10 && count != 13 && count != 16 && count != 19)
        return TIME_NEVER;
    for (size_t i = 0; i < count; i++) {
        if (value > (INT64_MAX - 9) / 10)
            return TIME_NEVER;
        value = 10 * value + digits[i] - '0';
    }
    int64_t unit_ns = count == 10 ? NS_PER_S : count == 13 ? NS_PER_MS : count == 16 ? 1000 : 1;
    return value > INT64_MAX / unit_ns ? TIME_NEVER : value * unit_ns;
}

static size_t digits_at(const char *text, size_t length, size_t at)
{
    size_t end = at;
    while (end < length && isdigit((unsigned char)text[end]))
        end++;
    return end - at;
}

void gate_name_times(const char *text, size_t length, int64_t began_ns, int64_t part_ns,
                     struct text *out)
{
    size_t copied = 0;
    for (size_t at = 0; at < length;) {
        size_t count = digits_at(text, length, at);
        int64_t later_ns = count > 0 ? time_of(text + at, count) : TIME_NEVER;
        bool is_time = later_ns != TIME_NEVER && later_ns > began_ns - DAY_NS &&
                       later_ns < began_ns + DAY_NS && (at == 0 || !is_of_word(text[at - 1]));
        if (!is_time) {
            at += count > 0 ? count : 1;
            continue;
        }
        text_add_bytes(out, text + copied, at - copied);
        text_format(out, "{%lld}", (long long)((later_ns - began_ns + part_ns / 2) / part_ns));
        at += count;
        if (at < length && text[at] == '.')
            at += 1 + digits_at(text, length, at + 1);
        copied = at;
    }
    text_add_bytes(out, text + copied, length - copied);
}

// -------------------------------------------------------------------------------------------------

void gate_tried_in_vain(struct step_gate *gate)
{
    struct text texts[2] = {{0}};
    gate_hear(gate, "|", 1); // so that what was heard tells where attempts end
    const size_t from[] = {gate->vain_at, gate->attempt_at, gate->heard.length};
    if (gate->remembers)
        return;
    for (int i = 0; i < 2; i++) {
        struct text names = {0};
        gate_name_tokens(gate->heard.bytes + from[i], from[i + 1] - from[i], &names, &texts[i]);
        text_free(&names);
    }
    if (texts[0].length == texts[1].length &&
        memcmp(texts[0].bytes, texts[1].bytes, texts[0].length) == 0) {
        size_t length = from[2] - from[1];
        memmove(gate->heard.bytes + from[0], gate->heard.bytes + from[1], length);
        gate->heard.length = from[0] + length;
    } else {
        gate->vain_at = from[1];
    }
    gate->attempt_at = gate->heard.length;
    text_free(&texts[0]);
    text_free(&texts[1]);
}

// --- of the thread -------------------------------------------------------------------------------

static bool is_over(const struct step_gate *gate)
{
    return atomic_load(&gate->order) == GATE_END;
}

void gate_stand(struct step_gate *gate, enum gate_place place)
{
    if (is_over(gate))
        return;
    gate->place = place;
    futex_set(&gate->stands, 1);
    futex_wait_while(&gate->stands, 1);
}

static void name_request(struct step_gate *gate, const char *what)
{
    snprintf(gate->what, sizeof gate->what, "%.*s", (int)strcspn(what, " "), what);
}

void gate_pass(struct step_gate *gate, enum phase phase, enum point_side side, const char *what)
{
    enum gate_order order = (enum gate_order)atomic_load(&gate->order);
    bool is_write = side == POINT_BEFORE && strcmp(what, "write") == 0;
    bool was_blocked = side == POINT_AFTER && atomic_exchange(&gate->is_blocked, 0) != 0;
    bool stands =
        side == POINT_BEFORE || was_blocked || (side == POINT_AFTER && order == GATE_GO_AND_STAND);
    if (gate->is_free || !stands)
        return;
    gate->phase = phase;
    if (side == POINT_BEFORE)
        name_request(gate, what);
    gate_stand(gate, is_write               ? GATE_BEFORE_WRITE
                     : side == POINT_BEFORE ? GATE_BEFORE_REQUEST
                     : was_blocked          ? GATE_ANSWERED
                                            : GATE_AFTER_REPLY);
}

static void gate_sleep(struct sleeper *sleeper, int64_t duration_ns)
{
    struct step_gate *gate = (struct step_gate *)sleeper; // its first member
    if (duration_ns > 0 && !gate->is_free)
        gate_stand(gate, GATE_SLEEPING);
}

void gate_start(struct step_gate *gate, bool is_free)
{
    *gate = (struct step_gate){.sleeper = {gate_sleep},
                               .is_there = true,
                               .is_free = is_free,
                               .until_ns = TIME_NEVER,
                               .heard = {gate->heard.bytes, 0, gate->heard.room},
                               .kept = {gate->kept.bytes, 0, gate->kept.room},
                               .remembers = gate->remembers};
}

static void stand_with_bell(struct step_gate *gate, enum gate_place place, _Atomic uint32_t *bell,
                            uint32_t rung)
{
    if (is_over(gate)) {
        futex_set(&gate->stands, 1);
        futex_wait_until_ns(bell, rung, TIME_NEVER);
        return;
    }
    gate->bell = bell;
    gate->bell_was = rung;
    gate_stand(gate, place);
    const char *why = gate_is_rung(gate) ? "rung" : "time";
    gate_hear(gate, why, strlen(why));
    gate->bell = NULL;
}

void gate_wait(struct step_gate *gate, _Atomic uint32_t *bell, uint32_t rung, int64_t until_ns)
{
    gate->until_ns = until_ns;
    stand_with_bell(gate, GATE_WAITING, bell, rung);
}

enum gate_order gate_stand_or_wait(struct step_gate *gate, enum gate_place place, const char *what,
                                   _Atomic uint32_t *bell, uint32_t rung)
{
    name_request(gate, what);
    stand_with_bell(gate, place, bell, rung);
    return (enum gate_order)atomic_load(&gate->order);
}

enum gate_order gate_stand_for_answer(struct step_gate *gate, bool has_come, int64_t until_ns)
{
    name_request(gate, "message");
    gate->until_ns = until_ns;
    gate->is_subscribed = !has_come;
    gate_stand(gate, has_come ? GATE_BEFORE_MESSAGE : GATE_WAITING);
    gate->is_subscribed = false;
    return (enum gate_order)atomic_load(&gate->order);
}

void actor_wait(struct actor *actor, _Atomic uint32_t *bell, uint32_t rung, int64_t until_ns)
{
    if (actor->gate != NULL)
        gate_wait(actor->gate, bell, rung, until_ns);
    else
        futex_wait_until_ns(bell, rung, clock_look_again_ns(&actor->clock, until_ns));
}

// --- of the explorer ----------------------------------------------------------------------------

void gate_await(struct step_gate *gate)
{
    futex_wait_while(&gate->stands, 0);
}

void gate_send_off(struct step_gate *gate, enum gate_order order)
{
    atomic_store(&gate->order, order);
    futex_set(&gate->stands, 0);
}

void gate_let_go(struct step_gate *gate, enum gate_order order)
{
    gate_send_off(gate, order);
    gate_await(gate);
}

void gates_end(struct step_gate *gates)
{
    for (int thread = THREAD_SECOND_WORKER + 1; thread < CLIENT_THREADS; thread++) {
        if (!gates[thread].is_there || is_over(&gates[thread]))
            continue;
        gate_send_off(&gates[thread], GATE_END);
        gate_await(&gates[thread]);
    }
}

bool gate_stands_soon(struct step_gate *gate)
{
    int64_t until_ns = clock_of_machine_ns() + SOON_NS;
    bool in_time = true;
    while (in_time && atomic_load(&gate->stands) == 0)
        in_time = futex_wait_until_ns(&gate->stands, 0, until_ns);
    return atomic_load(&gate->stands) != 0;
}

void gate_leave_blocked(struct step_gate *gate, uint64_t line)
{
    gate->place = GATE_BLOCKED;
    gate->line = line;
    atomic_store(&gate->is_blocked, 1);
}

bool gate_is_rung(const struct step_gate *gate)
{
    return gate->bell != NULL && atomic_load(gate->bell) != gate->bell_was;
}
