// Redis servers whose memory is full.
//
// The first call sets the limit a little above what is used; then fillers, which live for an hour,
// come one by one until the policy has thrown the lock away. All that a call needs to know of those
// before it, the server knows.
#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/cluster/redis_control_link.h"

#include <stdio.h>
#include <string.h>

#define PIECE_NS (40 * NS_PER_MS)
#define FILLER "lockpick-filler:"
// A filler and the question after it are read by the server at once, so that nobody uses the lock
// in between; there are so few that a policy's sample of SAMPLES holds every key.
#define FILLER_BYTES 8000
#define ROOM_BYTES 400000
#define SAMPLES 64

const char *const redis_policies[] = {"allkeys-lru",    "volatile-lru", "volatile-ttl",
                                      "allkeys-random", "noeviction",   NULL};

// KEYS lock, filler; ARGV the filler's value. A server measures idleness in seconds, and a trial is
// short: among keys that were all just used chance decides, and the guarded value goes as well as
// the lock. So the lock becomes a key that nobody has used for an hour, and the fillers come next.
// Their values and what is left of their lives stay.
#define ADD_FILLER                                                                                 \
    "redis.call('SET', KEYS[2], ARGV[1], 'EX', 3600) "                                             \
    "for place, key in ipairs(KEYS) do "                                                           \
    "  local value, left = redis.call('DUMP', key), redis.call('PTTL', key) "                      \
    "  if value and left ~= 0 then "                                                               \
    "    local idle_s = 5400 - 1800 * place "                                                      \
    "    redis.call('RESTORE', key, math.max(left, 0), value, 'REPLACE', 'IDLETIME', idle_s) "     \
    "  end "                                                                                       \
    "end"

// KEYS lock, note. Answers whether the lock is there, how many keys were evicted by now, and how
// many when it was last seen there (-1: it was not): that, the note keeps from call to call.
#define LOOK_FOR_LOCK                                                                              \
    "local evicted = tonumber(string.match(redis.call('INFO', 'stats'), 'evicted_keys:(%d+)')) "   \
    "local seen = tonumber(redis.call('GET', KEYS[2]) or -1) "                                     \
    "local exists = redis.call('EXISTS', KEYS[1]) "                                                \
    "if exists == 1 then redis.pcall('SET', KEYS[2], evicted, 'EX', 7200) end "                    \
    "return {exists, evicted, seen}"

struct pressure {
    const struct lock_identity *lock;
    const char *policy;
    char filler[FILLER_BYTES + 1];
};

static bool evicts(const struct pressure *pressure)
{
    return strcmp(pressure->policy, "noeviction") != 0;
}

// --- beginning -----------------------------------------------------------------------------------

// Asks for an integer: 0, or -1 with `error` set.
static int ask_number(struct redis_link *link, const char *command, const char *key,
                      long long *number, struct error *error)
{
    redisReply *reply = redis_link_ask(link, error, "%s %s", command, key);
    if (reply == NULL)
        return -1;
    int result =
        reply->type == REDIS_REPLY_INTEGER ? 0 : redis_unexpected(link, command, reply, error);
    *number = reply->integer;
    freeReplyObject(reply);
    return result;
}

// The lock must be there, on a master, and one that the policy may take: then EVICTION_GOES_ON.
static enum eviction check_lock(struct redis_link *link, const struct pressure *pressure,
                                struct error *error)
{
    const char *name = pressure->lock->name;
    long long left_ms;
    int is_master = redis_is_master(link, error);
    if (is_master < 0 || ask_number(link, "PTTL", name, &left_ms, error) != 0)
        return EVICTION_FAILED;
    if (!is_master) {
        error_set(error, "%s is a replica, which evicts nothing itself: strike its master",
                  link->node->name);
        return EVICTION_FAILED;
    }
    if (left_ms == -2) {
        error_set(error, "%s does not have the lock %s, so that it cannot evict it",
                  link->node->name, name);
        return EVICTION_TOO_LATE;
    }
    if (left_ms == -1 && strncmp(pressure->policy, "volatile", 8) == 0) {
        error_set(error, "the lock %s has no time to live: %s never evicts it", name,
                  pressure->policy);
        return EVICTION_FAILED;
    }
    return EVICTION_GOES_ON;
}

