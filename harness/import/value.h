// What was read of another tool's history: values as EDN and JSON have them, and an arena that
// holds those of one operation.
#ifndef LOCKPICK_IMPORT_VALUE_H
#define LOCKPICK_IMPORT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

#endif
