#include "harness/history/damage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LEAST(a, b) ((a) < (b) ? (a) : (b))

enum closing { CLOSED, NOT_CLOSED, CLOSING_DAMAGED };

static enum closing find_closing(const struct history_end *end)
{
    if (end->checksum == 0)
        return NOT_CLOSED;
    return end->checksum == history_end_checksum(end) ? CLOSED : CLOSING_DAMAGED;
}

static const char *plural_of(uint64_t count)
{
    return count == 1 ? "" : "s";
}

// "2 of its 118 chunks cannot be read, the first at byte 40960"
static void describe_unreadable(const struct damage *damage, char *text, size_t room)
{
    snprintf(text, room, "%" PRIu64 " chunk%s cannot be read, the first at byte %" PRIu64,
             damage->unreadable, plural_of(damage->unreadable), damage->first_at);
}

// Closed: how much there was is known.
static bool judge_closed(const struct damage *damage, const struct history_end *end,
                         struct history_condition *condition)
{
    char unreadable[100] = "";
    const size_t room = sizeof condition->text;
    if (damage->unreadable > 0)
        describe_unreadable(damage, unreadable, sizeof unreadable);
    uint64_t chunks = end->chunks - LEAST(damage->chunks, end->chunks);
    uint64_t events = end->events - LEAST(damage->events, end->events);
    if (chunks > 0 || events > 0)
        snprintf(condition->text, room,
                 "the history is damaged: %" PRIu64 " of its %" PRIu64 " events and %" PRIu64
                 " of its %" PRIu64 " chunks are lost%s%s",
                 events, end->events, chunks, end->chunks, unreadable[0] ? "; " : "", unreadable);
    else if (damage->unreadable > 0)
        snprintf(condition->text, room, "the history is damaged: %s", unreadable);
    else if (damage->chunks != end->chunks || damage->events != end->events)
        snprintf(condition->text, room,
                 "the history is damaged: it has %" PRIu64 " events, and had %" PRIu64
                 " when it was closed",
                 damage->events, end->events);
    else if (end->dropped != 0)
        snprintf(condition->text, room, "the history was full: what came later was not recorded");
    // What the gaps do not explain was at the end of some writer, or all that it wrote.
    if (chunks > damage->gaps)
        condition->harness_lost |= damage->harness_may_go_on || end->writers != damage->writers;
    condition->harness_lost |= end->dropped != 0;
    return condition->text[0] == '\0';
}

static void judge_open(const struct damage *damage, const struct history_header *header,
                       enum closing closing, struct history_condition *condition)
{
    char what[100] = "its end is missing";
    uint64_t full_bytes = (header->chunk_capacity + 1) * HISTORY_CHUNK_BYTES;
    // Where all its writers were killed it may have been cut behind what they claimed.
    uint64_t used_bytes = (history_header_chunks(header) + 1) * HISTORY_CHUNK_BYTES;
    bool is_cut = damage->file_bytes < full_bytes && damage->file_bytes != used_bytes;
    bool is_damaged = damage->unreadable > 0 || damage->gaps > 0 || closing == CLOSING_DAMAGED;
    condition->state = is_damaged || is_cut ? HISTORY_DAMAGED : HISTORY_UNFINISHED;
    condition->harness_lost |= condition->state == HISTORY_DAMAGED;
    if (damage->unreadable > 0)
        describe_unreadable(damage, what, sizeof what);
    else if (damage->gaps > 0)
        snprintf(what, sizeof what, "%" PRIu64 " chunk%s missing", damage->gaps,
                 damage->gaps == 1 ? " is" : "s are");
    if (closing == CLOSING_DAMAGED)
        snprintf(condition->text, sizeof condition->text,
                 "the history is damaged: its header does not say how much there was%s%s",
                 damage->unreadable > 0 ? "; " : "", damage->unreadable > 0 ? what : "");
    else if (condition->state == HISTORY_DAMAGED)
        snprintf(condition->text, sizeof condition->text,
                 "the history is damaged: %s; and it was never closed", what);
    else
        snprintf(condition->text, sizeof condition->text,
                 "the history was never closed: its run was killed, or goes on");
}

void damage_judge(const struct damage *damage, const struct history_header *header,
                  struct history_condition *condition)
{
    *condition =
        (struct history_condition){.state = HISTORY_WHOLE, .harness_lost = damage->harness_gap};
    enum closing closing = find_closing(&header->end);
    if (damage->unread != 0) {
        *condition = (struct history_condition){.state = HISTORY_DAMAGED, .harness_lost = true};
        snprintf(condition->text, sizeof condition->text,
                 "the history could not be read to its end: %s", strerror(damage->unread));
    } else if (closing != CLOSED) {
        judge_open(damage, header, closing, condition);
    } else if (!judge_closed(damage, &header->end, condition)) {
        condition->state = HISTORY_DAMAGED;
    } else if (damage->interrupted) {
        condition->state = HISTORY_UNFINISHED;
        snprintf(condition->text, sizeof condition->text,
                 "the history ends early: its trial was interrupted");
    }
}
