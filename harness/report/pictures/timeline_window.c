#include "harness/base/rank.h"
#include "harness/check/silence.h"
#include "harness/explain/diagnosis.h"
#include "harness/report/pictures/timeline.h"

#include <stdlib.h>
#include <string.h>

// Holds shown of a trial without a violation.
#define PEACEFUL_HOLDS 20
// A violation that is shorter than one in so many parts of the window is shown again, larger.
#define LEAST_SHARE 33
// What was lost is shown with the violation unless it is so many times as far away as that is long.
#define FARTHEST 3

static void find_evidence(const struct digest *digest, const struct judgement *judgement,
                          struct timeline_window *window)
{
    const struct evidence *evidence = &window->finding->evidence;
    size_t found = 0;
    for (size_t i = 0; i < 2; i++) {
        if (evidence->holds[i] < digest->hold_count)
            window->evidence[found++] = evidence->holds[i];
    }
    for (size_t i = 0; i < 2 && found < 2; i++) {
        if (evidence->accesses[i] >= digest->access_count)
            continue;
        size_t hold = digest->accesses[evidence->accesses[i]].hold;
        if (hold < digest->hold_count && hold != window->evidence[0])
            window->evidence[found++] = hold;
    }
    // Of a silence: the hold that was not given back, if that is where it comes from.
    struct diagnosis diagnosis;
    if (found == 0 && diagnosis_make(digest, judgement, &diagnosis) &&
        diagnosis.finding == window->finding && diagnosis.holds[0] != NULL)
        window->evidence[0] = (size_t)(diagnosis.holds[0] - digest->holds);
}

// With a margin on both sides; but outside the trial there is only as much as sets bars off from
// the edge. Begins at a round time: the axis may count from there.
static void set_window(const struct digest *digest, struct timeline_window *window, int64_t from_ns,
                       int64_t to_ns, int64_t margin_ns)
{
    margin_ns = time_later(margin_ns, 1000);
    int64_t sliver = time_later((to_ns - from_ns) / 60, 1000);
    window->from_ns =
        time_later(from_ns - margin_ns, time_earlier(digest->started_ns, from_ns) - sliver);
    window->to_ns = time_earlier(to_ns + margin_ns, time_later(digest->ended_ns, to_ns) + sliver);
    int64_t step = 1;
    while (step * 200 < window->to_ns - window->from_ns)
        step *= 10;
    if (window->from_ns > digest->started_ns)
        window->from_ns -= (window->from_ns - digest->started_ns) % step;
}

// Where a value was lost, or a unit sold twice, is shown, too, if that is not far away; and every
// write of the evidence until it was answered.
static void include_loss(const struct digest *digest, const struct judgement *judgement,
                         const struct timeline_window *window, int64_t *from_ns, int64_t *to_ns)
{
    static const char *const losses[] = {"lost-update", "oversell", "run-once", NULL};
    int64_t length = time_later(*to_ns - *from_ns, NS_PER_MS);
    int64_t least = *from_ns - FARTHEST * length;
    int64_t most = *to_ns + FARTHEST * length;
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        bool is_evidence =
            access->hold == window->evidence[0] || access->hold == window->evidence[1];
        if (access->is_write && is_evidence && access->returned_ns <= most)
            *to_ns = time_later(*to_ns, access->returned_ns);
    }
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        if (finding->state != FINDING_VIOLATED || !text_is_one_of(finding->check->name, losses) ||
            finding->evidence.to_ns <= 0 || finding->evidence.from_ns < least ||
            finding->evidence.to_ns > most)
            continue;
        *from_ns = time_earlier(*from_ns, finding->evidence.from_ns);
        *to_ns = time_later(*to_ns, finding->evidence.to_ns);
    }
}

