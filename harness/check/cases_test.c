// Small histories and what they are judged: cases/*.events, of which cases/README.md says how they
// are read. Each check has cases in which it fails.
#include "harness/check/fairness.h"
#include "harness/check/liveness.h"
#include "harness/check/stuck.h"
#include "harness/check/test_cases.h"

// --- what is expected ----------------------------------------------------------------------------

#define WAITS(name, member)                                                                        \
    OF(liveness, name, SIZE, member.count), OF(liveness, name "-p50", SPAN, member.p50_ns),        \
        OF(liveness, name "-p99", SPAN, member.p99_ns),                                            \
        OF(liveness, name "-max", SPAN, member.max_ns)

static const struct field fairness_fields[] = {
    OF(fairness, "workers", SIZE, workers),
    OF(fairness, "jain", RATIO, jain),
    OF(fairness, "least", SIZE, least_grants),
    OF(fairness, "most", SIZE, most_grants),
    OF(fairness, "grants", SIZE, grants),
    OF(fairness, "order", INT, order),
    OF(fairness, "margin", SPAN, margin_ns),
    OF(fairness, "contested", SIZE, contested),
    OF(fairness, "out-of-turn", SIZE, out_of_turn),
    OF(fairness, "overtaken", SIZE, overtaken),
    OF(fairness, "deepest", SIZE, deepest),
    OF(fairness, "deepest-hold", INDEX, deepest_hold),
    OF(fairness, "deepest-wait", SPAN, deepest_wait_ns),
    {0},
};

static const struct field liveness_fields[] = {
    WAITS("after-release", after_release),
    WAITS("after-crash", after_crash),
    WAITS("after-expiry", after_expiry),
    WAITS("after-heal", after_heal),
    OF(liveness, "heals", SIZE, heal_count),
    OF(liveness, "longest-wait", SPAN, longest_wait_ns),
    OF(liveness, "unserved", SPAN, unserved_ns),
    OF(liveness, "left", INT, left),
    {0},
};

static const struct field herd_fields[] = {
    OF(herd, "known", BOOL, is_known),
    OF(herd, "grants", SIZE, grants),
    OF(herd, "acquire-requests", NUMBER, acquire_requests),
    OF(herd, "release-requests", NUMBER, release_requests),
    OF(herd, "renewals", NUMBER, renewals),
    OF(herd, "wakeups", NUMBER, wakeups),
    {0},
};

static const struct field trial_model_fields[] = {
    OF(trial_model, "holds", SIZE, hold_count),
    OF(trial_model, "attempts", SIZE, attempt_count),
    OF(trial_model, "accesses", SIZE, access_count),
    OF(trial_model, "faults", SIZE, fault_count),
    OF(trial_model, "stalls", SIZE, stall_count),
    OF(trial_model, "phases", SIZE, phase_count),
    OF(trial_model, "due", NUMBER, due_operations),
    OF(trial_model, "begun", NUMBER, begun_operations),
    OF(trial_model, "started", TIME, started_ns),
    OF(trial_model, "ended", TIME, ended_ns),
    OF(trial_model, "stop-known", BOOL, stop_known),
    OF(trial_model, "stop", INT, stop_reason),
    OF(trial_model, "initial", NUMBER, ends.initial_value),
    OF(trial_model, "final-known", BOOL, ends.final_known),
    OF(trial_model, "final", NUMBER, ends.final_value),
    {0},
};

static const struct field hold_fields[] = {
    OF(hold, "client", INT, client),
    OF(hold, "worker", INT, worker),
    OF(hold, "operation", NUMBER, operation),
    OF(hold, "key", NUMBER, key),
    OF(hold, "intended", TIME, intended_ns),
    OF(hold, "invoked", TIME, invoked_ns),
    OF(hold, "outcome", INT, outcome),
    OF(hold, "granted", TIME, granted_ns),
    OF(hold, "released", TIME, released_ns),
    OF(hold, "acquire-called", TIME, acquire_called_ns),
    OF(hold, "release-called", TIME, release_called_ns),
    OF(hold, "returned", TIME, returned_ns),
    OF(hold, "valid-until", TIME, valid_until_ns),
    OF(hold, "proven-until", TIME, proven_until_ns),
    OF(hold, "token", NUMBER, token),
    OF(hold, "release-invoked", BOOL, release_invoked),
    OF(hold, "died", BOOL, died),
    OF(hold, "died-at", TIME, died_ns),
    OF(hold, "answer", INT, answer),
    OF(hold, "first-access", SIZE, first_access),
    OF(hold, "accesses", SIZE, access_count),
    OF(hold, "granted-event", INDEX, granted_event),
    OF(hold, "released-event", INDEX, released_event),
    {0},
};

