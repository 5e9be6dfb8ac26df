// Options of a verb, declared once in a table: parsed and explained from it.
#ifndef LOCKPICK_CLI_OPTIONS_H
#define LOCKPICK_CLI_OPTIONS_H

#include "harness/base/error.h"

#include <stdint.h>
#include <stdio.h>

struct option_form {
    const char *name;  // without the dashes
    const char *value; // what its value is called; "" if it takes none
    const char *help;
};

// The options of a verb, and what is done with them. Both functions return 0, or -1 with `error`
// set, which ends the parsing.
struct option_set {
    const struct option_form *forms;
    int count;
    // Takes the option of that index; `value` is NULL if it takes none.
    int (*take)(void *context, int option, const char *value, struct error *error);
    // Takes a word that is no option.
    int (*take_word)(void *context, const char *word, struct error *error);
};

// Goes through argv[1..]: "--name VALUE" or "--name=VALUE". 0, or -1 with `error` set.
int options_parse(const struct option_set *set, int argc, char **argv, void *context,
                  struct error *error);

// Reads the value of the option `name`: a whole number from 1 to `most`.
int option_number(const char *name, const char *text, int64_t most, int64_t *number,
                  struct error *error);

// A line for each option; `width` is that of the first column.
void options_print(const struct option_set *set, int width, FILE *out);

#endif
