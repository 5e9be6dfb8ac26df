// What is promised of each kind of server: it says of each scheme's lock whether it is held.
#include "harness/cluster/control.h"
#include "harness/cluster/test_control.h"
#include "harness/locks/test_locks.h"
#include "harness/testing/test.h"

static struct fixture fixture;

static int count_with(const struct lock_identity *lock)
{
    int count = 0;
    for (int i = 1; i <= fixture.server.service.server_count; i++) {
        struct error error;
        int has = DO(node_of(&fixture.server, i), has_lock, lock);
        if (has < 0)
            fail_msg("%s: %s", lock->scheme, error.text);
        count += has;
    }
    return count;
}

TEST(servers_have_each_schemes_lock_from_its_grant_to_its_release)
{
    static const struct contract contracts[] = {
        {.server = "redis"},
        {.server = "redis", .topology = "sentinel", .schemes = "redis-wait"},
        {.server = "redis", .topology = "independent"},
        {.server = "redis", .topology = "cluster", .schemes = "redisson"},
        {.server = "memcached"},
        {.server = "etcd"},
        {.server = "mysql"},
        {.server = "postgres"},
        {.server = "zookeeper"},
    };
    for (size_t c = 0; c < sizeof contracts / sizeof *contracts; c++) {
        const struct lock_scheme *scheme;
        struct error ignored;
        int seen = 0;
        bool is_redis = strcmp(contracts[c].server, "redis") == 0;
        fixture = (struct fixture){0};
        assert_int_equal(fixture_start(&fixture, &contracts[c]), 0);
        int servers = fixture.server.service.server_count;
        FOR_EACH_SCHEME (&fixture, scheme) {
            // Jobs are in their queue whether somebody has them or not.
            if ((!is_redis && !lock_scheme_has(scheme, "exclusive")) ||
                lock_scheme_has(scheme, "job-queue") ||
                (scheme->is_possible != NULL &&
                 !scheme->is_possible(&fixture.server.service, &ignored)))
                continue;
            open_scheme(&fixture, scheme, is_redis && lock_scheme_has(scheme, "fenced"));
            const struct lock_identity lock = {fixture.name, fixture.tag, scheme->name};
            const struct lock_identity other = {"lockpick:{other}:lock", "other", scheme->name};
            hold_to(scheme, servers > 1 || count_with(&lock) == 0, "held before");
            hold_to(scheme, acquire(&fixture, 0) == OUTCOME_OK, "not let in");
            hold_to(scheme, count_with(&lock) > 0, "not held");
            hold_to(scheme, count_with(&other) == 0, "another is held");
            lock_release(&fixture.locks[0]);
            hold_to(scheme, count_with(&lock) <= (servers - 1) / 2, "still held");
            close_scheme(&fixture);
            seen++;
        }
        assert_true(seen > 0);
        fixture_stop(&fixture);
    }
}
