#include "harness/explore/search.h"

#include "harness/explore/frontier.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Of a move.
#define COST_OF_OTHER 1 // thread that goes on than usual
#define COST_OF_FAULT 2
#define COST_OF_RARE 0  // fault: who asks for such has seen the others
#define COST_OF_ERROR 3 // or failover: shows little that a lost request, or a restart, does not
#define COST_OF_LEASE 2 // that passes
#define COST_OF_TIMER 3 // that goes off
// More for a fault that a program has to get over before the next schedule, and not for its crash
// or an eviction: leases pass first.
#define COST_OF_HEALING 4
#define SHOW_EVERY_NS (200 * NS_PER_MS)
#define MOST_TRIES 400   // to make a schedule shorter
#define CHANGES 4        // of a schedule at a place: up to 3 moves left out, or two swapped
#define CHECK_EVERY 16   // of the states that are seen again, one in so many is checked
#define TIMERS_A_LEASE 3 // that go off at most: as many as watchdogs usually renew in one
#define MOST_CHOICES ((MOST_EXPLORED_CLIENTS * CLIENT_THREADS + MAX_SERVERS) * MOVE_KINDS + 2)

struct search {
    struct replay *replay;
    const struct trial *trial;
    const struct search_limits *limits;
    struct search_result *result;
    struct violations *violations;
    size_t known_violations; // that other searches have found: the first ones
    struct frontier frontier;
    struct sampling sampling;
    uint64_t again;            // how often a state was seen that had been seen before
    uint64_t schedules_before; // by the searches that it goes on with
    struct error failed;       // why the last schedule could not be made that was to be repeated
};

// --- moves ---------------------------------------------------------------------------------------

// How many times the schedule goes on with another thread than before.
static int changes_of(const struct schedule_moves *schedule)
{
    struct move last = {.client = 0};
    int changes = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        struct move move = schedule->moves[i];
        changes += move.client != 0 && last.client != 0 && !move_is_of_same(move, last);
        last = move.client != 0 ? move : last;
    }
    return changes;
}

// The fewer events, and then changes, the better it is told.
static int length_of(const struct schedule_moves *schedule)
{
    struct move_tally tally = tally_of(schedule);
    return (tally.faults + tally.leases + tally.timers) * MOST_MOVES * MOST_MOVES +
           changes_of(schedule) * MOST_MOVES + (int)schedule->count;
}

// --- one schedule --------------------------------------------------------------------------------

// A move of who moved last; of client 0 if nobody has.
static struct move last_step(const struct schedule_moves *schedule)
{
    for (size_t i = schedule->count; i-- > 0;) {
        if (schedule->moves[i].client != 0)
            return schedule->moves[i];
    }
    return (struct move){.client = 0};
}

static bool is_allowed(const struct search *search, const struct move_tally *tally,
                       struct move move)
{
    enum move_class class = move_class(move);
    return (search->limits->rare || !move_is_rare(move)) &&
           (class != CLASS_FAULT || tally->faults < search->limits->faults) &&
           (class != CLASS_LEASE || tally->leases < search->limits->leases) &&
           (class != CLASS_TIMER || tally->timers < TIMERS_A_LEASE * search->limits->leases);
}

// Replicas that cannot take over any more need not be followed.
static void follow_replicas(const struct search *search, const struct schedule_moves *schedule)
{
    struct move_tally tally = tally_of(schedule);
    replay_follow_replicas(search->replay,
                           is_allowed(search, &tally, (struct move){.kind = MOVE_FAIL_OVER}));
}

