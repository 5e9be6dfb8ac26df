#include "harness/check/stalls.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/check/faults.h"
#include "harness/check/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- which there were

static int compare_stalls(const void *left, const void *right)
{
    const struct stall *a = left;
    const struct stall *b = right;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    return (a->to_ns > b->to_ns) - (a->to_ns < b->to_ns);
}

static int compare_owners(const void *left, const void *right)
{
    const struct stall *a = left;
    const struct stall *b = right;
    if (a->of != b->of)
        return a->of < b->of ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return compare_stalls(left, right);
}

// A long one is recorded in pieces, of which each begins when the one before ends.
static void join_stalls(struct trial_model *model)
{
    size_t count = 0;
    struct stall *stalls = model->stalls;
    if (model->stall_count == 0)
        return;
    qsort(stalls, model->stall_count, sizeof *stalls, compare_owners);
    for (size_t i = 0; i < model->stall_count; i++) {
        struct stall *last = count > 0 ? &stalls[count - 1] : NULL;
        if (last != NULL && last->of == stalls[i].of && last->number == stalls[i].number &&
            last->to_ns == stalls[i].from_ns)
            last->to_ns = stalls[i].to_ns;
        else
            stalls[count++] = stalls[i];
    }
    model->stall_count = count;
    qsort(stalls, count, sizeof *stalls, compare_stalls);
    for (size_t i = 0; i < count; i++)
        model->longest_stall_ns =
            time_later(model->longest_stall_ns, stalls[i].to_ns - stalls[i].from_ns);
}

// What the machine lets a fault take to stand is not the lock's time, nor the scenario's.
#define LATE_NS (50 * NS_PER_MS)

static void add_lateness(struct trial_model *model, int64_t from_ns, int64_t to_ns, int client,
                         size_t *room)
{
    if (to_ns == TIME_NEVER || to_ns - from_ns < LATE_NS)
        return;
    *APPEND(model->stalls, model->stall_count, *room) =
        (struct stall){.from_ns = from_ns,
                       .to_ns = to_ns,
                       .of = client > 0 ? STALLED_CLIENT : STALLED_CONDUCTOR,
                       .number = client};
}

// A worker stands at the point of a fault until it stands. The conductor strikes at once, unless it
// is late, or still at work on another fault: the worker has then stood still for that long. A
// fault on a client or a wire takes no time either; those on servers last until they show.
void stalls_complete(struct trial_model *model, size_t room)
{
    FOR_EACH_FAULT (record, model) {
        const struct fault_instance *instance = record->instance;
        bool on_server = instance->target.client == 0 && instance->side_counts[0] == 0;
        int64_t stands_ns = on_server ? record->asked_ns : record->in_effect_ns;
        if (record->asked_ns == TIME_NEVER)
            continue;
        add_lateness(model, record->asked_ns, stands_ns, 0, &room);
        if (record->reached != NULL)
            add_lateness(model, record->reached->at_ns, stands_ns, record->reached->client, &room);
    }
    join_stalls(model);
}

// --- whose they are

static bool concerns(const struct stall *stall, int whose)
{
    bool of_client = stall->of == STALLED_CLIENT || stall->of == STALLED_DRIVER;
    return whose == STALLS_OF_ALL ||
           (of_client ? stall->number == whose : stall->of != STALLED_CONDUCTOR);
}

// The first of the stalls, sorted by beginning, that may not be over yet at `from_ns`.
static size_t first_stall(const struct trial_model *model, int64_t from_ns)
{
    return FIRST_FROM(model->stalls, model->stall_count, from_ns,
                      from_ns - model->longest_stall_ns);
}

// What of the stall lies between the two times; 0 or less: nothing.
static int64_t part_ns(const struct stall *stall, int64_t from_ns, int64_t to_ns)
{
    return time_earlier(stall->to_ns, to_ns) - time_later(stall->from_ns, from_ns);
}

int64_t stalled_ns(const struct trial_model *model, int whose, int64_t from_ns, int64_t to_ns)
{
    int64_t total_ns = 0;
    for (size_t i = first_stall(model, from_ns);
         i < model->stall_count && model->stalls[i].from_ns < to_ns; i++) {
        const struct stall *stall = &model->stalls[i];
        if (!concerns(stall, whose) || part_ns(stall, from_ns, to_ns) <= 0)
            continue;
        total_ns += part_ns(stall, from_ns, to_ns);
        from_ns = stall->to_ns; // of those that coincide, each moment counts once
    }
    return total_ns;
}

// The one that lasted longest of those between the two times; NULL if there is none.
static const struct stall *longest_between(const struct trial_model *model, int whose,
                                           int64_t from_ns, int64_t to_ns)
{
    const struct stall *longest = NULL;
    int64_t most_ns = 0;
    for (size_t i = first_stall(model, from_ns);
         i < model->stall_count && model->stalls[i].from_ns < to_ns; i++) {
        const struct stall *stall = &model->stalls[i];
        if (!concerns(stall, whose) || part_ns(stall, from_ns, to_ns) <= most_ns)
            continue;
        most_ns = part_ns(stall, from_ns, to_ns);
        longest = stall;
    }
    return longest;
}

