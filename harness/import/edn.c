#include "harness/import/reader.h"

#include <errno.h>
#include <stdlib.h>

static bool read_form(struct reader *reader, int depth, struct value *value);

// --- characters ----------------------------------------------------------------------------------

enum {
    ENDS_WORD = 1,
    IS_BLANK = 2, // on a line
    MAY_SKIP = 4, // begins what means nothing, or a line
};

static const unsigned char classes[256] = {
    [' '] = ENDS_WORD | IS_BLANK,
    [','] = ENDS_WORD | IS_BLANK,
    ['\t'] = ENDS_WORD | IS_BLANK,
    ['\r'] = ENDS_WORD | IS_BLANK,
    ['\f'] = ENDS_WORD | IS_BLANK,
    ['\n'] = ENDS_WORD | MAY_SKIP,
    [';'] = ENDS_WORD | MAY_SKIP,
    ['#'] = MAY_SKIP,
    ['('] = ENDS_WORD,
    [')'] = ENDS_WORD,
    ['['] = ENDS_WORD,
    [']'] = ENDS_WORD,
    ['{'] = ENDS_WORD,
    ['}'] = ENDS_WORD,
    ['"'] = ENDS_WORD,
    ['\0'] = ENDS_WORD, // which no value has
};

static inline bool is(char c, unsigned which)
{
    return (classes[(unsigned char)c] & which) != 0;
}

static const char *end_of_word(const char *at, const char *end)
{
    while (at < end && !is(*at, ENDS_WORD))
        at++;
    return at;
}

static bool starts_with(const struct reader *reader, const char *what)
{
    size_t length = strlen(what);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, what, length) == 0;
}

// --- strings -------------------------------------------------------------------------------------

// Escapes are only told apart, not resolved, but for those of a quote and a backslash: no lock or
// process is known by them.
static bool read_string(struct reader *reader, struct value *string)
{
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
        return reader_complain(reader, string->line, "a string that is not closed: expected '\"'");
    string->kind = VALUE_STRING;
    string->text = from;
    string->length = (size_t)(reader->at++ - from);
    if (string->length > VALUE_MOST_BYTES)
        return reader_complain(reader, string->line, "a string of more than 16 MiB");
    if (memchr(from, '\0', string->length) != NULL)
        return reader_complain(reader, string->line, "a string with a zero byte");
    if (!escaped)
        return true;
    char *text = reader_text(reader, from, string->length);
    char *to = text;
    string->text = text;
    for (; *text != '\0'; text++) {
        if (*text == '\\' && (text[1] == '"' || text[1] == '\\'))
            text++;
        *to++ = *text;
    }
    string->length = (size_t)(to - string->text);
    return true;
}

