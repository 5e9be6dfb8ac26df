#include "harness/check/updates.h"

#include "harness/check/describe.h"
#include "harness/check/late_writes.h"
#include "harness/check/sweep.h"

#include <stdlib.h>
#include <string.h>

struct seen {
    int64_t value;
    int64_t invoked_ns;
    size_t access;
};

static int compare_seen(const void *left, const void *right)
{
    const struct seen *a = left;
    const struct seen *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    if (a->invoked_ns != b->invoked_ns)
        return a->invoked_ns < b->invoked_ns ? -1 : 1;
    return (a->access > b->access) - (a->access < b->access);
}

static size_t count_writes(const struct digest *digest, struct updates *updates, struct seen *seen)
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
        seen[count++] = (struct seen){access->seen, access->invoked_ns, i};
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
static void pair_up(const struct digest *digest, const struct seen *seen, size_t count,
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
    char writer[DESCRIBE_ROOM];
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
                harm, describe_holder(digest, write->hold, writer), (long long)write->value,
                updates->unknown > 1 ? " (perhaps with others like it)" : "");
}

void updates_count(const struct digest *digest, struct updates *updates)
{
    *updates = (struct updates){
        .pair = {SIZE_MAX, SIZE_MAX}, .below_zero = SIZE_MAX, .late = SIZE_MAX, .forgot = SIZE_MAX};
    size_t doubtful[2] = {SIZE_MAX, SIZE_MAX};
    struct seen *seen = memory_new(digest->access_count * sizeof *seen);
    size_t count = count_writes(digest, updates, seen);
    qsort(seen, count, sizeof *seen, compare_seen);
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
