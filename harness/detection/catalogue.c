// Takes the place of harness/locks/catalogue.c when lockpick-detection is linked: the same
// catalogue, with the variants in it. What is in both is listed once, there: that file is compiled
// again here, and the variants follow its first scheme.
#include "harness/locks/catalogue.h"
#include "harness/detection/variants.h"

#define BROKEN_LISTED(name, base) , &name##_variant
#define none_scheme none_scheme VARIANTS(BROKEN_LISTED)
#include "harness/locks/catalogue.c"
#undef none_scheme

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
