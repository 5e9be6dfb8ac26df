#include "harness/report/cost_choice.h"

#include <stdlib.h>
#include <string.h>

static bool has_history(const struct run_result *run, size_t index)
{
    const struct trial *first = run->trials[index].trial;
    for (size_t i = index; i < run->count; i++) {
        const struct trial *trial = run->trials[i].trial;
        if (run->trials[i].has_history && trial->scenario == first->scenario &&
            strcmp(trial->scheme, first->scheme) == 0)
            return true;
    }
    return false;
}

size_t cost_schemes(const struct run_result *run, const struct scenario *scenario, size_t **indices)
{
    size_t count = 0;
    *indices = memory_new((run->count + 1) * sizeof **indices);
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].trial->scenario == scenario && scheme_cost_begins_at(run, i) &&
            has_history(run, i))
            (*indices)[count++] = i;
    }
    return count;
}

bool cost_load_varies(const struct scenario *scenario)
{
    const struct load_settings *first = NULL;
    for (size_t i = 0; i < scenario->load_count; i++) {
        const struct load_settings *phase = &scenario->load[i];
        if (phase->warm_up)
            continue;
        if (phase->to > 0 ||
            (first != NULL && (phase->clients != first->clients || phase->rate != first->rate)))
            return true;
        first = phase;
    }
    return false;
}

char *cost_name(const struct scheme_cost *cost)
{
    struct text name = {0};
    text_format(&name, "%s%s", cost->trial->scheme, cost->driver_bound > 0 ? "*" : "");
    return name.bytes;
}

char *cost_name_of_acquire(const struct scheme_cost *cost)
{
    struct text name = {0};
    bool is_marked = cost->driver_bound > 0 || scheme_cost_any_late(cost);
    text_format(&name, "%s%s", cost->trial->scheme, is_marked ? "*" : "");
    return name.bytes;
}

const char cost_late_note[] = "* in some repeat driver-bound, or late in beginning acquires: the "
                              "figure may tell of the driver, not of the lock.";

const char cost_driver_note[] =
    "* driver-bound in some repeat: the figure may tell of the driver, not of the lock.";

void cost_title(const struct scenario *scenario, struct text *out)
{
    text_format(out, "%s%s", scenario->name,
                cost_load_varies(scenario) ? " (all its phases together)" : "");
}

// --- the choice ----------------------------------------------------------------------------------

struct candidate {
    const struct scenario *scenario;
    size_t schemes, place;
};

static int compare(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    if (a->schemes != b->schemes)
        return a->schemes < b->schemes ? 1 : -1;
    bool varies[] = {cost_load_varies(a->scenario), cost_load_varies(b->scenario)};
    if (varies[0] != varies[1])
        return varies[0] ? 1 : -1;
    return a->place > b->place ? 1 : -1;
}

static bool is_known(const struct candidate *candidates, size_t count,
                     const struct scenario *scenario)
{
    for (size_t i = 0; i < count; i++) {
        if (candidates[i].scenario == scenario)
            return true;
    }
    return false;
}

void cost_choice_make(const struct run_result *run, struct cost_choice *choice)
{
    struct candidate *candidates = memory_new((run->count + 1) * sizeof *candidates);
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct scenario *scenario = run->trials[i].trial->scenario;
        size_t *schemes = NULL;
        if (!scenario_measures(scenario) || is_known(candidates, count, scenario))
            continue;
        candidates[count] = (struct candidate){scenario, cost_schemes(run, scenario, &schemes), i};
        count += candidates[count].schemes > 0;
        free(schemes);
    }
    if (count > 1)
        qsort(candidates, count, sizeof *candidates, compare);
    choice->count = count;
    choice->scenarios = memory_new((count + 1) * sizeof *choice->scenarios);
    for (size_t i = 0; i < count; i++)
        choice->scenarios[i] = candidates[i].scenario;
    free(candidates);
}

void cost_choice_free(struct cost_choice *choice)
{
    free(choice->scenarios);
    *choice = (struct cost_choice){0};
}
