// Fencing tokens alone: those of acquires that followed one another grow. As each is another, they
// say in which order the acquires were; so it is linearizable if and only if no acquire returned
// before one of a smaller token was invoked.
#include "harness/base/rank.h"
#include "harness/base/text.h"
#include "harness/model/holds.h"

#include <stdlib.h>

static void decide(const struct model *model, const struct model_input *input,
                   struct model_decision *decision)
{
    (void)model;
    const struct operations *operations = input->operations;
    const size_t *chosen = input->chosen;
    size_t count = input->count;
    struct ranked *order = memory_new((count + 1) * sizeof *order);
    size_t granted = 0;
    for (size_t i = 0; i < count; i++) {
        size_t index = chosen != NULL ? chosen[i] : i;
        const struct operation *operation = &operations->items[index];
        decision->unknown_count += operation->outcome == OUTCOME_UNKNOWN;
        if (operation->kind == OPERATION_ACQUIRE && operation->outcome == OUTCOME_OK &&
            operation->token != 0)
            order[granted++] = (struct ranked){operation->token, index};
    }
    sort_ranked(order, granted);
    decision->hold_count += granted;
    const struct operation *items = operations->items;
    size_t latest = SIZE_MAX; // of those of smaller tokens, the one that was invoked last
    for (size_t i = 0; i < granted; i++) {
        size_t index = order[i].index;
        size_t wrong = SIZE_MAX;
        if (i > 0 && order[i].value == order[i - 1].value)
            wrong = order[i - 1].index;
        else if (latest != SIZE_MAX && items[latest].invoked > items[index].returned)
            wrong = latest;
        bool is_earlier = wrong != SIZE_MAX && items[wrong].invoked < items[index].invoked;
        size_t late = is_earlier ? index : wrong;
        if (wrong != SIZE_MAX)
            decision_add(
                decision, RULE_TOKEN, items[late].returned, items[late].returned,
                EVIDENCE((uint32_t)late, (uint32_t)(is_earlier ? wrong : index), NO_OPERATION));
        if (latest == SIZE_MAX || items[index].invoked > items[latest].invoked)
            latest = index;
    }
    free(order);
}

const struct model tokens_model = {
    .name = "tokens",
    .summary = "nothing but tokens: they grow with acquires that followed one another",
    .decide = decide,
    .has_tokens = true,
    .is_ownerless = true};
