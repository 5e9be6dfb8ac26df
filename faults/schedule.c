#include "faults/schedule.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/cluster/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Servers are asked again after this, or after four times what the last question took.
#define LEAST_PAUSE_NS (2 * NS_PER_MS)
// The longest that the end of a trial waits for one of its faults to be over.
#define END_LIMIT_NS (30 * NS_PER_S)
// The longest that a fault on the leader waits for one to be elected.
#define ELECTION_NS (10 * NS_PER_S)

// A cause that something waits for.
struct wait_for {
    const struct cause *cause;
    int64_t seen_ns; // the last time that a client did it
};

enum entry_state {
    ENTRY_ASLEEP,    // waits for the fault named by `after:`
    ENTRY_ARMED,     // waits for its point, its time or its cause
    ENTRY_TRIGGERED, // the trigger came; to strike at once, or once somebody leads
    ENTRY_PENDING,   // struck, not yet proven
    ENTRY_IN_EFFECT, // waits for its cause or its bound
    ENTRY_HEALING,   // asked to end, not yet over
    ENTRY_OVER,
};

struct entry {
    const struct fault_instance *instance;
    struct fault_strike strike;
    const struct fault *fault;
    enum entry_state state;
    struct wait_for trigger_cause;
    struct wait_for until;
    enum heal_reason heal_reason;
    bool target_died;
    bool is_end_told; // by heals_at_once
    bool has_found;   // and told it
    bool watches;     // its points are set
    int64_t armed_ns;
    int64_t leaderless_ns; // since when it waits for somebody who leads; 0: it does not
    int64_t reached_ns;    // a worker came to the last point that was set for this fault
    int64_t in_effect_ns;
    pid_t process; // that was struck
};

struct schedule {
    struct entry *entries;
    size_t count;
    struct fault_environment *environment;
    struct history_writer *writer;
    int64_t *granted_ns; // [i]: the last grant of client i + 1; 0: none
    int64_t started_ns;  // TIME_NEVER before the start
    int64_t ask_at_ns;   // when servers may be asked again
    bool struck;
    int64_t ended_ns;  // when the last fault was over, or was done
    int64_t closed_ns; // since when nothing that was drawn strikes any more; 0: it does
};

#define EACH_ENTRY(schedule, each)                                                                 \
    for (struct entry *each = (schedule)->entries; each < (schedule)->entries + (schedule)->count; \
         each++)

// --- causes --------------------------------------------------------------------------------------

static void cause_see(struct wait_for *wait, const struct event *event)
{
    static const enum event_kind kinds[] = {
        [CAUSE_NONE] = EVENT_NONE,
        [CAUSE_HOLDS] = EVENT_ACQUIRE_RETURN,
        [CAUSE_READS] = EVENT_READ_RETURN,
        [CAUSE_WRITES] = EVENT_WRITE_RETURN,
        [CAUSE_RELEASES] = EVENT_RELEASE_RETURN,
        [CAUSE_DIES] = EVENT_PROCESS_DEATH,
        [CAUSE_TRIES] = EVENT_ACQUIRE_INVOKE,
        [CAUSE_RENEWS] = EVENT_RENEW_RETURN,
        [CAUSE_LOSES] = EVENT_LOST,
    };
    const struct cause *cause = wait->cause;
    if (cause->kind == CAUSE_NONE || cause->kind >= CAUSE_LEASE_GONE ||
        event->kind != kinds[cause->kind] || event->outcome != OUTCOME_OK)
        return;
    bool is_theirs = event->client == cause->target.client &&
                     (cause->target.worker == 0 || event->worker == cause->target.worker);
    if (is_theirs && event->at_ns > wait->seen_ns)
        wait->seen_ns = event->at_ns;
}

static bool cause_is_asked(const struct cause *cause)
{
    return cause->kind == CAUSE_LEASE_GONE || cause->kind == CAUSE_LEADS ||
           cause->kind == CAUSE_SERVES;
}

// The client was granted the lock, and the servers have it no more, or somebody else was granted it
// since: it is the others that may take it at once.
static bool lease_is_gone(const struct schedule *schedule, int client, int64_t since_ns)
{
    struct error ignored;
    const struct fault_environment *environment = schedule->environment;
    int64_t granted_ns = schedule->granted_ns[client - 1];
    if (granted_ns == 0)
        return false;
    for (int i = 0; i < environment->client_count; i++) {
        int64_t other_ns = schedule->granted_ns[i];
        if (i != client - 1 && other_ns > granted_ns && other_ns > since_ns)
            return true;
    }
    return lock_is_held(environment, &environment->lock, &ignored) == 0;
}

