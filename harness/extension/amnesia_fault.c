// amnesia: a Keyval server forgets all that it knows.
#include "faults/fault.h"

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    struct text ignored = {0};
    int result = server_ask(strike->node, "FLUSHALL", &ignored, error);
    text_free(&ignored);
    return result == 0 ? STRIKE_IN_EFFECT : STRIKE_FAILED;
}

const struct fault amnesia_fault = {
    .form = {.name = "amnesia",
             .strikes = STRIKES_SERVER,
             .traits = FAULT_EMPTIES,
             .lasting = LASTS_NEVER,
             .told = "{target} forgets all that it knew",
             .lost = " forgot all, {who}'s lock with it",
             .mitigation = "a server with a better memory"},
    .summary = "has a server forget all that it knows",
    .inject = inject,
};
