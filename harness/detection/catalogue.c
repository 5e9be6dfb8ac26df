// Takes the place of harness/locks/catalogue.c when lockpick-detection is linked: the same
// catalogue, and the variants.
#include "harness/locks/catalogue.h"
#include "harness/detection/variants.h"

#include <string.h>

#define LISTED(name) &name##_scheme,
#define BROKEN_LISTED(name, base) &name##_variant,
const struct lock_scheme *const lock_catalogue[] = {LOCK_SCHEMES(LISTED) VARIANTS(BROKEN_LISTED)
                                                        NULL};

#define BROKEN_OF(name, base) {&name##_variant, &base##_scheme},
const struct variant variant_catalogue[] = {VARIANTS(BROKEN_OF){NULL, NULL}};

const struct variant *variant_find(const char *name)
{
    for (const struct variant *variant = variant_catalogue; variant->scheme != NULL; variant++) {
        if (strcmp(variant->scheme->name, name) == 0)
            return variant;
    }
    return NULL;
}