// --- numbers and words ---------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t skip_digits(const char *text, size_t at)
{
    while (is_digit(text[at]))
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

static bool convert_number(struct reader *reader, struct value *value)
{
    const char *text = reader_text(reader, value->text, value->length);
    if (!is_number(text)) {
        problems_add(reader->problems, value->line, "'%.40s' is no number", text);
        return false;
    }
    char *end;
    errno = 0;
    value->integer = strtoll(text, &end, 10);
    value->kind = (*end == '\0' || *end == 'N') && errno == 0 ? VALUE_INTEGER : VALUE_NUMBER;
    value->text = text;
    value->length = strlen(text);
    return true;
}

static bool read_word(struct reader *reader, struct value *value)
{
    const char *from = reader->at;
    // A character may be one that ends words: \( \;
    if (*from == '\\' && reader->end - from > 1) {
        reader->at++;
        reader_take(reader);
    }
    reader->at = end_of_word(reader->at, reader->end);
    value->kind = VALUE_WORD;
    value->text = from;
    value->length = (size_t)(reader->at - from);
    if (value->length == 0) {
        problems_add(reader->problems, reader->line,
                     *from > ' ' ? "expected a value; found '%c'"
                                 : "expected a value; found byte %02x",
                     (unsigned char)*from);
        return false;
    }
    if (value->length > VALUE_MOST_BYTES)
        return reader_complain(reader, value->line, "a word of more than 16 MiB");
    bool is_signed = (*from == '-' || *from == '+') && value->length > 1;
    if (is_digit(from[is_signed]))
        return convert_number(reader, value);
    if (*from == ':' && value->length > 1) {
        value->text++;
        value->length--;
    } else if (value_is(value, "nil")) {
        value->kind = VALUE_NIL;
    } else if (value_is(value, "true") || value_is(value, "false")) {
        value->kind = VALUE_BOOLEAN;
        value->integer = *from == 't';
    } else if (strchr("@`~'", *from) != NULL) {
        problems_add(reader->problems, value->line, "'%c' is nothing that EDN has", *from);
        return false;
    }
    return true;
}

// A keyword, a short integer, or nil: what most values are. Returns what follows it; NULL of any
// other.
static inline const char *take_plain(const char *at, const char *end, uint32_t line,
                                     struct value *value)
{
    const char *behind = NULL;
    value->line = line;
    if (*at == ':') {
        behind = end_of_word(at + 1, end);
        value->kind = VALUE_WORD;
        value->text = at + 1;
        value->length = (size_t)(behind - at - 1);
        if (value->length == 0 || value->length > VALUE_MOST_BYTES)
            return NULL;
    } else if (is_digit(*at) || *at == '-') {
        behind = take_integer(at, end, value);
    } else if (end - at > 3 && memcmp(at, "nil", 3) == 0) {
        behind = at + 3;
        value->kind = VALUE_NIL;
    }
    return behind != NULL && behind < end && is(*behind, ENDS_WORD) ? behind : NULL;
}

// --- what means nothing --------------------------------------------------------------------------

static bool read_next(struct reader *reader, int depth, struct value *value);

static bool skip_lines(struct reader *reader, int depth);

static inline const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && is(*at, IS_BLANK))
        at++;
    return at;
}

static bool skip_lines(struct reader *reader, int depth);

// White space, commas, comments, and forms that `#_` throws away.
static inline bool skip_blanks(struct reader *reader, int depth)
{
    const char *at = reader->at = skip_spaces(reader->at, reader->end);
    return at == reader->end || !is(*at, MAY_SKIP) || skip_lines(reader, depth);
}

static bool skip_lines(struct reader *reader, int depth)
{
    struct value ignored;
    while (reader_has(reader)) {
        if (is(*reader->at, IS_BLANK) || *reader->at == '\n') {
            reader_take(reader);
        } else if (*reader->at == ';' || starts_with(reader, "#!")) {
            const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
            reader->at = end != NULL ? end : reader->end;
        } else if (starts_with(reader, "#_")) {
            reader->at += 2;
            if (!read_next(reader, depth + 1, &ignored))
                return false;
        } else {
            return true;
        }
    }
    return true;
}

// `#jepsen.history.Op`, `#inst`, `#object`: what follows is taken for itself.
void edn_skip_tag(struct reader *reader)
{
    reader->at = end_of_word(reader->at + 1, reader->end);
}

// --- forms ---------------------------------------------------------------------------------------

static bool is_too_deep(struct reader *reader, int depth)
{
    return depth > VALUE_MOST_NESTED &&
           !reader_complain(reader, reader->line, "nested more than 100 deep");
}

// The form behind blanks.
static bool read_next(struct reader *reader, int depth, struct value *value)
{
    // First of all: what is thrown away nests as well.
    if (is_too_deep(reader, depth) || !skip_blanks(reader, depth))
        return false;
    if (!reader_has(reader))
        return reader_complain(reader, reader->line, "the file ends where a value is expected");
    return read_form(reader, depth, value);
}

// 1 if there is one more form before what closes the list that a line opens; 0 behind that; -1
// after a problem.
static inline int find_item(struct reader *reader, char close, uint32_t line, int depth)
{
    if (!skip_blanks(reader, depth))
        return -1;
    if (reader_has(reader)) {
        bool is_closed = *reader->at == close;
        reader->at += is_closed;
        return !is_closed;
    }
    problems_add(reader->problems, reader->line,
                 "the file ends inside of what line %u opens; expected '%c'", line, close);
    return -1;
}

#define HALF_MAP "a map with a key that has no value"

