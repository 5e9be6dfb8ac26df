// What can be done to Redis servers (control.h).
//
// leads: alone or as an equal whenever it answers; with sentinels as a master; in a cluster as a
// master of slots that sees the whole cluster serve. promote: REPLICAOF NO ONE, as by hand, so that
// a restart brings a replica back; in a cluster CLUSTER FAILOVER TAKEOVER.
//
// has_lock: the lock's key on this very server, a replica's own copy included. Where a key alone is
// no hold, its value decides (is_held of the scheme).
//
// evict: the policies are Redis's own. With an LRU one the lock is made to look as if nobody had
// used it for an hour, so that it goes before the trial's other keys; allkeys-random throws those
// away, too. "noeviction": until writes are refused for want of memory, while the lock stays.
//
// deny: "misconf" keeps sentinels from a PONG, and so they fail over; none of the others does, for
// 20 s at least.
//
// LOSS_ALL keeps nodes.conf, redis.conf and sentinel.conf, by which a server knows its group.
// LOSS_UNSYNCED is a power cut at the moment at which the server died. Without persistence it takes
// everything, with PERSISTENCE_AOF_ALWAYS nothing. With PERSISTENCE_AOF_EVERYSEC it takes the most
// that Redis permits itself to lose: every write of the last second, and, as the file tells only in
// which second of the server's clock a write was made, those of up to one second more. If the last
// write is older than a second, nothing.
#include "harness/cluster/redis/redis.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/locks/lock.h"
#include "harness/wire/redis_peer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- sessions ------------------------------------------------------------------------------------

int redis_session_open(struct session *session)
{
    struct redis_peer *link = memory_zeroed(1, sizeof *link);
    session->client = link;
    if (redis_peer_open(link, &session->peer, session->error) != 0)
        return -1;
    session->descriptor = link->context->fd;
    return 0;
}

void redis_session_close(struct session *session)
{
    redis_peer_close(session->client);
}

// As the protocol has it.
static void add_reply(struct text *answer, const redisReply *reply)
{
    if (reply->type == REDIS_REPLY_STRING) {
        text_format(answer, "$%zu\r\n", reply->len);
        text_add_bytes(answer, reply->str, reply->len);
        text_add(answer, "\r\n");
    } else if (reply->type == REDIS_REPLY_ARRAY) {
        text_format(answer, "*%zu\r\n", reply->elements);
        for (size_t i = 0; i < reply->elements; i++)
            add_reply(answer, reply->element[i]);
    } else if (reply->type == REDIS_REPLY_INTEGER) {
        text_format(answer, ":%lld\r\n", reply->integer);
    } else if (reply->type == REDIS_REPLY_NIL) {
        text_add(answer, "$-1\r\n");
    } else {
        text_format(answer, "%c%s\r\n", reply->type == REDIS_REPLY_ERROR ? '-' : '+', reply->str);
    }
}

// An error among the replies is an error.
int redis_session_ask(struct session *session, const char *requests)
{
    struct redis_peer *link = session->client;
    size_t wanted = 1;
    size_t refusal = SIZE_MAX; // where it is in the answer
    for (const char *at = requests; (at = strchr(at, '\n')) != NULL; at++)
        wanted += at[1] != '\0';
    link->peer = session->peer;
    redisAppendFormattedCommand(link->context, requests, strlen(requests));
    redisAppendFormattedCommand(link->context, "\r\n", 2);
    for (size_t i = 0; i < wanted; i++) {
        redisReply *reply = redis_peer_next(link, session->error);
        if (reply == NULL)
            return -1;
        if (refusal == SIZE_MAX && reply->type == REDIS_REPLY_ERROR)
            refusal = session->answer.length;
        add_reply(&session->answer, reply);
        freeReplyObject(reply);
    }
    return refusal == SIZE_MAX
               ? 0
               : session_unexpected(session, session->answer.bytes + refusal, requests);
}

static const char *answer_of(const struct session *session)
{
    return text_string(&session->answer);
}

// --- leads, owns, promote ------------------------------------------------------------------------

static int is_master(struct session *session)
{
    return session_ask(session, "ROLE") != 0 ? -1 : session_has(session, "$6\r\nmaster\r\n");
}

