#include "harness/base/error.h"

#include "harness/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *error, const char *format, ...)
{
    if (error == NULL)
        return -1;
    // Not straight into error->text: the arguments may quote it.
    struct error made;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made.text, sizeof made.text, format, arguments);
    va_end(arguments);
    strcpy(error->text, text_clean_message(made.text));
    return -1;
}

int error_wrap(struct error *error, const char *format, ...)
{
    if (error == NULL)
        return -1;
    struct error context;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context.text, sizeof context.text - 2, format, arguments);
    va_end(arguments);
    return error_set(error, "%s: %s", context.text, error->text);
}
