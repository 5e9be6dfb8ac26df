// Characters of texts that may be no UTF-8.
#ifndef LOCKPICK_BASE_UTF8_H
#define LOCKPICK_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

// Decodes the character at `text` (RFC 3629: no surrogates, no longer form than needed, nothing
// beyond U+10FFFF). Returns its length in bytes, or 0 if it is no UTF-8; the NUL at the end is no
// continuation, so nothing behind it is read.
size_t utf8_decode(const char *text, uint32_t *character);

#endif
