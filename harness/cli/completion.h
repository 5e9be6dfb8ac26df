// What lets a shell complete verbs and options, made from their tables.
#ifndef LOCKPICK_CLI_COMPLETION_H
#define LOCKPICK_CLI_COMPLETION_H

#include "harness/base/text.h"

enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH };
extern const char *const shell_names[]; // by enum shell, NULL-terminated

// Appends a file for that shell to read.
void completion_write(enum shell shell, struct text *out);

#endif
