#include "harness/report/junit_xml.h"

#include <stdint.h>

// Decodes the character at `bytes` (RFC 3629: no surrogates, no longer form than needed, nothing
// beyond U+10FFFF). Returns its length, or 0 if it is no UTF-8; the NUL at the end is no
// continuation, so nothing behind it is read.
static size_t decode(const unsigned char *bytes, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = bytes[0];
    size_t length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 0 || first >= 0xf8)
        return 0;
    *character = length == 1 ? first : first & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (bytes[i] & 0x3f);
    }
    bool is_surrogate = *character >= 0xd800 && *character <= 0xdfff;
    return *character < least[length] || is_surrogate || *character > 0x10ffff ? 0 : length;
}

// The production "Char" of XML 1.0; surrogates were refused before.
static bool is_allowed(uint32_t character)
{
    if (character < 0x20)
        return character == '\t' || character == '\n' || character == '\r';
    return character != 0xfffe && character != 0xffff;
}

// What stands for the character, or NULL if it stands for itself. A parser would turn a bare CR
// into LF, and tabs and line ends inside of quotes into spaces.
static const char *reference_of(uint32_t character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

static void add(struct text *out, const char *string, bool quoted)
{
    size_t length = 0;
    for (const char *c = string != NULL ? string : ""; *c != '\0'; c += length) {
        uint32_t character = 0;
        length = decode((const unsigned char *)c, &character);
        if (length == 0) {
            text_add(out, "?");
            length = 1;
        } else if (quoted && (character == '\t' || character == '\n')) {
            text_format(out, "&#%u;", (unsigned)character);
        } else if (reference_of(character) != NULL) {
            text_add(out, reference_of(character));
        } else if (is_allowed(character)) {
            text_add_bytes(out, c, length);
        }
    }
}

void xml_add(struct text *out, const char *string)
{
    add(out, string, false);
}

void xml_add_attribute(struct text *out, const char *name, const char *value)
{
    text_format(out, " %s=\"", name);
    add(out, value, true);
    text_add(out, "\"");
}