static void choose_violation(const struct digest *digest, const struct judgement *judgement,
                             struct timeline_window *window)
{
    const struct evidence *evidence = &window->finding->evidence;
    int64_t from = evidence->from_ns;
    int64_t to = time_later(evidence->to_ns, from);
    for (size_t i = 0; i < 2; i++) {
        if (window->evidence[i] == SIZE_MAX)
            continue;
        const struct hold *hold = &digest->holds[window->evidence[i]];
        from = time_earlier(from, hold->granted_ns);
        to = time_later(to, hold->released_ns);
    }
    include_loss(digest, judgement, window, &from, &to);
    set_window(digest, window, from, to, (to - from) / 5);
}

static void choose_beginning(const struct digest *digest, struct timeline_window *window)
{
    int64_t from = digest->started_ns;
    int64_t to = digest->ended_ns;
    size_t shown = digest->hold_count < PEACEFUL_HOLDS ? digest->hold_count : PEACEFUL_HOLDS;
    if (shown > 0) {
        to = digest->holds[0].released_ns;
        from = digest->holds[0].granted_ns;
    }
    for (size_t i = 0; i < shown; i++)
        to = time_later(to, digest->holds[i].released_ns);
    set_window(digest, window, from, to, (to - from) / 20);
}

bool timeline_is_apart(const struct digest *digest, const struct timeline_window *window)
{
    if (window->evidence[0] == SIZE_MAX || window->evidence[1] == SIZE_MAX)
        return false;
    const struct hold *a = &digest->holds[window->evidence[0]];
    const struct hold *b = &digest->holds[window->evidence[1]];
    return a->released_ns <= b->granted_ns || b->released_ns <= a->granted_ns;
}

static bool tells_by_accesses(const struct finding *finding)
{
    return finding->evidence.accesses[0] != SIZE_MAX;
}

bool timeline_zoom(const struct digest *digest, const struct timeline_window *window,
                   struct timeline_window *zoom)
{
    if (window->finding == NULL)
        return false;
    const struct evidence *evidence = &window->finding->evidence;
    int64_t length = evidence->to_ns - evidence->from_ns;
    bool found_late =
        window->finding->check->shows == SHOWS_REMOVAL && window->evidence[1] == SIZE_MAX;
    if (found_late || (tells_by_accesses(window->finding) && timeline_is_apart(digest, window)))
        return false;
    if (length <= 0 || length >= (window->to_ns - window->from_ns) / LEAST_SHARE)
        return false;
    *zoom = *window;
    set_window(digest, zoom, evidence->from_ns, evidence->to_ns, length);
    zoom->from_ns = time_later(zoom->from_ns, digest->started_ns);
    return true;
}

int timeline_row_of(const struct timeline_window *window, int client, int worker)
{
    for (size_t i = 0; i < window->row_count; i++) {
        if (window->rows[i].client == client && window->rows[i].worker == worker)
            return (int)i;
    }
    return -1;
}

// Adds the worker's row, or its key to those that have none.
static void see_worker(struct timeline_window *window, int client, int worker, int64_t *hidden,
                       size_t *hidden_count)
{
    if (timeline_row_of(window, client, worker) >= 0)
        return;
    if (window->row_count < TIMELINE_ROWS)
        window->rows[window->row_count++] = (struct timeline_row){client, worker};
    else
        hidden[(*hidden_count)++] = ((int64_t)client << 32) | worker;
}

static int compare_rows(const void *left, const void *right)
{
    const struct timeline_row *a = left;
    const struct timeline_row *b = right;
    int by_client = (a->client > b->client) - (a->client < b->client);
    return by_client != 0 ? by_client : (a->worker > b->worker) - (a->worker < b->worker);
}

static bool touches(const struct timeline_window *window, int64_t from_ns, int64_t to_ns)
{
    return from_ns <= window->to_ns && to_ns >= window->from_ns;
}

static void see_evidence(const struct digest *digest, struct timeline_window *window,
                         int64_t *hidden, size_t *hidden_count)
{
    for (size_t i = 0; i < 2; i++) {
        if (window->evidence[i] == SIZE_MAX)
            continue;
        const struct hold *hold = &digest->holds[window->evidence[i]];
        see_worker(window, hold->client, hold->worker, hidden, hidden_count);
    }
    window->evidence_rows = window->row_count;
}

