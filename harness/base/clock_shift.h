// A clock that goes wrong: how far what a process reads is from what the machine's clock says. It
// lies in memory that two processes share: one sets it, the other reads time through it. Clients
// read it in harness/base/clock.c, servers through the preload faults/clock_preload.c.
//
// What the preload needs is in clock_shift.c, which uses nothing but libc; the rest is in clock.c.
#ifndef LOCKPICK_BASE_CLOCK_SHIFT_H
#define LOCKPICK_BASE_CLOCK_SHIFT_H

#include "harness/base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum shifted_clock { SHIFTED_REALTIME, SHIFTED_MONOTONIC, SHIFTED_CLOCKS };

#define CLOCK_RATE_NORMAL 1000000 // millionths: so many as on the machine's clock; 0 is frozen

// One line: since the machine's clock showed `anchor_ns`, the shifted one has gone on from
// `shown_ns` at `rate`. Never set: both are the same. Zeroed memory is a clock that is right.
struct clock_line {
    _Atomic uint32_t version; // odd while it is being set
    _Atomic uint32_t seen;    // the last version by which clock_shift_show has shown the time
    _Atomic uint32_t is_set;
    _Atomic int64_t anchor_ns;
    _Atomic int64_t shown_ns;
    _Atomic int64_t rate;
};

struct clock_shift {
    struct clock_line lines[SHIFTED_CLOCKS];
    _Atomic uint32_t readers; // programs that were started with the preload and have found this
};

// True if that clock was set, and not cleared since.
bool clock_shift_is_set(const struct clock_shift *shift, enum shifted_clock which);

// What the shifted clock shows when the machine's own shows `machine_ns`. NULL: the same. May be
// called from a signal's handler, and while another process sets the clock.
int64_t clock_shift_read(const struct clock_shift *shift, enum shifted_clock which,
                         int64_t machine_ns);

// The same, and leaves word that it was read as it is set now.
int64_t clock_shift_show(struct clock_shift *shift, enum shifted_clock which, int64_t machine_ns);

// True once the clock has been shown as it was last set or cleared.
bool clock_shift_was_shown(const struct clock_shift *shift, enum shifted_clock which);

// When, on the machine's clock, the shifted one will show (or showed) `shown_ns`, as it goes now;
// TIME_NEVER if it is frozen before that, and for TIME_NEVER. From then on clock_shift_read gives
// `shown_ns` or more. NULL: the same.
int64_t clock_shift_when(const struct clock_shift *shift, enum shifted_clock which,
                         int64_t shown_ns);

// From now, when the machine's clock shows `machine_ns`, on it shows `by_ns` more than it would
// have, and goes on at `rate` (not negative). One at a time may set or clear.
void clock_shift_set(struct clock_shift *shift, enum shifted_clock which, int64_t machine_ns,
                     int64_t by_ns, int64_t rate);

// Back to the machine's clock.
void clock_shift_clear(struct clock_shift *shift, enum shifted_clock which);

// A shift in a file of its own, for a server that is started with the preload. Mapped; NULL with
// `error` set. Unmap with clock_shift_close (NULL: nothing happens); the file stays.
struct clock_shift *clock_shift_create(const char *path, struct error *error);
void clock_shift_close(struct clock_shift *shift);

// What tells the preload which file to read; without it, it does nothing.
#define CLOCK_SHIFT_VARIABLE "LOCKPICK_CLOCK_SHIFT"

// Where a preload is: what the variable says, or beside this program, or (for tests) in a folder
// above it, or in lib/lockpick of one, as `make install` puts it. The caller frees. NULL with
// `error` set if it is nowhere.
char *preload_path(const char *name, const char *variable, struct error *error);

// That of servers: lockpick-clock.so, or what $LOCKPICK_CLOCK_PRELOAD says.
char *clock_preload_path(struct error *error);

#endif
