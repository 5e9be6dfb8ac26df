#include "harness/base/text.h"
#include "harness/scenario/validate.h"

#include <string.h>

static bool means_anybody(const struct rules *rules, const struct string_list *patterns)
{
    const struct vocabulary *vocabulary = rules->vocabulary;
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++) {
        const char *const *traits = vocabulary->scheme_traits[i];
        if (patterns_mean(&rules->scenario->schemes, vocabulary->schemes[i], traits) &&
            patterns_mean(patterns, vocabulary->schemes[i], traits))
            return true;
    }
    return false;
}

static bool has_rate(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->load_count; i++) {
        if (scenario->load[i].rate > 0)
            return true;
    }
    return false;
}

// Why there will never be such a figure, or NULL.
static const char *why_never_measured(const struct rules *rules, enum metric metric)
{
    const struct scenario *scenario = rules->scenario;
    if (metric == METRIC_ACQUIRE_UNCORRECTED && rule_sound(rules, "", "load") &&
        !has_rate(scenario))
        return "only a load with a rate has one beside the corrected: say acquire";
    if ((metric == METRIC_RECOVERY || metric == METRIC_UNAVAILABLE) &&
        !scenario_has_faults(scenario) && rule_sound(rules, "", "faults") &&
        rule_sound(rules, "", "random"))
        return "the scenario has no faults";
    return NULL;
}

void validate_thresholds(const struct rules *rules)
{
    const struct scenario *scenario = rules->scenario;
    struct node *list = node_child(rules->root, "thresholds");
    bool knows_schemes = rule_sound(rules, "", "schemes") && scenario->schemes.count > 0;
    for (size_t i = 0; i < scenario->threshold_count; i++) {
        struct node *item = list->kind == NODE_LIST ? list->children[i] : list;
        struct node *limit = node_child(item, "limit");
        struct node *schemes = node_child(item, "schemes");
        const struct threshold *threshold = &scenario->thresholds[i];
        if (limit != NULL && node_fine(limit)) {
            const char *why = why_never_measured(rules, threshold->limit.metric);
            if (why != NULL)
                complain(rules->complaints, limit, "'%s' cannot be measured here: %s",
                         threshold->limit.text, why);
        }
        if (knows_schemes && schemes != NULL && node_fine(schemes) &&
            !means_anybody(rules, &threshold->schemes))
            complain(rules->complaints, schemes, "'schemes' means no scheme of this scenario");
    }
}
