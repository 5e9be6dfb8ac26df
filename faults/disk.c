// disk: a server's disk goes wrong, as far as its data folder goes (harness/cluster/disk.h). Full:
// what needs more room is refused. Slow: each write and each flush takes longer. With lost writes
// it answers that all is written, and when the server starts next, its data are as they were when
// the fault began. Corrupt: bits of a file are turned round, which shows when that is read again.
//
// A server may end by itself of a full disk: that is no failure, and it is started again once there
// is room. When that is known: either it has ended, or it has written something since and does not
// say that it gives up.
#include "faults/fault.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/disk.h"
#include "harness/cluster/server.h"

#include <stdio.h>
#include <string.h>

// A server that has neither ended nor written anything for so long is not going to.
#define PATIENCE_NS (20 * NS_PER_S)

static bool can_strike(const struct fault_form *form, const char *server,
                       enum persistence persistence, struct error *why)
{
    const struct server_kind *kind = server_kind_find(server);
    if (kind->is_in_memory)
        error_set(why, "%s keeps nothing on a disk", server);
    else if (kind->form.is_custom && persistence == PERSISTENCE_NONE)
        error_set(why, "nobody knows where it keeps its data: its command has no {data}");
    else if (!kind->keeps_data && persistence == PERSISTENCE_NONE)
        error_set(why,
                  "%s keeps nothing on its disk as it is set up here; with servers: {%s: "
                  "{persistence: aof-always}} it does",
                  server, server);
    else if ((form->traits & FAULT_HINDERS_DISK) != 0 && !kind->takes_preload)
        error_set(why,
                  "%s asks the kernel itself to write, past the C library, so that nothing can "
                  "come between it and its disk: how: lost-writes and corrupt are possible",
                  server);
    else
        return true;
    return false;
}

static enum availability available(const struct fault_prospect *prospect, struct error *why)
{
    const struct node *node = prospect->node;
    return can_strike(&prospect->instance->form, node->kind->name,
                      node->group->settings.persistence, why)
               ? FAULT_AVAILABLE
               : FAULT_MEANINGLESS;
}

// --- full and slow -------------------------------------------------------------------------------

static enum strike_state hinder(struct fault_strike *strike, enum disk_mode mode,
                                struct error *error)
{
    uint32_t sound = DISK_SOUND;
    struct node *node = strike->node;
    if (node->disk == NULL || atomic_load(&node->disk->readers) == 0)
        return error_set(error, "nothing stands between %s and its disk", node->name);
    atomic_store(&node->disk->delay_ns, strike->instance->by_ns);
    atomic_store(&node->disk->met, 0);
    node->may_end = mode == DISK_FULL;
    if (atomic_compare_exchange_strong(&node->disk->mode, &sound, mode))
        return STRIKE_IN_EFFECT;
    return error_set(error, "another fault has the disk of %s", node->name);
}

static enum strike_state start_again(struct fault_strike *strike, struct error *error)
{
    struct node *node = strike->node;
    if (strike->progress == 1 && server_restart(node, LOSS_NONE, error) != 0)
        return STRIKE_FAILED;
    strike->progress = 2;
    snprintf(strike->found, sizeof strike->found, "(%s had ended by itself, and is started again)",
             node->name);
    return server_is_back(node, error);
}

static bool has_given_up(const struct node *node)
{
    const char *const *words = node->kind->surrender_notes;
    AUTO_TEXT struct text log = {0};
    AUTO_FREE char *path = path_join(node->folder, "server.log");
    bool found = false;
    file_read(path, &log, NULL);
    for (; words != NULL && *words != NULL && !found; words++)
        found = strstr(text_string(&log), *words) != NULL;
    return found;
}

static enum strike_state make_sound(struct fault_strike *strike, struct error *error)
{
    struct node *node = strike->node;
    if (strike->progress == 0) {
        strike->met = atomic_load(&node->disk->met);
        atomic_store(&node->disk->mode, node->may_end && strike->met > 0 ? DISK_AGAIN : DISK_SOUND);
        strike->acted_ns = clock_monotonic_ns();
        strike->progress = 1;
    }
    enum strike_state state = STRIKE_IN_EFFECT;
    if (strike->progress == 2 || (node->may_end && server_has_ended(node)))
        state = start_again(strike, error);
    else if (clock_monotonic_ns() - strike->acted_ns < PATIENCE_NS &&
             (atomic_load(&node->disk->mode) == DISK_AGAIN ||
              (node->may_end && strike->met > 0 && has_given_up(node))))
        return STRIKE_PENDING;
    if (state == STRIKE_PENDING)
        return state;
    atomic_store(&node->disk->mode, DISK_SOUND);
    node->may_end = false;
    return state;
}

