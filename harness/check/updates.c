// lost-update and oversell: what the store acknowledged adds up to what it has in the end.
//
// lost-update: every acknowledged increment is in the final value, and nothing else is. final -
// initial must lie in [acknowledged, acknowledged + unknown]; and whatever the final value is, two
// acknowledged increments of one and the same value are one too few.
//
// oversell: no more units are sold than there are, none twice, and the stock that is left plus what
// was sold is what there was. An accepted write of v - 1 by a buyer who had seen v sells unit v.
#include "harness/check/updates.h"

#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/describe.h"
#include "harness/workloads/workload.h"

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

bool writes_may_come_late(const struct trial_model *model)
{
    return !trial_has_trait(model->trial, "optimistic");
}

struct access_read read_before(const struct trial_model *model, size_t write)
{
    const struct access *access = &model->accesses[write];
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

static struct moves moves_make(const struct trial_model *model)
{
    struct moves moves = {.items = memory_new(model->access_count * sizeof *moves.items),
                          .ends = memory_new(model->access_count * sizeof *moves.ends)};
    FOR_EACH_ACCESS (access, model) {
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

struct entries {
    struct entry *items; // sorted by value, then by time
    size_t count;
};

// Which writes are listed, by which value, and by which time.
enum listed {
    LISTED_SEEN,       // those that may have come, by what they had seen, and their invocation
    LISTED_SIGHTS,     // the same by the time of their reads; and the final value
    LISTED_ANSWERED,   // by what they wrote, and their invocation
    LISTED_UNANSWERED, // likewise
};

static struct entries entries_make(const struct trial_model *model, enum listed listed)
{
    struct entries entries = {memory_new((model->access_count + 1) * sizeof *entries.items), 0};
    bool by_seen = listed == LISTED_SEEN || listed == LISTED_SIGHTS;
    for (size_t i = 0; i < model->access_count; i++) {
        const struct access *access = &model->accesses[i];
        bool is_listed = by_seen                     ? access->outcome != OUTCOME_NO
                         : listed == LISTED_ANSWERED ? access->outcome == OUTCOME_OK
                                                     : access->outcome == OUTCOME_UNKNOWN;
        int64_t at_ns =
            listed == LISTED_SIGHTS ? read_before(model, i).invoked_ns : access->invoked_ns;
        if (access->is_write && is_listed)
            entries.items[entries.count++] =
                (struct entry){by_seen ? access->seen : access->value, at_ns, i};
    }
    if (listed == LISTED_SIGHTS && model->ends.final_known)
        entries.items[entries.count++] =
            (struct entry){model->ends.final_value, TIME_NEVER, SIZE_MAX};
    SORT_BY(entries.items, entries.count, at_ns);
    SORT_BY(entries.items, entries.count, value);
    return entries;
}

// --- whether the one explains the other ----------------------------------------------------------

struct look {
    const struct trial_model *model;
    struct moves moves;
    struct entries answered, unanswered;
    size_t next_answered;   // of those the first whose value, or time, is not passed yet
    size_t next_unanswered; // of those the first that is neither passed nor used up
    int64_t highest_token;  // of all answered writes
    // What was found. The first write (index into model.accesses) without an answer that came back
    // over others, or may have; SIZE_MAX if none is needed to explain what was seen.
    size_t late;
    // The first sight of a value that nothing explains: the write whose read it was, and the write
    // of the one that had seen the same value before; SIZE_MAX if there is none, or none before.
    size_t unexplained, before;
    bool end_unexplained; // nothing explains the final value
};

// A sight of a value by the read [invoked, returned].
struct sight {
    int64_t value;
    struct access_read read;
    const struct access *write; // NULL: the final value
    size_t access;
};

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
        !has_moved(&look->moves, look->model->accesses[answered->items[*next].access].returned_ns,
                   sight->read.invoked_ns))
        return true;
    bool is_initial =
        !look->model->ends.initial_known || look->model->ends.initial_value == sight->value;
    return is_initial && !has_moved(&look->moves, 0, sight->read.invoked_ns);
}

// The newest token that the store had certainly taken when the value is to have come back.
static int64_t token_taken(const struct look *look, const struct sight *before,
                           const struct sight *sight)
{
    if (!look->model->trial->scenario->workload.fenced)
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
        if (entry->value < sight->value || look->model->accesses[entry->access].token < token)
            continue;
        if (entry->at_ns >= sight->read.returned_ns)
            break;
        return unanswered->items[(*next)++].access;
    }
    return SIZE_MAX;
}

