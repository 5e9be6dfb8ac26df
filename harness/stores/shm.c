// An account in memory that all clients map: a load and a store, with nothing to hold them
// together. Fenced, value and highest token share one word of 32 bits each, so that the check and
// the write are one step and a client that dies in between leaves nothing locked.
#include "harness/stores/store.h"

static uint32_t token_of(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static int64_t value_of(uint64_t word)
{
    return (int32_t)(uint32_t)word;
}

static uint64_t pack(uint32_t token, int64_t value)
{
    return (uint64_t)token << 32 | (uint32_t)(int32_t)value;
}

// Raises the token, and replaces the value if one is given, unless the word has seen a newer one.
static enum outcome fenced_step(_Atomic uint64_t *shared, uint32_t token, const int64_t *written,
                                int64_t *value)
{
    uint64_t word = atomic_load(shared);
    do {
        if (token < token_of(word))
            return OUTCOME_NO;
        *value = written != NULL ? *written : value_of(word);
    } while (!atomic_compare_exchange_weak(shared, &word, pack(token, *value)));
    return OUTCOME_OK;
}

static enum outcome read_value(struct store *store, int64_t token, int64_t *value)
{
    if (store->fenced)
        return fenced_step(&store->shared->word, (uint32_t)token, NULL, value);
    *value = value_of(atomic_load_explicit(&store->shared->word, memory_order_acquire));
    return OUTCOME_OK;
}

static enum outcome write_value(struct store *store, int64_t token, int64_t value)
{
    int64_t ignored;
    if (store->fenced)
        return fenced_step(&store->shared->word, (uint32_t)token, &value, &ignored);
    atomic_store_explicit(&store->shared->word, pack(0, value), memory_order_release);
    return OUTCOME_OK;
}

const struct store_kind shm_store = {
    .name = "shm",
    .summary = "memory that all clients map, read and written in two steps",
    .read = read_value,
    .write = write_value,
};
