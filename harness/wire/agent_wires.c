// Wires between a driver and its servers, cut on the driver's own host. Its processes are in a
// control group of their own, and the rules name it, and the servers: nobody else on that host, in
// whatever network, is touched by them. Each cut is a table of nftables.
#include "harness/wire/agent.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/process.h"
#include "harness/cluster/wires.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define GROUPS "/sys/fs/cgroup/"
#define LONGEST_ID 64
#define LEAVING_MS 1000

// --- the control group ---------------------------------------------------------------------------

// Its name, as nft has it, below GROUPS; the caller frees. NULL if none can be had.
static char *group_of(const char *id, struct error *error)
{
    static const char *const places[] = {"", "unified/"};
    for (int i = 0; i < 2; i++) {
        struct statfs about;
        AUTO_FREE char *place = text_formatted(GROUPS "%s", places[i]);
        if (statfs(place, &about) == 0 && about.f_type == CGROUP2_SUPER_MAGIC)
            return text_formatted("%slockpick-%s", places[i], id);
    }
    error_set(error, "it has no control groups of version 2 in " GROUPS
                     ", by which a driver's packets are told from those of others");
    return NULL;
}

int agent_wires_enter(const char *id, struct error *error)
{
    struct error none;
    AUTO_FREE char *group = group_of(id, &none);
    AUTO_FREE char *path = text_formatted(GROUPS "%s/cgroup.procs", group != NULL ? group : "");
    if (group == NULL || access(path, F_OK) != 0 || kernel_write(path, "0") == 0)
        return 0;
    return error_set(error, "cannot enter the control group %s: %s", path, strerror(errno));
}

void agent_wires_leave(const char *id)
{
    AUTO_FREE char *group = group_of(id, NULL);
    AUTO_FREE char *path = text_formatted(GROUPS "%s", group != NULL ? group : "");
    AUTO_FREE char *about = text_formatted("%s/cgroup.events", path);
    int events = group != NULL ? open(about, O_RDONLY | O_CLOEXEC) : -1;
    struct pollfd change = {.fd = events, .events = POLLPRI};
    char now[128];
    // Whoever has just been killed is still in it, for a moment.
    while (events >= 0 && pread(events, now, sizeof now, 0) > 0 && rmdir(path) != 0 &&
           errno == EBUSY && poll(&change, 1, LEAVING_MS) > 0)
        continue;
    if (events >= 0)
        close(events);
}

// --- cuts ----------------------------------------------------------------------------------------

// What is done to packets; a share of them if it is a number. The reset of one rejected comes in
// itself.
static void add_verdict(const char *how, struct text *out)
{
    int percent = atoi(how);
    if (percent > 0 && percent < 100)
        text_format(out, " numgen random mod 100 < %d", percent);
    text_add(out, strcmp(how, "reject") == 0
                      ? " tcp flags & rst != rst counter reject with tcp reset\n"
                      : " counter drop\n");
}

// Rules for all addresses of one server. Returns how many, or -1 with `error` set.
static int add_rules(const struct agent_cut *cut, const char *table, const char *group,
                     const struct endpoint *server, struct text *out, struct error *error)
{
    int count = 0;
    char address[INET6_ADDRSTRLEN];
    struct addrinfo *found = NULL;
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    int reason = getaddrinfo(server->host, NULL, &wanted, &found);
    if (reason != 0)
        return error_set(error, "cannot find %s from here: %s", server->host, gai_strerror(reason));
    for (const struct addrinfo *each = found; each != NULL; each = each->ai_next) {
        bool is_4 = each->ai_family == AF_INET;
        inet_ntop(each->ai_family,
                  is_4 ? (void *)&((struct sockaddr_in *)each->ai_addr)->sin_addr
                       : (void *)&((struct sockaddr_in6 *)each->ai_addr)->sin6_addr,
                  address, sizeof address);
        for (int in = 0; in < 2; in++) {
            if (!(in ? cut->in : cut->out))
                continue;
            text_format(out,
                        "add rule inet %s %s socket cgroupv2 level 1 \"%s\" %s %s %s tcp %s %d",
                        table, in ? "in" : "out", group, is_4 ? "ip" : "ip6",
                        in ? "saddr" : "daddr", address, in ? "sport" : "dport", server->port);
            add_verdict(cut->how, out);
            count++;
        }
    }
    freeaddrinfo(found);
    return count;
}

