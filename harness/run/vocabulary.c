#include "harness/run/vocabulary.h"

#include "faults/fault.h"
#include "harness/base/text.h"
#include "harness/check/check.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"
#include "harness/locks/lock.h"
#include "harness/stores/store.h"
#include "harness/wire/commands.h"
#include "harness/workloads/workload.h"

#include <stdlib.h>

// Names of a NULL-terminated catalogue of pointers to structs with a `name`.
#define NAMES_OF(catalogue, names)                                                                 \
    do {                                                                                           \
        size_t count = 0;                                                                          \
        while ((catalogue)[count] != NULL)                                                         \
            count++;                                                                               \
        (names) = memory_zeroed(count + 1, sizeof *(names));                                       \
        for (size_t i = 0; i < count; i++)                                                         \
            (names)[i] = (catalogue)[i]->name;                                                     \
    } while (0)

// Copies the form of each item of a NULL-terminated catalogue.
#define FORMS_OF(catalogue, type, forms)                                                           \
    do {                                                                                           \
        size_t count = 0;                                                                          \
        while ((catalogue)[count] != NULL)                                                         \
            count++;                                                                               \
        type *all = memory_zeroed(count + 1, sizeof *all);                                         \
        for (size_t i = 0; i < count; i++)                                                         \
            all[i] = (catalogue)[i]->form;                                                         \
        (forms) = all;                                                                             \
    } while (0)

