#include "harness/cluster/cluster.h"

#include "harness/base/clock.h"
#include "harness/base/custom_server.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/disk.h"
#include "harness/cluster/memory.h"
#include "harness/cluster/remote.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREPARE_LIMIT_S 300 // for data to be made or copied, on a disk that is slow

// Held as long as the cluster lives.
static int free_port(struct cluster *cluster)
{
    size_t count = (size_t)cluster->port_holder_count++;
    cluster->port_holders =
        memory_resized(cluster->port_holders, (count + 1) * sizeof *cluster->port_holders);
    return network_hold_port("127.0.0.1", &cluster->port_holders[count]);
}

// Inside a namespace all ports are free, on loopback the kernel knows which are.
static void choose_ports(struct cluster *cluster, struct node *node)
{
    const struct server_kind *kind = node->kind;
    bool on_loopback = cluster->isolation == ISOLATION_LOOPBACK;
    if (kind == NULL || node->remote != NULL)
        return;
    node->port = on_loopback ? free_port(cluster) : kind->port;
    for (int i = 0; i < kind->extra_ports; i++)
        node->extra_ports[i] = on_loopback ? free_port(cluster) : kind->port + 10000 + i;
}

static int lay_wires(struct cluster *cluster, int serial, struct error *error)
{
    bool has_namespaces = cluster->isolation == ISOLATION_NAMESPACES;
    AUTO_FREE struct network_end *ends = memory_zeroed((size_t)cluster->count, sizeof *ends);
    if (has_namespaces && network_build(ends, cluster->count, serial, error) != 0)
        return -1;
    for (int i = 0; i < cluster->count; i++) {
        cluster->nodes[i].end =
            has_namespaces ? ends[i]
                           : (struct network_end){.network_namespace = -1, .address = "127.0.0.1"};
        choose_ports(cluster, &cluster->nodes[i]);
    }
    return 0;
}

static int quote_log(const struct node *node, struct error *error)
{
    AUTO_FREE char *path = path_join(node->folder, "server.log");
    AUTO_TEXT struct text log = {0};
    bool is_silent = file_read(path, &log, NULL) != 0 || log.length == 0;
    const struct custom_server *custom = node->group->settings.custom;
    bool was_told = custom == NULL || custom_uses(custom->command, CUSTOM_PORT) ||
                    custom_uses(custom->environment, CUSTOM_PORT);
    const char *remedy =
        strcasestr(text_string(&log), "address already in use") == NULL ? ""
        : was_told ? " (another program has taken its port; the next run draws others)"
                   : " (another program has the port that it listens on; have its command, or its "
                     "'env', name {port}, which is one that nobody has)";
    return error_set(error, "%s on %s:%d ended while it started%s%s %s%s%s", node_program(node),
                     node->end.address, node->port, remedy,
                     is_silent ? ", without a word in" : "; the end of", path,
                     is_silent ? "" : ":\n",
                     text_string(&log) + (log.length > 400 ? log.length - 400 : 0));
}

// That the server has loaded the library: else no fault could set its clock or hinder its disk, and
// any user of the machine could connect to it.
static int check_preload(const struct node *node, struct error *error)
{
    char path[64];
    AUTO_TEXT struct text maps = {0};
    if (node->environment[0] == NULL)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)node->server);
    bool has_clock = node->clock == NULL || atomic_load(&node->clock->readers) > 0;
    bool has_disk = node->disk == NULL || atomic_load(&node->disk->readers) > 0;
    bool has_gate = !node->gated || (file_read(path, &maps, NULL) == 0 &&
                                     strstr(text_string(&maps), NODE_PRELOAD) != NULL);
    if (has_clock && has_disk && has_gate)
        return 0;
    return error_set(error,
                     "%s on %s:%d did not load the library by which %s; its reason is in "
                     "%s/server.log",
                     node_program(node), node->end.address, node->port,
                     !has_clock  ? "its clock is set"
                     : !has_disk ? "its disk is hindered"
                                 : "strangers are kept out",
                     node->folder);
}

static int name_package(const struct node *node, struct error *error)
{
    return node->kind->package == NULL
               ? error_wrap(error, "%s", node->name)
               : error_wrap(error, "%s (Debian package %s)", node->name, node->kind->package);
}

static int wait_until_ready(struct node *node, struct error *error)
{
    int limit_s = node_boot_limit_s(node);
    int64_t give_up_ns = clock_monotonic_ns() + limit_s * NS_PER_S;
    for (;;) {
        int state = server_is_ready(node, error);
        if (waitpid(node->server, NULL, WNOHANG) == node->server) {
            node->server = 0;
            return quote_log(node, error);
        }
        if (state < 0)
            return name_package(node, error);
        if (state == 0) {
            node->ready_ns = clock_realtime_ns();
            return check_preload(node, error);
        }
        if (clock_monotonic_ns() > give_up_ns)
            return error_set(error, "%s on %s:%d did not answer within %d s of its start%s",
                             node_program(node), node->end.address, node->port, limit_s,
                             node->remote == NULL ? ""
                                                  : "; can that address of its host be reached "
                                                    "from here?");
        if (!node_pause(node, error))
            return -1;
    }
}

