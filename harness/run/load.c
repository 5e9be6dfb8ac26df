#include "harness/run/load.h"

#include "harness/base/clock.h"

#define HOUR_S 3600

static const struct load_settings *phase_of(const struct load *load, size_t phase)
{
    return &load->scenario->load[phase];
}

static void lay_out(struct load *load)
{
    for (size_t i = 0; i < load->count; i++) {
        int64_t for_ns = phase_of(load, i)->for_ns;
        load->begins_ns[i + 1] = for_ns > 0 ? load->begins_ns[i] + for_ns : TIME_NEVER;
    }
}

static int draw_arrivals(struct load *load, uint64_t seed, int64_t operations, struct error *error)
{
    struct arrivals_part parts[MOST_PHASES + 1];
    size_t count = 0;
    for (size_t i = 0; i < load->count; i++) {
        const struct load_settings *phase = phase_of(load, i);
        if (phase->rate == 0)
            continue;
        double rate = (double)phase->rate / HOUR_S;
        parts[count++] =
            (struct arrivals_part){.rate = rate,
                                   .to = phase->to > 0 ? (double)phase->to / HOUR_S : rate,
                                   .kind = phase->arrivals,
                                   .from_ns = load->begins_ns[i],
                                   .for_ns = phase->for_ns,
                                   .most = (uint64_t)operations};
    }
    if (count == 0)
        return 0;
    load->arrivals = arrivals_new(parts, count, seed);
    if (load->arrivals == NULL)
        return error_set(error,
                         "the load asks for more than %d operations: a lower rate, or a "
                         "shorter time",
                         MOST_ARRIVALS);
    return 0;
}

int load_open(struct load *load, const struct trial *trial, const struct history_file *history,
              int64_t operations, struct error *error)
{
    *load = (struct load){.scenario = trial->scenario, .count = trial->scenario->load_count};
    history_writer_start(&load->writer, history, 0, 0);
    lay_out(load);
    return draw_arrivals(load, trial->seed, operations, error);
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
