#include "harness/report/percentiles.h"

#include "harness/report/report.h"

void percentiles_make(int64_t *durations, size_t count, struct percentiles *percentiles)
{
    sort_values(durations, count);
    *percentiles = (struct percentiles){
        .count = count,
        .p50_ns = percentile_of_sorted(durations, count, 500),
        .p90_ns = percentile_of_sorted(durations, count, 900),
        .p99_ns = percentile_of_sorted(durations, count, 990),
        .p999_ns = percentile_of_sorted(durations, count, 999),
        .p9999_ns = fine_percentile_of_sorted(durations, count, 9999),
        .max_ns = percentile_of_sorted(durations, count, 1000),
    };
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