// True if the cause has come; servers are asked only when it is time to.
static bool has_come(const struct schedule *schedule, const struct wait_for *wait, int64_t since_ns,
                     int64_t now_ns)
{
    const struct cause *cause = wait->cause;
    if (cause_is_asked(cause) && now_ns < schedule->ask_at_ns)
        return false;
    switch (cause->kind) {
    case CAUSE_NONE:
        return false;
    case CAUSE_OVER:
        return cause->fault_number > 0 &&
               schedule->entries[cause->fault_number - 1].state == ENTRY_OVER;
    case CAUSE_LEASE_GONE:
        return lease_is_gone(schedule, cause->target.client, since_ns);
    case CAUSE_LEADS:
    case CAUSE_SERVES:
        return server_is(schedule->environment, &cause->target, cause->kind);
    default:
        return wait->seen_ns > since_ns;
    }
}

// --- an entry ------------------------------------------------------------------------------------

static bool entry_lasts(const struct entry *entry)
{
    return entry->instance->bound_ns >= 0;
}

// A fault that is healed as soon as it is in effect: over is when it has struck.
static bool entry_is_brief(const struct entry *entry)
{
    return entry_lasts(entry) && entry->instance->bound_ns == 0;
}

// By nothing but `after`: as soon as the fault before it has struck.
static bool strikes_at_once(const struct fault_instance *instance)
{
    return instance->point_count == 0 && instance->at_ns < 0 && instance->cause.kind == CAUSE_NONE;
}

static bool entry_is_on_server(const struct entry *entry)
{
    return entry->strike.client == NULL;
}

// --- triggers ------------------------------------------------------------------------------------

// All alternatives are of one client: the first's.
static void entry_watch(struct schedule *schedule, struct entry *entry)
{
    const struct fault_instance *instance = entry->instance;
    struct point_trap *trap = entry->strike.trigger;
    entry->watches = true;
    trap->client = (uint16_t)instance->points[0].client;
    trap->worker = (uint16_t)instance->points[0].worker;
    trap->fault_number = (uint8_t)instance->number;
    trap->nth = instance->nth;
    trap->match_count = (uint32_t)instance->point_count;
    for (size_t i = 0; i < instance->point_count; i++) {
        static const enum point_side sides[] = {
            [MOMENT_AT] = POINT_AT, [MOMENT_BEFORE] = POINT_BEFORE, [MOMENT_AFTER] = POINT_AFTER};
        const struct point_name *name = &instance->points[i];
        struct point_match *match = &trap->matches[i];
        *match = (struct point_match){.side = sides[name->moment], .phase = PHASE_ACQUIRE};
        while (match->phase != PHASE_NONE && strcmp(name->phase, phase_name(match->phase)) != 0)
            match->phase++;
        if (strcmp(name->what, "request") != 0)
            memcpy(match->what, name->what, sizeof match->what);
    }
    point_arm(schedule->environment->board, trap);
}

static void entry_arm(struct schedule *schedule, struct entry *entry)
{
    const struct fault_instance *instance = entry->instance;
    entry->state = strikes_at_once(instance) ? ENTRY_TRIGGERED : ENTRY_ARMED;
    entry->armed_ns = clock_monotonic_ns();
    if (instance->point_count > 0 && instance->at_ns < 0)
        entry_watch(schedule, entry);
}

// --- the history ---------------------------------------------------------------------------------

static int64_t record(struct schedule *schedule, const struct entry *entry, enum event_kind kind,
                      unsigned detail)
{
    const struct fault_instance *instance = entry->instance;
    struct event event = {.kind = (uint8_t)kind,
                          .detail = (uint8_t)detail,
                          .fault_number = (uint8_t)instance->number,
                          .fault = {instance->target.client, instance->target.worker,
                                    entry->process, entry->strike.met}};
    return history_append(schedule->writer, event);
}

// Text that goes with the event that was recorded last.
static void record_text(struct schedule *schedule, const struct entry *entry, const char *text)
{
    history_append_text(schedule->writer, (uint8_t)entry->instance->number, text);
}

