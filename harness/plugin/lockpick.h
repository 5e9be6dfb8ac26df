// The public header of native plug-ins: locks in C (or whatever can be linked like C) that
// Lockpick loads into its clients. All that a plug-in needs is in here.
//
//   cc -shared -fPIC -I harness/plugin -o mylock.so mylock.c
//
// and in a scenario
//
//   schemes:
//     - plugin: {name: my-lock, file: ./mylock.so, servers: redis, traits: [exclusive, lease]}
//
// A plug-in exports one symbol, `const struct lockpick_plugin lockpick_plugin`. What it crashes, it
// crashes the client with: the trial is an ERROR then.
#ifndef LOCKPICK_PLUGIN_H
#define LOCKPICK_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Changes whenever something below does.
#define LOCKPICK_PLUGIN_ABI 5

// Say no more than you know: an answer that did not come is UNKNOWN, not NO.
enum lockpick_outcome {
    LOCKPICK_OK,      // acquire: held
    LOCKPICK_NO,      // certainly not held
    LOCKPICK_UNKNOWN, // it may or may not have happened
    LOCKPICK_BROKEN,  // the set-up is wrong: `error` says how
    LOCKPICK_NO_JOB   // certainly not held, for there is no such job any more (of a queue: none)
};

enum lockpick_release {
    LOCKPICK_RELEASED,  // the server removed our lock
    LOCKPICK_NOT_OWNER, // it has the lock for somebody else
    LOCKPICK_GONE,      // it has no such lock
    LOCKPICK_RELEASE_UNKNOWN
};

enum lockpick_loss {
    LOCKPICK_LOST_NOT_OWNER = 1, // the server said so
    LOCKPICK_LOST_DEADLINE,      // no renewal was answered before the lease ran out
    LOCKPICK_LOST_SUSPENDED,     // the session may have ended
    LOCKPICK_LOST_SESSION        // it has
};

// What a client is told. It lives as long as the client.
struct lockpick_setup {
    int client;                   // its number, from 1
    int workers;                  // how many it has
    const char *lock;             // the lock's name
    const char *kind;             // of its servers: "redis", ...; "" if it needs none
    const char *topology;         // "single", ...; "" if it needs none
    const char *const *addresses; // "host:port", NULL-terminated
    // Of the topology "sentinel", the same; they call their master "lockpick".
    const char *const *sentinels;
    // "" where none is needed: servers that Lockpick boots let everybody in.
    const char *user;
    const char *password;
    const char *database;
    int64_t lease_ms;   // how long a grant is valid
    int64_t retry_ms;   // pause between two attempts
    int64_t request_ms; // time-out of one request
    int permits;        // of a semaphore, or a rate limiter (traits `permits`, `limiter`); else 0
    int jobs;           // of a queue: how many there are, counted from 1; else 0
    int attempts;       // of a queue: after so many it is to give a job up; 0: never
    const char *folder; // of the trial, for logs
    // Of servers that are spoken to by TLS, else NULL: the file of the certificates that vouch for
    // theirs; and what may be NULL: one of our own with its key, and the name that theirs has.
    const char *tls_ca, *tls_certificate, *tls_key, *tls_server_name;
};

// A worker: one thread of the client, with its handle on the lock.
struct lockpick_worker {
    const struct lockpick_setup *setup;
    int number;  // from 1
    bool shared; // with the trait `shared`: it acquires, or holds, as a reader
    // How often it holds the lock once an acquire has succeeded, or until a release: 1, and with
    // the trait `reentrant` also 2, ...
    int depth;
    bool done;    // of a release, of a job: it is done, and nobody is to be given it again
    void *client; // what open_client gave
    void *state;  // the plug-in's own
    char error[256];
    // For the plug-in to call, from any thread. `now_ms` is the client's clock, which faults may
    // shift; an acquire ends when it must give up (time is up, or the trial ends).
    int64_t (*now_ms)(const struct lockpick_worker *worker);
    bool (*must_give_up)(const struct lockpick_worker *worker);
    // The hold is gone. Only between a grant and the call of its release.
    void (*lost)(struct lockpick_worker *worker, enum lockpick_loss reason);
};

struct lockpick_grant {
    int64_t token;    // fencing token; 0: none
    int64_t job;      // with the trait `job-queue`: the number of the job, from 1
    int64_t valid_ms; // how much longer from now the lock is certainly ours: what is left of the
                      // lease if it is counted from before the request was sent, and no more than a
                      // lease; -1: not known
    // When the request was sent that was granted, on CLOCK_MONOTONIC: a lease counts from there,
    // and it beats valid_ms. 0: not known, and if valid_ms is not either, Lockpick knows the lease
    // only from the call of acquire on at the earliest, and from its return on at the latest.
    int64_t request_ns;
};

struct lockpick_plugin {
    uint32_t abi;  // LOCKPICK_PLUGIN_ABI
    uint32_t size; // sizeof(struct lockpick_plugin)
    // Optional: what the client's workers share, written to *client. 0, or -1 with `error` written.
    int (*open_client)(const struct lockpick_setup *setup, void **client, char *error, size_t room);
    void (*close_client)(void *client);
    // Optional: a worker's. 0, or -1 with worker->error written.
    int (*open)(struct lockpick_worker *worker);
    void (*close)(struct lockpick_worker *worker);
    // Tries until it holds the lock or must give up. It comes back within a few request_ms of that,
    // and so does release: a plug-in that hangs ends the trial as an ERROR.
    enum lockpick_outcome (*acquire)(struct lockpick_worker *worker, struct lockpick_grant *grant);
    enum lockpick_release (*release)(struct lockpick_worker *worker);
};

extern const struct lockpick_plugin lockpick_plugin;

#endif
