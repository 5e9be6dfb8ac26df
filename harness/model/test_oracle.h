// For tests: what the oracle's test of each model is made of: histories of which the answer is
// known, random ones by the hundred thousand, and models that are wrong and must be found out.
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

// --- histories of which the answer is known ------------------------------------------------------

// The history is a list of "PROCESS WHAT FROM TO", separated by semicolons. WHAT is A (acquire), S
// (acquire as a reader), R (release), T (release of a reader) or N (renew), then `!` if it was
// refused or `?` if nobody knows, then `#TOKEN`, then `@NAME`; TO is 0 if no answer came. After a
// `=` processes 0 and 2 are one owner, 1 and 3 another.
struct known {
    const char *about;
    struct model_options options;
    const char *history;
    bool linearizable;
};

static inline struct operation known_operation(const char *words)
{
    unsigned process = 0;
    int from = 0, to = 0;
    char what[32] = "";
    if (sscanf(words, " %u %31s %d %d", &process, what, &from, &to) != 4)
        fail_msg("an operation that cannot be read: %s", words);
    const char *token = strchr(what, '#');
    const char *name = strchr(what, '@');
    enum outcome outcome = what[1] == '!'   ? OUTCOME_NO
                           : what[1] == '?' ? OUTCOME_UNKNOWN
                                            : OUTCOME_OK;
    bool acquires = what[0] == 'A' || what[0] == 'S';
    return (struct operation){
        .invoked = instant_of_invocation(from),
        .returned = to == 0 ? INSTANT_NEVER : instant_of_return(to),
        .token = token == NULL ? 0 : strtol(token + 1, NULL, 10),
        .process = process,
        .name = name == NULL ? 0 : (uint32_t)strtoul(name + 1, NULL, 10),
        .kind = acquires         ? OPERATION_ACQUIRE
                : what[0] == 'N' ? OPERATION_RENEW
                                 : OPERATION_RELEASE,
        .outcome = (uint8_t)outcome,
        .shared = what[0] == 'S' || what[0] == 'T',
        .either = what[0] == 'E',
    };
}

static inline struct sample known_sample(const struct lock_kind *kind, const struct known *known)
{
    bool has_owners = known->history[0] == '=';
    struct sample sample = {.kind = kind, .options = known->options, .has_owners = has_owners};
    for (const char *words = known->history + has_owners; words != NULL;
         words = strchr(words, ';')) {
        words += *words == ';';
        if (sample.count == SAMPLE_OPERATIONS)
            fail_msg("%s: too many operations", known->about);
        sample.items[sample.count++] = known_operation(words);
    }
    if (!sample_is_proper(&sample))
        fail_msg("%s: the operations are not proper", known->about);
    return sample;
}

static inline void known_answers_are_found(const char *model, const struct known *knowns,
                                           size_t count)
{
    const struct subject subject = {.model = model_find(model)};
    struct search *search = search_new();
    assert_true(count >= 5);
    for (size_t i = 0; i < count; i++) {
        bool linearizable;
        struct sample sample = known_sample(lock_kind_find(model), &knowns[i]);
        const char *complaint = complaint_of(search, &subject, &sample, &linearizable);
        if (linearizable != knowns[i].linearizable)
            fail_msg("%s: the search says %s", knowns[i].about,
                     linearizable ? "linearizable" : "not linearizable");
        if (complaint != NULL)
            fail_msg("%s: %s", knowns[i].about, complaint);
    }
    free(search);
}

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
    wrong.decide = mistake->decides == NULL ? wrong.decide : model_find(mistake->decides)->decide;
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

static inline void wrong_models_are_found_out(const char *name, const struct mistake *mistakes,
                                              size_t count)
{
    struct search *search = search_new();
    for (size_t i = 0; i < count; i++)
        wrong_model_is_found_out(search, name, &mistakes[i]);
    free(search);
}

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