static void record_failure(struct schedule *schedule, const struct entry *entry, int reason,
                           const struct error *error)
{
    const struct fault_instance *instance = entry->instance;
    struct event event = {.kind = EVENT_FAULT_FAILED,
                          .fault_number = (uint8_t)instance->number,
                          .fault_failed = {.client = instance->target.client,
                                           .worker = instance->target.worker,
                                           .error_number = reason}};
    history_append(schedule->writer, event);
    if (entry->in_effect_ns != 0 && (entry->strike.role[0] != '\0' || entry->has_found))
        record_text(schedule, entry, ": "); // the role was noted before
    record_text(schedule, entry, error->text);
}

// --- strikes -------------------------------------------------------------------------------------

static void wake_followers(struct schedule *schedule, const struct entry *first)
{
    EACH_ENTRY (schedule, entry) {
        if (entry->state == ENTRY_ASLEEP && entry->instance->after == first->instance->number)
            entry_arm(schedule, entry);
    }
}

// True once the entry and all that strike at once after it have struck.
static bool chain_has_struck(const struct schedule *schedule, const struct entry *first)
{
    bool has_struck =
        entry_is_brief(first) ? first->state == ENTRY_OVER : first->state >= ENTRY_IN_EFFECT;
    if (!has_struck)
        return false;
    EACH_ENTRY (schedule, entry) {
        const struct fault_instance *instance = entry->instance;
        if (strikes_at_once(instance) && instance->after == first->instance->number &&
            !chain_has_struck(schedule, entry))
            return false;
    }
    return true;
}

// A worker that waited at the trigger goes on as soon as the fault stands, and all that follow it
// at once, unless it is the one that the fault holds. And it must not wait for another one that may
// be waiting for it.
static void steps_release_triggers(struct schedule *schedule)
{
    EACH_ENTRY (schedule, entry) {
        bool holds_worker = entry_lasts(entry) && entry->instance->target.worker != 0;
        bool held_there = holds_worker && entry->state >= ENTRY_IN_EFFECT &&
                          atomic_load(&entry->strike.hold->state) == POINT_IDLE;
        bool may_wait_for_it = holds_worker && entry->state == ENTRY_PENDING;
        if (entry->instance->point_count > 0 &&
            atomic_load(&entry->strike.trigger->state) == POINT_REACHED &&
            (may_wait_for_it || (!held_there && chain_has_struck(schedule, entry))))
            point_let_go(schedule->environment->board, entry->strike.trigger);
    }
}

static void fail(struct schedule *schedule, struct entry *entry, int reason,
                 const struct error *error)
{
    record_failure(schedule, entry, reason, error);
    entry->state = ENTRY_OVER;
    point_let_go(schedule->environment->board, entry->strike.trigger);
    point_let_go(schedule->environment->board, entry->strike.hold);
}

// Told once.
static void record_found(struct schedule *schedule, struct entry *entry)
{
    char *found = entry->strike.found;
    if (found[0] == '\0')
        return;
    record_text(schedule, entry, FOUND_MARK);
    record_text(schedule, entry, found);
    entry->has_found = true;
    found[0] = '\0';
}

static void stand(struct schedule *schedule, struct entry *entry)
{
    entry->in_effect_ns = record(schedule, entry, EVENT_FAULT_IN_EFFECT, 0);
    schedule->ended_ns = entry->in_effect_ns;
    record_text(schedule, entry, entry->strike.role);
    record_found(schedule, entry);
    if (entry->strike.untried[0] != '\0') {
        record_text(schedule, entry, UNTRIED_MARK);
        record_text(schedule, entry, entry->strike.untried);
    }
    // One worker stands still from the moment it came to its point: what others have done since
    // then counts.
    if (entry_lasts(entry) && entry->instance->target.worker != 0)
        entry->in_effect_ns = entry->reached_ns;
    entry->state = entry_lasts(entry) ? ENTRY_IN_EFFECT : ENTRY_OVER;
    schedule->struck = true;
    if (!entry_is_brief(entry))
        wake_followers(schedule, entry);
}

