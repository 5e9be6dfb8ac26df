#include "harness/import/entry.h"

#include <string.h>

// --- characters ----------------------------------------------------------------------------------

enum {
    IN_WORD = 1,     // of a keyword, and means nothing else anywhere
    ENDS_WORD = 2,   // in EDN
    IS_BLANK = 4,    // on a line, of EDN
    IN_STRING = 8,   // stands for itself, in either format
    ENDS_VALUE = 16, // in JSON
};

static const unsigned char classes[256] = {
    [' '] = ENDS_WORD | IS_BLANK | IN_STRING | ENDS_VALUE,
    ['\t'] = ENDS_WORD | IS_BLANK | ENDS_VALUE,
    ['\r'] = ENDS_WORD | ENDS_VALUE,
    ['\n'] = ENDS_WORD | ENDS_VALUE,
    [','] = ENDS_WORD | IS_BLANK | IN_STRING | ENDS_VALUE,
    ['}'] = ENDS_WORD | IN_STRING | ENDS_VALUE,
    [']'] = ENDS_WORD | IN_STRING | ENDS_VALUE,
    [')'] = ENDS_WORD | IN_STRING,
    ['{'] = ENDS_WORD | IN_STRING,
    ['['] = ENDS_WORD | IN_STRING,
    ['('] = ENDS_WORD | IN_STRING,
    [';'] = ENDS_WORD | IN_STRING,
    ['"'] = ENDS_WORD,
    ['0' ... '9'] = IN_WORD | IN_STRING,
    ['a' ... 'z'] = IN_WORD | IN_STRING,
    ['A' ... 'Z'] = IN_WORD | IN_STRING,
    ['-'] = IN_WORD | IN_STRING,
    ['_'] = IN_WORD | IN_STRING,
    ['.'] = IN_WORD | IN_STRING,
    ['/'] = IN_WORD | IN_STRING,
    ['?'] = IN_WORD | IN_STRING,
    ['!'] = IN_WORD | IN_STRING,
    ['*'] = IN_WORD | IN_STRING,
    ['+'] = IN_WORD | IN_STRING,
    ['#' ... '\''] = IN_STRING,
    [':'] = IN_STRING,
    ['<' ... '>'] = IN_STRING,
    ['@'] = IN_STRING,
    ['^'] = IN_STRING,
    ['`'] = IN_STRING,
    ['|'] = IN_STRING,
    ['~'] = IN_STRING,
};

static inline bool is(char c, unsigned which)
{
    return (classes[(unsigned char)c] & which) != 0;
}

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

// --- values --------------------------------------------------------------------------------------

// Each moves `at` behind what it takes, or returns NULL if that is for the slow way.

static inline const char *take_while(const char *at, const char *end, unsigned which)
{
    while (at < end && is(*at, which))
        at++;
    return at;
}

// At most 18 digits, so that it cannot overflow.
static inline const char *take_integer(const char *at, const char *end, unsigned ends,
                                       struct value *value)
{
    const char *from = at;
    bool negative = *at == '-';
    at += negative;
    const char *digits = at;
    int64_t number = 0;
    for (; at < end && is_digit(*at); at++)
        number = (int64_t)((uint64_t)number * 10 + (uint64_t)(*at - '0'));
    size_t count = (size_t)(at - digits);
    // What begins with a zero, or has a sign before one, the formats see differently.
    if (count == 0 || count > 18 || (*digits == '0' && (count > 1 || negative)) || at == end ||
        !is(*at, ends))
        return NULL;
    value->kind = VALUE_INTEGER;
    value->integer = negative ? -number : number;
    value->text = from;
    value->length = (size_t)(at - from);
    return at;
}

// Behind the quote.
static inline const char *take_string(const char *at, const char *end, struct value *value)
{
    const char *from = at;
    at = take_while(at, end, IN_STRING);
    if (at == end || *at != '"' || at - from > (ptrdiff_t)VALUE_MOST_BYTES)
        return NULL;
    value->kind = VALUE_STRING;
    value->text = from;
    value->length = (size_t)(at - from);
    return at + 1;
}

