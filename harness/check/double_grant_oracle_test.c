// Sort and sweep against search: for an owner mutex without a lease, definite holds are disjoint if
// and only if the history is linearizable. The oracle tries every order of the requests that real
// time allows (Wing and Gong, 1993), which is feasible because the histories are small.
#include "harness/base/random.h"
#include "harness/check/test_history.h"
#include "harness/testing/test.h"

#define HISTORIES 250000
#define MAX_REQUESTS 12
#define FOREVER 1000

struct request {
    bool acquires;
    bool must_happen;
    int hold;     // of which this is the acquire or the release
    int invoked;  // ms
    int returned; // ms; FOREVER: never
};

struct search {
    struct request requests[MAX_REQUESTS];
    int count;
    bool tried[1 << MAX_REQUESTS]; // by the set of requests that have happened
};

static bool may_come_next(const struct search *search, unsigned happened, int index)
{
    for (int i = 0; i < search->count; i++) {
        if ((happened >> i & 1) == 0 && search->requests[i].must_happen &&
            search->requests[i].returned < search->requests[index].invoked)
            return false;
    }
    return true;
}

// True if the requests that have not happened yet can still happen in some order. `holder` is the
// hold that has the lock, -1 if none has.
static bool search_on(struct search *search, unsigned happened, int holder)
{
    if (search->tried[happened])
        return false;
    search->tried[happened] = true;
    bool all = true;
    for (int i = 0; i < search->count; i++) {
        const struct request *request = &search->requests[i];
        if ((happened >> i & 1) != 0)
            continue;
        all = all && !request->must_happen;
        bool possible = request->acquires ? holder == -1 : holder == request->hold;
        if (possible && may_come_next(search, happened, i) &&
            search_on(search, happened | 1U << i, request->acquires ? request->hold : -1))
            return true;
    }
    return all;
}

static bool is_linearizable(struct search *search)
{
    memset(search->tried, 0, sizeof *search->tried << search->count);
    return search_on(search, 0, -1);
}

// --- random histories ----------------------------------------------------------------------------

struct maker {
    struct random random;
    struct build *build;
    struct search *search;
    int holds;
    int end; // later than every event
};

static int draw(struct maker *maker, int below)
{
    return (int)random_below(&maker->random, (uint64_t)below);
}

static void add(struct maker *maker, bool acquires, bool must_happen, int invoked, int returned)
{
    maker->search->requests[maker->search->count++] =
        (struct request){acquires, must_happen, maker->holds, invoked, returned};
}

static void make_death(struct maker *maker, int client, int at)
{
    BUILD_EVENT(maker->build, at, client, PROCESS_DEATH, OUTCOME_OK, 1000 + client, 9);
    maker->build->events[maker->build->count - 1].worker = 0;
}

// One hold of a client from `at` on. Returns when the client may go on; FOREVER if it is dead or
// never comes back.
static int make_hold(struct maker *maker, int client, int at, int patience)
{
    int operation = ++maker->holds;
    int granted = at + draw(maker, 3);
    build_acquire(maker->build, client, operation, at, granted, NEVER_MS, 0);
    add(maker, true, true, at, granted);
    int released = granted + draw(maker, patience);
    int fate = draw(maker, 12);
    if (fate == 0) { // dies holding: nobody knows whether the lock is freed, or when
        make_death(maker, client, released);
        add(maker, false, false, released, FOREVER);
        return FOREVER;
    }
    if (fate == 1) { // holds to the end
        add(maker, false, false, maker->end, FOREVER);
        return FOREVER;
    }
    int returned = released + draw(maker, 3);
    if (fate == 2) { // dies releasing
        build_release(maker->build, client, operation, released, NEVER_MS, RELEASE_UNKNOWN);
        make_death(maker, client, returned);
        add(maker, false, false, released, FOREVER);
        return FOREVER;
    }
    if (fate == 3) { // never learns whether the release happened
        build_release(maker->build, client, operation, released, returned, RELEASE_UNKNOWN);
        add(maker, false, false, released, FOREVER);
        return returned;
    }
    build_release(maker->build, client, operation, released, returned, RELEASE_RELEASED);
    add(maker, false, true, released, returned);
    return returned;
}

// An acquire that was refused, or of which nobody knows whether it happened.
static int make_attempt(struct maker *maker, int client, int at)
{
    int operation = ++maker->holds;
    int returned = at + draw(maker, 3);
    int fate = draw(maker, 3);
    BUILD_EVENT(maker->build, at, client, ACQUIRE_INVOKE, OUTCOME_OK, operation);
    if (fate > 0)
        add(maker, true, false, at, FOREVER);
    if (fate < 2) {
        BUILD_EVENT(maker->build, returned, client, ACQUIRE_RETURN,
                    fate == 0 ? OUTCOME_NO : OUTCOME_UNKNOWN, operation);
        return returned;
    }
    make_death(maker, client, returned);
    return FOREVER;
}

// Few clients within few instants, so that ties are common and overlaps neither rare nor certain.
static void make_history(struct maker *maker)
{
    int clients = 1 + draw(maker, 4);
    int span = 2 + draw(maker, 30);
    int patience = 1 + draw(maker, 5);
    maker->end = 200;
    build_start(maker->build, "increment");
    for (int client = 1; client <= clients; client++) {
        int at = draw(maker, span);
        for (int i = draw(maker, 3); i >= 0 && at < FOREVER; i--) {
            if (maker->search->count > MAX_REQUESTS - 2)
                return;
            at += draw(maker, 4);
            at = draw(maker, 6) == 0 ? make_attempt(maker, client, at)
                                     : make_hold(maker, client, at, patience);
        }
    }
}

TEST(sweep_and_search_agree_on_every_random_history)
{
    struct search *search = memory_zeroed(1, sizeof *search);
    int counts[2] = {0, 0};
    for (uint64_t seed = 0; seed < HISTORIES; seed++) {
        struct build build = {0};
        struct maker maker = {.build = &build, .search = search};
        search->count = 0;
        random_start(&maker.random, seed, 1);
        make_history(&maker);
        build_stop(&build, maker.end, STOP_TIME);
        build_judge(&build);
        bool linearizable = is_linearizable(search);
        bool kept = finding_named(&build, "double-grant")->state == FINDING_KEPT;
        if (kept != linearizable)
            fail_msg("seed %llu: the sweep says %s, the search says %s", (unsigned long long)seed,
                     kept ? "kept" : "violated",
                     linearizable ? "linearizable" : "not linearizable");
        counts[linearizable]++;
        build_free(&build);
    }
    // Both answers must have been put to the test.
    assert_in_range(counts[0], HISTORIES / 10, HISTORIES);
    assert_in_range(counts[1], HISTORIES / 10, HISTORIES);
    free(search);
}
