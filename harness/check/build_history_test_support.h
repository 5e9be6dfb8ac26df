// For tests: histories written down event by event, in milliseconds, and judged.
#ifndef LOCKPICK_CHECK_BUILD_HISTORY_TEST_SUPPORT_H
#define LOCKPICK_CHECK_BUILD_HISTORY_TEST_SUPPORT_H

#include "faults/fault.h"
#include "harness/base/growing.h"
#include "harness/check/check.h"
#include "harness/testing/test.h"

#define NEVER_MS (-1)
#define MAX_BUILT_FAULTS 4

// Everything that a judgement needs. Begin with build_start, end with build_free.
struct build {
    struct scenario scenario;
    struct trial trial;
    struct expectation expectation;
    struct fault_instance instances[MAX_BUILT_FAULTS];
    struct event *events;
    size_t count;
    size_t room;
    struct history history;
    struct trial_model model;
    struct judgement judgement;
    bool judged;
};

static inline int64_t ms(double milliseconds)
{
    return milliseconds < 0 ? TIME_NEVER
                            : NS_PER_S + (int64_t)(milliseconds * (double)NS_PER_MS + 0.5);
}

static inline void build_start(struct build *build, const char *workload)
{
    *build = (struct build){0};
    build->scenario.name = (char *)"built";
    build->scenario.workload.kind = (char *)workload;
    build->scenario.clients.processes = 4;
    build->scenario.clients.threads = 1;
    build->scenario.lock.lease_ns = 300 * NS_PER_MS;
    build->scenario.lock.retry_ns = 10 * NS_PER_MS;
    build->scenario.lock.wait_ns = 5 * NS_PER_S;
    build->scenario.lock.request_ns = NS_PER_S;
    build->scenario.faults = build->instances;
    build->trial.scenario = &build->scenario;
    build->trial.scheme = "built";
}

static inline void build_free(struct build *build)
{
    if (build->judged)
        trial_model_free(&build->model);
    free(build->events);
}

// A test whose body writes down and judges `build`, a history of that workload.
#define HISTORY_TEST(name, workload)                                                               \
    static void name##_in(struct build *build);                                                    \
    TEST(name)                                                                                     \
    {                                                                                              \
        struct build built;                                                                        \
        build_start(&built, workload);                                                             \
        name##_in(&built);                                                                         \
        build_free(&built);                                                                        \
    }                                                                                              \
    static void name##_in(struct build *build)

static inline void build_event(struct build *build, double at_ms, int client, int worker,
                               struct event event)
{
    event.at_ns = ms(at_ms);
    event.client = (uint16_t)client;
    event.worker = (uint16_t)worker;
    *APPEND(build->events, build->count, build->room) = event;
}

