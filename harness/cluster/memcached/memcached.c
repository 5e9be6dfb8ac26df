// memcached: one server, which keeps nothing.
//
// leads: whenever it answers. has_lock: the lock's item, asked for by `me`, which, unlike `mg`,
// `get` and `gets`, does not make it look used.
//
// flush: flush_all, proven by an item of our own. evict: fillers of the lock item's size, which
// push it out of their slab class as the least recently used. They never expire, and `relieve`
// deletes them.
//
// A server that died has forgotten everything, whatever is asked. deny: without -M it takes every
// write. disconnect: a server ends nobody's connections but all at once, by its own end.
#include "harness/wire/memcached.h"
#include "harness/base/scope.h"
#include "harness/cluster/exploration.h"
#include "harness/cluster/server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pid_t start(const struct node *node, struct error *error)
{
    // So little memory (-m, in megabytes) is filled within half a second, while a lock needs about
    // a hundred bytes. -u is only looked at by root. While it is explored, one thread does all, and
    // none moves items about: who has answered has let go of all items (image).
    return server_run(node, false, error, "memcached -l %s -p %d -U 0 -m 8 -c 10000 -u root -t %s",
                      node->end.address, node->port,
                      node->group->settings.is_explored ? "1 -o no_lru_maintainer" : "2");
}

static bool ready(const struct node *node)
{
    char wanted[48];
    snprintf(wanted, sizeof wanted, "STAT pid %d\r\n", (int)server_process(node));
    return node_says(node, "stats", wanted);
}

static int open_session(struct session *session)
{
    struct memcached_peer *link = memory_zeroed(1, sizeof *link);
    session->client = link;
    if (memcached_peer_open(link, &session->peer, session->error) != 0)
        return -1;
    session->descriptor = link->descriptor;
    return 0;
}

static void close_session(struct session *session)
{
    memcached_peer_close(session->client);
}

// Behind a request for an item with its value: a second one, whose answer "MN" ends the first.
#define END_OF_ITEM "\r\nmn"

// One line is an answer, or as many as an END or an MN tells.
static int ask(struct session *session, const char *request)
{
    struct memcached_peer *link = session->client;
    bool is_list = strcmp(request, "stats") == 0 || strncmp(request, "get ", 4) == 0;
    bool is_item = strstr(request, END_OF_ITEM) != NULL;
    link->peer = session->peer;
    const char *last = is_list ? "END" : is_item ? "MN" : NULL;
    int result = memcached_peer_ask(link, request, last, session->error);
    text_add(&session->answer, text_string(&link->answer));
    return result;
}

static int send_batch(struct session *session, const struct text *bytes)
{
    const struct memcached_peer *link = session->client;
    return peer_send(&session->peer, link->descriptor, bytes->bytes, bytes->length, session->error);
}

// For a request that is answered by one word.
static int tell(struct session *session, const char *request, const char *wanted)
{
    if (session_ask(session, "%s", request) != 0)
        return -1;
    return session_answered(session, wanted)
               ? 0
               : session_unexpected(session, session->answer.bytes, request);
}

static int leads(struct session *session)
{
    return tell(session, "version", "VERSION ") == 0 ? 1 : -1;
}

// An item, as the server describes it.
struct item {
    uint64_t cas; // changes when it is written or made anew
    int bytes;    // with its name and all that the server keeps about it
};

// Looks for an item without making it look used: "ME name exp=-31 la=0 cas=1 fetch=no cls=3
// size=126", or "EN" if there is none. 1 if it is there, 0 if not, -1 with the error set.
static int find(struct session *session, const char *name, struct item *item)
{
    if (session_ask(session, "me %s", name) != 0)
        return -1;
    if (session_answered(session, "EN\r\n"))
        return 0;
    const char *cas = strstr(session->answer.bytes, " cas=");
    const char *bytes = strstr(session->answer.bytes, " size=");
    if (!session_answered(session, "ME ") || cas == NULL || bytes == NULL ||
        sscanf(cas, " cas=%" SCNu64, &item->cas) != 1 ||
        sscanf(bytes, " size=%d", &item->bytes) != 1)
        return session_unexpected(session, session->answer.bytes, "me");
    return 1;
}

static int has_lock(struct session *session)
{
    struct item ignored;
    return find(session, session->lock->name, &ignored);
}

// --- flush ---------------------------------------------------------------------------------------

#define WITNESS "lockpick-flush"

