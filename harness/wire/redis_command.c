#include "harness/wire/redis_command.h"

#include <string.h>

#define DIGITS 24 // of any number, with its sign and the end of its line

// Writes the digits of `number` so that they end before `end`; returns where they begin.
static char *write_digits(char *end, unsigned long long number)
{
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return end;
}

static void add_number(struct text *command, long long number)
{
    char digits[DIGITS];
    char *end = digits + sizeof digits;
    unsigned long long size = (unsigned long long)number;
    char *begin = write_digits(end, number < 0 ? 0 - size : size);
    if (number < 0)
        *--begin = '-';
    text_add_bytes(command, begin, (size_t)(end - begin));
}

// "*3" or "$12", and the end of the line.
static size_t add_length(struct text *command, char sign, size_t length)
{
    char line[DIGITS];
    memcpy(line + sizeof line - 2, "\r\n", 2);
    char *begin = write_digits(line + sizeof line - 2, length);
    *--begin = sign;
    text_add_bytes(command, begin, (size_t)(line + sizeof line - begin));
    return (size_t)(line + sizeof line - begin);
}

void redis_command_begin(struct text *command, size_t count)
{
    command->length = 0;
    add_length(command, '*', count);
}

void redis_command_add(struct text *command, const char *word)
{
    size_t length = strlen(word);
    add_length(command, '$', length);
    text_add_bytes(command, word, length);
    text_add_bytes(command, "\r\n", 2);
}

// Puts its length before the word that begins at `from` and is the last of the command.
static void close_word(struct text *command, size_t from)
{
    size_t length = command->length - from;
    size_t added = add_length(command, '$', length);
    char line[DIGITS];
    memcpy(line, command->bytes + from + length, added);
    memmove(command->bytes + from + added, command->bytes + from, length);
    memcpy(command->bytes + from, line, added);
    text_add_bytes(command, "\r\n", 2);
}

// Appends what stands for the conversion at `next`, behind its `%`. Returns what comes after it;
// NULL if it is none of ours.
static const char *add_conversion(struct text *command, const char *next, va_list *arguments)
{
    if (*next == 's')
        text_add(command, va_arg(*arguments, const char *));
    else if (*next == 'd')
        add_number(command, va_arg(*arguments, int));
    else if (*next == '%')
        text_add_bytes(command, next, 1);
    else if (strncmp(next, "lld", 3) == 0)
        add_number(command, va_arg(*arguments, long long));
    else
        return NULL;
    return next + (*next == 'l' ? 3 : 1);
}

// Appends the word that begins at `next`. Returns its end; NULL as above. (strcspn makes a table of
// what ends it each time.)
static const char *print_word(struct text *command, const char *next, va_list *arguments)
{
    size_t from = command->length;
    while (next != NULL && *next != ' ' && *next != '\0') {
        size_t plain = 0;
        while (next[plain] != '\0' && next[plain] != ' ' && next[plain] != '%')
            plain++;
        text_add_bytes(command, next, plain);
        next += plain;
        if (*next == '%')
            next = add_conversion(command, next + 1, arguments);
    }
    if (next != NULL)
        close_word(command, from);
    return next;
}

bool redis_command_print(struct text *command, const char *format, va_list arguments)
{
    va_list left;
    va_copy(left, arguments);
    const char *next = format;
    size_t count = 0;
    for (size_t i = 0; format[i] != '\0'; i++)
        count += format[i] != ' ' && (format[i + 1] == ' ' || format[i + 1] == '\0');
    redis_command_begin(command, count);
    while (next != NULL && *next != '\0')
        next = *next == ' ' ? next + 1 : print_word(command, next, &left);
    va_end(left);
    return next != NULL;
}
