// Variables that own what they hold: it is freed at the end of their block, however that is left.
//
//   AUTO_FREE char *path = path_join(folder, "server.log");
//   AUTO_TEXT struct text log = {0};
//
// AUTO_FREE is also for a struct whose first member is what it holds.
#ifndef LOCKPICK_BASE_SCOPE_H
#define LOCKPICK_BASE_SCOPE_H

#include "harness/base/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define AUTO_FREE __attribute__((cleanup(scope_free)))
#define AUTO_TEXT __attribute__((cleanup(text_free)))

// From here to the end of the block the mutex is held.
#define HOLD_MUTEX(mutex)                                                                          \
    __attribute__((cleanup(scope_unlock), unused)) pthread_mutex_t *const held_mutex =             \
        scope_lock(mutex)

static inline pthread_mutex_t *scope_lock(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    return mutex;
}

static inline void scope_unlock(pthread_mutex_t *const *mutex)
{
    pthread_mutex_unlock(*mutex);
}

static inline void scope_free(void *variable)
{
    void *held;
    memcpy(&held, variable, sizeof held);
    free(held);
}

#endif
