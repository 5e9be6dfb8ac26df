// For tests: a strict look at XML as report_junit writes it, elements, attributes and text alone.
#ifndef LOCKPICK_REPORT_TEST_JUNIT_H
#define LOCKPICK_REPORT_TEST_JUNIT_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define TEST_XML_DEPTH 8

// Skips `word`, or returns NULL (also if `at` is NULL already: a failure lasts).
static inline const char *test_xml_skip(const char *at, const char *word)
{
    return at != NULL && strncmp(at, word, strlen(word)) == 0 ? at + strlen(word) : NULL;
}

static inline const char *test_xml_spaces(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static inline size_t test_xml_name_length(const char *at)
{
    size_t length = 0;
    while (isalpha((unsigned char)at[length]) || (length > 0 && at[length] == '-'))
        length++;
    return length;
}

// One of the references that need no declaration, or of the numbers of allowed control characters.
static inline const char *test_xml_reference(const char *at)
{
    static const char *const known[] = {"&amp;", "&lt;",  "&gt;",  "&quot;",
                                        "&#9;",  "&#10;", "&#13;", NULL};
    for (size_t i = 0; known[i] != NULL; i++) {
        if (strncmp(at, known[i], strlen(known[i])) == 0)
            return at + strlen(known[i]);
    }
    return NULL;
}

// True if the UTF-8 at `at` is a character that XML 1.0 allows; by the byte ranges of table 3-7 of
// the Unicode standard, so by other means than the code that is tested.
static inline bool test_xml_is_character(const unsigned char *at, size_t *length)
{
    *length = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (*length == 1)
        return at[0] >= 0x20 || strchr("\t\n\r", at[0]) != NULL;
    for (size_t i = 1; i < *length; i++) {
        if (at[i] < 0x80 || at[i] > 0xbf)
            return false;
    }
    if (*length == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe)
        return false; // U+FFFE, U+FFFF
    return at[0] >= 0xc2 && at[0] <= 0xf4 && !(at[0] == 0xe0 && at[1] < 0xa0) &&
           !(at[0] == 0xed && at[1] > 0x9f) && !(at[0] == 0xf0 && at[1] < 0x90) &&
           !(at[0] == 0xf4 && at[1] > 0x8f);
}

// Skips text up to `end`, which stays; NULL if it is not well formed.
static inline const char *test_xml_text(const char *at, char end)
{
    while (at != NULL && *at != end && *at != '\0') {
        size_t length;
        if (*at == '<' || strncmp(at, "]]>", 3) == 0 ||
            !test_xml_is_character((const unsigned char *)at, &length))
            return NULL;
        at = *at == '&' ? test_xml_reference(at) : at + length;
    }
    return at;
}

// Skips attributes: each after a blank, quoted, and given once.
static inline const char *test_xml_attributes(const char *at)
{
    struct {
        const char *name;
        size_t length;
    } seen[16];
    size_t count = 0;
    while (at != NULL && isspace((unsigned char)*at)) {
        at = test_xml_spaces(at);
        size_t length = test_xml_name_length(at);
        if (length == 0)
            return at;
        for (size_t i = 0; i < count; i++) {
            if (seen[i].length == length && strncmp(seen[i].name, at, length) == 0)
                return NULL;
        }
        if (count == sizeof seen / sizeof *seen)
            return NULL;
        seen[count].name = at;
        seen[count++].length = length;
        at = test_xml_skip(at + length, "=\"");
        at = test_xml_skip(at != NULL ? test_xml_text(at, '"') : NULL, "\"");
    }
    return at;
}

// True if the text is one well-formed document.
static inline bool test_xml_is_well_formed(const char *text)
{
    struct {
        const char *name;
        size_t length;
    } open[TEST_XML_DEPTH];
    size_t depth = 0;
    const char *at = test_xml_skip(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    at = at != NULL ? test_xml_spaces(at) : NULL;
    do {
        at = test_xml_skip(at, "<");
        if (at == NULL)
            return false;
        bool closes = *at == '/';
        at += closes;
        size_t length = test_xml_name_length(at);
        if (closes && depth == 0)
            return false;
        if (closes) {
            depth--;
            if (length != open[depth].length || strncmp(at, open[depth].name, length) != 0)
                return false;
            at = test_xml_skip(at + length, ">");
        } else {
            if (length == 0 || depth == TEST_XML_DEPTH)
                return false;
            open[depth].name = at;
            open[depth++].length = length;
            at = test_xml_attributes(at + length);
            bool is_empty = at != NULL && *at == '/';
            depth -= is_empty;
            at = test_xml_skip(at, is_empty ? "/>" : ">");
        }
        at = at != NULL && depth > 0 ? test_xml_text(at, '<') : at;
    } while (depth > 0);
    return at != NULL && *test_xml_spaces(at) == '\0';
}

#endif
