#include "harness/scenario/as_run.h"

#include "harness/base/clock.h"
#include "harness/base/random.h"
#include "harness/base/text.h"
#include "harness/scenario/keys.h"
#include "harness/scenario/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// --- what was said -------------------------------------------------------------------------------

// In double quotes, so that whatever it holds is a text, unless it is plain.
static void write_quoted(const char *string, struct text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-%";
    if (string[0] != '\0' && string[0] != '-' && string[0] != '%' &&
        strspn(string, plain) == strlen(string)) {
        text_add(out, string);
        return;
    }
    text_add(out, "\"");
    for (const char *next = string; *next != '\0'; next++) {
        if (*next == '"' || *next == '\\')
            text_format(out, "\\%c", *next);
        else if (*next == '\n')
            text_add(out, "\\n");
        else if (*next == '\t')
            text_add(out, "\\t");
        else
            text_format(out, "%c", *next);
    }
    text_add(out, "\"");
}

static void write_node(const struct node *node, struct text *out);

// The keys of a map but those that are left out, without braces.
static void write_keys(const struct node *map, const char *const *except, struct text *out)
{
    bool is_first = true;
    for (size_t i = 0; i < map->count; i++) {
        const struct node *child = map->children[i];
        if (text_is_one_of(child->key, except))
            continue;
        text_format(out, "%s%s: ", is_first ? "" : ", ", child->key);
        write_node(child, out);
        is_first = false;
    }
}

// On one line, in flow style.
static void write_node(const struct node *node, struct text *out)
{
    static const char *const nothing[] = {NULL};
    bool is_map = node->kind == NODE_MAP;
    if (node->kind == NODE_TEXT) {
        write_quoted(node->text, out);
        return;
    }
    text_add(out, is_map ? "{" : "[");
    if (is_map)
        write_keys(node, nothing, out);
    for (size_t i = 0; !is_map && i < node->count; i++) {
        text_add(out, i > 0 ? ", " : "");
        write_node(node->children[i], out);
    }
    text_add(out, is_map ? "}" : "]");
}

// One fault: a line of the list, or kept apart to be written out later.
static void settle_fault(const struct node *item, struct fault_step *step, struct text *faults)
{
    static const char *const repetition[] = {"every", "spread", NULL};
    struct text text = {0};
    if (item->kind == NODE_MAP && step->every_ns > 0) {
        write_keys(item, repetition, &text);
        step->settled = text.bytes;
        return;
    }
    text_add(faults, "  - ");
    write_node(item, faults);
    text_add(faults, "\n");
}

// Those that are about this one of the file's workloads: the others are not in what is written.
static void settle_expectations(const struct node *list, const struct scenario *scenario,
                                struct text *head)
{
    static const char *const apart[] = {"workloads", NULL};
    size_t kept = 0;
    for (size_t i = 0; i < list->count && i < scenario->expectation_count; i++) {
        // What is no mapping was complained about.
        if (list->children[i]->kind != NODE_MAP ||
            !expectation_counts(scenario, &scenario->expectations[i]))
            continue;
        text_add(head, kept++ > 0 ? ", {" : "expect: [{");
        write_keys(list->children[i], apart, head);
        if (scenario->expectations[i].workloads.count > 0)
            text_format(head, ", workloads: [%s]", scenario->label);
        text_add(head, "}");
    }
    text_add(head, kept > 0 ? "]\n" : "");
}