// The moves within the limits that can be made now, but for the wait of all. A move that no other
// client notices is left out behind another client's: it was among the moves before that, too, and
// what comes of it is the same. Returns how many.
static size_t moves_of(const struct search *search, const struct schedule_moves *schedule,
                       struct move *moves)
{
    int clients = (int)search->trial->scenario->clients.processes;
    struct move_tally tally = tally_of(schedule);
    bool has_moved = schedule->count > 0;
    struct move last =
        has_moved ? schedule->moves[schedule->count - 1] : (struct move){.client = 0};
    bool has_waited = has_moved && last.kind == MOVE_TIME;
    bool leaves_out = search->limits->order == SEARCH_SHORTEST && !search->limits->enters_all;
    struct move time = {.kind = MOVE_TIME};
    struct move timer = {.kind = MOVE_TIMER};
    size_t count = 0;
    for (int number = 0; number < clients * CLIENT_THREADS; number++) {
        for (uint8_t kind = 0; kind < MOVE_TIME; kind++) {
            struct move move = {.kind = kind,
                                .client = (uint8_t)(number / CLIENT_THREADS + 1),
                                .thread = (uint8_t)(number % CLIENT_THREADS)};
            bool came_before = leaves_out && last.client != 0 && last.client != move.client &&
                               replay_is_private(search->replay, move);
            if (is_allowed(search, &tally, move) && !came_before &&
                replay_can(search->replay, move))
                moves[count++] = move;
        }
    }
    for (int server = 1; server <= replay_servers(search->replay); server++) {
        for (uint8_t kind = MOVE_FIRST_OF_SERVER; kind < MOVE_KINDS; kind++) {
            struct move move = {.kind = kind, .server = (uint8_t)server};
            if (is_allowed(search, &tally, move) && replay_can(search->replay, move))
                moves[count++] = move;
        }
    }
    // Twice in a row, or before anything was done, time changes nothing.
    if (has_moved && !has_waited && is_allowed(search, &tally, time))
        moves[count++] = time;
    if (is_allowed(search, &tally, timer) && replay_can(search->replay, timer))
        moves[count++] = timer;
    return count;
}

// The move of which nothing else is asked: that has most going on at a time, as locks break where
// several are at them. Who went last goes on, unless it waits in vain for an answer that was lost,
// or a lease has passed meanwhile, which harms most if it stood still for longer; holders of the
// lock go last.
static bool choose(const struct search *search, const struct schedule_moves *schedule,
                   struct move *move)
{
    struct move last = last_step(schedule);
    bool stands = move_class(last) == CLASS_FAULT ||
                  (schedule->count > 0 && schedule->moves[schedule->count - 1].kind == MOVE_TIME);
    return replay_crowding(search->replay, last, stands, move);
}

// What the move adds to the cost where `chosen` is what is done usually. Time is what passes while
// nobody but holders can go on.
static int cost_of(const struct search *search, struct move move, struct move chosen)
{
    enum move_class class = move_class(move);
    if (class == CLASS_TIMER && replay_only_holders_can(search->replay))
        return 0;
    bool is_other = move.client != 0 && move.kind != MOVE_CRASH && !move_is_of_same(move, chosen);
    int cost = is_other ? COST_OF_OTHER : 0;
    bool is_to_heal = search->trial->external_client != NULL && move.kind != MOVE_CRASH &&
                      move.kind != MOVE_EVICT;
    if (class == CLASS_FAULT)
        cost += (move.kind == MOVE_REFUSE || move.kind == MOVE_FAIL_OVER ? COST_OF_ERROR
                 : move_is_rare(move)                                    ? COST_OF_RARE
                                                                         : COST_OF_FAULT) +
                (is_to_heal ? COST_OF_HEALING : 0);
    else if (class == CLASS_LEASE || class == CLASS_TIMER)
        cost += class == CLASS_LEASE ? COST_OF_LEASE : COST_OF_TIMER;
    return cost;
}

// Whether nothing but steps has been made until now.
static bool is_first_wait(const struct schedule_moves *schedule)
{
    bool is_first = true;
    for (size_t i = 0; i < schedule->count; i++)
        is_first &= move_class(schedule->moves[i]) == CLASS_STEP;
    return is_first;
}

static int rank_of(const struct search *search, int client)
{
    int rank = 0;
    while (replay_ranked(search->replay, rank) != client &&
           replay_ranked(search->replay, rank) != 0)
        rank++;
    return rank;
}

// A hash of the move from the state, by the rank of who makes it there.
static uint64_t edge_of(const struct search *search, uint64_t state, struct move move)
{
    uint64_t rank = (uint64_t)rank_of(search, move.client);
    uint64_t which =
        ((rank * CLIENT_THREADS + move.thread) * MOVE_KINDS + move.kind) * (MAX_SERVERS + 1) +
        move.server + 1;
    uint64_t edge = (state ^ which * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0xff51afd7ed558ccd);
    return edge != 0 ? edge : 1;
}

