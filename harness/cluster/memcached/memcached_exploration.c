// How a memcached server is explored (exploration.h).
//
// Its clock is a number of seconds that a timer of its main thread sets (memcached.c of memcached
// 1.6, clock_handler). The thread waits in the kernel meanwhile, which knows nothing of the frozen
// clock; a new connection, which that thread takes, wakes it. It looks for timers that are due
// after each wake-up and takes one connection a time: the second one after a jump of the clock is
// taken when the timer has set the seconds. A timer is due a second after the last one, never
// before: so the server is shown whole seconds only, and as the clock must not go back, each
// schedule begins later than the one before.
#include "harness/cluster/memcached/memcached.h"

#include "harness/base/clock.h"
#include "harness/cluster/process_control.h"
#include "harness/wire/memcached.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define LIMIT_NS (10 * NS_PER_S)
#define BETWEEN_NS (2 * NS_PER_S)  // schedules, at least: their timers are due
#define WITNESS "lockpick-witness" // an item that shows how late it is for the server
#define WITNESS_LASTS_S 2000000    // of what memcached takes for a duration, nearly all

struct probe {
    struct memcached_peer link;
    int64_t now_ns;   // of the harness
    int64_t ahead_ns; // so much later it is for the server
    int64_t witness_ends_s;
    struct text list; // room for the items' names
};

static int64_t server_s(const struct probe *probe)
{
    return (probe->now_ns + probe->ahead_ns) / NS_PER_S;
}

static int connect_anew(struct explored_servers *servers, struct error *error)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    struct probe *probe = servers->probe;
    struct peer peer = peer_at(&servers->service->servers[0], "memcached at", LIMIT_NS);
    memcached_peer_close(&probe->link);
    if (memcached_peer_open(&probe->link, &peer, error) != 0)
        return -1;
    // Else each would keep its port for a minute.
    (void)setsockopt(probe->link.descriptor, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    return 0;
}

// As memcached_peer_ask.
static int ask(struct probe *probe, const char *request, const char *last, struct error *error)
{
    probe->link.peer.give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    return memcached_peer_request(&probe->link, last, error, "%s", request);
}

static int tell(struct probe *probe, const char *request, const char *wanted, struct error *error)
{
    if (ask(probe, request, NULL, error) != 0)
        return -1;
    const char *answer = text_string(&probe->link.answer);
    return strncmp(answer, wanted, strlen(wanted)) == 0
               ? 0
               : peer_unexpected(&probe->link.peer, answer, request, error);
}

static int open_probe(struct explored_servers *servers, struct error *error)
{
    struct probe *probe = memory_zeroed(1, sizeof *probe);
    servers->probe = probe;
    probe->link.descriptor = -1;
    // As the server has seen it go: another one may have explored it before.
    probe->now_ns = clock_now_ns(&(struct clock){.shift = servers->group->nodes[0].clock});
    return connect_anew(servers, error);
}

static void close_probe(struct explored_servers *servers)
{
    struct probe *probe = servers->probe;
    if (probe == NULL)
        return;
    memcached_peer_close(&probe->link);
    text_free(&probe->list);
    free(probe);
}

// --- time ----------------------------------------------------------------------------------------

// That it goes by its new time is seen by how long an item will last.
static int check_time(struct probe *probe, struct error *error)
{
    long long left_s = 0;
    if (ask(probe, "mg " WITNESS " t", NULL, error) != 0)
        return -1;
    const char *answer = text_string(&probe->link.answer);
    if (sscanf(answer, "HD t%lld", &left_s) != 1)
        return peer_unexpected(&probe->link.peer, answer, "mg " WITNESS " t", error);
    int64_t wanted_s = probe->witness_ends_s - server_s(probe);
    return left_s == wanted_s
               ? 0
               : error_set(error,
                           "%s does not go by the clock that it is shown: an item lasts for %lld s "
                           "more, not %lld s",
                           probe->link.peer.name, left_s, (long long)wanted_s);
}

