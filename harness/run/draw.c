#include "harness/run/perform.h"

#include "faults/fault.h"
#include "harness/base/clock.h"
#include "harness/base/random.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/cluster/topology.h"
#include "harness/run/servers.h"
#include "harness/workloads/workload.h"

#include <inttypes.h>
#include <string.h>

// The nth time that a point is reached is drawn up to so many.
#define MOST_NTH 3
// Of schemes for which a fault is not drawn, so many are named.
#define MOST_NAMED 4
// So often another fault is drawn instead of one that would kill too many.
#define MOST_TRIES 8
// Streams of a seed: those of `random`, one for each repeat; those of each `every` are below.
#define RANDOM_STREAM UINT64_C(0x6661756c7473)

// One of `of`, as it is drawn for a trial.
struct choice {
    const struct fault *fault;
    bool loses_reply;
    bool on_client, on_server; // whom it may strike
};

// A trial for which faults are drawn.
struct draw {
    const struct trial *trial;
    const struct scenario *scenario;
    struct lock_scheme room;
    const struct lock_scheme *scheme;
    struct node nodes[MAX_GROUP_NODES];
    struct server_group group; // as it will be; no nodes if none is ours, or not known
    struct random random;
    // Clients that are drawn, or written, to be killed by now.
    bool killed[MOST_CLIENT_PROCESSES + 1];
    struct text out;
};

static bool moves_leader(const struct fault *fault)
{
    return (fault->form.traits & FAULT_MOVES_LEADER) != 0;
}

static bool kills(const struct fault *fault)
{
    return (fault->form.traits & FAULT_KILLS) != 0 && !moves_leader(fault);
}

static void open_draw(struct draw *draw, const struct trial *trial)
{
    *draw = (struct draw){.trial = trial, .scenario = trial->scenario};
    draw->scheme = trial_scheme(trial, &draw->room);
    draw->group.nodes = draw->nodes;
    // The scheme's servers, as if they were up.
    const char *server = draw->scheme->server;
    struct group_settings *settings = &draw->group.settings;
    if (server != NULL && trial->servers > 0)
        settings->topology = topology_find(server, trial_topology(trial));
    if (settings->topology != NULL) {
        settings->count = trial->servers;
        settings->persistence = scenario_server(draw->scenario, server)->persistence;
        snprintf(settings->name, sizeof settings->name, "%.15s", server);
        topology_plan(&draw->group);
    }
    for (size_t i = 0; i < draw->scenario->fault_count; i++) {
        const struct fault_instance *instance = &draw->scenario->faults[i];
        if (fault_can(instance, FAULT_KILLS) && instance->target.client <= MOST_CLIENT_PROCESSES)
            draw->killed[instance->target.client] = true;
    }
}

// --- what a scheme promises ----------------------------------------------------------------------

// Whether what its clients send can be stopped at a point.
static bool has_points(const struct draw *draw)
{
    return draw->scheme->server != NULL &&
           external_client_host(draw->scheme->external_client, 1) == NULL;
}

static bool has(const struct draw *draw, const char *trait)
{
    return lock_scheme_has(draw->scheme, trait);
}

static bool servers_keep_data(const struct draw *draw)
{
    const struct server_settings *settings = scenario_server(draw->scenario, draw->scheme->server);
    return draw->group.nodes[0].kind->keeps_data || settings->persistence != PERSISTENCE_NONE;
}

// Why the scheme does not promise to survive that a client dies; NULL if it does.
static const char *why_no_crash(const struct draw *draw)
{
    return has(draw, "lease") || has(draw, "session") || has(draw, "optimistic")
               ? NULL
               : "nothing frees the lock of a dead client";
}

// The same of a server of its own that dies and comes back; or, if `leads`, of a leader that dies,
// so that another one leads.
static const char *why_no_restart(const struct draw *draw, bool leads)
{
    const struct topology *topology = draw->group.settings.topology;
    if (why_no_crash(draw) != NULL)
        return "a release may be lost, and nothing else frees the lock";
    // It is gone with a connection of its holder's, who need not learn of it.
    if (has(draw, "session") && !has(draw, "lease") && !has(draw, "transaction"))
        return "the lock ends with a connection, which its holder learns too late";
    if (leads)
        return topology == NULL || topology->replicates ? NULL
                                                        : "the lock may be lost with its leader";
    // What knows nothing of its peers serves again once every lease that it forgot is over.
    if (topology != NULL && topology->form.by_majority && !topology->replicates)
        return NULL;
    if (draw->group.count > 0 && !servers_keep_data(draw))
        return "a server that comes back has forgotten the lock";
    return draw->group.count <= 1 ||
                   (topology != NULL && topology->replicates && !topology->promoted)
               ? NULL
               : "another server may lead that has not heard of the lock";
}

