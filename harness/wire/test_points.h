// For tests: whether a client's request passes its points.
#ifndef LOCKPICK_WIRE_TEST_POINTS_H
#define LOCKPICK_WIRE_TEST_POINTS_H

#include "harness/point/point.h"
#include "harness/testing/test.h"

// From now on, what the actor passes of that command ("": of any), before and after, is counted in
// board->traps[0].passed: by a trap that never comes to its turn.
static inline void count_points(struct actor *actor, struct point_board *board, const char *command)
{
    struct point_trap *trap = &board->traps[0];
    *trap = (struct point_trap){.client = 1,
                                .worker = 1,
                                .match_count = 2,
                                .nth = 1000000,
                                .matches = {{.side = POINT_BEFORE, .phase = PHASE_NONE},
                                            {.side = POINT_AFTER, .phase = PHASE_NONE}}};
    for (int i = 0; i < 2; i++)
        snprintf(trap->matches[i].what, sizeof trap->matches[i].what, "%s", command);
    point_arm(board, trap);
    actor->client = actor->worker = 1;
    actor->board = board;
}

#endif
