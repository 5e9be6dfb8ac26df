// A small, fast, seeded random stream; one per worker, so that a run can be repeated.
// Algorithm: xoshiro256** seeded by splitmix64 (Blackman and Vigna, prng.di.unimi.it).
#ifndef LOCKPICK_BASE_RANDOM_H
#define LOCKPICK_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state[4];
};

// Starts a stream. Equal seed and stream give equal numbers; different streams are independent.
void random_start(struct random *random, uint64_t seed, uint64_t stream);

uint64_t random_next(struct random *random);

// A number in [0, bound), without modulo bias; 0 if bound is 0.
uint64_t random_below(struct random *random, uint64_t bound);

// Has the next number of the stream be 0, and the others after it differ.
void random_draw_zero(struct random *random);

// Writes `length` lower-case hexadecimal digits and a final NUL: `text` holds length + 1 bytes.
void random_hex(struct random *random, char *text, size_t length);

#endif
