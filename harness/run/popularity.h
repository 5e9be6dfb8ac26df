// Which of several locks an operation takes: all alike, or some far more often than others.
//
// Zipf's law: the nth is wanted in proportion to 1 / n^skew, as web pages and database rows are
// (Breslau et al., "Web Caching and Zipf-like Distributions", 1999); 0.99 is what YCSB uses.
#ifndef LOCKPICK_RUN_POPULARITY_H
#define LOCKPICK_RUN_POPULARITY_H

#include "harness/base/random.h"

struct popularity {
    size_t count;
    double *up_to; // the share of the first, of the first two, ... of all, which is 1
};

// The caller frees with popularity_free.
void popularity_make(struct popularity *popularity, size_t count, double skew);
void popularity_free(struct popularity *popularity);

// One of them, from 0.
size_t popularity_draw(const struct popularity *popularity, struct random *random);

#endif
