#include "harness/cluster/data_cache.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// Of what is kept: raised with each change of its form, or of how the servers make their data.
// Builds of different versions may be at work on one machine: what another layout keeps is no
// business of ours.
#define LAYOUT "layout-3"
#define HALF ".half-made"

char *data_cache_path(const char *name)
{
    static const char *const places[][2] = {{"XDG_CACHE_HOME", ""}, {"HOME", "/.cache"}};
    struct text path = {0};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *place = getenv(places[i][0]);
        if (place == NULL || place[0] != '/')
            continue; // as the XDG Base Directory Specification has it
        text_format(&path, "%s%s/lockpick/" LAYOUT "/%s", place, places[i][1], name);
        break;
    }
    return path.bytes;
}

#define GZIP_FAILED 1

static int run(const char *const *arguments, struct process_limit limit)
{
    AUTO_TEXT struct text ignored = {0};
    return process_run(arguments, "", -1, limit, &ignored, NULL);
}

int data_cache_fetch(const char *cache, const char *data, struct process_limit limit)
{
    const char *const extract[] = {"tar", "-xzpf", cache, "--no-same-owner", "-C", data, NULL};
    const char *const verify[] = {"gzip", "--test", cache, NULL};
    if (access(cache, R_OK) != 0)
        return -1;
    if (folder_make(data, NULL) == 0 && run(extract, limit) == 0)
        return 0;
    // What had to end before it had looked at all of it says nothing.
    if (run(verify, limit) == GZIP_FAILED) {
        fprintf(stderr,
                "lockpick: the data of a new server that are kept in %s are damaged; they are made "
                "anew\n",
                cache);
        unlink(cache);
    }
    return -1;
}

// Who puts something into the cache has it locked: so what is half made then, somebody left who was
// killed. Returns a descriptor to be closed, or -1 if another one is at it.
static int take_cache(const char *folder)
{
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        close(descriptor);
        return -1;
    }
    if (descriptor >= 0)
        unlinkat(descriptor, HALF, 0);
    return descriptor;
}

int data_cache_fill(const char *cache, int (*make)(const char *half, const void *context),
                    const void *context)
{
    AUTO_FREE char *folder = memory_string(cache);
    *strrchr(folder, '/') = '\0';
    AUTO_FREE char *half = path_join(folder, HALF);
    int lock = folder_make(folder, NULL) == 0 ? take_cache(folder) : -1;
    if (lock < 0)
        return -1;
    int result = make(half, context) == 0 ? rename(half, cache) : -1;
    if (result != 0)
        unlink(half);
    close(lock);
    return result;
}

struct packing {
    const char *data;
    struct process_limit limit;
};

static int pack(const char *half, const void *of)
{
    const struct packing *packing = of;
    const char *const arguments[] = {"tar", "-I",          "gzip -1", "-cSf", half,
                                     "-C",  packing->data, ".",       NULL};
    return run(arguments, packing->limit) == 0 ? 0 : -1;
}

void data_cache_keep(const char *data, const char *cache, struct process_limit limit)
{
    data_cache_fill(cache, pack, &(struct packing){data, limit});
}

void data_cache_sweep(void)
{
    AUTO_FREE char *folder = data_cache_path("");
    int lock = folder != NULL ? take_cache(folder) : -1;
    if (lock >= 0)
        close(lock);
}
