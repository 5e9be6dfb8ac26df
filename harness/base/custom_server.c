#include "harness/base/custom_server.h"

#include <stdio.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyz-"

const char *const custom_placeholders[] = {"address", "port",   "peer-port", "servers", "peers",
                                           "name",    "number", CUSTOM_DATA, "folder",  NULL};

// The word in the first braces from *at on, which is moved behind them; "" behind the last.
static struct span {
    const char *at;
    size_t length;
} next_word(const char **at)
{
    for (const char *open = *at; (open = strchr(open, '{')) != NULL; open++) {
        size_t length = strspn(open + 1, LETTERS);
        if (length == 0 || open[1 + length] != '}')
            continue;
        *at = open + length + 2;
        return (struct span){open + 1, length};
    }
    *at += strlen(*at);
    return (struct span){*at, 0};
}

// Its place among the placeholders; that of the NULL if it is none.
static size_t place_of(struct span word)
{
    size_t place = 0;
    while (custom_placeholders[place] != NULL &&
           (strlen(custom_placeholders[place]) != word.length ||
            strncmp(custom_placeholders[place], word.at, word.length) != 0))
        place++;
    return place;
}

void custom_fill(struct text *out, const char *form, const char *const *values)
{
    for (const char *from = form, *at = form; *at != '\0'; from = at) {
        struct span word = next_word(&at);
        size_t place = place_of(word);
        bool is_one = custom_placeholders[place] != NULL;
        const char *end = is_one ? word.at - 1 : at;
        text_add_bytes(out, from, (size_t)(end - from));
        if (is_one)
            text_add(out, values[place]);
    }
}

bool custom_finds_unknown(const char *form, char *word, size_t room)
{
    for (const char *at = form; *at != '\0';) {
        struct span found = next_word(&at);
        if (found.length == 0 || custom_placeholders[place_of(found)] != NULL)
            continue;
        snprintf(word, room, "%.*s", (int)found.length, found.at);
        return true;
    }
    return false;
}

bool custom_uses(const char *const *list, const char *placeholder)
{
    for (; list != NULL && *list != NULL; list++) {
        for (const char *at = *list; *at != '\0';) {
            struct span word = next_word(&at);
            if (word.length == strlen(placeholder) &&
                strncmp(word.at, placeholder, word.length) == 0)
                return true;
        }
    }
    return false;
}
