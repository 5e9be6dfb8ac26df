#include "harness/cluster/short_path.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define PRIVATE "/lockpick-XXXXXX"

// Programs differ in the other characters that they take.
static bool is_plain(const char *path, size_t room)
{
    return path != NULL && path[0] == '/' && strlen(path) <= room &&
           path[strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                             "/._-")] == '\0';
}

// Whether any user may go there.
static bool is_open_to_all(const char *place)
{
    AUTO_FREE char *path = realpath(place, NULL);
    bool is_open = path != NULL;
    while (is_open && path[0] != '\0') {
        struct stat about;
        is_open = stat(path, &about) == 0 && (about.st_mode & S_IXOTH) != 0;
        *strrchr(path, '/') = '\0';
    }
    return is_open;
}

static bool make_private(struct short_path *path, const char *place, bool must_be_reached)
{
    if (!is_plain(place, SHORT_PATH_MOST - strlen(PRIVATE)) ||
        (must_be_reached && !is_open_to_all(place)))
        return false;
    snprintf(path->path, sizeof path->path, "%s" PRIVATE, place);
    path->kind = SHORT_PATH_PRIVATE;
    if (mkdtemp(path->path) == NULL || chmod(path->path, 0711) != 0)
        path->path[0] = '\0';
    return path->path[0] != '\0';
}

int short_path_open(struct short_path *path, const char *folder, enum isolation isolation,
                    struct error *error)
{
    *path = (struct short_path){.kind = SHORT_PATH_SAME};
    if (isolation == ISOLATION_NAMESPACES && make_private(path, SANDBOX_FOLDER, false)) {
        path->kind = SHORT_PATH_MOUNTED;
        if (mount(folder, path->path, NULL, MS_BIND | MS_REC, NULL) == 0)
            return 0;
        short_path_close(path);
    }
    AUTO_FREE char *own = realpath(folder, NULL);
    bool must_be_reached = isolation == ISOLATION_LOOPBACK && geteuid() == 0;
    if (!must_be_reached && is_plain(own, SHORT_PATH_MOST)) {
        path->kind = SHORT_PATH_SAME;
        strcpy(path->path, own);
    }
    if (path->path[0] != '\0')
        return 0;
    if (make_private(path, getenv("TMPDIR"), must_be_reached) ||
        make_private(path, "/tmp", must_be_reached) ||
        make_private(path, getenv("XDG_RUNTIME_DIR"), must_be_reached)) {
        path->link = path_join(folder, SHORT_PATH_LINK);
        (void)!symlink(path->path, path->link);
        return 0;
    }
    return error_set(error,
                     "cannot make a folder of a short path for servers, which do not take the "
                     "path of %s, in $TMPDIR, /tmp or $XDG_RUNTIME_DIR: %s",
                     folder, strerror(errno));
}

void short_path_close(struct short_path *path)
{
    if (path->path[0] != '\0' && path->kind == SHORT_PATH_MOUNTED) {
        umount2(path->path, MNT_DETACH);
        rmdir(path->path);
    } else if (path->path[0] != '\0' && path->kind == SHORT_PATH_PRIVATE) {
        folder_remove(path->path, NULL);
        unlink(path->link);
        free(path->link);
    }
    path->path[0] = '\0';
}

void short_path_sweep(const char *folder)
{
    struct short_path path = {.kind = SHORT_PATH_PRIVATE,
                              .link = path_join(folder, SHORT_PATH_LINK)};
    if (readlink(path.link, path.path, sizeof path.path - 1) > 0)
        short_path_close(&path);
    else
        free(path.link);
}
