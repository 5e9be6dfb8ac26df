#include "harness/cli/vocabulary.h"

#include "faults/fault.h"
#include "harness/base/text.h"
#include "harness/check/check.h"
#include "harness/locks/lock.h"
#include "harness/stores/store.h"
#include "harness/wire/redis.h"
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

struct vocabulary *vocabulary_new(void)
{
    struct vocabulary *vocabulary = memory_zeroed(1, sizeof *vocabulary);
    const char **names;
    NAMES_OF(lock_catalogue, names);
    vocabulary->schemes = names;
    NAMES_OF(workload_catalogue, names);
    vocabulary->workloads = names;
    NAMES_OF(store_catalogue, names);
    vocabulary->stores = names;
    NAMES_OF(fault_catalogue, names);
    vocabulary->faults = names;
    NAMES_OF(check_catalogue, names);
    vocabulary->properties = names;
    vocabulary->traits = trait_names();
    vocabulary->scheme_traits = traits_of_schemes();
    vocabulary->commands = redis_commands;
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
    free_names(vocabulary->stores);
    free_names(vocabulary->faults);
    free_names(vocabulary->properties);
    free_names(vocabulary->traits);
    free_names(vocabulary->scheme_traits);
    free(vocabulary);
}