static int start_server(struct node *node, struct error *error)
{
    node->server = node->kind->start(node, error);
    if (node->server > 0)
        return 0;
    node->server = 0;
    return name_package(node, error);
}

bool node_pause(const struct node *node, struct error *error)
{
    clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    if (node->interrupted == NULL || atomic_load(node->interrupted) == 0)
        return true;
    error_set(error, "interrupted while %s came up", node->name);
    return false;
}

struct process_limit node_limit(const struct node *node)
{
    return (struct process_limit){.seconds = PREPARE_LIMIT_S, .interrupted = node->interrupted};
}

int cluster_start_node(struct node *node, struct error *error)
{
    return start_server(node, error) != 0 ? -1 : wait_until_ready(node, error);
}

int group_start_deferred(struct server_group *group, struct error *error)
{
    for (int i = 0; i < group->count; i++) {
        if (group->nodes[i].deferred && cluster_start_node(&group->nodes[i], error) != 0)
            return -1;
    }
    return 0;
}

// What is on loopback is closed to other users, sockets in it too.
static int make_folders(struct cluster *cluster, struct node *node, const char *folder,
                        struct error *error)
{
    if (node->remote != NULL)
        return 0;
    node->folder = path_join(folder, node->name);
    node->home = path_join(cluster->short_path.path, node->name);
    node->data = path_join(node->home, "data");
    if (folder_make(node->folder, error) != 0 || folder_make(node->data, error) != 0)
        return -1;
    if (cluster->isolation == ISOLATION_LOOPBACK && chmod(node->home, 0700) != 0)
        return error_set(error, "cannot close %s to others: %s", node->home, strerror(errno));
    // One that is explored never loses what its disk has not got yet: it need not wait for that.
    if (cluster->isolation == ISOLATION_NAMESPACES && node->group != NULL &&
        node->group->settings.is_explored)
        (void)!mount("none", node->data, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700");
    return 0;
}

// A copy where the server may be another user, who cannot reach the original.
static int put_preload(const char *place, bool copies, struct error *error)
{
    AUTO_FREE char *library = clock_preload_path(error);
    AUTO_TEXT struct text content = {0};
    if (library == NULL)
        return -1;
    if (copies)
        return file_read(library, &content, error) != 0
                   ? -1
                   : file_write(place, content.bytes, content.length, error);
    return symlink(library, place) == 0
               ? 0
               : error_set(error, "cannot make the link %s: %s", place, strerror(errno));
}

static void add_variable(struct node *node, const char *name, const char *value)
{
    struct text variable = {0};
    char **place = node->environment;
    while (*place != NULL)
        place++;
    text_format(&variable, "%s=%s", name, value);
    *place = text_take(&variable);
}

// What is loaded into the server, and what that goes by. The servers of a restart find all of it as
// it is.
static int make_preload(struct cluster *cluster, struct node *node, struct error *error)
{
    const struct group_settings *wanted = &node->group->settings;
    const char *others = getenv("LD_PRELOAD");
    char user[16];
    if (node->remote != NULL)
        return 0;
    node->gated = cluster->isolation == ISOLATION_LOOPBACK && !cluster->open_to_all;
    if (!node_takes_preload(node) || (!wanted->shiftable_clock && !wanted->hindered_disk &&
                                      !node->gated && !node->kind->shares_memory))
        return 0;
    AUTO_FREE char *library = path_join(node->home, NODE_PRELOAD);
    AUTO_FREE char *clock = path_join(node->home, NODE_CLOCK_FILE);
    AUTO_FREE char *disk = path_join(node->home, NODE_DISK_FILE);
    AUTO_FREE char *memory = path_join(node->home, NODE_MEMORY_FILE);
    AUTO_TEXT struct text libraries = {0};
    text_format(&libraries, "%s%s%s", library, others != NULL ? ":" : "",
                others != NULL ? others : "");
    add_variable(node, "LD_PRELOAD", libraries.bytes);
    snprintf(user, sizeof user, "%u", geteuid());
    if (node->gated)
        add_variable(node, GATE_VARIABLE, user);
    if (put_preload(library, node->gated && geteuid() == 0, error) != 0)
        return -1;
    // In namespaces, it ends with them.
    if (node->kind->shares_memory && cluster->isolation == ISOLATION_LOOPBACK) {
        add_variable(node, MEMORY_VARIABLE, memory);
        if (file_write(memory, "", 0, error) != 0)
            return -1;
    }
    if (wanted->shiftable_clock) {
        add_variable(node, CLOCK_SHIFT_VARIABLE, clock);
        node->clock = clock_shift_create(clock, error);
        if (node->clock == NULL)
            return -1;
    }
    if (wanted->hindered_disk) {
        add_variable(node, DISK_VARIABLE, disk);
        node->disk = file_share(disk, sizeof *node->disk, "by which a disk goes wrong", error);
    }
    return wanted->hindered_disk && node->disk == NULL ? -1 : 0;
}

// All at once, as each takes its time; addresses are known before any server starts.
static int open_remotes(struct cluster *cluster, const char *folder, struct error *error)
{
    for (int i = 0; i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        if (node->remote == NULL)
            continue;
        node->folder = path_join(folder, node->name);
        if (folder_make(node->folder, error) != 0 || remote_launch(node, error) != 0)
            return -1;
    }
    for (int i = 0; i < cluster->count; i++) {
        if (cluster->nodes[i].remote != NULL && remote_await(&cluster->nodes[i], error) != 0)
            return -1;
    }
    return 0;
}

static int start_servers(struct cluster *cluster, const char *folder, struct error *error)
{
    if (cluster->group_count == 0)
        return 0;
    if (folder_make(folder, error) != 0 ||
        short_path_open(&cluster->short_path, folder, cluster->isolation, error) != 0 ||
        open_remotes(cluster, folder, error) != 0)
        return -1;
    for (int i = 0; i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        if (node->kind != NULL && (make_folders(cluster, node, folder, error) != 0 ||
                                   make_preload(cluster, node, error) != 0 ||
                                   (!node->deferred && start_server(node, error) != 0)))
            return -1;
    }
    for (int i = 0; i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        if (node->kind != NULL && !node->deferred && wait_until_ready(node, error) != 0)
            return -1;
    }
    for (int i = 0; i < cluster->group_count; i++) {
        struct server_group *group = &cluster->groups[i];
        const struct topology *topology = group->settings.topology;
        if (topology->join != NULL && topology->join(group, error) != 0)
            return error_wrap(error, "%s: the topology %s did not come up", group->settings.name,
                              topology->form.name);
    }
    return 0;
}

// One after the other, and from the first again.
static void plan_hosts(struct server_group *group)
{
    const char *const *hosts = group->settings.hosts;
    const char *const *host = hosts;
    for (int i = 0; hosts != NULL && i < group->count; i++) {
        struct node *node = &group->nodes[i];
        node->remote = remote_new(*host, group->settings.launch, node->name);
        host = host[1] != NULL ? host + 1 : hosts;
    }
}

static void plan_nodes(struct cluster *cluster, const struct cluster_settings *settings)
{
    size_t most = (size_t)settings->group_count * MAX_GROUP_NODES + (size_t)settings->clients;
    *cluster =
        (struct cluster){.isolation = settings->isolation, .open_to_all = settings->open_to_all};
    cluster->nodes = memory_zeroed(most, sizeof *cluster->nodes);
    cluster->groups = memory_zeroed((size_t)settings->group_count + 1, sizeof *cluster->groups);
    for (; cluster->group_count < settings->group_count; cluster->group_count++) {
        struct server_group *group = &cluster->groups[cluster->group_count];
        *group = (struct server_group){.settings = settings->groups[cluster->group_count],
                                       .nodes = &cluster->nodes[cluster->count]};
        topology_plan(group);
        cluster->count += group->count;
        plan_hosts(group);
    }
    for (int i = 1; i <= settings->clients; i++) {
        struct node *client = &cluster->nodes[cluster->count++];
        *client = (struct node){.role = "client", .number = i};
        snprintf(client->name, sizeof client->name, "client-%d", i);
    }
    for (int i = 0; i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        node->interrupted = settings->interrupted;
        node->program = node->group != NULL ? node->group->settings.binary : NULL;
        node->end.network_namespace = -1;
        node->pressure = memory_zeroed(1, sizeof *node->pressure);
        node->processor = settings->processors > 0
                              ? processor_nth((settings->first_index + i) % settings->processors)
                              : -1;
    }
}

int cluster_open(struct cluster *cluster, const struct cluster_settings *settings,
                 struct error *error)
{
    plan_nodes(cluster, settings);
    if (lay_wires(cluster, settings->serial, error) == 0 &&
        start_servers(cluster, settings->folder, error) == 0)
        return 0;
    cluster_close(cluster);
    return -1;
}

// Looks at what the server has logged since it was looked at last.
static int check_log(struct node *node, struct error *error)
{
    struct stat about;
    AUTO_TEXT struct text log = {0};
    AUTO_FREE char *path = path_join(node->folder, "server.log");
    off_t seen = node->log_seen;
    if (stat(path, &about) != 0 || about.st_size <= seen || file_read(path, &log, NULL) != 0 ||
        log.length <= (size_t)seen)
        return 0;
    char *end = strrchr(log.bytes, '\n');
    node->log_seen = end != NULL ? end + 1 - log.bytes : 0; // half a line comes again
    char *rest = node->log_seen > seen ? log.bytes + seen : NULL;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        for (const char *const *note = node->kind->death_notes; *note != NULL; note++) {
            if (strstr(line, *note) != NULL)
                return error_set(error,
                                 "a process of %s ended, which no fault asked for; %s says: %.300s",
                                 node->name, path, line);
        }
    }
    return 0;
}

