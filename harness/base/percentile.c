#include "harness/base/percentile.h"

#include "harness/base/rank.h"
#include "harness/base/text.h"

#define X(id, name, share)                                                                         \
    [PERCENTILE_##id] = {#id, name, #id "_ns", (share) / 100.0, (10000 - (share)) / 10000.0},
const struct percentile_form percentile_forms[PERCENTILE_COUNT] = {PERCENTILES(X)};
#undef X

void percentiles_list(const char *before, struct text *out)
{
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        text_format(out, "%s%s%s",
                    i == 0                      ? ""
                    : i == PERCENTILE_COUNT - 1 ? " or "
                                                : ", ",
                    before, percentile_forms[i].name);
}

void percentiles_make(int64_t *durations, size_t count, struct percentiles *percentiles)
{
    sort_values(durations, count);
    *percentiles = (struct percentiles){.count = count};
#define X(id, name, share)                                                                         \
    percentiles->id##_ns = fine_percentile_of_sorted(durations, count, share);
    PERCENTILES(X)
#undef X
}

bool percentile_has_enough(int64_t count, double percent)
{
    if (percent >= 100)
        return count > 0;
    // 100 - 99.9 is a bit less than a tenth.
    return count >= LEAST_FOR_PERCENTILES && (double)count * (100 - percent) >= 100 * (1 - 1e-9);
}

bool percentile_is_of_all(int64_t asked, int64_t denied, double percent)
{
    return denied <= 0 || (double)denied * 100 <= (double)asked * (100 - percent) * (1 + 1e-9);
}
