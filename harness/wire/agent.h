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
// The same of a server.
struct agent_address {
    const char *host; // NULL: it is on this machine
    const char *const *launch;
    char id[40];
};

// Of that client, from 1, of the trial that has this tag.
struct agent_address agent_address_of(const struct external_client *program, const char *tag,
                                      int client);

// The command that starts an agent; with a verb ("strike", "server"), one of that verb.
void agent_command(const struct agent_address *address, const char *verb, struct string_list *out);

// For messages: "which was launched by `...`: see that this works by hand".
struct text;
void agent_say_launch(const struct agent_address *address, const char *verb, struct text *out);

// The first line for an agent.
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

// Does that to all processes of that driver or server on this host, and returns once it is proven:
// none goes on, none is stopped, none is left. They are those that have its id in their
// environment, or are of the process group (0: none), for there are servers that write over their
// environment. 0, or -1 with `error` set, also if there are none.
int agent_strike(const char *strike, const char *id, pid_t group, struct error *error);

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

// What `lockpick agent server ID` does (agent_server.c): boots a server here, in a folder of its
// own, which is removed with it. Its first line is read and answered as a driver's agent does it:
//
//     > {"agent": "0.1.0", "host": "h1", "ports": 3}
//     < {"agent": "0.1.0", "folder": "/tmp/lockpick-ID", "address": "10.0.0.7", "ports": [7101,
//     7102, 7103]}
//
// The address is one of this host's that others reach, the ports are free. Then strikes follow, and
//
//     start {"command": [...], "environment": [...], "files": {"zoo.cfg": "..."},
//            "first": {"data/myid": "1"}, "kept": [...]}
//                                                boots it, with these files, some of which are only
//                                                written if they are not there; with "kept", all
//                                                of its data but these are removed before. "done
//                                                17": the id of its process
//     ping                                       "done 2": what it does (enum process_way)
//
// It ends with the server, unless that was killed by a strike.
#define AGENT_PING "ping"
void agent_serve_server(const char *id);

// --- what agents have in common (agent.c) --------------------------------------------------------

struct json_t;

// The first line, of which nothing is read that comes after it; whether it is of this version. For
// the caller to free.
struct json_t *agent_read_opening(bool *is_ours);
// An array of texts (NULL-terminated, or NULL: empty). For the caller to free.
struct json_t *agent_array(const char *const *texts);
// The texts that the array has, which outlives them, behind `first` (or NULL); NULL-terminated, for
// the caller to free.
const char **agent_texts(const struct json_t *array, const char *first);

// A process of its own, in a session of its own, that outlives the agent and then sees to its end:
// nobody can tell an agent that is killed to do so. It keeps none of the agent's streams open, for
// whose end who launched it waits. 0, or -1 with `error` set.
int agent_guard(const char *id, void (*end)(const char *id), struct error *error);

// Acts upon each line until its input ends, and says what came of it: a number, or -1 with `error`
// set.
typedef int64_t agent_act(void *context, const char *line, struct error *error);
void agent_do_lines(agent_act *act, void *context);
// The line for a cut.
void agent_cut_write(const struct agent_cut *cut, struct text *out);

#endif
