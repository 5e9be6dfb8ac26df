#include "harness/wire/driver_line.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
    "hello",   "held",    "not-held", "released", "not-owner", "gone",
    "renewed", "unknown", "error",    "lost",     "measured",  NULL,
};

const char *driver_word_name(enum driver_word word)
{
    return words[word];
}

const char *driver_quote_in(const char *bytes, size_t length, struct driver_quote *out)
{
    const size_t enough = sizeof out->text - 8; // for one more byte as \xNN, and "..."
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (used >= enough)
            return strcpy(out->text + used, "..."), out->text;
        if (byte < ' ' || byte >= 127)
            used += (size_t)snprintf(out->text + used, sizeof out->text - used, "\\x%02x", byte);
        else
            out->text[used++] = (char)byte;
    }
    out->text[used] = '\0';
    return out->text;
}

// --- members -------------------------------------------------------------------------------------

#define BIT(word) (1U << (word))
#define GRANTS (BIT(DRIVER_HELD) | BIT(DRIVER_RENEWED))
#define SPECIAL (BIT(DRIVER_HELLO) | BIT(DRIVER_LOST) | BIT(DRIVER_MEASURED))
#define ANSWERS (BIT(DRIVER_WORDS) - 1 - SPECIAL)

// The members that a line may have, by its word.
static const struct member {
    const char *name;
    enum { NUMBER, TEXT, FLAG, OTHER } type; // OTHER: read elsewhere
    size_t place;                            // in struct driver_line
    size_t least;                            // of a number; of a text, the room
    unsigned of;                             // words whose lines may have it
} members[] = {
#define PLACE(member) offsetof(struct driver_line, member)
    {"hello", NUMBER, PLACE(version), 1, BIT(DRIVER_HELLO)},
    {"driver", TEXT, PLACE(why), sizeof((struct driver_line *)0)->why, BIT(DRIVER_HELLO)},
    {"measure", FLAG, PLACE(measures), 0, BIT(DRIVER_HELLO)},
    {"answer", OTHER, 0, 0, ~BIT(DRIVER_HELLO)},
    {"id", NUMBER, PLACE(id), 1, ANSWERS | BIT(DRIVER_MEASURED)},
    {"token", NUMBER, PLACE(token), 1, ANSWERS},
    {"job", NUMBER, PLACE(job), 1, BIT(DRIVER_HELD)},
    {"valid_ms", NUMBER, PLACE(valid_ms), 0, ANSWERS},
    {"from_ns", NUMBER, PLACE(from_ns), 1, ANSWERS},
    {"to_ns", NUMBER, PLACE(to_ns), 1, ANSWERS},
    {"request_ns", NUMBER, PLACE(request_ns), 1, ANSWERS},
    {"valid_until_ns", NUMBER, PLACE(valid_until_ns), 1, ANSWERS},
    {"worker", NUMBER, PLACE(worker), 1, BIT(DRIVER_LOST)},
    {"lock", TEXT, PLACE(lock), sizeof((struct driver_line *)0)->lock, BIT(DRIVER_LOST)},
    {"reason", OTHER, 0, 0, BIT(DRIVER_LOST)},
    {"why", TEXT, PLACE(why), sizeof((struct driver_line *)0)->why, ANSWERS | BIT(DRIVER_LOST)},
    {"from_ns", OTHER, 0, 0, BIT(DRIVER_MEASURED)},
    {"cycles", OTHER, 0, 0, BIT(DRIVER_MEASURED)},
};

static int take_member(const char *key, const json_t *value, struct driver_line *line,
                       struct error *error)
{
    const struct member *member = members;
    const struct member *end = members + sizeof members / sizeof *members;
    while (member < end && (strcmp(member->name, key) != 0 || (member->of & BIT(line->word)) == 0))
        member++;
    if (member == end)
        return error_set(error, "\"%s\" is no member that it may have",
                         driver_quote(key, strlen(key)));
    void *place = (char *)line + member->place;
    switch (member->type) {
    case NUMBER:
        if (!json_is_integer(value) || json_integer_value(value) < (json_int_t)member->least)
            return error_set(error, "\"%s\" must be a whole number of at least %zu", key,
                             member->least);
        *(int64_t *)place = json_integer_value(value);
        return 0;
    case TEXT:
        if (!json_is_string(value))
            return error_set(error, "\"%s\" must be a string", key);
        snprintf(place, member->least, "%s", json_string_value(value));
        return 0;
    case FLAG:
        if (!json_is_boolean(value))
            return error_set(error, "\"%s\" must be true or false", key);
        *(bool *)place = json_is_true(value);
        return 0;
    default:
        return 0;
    }
}

// False if the value is none of those words.
static bool is_word_of(const json_t *value, unsigned of, enum driver_word *word)
{
    const char *text = json_string_value(value);
    for (int i = 0; text != NULL && i < DRIVER_WORDS; i++) {
        *word = (enum driver_word)i;
        if ((of & BIT(i)) != 0 && strcmp(words[i], text) == 0)
            return true;
    }
    return false;
}

// --- cycles --------------------------------------------------------------------------------------

#define OF_ACQUIRES (BIT(DRIVER_NOT_HELD) | BIT(DRIVER_UNKNOWN))
#define OF_RELEASES                                                                                \
    (BIT(DRIVER_RELEASED) | BIT(DRIVER_NOT_OWNER) | BIT(DRIVER_GONE) | BIT(DRIVER_UNKNOWN))