// What the kernel shows: how many rules, and how many packets have met them. -1 with `error` set.
static int look(const char *table, int64_t *packets, struct error *error)
{
    static const char counter[] = "counter packets ";
    int rules = 0;
    AUTO_FREE char *command = text_formatted("list table inet %s", table);
    AUTO_TEXT struct text listing = {0};
    *packets = 0;
    if (nft_run(command, &listing, error) != 0)
        return -1;
    for (const char *at = text_string(&listing); (at = strstr(at, counter)) != NULL; rules++) {
        at += strlen(counter);
        *packets += strtoll(at, NULL, 10);
    }
    return rules;
}

static int drop_table(const char *table, struct error *error)
{
    AUTO_TEXT struct text ignored = {0};
    AUTO_FREE char *command = text_formatted("delete table inet %s", table);
    return nft_run(command, &ignored, error);
}

int agent_wires_cut(const char *id, const struct agent_cut *cut, struct error *error)
{
    int rules = 0;
    int64_t ignored;
    AUTO_FREE char *group = group_of(id, error);
    AUTO_FREE char *table = text_formatted("lockpick-%s-%d", id, cut->number);
    AUTO_TEXT struct text commands = {0}, nothing = {0};
    text_format(&commands,
                "create table inet %s\n"
                "create chain inet %s out { type filter hook output priority 0; policy accept; }\n"
                "create chain inet %s in { type filter hook input priority 0; policy accept; }\n",
                table, table, table);
    for (int i = 0; i < cut->server_count; i++) {
        int added =
            group != NULL ? add_rules(cut, table, group, &cut->servers[i], &commands, error) : -1;
        if (added < 0)
            return -1;
        rules += added;
    }
    if (nft_run(text_string(&commands), &nothing, error) != 0)
        return -1;
    int shown = look(table, &ignored, error);
    if (shown == rules)
        return 0;
    drop_table(table, NULL);
    return shown < 0 ? -1
                     : error_set(error, "the kernel took %d rules of table %s but shows %d", rules,
                                 table, shown);
}

int64_t agent_wires_join(const char *id, int number, struct error *error)
{
    int64_t packets;
    AUTO_FREE char *table = text_formatted("lockpick-%s-%d", id, number);
    return look(table, &packets, error) < 0 || drop_table(table, error) != 0 ? -1 : packets;
}

void agent_wires_remove(const char *id)
{
    char table[2 * LONGEST_ID];
    AUTO_FREE char *prefix = text_formatted("lockpick-%s-", id);
    AUTO_TEXT struct text tables = {0};
    nft_run("list tables inet", &tables, NULL);
    for (const char *at = text_string(&tables); (at = strstr(at, prefix)) != NULL; at++) {
        if (sscanf(at, "%127s", table) == 1)
            drop_table(table, NULL);
    }
    agent_wires_leave(id);
}

// --- whether any can be made ---------------------------------------------------------------------

// From the group, to that port; sends one packet.
static void call_from_within(const char *id, const struct sockaddr_in *address)
{
    struct error error;
    if (agent_wires_enter(id, &error) != 0)
        _exit(1);
    // A socket is of the group that it was made in.
    int caller = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    (void)!connect(caller, (const struct sockaddr *)address, sizeof *address);
    _exit(0);
}

// Cuts a port of our own, which a child calls: the kernel must show that its packet met the rule.
static int try_out(const char *id, struct error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        error_set(error, "no socket can be had: %s", strerror(errno));
        close(listener);
        return -1;
    }
    const struct agent_cut cut = {.out = true,
                                  .how = "drop",
                                  .servers = {{"127.0.0.1", ntohs(address.sin_port)}},
                                  .server_count = 1};
    int64_t packets = -1;
    if (agent_wires_cut(id, &cut, error) == 0) {
        pid_t child = fork();
        if (child == 0)
            call_from_within(id, &address);
        waitpid(child, NULL, 0);
        packets = agent_wires_join(id, cut.number, error);
    }
    close(listener);
    return packets > 0    ? 0
           : packets == 0 ? error_set(error, "rules of nftables do not match what a control group "
                                             "sends: is the kernel older than 5.13?")
                          : -1;
}

int agent_wires_prepare(const char *id, struct error *error)
{
    AUTO_FREE char *group = group_of(id, error);
    if (group == NULL)
        return -1;
    AUTO_FREE char *path = text_formatted(GROUPS "%s", group);
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        return error_set(error, "cannot make the control group %s: %s; it takes root", path,
                         strerror(errno));
    return try_out(id, error);
}
