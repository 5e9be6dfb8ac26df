#include "harness/import/reader.h"

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
