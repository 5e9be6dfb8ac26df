// For tests: a model against the oracle, on one small history; and what to show of a history on
// which they differ: the smallest part of it on which they still do.
#ifndef LOCKPICK_MODEL_TEST_ORACLE_H
#define LOCKPICK_MODEL_TEST_ORACLE_H

#include "harness/base/clock.h"
#include "harness/model/test_notation.h"
#include "harness/model/test_samples.h"
#include "harness/testing/test.h"

// What is put to the test: a model, and the mistake that makes it a wrong one.
struct subject {
    const struct model *model;
    void (*mistake)(struct sample *sample); // what it takes a sample for; NULL: for what it is
};

static inline int subject_decide(const struct subject *subject, const struct sample *sample,
                                 struct model_analysis *analysis, struct error *error)
{
    struct sample taken = *sample;
    if (subject->mistake != NULL)
        subject->mistake(&taken);
    struct operations operations = sample_operations(&taken);
    return model_decide(subject->model, &operations, &taken.options, analysis, error);
}

// --- the comparison ------------------------------------------------------------------------------

// A hold and what was granted during it must not be possible without all the rest, either. (A
// semaphore has more holds than a violation can name.)
static inline bool evidence_suffices(struct search *search, const struct sample *sample,
                                     const struct model_violation *violation)
{
    if (violation->rule != RULE_EXCLUSION || sample->kind->permits)
        return true;
    struct sample evidence = {
        .kind = sample->kind, .options = sample->options, .has_owners = sample->has_owners};
    for (size_t i = 0; i < sample->count; i++) {
        for (size_t j = 0; j < MODEL_EVIDENCE; j++) {
            if (violation->operations[j] == i)
                evidence.items[evidence.count++] = sample->items[i];
        }
    }
    struct operations operations = sample_operations(&evidence);
    return !search_decide(search, evidence.kind, &operations, &evidence.options);
}

static inline const char *complaint_of_violation(struct search *search, struct sample *sample,
                                                 const struct model *model,
                                                 const struct model_violation *violation)
{
    char text[1024] = "";
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        if (violation->operations[i] != SIZE_MAX && violation->operations[i] >= sample->count)
            return "the evidence is not in the history";
    }
    struct operations operations = sample_operations(sample);
    model_explain(model, &operations, &sample->options, violation, text, sizeof text);
    if (text[0] == '\0')
        return "nothing is said of the violation";
    if (!evidence_suffices(search, sample, violation))
        return "the evidence by itself is linearizable";
    return NULL;
}

// What is wrong with the subject's answer, or NULL. `linearizable` is the oracle's.
static inline const char *complaint_of(struct search *search, const struct subject *subject,
                                       struct sample *sample, bool *linearizable)
{
    struct operations operations = sample_operations(sample);
    AUTO(model_analysis_free) struct model_analysis analysis = {0};
    *linearizable = search_decide(search, sample->kind, &operations, &sample->options);
    if (subject_decide(subject, sample, &analysis, NULL) != 0)
        return "the model refuses the options";
    const char *complaint = NULL;
    if (analysis.doubt != NULL)
        search->doubts++;
    else if (analysis.linearizable != *linearizable)
        complaint = "the model and the search differ";
    else if (analysis.linearizable != (analysis.violation_count == 0))
        complaint = "the violations do not go with the answer";
    else if (!analysis.linearizable)
        complaint = complaint_of_violation(search, sample, subject->model, &analysis.first);
    return complaint;
}

// --- shrinking -----------------------------------------------------------------------------------

struct shrinker {
    struct search *search;
    const struct subject *subject;
    struct sample *sample; // of which the complaint is true
    const char *complaint; // that must stay true
};