void cluster_excuse_log(struct node *node)
{
    struct stat about;
    AUTO_FREE char *path = path_join(node->folder, "server.log");
    if (stat(path, &about) == 0)
        node->log_seen = about.st_size;
}

int cluster_check_servers(struct cluster *cluster, struct error *error)
{
    char end[32];
    for (int i = 0; i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        int status;
        if (node->server > 0 && waitpid(node->server, &status, WNOHANG) == node->server) {
            node->server = 0;
            node->has_ended = node->may_end || node->is_starting;
            if (node->has_ended)
                continue;
            return error_set(error, "%s ended by %s, which no fault asked for; see %s/server.log",
                             node->name, process_end(status, end, sizeof end), node->folder);
        }
        if (node->server > 0 && node->remote != NULL)
            remote_look(node->remote);
        if (node->server > 0 && node->may_end)
            cluster_excuse_log(node);
        else if (node->server > 0 && node->kind->death_notes != NULL && check_log(node, error) != 0)
            return -1;
    }
    return 0;
}

void cluster_watch(struct cluster *cluster, struct history_writer *writer)
{
    for (int i = 0; i < cluster->count; i++) {
        if (cluster->nodes[i].remote != NULL)
            remote_watch(&cluster->nodes[i], i + 1, writer);
    }
}

