#include "harness/drive/stage.h"

#include "harness/base/futex.h"

#include <stdarg.h>
#include <stdio.h>

void stage_break(const struct stage *stage, const char *format, ...)
{
    struct control *control = stage->control;
    uint32_t whole = 0;
    if (!atomic_compare_exchange_strong(&control->broken, &whole, 1))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(control->broken_text, sizeof control->broken_text, format, arguments);
    va_end(arguments);
    atomic_store(&control->broken, 2);
    stage_stop(stage);
    futex_wake_all(&control->ready);
}

void stage_stop(const struct stage *stage)
{
    atomic_store(&stage->control->stop, 1);
    futex_wake_all(&stage->control->stop);
}

const char *stage_broken(const struct stage *stage)
{
    return atomic_load(&stage->control->broken) == 2 ? stage->control->broken_text : NULL;
}
