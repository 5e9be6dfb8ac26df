#include "harness/scenario/complaints.h"

#include "harness/base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// What is wrong besides is counted, and not told.
#define MOST_COMPLAINTS 200

struct complaint {
    struct place place;
    size_t number; // keeps the order of equals
    char *text;
};

struct complaints {
    struct complaint *items;
    size_t count;
    size_t made; // with those that were known already
};

struct complaints *complaints_new(void)
{
    return memory_zeroed(1, sizeof(struct complaints));
}

size_t complaints_count(const struct complaints *complaints)
{
    return complaints->count;
}

size_t complaints_made(const struct complaints *complaints)
{
    return complaints->made;
}

void complaints_print(const struct complaints *complaints, FILE *out)
{
    for (size_t i = 0; i < complaints->count; i++)
        fprintf(out, "%s\n", complaints->items[i].text);
    if (complaints->count >= MOST_COMPLAINTS)
        fprintf(out, "there may be more that is wrong: these are the first %d complaints\n",
                MOST_COMPLAINTS);
}

void complaints_free(struct complaints *complaints)
{
    if (complaints == NULL)
        return;
    for (size_t i = 0; i < complaints->count; i++)
        free(complaints->items[i].text);
    free(complaints->items);
    free(complaints);
}

static bool is_known(const struct complaints *complaints, const char *text)
{
    for (size_t i = 0; i < complaints->count; i++) {
        if (strcmp(complaints->items[i].text, text) == 0)
            return true;
    }
    return false;
}

// Takes `text` over.
static void append(struct complaints *complaints, struct place place, char *text)
{
    size_t count = complaints->count;
    complaints->items = memory_resized(complaints->items, (count + 1) * sizeof *complaints->items);
    complaints->items[count] = (struct complaint){.place = place, .number = count, .text = text};
    complaints->count++;
}

void complaints_add_list(struct complaints *complaints, const struct origin *origin,
                         struct place place, const char *format, va_list arguments)
{
    char message[1024];
    vsnprintf(message, sizeof message, format, arguments);
    complaints->made++;
    struct text text = {0};
    if (origin->override == NULL) {
        text_format(&text, "%s:%d:%d: %s", origin->path, place.line, place.column, message);
    } else {
        struct quote value;
        text_format(&text, "--set %s=%s: %s", origin->override->path,
                    quote(origin->override->value, &value), message);
        place = (struct place){INT_MAX, 0};
    }
    text_clean(text.bytes);
    // A file with several workloads is looked at once for each.
    if (complaints->count >= MOST_COMPLAINTS || is_known(complaints, text.bytes))
        text_free(&text);
    else
        append(complaints, place, text.bytes);
}

void complaints_add(struct complaints *complaints, const struct origin *origin, struct place place,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complaints_add_list(complaints, origin, place, format, arguments);
    va_end(arguments);
}

void complaints_add_plain(struct complaints *complaints, const char *message)
{
    complaints->made++;
    append(complaints, (struct place){0}, memory_string(message));
}

static int by_place(const void *left, const void *right)
{
    const struct complaint *a = left;
    const struct complaint *b = right;
    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    if (a->place.column != b->place.column)
        return a->place.column < b->place.column ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

void complaints_sort(struct complaints *complaints, size_t first)
{
    if (complaints->count > first + 1)
        qsort(complaints->items + first, complaints->count - first, sizeof *complaints->items,
              by_place);
}

const char *quote(const char *text, struct quote *out)
{
    static const char more[] = "...";
    size_t room = sizeof out->text - sizeof more;
    size_t length = 0;
    for (const char *next = text; *next != '\0';) {
        // A character of UTF-8 is never cut: its first byte is taken with those that continue it.
        char shown[8];
        size_t bytes = 1;
        unsigned char first = (unsigned char)*next;
        while (bytes < 4 && first >= 0xc0 && ((unsigned char)next[bytes] & 0xc0) == 0x80)
            bytes++;
        if (first == '\n')
            snprintf(shown, sizeof shown, "\\n");
        else if (first < 0x20 || first == 0x7f || (first >= 0x80 && bytes == 1))
            snprintf(shown, sizeof shown, "\\x%02x", first);
        else
            snprintf(shown, sizeof shown, "%.*s", (int)bytes, next);
        size_t added = strlen(shown);
        if (length + added > room) {
            memcpy(out->text + length, more, sizeof more);
            return out->text;
        }
        memcpy(out->text + length, shown, added);
        length += added;
        next += bytes;
    }
    out->text[length] = '\0';
    return out->text;
}

const char *suggest(const char *wrong, const char *const *words, struct suggestion *out)
{
    const char *nearest = text_nearest(wrong, words);
    out->text[0] = '\0';
    if (nearest != NULL)
        snprintf(out->text, sizeof out->text, " (did you mean '%s'?)", nearest);
    return out->text;
}
