#include "harness/base/custom_server.h"

#include "harness/base/scope.h"

#include <stdio.h>
#include <string.h>

const char *const custom_placeholders[] = {"address", "port",   "peer-port", "servers", "peers",
                                           "name",    "number", CUSTOM_DATA, "folder",  NULL};

// Its place among the placeholders; that of the NULL if it is none.
static size_t place_of(const char *word)
{
    size_t place = 0;
    while (custom_placeholders[place] != NULL && strcmp(custom_placeholders[place], word) != 0)
        place++;
    return place;
}

// The context is the values.
static void add_value(const void *context, const char *word, struct text *text)
{
    const char *const *values = context;
    size_t place = place_of(word);
    if (custom_placeholders[place] != NULL)
        text_add(text, values[place]);
    else
        text_format(text, "{%s}", word);
}

void custom_fill(struct text *out, const char *form, const char *const *values)
{
    text_fill(out, form, add_value, values);
}

// Of letters and '-': awk's {print 1} is no word.
static void add_unknown(const void *context, const char *word, struct text *text)
{
    struct text *first = *(struct text *const *)context;
    (void)text;
    if (strpbrk(word, "0123456789 ") == NULL && custom_placeholders[place_of(word)] == NULL &&
        first->length == 0)
        text_add(first, word);
}

bool custom_finds_unknown(const char *form, char *word, size_t room)
{
    AUTO_TEXT struct text ignored = {0}, first = {0};
    text_fill(&ignored, form, add_unknown, &(struct text *){&first});
    if (first.length > 0)
        snprintf(word, room, "%s", first.bytes);
    return first.length > 0;
}

bool custom_uses(const char *const *list, const char *placeholder)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, "{%s}", placeholder);
    while (list != NULL && *list != NULL && strstr(*list, wanted) == NULL)
        list++;
    return list != NULL && *list != NULL;
}