void settle(const struct node *root, struct scenario *scenario)
{
    static const char *const apart[] = {"name", "faults", "random", "seed", NULL};
    struct text head = {0};
    struct text faults = {0};
    for (size_t i = 0; root->kind == NODE_MAP && i < root->count; i++) {
        const struct node *child = root->children[i];
        bool is_faults = strcmp(child->key, "faults") == 0 && child->kind == NODE_LIST;
        for (size_t j = 0; is_faults && j < scenario->fault_count; j++)
            settle_fault(child->children[j], &scenario->faults[j], &faults);
        if (strcmp(child->key, "expect") == 0 && child->kind == NODE_LIST) {
            settle_expectations(child, scenario, &head);
            continue;
        }
        if (text_is_one_of(child->key, apart))
            continue;
        text_format(&head, "%s: ", child->key);
        write_node(child, &head);
        text_add(&head, "\n");
    }
    scenario->settled = memory_string(text_string(&head));
    scenario->settled_faults = memory_string(text_string(&faults));
    text_free(&head);
    text_free(&faults);
}

// --- what is drawn -------------------------------------------------------------------------------

struct draw {
    const struct scenario *scenario;
    struct random random;
    int killed; // clients up to this one were drawn to be killed by now
    struct text *out;
};

static int64_t between(struct draw *draw, int64_t least, int64_t most)
{
    return least + (int64_t)random_below(&draw->random, (uint64_t)(most - least + 1));
}

static void write_ms(struct draw *draw, const char *key, int64_t ns)
{
    text_format(draw->out, ", %s: %" PRId64 "ms", key, ns / NS_PER_MS);
}

// Whom a fault may still be drawn for: neither drawn to be killed, nor killed by what is written.
static bool is_living(const struct draw *draw, int client)
{
    const struct scenario *scenario = draw->scenario;
    for (size_t i = 0; i < scenario->fault_count; i++) {
        if (strcmp(scenario->faults[i].verb, "kill") == 0 &&
            scenario->faults[i].target.client == client)
            return false;
    }
    return client > draw->killed;
}

static int count_living(const struct draw *draw)
{
    int count = 0;
    for (int client = 1; client <= draw->scenario->clients.processes; client++)
        count += is_living(draw, client);
    return count;
}

// The nth of those that live, from 1.
static int nth_living(const struct draw *draw, int64_t nth)
{
    int client = 0;
    while (nth > 0 && client < draw->scenario->clients.processes)
        nth -= is_living(draw, ++client);
    return client;
}

// One of all that a fault of that form can strike and that every scheme has.
static void draw_target(struct draw *draw, const struct fault_form *form)
{
    bool strikes_client = (form->strikes & (STRIKES_WIRE | STRIKES_CLIENT)) != 0;
    if (strikes_client)
        text_format(draw->out, "client-%d%s",
                    nth_living(draw, between(draw, 1, count_living(draw))),
                    (form->strikes & STRIKES_WIRE) != 0 ? " from servers" : "");
    else
        text_add(draw->out, strcmp(form->name, "failover") == 0 ? "leader" : "server-1");
}

static void draw_amount(struct draw *draw, const struct fault_form *form)
{
    int64_t lease_ms = draw->scenario->lock.lease_ns / NS_PER_MS;
    static const char *const none[] = {NULL};
    const char *const *options = form->options != NULL ? form->options : none;
    bool back = strcmp(form->name, "clock") == 0 && random_below(&draw->random, 2) == 1;
    if (text_is_one_of("by", options))
        text_format(draw->out, ", by: %s%" PRId64 "ms", back ? "-" : "",
                    between(draw, 1, 2 * lease_ms));
    if (text_is_one_of("share", options))
        text_format(draw->out, ", share: %" PRId64 "%%", between(draw, 5, 50));
}

// One fault at that time; nothing if it would leave fewer than two clients, or strike the dead.
static void draw_fault(struct draw *draw, const struct fault_form *form, int64_t at_ns)
{
    bool kills = strcmp(form->name, "kill") == 0;
    int living = count_living(draw);
    bool strikes_client = (form->strikes & (STRIKES_WIRE | STRIKES_CLIENT)) != 0;
    if (kills ? living <= 2 : strikes_client && living == 0)
        return;
    if (kills)
        draw->killed = nth_living(draw, 1); // each client once
    text_add(draw->out, "  - {");
    text_format(draw->out, "at: %" PRId64 "ms, %s: ", at_ns / NS_PER_MS, form->name);
    if (kills)
        text_format(draw->out, "client-%d", draw->killed);
    else
        draw_target(draw, form);
    draw_amount(draw, form);
    if (form->lasting != LASTS_NEVER)
        write_ms(draw, "until", draw->scenario->random.lasting_ns);
    text_add(draw->out, "}\n");
}