// A drawn fault must not take the last server without which the others serve nobody.
static int check_majority(const struct schedule *schedule, const struct entry *entry,
                          struct error *error)
{
    const struct server_group *group = schedule->environment->lock_group;
    int down = 1;
    if (!entry->instance->drawn || !takes_server_down(entry->instance) || group == NULL ||
        !group->settings.topology->form.by_majority)
        return 0;
    EACH_ENTRY (schedule, other) {
        bool is_down = other->state == ENTRY_PENDING || other->state == ENTRY_HEALING ||
                       other->state == ENTRY_IN_EFFECT;
        down += other != entry && is_down && takes_server_down(other->instance);
    }
    if (2 * (group->settings.count - down) > group->settings.count)
        return 0;
    return error_set(error, "it would have left %d of %d servers: no majority",
                     group->settings.count - down, group->settings.count);
}

// Between two leaders nobody is: the fault waits for the next one.
static bool waits_for_leader(const struct schedule *schedule, struct entry *entry)
{
    int64_t now_ns = clock_monotonic_ns();
    if (entry->state != ENTRY_TRIGGERED ||
        target_is_there(entry->instance, schedule->environment) ||
        (entry->leaderless_ns != 0 && now_ns > entry->leaderless_ns + ELECTION_NS))
        return false;
    if (entry->leaderless_ns == 0)
        entry->leaderless_ns = now_ns;
    return true;
}

static void entry_strike(struct schedule *schedule, struct entry *entry)
{
    struct error error = {0};
    enum strike_state state;
    if (waits_for_leader(schedule, entry))
        return;
    errno = 0;
    if (entry->state == ENTRY_TRIGGERED) {
        entry->process = entry->strike.client != NULL ? entry->strike.client->process : 0;
        if (check_majority(schedule, entry, &error) != 0) {
            fail(schedule, entry, 0, &error);
            return;
        }
        record(schedule, entry, EVENT_FAULT_ASKED, 0);
        state = fault_inject(&entry->strike, &error);
    } else {
        state = entry->fault->prove(&entry->strike, &error);
    }
    if (state == STRIKE_PENDING)
        entry->state = ENTRY_PENDING;
    else if (state == STRIKE_FAILED)
        fail(schedule, entry, errno, &error);
    else
        stand(schedule, entry);
}

// --- healing -------------------------------------------------------------------------------------

static enum strike_state prepare_heal(struct entry *entry, struct error *error)
{
    errno = 0;
    return entry->fault->prepare_heal != NULL ? entry->fault->prepare_heal(&entry->strike, error)
                                              : STRIKE_IN_EFFECT;
}

static void entry_heal(struct schedule *schedule, struct entry *entry)
{
    struct error error = {0};
    bool at_once = entry->fault->heals_at_once;
    enum strike_state prepared = prepare_heal(entry, &error);
    if (prepared == STRIKE_PENDING) {
        entry->state = ENTRY_HEALING;
        return;
    }
    // Written before the target goes on, so that whatever it does next comes after it.
    if (at_once && !entry->is_end_told)
        record(schedule, entry, EVENT_FAULT_HEALED, entry->heal_reason);
    entry->is_end_told = at_once;
    struct error *why = prepared == STRIKE_FAILED ? NULL : &error; // the first reason stays
    enum strike_state state = entry->fault->heal(&entry->strike, why);
    if (state == STRIKE_PENDING) {
        entry->state = ENTRY_HEALING;
        return;
    }
    if (prepared == STRIKE_FAILED)
        state = prepared;
    entry->state = ENTRY_OVER;
    schedule->ended_ns = clock_monotonic_ns();
    record_found(schedule, entry);
    if (state == STRIKE_FAILED)
        record_failure(schedule, entry, errno, &error);
    else if (!at_once)
        record(schedule, entry, EVENT_FAULT_HEALED, entry->heal_reason);
    if (entry_is_brief(entry))
        wake_followers(schedule, entry);
}

// --- the schedule --------------------------------------------------------------------------------

// True for a command of the lock's to its server, and for nothing else that a worker passes.
// Without a phase it may be one to the guarded value's server.
static bool is_request_of_lock(const struct point_name *point,
                               const struct fault_environment *environment)
{
    static const char *const phases[] = {"acquire", "release", "renew", NULL};
    static const char *const other[] = {"acquire", "release", "renew", "read",
                                        "write",   "holds",   NULL};
    const char *store = environment->scenario->workload.store;
    bool is_in_lock = point->phase[0] == '\0' ? store != NULL && strcmp(store, "shm") == 0
                                              : text_is_one_of(point->phase, phases);
    // What a program is asked is a request, too; but where those to its server are seen, they are
    // meant, and the same scenario must not strike elsewhere.
    bool is_any = strcmp(point->what, "request") == 0;
    return is_in_lock && !text_is_one_of(point->what, other) &&
           (!is_any || environment->points_are_missing);
}

