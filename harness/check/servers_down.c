#include "harness/check/servers_down.h"

#include "harness/base/clock.h"

#include <stdio.h>
#include <string.h>

// True if the fault had one of the lock's servers down, or standing still, at that time.
static bool is_down_at(const struct fault_record *record, int64_t at_ns)
{
    const struct fault_step *step = record->step;
    bool is_of_lock = step->target.client == 0 && step->side_counts[0] == 0 &&
                      strncmp(step->target.server, "store", 5) != 0;
    // A failover takes its leader down before another one leads.
    int64_t from_ns = time_earlier(record->asked_ns, record->in_effect_ns);
    return is_of_lock && fault_can(step, FAULT_KILLS | FAULT_STOPS) && from_ns <= at_ns &&
           (record->in_effect_ns != TIME_NEVER || !record->failed) && at_ns < record->healed_ns;
}

bool servers_down_tell(const struct digest *digest, int64_t from_ns, int64_t to_ns, char *out,
                       size_t room)
{
    const struct trial *trial = digest->trial;
    int most = 0;
    char which[120] = "";
    for (size_t i = 0; i < digest->fault_count; i++) {
        // They are the most when one more goes down, or when the time begins.
        const struct fault_record *added = &digest->faults[i];
        int64_t at_ns = time_later(from_ns, time_earlier(added->asked_ns, added->in_effect_ns));
        char names[sizeof which] = "";
        int down = 0;
        for (size_t j = 0; at_ns <= to_ns && j < digest->fault_count; j++) {
            size_t length = strlen(names);
            if (!is_down_at(&digest->faults[j], at_ns))
                continue;
            down++;
            snprintf(names + length, sizeof names - length, "%s%d", length > 0 ? ", " : "",
                     digest->faults[j].step->number);
        }
        if (down > most)
            memcpy(which, names, sizeof which);
        most = down > most ? down : most;
    }
    int left = trial->servers - most;
    bool is_short =
        trial->servers > 0 && (trial->by_majority ? 2 * left <= trial->servers : left <= 0);
    size_t length = strlen(out);
    if (most > 0 && is_short)
        snprintf(out + length, room - length, "; %d of %d server%s %s down (fault%s %s)", most,
                 trial->servers, trial->servers == 1 ? "" : "s", most == 1 ? "was" : "were",
                 most == 1 ? "" : "s", which);
    return most > 0 && is_short;
}
