// A text that grows, and small questions about strings.
#ifndef LOCKPICK_BASE_TEXT_H
#define LOCKPICK_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Zero-initialise; `bytes` is NUL-terminated, or NULL while nothing was added. What is added must
// not point into the text itself, which may move. Out of memory ends the process: no caller can do
// better.
struct text {
    char *bytes;
    size_t length;
    size_t room;
};

void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t length);
__attribute__((format(printf, 2, 3))) void text_format(struct text *text, const char *format, ...);
void text_free(struct text *text);

// A text of its own, for the caller to free.
__attribute__((format(printf, 1, 2))) char *text_formatted(const char *format, ...);

// The text itself, for the caller to free; it is empty then.
char *text_take(struct text *text);

// The text so far, "" if none.
const char *text_string(const struct text *text);

// A duration as people read it: "840 ns", "12.4 µs", "3.25 ms", "1.20 s". Returns `out`.
const char *text_duration(long long nanoseconds, char *out, size_t room);

// True if `string` matches the shell pattern `glob` (`*`, `?`, `[...]`).
bool text_matches(const char *string, const char *glob);

// Where `word` is among `words` (NULL-terminated), or -1; either may be NULL.
int text_index(const char *word, const char *const *words);
bool text_is_one_of(const char *word, const char *const *words);

// Appends "a, b or c"; `last` is "or" or "and", or NULL: "a, b, c".
void text_join(struct text *text, const char *const *words, const char *last);

// Appends an item of a list: ", " before it, unless it is the first.
void text_add_item(struct text *text, const char *item);

// Appends a word of a command line so that a shell reads it as it is: in quotes, if it has to be.
void text_add_shell_word(struct text *text, const char *word);

// The word of `words` (NULL-terminated, or NULL) that is nearest to `wrong` by edit distance, or
// NULL if none is near enough to be what was meant.
const char *text_nearest(const char *wrong, const char *const *words);

// " (did you mean 'threads'?)", or "" if no word of `words` is near; good until its block ends.
struct suggestion {
    char text[160];
};
#define suggest(wrong, words) suggest_in(wrong, words, &(struct suggestion){{0}})
const char *suggest_in(const char *wrong, const char *const *words, struct suggestion *out);

// Makes a text of strangers fit for a terminal, in place: control characters, those that turn the
// direction of writing, and bytes that are no UTF-8 become '?'. Newlines and tabs stay. Returns
// `string`.
char *text_clean(char *string);

// The same on one line: newlines and tabs become blanks.
char *text_clean_line(char *string);

// The same as text_clean() for a message, which may come to a log of GitHub: "##[", which its
// runner takes for a command wherever it stands, becomes "#?[".
char *text_clean_message(char *string);

// Decodes the UTF-8 character at `text` (RFC 3629: no surrogates, no longer form than needed,
// nothing beyond U+10FFFF). Returns its length in bytes, or 0 if it is none; the NUL at the end is
// no continuation, so nothing behind it is read.
size_t utf8_decode(const char *text, uint32_t *character);

// Ends the process for want of memory: a message, and exit status 4.
_Noreturn void memory_give_up(void);

// malloc, calloc and strdup that do so instead of returning NULL.
void *memory_new(size_t bytes);
void *memory_zeroed(size_t count, size_t bytes);
void *memory_resized(void *old, size_t bytes);
char *memory_string(const char *string);

// As memory_new, of many pages that will be written soon and as a whole: all are made at once, as a
// fault for each would take longer than what is done with it.
void *memory_soon_full(size_t bytes);

// Zeroed memory that processes forked from now on share; free with munmap. Ends the process, too.
void *memory_shared(size_t bytes);

// Appends the words, and for each {word} among them, of small letters, digits, '-' and spaces, what
// `add` appends for it. Other braces stay.
void text_fill(struct text *text, const char *words,
               void (*add)(const void *context, const char *word, struct text *text),
               const void *context);

#endif
