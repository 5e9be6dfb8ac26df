// Every model: one line here, and one in model.c.
#ifndef LOCKPICK_MODEL_CATALOGUE_H
#define LOCKPICK_MODEL_CATALOGUE_H

#include "harness/model/model.h"

extern const struct model mutex_model;
extern const struct model reentrant_model;
extern const struct model fenced_model;
extern const struct model reentrant_fenced_model;
extern const struct model semaphore_model;
extern const struct model read_write_model;
extern const struct model ownerless_model;
extern const struct model tokens_model;

#endif
