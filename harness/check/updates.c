#include "harness/check/updates.h"

#include "harness/base/rank.h"
#include "harness/check/describe.h"

#include <stdlib.h>
#include <string.h>

// === writes that come late =======================================================================

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

// What was seen of the guarded value, held against what one lock that excludes would let be seen.
struct late_writes {
    size_t late; // the first write (index into digest.accesses) without an answer that came back
                 // over others, or may have; SIZE_MAX if none is needed to explain what was seen
    // The first sight of a value that nothing explains: the write whose read it was, and the write
    // of the one that had seen the same value before; SIZE_MAX if there is none, or none before.
    size_t unexplained, before;
    bool end_unexplained; // nothing explains the final value
};

// --- what moved the value on ---------------------------------------------------------------------

// Answered writes by their invocation; ends[i]: the first answer to any from the ith on.
struct moves {
    struct access_read *items;
    int64_t *ends;
    size_t count;
};

static struct moves moves_make(const struct digest *digest)
{
    struct moves moves = {.items = memory_new(digest->access_count * sizeof *moves.items),
                          .ends = memory_new(digest->access_count * sizeof *moves.ends)};
    FOR_EACH_ACCESS (access, digest) {
        if (access->is_write && access->outcome == OUTCOME_OK)
            moves.items[moves.count++] =
                (struct access_read){access->invoked_ns, access->returned_ns};
    }
    sort_by_key(moves.items, moves.count, sizeof *moves.items);
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
    if (digest->ends.final_known)
        sights.items[sights.count++] =
            (struct entry){digest->ends.final_value, TIME_NEVER, SIZE_MAX};
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
    bool is_initial =
        !look->digest->ends.initial_known || look->digest->ends.initial_value == sight->value;
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

// Looks at all updates of a counter or a stock, and at its final value.
static void late_writes_find(const struct digest *digest, struct late_writes *late)
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

// True if all that was seen may be the doing of writes that got no answer, and not without them.
static bool late_writes_explain(const struct late_writes *late)
{
    return late->late != SIZE_MAX && late->unexplained == SIZE_MAX && !late->end_unexplained;
}

// === what the store acknowledged =================================================================

static size_t count_writes(const struct digest *digest, struct updates *updates, struct entry *seen)
{
    size_t count = 0;
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        if (!access->is_write)
            continue;
        if (access->outcome == OUTCOME_NO) {
            updates->refused++;
            continue;
        }
        seen[count++] = (struct entry){access->seen, access->invoked_ns, i};
        if (access->outcome != OUTCOME_OK) {
            updates->unknown++;
            continue;
        }
        updates->acknowledged++;
        bool first = updates->below_zero == SIZE_MAX ||
                     access->invoked_ns < digest->accesses[updates->below_zero].invoked_ns;
        if (access->value < 0 && first)
            updates->below_zero = i;
    }
    return count;
}

// Keeps the pair whose later write came first.
static void keep_earlier(const struct digest *digest, size_t pair[2], size_t earlier, size_t later)
{
    if (pair[1] != SIZE_MAX &&
        digest->accesses[pair[1]].invoked_ns <= digest->accesses[later].invoked_ns)
        return;
    pair[0] = earlier;
    pair[1] = later;
}

// Looks at the writes that have seen one value: seen[0..count).
static void pair_up(const struct digest *digest, const struct entry *seen, size_t count,
                    struct updates *updates, size_t doubtful[2])
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct access *access = &digest->accesses[seen[i].access];
        const struct access *before = i > 0 ? &digest->accesses[seen[i - 1].access] : NULL;
        if (before != NULL && before->hold != access->hold &&
            (before->outcome == OUTCOME_OK || access->outcome == OUTCOME_OK))
            keep_earlier(digest, doubtful, seen[i - 1].access, seen[i].access);
        if (access->outcome != OUTCOME_OK)
            continue;
        if (first == SIZE_MAX) {
            first = seen[i].access;
        } else if (digest->accesses[first].hold != access->hold) {
            updates->duplicates++;
            keep_earlier(digest, updates->pair, first, seen[i].access);
        }
    }
}

// Of two updates of one value, those that no late write explains are the proof.
static void look_for_late_writes(const struct digest *digest, struct updates *updates)
{
    struct late_writes late;
    if (updates->unknown == 0 || !writes_may_come_late(digest))
        return;
    late_writes_find(digest, &late);
    if (late_writes_explain(&late))
        updates->late = late.late;
    bool is_pair = late.unexplained != SIZE_MAX && late.before != SIZE_MAX &&
                   digest->accesses[late.before].outcome == OUTCOME_OK &&
                   digest->accesses[late.unexplained].outcome == OUTCOME_OK &&
                   digest->accesses[late.before].hold != digest->accesses[late.unexplained].hold;
    if (is_pair && updates->duplicates > 0) {
        updates->pair[0] = late.before;
        updates->pair[1] = late.unexplained;
    }
}

