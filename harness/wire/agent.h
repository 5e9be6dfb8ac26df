// An agent: `lockpick agent`, which a launch command (`ssh HOST lockpick agent`) starts on another
// host. It runs the driver of one client there and relays its lines, both ways as they are, on its
// own standard input and output; its first line is read, and answered, before:
//
//     > {"agent": "0.1.0", "id": "t0123456789-1", "command": ["./lock"], "folder": "/srv/lock",
//        "needs": ["python3"], "install": "apt-get install python3",
//        "environment": ["LOCKPICK_REDIS=10.0.0.7:6379"]}
//     < {"agent": "0.1.0"}                          or, with "refused": "...", why it does not
//
// That is its version of Lockpick: another one is refused. Among the lines that follow are
//
//     > {"ping": 7}
//     < {"pong": 7, "driver": "rests"}              or "runs", or "stood still" since the last one
//
// Once its standard input ends, or the driver, or the agent itself, by whatever signal, all
// processes of the driver are ended. They are those that have its id in their environment.
#ifndef LOCKPICK_WIRE_AGENT_H
#define LOCKPICK_WIRE_AGENT_H

#include "harness/base/error.h"
#include "harness/base/external_client.h"
#include "harness/base/processes.h"
#include "harness/scenario/scenario.h"
#include "harness/wire/service.h"

#define AGENT_VARIABLE "LOCKPICK_AGENT"

// The driver of a client on another host: how its host is got at, and what it is known by there.
struct agent_address {
    const char *host; // NULL: the driver is on this machine
    const char *const *launch;
    char id[40];
};

// Of that client, from 1, of the trial that has this tag.
struct agent_address agent_address_of(const struct external_client *program, const char *tag,
                                      int client);

// The command that starts an agent; with a verb, one of that verb for its driver.
void agent_command(const struct agent_address *address, const char *verb, struct string_list *out);

// The first line for an agent.
struct text;
void agent_write_opening(const struct agent_address *address, const struct external_client *program,
                         const char *const *environment, struct text *out);

// Reads what it has answered. 0, or -1 with `error` set, if it is no agent, is of another version
// or has refused.
int agent_read_answer(const char *line, size_t length, const char *host, struct error *error);

// A pong. False if the line is none.
bool agent_read_pong(const char *line, size_t length, int64_t *number, enum process_way *driver);

// What `lockpick agent` does. Its exit code is its driver's, if it had one.
_Noreturn void agent_serve(void);

// "stop", "continue", "kill", NULL.
enum { AGENT_STOP, AGENT_CONTINUE, AGENT_KILL };
extern const char *const agent_strikes[];

// Does that to all processes of that driver on this host, and returns once it is proven: none goes
// on, none is stopped, none is left. 0, or -1 with `error` set, also if there are none.
int agent_strike(const char *strike, const char *id, struct error *error);

// What is between a driver and its servers, cut on its host (agent_wires.c).
struct agent_cut {
    int number;      // of those of one driver
    bool out, in;    // what goes to its servers, what comes from them
    const char *how; // "drop", "reject", or how many of a hundred packets vanish
    struct endpoint servers[2 * MAX_SERVERS];
    int server_count;
};

// Before the driver is started: whether its wires can be cut here, found out by trying, and its
// control group, which is entered then (if there is one) by who starts it. 0, or -1 with `error`
// set.
int agent_wires_prepare(const char *id, struct error *error);
int agent_wires_enter(const char *id, struct error *error);
// 0 once the kernel shows the rules. Joined again, -1, or how many packets have met them.
int agent_wires_cut(const char *id, const struct agent_cut *cut, struct error *error);
int64_t agent_wires_join(const char *id, int number, struct error *error);
// Removes all cuts, and the group once nobody is left in it, for whom a second is waited; or the
// group alone.
void agent_wires_remove(const char *id);
void agent_wires_leave(const char *id);

// What `lockpick agent strike ID` does as each line says, and what came of it as a line, which is
// its proof:
//
//     stop, continue, kill                       such a strike
//     prepare                                    whether wires can be cut here
//     cut 3 between drop 10.0.0.7 6379           such a cut, from its servers on: also "to", "from"
//     join 3                                     its end; "done 17": so many packets have met it
#define AGENT_HAS_STRUCK "done"
#define AGENT_PREPARE "prepare"
void agent_strike_as_told(const char *id);
// The line for a cut.
void agent_cut_write(const struct agent_cut *cut, struct text *out);

#endif
