// Windows of a rate limiter by barriers, against a search that tries every order: in each, whoever
// comes next was let through as early as can be.
#include "harness/base/random.h"
#include "harness/check/windows.h"
#include "harness/testing/test.h"

#define HISTORIES 300000
#define MOST_SPANS 7

struct search {
    const struct span *spans;
    int64_t at_ns[MOST_SPANS];
    int64_t length_ns;
    size_t count, permits;
};

static bool search_on(struct search *search, unsigned placed, size_t place)
{
    if (place == search->count)
        return true;
    for (size_t i = 0; i < search->count; i++) {
        int64_t at_ns = search->spans[i].from_ns;
        if (place > 0)
            at_ns = time_later(at_ns, search->at_ns[place - 1]);
        if (place >= search->permits)
            at_ns = time_later(at_ns, search->at_ns[place - search->permits] + search->length_ns);
        if ((placed >> i & 1) != 0 || at_ns > search->spans[i].to_ns)
            continue;
        search->at_ns[place] = at_ns;
        if (search_on(search, placed | 1U << i, place + 1))
            return true;
    }
    return false;
}

static bool can_be(const struct span *spans, size_t count, int64_t length_ns, size_t permits)
{
    struct search search = {
        .spans = spans, .length_ns = length_ns, .count = count, .permits = permits};
    return search_on(&search, 0, 0);
}

static size_t make(struct random *random, struct span *spans, int64_t end)
{
    size_t count = 2 + random_below(random, MOST_SPANS - 1);
    for (size_t i = 0; i < count; i++) {
        int64_t from = (int64_t)random_below(random, (uint64_t)end);
        int64_t length = (int64_t)random_below(random, (uint64_t)(1 + random_below(random, 30)));
        spans[i] = (struct span){from, from + length};
    }
    SORT_BY(spans, count, from_ns);
    return count;
}

TEST(windows_hold_if_and_only_if_some_order_of_all_that_were_let_through_fits)
{
    struct random random;
    random_start(&random, 7, 0);
    int64_t fitting = 0;
    for (int i = 0; i < HISTORIES; i++) {
        struct span spans[MOST_SPANS];
        struct windows_crowd crowd = {0};
        size_t permits = 1 + random_below(&random, 3);
        int64_t length = 5 + (int64_t)random_below(&random, 8);
        size_t count = make(&random, spans, 10 + (int64_t)random_below(&random, 30));
        enum outcome fits = windows_hold(spans, count, length, (int64_t)permits, &crowd);
        assert_int_equal(fits == OUTCOME_OK, can_be(spans, count, length, permits));
        fitting += fits == OUTCOME_OK;
        if (fits == OUTCOME_OK)
            continue;
        // The crowd is one, and none without its first.
        assert_int_equal(fits, OUTCOME_NO);
        struct span crowded[MOST_SPANS];
        size_t within = 0;
        for (size_t j = crowd.first; j < count; j++) {
            if (spans[j].to_ns <= spans[crowd.last].to_ns)
                crowded[within++] = spans[j];
        }
        assert_int_equal(within, crowd.count);
        assert_false(can_be(crowded, within, length, permits));
        assert_true(can_be(crowded + 1, within - 1, length, permits));
    }
    assert_true(fitting > HISTORIES / 10 && fitting < HISTORIES - HISTORIES / 10);
}