// Takes the candidate if it is proper, another, and as bad.
static inline bool shrink_to(struct shrinker *shrinker, struct sample *candidate)
{
    bool linearizable;
    if (!sample_is_proper(candidate) || memcmp(candidate, shrinker->sample, sizeof *candidate) == 0)
        return false;
    const char *complaint =
        complaint_of(shrinker->search, shrinker->subject, candidate, &linearizable);
    if (complaint == NULL || strcmp(complaint, shrinker->complaint) != 0)
        return false;
    *shrinker->sample = *candidate;
    return true;
}

// Without one operation, or without two.
static inline bool shrink_count(struct shrinker *shrinker)
{
    for (size_t i = 0; i < shrinker->sample->count; i++) {
        struct sample without = *shrinker->sample;
        sample_remove(&without, i);
        if (shrink_to(shrinker, &without))
            return true;
    }
    for (size_t i = 0; i < shrinker->sample->count; i++) {
        for (size_t j = i + 1; j < shrinker->sample->count; j++) {
            struct sample without = *shrinker->sample;
            sample_remove(&without, j);
            sample_remove(&without, i);
            if (shrink_to(shrinker, &without))
                return true;
        }
    }
    return false;
}

// Intervals become shorter, ties fewer than there must be, tokens unknown.
static inline bool shrink_operation(struct shrinker *shrinker, size_t index)
{
    struct sample candidate = *shrinker->sample;
    struct operation *operation = &candidate.items[index];
    if (operation->token != 0) {
        operation->token = 0;
        if (shrink_to(shrinker, &candidate))
            return true;
        candidate = *shrinker->sample;
    }
    if (operation->outcome == OUTCOME_UNKNOWN && operation->returned != INSTANT_NEVER) {
        operation->returned = INSTANT_NEVER;
        if (shrink_to(shrinker, &candidate))
            return true;
        candidate = *shrinker->sample;
    }
    if (operation->outcome == OUTCOME_UNKNOWN || operation->returned - operation->invoked < 4)
        return false; // an answer at the next moment is what people expect
    operation->invoked += 2;
    if (shrink_to(shrinker, &candidate))
        return true;
    candidate = *shrinker->sample;
    operation->returned -= 2;
    return shrink_to(shrinker, &candidate);
}

// Moments at which nothing happens are left out, and the first is 1.
static inline bool shrink_time(struct shrinker *shrinker)
{
    struct sample candidate = *shrinker->sample;
    int64_t last = 0;
    for (int64_t moment = 1;; moment++) {
        int64_t next = INT64_MAX;
        for (size_t i = 0; i < candidate.count; i++) {
            const struct operation *now = &shrinker->sample->items[i];
            int64_t invoked = moment_of(now->invoked);
            int64_t returned = moment_of(now->returned);
            if (invoked > last && invoked < next)
                next = invoked;
            if (now->returned != INSTANT_NEVER && returned > last && returned < next)
                next = returned;
        }
        if (next == INT64_MAX)
            break;
        for (size_t i = 0; i < candidate.count; i++) {
            const struct operation *now = &shrinker->sample->items[i];
            if (moment_of(now->invoked) == next)
                candidate.items[i].invoked = instant_of_invocation(moment);
            if (now->returned != INSTANT_NEVER && moment_of(now->returned) == next)
                candidate.items[i].returned = instant_of_return(moment);
        }
        last = next;
    }
    return shrink_to(shrinker, &candidate);
}

// Shrinks a sample of which `complaint` is true for as long as it stays true.
static inline void shrink(struct shrinker *shrinker)
{
    bool smaller = true;
    while (smaller) {
        smaller = false;
        while (shrink_count(shrinker))
            smaller = true;
        for (size_t i = 0; i < shrinker->sample->count; i++) {
            while (shrink_operation(shrinker, i))
                smaller = true;
        }
        smaller = shrink_time(shrinker) || smaller;
    }
}

// === what is shown ===============================================================================

