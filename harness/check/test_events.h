// For tests: histories as cases/*.events write them down; cases/README.md says how.
#ifndef LOCKPICK_CHECK_TEST_EVENTS_H
#define LOCKPICK_CHECK_TEST_EVENTS_H

#include "harness/base/file.h"
#include "harness/check/build_history_test_support.h"

#include <glob.h>

#define MOST_WORDS 40
#define CASE_CLIENTS 100
#define MOST_EXPECTED 40
#define MOST_ROWS 400

// A line, taken apart. Words are NULL once they were taken.
struct row {
    const char *file;
    size_t line;
    char *words[MOST_WORDS];
    size_t count;
    double from_ms, to_ms; // NEVER_MS: it did not come
    double later_ms;       // than the line says
    bool is_span;          // both were said
    int client, worker;
    const char *what; // "acquire", "write"
};

struct lines {
    char **items;
    size_t count;
};

// A case, or one of its variants, on its way.
struct reading {
    const char *file;
    struct lines lines;
    struct build build;
    int64_t operations;
    int64_t operation_of[CASE_CLIENTS][4];          // the latest of each worker
    size_t rows[MOST_ROWS], row_count;              // lines
    size_t expected[MOST_EXPECTED], expected_count; // likewise
    struct string_list traits, because;
    char *trait_words[8], *because_words[4];
    char **copies; // of lines, which settings and faults point to
    size_t copy_count, copy_room;
    size_t *wrong;  // how much is not as it was expected, in all cases
    unsigned *seen; // in which states each check was, as bits
    void (*decide)(struct reading *reading, size_t line); // once it is judged
};

static _Noreturn void refuse(const struct row *row, const char *why)
{
    fail_msg("%s:%zu: %s", row->file, row->line + 1, why);
    abort();
}

// --- words ---------------------------------------------------------------------------------------

// Splits at blanks; a word in quotes has no quotes then.
static void split(char *line, struct row *row)
{
    for (char *at = line; *at != '\0';) {
        at += strspn(at, " ");
        if (*at == '\0' || row->count == MOST_WORDS)
            break;
        bool quoted = *at == '"';
        at += quoted;
        row->words[row->count++] = at;
        at += strcspn(at, quoted ? "\"" : " ");
        if (*at != '\0')
            *at++ = '\0';
    }
}

static char *take_next(struct row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        char *word = row->words[i];
        row->words[i] = NULL;
        if (word != NULL)
            return word;
    }
    refuse(row, "a word is missing");
}

static bool take_word(struct row *row, const char *word)
{
    for (size_t i = 0; i < row->count; i++) {
        if (row->words[i] != NULL && strcmp(row->words[i], word) == 0) {
            row->words[i] = NULL;
            return true;
        }
    }
    return false;
}

// The value of `name=value`, or NULL.
static char *take_value(struct row *row, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < row->count; i++) {
        char *word = row->words[i];
        if (word != NULL && strncmp(word, name, length) == 0 && word[length] == '=') {
            row->words[i] = NULL;
            return word + length + 1;
        }
    }
    return NULL;
}

static int64_t take_number(struct row *row, const char *name, int64_t otherwise)
{
    const char *value = take_value(row, name);
    return value != NULL ? strtoll(value, NULL, 10) : otherwise;
}

static double take_ms(struct row *row, const char *name, double otherwise)
{
    const char *value = take_value(row, name);
    return value != NULL ? strtod(value, NULL) : otherwise;
}

// The index of the first of the names that is among the words, or `otherwise`.
static int take_one_of(struct row *row, const char *(*name)(unsigned), int count, int otherwise)
{
    for (int i = 0; i < count; i++) {
        if (take_word(row, name((unsigned)i)))
            return i;
    }
    return otherwise;
}

static void all_taken(const struct row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        if (row->words[i] != NULL)
            refuse(row, row->words[i]);
    }
}

// "10", "10-20", "10-": never over; "-": never at all.
static void read_time(struct row *row)
{
    char *rest;
    const char *word = take_next(row);
    row->from_ms = row->to_ms = strtod(word, &rest);
    row->from_ms = row->to_ms = rest == word ? NEVER_MS : row->from_ms + row->later_ms;
    if (*rest != '-')
        return;
    row->is_span = true;
    row->to_ms = rest[1] != '\0' ? strtod(rest + 1, NULL) + row->later_ms : NEVER_MS;
}

