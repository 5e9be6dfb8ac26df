#include "harness/report/plot_files.h"

#include "harness/base/file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_file(const char *folder, const char *name, const char *ending,
                      const struct text *text, struct error *error)
{
    struct text path = {0};
    text_format(&path, "%s/%s.%s", folder, name, ending);
    int result = file_write(text_string(&path), text_string(text), text->length, error);
    text_free(&path);
    return result;
}

int plot_files_write(const char *folder, const char *name, const struct text *data,
                     const struct text *script, struct error *error)
{
    struct text picture = {0};
    struct stat status;
    text_format(&picture, "%s/%s.svg", folder, name);
    // gnuplot writes through links, and waits for who reads a pipe.
    if (lstat(picture.bytes, &status) == 0 && (!S_ISREG(status.st_mode) || status.st_nlink > 1))
        unlink(picture.bytes);
    text_free(&picture);
    if (write_file(folder, name, "dat", data, error) != 0)
        return -1;
    return write_file(folder, name, "gp", script, error);
}

char *plot_files_read(const char *folder, const char *name, struct error *error)
{
    struct text path = {0};
    struct text svg = {0};
    char *picture = NULL;
    text_format(&path, "%s/%s.svg", folder, name);
    if (file_read(text_string(&path), &svg, error) == 0) {
        const char *begin = strstr(text_string(&svg), "<svg");
        const char *end = strstr(text_string(&svg), "</svg>");
        if (begin != NULL && end != NULL)
            picture = memory_string(begin);
        else
            error_set(error, "gnuplot left %s incomplete", text_string(&path));
    }
    text_free(&path);
    text_free(&svg);
    return picture;
}