static void keep_first(const struct trial_model *model, size_t *kept, size_t access)
{
    if (*kept == SIZE_MAX || model->accesses[access].invoked_ns < model->accesses[*kept].invoked_ns)
        *kept = access;
}

// `before`: who saw the same value before; NULL if nobody did.
static void explain(struct look *look, const struct sight *before, const struct sight *sight)
{
    // Two answered updates of the value were under way at once.
    bool at_once = before != NULL && sight->write != NULL && before->write->outcome == OUTCOME_OK &&
                   sight->write->outcome == OUTCOME_OK &&
                   before->write->hold != sight->write->hold &&
                   before->write->returned_ns > sight->read.invoked_ns;
    bool stood = before != NULL &&
                 !has_moved(&look->moves, before->read.returned_ns, sight->read.invoked_ns);
    if (!at_once && (stood || was_left(look, sight)))
        return;
    size_t write = at_once ? SIZE_MAX : take_late(look, before, sight);
    if (write != SIZE_MAX) {
        if (has_moved(&look->moves, look->model->accesses[write].invoked_ns,
                      sight->read.invoked_ns))
            keep_first(look->model, &look->late, write);
    } else if (sight->write == NULL) {
        look->end_unexplained = true;
    } else {
        keep_first(look->model, &look->unexplained, sight->access);
        if (look->unexplained == sight->access)
            look->before = before != NULL ? before->access : SIZE_MAX;
    }
}

// Looks at all updates of a counter or a stock, and at its final value. Of two updates of one
// value, those that no late write explains are the proof.
static void look_for_late_writes(const struct trial_model *model, struct updates *updates)
{
    if (updates->unknown == 0 || !writes_may_come_late(model))
        return;
    struct look look = {.model = model,
                        .moves = moves_make(model),
                        .answered = entries_make(model, LISTED_ANSWERED),
                        .unanswered = entries_make(model, LISTED_UNANSWERED),
                        .late = SIZE_MAX,
                        .unexplained = SIZE_MAX,
                        .before = SIZE_MAX};
    for (size_t i = 0; i < look.answered.count; i++)
        look.highest_token =
            time_later(look.highest_token, model->accesses[look.answered.items[i].access].token);
    AUTO_FREE struct entries sights = entries_make(model, LISTED_SIGHTS);
    struct sight before = {0};
    for (size_t i = 0; i < sights.count; i++) {
        const struct entry *entry = &sights.items[i];
        struct sight sight = {entry->value, {TIME_NEVER, TIME_NEVER}, NULL, entry->access};
        if (entry->access != SIZE_MAX) {
            sight.read = read_before(model, entry->access);
            sight.write = &model->accesses[entry->access];
        }
        bool again = i > 0 && before.value == sight.value;
        explain(&look, again ? &before : NULL, &sight);
        before = sight;
    }
    free(look.unanswered.items);
    free(look.answered.items);
    free(look.moves.ends);
    free(look.moves.items);
    // All that was seen may be the doing of writes that got no answer, and not without them.
    if (look.unexplained == SIZE_MAX && !look.end_unexplained)
        updates->late = look.late;
    if (look.unexplained == SIZE_MAX || look.before == SIZE_MAX || updates->duplicates == 0)
        return;
    const struct access *pair[] = {&model->accesses[look.before],
                                   &model->accesses[look.unexplained]};
    if (pair[0]->outcome == OUTCOME_OK && pair[1]->outcome == OUTCOME_OK &&
        pair[0]->hold != pair[1]->hold) {
        updates->pair[0] = look.before;
        updates->pair[1] = look.unexplained;
    }
}

