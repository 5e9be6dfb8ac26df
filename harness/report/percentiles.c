#include "harness/report/percentiles.h"

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
