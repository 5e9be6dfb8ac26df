#include "harness/run/load_generator.h"

#include "harness/base/clock.h"
#include "harness/base/rank.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HOUR_S 3600

// --- arrivals ------------------------------------------------------------------------------------

static size_t bytes_of(uint64_t count)
{
    return sizeof(struct arrivals) + count * sizeof(int64_t);
}

// The gap before the next arrival, as a number of arrivals that are expected in it.
static double draw_gap(enum arrival_kind kind, struct random *random)
{
    if (kind == ARRIVALS_FIXED)
        return 1;
    // Never 0, so that the logarithm is finite.
    double even = ((double)random_below(random, UINT64_C(1) << 53) + 1) / 9007199254740992.0;
    return -log(even);
}

// Each second, at the end of the phase.
static double last_rate(const struct load_settings *phase)
{
    return (double)(phase->to > 0 ? phase->to : phase->rate) / HOUR_S;
}

// When, in seconds after the phase's beginning, so many are expected to have come: the root of
// rate * t + slope / 2 * t^2 = expected, in the form that loses no digits where the slope is small.
static double time_of(const struct load_settings *phase, double expected)
{
    double rate = (double)phase->rate / HOUR_S;
    double slope =
        phase->for_ns == 0 ? 0 : (last_rate(phase) - rate) / ((double)phase->for_ns / NS_PER_S);
    if (expected <= 0)
        return 0;
    double root = sqrt(fmax(rate * rate + 2 * slope * expected, 0));
    return 2 * expected / (rate + root);
}

static void draw_phase(const struct load_settings *phase, int64_t from_ns, int64_t operations,
                       struct random *random, struct arrivals *arrivals)
{
    bool by_count = phase->for_ns == 0;
    uint64_t most = arrivals->room;
    if (by_count && (uint64_t)operations < most)
        most = (uint64_t)operations;
    double expected = load_operations(phase);
    // The first of fixed ones is at once; drawn ones begin like all others with a gap.
    double at = phase->arrivals == ARRIVALS_FIXED ? 0 : draw_gap(phase->arrivals, random);
    while (arrivals->count < most && (by_count || at < expected)) {
        int64_t after_ns = (int64_t)(time_of(phase, at) * (double)NS_PER_S);
        arrivals->at_ns[arrivals->count++] = from_ns + after_ns;
        at += draw_gap(phase->arrivals, random);
    }
}

struct arrivals *arrivals_new(const struct load_settings *phases, size_t count, int64_t operations,
                              uint64_t seed)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        // Drawn ones may be more than is expected, but never by ten deviations.
        double expected = phases[i].for_ns > 0 ? load_operations(&phases[i]) : (double)operations;
        if (phases[i].rate > 0)
            most +=
                expected + (phases[i].arrivals == ARRIVALS_FIXED ? 1 : 10 * sqrt(expected) + 10);
    }
    if (!(most <= MOST_ARRIVALS))
        return NULL;
    uint64_t room = (uint64_t)most;
    struct arrivals *arrivals = memory_shared(bytes_of(room)); // what is not used costs nothing
    struct random random;
    int64_t from_ns = 0;
    arrivals->room = room;
    random_start(&random, seed, 0);
    for (size_t i = 0; i < count; from_ns += phases[i++].for_ns) {
        if (phases[i].rate > 0)
            draw_phase(&phases[i], from_ns, operations, &random, arrivals);
    }
    return arrivals;
}

void arrivals_free(struct arrivals *arrivals)
{
    if (arrivals != NULL)
        munmap(arrivals, bytes_of(arrivals->room));
}

