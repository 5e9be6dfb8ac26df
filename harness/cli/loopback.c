#include "harness/cli/loopback.h"

#include "harness/drive/fit.h"

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
