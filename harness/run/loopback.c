#include "harness/run/loopback.h"

#include "harness/cluster/server.h"
#include "harness/run/fit.h"
#include "harness/run/scheme.h"

const char *why_loopback(const struct run_options *options, const struct plan *plan)
{
    if (options->no_namespaces)
        return "--no-namespaces was given";
    for (size_t i = 0; i < plan->count; i++) {
        if (trial_is_external(&plan->trials[i]))
            return "a server is external: clients in namespaces of their own could not reach it";
    }
    return NULL;
}

const char *open_to_strangers(const struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct lock_scheme room;
        const struct trial *trial = &plan->trials[i];
        const char *name = trial_scheme(trial, &room)->server;
        const struct server_kind *kind = name != NULL ? server_kind_find(name) : NULL;
        if (kind != NULL && !kind->takes_preload &&
            scenario_server(trial->scenario, name)->external == NULL)
            return kind->name;
    }
    return NULL;
}
