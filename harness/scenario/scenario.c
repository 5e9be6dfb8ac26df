#include "harness/scenario/scenario.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/scenario/keys.h"
#include "harness/scenario/trigger.h"

#include <stdlib.h>
#include <string.h>

bool string_list_has(const struct string_list *list, const char *word)
{
    return text_is_one_of(word, (const char *const *)list->items);
}

void string_list_add(struct string_list *list, const char *word)
{
    list->items = memory_resized(list->items, (list->count + 2) * sizeof *list->items);
    list->items[list->count++] = memory_string(word);
    list->items[list->count] = NULL;
}

void string_list_free(struct string_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}

bool scheme_is_meant(const char *pattern, const char *scheme, const char *const *traits)
{
    return strcmp(pattern, scheme) == 0 || text_matches(scheme, pattern) ||
           text_is_one_of(pattern, traits);
}

void scheme_advise(const char *pattern, const struct vocabulary *vocabulary, struct text *out)
{
    const char *scheme = text_nearest(pattern, vocabulary->schemes);
    const char *trait = scheme == NULL ? text_nearest(pattern, vocabulary->traits) : NULL;
    if (scheme != NULL || trait != NULL)
        text_format(out, " (did you mean %s'%s'?)", scheme != NULL ? "" : "the trait ",
                    scheme != NULL ? scheme : trait);
}

bool patterns_mean(const struct string_list *patterns, const char *scheme,
                   const char *const *traits)
{
    for (size_t i = 0; i < patterns->count; i++) {
        if (scheme_is_meant(patterns->items[i], scheme, traits))
            return true;
    }
    return false;
}

bool scenario_tries(const struct scenario *scenario, const struct vocabulary *vocabulary,
                    size_t scheme)
{
    const char *name = vocabulary->schemes[scheme];
    const char *const *traits = vocabulary->scheme_forms[scheme].traits;
    bool fits = true;
    for (size_t i = 0; vocabulary->workloads[i] != NULL; i++) {
        const struct workload_form *form = &vocabulary->workload_forms[i];
        bool is_it = strcmp(vocabulary->workloads[i], scenario->workload.kind) == 0;
        fits &= form->why_only == NULL || text_is_one_of(form->trait, traits) == is_it ||
                (is_it && form->takes_others);
    }
    return patterns_mean(&scenario->schemes, name, traits) &&
           (fits || string_list_has(&scenario->schemes, name));
}

bool expectation_counts(const struct scenario *scenario, const struct expectation *expectation)
{
    return expectation->workloads.count == 0 ||
           string_list_has(&expectation->workloads, scenario->label);
}

const struct expectation *scenario_expectation(const struct scenario *scenario, const char *scheme,
                                               const char *const *traits)
{
    for (size_t i = 0; i < scenario->expectation_count; i++) {
        if (expectation_counts(scenario, &scenario->expectations[i]) &&
            patterns_mean(&scenario->expectations[i].schemes, scheme, traits))
            return &scenario->expectations[i];
    }
    return NULL;
}

int64_t scenario_key_count(const struct scenario *scenario)
{
    int64_t keys = scenario->workload.keys;
    if (keys == KEYS_OWN)
        return scenario->clients.processes * scenario->clients.threads;
    return keys > 0 ? keys : 1;
}

bool scenario_has_no_rivals(const struct scenario *scenario)
{
    return scenario->workload.keys == KEYS_OWN ||
           scenario->clients.processes * scenario->clients.threads == 1;
}

bool scenario_has_faults(const struct scenario *scenario)
{
    return scenario->fault_count > 0 || scenario->random.of.count > 0;
}

bool scenario_measures(const struct scenario *scenario)
{
    return !scenario->verdict_only && !scenario_has_faults(scenario);
}

int64_t longest_release_ns(const struct lock_settings *lock)
{
    int64_t requests_ns = REQUESTS_PER_OPERATION * lock->request_ns;
    return requests_ns > lock->stuck_after_ns ? requests_ns : lock->stuck_after_ns;
}

double load_operations(const struct load_settings *phase)
{
    int64_t to = phase->to > 0 ? phase->to : phase->rate;
    double mean = ((double)phase->rate + (double)to) / 2;
    return mean * (double)phase->for_ns / (3600 * (double)NS_PER_S);
}

