#include "harness/check/silence.h"
#include "harness/report/timeline.h"

#include <stddef.h>
#include <stdlib.h>

// Until when nobody is granted from `from_ns` on, as far as the trial saw.
static int64_t next_grant_ns(const struct digest *digest, int64_t from_ns)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (digest->holds[i].granted_ns > from_ns)
            return digest->holds[i].granted_ns;
    }
    return digest->ended_ns;
}

// From its death on, if nobody has the lock after that: it may have had it.
static bool span_of_maybe_dead(const struct digest *digest, int64_t died_ns,
                               struct timeline_span *span)
{
    *span = (struct timeline_span){.from_ns = died_ns, .to_ns = digest->ended_ns};
    if (silence_was_free(digest, false))
        return false;
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (digest->holds[i].granted_ns > died_ns || digest->holds[i].released_ns > died_ns)
            return false;
    }
    return died_ns < digest->ended_ns;
}

static bool span_of_release(const struct digest *digest, const struct hold *hold,
                            struct timeline_span *span)
{
    span->from_ns = hold->released_ns;
    span->to_ns = time_earlier(time_earlier(hold->returned_ns, hold->died_ns),
                               time_later(digest->ended_ns, hold->released_ns));
    return hold->release_invoked && span->to_ns > span->from_ns;
}

// The span of one hold. False if it has none of that kind.
static bool span_of_hold(const struct digest *digest, const struct hold *hold,
                         enum timeline_kind kind, struct timeline_span *span)
{
    switch (kind) {
    case TIMELINE_WAITS:
        span->from_ns = hold->invoked_ns;
        span->to_ns = hold->granted_ns;
        return true;
    case TIMELINE_HOLDS:
        span->from_ns = hold->granted_ns;
        span->to_ns = hold->released_ns;
        return true;
    case TIMELINE_RELEASES:
        return span_of_release(digest, hold, span);
    case TIMELINE_LEASES:
        // A lease that its holder gave back protects nobody any more.
        span->from_ns = hold->granted_ns;
        span->to_ns = hold->release_invoked ? time_earlier(hold->valid_until_ns, hold->released_ns)
                                            : hold->valid_until_ns;
        return hold->valid_until_ns != TIME_NEVER && span->to_ns > span->from_ns;
    case TIMELINE_DEAD:
        if (!hold->died)
            return false; // without a search: there may be very many
        span->from_ns = hold->released_ns;
        span->to_ns = next_grant_ns(digest, hold->released_ns);
        return span->to_ns > span->from_ns;
    case TIMELINE_MAYBE_DEAD:
        return !hold->died && hold->died_ns != TIME_NEVER &&
               span_of_maybe_dead(digest, hold->died_ns, span);
    case TIMELINE_OVERLAPS:
    case TIMELINE_KIND_COUNT:
        break;
    }
    return false;
}