static const char *const *trait_names(void)
{
    size_t count = 0;
    while (lock_traits[count].name != NULL)
        count++;
    const char **names = memory_zeroed(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = lock_traits[i].name;
    return names;
}

static const char *const *const *traits_of_schemes(void)
{
    size_t count = 0;
    while (lock_catalogue[count] != NULL)
        count++;
    const char *const **traits = memory_zeroed(count + 1, sizeof *traits);
    for (size_t i = 0; i < count; i++)
        traits[i] = lock_catalogue[i]->traits;
    return traits;
}

static const struct scheme_servers *servers_of_schemes(void)
{
    size_t count = 0;
    while (lock_catalogue[count] != NULL)
        count++;
    struct scheme_servers *servers = memory_zeroed(count + 1, sizeof *servers);
    for (size_t i = 0; i < count; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        servers[i].kind = scheme->server;
        servers[i].topology = scheme->topologies != NULL ? scheme->topologies[0] : "single";
    }
    return servers;
}

// `same` is the store on the lock's own server. Frees `names`.
static const char *const *stores_and_same(const char **names)
{
    size_t count = 0;
    while (names[count] != NULL)
        count++;
    names = memory_resized(names, (count + 2) * sizeof *names);
    names[count] = "same";
    names[count + 1] = NULL;
    return names;
}

static void take_stores(struct vocabulary *vocabulary)
{
    const char **names;
    NAMES_OF(store_catalogue, names);
    size_t count = 0;
    size_t transactional = 0;
    while (names[count] != NULL)
        count++;
    const char **servers = memory_zeroed(count + 2, sizeof *servers);
    const char **with_transactions = memory_zeroed(count + 1, sizeof *with_transactions);
    for (size_t i = 0; i < count; i++) {
        servers[i] = store_catalogue[i]->server;
        if (store_catalogue[i]->commit != NULL)
            with_transactions[transactional++] = names[i];
    }
    vocabulary->stores = stores_and_same(names);
    vocabulary->store_servers = servers;
    vocabulary->transactional = with_transactions;
}

static void take_servers(struct vocabulary *vocabulary)
{
    size_t count = 0;
    while (server_catalogue[count] != NULL)
        count++;
    const char **names = memory_zeroed(count + 2, sizeof *names);
    struct server_form *forms = memory_zeroed(count + 1, sizeof *forms);
    size_t taken = 0;
    names[0] = "none";
    for (size_t i = 0; i < count && taken < MAX_SERVER_KINDS; i++) {
        if (server_catalogue[i]->form.title == NULL)
            continue;
        forms[taken] = server_catalogue[i]->form;
        names[++taken] = server_catalogue[i]->name;
    }
    vocabulary->none_and_servers = names;
    vocabulary->server_forms = forms;
}

static const struct topology_name *topology_names(void)
{
    size_t count = 0;
    while (topology_catalogue[count] != NULL)
        count++;
    struct topology_name *names = memory_zeroed(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        const struct topology *topology = topology_catalogue[i];
        names[i] = (struct topology_name){topology->server, topology->name,  topology->least,
                                          topology->most,   topology->usual, topology->by_majority};
    }
    return names;
}

// What the wires send, in one list.
static const char *const *command_names(void)
{
    size_t count = 0;
    const char **names = memory_zeroed(1, sizeof *names);
    for (size_t i = 0; wire_commands[i] != NULL; i++) {
        for (size_t j = 0; wire_commands[i][j] != NULL; j++) {
            if (text_is_one_of(wire_commands[i][j], names))
                continue;
            names = memory_resized(names, (count + 2) * sizeof *names);
            names[count++] = wire_commands[i][j];
            names[count] = NULL;
        }
    }
    return names;
}

static void take_faults(struct vocabulary *vocabulary)
{
    size_t count = 0;
    size_t drawn = 0;
    while (fault_catalogue[count] != NULL)
        count++;
    const char **names = memory_zeroed(count + 1, sizeof *names);
    const char **draws = memory_zeroed(2 * count + 1, sizeof *draws);
    for (size_t i = 0; i < count; i++) {
        names[i] = fault_catalogue[i]->form.name;
        const char *const *options = fault_catalogue[i]->form.options;
        if (options == NULL || !text_is_one_of("to", options))
            draws[drawn++] = names[i]; // nobody draws a program
    }
    for (size_t i = 0; i < count; i++) {
        if (fault_catalogue[i]->form.drawn_also_as != NULL)
            draws[drawn++] = fault_catalogue[i]->form.drawn_also_as;
    }
    vocabulary->draws = draws;
    vocabulary->faults = names;
}

struct vocabulary *vocabulary_new(void)
{
    struct vocabulary *vocabulary = memory_zeroed(1, sizeof *vocabulary);
    const char **names;
    NAMES_OF(lock_catalogue, names);
    vocabulary->schemes = names;
    NAMES_OF(workload_catalogue, names);
    vocabulary->workloads = names;
    FORMS_OF(workload_catalogue, struct workload_form, vocabulary->workload_forms);
    take_stores(vocabulary);
    take_servers(vocabulary);
    take_faults(vocabulary);
    FORMS_OF(fault_catalogue, struct fault_form, vocabulary->fault_forms);
    NAMES_OF(check_catalogue, names);
    vocabulary->properties = names;
    FORMS_OF(check_catalogue, struct property_form, vocabulary->property_forms);
    vocabulary->traits = trait_names();
    vocabulary->scheme_traits = traits_of_schemes();
    vocabulary->scheme_servers = servers_of_schemes();
    vocabulary->commands = command_names();
    vocabulary->topologies = topology_names();
    return vocabulary;
}

static void free_names(const void *names)
{
    free((void *)(size_t)names);
}

void vocabulary_free(struct vocabulary *vocabulary)
{
    free_names(vocabulary->schemes);
    free_names(vocabulary->workloads);
    free_names(vocabulary->workload_forms);
    free_names(vocabulary->stores);
    free_names(vocabulary->store_servers);
    free_names(vocabulary->transactional);
    free_names(vocabulary->none_and_servers);
    free_names(vocabulary->server_forms);
    free_names(vocabulary->faults);
    free_names(vocabulary->draws);
    free_names(vocabulary->fault_forms);
    free_names(vocabulary->properties);
    free_names(vocabulary->property_forms);
    free_names(vocabulary->traits);
    free_names(vocabulary->scheme_traits);
    free_names(vocabulary->scheme_servers);
    free_names(vocabulary->commands);
    free_names(vocabulary->topologies);
    free(vocabulary);
}
