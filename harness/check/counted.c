#include "harness/check/counted.h"

bool counted_at(const struct digest *digest, int64_t at_ns)
{
    for (size_t i = 0; i < digest->phase_count; i++) {
        const struct load_phase *phase = &digest->phases[i];
        if (phase->from_ns <= at_ns && at_ns < phase->to_ns)
            return phase->counts;
    }
    return digest->phase_count == 0;
}

static int64_t beginning(int64_t intended_ns, int64_t invoked_ns)
{
    return intended_ns > 0 ? intended_ns : invoked_ns;
}

bool counted_hold(const struct digest *digest, const struct hold *hold)
{
    return counted_at(digest, beginning(hold->intended_ns, hold->invoked_ns));
}

bool counted_attempt(const struct digest *digest, const struct attempt *attempt)
{
    return counted_at(digest, beginning(attempt->intended_ns, attempt->invoked_ns));
}

int64_t counted_ns(const struct digest *digest)
{
    int64_t length_ns = 0;
    if (digest->phase_count == 0)
        length_ns = digest->ended_ns - digest->started_ns;
    for (size_t i = 0; i < digest->phase_count; i++) {
        const struct load_phase *phase = &digest->phases[i];
        if (phase->counts && phase->to_ns > phase->from_ns)
            length_ns += phase->to_ns - phase->from_ns;
    }
    return length_ns > 0 ? length_ns : 0;
}

int64_t counted_end_ns(const struct digest *digest)
{
    int64_t end_ns = digest->phase_count == 0 ? digest->ended_ns : digest->started_ns;
    for (size_t i = 0; i < digest->phase_count; i++) {
        if (digest->phases[i].counts)
            end_ns = digest->phases[i].to_ns;
    }
    return end_ns;
}