// What the line of CLUSTER NODES about the one that is asked says of slots: behind its eighth word,
// id address myself,flags master ping pong epoch link slots...; NULL with the error set.
static const char *own_slots(struct session *session)
{
    const char *line =
        session_ask(session, "CLUSTER NODES") == 0 ? strstr(answer_of(session), "myself,") : NULL;
    int end = 0;
    if (line != NULL)
        sscanf(line, "%*s %*s %*s %*s %*s %*s%n", &end);
    if (end == 0 && session->answer.length > 0)
        error_set(session->error, "%s does not say which slots it has", session->node->name);
    return end > 0 ? line + end : NULL;
}

static int leads(struct session *session)
{
    if (session_ask(session, "INFO persistence") != 0)
        return -1;
    if (!session_has(session, "\nloading:0"))
        return error_set(session->error, "%s is loading its data", session->node->name);
    if (!node_is_in(session->node, "cluster"))
        return node_is_in(session->node, "sentinel") ? is_master(session) : 1;
    const char *slots = own_slots(session);
    if (slots == NULL || *slots != ' ' || !session_has(session, "myself,master"))
        return slots == NULL ? -1 : 0;
    return session_ask(session, "CLUSTER INFO") != 0 ? -1
                                                     : session_has(session, "cluster_state:ok");
}

// Slots are numbers and ranges: " 0-5460 5462".
static int owns(struct session *session)
{
    if (!node_is_in(session->node, "cluster"))
        return 1;
    if (session_ask(session, "CLUSTER KEYSLOT \"%s\"", session->lock->name) != 0)
        return -1;
    int slot = (int)strtol(answer_of(session) + 1, NULL, 10);
    const char *slots = own_slots(session);
    for (const char *next = slots; next != NULL && *next == ' ';
         next += 1 + strcspn(next + 1, " \n")) {
        int first, last;
        int numbers = sscanf(next + 1, "%d-%d", &first, &last);
        if (numbers >= 1 && slot >= first && slot <= (numbers == 2 ? last : first))
            return 1;
    }
    return slots == NULL ? -1 : 0;
}

static int promote(struct session *session)
{
    int leading = is_master(session);
    if (leading == 0)
        leading =
            session_ask(session, node_is_in(session->node, "cluster") ? "CLUSTER FAILOVER TAKEOVER"
                                                                      : "REPLICAOF NO ONE");
    if (leading < 0)
        return -1;
    while ((leading = leads(session)) == 0) {
        if (!session_pause(session, "it leads"))
            return error_wrap(session->error, "%s was promoted", session->node->name);
    }
    return leading == 1 ? 0 : -1;
}

// --- has_lock ------------------------------------------------------------------------------------

// A member that is cut off from its cluster refuses to read a key, but not to list its keys.
static int has_key(struct session *session)
{
    char cursor[32] = "0";
    int count = 0;
    do {
        if (session_ask(session, "SCAN %s MATCH \"%s\" COUNT 10000", cursor, session->lock->name) !=
            0)
            return -1;
        if (sscanf(answer_of(session), "*2 $%*d %31s *%d", cursor, &count) != 2)
            return session_unexpected(session, answer_of(session), "SCAN");
    } while (count == 0 && strcmp(cursor, "0") != 0);
    return count > 0;
}

static int has_lock(struct session *session)
{
    const struct lock_scheme *scheme = lock_scheme_find(session->lock->scheme);
    bool reads_value = scheme != NULL && scheme->is_held != NULL;
    const char *name = session->lock->name;
    // So that a replica answers for its own copy. It is without effect on a master.
    if (node_is_in(session->node, "cluster") && session_ask(session, "READONLY") != 0)
        return -1;
    if (session_ask(session, "%s \"%s\"", reads_value ? "GET" : "EXISTS", name) == 0) {
        // ":1"; or "$-1", or "$3" and the value in a line of its own.
        const char *answer = answer_of(session);
        return reads_value ? answer[1] != '-' && scheme->is_held(answer + strcspn(answer, "\n") + 1)
                           : answer[1] == '1';
    }
    if (session_answered(session, "-MOVED"))
        return 0; // such keys are others'
    if (!session_answered(session, "-CLUSTERDOWN"))
        return -1;
    int found = has_key(session);
    return found != 1 || !reads_value
               ? found
               : error_set(session->error,
                           "%s is cut off from its cluster and does not tell the value of %s",
                           session->node->name, name);
}

static int flush(struct session *session)
{
    return session_ask(session, "FLUSHALL");
}

