#include "harness/run/scheme.h"

#include "harness/locks/exec.h"
#include "harness/locks/plugin.h"

const struct lock_scheme *trial_scheme(const struct trial *trial, struct lock_scheme *room)
{
    if (trial->foreign == NULL)
        return lock_scheme_find(trial->scheme);
    *room = trial->foreign->plugin != NULL ? plugin_scheme(trial->foreign)
                                           : exec_scheme(trial->foreign);
    return room;
}