// Keeps for later what else could be done than what is chosen.
static void keep_others(struct search *search, struct schedule_moves *schedule, uint64_t state,
                        struct move chosen)
{
    struct move moves[MOST_CHOICES];
    struct frontier *frontier = &search->frontier;
    size_t count = moves_of(search, schedule, moves);
    for (size_t i = 0; i < count; i++) {
        if (moves[i].kind == chosen.kind && move_is_of_same(moves[i], chosen))
            continue;
        if (schedule->count == MOST_MOVES) {
            search->result->progress.too_long++;
            continue;
        }
        schedule->moves[schedule->count++] = moves[i];
        uint64_t edge = edge_of(search, state, moves[i]);
        if (frontier_meets(frontier, edge) || search->limits->enters_all)
            frontier_add(frontier, schedule, edge, cost_of(search, moves[i], chosen));
        schedule->count--;
    }
}

// A schedule as it is made.
struct making {
    struct replay *replay;
    const struct search *search; // NULL: there are no limits
    struct schedule_moves made;
    struct told_moves *told; // NULL: nobody asks
};

static void make_move(struct making *making, struct move move)
{
    struct told_moves *told = making->told;
    if (told != NULL) {
        move_write(move, replay_stands(making->replay, move), &told->lines);
        text_add(&told->lines, "\n");
        told->began_ns[making->made.count] = clock_monotonic_ns();
    }
    replay_move(making->replay, move);
    if (told != NULL)
        told->began_ns[making->made.count + 1] = clock_monotonic_ns();
    if (replay_was_plain(making->replay))
        move.kind = MOVE_STEP;
    making->made.moves[making->made.count++] = move;
    if (making->search != NULL && move_class(move) == CLASS_FAULT)
        follow_replicas(making->search, &making->made);
}

// Makes the moves that can be made. Returns how many could not.
static size_t make_moves(struct making *making, const struct schedule_moves *schedule)
{
    size_t missed = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        if (replay_can(making->replay, schedule->moves[i]))
            make_move(making, schedule->moves[i]);
        else
            missed++;
    }
    return missed;
}

// The state with as many faults and leases. 0, or -1 with `error` set.
static int state_of(struct search *search, const struct schedule_moves *schedule, uint64_t *state,
                    struct error *error)
{
    struct move_tally tally = tally_of(schedule);
    if (replay_state(search->replay, state, error) != 0)
        return -1;
    *state += (uint64_t)(tally.timers * 4096 + tally.faults * 64 + tally.leases + 1) *
              UINT64_C(0xd6e8feb86659fd93);
    *state = *state > NOWHERE ? *state : NOWHERE + 1;
    return 0;
}

// Goes on from a state that was seen before, by the same moves, as long as it is known what they
// led to. 1 if it went the same way, 0 if not: clients keep more in mind than the state tells; or
// -1 with `error` set.
static int goes_on_as_before(struct making *making, struct search *search, uint64_t state,
                             struct error *error)
{
    struct move move;
    while (making->made.count < MOST_MOVES && choose(search, &making->made, &move)) {
        uint64_t to = frontier_after(&search->frontier, edge_of(search, state, move));
        if (to == NOT_MADE || to == NOWHERE)
            return 1;
        make_move(making, move);
        if (state_of(search, &making->made, &state, error) != 0)
            return -1;
        if (state != to)
            return 0;
    }
    return 1;
}

// Those who all wait although nothing has struck them may have kept each other out: whenever time
// has passed, has them go on in the same order again, as far as they can. Who is never granted the
// lock then never will be.
static void go_round(struct making *making)
{
    const struct schedule_moves round = making->made;
    struct schedule_moves *made = &making->made;
    struct move move;
    while (made->count + 1 + round.count < MOST_MOVES &&
           replay_usual(making->replay, last_step(made), &move)) {
        make_move(making, move);
        if (move.kind == MOVE_WAIT)
            make_moves(making, &round);
    }
}