// === what the store acknowledged =================================================================

static void count_writes(const struct trial_model *model, struct updates *updates)
{
    FOR_EACH_ACCESS (access, model) {
        updates->unknown += access->is_write && access->outcome == OUTCOME_UNKNOWN;
        updates->acknowledged += access->is_write && access->outcome == OUTCOME_OK;
        if (access->is_write && access->outcome == OUTCOME_OK && access->value < 0)
            keep_first(model, &updates->below_zero, (size_t)(access - model->accesses));
    }
}

// Keeps the pair whose later write came first.
static void keep_earlier(const struct trial_model *model, size_t pair[2], size_t earlier,
                         size_t later)
{
    size_t kept = pair[1];
    keep_first(model, &pair[1], later);
    pair[0] = pair[1] != kept ? earlier : pair[0];
}

// Looks at the writes that have seen one value: seen[0..count).
static void pair_up(const struct trial_model *model, const struct entry *seen, size_t count,
                    struct updates *updates, size_t doubtful[2])
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const struct access *access = &model->accesses[seen[i].access];
        const struct access *before = i > 0 ? &model->accesses[seen[i - 1].access] : NULL;
        if (before != NULL && before->hold != access->hold &&
            (before->outcome == OUTCOME_OK || access->outcome == OUTCOME_OK))
            keep_earlier(model, doubtful, seen[i - 1].access, seen[i].access);
        if (access->outcome != OUTCOME_OK)
            continue;
        if (first == SIZE_MAX) {
            first = seen[i].access;
        } else if (model->accesses[first].hold != access->hold) {
            updates->duplicates++;
            keep_earlier(model, updates->pair, first, seen[i].access);
        }
    }
}

// True if some hold began while another lasted.
static bool any_overlap(const struct trial_model *model)
{
    int64_t latest_ns = 0;
    FOR_EACH_HOLD (hold, model) { // by their grants
        if (hold->granted_ns < latest_ns)
            return true;
        latest_ns = time_later(latest_ns, hold->released_ns);
    }
    return false;
}

// True if the server of the guarded value crashed, but came back with all that it had stored, and
// stores a commit before it answers, as MariaDB does: then it has forgotten nothing.
static bool kept_commits(const struct trial_model *model, const struct fault_instance *instance)
{
    const struct server_form *server =
        target_is_store(&instance->target) ? model->trial->store_server : model->trial->server;
    return server != NULL && server->keeps_commits && fault_can(instance, FAULT_KILLS) &&
           !fault_can(instance, FAULT_MOVES_LEADER | FAULT_LOSES_DATA) && instance->bound_ns >= 0;
}

// The fault that upset the server that the guarded value is on.
static const struct fault_record *find_upset_store(const struct trial_model *model)
{
    FOR_EACH_FAULT (record, model) {
        const struct fault_instance *instance = record->instance;
        bool on_store = target_is_store(&instance->target) || trial_shares_service(model->trial);
        if (instance->target.client == 0 && instance->side_counts[0] == 0 && on_store &&
            took_effect(record) && fault_can(instance, FAULT_KILLS | FAULT_EMPTIES) &&
            !kept_commits(model, instance))
            return record;
    }
    return NULL;
}

