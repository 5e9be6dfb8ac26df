#include "harness/cluster/disk.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/random.h"
#include "harness/base/scope.h"
#include "harness/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FLIPS 4
#define STREAM UINT64_C(0x6469736b) // of the seed

// --- what is lost --------------------------------------------------------------------------------

static int copy_anew(const char *from, const char *to, const struct node *node, struct error *error)
{
    const char *const arguments[] = {
        "cp", "-R", "-T", "--preserve=mode", "--reflink=auto", "--sparse=always", from, to, NULL};
    AUTO_TEXT struct text output = {0};
    if (folder_remove(to, error) != 0)
        return -1;
    int status = process_run(arguments, "", -1, node_limit(node), &output, NULL);
    return status == 0
               ? 0
               : error_set(error, "cannot copy the data of %s from %s to %s", node->name, from, to);
}

int disk_keep(struct node *node, struct error *error)
{
    AUTO_FREE char *kept = path_join(node->home, NODE_KEPT_DATA);
    node->rolls_back = copy_anew(node->data, kept, node, error) == 0;
    return node->rolls_back ? 0 : -1;
}

int disk_roll_back(const struct node *node, struct error *error)
{
    AUTO_FREE char *kept = path_join(node->home, NODE_KEPT_DATA);
    return node->rolls_back ? copy_anew(kept, node->data, node, error) : 0;
}

void disk_settle(struct node *node)
{
    AUTO_FREE char *kept = path_join(node->home, NODE_KEPT_DATA);
    node->rolls_back = false;
    folder_remove(kept, NULL);
}

// --- what is damaged -----------------------------------------------------------------------------

static int by_name(const FTSENT **left, const FTSENT **right)
{
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

// The nth file with something in it that was written to since then, from 0; the caller frees.
// *count is how many there are, if `nth` is more.
static char *nth_file(const struct node *node, int64_t since_ns, size_t nth, size_t *count)
{
    char *const roots[] = {node->data, NULL};
    FTS *all = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    char *found = NULL;
    *count = 0;
    for (FTSENT *entry; all != NULL && found == NULL && (entry = fts_read(all)) != NULL;) {
        const struct timespec *written = &entry->fts_statp->st_mtim;
        if (entry->fts_info == FTS_F && entry->fts_statp->st_size > 0 &&
            written->tv_sec * NS_PER_S + written->tv_nsec >= since_ns && (*count)++ == nth)
            found = memory_string(entry->fts_path);
    }
    if (all != NULL)
        fts_close(all);
    return found;
}

static char *draw_file(const struct node *node, struct random *random)
{
    const int64_t since_ns[] = {node->ready_ns, INT64_MIN};
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        nth_file(node, since_ns[i], SIZE_MAX, &count);
        if (count > 0)
            return nth_file(node, since_ns[i], random_below(random, count), &count);
    }
    return NULL;
}

// The nth byte that is not 0, from 0; `count` of them if `nth` is more.
static size_t nth_byte(const struct text *content, uint64_t nth, uint64_t *count)
{
    *count = 0;
    for (size_t at = 0; at < content->length; at++) {
        if (content->bytes[at] != 0 && (*count)++ == nth)
            return at;
    }
    return content->length;
}

static bool flip(int descriptor, off_t at, unsigned bit)
{
    unsigned char byte;
    if (pread(descriptor, &byte, 1, at) != 1)
        return false;
    byte = (unsigned char)(byte ^ (1U << bit));
    return pwrite(descriptor, &byte, 1, at) == 1;
}

int disk_flip_bits(const struct node *node, uint64_t seed, char *out, size_t room,
                   struct error *error)
{
    struct random random;
    AUTO_TEXT struct text content = {0}, told = {0};
    random_start(&random, seed, STREAM);
    AUTO_FREE char *path = draw_file(node, &random);
    if (path == NULL)
        return error_set(error, "%s has no data in %s", node->name, node->data);
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    bool done = descriptor >= 0 && file_read(path, &content, NULL) == 0;
    text_format(&told, "%s, bytes ", path + strlen(node->data) + 1);
    for (int i = 0; i < FLIPS && done; i++) {
        uint64_t count;
        nth_byte(&content, UINT64_MAX, &count);
        size_t at = count > 0 ? nth_byte(&content, random_below(&random, count), &count) : 0;
        done = flip(descriptor, (off_t)at, (unsigned)random_below(&random, 8));
        text_format(&told, "%s%zu", i > 0 ? ", " : "", at);
    }
    int result = done ? 0 : error_set(error, "cannot change %s: %s", path, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    snprintf(out, room, "%s", told.bytes);
    return result;
}
