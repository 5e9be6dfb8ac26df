// The history file, version 1: what is on disk, and mapped by every process of a trial.
//
//   bytes 0..4095     struct history_header
//   then, each 4096   struct history_chunk: one writer's next 85 events
//
// All numbers are in the byte order of the machine that wrote them; the header says which.
// A writer claims the next chunk by one atomic addition to `chunks_claimed`, fills its events in
// its own order, and publishes each by raising `count` after the event is written. So a writer
// that is killed between two instructions leaves every event that it had published, nobody waits
// for anybody, and nothing needs repair. Real-time order is restored by the reader, by `at_ns`.
// The file is sparse until written: chunks that nobody claimed cost nothing.
#ifndef LOCKPICK_HISTORY_FILE_H
#define LOCKPICK_HISTORY_FILE_H

#include "harness/history/event.h"

#include <stdatomic.h>
#include <stdint.h>

#define HISTORY_MAGIC "LOCKPICK"
#define HISTORY_VERSION 1
#define HISTORY_BYTE_ORDER UINT32_C(0x01020304)
#define HISTORY_CHUNK_BYTES 4096
#define HISTORY_EVENTS_PER_CHUNK 85

struct history_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint32_t event_bytes;
    uint32_t chunk_bytes;
    int64_t began_ns;      // CLOCK_MONOTONIC when the file was made
    int64_t began_unix_ns; // CLOCK_REALTIME at the same moment
    uint64_t seed;
    uint64_t chunk_capacity; // chunks that the file can hold
    // Each on a cache line of its own: writers touch them.
    _Alignas(64) _Atomic uint64_t chunks_claimed; // may exceed the capacity: the file was full
    _Alignas(64) _Atomic uint32_t waiting;        // a follower sleeps until the next append
    _Alignas(64) _Atomic uint32_t doorbell;       // futex, rung by an append that finds one waiting
};

struct history_chunk {
    _Atomic uint32_t count; // events published
    uint32_t reserved[3];
    struct event events[HISTORY_EVENTS_PER_CHUNK];
};

_Static_assert(sizeof(struct history_header) <= HISTORY_CHUNK_BYTES, "the header has one page");
_Static_assert(sizeof(struct history_chunk) == HISTORY_CHUNK_BYTES, "a chunk is one page");

#endif
