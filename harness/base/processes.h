// What /proc says of processes and their threads.
#ifndef LOCKPICK_BASE_PROCESSES_H
#define LOCKPICK_BASE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Of the kernel's ticks, in which it counts processor time.
int64_t ns_of_ticks(int64_t ticks);

// True if /proc has our own ids: it has those of another namespace where it could not be mounted.
bool processes_can_be_read(void);

struct process_entry {
    pid_t id, parent, group;
    char state; // as in `ps`: R runs, S and D wait, T and t are stopped, Z is dead
    long threads;
    int64_t kernel_ns;       // processor time in the kernel, its own; by the kernel's tick, a
                             // hundredth of a second or so
    int64_t ended_ns;        // processor time of its children that have ended and were waited for
    int64_t ended_kernel_ns; // of it, in the kernel
};

// False if there is no such process.
bool process_read(pid_t process, struct process_entry *entry);

// The processor time that all its threads have used. False if there is no such process.
bool process_clock_read(pid_t process, int64_t *processor_ns);

// The caller frees `items`; an empty list has none.
struct process_list {
    struct process_entry *items;
    size_t count;
};

// Every process that can be seen.
struct process_list process_list_read(void);

// Threads of processes that are looked at again and again. All zero: of none yet. The files that it
// reads stay open until their process is long gone: a file of a thread that was read and closed
// leaves entries of /proc behind, which the thread removes when it ends, and while it waits for a
// processor to do so, the parent that reaps the process spins in the kernel (shrink_dcache_parent).
struct thread_watch {
    struct watched_process *processes;
    size_t count, room;
    struct thread_status *statuses;
};

struct thread_status {
    pid_t id;
    char state; // as in process_entry
    int64_t voluntary_switches, other_switches;
};

// The threads of the process; valid until the next call. How many they are: 0, if there is no such
// process.
size_t thread_watch_read(struct thread_watch *watch, pid_t process,
                         const struct thread_status **threads);

// True if a thread of the process is in one of these states ("RD").
bool thread_watch_is(struct thread_watch *watch, pid_t process, const char *states);

#define THREAD_CAN_RUN "RD"    // is ready to run, or waits for a disk
#define THREAD_IS_STOPPED "Tt" // by a signal, or a debugger

// A look at a process, and what it came to since the one before. Who could have run at both, or was
// stopped by a signal, and used next to no processor time between them, stood still; who has just
// run is not asked whether it could. All zero: there was none yet.
struct process_look {
    int64_t processor_ns, looked_ns;
    bool could_run;
};
enum process_way { PROCESS_IS_GONE, PROCESS_RESTS, PROCESS_RUNS, PROCESS_STOOD_STILL };

// `may_be_stopped`: that it is stopped does not count as standing still.
enum process_way process_look_again(struct thread_watch *watch, pid_t process, bool may_be_stopped,
                                    int64_t now_ns, struct process_look *look);

void thread_watch_free(struct thread_watch *watch);

#endif