void scenario_free(struct scenario *scenario)
{
    if (scenario == NULL)
        return;
    scenario_free(scenario->next);
    for (size_t i = 0; i < scenario->fault_count; i++) {
        free(scenario->faults[i].text);
        free(scenario->faults[i].settled);
    }
    unbind_section(&scenario_section, scenario);
    external_free(scenario);
    free(scenario->path);
    free(scenario->source);
    free(scenario->label);
    free(scenario->settled);
    free(scenario->settled_faults);
    free(scenario->settled_random);
    free(scenario);
}

// --- what follows from what was said -------------------------------------------------------------

// How long the scenario runs in all: `workload.for`, the phases of `load`, and the warm-up before
// them. A single phase that does not say how long takes what the workload says.
static void derive_time(struct scenario *scenario)
{
    struct workload_settings *workload = &scenario->workload;
    if (scenario->load_count == 1 && scenario->load[0].for_ns == 0)
        scenario->load[0].for_ns = workload->for_ns;
    if (scenario->load_count > 0)
        workload->for_ns = 0;
    for (size_t i = 0; i < scenario->load_count; i++) {
        // The last one may go on until the work is done.
        if (scenario->load[i].for_ns == 0) {
            workload->for_ns = 0;
            break;
        }
        workload->for_ns += scenario->load[i].for_ns;
    }
    if (workload->for_ns > 0)
        workload->for_ns += workload->warm_up_ns;
}

// Makes `workload.warm-up` the first phase. Only for a scenario without diagnostics.
static void derive_phases(struct scenario *scenario)
{
    const struct workload_settings *workload = &scenario->workload;
    if (workload->warm_up_ns == 0)
        return;
    bool has_phases = scenario->load_count > 0;
    struct load_settings all = {.for_ns = workload->for_ns - workload->warm_up_ns};
    const struct load_settings *rest = has_phases ? scenario->load : &all;
    size_t count = has_phases ? scenario->load_count : 1;
    struct load_settings *phases = memory_zeroed(count + 1, sizeof *phases);
    phases[0] = (struct load_settings){.for_ns = workload->warm_up_ns,
                                       .warm_up = true,
                                       .clients = rest->clients,
                                       .rate = rest->rate,
                                       .arrivals = rest->arrivals};
    memcpy(&phases[1], rest, count * sizeof *phases);
    free(scenario->load);
    scenario->load = phases;
    scenario->load_count = count + 1;
}

int fault_number_of(const struct scenario *scenario, size_t count, const char *name)
{
    for (size_t i = 0; name != NULL && i < count; i++) {
        if (scenario->faults[i].name != NULL && strcmp(scenario->faults[i].name, name) == 0)
            return (int)i + 1;
    }
    return 0;
}

// What a fault is called, and whom it follows. Only for a scenario without diagnostics.
static void derive_faults(struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->fault_count; i++) {
        struct fault_instance *instance = &scenario->faults[i];
        instance->number = (int)i + 1;
        // A fault that does not say how long it lasts.
        if (instance->bound_ns < 0 && instance->form.lasting > LASTS_IF_TOLD)
            instance->bound_ns = instance->form.lasting == LASTS_BRIEFLY ? 0 : NO_BOUND;
        instance->after = fault_number_of(scenario, i, instance->after_name);
        instance->cause.fault_number = fault_number_of(scenario, i, instance->cause.fault);
        instance->until.fault_number = fault_number_of(scenario, i, instance->until.fault);
        instance->text = fault_describe(instance);
    }
}

// --- from a file ---------------------------------------------------------------------------------

// A file on its way to scenarios.
struct parsing {
    const char *path;
    const char *text;
    size_t length;
    const struct vocabulary *vocabulary;
    const struct origin *origins; // one for each override
    size_t override_count;
    struct node *root;
    size_t made_before; // diagnostics
    size_t made;        // scenarios
};

