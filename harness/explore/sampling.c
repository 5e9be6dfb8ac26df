#include "harness/explore/sampling.h"

#include <string.h>

#define FIRST_LENGTH 16 // of a schedule, before one was made
#define MEMORY 8        // schedules by which their length is known
#define CHANGES 2       // of priority, in a schedule of PCT

void sampling_start(struct sampling *sampling, uint64_t seed)
{
    *sampling = (struct sampling){.length = FIRST_LENGTH};
    random_start(&sampling->random, seed, 0);
}

void sampling_begin(struct sampling *sampling, enum sampling_kind kind, const int most[CLASS_WAIT])
{
    if (sampling->at > 0)
        sampling->length = (sampling->length * (MEMORY - 1) + sampling->at) / MEMORY + 1;
    if (sampling->length > MOST_MOVES)
        sampling->length = MOST_MOVES;
    sampling->kind = kind;
    sampling->at = 0;
    memset(sampling->planned, 0, sizeof sampling->planned);
    memset(sampling->due, 0, sizeof sampling->due);
    for (int class = 0; class < CLASS_WAIT && kind != SAMPLING_UNIFORM; class ++) {
        for (int i = 0; i < (class == CLASS_STEP ? CHANGES : most[class]); i++)
            sampling->planned[random_below(&sampling->random, sampling->length)][class]++;
    }
    for (int client = 1; client <= MOST_EXPLORED_CLIENTS && kind != SAMPLING_UNIFORM; client++) {
        for (int thread = 0; thread < CLIENT_THREADS; thread++)
            sampling->priorities[client][thread] = random_next(&sampling->random);
    }
}

// One of the moves of that class, each like any other.
static size_t any_of(struct sampling *sampling, const struct move *moves, size_t count,
                     enum move_class class)
{
    size_t found = count;
    uint64_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        if (move_class(moves[i]) == class && random_below(&sampling->random, ++seen) == 0)
            found = i;
    }
    return found;
}

static uint64_t *priority_of(struct sampling *sampling, struct move move)
{
    return &sampling->priorities[move.client][move.thread];
}

static size_t first_step(struct sampling *sampling, const struct move *moves, size_t count)
{
    size_t first = count;
    for (size_t i = 0; i < count; i++) {
        if (move_class(moves[i]) == CLASS_STEP &&
            (first == count ||
             *priority_of(sampling, moves[i]) > *priority_of(sampling, moves[first])))
            first = i;
    }
    return first;
}

size_t sampling_next(struct sampling *sampling, const struct move *moves, size_t count)
{
    const int *planned = sampling->planned[sampling->at++];
    if (sampling->kind == SAMPLING_UNIFORM)
        return random_below(&sampling->random, count);
    for (int class = 0; class < CLASS_WAIT; class ++)
        sampling->due[class] += planned[class];
    for (enum move_class class = CLASS_FAULT; class < CLASS_WAIT; class ++) {
        size_t found = sampling->due[class] > 0 ? any_of(sampling, moves, count, class) : count;
        sampling->due[class] -= found < count;
        if (found < count)
            return found;
    }
    size_t first = first_step(sampling, moves, count);
    if (first < count && sampling->kind == SAMPLING_POS) {
        *priority_of(sampling, moves[first]) = random_next(&sampling->random);
    } else if (first < count && sampling->due[CLASS_STEP] > 0) {
        sampling->due[CLASS_STEP]--;
        *priority_of(sampling, moves[first]) = MOST_MOVES - sampling->at; // the later, the lower
        first = first_step(sampling, moves, count);
    }
    return first;
}
