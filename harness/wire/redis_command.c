#include "harness/wire/redis_command.h"

#include <string.h>

#define DIGITS 24 // of any number, with its sign

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
static void add_length(struct text *command, char sign, size_t length)
{
    char line[DIGITS];
    char *end = line + sizeof line;
    *--end = '\n';
    *--end = '\r';
    char *begin = write_digits(end, length);
    *--begin = sign;
    text_add_bytes(command, begin, (size_t)(line + sizeof line - begin));
}

void redis_command_begin(struct text *command, size_t count)
{
    command->length = 0;
    add_length(command, '*', count);
}

static void add_word(struct text *command, const char *word, size_t length)
{
    add_length(command, '$', length);
    text_add_bytes(command, word, length);
    text_add_bytes(command, "\r\n", 2);
}

void redis_command_add(struct text *command, const char *word)
{
    add_word(command, word, strlen(word));
}

// Puts its length before the word that begins at `from` and is the last of the command.
static void close_word(struct text *command, size_t from)
{
    size_t length = command->length - from;
    add_length(command, '$', length);
    size_t added = command->length - from - length;
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

// How far it is to the next space or `%`. (strcspn makes a table of them each time.)
static size_t plain_length(const char *next)
{
    size_t length = 0;
    while (next[length] != '\0' && next[length] != ' ' && next[length] != '%')
        length++;
    return length;
}

// Appends the word that begins at `next`. Returns its end; NULL as above.
static const char *print_word(struct text *command, const char *next, va_list *arguments)
{
    size_t from = command->length;
    size_t plain = plain_length(next);
    if (next[plain] != '%') {
        add_word(command, next, plain);
        return next + plain;
    }
    while (next != NULL && *next != ' ' && *next != '\0') {
        plain = plain_length(next);
        text_add_bytes(command, next, plain);
        next += plain;
        if (*next == '%')
            next = add_conversion(command, next + 1, arguments);
    }
    if (next != NULL)
        close_word(command, from);
    return next;
}

static size_t count_words(const char *format)
{
    size_t count = 0;
    for (size_t i = 0; format[i] != '\0'; i++)
        count += format[i] != ' ' && (format[i + 1] == ' ' || format[i + 1] == '\0');
    return count;
}

static const char *skip_spaces(const char *next)
{
    while (*next == ' ')
        next++;
    return next;
}

bool redis_command_print(struct text *command, const char *format, va_list arguments)
{
    va_list left;
    va_copy(left, arguments);
    const char *next = skip_spaces(format);
    redis_command_begin(command, count_words(format));
    while (next != NULL && *next != '\0') {
        next = print_word(command, next, &left);
        if (next != NULL)
            next = skip_spaces(next);
    }
    va_end(left);
    return next != NULL;
}
