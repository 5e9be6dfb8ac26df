// A server of a scenario's own: a program that Lockpick boots without knowing it. Said in a
// scenario, used by harness/cluster/custom/custom.c.
#ifndef LOCKPICK_BASE_CUSTOM_SERVER_H
#define LOCKPICK_BASE_CUSTOM_SERVER_H

#include "harness/base/clock_shift.h"
#include "harness/base/text.h"

#include <stddef.h>
#include <stdint.h>

// Lists end with NULL. Commands, variables, `peer` and `ready_path` may have placeholders.
struct custom_server {
    const char *const *command;
    const char *const *environment; // "NAME=value"
    const char *folder;             // the scenario's, whose files a command may name
    const char *peer;               // what {peers} has for each of them
    // When it serves, by one of these; none: when it takes connections.
    const char *ready_log;            // is in a line of what it prints
    const char *ready_path;           // that an HTTP GET answers with ready_status
    const char *const *ready_command; // that succeeds; empty: none
    int64_t ready_status;
    int64_t boot_ns;                // until then
    const char *const *leads;       // a command that succeeds for who leads; empty: none
    const char *protocol;           // which a proxy is to understand (harness/wire/parser.h)
    const char *install;            // the command that installs it; NULL: not said
    int ending;                     // the signal by which its operator ends it; 0: SIGTERM
    enum shifted_clock lease_clock; // by which it counts how long a lock lasts
};

// What stands for something that is known when the server is started: "address" for {address}, ...;
// NULL-terminated.
extern const char *const custom_placeholders[];
#define CUSTOM_PORT "port" // the placeholder of the port that it was given
#define CUSTOM_DATA "data" // the placeholder of its data folder: without it, it keeps nothing

// Appends the text, with the values, in the order of custom_placeholders, for its placeholders.
// Other braces stay.
void custom_fill(struct text *out, const char *form, const char *const *values);

// The first word in braces, of letters and '-', that is no placeholder; false if there is none.
bool custom_finds_unknown(const char *form, char *word, size_t room);

// Whether a text of the list, NULL-terminated, has the placeholder.
bool custom_uses(const char *const *list, const char *placeholder);

#endif
