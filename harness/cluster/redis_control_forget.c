// What a Redis server loses while it is down: files of a server that does not run.
//
// The file that commands are appended to (AOF) is, from Redis 7 on, one or several, in an order
// that a manifest tells. With aof-timestamp-enabled a line "#TS:<second>" stands before the first
// command of each second.
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/redis_control_link.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILES 16
#define AOF_FOLDER "appendonlydir"
#define MANIFEST "appendonly.aof.manifest"

// --- everything ----------------------------------------------------------------------------------

// Which group a server belongs to.
static const char *const kept[] = {"nodes.conf", "redis.conf", "sentinel.conf", NULL};

static int remove_entry(const char *path, struct error *error)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return 0;
    if (errno == EISDIR || errno == EPERM)
        return folder_remove(path, error);
    return error_set(error, "cannot remove %s: %s", path, strerror(errno));
}

static int forget_everything(const struct node *node, struct error *error)
{
    DIR *folder = opendir(node->data);
    int result = 0;
    if (folder == NULL)
        return error_set(error, "cannot read folder %s: %s", node->data, strerror(errno));
    for (struct dirent *entry; result == 0 && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            text_is_one_of(entry->d_name, kept))
            continue;
        char *path = path_join(node->data, entry->d_name);
        result = remove_entry(path, error);
        free(path);
    }
    closedir(folder);
    return result;
}

// --- one file of commands ------------------------------------------------------------------------

// A place in a file's bytes.
struct place {
    const char *at;
    const char *end;
};

// Reads "<mark><number>\r\n" and goes behind it. False if there is none, whole.
static bool read_number(struct place *place, const char *mark, long long *number)
{
    size_t length = strlen(mark);
    if ((size_t)(place->end - place->at) < length || memcmp(place->at, mark, length) != 0)
        return false;
    const char *after = memchr(place->at, '\n', (size_t)(place->end - place->at));
    if (after == NULL)
        return false;
    *number = strtoll(place->at + length, NULL, 10);
    place->at = after + 1;
    return true;
}

// Goes behind a command: *2 $3 DEL $4 lock. False if it is not there as a whole.
static bool skip_command(struct place *place)
{
    long long words;
    long long length;
    if (!read_number(place, "*", &words))
        return false;
    for (; words > 0; words--) {
        if (!read_number(place, "$", &length) || length < 0 || place->end - place->at < length + 2)
            return false;
        place->at += length + 2;
    }
    return true;
}

// Where the first command of second `from` or a later one begins: the offset of its time, or that
// of the end. *newest becomes the newest time that was passed.
static size_t find_time(const struct text *file, long long from, long long *newest)
{
    struct place place = {file->bytes, file->bytes + file->length};
    while (place.at < place.end) {
        const char *here = place.at;
        long long second;
        if (read_number(&place, "#TS:", &second)) {
            if (second >= from)
                return (size_t)(here - file->bytes);
            *newest = second;
        } else if (!skip_command(&place)) {
            break; // what a kill has cut off in the middle, Redis leaves out
        }
    }
    return file->length;
}

// --- all files of commands -----------------------------------------------------------------------

struct files {
    char *paths[MAX_FILES];
    struct text texts[MAX_FILES];
    int count;
};

static void free_files(struct files *files)
{
    for (int i = 0; i < files->count; i++) {
        free(files->paths[i]);
        text_free(&files->texts[i]);
    }
}

// The manifest's lines: "file appendonly.aof.1.incr.aof seq 1 type i"; i is what was appended.
static int read_files(const char *folder, struct files *files, struct error *error)
{
    char name[256];
    char type[2];
    struct text manifest = {0};
    char *path = path_join(folder, MANIFEST);
    int result = file_read(path, &manifest, error);
    for (const char *line = text_string(&manifest); result == 0 && line != NULL;) {
        if (sscanf(line, "file %255s seq %*s type %1s", name, type) == 2 && type[0] == 'i' &&
            files->count < MAX_FILES) {
            int index = files->count++;
            files->paths[index] = path_join(folder, name);
            result = file_read(files->paths[index], &files->texts[index], error);
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    text_free(&manifest);
    free(path);
    return result;
}

// When the last of them was last written to, by CLOCK_REALTIME; 0 if that cannot be told.
static int64_t written_ns(const struct files *files)
{
    struct stat found;
    if (files->count == 0 || stat(files->paths[files->count - 1], &found) != 0)
        return 0;
    return found.st_mtim.tv_sec * NS_PER_S + found.st_mtim.tv_nsec;
}

// Cuts off all that was written from that second on.
static int cut_files(const struct files *files, long long from, struct error *error)
{
    bool is_cut = false;
    for (int i = 0; i < files->count; i++) {
        long long ignored;
        size_t length = is_cut ? 0 : find_time(&files->texts[i], from, &ignored);
        if (length == files->texts[i].length)
            continue;
        if (truncate(files->paths[i], (off_t)length) != 0)
            return error_set(error, "cannot truncate %s: %s", files->paths[i], strerror(errno));
        is_cut = true;
    }
    return 0;
}

// The age of a write when the server died: how long the last one was ago then, and how far apart
// the two were by the server's own clock. Of those apart by less than a whole second, none is
// certain to be a second old.
static int forget_last_second(const struct node *node, const struct files *files,
                              struct error *error)
{
    long long newest = -1;
    size_t bytes = 0;
    if (node->died_ns != 0 && node->died_ns - written_ns(files) >= NS_PER_S)
        return 0;
    for (int i = 0; i < files->count; i++) {
        find_time(&files->texts[i], INT64_MAX, &newest);
        bytes += files->texts[i].length;
    }
    if (newest >= 0)
        return cut_files(files, newest - 1, error);
    return bytes == 0 ? 0
                      : error_set(error,
                                  "the AOF of %s does not tell when something was written: "
                                  "that needs Redis 7 with aof-timestamp-enabled",
                                  node->name);
}

static int forget_unsynced(const struct node *node, struct error *error)
{
    char *folder = path_join(node->data, AOF_FOLDER);
    struct files files = {0};
    int result = read_files(folder, &files, error);
    if (result == 0)
        result = forget_last_second(node, &files, error);
    free_files(&files);
    free(folder);
    return result;
}

// Sentinels have nothing but what they know of their group, and write that at once.
int redis_forget(const struct node *node, enum loss loss, struct error *error)
{
    enum persistence persistence = node->group->settings.persistence;
    if (loss == LOSS_NONE || strcmp(node->role, "sentinel") == 0)
        return 0;
    if (loss == LOSS_ALL || persistence == PERSISTENCE_NONE)
        return forget_everything(node, error);
    return persistence == PERSISTENCE_AOF_EVERYSEC ? forget_unsynced(node, error) : 0;
}
