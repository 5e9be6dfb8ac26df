#include "harness/cluster/data_cache.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

#define HALF ".half-"

// Who puts something into the cache has it locked: so what has a temporary name then, somebody left
// who was killed. Returns a descriptor to be closed, or -1 if another one is at it.
static int take_cache(const char *folder)
{
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        close(descriptor);
        return -1;
    }
    DIR *all = descriptor >= 0 ? opendir(folder) : NULL;
    for (const struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        char *half = path_join(folder, entry->d_name);
        if (strncmp(entry->d_name, HALF, strlen(HALF)) == 0)
            folder_remove(half, NULL);
        free(half);
    }
    if (all != NULL)
        closedir(all);
    return descriptor;
}

void data_cache_keep(const char *data, const char *cache)
{
    char *folder = memory_string(cache);
    *strrchr(folder, '/') = '\0';
    char *half = path_join(folder, HALF "XXXXXX");
    int lock = folder_make(folder, NULL) == 0 ? take_cache(folder) : -1;
    if (lock >= 0 && mkdtemp(half) != NULL &&
        (copy_folder(data, half) != 0 || rename(half, cache) != 0))
        folder_remove(half, NULL);
    if (lock >= 0)
        close(lock);
    free(half);
    free(folder);
}

void data_cache_sweep(void)
{
    char *folder = data_cache_path("");
    int lock = folder != NULL ? take_cache(folder) : -1;
    if (lock >= 0)
        close(lock);
    free(folder);
}