// Why the scheme does not promise to survive that fault; NULL if it does.
static const char *why_unpromised(const struct draw *draw, const struct fault *fault,
                                  bool on_server)
{
    if (draw->scenario->random.beyond || draw->scheme->server == NULL)
        return NULL;
    if (draw->scheme->falls_to != NULL && text_is_one_of(fault->form.name, draw->scheme->falls_to))
        return draw->scheme->breaks;
    unsigned traits = fault->form.traits;
    if ((traits & FAULT_EMPTIES) != 0)
        return "the lock is what the server is made to forget";
    if ((traits & FAULT_MOVES_CLOCK) != 0)
        return has(draw, "lease") ? "a lease is counted by clocks" : NULL;
    if ((traits & FAULT_MOVES_LEADER) != 0)
        return why_no_restart(draw, true);
    if ((traits & FAULT_KILLS) != 0)
        return on_server ? why_no_restart(draw, false) : why_no_crash(draw);
    if ((traits & FAULT_STOPS) == 0 && why_no_crash(draw) != NULL)
        return "what the client sends may be lost, and nothing frees a lock that it does not "
               "release";
    if ((traits & FAULT_DISCONNECTS) != 0)
        return has(draw, "session") && !has(draw, "transaction")
                   ? "the lock ends with its session or connection"
                   : NULL;
    // Drawn faults together may keep a client from its lock, within one lease, for longer than a
    // watchdog that renews at a third of the lease leaves of it at the least: two thirds.
    const struct random_settings *random = &draw->scenario->random;
    int64_t lease_ns = draw->scenario->lock.lease_ns;
    int64_t times = 1 + (lease_ns + 2 * random->jitter_ns) / random->every_ns;
    bool is_fenced = draw->scenario->workload.fenced && has(draw, "fenced");
    bool holds_on = has(draw, "lease") && !is_fenced &&
                    !workload_find(draw->scenario->workload.kind)->never_gives_back;
    return holds_on && 3 * random->lasting_ns * times > 2 * lease_ns
               ? "it may last for longer than the lease allows"
               : NULL;
}

// --- what can be drawn ---------------------------------------------------------------------------

// Whether it can happen to a server of the scheme's, as far as that is known before.
static bool may_strike_server(const struct draw *draw, const struct fault *fault, struct error *why)
{
    struct fault_environment environment = {
        .scenario = draw->scenario,
        .is_unseen =
            draw->scheme->external_client != NULL && !draw->scheme->external_client->visible,
        .lock_group = draw->group.count > 0 ? (struct server_group *)&draw->group : NULL};
    struct fault_instance instance = {.verb = fault->form.name,
                                      .form = fault->form,
                                      .bound_ns = draw->scenario->random.lasting_ns};
    const struct topology *topology = draw->group.settings.topology;
    int count = draw->group.settings.count;
    if ((fault->form.strikes & STRIKES_SERVER) == 0)
        return false;
    if ((fault->form.traits & FAULT_KILLS) != 0 && topology != NULL && topology->form.by_majority &&
        2 * (count - 1) <= count) {
        error_set(why, "without one of its %d servers the others serve nobody", count);
        return false;
    }
    bool is_unknown = draw->scheme->server != NULL && draw->group.count == 0;
    snprintf(instance.target.server, sizeof instance.target.server, "%s",
             moves_leader(fault) ? "leader" : "server-1");
    return is_unknown || fault_available(&instance, &environment, why) != FAULT_MEANINGLESS;
}

