// One schedule of a trial against the real servers: which client takes the next step, where time
// passes, which request or reply is lost, who crashes. The same moves give the same history: time
// stands still but for the moves, tokens are drawn from the trial's seed, and one client at a time
// goes.
//
// A move lasts from where a client stands (harness/point/gate.h) to where it stands next: its
// request executes at the server, and its answer is read.
#ifndef LOCKPICK_RUN_REPLAY_H
#define LOCKPICK_RUN_REPLAY_H

#include "harness/check/check.h"
#include "harness/run/servers.h"
#include "harness/run/threads.h"
#include "harness/scenario/moves.h"

struct schedule_moves {
    struct move moves[MOST_MOVES];
    size_t count;
};

// The same as it was done: a line for each, and when it began; at last, when all was over.
struct told_moves {
    struct text lines;
    int64_t began_ns[MOST_MOVES + 1];
};

struct replay;

// Boots the servers, by `pool`. The history of each schedule is `<folder>/history.bin`. From here
// to replay_close this process lives in the replay's time. 0; TRIAL_MEANINGLESS if the trial cannot
// be replayed, TRIAL_IMPOSSIBLE if its server cannot carry the scheme, else -1 (conductor.h), with
// *opened NULL and `error` set. `serial`: as for trial_conduct.
int replay_open(const struct trial *trial, struct server_pool *pool, const char *folder, int serial,
                struct replay **opened, struct error *error);
void replay_close(struct replay *replay);

// Puts servers, store, clocks and history back to the beginning, and brings every client to its
// first step. End it with replay_end. 0, or -1 with `error` set.
int replay_begin(struct replay *replay, struct error *error);

// Whether replicas may take over yet, from the next schedule on, or, with false, from now on: only
// then it is followed what they lack, and told by replay_state. At first they may.
void replay_follow_replicas(struct replay *replay, bool may_take_over);

// Whether the move can be made now. A client that sleeps can go on once somebody else has moved;
// one that waits, once a thread of its own has rung for it, or its time is over.
bool replay_can(struct replay *replay, struct move move);

// Makes a move that can be made.
void replay_move(struct replay *replay, struct move move);

// True if the last move was one that changes nothing but what its thread draws, or what its
// client's clock shows, and that has not been looked at: it was no more than MOVE_STEP.
bool replay_was_plain(const struct replay *replay);

// True if no other client and no server notices the move when it is made: a crash, a request that
// is lost or refused, where servers keep nothing for a session.
bool replay_is_private(const struct replay *replay, struct move move);

// True if no worker can go on but holders of the lock, which stand before their write.
bool replay_only_holders_can(const struct replay *replay);

// True if every client is over, or has crashed.
bool replay_is_over(const struct replay *replay);

// The move of which nothing else is asked: who moved last (of client 0: nobody) goes on, else the
// first that can, else all wait. False: there is none, the trial is over.
bool replay_usual(struct replay *replay, struct move last, struct move *move);

// As replay_usual, but holders of the lock go last, and before them who moved last if `last_waits`.
bool replay_crowding(struct replay *replay, struct move last, bool last_waits, struct move *move);

// Whether each client has such a thread.
bool replay_has_thread(const struct replay *replay, enum client_thread thread);

// True if in this schedule a watchdog was held up for a good part of a lease, or an answer for a
// whole one: a lease may have ended that it would have renewed.
bool replay_has_stalled(const struct replay *replay);

// True if nobody was granted the lock for so long that it is stuck: no move but MOVE_TIME is left.
bool replay_is_stuck(const struct replay *replay);

// All that decides what can come: what the servers keep, where each client stands, what it has
// heard in its operation, the guarded value. Two equal ones go on equally, but for clients that
// keep more in mind than that, or that are not alike; replay_remember, before replay_begin, adds
// who they are, and what they heard in all operations before, and in each attempt in vain, and has
// programs started anew whenever a fault has struck them. 0, or -1 with `error` set.
int replay_state(struct replay *replay, uint64_t *state, struct error *error);
void replay_remember(struct replay *replay);

// By the last state: clients are alike, and equal states may tell them in another order. The client
// of that rank, from 0; 0: there is none.
int replay_ranked(const struct replay *replay, int rank);

// What the thread that the move is of stands before: a command, "write", "retry", "message",
// "wakes".
const char *replay_stands(const struct replay *replay, struct move move);

// How many servers there are, which moves may strike.
int replay_servers(const struct replay *replay);

// Judges what has happened until now, which ends the trial: call replay_end next. The trial model
// and its history last until then. 0, or -1 with `error` set.
int replay_judge(struct replay *replay, const struct trial_model **model,
                 struct judgement *judgement, struct error *error);

// Of what was judged last; lasts as long.
const struct trial_model *replay_model(const struct replay *replay);

// Ends the clients. The history file stays as replay_judge found it.
void replay_end(struct replay *replay);

// Before replay_begin: nothing that programs have kept in mind lives on.
void replay_renew(struct replay *replay);

// Conducts a trial whose scenario has a schedule, as trial_conduct does; what the schedule leaves
// open is done by usual moves.
int replay_conduct(const struct trial *trial, struct server_pool *pool, const char *folder,
                   int serial, struct error *error);

#endif
