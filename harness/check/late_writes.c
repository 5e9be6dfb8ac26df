// The argument, for a register that each holder reads and then writes, under a lock that lets one
// in at a time and keeps him in until his write is answered or given up:
//
// A write that was answered took effect between its invocation and its answer, one that was not
// answered once at any time after its invocation, or never. So a read R sees v only if
//
//   - a write of v was answered, or v is the initial value, and no other answered write lies wholly
//     between that and R; or
//   - somebody saw v before, and no answered write lies wholly between that sight and R; or
//   - a write of v that was not answered was begun before R was answered, and took effect since.
//     It can only do so once, so each such write explains one return of v, and is used up then.
//     And a store that checks fencing tokens refuses it once it has taken a newer one.
//
// If all sights, that of the final value included, are explained like this, then there is a course
// of events in which the lock excluded and nothing but late writes did the harm: no verdict. If one
// is not, the lock let two in. Two answered updates of one value that overlap in time are never
// explained: a write can bring a value back, but nothing lets two in at once.
//
// Values between (restored by a late write, then counted up again by others) need no rule of their
// own: the writes of those others were answered, and so explain the sights that follow them.
#include "harness/check/late_writes.h"

#include "harness/base/clock.h"
#include "harness/base/rank.h"
#include "harness/base/text.h"

#include <stdlib.h>

bool writes_may_come_late(const struct digest *digest)
{
    return !trial_has_trait(digest->trial, "optimistic");
}

struct access_read read_before(const struct digest *digest, size_t write)
{
    const struct access *access = &digest->accesses[write];
    const struct access *before = write > 0 ? access - 1 : access;
    bool is_its_read = before->hold == access->hold && !before->is_write &&
                       before->outcome == OUTCOME_OK && before->value == access->seen;
    if (!is_its_read)
        return (struct access_read){access->invoked_ns, access->invoked_ns};
    return (struct access_read){before->invoked_ns, before->returned_ns};
}

// --- what moved the value on ---------------------------------------------------------------------

// Answered writes by their invocation; ends[i]: the first answer to any from the ith on.
struct moves {
    struct access_read *items;
    int64_t *ends;
    size_t count;
};

static int compare_moves(const void *left, const void *right)
{
    const struct access_read *a = left;
    const struct access_read *b = right;
    return (a->invoked_ns > b->invoked_ns) - (a->invoked_ns < b->invoked_ns);
}

static struct moves moves_make(const struct digest *digest)
{
    struct moves moves = {.items = memory_new(digest->access_count * sizeof *moves.items),
                          .ends = memory_new(digest->access_count * sizeof *moves.ends)};
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        if (access->is_write && access->outcome == OUTCOME_OK)
            moves.items[moves.count++] =
                (struct access_read){access->invoked_ns, access->returned_ns};
    }
    qsort(moves.items, moves.count, sizeof *moves.items, compare_moves);
    for (size_t i = moves.count; i-- > 0;)
        moves.ends[i] = i + 1 < moves.count
                            ? time_earlier(moves.items[i].returned_ns, moves.ends[i + 1])
                            : moves.items[i].returned_ns;
    return moves;
}

// True if an answered write lies wholly between the two times.
static bool has_moved(const struct moves *moves, int64_t from_ns, int64_t to_ns)
{
    size_t next = FIRST_FROM(moves->items, moves->count, invoked_ns, from_ns);
    return next < moves->count && moves->ends[next] <= to_ns;
}

// --- what was seen, and what was written ---------------------------------------------------------

struct entry {
    int64_t value;
    int64_t at_ns;
    size_t access; // SIZE_MAX: the final value
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return (a->access > b->access) - (a->access < b->access);
}

struct entries {
    struct entry *items; // sorted by value, then by time
    size_t count;
};

// The sights of every value by writers, by the time of their reads, and the final one.
static struct entries sights_make(const struct digest *digest)
{
    struct entries sights = {memory_new((digest->access_count + 1) * sizeof *sights.items), 0};
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        if (access->is_write && access->outcome != OUTCOME_NO)
            sights.items[sights.count++] =
                (struct entry){access->seen, read_before(digest, i).invoked_ns, i};
    }
    if (digest->final_known)
        sights.items[sights.count++] = (struct entry){digest->final_value, TIME_NEVER, SIZE_MAX};
    qsort(sights.items, sights.count, sizeof *sights.items, compare_entries);
    return sights;
}

// What was written with that outcome, by the time of its invocation.
static struct entries written_make(const struct digest *digest, enum outcome outcome)
{
    struct entries written = {memory_new(digest->access_count * sizeof *written.items), 0};
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        if (access->is_write && access->outcome == outcome)
            written.items[written.count++] = (struct entry){access->value, access->invoked_ns, i};
    }
    qsort(written.items, written.count, sizeof *written.items, compare_entries);
    return written;
}

// --- whether the one explains the other ----------------------------------------------------------

struct look {
    const struct digest *digest;
    struct late_writes *late;
    struct moves moves;
    struct entries answered, unanswered;
    size_t next_answered;   // of those the first whose value, or time, is not passed yet
    size_t next_unanswered; // of those the first that is neither passed nor used up
    int64_t highest_token;  // of all answered writes
};

// A sight of a value by the read [invoked, returned].
struct sight {
    int64_t value;
    struct access_read read;
    const struct access *write; // NULL: the final value
    size_t access;
};

