#include "harness/import/reader.h"

#include "harness/base/text.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)

struct arena_block {
    struct arena_block *next; // that was there before
    size_t bytes;
    alignas(max_align_t) char room[];
};

static void free_blocks(struct arena_block *block)
{
    while (block != NULL) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
}

// Keeps the first block, which suffices for nearly every operation.
void arena_clear(struct arena *arena)
{
    while (arena->block != NULL && arena->block->next != NULL) {
        struct arena_block *next = arena->block->next;
        free(arena->block);
        arena->block = next;
    }
    arena->used = 0;
    arena->values = 0;
}

void arena_free(struct arena *arena)
{
    free_blocks(arena->block);
    *arena = (struct arena){0};
}

void *arena_take(struct arena *arena, size_t bytes)
{
    const size_t unit = alignof(max_align_t);
    bytes = (bytes + unit - 1) / unit * unit;
    if (arena->block == NULL || arena->block->bytes - arena->used < bytes) {
        size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        struct arena_block *block = memory_new(sizeof *block + room);
        block->next = arena->block;
        block->bytes = room;
        arena->block = block;
        arena->used = 0;
    }
    void *taken = arena->block->room + arena->used;
    arena->used += bytes;
    return taken;
}

struct value *arena_value(struct arena *arena, enum value_kind kind, uint32_t line)
{
    if (arena->values == VALUE_MOST)
        return NULL;
    arena->values++;
    struct value *value = arena_take(arena, sizeof *value);
    *value = (struct value){.kind = kind, .line = line};
    return value;
}

char *arena_text(struct arena *arena, const char *bytes, size_t length)
{
    char *text = arena_take(arena, length + 1);
    memcpy(text, bytes, length);
    text[length] = '\0';
    return text;
}

const char *value_show(const struct value *value, char *text, size_t room)
{
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
    return text;
}

// --- reading -------------------------------------------------------------------------------------

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

void reader_start(struct reader *reader, const char *bytes, size_t length,
                  struct problems *problems)
{
    *reader = (struct reader){.at = bytes, .end = bytes + length, .line = 1, .problems = problems};
}

void reader_stop(struct reader *reader)
{
    arena_free(&reader->arena);
}

static void skip_line(struct reader *reader)
{
    while (reader_has(reader) && reader_take(reader) != '\n')
        continue;
}

void reader_skip_map(struct reader *reader)
{
    for (skip_line(reader); reader_has(reader); skip_line(reader)) {
        while (reader_has(reader) && (*reader->at == ' ' || *reader->at == '\t'))
            reader->at++;
        if (reader_has(reader) && (*reader->at == '{' || *reader->at == '#'))
            return;
    }
}
