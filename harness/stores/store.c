#include "harness/stores/store.h"

#include <string.h>

const struct store_kind *const store_catalogue[] = {
    &shm_store,
    &redis_store,
    &mysql_store,
    NULL,
};

const struct store_kind *store_kind_find(const char *name)
{
    for (size_t i = 0; store_catalogue[i] != NULL; i++) {
        if (strcmp(store_catalogue[i]->name, name) == 0)
            return store_catalogue[i];
    }
    return NULL;
}

int store_open(struct store *store, struct error *error)
{
    return store->kind->open == NULL ? 0 : store->kind->open(store, error);
}

void store_close(struct store *store)
{
    if (store->kind->close != NULL)
        store->kind->close(store);
}