static struct scenario *make_scenario(const struct parsing *parsing)
{
    static const char *const boundaries[] = {"", "-inner", "-wrapped"};
    struct scenario *made = memory_zeroed(1, sizeof *made);
    made->path = memory_string(parsing->path);
    made->source = memory_zeroed(parsing->length + 1, 1);
    memcpy(made->source, parsing->text, parsing->length);
    external_bind(parsing->vocabulary, parsing->root, made);
    const struct vocabulary *vocabulary = scenario_vocabulary(made, parsing->vocabulary);
    bind_section(vocabulary, &scenario_section, parsing->root, made);
    for (size_t i = 0; vocabulary->none_and_servers[i + 1] != NULL && i < MAX_SERVER_KINDS; i++)
        made->servers[i].kind = vocabulary->none_and_servers[i + 1];
    external_complete(made);
    if (made->lock.stuck_after_ns == 0)
        made->lock.stuck_after_ns = made->lock.lease_ns + 4 * NS_PER_S;
    // Time passes only as a schedule says: nothing can be measured by it.
    made->verdict_only |= made->schedule.count > 0;
    for (size_t i = 0; i < made->fault_count; i++)
        fault_choose_way(&made->faults[i]);
    derive_time(made);
    // What tells the workloads of one file apart.
    const struct workload_settings *workload = &made->workload;
    made->label = text_formatted("%s%s%s", workload->kind != NULL ? workload->kind : "",
                                 workload->fenced ? "-fenced" : "", boundaries[workload->boundary]);
    validate(made, vocabulary, parsing->root);
    if (parsing->root->origin->diagnostics->made == parsing->made_before)
        settle(parsing->root, made);
    return made;
}

// Expectations can only be about workloads that the file has.
static void check_labels(const struct parsing *parsing, const struct scenario *scenarios)
{
    AUTO_LIST struct string_list labels = {0};
    AUTO_TEXT struct text known = {0};
    for (const struct scenario *each = scenarios; each != NULL; each = each->next)
        string_list_add(&labels, each->label);
    text_join(&known, (const char *const *)labels.items, NULL);
    // Of a workload without a kind nobody knows what it would be called.
    for (size_t i = 0; known.length > 0 && i < scenarios->expectation_count; i++) {
        const struct expectation *expectation = &scenarios->expectations[i];
        for (size_t j = 0; j < expectation->workloads.count; j++) {
            const char *label = expectation->workloads.items[j];
            if (!string_list_has(&labels, label))
                refuse_at(parsing->root->origin, expectation->place,
                          "'workloads': the file has no workload '%s' (it has: %s)", quote(label),
                          known.bytes);
        }
    }
}

// --- of one file several -------------------------------------------------------------------------

#define LONGEST_NAME 64

// Where a list stands in the place of one value, as in `threads: [10, 100]`; NULL if nowhere.
static struct node **find_sweep(const struct section *section, struct node *map,
                                const struct vocabulary *vocabulary)
{
    for (size_t i = 0; i < map->count; i++) {
        struct node *child = map->children[i];
        const struct key *key = key_find(section, child->key, vocabulary);
        if (key == NULL || child->bad)
            continue;
        if (key_is_swept(section, key) && child->kind == NODE_LIST && child->count > 0)
            return &map->children[i];
        struct node **below = key->type == KEY_SECTION && child->kind == NODE_MAP
                                  ? find_sweep(key->section, child, vocabulary)
                                  : NULL;
        if (below != NULL)
            return below;
    }
    return NULL;
}

// Puts an item of a list in the place of the list.
static void put_item(struct node **place, const struct node *list, size_t index)
{
    *place = list->children[index];
    if ((*place)->key == NULL)
        (*place)->key = memory_string(list->key);
    (*place)->key_place = (*place)->place;
}

// Of several, each has in its name what sets it apart: "-increment-threads-10".
static void add_suffix(const struct parsing *parsing, const char *suffix, struct scenario *made)
{
    AUTO_FREE char *name = made->name;
    if (name == NULL)
        return;
    made->name = text_formatted("%s%s", name, suffix);
    if (*suffix != '\0' && strlen(made->name) > LONGEST_NAME)
        refuse(node_child(parsing->root, "name"),
               "'name' must have at most %d bytes, and this has more: %s", LONGEST_NAME,
               made->name);
}

// One for each value of each list, or one; `place` is where the first list stands, NULL if there is
// none, and `next` is where the scenario goes. Returns where the next one would.
static struct scenario **make_each(struct parsing *parsing, struct node **place, bool is_labelled,
                                   const char *suffix, struct scenario **next)
{
    struct node *list = place != NULL ? *place : NULL;
    if (parsing->made > MOST_WORKLOADS)
        return next;
    if (list == NULL) {
        struct scenario *made = *next = make_scenario(parsing);
        bool has_label = is_labelled && made->workload.kind != NULL;
        AUTO_FREE char *whole =
            text_formatted("%s%s%s", has_label ? "-" : "", has_label ? made->label : "", suffix);
        add_suffix(parsing, whole, made);
        parsing->made++;
        return &made->next;
    }
    bool are_workloads = strcmp(list->key, "workload") == 0; // which have labels
    for (size_t i = 0; i < list->count; i++) {
        put_item(place, list, i);
        const char *value = (*place)->kind == NODE_TEXT ? (*place)->text : "";
        AUTO_FREE char *longer = are_workloads
                                     ? memory_string(suffix)
                                     : text_formatted("%s-%s-%s", suffix, list->key, value);
        for (char *next_byte = longer; *next_byte != '\0'; next_byte++)
            *next_byte = strchr("abcdefghijklmnopqrstuvwxyz0123456789", *next_byte) != NULL
                             ? *next_byte
                             : '-';
        next = make_each(parsing, find_sweep(&scenario_section, parsing->root, parsing->vocabulary),
                         is_labelled || are_workloads, longer, next);
    }
    *place = list;
    return next;
}

