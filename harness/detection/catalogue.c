// Takes the place of harness/locks/catalogue.c when lockpick-detection is linked: the same
// catalogue, and the variants.
#include "harness/locks/catalogue.h"
#include "harness/detection/variants.h"

#include <string.h>

#define PLACE_OF(name, base) PLACE_OF_##name,
enum { VARIANTS(PLACE_OF) VARIANT_COUNT };

static struct lock_scheme variants[VARIANT_COUNT];

#define LISTED(name) &name##_scheme,
#define BROKEN_LISTED(name, base) &variants[PLACE_OF_##name],
const struct lock_scheme *const lock_catalogue[] = {LOCK_SCHEMES(LISTED) VARIANTS(BROKEN_LISTED)
                                                        NULL};

#define BROKEN_OF(name, base) {&variants[PLACE_OF_##name], &base##_scheme},
const struct variant variant_catalogue[] = {VARIANTS(BROKEN_OF){NULL, NULL}};

const struct watchdog_settings no_renewal = {.batch = 0};

// A variant is the scheme that it was made from, but for the fields that its mistake sets: each is
// as large as a pointer.
static void make(struct lock_scheme *variant, const struct lock_scheme *base,
                 const struct lock_scheme *mistake)
{
    static const char unset[sizeof(void *)];
    *variant = *base;
    for (size_t at = 0; at < sizeof *variant; at += sizeof unset) {
        if (memcmp((const char *)mistake + at, unset, sizeof unset) != 0)
            memcpy((char *)variant + at, (const char *)mistake + at, sizeof unset);
    }
    if (variant->renewal == &no_renewal)
        variant->renewal = NULL;
}

#define MAKE(name, base) make(&variants[PLACE_OF_##name], &base##_scheme, &name##_mistake);
__attribute__((constructor)) static void make_variants(void)
{
    VARIANTS(MAKE)
}
