// Commands as Redis reads them: an array of words, each with its length before it.
//
// What hiredis offers for that takes a third of the client's own time of a request, as it makes
// each word a string of its own and prints into a new buffer; here one buffer serves for all.
//
// Source: "Redis serialization protocol specification", arrays and bulk strings.
#ifndef LOCKPICK_WIRE_REDIS_COMMAND_H
#define LOCKPICK_WIRE_REDIS_COMMAND_H

#include "harness/base/text.h"

#include <stdarg.h>
#include <stdbool.h>

// Replaces what `command` holds by the words of `format`, which spaces part. Of printf it knows
// `%s`, `%d`, `%lld` and `%%`, inside of words, too; what is put in by `%s` may be empty, or have
// spaces. False if there is something else in it; `command` is then no command.
bool redis_command_print(struct text *command, const char *format, va_list arguments);

// Replaces what `command` holds by a command of `count` words, of which none is there yet.
void redis_command_begin(struct text *command, size_t count);
void redis_command_add(struct text *command, const char *word);

#endif
