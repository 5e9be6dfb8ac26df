// What names a scenario may use: gathered from the catalogues.
#ifndef LOCKPICK_RUN_VOCABULARY_H
#define LOCKPICK_RUN_VOCABULARY_H

#include "harness/scenario/scenario.h"

// The caller frees with vocabulary_free.
struct vocabulary *vocabulary_new(void);
void vocabulary_free(struct vocabulary *vocabulary);

#endif
