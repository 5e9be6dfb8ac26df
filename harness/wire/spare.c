#include "harness/wire/spare.h"

#include "harness/base/growing.h"

#include <pthread.h>
#include <stdlib.h>

struct spare_client {
    const struct connector *connector;
    void *client;
    int64_t request_ns;
    bool is_in_use, is_old;
};

struct spare_clients {
    pthread_mutex_t mutex;
    struct spare_client *items; // those in use, too
    size_t count, room;
};

struct spare_clients *spare_clients_new(void)
{
    struct spare_clients *spare = memory_zeroed(1, sizeof *spare);
    pthread_mutex_init(&spare->mutex, NULL);
    return spare;
}

static void drop(struct spare_clients *spare, struct spare_client *item)
{
    item->connector->close(item->client);
    *item = spare->items[--spare->count];
}

void spare_clients_forget(struct spare_clients *spare)
{
    pthread_mutex_lock(&spare->mutex);
    for (size_t i = spare->count; i-- > 0;) {
        spare->items[i].is_old = true;
        if (!spare->items[i].is_in_use)
            drop(spare, &spare->items[i]);
    }
    pthread_mutex_unlock(&spare->mutex);
}

void spare_clients_free(struct spare_clients *spare)
{
    if (spare == NULL)
        return;
    spare_clients_forget(spare);
    pthread_mutex_destroy(&spare->mutex);
    free(spare->items);
    free(spare);
}

// NULL: there is none that can go on.
static void *take(struct spare_clients *spare, const struct connector *connector,
                  int64_t request_ns, struct actor *actor)
{
    for (size_t i = spare->count; i-- > 0;) {
        struct spare_client *item = &spare->items[i];
        if (item->is_in_use || item->connector != connector || item->request_ns != request_ns)
            continue;
        item->is_in_use = connector->reuse(item->client, actor);
        if (item->is_in_use)
            return item->client;
        drop(spare, item);
    }
    return NULL;
}

void *connector_open(const struct connector *connector, const struct service *service,
                     int64_t request_ns, struct actor *actor, struct error *error)
{
    struct spare_clients *spare = connector->reuse != NULL ? service->spare : NULL;
    if (spare == NULL)
        return connector->open(service, request_ns, actor, error);
    pthread_mutex_lock(&spare->mutex);
    void *client = take(spare, connector, request_ns, actor);
    if (client == NULL) {
        client = connector->open(service, request_ns, actor, error);
        if (client != NULL)
            *APPEND(spare->items, spare->count, spare->room) =
                (struct spare_client){connector, client, request_ns, .is_in_use = true};
    }
    pthread_mutex_unlock(&spare->mutex);
    return client;
}

void connector_close(const struct connector *connector, const struct service *service, void *client)
{
    struct spare_clients *spare = connector->reuse != NULL ? service->spare : NULL;
    if (client == NULL || spare == NULL) {
        connector->close(client);
        return;
    }
    pthread_mutex_lock(&spare->mutex);
    struct spare_client *item = spare->items;
    while (item->client != client)
        item++;
    item->is_in_use = false;
    if (item->is_old)
        drop(spare, item);
    pthread_mutex_unlock(&spare->mutex);
}
