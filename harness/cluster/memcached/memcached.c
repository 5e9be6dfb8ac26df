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
#include "harness/cluster/memcached/memcached.h"

#include "harness/cluster/server.h"
#include "harness/wire/memcached.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pid_t start(const struct node *node, struct error *error)
{
    char port[16];
    snprintf(port, sizeof port, "%d", node->port);
    // So little memory (-m, in megabytes) is filled within half a second, while a lock needs about
    // a hundred bytes. -u is only looked at by root. While it is explored, one thread does all, and
    // none moves items about: who has answered has let go of all items (memcached_exploration.c).
    bool is_explored = node->group->settings.is_explored;
    const char *threads = is_explored ? "1" : "2";
    const char *option = is_explored ? "-o" : NULL;
    const char *const arguments[] = {"memcached",
                                     "-l",
                                     node->end.address,
                                     "-p",
                                     port,
                                     "-U",
                                     "0",
                                     "-m",
                                     "8",
                                     "-c",
                                     "10000",
                                     "-t",
                                     threads,
                                     "-u",
                                     "root",
                                     option,
                                     "no_lru_maintainer",
                                     NULL};
    return server_run(node, arguments, false, error);
}

static bool ready(const struct node *node)
{
    char wanted[48];
    snprintf(wanted, sizeof wanted, "STAT pid %d\r\n", (int)node->server);
    return node_says(node, "stats", wanted);
}

static int open_session(struct session *session)
{
    struct memcached_peer *link = memory_zeroed(1, sizeof *link);
    session->client = link;
    return memcached_peer_open(link, &session->peer, session->error);
}

static void close_session(struct session *session)
{
    memcached_peer_close(session->client);
}

// One line is an answer, or as many as an END tells.
static int ask(struct session *session, const char *request)
{
    struct memcached_peer *link = session->client;
    bool is_list = strcmp(request, "stats") == 0 || strncmp(request, "get ", 4) == 0;
    link->peer = session->peer;
    int result =
        memcached_peer_request(link, is_list ? "END" : NULL, session->error, "%s", request);
    text_add(&session->answer, text_string(&link->answer));
    return result;
}

static int send(struct session *session, const struct text *bytes)
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
// item. All that a call needs to know of those before it, the server keeps for it, in an item that
// is much larger, and so of another class.
#define PIECE_NS (40 * NS_PER_MS)
#define PIECE_BATCHES 20 // at most, so that no memory is full after the first piece
#define BATCH 500        // fillers between two looks for the lock
#define FILLER "lockpick-filler:%08" PRIu64
#define NOTE "lockpick-pressure"
#define NOTE_BYTES 700

static const char *const policies[] = {"lru", NULL};

struct pressure {
    uint64_t fillers;     // so many were stored so far
    int value_bytes;      // of each
    uint64_t evictions;   // of the server, before the first
    uint64_t lock_number; // of the lock's item, when it was last seen
    char lock[100];       // which one it is: several are evicted one by one
};

// 1 if earlier calls have left one, 0 if not, -1 with the error set.
static int read_note(struct session *session, struct pressure *pressure)
{
    if (session_ask(session, "get " NOTE) != 0)
        return -1;
    if (session_answered(session, "END"))
        return 0;
    const char *value = strchr(session->answer.bytes, '\n');
    if (value != NULL && sscanf(value, " %" SCNu64 " %d %" SCNu64 " %" SCNu64 " %99s",
                                &pressure->fillers, &pressure->value_bytes, &pressure->evictions,
                                &pressure->lock_number, pressure->lock) == 5)
        return 1;
    return session_unexpected(session, session->answer.bytes, "get " NOTE);
}

static int write_note(struct session *session, const struct pressure *pressure)
{
    char value[NOTE_BYTES + 1];
    char request[NOTE_BYTES + 80];
    snprintf(value, sizeof value, "%" PRIu64 " %d %" PRIu64 " %" PRIu64 " %s", pressure->fillers,
             pressure->value_bytes, pressure->evictions, pressure->lock_number, pressure->lock);
    snprintf(request, sizeof request, "set " NOTE " 0 0 %d\r\n%-*s", NOTE_BYTES, NOTE_BYTES, value);
    return tell(session, request, "STORED");
}

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
    pressure->value_bytes = bytes > 0 ? bytes : 1;
    return 0;
}