// One for each workload of the file, and for each value of its lists. NULL after a diagnostic.
static struct scenario *make_scenarios(struct parsing *parsing)
{
    struct node *root = parsing->root;
    struct scenario *first = NULL;
    struct node **place = NULL;
    if (root->kind == NODE_MAP) {
        overrides_apply(parsing->vocabulary, parsing->origins, parsing->override_count, root);
        place = find_sweep(&scenario_section, root, parsing->vocabulary);
    }
    for (size_t i = 0; root->kind == NODE_MAP && i < root->count; i++) {
        struct node *child = root->children[i];
        if (strcmp(child->key, "workload") != 0 || child->kind != NODE_LIST || child->count == 0)
            continue;
        place = &root->children[i]; // comes before other lists, wherever it stands
        if (child->count > MOST_WORKLOADS) {
            refuse(child, "'workload' must have at most %d items, not %zu", MOST_WORKLOADS,
                   child->count);
            return NULL;
        }
    }
    make_each(parsing, place, false, "", &first);
    if (parsing->made > MOST_WORKLOADS)
        refuse(root, "the file stands for more than %d scenarios", MOST_WORKLOADS);
    check_labels(parsing, first);
    return first;
}

static int parse(const char *path, const char *text, size_t length, bool is_stored,
                 const struct vocabulary *vocabulary, const struct override *overrides,
                 size_t override_count, struct scenario **scenario, struct diagnostics *diagnostics)
{
    size_t before = diagnostics->count;
    size_t made_before = diagnostics->made;
    const struct origin file = {.path = path, .diagnostics = diagnostics};
    AUTO_FREE struct origin *origins = memory_zeroed(override_count, sizeof *origins);
    for (size_t i = 0; i < override_count; i++)
        origins[i] = (struct origin){path, &overrides[i], diagnostics};
    struct parsing parsing = {path,
                              text,
                              length,
                              vocabulary,
                              origins,
                              override_count,
                              tree_read(&file, text, length),
                              made_before,
                              0};
    if (parsing.root != NULL)
        words_renew(parsing.root, is_stored);
    struct scenario *made = parsing.root != NULL ? make_scenarios(&parsing) : NULL;
    bool is_sound = parsing.root != NULL && diagnostics->made == made_before;
    node_free(parsing.root);
    diagnostics_sort(diagnostics, before);
    if (!is_sound) {
        scenario_free(made);
        return -1;
    }
    for (struct scenario *each = made; each != NULL; each = each->next) {
        derive_phases(each);
        derive_faults(each);
    }
    *scenario = made;
    return 0;
}

int scenario_parse(const char *path, const char *text, size_t length,
                   const struct vocabulary *vocabulary, const struct override *overrides,
                   size_t override_count, struct scenario **scenario,
                   struct diagnostics *diagnostics)
{
    return parse(path, text, length, false, vocabulary, overrides, override_count, scenario,
                 diagnostics);
}

#define MOST_BYTES (1 << 20)

int scenario_load(const char *path, bool is_stored, const struct vocabulary *vocabulary,
                  const struct override *overrides, size_t override_count,
                  struct scenario **scenario, struct diagnostics *diagnostics)
{
    AUTO_TEXT struct text text = {0};
    struct error error = {0};
    int result = -1;
    if (file_read(path, &text, &error) == 0 && text.length > MOST_BYTES)
        error_set(&error, "%s:1:1: a scenario has at most %d KiB, not %zu", path, MOST_BYTES / 1024,
                  text.length / 1024);
    if (error.text[0] != '\0')
        diagnostics_add_plain(diagnostics, error.text);
    else
        result = parse(path, text_string(&text), text.length, is_stored, vocabulary, overrides,
                       override_count, scenario, diagnostics);
    return result;
}
