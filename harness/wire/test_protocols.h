// For tests: what the clients of all kinds of server (client.h) have in common, a table of them.
#ifndef LOCKPICK_WIRE_TEST_PROTOCOLS_H
#define LOCKPICK_WIRE_TEST_PROTOCOLS_H

#include "harness/wire/etcd.h"
#include "harness/wire/memcached.h"
#include "harness/wire/redis.h"
#include "harness/wire/sql.h"

struct protocol {
    const char *kind;
    const struct connector *connector;
    // A request that passes the points `command`, or one that no server can execute.
    enum outcome (*ask)(void *client, bool is_sound);
    const char *command;
    // Of the first request to a server that is gone: NO of a client that looks, before it sends,
    // whether the connection has ended.
    enum outcome to_the_dead;
};

static enum outcome ask_redis(void *client, bool is_sound)
{
    struct redis_answer answer;
    return redis_request(client, &answer, is_sound ? "GET key" : "NOSUCHCOMMAND");
}

static enum outcome ask_memcached(void *client, bool is_sound)
{
    struct memcached_answer answer;
    return memcached_request(client, &answer, is_sound ? "gets key" : "nonsense");
}

static enum outcome ask_etcd(void *client, bool is_sound)
{
    struct etcd_entry entry;
    return etcd_get(client, is_sound ? "key" : "", &entry);
}

static enum outcome ask_sql(void *client, bool is_sound)
{
    const struct sql_statement statement = {"SELECT", is_sound ? "SELECT 1" : "SELEKT 1"};
    struct sql_answer answer;
    return sql_request(client, &answer, &statement, NULL);
}

// Of each kind.
__attribute__((unused)) static struct protocol redis = {"redis", &redis_connector, ask_redis, "GET",
                                                        OUTCOME_UNKNOWN};
__attribute__((unused)) static struct protocol memcached = {"memcached", &memcached_connector,
                                                            ask_memcached, "gets", OUTCOME_UNKNOWN};
__attribute__((unused)) static struct protocol etcd = {"etcd", &etcd_connector, ask_etcd, "range",
                                                       OUTCOME_NO};
__attribute__((unused)) static struct protocol mysql = {"mysql", &sql_connector, ask_sql, "SELECT",
                                                        OUTCOME_NO};
__attribute__((unused)) static struct protocol postgres = {"postgres", &sql_connector, ask_sql,
                                                           "SELECT", OUTCOME_UNKNOWN};

#endif
