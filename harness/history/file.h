// The history file, version 2: what is on disk, and mapped by every process of a trial.
//
//   bytes 0..4095     struct history_header
//   then, each 4096   struct history_chunk: one writer's next 85 events
//
// All numbers are in the byte order of the machine that wrote them; the header says which.
// A writer claims the next chunk by one atomic addition to `chunks_claimed`, fills its events in
// its own order, and publishes each, after it is written, by one store of `published`: the number
// of events and their checksum in one word. So a writer that is killed between two instructions
// leaves every event that it had published, with its checksum; nobody waits for anybody, and
// nothing needs repair. Real-time order is restored by the reader, by `at_ns`.
// The file is sparse until written: chunks that nobody claimed cost nothing. Room for a chunk is
// reserved on the disk before anybody writes to it: a mapped page for which there is no room would
// end whoever touches it (SIGBUS). Where the file system cannot reserve, that goes without.
//
// Damage is noticed. The checksum of a chunk covers its place in the file, its place among its
// writer's, and its events; so a chunk is right, or is known not to be, and one that is missing
// among a writer's others is missed. That the file has its end is told by `end`, which is written
// when the file is closed. A reader does not rely on `chunks_claimed`.
#ifndef LOCKPICK_HISTORY_FILE_H
#define LOCKPICK_HISTORY_FILE_H

#include "harness/history/event.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_MAGIC "LOCKPICK"
#define HISTORY_VERSION 2
#define HISTORY_BYTE_ORDER UINT32_C(0x01020304)
#define HISTORY_CHUNK_BYTES 4096
#define HISTORY_EVENTS_PER_CHUNK 85

// What there was when the file was closed; zero before.
struct history_end {
    uint64_t chunks; // with at least one event
    uint64_t events;
    uint64_t writers;          // that wrote at least one
    uint32_t dropped;          // 1: the file was full, and events were dropped
    _Atomic uint32_t checksum; // of all that stands before it; written last
};

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
    uint32_t checksum;       // of all that stands before it
    // Each on a cache line of its own: writers touch them.
    _Alignas(64) _Atomic uint64_t chunks_claimed; // may exceed the capacity: the file was full
    _Alignas(64) _Atomic uint32_t waiting;        // a follower sleeps until the next append
    _Alignas(64) _Atomic uint32_t doorbell;       // futex, rung by an append that finds one waiting
    _Alignas(64) struct history_end end;
    // Of writers: room has been reserved for so many chunks, all if it cannot be; and why there was
    // none for more, an errno.
    _Alignas(64) _Atomic uint64_t chunks_reserved;
    _Atomic int32_t no_room;
};

struct history_chunk {
    _Atomic uint64_t published; // events; in the upper half the chunk's checksum
    uint32_t first;             // number of its writer's first chunk, from 0: who wrote it
    uint32_t sequence;          // how many chunks its writer had filled before
    struct event events[HISTORY_EVENTS_PER_CHUNK];
};

_Static_assert(sizeof(struct history_header) <= HISTORY_CHUNK_BYTES, "the header has one page");
_Static_assert(sizeof(struct history_chunk) == HISTORY_CHUNK_BYTES, "a chunk is one page");

// How many chunks were claimed that there was room for.
static inline uint64_t history_header_chunks(const struct history_header *header)
{
    uint64_t chunks = atomic_load_explicit(&header->chunks_claimed, memory_order_acquire);
    uint64_t reserved = atomic_load_explicit(&header->chunks_reserved, memory_order_acquire);
    chunks = chunks < reserved ? chunks : reserved;
    return chunks < header->chunk_capacity ? chunks : header->chunk_capacity;
}

// How many events a `published` tells of.
static inline uint32_t published_events(uint64_t published)
{
    return (uint32_t)published;
}

// Their checksum.
static inline uint32_t published_checksum(uint64_t published)
{
    return (uint32_t)(published >> 32);
}

static inline uint64_t published_of(uint32_t events, uint32_t checksum)
{
    return (uint64_t)checksum << 32 | events;
}

// --- CRC-32C (Castagnoli), by which damage is noticed --------------------------------------------

// The checksum of what `checksum` is of, and of `bytes` behind it; begin with 0. Uses the
// processor's instruction where it has one.
//
// Source: Castagnoli, Braeuer and Herrmann, "Optimization of cyclic redundancy-check codes with 24
// and 32 parity bits" (1993); as in RFC 3720, B.4.
uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t length);

// The same on any processor.
uint32_t checksum_add_by_table(uint32_t checksum, const void *bytes, size_t length);

uint32_t history_header_checksum(const struct history_header *header);
uint32_t history_end_checksum(const struct history_end *end);

// Of chunk `number` (from 0) of this file before it has events; each event is added to it.
uint32_t history_chunk_checksum(const struct history_header *header, uint32_t number,
                                uint32_t first, uint32_t sequence);

#endif
