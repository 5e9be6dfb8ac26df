#include "harness/wire/commands.h"

#include "harness/wire/redis.h"

#include <stddef.h>

const char *const *const wire_commands[] = {
    redis_commands,
    NULL,
};
