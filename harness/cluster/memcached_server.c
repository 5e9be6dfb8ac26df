#include "harness/cluster/memcached_server.h"

#include "harness/base/clock.h"

#include "harness/cluster/memcached_control.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pid_t start(const struct node *node, struct error *error)
{
    char port[16];
    snprintf(port, sizeof port, "%d", node->port);
    // So little memory (-m, in megabytes) is filled within half a second, while a lock needs about
    // a hundred bytes. -u is only looked at by root.
    const char *const arguments[] = {
        "memcached", "-l", node->end.address, "-p", port, "-U", "0",    "-m",
        "8",         "-c", "10000",           "-t", "2",  "-u", "root", NULL};
    return server_run(node, arguments, false, error);
}

// `stats` names the process id.
static int ready(const struct node *node, struct error *error)
{
    (void)error;
    char answer[4096] = "";
    char wanted[48];
    size_t length = 0;
    int descriptor = server_connect(node);
    if (descriptor < 0)
        return 1;
    snprintf(wanted, sizeof wanted, "STAT pid %d\r\n", (int)node->server);
    ssize_t got = write(descriptor, "stats\r\n", 7);
    while (got > 0 && length < sizeof answer - 1 && strstr(answer, "END\r\n") == NULL) {
        got = read(descriptor, answer + length, sizeof answer - 1 - length);
        length += got > 0 ? (size_t)got : 0;
        answer[length] = '\0';
    }
    close(descriptor);
    return strstr(answer, wanted) != NULL ? 0 : 1;
}

const struct server_kind memcached_server = {
    .name = "memcached",
    // It counts in whole seconds, and is asked for two more (harness/locks/memcached_common.c).
    .form = {.title = "memcached",
             .durability = {"memcached: in memory only"},
             .late_expiry_ns = 3 * NS_PER_S,
             .sets_clock_late = true,
             .shows_keys = true},
    .program = "memcached",
    .package = "memcached",
    .port = 11211,
    .start = start,
    .ready = ready,
    .is_in_memory = true,
    .takes_preload = true,
    .lease_clock = SHIFTED_MONOTONIC,
    .control = &memcached_control,
};
