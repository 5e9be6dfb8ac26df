// A kind of server: how it is started, how one knows that it is ready, how one talks to it, what
// can be done to it. One folder per kind, one line in catalogue.c.
#ifndef LOCKPICK_CLUSTER_SERVER_H
#define LOCKPICK_CLUSTER_SERVER_H

#include "harness/base/server_form.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/control.h"
#include "harness/cluster/topology.h"

#include <stddef.h>

struct server_exploration;

struct server_kind {
    const char *name;        // "redis"
    struct server_form form; // without a title: no locks are made with it alone
    const char *program;     // what must be in PATH, unless `installed` knows better
    const char *package;     // the Debian package that brings it
    int port;                // where it listens inside a namespace; extra ports are the next ones
    int extra_ports;         // how many more it listens on, at most MAX_EXTRA_PORTS
    int boot_limit_s;        // the longest that it may take until it is ready; 0: 20
    // How servers of it belong together, the usual way first; NULL-terminated. NULL: they are part
    // of another kind's groups.
    const struct topology *const *topologies;
    // Optional: whether all that it needs is installed. NULL: `program`, if it has one, is in PATH.
    bool (*installed)(void);
    // Optional: writes the version to `out`. NULL: the program is asked with --version.
    void (*version)(char *out, size_t room);
    // Starts the server on the node, in node->home, with its data in node->data, its output in
    // server.log of node->folder. What an earlier start left there is kept: that is a restart. Its
    // peers, whose addresses and ports are known by now, are in node->group. Returns its process
    // id, or -1 with `error` set.
    pid_t (*start)(const struct node *node, struct error *error);
    // Asks once whether this very process serves, not some other that has taken its port. One that
    // serves only together with its peers is ready when it does.
    bool (*ready)(const struct node *node);
    // Optional: removes from servers of the user's what runs that were killed have left there.
    // NULL: that ends by itself. 0, or -1 with `error` set.
    int (*clean)(const struct service *service, struct error *error);
    // How one talks to it (session.h): makes session->client, which is freed behind `close`; both
    // NULL: each request is a connection of its own.
    int (*open)(struct session *session);
    int (*ask)(struct session *session, const char *request);
    void (*close)(struct session *session);
    // Whether the preload can set its clocks (faults/clock_preload.c), hinder its disk (disk.h) and
    // keep strangers out (gate_preload.c). Not if it asks the kernel itself, as Go programs do.
    bool takes_preload;
    bool shares_memory; // that would stay behind when it is killed (memory_preload.c)
    bool keeps_data;    // over a crash, however it is set up
    bool is_in_memory;  // it has no data folder, however it is set up
    // Files in its data that tell it which group it belongs to; NULL-terminated, or NULL.
    const char *const *kept;
    // Whether its peers refuse one that comes back without its data.
    bool must_remember;
    // Optional: removes what a power cut takes from one that is down. NULL: nothing, as it answers
    // a write when it is on the disk, or keeps nothing. 0, or -1 with `error` set.
    int (*power_cut)(const struct node *node, struct error *error);
    int ending; // the signal by which its operator ends it; 0: SIGTERM
    // By which clock it counts how long a lock lasts.
    enum shifted_clock lease_clock;
    // Optional: words of lines by which its log tells that one of its processes ended, and with it
    // what its clients held. NULL-terminated.
    const char *const *death_notes;
    // Optional: words by which its log tells that it gives up for want of a disk, while its other
    // threads may go on writing. NULL-terminated.
    const char *const *surrender_notes;
    // What else can be done to it, or NULL.
    const struct server_control *control;
    // How it is explored (exploration.h), or NULL: it cannot be.
    const struct server_exploration *exploration;
};

// Every kind; NULL-terminated.
extern const struct server_kind *const server_catalogue[];

// The kind with this name, or NULL.
const struct server_kind *server_kind_find(const char *name);

// Whether a library can be loaded into the program, of a scenario's own server: not if it is linked
// statically, as most Go programs are. Scripts are taken to be run by one that takes it.
bool custom_takes_preload(const struct custom_server *custom);

// Of the node's server what is a fact of its kind, or what a scenario says of a server of its own:
// the program that it is started with, how long it may take until it serves, the signal by which
// its operator ends it, the clock by which it counts how long a lock lasts, and whether the preload
// can be loaded into it.
const char *node_program(const struct node *node);
int node_boot_limit_s(const struct node *node);
int node_ending(const struct node *node);
enum shifted_clock node_lease_clock(const struct node *node);
bool node_takes_preload(const struct node *node);

bool server_is_installed(const struct server_kind *kind);

// The version that the program reports, for the result's environment: "redis-server 7.0.15".
// Returns `out`; the program's name alone if it says nothing.
const char *server_version(const struct server_kind *kind, char *out, size_t room);

// The same of what the node's server is started with, if that is not its kind's program.
const char *node_version(const struct node *node, char *out, size_t room);

// The same of a program, in PATH or a full path, without the folders before its name.
const char *program_version(const char *program, char *out, size_t room);

// For `version`: runs a program, and writes "NAME NUMBER". The number is the first that comes after
// the text `before` in what the program prints, up to a space, a comma or a hyphen. If there is
// none: "NAME"; if the program hangs, it is killed after VERSION_LIMIT_S, and `out` says so.
#define VERSION_LIMIT_S 15
void version_ask(const char *name, const char *const *arguments, const char *before, char *out,
                 size_t room);

// The number of a version, "7.0.15"; NULL if it is not known.
const char *version_number(const char *version);

// For `start`: runs a command line on the node, output to server.log in its folder. Its words are
// parted by spaces and quoted as in a shell; a node's paths need no quotes. If the node has a clock
// of its own, the program reads time by that. With `ordinary_user`, for servers that refuse to run
// as root, and on loopback ports it is not root. Returns its process id, or -1 with `error` set.
__attribute__((format(printf, 4, 5))) pid_t server_run(const struct node *node, bool ordinary_user,
                                                       struct error *error, const char *format,
                                                       ...);

// The same of words that are parted already; NULL-terminated.
pid_t server_start(const struct node *node, bool ordinary_user, const char *const *arguments,
                   struct error *error);

// For `start`: writes a file of settings into node->home, and into node->folder, where it stays. 0,
// or -1 with `error` set.
int server_write(const struct node *node, const char *name, const char *settings,
                 struct error *error);

// The same in node->home alone ("data/myid"); with `first`, unless an earlier start did.
int server_put(const struct node *node, const char *name, const char *content, bool first,
               struct error *error);

// For `ready`: the id that the server itself has where it runs.
pid_t server_process(const struct node *node);

// For `start`: sees to it that node->data holds a server's data: those of an earlier start, which
// the file `marker` in it tells, or else new ones, as `make` makes them in that folder. That takes
// seconds, so it is done once per machine and version, and copied. 0, or -1 with `error` set.
int server_provide_data(const struct node *node, const char *marker,
                        int (*make)(const struct node *node, struct error *error),
                        struct error *error);

#endif
