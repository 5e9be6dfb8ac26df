#include "harness/base/ahead.h"

static void await(sem_t *slots)
{
    while (sem_wait(slots) != 0)
        continue; // a signal came
}

static void *work(void *argument)
{
    struct ahead *ahead = argument;
    for (size_t slot = 0;; slot = (slot + 1) % ahead->slots) {
        await(&ahead->empty);
        if (ahead->is_over)
            return NULL;
        ahead->fill(ahead->context, slot);
        sem_post(&ahead->full);
    }
}

void ahead_start(struct ahead *ahead, size_t slots, void (*fill)(void *context, size_t slot),
                 void *context)
{
    *ahead = (struct ahead){.fill = fill, .context = context, .slots = slots};
    sem_init(&ahead->empty, 0, (unsigned)slots);
    sem_init(&ahead->full, 0, 0);
    ahead->has_thread = slots > 1 && pthread_create(&ahead->thread, NULL, work, ahead) == 0;
}

size_t ahead_next(struct ahead *ahead)
{
    if (!ahead->has_thread) {
        ahead->fill(ahead->context, 0);
        return 0;
    }
    if (ahead->is_in_use) {
        ahead->slot = (ahead->slot + 1) % ahead->slots;
        sem_post(&ahead->empty); // the one before
    }
    ahead->is_in_use = true;
    await(&ahead->full);
    return ahead->slot;
}

void ahead_stop(struct ahead *ahead)
{
    if (ahead->has_thread) {
        ahead->is_over = true;
        sem_post(&ahead->empty);
        pthread_join(ahead->thread, NULL);
    }
    if (ahead->slots > 0) {
        sem_destroy(&ahead->empty);
        sem_destroy(&ahead->full);
    }
}