static const struct field access_fields[] = {
    OF(access, "write", BOOL, is_write),       OF(access, "hold", INDEX, hold),
    OF(access, "value", NUMBER, value),        OF(access, "seen", NUMBER, seen),
    OF(access, "token", NUMBER, token),        OF(access, "outcome", INT, outcome),
    OF(access, "returned", TIME, returned_ns), {0},
};

static const struct field fault_fields[] = {
    OF(fault_record, "asked", TIME, asked_ns),
    OF(fault_record, "in-effect", TIME, in_effect_ns),
    OF(fault_record, "healed", TIME, healed_ns),
    {0},
};

static const struct field stall_fields[] = {
    OF(stall, "from", TIME, from_ns),
    OF(stall, "to", TIME, to_ns),
    OF(stall, "of", INT, of),
    OF(stall, "number", INT, number),
    {0},
};

static const struct field phase_fields[] = {
    OF(load_phase, "from", TIME, from_ns),      OF(load_phase, "to", TIME, to_ns),
    OF(load_phase, "clients", NUMBER, clients), OF(load_phase, "rate", NUMBER, rate),
    OF(load_phase, "counts", BOOL, counts),     {0},
};

static bool compare_figures(struct reading *reading, struct row *row, const char *name)
{
    struct fairness fairness;
    struct liveness liveness;
    struct herd herd;
    const struct trial_model *model = &reading->build.model;
    fairness_measure(model, &fairness);
    liveness_measure(model, &liveness);
    herd_measure(model, &herd);
    const struct family families[] = {
        {"fairness", fairness_fields, &fairness, 0, 0},
        {"liveness", liveness_fields, &liveness, 0, 0},
        {"herd", herd_fields, &herd, 0, 0},
        {"trial", trial_model_fields, model, sizeof *model, SIZE_MAX},
        {"hold", hold_fields, model->holds, sizeof *model->holds, model->hold_count},
        {"attempt", hold_fields, model->attempts, sizeof *model->attempts, model->attempt_count},
        {"access", access_fields, model->accesses, sizeof *model->accesses, model->access_count},
        {"fault", fault_fields, model->faults, sizeof *model->faults, model->fault_count},
        {"stall", stall_fields, model->stalls, sizeof *model->stalls, model->stall_count},
        {"phase", phase_fields, model->phases, sizeof *model->phases, model->phase_count},
    };
    return compare_family(reading, row, name, families, sizeof families / sizeof *families);
}

static void compare_pair(struct reading *reading, struct row *row, const char *name,
                         const size_t found[2])
{
    char text[40];
    const char *wanted = take_value(row, name);
    if (wanted == NULL)
        return;
    // SIZE_MAX, which is nobody, is 0.
    snprintf(text, sizeof text, found[1] != SIZE_MAX ? "%zu,%zu" : "%zu", found[0] + 1,
             found[1] + 1);
    if (strcmp(text, wanted) != 0)
        complain(reading, row->line, "%s are %s", name, text);
}

static void compare_span(struct reading *reading, struct row *row, const char *name, double from_ms,
                         double to_ms)
{
    char text[60];
    const char *wanted = take_value(row, name);
    snprintf(text, sizeof text, to_ms < 0 ? "%.10g-" : "%.10g-%.10g", from_ms, to_ms);
    if (wanted != NULL && strcmp(text, wanted) != 0)
        complain(reading, row->line, "%s is %s", name, text);
}

static double as_ms(int64_t at_ns)
{
    return at_ns == TIME_NEVER ? NEVER_MS : (double)(at_ns - NS_PER_S) / (double)NS_PER_MS;
}

static const char *const states[] = {"kept", "violated", "undecided", "irrelevant"};