// 1 if an earlier call has set a limit, 0 if not, -1 with `error` set.
static int is_limited(struct redis_link *link, struct error *error)
{
    long long limit;
    if (redis_info_number(link, "memory", "maxmemory", &limit, error) != 0)
        return -1;
    return limit != 0;
}

static int set_limit(struct redis_link *link, const struct pressure *pressure, struct error *error)
{
    long long used;
    if (redis_link_tell(link, error, "CONFIG RESETSTAT") != 0 ||
        redis_link_tell(link, error, "CONFIG SET maxmemory-samples %d", SAMPLES) != 0 ||
        redis_link_tell(link, error, "CONFIG SET maxmemory-policy %s", pressure->policy) != 0 ||
        redis_info_number(link, "memory", "used_memory", &used, error) != 0)
        return -1;
    return redis_link_tell(link, error, "CONFIG SET maxmemory %lld", used + ROOM_BYTES);
}

// --- filling -------------------------------------------------------------------------------------

// The next reply: an error is none if it says that the memory is full. 0, 1 if it says so, or -1
// with `error` set.
static int next_number(struct redis_link *link, long long *number, struct error *error)
{
    redisReply *reply = redis_link_next(link, error);
    if (reply == NULL)
        return -1;
    bool is_full = redis_is_error(reply, "OOM");
    int result = is_full;
    if (!is_full && redis_is_error(reply, ""))
        result = redis_unexpected(link, "a filler", reply, error);
    *number = reply->integer;
    freeReplyObject(reply);
    return result;
}

static enum eviction judge_look(bool exists, long long evicted, long long noted, long long *seen)
{
    long long before = *seen >= 0 ? *seen : noted;
    if (exists) {
        *seen = evicted;
        return EVICTION_GOES_ON;
    }
    return before >= 0 && evicted > before ? EVICTION_DONE : EVICTION_TOO_LATE;
}

// The next reply, to LOOK_FOR_LOCK. The lock may also have been released, or have expired. `seen`:
// how many keys were evicted when this call last saw it, or -1; kept.
static enum eviction next_look(struct redis_link *link, long long *seen, struct error *error)
{
    redisReply *reply = redis_link_next(link, error);
    if (reply == NULL)
        return EVICTION_FAILED;
    enum eviction eviction = EVICTION_FAILED;
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 3)
        redis_unexpected(link, "a look for the lock", reply, error);
    else
        eviction = judge_look(reply->element[0]->integer == 1, reply->element[1]->integer,
                              reply->element[2]->integer, seen);
    freeReplyObject(reply);
    if (eviction == EVICTION_TOO_LATE)
        error_set(error, "the lock was gone before the memory of %s was full", link->node->name);
    return eviction;
}

// One filler more, between two looks for the lock. Each makes the server evict what it must, and
// nobody else is heard meanwhile.
static enum eviction add_filler(struct redis_link *link, const struct pressure *pressure,
                                long long *seen, struct error *error)
{
    const struct lock_identity *lock = pressure->lock;
    char key[96];
    char note[96];
    long long ignored;
    snprintf(key, sizeof key, FILLER "{%s}:%lld", lock->tag, (long long)clock_monotonic_ns());
    snprintf(note, sizeof note, FILLER "{%s}:note", lock->tag);
    redisAppendCommand(link->context, "EVAL %s 2 %s %s", LOOK_FOR_LOCK, lock->name, note);
    redisAppendCommand(link->context, "EVAL %s 2 %s %s %s", ADD_FILLER, lock->name, key,
                       pressure->filler);
    redisAppendCommand(link->context, "EVAL %s 2 %s %s", LOOK_FOR_LOCK, lock->name, note);
    enum eviction before = next_look(link, seen, error);
    if (before == EVICTION_FAILED || next_number(link, &ignored, error) < 0)
        return EVICTION_FAILED;
    enum eviction after = next_look(link, seen, error);
    return before == EVICTION_GOES_ON || after == EVICTION_FAILED ? after : before;
}