static int compare_times(const void *left, const void *right)
{
    const int64_t *a = left;
    const int64_t *b = right;
    return (*a > *b) - (*a < *b);
}

// First when, then what: in the order of time, so that who is dead by then is known.
static void draw_faults(const struct scenario *scenario, uint64_t seed,
                        const struct vocabulary *vocabulary, struct text *out)
{
    const struct random_settings *settings = &scenario->random;
    struct draw draw = {.scenario = scenario, .out = out};
    int64_t last_ns = scenario->workload.for_ns - settings->lasting_ns - settings->jitter_ns;
    int64_t times_ns[MOST_FAULTS] = {0};
    size_t count = 0;
    random_start(&draw.random, seed, UINT64_C(0x6661756c7473)); // a stream of its own
    for (int64_t at_ns = settings->every_ns;
         at_ns < last_ns && count < MOST_FAULTS - scenario->fault_count;
         at_ns += settings->every_ns)
        times_ns[count++] = at_ns + between(&draw, -settings->jitter_ns, settings->jitter_ns);
    qsort(times_ns, count, sizeof *times_ns, compare_times);
    for (size_t i = 0; i < count; i++) {
        const char *verb = settings->of.items[random_below(&draw.random, settings->of.count)];
        draw_fault(&draw, fault_form_find(vocabulary, verb), times_ns[i]);
    }
}

// Writes out a fault that comes again and again: at least once, and no more when it would be on as
// the trial ends, which would leave no time to see what comes of it.
static void draw_repetition(const struct scenario *scenario, const struct fault_step *step,
                            uint64_t seed, struct text *out)
{
    struct draw draw = {.scenario = scenario, .out = out};
    bool ends = step->bound_ns > 0 && step->bound_ns != NO_BOUND;
    int64_t last_ns = scenario->workload.for_ns - step->spread_ns - (ends ? step->bound_ns : 0);
    random_start(&draw.random, seed, (uint64_t)step->number);
    for (int64_t at_ns = step->every_ns; at_ns < last_ns || at_ns == step->every_ns;
         at_ns += step->every_ns) {
        int64_t off_ns = between(&draw, -step->spread_ns, step->spread_ns);
        text_format(out, "  - {at: %" PRId64 "ms, %s}\n", (at_ns + off_ns) / NS_PER_MS,
                    step->settled);
    }
}

bool scenario_is_open(const struct scenario *scenario)
{
    bool is_open = scenario->random.of.count > 0;
    for (size_t i = 0; i < scenario->fault_count; i++)
        is_open |= scenario->faults[i].every_ns > 0;
    return is_open;
}

char *scenario_as_run(const struct scenario *scenario, uint64_t seed,
                      const struct vocabulary *vocabulary)
{
    struct text out = {0};
    text_format(&out, "# %s as it was run: lockpick run this file does the same again.\n",
                scenario->path);
    text_format(&out, "name: %s\n%sseed: %" PRIu64 "\n", scenario->name, scenario->settled, seed);
    bool has_faults = scenario->settled_faults[0] != '\0' || scenario_is_open(scenario);
    text_format(&out, "%s%s", has_faults ? "faults:\n" : "", scenario->settled_faults);
    for (size_t i = 0; i < scenario->fault_count; i++) {
        if (scenario->faults[i].every_ns > 0)
            draw_repetition(scenario, &scenario->faults[i], seed, &out);
    }
    if (scenario->random.of.count > 0)
        draw_faults(scenario, seed, vocabulary, &out);
    return out.bytes;
}