// Goes on until the trial is over, or until nothing is usual that was not done already in that
// state. What else could be done in a state is kept for later when it is seen first. One in
// CHECK_EVERY of the others is checked. `edge` is the last move. 0, or -1 with `error` set.
static int go_on(struct making *making, struct search *search, uint64_t edge, struct error *error)
{
    struct replay *replay = making->replay;
    struct schedule_moves *schedule = &making->made;
    struct frontier *frontier = &search->frontier;
    frontier_note_made(frontier, edge, NOWHERE);
    while (!replay_is_over(replay) && schedule->count < MOST_MOVES) {
        struct move move;
        uint64_t state = 0;
        if (state_of(search, schedule, &state, error) != 0)
            return -1;
        frontier_note_made(frontier, edge, state);
        bool is_known = !frontier_meets(frontier, state);
        search->result->progress.states += !is_known;
        is_known &= !search->limits->enters_all;
        if (is_known && search->again++ % CHECK_EVERY == 0) {
            search->result->progress.checked++;
            int same = goes_on_as_before(making, search, state, error);
            search->result->progress.unlike += same == 0;
            return same < 0 ? -1 : 0;
        }
        if (!choose(search, schedule, &move))
            return 0;
        edge = edge_of(search, state, move);
        if (is_known && frontier_after(frontier, edge) != NOT_MADE)
            return 0;
        bool goes_round = !is_known && move.kind == MOVE_WAIT && is_first_wait(schedule);
        if (!is_known)
            keep_others(search, schedule, state, move);
        if (goes_round) {
            schedule->moves[schedule->count++] = move;
            frontier_add(frontier, schedule, edge, 0);
            schedule->count--;
            go_round(making);
            return 0;
        }
        frontier_note_made(frontier, edge, NOWHERE);
        make_move(making, move);
    }
    if (!replay_is_over(replay))
        search->result->progress.too_long++;
    return 0;
}

// Goes on by moves drawn at random.
static void go_on_at_random(struct making *making, struct search *search)
{
    struct move moves[MOST_CHOICES];
    const struct search_limits *limits = search->limits;
    const int most[CLASS_WAIT] = {[CLASS_FAULT] = limits->faults,
                                  [CLASS_LEASE] = limits->leases,
                                  [CLASS_TIMER] = limits->leases * TIMERS_A_LEASE};
    sampling_begin(&search->sampling, limits->sampling, most);
    while (!replay_is_over(making->replay) && making->made.count < MOST_MOVES) {
        size_t count = moves_of(search, &making->made, moves);
        size_t next = count > 0 ? sampling_next(&search->sampling, moves, count) : 0;
        if (next < count)
            moves[0] = moves[next];
        else if (!replay_usual(making->replay, (struct move){.client = 0}, &moves[0]))
            return;
        make_move(making, moves[0]);
    }
}

int search_replay(struct replay *replay, struct schedule_moves *schedule, struct told_moves *told,
                  struct error *error)
{
    struct making making = {.replay = replay, .told = told};
    struct schedule_moves *made = &making.made;
    struct move move;
    replay_follow_replicas(replay, tally_of(schedule).fails_over);
    if (replay_begin(replay, error) != 0)
        return -1;
    size_t missed = make_moves(&making, schedule);
    while (!replay_is_over(replay) && made->count < MOST_MOVES &&
           replay_usual(replay, last_step(made), &move))
        make_move(&making, move);
    *schedule = *made;
    return missed > 0;
}

// Judges and ends the schedule that was made. 0, or -1 with `error` set.
static int judge_schedule(const struct search *search, const struct schedule_moves *schedule,
                          struct breach breaches[MAX_CHECKS], size_t *count, struct error *error)
{
    const struct trial_model *model;
    struct judgement judgement;
    int result = replay_judge(search->replay, &model, &judgement, error);
    *count = result == 0
                 ? breaches_of(search->replay, search->trial, schedule, &judgement, breaches)
                 : 0;
    return result;
}

int search_show(struct replay *replay, const struct trial *trial, struct schedule_moves *schedule,
                const struct breach *breach, struct told_moves *told,
                const struct trial_model **model, struct judgement *judgement, struct error *error)
{
    struct breach breaches[MAX_CHECKS];
    if (search_replay(replay, schedule, told, error) < 0 ||
        replay_judge(replay, model, judgement, error) != 0)
        return -1;
    size_t count = breaches_of(replay, trial, schedule, judgement, breaches);
    size_t at = 0;
    while (at < count && !breach_is(&breaches[at], breach))
        at++;
    return at < count;
}

// Makes the schedule, which is then what was done. Whether it shows the violation: who asks for one
// only is told one of its property, whatever that came from.
static bool shows(struct search *search, struct schedule_moves *schedule,
                  const struct violation *violation)
{
    const struct trial_model *model;
    struct judgement judgement;
    int result = search_show(search->replay, search->trial, schedule, &violation->breach, NULL,
                             &model, &judgement, &search->failed);
    replay_end(search->replay);
    return result == 1;
}