// --- evict ---------------------------------------------------------------------------------------

// The first call sets the limit a little above what is used; then fillers, which live for an hour,
// come one by one until the policy has thrown the lock away.
#define FILLER "lockpick-filler:"
// There are so few fillers that a policy's sample of SAMPLES holds every key.
#define FILLER_BYTES "8000"
#define ROOM_BYTES 400000
#define SAMPLES 64

// KEYS lock, filler. Answers "EXISTS EVICTED": whether the lock is there, and how many keys were
// evicted by now. If it is there, a filler more: the next command makes the server evict what it
// must.
//
// A server measures idleness in seconds, and a trial is short: among keys that were all just used
// chance decides, and the guarded value goes as well as the lock. So the lock becomes a key that
// nobody has used for an hour, and the fillers come next. Their values and what is left of their
// lives stay.
#define PRESS                                                                                      \
    "local evicted = string.match(redis.call('INFO', 'stats'), 'evicted_keys:(%%d+)') "            \
    "local exists = redis.call('EXISTS', KEYS[1]) "                                                \
    "if exists == 1 then "                                                                         \
    "  redis.pcall('SET', KEYS[2], string.rep('f', " FILLER_BYTES "), 'EX', 3600) "                \
    "  for place = 1, 2 do "                                                                       \
    "    local value, left = redis.call('DUMP', KEYS[place]), redis.call('PTTL', KEYS[place]) "    \
    "    if value and left ~= 0 then "                                                             \
    "      redis.pcall('RESTORE', KEYS[place], math.max(left, 0), value, 'REPLACE', "              \
    "        'IDLETIME', 5400 - 1800 * place) "                                                    \
    "    end "                                                                                     \
    "  end "                                                                                       \
    "end "                                                                                         \
    "return exists .. ' ' .. evicted"

// The lock must be there, on a master, and one that the policy may take: then EVICTION_GOES_ON.
static enum eviction check_lock(struct session *session)
{
    const char *name = session->lock->name;
    int leading = is_master(session);
    if (leading < 0 || session_ask(session, "PTTL \"%s\"", name) != 0)
        return EVICTION_FAILED;
    long long left_ms = strtoll(answer_of(session) + 1, NULL, 10);
    if (!leading)
        return error_set(session->error,
                         "%s is a replica, which evicts nothing itself: strike its master",
                         session->node->name);
    if (left_ms == -1 && strncmp(session->way, "volatile", 8) == 0)
        return error_set(session->error, "the lock %s has no time to live: %s never evicts it",
                         name, session->way);
    return left_ms != -2 ? EVICTION_GOES_ON : eviction_too_late(session, false);
}

// The number behind "<field>:" in what INFO tells. 0, or -1 with the error set.
static int info_number(struct session *session, const char *section, const char *field,
                       long long *number)
{
    char wanted[64];
    if (session_ask(session, "INFO %s", section) != 0)
        return -1;
    snprintf(wanted, sizeof wanted, "\n%s:", field);
    const char *found = strstr(answer_of(session), wanted);
    *number = found != NULL ? strtoll(found + strlen(wanted), NULL, 10) : 0;
    return found != NULL
               ? 0
               : error_set(session->error, "%s does not tell its %s", session->node->name, field);
}

// Unless an earlier call has set a limit.
static enum eviction begin_eviction(struct session *session)
{
    long long limit, used;
    if (info_number(session, "memory", "maxmemory", &limit) != 0)
        return EVICTION_FAILED;
    if (limit != 0)
        return EVICTION_GOES_ON;
    if (strcmp(session->way, "noeviction") != 0) {
        enum eviction checked = check_lock(session);
        if (checked != EVICTION_GOES_ON)
            return checked;
    }
    if (session_ask(session,
                    "CONFIG RESETSTAT\r\nCONFIG SET maxmemory-samples %d\r\n"
                    "CONFIG SET maxmemory-policy %s",
                    SAMPLES, session->way) != 0 ||
        info_number(session, "memory", "used_memory", &used) != 0 ||
        session_ask(session, "CONFIG SET maxmemory %lld", used + ROOM_BYTES) != 0)
        return EVICTION_FAILED;
    return EVICTION_GOES_ON;
}

