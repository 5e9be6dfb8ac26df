// An account in memory that all clients map: a load and a store, with nothing to hold them
// together. Fenced, value and highest token are swapped as one pair of 64 bits each, so that the
// check and the write are one step and a client that dies in between leaves nothing locked.
#include "harness/stores/store.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the value is the half that comes first");

// The two halves as one number, for the processor's compare-and-swap of 16 bytes.
__extension__ typedef unsigned __int128 account_pair;

#if defined(__x86_64__)
__attribute__((target("cx16"), noinline))
#endif
static account_pair
swap_if(account_pair *pair, account_pair expected, account_pair wanted)
{
    return __sync_val_compare_and_swap(pair, expected, wanted);
}

// Raises the token, and replaces the value if one is given, unless the pair has seen a newer one.
static enum outcome fenced_step(struct shared_account *account, uint64_t token,
                                const int64_t *written, int64_t *value)
{
    account_pair *pair = (account_pair *)(void *)account->halves;
    account_pair seen = swap_if(pair, 0, 0);
    for (;;) {
        if (token < (uint64_t)(seen >> 64))
            return OUTCOME_NO;
        *value = written != NULL ? *written : (int64_t)(uint64_t)seen;
        account_pair found = swap_if(pair, seen, (account_pair)token << 64 | (uint64_t)*value);
        if (found == seen)
            return OUTCOME_OK;
        seen = found;
    }
}

static enum outcome read_value(struct store *store, int64_t token, int64_t *value)
{
    if (store->fenced)
        return fenced_step(store->shared, (uint64_t)token, NULL, value);
    *value = (int64_t)atomic_load_explicit(&store->shared->halves[0], memory_order_acquire);
    return OUTCOME_OK;
}

static enum outcome write_value(struct store *store, int64_t token, int64_t value)
{
    int64_t ignored;
    if (store->fenced)
        return fenced_step(store->shared, (uint64_t)token, &value, &ignored);
    atomic_store_explicit(&store->shared->halves[0], (uint64_t)value, memory_order_release);
    return OUTCOME_OK;
}

const struct store_kind shm_store = {
    .name = "shm",
    .summary = "memory that all clients map, read and written in two steps",
    .read = read_value,
    .write = write_value,
};