// A server that numbers its items (without -C) removes what is older than the command, to the
// item; one that does not goes by the second, and spares what came in the current one: until an
// item that was there before is gone.
static int flush(struct session *session)
{
    struct item ignored;
    for (int found = 1; found != 0;) {
        if (tell(session, "set " WITNESS " 0 0 1\r\nw", "STORED") != 0 ||
            tell(session, "flush_all", "OK") != 0)
            return -1;
        found = find(session, WITNESS, &ignored);
        if (found < 0 || (found == 1 && !session_pause(session, "its items are gone")))
            return -1;
    }
    return 0;
}

// --- evict ---------------------------------------------------------------------------------------

// memcached keeps items of about one size together, in a slab class, and throws away the least
// recently used of a class when that is full. So the fillers are exactly as large as the lock's
// item.
#define BATCH 500 // fillers between two looks for the lock
#define FILLER "lockpick-filler:%08" PRIu64

static int count_evictions(struct session *session, uint64_t *count)
{
    if (session_ask(session, "stats") != 0)
        return -1;
    const char *line = strstr(session->answer.bytes, "STAT evictions ");
    return line != NULL && sscanf(line, "STAT evictions %" SCNu64, count) == 1
               ? 0
               : session_unexpected(session, session->answer.bytes, "stats");
}

// How long a filler's value must be: the first filler, which has one of a byte, tells.
static int measure_filler(struct session *session, struct pressure *pressure, int wanted_bytes)
{
    char name[64], request[100];
    struct item filler;
    snprintf(name, sizeof name, FILLER, pressure->fillers++);
    snprintf(request, sizeof request, "set %s 0 0 1\r\nf", name);
    if (tell(session, request, "STORED") != 0)
        return -1;
    int found = find(session, name, &filler);
    if (found <= 0)
        return found < 0 ? -1
                         : session_unexpected(session, session->answer.bytes, "me of a new item");
    int bytes = 1 + wanted_bytes - filler.bytes;
    pressure->filler_bytes = bytes > 0 ? bytes : 1;
    return 0;
}

// Another item under the lock's name is a later hold: of somebody whom the eviction let in, or,
// before the memory was full, in whatever way the lock came free.
static enum eviction look(struct session *session)
{
    struct pressure *pressure = session->node->pressure;
    struct item item = {0};
    uint64_t evictions;
    int found = find(session, session->lock->name, &item);
    if (found == 1 && item.cas == pressure->lock_number)
        return EVICTION_GOES_ON;
    if (found < 0 || count_evictions(session, &evictions) != 0)
        return EVICTION_FAILED;
    if (evictions > pressure->evictions)
        return EVICTION_DONE;
    pressure->lock_number = item.cas;
    return found == 1 ? EVICTION_GOES_ON : eviction_too_late(session, true);
}

// Unless the pressure of earlier calls is on for this lock, looks for it, and how many went before
// it.
static enum eviction begin_eviction(struct session *session)
{
    struct pressure *pressure = session->node->pressure;
    struct item item;
    const char *name = session->lock->name;
    bool is_on = pressure->filler_bytes > 0;
    if (is_on && strcmp(pressure->lock, name) == 0)
        return look(session);
    int found = find(session, name, &item);
    if (found == 0)
        return eviction_too_late(session, false);
    if (found < 0 || count_evictions(session, &pressure->evictions) != 0 ||
        (!is_on && measure_filler(session, pressure, item.bytes) != 0))
        return EVICTION_FAILED;
    pressure->lock_number = item.cas;
    snprintf(pressure->lock, sizeof pressure->lock, "%s", name);
    return EVICTION_GOES_ON;
}

static enum eviction press(struct session *session)
{
    struct pressure *pressure = session->node->pressure;
    AUTO_TEXT struct text batch = {0};
    for (int i = 0; i < BATCH; i++)
        text_format(&batch, "set " FILLER " 0 0 %d noreply\r\n%0*d\r\n", pressure->fillers++,
                    pressure->filler_bytes, pressure->filler_bytes, 0);
    return send_batch(session, &batch) != 0 ? EVICTION_FAILED : look(session);
}

// Most of them were evicted themselves. A call that failed can be made again.
static int relieve(struct session *session)
{
    struct pressure *pressure = session->node->pressure;
    for (uint64_t i = 0; i < pressure->fillers;) {
        AUTO_TEXT struct text batch = {0};
        for (int of_batch = 0; of_batch < BATCH && i < pressure->fillers; of_batch++)
            text_format(&batch, "delete " FILLER " noreply\r\n", i++);
        if (send_batch(session, &batch) != 0)
            return -1;
    }
    if (tell(session, "mn", "MN") != 0) // so all of them were read
        return -1;
    *pressure = (struct pressure){0};
    return 0;
}

