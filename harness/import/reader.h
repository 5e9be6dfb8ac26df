// Reads another tool's history one operation's map after the other, from memory: the fields that
// mean something, with values as EDN and JSON have them, and what is wrong with them.
#ifndef LOCKPICK_IMPORT_READER_H
#define LOCKPICK_IMPORT_READER_H

#include "harness/import/import.h"

#include <obstack.h>
#include <string.h>

// --- values --------------------------------------------------------------------------------------

// So that no input takes the stack or the memory: of one operation.
#define VALUE_MOST_NESTED 100
#define VALUE_MOST 1000000
#define VALUE_MOST_BYTES ((size_t)16 << 20)

enum value_kind {
    VALUE_NIL,
    VALUE_BOOLEAN,
    VALUE_INTEGER,
    VALUE_NUMBER, // any other: too large for 64 bits, a ratio, with a point
    VALUE_STRING,
    VALUE_WORD, // a keyword (without its colon), a symbol, a character
    VALUE_LIST, // also a vector or a set
    VALUE_MAP,  // its keys and values, in turn
};

struct value {
    enum value_kind kind;
    uint32_t line;
    int64_t integer;           // also of a boolean: 0 or 1
    const char *text;          // of a number, string or word; no NUL need follow
    size_t length;             // of the text
    const struct value *first; // of a list or map
    const struct value *next;  // in the list or map that it is in
};

// True if it is this word or string.
static inline bool value_is(const struct value *value, const char *text)
{
    bool is_text = value->kind == VALUE_WORD || value->kind == VALUE_STRING;
    return is_text && value->length > 0 && *value->text == *text && value->length == strlen(text) &&
           memcmp(value->text, text, value->length) == 0;
}

// The value, short and on one line.
struct shown value_show(const struct value *value);

// --- operations ----------------------------------------------------------------------------------

enum field {
    FIELD_PROCESS,
    FIELD_TYPE,
    FIELD_F,
    FIELD_VALUE,
    FIELD_TIME,
    FIELD_INDEX,
    FIELD_ERROR,
    FIELDS
};

// The parts of a map that mean something; each is NULL if it is not there, or nil.
struct entry_fields {
    const struct value *of[FIELDS + 1]; // the last one of any other, and idle
    uint32_t line;
};

// Nearly all operations have the same keys in the same order. One that is as short as that is
// known again by its bytes.
#define KNOWN_KEYS 16
struct known_key {
    uint64_t bytes, mask;
    size_t length; // 0: none is known
    enum field field;
};

struct reader {
    const char *at, *end; // what is left
    uint32_t line;        // of `at`, from 1
    uint32_t list_line;   // where the list began that all is in; 0: there is none
    char list_end;        // what ends it
    const struct syntax *syntax;
    struct problems *problems;
    struct value values[FIELDS + 1];   // of the last operation's fields
    struct known_key keys[KNOWN_KEYS]; // of the operations before, by their place
    struct obstack arena;              // holds all else of the last operation
    void *arena_start;
    size_t value_count; // in the arena
};

enum map_reading { READING_MAP, READING_BAD, READING_END };

// Begins with the first of the bytes, which must stay until reader_stop.
void reader_start(struct reader *reader, enum import_format format, const char *bytes,
                  size_t length, struct problems *problems);
void reader_stop(struct reader *reader);

// Reads the next map: of a file of maps, or of one list of maps. READING_MAP with its fields (good
// until the next call); READING_BAD after telling a problem: the rest may be read on; or
// READING_END. A key that is there twice is a problem.
enum map_reading reader_next(struct reader *reader, struct entry_fields *fields);

// --- for the two formats -------------------------------------------------------------------------

struct syntax {
    const char *lists; // what opens a list of operations, and what ends it: "[]()"
    bool has_tags;     // #jepsen.history.Op
    const char *example;
    // To what means something. False after a problem.
    bool (*skip_blanks)(struct reader *reader, int depth);
    // Reads the map that begins there. False after a problem.
    bool (*read_operation)(struct reader *reader, struct entry_fields *fields);
};

// EDN as Clojure prints it: tags and metadata are passed over, sets are lists.
// https://github.com/edn-format/edn
extern const struct syntax edn_syntax;
// JSON, RFC 8259: one object a line, or over any number of lines, with or without a list.
extern const struct syntax json_syntax;

// Reads what most operations of JSON are, from their brace on, without jansson. False, with the
// reader where it was, of anything unusual or wrong. Whatever this takes jansson would take, and to
// the same fields.
bool json_read_quickly(struct reader *reader, struct entry_fields *fields);
bool json_read_slowly(struct reader *reader, struct entry_fields *fields);

// Tells a problem; returns false.
bool reader_complain(struct reader *reader, uint32_t line, const char *what);

// Good until the next operation. A value is zeroed; NULL after a problem: there are VALUE_MOST.
struct value *reader_value(struct reader *reader, uint32_t line);
char *reader_text(struct reader *reader, const char *bytes, size_t length);

// Passes over the bytes up to what does not belong to a tag.
void edn_skip_tag(struct reader *reader);

// FIELDS of a key that means nothing here.
enum field field_of(const char *key, size_t length);

// Tells that the key of a field is there twice.
void fields_complain_of_key(struct reader *reader, uint32_t line, enum field field);

// Puts in the value of a field (values[field]), which was read. `*seen` has a bit for each.
static inline void fields_put(struct reader *reader, struct entry_fields *fields, enum field field,
                              uint32_t key_line, unsigned *seen)
{
    const struct value *value = &reader->values[field];
    if (field != FIELDS && (*seen & 1U << field) != 0)
        fields_complain_of_key(reader, key_line, field);
    *seen |= 1U << field;
    fields->of[field] = value->kind == VALUE_NIL ? NULL : value;
}

// What the key in that place was in the operations before, if it is the same again; NULL. What
// follows its bytes is for the caller to look at.
static inline const struct known_key *recall_key(const struct reader *reader, size_t place,
                                                 const char *at)
{
    uint64_t bytes;
    const struct known_key *key = &reader->keys[place % KNOWN_KEYS];
    if (key->length == 0 || (size_t)(reader->end - at) <= sizeof bytes)
        return NULL;
    memcpy(&bytes, at, sizeof bytes);
    return (bytes & key->mask) == key->bytes ? key : NULL;
}

static inline void remember_key(struct reader *reader, size_t place, const char *at, size_t length,
                                enum field field)
{
    struct known_key key = {.length = length, .field = field};
    if (length > sizeof key.bytes)
        return;
    memcpy(&key.bytes, at, length);
    memset(&key.mask, 0xff, length);
    reader->keys[place % KNOWN_KEYS] = key;
}

static inline bool reader_has(const struct reader *reader)
{
    return reader->at < reader->end;
}

// Takes one byte, and counts lines.
static inline char reader_take(struct reader *reader)
{
    reader->line += *reader->at == '\n';
    return *reader->at++;
}

// Takes an integer of at most 18 digits, which cannot overflow. Returns what follows it; NULL if
// there is none.
static inline const char *take_integer(const char *at, const char *end, struct value *value)
{
    const char *from = at;
    bool negative = *at == '-';
    const char *digits = at += negative;
    int64_t number = 0;
    for (; at < end && (unsigned char)(*at - '0') < 10; at++)
        number = (int64_t)((uint64_t)number * 10 + (uint64_t)(*at - '0'));
    if (at == digits || at - digits > 18)
        return NULL;
    value->kind = VALUE_INTEGER;
    value->integer = negative ? -number : number;
    value->text = from;
    value->length = (size_t)(at - from);
    return at;
}

#endif
