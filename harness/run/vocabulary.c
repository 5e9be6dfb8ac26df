#include "harness/run/run_files.h"

#include "faults/fault.h"
#include "harness/base/text.h"
#include "harness/check/check.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"
#include "harness/locks/lock.h"
#include "harness/stores/store.h"
#include "harness/wire/commands.h"
#include "harness/wire/parser.h"
#include "harness/workloads/workload.h"

#include <stdlib.h>

// Puts into `list` an array of `value`, an expression of i, for each item of a NULL-terminated
// catalogue; it ends with a zero.
#define GATHER(list, type, catalogue, value)                                                       \
    do {                                                                                           \
        size_t count_ = 0;                                                                         \
        while ((catalogue)[count_] != NULL)                                                        \
            count_++;                                                                              \
        type *all = memory_zeroed(count_ + 1, sizeof *all);                                        \
        for (size_t i = 0; i < count_; i++)                                                        \
            all[i] = value;                                                                        \
        (list) = all;                                                                              \
    } while (0)

#define NAMES_OF(list, catalogue) GATHER(list, const char *, catalogue, (catalogue)[i]->name)
#define FORMS_OF(list, type, catalogue) GATHER(list, type, catalogue, (catalogue)[i]->form)

// Appends to a NULL-terminated list, NULL if it is empty; an empty `name` makes one without any.
static void add(const char *const **list, const char *name)
{
    size_t count = 0;
    while (*list != NULL && (*list)[count] != NULL)
        count++;
    const char **longer = memory_resized((void *)(size_t)*list, (count + 2) * sizeof *longer);
    longer[count] = name;
    longer[count + 1] = NULL;
    *list = longer;
}

static void take_stores(struct vocabulary *vocabulary)
{
    add(&vocabulary->transactional, NULL);
    for (size_t i = 0; store_catalogue[i] != NULL; i++) {
        add(&vocabulary->stores, store_catalogue[i]->name);
        if (store_catalogue[i]->commit != NULL)
            add(&vocabulary->transactional, store_catalogue[i]->name);
    }
    add(&vocabulary->stores, "same"); // on the lock's own server
    GATHER(vocabulary->store_servers, const char *, store_catalogue, store_catalogue[i]->server);
}

static void take_servers(struct vocabulary *vocabulary)
{
    struct server_form *forms = memory_zeroed(MAX_SERVER_KINDS + 1, sizeof *forms);
    struct topology_form *topologies = NULL;
    size_t taken = 0;
    add(&vocabulary->none_and_servers, "none");
    for (size_t i = 0; server_catalogue[i] != NULL && taken < MAX_SERVER_KINDS; i++) {
        if (server_catalogue[i]->form.title == NULL)
            continue;
        forms[taken++] = server_catalogue[i]->form;
        add(&vocabulary->none_and_servers, server_catalogue[i]->name);
    }
    vocabulary->server_forms = forms;
    for (size_t i = 0; i == 0 || topologies[i - 1].name != NULL; i++) {
        const struct topology *topology = topology_at(i);
        topologies = memory_resized(topologies, (i + 1) * sizeof *topologies);
        topologies[i] = topology != NULL ? topology->form : (struct topology_form){.name = NULL};
    }
    vocabulary->topologies = topologies;
}

static void take_schemes(struct vocabulary *vocabulary)
{
    NAMES_OF(vocabulary->schemes, lock_catalogue);
    GATHER(vocabulary->scheme_forms, struct scheme_form, lock_catalogue,
           ((struct scheme_form){lock_catalogue[i]->traits, lock_catalogue[i]->server,
                                 lock_catalogue[i]->topologies != NULL
                                     ? lock_catalogue[i]->topologies[0]
                                     : "single"}));
    // What schemes promise, and the servers that they need.
    for (size_t i = 0; lock_traits[i].name != NULL; i++)
        add(&vocabulary->traits, lock_traits[i].name);
    for (size_t i = 1; vocabulary->none_and_servers[i] != NULL; i++)
        add(&vocabulary->traits, vocabulary->none_and_servers[i]);
    // What the wires send, in one list.
    add(&vocabulary->commands, NULL);
    for (size_t i = 0; wire_commands[i] != NULL; i++) {
        for (size_t j = 0; wire_commands[i][j] != NULL; j++) {
            if (!text_is_one_of(wire_commands[i][j], vocabulary->commands))
                add(&vocabulary->commands, wire_commands[i][j]);
        }
    }
}

// Faults may be drawn by other names, too; nobody draws a program.
static void take_faults(struct vocabulary *vocabulary)
{
    GATHER(vocabulary->faults, const char *, fault_catalogue, fault_catalogue[i]->form.name);
    FORMS_OF(vocabulary->fault_forms, struct fault_form, fault_catalogue);
    for (const struct fault_form *form = vocabulary->fault_forms; form->name != NULL; form++) {
        if ((form->options == NULL || !text_is_one_of("to", form->options)) &&
            (form->strikes & STRIKES_BY_COMMAND) == 0)
            add(&vocabulary->draws, form->name);
    }
    for (const struct fault_form *form = vocabulary->fault_forms; form->name != NULL; form++) {
        if (form->drawn_also_as != NULL)
            add(&vocabulary->draws, form->drawn_also_as);
    }
}

struct vocabulary *vocabulary_new(void)
{
    struct vocabulary *vocabulary = memory_zeroed(1, sizeof *vocabulary);
    take_stores(vocabulary);
    take_servers(vocabulary);
    take_schemes(vocabulary);
    take_faults(vocabulary);
    vocabulary->protocols = parser_protocols;
    NAMES_OF(vocabulary->workloads, workload_catalogue);
    FORMS_OF(vocabulary->workload_forms, struct workload_form, workload_catalogue);
    NAMES_OF(vocabulary->properties, check_catalogue);
    FORMS_OF(vocabulary->property_forms, struct property_form, check_catalogue);
    return vocabulary;
}

void vocabulary_free(struct vocabulary *vocabulary)
{
    const void *const lists[] = {
        vocabulary->schemes,          vocabulary->workloads,     vocabulary->workload_forms,
        vocabulary->stores,           vocabulary->faults,        vocabulary->draws,
        vocabulary->fault_forms,      vocabulary->properties,    vocabulary->property_forms,
        vocabulary->traits,           vocabulary->commands,      vocabulary->scheme_forms,
        vocabulary->topologies,       vocabulary->store_servers, vocabulary->transactional,
        vocabulary->none_and_servers, vocabulary->server_forms};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free((void *)(size_t)lists[i]);
    free(vocabulary);
}
