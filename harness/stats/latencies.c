#include "harness/stats/latencies.h"

#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/check/by_lock.h"
#include "harness/check/lost_lock.h"

#include <stdlib.h>

#define X(id, field, name) {#field, name},
const struct latency_form latency_forms[LATENCY_COUNT] = {LATENCIES(X)};
#undef X

// --- sets of durations ---------------------------------------------------------------------------

static struct durations durations_for(size_t count)
{
    size_t bytes = (count + 1) * sizeof(int64_t);
    return (struct durations){memory_new(bytes), memory_new(bytes), 0};
}

void durations_free(struct durations *durations)
{
    free(durations->items);
    free(durations->ends_ns);
    *durations = (struct durations){0};
}

static void add(struct durations *durations, int64_t from_ns, int64_t to_ns)
{
    durations->ends_ns[durations->count] = to_ns;
    durations->items[durations->count++] = to_ns > from_ns ? to_ns - from_ns : 0;
}

static bool is_open_loop(const struct trial_model *model)
{
    for (size_t i = 0; i < acquire_count(model); i++) {
        if (acquire_at(model, i)->intended_ns > 0)
            return true;
    }
    return false;
}

// What is measured of each hold for itself.
static void add_holds(const struct trial_model *model, enum latency latency,
                      struct durations *durations)
{
    if (latency == LATENCY_ACQUIRE_UNCORRECTED && !is_open_loop(model))
        return;
    FOR_EACH_HOLD (hold, model) {
        bool is_corrected = latency == LATENCY_ACQUIRE && hold->intended_ns > 0;
        if (!counted_hold(model, hold))
            continue;
        if (latency == LATENCY_ACQUIRE || latency == LATENCY_ACQUIRE_UNCORRECTED)
            add(durations, is_corrected ? hold->intended_ns : hold_acquire_began_ns(hold),
                hold->granted_ns);
        else if (latency == LATENCY_HOLD && hold->release_invoked)
            add(durations, hold->granted_ns, hold->released_ns);
        else if (hold->release_invoked && hold->returned_ns != TIME_NEVER &&
                 latency == LATENCY_RELEASE)
            add(durations, hold_release_began_ns(hold), hold->returned_ns);
    }
}

static void add_hand_offs(const struct trial_model *model, struct durations *durations)
{
    AUTO_FREE int64_t *invoked = memory_new((model->hold_count + 1) * sizeof *invoked);
    FOR_EACH_LOCK (locks, model) {
        const struct trial_model *part = &locks.part;
        size_t count = part->hold_count;
        for (size_t i = 0; i < count; i++)
            invoked[i] = part->holds[i].invoked_ns;
        sort_values(invoked, count);
        FOR_EACH_HOLD (hold, part) {
            if (!hold->release_invoked || !counted_at(model, hold->released_ns))
                continue;
            int64_t from_ns = hold_release_began_ns(hold);
            size_t next = FIRST_FROM(part->holds, count, granted_ns, from_ns + 1);
            // Whoever has invoked and has not been granted is waiting.
            if (next < count && first_from(invoked, count, sizeof *invoked, from_ns) > next)
                add(durations, from_ns, part->holds[next].granted_ns);
        }
    }
}

static void add_told(const struct trial_model *model, struct durations *durations)
{
    AUTO_FREE struct lost_hold *losses = memory_new((model->hold_count + 1) * sizeof *losses);
    FOR_EACH_LOCK (locks, model) {
        size_t count = losses_find(&locks.part, losses);
        for (size_t i = 0; i < count; i++)
            add(durations, losses[i].until_ns - losses[i].ran_ns, losses[i].until_ns);
    }
}

struct durations durations_of(const struct trial_model *model, enum latency latency)
{
    struct durations durations = durations_for(model->hold_count);
    if (latency == LATENCY_HAND_OFF)
        add_hand_offs(model, &durations);
    else if (latency == LATENCY_TOLD)
        add_told(model, &durations);
    else
        add_holds(model, latency, &durations);
    return durations;
}

// --- the driver's lateness -----------------------------------------------------------------------

struct operation {
    int64_t invoked_ns, who; // by which they are sorted
    const struct hold *acquire;
    bool is_granted;
    int64_t late_ns; // as far as it is known
};