static bool is_interrupted(const struct search *search)
{
    const _Atomic uint32_t *interrupted = search->limits->interrupted;
    return interrupted != NULL && atomic_load(interrupted) != 0;
}

// Where it is; as many as there are: it is new.
static size_t find_violation(const struct violations *all, const struct breach *breach)
{
    size_t at = 0;
    while (at < all->count && !breach_is(&all->items[at].breach, breach))
        at++;
    return at;
}

// True if this search has found something that the lock's traits do not admit.
static bool has_found(const struct search *search)
{
    size_t at = search->known_violations;
    while (at < search->violations->count && search->violations->items[at].breach.is_admitted)
        at++;
    return at < search->violations->count;
}

// --- shorter ones --------------------------------------------------------------------------------

// `length` moves left out, or for 0 two moves of different clients the other way round; false if
// there are none.
static bool change(struct schedule_moves *schedule, size_t at, size_t length)
{
    struct move *moves = schedule->moves;
    if (at + (length > 0 ? length : 2) > schedule->count)
        return false;
    if (length == 0) {
        struct move first = moves[at];
        moves[at] = moves[at + 1];
        moves[at + 1] = first;
        return !move_is_of_same(first, moves[at]);
    }
    memmove(&moves[at], &moves[at + length], (schedule->count - at - length) * sizeof *moves);
    schedule->count -= length;
    return true;
}

static void make_shorter(struct search *search, struct violation *violation, int most_tries)
{
    struct schedule_moves *found = &violation->found;
    int tries = 0;
    size_t in_vain = 0; // changes since the last that was of use; each is tried once
    for (size_t i = 0; in_vain < CHANGES * found->count && tries < most_tries; i++) {
        struct schedule_moves shorter = *found;
        size_t at = i % (CHANGES * found->count);
        in_vain++;
        if (!change(&shorter, at / CHANGES, at % CHANGES))
            continue;
        tries++;
        if (shows(search, &shorter, violation) && length_of(&shorter) < length_of(found)) {
            *found = shorter;
            in_vain = 0;
        }
    }
}

// The new ones are made short and repeated; one that nobody can show is left out: it may have been
// the lock, or what went on around it.
static void confirm_all(struct search *search, bool is_in_haste)
{
    struct violations *all = search->violations;
    size_t first = search->known_violations;
    size_t count = first;
    int most_tries = all->count > first ? MOST_TRIES / (int)(all->count - first) : 0;
    for (size_t i = first; i < all->count; i++) {
        struct violation *violation = &all->items[i];
        bool is_short = violation->replayed > 0; // by a search that this one went on with
        make_shorter(search, violation, is_short || is_in_haste ? 0 : most_tries);
        replay_renew(search->replay);
        violation->replayed = 0;
        search->failed.text[0] = '\0';
        for (int j = 0; j < REPLAYS; j++) {
            struct schedule_moves again = violation->found;
            violation->replayed += shows(search, &again, violation);
        }
        if (violation->replayed > 0)
            all->items[count++] = *violation;
        else if (!violation->breach.is_admitted) {
            search->result->unconfirmed = breach_check(&violation->breach);
            if (search->failed.text[0] != '\0')
                error_set(&search->result->unconfirmed_why, ", as they could not be made: %s",
                          search->failed.text);
        }
    }
    all->count = count;
}

// --- the search ----------------------------------------------------------------------------------

// Of those that other searches have found nothing but how often is new.
static void note(struct search *search, const struct breach *breach,
                 const struct schedule_moves *schedule)
{
    struct violations *all = search->violations;
    size_t at = find_violation(all, breach);
    struct violation *violation = &all->items[at];
    if (at == all->count) {
        *violation = (struct violation){.breach = *breach,
                                        .found = *schedule,
                                        .schedules = search->result->progress.schedules,
                                        .seconds = search->result->progress.seconds};
        all->count++;
    }
    if (at >= search->known_violations && length_of(schedule) < length_of(&violation->found)) {
        violation->found = *schedule;
        violation->replayed = 0;
    }
    violation->seen++;
}