// --- exploration (exploration.h) -----------------------------------------------------------------

// Its clock is a number of seconds that a timer of its main thread sets (memcached.c of memcached
// 1.6, clock_handler). The thread waits in the kernel meanwhile, which knows nothing of the frozen
// clock; a new connection, which that thread takes, wakes it. It looks for timers that are due
// after each wake-up and takes one connection a time: the second one after a jump of the clock is
// taken when the timer has set the seconds. A timer is due a second after the last one, never
// before: so the server is shown whole seconds only, and as the clock must not go back, each
// schedule begins later than the one before.

#define BETWEEN_NS (2 * NS_PER_S)       // schedules, at least: their timers are due
#define TIME_WITNESS "lockpick-witness" // an item that shows how late it is for the server
#define TIME_WITNESS_LASTS_S 2000000    // of what memcached takes for a duration, nearly all
#define MOST_ITEMS 200
#define MOST_WAKES 20 // of its main thread, until it has seen the time

struct memory {
    int64_t now_ns;   // of the harness
    int64_t ahead_ns; // so much later it is for the server
    int64_t witness_ends_s;
};

static int64_t server_s(const struct memory *memory)
{
    return (memory->now_ns + memory->ahead_ns) / NS_PER_S;
}

static int connect_anew(struct explored_servers *servers, struct error *error)
{
    struct session *session = &servers->sessions[0];
    session_close(session);
    if (session_open(session, &servers->group->nodes[0], NULL, SESSION_PATIENCE_S, error) != 0)
        return -1;
    peer_reset_at_end(session->descriptor);
    return 0;
}

static int prepare(struct explored_servers *servers, struct error *error)
{
    struct memory *memory = servers->memory;
    // As the server has seen it go: another one may have explored it before.
    memory->now_ns = clock_now_ns(&(struct clock){.shift = servers->group->nodes[0].clock});
    return connect_anew(servers, error);
}

// That it goes by its new time is seen by how long an item will last. 1: it does not yet.
static int check_time(struct session *session, const struct memory *memory)
{
    long long left_s = 0;
    int64_t wanted_s = memory->witness_ends_s - server_s(memory);
    if (session_ask(session, "mg " TIME_WITNESS " t") != 0)
        return -1;
    if (sscanf(session->answer.bytes, "HD t%lld", &left_s) != 1)
        return session_unexpected(session, session->answer.bytes, "mg " TIME_WITNESS " t");
    if (left_s != wanted_s)
        error_set(
            session->error,
            "%s does not go by the clock that it is shown: an item lasts for %lld s more, not "
            "%lld s",
            session->peer.name, left_s, (long long)wanted_s);
    return left_s != wanted_s;
}

