// Child processes: started with everything in place, ended by id, never left behind.
#ifndef LOCKPICK_CLUSTER_PROCESS_H
#define LOCKPICK_CLUSTER_PROCESS_H

#include "harness/base/error.h"
#include "harness/base/text.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_settings {
    const char *const *arguments;   // NULL-terminated; arguments[0] is looked up in PATH
    const char *const *environment; // "NAME=value" to be set besides; NULL-terminated; or NULL
    const char *folder;             // working folder, or NULL
    const char *log_path;           // standard output and error go there, or NULL to inherit
    const int *streams;             // two descriptors for its standard input and output, or NULL
    int network_namespace;          // a descriptor, or -1 to stay
    int processor;                  // to be pinned to, or -1
    bool own_group;                 // of which it is the leader
    bool ordinary_user; // if we are root, it must not be. In the host's network it is another user,
                        // who is given `folder` with all that is in it; in one of its own, or
                        // where there is no other user, it is in a user namespace of its own
};

// Starts a program that dies with the calling thread. Returns its id, or -1 with `error` set: also
// if the program could not be executed.
pid_t process_start(const struct process_settings *settings, struct error *error);

// The nth, from 0, of the processors that are allowed; -1 if there are not so many.
int processor_nth(int nth);

// What a forked child does first: dies with its parent (whose id it is given, in case that one is
// gone already), moves to the namespace and the processor, raises its limit of open files to what
// is allowed. 0, or -1 with errno set.
int process_settle(pid_t parent, int network_namespace, int processor);

// How long a program may take.
struct process_limit {
    int seconds;
    const _Atomic uint32_t *interrupted; // not 0 any more: no longer; or NULL
};

// Of programs that take a moment, on a machine that has none to spare.
#define PROCESS_LIMIT ((struct process_limit){.seconds = 60})

// Waits for the end of a child; what comes from the descriptor until then (-1: nothing) is appended
// to `output`. Returns its exit status, or 128 and the signal that ended it; or -1 with `error`
// set, which names the program, if it was killed because it took longer than allowed.
int process_wait(pid_t id, const char *program, struct process_limit limit, int descriptor,
                 struct text *output, struct error *error);

// Runs a program to its end with `input` as its standard input; what it printed (both streams) is
// appended to `output`. As process_wait, and -1 with `error` set, too, if it cannot be started.
int process_run(const char *const *arguments, const char *input, int network_namespace,
                struct process_limit limit, struct text *output, struct error *error);

// What the process does, for messages: "runs", "waits", "is stopped", "is dead", "is gone", ...
const char *process_doing(pid_t id);

// How a process ended, by its wait status: "signal 9", "exit status 1". Returns `out`; 32 bytes are
// enough.
const char *process_end(int status, char *out, size_t room);

// Kills the process and waits for its end. Nothing happens if `id` is not positive.
void process_kill(pid_t id);

// Writes to a file of the kernel's, in /proc. 0, or -1 with errno set.
int kernel_write(const char *path, const char *text);

// Adds to PATH what that of an ordinary user often lacks: /usr/sbin and /sbin, where ip, nft and
// some servers are, and the folder that Debian keeps the newest PostgreSQL in.
void programs_of_system_find(void);

// Where the program is found in PATH; the caller frees. NULL: nowhere.
char *program_path(const char *program);
// Whether it is in PATH, or, if a path was given, there.
bool program_exists(const char *program);
// Whether what is needed is there: a file, from that folder, or a program, if its name has no
// slash.
bool need_is_there(const char *need, const char *folder);

struct process_entry;
// A dead first thread tells nothing of the others.
bool process_is_alive(const struct process_entry *process);
// False if every thread of it is stopped, or dead. Threads that stopped one by one have stopped
// once all of them are listed as such.
bool process_goes_on(const struct process_entry *process);

// A process group is a client, and the programs that it has started. True if every thread of every
// process of it is stopped, or dead. False with `error` set if one is not, or if that cannot be
// seen (/proc).
bool process_group_stands_still(pid_t group, struct error *error);

// True if no process of the group lives. False with `error` set.
bool process_group_is_dead(pid_t group, struct error *error);

// Kills all of the group and waits until none lives, for ten seconds at most. 0, or -1 with `error`
// set. A group that has nobody left is fine.
int process_group_kill(pid_t group, struct error *error);

// The local ports of the TCP connections of the process, and of all others in the group that it
// leads, if it leads one. Returns how many (at most `room`), or -1 with `error` set.
int process_ports(pid_t process, int *ports, int room, struct error *error);

#endif