int64_t arrivals_take(struct arrivals *arrivals, int64_t from_ns, int64_t before_ns, int64_t *at_ns)
{
    uint64_t first = from_ns > 0 ? arrivals_due(arrivals, from_ns - 1) : 0;
    uint64_t taken = atomic_load_explicit(&arrivals->taken, memory_order_relaxed);
    uint64_t index;
    do {
        index = taken > first ? taken : first;
        if (index >= arrivals->count || arrivals->at_ns[index] >= before_ns)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&arrivals->taken, &taken, index + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    *at_ns = arrivals->at_ns[index];
    return (int64_t)index + 1;
}

uint64_t arrivals_due(const struct arrivals *arrivals, int64_t at_ns)
{
    return first_from(arrivals->at_ns, arrivals->count, sizeof(int64_t), at_ns + 1);
}

// --- phases --------------------------------------------------------------------------------------

static const struct load_settings *phase_of(const struct load *load, size_t phase)
{
    return &load->scenario->load[phase];
}

int load_open(struct load *load, const struct trial *trial, const struct history_file *history,
              int64_t operations, struct error *error)
{
    const struct load_settings *phases = trial->scenario->load;
    *load = (struct load){.scenario = trial->scenario, .count = trial->scenario->load_count};
    history_writer_start(&load->writer, history, 0, 0);
    bool is_open = false;
    for (size_t i = 0; i < load->count; i++) {
        load->begins_ns[i + 1] =
            phases[i].for_ns > 0 ? load->begins_ns[i] + phases[i].for_ns : TIME_NEVER;
        is_open |= phases[i].rate > 0;
    }
    if (is_open &&
        (load->arrivals = arrivals_new(phases, load->count, operations, trial->seed)) == NULL)
        return error_set(error,
                         "the load asks for more than %d operations: a lower rate, or a "
                         "shorter time",
                         MOST_ARRIVALS);
    return 0;
}

void load_close(struct load *load)
{
    arrivals_free(load->arrivals);
    load->arrivals = NULL;
}

size_t load_phase_at(const struct load *load, int64_t at_ns)
{
    size_t phase = 0;
    while (phase < load->count && at_ns >= load->begins_ns[phase + 1])
        phase++;
    return phase;
}

int64_t load_backlog_ns(const struct load *load, size_t phase)
{
    size_t first = phase;
    while (first > 0 && (phase_of(load, first)->warm_up || !phase_of(load, first - 1)->warm_up))
        first--;
    return load->begins_ns[first];
}

static int64_t clients_in(const struct load *load, size_t phase)
{
    int64_t clients = phase_of(load, phase)->clients;
    return clients > 0 ? clients : load->scenario->clients.processes;
}

bool load_includes(const struct load *load, size_t phase, int client)
{
    return client <= clients_in(load, phase);
}

void load_announce(struct load *load, int64_t opened_ns, int64_t now_ns)
{
    while (opened_ns != 0 && load->announced < load->count &&
           now_ns - opened_ns >= load->begins_ns[load->announced]) {
        size_t phase = load->announced++;
        const struct load_settings *settings = phase_of(load, phase);
        int64_t per_1000_s = (settings->rate * 1000 + HOUR_S / 2) / HOUR_S;
        history_append(&load->writer,
                       (struct event){.kind = EVENT_LOAD,
                                      .at_ns = opened_ns + load->begins_ns[phase],
                                      .load = {(int64_t)phase + 1, clients_in(load, phase),
                                               per_1000_s, !settings->warm_up}});
    }
}

int64_t load_due(const struct load *load, int64_t at_ns)
{
    uint64_t due = 0;
    for (size_t i = 0; load->arrivals != NULL && i < load->count; i++) {
        int64_t from_ns = load->begins_ns[i];
        int64_t to_ns = at_ns < load->begins_ns[i + 1] ? at_ns : load->begins_ns[i + 1];
        if (!phase_of(load, i)->warm_up && from_ns < to_ns)
            due +=
                arrivals_due(load->arrivals, to_ns - 1) - arrivals_due(load->arrivals, from_ns - 1);
    }
    return (int64_t)due;
}

// --- keys ----------------------------------------------------------------------------------------

void key_distribution_make(struct key_distribution *distribution, size_t count, double skew)
{
    double sum = 0;
    *distribution = (struct key_distribution){.count = count};
    distribution->up_to = memory_zeroed(count, sizeof *distribution->up_to);
    for (size_t i = 0; i < count; i++) {
        sum += pow((double)i + 1, -skew);
        distribution->up_to[i] = sum;
    }
    for (size_t i = 0; i < count; i++)
        distribution->up_to[i] /= sum;
}

void key_distribution_free(struct key_distribution *distribution)
{
    free(distribution->up_to);
    *distribution = (struct key_distribution){0};
}

size_t key_distribution_draw(const struct key_distribution *distribution, struct random *random)
{
    double even = (double)random_below(random, UINT64_C(1) << 53) / 9007199254740992.0;
    size_t low = 0;
    size_t high = distribution->count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (even < distribution->up_to[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