static void read_who(struct row *row)
{
    for (size_t i = 0; i < 2 && i < row->count; i++) {
        if (row->words[i] != NULL && strncmp(row->words[i], "client-", 7) == 0) {
            row->worker = 1;
            sscanf(row->words[i], "client-%d/%d", &row->client, &row->worker);
            row->words[i] = NULL;
        }
    }
}

// --- events --------------------------------------------------------------------------------------

static int64_t *operation_of(struct reading *reading, const struct row *row)
{
    return &reading->operation_of[row->client % CASE_CLIENTS][row->worker % 4];
}

static struct event *add(struct reading *reading, const struct row *row, double at_ms,
                         struct event event)
{
    build_event(&reading->build, at_ms, row->client, row->worker, event);
    return &reading->build.events[reading->build.count - 1];
}

static enum outcome take_outcome(struct row *row)
{
    static const char *const words[] = {
        [OUTCOME_NO] = "refused", [OUTCOME_UNKNOWN] = "unknown", [OUTCOME_BROKEN] = "broken"};
    enum outcome outcome = OUTCOME_NO;
    while (outcome <= OUTCOME_BROKEN && !take_word(row, words[outcome]))
        outcome++;
    return outcome <= OUTCOME_BROKEN ? outcome : OUTCOME_OK;
}

static void add_acquire(struct reading *reading, struct row *row)
{
    double lease_ms = take_ms(row, "lease", NEVER_MS);
    enum outcome outcome = take_outcome(row);
    int64_t operation = take_number(row, "op", ++reading->operations);
    double intended_ms = take_ms(row, "intended", 0);
    *operation_of(reading, row) = operation;
    add(reading, row, row->from_ms,
        (struct event){.kind = EVENT_ACQUIRE_INVOKE,
                       .detail = take_word(row, "shared"),
                       .acquire_invoke = {.operation = operation,
                                          .intended_ns = intended_ms > 0 ? ms(intended_ms) : 0,
                                          .key = take_number(row, "key", 0)}});
    int64_t token = take_number(row, "token", 0);
    int64_t attempts = take_number(row, "attempts", outcome == OUTCOME_OK);
    bool is_unanchored = take_word(row, "unanchored");
    if (row->to_ms < 0)
        return;
    struct event *answer =
        add(reading, row, row->to_ms,
            (struct event){.kind = EVENT_ACQUIRE_RETURN,
                           .outcome = (uint8_t)outcome,
                           .detail = is_unanchored,
                           .acquire_return = {.operation = operation, .attempts = attempts}});
    if (outcome != OUTCOME_OK)
        return;
    answer->acquire_return.token = token;
    answer->acquire_return.valid_until_ns = lease_ms < 0 ? TIME_NEVER : ms(row->from_ms + lease_ms);
}

static void add_release(struct reading *reading, struct row *row)
{
    int answer =
        take_one_of(row, release_answer_name, RELEASE_UNCHECKED + 1, (int)RELEASE_RELEASED);
    int64_t operation = take_number(row, "op", *operation_of(reading, row));
    add(reading, row, row->from_ms,
        (struct event){.kind = EVENT_RELEASE_INVOKE, .release_invoke = {.operation = operation}});
    if (row->to_ms >= 0)
        add(reading, row, row->to_ms,
            (struct event){.kind = EVENT_RELEASE_RETURN,
                           .outcome = answer == RELEASE_UNKNOWN ? OUTCOME_UNKNOWN : OUTCOME_OK,
                           .detail = (uint8_t)answer,
                           .release_return = {.operation = operation}});
}

static void add_hold(struct reading *reading, struct row *row)
{
    struct row release = *row;
    release.from_ms = row->to_ms;
    row->to_ms = row->from_ms;
    add_acquire(reading, row);
    release.count = 0;
    add_release(reading, &release);
}

// A read that shows a value, or a write of one; answered 0.1 ms later if nothing else is said.
static void add_access(struct reading *reading, struct row *row)
{
    bool is_write = strcmp(row->what, "write") == 0;
    enum outcome outcome = take_outcome(row);
    int64_t operation = take_number(row, "op", *operation_of(reading, row));
    struct event event = {.kind = is_write ? EVENT_WRITE_INVOKE : EVENT_READ_INVOKE,
                          .access = {.operation = operation,
                                     .token = take_number(row, "token", 0),
                                     .seen = take_number(row, "saw", 0)}};
    int64_t value = strtoll(take_next(row), NULL, 10);
    event.access.value = is_write ? value : 0;
    add(reading, row, row->from_ms, event);
    event.kind++;
    event.outcome = (uint8_t)outcome;
    event.access.value = value;
    if (row->is_span ? row->to_ms >= 0 : outcome != OUTCOME_UNKNOWN)
        add(reading, row, row->is_span ? row->to_ms : row->from_ms + 0.1, event);
}

