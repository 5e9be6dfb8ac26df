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

// Nearly all operations have the same keys in the same order, with the same between them. What is
// short, from behind a value to the next one, is known again by its bytes.
#define KNOWN_KEYS 16
struct known_key {
    uint64_t bytes[2], mask[2];
    size_t length; // 0: none is known
    enum field field;
};

struct reader {
    const char *at, *end; // what is left
    uint32_t line;        // of `at`, from 1
    uint32_t list_line;   // where the list began that all is in; 0: there is none
    char list_end;        // what ends it
    bool is_json;
    struct problems *problems;
    struct value values[FIELDS + 1];   // of the last operation's fields
    struct known_key keys[KNOWN_KEYS]; // of the operations before, by their place
    struct obstack arena;              // holds all else of the last operation
    void *arena_start;
    size_t value_count; // in the arena
};

enum map_reading { READING_MAP, READING_BAD, READING_END };

// Begins with the first of the bytes, which must stay until reader_stop. EDN is as Clojure prints
// it (https://github.com/edn-format/edn): tags and metadata are passed over, sets are lists. JSON
// is RFC 8259: one object a line, or over any number of lines, with or without a list.
void reader_start(struct reader *reader, enum import_format format, const char *bytes,
                  size_t length, struct problems *problems);
void reader_stop(struct reader *reader);

// Reads the next map: of a file of maps, or of one list of maps. READING_MAP with its fields (good
// until the next call); READING_BAD after telling a problem: the rest may be read on; or
// READING_END. A key of these fields that is there twice is a problem.
enum map_reading reader_next(struct reader *reader, struct entry_fields *fields);

#endif