// Most values are plain.
static inline bool read_value(struct reader *reader, int depth, struct value *value)
{
    const char *behind = take_plain(reader->at, reader->end, reader->line, value);
    if (behind == NULL)
        return read_form(reader, depth, value);
    reader->at = behind;
    return true;
}

// A list, vector, set or map, at the character that opens it.
static bool read_items(struct reader *reader, enum value_kind kind, char close, int depth,
                       struct value *list)
{
    const struct value **end = &list->first;
    size_t count = 0;
    int found;
    if (is_too_deep(reader, depth))
        return false;
    list->kind = kind;
    reader->at++;
    for (; (found = find_item(reader, close, list->line, depth)) > 0; count++) {
        struct value *item = reader_value(reader, reader->line);
        if (item == NULL || !read_value(reader, depth + 1, item))
            return false;
        *end = item;
        end = &item->next;
    }
    if (found == 0 && kind == VALUE_MAP && count % 2 != 0)
        return reader_complain(reader, list->line, HALF_MAP);
    return found == 0;
}

static bool read_hash(struct reader *reader, int depth, struct value *value)
{
    if (starts_with(reader, "#{") || starts_with(reader, "#\"") || starts_with(reader, "##")) {
        reader->at++;
        return *reader->at == '{'   ? read_items(reader, VALUE_LIST, '}', depth, value)
               : *reader->at == '"' ? read_string(reader, value) // a pattern
                                    : read_word(reader, value);  // ##Inf, ##NaN
    }
    edn_skip_tag(reader);
    return read_next(reader, depth + 1, value);
}

static bool read_form(struct reader *reader, int depth, struct value *value)
{
    *value = (struct value){.line = reader->line};
    switch (*reader->at) {
    case '{':
        return read_items(reader, VALUE_MAP, '}', depth, value);
    case '[':
        return read_items(reader, VALUE_LIST, ']', depth, value);
    case '(':
        return read_items(reader, VALUE_LIST, ')', depth, value);
    case '#':
        return read_hash(reader, depth, value);
    case '^': // metadata, and what has them
        reader->at++;
        return read_next(reader, depth + 1, value) && read_next(reader, depth + 1, value);
    case '"':
        return read_string(reader, value);
    default:
        return read_word(reader, value);
    }
}

// --- operations ----------------------------------------------------------------------------------

// Behind a key that the operations before had in that place, and blanks; NULL: it is another.
static inline const char *take_known_key(const struct reader *reader, size_t place,
                                         enum field *field)
{
    const struct known_key *key = recall_key(reader, place, reader->at);
    if (key == NULL || !is(reader->at[key->length], IS_BLANK))
        return NULL;
    *field = key->field;
    return skip_spaces(reader->at + key->length, reader->end);
}

static bool read_key(struct reader *reader, size_t place, enum field *field)
{
    const char *from = reader->at;
    uint32_t line = reader->line;
    struct value key;
    if (!read_form(reader, 1, &key))
        return false;
    bool is_text = key.kind == VALUE_WORD || key.kind == VALUE_STRING;
    *field = is_text ? field_of(key.text, key.length) : FIELDS;
    if (reader->line == line)
        remember_key(reader, place, from, (size_t)(reader->at - from), *field);
    return true;
}

static bool read_operation(struct reader *reader, struct entry_fields *fields)
{
    unsigned seen = 0;
    int found;
    *fields = (struct entry_fields){.line = reader->line};
    reader->at++;
    for (size_t place = 0; (found = find_item(reader, '}', fields->line, 0)) > 0; place++) {
        uint32_t line = reader->line;
        enum field field;
        const char *at = take_known_key(reader, place, &field);
        if (at != NULL)
            reader->at = at;
        else if (!read_key(reader, place, &field))
            return false;
        found = find_item(reader, '}', fields->line, 0);
        if (found == 0)
            return reader_complain(reader, fields->line, HALF_MAP);
        if (found < 0 || !read_value(reader, 1, &reader->values[field]))
            return false;
        fields_put(reader, fields, field, line, &seen);
    }
    return found == 0;
}

const struct syntax edn_syntax = {
    .lists = "[]()",
    .has_tags = true,
    .example = "{:process 0, :type :invoke, :f :acquire, ...}",
    .skip_blanks = skip_blanks,
    .read_operation = read_operation,
};
