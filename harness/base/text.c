#include "harness/base/text.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void memory_give_up(void)
{
    static const char words[] = "lockpick: out of memory\n";
    (void)!write(STDERR_FILENO, words, sizeof words - 1); // stdio may want memory
    _exit(4); // the environment's; and nothing half done is flushed
}

static void *not_null(void *memory)
{
    if (memory == NULL)
        memory_give_up();
    return memory;
}

void *memory_new(size_t bytes)
{
    return not_null(malloc(bytes ? bytes : 1));
}

void *memory_zeroed(size_t count, size_t bytes)
{
    return not_null(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *memory_resized(void *old, size_t bytes)
{
    return not_null(realloc(old, bytes ? bytes : 1));
}

char *memory_string(const char *string)
{
    return not_null(strdup(string));
}

void *memory_soon_full(size_t bytes)
{
    void *memory = memory_new(bytes);
    const uintptr_t page = 4096;
    uintptr_t from = ((uintptr_t)memory + page - 1) & ~(page - 1);
    // Where the kernel can. Large pages have to be found first, which takes its time; they are made
    // as they are written, while others read what is written to them.
    if (bytes > 65536 * page)
        madvise((void *)from, bytes - page, MADV_HUGEPAGE);
    else if (bytes > 1024 * page)
        madvise((void *)from, bytes - page, MADV_POPULATE_WRITE);
    return memory;
}

void *memory_shared(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return not_null(memory != MAP_FAILED ? memory : NULL);
}

void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
    size_t room = text->room ? text->room : 64;
    while (room < text->length + length + 1)
        room *= 2;
    if (room != text->room)
        text->bytes = memory_resized(text->bytes, room);
    text->room = room;
    if (length > 0) // `bytes` may be NULL if there are none, which memcpy does not allow
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

static char *made(const char *format, va_list arguments)
{
    char *text = NULL;
    return not_null(vasprintf(&text, format, arguments) >= 0 ? text : NULL);
}

void text_format(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *more = made(format, arguments);
    va_end(arguments);
    if (*more != '\0')
        text_add(text, more);
    free(more);
}

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

char *text_formatted(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = made(format, arguments);
    va_end(arguments);
    return text;
}

char *text_take(struct text *text)
{
    char *bytes = text->bytes != NULL ? text->bytes : memory_string("");
    *text = (struct text){0};
    return bytes;
}

const char *text_string(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

const char *text_duration(long long nanoseconds, char *out, size_t room)
{
    double value = (double)nanoseconds;
    double size = value < 0 ? -value : value;
    // %.3g turns 999.5 and more into 1e+03, so that is where the next unit begins.
    if (size < 1e3)
        snprintf(out, room, "%lld ns", nanoseconds);
    else if (size < 999.5e3)
        snprintf(out, room, "%.3g µs", value / 1e3);
    else if (size < 999.5e6)
        snprintf(out, room, "%.3g ms", value / 1e6);
    else
        snprintf(out, room, "%.2f s", value / 1e9);
    return out;
}

bool text_matches(const char *string, const char *glob)
{
    return fnmatch(glob, string, 0) == 0;
}

int text_index(const char *word, const char *const *words)
{
    for (int i = 0; word != NULL && words != NULL && words[i] != NULL; i++) {
        if (strcmp(word, words[i]) == 0)
            return i;
    }
    return -1;
}

bool text_is_one_of(const char *word, const char *const *words)
{
    return text_index(word, words) >= 0;
}

void text_join(struct text *text, const char *const *words, const char *last)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
        if (i > 0 && last != NULL && words[i + 1] == NULL)
            text_format(text, " %s ", last);
        else if (i > 0)
            text_add(text, ", ");
        text_add(text, words[i]);
    }
}

void text_add_item(struct text *text, const char *item)
{
    text_format(text, "%s%s", text->length > 0 ? ", " : "", item);
}

void text_add_shell_word(struct text *text, const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        text_add(text, word);
        return;
    }
    text_add(text, "'");
    for (; *word != '\0'; word++)
        text_add_bytes(text, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    text_add(text, "'");
}

size_t utf8_decode(const char *text, uint32_t *character)
{
    const unsigned char *bytes = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = bytes[0];
    size_t length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 0 || first >= 0xf8)
        return 0;
    *character = length == 1 ? first : first & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (bytes[i] & 0x3f);
    }
    bool is_surrogate = *character >= 0xd800 && *character <= 0xdfff;
    return *character < least[length] || is_surrogate || *character > 0x10ffff ? 0 : length;
}

char *text_clean(char *string)
{
    for (char *at = string; *at != '\0';) {
        uint32_t character = 0;
        size_t length = utf8_decode(at, &character);
        bool is_control = character < 0x20 || (character >= 0x7f && character < 0xa0);
        bool turns = (character >= 0x2028 && character <= 0x202e) || // or ends a line
                     (character >= 0x2066 && character <= 0x2069);
        if (length == 0 || (is_control && *at != '\n' && *at != '\t') || turns)
            memset(at, '?', length > 0 ? length : 1);
        at += length > 0 ? length : 1;
    }
    return string;
}

char *text_clean_line(char *string)
{
    for (char *at = text_clean(string); *at != '\0'; at++)
        *at = *at == '\n' || *at == '\t' ? ' ' : *at;
    return string;
}

char *text_clean_message(char *string)
{
    for (char *at = text_clean(string); (at = strstr(at, "##[")) != NULL;)
        at[1] = '?';
    return string;
}

// Levenshtein distance by two rows; words here are short, longer ones are simply "far".
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[64];
    size_t length = strlen(b);
    if (length >= 64)
        return 64;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t shifted = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = substituted < shifted ? substituted : shifted;
        }
    }
    return row[length];
}

const char *text_nearest(const char *wrong, const char *const *words)
{
    const char *nearest = NULL;
    size_t length = strlen(wrong);
    size_t best = SIZE_MAX;
    for (size_t i = 0; words != NULL && words[i] != NULL; i++) {
        size_t distance = edit_distance(wrong, words[i]);
        bool begins = length >= 3 && strncmp(words[i], wrong, length) == 0;
        // Something of each must be left, else "a" would be near to "b".
        bool near = distance <= length / 3 + 1 && distance < length && distance < strlen(words[i]);
        if ((begins || near) && distance < best) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

const char *suggest_in(const char *wrong, const char *const *words, struct suggestion *out)
{
    const char *nearest = text_nearest(wrong, words);
    out->text[0] = '\0';
    if (nearest != NULL)
        snprintf(out->text, sizeof out->text, " (did you mean '%s'?)", nearest);
    return out->text;
}

void text_fill(struct text *text, const char *words,
               void (*add)(const void *context, const char *word, struct text *text),
               const void *context)
{
    while (*words != '\0') {
        char word[32];
        size_t plain = strcspn(words, "{");
        text_add_bytes(text, words, plain);
        words += plain;
        if (*words == '\0')
            return;
        size_t length = strspn(words + 1, "abcdefghijklmnopqrstuvwxyz0123456789- ");
        bool is_word = length > 0 && length < sizeof word && words[1 + length] == '}';
        snprintf(word, sizeof word, "%.*s", (int)length, words + 1);
        if (is_word)
            add(context, word, text);
        else
            text_add(text, "{");
        words += is_word ? length + 2 : 1;
    }
}