int64_t longest_stall_ns(const struct trial_model *model, int whose, int64_t to_ns)
{
    int64_t longest_ns = 0;
    FOR_EACH (stall, stall, model->stalls, model->stall_count) {
        if (concerns(stall, whose) && stall->to_ns <= to_ns)
            longest_ns = time_later(longest_ns, stall->to_ns - stall->from_ns);
    }
    return longest_ns;
}

struct words describe_stalls(const struct trial_model *model, int whose, int64_t from_ns,
                             int64_t to_ns)
{
    char owner[48];
    struct words words = {"nobody stood still"};
    const struct stall *longest = longest_between(model, whose, from_ns, to_ns);
    int64_t total_ns = stalled_ns(model, whose, from_ns, to_ns);
    if (longest == NULL)
        return words;
    int64_t most_ns = part_ns(longest, from_ns, to_ns);
    stall_owner(longest, owner, sizeof owner);
    if (most_ns == total_ns)
        snprintf(words.text, sizeof words.text, "%s stood still for %.20s", owner,
                 lasting(total_ns).text);
    else
        snprintf(words.text, sizeof words.text,
                 "processes stood still for %.20s in all, %s for %.20s at once",
                 lasting(total_ns).text, owner, lasting(most_ns).text);
    return words;
}

// True if the fault is one on servers, or on what is between them, and was on between the two
// times.
static bool struck_servers(const struct trial_model *model, const struct fault_record *record,
                           int64_t from_ns, int64_t to_ns)
{
    const struct fault_instance *instance = record->instance;
    const unsigned upsets = FAULT_STOPS | FAULT_KILLS | FAULT_SEVERS | FAULT_EMPTIES |
                            FAULT_MAY_FORGET | FAULT_MOVES_LEADER;
    bool on_them = instance->side_counts[0] > 0 || instance->target.client == 0;
    return on_them && !strikes_only_store(model, instance) && fault_can(instance, upsets) &&
           took_effect(record) && record->asked_ns <= to_ns && record->healed_ns >= from_ns;
}

// The number of the one server that the fault struck; 0: it is not known, or they are several.
static int struck_server(const struct fault_record *record)
{
    int number = 0;
    const struct fault_instance *instance = record->instance;
    // Who had the role that it names, which is noted: "redis-1 redis-2", the second one since.
    const char *name = strncmp(instance->target.server, "server-", 7) == 0 ? instance->target.server
                                                                           : record->reason;
    return sscanf(name, "%*[a-z]-%d", &number) == 1 ? number : 0;
}

bool leaders_were_two(const struct trial_model *model, int one, int other, int64_t to_ns)
{
    if (one == 0 || other == 0 || one == other)
        return false;
    FOR_EACH_FAULT (record, model) {
        int struck = struck_server(record);
        if (struck_servers(model, record, model->started_ns, to_ns) &&
            (struck == 0 || struck == one || struck == other))
            return false;
    }
    return true;
}

bool stall_may_have_deposed(const struct trial_model *model, int one, int other, int64_t from_ns,
                            int64_t to_ns)
{
    const struct topology_form *topology = model->trial->topology;
    if (topology == NULL || topology->deposes_after_ns == 0)
        return false;
    // Who is deposed without a fault was not heard of in time.
    if (leaders_were_two(model, one, other, to_ns))
        return longest_between(model, STALLS_OF_SERVERS, model->started_ns, to_ns) != NULL;
    // A failover takes its time, and half of the silence may have been something else.
    int64_t least_ns = topology->deposes_after_ns / 2;
    from_ns -= 4 * topology->deposes_after_ns;
    const struct stall *longest = longest_between(model, STALLS_OF_SERVERS, from_ns, to_ns);
    FOR_EACH_FAULT (record, model) {
        if (struck_servers(model, record, from_ns, to_ns))
            return false;
    }
    return longest != NULL && longest->to_ns - longest->from_ns >= least_ns;
}

