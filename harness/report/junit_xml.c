#include "harness/report/junit_xml.h"

#include "harness/base/utf8.h"

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
        length = utf8_decode(c, &character);
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