// Until writes are refused.
static enum eviction add_refused_filler(struct redis_link *link, const struct pressure *pressure,
                                        struct error *error)
{
    char key[96];
    long long ignored;
    snprintf(key, sizeof key, FILLER "{%s}:%lld", pressure->lock->tag,
             (long long)clock_monotonic_ns());
    redisAppendCommand(link->context, "SET %s %s EX 3600", key, pressure->filler);
    int is_full = next_number(link, &ignored, error);
    // It must stay full, even if clients leave, and their memory with them.
    if (is_full < 0 ||
        (is_full == 1 && redis_link_tell(link, error, "CONFIG SET maxmemory 1") != 0))
        return EVICTION_FAILED;
    return is_full == 1 ? EVICTION_DONE : EVICTION_GOES_ON;
}

static enum eviction evict_now(struct redis_link *link, const struct pressure *pressure,
                               struct error *error)
{
    int limited = is_limited(link, error);
    if (limited < 0)
        return EVICTION_FAILED;
    enum eviction eviction = EVICTION_GOES_ON;
    if (limited == 0 && evicts(pressure))
        eviction = check_lock(link, pressure, error);
    if (eviction == EVICTION_GOES_ON && limited == 0 && set_limit(link, pressure, error) != 0)
        eviction = EVICTION_FAILED;
    int64_t until_ns = clock_monotonic_ns() + PIECE_NS;
    long long seen = -1;
    while (eviction == EVICTION_GOES_ON && clock_monotonic_ns() < until_ns)
        eviction = evicts(pressure) ? add_filler(link, pressure, &seen, error)
                                    : add_refused_filler(link, pressure, error);
    return eviction;
}

int redis_evict(const struct node *node, const struct lock_identity *lock, const char *policy,
                struct error *error)
{
    struct redis_link link;
    struct pressure pressure = {.lock = lock, .policy = policy};
    if (policy == NULL)
        pressure.policy = redis_policies[0];
    else if (!text_is_one_of(policy, redis_policies))
        return error_set(error, "Redis has no policy '%s' to evict by", policy);
    memset(pressure.filler, 'f', FILLER_BYTES);
    if (redis_link_open(&link, node, error) != 0)
        return -1;
    int result = evict_now(&link, &pressure, error);
    redis_link_close(&link);
    return result;
}

// --- relieving -----------------------------------------------------------------------------------

// Removes what of the keys in a page of SCAN's is there.
static int remove_keys(struct redis_link *link, const redisReply *keys, struct error *error)
{
    int result = 0;
    long long ignored;
    for (size_t i = 0; i < keys->elements; i++)
        redisAppendCommand(link->context, "UNLINK %s", keys->element[i]->str);
    for (size_t i = 0; i < keys->elements; i++) {
        if (next_number(link, &ignored, error) < 0)
            result = -1;
    }
    return result;
}

static int remove_fillers(struct redis_link *link, struct error *error)
{
    char cursor[32] = "0";
    int result = 0;
    do {
        redisReply *reply =
            redis_link_ask(link, error, "SCAN %s MATCH " FILLER "* COUNT 1000", cursor);
        if (reply == NULL)
            return -1;
        if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 2) {
            snprintf(cursor, sizeof cursor, "%s", reply->element[0]->str);
            result = remove_keys(link, reply->element[1], error);
        } else {
            result = redis_unexpected(link, "SCAN", reply, error);
        }
        freeReplyObject(reply);
    } while (result == 0 && strcmp(cursor, "0") != 0);
    return result;
}

// What a server that Lockpick boots starts with. One that has become a replica meanwhile has its
// fillers from its master, who must be relieved itself.
static int relieve_now(struct redis_link *link, struct error *error)
{
    if (redis_link_tell(link, error, "CONFIG SET maxmemory 0") != 0 ||
        redis_link_tell(link, error, "CONFIG SET maxmemory-policy noeviction") != 0 ||
        redis_link_tell(link, error, "CONFIG SET maxmemory-samples 5") != 0)
        return -1;
    int is_master = redis_is_master(link, error);
    return is_master == 1 ? remove_fillers(link, error) : is_master;
}

int redis_relieve(const struct node *node, struct error *error)
{
    struct redis_link link;
    if (redis_link_open(&link, node, error) != 0)
        return -1;
    int result = relieve_now(&link, error);
    redis_link_close(&link);
    return result;
}