// A filler, and the look that makes the server evict, are read by the server at once, so that
// nobody uses the lock in between. It may also have been released, or have expired.
static enum eviction press_lock_out(struct session *session)
{
    AUTO_TEXT struct text script = {0};
    struct pressure *pressure = session->node->pressure;
    const struct lock_identity *lock = session->lock;
    int exists = 1;
    uint64_t evicted = 0;
    text_format(&script, "EVAL \"" PRESS "\" 2 \"%s\" " FILLER "{%s}:%lld", lock->name, lock->tag,
                (long long)clock_monotonic_ns());
    if (session_ask(session, "%s\r\n%s", script.bytes, script.bytes) != 0)
        return EVICTION_FAILED;
    const char *next = answer_of(session);
    for (int i = 0; i < 2 && exists == 1; i++) {
        int read = 0;
        if (sscanf(next, "$%*d %d %" SCNu64 " %n", &exists, &evicted, &read) != 2)
            return session_unexpected(session, next, "a filler");
        next += read;
        if (exists == 1) {
            snprintf(pressure->lock, sizeof pressure->lock, "%s", lock->name);
            pressure->evictions = evicted;
        }
    }
    if (exists == 1)
        return EVICTION_GOES_ON;
    bool is_evicted = strcmp(pressure->lock, lock->name) == 0 && evicted > pressure->evictions;
    return is_evicted ? EVICTION_DONE : eviction_too_late(session, true);
}

// With "noeviction" until writes are refused. It must stay full, even if clients leave, and their
// memory with them.
static enum eviction press(struct session *session)
{
    if (strcmp(session->way, "noeviction") != 0)
        return press_lock_out(session);
    if (session_ask(session, "SET " FILLER "{%s}:%lld %0" FILLER_BYTES "d EX 3600",
                    session->lock->tag, (long long)clock_monotonic_ns(), 0) == 0)
        return EVICTION_GOES_ON;
    return session_answered(session, "-OOM") && session_ask(session, "CONFIG SET maxmemory 1") == 0
               ? EVICTION_DONE
               : EVICTION_FAILED;
}

// What a server that Lockpick boots starts with. One that has become a replica meanwhile has its
// fillers from its master, who must be relieved itself.
static int relieve(struct session *session)
{
    if (session_ask(session, "CONFIG SET maxmemory 0\r\nCONFIG SET maxmemory-policy noeviction\r\n"
                             "CONFIG SET maxmemory-samples 5") != 0)
        return -1;
    *session->node->pressure = (struct pressure){0};
    int leading = is_master(session);
    return leading != 1
               ? leading
               : session_ask(session, "EVAL \"local cursor = '0' repeat "
                                      "local page = redis.call('SCAN', cursor, 'MATCH', '" FILLER
                                      "*', 'COUNT', 1000) cursor = page[1] "
                                      "for _, key in ipairs(page[2]) do "
                                      "redis.call('UNLINK', key) end "
                                      "until cursor == '0'\" 0");
}

// --- deny ----------------------------------------------------------------------------------------

#define MOST_SCRATCH 99      // so many keys are of each master's slots some, almost certainly
#define NOBODY "127.0.0.1 1" // where no Redis listens

// "readonly" is a replica of nobody: it keeps its data, and waits for a master that never answers.
static const struct refusal {
    const char *name;
    const char *answer; // the first word of it
    const char *begin, *end;
} all_refusals[] = {
    {"readonly", "-READONLY", "REPLICAOF " NOBODY, "REPLICAOF NO ONE"},
    {"oom", "-OOM", "CONFIG SET maxmemory-policy noeviction\r\nCONFIG SET maxmemory 1",
     "CONFIG SET maxmemory 0"},
    {"misconf", "-MISCONF", "CONFIG SET save \"100000000 100000000\"", "CONFIG SET save \"\""},
    {"min-replicas", "-NOREPLICAS", "CONFIG SET min-replicas-to-write 100",
     "CONFIG SET min-replicas-to-write 0"},
};

static const struct refusal *refusal_of(const char *name)
{
    const struct refusal *refusal = all_refusals;
    while (strcmp(refusal->name, name) != 0)
        refusal++;
    return refusal;
}

// Starts a snapshot and waits until it has failed.
static int fail_snapshot(struct session *session)
{
    long long runs = 1;
    while (session_ask(session, "BGSAVE") != 0) {
        if (!session_pause(session, NULL))
            return -1;
    }
    while (info_number(session, "persistence", "rdb_bgsave_in_progress", &runs) == 0) {
        if (runs == 0)
            return 0;
        if (!session_pause(session, "the snapshot has ended"))
            return -1;
    }
    return -1;
}

