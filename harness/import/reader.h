// Reads another tool's history one operation's map after the other, from memory.
#ifndef LOCKPICK_IMPORT_READER_H
#define LOCKPICK_IMPORT_READER_H

#include "harness/import/problems.h"
#include "harness/import/value.h"

struct reader {
    const char *at, *end; // what is left
    uint32_t line;        // of `at`, from 1
    uint32_t list_line;   // where the list began that all is in; 0: there is none
    char list_end;        // what ends it
    struct arena arena;   // holds the last map
    struct problems *problems;
};

enum reading { READING_MAP, READING_BAD, READING_END };

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
enum reading edn_next(struct reader *reader, const struct value **value);
// JSON, RFC 8259: one object a line, or over any number of lines, with or without a list.
enum reading json_next(struct reader *reader, const struct value **value);

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
