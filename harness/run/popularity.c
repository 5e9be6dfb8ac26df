#include "harness/run/popularity.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>

void popularity_make(struct popularity *popularity, size_t count, double skew)
{
    double sum = 0;
    *popularity = (struct popularity){.count = count};
    popularity->up_to = memory_zeroed(count, sizeof *popularity->up_to);
    for (size_t i = 0; i < count; i++) {
        sum += pow((double)i + 1, -skew);
        popularity->up_to[i] = sum;
    }
    for (size_t i = 0; i < count; i++)
        popularity->up_to[i] /= sum;
}

void popularity_free(struct popularity *popularity)
{
    free(popularity->up_to);
    *popularity = (struct popularity){0};
}

size_t popularity_draw(const struct popularity *popularity, struct random *random)
{
    double even = (double)random_below(random, UINT64_C(1) << 53) / 9007199254740992.0;
    size_t low = 0;
    size_t high = popularity->count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (even < popularity->up_to[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
