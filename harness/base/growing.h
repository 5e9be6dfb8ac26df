// Arrays that are gone through, and that grow. Out of memory ends the process, as in text.h.
#ifndef LOCKPICK_BASE_GROWING_H
#define LOCKPICK_BASE_GROWING_H

#include "harness/base/text.h"

#include <string.h>

// Each struct of that type in an array; none if it is NULL.
#define FOR_EACH(type, item, items, count)                                                         \
    for (const struct type *item = (items); item != NULL && (size_t)(item - (items)) < (count);    \
         item++)

// The array, with room for at least one more element than `count`; `*room` follows.
static inline void *grown(void *array, size_t count, size_t *room, size_t bytes)
{
    if (count < *room)
        return array;
    *room = *room > 0 ? *room * 2 : 64;
    return memory_resized(array, *room * bytes);
}

// A new last element's address. `count` and `room` are lvalues of type size_t; what is assigned
// through the address must not mention any of the three.
#define APPEND(array, count, room)                                                                 \
    ((array) = grown(array, count, &(room), sizeof *(array)), &(array)[(count)++])

// The array, long enough to have an element at `index`; `*count` follows, and what is new is zero.
static inline void *reaching(void *array, size_t *count, size_t index, size_t bytes)
{
    if (index < *count)
        return array;
    size_t grown_count = index + 1 > *count * 2 ? index + 1 : *count * 2;
    char *longer = memory_resized(array, grown_count * bytes);
    memset(longer + *count * bytes, 0, (grown_count - *count) * bytes);
    *count = grown_count;
    return longer;
}

#endif