// A small history as cases/known.cases would have it, and what is said of it.
static inline void show_sample(struct text *text, const struct sample *sample)
{
    const struct model_options *options = &sample->options;
    text_format(text, "%s", sample->kind->model);
    if (sample->kind->permits)
        text_format(text, " permits=%" PRId64, options->permits);
    if (options->lease_ns > 0)
        text_format(text, " lease=%" PRId64, options->lease_ns);
    if (sample->kind->reentrant && options->depth_limit > 0)
        text_format(text, " depth=%" PRId64, options->depth_limit);
    text_format(text, "%s%s:%s", options->failed_acquire == FAILED_ACQUIRE_BUSY ? " busy" : "",
                options->failed_release == FAILED_RELEASE_RELEASED ? " released" : "",
                sample->has_owners ? " =" : "");
    for (size_t i = 0; i < sample->count; i++) {
        text_add(text, i > 0 ? "; " : " ");
        operation_print(&sample->items[i], text);
    }
    text_add(text, "\n");
}

static inline void show_search(struct text *text, struct search *search, struct sample *sample)
{
    struct operations operations = sample_operations(sample);
    bool linearizable = search_decide(search, sample->kind, &operations, &sample->options);
    text_add(text, linearizable ? "  the search: linearizable, in the order"
                                : "  the search: not linearizable, in any order\n");
    for (uint32_t name = 0; linearizable && name < operations.name_count; name++) {
        search_name(search, sample->kind, &operations, &sample->options, name);
        for (size_t i = 0; i < search->ordered; i++)
            if (search->operations[search->order[i]]->kind == LEASE_ENDS)
                text_add(text, " (a lease ends)");
            else
                text_format(text, " %td",
                            search->operations[search->order[i]] - operations.items + 1);
    }
    text_add(text, linearizable ? "\n" : "");
}

static inline void show_model(struct text *text, const struct subject *subject,
                              struct sample *sample)
{
    char why[1024] = "";
    struct error error = {""};
    struct operations operations = sample_operations(sample);
    AUTO(model_analysis_free) struct model_analysis analysis = {0};
    if (subject_decide(subject, sample, &analysis, &error) != 0) {
        text_format(text, "  the model: %s\n", error.text);
        return;
    }
    bool evident = !analysis.linearizable && analysis.violation_count > 0;
    for (size_t i = 0; i < MODEL_EVIDENCE; i++) {
        size_t index = analysis.first.operations[i];
        evident = evident && (index == SIZE_MAX || index < sample->count);
    }
    if (evident)
        model_explain(subject->model, &operations, &sample->options, &analysis.first, why,
                      sizeof why);
    text_format(text, "  the model:  %s, with %zu violations%s%s\n",
                analysis.linearizable ? "linearizable" : "not linearizable",
                analysis.violation_count, why[0] == '\0' ? "" : ": ", why);
}

// The history, what is wrong with the model's answer, and both answers.
static inline void show_complaint(struct text *text, struct search *search,
                                  const struct subject *subject, struct sample *sample,
                                  const char *complaint)
{
    text_format(text, "%s: ", complaint);
    show_sample(text, sample);
    show_search(text, search, sample);
    show_model(text, subject, sample);
}

// === every model, by many histories ==============================================================

// What the oracle's test of each model is made of: random histories by the hundred
// thousand, and models that are wrong and must be found out.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ORACLE_HISTORIES 200000
#endif
#endif
#if !defined(ORACLE_HISTORIES) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define ORACLE_HISTORIES 200000
#endif
#ifndef ORACLE_HISTORIES
#define ORACLE_HISTORIES 1000000
#endif

// How soon a wrong model must be found out, and how small the history must be that shows it.
#define ORACLE_SOON 5000
#define ORACLE_HANDFUL 5

// --- random histories ----------------------------------------------------------------------------

// How many histories had what, by whether they were linearizable.
#define TALLIES(X)                                                                                 \
    X(histories) X(unknowns) X(refused_acquires) X(refused_releases) X(ties) X(names) X(strangers)

struct tally {
#define X(name) size_t name[2];
    TALLIES(X)
#undef X
};