// All but logs and settings.
static void sweep_node(const char *home)
{
    static const char *const leftovers[] = {"data",         NODE_KEPT_DATA,   NODE_CLOCK_FILE,
                                            NODE_DISK_FILE, NODE_MEMORY_FILE, NODE_PRELOAD};
    AUTO_FREE char *data = path_join(home, "data");
    AUTO_FREE char *memory = path_join(home, NODE_MEMORY_FILE);
    (void)!umount2(data, MNT_DETACH);
    memory_sweep(memory);
    for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++) {
        AUTO_FREE char *path = path_join(home, leftovers[i]);
        folder_remove(path, NULL);
    }
}

static void sweep_nodes(const char *folder)
{
    DIR *all = opendir(folder);
    for (const struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        AUTO_FREE char *home = path_join(folder, entry->d_name);
        if (entry->d_name[0] != '.')
            sweep_node(home);
    }
    if (all != NULL)
        closedir(all);
}

void cluster_sweep(const char *folder)
{
    AUTO_FREE char *elsewhere = path_join(folder, SHORT_PATH_LINK);
    sweep_nodes(elsewhere);
    sweep_nodes(folder);
    short_path_sweep(folder);
}

void cluster_close(struct cluster *cluster)
{
    remotes_close(cluster->nodes, cluster->count);
    for (int i = 0; i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        struct error ignored;
        if (server_kill(node, &ignored) != 0)
            process_kill(node->server);
        network_remove(&node->end, 1);
        clock_shift_close(node->clock);
        if (node->disk != NULL)
            munmap(node->disk, sizeof *node->disk);
        if (node->home != NULL)
            sweep_node(node->home);
        for (char **variable = node->environment; *variable != NULL; variable++)
            free(*variable);
        free(node->pressure);
        free(node->data);
        free(node->folder);
        free(node->home);
    }
    short_path_close(&cluster->short_path);
    for (int i = 0; i < cluster->port_holder_count; i++)
        close(cluster->port_holders[i]);
    free(cluster->port_holders);
    free(cluster->nodes);
    free(cluster->groups);
    *cluster = (struct cluster){0};
}

struct node *cluster_node(const struct cluster *cluster, const char *name)
{
    for (int i = 0; i < cluster->count; i++) {
        if (strcmp(cluster->nodes[i].name, name) == 0)
            return &cluster->nodes[i];
    }
    return NULL;
}

struct node *group_node(const struct server_group *group, const char *role, int nth)
{
    for (int i = 0; i < group->count; i++) {
        if (node_has_role(&group->nodes[i], role) && --nth == 0)
            return &group->nodes[i];
    }
    return NULL;
}
