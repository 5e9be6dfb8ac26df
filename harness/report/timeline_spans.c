#include "harness/report/timeline.h"

#include <stddef.h>

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// The span of one hold. False if it has none of that kind.
static bool span_of_hold(const struct hold *hold, enum timeline_kind kind,
                         struct timeline_span *span)
{
    switch (kind) {
    case TIMELINE_HOLDS:
        span->from_ns = hold->granted_ns;
        span->to_ns = hold->released_ns;
        return true;
    case TIMELINE_LEASES:
        // A lease that its holder gave back protects nobody any more.
        span->from_ns = hold->granted_ns;
        span->to_ns = hold->release_invoked ? least(hold->valid_until_ns, hold->released_ns)
                                            : hold->valid_until_ns;
        return hold->valid_until_ns != TIME_NEVER && span->to_ns > span->from_ns;
    case TIMELINE_WAITS:
        span->from_ns = hold->invoked_ns;
        span->to_ns = hold->granted_ns;
        return true;
    }
    return false;
}

// False if there is no room for another span.
static bool add(struct timeline_spans *spans, const struct timeline_window *window,
                struct timeline_span span, int64_t gap_ns, size_t last[])
{
    span.from_ns = span.from_ns < window->from_ns ? window->from_ns : span.from_ns;
    span.to_ns = least(span.to_ns, window->to_ns);
    if (span.row < 0 || span.to_ns < span.from_ns)
        return true;
    struct timeline_span *before =
        last[span.row] == SIZE_MAX ? NULL : &spans->items[last[span.row]];
    if (before != NULL && span.from_ns - before->to_ns < gap_ns) {
        before->from_ns = least(before->from_ns, span.from_ns);
        before->to_ns = span.to_ns > before->to_ns ? span.to_ns : before->to_ns;
        spans->merged_ns = gap_ns;
        return true;
    }
    if (spans->count == TIMELINE_MAX_SPANS)
        return false;
    last[span.row] = spans->count;
    spans->items[spans->count++] = span;
    return true;
}

// Until when an attempt waited, as far as the trial saw.
static int64_t attempt_end_ns(const struct digest *digest, const struct attempt *attempt)
{
    return least(least(attempt->returned_ns, attempt->died_ns), digest->ended_ns);
}

static void start_rows(size_t last[])
{
    for (size_t i = 0; i < TIMELINE_ROWS; i++)
        last[i] = SIZE_MAX;
}

static bool collect_attempts(const struct digest *digest, const struct timeline_window *window,
                             int64_t gap_ns, struct timeline_spans *spans)
{
    size_t last[TIMELINE_ROWS];
    start_rows(last);
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        struct timeline_span span = {timeline_row_of(window, attempt->client, attempt->worker),
                                     attempt->invoked_ns, attempt_end_ns(digest, attempt)};
        if (span.from_ns > window->to_ns || span.to_ns < window->from_ns)
            continue;
        if (!add(spans, window, span, gap_ns, last))
            return false;
    }
    return true;
}

static bool collect(const struct digest *digest, const struct timeline_window *window,
                    enum timeline_kind kind, int64_t gap_ns, struct timeline_spans *spans)
{
    size_t last[TIMELINE_ROWS];
    start_rows(last);
    spans->count = 0;
    spans->merged_ns = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        struct timeline_span span = {0};
        if (!span_of_hold(hold, kind, &span) || span.from_ns > window->to_ns ||
            span.to_ns < window->from_ns)
            continue;
        span.row = timeline_row_of(window, hold->client, hold->worker);
        if (!add(spans, window, span, gap_ns, last))
            return false;
    }
    return kind != TIMELINE_WAITS || collect_attempts(digest, window, gap_ns, spans);
}

void timeline_collect(const struct digest *digest, const struct timeline_window *window,
                      enum timeline_kind kind, struct timeline_spans *spans)
{
    // From half a pixel of a panel of some 700.
    int64_t gap = (window->to_ns - window->from_ns) / 1400 + 1;
    if (collect(digest, window, kind, 0, spans))
        return;
    while (!collect(digest, window, kind, gap, spans))
        gap *= 2;
}
