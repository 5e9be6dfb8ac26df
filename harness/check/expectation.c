#include "harness/check/expectation.h"

#include <stdio.h>
#include <string.h>

// What a violation of one property may bring with it. A double grant is never the consequence of a
// stale holder: the service gave the lock away too early by itself. Two holders whose releases ask
// nobody take the lock from each other, so a double grant may show as a wrongful release too.
static const struct {
    const char *cause;
    const char *effect;
} consequences[] = {
    {"stale-holder", "stale-write"},      {"stale-holder", "lost-update"},
    {"stale-holder", "oversell"},         {"double-grant", "stale-holder"},
    {"double-grant", "stale-write"},      {"double-grant", "lost-update"},
    {"double-grant", "oversell"},         {"double-grant", "wrongful-release"},
    {"wrongful-release", "double-grant"}, {"wrongful-release", "stale-holder"},
    {"wrongful-release", "stale-write"},  {"wrongful-release", "lost-update"},
    {"wrongful-release", "oversell"},     {"stale-write", "lost-update"},
    {"stale-write", "oversell"},
};

static bool lists(const struct string_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], name) == 0)
            return true;
    }
    return false;
}

static bool is_named(const struct expectation *expectation, const char *property)
{
    return lists(&expectation->because, property) || lists(&expectation->allow, property);
}

static bool is_explained(const struct expectation *expectation, const char *property)
{
    if (is_named(expectation, property))
        return true;
    for (size_t i = 0; i < sizeof consequences / sizeof *consequences; i++) {
        if (strcmp(consequences[i].effect, property) == 0 &&
            is_named(expectation, consequences[i].cause))
            return true;
    }
    return false;
}

// The first property of `because` that was not found violated, or NULL.
static const char *missing_property(const struct expectation *expectation,
                                    const struct judgement *judgement)
{
    for (size_t i = 0; i < expectation->because.count; i++) {
        bool found = false;
        for (size_t j = 0; j < judgement->finding_count; j++)
            found |= finding_counts(&judgement->findings[j]) &&
                     strcmp(judgement->findings[j].check->name, expectation->because.items[i]) == 0;
        if (!found)
            return expectation->because.items[i];
    }
    return NULL;
}

// The first violated property that the expectation does not explain, or NULL.
static const char *unexplained_property(const struct expectation *expectation,
                                        const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        if (finding_counts(finding) && !is_explained(expectation, finding->check->name))
            return finding->check->name;
    }
    return NULL;
}

void expectation_describe(const struct expectation *expectation, struct text *out)
{
    static const char *const verdicts[] = {
        [EXPECT_SAFE] = "SAFE", [EXPECT_UNSAFE] = "UNSAFE", [EXPECT_STUCK] = "STUCK"};
    const struct string_list *because = &expectation->because;
    text_add(out, verdicts[expectation->verdict]);
    for (size_t i = 0; i < because->count; i++)
        text_format(out, "%s%s", i == 0 ? " (" : ", ", because->items[i]);
    text_add(out, because->count > 0 ? ")" : "");
}

static void describe_found(const struct judgement *judgement, struct text *out)
{
    size_t count = 0;
    text_add(out, verdict_name(judgement->verdict));
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        if (finding_counts(finding))
            text_format(out, "%s%s", count++ == 0 ? " (" : ", ", finding->check->name);
    }
    text_add(out, count > 0 ? ")" : "");
}

static const char *describe_wrong_verdict(const struct trial *trial,
                                          const struct judgement *judgement)
{
    bool has_faults = trial->scenario != NULL && scenario_has_faults(trial->scenario);
    if (judgement->verdict == VERDICT_SAFE)
        return has_faults ? "the fault did not bite" : "nothing was found to be broken";
    return trial->expectation->verdict == EXPECT_SAFE ? "the lock broke its promise"
                                                      : "it broke in another way";
}

// Why the expectation is not met, or "".
static void describe_miss(const struct trial *trial, const char *absent_fault,
                          struct judgement *judgement, char *out, size_t room)
{
    const struct expectation *expectation = trial->expectation;
    static const enum verdict wanted[] = {
        [EXPECT_SAFE] = VERDICT_SAFE,
        [EXPECT_UNSAFE] = VERDICT_UNSAFE,
        [EXPECT_STUCK] = VERDICT_STUCK,
    };
    out[0] = '\0';
    if (judgement->verdict != wanted[expectation->verdict]) {
        snprintf(out, room, "%s", describe_wrong_verdict(trial, judgement));
        return;
    }
    if (absent_fault != NULL && expectation->verdict != EXPECT_SAFE) {
        snprintf(out, room, "%s never took effect, so that is not what the scenario shows",
                 absent_fault);
        return;
    }
    if (expectation->because.count == 0)
        return;
    const char *missing = missing_property(expectation, judgement);
    const char *unexplained = unexplained_property(expectation, judgement);
    if (missing != NULL) {
        snprintf(out, room, "%s was not found", missing);
    } else if (unexplained != NULL) {
        judgement->unexpected = unexplained;
        snprintf(out, room,
                 "it also found %s, which the scenario does not expect; if that is acceptable, add "
                 "allow: [%s]",
                 unexplained, unexplained);
    }
}

// Sets what came of it, and says so.
static void compare(const struct trial *trial, const char *absent_fault,
                    struct judgement *judgement, struct text *out)
{
    struct text found = {0};
    char miss[240] = "";
    describe_found(judgement, &found);
    if (judgement->verdict <= VERDICT_STUCK) {
        describe_miss(trial, absent_fault, judgement, miss, sizeof miss);
        judgement->expectation = miss[0] != '\0' ? EXPECTATION_MISSED : EXPECTATION_MET;
    }
    if (judgement->expectation == EXPECTATION_MET) {
        text_format(out, "%s, as expected", text_string(&found));
    } else {
        text_add(out, "expected ");
        expectation_describe(trial->expectation, out);
        if (judgement->expectation == EXPECTATION_MISSED)
            text_format(out, ", got %s: %s", text_string(&found), miss);
        else
            text_format(out, ", not decided: %s", verdict_name(judgement->verdict));
    }
    text_free(&found);
}

void expectation_compare(const struct trial *trial, const char *absent_fault,
                         struct judgement *judgement)
{
    struct text text = {0};
    judgement->expectation = EXPECTATION_NONE;
    judgement->unexpected = NULL;
    if (trial->expectation != NULL)
        compare(trial, absent_fault, judgement, &text);
    snprintf(judgement->expectation_text, sizeof judgement->expectation_text, "%s",
             text_string(&text));
    text_free(&text);
}

bool expectation_may_yet_be_met(const struct expectation *expectation,
                                const struct judgement *judgement)
{
    return (expectation->verdict == EXPECT_UNSAFE || judgement->verdict == VERDICT_STUCK) &&
           (expectation->because.count == 0 ||
            unexplained_property(expectation, judgement) == NULL);
}
