// amnesia: a server of keyval forgets all that it knows.
#include "faults/server_fault.h"

#include <string.h>
#include <unistd.h>

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    static const char request[] = "FLUSHALL\r\n";
    char answer[4] = "";
    if (strike_aim(strike, error) != 0)
        return STRIKE_FAILED;
    int descriptor = server_connect(strike->node);
    bool is_done = descriptor >= 0 &&
                   write(descriptor, request, strlen(request)) == (ssize_t)strlen(request) &&
                   read(descriptor, answer, 3) == 3 && strcmp(answer, "+OK") == 0;
    if (descriptor >= 0)
        close(descriptor);
    if (is_done)
        return STRIKE_IN_EFFECT;
    error_set(error, "%s does not answer to FLUSHALL", strike->node->name);
    return STRIKE_FAILED;
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
    .colour = "#117733",
    .available = NULL,
    .inject = inject,
};