// Reads one row, and moves *at_ns to its end. False if it breaks a rule.
static bool take_cycle(const json_t *row, int64_t *at_ns, struct driver_cycle *cycle)
{
    int64_t numbers[5];
    size_t count = 0;
    for (; count < 5 && json_is_integer(json_array_get(row, count)); count++) {
        numbers[count] = json_integer_value(json_array_get(row, count));
        if (numbers[count] < 0 || numbers[count] > 24 * 3600 * NS_PER_S)
            return false;
    }
    const json_t *word = json_array_get(row, count);
    if (count < 2 || json_array_size(row) != count + (word != NULL))
        return false;
    cycle->acquire_ns = cycle->asked_ns = *at_ns + numbers[0];
    cycle->acquired_ns = *at_ns = cycle->acquire_ns + numbers[1];
    if (count == 2)
        return is_word_of(word, OF_ACQUIRES, &cycle->acquired);
    if (count == 3 || (count == 5 && numbers[4] > numbers[1]))
        return false;
    cycle->acquired = DRIVER_HELD;
    cycle->released = DRIVER_RELEASED;
    cycle->is_anchored = count == 5;
    cycle->asked_ns += count == 5 ? numbers[4] : 0;
    cycle->release_ns = cycle->acquired_ns + numbers[2];
    cycle->released_ns = *at_ns = cycle->release_ns + numbers[3];
    return word == NULL || is_word_of(word, OF_RELEASES, &cycle->released);
}

static int take_cycles(const json_t *object, struct driver_line *line, struct error *error)
{
    const json_t *from = json_object_get(object, "from_ns");
    const json_t *rows = json_object_get(object, "cycles");
    int64_t at_ns = json_integer_value(from);
    if (!json_is_integer(from) || at_ns <= 0 || !json_is_array(rows))
        return error_set(error, "\"measured\" must have \"from_ns\", a time on CLOCK_MONOTONIC, "
                                "and \"cycles\", an array");
    size_t count = json_array_size(rows);
    struct driver_cycle *cycles = memory_zeroed(count + 1, sizeof *cycles);
    for (size_t i = 0; i < count; i++) {
        if (take_cycle(json_array_get(rows, i), &at_ns, &cycles[i]))
            continue;
        free(cycles);
        return error_set(error,
                         "cycle %zu must be [gap, acquire, hold, release] in nanoseconds, of a "
                         "lock that was not granted [gap, acquire, \"not-held\"]",
                         i + 1);
    }
    line->from_ns = json_integer_value(from);
    line->to_ns = at_ns;
    line->cycles = cycles;
    line->cycle_count = count;
    return 0;
}

// --- the rules -----------------------------------------------------------------------------------

static int check_lost(const json_t *object, struct driver_line *line, struct error *error)
{
    const json_t *said = json_object_get(object, "reason");
    const char *reason = said != NULL ? json_string_value(said) : lost_reason_name(LOST_NOT_OWNER);
    unsigned i = LOST_NOT_OWNER;
    while (reason != NULL && i <= LOST_SESSION && strcmp(lost_reason_name(i), reason) != 0)
        i++;
    if (reason == NULL || i > LOST_SESSION)
        return error_set(error,
                         "\"reason\" must be one of not-owner, deadline, suspended, session");
    line->reason = (enum lost_reason)i;
    if (line->worker == 0 || line->lock[0] == '\0')
        return error_set(error, "a \"lost\" must say whose lock: \"worker\" and \"lock\"");
    return 0;
}

static int check_answer(const struct driver_line *line, struct error *error)
{
    bool is_grant = (GRANTS & BIT(line->word)) != 0;
    if (line->id == 0)
        return error_set(error, "an answer must have the \"id\" of its request");
    if (line->token != 0 && line->word != DRIVER_HELD)
        return error_set(error, "only \"held\" may have a \"token\"");
    if (!is_grant && (line->valid_ms >= 0 || line->request_ns != 0 || line->valid_until_ns != 0))
        return error_set(error, "only \"held\" and \"renewed\" may have \"valid_ms\", "
                                "\"valid_until_ns\" or \"request_ns\"");
    if ((line->from_ns == 0) != (line->to_ns == 0))
        return error_set(error, "\"from_ns\" and \"to_ns\" must come together");
    if (line->from_ns > line->to_ns)
        return error_set(error, "\"to_ns\" must not be before \"from_ns\"");
    return 0;
}

static int read_object(json_t *object, struct driver_line *line, struct error *error)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return error_set(error, "a line must be one JSON object");
    if (json_object_get(object, "hello") == NULL &&
        !is_word_of(json_object_get(object, "answer"), ~BIT(DRIVER_HELLO), &line->word))
        return error_set(error, "\"answer\" must be one of held, not-held, released, not-owner, "
                                "gone, renewed, unknown, error, lost, measured");
    json_object_foreach(object, key, value)
    {
        if (take_member(key, value, line, error) != 0)
            return -1;
    }
    if (line->word == DRIVER_HELLO)
        return 0;
    if (line->word == DRIVER_LOST)
        return check_lost(object, line, error);
    if (check_answer(line, error) != 0)
        return -1;
    return line->word == DRIVER_MEASURED ? take_cycles(object, line, error) : 0;
}

int driver_line_read(const char *bytes, size_t length, struct driver_line *line,
                     struct error *error)
{
    json_error_t fault;
    struct error rule;
    *line = (struct driver_line){.word = DRIVER_HELLO, .valid_ms = -1};
    json_auto_t *object =
        json_loadb(bytes, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &fault);
    int result = 0;
    if (object == NULL)
        result = error_set(&rule,
                           "a line of its standard output must be one JSON object (what is for "
                           "people goes to its standard error): %s",
                           fault.text);
    else
        result = read_object(object, line, &rule);
    if (result == 0)
        return 0;
    // What the parser says may quote the line itself.
    return error_set(error, "its line '%s' breaks a rule: %s", driver_quote(bytes, length),
                     driver_quote(rule.text, strlen(rule.text)));
}
