#include "harness/import/edn_text.h"
#include "harness/import/reader.h"

#include <string.h>

static const struct value *read_form(struct reader *reader, int depth);

// The rest of the file is bound to be wrong where that is.
static const struct value *complain(struct reader *reader, uint32_t line, const char *what)
{
    problems_add(reader->problems, line, "%s", what);
    return NULL;
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
        } else if (edn_is_blank(next)) {
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
    while (reader_has(reader) && !edn_ends_word(*reader->at))
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
        return edn_read_string(reader); // a pattern
    if (starts_with(reader, "#"))
        return edn_read_word(reader); // ##Inf, ##NaN
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
        return edn_read_string(reader);
    default:
        return edn_read_word(reader);
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
                     edn_show_character(mark, found, sizeof found));
        return false;
    }
    reader->at++;
    return true;
}

static enum reading end(struct reader *reader, bool tagged)
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

enum reading edn_next(struct reader *reader, const struct value **value)
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
