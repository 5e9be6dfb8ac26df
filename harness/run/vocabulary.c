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

// Puts into `list` an array of `value`, an expression of i, for each item of a NULL-terminated
// catalogue; it ends with two zeroes.
#define GATHER(list, type, catalogue, value)                                                       \
    do {                                                                                           \
        size_t count_ = 0;                                                                         \
        while ((catalogue)[count_] != NULL)                                                        \
            count_++;                                                                              \
        type *all = memory_zeroed(count_ + 2, sizeof *all);                                        \
        for (size_t i = 0; i < count_; i++)                                                        \
            all[i] = value;                                                                        \
        (list) = all;                                                                              \
    } while (0)

#define NAMES_OF(list, catalogue) GATHER(list, const char *, catalogue, (catalogue)[i]->name)
#define FORMS_OF(list, type, catalogue) GATHER(list, type, catalogue, (catalogue)[i]->form)

static struct scheme_servers servers_of(const struct lock_scheme *scheme)
{
    return (struct scheme_servers){.kind = scheme->server,
                                   .topology = scheme->topologies != NULL ? scheme->topologies[0]
                                                                          : "single"};
}

static struct topology_name topology_named(const struct topology *topology)
{
    return (struct topology_name){topology->server, topology->name,  topology->least,
                                  topology->most,   topology->usual, topology->by_majority};
}

// What schemes promise, and the servers that they need.
static const char *const *trait_names(const char *const *servers)
{
    size_t count = 0;
    while (lock_traits[count].name != NULL)
        count++;
    const char **names = memory_zeroed(count + MAX_SERVER_KINDS + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = lock_traits[i].name;
    for (size_t i = 0; servers[i] != NULL; i++)
        names[count++] = servers[i];
    return names;
}

static void take_stores(struct vocabulary *vocabulary)
{
    const char **names;
    const char **with_transactions;
    size_t count = 0;
    size_t transactional = 0;
    NAMES_OF(names, store_catalogue);
    GATHER(with_transactions, const char *, store_catalogue, NULL);
    GATHER(vocabulary->store_servers, const char *, store_catalogue, store_catalogue[i]->server);
    for (; names[count] != NULL; count++) {
        if (store_catalogue[count]->commit != NULL)
            with_transactions[transactional++] = names[count];
    }
    names[count] = "same"; // on the lock's own server
    vocabulary->stores = names;
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
    while (topology_at(count) != NULL)
        count++;
    struct topology_name *names = memory_zeroed(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = topology_named(topology_at(i));
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

// The faults that may be drawn, also by other names; nobody draws a program.
static const char *const *draw_names(void)
{
    size_t count = 0;
    size_t drawn = 0;
    while (fault_catalogue[count] != NULL)
        count++;
    const char **names = memory_zeroed(2 * count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        const struct fault_form *form = &fault_catalogue[i]->form;
        if (form->options == NULL || !text_is_one_of("to", form->options))
            names[drawn++] = form->name;
    }
    for (size_t i = 0; i < count; i++) {
        if (fault_catalogue[i]->form.drawn_also_as != NULL)
            names[drawn++] = fault_catalogue[i]->form.drawn_also_as;
    }
    return names;
}

struct vocabulary *vocabulary_new(void)
{
    struct vocabulary *vocabulary = memory_zeroed(1, sizeof *vocabulary);
    take_stores(vocabulary);
    take_servers(vocabulary);
    NAMES_OF(vocabulary->schemes, lock_catalogue);
    NAMES_OF(vocabulary->workloads, workload_catalogue);
    FORMS_OF(vocabulary->workload_forms, struct workload_form, workload_catalogue);
    GATHER(vocabulary->faults, const char *, fault_catalogue, fault_catalogue[i]->form.name);
    FORMS_OF(vocabulary->fault_forms, struct fault_form, fault_catalogue);
    NAMES_OF(vocabulary->properties, check_catalogue);
    FORMS_OF(vocabulary->property_forms, struct property_form, check_catalogue);
    GATHER(vocabulary->scheme_traits, const char *const *, lock_catalogue,
           lock_catalogue[i]->traits);
    GATHER(vocabulary->scheme_servers, struct scheme_servers, lock_catalogue,
           servers_of(lock_catalogue[i]));
    vocabulary->topologies = topology_names();
    vocabulary->draws = draw_names();
    vocabulary->traits = trait_names(vocabulary->none_and_servers + 1);
    vocabulary->commands = command_names();
    return vocabulary;
}

void vocabulary_free(struct vocabulary *vocabulary)
{
    const void *const lists[] = {
        vocabulary->schemes,        vocabulary->workloads,        vocabulary->workload_forms,
        vocabulary->stores,         vocabulary->faults,           vocabulary->draws,
        vocabulary->fault_forms,    vocabulary->properties,       vocabulary->property_forms,
        vocabulary->traits,         vocabulary->commands,         vocabulary->scheme_traits,
        vocabulary->scheme_servers, vocabulary->topologies,       vocabulary->store_servers,
        vocabulary->transactional,  vocabulary->none_and_servers, vocabulary->server_forms};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free((void *)(size_t)lists[i]);
    free(vocabulary);
}
