// What the processes of a trial use, read while it runs and recorded in its history (EVENT_USAGE).
#ifndef LOCKPICK_RUN_USAGE_H
#define LOCKPICK_RUN_USAGE_H

#include "faults/fault.h"
#include "harness/base/processes.h"
#include "harness/history/writer.h"

// --- what the kernel says ------------------------------------------------------------------------

// Since the process began, of all its threads.
struct process_usage {
    int64_t processor_ns;
    int64_t kernel_ns; // of it, in the kernel; by the kernel's tick, a hundredth of a second or so
    int64_t voluntary_switches, other_switches; // of the threads that live
};

// Since the network was made, through all devices but the loopback.
struct network_usage {
    int64_t received_bytes, sent_bytes, received_packets, sent_packets;
};

// The process alone; or, if `list` is not NULL, with all that it forked, and that these forked.
// False if there is no such process.
bool process_usage_read(struct thread_watch *watch, const struct process_list *list, pid_t process,
                        struct process_usage *usage);

// That the calling thread has used: what looking costs, however busy the machine is.
int64_t thread_processor_ns(void);

// The network that the process is in; false if there is no such process.
bool network_usage_read(pid_t process, struct network_usage *usage);

// The time for which processors of the machine were not idle, all added up; -1: not known.
int64_t machine_busy_ns(void);

// How many processors this process may use; at least 1.
int processors_allowed(void);

// What follows `begins`, up to the end of its line, where that is first found in the file;
// "unknown" if it is not. Returns `out`.
const char *line_of_file(const char *path, const char *begins, char *out, size_t room);

// --- what is recorded ----------------------------------------------------------------------------

// Zeros but for what must outlive it.
struct usage_watch {
    struct history_writer *writer;               // the conductor's
    const struct fault_environment *environment; // with the clients, of which some may not live
    const struct cluster *servers;
    struct thread_watch *threads;
    pid_t observer;
    int64_t due_ns; // when the next regular reading is
    size_t phases;  // of the load that had begun by the last one
};

// Reads everything now. Whoever cannot be read is left out: it may end at any time. To be called
// right before the barrier opens, and right before the stop is asked.
void usage_read_all(struct usage_watch *watch);

// The same if a regular reading is due: every second, or more rarely if reading takes so long that
// it would cost more than half a percent of a processor; or if other phases of the load have begun
// than had by the last, so that what each of them uses is known apart.
void usage_read_if_due(struct usage_watch *watch, int64_t now_ns, size_t phases);

// For a client process at its end: its last word, of itself with all its threads.
void usage_record_own(struct history_writer *writer, int client_number, bool knows_networks);

#endif