// How late an operation began; -1 if it is not known when its worker was free. `before` is the one
// before it in their order, or NULL. Had that been on time, its worker had been free so much
// sooner: what was late once is late in all that queue up behind it, until they catch up.
static int64_t late_ns(const struct operation *operation, const struct operation *before,
                       int64_t think_ns)
{
    int64_t could_ns = operation->acquire->intended_ns;
    if (before != NULL && before->who == operation->who) {
        if (before->acquire->returned_ns == TIME_NEVER)
            return -1;
        could_ns = time_later(could_ns, before->acquire->returned_ns - before->late_ns + think_ns);
    }
    return time_later(operation->acquire->invoked_ns - could_ns, 0);
}

struct lateness lateness_of(const struct trial_model *model)
{
    if (!is_open_loop(model))
        return (struct lateness){0};
    size_t count = acquire_count(model);
    int64_t think_ns = model->trial->scenario->workload.think_ns;
    struct lateness lateness = {durations_for(count), durations_for(count)};
    AUTO_FREE struct operation *operations = memory_new((count + 1) * sizeof *operations);
    for (size_t i = 0; i < count; i++)
        operations[i] =
            (struct operation){acquire_at(model, i)->invoked_ns, worker_key(acquire_at(model, i)),
                               acquire_at(model, i), i < model->hold_count, 0};
    // Each worker's together, in its order.
    SORT_BY(operations, count, invoked_ns);
    SORT_BY(operations, count, who);
    for (size_t i = 0; i < count; i++) {
        struct operation *operation = &operations[i];
        const struct hold *acquire = operation->acquire;
        bool is_open = acquire->intended_ns > 0;
        int64_t began_ns = is_open ? acquire->intended_ns : acquire->invoked_ns;
        int64_t late = is_open ? late_ns(operation, i > 0 ? operation - 1 : NULL, think_ns) : 0;
        operation->late_ns = time_later(late, 0);
        if (!counted_hold(model, acquire))
            continue;
        if (is_open && late >= 0)
            add(&lateness.late, acquire->invoked_ns - late, acquire->invoked_ns);
        if (operation->is_granted)
            add(&lateness.acquire_on_time, began_ns + operation->late_ns, acquire->granted_ns);
    }
    return lateness;
}

// --- phases --------------------------------------------------------------------------------------

// The phase in which that was; NULL if in none.
static struct phase_cost *phase_at(const struct trial_model *model, struct phase_costs *costs,
                                   int64_t at_ns)
{
    for (size_t i = 0; i < costs->count; i++) {
        if (model->phases[i].from_ns <= at_ns && at_ns < model->phases[i].to_ns)
            return &costs->items[i];
    }
    return NULL;
}

static void count_operations(const struct trial_model *model, struct phase_costs *costs)
{
    for (size_t i = 0; i < acquire_count(model); i++) {
        const struct hold *hold = acquire_at(model, i);
        struct phase_cost *due = phase_at(model, costs, hold->intended_ns);
        struct phase_cost *granted = phase_at(model, costs, hold->granted_ns);
        if (due != NULL && hold->intended_ns > 0) {
            due->due++;
            due->held += hold->invoked_ns < model->started_ns + due->to_ns;
        }
        if (granted != NULL)
            granted->grants += i < model->hold_count;
    }
}

static double length_s(const struct phase_cost *phase)
{
    return (double)(phase->to_ns - phase->from_ns) / (double)NS_PER_S;
}

static void add_missing(const struct trial_model *model, struct phase_costs *costs)
{
    int64_t missing = model->due_operations - model->begun_operations;
    struct phase_cost *last = NULL;
    for (size_t i = costs->count; i-- > 0;) {
        struct phase_cost *phase = &costs->items[i];
        if (!phase->counts || phase->rate == 0)
            continue;
        last = last != NULL ? last : phase;
        int64_t room = (int64_t)((double)phase->rate / 1000 * length_s(phase)) - phase->due;
        int64_t taken = time_later(room < missing ? room : missing, 0);
        phase->due += taken;
        missing -= taken;
    }
    if (last != NULL && missing > 0)
        last->due += missing;
}

