// Reads another tool's history one operation's map after the other, from memory: the values as EDN
// and JSON have them, an arena that holds those of one operation, and what is wrong with them.
#ifndef LOCKPICK_IMPORT_READER_H
#define LOCKPICK_IMPORT_READER_H

#include "harness/import/problems.h"

#include <stdbool.h>
#include <stddef.h>
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

// Zero-initialise; free with arena_free.
struct arena {
    struct arena_block *block;
    size_t used;   // of the block
    size_t values; // since it was cleared
};

// Forgets all that was taken.
void arena_clear(struct arena *arena);
void arena_free(struct arena *arena);

// Good until the arena is cleared. A value is zeroed; NULL if there were VALUE_MOST already.
void *arena_take(struct arena *arena, size_t bytes);
struct value *arena_value(struct arena *arena, enum value_kind kind, uint32_t line);
char *arena_text(struct arena *arena, const char *bytes, size_t length);

// True if it is this word or string.
static inline bool value_is(const struct value *value, const char *text)
{
    bool is_text = value->kind == VALUE_WORD || value->kind == VALUE_STRING;
    return is_text && value->length == strlen(text) &&
           memcmp(value->text, text, value->length) == 0;
}

// The value as a message can show it: short and on one line. `room` of 64 suffices.
const char *value_show(const struct value *value, char *text, size_t room);

// --- reading -------------------------------------------------------------------------------------

struct reader {
    const char *at, *end; // what is left
    uint32_t line;        // of `at`, from 1
    uint32_t list_line;   // where the list began that all is in; 0: there is none
    char list_end;        // what ends it
    struct arena arena;   // holds the last map
    struct problems *problems;
};

enum map_reading { READING_MAP, READING_BAD, READING_END };

// Begins with the first of the bytes, which must stay until reader_stop.
void reader_start(struct reader *reader, const char *bytes, size_t length,
                  struct problems *problems);
void reader_stop(struct reader *reader);

// Each reads the next map: of a file of maps, or of one list of maps. READING_MAP with `value`
// (good until the next call); READING_BAD after telling a problem: the rest may be read on; or
// READING_END.
//
// EDN as Clojure prints it: tags and metadata are passed over, sets are lists.
// https://github.com/edn-format/edn
enum map_reading edn_next(struct reader *reader, const struct value **value);
// JSON, RFC 8259: one object a line, or over any number of lines, with or without a list.
enum map_reading json_next(struct reader *reader, const struct value **value);

// Goes on at the next line that may begin a map.
void reader_skip_map(struct reader *reader);

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

#endif