static int set_time(struct explored_servers *servers, int64_t now_ns, struct error *error)
{
    struct probe *probe = servers->probe;
    int64_t before_s = server_s(probe);
    if (now_ns < probe->now_ns)
        probe->ahead_ns +=
            (probe->now_ns - now_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S + BETWEEN_NS;
    probe->now_ns = now_ns;
    explored_set_clocks(servers, server_s(probe) * NS_PER_S);
    if (server_s(probe) == before_s)
        return 0;
    for (int i = 0; i < 2; i++) {
        if (connect_anew(servers, error) != 0 || tell(probe, "mn", "MN", error) != 0)
            return -1;
    }
    return probe->witness_ends_s > 0 ? check_time(probe, error) : 0;
}

// --- items ---------------------------------------------------------------------------------------

// As it numbers its items, flush_all removes all that came before it, and nothing after it.
static int empty(struct explored_servers *servers, struct error *error)
{
    struct probe *probe = servers->probe;
    char request[80];
    snprintf(request, sizeof request, "set " WITNESS " 0 %d 1\r\n0", WITNESS_LASTS_S);
    probe->witness_ends_s = server_s(probe) + WITNESS_LASTS_S;
    return tell(probe, "flush_all", "OK", error) != 0 ? -1 : tell(probe, request, "STORED", error);
}

// Appends "NAME NUMBER stays VALUE" of an item that is there still.
static int tell_item(struct probe *probe, const char *name, struct text *image, struct error *error)
{
    uint64_t number = 0;
    int left_s = 0;
    int length = 0;
    char request[300];
    snprintf(request, sizeof request, "mg %s c t v\r\nmn", name); // "MN" ends the value
    if (ask(probe, request, "MN", error) != 0)
        return -1;
    const char *answer = text_string(&probe->link.answer);
    if (strncmp(answer, "EN", 2) == 0)
        return 0;
    if (sscanf(answer, "VA %*d c%" SCNu64 " t%d%n", &number, &left_s, &length) < 2)
        return peer_unexpected(&probe->link.peer, answer, "mg", error);
    text_format(image, "%s " MEMCACHED_NUMBER " %s%s", name, number,
                left_s < 0 ? "stays" : "expires", answer + length);
    return 0;
}

static int compare_lines(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

// As URLs have them: "%7B" is '{'.
static void decode(char *name)
{
    char *to = name;
    for (const char *from = name; *from != '\0'; to++) {
        unsigned code = 0;
        bool is_code = from[0] == '%' && sscanf(from + 1, "%2x", &code) == 1;
        *to = is_code ? (char)code : *from;
        from += is_code ? 3 : 1;
    }
    *to = '\0';
}

// Asks for the names of all items. The thread that tells them passes over items that another one
// uses; none does (memcached.c).
static int list_items(struct probe *probe, struct error *error)
{
    if (ask(probe, "lru_crawler metadump all", NULL, error) != 0)
        return -1;
    probe->list.length = 0;
    text_add(&probe->list, text_string(&probe->link.answer));
    bool is_all = probe->list.length >= 5 &&
                  strcmp(probe->list.bytes + probe->list.length - 5, "END\r\n") == 0;
    return is_all ? 0
                  : peer_unexpected(&probe->link.peer, probe->list.bytes, "lru_crawler metadump",
                                    error);
}

#define MOST_ITEMS 200

static int image(struct explored_servers *servers, struct text *image, struct error *error)
{
    struct probe *probe = servers->probe;
    char *names[MOST_ITEMS];
    size_t count = 0;
    if (list_items(probe, error) != 0)
        return -1;
    for (char *rest = probe->list.bytes, *line; (line = strsep(&rest, "\n")) != NULL;) {
        line[strcspn(line, " \r")] = '\0';
        if (strncmp(line, "key=", 4) != 0 || strcmp(line + 4, WITNESS) == 0)
            continue;
        if (count == MOST_ITEMS)
            return error_set(error, "%s keeps more than %d items", probe->link.peer.name,
                             MOST_ITEMS);
        decode(line + 4);
        names[count++] = line + 4;
    }
    qsort(names, count, sizeof *names, compare_lines);
    int result = 0;
    for (size_t i = 0; result == 0 && i < count; i++)
        result = tell_item(probe, names[i], image, error);
    return result;
}

// --- faults --------------------------------------------------------------------------------------

// It keeps nothing. A new process numbers items from the beginning, so that a number may come again
// that a client has heard.
static int restart(struct explored_servers *servers, int server, bool loses, struct error *error)
{
    struct node *node = &servers->group->nodes[server];
    int state = 1;
    (void)loses;
    if (server_kill(node, error) != 0 || server_restart(node, LOSS_ALL, error) != 0)
        return -1;
    while (state == 1) {
        state = server_is_back(node, error);
        if (state == 1 && !node_pause(node, error))
            return -1;
    }
    return state != 0 || connect_anew(servers, error) != 0 ? -1 : empty(servers, error);
}

// An item that is deleted is unlinked as by an eviction.
static int evict(struct explored_servers *servers, int server, const char *key, struct error *error)
{
    char request[200];
    (void)server;
    snprintf(request, sizeof request, "delete %s", key);
    return ask(servers->probe, request, NULL, error);
}

const struct server_exploration memcached_exploration = {
    .open = open_probe,
    .close = close_probe,
    .empty = empty,
    .image = image,
    .set_time = set_time,
    .restart = restart,
    .evict = evict,
};
