#include "harness/import/edn_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool edn_is_blank(char c)
{
    return c == ' ' || c == '\n' || c == ',' || c == '\t' || c == '\r' || c == '\f';
}

bool edn_ends_word(char c)
{
    switch (c) {
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
    case '"':
    case ';':
        return true;
    default:
        return edn_is_blank(c);
    }
}

const char *edn_show_character(char c, char *text, size_t room)
{
    if (c > ' ' && c < 0x7f)
        snprintf(text, room, "'%c'", c);
    else
        snprintf(text, room, "byte %02x", (unsigned)(unsigned char)c);
    return text;
}

static const struct value *complain(struct reader *reader, uint32_t line, const char *what)
{
    problems_add(reader->problems, line, "%s", what);
    return NULL;
}

static struct value *new_value(struct reader *reader, enum value_kind kind, uint32_t line)
{
    struct value *value = arena_value(&reader->arena, kind, line);
    if (value == NULL)
        complain(reader, line, "an operation of more than a million values");
    return value;
}

// --- strings -------------------------------------------------------------------------------------

// Escapes are only told apart, not resolved, but for those of a quote and a backslash: no lock or
// process is known by them.
const struct value *edn_read_string(struct reader *reader)
{
    uint32_t line = reader->line;
    const char *from = ++reader->at;
    bool escaped = false;
    while (reader_has(reader) && *reader->at != '"') {
        if (*reader->at == '\\') {
            escaped = true;
            reader->at++;
            if (!reader_has(reader))
                break;
        }
        reader_take(reader);
    }
    if (!reader_has(reader))
        return complain(reader, line, "a string that is not closed: expected '\"'");
    size_t length = (size_t)(reader->at++ - from);
    struct value *string = new_value(reader, VALUE_STRING, line);
    if (length > VALUE_MOST_BYTES)
        return complain(reader, line, "a string of more than 16 MiB");
    if (memchr(from, '\0', length) != NULL)
        return complain(reader, line, "a string with a zero byte");
    if (string == NULL)
        return NULL;
    char *text = arena_text(&reader->arena, from, length);
    string->text = text;
    string->length = length;
    char *to = text;
    for (; escaped && *text != '\0'; text++) {
        if (*text == '\\' && (text[1] == '"' || text[1] == '\\'))
            text++;
        *to++ = *text;
    }
    if (escaped)
        string->length = (size_t)(to - string->text);
    return string;
}

// --- numbers and words ---------------------------------------------------------------------------

static size_t skip_digits(const char *text, size_t at)
{
    while (text[at] >= '0' && text[at] <= '9')
        at++;
    return at;
}

// [+-] digits, then N; or a fraction, an exponent, M; or / digits.
static bool is_number(const char *text)
{
    size_t at = text[0] == '+' || text[0] == '-';
    size_t begin = at;
    at = skip_digits(text, at);
    if (at == begin)
        return false;
    if (text[at] == 'N')
        return text[at + 1] == '\0';
    if (text[at] == '/') {
        begin = at + 1;
        at = skip_digits(text, begin);
        return at > begin && text[at] == '\0';
    }
    if (text[at] == '.')
        at = skip_digits(text, at + 1);
    if (text[at] == 'e' || text[at] == 'E') {
        at += text[at + 1] == '+' || text[at + 1] == '-' ? 2 : 1;
        begin = at;
        at = skip_digits(text, at);
        if (at == begin)
            return false;
    }
    at += text[at] == 'M';
    return text[at] == '\0';
}

static bool looks_like_number(const char *text)
{
    const char *first = text[0] == '+' || text[0] == '-' ? text + 1 : text;
    return *first >= '0' && *first <= '9';
}

static const struct value *take_number(struct reader *reader, struct value *value, const char *text)
{
    if (!is_number(text)) {
        problems_add(reader->problems, value->line, "'%.40s' is no number", text);
        return NULL;
    }
    char *end;
    errno = 0;
    value->integer = strtoll(text, &end, 10);
    bool whole = *end == '\0' || (*end == 'N' && end[1] == '\0');
    value->kind = whole && errno == 0 ? VALUE_INTEGER : VALUE_NUMBER;
    value->text = text;
    value->length = strlen(text);
    return value;
}

static const struct value *take_word(struct value *value, const char *text)
{
    if (strcmp(text, "nil") == 0) {
        value->kind = VALUE_NIL;
    } else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        value->kind = VALUE_BOOLEAN;
        value->integer = text[0] == 't';
    } else {
        value->text = text[0] == ':' && text[1] != '\0' ? text + 1 : text;
        value->length = strlen(value->text);
    }
    return value;
}

const struct value *edn_read_word(struct reader *reader)
{
    const char *from = reader->at;
    // A character may be one that ends words: \( \;
    if (*reader->at == '\\' && reader->end - reader->at > 1) {
        reader->at++;
        reader_take(reader);
    }
    while (reader_has(reader) && !edn_ends_word(*reader->at))
        reader->at++;
    size_t length = (size_t)(reader->at - from);
    char found[12];
    if (length == 0 || memchr(from, '\0', length) != NULL) {
        problems_add(reader->problems, reader->line, "expected a value; found %s",
                     edn_show_character(length == 0 ? *from : '\0', found, sizeof found));
        return NULL;
    }
    if (length > VALUE_MOST_BYTES)
        return complain(reader, reader->line, "a word of more than 16 MiB");
    struct value *value = new_value(reader, VALUE_WORD, reader->line);
    if (value == NULL)
        return NULL;
    const char *text = arena_text(&reader->arena, from, length);
    if (strchr("@`~'", text[0]) != NULL) {
        problems_add(reader->problems, value->line, "'%c' is nothing that EDN has", text[0]);
        return NULL;
    }
    return looks_like_number(text) ? take_number(reader, value, text) : take_word(value, text);
}