#define BUILD_EVENT(build, at, client, event_kind, how, ...)                                       \
    build_event(build, at, client, client == 0 ? 0 : 1,                                            \
                (struct event){                                                                    \
                    .kind = EVENT_##event_kind, .outcome = (uint8_t)(how), .args = {__VA_ARGS__}})

// --- what workers do: operation `operation` of worker 1 of a client ------------------------------

static inline void build_acquire(struct build *build, int client, int64_t operation,
                                 double invoked_ms, double granted_ms, double valid_until_ms,
                                 int64_t token)
{
    BUILD_EVENT(build, invoked_ms, client, ACQUIRE_INVOKE, OUTCOME_OK, operation);
    BUILD_EVENT(build, granted_ms, client, ACQUIRE_RETURN, OUTCOME_OK, operation, token,
                ms(valid_until_ms), 1);
}

// An acquire that is not granted; never answered if `returned_ms` is NEVER_MS.
static inline void build_attempt(struct build *build, int client, int64_t operation,
                                 double invoked_ms, double returned_ms, enum outcome outcome)
{
    BUILD_EVENT(build, invoked_ms, client, ACQUIRE_INVOKE, OUTCOME_OK, operation);
    if (returned_ms >= 0)
        BUILD_EVENT(build, returned_ms, client, ACQUIRE_RETURN, outcome, operation);
}

static inline void build_release(struct build *build, int client, int64_t operation,
                                 double invoked_ms, double returned_ms, enum release_answer answer)
{
    BUILD_EVENT(build, invoked_ms, client, RELEASE_INVOKE, OUTCOME_OK, operation);
    if (returned_ms < 0)
        return;
    BUILD_EVENT(build, returned_ms, client, RELEASE_RETURN,
                answer == RELEASE_UNKNOWN ? OUTCOME_UNKNOWN : OUTCOME_OK, operation);
    build->events[build->count - 1].detail = (uint8_t)answer;
}

static inline void build_read(struct build *build, int client, int64_t operation, double at_ms,
                              int64_t value, int64_t token)
{
    BUILD_EVENT(build, at_ms, client, READ_INVOKE, OUTCOME_OK, operation, token);
    BUILD_EVENT(build, at_ms + 0.1, client, READ_RETURN, OUTCOME_OK, operation, token, value);
}

// A write that is answered 0.1 ms later; never if the outcome is UNKNOWN.
static inline void build_write(struct build *build, int client, int64_t operation, double at_ms,
                               int64_t value, int64_t seen, int64_t token, enum outcome outcome)
{
    BUILD_EVENT(build, at_ms, client, WRITE_INVOKE, OUTCOME_OK, operation, token, value, seen);
    if (outcome != OUTCOME_UNKNOWN)
        BUILD_EVENT(build, at_ms + 0.1, client, WRITE_RETURN, outcome, operation, token, value,
                    seen);
}

// A whole hold: granted and released in an instant each, without reads or writes.
static inline void build_hold(struct build *build, int client, int64_t operation, double granted_ms,
                              double released_ms, double valid_until_ms)
{
    build_acquire(build, client, operation, granted_ms, granted_ms, valid_until_ms, 0);
    build_release(build, client, operation, released_ms, released_ms, RELEASE_RELEASED);
}

// A whole turn, within 5 ms: acquires without a lease, reads `seen`, writes more by `growth`,
// releases.
static inline void build_turn(struct build *build, int client, int64_t operation, double at_ms,
                              int64_t seen, int64_t growth, enum outcome outcome)
{
    build_acquire(build, client, operation, at_ms, at_ms, NEVER_MS, 0);
    build_read(build, client, operation, at_ms + 1, seen, 0);
    build_write(build, client, operation, at_ms + 2, seen + growth, seen, 0, outcome);
    build_release(build, client, operation, at_ms + 4, at_ms + 4.5, RELEASE_RELEASED);
}

// The last `events` built are of this worker instead of worker 1.
static inline void build_by_worker(struct build *build, size_t events, int worker)
{
    for (size_t i = build->count - events; i < build->count; i++)
        build->events[i].worker = (uint16_t)worker;
}

static inline void build_death(struct build *build, int client, double at_ms)
{
    build_event(build, at_ms, client, 0,
                (struct event){.kind = EVENT_PROCESS_DEATH, .args = {1000 + client, 9}});
}

// --- what the harness does -----------------------------------------------------------------------

static inline void build_begin(struct build *build, int64_t initial)
{
    BUILD_EVENT(build, 0, 0, STORE_INITIAL, OUTCOME_OK, initial);
    BUILD_EVENT(build, 0, 0, BARRIER_OPEN, OUTCOME_OK, 0);
}

static inline void build_stop(struct build *build, double at_ms, enum stop_reason reason)
{
    BUILD_EVENT(build, at_ms, 0, STOP_ASKED, OUTCOME_OK, 0);
    build->events[build->count - 1].detail = (uint8_t)reason;
}

static inline void build_final(struct build *build, double at_ms, int64_t value)
{
    BUILD_EVENT(build, at_ms, 0, STORE_FINAL, OUTCOME_OK, value);
}

// Two clients take turns until 40 ms, with leases of 300 ms; nothing goes wrong. The caller adds
// faults, the stop, and the final value, 4.
static inline void build_traffic(struct build *build)
{
    build_start(build, "increment");
    build->scenario.clients.processes = 2;
    build_begin(build, 0);
    for (int i = 0; i < 4; i++) {
        int client = 1 + i % 2;
        double at_ms = 10 * i;
        build_acquire(build, client, i + 1, at_ms, at_ms + 1, at_ms + 301, 0);
        build_read(build, client, i + 1, at_ms + 2, i, 0);
        build_write(build, client, i + 1, at_ms + 3, i + 1, i, 0, OUTCOME_OK);
        build_release(build, client, i + 1, at_ms + 4, at_ms + 5, RELEASE_RELEASED);
    }
}

// A stall of one process that ended at `at_ms`.
static inline void build_stall_of(struct build *build, enum stalled of, int number, double at_ms,
                                  double length_ms)
{
    const struct stall stall = {.from_ns = ms(at_ms - length_ms),
                                .to_ns = ms(at_ms),
                                .of = of,
                                .number = number,
                                .server = "redis-1"};
    build_event(build, at_ms, 0, 2, stall_event(&stall));
}

// A stall of the machine that ended at `at_ms`.
static inline void build_stall(struct build *build, double at_ms, double length_ms)
{
    BUILD_EVENT(build, at_ms, 0, STALL, OUTCOME_OK, (int64_t)(length_ms * (double)NS_PER_MS));
}

// A fault on a client after its read; times may be NEVER_MS. A pause heals, a kill does not.
static inline void build_fault(struct build *build, const char *verb, int client,
                               double in_effect_ms, double healed_ms)
{
    size_t index = build->scenario.fault_count++;
    struct fault_instance *instance = &build->instances[index];
    bool kills = strcmp(verb, "kill") == 0;
    *instance = (struct fault_instance){
        .number = (int)index + 1,
        .verb = verb,
        .form = fault_find(verb)->form,
        .target = {.client = client},
        .point_count = 1,
        .nth = 1,
        .at_ns = -1,
        .bound_ns = kills ? -1 : 3 * NS_PER_S,
        .text = (char *)(kills ? "kill client after read" : "pause client after read")};
    instance->points[0] =
        (struct point_name){.client = client, .moment = MOMENT_AFTER, .what = "read"};
    const struct event event = {.fault_number = (uint8_t)instance->number, .args = {client}};
    for (int i = 0; i < 3; i++) {
        static const enum event_kind kinds[] = {EVENT_FAULT_ASKED, EVENT_FAULT_IN_EFFECT,
                                                EVENT_FAULT_HEALED};
        double at_ms = i < 2 ? in_effect_ms : healed_ms;
        struct event record = event;
        record.kind = (uint8_t)kinds[i];
        if (at_ms >= 0)
            build_event(build, at_ms, 0, 0, record);
    }
}

// client-1 dies holding the lock at 10 ms; clients 2 to 4 wait from 5 ms to the end.
static inline void build_crash(struct build *build, double valid_until_ms, double ended_ms,
                               enum stop_reason reason)
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, valid_until_ms, 0);
    build_fault(build, "kill", 1, 10.5, NEVER_MS);
    build_death(build, 1, 10);
    for (int client = 2; client <= 4; client++)
        build_attempt(build, client, client, 5, ended_ms + 5, OUTCOME_NO);
    build_stop(build, ended_ms, reason);
    build_final(build, ended_ms + 10, 0);
}

