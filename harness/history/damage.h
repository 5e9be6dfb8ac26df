// What a scan found, put together.
#ifndef LOCKPICK_HISTORY_DAMAGE_H
#define LOCKPICK_HISTORY_DAMAGE_H

#include "harness/history/condition.h"
#include "harness/history/file.h"

struct damage {
    uint64_t file_bytes;
    uint64_t chunks; // that could be read, with at least one event
    uint64_t events;
    uint64_t writers;       // of whom something could be read
    uint64_t unreadable;    // chunks that are there, but damaged
    uint64_t first_at;      // byte of the file at which the first of them begins
    uint64_t gaps;          // chunks that are missing between others of their writers
    bool harness_gap;       // one of them is the harness's own
    bool harness_may_go_on; // a writer of the harness filled its last chunk, so that it may have
                            // written another
    bool interrupted;       // the harness wrote that the user had asked for an end
    int unread;             // errno, if the file could not be read to its end
};

void damage_judge(const struct damage *damage, const struct history_header *header,
                  struct history_condition *condition);

#endif