static const char *take_edn(const char *at, const char *end, struct value *value)
{
    if (at == end)
        return NULL;
    if (*at == '-' || is_digit(*at))
        return take_integer(at, end, ENDS_WORD, value);
    if (*at == '"')
        return take_string(at + 1, end, value);
    const char *from = at + 1;
    if (*at == 'n' && end - at > 3 && memcmp(at, "nil", 3) == 0 && is(at[3], ENDS_WORD)) {
        value->kind = VALUE_NIL;
        return at + 3;
    }
    at = take_while(from, end, IN_WORD);
    if (from[-1] != ':' || at == from || at - from > (ptrdiff_t)VALUE_MOST_BYTES || at == end ||
        !is(*at, ENDS_WORD))
        return NULL;
    value->kind = VALUE_WORD;
    value->text = from;
    value->length = (size_t)(at - from);
    return at;
}

static const char *take_json(const char *at, const char *end, struct value *value)
{
    if (at == end)
        return NULL;
    if (*at == '-' || is_digit(*at))
        return take_integer(at, end, ENDS_VALUE, value);
    if (*at == '"')
        return take_string(at + 1, end, value);
    if (end - at > 4 && memcmp(at, "null", 4) == 0 && is(at[4], ENDS_VALUE)) {
        value->kind = VALUE_NIL;
        return at + 4;
    }
    return NULL;
}

// --- fields --------------------------------------------------------------------------------------

static inline bool begins_with(const char *at, const char *text, size_t length)
{
    return memcmp(at, text, length) == 0;
}

// The field of an EDN key that a space follows, as nearly all are written; FIELDS if it is to be
// looked at more closely. `*behind` is where the key ends.
static inline enum field guess(const char *at, const char *end, const char **behind)
{
    enum field field = FIELDS;
    if (end - at < 10)
        return FIELDS;
    switch (at[1]) {
    case 'f':
        field = begins_with(at, ":f ", 3) ? FIELD_F : FIELDS;
        *behind += field == FIELD_F ? 2 : 0;
        return field;
    case 'p':
        field = begins_with(at, ":process ", 9) ? FIELD_PROCESS : FIELDS;
        *behind += field == FIELD_PROCESS ? 8 : 0;
        return field;
    case 't':
        field = begins_with(at, ":type ", 6)   ? FIELD_TYPE
                : begins_with(at, ":time ", 6) ? FIELD_TIME
                                               : FIELDS;
        *behind += field != FIELDS ? 5 : 0;
        return field;
    case 'i':
        field = begins_with(at, ":index ", 7) ? FIELD_INDEX : FIELDS;
        break;
    case 'v':
        field = begins_with(at, ":value ", 7) ? FIELD_VALUE : FIELDS;
        break;
    case 'e':
        field = begins_with(at, ":error ", 7) ? FIELD_ERROR : FIELDS;
        break;
    default:
        break;
    }
    *behind += field != FIELDS ? 6 : 0;
    return field;
}

// FIELDS of any other.
static enum field field_of(const char *key, size_t length)
{
    switch (length) {
    case 1:
        return *key == 'f' ? FIELD_F : FIELDS;
    case 4:
        return memcmp(key, "type", 4) == 0   ? FIELD_TYPE
               : memcmp(key, "time", 4) == 0 ? FIELD_TIME
                                             : FIELDS;
    case 5:
        return memcmp(key, "value", 5) == 0   ? FIELD_VALUE
               : memcmp(key, "index", 5) == 0 ? FIELD_INDEX
               : memcmp(key, "error", 5) == 0 ? FIELD_ERROR
                                              : FIELDS;
    case 7:
        return memcmp(key, "process", 7) == 0 ? FIELD_PROCESS : FIELDS;
    default:
        return FIELDS;
    }
}

static void begin(const struct reader *reader, struct scanned *scanned)
{
    scanned->fields = (struct entry_fields){.line = reader->line};
}

// Makes a place for the field. NULL if it is there already, or is none that means something.
static struct value *place(struct scanned *scanned, enum field field, unsigned *seen)
{
    if (field == FIELDS || (*seen & 1U << field) != 0)
        return NULL;
    *seen |= 1U << field;
    struct value *value = &scanned->values[field];
    value->line = scanned->fields.line;
    return value;
}

typedef const char *take_value(const char *at, const char *end, struct value *value);