static int set_time(struct explored_servers *servers, int64_t now_ns, struct error *error)
{
    struct memory *memory = servers->memory;
    int64_t before_s = server_s(memory);
    if (now_ns < memory->now_ns)
        memory->ahead_ns +=
            (memory->now_ns - now_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S + BETWEEN_NS;
    memory->now_ns = now_ns;
    explored_set_clocks(servers, server_s(memory) * NS_PER_S);
    if (server_s(memory) == before_s)
        return 0;
    int result = 1;
    for (int i = 0; i < MOST_WAKES && result == 1; i++) {
        if (connect_anew(servers, error) != 0 ||
            tell(explored_session(servers, 0, error), "mn", "MN") != 0)
            return -1;
        if (i > 0)
            result = memory->witness_ends_s > 0
                         ? check_time(explored_session(servers, 0, error), memory)
                         : 0;
    }
    return result == 0 ? 0 : -1;
}

// As it numbers its items, flush_all removes all that came before it, and nothing after it.
static int empty(struct explored_servers *servers, struct error *error)
{
    struct memory *memory = servers->memory;
    struct session *session = explored_session(servers, 0, error);
    char request[80];
    snprintf(request, sizeof request, "set " TIME_WITNESS " 0 %d 1\r\n0", TIME_WITNESS_LASTS_S);
    memory->witness_ends_s = server_s(memory) + TIME_WITNESS_LASTS_S;
    return tell(session, "flush_all", "OK") != 0 ? -1 : tell(session, request, "STORED");
}

// Appends "NAME NUMBER stays VALUE" of an item that is there still; "expires", or in how many parts
// of time, if somebody asks for that.
static int tell_item(struct explored_servers *servers, struct session *session, const char *name,
                     struct text *image)
{
    const struct memory *memory = servers->memory;
    uint64_t number = 0;
    int left_s = 0, length = 0;
    if (session_ask(session, "mg %s c t v" END_OF_ITEM, name) != 0)
        return -1;
    const char *answer = session->answer.bytes;
    if (session_answered(session, "EN"))
        return 0;
    if (sscanf(answer, "VA %*d c%" SCNu64 " t%d%n", &number, &left_s, &length) < 2)
        return session_unexpected(session, answer, "mg");
    // Its second began so long ago.
    int64_t left_ns = left_s * NS_PER_S - (memory->now_ns + memory->ahead_ns) % NS_PER_S;
    text_format(image, "%s " MEMCACHED_NUMBER " %s", name, number,
                left_s < 0 ? "stays" : "expires");
    if (left_s >= 0 && servers->part_ns > 0)
        text_format(image, " %" PRId64, left_ns / servers->part_ns);
    text_add(image, answer + length);
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

// The thread that tells the names of all items passes over items that another one uses; none does
// (start).
static int image(struct explored_servers *servers, struct text *image, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    char *names[MOST_ITEMS] = {NULL};
    size_t count = 0;
    int result = session_ask(session, "lru_crawler metadump all");
    AUTO_TEXT struct text list = session->answer;
    session->answer = (struct text){0};
    if (result != 0 || list.length < 5 || strcmp(list.bytes + list.length - 5, "END\r\n") != 0)
        return result != 0
                   ? -1
                   : session_unexpected(session, text_string(&list), "lru_crawler metadump");
    for (char *rest = list.bytes, *line; (line = strsep(&rest, "\n")) != NULL;) {
        line[strcspn(line, " \r")] = '\0';
        if (strncmp(line, "key=", 4) != 0 || strcmp(line + 4, TIME_WITNESS) == 0)
            continue;
        if (count == MOST_ITEMS)
            return error_set(error, "%s keeps more than %d items", session->peer.name, MOST_ITEMS);
        decode(line + 4);
        names[count++] = line + 4;
    }
    qsort(names, count, sizeof *names, compare_lines);
    for (size_t i = 0; result == 0 && i < count; i++)
        result = tell_item(servers, session, names[i], image);
    return result;
}

// It keeps nothing. A new process numbers items from the beginning, so that a number may come again
// that a client has heard.
static int restart(struct explored_servers *servers, int server, enum kept_data kept,
                   struct error *error)
{
    struct node *node = &servers->group->nodes[server];
    int state = 1;
    (void)kept;
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
static int remove_key(struct explored_servers *servers, int server, const char *key,
                      struct error *error)
{
    return session_ask(explored_session(servers, server, error), "delete %s", key);
}

static const struct server_exploration exploration = {
    .refuses = true,
    .memory_bytes = sizeof(struct memory),
    .prepare = prepare,
    .empty = empty,
    .image = image,
    .set_time = set_time,
    .restart = restart,
    .evict = remove_key,
};

// --- all -----------------------------------------------------------------------------------------

static const struct server_control control = {
    .leads = leads,
    .has_lock = has_lock,
    .flush = flush,
    .policies = (const char *const[]){"lru", NULL},
    .begin_eviction = begin_eviction,
    .press = press,
    .most_presses = 20, // so that no memory is full after the first piece
    .relieve = relieve,
};

static const struct topology single = SINGLE_SERVER("memcached");

const struct server_kind memcached_server = {
    .name = "memcached",
    // It counts in whole seconds, and is asked for two more (harness/locks/memcached_add.c).
    .form = {.title = "memcached",
             .durability = {"memcached: in memory only"},
             .late_expiry_ns = 3 * NS_PER_S,
             .sets_clock_late = true,
             .shows_keys = true,
             .why_no_tls = "Lockpick speaks to it without a library; give it a port that is not by "
                           "TLS (-l notls:ADDRESS:PORT)"},
    .program = "memcached",
    .package = "memcached",
    .port = 11211,
    .topologies = (const struct topology *const[]){&single, NULL},
    .start = start,
    .ready = ready,
    .open = open_session,
    .ask = ask,
    .close = close_session,
    .is_in_memory = true,
    .takes_preload = true,
    .lease_clock = SHIFTED_MONOTONIC,
    .control = &control,
    .exploration = &exploration,
};
