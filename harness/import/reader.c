#include "harness/import/reader.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define obstack_chunk_alloc memory_new
#define obstack_chunk_free free

static bool read_form(struct reader *reader, int depth, struct value *value);

// --- problems ------------------------------------------------------------------------------------

void problems_add(struct problems *problems, uint32_t line, const char *format, ...)
{
    char message[1024];
    if (problems_suffice(problems))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_format(&problems->text, "%s:%u: %s\n", problems->file, line, message);
    problems->count++;
}

// Returns false.
static bool complain(struct reader *reader, uint32_t line, const char *what)
{
    problems_add(reader->problems, line, "%s", what);
    return false;
}

// "expected WHAT; found 'x'", or its byte. Returns false.
static bool expect(struct reader *reader, const char *what)
{
    char found = *reader->at;
    problems_add(reader->problems, reader->line,
                 found > ' ' && found < 0x7f ? "expected %s; found '%c'"
                                             : "expected %s; found byte %02x",
                 what, (unsigned char)found);
    return false;
}

// --- characters ----------------------------------------------------------------------------------

enum {
    ENDS_WORD = 1,
    IS_BLANK = 2, // on a line
    MAY_SKIP = 4, // begins what means nothing, or a line
};

#define JSON(classes) ((classes) << 4)
#define BOTH(classes) ((classes) | JSON(classes))

static const unsigned char classes_of[256] = {
    [' '] = BOTH(ENDS_WORD | IS_BLANK),
    ['\t'] = BOTH(ENDS_WORD | IS_BLANK),
    ['\r'] = BOTH(ENDS_WORD | IS_BLANK),
    ['\f'] = ENDS_WORD | IS_BLANK,
    ['\n'] = BOTH(ENDS_WORD | MAY_SKIP),
    [','] = ENDS_WORD | IS_BLANK | JSON(ENDS_WORD),
    [':'] = JSON(ENDS_WORD),
    [';'] = ENDS_WORD | MAY_SKIP,
    ['#'] = MAY_SKIP,
    ['('] = ENDS_WORD,
    [')'] = ENDS_WORD,
    ['['] = BOTH(ENDS_WORD),
    [']'] = BOTH(ENDS_WORD),
    ['{'] = BOTH(ENDS_WORD),
    ['}'] = BOTH(ENDS_WORD),
    ['"'] = BOTH(ENDS_WORD),
    ['\0'] = BOTH(ENDS_WORD), // which no value has
};

// Nearly all time is spent in a few functions, which are made for each format: `is_json` is known
// when they are compiled.
#define HOT static inline __attribute__((always_inline))

HOT bool is(bool is_json, char c, unsigned which)
{
    return (classes_of[(unsigned char)c] & (is_json ? JSON(which) : which)) != 0;
}

static inline bool has(const struct reader *reader)
{
    return reader->at < reader->end;
}

// Takes one byte, and counts lines.
static inline char take(struct reader *reader)
{
    reader->line += *reader->at == '\n';
    return *reader->at++;
}

HOT const char *end_of_word(const struct reader *reader, bool is_json, const char *at)
{
    while (at < reader->end && !is(is_json, *at, ENDS_WORD))
        at++;
    return at;
}

static bool starts_with(const struct reader *reader, const char *what)
{
    size_t length = strlen(what);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, what, length) == 0;
}

// --- values --------------------------------------------------------------------------------------

// glibc's macro counts its alignment from a null pointer.
__attribute__((no_sanitize("pointer-overflow"))) static void *arena_take(struct reader *reader,
                                                                         size_t bytes)
{
    return obstack_alloc(&reader->arena, (int)bytes); // at most VALUE_MOST_BYTES
}

// Good until the next operation. A zeroed value; NULL after a problem: there are VALUE_MOST.
static struct value *new_value(struct reader *reader)
{
    if (reader->value_count++ == VALUE_MOST) {
        complain(reader, reader->line, "an operation of more than a million values");
        return NULL;
    }
    struct value *value = arena_take(reader, sizeof *value);
    *value = (struct value){.line = reader->line};
    return value;
}