void updates_count(const struct trial_model *model, struct updates *updates)
{
    *updates =
        (struct updates){.pair = {SIZE_MAX, SIZE_MAX}, .below_zero = SIZE_MAX, .late = SIZE_MAX};
    size_t doubtful[2] = {SIZE_MAX, SIZE_MAX};
    AUTO_FREE struct entries seen = entries_make(model, LISTED_SEEN);
    count_writes(model, updates);
    for (size_t i = 0; i < seen.count;) {
        size_t end = i + 1;
        while (end < seen.count && seen.items[end].value == seen.items[i].value)
            end++;
        pair_up(model, &seen.items[i], end - i, updates, doubtful);
        i = end;
    }
    if (updates->duplicates == 0) {
        updates->pair[0] = doubtful[0];
        updates->pair[1] = doubtful[1];
    }
    look_for_late_writes(model, updates);
    if (model->fault_count > 0 && !any_overlap(model))
        updates->forgot = find_upset_store(model);
}

// === what is decided =============================================================================

// What is wrong; only updates that were seen twice if not both ends of the value are known.
struct balance {
    bool is_known;
    bool below_zero;   // the stock was
    long long moved;   // by so much the value rose, or the stock fell
    long long missing; // acknowledged, but not in it; 0 or less: nothing
    long long surplus; // in it, although nobody can have written it; likewise
    long long beyond;  // sold beyond the stock
};

static struct balance balance_of(const struct trial_model *model, const struct updates *updates,
                                 bool sells)
{
    struct balance balance = {.is_known = model->ends.initial_known && model->ends.final_known,
                              .moved = updates->acknowledged};
    if (balance.is_known)
        balance.moved = sells ? model->ends.initial_value - model->ends.final_value
                              : model->ends.final_value - model->ends.initial_value;
    balance.missing = updates->acknowledged - balance.moved;
    balance.surplus = balance.moved - updates->acknowledged - updates->unknown;
    balance.below_zero = sells && (updates->below_zero != SIZE_MAX ||
                                   (balance.is_known && model->ends.final_value < 0));
    if (sells && model->ends.initial_known)
        balance.beyond = time_later(updates->acknowledged - model->ends.initial_value, 0);
    return balance;
}

// True if more than the final value shows it.
static bool shows_in_updates(const struct updates *updates, const struct balance *balance)
{
    return balance->beyond > 0 || balance->below_zero || updates->duplicates > 0;
}

// The evidence of the write below zero, or of the pair; without one, of the whole trial.
static struct evidence evidence_of(const struct trial_model *model, const struct updates *updates,
                                   const struct balance *balance)
{
    if (updates->duplicates == 0 && updates->below_zero != SIZE_MAX && balance->below_zero) {
        const struct access *write = &model->accesses[updates->below_zero];
        return (struct evidence){{write->hold, SIZE_MAX},
                                 {updates->below_zero, SIZE_MAX},
                                 write->invoked_ns,
                                 write->returned_ns};
    }
    if (updates->pair[1] == SIZE_MAX)
        return evidence_of_holds(SIZE_MAX, SIZE_MAX, model->started_ns, model->ended_ns);
    const struct access *later = &model->accesses[updates->pair[1]];
    return (struct evidence){{model->accesses[updates->pair[0]].hold, later->hold},
                             {updates->pair[0], updates->pair[1]},
                             later->invoked_ns,
                             later->returned_ns == TIME_NEVER ? model->ended_ns
                                                              : later->returned_ns};
}

static void tell_excuse(const struct trial_model *model, const struct updates *updates,
                        struct finding *finding)
{
    if (updates->late == SIZE_MAX) {
        finding_say(finding,
                    ", but no two holds overlapped, and fault %d struck the store's own server: "
                    "the store lost acknowledged writes, which no lock prevents",
                    updates->forgot->instance->number);
        return;
    }
    const struct access *write = &model->accesses[updates->late];
    finding_say(finding,
                ", but no lock prevents that: %s's write of %lld got no answer, and if it "
                "reached the store later than others' writes, it explains this%s",
                holder_name(model, write->hold).text, (long long)write->value,
                updates->unknown > 1 ? " (perhaps with others like it)" : "");
}

static const char *was(long long count)
{
    return count == 1 ? "was" : "were";
}

static const struct workload_words *words_of(const struct trial_model *model)
{
    return workload_words(model->trial->scenario);
}

