// A text as words, taken one by one: what the small grammars inside a fault are read with.
#ifndef LOCKPICK_SCENARIO_WORDS_H
#define LOCKPICK_SCENARIO_WORDS_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct words {
    char bytes[256];
    char *items[32];
    size_t count;
    size_t next;
};

// Splits at blanks; a comma is a word of its own. 0, or -1 with `error` set.
int words_split(const char *text, struct words *words, struct error *error);

// The next word, or "" at the end.
const char *words_peek(const struct words *words);
bool words_at_end(const struct words *words);

// Takes the next word if it is this one.
bool words_take(struct words *words, const char *word);

// Takes the next word if it is one of the list (NULL-terminated): its index, else -1.
int words_take_one_of(struct words *words, const char *const *list);

// Takes a word such as `client-3` if `prefix` is `client-`. 1 if taken, 0 if the word is another,
// -1 with `error` set if it is wrong.
int words_take_numbered(struct words *words, const char *prefix, int *number, struct error *error);

// The error for a next word that is not what it should be; `near` (or NULL) is what it could have
// been meant to be.
int words_expected(const struct words *words, const char *what, const char *const *near,
                   struct error *error);

// 0 if all words are taken, else -1 with `error` set.
int words_expect_end(const struct words *words, struct error *error);

#endif
