#include "harness/explore/frontier.h"

#include "harness/base/growing.h"

#include <stdlib.h>
#include <string.h>

// Of a table with room: where it is, or would be.
static struct known *place_of(const struct frontier *frontier, uint64_t what)
{
    size_t at = (size_t)(what * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (frontier->known_room - 1);
    while (frontier->known[at].what != 0 && frontier->known[at].what != what)
        at = (at + 1) & (frontier->known_room - 1);
    return &frontier->known[at];
}

bool frontier_meets(struct frontier *frontier, uint64_t what)
{
    if (2 * frontier->known_count >= frontier->known_room) {
        struct known *old = frontier->known;
        size_t old_room = frontier->known_room;
        frontier->known_room = old_room > 0 ? 2 * old_room : 4096;
        frontier->known = memory_zeroed(frontier->known_room, sizeof *frontier->known);
        for (size_t i = 0; i < old_room; i++) {
            if (old[i].what != 0)
                *place_of(frontier, old[i].what) = old[i];
        }
        free(old);
    }
    struct known *place = place_of(frontier, what);
    if (place->what == what)
        return false;
    place->what = what;
    frontier->known_count++;
    return true;
}

void frontier_note_made(struct frontier *frontier, uint64_t edge, uint64_t to)
{
    if (edge == 0)
        return;
    frontier_meets(frontier, edge);
    place_of(frontier, edge)->to = to;
}

uint64_t frontier_after(const struct frontier *frontier, uint64_t edge)
{
    return place_of(frontier, edge)->to;
}

void frontier_add(struct frontier *frontier, const struct schedule_moves *schedule, uint64_t edge,
                  int added_cost)
{
    int cost = frontier->cost + added_cost;
    struct prefixes *list = &frontier->waiting[cost < MOST_COST ? cost : MOST_COST];
    list = added_cost > 0 ? list : &frontier->as_dear;
    size_t bytes = schedule->count * sizeof *schedule->moves;
    struct prefix prefix = {memory_new(bytes), schedule->count, edge};
    memcpy(prefix.moves, schedule->moves, bytes);
    *APPEND(list->items, list->count, list->room) = prefix;
    frontier->count++;
}

bool frontier_take(struct frontier *frontier, bool takes_all, struct schedule_moves *schedule,
                   uint64_t *edge)
{
    struct prefix prefix;
    bool was_made;
    do {
        struct prefixes *list = &frontier->as_dear;
        int cost = 0;
        if (list->count > 0) {
            prefix = list->items[--list->count];
        } else {
            while (cost <= MOST_COST &&
                   frontier->waiting[cost].first == frontier->waiting[cost].count)
                cost++;
            if (cost > MOST_COST)
                return false;
            list = &frontier->waiting[cost];
            prefix = list->items[list->first++];
            frontier->cost = cost;
        }
        memcpy(schedule->moves, prefix.moves, prefix.count * sizeof *prefix.moves);
        schedule->count = prefix.count;
        free(prefix.moves);
        frontier->count--;
        was_made = prefix.edge != 0 && place_of(frontier, prefix.edge)->to != NOT_MADE;
    } while (was_made && !takes_all);
    *edge = prefix.edge;
    return true;
}

static void forget_prefixes(struct prefixes *list)
{
    for (size_t i = list->first; i < list->count; i++)
        free(list->items[i].moves);
    free(list->items);
}

void frontier_forget(struct frontier *frontier)
{
    forget_prefixes(&frontier->as_dear);
    for (int cost = 0; cost <= MOST_COST; cost++)
        forget_prefixes(&frontier->waiting[cost]);
    free(frontier->known);
    *frontier = (struct frontier){.cost = 0};
}

// --- a file --------------------------------------------------------------------------------------

bool left_pass(const struct left *left, void *bytes, size_t length)
{
    if (length == 0)
        return true;
    if (left->is_read)
        return fread(bytes, length, 1, left->file) == 1;
    return fwrite(bytes, length, 1, left->file) == 1;
}

static bool pass_prefixes(const struct left *left, struct prefixes *list)
{
    size_t count = list->count - list->first;
    bool is_whole = left_pass(left, &count, sizeof count);
    for (size_t i = 0; i < count && is_whole; i++) {
        struct prefix read = {.count = 0};
        struct prefix *prefix = left->is_read ? &read : &list->items[list->first + i];
        is_whole = left_pass(left, &prefix->count, sizeof prefix->count) &&
                   left_pass(left, &prefix->edge, sizeof prefix->edge) &&
                   prefix->count <= MOST_MOVES;
        if (left->is_read && is_whole) {
            read.moves = memory_new(read.count * sizeof *read.moves);
            *APPEND(list->items, list->count, list->room) = read;
        }
        is_whole =
            is_whole && left_pass(left, prefix->moves, prefix->count * sizeof *prefix->moves);
    }
    return is_whole;
}

bool frontier_pass(struct frontier *frontier, const struct left *left)
{
    size_t room = frontier->known_room;
    bool is_whole = left_pass(left, &frontier->count, sizeof frontier->count) &&
                    left_pass(left, &frontier->cost, sizeof frontier->cost) &&
                    left_pass(left, &frontier->known_count, sizeof frontier->known_count) &&
                    pass_prefixes(left, &frontier->as_dear);
    for (int cost = 0; cost <= MOST_COST && is_whole; cost++)
        is_whole = pass_prefixes(left, &frontier->waiting[cost]);
    is_whole = is_whole && left_pass(left, &room, sizeof room);
    if (left->is_read && is_whole && room * sizeof *frontier->known <= left->room) {
        frontier->known_room = room;
        frontier->known = memory_zeroed(room, sizeof *frontier->known);
    }
    return is_whole && frontier->known_room == room &&
           left_pass(left, frontier->known, room * sizeof *frontier->known);
}