// [NAME VALUE], behind the bracket; `comma`: between the two is a comma, and no other is.
static const char *take_pair(struct scanned *scanned, const char *at, const char *end,
                             take_value *take, bool comma)
{
    struct value *pair = &scanned->values[FIELDS];
    struct value *list = &scanned->values[FIELD_VALUE];
    unsigned blank = comma ? 0 : IS_BLANK;
    for (int i = 0; i < 2; i++) {
        pair[i].line = list->line;
        pair[i].first = pair[i].next = NULL;
        at = take(take_while(at, end, blank), end, &pair[i]);
        if (at == NULL || at == end)
            return NULL;
        if (comma && i == 0) {
            if (*at++ != ',')
                return NULL;
            at += at < end && *at == ' ';
        }
    }
    at = take_while(at, end, blank);
    if (at == end || *at != ']')
        return NULL;
    list->kind = VALUE_LIST;
    list->first = &pair[0];
    pair[0].next = &pair[1];
    return at + 1;
}

static const char *skip_lines(const struct reader *reader, uint32_t *line)
{
    const char *at = reader->at;
    for (; at < reader->end; at++) {
        if (*at == '\n')
            ++*line;
        else if (*at != ' ' && *at != ',' && *at != '\r' && *at != '\t')
            break;
    }
    return at;
}

// --- operations ----------------------------------------------------------------------------------

static const char *scan_edn_map(struct scanned *scanned, const char *at, const char *end)
{
    unsigned seen = 0;
    for (;;) {
        struct value other;
        at = take_while(at, end, IS_BLANK);
        if (at == end || *at == '}')
            return at == end ? NULL : at + 1;
        enum field field = guess(at, end, &at);
        if (field == FIELDS) {
            const char *key = at + 1;
            at = take_while(key, end, IN_WORD);
            if (key[-1] != ':' || at == key || at == end || !is(*at, IS_BLANK))
                return NULL;
            field = field_of(key, (size_t)(at - key));
        }
        // cppcheck-suppress uninitvar
        struct value *value = field == FIELDS ? &other : place(scanned, field, &seen);
        at = take_while(at, end, IS_BLANK);
        if (value == NULL || at == end)
            return NULL;
        at = field == FIELD_VALUE && *at == '[' ? take_pair(scanned, at + 1, end, take_edn, false)
                                                : take_edn(at, end, value);
        if (at == NULL)
            return NULL;
        scanned->fields.of[field] = value->kind == VALUE_NIL ? NULL : value;
    }
}

bool scan_edn(struct reader *reader, struct scanned *scanned)
{
    uint32_t line = reader->line;
    const char *end = reader->end;
    const char *at = skip_lines(reader, &line);
    begin(reader, scanned);
    scanned->fields.line = line;
    if (end - at > 1 && *at == '#' && ((at[1] | 0x20) >= 'a' && (at[1] | 0x20) <= 'z'))
        at = take_while(at + 1, end, IN_WORD);
    if (at == end || *at != '{')
        return false;
    at = scan_edn_map(scanned, at + 1, end);
    if (at == NULL)
        return false;
    reader->at = at;
    reader->line = line;
    return true;
}

static const char *scan_json_map(struct scanned *scanned, const char *at, const char *end)
{
    unsigned seen = 0;
    for (;;) {
        while (at < end && *at == ' ')
            at++;
        struct value key;
        at = at < end && *at == '"' ? take_string(at + 1, end, &key) : NULL;
        if (at == NULL || at == end || *at++ != ':')
            return NULL;
        while (at < end && *at == ' ')
            at++;
        enum field field = field_of(key.text, key.length);
        struct value *value = place(scanned, field, &seen);
        if (value == NULL || at == end)
            return NULL;
        at = field == FIELD_VALUE && *at == '[' ? take_pair(scanned, at + 1, end, take_json, true)
                                                : take_json(at, end, value);
        if (at == NULL)
            return NULL;
        scanned->fields.of[field] = value->kind == VALUE_NIL ? NULL : value;
        while (at < end && *at == ' ')
            at++;
        if (at == end || (*at != ',' && *at != '}'))
            return NULL;
        if (*at++ == '}')
            return at;
    }
}

bool scan_json(struct reader *reader, struct scanned *scanned)
{
    uint32_t line = reader->line;
    const char *at = skip_lines(reader, &line);
    begin(reader, scanned);
    scanned->fields.line = line;
    if (at == reader->end || *at != '{')
        return false;
    const char *from = at;
    at = scan_json_map(scanned, at + 1, reader->end);
    if (at == NULL || at - from > (ptrdiff_t)VALUE_MOST_BYTES)
        return false;
    reader->at = at;
    reader->line = line;
    return true;
}
