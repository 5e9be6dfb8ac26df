#include "harness/base/clock_shift.h"

#include "harness/base/clock.h"

#include <stddef.h>

// A line as it was at one moment.
struct moment {
    uint32_t version;
    bool is_set;
    int64_t anchor_ns;
    int64_t shown_ns;
    int64_t rate;
};

// A sequence lock (Lameter 2005): who reads tries again if the version was odd or has changed
// meanwhile. All accesses are sequentially consistent, so nothing is read or written out of order.
static struct moment look_at(const struct clock_shift *shift, enum shifted_clock which)
{
    struct moment moment = {.is_set = false};
    if (shift == NULL)
        return moment;
    const struct clock_line *line = &shift->lines[which];
    uint32_t version;
    do {
        version = atomic_load(&line->version);
        moment = (struct moment){.version = version,
                                 .is_set = atomic_load(&line->is_set) != 0,
                                 .anchor_ns = atomic_load(&line->anchor_ns),
                                 .shown_ns = atomic_load(&line->shown_ns),
                                 .rate = atomic_load(&line->rate)};
    } while (version % 2 != 0 || atomic_load(&line->version) != version);
    return moment;
}

static void set(struct clock_line *line, const struct moment *moment)
{
    atomic_fetch_add(&line->version, 1);
    atomic_store(&line->is_set, moment->is_set);
    atomic_store(&line->anchor_ns, moment->anchor_ns);
    atomic_store(&line->shown_ns, moment->shown_ns);
    atomic_store(&line->rate, moment->rate);
    atomic_fetch_add(&line->version, 1);
}

// The product of two would not fit after two hours: the whole units first, then what is left.
static int64_t shown_after(const struct moment *moment, int64_t elapsed_ns)
{
    int64_t units = elapsed_ns / CLOCK_RATE_NORMAL;
    int64_t rest_ns = elapsed_ns % CLOCK_RATE_NORMAL;
    return moment->shown_ns + units * moment->rate + rest_ns * moment->rate / CLOCK_RATE_NORMAL;
}

bool clock_shift_is_set(const struct clock_shift *shift, enum shifted_clock which)
{
    return look_at(shift, which).is_set;
}

int64_t clock_shift_read(const struct clock_shift *shift, enum shifted_clock which,
                         int64_t machine_ns)
{
    struct moment moment = look_at(shift, which);
    return moment.is_set ? shown_after(&moment, machine_ns - moment.anchor_ns) : machine_ns;
}

// Who has looked at an older version must not write over what one has that came later.
int64_t clock_shift_show(struct clock_shift *shift, enum shifted_clock which, int64_t machine_ns)
{
    struct clock_line *line = &shift->lines[which];
    struct moment moment = look_at(shift, which);
    uint32_t seen = atomic_load(&line->seen);
    while ((int32_t)(moment.version - seen) > 0 &&
           !atomic_compare_exchange_weak(&line->seen, &seen, moment.version))
        continue;
    return moment.is_set ? shown_after(&moment, machine_ns - moment.anchor_ns) : machine_ns;
}

bool clock_shift_was_shown(const struct clock_shift *shift, enum shifted_clock which)
{
    const struct clock_line *line = &shift->lines[which];
    return atomic_load(&line->seen) == atomic_load(&line->version);
}

int64_t clock_shift_when(const struct clock_shift *shift, enum shifted_clock which,
                         int64_t shown_ns)
{
    struct moment moment = look_at(shift, which);
    int64_t left_ns;
    int64_t when_ns;
    if (!moment.is_set || shown_ns == TIME_NEVER)
        return shown_ns;
    if (__builtin_sub_overflow(shown_ns, moment.shown_ns, &left_ns))
        return shown_ns > 0 ? TIME_NEVER : moment.anchor_ns;
    if (moment.rate == 0)
        return left_ns > 0 ? TIME_NEVER : moment.anchor_ns;
    // How long it takes to show so much more, rounded up.
    int64_t elapsed_ns;
    int64_t units = left_ns / moment.rate;
    int64_t rest_ns = (left_ns % moment.rate * CLOCK_RATE_NORMAL + moment.rate - 1) / moment.rate;
    if (__builtin_mul_overflow(units, CLOCK_RATE_NORMAL, &elapsed_ns) ||
        __builtin_add_overflow(elapsed_ns, rest_ns, &elapsed_ns) ||
        __builtin_add_overflow(moment.anchor_ns, elapsed_ns, &when_ns))
        return left_ns > 0 ? TIME_NEVER : moment.anchor_ns;
    return when_ns;
}

void clock_shift_set(struct clock_shift *shift, enum shifted_clock which, int64_t machine_ns,
                     int64_t by_ns, int64_t rate)
{
    struct moment moment = {.is_set = true,
                            .anchor_ns = machine_ns,
                            .shown_ns = clock_shift_read(shift, which, machine_ns) + by_ns,
                            .rate = rate};
    set(&shift->lines[which], &moment);
}

void clock_shift_clear(struct clock_shift *shift, enum shifted_clock which)
{
    const struct moment right = {.is_set = false};
    set(&shift->lines[which], &right);
}