// --- judging -------------------------------------------------------------------------------------

// Brings the events into the order of time; ties keep the order in which they were built.
static inline void build_sort(struct build *build)
{
    for (size_t i = 1; i < build->count; i++) {
        struct event event = build->events[i];
        size_t j = i;
        for (; j > 0 && build->events[j - 1].at_ns > event.at_ns; j--)
            build->events[j] = build->events[j - 1];
        build->events[j] = event;
    }
}

static inline void build_judge(struct build *build)
{
    if (build->judged)
        trial_model_free(&build->model);
    build_sort(build);
    build->history = (struct history){
        .events = build->events, .count = build->count, .condition = build->history.condition};
    trial_model_make(&build->history, &build->trial, &build->model);
    build->judged = true;
    judge(&build->model, &build->judgement);
}

static inline const struct finding *finding_named(const struct build *build, const char *property)
{
    for (size_t i = 0; i < build->judgement.finding_count; i++) {
        if (strcmp(build->judgement.findings[i].check->name, property) == 0)
            return &build->judgement.findings[i];
    }
    fail_msg("there is no property %s", property);
    return NULL;
}

static inline void assert_state(const struct build *build, const char *property,
                                enum finding_state state)
{
    const struct finding *finding = finding_named(build, property);
    if (finding->state != state)
        fail_msg("%s is in state %d instead of %d: %s", property, (int)finding->state, (int)state,
                 finding->text);
}

static inline void assert_verdict(const struct build *build, enum verdict verdict)
{
    if (build->judgement.verdict != verdict)
        fail_msg("judged %s instead of %s: %s", verdict_name(build->judgement.verdict),
                 verdict_name(verdict), build->judgement.reason);
}

static inline void assert_text_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", text, part);
}

#endif
