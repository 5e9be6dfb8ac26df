#include "harness/base/random.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t mixed = (*state += UINT64_C(0x9e3779b97f4a7c15));
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
    return (value << bits) | (value >> (64 - bits));
}

void random_start(struct random *random, uint64_t seed, uint64_t stream)
{
    uint64_t mix = seed;
    mix = splitmix64(&mix) ^ (stream * UINT64_C(0xd1342543de82ef95));
    for (size_t i = 0; i < 4; i++)
        random->state[i] = splitmix64(&mix);
}

uint64_t random_next(struct random *random)
{
    uint64_t *state = random->state;
    uint64_t result = rotate_left(state[1] * 5, 7) * 9;
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate_left(state[3], 45);
    return result;
}

void random_draw_zero(struct random *random)
{
    random->state[1] = 0;
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    if (bound == 0)
        return 0;
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t number;
    do {
        number = random_next(random);
    } while (number >= limit);
    return number % bound;
}

void random_hex(struct random *random, char *text, size_t length)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        if (i % 16 == 0)
            bits = random_next(random);
        text[i] = "0123456789abcdef"[bits & 15];
        bits >>= 4;
    }
    text[length] = '\0';
}
