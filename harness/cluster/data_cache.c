#include "harness/cluster/data_cache.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/process.h"
#include "harness/history/checksum.h"

#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// Of what is kept: raised with each change of its parts, of the checksum, of how the servers make
// their data. Builds of different versions may be at work on one machine: what another layout keeps
// is no business of ours.
#define LAYOUT "layout-2"

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

int data_copy(const char *from, const char *to, struct process_limit limit)
{
    struct text contents = {0};
    struct text output = {0};
    text_format(&contents, "%s/.", from);
    const char *const arguments[] = {
        "cp", "-R", "--preserve=mode", "--reflink=auto", "--sparse=always", contents.bytes,
        to,   NULL};
    bool copied =
        folder_make(to, NULL) == 0 && process_run(arguments, "", -1, limit, &output, NULL) == 0;
    text_free(&output);
    text_free(&contents);
    return copied ? 0 : -1;
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

// What is kept has two parts: the data, and the checksum of all of them.
#define DATA "data"
#define CHECKSUM "checksum"

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

// Adds the content of a file and its length, a piece after the other. False if it cannot be read.
static bool sum_file(const char *path, uint32_t *checksum)
{
    const size_t room = (size_t)256 << 10;
    int descriptor = file_open(path, NULL);
    char *piece = memory_new(room);
    uint64_t length = 0;
    ssize_t got = descriptor < 0 ? -1 : 1;
    while (got > 0) {
        got = read(descriptor, piece, room);
        if (got > 0) {
            *checksum = checksum_add(*checksum, piece, (size_t)got);
            length += (uint64_t)got;
        }
    }
    *checksum = checksum_add(*checksum, &length, sizeof length);
    free(piece);
    if (descriptor >= 0)
        close(descriptor);
    return got == 0;
}

// Of the names and contents of all that is in the folder, in text. False if it cannot be read.
static bool sum_folder(const char *folder, struct text *sum)
{
    char *copy = memory_string(folder);
    char *const roots[] = {copy, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    uint32_t checksum = 0;
    bool is_readable = walk != NULL;
    for (const FTSENT *entry; is_readable && (entry = fts_read(walk)) != NULL;) {
        const char *name = entry->fts_path + strlen(folder);
        checksum = checksum_add(checksum, name, strlen(name) + 1);
        if (entry->fts_info == FTS_F)
            is_readable = sum_file(entry->fts_path, &checksum);
        else
            is_readable = entry->fts_info == FTS_D || entry->fts_info == FTS_DP;
    }
    if (walk != NULL)
        fts_close(walk);
    free(copy);
    text_format(sum, "%08" PRIx32 "\n", checksum);
    return is_readable;
}

// True if the folder has the contents of which that is the checksum.
static bool is_whole(const char *folder, const char *checksum_file)
{
    struct text wanted = {0};
    struct text found = {0};
    bool is = file_read(checksum_file, &wanted, NULL) == 0 && sum_folder(folder, &found) &&
              strcmp(text_string(&wanted), found.bytes) == 0;
    text_free(&wanted);
    text_free(&found);
    return is;
}

static void remove_damaged(const char *cache)
{
    struct text half = {0};
    text_format(&half, "%.*s/" HALF "XXXXXX", (int)(strrchr(cache, '/') - cache), cache);
    fprintf(
        stderr,
        "lockpick: the data of a new server that are kept in %s are damaged; they are made anew\n",
        cache);
    if (mkdtemp(half.bytes) != NULL)
        (void)rename(cache, half.bytes);
    folder_remove(half.bytes, NULL);
    text_free(&half);
}

// The copy is what is looked at: it may have been cut short, too.
int data_cache_fetch(const char *cache, const char *data, struct process_limit limit)
{
    if (access(cache, R_OK) != 0)
        return -1;
    char *kept = path_join(cache, DATA);
    char *checksum = path_join(cache, CHECKSUM);
    int result = data_copy(kept, data, limit) == 0 && is_whole(data, checksum) ? 0 : -1;
    if (result != 0 && !is_whole(kept, checksum))
        remove_damaged(cache);
    free(checksum);
    free(kept);
    return result;
}

static int write_half(const char *data, const char *half, struct process_limit limit)
{
    struct text sum = {0};
    char *kept = path_join(half, DATA);
    char *checksum = path_join(half, CHECKSUM);
    bool is_written = data_copy(data, kept, limit) == 0 && sum_folder(data, &sum) &&
                      file_write(checksum, sum.bytes, sum.length, NULL) == 0 &&
                      is_whole(kept, checksum);
    free(checksum);
    free(kept);
    text_free(&sum);
    return is_written ? 0 : -1;
}

void data_cache_keep(const char *data, const char *cache, struct process_limit limit)
{
    char *folder = memory_string(cache);
    *strrchr(folder, '/') = '\0';
    char *half = path_join(folder, HALF "XXXXXX");
    int lock = folder_make(folder, NULL) == 0 ? take_cache(folder) : -1;
    if (lock >= 0 && mkdtemp(half) != NULL &&
        (write_half(data, half, limit) != 0 || rename(half, cache) != 0))
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
