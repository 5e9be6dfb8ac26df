// What the kernel says about processes, their networks and the machine.
#ifndef LOCKPICK_RUN_USAGE_PROC_H
#define LOCKPICK_RUN_USAGE_PROC_H

#include "harness/base/processes.h"

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

// The process alone. False if there is none.
bool process_usage_read(struct thread_watch *watch, pid_t process, struct process_usage *usage);

// The processor time that all its threads have used. False if there is no such process.
bool process_clock_read(pid_t process, int64_t *processor_ns);

// The process and all that it forked, and that these forked. False if there is no such process.
bool family_usage_read(struct thread_watch *watch, const struct process_list *list, pid_t process,
                       struct process_usage *usage);

// The network that the process is in; false if there is no such process.
bool network_usage_read(pid_t process, struct network_usage *usage);

// The time for which processors of the machine were not idle, all added up; -1: not known.
int64_t machine_busy_ns(void);

// How many processors this process may use; at least 1.
int processors_allowed(void);

#endif