// What the schedule has broken. Where nobody asks for all of it, that is one promise of the lock's,
// and which properties its traits admit.
static void note_all(struct search *search, const struct breach *breaches, size_t count,
                     const struct schedule_moves *schedule)
{
    struct search_result *result = search->result;
    char *text = result->admitted_text;
    size_t asked = search->limits->all ? count : count > 0 && !breaches[0].is_admitted ? 1 : 0;
    for (size_t i = 0; i < asked && search->violations->count < MOST_VIOLATIONS; i++)
        note(search, &breaches[i], schedule);
    if (count == 0 || !breaches[0].is_admitted)
        return;
    result->admitted++;
    for (size_t i = 0; i < count; i++) {
        const char *name = breach_check(&breaches[i])->name;
        size_t length = strlen(text);
        if (strstr(text, name) == NULL)
            snprintf(text + length, sizeof result->admitted_text - length, "%s%s",
                     length > 0 ? ", " : "", name);
    }
}

// Makes one schedule to its end. 0, or -1 with the result's error set.
static int explore(struct search *search, const struct schedule_moves *next, uint64_t edge)
{
    struct search_result *result = search->result;
    struct breach breaches[MAX_CHECKS];
    size_t count = 0;
    struct making making = {.replay = search->replay, .search = search};
    follow_replicas(search, &making.made);
    int status = replay_begin(search->replay, &result->error);
    if (status == 0 && make_moves(&making, next) > 0)
        result->progress.unlike++;
    else if (status == 0 && search->limits->order == SEARCH_RANDOM)
        go_on_at_random(&making, search);
    else if (status == 0)
        status = go_on(&making, search, edge, &result->error);
    if (status == 0)
        status = judge_schedule(search, &making.made, breaches, &count, &result->error);
    result->progress.schedules++;
    result->progress.waiting = search->frontier.count;
    note_all(search, breaches, count, &making.made);
    replay_end(search->replay);
    return status;
}

// --- going on later ------------------------------------------------------------------------------

// Those that this search has found.
static bool pass_violations(const struct search *search, const struct left *left)
{
    struct violations *all = search->violations;
    size_t first = search->known_violations;
    size_t count = all->count - first;
    bool is_whole = left_pass(left, &count, sizeof count) && count <= MOST_VIOLATIONS;
    for (size_t i = 0; i < count && is_whole; i++) {
        struct violation read = {.replayed = 0};
        struct violation *violation = left->is_read ? &read : &all->items[first + i];
        is_whole = left_pass(left, violation, sizeof *violation) &&
                   violation->breach.property < MAX_CHECKS && violation->found.count <= MOST_MOVES;
        if (left->is_read && is_whole && all->count < MOST_VIOLATIONS &&
            find_violation(all, &read.breach) == all->count)
            all->items[all->count++] = read;
    }
    return is_whole;
}

// False if the file ends too early, or is of other limits, or another Lockpick.
static bool pass_search(struct search *search, const struct left *left)
{
    struct search_result *result = search->result;
    const struct search_limits *limits = search->limits;
    char own[120] = "", found[120];
    snprintf(own, sizeof own, "lockpick " LOCKPICK_VERSION " violations %d %d %d %llu %d %d %d\n",
             MOVE_KINDS, (int)limits->order, (int)limits->sampling,
             (unsigned long long)limits->seed, limits->faults, limits->leases, limits->rare);
    memcpy(found, own, sizeof own);
    return left_pass(left, found, sizeof found) && memcmp(found, own, sizeof own) == 0 &&
           left_pass(left, &result->progress, sizeof result->progress) &&
           left_pass(left, &result->admitted, sizeof result->admitted) &&
           left_pass(left, result->admitted_text, sizeof result->admitted_text) &&
           pass_violations(search, left) &&
           left_pass(left, &search->sampling, sizeof search->sampling) &&
           left_pass(left, &search->again, sizeof search->again) &&
           frontier_pass(&search->frontier, left);
}

// Whether there is an earlier search, and it was read: 1, 0 or -1 with the result's error set.
static int go_on_with(struct search *search)
{
    const char *path = search->limits->resume;
    struct search_result *result = search->result;
    struct stat status;
    struct left left = {.file = path != NULL ? fopen(path, "rbe") : NULL, .is_read = true};
    if (left.file == NULL)
        return 0;
    left.room = fstat(fileno(left.file), &status) == 0 ? (size_t)status.st_size : 0;
    bool is_whole = pass_search(search, &left);
    fclose(left.file);
    if (!is_whole)
        search->violations->count = search->known_violations;
    if (!is_whole)
        return error_set(&result->error,
                         "cannot go on with %s: it is of other limits, of another Lockpick, or "
                         "damaged; the limits must be the same",
                         path);
    if (result->progress.remembers)
        replay_remember(search->replay);
    result->progress.seconds_before = result->progress.seconds;
    search->schedules_before = result->progress.schedules;
    return 1;
}

