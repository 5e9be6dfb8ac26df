// Memory of many pages.
#ifndef LOCKPICK_BASE_PAGES_H
#define LOCKPICK_BASE_PAGES_H

#include "harness/base/text.h"

#include <stdint.h>
#include <sys/mman.h>

// As memory_new, of what will be written soon and as a whole: all its pages are made at once, for
// a fault for each would take longer than what is done with it. Where the kernel cannot, it is
// memory like any other.
static inline void *memory_soon_full(size_t bytes)
{
    void *memory = memory_new(bytes);
    const uintptr_t page = 4096;
    uintptr_t from = ((uintptr_t)memory + page - 1) & ~(page - 1);
    if (bytes > 1024 * page)
        madvise((void *)from, bytes - page, MADV_POPULATE_WRITE);
    return memory;
}

#endif