// What is wrong, of which the lock is excused.
static void tell_harm(const struct trial_model *model, const struct updates *updates,
                      const struct balance *balance, bool sells, struct finding *finding)
{
    const char *update = words_of(model)->update;
    long long acknowledged = updates->acknowledged, repeated = updates->duplicates;
    long long missing = time_later(balance->missing, 0);
    if (sells && repeated > 0)
        finding_say(finding, "%lld unit%s %s sold twice", repeated, plural(repeated),
                    was(repeated));
    else if (sells)
        finding_say(finding, "%lld unit%s sold and still there", missing,
                    missing == 1 ? " is" : "s are");
    else if (missing > 0)
        finding_say(finding, "%lld of %lld acknowledged %ss %s lost", missing, acknowledged, update,
                    was(missing));
    else
        finding_say(finding, "%lld of %lld acknowledged %ss repeated another's", repeated,
                    acknowledged, update);
}

static void tell_kept(const struct trial_model *model, const struct updates *updates,
                      const struct balance *balance, bool sells, struct finding *finding)
{
    long long acknowledged = updates->acknowledged;
    const char *update = words_of(model)->update;
    if (!balance->is_known)
        finding_decide(finding, FINDING_UNDECIDED,
                       "the %s %s was never read, so nothing tells whether the %lld %s%ss %s",
                       model->ends.initial_known ? "final" : "initial", sells ? "stock" : "value",
                       acknowledged, sells ? "" : "acknowledged ", sells ? "sale" : update,
                       sells ? "add up" : "are all in it");
    else if (sells)
        finding_say(finding, "%lld of %lld units sold, %lld left, none twice", acknowledged,
                    (long long)model->ends.initial_value, (long long)model->ends.final_value);
    else
        finding_say(finding,
                    "%lld acknowledged %s%s, %lld of unknown outcome: the value rose by %lld",
                    acknowledged, update, plural(acknowledged), updates->unknown, balance->moved);
}

// Says how many there were.
static int64_t tell_lost(const struct trial_model *model, const struct updates *updates,
                         const struct balance *balance, struct finding *finding)
{
    long long acknowledged = updates->acknowledged, missing = balance->missing;
    const struct workload_words *words = words_of(model);
    if (!balance->is_known || (missing <= 0 && updates->duplicates > 0))
        finding_say(finding, "%lld of %lld acknowledged %ss repeated one that another had made: ",
                    updates->duplicates, acknowledged, words->update);
    else if (missing > 0)
        finding_say(finding,
                    "%lld %s%s %s acknowledged, but the value rose by %lld: %lld %s lost; ",
                    acknowledged, words->update, plural(acknowledged), was(acknowledged),
                    balance->moved, missing, was(missing));
    else
        finding_say(finding,
                    "phantom update: the value rose by %lld, but only %lld %s%s %s "
                    "acknowledged and %lld more left without an answer",
                    balance->moved, acknowledged, words->update, plural(acknowledged),
                    was(acknowledged), updates->unknown);
    if ((!balance->is_known || missing > 0) && updates->pair[1] == SIZE_MAX)
        finding_say(finding,
                    "no two %ss of the same value were recorded, so the history "
                    "does not show which",
                    words->update);
    else if (!balance->is_known || missing > 0 || updates->duplicates > 0) {
        const struct access *earlier = &model->accesses[updates->pair[0]];
        const struct access *later = &model->accesses[updates->pair[1]];
        bool certain = earlier->outcome == OUTCOME_OK && later->outcome == OUTCOME_OK;
        finding_say(finding, "%s and %s both %s %lld%s", holder_name(model, earlier->hold).text,
                    holder_name(model, later->hold).text, words->updated, (long long)later->seen,
                    certain ? "" : ", one of them without an answer");
    }
    return missing > 0 ? missing : balance->surplus > 0 ? balance->surplus : updates->duplicates;
}

