#include "harness/wire/redis_command.h"

#include <string.h>

#define DIGITS 24 // of any length, with its sign and the end of its line

// "*3" or "$12", and the end of the line.
static void add_length(struct text *command, char sign, size_t length)
{
    char line[DIGITS];
    char *begin = line + sizeof line - 2;
    memcpy(begin, "\r\n", 2);
    do {
        *--begin = (char)('0' + length % 10);
        length /= 10;
    } while (length > 0);
    *--begin = sign;
    text_add_bytes(command, begin, (size_t)(line + sizeof line - begin));
}

static void add_bytes(struct text *command, const char *word, size_t length)
{
    add_length(command, '$', length);
    text_add_bytes(command, word, length);
    text_add_bytes(command, "\r\n", 2);
}

void redis_command_begin(struct text *command, size_t count)
{
    command->length = 0;
    add_length(command, '*', count);
}

void redis_command_add(struct text *command, const char *word)
{
    add_bytes(command, word, strlen(word));
}

// Appends what stands for the conversion at `next`, behind its `%`. Returns what comes after it;
// NULL if it is none of ours.
static const char *add_conversion(struct text *word, const char *next, va_list *arguments)
{
    if (*next == 's')
        text_add(word, va_arg(*arguments, const char *));
    else if (*next == 'd')
        text_format(word, "%d", va_arg(*arguments, int));
    else if (*next == '%')
        text_add_bytes(word, next, 1);
    else if (strncmp(next, "lld", 3) == 0)
        text_format(word, "%lld", va_arg(*arguments, long long));
    else
        return NULL;
    return next + (*next == 'l' ? 3 : 1);
}

bool redis_command_print(struct text *command, const char *format, va_list arguments)
{
    va_list left;
    va_copy(left, arguments);
    struct text word = {0};
    const char *next = format;
    size_t count = 0;
    for (size_t i = 0; format[i] != '\0'; i++)
        count += format[i] != ' ' && (format[i + 1] == ' ' || format[i + 1] == '\0');
    redis_command_begin(command, count);
    while (next != NULL && *(next += strspn(next, " ")) != '\0') {
        word.length = 0;
        while (next != NULL && *next != ' ' && *next != '\0') {
            size_t plain = 0; // strcspn would make a table of what ends it each time
            while (next[plain] != '\0' && next[plain] != ' ' && next[plain] != '%')
                plain++;
            text_add_bytes(&word, next, plain);
            next += plain;
            if (*next == '%')
                next = add_conversion(&word, next + 1, &left);
        }
        add_bytes(command, word.bytes, word.length);
    }
    text_free(&word);
    va_end(left);
    return next != NULL;
}
