#include "harness/import/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct value *read_form(struct reader *reader, int depth);

// --- what has no parts ---------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == ',' || c == '\t' || c == '\r' || c == '\f';
}

static bool ends_word(char c)
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
        return is_blank(c);
    }
}

static const char *show_character(char c, char *text, size_t room)
{
    if (c > ' ' && c < 0x7f)
        snprintf(text, room, "'%c'", c);
    else
        snprintf(text, room, "byte %02x", (unsigned)(unsigned char)c);
    return text;
}

// The rest of the file is bound to be wrong where that is.
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
static const struct value *read_string(struct reader *reader)
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

static const struct value *read_word(struct reader *reader)
{
    const char *from = reader->at;
    // A character may be one that ends words: \( \;
    if (*reader->at == '\\' && reader->end - reader->at > 1) {
        reader->at++;
        reader_take(reader);
    }
    while (reader_has(reader) && !ends_word(*reader->at))
        reader->at++;
    size_t length = (size_t)(reader->at - from);
    char found[12];
    if (length == 0 || memchr(from, '\0', length) != NULL) {
        problems_add(reader->problems, reader->line, "expected a value; found %s",
                     show_character(length == 0 ? *from : '\0', found, sizeof found));
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

// --- what means nothing --------------------------------------------------------------------------

static bool starts_with(const struct reader *reader, const char *what)
{
    size_t length = strlen(what);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, what, length) == 0;
}

// White space, commas, comments, and forms that `#_` throws away. False after a problem.
static bool skip_blanks(struct reader *reader, int depth)
{
    while (reader_has(reader)) {
        char next = *reader->at;
        if (next == ';' || starts_with(reader, "#!")) {
            while (reader_has(reader) && *reader->at != '\n')
                reader->at++;
        } else if (starts_with(reader, "#_")) {
            reader->at += 2;
            if (read_form(reader, depth + 1) == NULL)
                return false;
        } else if (is_blank(next)) {
            reader_take(reader);
        } else {
            break;
        }
    }
    return true;
}

// `#jepsen.history.Op`, `#inst`, `#object`: what follows is taken for itself.
static void skip_tag(struct reader *reader)
{
    while (reader_has(reader) && !ends_word(*reader->at))
        reader->at++;
}

// --- forms ---------------------------------------------------------------------------------------

static const struct value *out_of_room(struct reader *reader, uint32_t line)
{
    return complain(reader, line, "an operation of more than a million values");
}

// A list, vector, set or map, behind the character that opens it.
static const struct value *read_items(struct reader *reader, enum value_kind kind, char close,
                                      uint32_t line, int depth)
{
    struct value *list = arena_value(&reader->arena, kind, line);
    if (list == NULL)
        return out_of_room(reader, line);
    const struct value **end = &list->first;
    size_t count = 0;
    for (;; count++) {
        if (!skip_blanks(reader, depth))
            return NULL;
        if (!reader_has(reader)) {
            problems_add(reader->problems, reader->line,
                         "the file ends inside of what line %u opens; expected '%c'", line, close);
            return NULL;
        }
        if (*reader->at == close)
            break;
        const struct value *item = read_form(reader, depth + 1);
        if (item == NULL)
            return NULL;
        *end = item;
        // Every value is the arena's, and in one list only.
        end = &((struct value *)(size_t)item)->next;
    }
    reader->at++;
    if (kind == VALUE_MAP && count % 2 != 0)
        return complain(reader, line, "a map with a key that has no value");
    return list;
}

static const struct value *read_hash(struct reader *reader, uint32_t line, int depth)
{
    reader->at++;
    if (starts_with(reader, "{")) {
        reader->at++;
        return read_items(reader, VALUE_LIST, '}', line, depth);
    }
    if (starts_with(reader, "\""))
        return read_string(reader); // a pattern
    if (starts_with(reader, "#"))
        return read_word(reader); // ##Inf, ##NaN
    skip_tag(reader);
    return read_form(reader, depth + 1);
}

static const struct value *read_metadata(struct reader *reader, int depth)
{
    reader->at++;
    if (read_form(reader, depth + 1) == NULL)
        return NULL;
    return read_form(reader, depth + 1);
}

static const struct value *read_form(struct reader *reader, int depth)
{
    // First of all: what is thrown away nests as well.
    if (depth > VALUE_MOST_NESTED)
        return complain(reader, reader->line, "nested more than 100 deep");
    if (!skip_blanks(reader, depth))
        return NULL;
    uint32_t line = reader->line;
    if (!reader_has(reader))
        return complain(reader, line, "the file ends where a value is expected");
    switch (*reader->at) {
    case '{':
        reader->at++;
        return read_items(reader, VALUE_MAP, '}', line, depth);
    case '[':
        reader->at++;
        return read_items(reader, VALUE_LIST, ']', line, depth);
    case '(':
        reader->at++;
        return read_items(reader, VALUE_LIST, ')', line, depth);
    case '#':
        return read_hash(reader, line, depth);
    case '^':
        return read_metadata(reader, depth);
    case '"':
        return read_string(reader);
    default:
        return read_word(reader);
    }
}

// --- maps, one after the other -------------------------------------------------------------------

// At a character that is no map's: of a list of them, or wrong. False if it is wrong.
static bool pass_mark(struct reader *reader, bool *tagged)
{
    char mark = *reader->at;
    if (mark == '#') {
        reader->at++;
        skip_tag(reader);
        *tagged = true;
        return true;
    }
    if ((mark == '[' || mark == '(') && reader->list_line == 0) {
        reader->list_line = reader->line;
        reader->list_end = mark == '[' ? ']' : ')';
    } else if (reader->list_line != 0 && mark == reader->list_end) {
        reader->list_line = 0;
    } else {
        char found[12];
        problems_add(reader->problems, reader->line,
                     "expected an operation, {:process 0, :type :invoke, :f :acquire, ...}; found "
                     "%s",
                     show_character(mark, found, sizeof found));
        return false;
    }
    reader->at++;
    return true;
}

static enum map_reading end(struct reader *reader, bool tagged)
{
    if (tagged)
        problems_add(reader->problems, reader->line, "the file ends behind a tag");
    if (reader->list_line == 0)
        return tagged ? READING_BAD : READING_END;
    problems_add(reader->problems, reader->line,
                 "the file ends inside of the list that line %u opens; expected '%c'",
                 reader->list_line, reader->list_end);
    reader->list_line = 0;
    return READING_BAD;
}

enum map_reading edn_next(struct reader *reader, const struct value **value)
{
    bool tagged = false;
    arena_clear(&reader->arena);
    for (;;) {
        if (!skip_blanks(reader, 0))
            break;
        if (!reader_has(reader))
            return end(reader, tagged);
        if (*reader->at == '{') {
            const struct reader before = *reader;
            *value = read_form(reader, 0);
            if (*value != NULL)
                return READING_MAP;
            // What was opened and not closed may have taken the rest of the file.
            reader->at = before.at;
            reader->line = before.line;
            break;
        }
        if (!pass_mark(reader, &tagged))
            break;
    }
    reader_skip_map(reader);
    return READING_BAD;
}