static inline bool sample_has_tie(const struct sample *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        const struct operation *one = &sample->items[i];
        for (size_t j = 0; j < sample->count; j++) {
            const struct operation *other = &sample->items[j];
            if (one->process != other->process &&
                moment_of(one->returned) == moment_of(other->invoked))
                return true;
        }
    }
    return false;
}

// True if somebody released what it never asked for.
static inline bool sample_has_stranger(const struct sample *sample, const struct operation *release)
{
    if (release->kind != OPERATION_RELEASE)
        return false;
    for (size_t i = 0; i < sample->count; i++) {
        const struct operation *other = &sample->items[i];
        if (other->kind == OPERATION_ACQUIRE && other->outcome != OUTCOME_NO &&
            other->process == release->process && other->name == release->name &&
            other->invoked < release->invoked)
            return false;
    }
    return true;
}

static inline void tally_add(struct tally *tally, const struct sample *sample, bool linearizable)
{
    struct tally has = {0};
    size_t answer = linearizable ? 1 : 0;
    has.histories[answer] = 1;
    has.ties[answer] = sample_has_tie(sample);
    for (size_t i = 0; i < sample->count; i++) {
        const struct operation *operation = &sample->items[i];
        bool refused = operation->outcome == OUTCOME_NO;
        bool acquires = operation->kind == OPERATION_ACQUIRE;
        has.unknowns[answer] |= operation->outcome == OUTCOME_UNKNOWN;
        has.refused_acquires[answer] |= refused && acquires;
        has.refused_releases[answer] |= refused && !acquires;
        has.names[answer] |= operation->name != sample->items[0].name;
        has.strangers[answer] |= sample_has_stranger(sample, operation);
    }
#define X(name) tally->name[answer] += has.name[answer];
    TALLIES(X)
#undef X
}

// Every sort of history must have put both answers to the test.
static inline void tally_shows_variety(const struct tally *tally, const char *model)
{
    size_t all = tally->histories[0] + tally->histories[1];
    printf("%s: %zu random histories, %.0f %% linearizable; of those that are, and are not:\n",
           model, all, 100.0 * (double)tally->histories[1] / (double)all);
#define X(name)                                                                                    \
    printf("  %-16s %3.0f %% %3.0f %%\n", #name,                                                   \
           100.0 * (double)tally->name[1] / (double)tally->histories[1],                           \
           100.0 * (double)tally->name[0] / (double)tally->histories[0]);                          \
    assert_in_range(tally->name[1], tally->histories[1] / 50, all);                                \
    assert_in_range(tally->name[0], tally->histories[0] / 50, all);
    TALLIES(X)
#undef X
    assert_in_range(tally->histories[1], all / 4, all * 3 / 4);
    assert_in_range(tally->ties[1], tally->histories[1] / 5, all);
    assert_in_range(tally->unknowns[1], tally->histories[1] / 5, all);
}

// ORACLE_HISTORIES of them; with LOCKPICK_FUZZ_S in the environment for so many seconds instead,
// from seed LOCKPICK_SEED on.
static inline void model_and_search_agree(const char *name)
{
    const struct lock_kind *kind = lock_kind_find(name);
    const struct subject subject = {.model = model_find(name)};
    struct search *search = search_new();
    struct tally tally = {0};
    const char *fuzz_s = getenv("LOCKPICK_FUZZ_S");
    uint64_t first = fuzz_s != NULL ? strtoull(getenv("LOCKPICK_SEED"), NULL, 10) : 0;
    int64_t until_ns = clock_monotonic_ns() + (fuzz_s != NULL ? atoll(fuzz_s) : 0) * NS_PER_S;
    assert_non_null(kind);
    assert_non_null(subject.model);
    assert_int_equal(subject.model->decides_busy, kind->decides_busy);
    uint64_t seed = first;
    for (; fuzz_s != NULL ? clock_monotonic_ns() < until_ns : seed < ORACLE_HISTORIES; seed++) {
        struct sample sample;
        bool linearizable;
        sample_make(&sample, kind, seed);
        const char *complaint = complaint_of(search, &subject, &sample, &linearizable);
        if (complaint != NULL) {
            struct text text = {0};
            shrink(&(struct shrinker){search, &subject, &sample, complaint});
            show_complaint(&text, search, &subject, &sample, complaint);
            fail_msg("%sto repeat it: make fuzz-check MODEL=%s SEED=%" PRIu64, text_string(&text),
                     name, seed);
        }
        tally_add(&tally, &sample, linearizable);
    }
    tally_shows_variety(&tally, name);
    printf("  %" PRIu64 " left undecided\n", search->doubts);
    assert_in_range(search->doubts, 0, (seed - first) / 1000);
    free(search);
}

