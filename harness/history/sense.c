#include "harness/history/sense.h"

#include "harness/base/clock.h"
#include "harness/history/stall.h"

// Sums and differences of a few numbers of this size are still numbers.
#define LARGEST (INT64_C(1) << 60)
#define LONGEST_RUN_NS (400 * 24 * 3600 * NS_PER_S)

static bool is_moderate(int64_t number)
{
    return number >= -LARGEST && number <= LARGEST;
}

bool beginning_makes_sense(int64_t began_ns)
{
    return began_ns > 0 && began_ns <= LARGEST;
}

static bool detail_makes_sense(const struct event *event)
{
    switch (event->kind) {
    case EVENT_ACQUIRE_INVOKE: // enum lock_mode
    case EVENT_ACQUIRE_RETURN: // whether the lease is unanchored
        return event->detail <= 1;
    case EVENT_WORKER_START:
        return event->detail <= (WAY_STRAIGHT | WAY_OWN_LOOP);
    case EVENT_RELEASE_RETURN:
    case EVENT_LEAVE_RETURN:
        return event->detail <= RELEASE_UNCHECKED;
    case EVENT_LOST:
        return event->detail <= LOST_SESSION;
    case EVENT_STOP_ASKED:
        return event->detail <= STOP_INTERRUPTED;
    case EVENT_FAULT_HEALED:
        return event->detail <= HEAL_DEATH;
    case EVENT_USAGE:
        return event->detail <= USAGE_PACKETS;
    case EVENT_REPLY:
        return event->detail <= REPLY_ERROR;
    case EVENT_CONNECTED:
        return event->args[0] >= 0 && event->args[0] <= MOST_CLIENTS;
    case EVENT_STALL:
        return event->detail <= STALLED_SERVER && event->args[0] >= 0 && event->args[1] >= 0 &&
               event->args[1] <= MOST_CLIENTS;
    default:
        return true;
    }
}

// The arguments that may be any number, as bits: text, and what is only compared, such as tokens
// and what was read and written.
static unsigned free_arguments(unsigned kind)
{
    switch (kind) {
    case EVENT_NOTE:
        return 0xf;
    case EVENT_STALL:
        return 0xc;
    case EVENT_READ_INVOKE:
    case EVENT_READ_RETURN:
    case EVENT_WRITE_INVOKE:
    case EVENT_WRITE_RETURN:
        return 0xe;
    case EVENT_ACQUIRE_RETURN:
        return 0x2;
    case EVENT_REQUEST:
    case EVENT_REPLY:
        return 0x1;
    default:
        return 0;
    }
}

// The number of a lock, where the kind has one.
static int64_t lock_number(const struct event *event)
{
    if (event->kind == EVENT_ACQUIRE_INVOKE)
        return event->args[3];
    if (event->kind == EVENT_LOCK_FINAL)
        return event->args[2];
    bool has_value = event->kind == EVENT_STORE_INITIAL || event->kind == EVENT_STORE_FINAL;
    return has_value ? event->args[1] : 0;
}

// The arguments with which checks and reports reckon, as bits: not even "never".
static unsigned reckoned_arguments(unsigned kind)
{
    switch (kind) {
    case EVENT_STORE_INITIAL:
    case EVENT_STORE_FINAL:
    case EVENT_STALL:
    case EVENT_CLOCK_STEP:
    case EVENT_STOP_ASKED:
        return 0x1;
    case EVENT_ACQUIRE_INVOKE:
        return 0xc;
    case EVENT_LOAD:
    case EVENT_USAGE:
    case EVENT_WORKER_END:
    case EVENT_WORKER_LOAD:
        return 0xf;
    default:
        return 0;
    }
}

static bool arguments_make_sense(const struct event *event)
{
    unsigned any = free_arguments(event->kind);
    unsigned reckoned = reckoned_arguments(event->kind);
    for (unsigned i = 0; i < 4; i++) {
        bool may_be_never = (reckoned >> i & 1) == 0;
        bool fine = is_moderate(event->args[i]) || (any >> i & 1) != 0 ||
                    (may_be_never && event->args[i] == TIME_NEVER);
        if (!fine)
            return false;
    }
    return true;
}

bool event_makes_sense(const struct event *event, int64_t began_ns)
{
    return event->kind != EVENT_NONE && event->kind < EVENT_KIND_COUNT &&
           event->kind != EVENT_GAP && event->outcome <= OUTCOME_BROKEN &&
           event->client <= MOST_CLIENTS && event->worker <= MOST_WORKERS &&
           event->at_ns >= began_ns && event->at_ns - began_ns <= LONGEST_RUN_NS &&
           detail_makes_sense(event) && arguments_make_sense(event) && lock_number(event) >= 0 &&
           lock_number(event) <= MOST_LOCKS;
}