// How `word` of `of` is drawn for the trial. False, with `why` set, if it is not.
static bool make_choice(const struct draw *draw, const char *word, struct choice *choice,
                        struct error *why)
{
    const char *broken = NULL;
    *choice = (struct choice){.loses_reply = strcmp(word, LOST_REPLY) == 0};
    choice->fault = fault_drawn_as(word);
    bool can_strike_client = (choice->fault->form.strikes & (STRIKES_CLIENT | STRIKES_WIRE)) != 0;
    bool on_wire = (choice->fault->form.strikes & STRIKES_WIRE) != 0;
    if (on_wire && draw->scheme->server == NULL) {
        error_set(why, "the scheme has no servers");
        return false;
    }
    if (choice->loses_reply && !has_points(draw)) {
        error_set(why, "what a program on another host sends to its servers does not pass here");
        return false;
    }
    if (can_strike_client) {
        broken = why_unpromised(draw, choice->fault, false);
        choice->on_client = broken == NULL;
    }
    // A client that stands still is one, and the clock of one; servers are meant where they die.
    bool wants_server = !can_strike_client || kills(choice->fault);
    if (wants_server && may_strike_server(draw, choice->fault, why)) {
        const char *why_not = why_unpromised(draw, choice->fault, true);
        choice->on_server = why_not == NULL;
        broken = broken != NULL ? broken : why_not;
    }
    if (choice->on_client || choice->on_server)
        return true;
    if (broken != NULL)
        error_set(why, "it does not promise to survive that: %s", broken);
    return false;
}

// --- what is drawn -------------------------------------------------------------------------------

static int64_t between(struct draw *draw, int64_t least, int64_t most)
{
    return least + (int64_t)random_below(&draw->random, (uint64_t)(most - least + 1));
}

static int count_living(const struct draw *draw)
{
    int count = 0;
    for (int client = 1; client <= draw->scenario->clients.processes; client++)
        count += !draw->killed[client];
    return count;
}

// At a request of the client's, or, without requests, where it holds.
static void draw_point(struct draw *draw, int client, bool before)
{
    static const char *const befores[] = {"before request in acquire", "before request in release",
                                          NULL};
    static const char *const all[] = {"before request in acquire",
                                      "after request in acquire",
                                      "before request in release",
                                      "after request in release",
                                      "holds",
                                      NULL};
    static const char *const of_optimistic[] = {"before write", NULL};
    static const char *const of_nobody[] = {"holds", NULL};
    const char *const *points = before ? befores : all;
    if (!has_points(draw))
        points = of_nobody;
    else if (has(draw, "optimistic"))
        points = of_optimistic;
    size_t count = 0;
    while (points[count] != NULL)
        count++;
    text_format(&draw->out, ", when: \"client-%d %s\"", client,
                points[random_below(&draw->random, count)]);
    text_format(&draw->out, ", nth: %" PRId64, between(draw, 1, MOST_NTH));
}

static bool draws_at(const struct draw *draw, const char *moment)
{
    const struct string_list *at = &draw->scenario->random.at;
    return at->count == 0 || string_list_has(at, moment);
}

static void draw_wire(struct draw *draw, const struct choice *choice, int client)
{
    int64_t way = choice->loses_reply ? 0 : between(draw, 0, 2);
    char servers[32] = "servers";
    // Of several, one alone, half of the times.
    if (!choice->loses_reply && draw->trial->servers > 1 && between(draw, 0, 1) == 0)
        snprintf(servers, sizeof servers, "server-%" PRId64,
                 between(draw, 1, draw->trial->servers));
    if (way == 0)
        text_format(&draw->out, "\"%s to client-%d\"", servers, client);
    else
        text_format(&draw->out, "\"client-%d %s %s\"", client, way == 1 ? "to" : "from", servers);
}

static void draw_amount(struct draw *draw, const struct fault_form *form)
{
    static const char *const none[] = {NULL};
    int64_t lease_ms = draw->scenario->lock.lease_ns / NS_PER_MS;
    const char *const *options = form->options != NULL ? form->options : none;
    bool is_clock = text_is_one_of("rate", options);
    bool back = is_clock && random_below(&draw->random, 2) == 1;
    int64_t most_ms = is_clock ? 2 * lease_ms : lease_ms / 10 + 1;
    if (text_is_one_of("by", options))
        text_format(&draw->out, ", by: %s%" PRId64 "ms", back ? "-" : "",
                    between(draw, 1, most_ms));
    if (text_is_one_of("share", options))
        text_format(&draw->out, ", share: %" PRId64 "%%", between(draw, 5, 50));
}

