// For tests: a row of a history, as cases/README.md says, taken apart into its words.
#ifndef LOCKPICK_CHECK_TEST_ROW_H
#define LOCKPICK_CHECK_TEST_ROW_H

#include "harness/testing/test.h"

#define NEVER_MS (-1)
#define MOST_WORDS 40

// A line, taken apart. Words are NULL once they were taken.
struct row {
    const char *file;
    size_t line;
    char *words[MOST_WORDS];
    size_t count;
    double from_ms, to_ms; // NEVER_MS: it did not come
    double later_ms;       // than the line says
    bool is_span;          // both were said
    int client, worker;
    const char *what; // "acquire", "write"
};

static inline _Noreturn void refuse(const struct row *row, const char *why)
{
    fail_msg("%s:%zu: %s", row->file, row->line + 1, why);
    abort();
}

// --- words ---------------------------------------------------------------------------------------

// Splits at blanks; a word in quotes has no quotes then.
static inline void split(char *line, struct row *row)
{
    for (char *at = line; *at != '\0';) {
        at += strspn(at, " ");
        if (*at == '\0' || row->count == MOST_WORDS)
            break;
        bool quoted = *at == '"';
        at += quoted;
        row->words[row->count++] = at;
        at += strcspn(at, quoted ? "\"" : " ");
        if (*at != '\0')
            *at++ = '\0';
    }
}

static inline char *take_next(struct row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        char *word = row->words[i];
        row->words[i] = NULL;
        if (word != NULL)
            return word;
    }
    refuse(row, "a word is missing");
}

static inline bool take_word(struct row *row, const char *word)
{
    for (size_t i = 0; i < row->count; i++) {
        if (row->words[i] != NULL && strcmp(row->words[i], word) == 0) {
            row->words[i] = NULL;
            return true;
        }
    }
    return false;
}

// The value of `name=value`, or NULL.
static inline char *take_value(struct row *row, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < row->count; i++) {
        char *word = row->words[i];
        if (word != NULL && strncmp(word, name, length) == 0 && word[length] == '=') {
            row->words[i] = NULL;
            return word + length + 1;
        }
    }
    return NULL;
}

static inline int64_t take_number(struct row *row, const char *name, int64_t otherwise)
{
    const char *value = take_value(row, name);
    return value != NULL ? strtoll(value, NULL, 10) : otherwise;
}

static inline double take_ms(struct row *row, const char *name, double otherwise)
{
    const char *value = take_value(row, name);
    return value != NULL ? strtod(value, NULL) : otherwise;
}

// The index of the first of the names that is among the words, or `otherwise`.
static inline int take_one_of(struct row *row, const char *(*name)(unsigned), int count,
                              int otherwise)
{
    for (int i = 0; i < count; i++) {
        if (take_word(row, name((unsigned)i)))
            return i;
    }
    return otherwise;
}

static inline void all_taken(const struct row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        if (row->words[i] != NULL)
            refuse(row, row->words[i]);
    }
}

// "10", "10-20", "10-": never over; "-": never at all.
static inline void read_time(struct row *row)
{
    char *rest;
    const char *word = take_next(row);
    row->from_ms = row->to_ms = strtod(word, &rest);
    row->from_ms = row->to_ms = rest == word ? NEVER_MS : row->from_ms + row->later_ms;
    if (*rest != '-')
        return;
    row->is_span = true;
    row->to_ms = rest[1] != '\0' ? strtod(rest + 1, NULL) + row->later_ms : NEVER_MS;
}

static inline void read_who(struct row *row)
{
    for (size_t i = 0; i < 2 && i < row->count; i++) {
        if (row->words[i] != NULL && strncmp(row->words[i], "client-", 7) == 0) {
            row->worker = 1;
            sscanf(row->words[i], "client-%d/%d", &row->client, &row->worker);
            row->words[i] = NULL;
        }
    }
}

#endif
