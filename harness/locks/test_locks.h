// For tests: workers with a scheme's handles, on one real server.
#ifndef LOCKPICK_LOCKS_TEST_LOCKS_H
#define LOCKPICK_LOCKS_TEST_LOCKS_H

#include "harness/cluster/test_server.h"
#include "harness/history/writer.h"
#include "harness/locks/lock.h"
#include "harness/wire/redis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define WORKERS 3

// Three workers, each in a client of its own, on one server.
struct fixture {
    struct test_server server;
    struct actor actors[WORKERS];
    struct random randoms[WORKERS];
    struct lock_client clients[WORKERS];
    struct lock locks[WORKERS];
    struct history_writer writers[WORKERS];
    struct history_file history;
    struct point_board board;
    _Atomic uint32_t stop;
    struct redis_connection *probe; // looks at the server past all schemes
};

static inline void open_scheme(struct fixture *fixture, const struct lock_scheme *scheme,
                               bool fenced)
{
    struct error error = {0};
    for (int i = 0; i < WORKERS; i++) {
        fixture->actors[i] = (struct actor){.client = i + 1,
                                            .worker = 1,
                                            .phase = PHASE_NONE,
                                            .board = &fixture->board,
                                            .history = &fixture->writers[i]};
        fixture->clients[i] = (struct lock_client){.scheme = scheme};
        random_start(&fixture->randoms[i], 7, (uint64_t)i);
        if (scheme->open_client != NULL)
            assert_int_equal(scheme->open_client(&fixture->clients[i], &error), 0);
        fixture->locks[i] = (struct lock){.scheme = scheme,
                                          .options = {.name = "lock",
                                                      .lease_ns = 60 * NS_PER_S,
                                                      .wait_ns = 0,
                                                      .retry_ns = NS_PER_MS,
                                                      .request_ns = 300 * NS_PER_MS,
                                                      .fenced = fenced},
                                          .actor = &fixture->actors[i],
                                          .random = &fixture->randoms[i],
                                          .endpoint = &fixture->server.endpoint,
                                          .client = &fixture->clients[i],
                                          .stop = &fixture->stop};
        if (lock_open(&fixture->locks[i], &error) != 0)
            fail_msg("%s", error.text);
    }
}

static inline void close_scheme(struct fixture *fixture)
{
    for (int i = 0; i < WORKERS; i++) {
        lock_close(&fixture->locks[i]);
        if (fixture->locks[i].scheme->close_client != NULL)
            fixture->locks[i].scheme->close_client(&fixture->clients[i]);
    }
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->probe, &answer, "FLUSHALL"), OUTCOME_OK);
}

static inline int start(void **state)
{
    static struct fixture fixture;
    static struct actor nobody = {.phase = PHASE_NONE};
    struct error error = {0};
    if (test_server_start(&fixture.server, "redis") != 0)
        return -1;
    char path[96];
    snprintf(path, sizeof path, "%s/history.bin", fixture.server.folder);
    if (history_file_create(path, 10000, 1, &fixture.history, &error) != 0)
        return -1;
    for (int i = 0; i < WORKERS; i++)
        history_writer_start(&fixture.writers[i], &fixture.history, i + 1, 1);
    fixture.probe = redis_open(&fixture.server.endpoint, NS_PER_S, &nobody, &error);
    *state = &fixture;
    return fixture.probe == NULL ? -1 : 0;
}

static inline int stop(void **state)
{
    struct fixture *fixture = *state;
    redis_close(fixture->probe);
    history_file_close(&fixture->history);
    test_server_stop(&fixture->server);
    return 0;
}

static inline enum outcome acquire(struct fixture *fixture, int worker, struct grant *grant)
{
    return lock_acquire(&fixture->locks[worker], grant);
}

static inline int64_t ask(struct fixture *fixture, const char *command)
{
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->probe, &answer, command), OUTCOME_OK);
    return answer.integer;
}

#endif