static int leave(struct search *search)
{
    const char *path = search->limits->leave;
    struct left left = {.file = path != NULL ? fopen(path, "wbe") : NULL};
    bool is_written = left.file != NULL && pass_search(search, &left);
    if (left.file != NULL)
        is_written &= fclose(left.file) == 0;
    return is_written || path == NULL
               ? 0
               : error_set(&search->result->error, "cannot write %s: %s", path, strerror(errno));
}

// -------------------------------------------------------------------------------------------------

static enum search_end explore_all(struct search *search,
                                   void (*show)(void *context, const struct search_progress *),
                                   void *context)
{
    struct search_result *result = search->result;
    struct schedule_moves next = {.count = 0};
    uint64_t edge = 0;
    int goes_on = go_on_with(search);
    if (goes_on < 0)
        return SEARCH_FAILED;
    int64_t shown_ns = clock_of_machine_ns();
    int64_t began_ns = shown_ns - (int64_t)(result->progress.seconds_before * NS_PER_S);
    int64_t until_ns = shown_ns + search->limits->for_ns;
    if (goes_on == 0 && search->limits->order == SEARCH_SHORTEST)
        frontier_add(&search->frontier, &next, 0, 0);
    while (search->limits->order == SEARCH_RANDOM ||
           frontier_take(&search->frontier, search->limits->enters_all, &next, &edge)) {
        if (explore(search, &next, edge) != 0)
            return SEARCH_FAILED;
        int64_t now_ns = clock_of_machine_ns();
        result->progress.seconds = (double)(now_ns - began_ns) / NS_PER_S;
        if (show != NULL && now_ns - shown_ns >= SHOW_EVERY_NS) {
            show(context, &result->progress);
            shown_ns = now_ns;
        }
        if (!search->limits->all && has_found(search))
            return SEARCH_BROKEN;
        if (result->progress.unlike > 0 && !result->progress.remembers) {
            frontier_forget(&search->frontier);
            result->progress.remembers = true;
            result->progress.states = result->progress.unlike = 0;
            replay_remember(search->replay);
            frontier_add(&search->frontier, &(struct schedule_moves){.count = 0}, 0, 0);
        }
        if (is_interrupted(search))
            return SEARCH_INTERRUPTED;
        bool are_enough = search->limits->schedules > 0 &&
                          result->progress.schedules - search->schedules_before >=
                              (uint64_t)search->limits->schedules;
        if (are_enough || now_ns >= until_ns || search->violations->count == MOST_VIOLATIONS)
            return SEARCH_OUT_OF_TIME;
    }
    result->progress.waiting = search->frontier.count;
    bool is_all = result->progress.unlike == 0 && result->progress.too_long == 0;
    return is_all ? SEARCH_EXHAUSTED : SEARCH_UNDECIDED;
}

void search(struct replay *replay, const struct trial *trial, const struct search_limits *limits,
            void (*show)(void *context, const struct search_progress *progress), void *context,
            struct violations *violations, struct search_result *result)
{
    struct search search = {.replay = replay,
                            .trial = trial,
                            .limits = limits,
                            .result = result,
                            .violations = violations,
                            .known_violations = violations->count};
    sampling_start(&search.sampling, limits->seed);
    *result = (struct search_result){.end = SEARCH_FAILED};
    enum search_end end = explore_all(&search, show, context);
    confirm_all(&search, end == SEARCH_FAILED || is_interrupted(&search));
    if (end != SEARCH_FAILED)
        result->error.text[0] = '\0'; // what went wrong went well when it was tried again
    bool has_doubts = result->unconfirmed != NULL && !has_found(&search);
    if (end == SEARCH_FAILED && has_found(&search))
        end = SEARCH_BROKEN;
    result->end =
        has_doubts && (end == SEARCH_BROKEN || end == SEARCH_EXHAUSTED) ? SEARCH_UNDECIDED : end;
    if (end != SEARCH_BROKEN && end != SEARCH_FAILED && leave(&search) != 0)
        result->end = SEARCH_FAILED;
    frontier_forget(&search.frontier);
}