bool stalls_may_have_upset(const struct trial_model *model, struct words *which)
{
    const struct lock_settings *lock = &model->trial->scenario->lock;
    int64_t shortest_ns = time_earlier(lock->lease_ns, lock->request_ns);
    int64_t hold_ns = model->trial->scenario->workload.hold_ns;
    int64_t from_ns = model->started_ns;
    int64_t to_ns = model->fault_count > 0 ? from_ns : model->ended_ns;
    bool is_past = false;
    FOR_EACH_FAULT (record, model) {
        int64_t over_ns =
            record->instance->bound_ns >= 0 ? record->healed_ns : record->in_effect_ns;
        over_ns = time_earlier(over_ns, model->ended_ns) + lock->lease_ns;
        to_ns = time_later(to_ns, time_earlier(over_ns, model->ended_ns));
        if (record->instance->bound_ns > 0)
            shortest_ns = time_earlier(shortest_ns, record->instance->bound_ns);
        // What the cause told of, which ended the fault, may have been over before its target went
        // on, for want of a processor.
        is_past |= record->instance->until.kind != CAUSE_NONE &&
                   record->heal_reason == HEAL_CAUSE && record->healed_ns != TIME_NEVER &&
                   hold_ns > 0 &&
                   stalled_ns(model, STALLS_OF_ALL, record->healed_ns - hold_ns,
                              record->healed_ns + hold_ns) >= hold_ns / 2;
    }
    const struct stall *longest = longest_between(model, STALLS_OF_ALL, from_ns, to_ns);
    bool is_long = longest != NULL && part_ns(longest, from_ns, to_ns) >= shortest_ns / 2;
    // Many short ones upset the moment at which a fault strikes; plain contention goes on.
    bool are_many = model->fault_count > 0 &&
                    stalled_ns(model, STALLS_OF_ALL, from_ns, to_ns) >= (to_ns - from_ns) / 10;
    if (!is_long && !are_many && !is_past)
        return false;
    *which = describe_stalls(model, STALLS_OF_ALL, from_ns, to_ns);
    return longest != NULL;
}

// Nothing is decided by what stalls could explain: so the finding is to say behind what was found,
// of which no more than `most` bytes stay.
static void excuse(struct finding *finding, size_t most)
{
    finding->text[most] = '\0';
    finding->state = FINDING_UNDECIDED;
    finding->by_stalls = true;
}

#define SAYS_NOTHING " says nothing about the lock"

void finding_blame_stalls(const struct trial_model *model, int whose, int64_t from_ns,
                          int64_t to_ns, struct finding *finding)
{
    excuse(finding, 210);
    finding_say(finding, "; but %.130s, which could explain it and" SAYS_NOTHING,
                describe_stalls(model, whose, from_ns, to_ns).text);
}

void finding_blame_point(const struct fault_record *record, struct finding *finding)
{
    excuse(finding, 210);
    finding_say(finding,
                "; but it stood at its point for %s until fault %d was in effect, which could "
                "explain it and" SAYS_NOTHING,
                lasting(record->in_effect_ns - record->reached->at_ns).text,
                record->instance->number);
}

void finding_blame_deposing(const struct trial_model *model, int one, int other,
                            struct finding *finding)
{
    const struct hold *hold = &model->holds[finding->evidence.holds[0]];
    int64_t until_ns = finding->evidence.from_ns;
    if (!leaders_were_two(model, one, other, until_ns)) {
        finding_blame_stalls(model, STALLS_OF_SERVERS, hold->invoked_ns, until_ns, finding);
        return;
    }
    excuse(finding, 150);
    finding_say(finding,
                "; but server-%d led beside or after server-%d, which no fault explains: %.100s, "
                "and one was taken for dead, which" SAYS_NOTHING,
                one > other ? one : other, one > other ? other : one,
                describe_stalls(model, STALLS_OF_SERVERS, model->started_ns, until_ns).text);
}

// When the fault began to hold somebody up: a worker stands at its point before it is in effect.
static int64_t stood_from_ns(const struct fault_record *record)
{
    return record->reached == NULL ? record->in_effect_ns
                                   : time_earlier(record->reached->at_ns, record->in_effect_ns);
}

void finding_blame_late_end(const struct trial_model *model, int64_t from_ns, int64_t to_ns,
                            struct finding *finding)
{
    static const unsigned holds_up = FAULT_STOPS | FAULT_SEVERS | FAULT_SLOWS | FAULT_REFUSES;
    int64_t spare_ns = model->trial->scenario->lock.lease_ns / 6;
    FOR_EACH_FAULT (record, model) {
        const struct fault_instance *instance = record->instance;
        if (record->in_effect_ns >= to_ns || record->healed_ns <= from_ns ||
            instance->bound_ns <= 0 || !fault_can(instance, holds_up))
            continue;
        // Of a fault that somebody wrote down, the violation may be what it is for.
        int64_t due_ns = stood_from_ns(record) + instance->bound_ns;
        const struct hold *hold = &model->holds[finding->evidence.holds[0]];
        bool may_be_meant =
            !instance->drawn && (record->heal_reason != HEAL_BOUND ||
                                 due_ns + spare_ns > hold_stale_from_ns(model, hold));
        if (may_be_meant)
            continue;
        int64_t lasted_ns =
            time_earlier(record->healed_ns, model->ended_ns) - stood_from_ns(record);
        if (lasted_ns <= instance->bound_ns + spare_ns)
            continue;
        excuse(finding, 210);
        finding_say(finding,
                    "; but fault %d was to last %s, and this machine was so late that it lasted "
                    "%s, which" SAYS_NOTHING,
                    instance->number, lasting(instance->bound_ns).text, lasting(lasted_ns).text);
        return;
    }
}
