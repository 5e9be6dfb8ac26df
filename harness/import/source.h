// The bytes of a file, of a pipe, or of standard input; those of a compressed one unpacked.
#ifndef LOCKPICK_IMPORT_SOURCE_H
#define LOCKPICK_IMPORT_SOURCE_H

#include "harness/base/error.h"
#include "harness/base/text.h"

#include <stdint.h>

// Zero-initialise; free with source_close.
struct source {
    const char *bytes;
    size_t length;
    bool is_mapped; // a plain file; false: the bytes are memory of its own
};

// Reads all there is, once: "-" is standard input; gzip is known by its first bytes. 0, or -1 with
// `error` set.
int source_open(const char *path, struct source *source, struct error *error);
void source_close(struct source *source);

// The path as messages call it: "standard input" of "-".
const char *source_name(const char *path);

// The text of a line, from 1; cut, with an ellipsis, to what people read. `room` of 256 suffices.
const char *source_line(const struct source *source, uint32_t line, char *text, size_t room);

#endif