// A server that has to save snapshots, and whose last one failed, refuses writes until one
// succeeds. This one fails because a folder is in its place, and none is due for years. The folder
// goes at once: a server that found it at a restart could not start.
static int deny_by_snapshot(struct session *session, const char *begin)
{
    AUTO_FREE char *path = path_join(session->node->data, "dump.rdb");
    unlink(path); // of a replica that was sent its master's data
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        return error_set(session->error, "cannot make folder %s: %s", path, strerror(errno));
    int result = session_ask(session, "%s", begin) == 0 ? fail_snapshot(session) : -1;
    rmdir(path);
    return result;
}

// 1 if it follows another server, 0 if it is a master, or a replica of nobody; -1 with the error
// set.
static int follows(struct session *session)
{
    if (session_ask(session, "ROLE") != 0)
        return -1;
    return session_has(session, "$5\r\nslave\r\n") && !session_has(session, "127.0.0.1\r\n:1\r\n");
}

static int deny(struct session *session, bool refuses)
{
    const struct refusal *refusal = refusal_of(session->way);
    int following = follows(session);
    if (following < 0)
        return -1;
    if (refuses && following)
        return error_set(session->error,
                         "%s is a replica, which refuses writes as it is: strike its master",
                         session->node->name);
    if (refuses)
        return (strcmp(session->way, "misconf") == 0
                    ? deny_by_snapshot(session, refusal->begin)
                    : session_ask(session, "%s", refusal->begin)) == 0
                   ? 1
                   : -1;
    // Unless it was given a real master meanwhile.
    bool is_ended = strcmp(session->way, "readonly") == 0 && (following || is_master(session) == 1);
    if (!is_ended && session_ask(session, "%s", refusal->end) != 0)
        return -1;
    return following;
}

// By a write that changes nothing. In a cluster, by one that the server is there for; one that is
// there for none refuses nothing.
static int refuses(struct session *session)
{
    int result = -1;
    for (int i = 0; result != 0 && i < MOST_SCRATCH; i++) {
        result = session_ask(session, "SETRANGE lockpick-scratch-%d 0 \"\"", i);
        if (result != 0 && session_answered(session, refusal_of(session->way)->answer))
            return 1;
        if (result != 0 && !session_answered(session, "-MOVED"))
            return session_answered(session, "-READONLY") && follows(session) == 1 ? 1 : -1;
    }
    return 0;
}

// --- disconnect ----------------------------------------------------------------------------------

// "id=3 addr=10.77.1.4:40112 laddr=... flags=P ...": P subscribes; S is a replica and M a master,
// whose links are no client's, wherever they come from.
static bool read_client(const struct session *session, const char *line,
                        struct server_client *client)
{
    char flags[24];
    const char *at = strstr(line, " flags=");
    return at != NULL && sscanf(at, " flags=%23s", flags) == 1 &&
           sscanf(line, "id=%23s addr=%63[^:]:%d", client->id, client->address, &client->port) ==
               3 &&
           strpbrk(flags, "SM") == NULL &&
           (strcmp(session->way, "pubsub") != 0 || strchr(flags, 'P') != NULL);
}

static int end_client(struct session *session, const struct server_client *client)
{
    if (session_ask(session, "CLIENT KILL ID %s", client->id) != 0)
        return -1;
    return session_answered(session, ":1") ? END_DONE : END_NOTHING;
}

// --- what a power cut takes ----------------------------------------------------------------------

// The file that commands are appended to (AOF) is, from Redis 7 on, one or several, in an order
// that a manifest tells. With aof-timestamp-enabled a line "#TS:<second>" stands before the first
// command of each second.
#define MAX_FILES 16
#define AOF_FOLDER "appendonlydir"
#define MANIFEST "appendonly.aof.manifest"