// False if there is no room for another span.
static bool add(struct timeline_spans *spans, const struct timeline_window *window,
                struct timeline_span span, int64_t gap_ns, size_t last[])
{
    span.from_ns = time_later(span.from_ns, window->from_ns);
    span.to_ns = time_earlier(span.to_ns, window->to_ns);
    if (span.row < 0 || span.to_ns < span.from_ns)
        return true;
    struct timeline_span *before =
        last[span.row] == SIZE_MAX ? NULL : &spans->items[last[span.row]];
    if (before != NULL && span.from_ns - before->to_ns < gap_ns) {
        before->from_ns = time_earlier(before->from_ns, span.from_ns);
        before->to_ns = time_later(before->to_ns, span.to_ns);
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
    return time_earlier(time_earlier(attempt->returned_ns, attempt->died_ns), digest->ended_ns);
}

static void start_rows(size_t last[])
{
    for (size_t i = 0; i < TIMELINE_ROWS; i++)
        last[i] = SIZE_MAX;
}

// Attempts are waits; one that died may have got the lock.
static bool span_of_attempt(const struct digest *digest, const struct attempt *attempt,
                            enum timeline_kind kind, struct timeline_span *span)
{
    span->from_ns = attempt->invoked_ns;
    span->to_ns = attempt_end_ns(digest, attempt);
    if (kind == TIMELINE_WAITS)
        return true;
    return kind == TIMELINE_MAYBE_DEAD && attempt->died &&
           span_of_maybe_dead(digest, attempt->died_ns, span);
}

static bool is_outside(const struct timeline_window *window, const struct timeline_span *span)
{
    return span->from_ns > window->to_ns || span->to_ns < window->from_ns;
}

static bool collect_attempts(const struct digest *digest, const struct timeline_window *window,
                             enum timeline_kind kind, int64_t gap_ns, struct timeline_spans *spans)
{
    size_t last[TIMELINE_ROWS];
    start_rows(last);
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        struct timeline_span span = {0};
        if (!span_of_attempt(digest, attempt, kind, &span) || is_outside(window, &span))
            continue;
        span.row = timeline_row_of(window, attempt->client, attempt->worker);
        if (!add(spans, window, span, gap_ns, last))
            return false;
    }
    return true;
}

static bool is_evidence(const struct timeline_window *window, size_t hold,
                        const struct timeline_span *span)
{
    return (hold == window->evidence[0] || hold == window->evidence[1]) &&
           span->from_ns >= window->finding->evidence.from_ns &&
           span->to_ns <= window->finding->evidence.to_ns;
}

static bool collect_overlaps(const struct digest *digest, const struct timeline_window *window,
                             const struct timeline_overlaps *overlaps, int64_t gap_ns,
                             struct timeline_spans *spans)
{
    size_t last[TIMELINE_ROWS];
    start_rows(last);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int row = timeline_row_of(window, hold->client, hold->worker);
        for (size_t j = timeline_overlaps_after(overlaps, hold->granted_ns);
             j < overlaps->count && overlaps->items[j].from_ns < hold->released_ns; j++) {
            struct timeline_span span = {row,
                                         time_later(hold->granted_ns, overlaps->items[j].from_ns),
                                         time_earlier(hold->released_ns, overlaps->items[j].to_ns)};
            if (is_outside(window, &span) || is_evidence(window, i, &span))
                continue;
            if (!add(spans, window, span, gap_ns, last))
                return false;
        }
    }
    return true;
}

static bool collect(const struct digest *digest, const struct timeline_window *window,
                    const struct timeline_overlaps *overlaps, enum timeline_kind kind,
                    int64_t gap_ns, struct timeline_spans *spans)
{
    size_t last[TIMELINE_ROWS];
    start_rows(last);
    spans->count = 0;
    spans->merged_ns = 0;
    if (kind == TIMELINE_OVERLAPS)
        return collect_overlaps(digest, window, overlaps, gap_ns, spans);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        struct timeline_span span = {0};
        if (!span_of_hold(digest, hold, kind, &span) || is_outside(window, &span))
            continue;
        span.row = timeline_row_of(window, hold->client, hold->worker);
        if (!add(spans, window, span, gap_ns, last))
            return false;
    }
    return collect_attempts(digest, window, kind, gap_ns, spans);
}

void timeline_collect(const struct digest *digest, const struct timeline_window *window,
                      enum timeline_kind kind, struct timeline_spans *spans)
{
    // From half a pixel of a panel of some 700.
    int64_t gap = (window->to_ns - window->from_ns) / 1400 + 1;
    struct timeline_overlaps overlaps = {0};
    if (kind == TIMELINE_OVERLAPS)
        overlaps = timeline_overlaps_find(digest, window);
    bool fits = collect(digest, window, &overlaps, kind, 0, spans);
    for (; !fits; gap *= 2)
        fits = collect(digest, window, &overlaps, kind, gap, spans);
    free(overlaps.items);
}
