// Base64 (RFC 4648, with padding): how etcd's JSON carries keys and values.
#ifndef LOCKPICK_WIRE_BASE64_H
#define LOCKPICK_WIRE_BASE64_H

#include <stddef.h>

// Bytes that the encoded form of a text needs, its final NUL included.
#define BASE64_ROOM(length) (((length) + 2) / 3 * 4 + 1)

// Encodes `text`; `out` has BASE64_ROOM(strlen(text)) bytes. Returns `out`.
char *base64_encode(const char *text, char *out);

// Decodes into `out` with a final NUL. 0, or -1 if it is no base64 or does not fit in `room`.
int base64_decode(const char *encoded, char *out, size_t room);

#endif
