// For tests: histories, in milliseconds, and what they are judged. They are written down in rows,
// as cases/README.md says; those of which many are drawn at random, event by event.
#ifndef LOCKPICK_CHECK_TEST_HISTORY_H
#define LOCKPICK_CHECK_TEST_HISTORY_H

#include "faults/fault.h"
#include "harness/base/growing.h"
#include "harness/check/check.h"
#include "harness/check/test_row.h"

#define MAX_BUILT_FAULTS 4
#define MAX_BUILT_CLIENTS 100
#define MAX_BUILT_THREADS 4
#define MAX_LISTED 8

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
    int64_t operations;
    int64_t operation_of[MAX_BUILT_CLIENTS][MAX_BUILT_THREADS]; // the latest of each worker
    char *traits[MAX_LISTED], *because[MAX_LISTED];
    char **rows; // which settings and faults point to
    size_t row_count, row_room;
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
    for (size_t i = 0; i < build->row_count; i++)
        free(build->rows[i]);
    free(build->rows);
    free(build->events);
}

// --- event by event: operation `operation` of worker 1 of a client ------------------------------

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

static inline void build_acquire(struct build *build, int client, int64_t operation,
                                 double invoked_ms, double granted_ms, double valid_until_ms,
                                 int64_t token)
{
    BUILD_EVENT(build, invoked_ms, client, ACQUIRE_INVOKE, OUTCOME_OK, operation);
    BUILD_EVENT(build, granted_ms, client, ACQUIRE_RETURN, OUTCOME_OK, operation, token,
                ms(valid_until_ms), 1);
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

static inline void build_stop(struct build *build, double at_ms, enum stop_reason reason)
{
    BUILD_EVENT(build, at_ms, 0, STOP_ASKED, OUTCOME_OK, 0);
    build->events[build->count - 1].detail = (uint8_t)reason;
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

// === in rows =====================================================================================

// --- events --------------------------------------------------------------------------------------

static inline int64_t *operation_of(struct build *build, const struct row *row)
{
    return &build->operation_of[row->client % MAX_BUILT_CLIENTS][row->worker % MAX_BUILT_THREADS];
}

static inline struct event *add_event(struct build *build, const struct row *row, double at_ms,
                                      struct event event)
{
    build_event(build, at_ms, row->client, row->worker, event);
    return &build->events[build->count - 1];
}

static const char *const outcome_words[] = {[OUTCOME_OK] = "",
                                            [OUTCOME_NO] = "refused",
                                            [OUTCOME_UNKNOWN] = "unknown",
                                            [OUTCOME_BROKEN] = "broken"};

static inline enum outcome take_outcome(struct row *row)
{
    enum outcome outcome = OUTCOME_BROKEN;
    while (outcome > OUTCOME_OK && !take_word(row, outcome_words[outcome]))
        outcome--;
    return outcome;
}

static inline void add_acquire(struct build *build, struct row *row)
{
    double lease_ms = take_ms(row, "lease", NEVER_MS);
    enum outcome outcome = take_outcome(row);
    int64_t operation = take_number(row, "op", ++build->operations);
    double intended_ms = take_ms(row, "intended", 0);
    double waits_ms = take_ms(row, "waits", NEVER_MS);
    *operation_of(build, row) = operation;
    add_event(build, row, row->from_ms,
              (struct event){
                  .kind = EVENT_ACQUIRE_INVOKE,
                  .detail = take_word(row, "shared"),
                  .acquire_invoke = {.operation = operation,
                                     .give_up_ns = waits_ms < 0 ? 0 : ms(row->from_ms + waits_ms),
                                     .intended_ns = intended_ms > 0 ? ms(intended_ms) : 0,
                                     .key = take_number(row, "key", 0)}});
    int64_t token = take_number(row, "token", 0);
    int64_t attempts = take_number(row, "attempts", outcome == OUTCOME_OK);
    bool is_unanchored = take_word(row, "unanchored");
    bool is_gone = take_word(row, "gone");
    outcome = is_gone ? OUTCOME_NO : outcome;
    if (row->to_ms < 0)
        return;
    struct event *answer =
        add_event(build, row, row->to_ms,
                  (struct event){.kind = EVENT_ACQUIRE_RETURN,
                                 .outcome = (uint8_t)outcome,
                                 .detail = is_gone         ? ACQUIRE_GONE
                                           : is_unanchored ? ACQUIRE_UNANCHORED
                                                           : ACQUIRE_PLAIN,
                                 .acquire_return = {.operation = operation, .attempts = attempts}});
    if (outcome != OUTCOME_OK)
        return;
    answer->acquire_return.token = token;
    answer->acquire_return.valid_until_ns = lease_ms < 0 ? TIME_NEVER : ms(row->from_ms + lease_ms);
}

static inline void add_release(struct build *build, struct row *row)
{
    int answer =
        take_one_of(row, release_answer_name, RELEASE_UNCHECKED + 1, (int)RELEASE_RELEASED);
    size_t first = build->count;
    build_release(build, row->client, take_number(row, "op", *operation_of(build, row)),
                  row->from_ms, row->to_ms, (enum release_answer)answer);
    for (size_t i = first; i < build->count; i++)
        build->events[i].worker = (uint16_t)row->worker;
}

static inline void add_hold(struct build *build, struct row *row)
{
    struct row release = *row;
    release.from_ms = row->to_ms;
    row->to_ms = row->from_ms;
    row->from_ms = take_ms(row, "asked", row->from_ms);
    add_acquire(build, row);
    release.count = 0;
    add_release(build, &release);
}

// A read that shows a value, or a write of one; answered 0.1 ms later if nothing else is said.
static inline void add_access(struct build *build, struct row *row)
{
    bool is_write = strcmp(row->what, "write") == 0;
    enum outcome outcome = take_outcome(row);
    int64_t operation = take_number(row, "op", *operation_of(build, row));
    struct event event = {.kind = is_write ? EVENT_WRITE_INVOKE : EVENT_READ_INVOKE,
                          .access = {.operation = operation,
                                     .token = take_number(row, "token", 0),
                                     .seen = take_number(row, "saw", 0)}};
    int64_t value = strtoll(take_next(row), NULL, 10);
    event.access.value = is_write ? value : 0;
    add_event(build, row, row->from_ms, event);
    event.kind++;
    event.outcome = (uint8_t)outcome;
    event.access.value = value;
    if (row->is_span ? row->to_ms >= 0 : outcome != OUTCOME_UNKNOWN)
        add_event(build, row, row->is_span ? row->to_ms : row->from_ms + 0.1, event);
}

static inline __attribute__((format(printf, 2, 3))) void build_rows(struct build *build,
                                                                    const char *format, ...);

// A whole turn within 5 ms: SEEN>WRITTEN.
static inline void add_turn(struct build *build, struct row *row)
{
    char *written;
    double at_ms = row->from_ms;
    int client = row->client;
    const char *operation = take_value(row, "op");
    const char *outcome = outcome_words[take_outcome(row)];
    long long seen = strtoll(take_next(row), &written, 10);
    build_rows(build,
               "%.9g-%.9g client-%d acquire %s%s\n"
               "%.9g client-%d read %lld\n"
               "%.9g client-%d write %s saw=%lld %s\n"
               "%.9g-%.9g client-%d release",
               at_ms, at_ms, client, operation != NULL ? "op=" : "",
               operation != NULL ? operation : "", at_ms + 1, client, seen, at_ms + 2, client,
               written + 1, seen, outcome, at_ms + 4, at_ms + 4.5, client);
}

static inline void add_renewal(struct build *build, struct row *row)
{
    add_event(build, row, row->from_ms,
              (struct event){
                  .kind = EVENT_RENEW_RETURN,
                  .outcome = (uint8_t)take_outcome(row),
                  .renew_return = {.operation = *operation_of(build, row),
                                   .valid_until_ns = ms(row->from_ms + take_ms(row, "lease", 0))}});
}

static inline void add_death(struct build *build, struct row *row)
{
    double killed_ms = take_ms(row, "killed", NEVER_MS);
    row->worker = 0;
    add_event(build, row, row->from_ms,
              (struct event){.kind = EVENT_PROCESS_DEATH,
                             .process_death = {.pid = 1000 + row->client,
                                               .signal = 9,
                                               .killed_ns = killed_ms >= 0 ? ms(killed_ms) : 0}});
}

static inline void add_stall(struct build *build, struct row *row)
{
    double length_ms = strtod(take_next(row), NULL);
    struct stall stall = {.from_ns = ms(row->from_ms - length_ms),
                          .to_ns = ms(row->from_ms),
                          .number = row->client,
                          .server = "redis-1"};
    for (enum stalled of = STALLED_MACHINE; of <= STALLED_SERVER; of++)
        stall.of = take_word(row, stalled_name(of)) ? of : stall.of;
    row->client = row->worker = 0;
    stall.number = (int)take_number(row, "number", stall.number);
    add_event(build, row, row->from_ms, stall_event(&stall));
}

static inline void add_start(struct build *build, struct row *row)
{
    add_event(build, row, row->from_ms,
              (struct event){.kind = EVENT_STORE_INITIAL,
                             .stored = {.value = take_number(row, "value", 0)}});
    add_event(build, row, row->from_ms, (struct event){.kind = EVENT_BARRIER_OPEN});
}

static inline void add_stop(struct build *build, struct row *row)
{
    int reason = take_one_of(row, stop_reason_name, STOP_INTERRUPTED + 1, (int)STOP_DONE);
    add_event(build, row, row->from_ms,
              (struct event){.kind = EVENT_STOP_ASKED,
                             .detail = (uint8_t)reason,
                             .stop_asked = {.due = take_number(row, "due", 0)}});
}

static inline void add_final(struct build *build, struct row *row)
{
    int64_t key = take_number(row, "key", 0);
    add_event(build, row, row->from_ms,
              (struct event){.kind = EVENT_STORE_FINAL,
                             .stored = {.value = strtoll(take_next(row), NULL, 10), .key = key}});
}

// Any other kind by its name, with its arguments by theirs: `@5` is a time, `6ms` a duration; a
// text or a command in quotes is its last word.
static inline void add_other(struct build *build, struct row *row, const char *kind_name)
{
    unsigned kind = 1;
    while (kind < EVENT_KIND_COUNT && strcmp(event_kind_name(kind), kind_name) != 0)
        kind++;
    if (kind == EVENT_KIND_COUNT)
        refuse(row, "no such event");
    row->worker = (int)take_number(row, "worker", row->worker);
    struct event event = {.kind = (uint8_t)kind,
                          .outcome = (uint8_t)take_outcome(row),
                          .detail = (uint8_t)take_number(row, "detail", 0),
                          .fault_number = (uint8_t)take_number(row, "step", 0)};
    event.args[0] =
        strcmp(event_argument_names(kind)[0], "operation") == 0 ? *operation_of(build, row) : 0;
    for (size_t i = 0; i < 4; i++) {
        const char *name = event_argument_names(kind)[i];
        const char *value = name[0] != '\0' ? take_value(row, name) : NULL;
        if (value == NULL)
            continue;
        event.args[i] = *value == '@' ? ms(strtod(value + 1, NULL))
                        : strstr(value, "ms") != NULL
                            ? (int64_t)(strtod(value, NULL) * (double)NS_PER_MS)
                        : strcmp(value, "never") == 0 ? TIME_NEVER
                                                      : strtoll(value, NULL, 10);
    }
    if (kind == EVENT_NOTE)
        memccpy(event.text, take_next(row), '\0', sizeof event.text);
    const char *command = take_value(row, "sends");
    if (command != NULL)
        memcpy(event.args, command, strlen(command));
    add_event(build, row, row->from_ms, event);
}

// --- faults --------------------------------------------------------------------------------------

static inline struct target target_of(const char *word)
{
    struct target target = {0};
    if (sscanf(word, "client-%d/%d", &target.client, &target.worker) == 0)
        snprintf(target.server, sizeof target.server, "%s", word);
    return target;
}

static inline size_t read_side(char *words, struct target *side)
{
    size_t count = 0;
    for (char *word = strsep(&words, ","); word != NULL; word = strsep(&words, ","))
        side[count++] = target_of(word);
    return count;
}

// `point=MOMENT:WHAT:PHASE:WORKER`, once for each of its points; `no-point`.
static inline void read_points(struct row *row, struct fault_instance *instance)
{
    int client = instance->target.client != 0 ? instance->target.client : 1;
    if (take_word(row, "no-point"))
        instance->point_count = 0;
    const char *said = take_value(row, "point");
    for (size_t i = 0; said != NULL; said = take_value(row, "point")) {
        char moment[8];
        struct point_name *point = &instance->points[i++];
        *point = (struct point_name){.client = client};
        if (sscanf(said, "%7[^:]:%15[^:]:%11[^:]:%d", moment, point->what, point->phase,
                   &point->worker) == 2)
            sscanf(said, "%*[^:]:%*[^:]::%d", &point->worker);
        point->moment = strcmp(moment, "before") == 0 ? MOMENT_BEFORE
                        : strcmp(moment, "at") == 0   ? MOMENT_AT
                                                      : MOMENT_AFTER;
        instance->point_count = i;
    }
}

static inline void read_instance(struct row *row, struct fault_instance *instance)
{
    char *bound = take_value(row, "bound");
    char *sides[2] = {take_value(row, "between"), take_value(row, "and")};
    read_points(row, instance);
    instance->rate = take_number(row, "rate", 0);
    instance->nth = take_number(row, "nth", 1);
    double at_ms = take_ms(row, "at", NEVER_MS);
    instance->at_ns = at_ms < 0 ? -1 : (int64_t)(at_ms * (double)NS_PER_MS);
    instance->by_ns = (int64_t)(take_ms(row, "by", 0) * (double)NS_PER_MS);
    instance->drawn = take_word(row, "drawn");
    instance->how = take_value(row, "how");
    fault_choose_way(instance);
    if (take_word(row, "until-writes"))
        instance->until.kind = CAUSE_WRITES;
    if (bound != NULL)
        instance->bound_ns = strcmp(bound, "none") == 0  ? -1
                             : strcmp(bound, "end") == 0 ? NO_BOUND
                                                         : (int64_t)(strtod(bound, NULL) * 1e6);
    for (int i = 0; i < 2 && sides[i] != NULL; i++)
        instance->side_counts[i] = read_side(sides[i], instance->sides[i]);
    char *text = take_value(row, "text");
    instance->text = text != NULL ? text : instance->text;
}

// From its taking effect to its end: FROM-TO fault VERB TARGET ...; asked for when it took effect,
// unless `asked=` says otherwise.
static inline void add_fault(struct build *build, struct row *row)
{
    static const enum event_kind kinds[] = {EVENT_FAULT_ASKED, EVENT_FAULT_IN_EFFECT,
                                            EVENT_FAULT_HEALED, EVENT_FAULT_FAILED};
    const char *verb = take_next(row);
    struct target target = target_of(take_next(row));
    size_t index = build->scenario.fault_count++;
    struct fault_instance *instance = &build->instances[index];
    bool kills = strcmp(verb, "kill") == 0;
    *instance = (struct fault_instance){
        .number = (int)index + 1,
        .verb = verb,
        .form = fault_find(verb)->form,
        .target = target,
        .point_count = 1,
        .bound_ns = kills ? -1 : 3 * NS_PER_S,
        .text = (char *)(kills ? "kill client after read" : "pause client after read")};
    instance->points[0] =
        (struct point_name){.client = target.client, .moment = MOMENT_AFTER, .what = "read"};
    if (strcmp(target.server, "servers") == 0)
        instance->target = target = (struct target){0};
    read_instance(row, instance);
    double to_ms = row->is_span ? row->to_ms : NEVER_MS;
    const double at_ms[] = {take_ms(row, "asked", row->from_ms), row->from_ms, to_ms,
                            take_ms(row, "failed", NEVER_MS)};
    int64_t met = take_number(row, "met", 0);
    int error = (int)take_number(row, "error", 0);
    int reason = take_one_of(row, heal_reason_name, HEAL_DEATH + 1, (int)HEAL_CAUSE);
    for (int i = 0; i < 4; i++) {
        struct event event = {.kind = (uint8_t)kinds[i],
                              .fault_number = (uint8_t)instance->number,
                              .detail = i == 2 ? (uint8_t)reason : 0,
                              .fault = {.client = target.client, .met = i == 2 ? met : 0}};
        if (i == 3)
            event.fault_failed.error_number = error;
        if (at_ms[i] >= 0)
            add_event(build, row, at_ms[i], event);
    }
}

// --- settings ------------------------------------------------------------------------------------

enum field_kind {
    FIELD_NUMBER,
    FIELD_INT,
    FIELD_SIZE,
    FIELD_BOOL,
    FIELD_TIME,
    FIELD_SPAN,
    FIELD_INDEX,
    FIELD_RATIO
};

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
};

#define SETTING(name, kind, member)                                                                \
    {                                                                                              \
        name, kind, offsetof(struct build, member)                                                 \
    }
static const struct field settings[] = {
    SETTING("clients", FIELD_NUMBER, scenario.clients.processes),
    SETTING("threads", FIELD_NUMBER, scenario.clients.threads),
    SETTING("lease", FIELD_SPAN, scenario.lock.lease_ns),
    SETTING("retry", FIELD_SPAN, scenario.lock.retry_ns),
    SETTING("wait", FIELD_SPAN, scenario.lock.wait_ns),
    SETTING("request", FIELD_SPAN, scenario.lock.request_ns),
    SETTING("stuck-after", FIELD_SPAN, scenario.lock.stuck_after_ns),
    SETTING("told", FIELD_SPAN, scenario.lock.told_ns),
    SETTING("permits", FIELD_NUMBER, scenario.workload.permits),
    SETTING("jobs", FIELD_NUMBER, scenario.workload.jobs),
    SETTING("attempts", FIELD_NUMBER, scenario.workload.attempts),
    SETTING("fenced", FIELD_BOOL, scenario.workload.fenced),
    SETTING("boundary", FIELD_INT, scenario.workload.boundary),
    SETTING("hold", FIELD_SPAN, scenario.workload.hold_ns),
    SETTING("keys", FIELD_NUMBER, scenario.workload.keys),
    SETTING("servers", FIELD_INT, trial.servers),
    SETTING("harness-lost", FIELD_BOOL, history.condition.harness_lost),
};

static inline void set_field(const struct field *field, void *base, const char *value)
{
    char *at = (char *)base + field->offset;
    if (field->kind == FIELD_SPAN)
        *(int64_t *)(void *)at = (int64_t)(strtod(value, NULL) * (double)NS_PER_MS + 0.5);
    else if (field->kind == FIELD_RATIO)
        *(double *)(void *)at = strtod(value, NULL);
    else if (field->kind == FIELD_NUMBER || field->kind == FIELD_SIZE)
        *(int64_t *)(void *)at = strtoll(value, NULL, 10);
    else if (field->kind == FIELD_INT)
        *(int *)(void *)at = atoi(value);
    else
        *(bool *)at = atoi(value) != 0;
}

static inline void set_list(char *words, char *items[MAX_LISTED], struct string_list *list)
{
    *list = (struct string_list){items, 0};
    for (char *word = strsep(&words, ","); word != NULL && list->count + 1 < MAX_LISTED;
         word = strsep(&words, ","))
        items[list->count++] = word;
    items[list->count] = NULL;
}

static inline void set_expectation(struct build *build, struct row *row)
{
    static const char *const verdicts[] = {"SAFE", "UNSAFE", "STUCK"};
    struct expectation *expectation = &build->expectation;
    const char *verdict = take_value(row, "expect");
    char *because = take_value(row, "because");
    for (enum expected_verdict i = EXPECT_SAFE; verdict != NULL && i <= EXPECT_STUCK; i++)
        expectation->verdict = strcmp(verdict, verdicts[i]) == 0 ? i : expectation->verdict;
    if (verdict != NULL)
        build->trial.expectation = expectation;
    if (because != NULL)
        set_list(because, build->because, &expectation->because);
}

static const struct server_form *server_with(const char *word)
{
    static const struct {
        const char *kind;
        struct server_form form;
    } servers[] = {{"mysql", {.keeps_commits = true}},
                   {"memcached", {.late_expiry_ns = 3 * NS_PER_S, .sets_clock_late = true}},
                   {"etcd", {.late_expiry_ns = 2 * NS_PER_S}},
                   {"zookeeper", {.late_expiry_ns = NS_PER_S / 2}}};
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        if (strcmp(servers[i].kind, word) == 0)
            return &servers[i].form;
    }
    return NULL;
}

