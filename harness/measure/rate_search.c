#include "harness/measure/rate_search.h"

struct rate_search rate_search_start(int64_t first, int64_t least, int64_t most)
{
    return (struct rate_search){.least = least, .most = most, .next = first};
}

static int64_t within(const struct rate_search *search, int64_t rate)
{
    if (rate < search->least)
        return search->least;
    return rate > search->most ? search->most : rate;
}

void rate_search_tell(struct rate_search *search, bool met)
{
    int64_t tried = search->next;
    int64_t next;
    if (met)
        search->met = tried;
    else
        search->missed = tried;
    if (search->missed == 0)
        next = within(search, tried * 2);
    else if (search->met == 0)
        next = within(search, tried / 2);
    else
        next = search->met + (search->missed - search->met) / 2;
    bool is_close =
        search->met > 0 && search->missed > 0 && search->missed - search->met <= search->met / 20;
    search->next = is_close || next == tried || next == search->met ? 0 : next;
}
