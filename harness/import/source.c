#include "harness/import/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"

#define LONGEST 200

static int map(const char *path, struct source *source, struct error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return error_set(error, "cannot open %s: %s", path, strerror(errno));
    int result = 0;
    void *bytes = mmap(NULL, source->length, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
    if (bytes == MAP_FAILED)
        result = error_set(error, "cannot map %s: %s", path, strerror(errno));
    else
        source->bytes = bytes;
    close(descriptor);
    return result;
}

int source_open(const char *path, struct source *source, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, "cannot open %s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return error_set(error, "%s is a folder; expected a file", path);
    if (S_ISREG(status.st_mode) && status.st_size > 0) {
        source->length = (size_t)status.st_size;
        return map(path, source, error);
    }
    if (file_read(path, &source->text, error) != 0)
        return -1;
    source->bytes = text_string(&source->text);
    source->length = source->text.length;
    return 0;
}

void source_close(struct source *source)
{
    if (source->bytes != NULL && source->text.bytes == NULL && source->length > 0)
        munmap((void *)(size_t)source->bytes, source->length);
    text_free(&source->text);
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
    return text;
}
