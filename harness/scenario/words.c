#include "harness/scenario/words.h"

#include "harness/scenario/complaints.h"
#include "harness/scenario/units.h"

#include <string.h>

#define BLANKS " \t\n"

// The text with blanks around each comma. False if there is no room.
static bool spread_commas(const char *text, char *out, size_t room)
{
    size_t length = 0;
    for (; *text != '\0'; text++) {
        if (length + 4 > room)
            return false;
        if (*text == ',') {
            memcpy(out + length, " , ", 3);
            length += 3;
        } else {
            out[length++] = *text;
        }
    }
    out[length] = '\0';
    return true;
}

int words_split(const char *text, struct words *words, struct error *error)
{
    *words = (struct words){0};
    if (!spread_commas(text, words->bytes, sizeof words->bytes))
        return error_set(error, "too long");
    char *rest = NULL;
    for (char *word = strtok_r(words->bytes, BLANKS, &rest); word != NULL;
         word = strtok_r(NULL, BLANKS, &rest)) {
        if (words->count == sizeof words->items / sizeof *words->items)
            return error_set(error, "too many words");
        words->items[words->count++] = word;
    }
    return 0;
}

const char *words_peek(const struct words *words)
{
    return words->next < words->count ? words->items[words->next] : "";
}

bool words_at_end(const struct words *words)
{
    return words->next == words->count;
}

bool words_take(struct words *words, const char *word)
{
    if (strcmp(words_peek(words), word) != 0)
        return false;
    words->next++;
    return true;
}

int words_take_one_of(struct words *words, const char *const *list)
{
    for (int i = 0; list[i] != NULL; i++) {
        if (words_take(words, list[i]))
            return i;
    }
    return -1;
}

int words_expected(const struct words *words, const char *what, const char *const *near,
                   struct error *error)
{
    static const char *const nothing[] = {NULL};
    struct quote shown;
    struct suggestion suggestion;
    const char *word = words_peek(words);
    if (*word == '\0')
        return error_set(error, "expected %s, but it ends there", what);
    return error_set(error, "expected %s, not '%s'%s", what, quote(word, &shown),
                     suggest(word, near ? near : nothing, &suggestion));
}

int words_expect_end(const struct words *words, struct error *error)
{
    return words_at_end(words) ? 0 : words_expected(words, "no more words", NULL, error);
}

int words_take_numbered(struct words *words, const char *prefix, int *number, struct error *error)
{
    const char *word = words_peek(words);
    size_t length = strlen(prefix);
    if (strncmp(word, prefix, length) != 0)
        return 0;
    int64_t value = 0;
    enum reading reading = whole_number_read(word + length, &value);
    struct quote shown;
    if (reading == READING_WRONG)
        return error_set(error, "expected a number after '%s', not '%s'", prefix,
                         quote(word + length, &shown));
    if (reading == READING_TOO_LARGE || value < 1 || value > 99999)
        return error_set(error, "there is no %s (they count from 1)", quote(word, &shown));
    *number = (int)value;
    words->next++;
    return 1;
}
