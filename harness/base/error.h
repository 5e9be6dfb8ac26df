// An error travels as text that the person who can act reads: what was tried, on what,
// what came back, what to do.
#ifndef LOCKPICK_BASE_ERROR_H
#define LOCKPICK_BASE_ERROR_H

struct error {
    char text[1024];
};

// What it quotes may be a stranger's: text_clean makes all of it fit for a terminal.
//
// Replaces the text of `error` (which may be NULL) and returns -1, so that a function can
// `return error_set(...)`.
__attribute__((format(printf, 2, 3))) int error_set(struct error *error, const char *format, ...);

// Puts "<context>: " before the text that is there, and returns -1.
__attribute__((format(printf, 2, 3))) int error_wrap(struct error *error, const char *format, ...);

#endif
