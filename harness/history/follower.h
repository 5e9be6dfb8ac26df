// Follows a history while it grows: how the conductor sees causes.
#ifndef LOCKPICK_HISTORY_FOLLOWER_H
#define LOCKPICK_HISTORY_FOLLOWER_H

#include "harness/history/writer.h"

struct history_follower;

// The caller frees with history_follower_free.
struct history_follower *history_follower_new(const struct history_file *file);
void history_follower_free(struct history_follower *follower);

// Calls `see` with every event published since the last call: each writer's events in its own
// order, several writers' events in no particular order. Returns how many there were.
size_t history_follow(struct history_follower *follower,
                      void (*see)(void *context, const struct event *event), void *context);

// Sleeps until something is appended, or until `until_ns`. An append rings; the rare one that
// misses the follower falling asleep (appends carry no fence, to stay cheap) is found a millisecond
// later.
void history_follower_wait(struct history_follower *follower, int64_t until_ns);

// A cheap measure of progress: events published so far, within one chunk a writer.
size_t history_events_about(const struct history_file *file);

#endif
