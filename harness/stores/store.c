#include "harness/stores/store.h"

#include "harness/base/text.h"

#include <stdlib.h>
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
    const struct store_kind *kind = store->kind;
    store->state = kind->state_bytes > 0 ? memory_zeroed(1, kind->state_bytes) : NULL;
    if (kind->connector == NULL)
        return 0;
    store->connection =
        kind->connector->open(store->service, store->request_ns, store->actor, error);
    if (store->connection == NULL)
        return -1;
    return kind->open != NULL ? kind->open(store, error) : 0;
}

void store_close(struct store *store)
{
    if (store->connection != NULL)
        store->kind->connector->close(store->connection);
    free(store->state);
    store->connection = store->state = NULL;
}

enum outcome store_noted(struct store *store, enum outcome outcome)
{
    if (outcome == OUTCOME_NO)
        return OUTCOME_UNKNOWN;
    if (outcome == OUTCOME_BROKEN)
        error_set(&store->error, "%s", client_error(store->connection));
    return outcome;
}