// A lock that is not ours may have requests that nobody sees.
static enum availability points_available(const struct fault_instance *instance,
                                          const struct fault_environment *environment,
                                          struct error *why)
{
    size_t unseen = 0;
    for (size_t i = 0; i < instance->point_count; i++)
        unseen += is_request_of_lock(&instance->points[i], environment);
    if (environment->why_no_points == NULL || unseen == 0 || unseen < instance->point_count)
        return FAULT_AVAILABLE;
    error_set(why, "'%s' is inside the lock, and %s", instance->points[0].what,
              environment->why_no_points);
    return environment->points_are_missing ? FAULT_MISSING : FAULT_MEANINGLESS;
}

static enum availability instance_available(const struct fault_instance *instance,
                                            const struct fault_environment *environment,
                                            struct error *why)
{
    enum availability available = points_available(instance, environment, why);
    if (available == FAULT_AVAILABLE)
        available = fault_available(instance, environment, why);
    if (available != FAULT_AVAILABLE)
        error_wrap(why, "fault %d (%s)", instance->number, instance->text);
    return available;
}

enum availability schedule_available(const struct fault_environment *environment, struct error *why)
{
    struct error reason = {0};
    enum availability drawn = FAULT_AVAILABLE; // why the first that was drawn cannot strike
    bool any = false;
    for (size_t i = 0; i < environment->scenario->fault_count; i++) {
        const struct fault_instance *instance = &environment->scenario->faults[i];
        enum availability available = instance_available(instance, environment, &reason);
        any |= available == FAULT_AVAILABLE;
        if (available == FAULT_AVAILABLE || (instance->drawn && drawn != FAULT_AVAILABLE))
            continue;
        *why = reason;
        drawn = available;
        if (!instance->drawn)
            return available;
    }
    return any ? FAULT_AVAILABLE : drawn;
}

struct schedule *schedule_new(struct fault_environment *environment, struct history_writer *writer)
{
    const struct scenario *scenario = environment->scenario;
    struct schedule *schedule = memory_zeroed(1, sizeof *schedule);
    schedule->count = scenario->fault_count;
    schedule->entries = memory_zeroed(schedule->count, sizeof *schedule->entries);
    schedule->environment = environment;
    schedule->writer = writer;
    schedule->started_ns = TIME_NEVER;
    schedule->granted_ns =
        memory_zeroed((size_t)environment->client_count, sizeof *schedule->granted_ns);
    for (size_t i = 0; i < schedule->count; i++) {
        const struct fault_instance *instance = &scenario->faults[i];
        struct entry *entry = &schedule->entries[i];
        int client = instance->side_counts[0] == 0 ? instance->target.client : 0;
        entry->instance = instance;
        entry->fault = fault_find(instance->verb);
        entry->trigger_cause.cause = &instance->cause;
        entry->until.cause = &instance->until;
        entry->strike =
            (struct fault_strike){.instance = instance,
                                  .environment = environment,
                                  .client = client != 0 ? &environment->clients[client - 1] : NULL,
                                  .trigger = &environment->board->traps[i],
                                  .hold = &environment->board->traps[MAX_FAULTS + i],
                                  .met = -1};
        struct error ignored = {0};
        if (instance->drawn &&
            instance_available(instance, environment, &ignored) != FAULT_AVAILABLE)
            entry->state = ENTRY_OVER; // the others are drawn, too
        else if (instance->after == 0)
            entry_arm(schedule, entry);
    }
    return schedule;
}

void schedule_free(struct schedule *schedule)
{
    if (schedule == NULL)
        return;
    free(schedule->granted_ns);
    free(schedule->entries);
    free(schedule);
}

void schedule_start(struct schedule *schedule, int64_t now_ns)
{
    schedule->started_ns = now_ns;
}

void schedule_see(struct schedule *schedule, const struct event *event)
{
    if (event->kind == EVENT_ACQUIRE_RETURN && event->outcome == OUTCOME_OK && event->client >= 1 &&
        event->client <= schedule->environment->client_count)
        schedule->granted_ns[event->client - 1] = event->at_ns;
    EACH_ENTRY (schedule, entry) {
        const struct target *target = &entry->instance->target;
        if (event->kind == EVENT_POINT_REACHED && event->fault_number == entry->instance->number) {
            entry->reached_ns = event->at_ns;
            if (entry->state == ENTRY_ARMED)
                entry->state = ENTRY_TRIGGERED;
        }
        if (event->kind == EVENT_PROCESS_DEATH && !entry_is_on_server(entry) &&
            event->client == target->client)
            entry->target_died = true;
        cause_see(&entry->until, event);
        cause_see(&entry->trigger_cause, event);
    }
}