// A whole turn within 5 ms: SEEN>WRITTEN.
static void add_turn(struct reading *reading, struct row *row)
{
    char *written;
    enum outcome outcome = take_outcome(row);
    int64_t seen = strtoll(take_next(row), &written, 10);
    int64_t growth = strtoll(written + 1, NULL, 10) - seen;
    build_turn(&reading->build, row->client, take_number(row, "op", ++reading->operations),
               row->from_ms, seen, growth, outcome);
}

static void add_renewal(struct reading *reading, struct row *row)
{
    add(reading, row, row->from_ms,
        (struct event){
            .kind = EVENT_RENEW_RETURN,
            .outcome = (uint8_t)take_outcome(row),
            .renew_return = {.operation = *operation_of(reading, row),
                             .valid_until_ns = ms(row->from_ms + take_ms(row, "lease", 0))}});
}

static void add_death(struct reading *reading, struct row *row)
{
    double killed_ms = take_ms(row, "killed", NEVER_MS);
    row->worker = 0;
    add(reading, row, row->from_ms,
        (struct event){.kind = EVENT_PROCESS_DEATH,
                       .process_death = {.pid = 1000 + row->client,
                                         .signal = 9,
                                         .killed_ns = killed_ms >= 0 ? ms(killed_ms) : 0}});
}

static void add_stall(struct reading *reading, struct row *row)
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
    add(reading, row, row->from_ms, stall_event(&stall));
}

static void add_start(struct reading *reading, struct row *row)
{
    add(reading, row, row->from_ms,
        (struct event){.kind = EVENT_STORE_INITIAL,
                       .stored = {.value = take_number(row, "value", 0)}});
    add(reading, row, row->from_ms, (struct event){.kind = EVENT_BARRIER_OPEN});
}

static void add_stop(struct reading *reading, struct row *row)
{
    int reason = take_one_of(row, stop_reason_name, STOP_INTERRUPTED + 1, (int)STOP_DONE);
    add(reading, row, row->from_ms,
        (struct event){.kind = EVENT_STOP_ASKED,
                       .detail = (uint8_t)reason,
                       .stop_asked = {.due = take_number(row, "due", 0)}});
}

static void add_final(struct reading *reading, struct row *row)
{
    int64_t key = take_number(row, "key", 0);
    add(reading, row, row->from_ms,
        (struct event){.kind = EVENT_STORE_FINAL,
                       .stored = {.value = strtoll(take_next(row), NULL, 10), .key = key}});
}

// Any other kind by its name, with its arguments by theirs: `@5` is a time, `6ms` a duration; a
// text or a command in quotes is its last word.
static void add_other(struct reading *reading, struct row *row, const char *kind_name)
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
    event.args[0] = event_has_operation(kind) ? *operation_of(reading, row) : 0;
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
    add(reading, row, row->from_ms, event);
}

// --- faults --------------------------------------------------------------------------------------

static struct target target_of(const char *word)
{
    struct target target = {0};
    if (sscanf(word, "client-%d/%d", &target.client, &target.worker) == 0)
        snprintf(target.server, sizeof target.server, "%s", word);
    return target;
}

static size_t read_side(char *words, struct target *side)
{
    size_t count = 0;
    for (char *word = strsep(&words, ","); word != NULL; word = strsep(&words, ","))
        side[count++] = target_of(word);
    return count;
}

// `point=MOMENT:WHAT:PHASE:WORKER`, once for each of its points; `no-point`.
static void read_points(struct row *row, struct fault_instance *instance)
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

static void read_instance(struct row *row, struct fault_instance *instance)
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
static void add_fault(struct reading *reading, struct row *row)
{
    static const enum event_kind kinds[] = {EVENT_FAULT_ASKED, EVENT_FAULT_IN_EFFECT,
                                            EVENT_FAULT_HEALED, EVENT_FAULT_FAILED};
    struct build *build = &reading->build;
    const char *verb = take_next(row);
    struct target target = target_of(take_next(row));
    build_fault(build, verb, target.client, NEVER_MS, NEVER_MS);
    struct fault_instance *instance = &build->instances[build->scenario.fault_count - 1];
    if (strcmp(target.server, "servers") == 0)
        target = (struct target){0};
    instance->target = target;
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
            add(reading, row, at_ms[i], event);
    }
}

// --- settings ------------------------------------------------------------------------------------

