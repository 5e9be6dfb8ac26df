#include "harness/wire/commands.h"

#include "harness/wire/driver.h"
#include "harness/wire/zookeeper.h"

#include <stddef.h>

// What schemes and stores send, by the wire that sends it.
static const char *const redis[] = {
    "GET",  "SET",     "SETNX",     "GETSET",      "INCR", "EXISTS", "EXPIRE", "PEXPIRE", "TTL",
    "PTTL", "DEL",     "UNLINK",    "EVAL",        "WAIT", "HSET",   "HGET",   "HDEL",    "HEXISTS",
    "ROLE", "PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE", "CAD",  "CAS",    "DELEX",  "EXSET",   NULL,
};
static const char *const etcd[] = {"grant",  "keepalive", "revoke", "txn",    "range",
                                   "delete", "watch",     "lock",   "unlock", NULL};
static const char *const mysql[] = {"INSERT",   "UPDATE",       "DELETE",   "SELECT",
                                    "BEGIN",    "COMMIT",       "ROLLBACK", "KILL",
                                    "GET_LOCK", "RELEASE_LOCK", NULL};
static const char *const postgres[] = {"advisory_lock", "advisory_unlock", NULL};
static const char *const memcached[] = {"add", "gets", "delete", "md", NULL};
// Of external clients, as a proxy sees them, besides those.
static const char *const parser[] = {
    "request", "EVALSHA",   "FCALL",        "MULTI",   "EXEC",   "DISCARD",  "UNWATCH",
    "MGET",    "MSET",      "SETEX",        "PSETEX",  "GETDEL", "GETEX",    "PERSIST",
    "DECR",    "INCRBY",    "HINCRBY",      "ZADD",    "ZREM",   "ZRANGE",   "ZRANK",
    "ZSCORE",  "LPUSH",     "RPUSH",        "BLPOP",   "LRANGE", "LREM",     "SADD",
    "SREM",    "TIME",      "PING",         "SCRIPT",  "AUTH",   "HELLO",    "CLIENT",
    "CLUSTER", "SENTINEL",  "PSUBSCRIBE",   "START",   "USE",    "REPLACE",  "CALL",
    "DO",      "SAVEPOINT", "PREPARE",      "gat",     "touch",  "mg",       "ms",
    "ma",      "connect",   "getChildren2", "setData", "check",  "addWatch", "setWatches",
    "put",     "leases",    "status",       NULL};

const char *const *const wire_commands[] = {
    redis, etcd, mysql, postgres, zk_commands, memcached, driver_commands, parser, NULL,
};
