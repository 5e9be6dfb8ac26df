// CRC-32C (Castagnoli), by which damage to a history is noticed.
#ifndef LOCKPICK_HISTORY_CHECKSUM_H
#define LOCKPICK_HISTORY_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

// The checksum of what `checksum` is of, and of `bytes` behind it; begin with 0. Uses the
// processor's instruction where it has one.
//
// Source: Castagnoli, Braeuer and Herrmann, "Optimization of cyclic redundancy-check codes with 24
// and 32 parity bits" (1993); as in RFC 3720, B.4.
uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t length);

// The same on any processor.
uint32_t checksum_add_by_table(uint32_t checksum, const void *bytes, size_t length);

#endif