// --- models that are wrong -----------------------------------------------------------------------

// A way to be wrong.
struct mistake {
    const char *summary;
    const char *decides;                   // the model that decides instead; NULL: the right one
    void (*taking)(struct sample *sample); // what it takes a sample for; NULL: for what it is
};

// A model that decides by the mistake what is to be decided like model `name`. It must soon be
// found out, by a history that says what it gets wrong.
static inline void wrong_model_is_found_out(struct search *search, const char *name,
                                            const struct mistake *mistake)
{
    struct model wrong = *model_find(name);
    const struct subject subject = {&wrong, mistake->taking};
    if (mistake->decides != NULL) {
        const struct model *other = model_find(mistake->decides);
        wrong.decide = other->decide;
        wrong.nesting = other->nesting;
        wrong.orders_tokens = other->orders_tokens;
    }
    for (uint64_t seed = 0; seed < ORACLE_SOON; seed++) {
        struct sample sample;
        bool linearizable;
        sample_make(&sample, lock_kind_find(name), seed);
        const char *complaint = complaint_of(search, &subject, &sample, &linearizable);
        if (complaint == NULL)
            continue;
        AUTO_TEXT struct text text = {0};
        shrink(&(struct shrinker){search, &subject, &sample, complaint});
        show_complaint(&text, search, &subject, &sample, complaint);
        printf("%s, by seed %" PRIu64 ": %s", mistake->summary, seed, text_string(&text));
        assert_in_range(sample.count, 1, ORACLE_HANDFUL);
        return;
    }
    fail_msg("nothing was wrong with one that %s", mistake->summary);
}

static inline void wrong_models_are_found_out(const char *name, const struct mistake *mistakes)
{
    struct search *search = search_new();
    for (; mistakes->summary != NULL; mistakes++)
        wrong_model_is_found_out(search, name, mistakes);
    free(search);
}

// The tests of a model, which can be mistaken in these ways.
#define ORACLE_TESTS(name, ...)                                                                    \
    TEST(model_and_search_agree_on_every_random_history)                                           \
    {                                                                                              \
        model_and_search_agree(name);                                                              \
    }                                                                                              \
    TEST(wrong_models_are_found)                                                                   \
    {                                                                                              \
        static const struct mistake mistakes[] = {__VA_ARGS__, {NULL, NULL, NULL}};                \
        wrong_models_are_found_out(name, mistakes);                                                \
    }                                                                                              \
    struct mistake

// --- mistakes that more than one model can make --------------------------------------------------

static inline void forget_refused_acquires(struct sample *sample)
{
    sample->options.failed_acquire = FAILED_ACQUIRE_NOTHING;
}

static inline void forget_refused_releases(struct sample *sample)
{
    sample->options.failed_release = FAILED_RELEASE_HELD;
}

// Takes a token that came before for one that is not known.
static inline void forget_equal_tokens(struct sample *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (sample->items[j].token == sample->items[i].token)
                sample->items[i].token = 0;
        }
    }
}

static inline void take_unknown_tokens_for_one(struct sample *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        if (sample->items[i].token == 0 && operation_has_token(&sample->items[i]))
            sample->items[i].token = 1;
    }
}

#endif