static inline void read_settings(struct build *build, struct row *row)
{
    static const struct external_client driver = {.name = "own"};
    static const struct external_client plugin = {.name = "own", .plugin = "./own.so"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *value = take_value(row, settings[i].name);
        if (value != NULL)
            set_field(&settings[i], build, value);
    }
    char *scheme = take_value(row, "scheme");
    char *workload = take_value(row, "workload");
    char *store = take_value(row, "store");
    char *topology = take_value(row, "topology");
    char *traits = take_value(row, "traits");
    build->trial.scheme = scheme != NULL ? scheme : build->trial.scheme;
    build->scenario.workload.kind = workload != NULL ? workload : build->scenario.workload.kind;
    build->scenario.workload.store = store != NULL ? store : build->scenario.workload.store;
    for (size_t i = 0; topology != NULL && topology_at(i) != NULL; i++) {
        if (strcmp(topology_at(i)->form.name, topology) == 0)
            build->trial.topology = &topology_at(i)->form;
    }
    if (traits != NULL) {
        struct string_list ignored;
        set_list(traits, build->traits, &ignored);
        build->trial.traits = (const char *const *)build->traits;
        for (size_t i = 0; build->trial.traits[i] != NULL && build->trial.server == NULL; i++)
            build->trial.server = server_with(build->trial.traits[i]);
    }
    if (store != NULL)
        build->trial.store_server = server_with(store);
    if (take_word(row, "driver"))
        build->trial.external_client = &driver;
    if (take_word(row, "plugin"))
        build->trial.external_client = &plugin;
    struct history_condition *condition = &build->history.condition;
    if (take_word(row, "damaged"))
        condition->state = HISTORY_DAMAGED;
    if (take_word(row, "unfinished"))
        condition->state = HISTORY_UNFINISHED;
    if (condition->state != HISTORY_WHOLE)
        strcpy(condition->text, "the history is damaged");
    set_expectation(build, row);
}

