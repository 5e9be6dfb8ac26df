// Sets the stage of a trial: history, nodes, servers, the guarded value; and strikes it again.
#ifndef LOCKPICK_RUN_SETUP_H
#define LOCKPICK_RUN_SETUP_H

#include "harness/run/servers.h"
#include "harness/run/stage.h"

// Fills `stage` (which may hold nothing yet), has `pool` provide the servers, and makes the nodes
// of the clients. 0, or -1 with `error` set; call stage_close in either case.
int stage_open(struct stage *stage, const struct trial *trial, struct server_pool *pool,
               const char *folder, int serial, struct cluster *clients, struct error *error);
void stage_close(struct stage *stage, struct cluster *clients);

// False, with the reason, if the servers lack what the scheme needs.
bool stage_is_possible(const struct stage *stage, struct error *why);

// Before any client comes: makes what the scheme and the store need, and writes and records the
// guarded value of each key. 0, or -1 with `error` set.
int stage_prepare(const struct stage *stage, int64_t value, struct history_writer *writer,
                  struct error *error);

// When all have ended: reads and records the guarded value of each key. 0, or -1 with `error` set.
int stage_record_values(const struct stage *stage, struct history_writer *writer,
                        struct error *error);

// After all have gone: removes whatever the trial left on the servers. 0, or -1 with `error` set.
int stage_clean_up(const struct stage *stage, struct error *error);

// A guarded value as the harness itself sees it, before and after the run and past any fence.
// 0, or -1 with `error` set.
int stage_write_value(const struct stage *stage, const struct stage_key *key, int64_t value,
                      struct error *error);
int stage_read_value(const struct stage *stage, const struct stage_key *key, int64_t *value,
                     struct error *error);

#endif
