// What was found of each variant in each scenario, over the results of one or several runs.
#ifndef LOCKPICK_DETECTION_TALLY_H
#define LOCKPICK_DETECTION_TALLY_H

#include "harness/base/error.h"
#include "harness/detection/variants.h"

#include <stddef.h>
#include <stdint.h>

#define TALLY_PROPERTIES 200

// One scheme in one scenario.
struct tally {
    char *scenario;
    char *scheme;
    size_t trials;     // that came to a verdict, or ended in an error
    size_t found;      // of them UNSAFE or STUCK
    size_t safe;       // of them SAFE
    int64_t *first_ns; // of each that was found: from the start of the trial to the violation
    char properties[TALLY_PROPERTIES]; // that were found violated, "double-grant, lost-update"
};

struct tallies {
    struct tally *items;
    size_t count;
};

// Reads a run's result.json and adds what it says. 0, or -1 with `error` set.
int tallies_read(const char *path, struct tallies *tallies, struct error *error);
void tallies_free(struct tallies *tallies);

// The scheme in the scenario, or NULL if it was not tried there.
const struct tally *tally_find(const struct tallies *tallies, const char *scenario,
                               const char *scheme);

// True if the scheme that the variant was made from was tried in the scenario too, was SAFE there,
// and was never UNSAFE or STUCK: only then does it say something that the variant was found.
bool tally_counts(const struct tallies *tallies, const struct variant *variant,
                  const struct tally *tally);

// True if the variant was found in every trial of the scenario, and that counts.
bool tally_convicts(const struct tallies *tallies, const struct variant *variant,
                    const struct tally *tally);

// The median of first_ns; 0 if it was never found.
int64_t tally_median_ns(const struct tally *tally);

#endif
