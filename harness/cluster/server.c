#include "harness/cluster/server.h"

#include "harness/base/text.h"
#include "harness/cluster/process.h"
#include "harness/cluster/redis_server.h"

#include <stdio.h>
#include <string.h>

const struct server_kind *const server_catalogue[] = {
    &redis_server,
    NULL,
};

const struct server_kind *server_kind_find(const char *name)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        if (strcmp(server_catalogue[i]->name, name) == 0)
            return server_catalogue[i];
    }
    return NULL;
}

const char *server_version(const struct server_kind *kind, char *out, size_t room)
{
    const char *const arguments[] = {kind->program, "--version", NULL};
    struct text output = {0};
    snprintf(out, room, "%s", kind->program);
    if (process_run(arguments, "", -1, &output, NULL) == 0 && output.length > 0) {
        // "Redis server v=7.0.15 sha=..." and most others: the first word with a digit after '='
        // or a space.
        char *version = strpbrk(output.bytes, "0123456789");
        if (version != NULL)
            snprintf(out, room, "%s %.*s", kind->program, (int)strcspn(version, " \n,-"), version);
    }
    text_free(&output);
    return out;
}
