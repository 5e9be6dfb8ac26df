// Sets the stage of a trial: history, nodes, servers, the guarded value; and strikes it again.
#ifndef LOCKPICK_DRIVE_SETUP_H
#define LOCKPICK_DRIVE_SETUP_H

#include "harness/cluster/cluster.h"
#include "harness/drive/stage.h"

// Fills `stage` (which may hold nothing yet) and boots `cluster` for the trial. 0, or -1 with
// `error` set; call stage_close in either case.
int stage_open(struct stage *stage, const struct trial *trial, const struct sandbox *sandbox,
               const char *folder, int serial, struct cluster *cluster, struct error *error);
void stage_close(struct stage *stage, struct cluster *cluster);

// The guarded value as the harness itself sees it, before and after the run and past any fence.
// 0, or -1 with `error` set.
int stage_write_value(const struct stage *stage, int64_t value, struct error *error);
int stage_read_value(const struct stage *stage, int64_t *value, struct error *error);

#endif
