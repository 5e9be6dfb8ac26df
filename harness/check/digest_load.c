#include "harness/check/digest_load.h"

void digest_see_load(struct digest *digest, const struct event *event)
{
    size_t count = digest->phase_count;
    digest->phases = memory_resized(digest->phases, (count + 1) * sizeof *digest->phases);
    if (count > 0)
        digest->phases[count - 1].to_ns = event->at_ns;
    digest->phases[count] = (struct load_phase){.from_ns = event->at_ns,
                                                .clients = event->load.clients,
                                                .rate = event->load.rate,
                                                .counts = event->load.counts != 0};
    digest->phase_count++;
}

// True if an operation that was to begin then is measured.
static bool counts_at(const struct digest *digest, int64_t at_ns)
{
    for (size_t i = 0; i < digest->phase_count; i++) {
        const struct load_phase *phase = &digest->phases[i];
        if (phase->from_ns <= at_ns && at_ns < phase->to_ns)
            return phase->counts;
    }
    return false;
}

static bool began(const struct digest *digest, int64_t intended_ns, int64_t invoked_ns)
{
    return intended_ns > 0 && invoked_ns <= digest->ended_ns && counts_at(digest, intended_ns);
}

void digest_end_load(struct digest *digest)
{
    if (digest->phase_count == 0)
        return;
    struct load_phase *last = &digest->phases[digest->phase_count - 1];
    last->to_ns = digest->ended_ns > last->from_ns ? digest->ended_ns : last->from_ns;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        digest->begun_operations += began(digest, hold->intended_ns, hold->invoked_ns);
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        digest->begun_operations += began(digest, attempt->intended_ns, attempt->invoked_ns);
    }
}
