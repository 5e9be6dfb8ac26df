// Strikes a process on another host: an agent of its own, which is launched for it there and asked
// by lines (`lockpick agent strike`, `lockpick agent server`: agent.h). It answers each of them, in
// their order.
#ifndef LOCKPICK_WIRE_STRIKER_H
#define LOCKPICK_WIRE_STRIKER_H

#include "harness/base/error.h"
#include "harness/wire/agent.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct striker {
    pid_t process;  // of its launch; 0: there is none
    int to, from;   // descriptors: its standard input, and its standard output
    char whom[100]; // it strikes, for messages: "its driver on host a"
    char log[100];  // the file that has its standard error, for messages
    int asked, answered;
    char heard[500]; // of an answer that has not come as a whole
    size_t length;
    char answers[2][500];   // the last two
    bool is_prepared;       // it made something ready there (wires, a server), and has that to undo
    char why_no_wires[500]; // why they cannot; "": they can
};

// What it was asked; number 0: nothing.
struct strike_question {
    int number;
    int64_t asked_ns;
};

// Launches the agent, with its standard error in the file. 0, or -1 with `error` set.
int striker_start(struct striker *striker, const struct agent_address *address, const char *verb,
                  const char *log_path, struct error *error);

// Writes a line, which is answered some time. False if it was not taken.
bool striker_tell(struct striker *striker, const char *line);

// Asks, once nobody else does, and is to be called until the answer has come: 0 if it was done,
// with what came of it in `came_of_it`; 1 if it is not answered yet; -1 with `error` set.
int striker_ask(struct striker *striker, struct strike_question *question, const char *line,
                int64_t *came_of_it, struct error *error);

// Waits for the answer to what it was told last. NULL with `error` set: why none came.
const char *striker_await(struct striker *striker, struct error *error);

// Ends those that there are: each is to undo what it has done, and is given the time if it has
// something to undo.
void strikers_end(struct striker *const *strikers, size_t count);

#endif
