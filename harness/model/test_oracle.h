// For tests: what the oracle's test of each model is made of: random histories by the hundred
// thousand, and models that are wrong and must be found out.
#ifndef LOCKPICK_MODEL_TEST_ORACLE_H
#define LOCKPICK_MODEL_TEST_ORACLE_H

#include "harness/model/test_show.h"
#include "harness/testing/test.h"

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

static inline void model_and_search_agree(const char *name)
{
    const struct lock_kind *kind = lock_kind_find(name);
    const struct subject subject = {.model = model_find(name)};
    struct search *search = search_new();
    struct tally tally = {0};
    assert_non_null(kind);
    assert_non_null(subject.model);
    assert_int_equal(subject.model->decides_busy, kind->decides_busy);
    for (uint64_t seed = 0; seed < ORACLE_HISTORIES; seed++) {
        struct sample sample;
        bool linearizable;
        sample_make(&sample, kind, seed);
        const char *complaint = complaint_of(search, &subject, &sample, &linearizable);
        if (complaint != NULL) {
            struct text text = {0};
            shrink(&(struct shrinker){search, &subject, &sample, complaint});
            show_complaint(&text, search, &subject, &sample, complaint);
            fail_msg("seed %" PRIu64 ": %s", seed, text_string(&text));
        }
        tally_add(&tally, &sample, linearizable);
    }
    tally_shows_variety(&tally, name);
    printf("  %" PRIu64 " left undecided\n", search->doubts);
    assert_in_range(search->doubts, 0, ORACLE_HISTORIES / 1000);
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
        struct text text = {0};
        shrink(&(struct shrinker){search, &subject, &sample, complaint});
        show_complaint(&text, search, &subject, &sample, complaint);
        printf("%s, by seed %" PRIu64 ": %s", mistake->summary, seed, text_string(&text));
        assert_in_range(sample.count, 1, ORACLE_HANDFUL);
        text_free(&text);
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
