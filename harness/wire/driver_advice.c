#include "harness/wire/driver_advice.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The path of a file as the driver sees it, which runs in `folder`. The caller frees it.
static char *path_from(const char *folder, const char *name)
{
    struct text path = {0};
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    if (name[0] != '/' && folder[0] != '\0')
        text_format(&path, "%s/", folder);
    text_add(&path, name);
    return path.bytes;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// What a script names as its interpreter, in `name`; false if it is no script.
static bool read_interpreter(const char *path, char *name, size_t room)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, name, room - 1) : -1;
    if (file >= 0)
        close(file);
    if (length < 3 || strncmp(name, "#!", 2) != 0)
        return false;
    name[length] = '\0';
    const char *from = name + 2 + strspn(name + 2, " \t");
    size_t rest = strcspn(from, " \t\r\n");
    memmove(name, from, rest);
    name[rest] = '\0';
    return rest > 0;
}

// A program that is found by its path.
static void advise_path(const char *path, const char *given, struct text *out)
{
    char interpreter[200];
    if (!is_there(path))
        text_format(out, "; there is no file %s", path);
    else if (access(path, X_OK) != 0)
        text_format(out,
                    "; make it executable (chmod +x %s), and let its first line name its "
                    "interpreter (#!/usr/bin/python3), or put that first: [python3, %s]",
                    path, given);
    else if (read_interpreter(path, interpreter, sizeof interpreter) && !is_there(interpreter))
        text_format(out, "; its first line says that %s runs it, which is not there", interpreter);
}

void driver_advise_start(const struct foreign_settings *foreign, struct text *out)
{
    const char *program = foreign->command[0];
    char *path = path_from(foreign->folder, program);
    if (foreign->folder[0] != '\0' && !is_folder(foreign->folder))
        text_add(out, "; there is no such folder");
    else if (strchr(program, ' ') != NULL && !is_there(path))
        text_add(out, "; 'command' is a list of the program and its arguments: [python3, lock.py]");
    else if (strchr(program, '/') != NULL)
        advise_path(path, program, out);
    else if (is_there(path))
        text_format(out, "; a program in the folder is named by a path: ./%s", program);
    else
        text_add(out, "; no program of that name is installed");
    free(path);
}