struct shown value_show(const struct value *value)
{
    struct shown shown;
    char *text = shown.text;
    const size_t room = sizeof shown.text;
    switch (value->kind) {
    case VALUE_NIL:
        snprintf(text, room, "nil");
        break;
    case VALUE_BOOLEAN:
        snprintf(text, room, "%s", value->integer != 0 ? "true" : "false");
        break;
    case VALUE_INTEGER:
        snprintf(text, room, "%" PRId64, value->integer);
        break;
    case VALUE_LIST:
        snprintf(text, room, "a list");
        break;
    case VALUE_MAP:
        snprintf(text, room, "a map");
        break;
    default:
        snprintf(text, room, "'%.*s'", value->length < 40 ? (int)value->length : 40, value->text);
        break;
    }
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    }
    return shown;
}

// A copy that is good until the next operation.
static char *keep_text(struct reader *reader, const char *bytes, size_t length)
{
    char *text = arena_take(reader, length + 1);
    memcpy(text, bytes, length);
    text[length] = '\0';
    return text;
}

// Takes a string; its text is what is between the quotes.
static bool take_string(struct reader *reader, struct value *string)
{
    const char *from = ++reader->at;
    while (has(reader) && *reader->at != '"') {
        reader->at += *reader->at == '\\';
        if (has(reader))
            take(reader);
    }
    if (!has(reader))
        return complain(reader, string->line, "a string that is not closed: expected '\"'");
    string->kind = VALUE_STRING;
    string->text = from;
    string->length = (size_t)(reader->at++ - from);
    if (string->length > VALUE_MOST_BYTES)
        return complain(reader, string->line, "a string of more than 16 MiB");
    return true;
}

// --- EDN -----------------------------------------------------------------------------------------