static int64_t due_ns(const struct schedule *schedule, const struct entry *entry)
{
    const struct fault_instance *instance = entry->instance;
    if (entry->state == ENTRY_ARMED && instance->at_ns >= 0 && !entry->watches &&
        schedule->started_ns != TIME_NEVER)
        return schedule->started_ns + instance->at_ns;
    if (entry->state == ENTRY_IN_EFFECT && instance->bound_ns >= 0 &&
        instance->bound_ns != NO_BOUND)
        return entry->in_effect_ns + instance->bound_ns;
    return TIME_NEVER;
}

// --- progress ------------------------------------------------------------------------------------

static bool must_heal(const struct schedule *schedule, struct entry *entry, int64_t now_ns)
{
    if (entry->target_died)
        entry->heal_reason = HEAL_DEATH;
    else if (has_come(schedule, &entry->until, entry->in_effect_ns, now_ns))
        entry->heal_reason = HEAL_CAUSE;
    else if (due_ns(schedule, entry) <= now_ns)
        entry->heal_reason = HEAL_BOUND;
    else
        return false;
    return true;
}

// What waits for a server: a proof, an end, or a cause.
static bool must_ask(const struct entry *entry)
{
    return (entry_is_on_server(entry) &&
            (entry->state == ENTRY_PENDING || entry->state == ENTRY_HEALING)) ||
           (entry->state == ENTRY_TRIGGERED && entry->leaderless_ns != 0) ||
           (entry->state == ENTRY_ARMED && cause_is_asked(entry->trigger_cause.cause)) ||
           (entry->state == ENTRY_IN_EFFECT && cause_is_asked(entry->until.cause));
}

// True if the entry has come on.
static bool advance(struct schedule *schedule, struct entry *entry, int64_t now_ns)
{
    enum entry_state before = entry->state;
    bool has_points = entry->instance->point_count > 0;
    if (entry->state == ENTRY_ARMED && has_points && due_ns(schedule, entry) <= now_ns)
        entry_watch(schedule, entry);
    else if (entry->state == ENTRY_ARMED &&
             (due_ns(schedule, entry) <= now_ns ||
              has_come(schedule, &entry->trigger_cause, entry->armed_ns, now_ns)))
        entry->state = ENTRY_TRIGGERED;
    bool may_ask = !entry_is_on_server(entry) || now_ns >= schedule->ask_at_ns;
    bool may_strike = entry->leaderless_ns == 0 || now_ns >= schedule->ask_at_ns;
    if ((entry->state == ENTRY_TRIGGERED && may_strike) ||
        (entry->state == ENTRY_PENDING && may_ask))
        entry_strike(schedule, entry);
    else if ((entry->state == ENTRY_IN_EFFECT && must_heal(schedule, entry, now_ns)) ||
             (entry->state == ENTRY_HEALING && may_ask))
        entry_heal(schedule, entry);
    return entry->state != before;
}

void schedule_advance(struct schedule *schedule, int64_t now_ns)
{
    bool asks = false, moved = true;
    for (size_t i = 0; i < schedule->count; i++)
        asks |= must_ask(&schedule->entries[i]);
    while (moved) {
        moved = false;
        for (size_t i = 0; i < schedule->count; i++)
            moved |= advance(schedule, &schedule->entries[i], now_ns);
    }
    steps_release_triggers(schedule);
    int64_t took_ns = clock_monotonic_ns() - now_ns;
    if (asks && now_ns >= schedule->ask_at_ns)
        schedule->ask_at_ns =
            now_ns + took_ns + (4 * took_ns > LEAST_PAUSE_NS ? 4 * took_ns : LEAST_PAUSE_NS);
}

int64_t schedule_next_ns(const struct schedule *schedule)
{
    int64_t next_ns = TIME_NEVER;
    EACH_ENTRY (schedule, entry) {
        next_ns = time_earlier(next_ns, due_ns(schedule, entry));
        if (must_ask(entry))
            next_ns = time_earlier(next_ns, schedule->ask_at_ns);
    }
    return next_ns;
}