// Holders come before those that only waited or released.
static void see_others(const struct digest *digest, struct timeline_window *window, int64_t *hidden,
                       size_t *hidden_count)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (touches(window, hold->granted_ns, hold->released_ns))
            see_worker(window, hold->client, hold->worker, hidden, hidden_count);
    }
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t to =
            time_earlier(hold->returned_ns, time_later(hold->released_ns, digest->ended_ns));
        if (touches(window, hold->invoked_ns, to))
            see_worker(window, hold->client, hold->worker, hidden, hidden_count);
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        if (touches(window, attempt->invoked_ns, attempt->returned_ns))
            see_worker(window, attempt->client, attempt->worker, hidden, hidden_count);
    }
}

static void choose_rows(const struct digest *digest, struct timeline_window *window)
{
    int64_t *hidden = memory_new((2 * digest->hold_count + digest->attempt_count) * sizeof *hidden);
    size_t hidden_count = 0;
    see_evidence(digest, window, hidden, &hidden_count);
    see_others(digest, window, hidden, &hidden_count);
    qsort(window->rows + window->evidence_rows, window->row_count - window->evidence_rows,
          sizeof *window->rows, compare_rows);
    sort_values(hidden, hidden_count);
    for (size_t i = 0; i < hidden_count; i++)
        window->hidden_rows += i == 0 || hidden[i] != hidden[i - 1];
    free(hidden);
    const struct clients_settings *clients = &digest->trial->scenario->clients;
    int64_t planned = clients->processes * clients->threads;
    window->worker_count = window->row_count + window->hidden_rows;
    // Of several locks, who has to do with this one is not known but by what was done.
    if (planned > (int64_t)window->worker_count && scenario_key_count(digest->trial->scenario) == 1)
        window->worker_count = (size_t)planned;
}

void timeline_choose(const struct digest *digest, const struct judgement *judgement,
                     struct timeline_window *window)
{
    *window = (struct timeline_window){.finding = judgement_first_violation(judgement),
                                       .evidence = {SIZE_MAX, SIZE_MAX}};
    if (window->finding != NULL)
        find_evidence(digest, judgement, window);
    if (window->finding != NULL && window->finding->evidence.to_ns > 0)
        choose_violation(digest, judgement, window);
    else
        choose_beginning(digest, window);
    choose_rows(digest, window);
}

// --- times at which two or more hold
// ----------------------------------------------------------------

// The times at which two or more hold, in order and apart from each other. Holds are sorted by
// grant, so that one overlaps an earlier one if and only if it begins before the latest end so far.
struct timeline_overlaps timeline_overlaps_find(const struct digest *digest,
                                                const struct timeline_window *window)
{
    struct timeline_overlaps overlaps = {
        .items = memory_new((digest->hold_count + 1) * sizeof *overlaps.items)};
    int64_t latest_ns = INT64_MIN;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t from = hold->granted_ns;
        int64_t to = time_earlier(hold->released_ns, latest_ns);
        latest_ns = time_later(hold->released_ns, latest_ns);
        if (to <= from || to < window->from_ns || from > window->to_ns)
            continue;
        struct timeline_overlap *before =
            overlaps.count > 0 ? &overlaps.items[overlaps.count - 1] : NULL;
        if (before == NULL || from > before->to_ns)
            overlaps.items[overlaps.count++] = (struct timeline_overlap){from, to};
        else
            before->to_ns = time_later(before->to_ns, to);
    }
    return overlaps;
}

size_t timeline_overlaps_after(const struct timeline_overlaps *overlaps, int64_t at_ns)
{
    size_t low = 0;
    size_t high = overlaps->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (overlaps->items[middle].to_ns > at_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// --- spans
// ------------------------------------------------------------------------------------------

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
