#include "harness/locks/catalogue.h"

#include <string.h>

const struct lock_scheme *const lock_catalogue[] = {
    &none_scheme,
    &process_mutex_scheme,
    &redis_get_set_scheme,
    &redis_setnx_scheme,
    &redis_setnx_expire_scheme,
    &redis_set_px_del_scheme,
    &redis_set_px_get_del_scheme,
    &redis_set_px_lua_scheme,
    NULL,
};

const struct lock_trait lock_traits[] = {
    {"exclusive", "at most one holder by design, as long as what `breaks` names stays away"},
    {"lease", "expires by itself: a crash does not block the others for ever"},
    {"owner-checked", "a release removes only the releaser's own lock"},
    {"fenced", "a grant can carry a fencing token that grows with every grant"},
    {"redis", "needs a Redis server"},
    {"local", "excludes only the workers of one client process"},
    {NULL, NULL},
};

const struct lock_scheme *lock_scheme_find(const char *name)
{
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        if (strcmp(lock_catalogue[i]->name, name) == 0)
            return lock_catalogue[i];
    }
    return NULL;
}
