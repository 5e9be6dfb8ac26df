// What a server keeps when it stops.
#ifndef LOCKPICK_BASE_SERVER_FORM_H
#define LOCKPICK_BASE_SERVER_FORM_H

#include <stdbool.h>
#include <stdint.h>

enum persistence { PERSISTENCE_NONE, PERSISTENCE_AOF_EVERYSEC, PERSISTENCE_AOF_ALWAYS };

// Whether those that run already know their clients, and by what.
enum login {
    LOGIN_NONE,
    LOGIN_ANY,         // a user, a password, or both
    LOGIN_BY_PASSWORD, // a password, with a user or without
    LOGIN_BY_BOTH,     // a user and a password
};

// A kind of server that locks are made with, as scenarios, checks and reports need to know it.
struct server_form {
    const char *title; // for people: "Redis"
    // What it does to keep a grant when it stops, by enum persistence; NULL: it has no such way.
    const char *durability[PERSISTENCE_AOF_ALWAYS + 1];
    int64_t late_expiry_ns; // how much longer than it was asked to it may keep a lease
    bool sets_clock_late;   // once it has stood still, it takes that time off leases all at once
    bool tags_keys;         // all keys of a lock have its tag in their names, and go by that
    bool shows_keys;        // whether a lock is there can be seen by a key of the lock's name
    bool is_custom;         // a scenario says how it is started (base/custom_server.h)
    bool keeps_commits;     // it stores what it answers to, however it stops
    // Why no agent can boot it on another host; NULL: one can.
    const char *why_not_remote;
    // What is made in a lone one before a trial, without which no lock can be taken; NULL: nothing.
    const char *set_up;
    enum login login;
    // How a user is given rights on one that runs already: what stands before them, NULL where it
    // is not known; and those that each run needs, whatever it locks with.
    const char *grant;
    const char *rights;
    bool has_databases; // of which the path of a URL names one
    // Of URLs by TLS ("rediss"), which `tls` says, too; NULL: none.
    const char *tls_scheme;
    // Why it cannot be spoken to by TLS, or not where its certificate has another name; NULL: it
    // can.
    const char *why_no_tls, *why_no_server_name;
};

// A way in which servers of one kind can belong together.
struct topology_form {
    const char *name;   // "sentinel"
    const char *server; // kind of server, "redis"
    int least, most;    // how many servers that hold data it can have
    int usual;
    bool by_majority; // it serves as long as more than half of them do
    bool independent; // its servers know nothing of each other
    bool led;         // by its first server, until a failover
    // Cut off from each other, two of its servers may grant the same lock: what one of them granted
    // never came to the other.
    bool diverges;
    bool locks_locally; // what is locked only the server knows that locked it
    // If a server that is silent for so long is replaced by a copy that may lag behind: locks that
    // it had are lost with it. 0: none is, or nothing is lost.
    int64_t deposes_after_ns;
};

#endif