// True if some hold began while another lasted.
static bool any_overlap(const struct digest *digest)
{
    int64_t latest_ns = 0;
    for (size_t i = 0; i < digest->hold_count; i++) { // by their grants
        if (digest->holds[i].granted_ns < latest_ns)
            return true;
        latest_ns = time_later(latest_ns, digest->holds[i].released_ns);
    }
    return false;
}

// True if the server of the guarded value crashed, but came back with all that it had stored, and
// stores a commit before it answers, as MariaDB does: then it has forgotten nothing.
static bool kept_commits(const struct digest *digest, const struct fault_step *step)
{
    bool is_lock_server = strncmp(step->target.server, "store", 5) != 0;
    const struct server_form *server =
        is_lock_server ? digest->trial->server : digest->trial->store_server;
    bool loses = step->how != NULL && strcmp(step->how, "keeps") != 0;
    return server != NULL && server->keeps_commits && fault_can(step, FAULT_KILLS) &&
           !fault_can(step, FAULT_MOVES_LEADER) && step->bound_ns >= 0 && !loses;
}

// The fault that upset the server that the guarded value is on.
static size_t find_upset_store(const struct digest *digest)
{
    bool is_lock_server = trial_shares_service(digest->trial);
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        const struct fault_step *step = record->step;
        bool on_store = strncmp(step->target.server, "store", 5) == 0 || is_lock_server;
        if (step->target.client == 0 && step->side_counts[0] == 0 && on_store &&
            record->in_effect_ns != TIME_NEVER && fault_can(step, FAULT_KILLS | FAULT_EMPTIES) &&
            !kept_commits(digest, step))
            return i;
    }
    return SIZE_MAX;
}

bool updates_are_excused(const struct updates *updates)
{
    return updates->late != SIZE_MAX || updates->forgot != SIZE_MAX;
}

void updates_excuse(const struct digest *digest, const struct updates *updates, const char *harm,
                    struct finding *finding)
{
    finding->state = FINDING_UNDECIDED;
    if (updates->late == SIZE_MAX) {
        finding_say(finding,
                    "%s, but no two holds overlapped, and fault %d struck the store's own server: "
                    "the store lost acknowledged writes, which no lock prevents",
                    harm, digest->faults[updates->forgot].step->number);
        return;
    }
    const struct access *write = &digest->accesses[updates->late];
    finding_say(finding,
                "%s, but no lock prevents that: %s's write of %lld got no answer, and if it "
                "reached the store later than others' writes, it explains this%s",
                harm, holder_name(digest, write->hold).text, (long long)write->value,
                updates->unknown > 1 ? " (perhaps with others like it)" : "");
}

void updates_count(const struct digest *digest, struct updates *updates)
{
    *updates = (struct updates){
        .pair = {SIZE_MAX, SIZE_MAX}, .below_zero = SIZE_MAX, .late = SIZE_MAX, .forgot = SIZE_MAX};
    size_t doubtful[2] = {SIZE_MAX, SIZE_MAX};
    struct entry *seen = memory_new(digest->access_count * sizeof *seen);
    size_t count = count_writes(digest, updates, seen);
    qsort(seen, count, sizeof *seen, compare_entries);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && seen[end].value == seen[i].value)
            end++;
        pair_up(digest, &seen[i], end - i, updates, doubtful);
        i = end;
    }
    if (updates->duplicates == 0) {
        updates->pair[0] = doubtful[0];
        updates->pair[1] = doubtful[1];
    }
    look_for_late_writes(digest, updates);
    if (digest->fault_count > 0 && !any_overlap(digest))
        updates->forgot = find_upset_store(digest);
    free(seen);
}

struct evidence updates_evidence(const struct digest *digest, const struct updates *updates)
{
    struct evidence evidence = {{SIZE_MAX, SIZE_MAX},
                                {updates->pair[0], updates->pair[1]},
                                digest->started_ns,
                                digest->ended_ns};
    if (updates->pair[1] == SIZE_MAX)
        return evidence;
    const struct access *earlier = &digest->accesses[updates->pair[0]];
    const struct access *later = &digest->accesses[updates->pair[1]];
    evidence.holds[0] = earlier->hold;
    evidence.holds[1] = later->hold;
    evidence.from_ns = later->invoked_ns;
    evidence.to_ns = later->returned_ns == TIME_NEVER ? digest->ended_ns : later->returned_ns;
    return evidence;
}
