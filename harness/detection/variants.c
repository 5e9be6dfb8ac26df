// variants: the schemes of this catalogue, for scripts/verdicts. The verb is added to those of
// lockpick, whose catalogue is compiled again here, as in catalogue.c.
#include "harness/detection/variants.h"
#include "harness/cli/verb.h"

extern const struct verb variants_verb;

#define run_verb run_verb, &variants_verb
#include "harness/cli/verb.c"
#undef run_verb

// NAME, the scheme that it was made from ("": it is sound), and its summary, with tabs between
// them.
static int run(const struct words *words, void *options)
{
    (void)words;
    (void)options;
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        const struct variant *variant = variant_catalogue;
        while (variant->scheme != NULL && variant->scheme != scheme)
            variant++;
        printf("%s\t%s\t%s\n", scheme->name,
               variant->scheme != NULL ? variant->made_from->name : "", scheme->summary);
    }
    return EXIT_AS_EXPECTED;
}

const struct verb variants_verb = {
    .name = "variants",
    .arguments = "",
    .summary = "Lists all schemes, and of the broken ones what each was made from",
    .run = run,
};