// Where the first command of second `from` or a later one begins: the offset of its time, or that
// of the end. *newest becomes the newest time that was passed. A command: *2 $3 DEL $4 lock, each
// word on a line of its own; in a word anything may be.
static size_t find_time(const struct text *file, long long from, long long *newest)
{
    const char *at = file->bytes;
    const char *end = at + file->length;
    const char *line_end;
    long long words = 0; // that the command still has
    while (at < end && (line_end = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        bool is_time = words == 0 && strncmp(at, "#TS:", 4) == 0;
        long long number = strtoll(at + (is_time ? 4 : 1), NULL, 10);
        if (is_time && number >= from)
            return (size_t)(at - file->bytes);
        if (is_time) {
            *newest = number;
        } else if (words == 0 && *at == '*') {
            words = number;
        } else if (words > 0 && *at == '$' && number >= 0 && end - line_end > number + 2) {
            words--;
            line_end += number + 2;
        } else {
            break; // what a kill has cut off in the middle, Redis leaves out
        }
        at = line_end + 1;
    }
    return file->length;
}

// What was appended, in one piece, and in which files it is.
struct log {
    struct text content;
    char *paths[MAX_FILES];
    size_t ends[MAX_FILES]; // of each file, in the content
    int count;
};

// The manifest's lines: "file appendonly.aof.1.incr.aof seq 1 type i"; i is what was appended.
static int read_log(const char *folder, struct log *log, struct error *error)
{
    char name[256];
    char type[2];
    AUTO_TEXT struct text manifest = {0};
    AUTO_FREE char *path = path_join(folder, MANIFEST);
    if (file_read(path, &manifest, error) != 0)
        return -1;
    char *rest = manifest.bytes;
    for (char *line; log->count < MAX_FILES && (line = strsep(&rest, "\n")) != NULL;) {
        if (sscanf(line, "file %255s seq %*s type %1s", name, type) != 2 || type[0] != 'i')
            continue;
        log->paths[log->count] = path_join(folder, name);
        if (file_read(log->paths[log->count], &log->content, error) != 0)
            return -1;
        log->ends[log->count++] = log->content.length;
    }
    return 0;
}

// Cuts off all that was written in the last second, by the age of a write when the server died: how
// long the last one was ago then, and how far apart the two were by the server's own clock. Of
// those apart by less than a whole second, none is certain to be a second old.
static int lose_last_second(const struct node *node, const struct log *log, struct error *error)
{
    long long newest = -1;
    struct stat last = {0};
    if (log->content.length == 0)
        return 0;
    stat(log->paths[log->count - 1], &last);
    int64_t written_ns = last.st_mtim.tv_sec * NS_PER_S + last.st_mtim.tv_nsec;
    if (node->died_ns != 0 && node->died_ns - written_ns >= NS_PER_S)
        return 0;
    find_time(&log->content, INT64_MAX, &newest);
    if (newest < 0)
        return error_set(error,
                         "the AOF of %s does not tell when something was written: that needs Redis "
                         "7 with aof-timestamp-enabled",
                         node->name);
    size_t length = find_time(&log->content, newest - 1, &newest);
    for (int i = 0; i < log->count; i++) {
        size_t start = i > 0 ? log->ends[i - 1] : 0;
        if (length < log->ends[i] &&
            truncate(log->paths[i], length > start ? (off_t)(length - start) : 0) != 0)
            return error_set(error, "cannot truncate %s: %s", log->paths[i], strerror(errno));
    }
    return 0;
}

int redis_power_cut(const struct node *node, struct error *error)
{
    enum persistence persistence = node->group->settings.persistence;
    AUTO_FREE char *folder = path_join(node->data, AOF_FOLDER);
    struct log log = {0};
    if (persistence != PERSISTENCE_AOF_EVERYSEC)
        return persistence == PERSISTENCE_NONE ? data_empty(node, error) : 0;
    int result = read_log(folder, &log, error) != 0 ? -1 : lose_last_second(node, &log, error);
    for (int i = 0; i < MAX_FILES; i++)
        free(log.paths[i]);
    text_free(&log.content);
    return result;
}

const struct server_control redis_control = {
    .leads = leads,
    .owns = owns,
    .promote = promote,
    .has_lock = has_lock,
    .flush = flush,
    .policies = (const char *const[]){"allkeys-lru", "volatile-lru", "volatile-ttl",
                                      "allkeys-random", "noeviction", NULL},
    .begin_eviction = begin_eviction,
    .press = press,
    .relieve = relieve,
    .refusals = (const char *const[]){"readonly", "oom", "misconf", "min-replicas", NULL},
    .deny = deny,
    .refuses = refuses,
    .links = (const char *const[]){"connection", "pubsub", NULL},
    .list = "CLIENT LIST",
    .read = read_client,
    .end = end_client,
};
