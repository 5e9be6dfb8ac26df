// The sweep against a search, pair by pair: two grants of an owner mutex have an order if and only
// if in every placement of both, each from an instant between its request and its answer on, until
// its release or the end of its lease at the earliest, the same one comes first.
#include "harness/base/random.h"
#include "harness/check/test_history.h"
#include "harness/testing/test.h"

#define HISTORIES 60000
#define MAX_GRANTS 5
#define INSTANTS 14
#define DRIFT_MS 5 // of a lease of 300 ms

struct fenced {
    int invoked, granted, released, lease_end; // ms
    int token;                                 // 0: none
    bool shared;
};

static int end_of(const struct fenced *grant)
{
    return grant->released < grant->lease_end ? grant->released : grant->lease_end;
}

// True if the one may have been over before the other was granted.
static bool may_precede(const struct fenced *one, const struct fenced *other)
{
    for (int i = one->invoked; i <= one->granted; i++) {
        for (int j = other->invoked; j <= other->granted; j++) {
            int over = end_of(one) > i ? end_of(one) : i;
            if (over <= j)
                return true;
        }
    }
    return false;
}

// True if the one was granted before the other, whatever the locks did.
static bool was_granted_before(const struct fenced *one, const struct fenced *other)
{
    for (int i = one->invoked; i <= one->granted; i++) {
        for (int j = other->invoked; j <= other->granted; j++) {
            if (j <= i)
                return false;
        }
    }
    return true;
}

static bool is_out_of_order(const struct fenced *one, const struct fenced *other)
{
    if (one->token <= other->token || other->token == 0)
        return false;
    bool shares = one->shared && other->shared;
    return was_granted_before(one, other) ||
           (!shares && may_precede(one, other) && !may_precede(other, one));
}

// Of each grant, whether some other one shows that its token is too small; of two that are equal,
// it is the later of them.
static int count_pairs(const struct fenced *grants, int count)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        bool is_too_small = false;
        for (int j = 0; j < count; j++)
            is_too_small = is_too_small || is_out_of_order(&grants[j], &grants[i]);
        found += is_too_small;
    }
    for (int token = 1; token <= MAX_GRANTS; token++) {
        int same = 0;
        for (int i = 0; i < count; i++)
            same += grants[i].token == token;
        found += same > 1 ? same - 1 : 0;
    }
    return found;
}

static int draw(struct random *random, int below)
{
    return (int)random_below(random, (uint64_t)below);
}

static int make(struct random *random, struct build *build, struct fenced *grants, int modes)
{
    int count = 2 + draw(random, MAX_GRANTS - 1);
    bool leased = draw(random, 4) > 0;
    for (int i = 0; i < count; i++) {
        struct fenced *grant = &grants[i];
        grant->invoked = draw(random, INSTANTS);
        grant->granted = grant->invoked + draw(random, INSTANTS);
        grant->released = grant->granted + draw(random, INSTANTS);
        grant->lease_end = leased ? grant->invoked + draw(random, INSTANTS) : 1000;
        grant->token = draw(random, MAX_GRANTS + 1);
        grant->shared = draw(random, modes) > 0;
        build_acquire(build, i + 1, i + 1, grant->invoked, grant->granted,
                      leased ? grant->lease_end + DRIFT_MS : NEVER_MS, grant->token);
        build->events[build->count - 2].detail = grant->shared;
        build_release(build, i + 1, i + 1, grant->released, grant->released, RELEASE_RELEASED);
    }
    return count;
}

static void compare_histories(uint64_t seed, int modes)
{
    struct random random;
    random_start(&random, seed, 1);
    int violated = 0;
    for (int i = 0; i < HISTORIES; i++) {
        struct build build;
        struct fenced grants[MAX_GRANTS];
        build_start(&build, "increment");
        int count = make(&random, &build, grants, modes);
        int expected = count_pairs(grants, count);
        build_judge(&build);
        const struct finding *finding = finding_named(&build, "fencing-order");
        if (finding->count != expected)
            fail_msg("history %d of seed %llu: the search finds %d, the sweep %lld: %s", i,
                     (unsigned long long)seed, expected, (long long)finding->count, finding->text);
        violated += expected > 0;
        build_free(&build);
    }
    assert_in_range(violated, HISTORIES / 10, HISTORIES - HISTORIES / 100);
}

TEST(tokens_of_a_mutex_are_as_a_search_orders_them)
{
    compare_histories(1, 1);
}

TEST(tokens_of_readers_and_writers_are_as_a_search_orders_them)
{
    compare_histories(2, 2);
}