enum field_kind {
    FIELD_NUMBER,
    FIELD_INT,
    FIELD_SIZE,
    FIELD_BOOL,
    FIELD_BYTE,
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
    SETTING("fenced", FIELD_BOOL, scenario.workload.fenced),
    SETTING("boundary", FIELD_INT, scenario.workload.boundary),
    SETTING("hold", FIELD_SPAN, scenario.workload.hold_ns),
    SETTING("keys", FIELD_NUMBER, scenario.workload.keys),
    SETTING("servers", FIELD_INT, trial.servers),
    SETTING("majority", FIELD_BOOL, trial.by_majority),
    SETTING("harness-lost", FIELD_BOOL, history.condition.harness_lost),
};

static void set_field(const struct field *field, void *base, const char *value)
{
    char *at = (char *)base + field->offset;
    if (field->kind == FIELD_SPAN)
        *(int64_t *)(void *)at = (int64_t)(strtod(value, NULL) * (double)NS_PER_MS);
    else if (field->kind == FIELD_NUMBER)
        *(int64_t *)(void *)at = strtoll(value, NULL, 10);
    else if (field->kind == FIELD_INT)
        *(int *)(void *)at = atoi(value);
    else
        *(bool *)at = atoi(value) != 0;
}

static void set_list(char *words, char **items, size_t room, struct string_list *list)
{
    *list = (struct string_list){items, 0};
    for (char *word = strsep(&words, ","); word != NULL && list->count + 1 < room;
         word = strsep(&words, ","))
        items[list->count++] = word;
    items[list->count] = NULL;
}