// Unless the pressure of earlier calls is on (`noted`) for this lock, looks for it, and how many
// went before it.
static enum eviction begin(struct session *session, bool noted, struct pressure *pressure)
{
    struct item item;
    const char *name = session->lock->name;
    if (noted && strcmp(pressure->lock, name) == 0)
        return EVICTION_GOES_ON;
    int found = find(session, name, &item);
    if (found == 0) {
        error_set(session->error, "%s does not have the lock %s, so that it cannot evict it",
                  session->node->name, name);
        return EVICTION_TOO_LATE;
    }
    pressure->lock_number = item.cas;
    snprintf(pressure->lock, sizeof pressure->lock, "%s", name);
    if (found < 0 || count_evictions(session, &pressure->evictions) != 0 ||
        (!noted && measure_filler(session, pressure, item.bytes) != 0))
        return EVICTION_FAILED;
    return EVICTION_GOES_ON;
}

static int add_fillers(struct session *session, struct pressure *pressure)
{
    struct text batch = {0};
    for (int i = 0; i < BATCH; i++)
        text_format(&batch, "set " FILLER " 0 0 %d noreply\r\n%0*d\r\n", pressure->fillers++,
                    pressure->value_bytes, pressure->value_bytes, 0);
    int result = send(session, &batch);
    text_free(&batch);
    return result;
}

// Another item under the lock's name is a later hold: of somebody whom the eviction let in, or,
// before the memory was full, in whatever way the lock came free.
static enum eviction look(struct session *session, struct pressure *pressure)
{
    struct item item;
    uint64_t evictions;
    int found = find(session, session->lock->name, &item);
    if (found == 1 && item.cas == pressure->lock_number)
        return EVICTION_GOES_ON;
    if (found < 0 || count_evictions(session, &evictions) != 0)
        return EVICTION_FAILED;
    if (evictions > pressure->evictions)
        return EVICTION_DONE;
    if (found == 0) {
        error_set(session->error, "the lock was gone before the memory of %s was full",
                  session->node->name);
        return EVICTION_TOO_LATE;
    }
    pressure->lock_number = item.cas;
    return EVICTION_GOES_ON;
}

static enum eviction evict(struct session *session, const char *policy)
{
    struct pressure pressure = {0};
    (void)policy;
    int noted = read_note(session, &pressure);
    enum eviction eviction = noted < 0 ? EVICTION_FAILED : begin(session, noted == 1, &pressure);
    if (eviction != EVICTION_GOES_ON)
        return eviction;
    int64_t until_ns = clock_monotonic_ns() + PIECE_NS;
    eviction = look(session, &pressure);
    for (int i = 0; i < PIECE_BATCHES && eviction == EVICTION_GOES_ON; i++) {
        if (clock_monotonic_ns() >= until_ns)
            break;
        if (add_fillers(session, &pressure) != 0)
            return EVICTION_FAILED;
        eviction = look(session, &pressure);
    }
    return write_note(session, &pressure) != 0 ? EVICTION_FAILED : eviction;
}

// Most of them were evicted themselves. The note goes last, so that a call that failed can be made
// again.
static int relieve(struct session *session)
{
    struct pressure pressure = {0};
    int noted = read_note(session, &pressure);
    int result = noted < 0 ? -1 : 0;
    for (uint64_t i = 0; result == 0 && i < pressure.fillers;) {
        struct text batch = {0};
        for (int of_batch = 0; of_batch < BATCH && i < pressure.fillers; of_batch++)
            text_format(&batch, "delete " FILLER " noreply\r\n", i++);
        result = send(session, &batch);
        text_free(&batch);
    }
    return result == 0 && noted == 1 ? session_ask(session, "delete " NOTE) : result;
}

// --- all -----------------------------------------------------------------------------------------

static const struct server_control control = {
    .leads = leads,
    .has_lock = has_lock,
    .flush = flush,
    .policies = policies,
    .evict = evict,
    .relieve = relieve,
};

static const struct topology single = SINGLE_SERVER("memcached");
static const struct topology *const topologies[] = {&single, NULL};

const struct server_kind memcached_server = {
    .name = "memcached",
    // It counts in whole seconds, and is asked for two more (harness/locks/memcached_add.c).
    .form = {.title = "memcached",
             .durability = {"memcached: in memory only"},
             .late_expiry_ns = 3 * NS_PER_S,
             .sets_clock_late = true,
             .shows_keys = true},
    .program = "memcached",
    .package = "memcached",
    .port = 11211,
    .topologies = topologies,
    .start = start,
    .ready = ready,
    .open = open_session,
    .ask = ask,
    .close = close_session,
    .is_in_memory = true,
    .takes_preload = true,
    .lease_clock = SHIFTED_MONOTONIC,
    .control = &control,
    .exploration = &memcached_exploration,
};
