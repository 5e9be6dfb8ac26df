#include "harness/wire/driver_line.h"

#include "harness/base/text.h"
#include "harness/wire/driver_cycles.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = {
    "hello",   "held",    "not-held", "released", "not-owner", "gone",
    "renewed", "unknown", "error",    "lost",     "measured",  NULL,
};

const char *driver_word_name(enum driver_word word)
{
    return words[word];
}

const char *driver_quote(const char *bytes, size_t length, struct driver_quote *out)
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

// --- reading one member --------------------------------------------------------------------------

// A whole number of at least `least`; *number stays if there is no such member.
static int take_number(const json_t *object, const char *key, int64_t least, int64_t *number,
                       struct error *error)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL)
        return 0;
    if (!json_is_integer(value) || json_integer_value(value) < least)
        return error_set(error, "\"%s\" must be a whole number of at least %lld", key,
                         (long long)least);
    *number = json_integer_value(value);
    return 0;
}

static int take_string(const json_t *object, const char *key, char *out, size_t room,
                       struct error *error)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL)
        return 0;
    if (!json_is_string(value))
        return error_set(error, "\"%s\" must be a string", key);
    snprintf(out, room, "%s", json_string_value(value));
    return 0;
}

static int take_word(const json_t *object, struct driver_line *line, struct error *error)
{
    const char *answer = json_string_value(json_object_get(object, "answer"));
    for (int i = DRIVER_HELD; answer != NULL && i < DRIVER_WORDS; i++) {
        if (strcmp(words[i], answer) == 0) {
            line->word = (enum driver_word)i;
            return 0;
        }
    }
    return error_set(error, "\"answer\" must be one of held, not-held, released, not-owner, gone, "
                            "renewed, unknown, error, lost, measured");
}

static int take_reason(const json_t *object, struct driver_line *line, struct error *error)
{
    const char *reason = json_string_value(json_object_get(object, "reason"));
    line->reason = LOST_NOT_OWNER;
    if (json_object_get(object, "reason") == NULL)
        return 0;
    for (unsigned i = LOST_NOT_OWNER; reason != NULL && i <= LOST_SESSION; i++) {
        if (strcmp(lost_reason_name(i), reason) == 0) {
            line->reason = (enum lost_reason)i;
            return 0;
        }
    }
    return error_set(error, "\"reason\" must be one of not-owner, deadline, suspended, session");
}

// --- the rules -----------------------------------------------------------------------------------

static int check_keys(json_t *object, const char *const *known, struct error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        struct driver_quote shown;
        if (!text_is_one_of(key, known))
            return error_set(error, "\"%s\" is no member that it may have",
                             driver_quote(key, strlen(key), &shown));
    }
    return 0;
}

static int read_hello(json_t *object, struct driver_line *line, struct error *error)
{
    static const char *const known[] = {"hello", "driver", "measure", NULL};
    const json_t *measure = json_object_get(object, "measure");
    line->word = DRIVER_HELLO;
    line->measures = json_is_true(measure);
    if (measure != NULL && !json_is_boolean(measure))
        return error_set(error, "\"measure\" must be true or false");
    return check_keys(object, known, error) != 0 ||
                   take_string(object, "driver", line->why, sizeof line->why, error) != 0
               ? -1
               : take_number(object, "hello", 1, &line->version, error);
}

static int read_lost(json_t *object, struct driver_line *line, struct error *error)
{
    static const char *const known[] = {"answer", "worker", "lock", "reason", "why", NULL};
    if (check_keys(object, known, error) != 0 || take_reason(object, line, error) != 0 ||
        take_number(object, "worker", 1, &line->worker, error) != 0 ||
        take_string(object, "lock", line->lock, sizeof line->lock, error) != 0)
        return -1;
    if (line->worker == 0 || line->lock[0] == '\0')
        return error_set(error, "a \"lost\" must say whose lock: \"worker\" and \"lock\"");
    return 0;
}

static int read_times(const json_t *object, struct driver_line *line, struct error *error)
{
    bool is_grant = line->word == DRIVER_HELD || line->word == DRIVER_RENEWED;
    if (take_number(object, "valid_ms", 0, &line->valid_ms, error) != 0 ||
        take_number(object, "from_ns", 1, &line->from_ns, error) != 0 ||
        take_number(object, "to_ns", 1, &line->to_ns, error) != 0 ||
        take_number(object, "request_ns", 1, &line->request_ns, error) != 0 ||
        take_number(object, "valid_until_ns", 1, &line->valid_until_ns, error) != 0)
        return -1;
    if (!is_grant && (line->valid_ms >= 0 || line->request_ns != 0 || line->valid_until_ns != 0))
        return error_set(error, "only \"held\" and \"renewed\" may have \"valid_ms\", "
                                "\"valid_until_ns\" or \"request_ns\"");
    if ((line->from_ns == 0) != (line->to_ns == 0))
        return error_set(error, "\"from_ns\" and \"to_ns\" must come together");
    if (line->from_ns > line->to_ns)
        return error_set(error, "\"to_ns\" must not be before \"from_ns\"");
    return 0;
}

static int read_answer(json_t *object, struct driver_line *line, struct error *error)
{
    static const char *const known[] = {"id",      "answer", "token",      "valid_ms",
                                        "from_ns", "to_ns",  "request_ns", "valid_until_ns",
                                        "why",     NULL};
    static const char *const measured[] = {"id", "answer", "from_ns", "cycles", NULL};
    if (check_keys(object, line->word == DRIVER_MEASURED ? measured : known, error) != 0 ||
        take_number(object, "id", 1, &line->id, error) != 0 ||
        take_number(object, "token", 1, &line->token, error) != 0)
        return -1;
    if (line->id == 0)
        return error_set(error, "an answer must have the \"id\" of its request");
    if (line->token != 0 && line->word != DRIVER_HELD)
        return error_set(error, "only \"held\" may have a \"token\"");
    return line->word == DRIVER_MEASURED ? driver_cycles_read(object, line, error)
                                         : read_times(object, line, error);
}

static int read_object(json_t *object, struct driver_line *line, struct error *error)
{
    if (!json_is_object(object))
        return error_set(error, "a line must be one JSON object");
    if (json_object_get(object, "hello") != NULL)
        return read_hello(object, line, error);
    if (take_word(object, line, error) != 0 ||
        take_string(object, "why", line->why, sizeof line->why, error) != 0)
        return -1;
    return line->word == DRIVER_LOST ? read_lost(object, line, error)
                                     : read_answer(object, line, error);
}

int driver_line_read(const char *bytes, size_t length, struct driver_line *line,
                     struct error *error)
{
    json_error_t fault;
    struct driver_quote shown;
    struct error rule;
    *line = (struct driver_line){.valid_ms = -1};
    json_t *object = json_loadb(bytes, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &fault);
    int result = 0;
    if (object == NULL)
        result = error_set(&rule,
                           "a line of its standard output must be one JSON object (what is for "
                           "people goes to its standard error): %s",
                           fault.text);
    else
        result = read_object(object, line, &rule);
    json_decref(object);
    if (result == 0)
        return 0;
    // What the parser says may quote the line itself.
    struct driver_quote said;
    driver_quote(rule.text, strlen(rule.text), &said);
    return error_set(error, "its line '%s' breaks a rule: %s", driver_quote(bytes, length, &shown),
                     said.text);
}
