#include "harness/import/problems.h"

#include <stdarg.h>
#include <stdio.h>

void problems_add(struct problems *problems, uint32_t line, const char *format, ...)
{
    char message[1024];
    if (problems_suffice(problems))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_format(&problems->text, "%s:%u: %s\n", problems->file, line, message);
    problems->count++;
}