// One fault from that time on. False if it would leave fewer than two clients: nothing is drawn.
static bool draw_fault(struct draw *draw, const struct choice *choice, int64_t at_ns)
{
    const struct fault_form *form = &choice->fault->form;
    int client = 0;
    for (int64_t nth = between(draw, 1, count_living(draw));
         nth > 0 && client < draw->scenario->clients.processes;)
        nth -= !draw->killed[++client];
    bool on_server = choice->on_server && (!choice->on_client || between(draw, 0, 1) == 0);
    bool kills_client = !on_server && kills(choice->fault);
    // It takes until others agree on a new leader: a client held for so long at a point would
    // outlive its lease.
    bool may_wait = !moves_leader(choice->fault) && draws_at(draw, "points");
    if (kills_client && count_living(draw) <= 2)
        return false;
    text_format(&draw->out, "  - {drawn: true, at: %" PRId64 "ms", at_ns / NS_PER_MS);
    if (choice->loses_reply || (may_wait && (!draws_at(draw, "times") || between(draw, 0, 1) == 0)))
        draw_point(draw, client, choice->loses_reply);
    text_format(&draw->out, ", %s: ", form->name);
    if (moves_leader(choice->fault))
        text_add(&draw->out, "leader");
    else if (on_server)
        text_format(&draw->out, "server-%" PRId64, between(draw, 1, draw->trial->servers));
    else if ((form->strikes & STRIKES_WIRE) != 0)
        draw_wire(draw, choice, client);
    else
        text_format(&draw->out, "client-%d", client);
    draw_amount(draw, form);
    // A server that may have forgotten leases is away until they are over.
    bool forgets =
        on_server && kills(choice->fault) && draw->group.count > 0 && !servers_keep_data(draw);
    int64_t lasting_ns = time_later(draw->scenario->random.lasting_ns,
                                    forgets ? 2 * draw->scenario->lock.lease_ns : 0);
    if (form->lasting != LASTS_NEVER && !kills_client)
        text_format(&draw->out, ", until: %" PRId64 "ms", lasting_ns / NS_PER_MS);
    text_add(&draw->out, "}\n");
    draw->killed[client] |= kills_client;
    return true;
}

// First when, then what: in the order of time, so that who is dead by then is known.
static void draw_random(struct draw *draw, const struct choice *choices, size_t choice_count,
                        uint64_t seed)
{
    const struct random_settings *settings = &draw->scenario->random;
    int64_t for_ns = draw->scenario->workload.for_ns;
    int64_t last_ns = (settings->for_ns > 0 ? settings->for_ns : for_ns) - settings->jitter_ns;
    int64_t times_ns[MOST_FAULTS] = {0};
    size_t count = 0;
    random_start(&draw->random, seed, RANDOM_STREAM + (uint64_t)draw->trial->repeat);
    for (int64_t at_ns = settings->every_ns;
         at_ns < last_ns && count < MOST_FAULTS - draw->scenario->fault_count;
         at_ns += settings->every_ns)
        times_ns[count++] = at_ns + between(draw, -settings->jitter_ns, settings->jitter_ns);
    sort_values(times_ns, count);
    for (size_t i = 0; i < count && count_living(draw) > 0; i++) {
        bool drawn = false;
        for (int tries = 0; !drawn && tries < MOST_TRIES; tries++)
            drawn =
                draw_fault(draw, &choices[random_below(&draw->random, choice_count)], times_ns[i]);
    }
}

// Writes out a fault that comes again and again: at least once, and no more when it would be on as
// the trial ends, which would leave no time to see what comes of it.
static void draw_repetition(struct draw *draw, const struct fault_instance *instance, uint64_t seed)
{
    bool ends = instance->bound_ns > 0 && instance->bound_ns != NO_BOUND;
    int64_t jitter_ns = fault_takes(instance, "jitter") ? 0 : instance->jitter_ns;
    int64_t last_ns = draw->scenario->workload.for_ns - jitter_ns - (ends ? instance->bound_ns : 0);
    random_start(&draw->random, seed,
                 ((uint64_t)draw->trial->repeat << 32) + (uint64_t)instance->number);
    for (int64_t at_ns = instance->every_ns; at_ns < last_ns || at_ns == instance->every_ns;
         at_ns += instance->every_ns) {
        int64_t off_ns = between(draw, -jitter_ns, jitter_ns);
        text_format(&draw->out, "  - {at: %" PRId64 "ms, %s}\n", (at_ns + off_ns) / NS_PER_MS,
                    instance->settled);
    }
}

// --- a plan --------------------------------------------------------------------------------------