// --- lost writes ---------------------------------------------------------------------------------

// While the copy is made, the server must not write: it stands still.
static enum strike_state begin_to_lie(struct fault_strike *strike, struct error *error)
{
    struct node *node = strike->node;
    if (strike->progress == 0 && !server_stands_still(node))
        strike->progress = 1; // it is this fault that stops it
    int state = server_stop(node, error);
    if (state > 0)
        return STRIKE_PENDING;
    if (state == 0)
        state = disk_keep(node, error);
    if (strike->progress == 1 && server_continue(node, state == 0 ? error : NULL) != 0)
        state = -1;
    strike->progress = 0;
    return state == 0 ? STRIKE_IN_EFFECT : STRIKE_FAILED;
}

// --- the ways ------------------------------------------------------------------------------------

static const char *const hows[] = {"full", "slow", "lost-writes", "corrupt", NULL};
static const char *const slow_options[] = {"by", NULL};

#define FORM .name = "disk", .strikes = STRIKES_SERVER, .hows = hows, .can_strike = can_strike

static const struct fault_form full = {
    FORM,
    .traits = FAULT_HINDERS_DISK | FAULT_REFUSES | FAULT_DISCONNECTS,
    .lasting = LASTS_BOUNDED,
    .told = "{target}'s disk is full",
    .over = "{target}'s disk has room again{found}",
};

static const struct fault_form slow = {
    FORM,
    .traits = FAULT_HINDERS_DISK | FAULT_SLOWS,
    .lasting = LASTS_BOUNDED,
    .options = slow_options,
    .told = "{target}'s disk becomes slow: each write and each flush takes {by} longer",
    .over = "{target}'s disk is as fast as before",
};

static const struct fault_form lost_writes = {
    FORM,
    .traits = FAULT_MAY_FORGET | FAULT_SHOWS_AT_START,
    .lasting = LASTS_BOUNDED,
    .told = "{target}'s disk begins to lie: it answers that all is written, and keeps none of it",
    .over = "{target}'s disk has written all that it said it had",
    .lost = " started again without what its disk had said was written, {who}'s lock with it",
    .mitigation = "a disk that has written what it says it has; or a lock that most of several "
                  "servers must know",
};

static const struct fault_form corrupt = {
    FORM,
    .traits = FAULT_MAY_FORGET | FAULT_SHOWS_AT_START,
    .lasting = LASTS_NEVER,
    .told = "{target}'s disk turns bits round{found}",
    .lost = " started again with what its disk had damaged, without {who}'s lock",
    .mitigation = "a server that keeps checksums of its data, and one that others can replace",
};

static const struct fault_form *const ways[] = {&full, &slow, &lost_writes, &corrupt};

static bool is_way(const struct fault_strike *strike, const struct fault_form *way)
{
    return strike->instance->form.told == way->told;
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    struct node *node = strike->node;
    if (node->server <= 0)
        return error_set(error, "%s does not run", node->name);
    if (is_way(strike, &lost_writes))
        return begin_to_lie(strike, error);
    if (!is_way(strike, &corrupt))
        return hinder(strike, is_way(strike, &full) ? DISK_FULL : DISK_SLOW, error);
    char where[sizeof strike->found - 4];
    int flipped =
        disk_flip_bits(node, strike->environment->seed + (uint64_t)strike->instance->number, where,
                       sizeof where, error);
    snprintf(strike->found, sizeof strike->found, "in %s", where);
    return flipped;
}

static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    if (!is_way(strike, &lost_writes))
        return make_sound(strike, error);
    disk_settle(strike->node);
    return strike->progress == 0 ? STRIKE_IN_EFFECT : server_continue(strike->node, error);
}

const struct fault disk_fault = {
    .form = {FORM, .ways = ways, .traits = FAULT_HINDERS_DISK | FAULT_REFUSES | FAULT_DISCONNECTS,
             .lasting = LASTS_BOUNDED},
    .summary = "makes a server's disk full or slow, lose what it said was written, or damage it",
    .available = available,
    .inject = inject,
    .prove = begin_to_lie,
    .heal = heal,
};
