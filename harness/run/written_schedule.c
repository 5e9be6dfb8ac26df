// A schedule that is written down: what a scenario says move by move.
#include "harness/run/conductor.h"
#include "harness/run/replay.h"

#include <string.h>

// 0, or -1 with `error` set to what differs.
static int make_written(struct replay *replay, const char *text, struct move *last,
                        struct error *error)
{
    struct move move;
    char what[MOVE_WHAT_ROOM];
    if (move_read(text, &move, what, error) != 0)
        return -1;
    if (!replay_can(replay, move))
        return error_set(error, "the schedule says '%s', but that cannot be done then%s%s", text,
                         move.client != 0 ? ": the client is at its " : "",
                         move.client != 0 ? replay_stands(replay, move) : "");
    if (move.server != 0 && strcmp(what, replay_stands(replay, move)) != 0)
        return error_set(error, "the schedule says '%s', but that server is called %s", text,
                         replay_stands(replay, move));
    if (what[0] != '\0' && strcmp(what, replay_stands(replay, move)) != 0)
        return error_set(error, "the schedule says '%s', but client-%d stands before %s then", text,
                         move.client, replay_stands(replay, move));
    replay_move(replay, move);
    *last = move.client != 0 ? move : *last;
    return 0;
}

int replay_conduct(const struct trial *trial, struct server_pool *pool, const char *folder,
                   int serial, struct error *error)
{
    const struct string_list *schedule = &trial->scenario->schedule;
    const struct trial_model *model;
    struct judgement judgement;
    struct move move, last = {.client = 0};
    struct replay *replay;
    int result = replay_open(trial, pool, folder, serial, &replay, error);
    if (result != 0)
        return result;
    result = replay_begin(replay, error);
    for (size_t i = 0; result == 0 && i < schedule->count; i++)
        result = make_written(replay, schedule->items[i], &last, error);
    for (int i = 0; result == 0 && i < MOST_MOVES && replay_usual(replay, last, &move); i++) {
        replay_move(replay, move);
        last = move.client != 0 ? move : last;
    }
    if (result == 0)
        result = replay_judge(replay, &model, &judgement, error);
    replay_end(replay);
    replay_close(replay);
    return result;
}