// Reads the scenario as it is with what was drawn.
static int settle_trial(struct plan *plan, struct trial *trial, const char *drawn,
                        const struct vocabulary *vocabulary)
{
    struct diagnostics *diagnostics = diagnostics_new();
    struct scenario *made = NULL;
    AUTO_FREE char *text = scenario_as_run(trial->scenario, plan_seed_of(plan, trial->scenario),
                                           drawn, trial_label(trial));
    int result = scenario_parse(trial->scenario->path, text, strlen(text), vocabulary, NULL, 0,
                                &made, diagnostics);
    if (result == 0) {
        plan->drawn = memory_resized(plan->drawn, (plan->drawn_count + 1) * sizeof *plan->drawn);
        plan->drawn[plan->drawn_count++] = made;
        trial->drawn = made;
    }
    diagnostics_print(diagnostics, stderr);
    diagnostics_free(diagnostics);
    return result;
}

static int draw_trial(struct plan *plan, struct trial *trial, const struct vocabulary *vocabulary)
{
    const struct scenario *scenario = trial->scenario;
    const struct string_list *of = &scenario->random.of;
    uint64_t seed = plan_seed_of(plan, scenario);
    AUTO_FREE struct choice *choices = memory_zeroed(of->count + 1, sizeof *choices);
    struct draw draw;
    struct error why = {0};
    size_t count = 0;
    open_draw(&draw, trial);
    for (size_t i = 0; i < of->count; i++)
        count += make_choice(&draw, of->items[i], &choices[count], &why);
    for (size_t i = 0; i < scenario->fault_count; i++) {
        if (scenario->faults[i].every_ns > 0)
            draw_repetition(&draw, &scenario->faults[i], seed);
    }
    int result = 0;
    if (count > 0)
        draw_random(&draw, choices, count, seed);
    if (count == 0 && scenario->fault_count == 0)
        trial->skip_reason =
            text_formatted("nothing that 'random' names is drawn for it: %s", why.text);
    else
        result = settle_trial(plan, trial, text_string(&draw.out), vocabulary);
    text_free(&draw.out);
    return result;
}

int draw_plan(struct plan *plan, const struct vocabulary *vocabulary)
{
    int result = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct trial *trial = &plan->trials[i];
        if (scenario_is_open(trial->scenario) && trial->skip_reason == NULL)
            result |= draw_trial(plan, trial, vocabulary);
    }
    return result;
}

// --- what is not drawn ---------------------------------------------------------------------------

// The line at which `random` is written; 0 if it came by --set.
static int line_of_random(const struct scenario *scenario)
{
    int line = 1;
    const char *at = scenario->source;
    for (; at != NULL && strncmp(at, "random:", strlen("random:")) != 0; line++) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    return at != NULL ? line : 0;
}

// A scheme for which a fault is not drawn.
struct refusal {
    const char *scheme;
    struct error why;
};

static void tell_one(const struct plan *plan, const struct scenario *scenario, const char *word,
                     FILE *out)
{
    AUTO_FREE struct refusal *refusals = NULL;
    size_t refused = 0, room = 0;
    int line = line_of_random(scenario);
    for (size_t i = 0; i < plan->count; i++) {
        const struct trial *trial = &plan->trials[i];
        struct choice choice;
        struct draw draw;
        struct error why = {0};
        bool is_first = i == 0 || plan->trials[i - 1].scenario != scenario ||
                        strcmp(plan->trials[i - 1].scheme, trial->scheme) != 0;
        if (trial->scenario != scenario || !is_first)
            continue;
        open_draw(&draw, trial);
        if (!make_choice(&draw, word, &choice, &why))
            *APPEND(refusals, refused, room) = (struct refusal){trial->scheme, why};
    }
    // The first of all schemes that have the same reason are told with it.
    for (size_t i = 0; i < refused; i++) {
        AUTO_TEXT struct text schemes = {0};
        size_t count = 0;
        if (refusals[i].scheme == NULL)
            continue; // it is told with an earlier one
        for (size_t j = i; j < refused; j++) {
            if (strcmp(refusals[j].why.text, refusals[i].why.text) != 0)
                continue;
            if (++count <= MOST_NAMED)
                text_add_item(&schemes, refusals[j].scheme);
            refusals[j].scheme = NULL;
        }
        fprintf(out, "%s:", scenario->path);
        if (line > 0)
            fprintf(out, "%d:", line);
        fprintf(out, " random: '%s' is not drawn for %s", word, schemes.bytes);
        if (count > MOST_NAMED)
            fprintf(out, " and %zu more", count - MOST_NAMED);
        fprintf(out, ": %s\n", refusals[i].why.text);
    }
}

void draw_tell(const struct plan *plan, const struct scenario *scenario, FILE *out)
{
    for (size_t i = 0; i < scenario->random.of.count; i++)
        tell_one(plan, scenario, scenario->random.of.items[i], out);
}