static struct sight sight_of(const struct look *look, const struct entry *entry)
{
    if (entry->access == SIZE_MAX)
        return (struct sight){entry->value, {TIME_NEVER, TIME_NEVER}, NULL, SIZE_MAX};
    return (struct sight){entry->value, read_before(look->digest, entry->access),
                          &look->digest->accesses[entry->access], entry->access};
}

// True if the value was last written by an answered write, or was the initial one.
static bool was_left(struct look *look, const struct sight *sight)
{
    const struct entries *answered = &look->answered;
    size_t *next = &look->next_answered;
    while (*next < answered->count && answered->items[*next].value < sight->value)
        ++*next;
    // The last one begun in time: what an earlier one wrote, it wrote anew.
    while (*next + 1 < answered->count && answered->items[*next + 1].value == sight->value &&
           answered->items[*next + 1].at_ns < sight->read.returned_ns)
        ++*next;
    if (*next < answered->count && answered->items[*next].value == sight->value &&
        answered->items[*next].at_ns < sight->read.returned_ns &&
        !has_moved(&look->moves, look->digest->accesses[answered->items[*next].access].returned_ns,
                   sight->read.invoked_ns))
        return true;
    bool is_initial = !look->digest->initial_known || look->digest->initial_value == sight->value;
    return is_initial && !has_moved(&look->moves, 0, sight->read.invoked_ns);
}

// The newest token that the store had certainly taken when the value is to have come back.
static int64_t token_taken(const struct look *look, const struct sight *before,
                           const struct sight *sight)
{
    if (!look->digest->trial->scenario->workload.fenced)
        return 0;
    if (sight->write == NULL)
        return look->highest_token;
    return before != NULL && before->write->outcome == OUTCOME_OK ? before->write->token : 0;
}

// Uses up a write of the value that got no answer and may have come by then; SIZE_MAX if none.
static size_t take_late(struct look *look, const struct sight *before, const struct sight *sight)
{
    const struct entries *unanswered = &look->unanswered;
    size_t *next = &look->next_unanswered;
    int64_t token = token_taken(look, before, sight);
    for (; *next < unanswered->count && unanswered->items[*next].value <= sight->value; ++*next) {
        const struct entry *entry = &unanswered->items[*next];
        if (entry->value < sight->value || look->digest->accesses[entry->access].token < token)
            continue;
        if (entry->at_ns >= sight->read.returned_ns)
            break;
        return unanswered->items[(*next)++].access;
    }
    return SIZE_MAX;
}

// True if two answered updates of the value were under way at once.
static bool overlap(const struct sight *before, const struct sight *sight)
{
    return sight->write != NULL && before->write->outcome == OUTCOME_OK &&
           sight->write->outcome == OUTCOME_OK && before->write->hold != sight->write->hold &&
           before->write->returned_ns > sight->read.invoked_ns;
}

static void keep_first(const struct digest *digest, size_t *kept, size_t access)
{
    if (*kept == SIZE_MAX ||
        digest->accesses[access].invoked_ns < digest->accesses[*kept].invoked_ns)
        *kept = access;
}

// `before`: who saw the same value before; NULL if nobody did.
static void explain(struct look *look, const struct sight *before, const struct sight *sight)
{
    struct late_writes *late = look->late;
    bool at_once = before != NULL && overlap(before, sight);
    bool stood = before != NULL &&
                 !has_moved(&look->moves, before->read.returned_ns, sight->read.invoked_ns);
    if (!at_once && (stood || was_left(look, sight)))
        return;
    size_t write = at_once ? SIZE_MAX : take_late(look, before, sight);
    if (write != SIZE_MAX) {
        bool came_late = has_moved(&look->moves, look->digest->accesses[write].invoked_ns,
                                   sight->read.invoked_ns);
        if (came_late)
            keep_first(look->digest, &late->late, write);
    } else if (sight->write == NULL) {
        late->end_unexplained = true;
    } else {
        keep_first(look->digest, &late->unexplained, sight->access);
        if (late->unexplained == sight->access)
            late->before = before != NULL ? before->access : SIZE_MAX;
    }
}

static struct look look_begin(const struct digest *digest, struct late_writes *late)
{
    struct look look = {.digest = digest,
                        .late = late,
                        .moves = moves_make(digest),
                        .answered = written_make(digest, OUTCOME_OK),
                        .unanswered = written_make(digest, OUTCOME_UNKNOWN)};
    for (size_t i = 0; i < look.answered.count; i++)
        look.highest_token =
            time_later(look.highest_token, digest->accesses[look.answered.items[i].access].token);
    return look;
}

void late_writes_find(const struct digest *digest, struct late_writes *late)
{
    *late = (struct late_writes){SIZE_MAX, SIZE_MAX, SIZE_MAX, false};
    struct look look = look_begin(digest, late);
    struct entries sights = sights_make(digest);
    struct sight before = {0};
    for (size_t i = 0; i < sights.count; i++) {
        struct sight sight = sight_of(&look, &sights.items[i]);
        bool again = i > 0 && sights.items[i - 1].value == sight.value;
        explain(&look, again ? &before : NULL, &sight);
        before = sight;
    }
    free(sights.items);
    free(look.unanswered.items);
    free(look.answered.items);
    free(look.moves.ends);
    free(look.moves.items);
}

bool late_writes_explain(const struct late_writes *late)
{
    return late->late != SIZE_MAX && late->unexplained == SIZE_MAX && !late->end_unexplained;
}
