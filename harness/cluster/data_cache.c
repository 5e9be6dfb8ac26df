#include "harness/cluster/data_cache.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *data_cache_path(const char *name)
{
    static const char *const places[][2] = {{"XDG_CACHE_HOME", ""}, {"HOME", "/.cache"}};
    struct text path = {0};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *place = getenv(places[i][0]);
        if (place == NULL || place[0] != '/')
            continue; // as the XDG Base Directory Specification has it
        text_format(&path, "%s%s/lockpick/%s", place, places[i][1], name);
        break;
    }
    return path.bytes;
}

static int copy_folder(const char *from, const char *to)
{
    struct text contents = {0};
    struct text output = {0};
    text_format(&contents, "%s/.", from);
    const char *const arguments[] = {
        "cp", "-R", "--preserve=mode", "--reflink=auto", "--sparse=always", contents.bytes,
        to,   NULL};
    bool copied = folder_make(to, NULL) == 0 && process_run(arguments, "", -1, &output, NULL) == 0;
    text_free(&output);
    text_free(&contents);
    return copied ? 0 : -1;
}

int data_cache_fetch(const char *cache, const char *data)
{
    return access(cache, R_OK) == 0 ? copy_folder(cache, data) : -1;
}

// The temporary name is nobody else's: inside a PID namespace, process ids do not tell runs apart.
void data_cache_keep(const char *data, const char *cache)
{
    struct text temporary = {0};
    char *parent = memory_string(cache);
    char *slash = strrchr(parent, '/');
    if (slash != NULL)
        *slash = '\0';
    text_format(&temporary, "%s.XXXXXX", cache);
    bool made = folder_make(parent, NULL) == 0 && mkdtemp(temporary.bytes) != NULL;
    if (made && (copy_folder(data, temporary.bytes) != 0 || rename(temporary.bytes, cache) != 0))
        folder_remove(temporary.bytes, NULL);
    free(parent);
    text_free(&temporary);
}
