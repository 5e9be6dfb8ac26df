// Sorts holds in linear time.
#ifndef LOCKPICK_MODEL_ORDER_H
#define LOCKPICK_MODEL_ORDER_H

#include "harness/model/holds.h"

// By `from`; equal ones stay in their order. A radix sort (Knuth, TAOCP 3, 5.2.5), for qsort of ten
// million takes longer than all the rest together.
void order_holds(struct model_holds *holds);

#endif
