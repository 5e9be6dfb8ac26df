#include "harness/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_read(const char *path, struct text *out, struct error *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return error_set(error, "cannot open %s: %s", path, strerror(errno));
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, file)) > 0)
        text_add_bytes(out, block, got);
    int failed = ferror(file);
    fclose(file);
    return failed ? error_set(error, "cannot read %s: %s", path, strerror(errno)) : 0;
}

int file_write(const char *path, const char *bytes, size_t length, struct error *error)
{
    struct text temporary = {0};
    text_format(&temporary, "%s.part", path);
    int result = 0;
    FILE *file = fopen(temporary.bytes, "wb");
    if (file == NULL) {
        result = error_set(error, "cannot create %s: %s", path, strerror(errno));
    } else {
        size_t put = fwrite(bytes, 1, length, file);
        int closed = fclose(file);
        if (put != length || closed != 0 || rename(temporary.bytes, path) != 0) {
            result = error_set(error, "cannot write %s: %s", path, strerror(errno));
            unlink(temporary.bytes);
        }
    }
    text_free(&temporary);
    return result;
}

int folder_make(const char *path, struct error *error)
{
    char *copy = memory_string(path);
    int result = 0;
    for (char *end = copy + 1; result == 0; end++) {
        if (*end != '/' && *end != '\0')
            continue;
        char kept = *end;
        *end = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            result = error_set(error, "cannot make folder %s: %s", copy, strerror(errno));
        *end = kept;
        if (kept == '\0')
            break;
    }
    free(copy);
    return result;
}

char *path_join(const char *folder, const char *name)
{
    struct text path = {0};
    text_format(&path, "%s/%s", folder, name);
    return path.bytes;
}
