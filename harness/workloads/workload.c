#include "harness/workloads/workload.h"

#include "harness/base/text.h"

#include <string.h>

const struct workload *const workload_catalogue[] = {
    &increment_workload,
    &oversell_workload,
    &draw_workload,
    &nested_workload,
    &readers_workload,
    &permits_workload,
    &limit_workload,
    &leader_workload,
    &jobs_workload,
    &cycle_workload,
    NULL,
};

const struct workload *workload_find(const char *name)
{
    for (size_t i = 0; name != NULL && workload_catalogue[i] != NULL; i++) {
        if (strcmp(workload_catalogue[i]->name, name) == 0)
            return workload_catalogue[i];
    }
    return NULL;
}

const struct workload *workload_alone_for(const char *const *traits)
{
    for (size_t i = 0; workload_catalogue[i] != NULL; i++) {
        const struct workload_form *form = &workload_catalogue[i]->form;
        if (form->why_only != NULL && text_is_one_of(form->trait, traits))
            return workload_catalogue[i];
    }
    return NULL;
}

const char *const role_titles[ROLE_COUNT] = {[ROLE_LOCK] = "Locks",
                                             [ROLE_LEADER] = "Leaders",
                                             [ROLE_QUEUE] = "Jobs",
                                             [ROLE_LIMITER] = "Rate limiters"};

bool trial_has_queue(const struct trial *trial)
{
    const struct workload *workload = workload_find(trial->scenario->workload.kind);
    return workload != NULL && workload->form.has_jobs &&
           trial_has_trait(trial, workload->form.trait);
}

enum role scenario_role(const struct scenario *scenario)
{
    const struct workload *workload = workload_find(scenario->workload.kind);
    return workload != NULL ? workload->role : ROLE_LOCK;
}

int64_t workload_initial(const struct workload *workload, const struct scenario *scenario)
{
    return workload->initial != NULL ? workload->initial(scenario) : 0;
}

int64_t workload_operations(const struct workload *workload, const struct scenario *scenario)
{
    return workload->operations != NULL ? workload->operations(scenario)
                                        : scenario->workload.operations;
}

int64_t workload_explored_operations(const struct scenario *scenario)
{
    return workload_find(scenario->workload.kind)->form.has_jobs
               ? scenario_key_count(scenario)
               : scenario->workload.operations / workload_workers(scenario);
}

const struct workload_words *workload_words(const struct scenario *scenario)
{
    static const struct workload_words of_lock = {
        .thing = "lock",
        .acquires = "acquires the lock",
        .learns = "learns that it was granted the lock",
        .holds = "holds it",
        .believes = "holds the lock",
        .to_hold = "to hold it",
        .holding = "holding the lock",
        .told_lost = "is told that it has lost the lock",
        .waits = "goes for the lock and waits",
        .granted = "been granted the lock",
        .begins_release = "begins to release the lock",
        .releases = {[RELEASE_RELEASED] = "releases the lock",
                     [RELEASE_NOT_OWNER] = "tries to release the lock: it is no longer its own",
                     [RELEASE_GONE] = "tries to release the lock: it is gone",
                     [RELEASE_UNKNOWN] = "tries to release the lock and gets no answer",
                     [RELEASE_UNCHECKED] = "releases the lock, whoever's it is"},
        .admits = "acquires a permit",
        .all_out = ": all {permits} permits are out",
        .beyond =
            "{who} was granted a permit while all {permits} permits were out: {them} had them",
        .too_many = "More than {permits} believed to hold a permit for {length}.",
        .token = "token",
        .writes = "writes",
        .update = "increment",
        .updated = "incremented",
    };
    const struct workload *workload = workload_find(scenario->workload.kind);
    bool has_own = workload != NULL && workload->words != NULL &&
                   (workload->words->thing != NULL || scenario_key_count(scenario) == 1);
    return has_own ? workload->words : &of_lock;
}

int64_t workload_workers(const struct scenario *scenario)
{
    return scenario->clients.processes * scenario->clients.threads;
}