static void set_expectation(struct reading *reading, struct row *row)
{
    static const char *const verdicts[] = {"SAFE", "UNSAFE", "STUCK"};
    struct expectation *expectation = &reading->build.expectation;
    const char *verdict = take_value(row, "expect");
    char *because = take_value(row, "because");
    for (enum expected_verdict i = EXPECT_SAFE; verdict != NULL && i <= EXPECT_STUCK; i++)
        expectation->verdict = strcmp(verdict, verdicts[i]) == 0 ? i : expectation->verdict;
    if (verdict != NULL)
        reading->build.trial.expectation = expectation;
    if (because != NULL)
        set_list(because, reading->because_words, 4, &expectation->because);
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

static void read_settings(struct reading *reading, struct row *row)
{
    static const struct external_client driver = {.name = "own"};
    static const struct external_client plugin = {.name = "own", .plugin = "./own.so"};
    struct build *build = &reading->build;
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
    build->trial.topology = topology != NULL ? topology : build->trial.topology;
    if (traits != NULL) {
        set_list(traits, reading->trait_words, 8, &reading->traits);
        build->trial.traits = (const char *const *)reading->trait_words;
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
    set_expectation(reading, row);
}

// --- rows ----------------------------------------------------------------------------------------

static const struct {
    const char *word;
    void (*add)(struct reading *reading, struct row *row);
} shorthands[] = {
    {"acquire", add_acquire}, {"release", add_release}, {"hold", add_hold},
    {"turn", add_turn},       {"read", add_access},     {"write", add_access},
    {"renew", add_renewal},   {"dies", add_death},      {"stall", add_stall},
    {"start", add_start},     {"stop", add_stop},       {"final", add_final},
    {"fault", add_fault},
};

static void add_row(struct reading *reading, struct row *row)
{
    read_time(row);
    read_who(row);
    row->what = take_next(row);
    for (size_t i = 0; i < sizeof shorthands / sizeof *shorthands; i++) {
        if (strcmp(shorthands[i].word, row->what) == 0) {
            shorthands[i].add(reading, row);
            return;
        }
    }
    add_other(reading, row, row->what);
}

static bool begins(const char *line, const char *word)
{
    size_t length = strlen(word);
    line += strspn(line, " ");
    return strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\0');
}

// When a row is read: settings and faults first, in their order; then by time, as they may come in
// any order.
static double turn_of(const char *line)
{
    double at_ms = strtod(line, NULL);
    return begins(line, "with") || strstr(line, " fault ") != NULL ? -1 : at_ms;
}

// One row; or `times=` such, each `every=` later than the one before.
static void read_row(struct reading *reading, size_t line)
{
    int64_t times = 1;
    for (int64_t i = 0; i < times; i++) {
        struct row row = {.file = reading->file, .line = line};
        char *copy = memory_string(reading->lines.items[line]);
        *APPEND(reading->copies, reading->copy_count, reading->copy_room) = copy;
        split(copy, &row);
        times = take_number(&row, "times", 1);
        row.later_ms = (double)i * take_ms(&row, "every", 0);
        if (take_word(&row, "with"))
            read_settings(reading, &row);
        else
            add_row(reading, &row);
        all_taken(&row);
    }
}

static void read_rows_in_turn(struct reading *reading)
{
    size_t *rows = reading->rows;
    for (size_t i = 1; i < reading->row_count; i++) {
        size_t row = rows[i], j = i;
        double turn = turn_of(reading->lines.items[row]);
        for (; j > 0 && turn_of(reading->lines.items[rows[j - 1]]) > turn; j--)
            rows[j] = rows[j - 1];
        rows[j] = row;
    }
    for (size_t i = 0; i < reading->row_count; i++)
        read_row(reading, rows[i]);
}

// --- cases ---------------------------------------------------------------------------------------

static __attribute__((format(printf, 3, 4))) void complain(struct reading *reading, size_t line,
                                                           const char *format, ...)
{
    char text[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("%s:%zu: %s\n", reading->file, line + 1, text);
    ++*reading->wrong;
}

static size_t find_rows(const struct reading *reading, size_t line)
{
    const char *name = strstr(reading->lines.items[line], "use ") + 4;
    for (size_t i = 0; i < reading->lines.count; i++) {
        if (begins(reading->lines.items[i], "rows") &&
            strcmp(strstr(reading->lines.items[i], "rows ") + 5, name) == 0)
            return i + 1;
    }
    fail_msg("%s:%zu: no such rows", reading->file, line + 1);
    return 0;
}

static bool ends_rows(const char *line)
{
    return begins(line, "case") || begins(line, "rows") || begins(line, "variant");
}

// Reads the rows from a line on to the next case, or variant. Returns that.
static size_t read_rows(struct reading *reading, size_t line)
{
    for (; line < reading->lines.count && !ends_rows(reading->lines.items[line]); line++) {
        const char *text = reading->lines.items[line];
        text += strspn(text, " ");
        if (begins(text, "use"))
            read_rows(reading, find_rows(reading, line));
        else if (begins(text, "->") && reading->expected_count < MOST_EXPECTED)
            reading->expected[reading->expected_count++] = line;
        else if (*text != '\0' && *text != '#' && reading->row_count < MOST_ROWS)
            reading->rows[reading->row_count++] = line;
    }
    return line;
}

// The case at a line, with the variant at another; 0: without.
static size_t run_case(const char *file, struct lines lines, size_t line, size_t variant,
                       const struct reading *fresh)
{
    struct reading reading = *fresh;
    reading.file = file;
    reading.lines = lines;
    build_start(&reading.build, "increment");
    size_t end = read_rows(&reading, line + 1);
    if (variant != 0)
        end = read_rows(&reading, variant + 1);
    bool has_variants = end < lines.count && begins(lines.items[end], "variant");
    if (variant != 0 || !has_variants) {
        read_rows_in_turn(&reading);
        build_judge(&reading.build);
        if (reading.expected_count == 0)
            complain(&reading, line, "nothing is expected");
        fresh->decide(&reading, variant != 0 ? variant : line);
    }
    build_free(&reading.build);
    for (size_t i = 0; i < reading.copy_count; i++)
        free(reading.copies[i]);
    free(reading.copies);
    return end;
}

static size_t run_file(const char *file, const struct reading *fresh)
{
    struct text bytes = {0};
    struct lines lines = {0};
    size_t room = 0, cases = 0;
    if (file_read(file, &bytes, NULL) != 0)
        fail_msg("%s cannot be read", file);
    char *rest = bytes.bytes;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n"))
        *APPEND(lines.items, lines.count, room) = line;
    for (size_t line = 0; line < lines.count;) {
        if (!begins(lines.items[line], "case")) {
            line++;
            continue;
        }
        size_t end = run_case(file, lines, line, 0, fresh);
        for (; end < lines.count && begins(lines.items[end], "variant"); cases++)
            end = run_case(file, lines, line, end, fresh);
        cases++;
        line = end;
    }
    free(lines.items);
    text_free(&bytes);
    return cases;
}

// Has `decide` look at each case, and each variant, of the files, once it has been judged. `seen`
// has room for each check, or is NULL. Returns how much is not as it was expected.
static size_t run_events(const char *files, void (*decide)(struct reading *reading, size_t line),
                         unsigned *seen)
{
    glob_t found;
    size_t wrong = 0;
    const struct reading fresh = {.wrong = &wrong, .seen = seen, .decide = decide};
    assert_int_equal(glob(files, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        assert_true(run_file(found.gl_pathv[i], &fresh) > 0);
    globfree(&found);
    return wrong;
}

#endif