struct schedule_now schedule_now(const struct schedule *schedule)
{
    struct schedule_now now = {.has_struck = schedule->struck};
    EACH_ENTRY (schedule, entry) {
        bool stays_away =
            entry->in_effect_ns != 0 && !entry_lasts(entry) && takes_server_down(entry->instance);
        now.is_waiting |= entry->state != ENTRY_ASLEEP && entry->state != ENTRY_OVER;
        now.is_striking |=
            (entry->state == ENTRY_IN_EFFECT && entry->instance->bound_ns != NO_BOUND) ||
            (entry->state == ENTRY_PENDING && entry_is_on_server(entry)) ||
            entry->state == ENTRY_HEALING;
        now.is_lasting |=
            stays_away || (entry->state >= ENTRY_PENDING && entry->state < ENTRY_OVER);
    }
    return now;
}

bool schedule_has_struck_client(const struct schedule *schedule, int client)
{
    EACH_ENTRY (schedule, entry) {
        if (!entry_is_on_server(entry) && entry->instance->target.client == client &&
            entry->in_effect_ns != 0)
            return true;
    }
    return false;
}

void schedule_close(struct schedule *schedule, int64_t now_ns)
{
    if (schedule->closed_ns == 0)
        schedule->closed_ns = now_ns;
    EACH_ENTRY (schedule, entry) {
        if (!entry->instance->drawn || entry->state > ENTRY_ARMED)
            continue;
        entry->state = ENTRY_OVER;
        point_let_go(schedule->environment->board, entry->strike.trigger);
    }
}

bool schedule_has_settled(const struct schedule *schedule, int64_t now_ns, int64_t bound_ns)
{
    const struct fault_environment *environment = schedule->environment;
    int64_t since_ns = time_later(schedule->ended_ns, schedule->closed_ns);
    bool all_granted = true;
    if (schedule_now(schedule).is_striking)
        return false;
    EACH_ENTRY (schedule, entry) {
        if (entry->state == ENTRY_TRIGGERED || entry->state == ENTRY_PENDING)
            return false;
    }
    for (int i = 0; i < environment->client_count; i++)
        all_granted &= environment->clients[i].process == 0 || schedule->granted_ns[i] > since_ns;
    return all_granted || now_ns - since_ns > bound_ns;
}

// Goes on with the end of an entry. True if it is to be called again.
//
// What was asked for and is not proven is undone all the same: a client that was told to stop, and
// had not yet, must go on. It was never in effect, so that no end of it is noted. And a client that
// was killed is dead soon: that is waited for, as nobody else will know why it ended.
static bool is_ending(struct schedule *schedule, struct entry *entry)
{
    struct error error;
    bool runs_command = (entry->fault->form.strikes & STRIKES_BY_COMMAND) != 0;
    if (entry->state == ENTRY_PENDING && (entry_lasts(entry) || runs_command)) {
        if (prepare_heal(entry, &error) == STRIKE_PENDING)
            return true;
        enum strike_state state = entry->fault->heal(&entry->strike, &error);
        if (state == STRIKE_FAILED && runs_command) // what it has done may be there still
            record_failure(schedule, entry, errno, &error);
        return state == STRIKE_PENDING;
    }
    if (entry->state == ENTRY_PENDING && !entry_is_on_server(entry)) {
        entry_strike(schedule, entry);
        return entry->state == ENTRY_PENDING;
    }
    if (entry->state == ENTRY_IN_EFFECT)
        entry->heal_reason = HEAL_END;
    if (entry->state == ENTRY_IN_EFFECT || entry->state == ENTRY_HEALING)
        entry_heal(schedule, entry);
    return entry->state == ENTRY_HEALING;
}

void schedule_end(struct schedule *schedule)
{
    EACH_ENTRY (schedule, entry) {
        // Of its own: one that took long to end leaves the others their time.
        int64_t give_up_ns = clock_monotonic_ns() + END_LIMIT_NS;
        while (is_ending(schedule, entry) && clock_monotonic_ns() < give_up_ns)
            clock_sleep_until_ns(clock_monotonic_ns() + LEAST_PAUSE_NS);
        entry->state = ENTRY_OVER;
        point_let_go(schedule->environment->board, entry->strike.trigger);
        point_let_go(schedule->environment->board, entry->strike.hold);
    }
}