// --- rows ----------------------------------------------------------------------------------------

static const struct {
    const char *word;
    void (*add)(struct build *build, struct row *row);
} shorthands[] = {
    {"acquire", add_acquire}, {"release", add_release}, {"hold", add_hold},
    {"turn", add_turn},       {"read", add_access},     {"write", add_access},
    {"renew", add_renewal},   {"dies", add_death},      {"stall", add_stall},
    {"start", add_start},     {"stop", add_stop},       {"final", add_final},
    {"fault", add_fault},
};

static inline void add_row(struct build *build, struct row *row)
{
    read_time(row);
    read_who(row);
    row->what = take_next(row);
    for (size_t i = 0; i < sizeof shorthands / sizeof *shorthands; i++) {
        if (strcmp(shorthands[i].word, row->what) == 0) {
            shorthands[i].add(build, row);
            return;
        }
    }
    add_other(build, row, row->what);
}

static inline bool begins(const char *line, const char *word)
{
    size_t length = strlen(word);
    line += strspn(line, " ");
    return strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\0');
}

// When a row is read: settings and faults first, in their order; then by time, as they may come in
// any order.
static inline double turn_of(const char *line)
{
    double at_ms = strtod(line, NULL);
    return begins(line, "with") || strstr(line, " fault ") != NULL ? -1 : at_ms;
}

// One row; or `times=` such, each `every=` later than the one before.
static inline void read_row(struct build *build, const char *file, size_t line, const char *text)
{
    int64_t times = 1;
    for (int64_t i = 0; i < times; i++) {
        struct row row = {.file = file, .line = line};
        char *copy = memory_string(text);
        *APPEND(build->rows, build->row_count, build->row_room) = copy;
        split(copy, &row);
        times = take_number(&row, "times", 1);
        row.later_ms = (double)i * take_ms(&row, "every", 0);
        if (take_word(&row, "with"))
            read_settings(build, &row);
        else
            add_row(build, &row);
        all_taken(&row);
    }
}

// Adds what rows say, one a line, with what printf makes of them.
static inline __attribute__((format(printf, 2, 3))) void build_rows(struct build *build,
                                                                    const char *format, ...)
{
    char *rows;
    va_list arguments;
    va_start(arguments, format);
    assert_true(vasprintf(&rows, format, arguments) >= 0);
    va_end(arguments);
    char *rest = rows;
    size_t number = 0;
    for (char *row = strsep(&rest, "\n"); row != NULL; row = strsep(&rest, "\n"), number++) {
        if (*row != '\0')
            read_row(build, "row", number, row);
    }
    free(rows);
}

#endif
