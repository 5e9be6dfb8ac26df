#include "harness/import/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define LONGEST 200
#define FIRST_ROOM ((size_t)1 << 16)
#define MOST_AT_ONCE ((size_t)1 << 30) // gzread takes an unsigned, and returns an int

static bool is_gzip(int descriptor)
{
    unsigned char magic[2];
    return pread(descriptor, magic, sizeof magic, 0) == sizeof magic && magic[0] == 0x1f &&
           magic[1] == 0x8b;
}

// A mapped hole needs room on the disk, if that is in memory, as soon as it is read: where there is
// none that is our end by SIGBUS.
static bool has_holes(const struct stat *status)
{
    return status->st_blocks * 512 < status->st_size;
}

// Takes the descriptor over. gzread passes on as it is whatever does not begin like gzip.
static int read_all(const char *name, int descriptor, struct source *source, struct error *error)
{
    gzFile file = gzdopen(descriptor, "rb");
    if (file == NULL) {
        close(descriptor);
        return error_set(error, "cannot read %s: out of memory", name);
    }
    gzbuffer(file, 1 << 17);
    size_t room = FIRST_ROOM;
    char *bytes = memory_new(room);
    int got = 0;
    do {
        if (source->length == room)
            bytes = memory_resized(bytes, room *= 2);
        size_t left = room - source->length;
        got = gzread(file, bytes + source->length,
                     (unsigned)(left < MOST_AT_ONCE ? left : MOST_AT_ONCE));
        source->length += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    source->bytes = bytes;
    int code = Z_OK;
    const char *why = gzerror(file, &code);
    int result = 0;
    if (code == Z_BUF_ERROR)
        result = error_set(error, "%s: its gzip data end too soon: the file is cut short", name);
    else if (got < 0)
        result =
            error_set(error, "cannot read %s: %s", name, code == Z_ERRNO ? strerror(errno) : why);
    gzclose(file);
    return result;
}

int source_open(const char *path, struct source *source, struct error *error)
{
    struct stat status;
    bool is_input = strcmp(path, "-") == 0;
    const char *name = source_name(path);
    int descriptor =
        is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        error_set(error, "cannot open %s: %s", name, strerror(errno));
    } else if (S_ISDIR(status.st_mode)) {
        error_set(error, "%s is a folder; expected a file", name);
    } else if (S_ISREG(status.st_mode) && status.st_size > 0 && !has_holes(&status) &&
               !is_gzip(descriptor) && lseek(descriptor, 0, SEEK_CUR) == 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes == MAP_FAILED)
            error_set(error, "cannot map %s: %s", name, strerror(errno));
        else
            *source = (struct source){bytes, (size_t)status.st_size, true};
        close(descriptor);
        return bytes == MAP_FAILED ? -1 : 0;
    } else {
        return read_all(name, descriptor, source, error);
    }
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

const char *source_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

void source_close(struct source *source)
{
    if (source->is_mapped)
        munmap((void *)(size_t)source->bytes, source->length);
    else
        free((void *)(size_t)source->bytes);
    *source = (struct source){0};
}

const char *source_line(const struct source *source, uint32_t line, char *text, size_t room)
{
    const char *at = source->bytes;
    const char *end = source->bytes + source->length;
    for (uint32_t i = 1; i < line && at != NULL && at < end; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline == NULL ? end : newline + 1;
    }
    size_t used = 0;
    while (at < end && *at == ' ')
        at++;
    for (; at < end && *at != '\n' && used < LONGEST && used + 4 < room; at++)
        text[used++] = (unsigned char)*at >= ' ' && *at != 0x7f ? *at : ' ';
    // Not in the middle of a character.
    bool is_cut = at < end && *at != '\n';
    while (is_cut && used > 0 && ((unsigned char)*at & 0xc0) == 0x80 &&
           ((unsigned char)text[used - 1] & 0x80) != 0) {
        used--;
        at--;
    }
    text[used] = '\0';
    if (is_cut)
        memcpy(text + used, "…", sizeof "…");
    return text_clean(text);
}