static int64_t tell_oversold(const struct trial_model *model, const struct updates *updates,
                             const struct balance *balance, struct finding *finding)
{
    long long stock = (long long)model->ends.initial_value;
    long long left = (long long)model->ends.final_value, twice = updates->duplicates;
    finding_say(finding, "%lld sale%s", updates->acknowledged, plural(updates->acknowledged));
    if (model->ends.initial_known)
        finding_say(finding, " of %lld unit%s in stock", stock, plural(stock));
    if (twice > 0)
        finding_say(finding, "; %lld unit%s %s sold twice or more: %s and %s both bought unit %lld",
                    twice, plural(twice), was(twice),
                    holder_name(model, model->accesses[updates->pair[0]].hold).text,
                    holder_name(model, model->accesses[updates->pair[1]].hold).text,
                    (long long)model->accesses[updates->pair[1]].seen);
    else if (balance->below_zero)
        finding_say(finding, "; the stock fell below zero");
    else if (balance->missing > 0)
        finding_say(finding, "; %lld are left: %lld too many", left, balance->missing);
    else if (balance->surplus > 0)
        finding_say(finding, "; %lld are left: %lld unit%s gone unsold", left, balance->surplus,
                    balance->surplus == 1 ? " is" : "s are");
    else
        finding_say(finding, "; the history does not show which unit was sold twice");
    return balance->beyond > 0    ? balance->beyond
           : twice > 0            ? twice
           : balance->missing > 0 ? balance->missing
           : balance->surplus > 0 ? balance->surplus
                                  : 1;
}

extern const struct check oversell_check;

static void decide(const struct trial_model *model, struct finding *finding)
{
    bool sells = finding->check == &oversell_check;
    struct updates updates;
    updates_count(model, &updates);
    struct balance balance = balance_of(model, &updates, sells);
    // Nothing but what a late write, or a store that forgot, can do.
    bool is_excused = (updates.late != SIZE_MAX || updates.forgot != NULL) && !balance.below_zero &&
                      balance.surplus <= 0;
    if (!shows_in_updates(&updates, &balance) && balance.missing <= 0 && balance.surplus <= 0) {
        tell_kept(model, &updates, &balance, sells, finding);
    } else if (is_excused) {
        finding->state = FINDING_UNDECIDED;
        tell_harm(model, &updates, &balance, sells, finding);
        tell_excuse(model, &updates, finding);
    } else {
        finding->state = FINDING_VIOLATED;
        finding->by_absence = !shows_in_updates(&updates, &balance) && balance.missing <= 0;
        finding->evidence = evidence_of(model, &updates, &balance);
        finding->count = sells ? tell_oversold(model, &updates, &balance, finding)
                               : tell_lost(model, &updates, &balance, finding);
    }
}

const struct check lost_update_check = {
    .name = "lost-update",
    .summary = "every acknowledged increment is in the final value, and nothing else",
    .letter = "L",
    .label = "this write",
    .decide = decide,
    .shows = SHOWS_LOSS,
    .may_follow = true,
    .mitigation = "a lock that excludes, or a store that writes only if the value is still the one "
                  "that was read",
    .form = {.workloads = (const char *const[]){"increment", "nested", "readers", "leader", NULL},
             .why_not = "the workload has no updates to lose"},
    .follows_from = (const char *const[]){"stale-holder", "double-grant", "wrongful-release",
                                          "stale-write", NULL},
};

const struct check oversell_check = {
    .name = "oversell",
    .summary = "no unit is sold twice, none beyond the stock, and the stock adds up",
    .letter = "O",
    .label = "this sale",
    .decide = decide,
    .shows = SHOWS_LOSS,
    .may_follow = true,
    .mitigation =
        "a lock that excludes, or a store that takes a unit only if the stock is still the "
        "one that was read",
    .form = {.workloads = (const char *const[]){"oversell", NULL},
             .why_not = "only the workload oversell sells"},
    .follows_from = (const char *const[]){"stale-holder", "double-grant", "wrongful-release",
                                          "stale-write", NULL},
};
