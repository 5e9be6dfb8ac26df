#include "harness/cluster/sockets.h"

#include "harness/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The inodes of the process's sockets. The caller frees them; NULL with `error` set.
static unsigned long *inodes_of(pid_t process, size_t *count, struct error *error)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        error_set(error, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    unsigned long *inodes = memory_zeroed(1, sizeof *inodes);
    *count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char target[64] = "";
        unsigned long inode = 0;
        if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) <= 0 ||
            sscanf(target, "socket:[%lu]", &inode) != 1)
            continue;
        inodes = memory_resized(inodes, (*count + 2) * sizeof *inodes);
        inodes[(*count)++] = inode;
    }
    closedir(folder);
    return inodes;
}

int sockets_of(pid_t process, int *ports, int room, struct error *error)
{
    size_t count = 0;
    unsigned long *inodes = inodes_of(process, &count, error);
    FILE *table = inodes != NULL ? fopen("/proc/net/tcp", "re") : NULL;
    if (table == NULL) {
        free(inodes);
        return inodes == NULL ? -1 : error_set(error, "cannot read /proc/net/tcp");
    }
    char line[256];
    int found = 0;
    while (found < room && fgets(line, sizeof line, table) != NULL) {
        unsigned port;
        unsigned long inode;
        // sl local:port remote:port state queues timer retransmits uid timeout inode
        if (sscanf(line, " %*d: %*8[0-9A-F]:%x %*s %*s %*s %*s %*s %*s %*s %lu", &port, &inode) !=
            2)
            continue;
        for (size_t i = 0; i < count; i++) {
            if (inodes[i] == inode && inode != 0) {
                ports[found++] = (int)port;
                break;
            }
        }
    }
    fclose(table);
    free(inodes);
    return found;
}
