#include "harness/cluster/sockets.h"

#include "harness/base/processes.h"
#include "harness/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The sockets of processes, by their inodes.
struct inodes {
    unsigned long *items;
    size_t count;
};

// 0, or -1 with `error` set.
static int add_inodes(pid_t process, struct inodes *inodes, struct error *error)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return error_set(error, "cannot read %s: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char target[64] = "";
        unsigned long inode = 0;
        if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) <= 0 ||
            sscanf(target, "socket:[%lu]", &inode) != 1 || inode == 0)
            continue;
        inodes->items = memory_resized(inodes->items, (inodes->count + 1) * sizeof *inodes->items);
        inodes->items[inodes->count++] = inode;
    }
    closedir(folder);
    return 0;
}

static bool has_inode(const struct inodes *inodes, unsigned long inode)
{
    for (size_t i = 0; i < inodes->count; i++) {
        if (inodes->items[i] == inode)
            return true;
    }
    return false;
}

// Programs in Java have sockets of IPv6 also for addresses of IPv4. 0, or -1 with `error` set.
static int add_ports(const char *path, const struct inodes *inodes, int *ports, int room,
                     int *found, struct error *error)
{
    char line[256];
    FILE *table = fopen(path, "re");
    if (table == NULL)
        return error_set(error, "cannot read %s: %s", path, strerror(errno));
    while (*found < room && fgets(line, sizeof line, table) != NULL) {
        unsigned port;
        unsigned long inode;
        // sl local:port remote:port state queues timer retransmits uid timeout inode
        if (sscanf(line, " %*d: %*32[0-9A-F]:%x %*s %*s %*s %*s %*s %*s %*s %lu", &port, &inode) ==
                2 &&
            has_inode(inodes, inode))
            ports[(*found)++] = (int)port;
    }
    fclose(table);
    return 0;
}

int sockets_of(pid_t process, int *ports, int room, struct error *error)
{
    struct inodes inodes = {0};
    int found = 0;
    int result = add_inodes(process, &inodes, error);
    struct process_list all = process_list_read();
    for (size_t i = 0; result == 0 && i < all.count; i++) {
        // What one that has ended by now had open is nobody's any more.
        if (all.items[i].group == process && all.items[i].id != process)
            add_inodes(all.items[i].id, &inodes, NULL);
    }
    if (result == 0)
        result = add_ports("/proc/net/tcp", &inodes, ports, room, &found, error);
    if (result == 0)
        add_ports("/proc/net/tcp6", &inodes, ports, room, &found, NULL); // if there is IPv6
    free(all.items);
    free(inodes.items);
    return result == 0 ? found : -1;
}
