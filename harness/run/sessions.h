// What servers keep for sessions while schedules are made (replay.h), where their kind tells it
// (struct server_exploration): a request that waits for others, and what ends with a session. A
// request that waits is issued in one step and answered in another; in between its thread cannot go
// on. A session ends at the server before the next step: with its connection, and with its client.
#ifndef LOCKPICK_RUN_SESSIONS_H
#define LOCKPICK_RUN_SESSIONS_H

#include "harness/cluster/exploration.h"
#include "harness/run/threads.h"

struct sessions {
    struct explored_servers *servers;
    struct threads *threads;
    uint64_t last_in_line; // of those whose requests wait
    uint64_t ended;        // of all clients, after which others were looked at
    struct error error;    // what went wrong first, "" if nothing
};

// Before a schedule.
void sessions_begin(struct sessions *sessions, struct explored_servers *servers,
                    struct threads *threads);

// As gate_let_go, but the thread may be left with a request that waits.
void sessions_let_go(struct sessions *sessions, struct step_gate *gate, enum gate_order order);

// After each move: waits until nothing is kept for sessions that have ended, and until all stand
// whose requests wait no more.
void sessions_settle(struct sessions *sessions);

// Ends all sessions of the client, from 1, which has crashed.
void sessions_crash(struct sessions *sessions, int client);

// At the end of a schedule: lets those go for good whose requests wait, before they are joined.
void sessions_end(struct sessions *sessions);

#endif
