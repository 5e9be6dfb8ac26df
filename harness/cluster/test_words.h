// For tests of what can be done to servers of each kind: what is said to each.
#ifndef LOCKPICK_CLUSTER_TEST_WORDS_H
#define LOCKPICK_CLUSTER_TEST_WORDS_H

#include "harness/cluster/test_control.h"

#define KEY "hashtextextended('" TEST_LOCK "', 0)"
#define TOKEN "0123456789abcdef0123456789abcdef01234567"

// What is said to each kind of server. What it cannot be told by a session of ours, as sessions
// hold locks in ZooKeeper, is in its own test.
struct words {
    struct test_group group;
    const char *scheme;
    const char *prepare[3];  // before a lock can be taken
    const char *take, *drop; // the lock, by a session that stays
    const char *write;       // what is kept where anything is
    const char *read, *kept; // ... and what is answered while it is there
};

static const struct words all_words[] = {
    {
        .group.kind = "redis",
        .scheme = "redis-set-px-lua",
        .take = "SET " TEST_LOCK " me PX 60000",
        .drop = "DEL " TEST_LOCK,
        .write = "SET kept 1",
        .read = "EXISTS kept",
        .kept = ":1",
    },
    {
        .group.kind = "memcached",
        .scheme = "memcached-add",
        .take = "add " TEST_LOCK " 0 3600 40\r\n" TOKEN,
        .drop = "delete " TEST_LOCK,
        .write = "set kept 0 0 1\r\n1",
        .read = "get kept",
        .kept = "VALUE",
    },
    {
        .group.kind = "etcd",
        .scheme = "etcd-lease",
        .take = "/v3/kv/put {\"key\":\"bG9ja3BpY2s6e3QxfTpsb2NrLzE=\"}", // LOCK/1
        .drop = "/v3/kv/deleterange {\"key\":\"bG9ja3BpY2s6e3QxfTpsb2NrLzE=\"}",
        .write = "/v3/kv/put {\"key\":\"a2VwdA==\"}",
        .read = "/v3/kv/range {\"key\":\"a2VwdA==\"}",
        .kept = "\"count\":\"1\"",
    },
    {
        .group.kind = "mysql",
        .scheme = "mysql-unique",
        .prepare =
            {"CREATE DATABASE lockpick",
             "CREATE TABLE lockpick.lockpick_t1_lock (unique_mutex VARCHAR(64) PRIMARY KEY)"},
        .take = "INSERT INTO lockpick.lockpick_t1_lock VALUES ('" TEST_LOCK "')",
        .drop = "DELETE FROM lockpick.lockpick_t1_lock",
        .write = "CREATE DATABASE kept",
        .read = "SHOW DATABASES LIKE 'kept'",
        .kept = "kept",
    },
    {
        .group.kind = "postgres",
        .scheme = "postgres-advisory",
        .take = "SELECT pg_advisory_lock(" KEY ")",
        .drop = "SELECT pg_advisory_unlock(" KEY ")",
        .write = "CREATE TABLE kept AS SELECT 42 AS value",
        .read = "SELECT tablename FROM pg_tables WHERE tablename = 'kept'",
        .kept = "kept",
    },
    {.group.kind = "zookeeper", .scheme = "zk-sequential"},
};

static inline const struct words *words_of(const char *kind)
{
    const struct words *words = all_words;
    while (strcmp(words->group.kind, kind) != 0)
        words++;
    return words;
}

#endif
