// The process of a driver: a program that is started, whose lines are heard, and that is ended.
// What its lines mean is driver.c's.
#ifndef LOCKPICK_WIRE_DRIVER_PROCESS_H
#define LOCKPICK_WIRE_DRIVER_PROCESS_H

#include "harness/base/processes.h"
#include "harness/base/text.h"
#include "harness/wire/driver.h"

#include <pthread.h>
#include <stdatomic.h>

struct driver_process {
    // To be set; the rest is its own, from zeroed memory.
    const struct driver_settings *settings;
    struct driver *driver; // that hears its lines

    pid_t id;
    int input, output; // descriptors: its standard input, and its standard output
    int wake;          // an eventfd that ends the reader
    pthread_t reader;
    bool has_reader;
    _Atomic bool is_hearing; // the reader has read what it has not heard yet
    bool reaped;
    int status;                  // as it ended, if it is reaped
    pthread_mutex_t sending;     // one line at a time
    pthread_mutex_t looking;     // guards `threads`
    struct thread_watch threads; // of the program, and of those that it has started
};

// The first line for a driver; the caller frees it.
char *driver_hello(const struct driver_settings *settings);

// Starts the program in a network namespace (a descriptor; -1: in ours), with its servers in its
// environment, and three variables more (NULL-terminated; or NULL). 0, or -1 with `error` set: why
// the command most likely could not be started, and what to do. To be ended either way.
int driver_process_start(struct driver_process *process, int network, const char *const *variables,
                         struct error *error);

// Sends one line. -1 if it was not taken in time, or *failed is not 0 by now.
int driver_process_send(struct driver_process *process, const char *line, size_t length,
                        int64_t patience_ns, const _Atomic uint32_t *failed);

// True if the program, or one that it has started, runs or waits for a processor or a disk.
bool driver_process_is_at_work(struct driver_process *process);

// Adds "; its log ends with '...'", or nothing.
void driver_process_quote_log(const struct driver_process *process, struct text *out);

// Ends the reader, and the program: it is asked to if all was well, and sees to it that it does.
void driver_process_end(struct driver_process *process, bool was_well);

// The driver's, called by the reader's thread: a line has come; or what the program has done that
// no driver may do, after which nothing is read any more.
void driver_hear(struct driver *driver, const char *line, size_t length);
__attribute__((format(printf, 2, 3))) void driver_fail(struct driver *driver, const char *format,
                                                       ...);

#endif
