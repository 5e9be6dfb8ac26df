#include "harness/import/reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define obstack_chunk_alloc memory_new
#define obstack_chunk_free free

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

// --- values --------------------------------------------------------------------------------------

bool reader_complain(struct reader *reader, uint32_t line, const char *what)
{
    problems_add(reader->problems, line, "%s", what);
    return false;
}

// glibc's macro counts its alignment from a null pointer.
__attribute__((no_sanitize("pointer-overflow"))) static void *arena_take(struct reader *reader,
                                                                         size_t bytes)
{
    return obstack_alloc(&reader->arena, (int)bytes); // at most VALUE_MOST_BYTES
}

struct value *reader_value(struct reader *reader, uint32_t line)
{
    if (reader->value_count++ == VALUE_MOST) {
        reader_complain(reader, line, "an operation of more than a million values");
        return NULL;
    }
    struct value *value = arena_take(reader, sizeof *value);
    *value = (struct value){.line = line};
    return value;
}

char *reader_text(struct reader *reader, const char *bytes, size_t length)
{
    char *text = arena_take(reader, length + 1);
    memcpy(text, bytes, length);
    text[length] = '\0';
    return text;
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

// --- fields --------------------------------------------------------------------------------------

static const char *const keys[FIELDS] = {"process", "type", "f", "value", "time", "index", "error"};

enum field field_of(const char *key, size_t length)
{
    enum field field = FIELD_PROCESS;
    while (field < FIELDS &&
           (strlen(keys[field]) != length || memcmp(keys[field], key, length) != 0))
        field++;
    return field;
}

void fields_complain_of_key(struct reader *reader, uint32_t line, enum field field)
{
    problems_add(reader->problems, line, "the key %s is there twice", keys[field]);
}

// --- operations, one after the other -------------------------------------------------------------

void reader_start(struct reader *reader, enum import_format format, const char *bytes,
                  size_t length, struct problems *problems)
{
    *reader = (struct reader){.at = bytes,
                              .end = bytes + length,
                              .line = 1,
                              .syntax = format == IMPORT_EDN ? &edn_syntax : &json_syntax,
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
    while (reader_has(reader) && reader_take(reader) != '\n')
        continue;
}

// Goes on at the next line that may begin a map.
static enum map_reading skip_map(struct reader *reader)
{
    for (skip_line(reader); reader_has(reader); skip_line(reader)) {
        while (reader_has(reader) && (*reader->at == ' ' || *reader->at == '\t'))
            reader->at++;
        if (reader_has(reader) && (*reader->at == '{' || *reader->at == '#'))
            break;
    }
    return READING_BAD;
}

// At a character that is no map's: of a list of them, or wrong. False if it is wrong.
static bool pass_mark(struct reader *reader, bool *is_tagged)
{
    const struct syntax *syntax = reader->syntax;
    char mark = *reader->at;
    const char *list = mark != '\0' ? strchr(syntax->lists, mark) : NULL;
    bool opens = list != NULL && (list - syntax->lists) % 2 == 0;
    if (mark == '#' && syntax->has_tags) {
        edn_skip_tag(reader);
        *is_tagged = true;
        return true;
    }
    if (opens && reader->list_line == 0) {
        reader->list_line = reader->line;
        reader->list_end = list[1];
    } else if (reader->list_line != 0 && mark == reader->list_end) {
        reader->list_line = 0;
    } else {
        bool is_shown = mark > ' ' && mark < 0x7f;
        problems_add(reader->problems, reader->line,
                     is_shown ? "expected an operation, %s; found '%c'"
                              : "expected an operation, %s; found byte %02x",
                     syntax->example, (unsigned char)mark);
        return false;
    }
    reader->at++;
    return true;
}

static enum map_reading end(struct reader *reader, bool is_tagged)
{
    if (is_tagged)
        reader_complain(reader, reader->line, "the file ends behind a tag");
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
    const struct syntax *syntax = reader->syntax;
    size_t problem_count = reader->problems->count;
    bool is_tagged = false;
    obstack_free(&reader->arena, reader->arena_start);
    reader->value_count = 0;
    while (syntax->skip_blanks(reader, 0)) {
        const char *at = reader->at;
        uint32_t line = reader->line;
        if (!reader_has(reader))
            return end(reader, is_tagged);
        if (*at != '{') {
            if (!pass_mark(reader, &is_tagged))
                break;
        } else if (syntax->read_operation(reader, fields)) {
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