// Escapes are only told apart, not resolved, but for those of a quote and a backslash: no lock or
// process is known by them.
static bool read_string(struct reader *reader, struct value *string)
{
    if (!take_string(reader, string))
        return false;
    if (memchr(string->text, '\0', string->length) != NULL)
        return complain(reader, string->line, "a string with a zero byte");
    if (memchr(string->text, '\\', string->length) == NULL)
        return true;
    char *text = keep_text(reader, string->text, string->length);
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

#define DIGITS "0123456789"

// [+-] digits, then N; or a fraction, an exponent, M; or / digits.
static bool is_number(const char *text)
{
    text += *text == '+' || *text == '-';
    size_t digits = strspn(text, DIGITS);
    text += digits;
    if (digits == 0 || strcmp(text, "N") == 0)
        return digits > 0;
    if (*text == '/')
        return text[1] != '\0' && text[1 + strspn(text + 1, DIGITS)] == '\0';
    if (*text == '.')
        text += 1 + strspn(text + 1, DIGITS);
    if (*text == 'e' || *text == 'E') {
        text += 1 + (text[1] == '+' || text[1] == '-');
        digits = strspn(text, DIGITS);
        text += digits;
    }
    text += *text == 'M';
    return digits > 0 && *text == '\0';
}

static bool read_word(struct reader *reader, struct value *value)
{
    const char *from = reader->at;
    // A character may be one that ends words: \( \;
    if (*from == '\\' && reader->end - from > 1) {
        reader->at++;
        take(reader);
    }
    reader->at = end_of_word(reader, false, reader->at);
    value->kind = VALUE_WORD;
    value->text = from;
    value->length = (size_t)(reader->at - from);
    if (value->length == 0)
        return expect(reader, "a value");
    if (value->length > VALUE_MOST_BYTES)
        return complain(reader, value->line, "a word of more than 16 MiB");
    char first = from[(*from == '-' || *from == '+') && value->length > 1];
    if (first >= '0' && first <= '9') {
        const char *text = value->text = keep_text(reader, from, value->length);
        char *end;
        if (!is_number(text)) {
            problems_add(reader->problems, value->line, "'%.40s' is no number", text);
            return false;
        }
        errno = 0;
        value->integer = strtoll(text, &end, 10);
        value->kind = (*end == '\0' || *end == 'N') && errno == 0 ? VALUE_INTEGER : VALUE_NUMBER;
    } else if (*from == ':' && value->length > 1) {
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

// --- JSON ----------------------------------------------------------------------------------------

// What is no plain string or number, as jansson reads it.
static bool read_token(struct reader *reader, struct value *value)
{
    json_error_t error;
    const char *from = reader->at;
    if (*from != '"')
        reader->at = end_of_word(reader, true, from);
    else if (!take_string(reader, value))
        return false;
    if (reader->at == from)
        return expect(reader, "a value");
    json_auto_t *json = json_loadb(from, (size_t)(reader->at - from), JSON_DECODE_ANY, &error);
    if (json == NULL) {
        problems_add(reader->problems, value->line, "no JSON: %s", error.text);
        return false;
    }
    const char *text = json_string_value(json);
    value->kind = json_is_string(json)    ? VALUE_STRING
                  : json_is_integer(json) ? VALUE_INTEGER
                  : json_is_real(json)    ? VALUE_NUMBER
                  : json_is_null(json)    ? VALUE_NIL
                                          : VALUE_BOOLEAN;
    value->integer = json_is_integer(json) ? json_integer_value(json) : json_is_true(json);
    value->length = text != NULL ? strlen(text) : (size_t)(reader->at - from);
    value->text = keep_text(reader, text != NULL ? text : from, value->length);
    return true;
}

// --- what most values are ------------------------------------------------------------------------

// Of eight bytes, the first in the lowest, how many are of a range of ASCII before the first that
// is not. With that one, and with none before it, either sum has the highest bit.
HOT unsigned count_of(uint64_t bytes, unsigned char first, unsigned char last)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t others = ((bytes + each * (0x7fU - last)) | (bytes - each * first)) & each << 7;
    return others == 0 ? 8 : (unsigned)__builtin_ctzll(others) / 8;
}

// The next eight bytes, with zeros behind the end.
HOT uint64_t next_eight(const char *at, const char *end)
{
    uint64_t bytes = 0;
    if (end - at >= (ptrdiff_t)sizeof bytes)
        memcpy(&bytes, at, sizeof bytes);
    else
        memcpy(&bytes, at, (size_t)(end - at));
    return le64toh(bytes);
}

// The number that so many of them are, from 1 to 8: digits become pairs, fours, eights.
HOT uint64_t number_of(uint64_t bytes, unsigned count)
{
    bytes = bytes << (64 - 8 * count) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    bytes = bytes * (10 << 8 | 1) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
    bytes = bytes * (100 << 16 | 1) >> 16 & UINT64_C(0x0000ffff0000ffff);
    return bytes * (UINT64_C(10000) << 32 | 1) >> 32;
}

// Takes an integer of at most 18 digits, which cannot overflow. Returns what follows it; NULL if
// there is none.
HOT const char *take_integer(const char *at, const char *end, struct value *value)
{
    static const uint64_t powers[] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    const char *from = at;
    bool negative = *at == '-';
    const char *digits = at += negative;
    uint64_t number = 0, bytes;
    for (unsigned count = 8; count == 8 && at < end; at += count) {
        bytes = next_eight(at, end);
        count = count_of(bytes, '0', '9');
        if (count > 0)
            number = number * powers[count] + number_of(bytes, count);
    }
    if (at == digits || at - digits > 18)
        return NULL;
    value->kind = VALUE_INTEGER;
    value->integer = negative ? -(int64_t)number : (int64_t)number;
    value->text = from;
    value->length = (size_t)(at - from);
    return at;
}

// A keyword, a string of ASCII without escapes, a short integer, or nil. Returns what follows it;
// NULL of any other.
HOT const char *take_plain(const struct reader *reader, bool is_json, const char *at,
                           struct value *value)
{
    const char *end = reader->end;
    const char *behind = NULL;
    value->line = reader->line;
    if (*at == '"') {
        behind = at + 1 + count_of(next_eight(at + 1, end), 'a', 'z');
        for (; behind < end && (unsigned char)(*behind - ' ') < 0x5f && *behind != '"' &&
               *behind != '\\'; // the printable are neighbours
             behind++)
            continue;
        value->kind = VALUE_STRING;
        value->text = at + 1;
        value->length = (size_t)(behind - at - 1);
        if (behind == end || *behind++ != '"' || value->length > VALUE_MOST_BYTES)
            return NULL;
    } else if (*at == ':' && !is_json) {
        behind = at + 1 + count_of(next_eight(at + 1, end), 'a', 'z');
        behind = end_of_word(reader, false, behind);
        value->kind = VALUE_WORD;
        value->text = at + 1;
        value->length = (size_t)(behind - at - 1);
        if (value->length == 0 || value->length > VALUE_MOST_BYTES)
            return NULL;
    } else if ((*at >= '0' && *at <= '9') || *at == '-') {
        behind = take_integer(at, end, value);
        if (behind != NULL && is_json && at[*at == '-'] == '0' && value->length > 1)
            return NULL;
    } else if (*at == 'n' && end - at > 4) {
        value->kind = VALUE_NIL;
        behind = !is_json && memcmp(at, "nil", 3) == 0   ? at + 3
                 : is_json && memcmp(at, "null", 4) == 0 ? at + 4
                                                         : NULL;
    }
    return behind != NULL && behind < end && is(is_json, *behind, ENDS_WORD) ? behind : NULL;
}

// --- what means nothing --------------------------------------------------------------------------

static bool read_next(struct reader *reader, int depth, struct value *value);

static bool skip_lines(struct reader *reader, int depth)
{
    struct value ignored;
    while (has(reader)) {
        bool may_skip = is(reader->is_json, *reader->at, MAY_SKIP);
        if (is(reader->is_json, *reader->at, IS_BLANK) || *reader->at == '\n') {
            take(reader);
        } else if (may_skip && (*reader->at == ';' || starts_with(reader, "#!"))) {
            const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
            reader->at = end != NULL ? end : reader->end;
        } else if (may_skip && starts_with(reader, "#_")) {
            reader->at += 2;
            if (!read_next(reader, depth + 1, &ignored))
                return false;
        } else {
            return true;
        }
    }
    return true;
}

HOT const char *skip_spaces(const struct reader *reader, bool is_json, const char *at)
{
    while (at < reader->end && is(is_json, *at, IS_BLANK))
        at++;
    return at;
}

// White space; of EDN also commas, comments, and forms that `#_` throws away.
HOT bool skip_blanks(struct reader *reader, bool is_json, int depth)
{
    const char *at = skip_spaces(reader, is_json, reader->at);
    for (; at < reader->end && *at == '\n'; reader->line++)
        at = skip_spaces(reader, is_json, at + 1);
    reader->at = at;
    return at == reader->end || !is(is_json, *at, MAY_SKIP) || skip_lines(reader, depth);
}

// `#jepsen.history.Op`, `#inst`, `#object`: what follows is taken for itself.
static void skip_tag(struct reader *reader)
{
    reader->at = end_of_word(reader, false, reader->at + 1);
}

// --- forms ---------------------------------------------------------------------------------------

static bool is_too_deep(struct reader *reader, int depth)
{
    return depth > VALUE_MOST_NESTED &&
           !complain(reader, reader->line, "nested more than 100 deep");
}

// The form behind blanks.
static bool read_next(struct reader *reader, int depth, struct value *value)
{
    // First of all: what is thrown away nests as well.
    if (is_too_deep(reader, depth) || !skip_blanks(reader, reader->is_json, depth))
        return false;
    if (!has(reader))
        return complain(reader, reader->line, "the file ends where a value is expected");
    return read_form(reader, depth, value);
}

// 1 if there is one more form before what closes the list that a line opens; 0 behind that; -1
// after a problem. JSON has `before` in front of it, unless that is 0.
HOT int find_item(struct reader *reader, bool is_json, char before, char close, uint32_t line,
                  int depth)
{
    bool is_wanted = is_json && before != '\0';
    bool is_there = is_wanted && has(reader) && *reader->at == before; // nearly always at once
    if (!is_there && !skip_blanks(reader, is_json, depth))
        return -1;
    if (is_wanted && !is_there && has(reader) && *reader->at != close) {
        is_there = *reader->at == before;
        if (!is_there)
            return expect(reader, before == ':' ? "':'" : "','") ? 0 : -1;
    }
    if (is_there) {
        reader->at++;
        skip_blanks(reader, is_json, depth);
    }
    if (has(reader)) {
        bool is_closed = *reader->at == close && !is_there;
        reader->at += is_closed;
        return !is_closed;
    }
    problems_add(reader->problems, reader->line,
                 "the file ends inside of what line %u opens; expected '%c'", line, close);
    return -1;
}

#define HALF_MAP "a map with a key that has no value"

HOT bool read_item(struct reader *reader, bool is_json, bool is_key, int depth, struct value *value)
{
    if (is_key && is_json && *reader->at != '"')
        return expect(reader, "a key, a string");
    const char *behind = take_plain(reader, is_json, reader->at, value);
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
    for (char before = '\0';
         (found = find_item(reader, reader->is_json, before, close, list->line, depth)) > 0;
         count++) {
        bool is_key = kind == VALUE_MAP && count % 2 == 0;
        struct value *item = new_value(reader);
        if (item == NULL || !read_item(reader, reader->is_json, is_key, depth + 1, item))
            return false;
        *end = item;
        end = &item->next;
        before = is_key ? ':' : ',';
    }
    if (found == 0 && kind == VALUE_MAP && count % 2 != 0)
        return complain(reader, list->line, HALF_MAP);
    return found == 0;
}

static bool read_form(struct reader *reader, int depth, struct value *value)
{
    *value = (struct value){.line = reader->line};
    if (*reader->at == '{')
        return read_items(reader, VALUE_MAP, '}', depth, value);
    if (*reader->at == '[')
        return read_items(reader, VALUE_LIST, ']', depth, value);
    if (reader->is_json)
        return read_token(reader, value);
    switch (*reader->at) {
    case '(':
        return read_items(reader, VALUE_LIST, ')', depth, value);
    case '#':
        if (starts_with(reader, "#{") || starts_with(reader, "#\"") || starts_with(reader, "##")) {
            reader->at++;
            return *reader->at == '{'   ? read_items(reader, VALUE_LIST, '}', depth, value)
                   : *reader->at == '"' ? read_string(reader, value) // a pattern
                                        : read_word(reader, value);  // ##Inf, ##NaN
        }
        skip_tag(reader);
        return read_next(reader, depth + 1, value);
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

static const char *const keys[FIELDS] = {"process", "type", "f", "value", "time", "index", "error"};

// At the value of a key that the operations before had in that place; NULL: it is another.
HOT const char *take_known_key(const struct reader *reader, bool is_json, size_t place,
                               enum field *field)
{
    const struct known_key *key = &reader->keys[place % KNOWN_KEYS];
    uint64_t bytes[2];
    if (key->length == 0 || reader->end - reader->at <= (ptrdiff_t)sizeof bytes)
        return NULL;
    memcpy(bytes, reader->at, sizeof bytes);
    const char *at = reader->at + key->length;
    if (((bytes[0] ^ key->bytes[0]) & key->mask[0]) != 0 ||
        ((bytes[1] ^ key->bytes[1]) & key->mask[1]) != 0 || is(is_json, *at, IS_BLANK | MAY_SKIP))
        return NULL;
    *field = key->field;
    return at;
}

// Takes what is in front of a value: 1; 0 at the end of the map that a line opens; -1 after a
// problem. FIELDS of a key that means nothing here.
static int read_key(struct reader *reader, size_t place, uint32_t opened, enum field *field)
{
    const char *from = reader->at;
    uint32_t line = reader->line;
    struct value key;
    int found = find_item(reader, reader->is_json, place > 0 ? ',' : '\0', '}', opened, 0);
    if (found <= 0)
        return found;
    if (!read_item(reader, reader->is_json, true, 1, &key))
        return -1;
    found = find_item(reader, reader->is_json, ':', '}', opened, 0);
    if (found == 0)
        complain(reader, opened, HALF_MAP);
    if (found <= 0)
        return -1;
    for (*field = 0; *field < FIELDS && !value_is(&key, keys[*field]);)
        ++*field;
    struct known_key known = {.length = (size_t)(reader->at - from), .field = *field};
    // A key that ends where another goes on is no key known by its bytes.
    if (known.length <= sizeof known.bytes && reader->line == line &&
        is(reader->is_json, reader->at[-1], ENDS_WORD)) {
        memcpy(known.bytes, from, known.length);
        memset(known.mask, 0xff, known.length);
        reader->keys[place % KNOWN_KEYS] = known;
    }
    return 1;
}

HOT bool read_operation(struct reader *reader, bool is_json, struct entry_fields *fields)
{
    unsigned seen = 0; // a bit for each field
    *fields = (struct entry_fields){.line = reader->line};
    reader->at++;
    for (size_t place = 0;; place++) {
        enum field field;
        const char *at = take_known_key(reader, is_json, place, &field);
        if (at == NULL) {
            int found = read_key(reader, place, fields->line, &field);
            if (found <= 0)
                return found == 0;
            at = reader->at;
        }
        reader->at = at;
        struct value *value = &reader->values[field];
        if (!read_item(reader, is_json, false, 1, value))
            return false;
        if (field != FIELDS && (seen & 1U << field) != 0)
            problems_add(reader->problems, value->line, "the key %s is there twice", keys[field]);
        seen |= 1U << field;
        fields->of[field] = value->kind == VALUE_NIL ? NULL : value;
    }
}

void reader_start(struct reader *reader, enum import_format format, const char *bytes,
                  size_t length, struct problems *problems)
{
    if (length == 0) // nothing may be added to NULL
        bytes = "";
    *reader = (struct reader){.at = bytes,
                              .end = bytes + length,
                              .line = 1,
                              .is_json = format == IMPORT_JSON,
                              .problems = problems};
    obstack_init(&reader->arena);
    reader->arena_start = arena_take(reader, 0);
}

void reader_stop(struct reader *reader)
{
    obstack_free(&reader->arena, NULL);
}

static void skip_line(struct reader *reader)
{
    while (has(reader) && take(reader) != '\n')
        continue;
}

// Goes on at the next line that may begin a map.
static enum map_reading skip_map(struct reader *reader)
{
    for (skip_line(reader); has(reader); skip_line(reader)) {
        while (has(reader) && (*reader->at == ' ' || *reader->at == '\t'))
            reader->at++;
        if (has(reader) && (*reader->at == '{' || *reader->at == '#'))
            break;
    }
    return READING_BAD;
}

// At a character that is no map's: of a list of them, or wrong. False if it is wrong.
static bool pass_mark(struct reader *reader, bool *is_tagged)
{
    char mark = *reader->at;
    if (mark == '#' && !reader->is_json) {
        skip_tag(reader);
        *is_tagged = true;
        return true;
    }
    if ((mark == '[' || (mark == '(' && !reader->is_json)) && reader->list_line == 0) {
        reader->list_line = reader->line;
        reader->list_end = mark == '[' ? ']' : ')';
    } else if (reader->list_line != 0 && mark == reader->list_end) {
        reader->list_line = 0;
    } else if (mark != ',' || !reader->is_json) {
        return expect(reader, reader->is_json
                                  ? "an operation, {\"process\": 0, \"type\": \"invoke\", \"f\": "
                                    "\"acquire\", ...}"
                                  : "an operation, {:process 0, :type :invoke, :f :acquire, ...}");
    }
    reader->at++;
    return true;
}

static enum map_reading read_end(struct reader *reader, bool is_tagged)
{
    if (is_tagged)
        complain(reader, reader->line, "the file ends behind a tag");
    if (reader->list_line == 0)
        return is_tagged ? READING_BAD : READING_END;
    problems_add(reader->problems, reader->line,
                 "the file ends inside of the list that line %u opens; expected '%c'",
                 reader->list_line, reader->list_end);
    reader->list_line = 0;
    return READING_BAD;
}

enum map_reading reader_next(struct reader *reader, struct entry_fields *fields)
{
    size_t problem_count = reader->problems->count;
    bool is_tagged = false;
    obstack_free(&reader->arena, reader->arena_start);
    reader->value_count = 0;
    while (skip_blanks(reader, reader->is_json, 0)) {
        const char *at = reader->at;
        uint32_t line = reader->line;
        if (!has(reader))
            return read_end(reader, is_tagged);
        if (*at != '{') {
            if (!pass_mark(reader, &is_tagged))
                break;
        } else if (reader->is_json ? read_operation(reader, true, fields)
                                   : read_operation(reader, false, fields)) {
            return reader->problems->count > problem_count ? READING_BAD : READING_MAP;
        } else {
            // What was opened and not closed may have taken the rest of the file.
            reader->at = at;
            reader->line = line;
            break;
        }
    }
    return skip_map(reader);
}
