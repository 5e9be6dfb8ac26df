// The sweeps against the definitions: on small random histories with leases, late replies and
// tokens, each property is decided a second time by looking at every pair of holds; the order of
// tokens is fencing_order_oracle_test.c's.
#include "harness/base/random.h"
#include "harness/check/test_history.h"
#include "harness/testing/test.h"

#define HISTORIES 250000
#define LEASE_MS 20
#define NOMINAL_LEASE_MS 100 // which allows a drift of whole milliseconds, so that ends can tie

struct maker {
    struct random random;
    struct build *build;
    int operations;
};

static int draw(struct maker *maker, int below)
{
    return (int)random_below(&maker->random, (uint64_t)below);
}

static void make_write(struct build *build, int client, int operation, int at, int64_t token,
                       enum outcome outcome)
{
    BUILD_EVENT(build, at, client, WRITE_INVOKE, OUTCOME_OK, operation, token, 1, 0);
    BUILD_EVENT(build, at + 0.1, client, WRITE_RETURN, outcome, operation, token, 1, 0);
}

// Times are whole milliseconds, so that ties are common.
static void make_history(struct maker *maker)
{
    struct build *build = maker->build;
    build_start(build, "increment");
    build->scenario.lock.lease_ns = NOMINAL_LEASE_MS * NS_PER_MS;
    build->scenario.workload.fenced = draw(maker, 3) == 0;
    int clients = 2 + draw(maker, 2);
    int patience = 1 + draw(maker, 40);
    int delay = 1 + draw(maker, 30);
    bool leased = draw(maker, 6) != 0;
    for (int client = 1; client <= clients; client++) {
        int at = draw(maker, 40);
        for (int i = draw(maker, 3); i >= 0; i--) {
            int operation = ++maker->operations;
            int granted = at + draw(maker, delay);
            int64_t token = draw(maker, 8);
            build_acquire(build, client, operation, at, granted, leased ? at + LEASE_MS : NEVER_MS,
                          token);
            int written = granted + draw(maker, patience);
            at = written + draw(maker, 3);
            if (at > written)
                make_write(build, client, operation, written, token,
                           draw(maker, 4) == 0 ? OUTCOME_NO : OUTCOME_OK);
            build_release(build, client, operation, at, at, RELEASE_UNCHECKED);
            at += draw(maker, 3);
        }
    }
    build_stop(build, 500, STOP_TIME);
}

// --- the definitions -----------------------------------------------------------------------------

static int64_t lease_end(const struct build *build, const struct hold *hold)
{
    return hold->valid_until_ns == TIME_NEVER
               ? TIME_NEVER
               : hold->valid_until_ns - allowed_drift_ns(build->scenario.lock.lease_ns);
}

// The provably valid definite hold of the hold; false if it has none.
static bool proven_hold(const struct build *build, const struct hold *hold, int64_t *end_ns)
{
    int64_t valid_ns = lease_end(build, hold);
    *end_ns = time_earlier(valid_ns, hold->released_ns);
    return valid_ns >= hold->released_ns || valid_ns > hold->granted_ns;
}

static bool overlap(int64_t from_a, int64_t to_a, int64_t from_b, int64_t to_b)
{
    return from_a < to_b && from_b < to_a;
}

static bool is_double_grant(const struct build *build, const struct hold *a, const struct hold *b)
{
    int64_t end_a;
    int64_t end_b;
    return proven_hold(build, a, &end_a) && proven_hold(build, b, &end_b) &&
           overlap(a->granted_ns, end_a, b->granted_ns, end_b);
}

static bool is_stale(const struct build *build, const struct hold *a, const struct hold *b)
{
    int64_t from_ns = time_later(a->granted_ns, b->granted_ns);
    return overlap(a->granted_ns, a->released_ns, b->granted_ns, b->released_ns) &&
           lease_end(build, a) < a->released_ns && lease_end(build, a) <= from_ns;
}

// `other` was granted after the lease of the write's hold, beyond doubt.
static bool is_stale_write(const struct build *build, const struct access *write,
                           const struct hold *other)
{
    const struct hold *writer = &build->model.holds[write->hold];
    int64_t end_ns = lease_end(build, writer);
    int64_t other_end_ns;
    if (!write->is_write || write->outcome != OUTCOME_OK || end_ns > write->invoked_ns ||
        !proven_hold(build, other, &other_end_ns) || other->granted_ns >= write->invoked_ns)
        return false;
    if (other->granted_ns >= writer->granted_ns)
        return other->granted_ns >= end_ns;
    return end_ns <= writer->granted_ns && other_end_ns > writer->granted_ns;
}

static bool is_stale_fenced_write(const struct access *write, const struct access *newer)
{
    return write->is_write && write->outcome == OUTCOME_OK && newer->outcome == OUTCOME_OK &&
           newer->token > write->token && newer->returned_ns < write->invoked_ns;
}

struct answers {
    bool double_grant, stale_holder, stale_write;
};

static void look_at_writes(const struct build *build, struct answers *answers)
{
    const struct trial_model *model = &build->model;
    for (size_t i = 0; i < model->access_count; i++) {
        const struct access *write = &model->accesses[i];
        bool fenced = build->scenario.workload.fenced && write->token > 0;
        for (size_t j = 0; j < model->hold_count && !fenced; j++)
            answers->stale_write |=
                write->hold != j && is_stale_write(build, write, &model->holds[j]);
        for (size_t j = 0; j < model->access_count && fenced; j++)
            answers->stale_write |= is_stale_fenced_write(write, &model->accesses[j]);
    }
}

static struct answers look_at_all_pairs(const struct build *build)
{
    struct answers answers = {0};
    const struct trial_model *model = &build->model;
    for (size_t i = 0; i < model->hold_count; i++) {
        for (size_t j = 0; j < model->hold_count; j++) {
            const struct hold *a = &model->holds[i];
            const struct hold *b = &model->holds[j];
            if (i == j)
                continue;
            answers.double_grant |= is_double_grant(build, a, b);
            answers.stale_holder |= is_stale(build, a, b);
        }
    }
    look_at_writes(build, &answers);
    return answers;
}

static void compare(const struct build *build, const char *property, bool violated, uint64_t seed,
                    int counts[2])
{
    const struct finding *finding = finding_named(build, property);
    if ((finding->state == FINDING_VIOLATED) != violated)
        fail_msg("seed %llu: %s is %s by the definition, but the sweep says: %s",
                 (unsigned long long)seed, property, violated ? "violated" : "kept", finding->text);
    counts[violated]++;
}

TEST(sweeps_and_definitions_agree_on_every_random_history)
{
    int counts[3][2] = {{0}};
    for (uint64_t seed = 0; seed < HISTORIES; seed++) {
        struct build build = {0};
        struct maker maker = {.build = &build};
        random_start(&maker.random, seed, 2);
        make_history(&maker);
        build_judge(&build);
        struct answers answers = look_at_all_pairs(&build);
        compare(&build, "double-grant", answers.double_grant, seed, counts[0]);
        compare(&build, "stale-holder", answers.stale_holder, seed, counts[1]);
        compare(&build, "stale-write", answers.stale_write, seed, counts[2]);
        build_free(&build);
    }
    // Both answers must have been put to the test.
    for (size_t i = 0; i < 3; i++) {
        assert_in_range(counts[i][0], HISTORIES / 20, HISTORIES);
        assert_in_range(counts[i][1], HISTORIES / 20, HISTORIES);
    }
}