static void phase_costs_make(const struct trial_model *model, struct phase_costs *costs)
{
    AUTO_FREE int64_t *durations = memory_new((model->hold_count + 1) * sizeof *durations);
    costs->items = memory_zeroed(model->phase_count + 1, sizeof *costs->items);
    for (; costs->count < model->phase_count; costs->count++) {
        const struct load_phase *phase = &model->phases[costs->count];
        struct phase_cost *cost = &costs->items[costs->count];
        size_t found = 0;
        *cost = (struct phase_cost){.from_ns = phase->from_ns - model->started_ns,
                                    .to_ns = phase->to_ns - model->started_ns,
                                    .clients = phase->clients,
                                    .rate = phase->rate,
                                    .counts = phase->counts};
        FOR_EACH_HOLD (hold, model) {
            int64_t began_ns = hold->intended_ns > 0 ? hold->intended_ns : hold->invoked_ns;
            if (phase->from_ns <= began_ns && began_ns < phase->to_ns)
                durations[found++] = time_later(hold->granted_ns - began_ns, 0);
        }
        percentiles_make(durations, found, &cost->acquire);
        for (size_t i = 0; i < found; i++)
            histogram_record(&cost->histogram, durations[i]);
    }
    if (costs->count > 0)
        count_operations(model, costs);
    add_missing(model, costs);
}

double phase_cost_rate(const struct phase_cost *phase)
{
    return phase->to_ns > phase->from_ns ? (double)phase->grants / length_s(phase) : 0;
}

bool phase_cost_held_rate(const struct phase_cost *phase)
{
    return (phase->due - phase->held) * 100 <= phase->due;
}

// --- the record, and its files -------------------------------------------------------------------

// One duration on its way into the log.
struct ending {
    int64_t line; // the second in which it ended, times LATENCY_COUNT, and which latency it is
    int64_t length_ns;
};

struct endings {
    struct ending *items;
    size_t count, room;
};

static int write_file(const char *folder, const char *name, const char *ending,
                      const struct text *text, struct error *error)
{
    AUTO_TEXT struct text path = {0};
    text_format(&path, "%s/%s%s", folder, name, ending);
    return file_write(path.bytes, text_string(text), text->length, error);
}

// A line for each second and thing that was measured in it.
static int write_log(const struct trial_model *model, struct endings *endings, const char *folder,
                     struct error *error)
{
    const struct history *history = model->history;
    AUTO_TEXT struct text log = {0};
    histogram_log_begin(
        history == NULL ? 0 : history->began_unix_ns + model->started_ns - history->began_ns, &log);
    sort_by_key(endings->items, endings->count, sizeof *endings->items);
    for (size_t at = 0; at < endings->count;) {
        int64_t line = endings->items[at].line;
        struct histogram histogram = {0};
        for (; at < endings->count && endings->items[at].line == line; at++)
            histogram_record(&histogram, endings->items[at].length_ns);
        histogram_log(&histogram, latency_forms[line % LATENCY_COUNT].name,
                      line / LATENCY_COUNT * NS_PER_S, NS_PER_S, &log);
        histogram_free(&histogram);
    }
    return write_file(folder, "latency", ".hlog", &log, error);
}

int latencies_write(const struct trial_model *model, const char *folder,
                    struct latency_record *record, struct error *error)
{
    AUTO_FREE struct endings endings = {0};
    int result = 0;
    *record = (struct latency_record){0};
    phase_costs_make(model, &record->phases);
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++) {
        struct durations durations = durations_of(model, latency);
        AUTO_TEXT struct text file = {0};
        for (size_t i = 0; i < durations.count; i++)
            histogram_record(&record->histograms[latency], durations.items[i]);
        if (durations.count > 0 && folder != NULL && result == 0) {
            histogram_print(&record->histograms[latency], &file);
            result = write_file(folder, latency_forms[latency].name, ".hgrm", &file, error);
        }
        for (size_t i = 0; i < durations.count; i++) {
            int64_t second = (durations.ends_ns[i] - model->started_ns) / NS_PER_S;
            *APPEND(endings.items, endings.count, endings.room) = (struct ending){
                time_later(second, 0) * LATENCY_COUNT + latency, durations.items[i]};
        }
        durations_free(&durations);
    }
    if (endings.count > 0 && folder != NULL && result == 0)
        result = write_log(model, &endings, folder, error);
    return result;
}

void latencies_free(struct latency_record *record)
{
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        histogram_free(&record->histograms[latency]);
    for (size_t i = 0; i < record->phases.count; i++)
        histogram_free(&record->phases.items[i].histogram);
    free(record->phases.items);
    *record = (struct latency_record){0};
}