static void compare_finding(struct reading *reading, struct row *row, const char *property,
                            const char *text)
{
    const struct finding *finding = finding_named(&reading->build, property);
    const char *state = take_next(row);
    if (strcmp(states[finding->state], state) != 0)
        complain(reading, row->line, "%s is %s: %s", property, states[finding->state],
                 finding->text);
    if (finding->harmless != take_word(row, "harmless"))
        complain(reading, row->line, "it is%s harmless", finding->harmless ? "" : " not");
    if (text != NULL && strcmp(text, finding->text) != 0)
        complain(reading, row->line, "it says: %s", finding->text);
    int64_t count = take_number(row, "count", finding->count);
    if (count != finding->count)
        complain(reading, row->line, "count is %lld", (long long)finding->count);
    compare_pair(reading, row, "holds", finding->evidence.holds);
    compare_pair(reading, row, "accesses", finding->evidence.accesses);
    compare_span(reading, row, "at", as_ms(finding->evidence.from_ns),
                 as_ms(finding->evidence.to_ns));
    compare_span(reading, row, "windows", (double)finding->windows.min_ns / 1e6,
                 (double)finding->windows.max_ns / 1e6);
    if (take_word(row, "of-a-release") !=
        (finding->check->shows == SHOWS_NO_PROGRESS && finding->state == FINDING_VIOLATED &&
         is_of_hanging_release(&reading->build.model, finding)))
        complain(reading, row->line, "whether it is about a release");
}

static void compare_expectation(struct reading *reading, struct row *row, const char *text)
{
    static const char *const results[] = {"none", "met", "missed"};
    const struct judgement *judgement = &reading->build.judgement;
    if (strcmp(take_next(row), results[judgement->expectation]) != 0)
        complain(reading, row->line, "it is %s", results[judgement->expectation]);
    if (text != NULL && strcmp(text, judgement->expectation_text) != 0)
        complain(reading, row->line, "it says: %s", judgement->expectation_text);
}

static bool is_verdict(const char *word)
{
    for (enum verdict verdict = VERDICT_SAFE; verdict <= VERDICT_ERROR; verdict++) {
        if (strcmp(verdict_name(verdict), word) == 0)
            return true;
    }
    return false;
}

// "-> WHAT ...: text".
static void compare(struct reading *reading, size_t line, bool *names)
{
    struct row row = {.file = reading->file, .line = line};
    const struct judgement *judgement = &reading->build.judgement;
    AUTO_FREE char *copy = memory_string(strstr(reading->lines.items[line], "->") + 2);
    char *text = strstr(copy, ": ");
    if (text != NULL) {
        *text = '\0';
        text += 2;
    }
    split(copy, &row);
    const char *what = take_next(&row);
    if (is_verdict(what)) {
        if (strcmp(verdict_name(judgement->verdict), what) != 0)
            complain(reading, line, "the verdict is %s: %s", verdict_name(judgement->verdict),
                     judgement->reason);
        else if (text != NULL && strcmp(text, judgement->reason) != 0)
            complain(reading, line, "the reason is: %s", judgement->reason);
        if (take_word(&row, "measured") != judgement->is_measurement)
            complain(reading, line, "whether it is a measurement");
    } else if (strcmp(what, "expectation") == 0) {
        compare_expectation(reading, &row, text);
    } else if (strcmp(what, "first") == 0) {
        const struct finding *first = judgement_first_violation(judgement);
        if (first == NULL || strcmp(first->check->name, take_next(&row)) != 0)
            complain(reading, line, "the first is %s", first != NULL ? first->check->name : "none");
    } else if (!compare_figures(reading, &row, what)) {
        compare_finding(reading, &row, what, text);
        names[finding_named(&reading->build, what) - judgement->findings] = true;
    }
    all_taken(&row);
}

// --- cases ---------------------------------------------------------------------------------------

static void judge_case(struct reading *reading, size_t line)
{
    bool named[MAX_CHECKS] = {false};
    struct build *build = &reading->build;
    for (size_t i = 0; i < reading->expected_count; i++)
        compare(reading, reading->expected[i], named);
    for (size_t i = 0; i < build->judgement.finding_count; i++) {
        const struct finding *finding = &build->judgement.findings[i];
        reading->seen[i] |= 1U << finding->state;
        if (finding->state == FINDING_VIOLATED && !named[i])
            complain(reading, line, "not expected: %s violated: %s", finding->check->name,
                     finding->text);
    }
}

// Each check is put to the test both ways.
TEST(every_case_is_judged_as_it_says)
{
    unsigned seen[MAX_CHECKS] = {0};
    assert_int_equal(run_events("harness/check/cases/*.events", judge_case, seen), 0);
    for (size_t i = 0; check_catalogue[i] != NULL; i++) {
        const unsigned both = 1U << FINDING_KEPT | 1U << FINDING_VIOLATED;
        if ((seen[i] & both) != both)
            fail_msg("no case in which %s is violated, or none in which it is kept",
                     check_catalogue[i]->name);
    }
}
