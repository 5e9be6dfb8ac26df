#include "harness/stats/rate_search.h"

#include "harness/base/clock.h"

#include <math.h>

// Two of three agree.
#define ENOUGH 2

static int64_t readable(const struct rate_search *search, int64_t rate)
{
    rate = search->readable != NULL ? search->readable(rate) : rate;
    if (rate < search->least)
        return search->least;
    return rate > search->most ? search->most : rate;
}

struct rate_search rate_search_start(int64_t first, int64_t least, int64_t most,
                                     int64_t (*round)(int64_t))
{
    struct rate_search search = {.least = least, .most = most, .readable = round};
    search.next = readable(&search, first);
    return search;
}

// --- votes ---------------------------------------------------------------------------------------

const struct rate_votes *rate_search_votes(const struct rate_search *search, int64_t rate)
{
    for (size_t i = 0; i < search->count; i++) {
        if (search->votes[i].rate == rate)
            return &search->votes[i];
    }
    return NULL;
}

// A miss is a miss, whoever was the limit; which of the two it was, most of the misses say. But
// where as many were met as the driver missed, they say more; and where it missed as many as the
// lock, no miss can be laid at the lock's door.
enum rate_answer rate_votes_say(const struct rate_votes *votes)
{
    int against = votes->missed + votes->driver;
    if (votes->met > against ||
        (votes->met == against && (votes->first == RATE_MET || votes->missed == 0)))
        return RATE_MET;
    return votes->missed > votes->driver ? RATE_MISSED : RATE_DRIVER;
}

static bool is_sure(const struct rate_search *search, int64_t rate)
{
    const struct rate_votes *votes = rate_search_votes(search, rate);
    if (votes == NULL || votes->met >= ENOUGH)
        return true;
    int against = votes->missed + votes->driver;
    bool is_tied = votes->missed == 1 && votes->driver == 1;
    return against >= ENOUGH && (!is_tied || votes->met + against > ENOUGH);
}

static struct rate_votes *count_vote(struct rate_search *search, enum rate_answer answer)
{
    size_t i = 0;
    while (i < search->count && search->votes[i].rate != search->next)
        i++;
    if (i == search->count)
        search->votes[search->count++] = (struct rate_votes){.rate = search->next, .first = answer};
    struct rate_votes *votes = &search->votes[i];
    votes->met += answer == RATE_MET;
    votes->missed += answer == RATE_MISSED;
    votes->driver += answer == RATE_DRIVER;
    return votes;
}

// What misses the target is missed by all above it.
static void find_bounds(struct rate_search *search)
{
    search->met = 0;
    search->missed = 0;
    for (size_t i = 0; i < 2 * search->count; i++) {
        const struct rate_votes *votes = &search->votes[i % search->count];
        bool is_met = rate_votes_say(votes) == RATE_MET;
        bool is_below = search->missed == 0 || votes->rate < search->missed;
        if (!is_met && is_below)
            search->missed = votes->rate;
        else if (is_met && is_below && i >= search->count && votes->rate > search->met)
            search->met = votes->rate;
    }
}

// --- the next rate -------------------------------------------------------------------------------

// A rate that was not tried yet, nearer to the result; 0 if the bounds are close enough.
static int64_t nearer(const struct rate_search *search)
{
    int64_t next;
    if (search->missed == 0)
        next = readable(search, search->met > search->most / 2 ? search->most : search->met * 2);
    else if (search->met == 0)
        next = readable(search, search->missed / 2);
    else if (search->missed - search->met <= search->met / 20)
        return 0;
    else
        next = readable(search, search->met + (search->missed - search->met) / 2);
    return next == search->met || next == search->missed ? 0 : next;
}

// The bound that is to be tried again, 0 if both are sure: never the same twice running, if the
// other needs it too.
static int64_t unsure(const struct rate_search *search, int64_t tried)
{
    const int64_t bounds[] = {search->met, search->missed};
    bool sure[2];
    int trials[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        const struct rate_votes *votes = rate_search_votes(search, bounds[i]);
        sure[i] = bounds[i] == 0 || is_sure(search, bounds[i]);
        trials[i] = votes != NULL ? votes->met + votes->missed + votes->driver : 0;
    }
    if (sure[0] || sure[1])
        return sure[0] && sure[1] ? 0 : bounds[sure[0]];
    if (trials[0] != trials[1])
        return bounds[trials[0] > trials[1]];
    return bounds[tried == search->met];
}

void rate_search_tell(struct rate_search *search, enum rate_answer answer)
{
    int64_t tried = search->next;
    const struct rate_votes *votes = count_vote(search, answer);
    // A rate that only the driver missed, once, bounds nothing yet: the same again.
    if (votes->driver == 1 && votes->met + votes->missed == 0)
        return;
    find_bounds(search);
    search->next = search->count < MOST_RATES ? nearer(search) : 0;
    if (search->next == 0)
        search->next = unsure(search, tried);
}

// --- the target ----------------------------------------------------------------------------------

enum percentile rate_target(const struct percentiles *target)
{
    enum percentile i = 0;
    while (i + 1 < PERCENTILE_COUNT && target->ns[i] == 0)
        i++;
    return i;
}

bool rate_is_met(const struct percentiles *target, const struct percentiles *measured,
                 const struct statistics *statistics)
{
    enum percentile which = rate_target(target);
    int64_t granted = (int64_t)statistics->acquire.count;
    return granted > 0 && measured->ns[which] < target->ns[which] &&
           granted * 100 >= statistics->due * 99;
}

enum rate_answer rate_judge(const struct percentiles *target, const struct statistics *statistics)
{
    const struct percentiles *on_time = &statistics->acquire_on_time;
    double percent = percentile_forms[rate_target(target)].percent;
    if (rate_is_met(target, &statistics->acquire, statistics))
        return percentile_has_enough((int64_t)statistics->acquire.count, percent) ? RATE_MET
                                                                                  : RATE_DRIVER;
    bool is_drivers = statistics->driver_bound.is_bound ||
                      (on_time->count > 0 && rate_is_met(target, on_time, statistics));
    return is_drivers ? RATE_DRIVER : RATE_MISSED;
}

int64_t rate_least(const struct percentiles *target, int64_t for_ns)
{
    double percent = percentile_forms[rate_target(target)].percent;
    int64_t enough = 1;
    while (!percentile_has_enough(enough, percent))
        enough++;
    // Arrivals at random differ by about the root of their number.
    double due = ceil((double)enough + 3 * sqrt((double)enough));
    double rate = 3600 * due * (double)NS_PER_S / (double)for_ns;
    double step = rate >= 20 * 3600 ? 3600 : 60; // for people to read
    return (int64_t)(ceil(rate / step - 1e-9) * step);
}
