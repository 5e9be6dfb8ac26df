#include "harness/wire/pulse.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"

#define ASK_EVERY_NS (2 * PULSE_LOOK_MS * NS_PER_MS)
// Who looks so much later than it was to has stood still itself.
#define LATE_NS (100 * NS_PER_MS)

static void record_stall(const struct pulse *pulse, int64_t to_ns)
{
    struct stall stall = pulse->whose;
    stall.from_ns = pulse->heard_ns;
    stall.to_ns = to_ns;
    if (pulse->writer != NULL)
        history_append(pulse->writer, stall_event(&stall));
}

bool pulse_look(struct pulse *pulse)
{
    int64_t now_ns = clock_monotonic_ns();
    if (pulse->heard_ns == 0)
        pulse->heard_ns = now_ns;
    if (pulse->looked_ns != 0 && now_ns - pulse->looked_ns > ASK_EVERY_NS + LATE_NS) {
        pulse->stood_still = true;
        pulse->asked_ns = 0;
        pulse->heard_ns = now_ns;
    }
    pulse->looked_ns = now_ns;
    if (pulse->asked_ns != 0 && now_ns - pulse->heard_ns >= STALL_PIECE_NS) {
        record_stall(pulse, now_ns);
        pulse->heard_ns = now_ns;
    }
    return pulse->asked_ns == 0 && now_ns - pulse->heard_ns >= ASK_EVERY_NS;
}

void pulse_asked(struct pulse *pulse)
{
    pulse->asked_ns = pulse->looked_ns;
}

void pulse_hear(struct pulse *pulse, enum process_way way)
{
    int64_t now_ns = clock_monotonic_ns();
    if (pulse->asked_ns == 0)
        return;
    int64_t took_ns = now_ns - pulse->asked_ns;
    // How long the way is the first one cannot tell: it may have stood still itself.
    bool is_first = pulse->count == 0;
    pulse->least_ns = is_first ? took_ns : time_earlier(pulse->least_ns, took_ns);
    *APPEND(pulse->round_trips, pulse->count, pulse->room) = took_ns;
    if (took_ns - (is_first ? 0 : pulse->least_ns) >= PROCESS_STALL_NS ||
        (way == PROCESS_STOOD_STILL && !pulse->stood_still))
        record_stall(pulse, now_ns);
    pulse->stood_still = false;
    pulse->heard_ns = now_ns;
    pulse->asked_ns = 0;
}
