// What a lock costs without any harness: the requests of redis-set-px-lua in a loop over hiredis,
// one process and one connection a client. What Lockpick measures of the same scheme on the same
// server is compared with it.
#ifndef LOCKPICK_BENCH_BARE_LOCK_H
#define LOCKPICK_BENCH_BARE_LOCK_H

#include "harness/base/clock.h"
#include "harness/base/random.h"

#include <hiredis/hiredis.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BARE_MOST_CLIENTS 64
#define BARE_TOKEN_DIGITS 40

// The same that the scheme releases by.
static const char bare_release_script[] =
    "local value = redis.call('GET', KEYS[1]) "
    "if value == ARGV[1] then redis.call('DEL', KEYS[1]) return 1 "
    "elseif value then return 0 "
    "else return -1 end";

struct bare_settings {
    int port;
    int clients;
    int64_t lease_ms;
    int64_t request_ms; // time-out of a request: the kernel's timer for it is part of the request
    int64_t retry_ns;   // on average, spread by half of it to either side
    int64_t for_ns;
};

// In memory that all clients share.
struct bare_board {
    _Atomic int ready;
    _Atomic int64_t begin_ns; // 0: not yet
    _Atomic int64_t failures;
    _Atomic int64_t locks, requests;
    _Atomic int64_t processor_ns; // of all clients, from the beginning
};

struct bare_figures {
    double locks;        // a second
    double processor_us; // of the clients' for a request
};

struct bare_client {
    const struct bare_settings *settings;
    redisContext *connection;
    struct random random;
    char script[41]; // its digest
};

static inline int bare_open(struct bare_client *client, int number)
{
    random_start(&client->random, 1, (uint64_t)number);
    client->connection = redisConnect("127.0.0.1", client->settings->port);
    if (client->connection == NULL || client->connection->err != 0)
        return -1;
    int64_t limit_ms = client->settings->request_ms;
    redisSetTimeout(client->connection,
                    (struct timeval){.tv_sec = limit_ms / 1000, .tv_usec = limit_ms % 1000 * 1000});
    redisReply *loaded = redisCommand(client->connection, "SCRIPT LOAD %s", bare_release_script);
    if (loaded == NULL || loaded->type != REDIS_REPLY_STRING)
        return -1;
    snprintf(client->script, sizeof client->script, "%s", loaded->str);
    freeReplyObject(loaded);
    return 0;
}

// One lock, taken and given back. 1; 0 if it was busy; -1 if something failed.
static inline int bare_lock_once(struct bare_client *client)
{
    char token[BARE_TOKEN_DIGITS + 1];
    random_hex(&client->random, token, BARE_TOKEN_DIGITS);
    redisReply *set = redisCommand(client->connection, "SET bare %s NX PX %lld", token,
                                   (long long)client->settings->lease_ms);
    if (set == NULL || set->type == REDIS_REPLY_ERROR)
        return -1;
    bool held = set->type == REDIS_REPLY_STATUS;
    freeReplyObject(set);
    if (!held)
        return 0;
    redisReply *released =
        redisCommand(client->connection, "EVALSHA %s 1 bare %s", client->script, token);
    int result = released != NULL && released->integer == 1 ? 1 : -1;
    freeReplyObject(released);
    return result;
}

static inline int64_t bare_processor_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * NS_PER_S + used.tv_nsec;
}

static inline void bare_run(struct bare_board *board, const struct bare_settings *settings,
                            int number)
{
    struct bare_client client = {.settings = settings};
    if (bare_open(&client, number) != 0)
        atomic_fetch_add(&board->failures, 1);
    atomic_fetch_add(&board->ready, 1);
    while (atomic_load(&board->begin_ns) == 0)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    int64_t until_ns = atomic_load(&board->begin_ns) + settings->for_ns;
    int64_t locks = 0;
    int64_t requests = 0;
    clock_sleep_until_ns(atomic_load(&board->begin_ns));
    int64_t used_ns = bare_processor_ns();
    while (client.connection != NULL && clock_monotonic_ns() < until_ns) {
        int result = bare_lock_once(&client);
        if (result < 0) {
            atomic_fetch_add(&board->failures, 1);
            break;
        }
        locks += result;
        requests += 1 + result;
        if (result == 0)
            clock_sleep_until_ns(
                clock_monotonic_ns() + settings->retry_ns / 2 +
                (int64_t)random_below(&client.random, (uint64_t)settings->retry_ns));
    }
    atomic_fetch_add(&board->locks, locks);
    atomic_fetch_add(&board->requests, requests);
    atomic_fetch_add(&board->processor_ns, bare_processor_ns() - used_ns);
    redisFree(client.connection);
}

// Starts the clients, lets them begin together, and waits for them.
static inline void bare_lead(struct bare_board *board, const struct bare_settings *settings)
{
    for (int i = 0; i < settings->clients; i++) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            bare_run(board, settings, i);
            _exit(0);
        }
    }
    while (atomic_load(&board->ready) < settings->clients)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    atomic_store(&board->begin_ns, clock_monotonic_ns() + 10 * NS_PER_MS);
    while (wait(NULL) > 0)
        continue;
}

// Of all clients together. False if one of them failed. They are a session of their own, as
// Lockpick's are: the kernel shares a busy processor out among sessions, and the server's must not
// be theirs on one side only.
static inline bool bare_lock(const struct bare_settings *settings, struct bare_figures *figures)
{
    struct bare_board *board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        return false;
    pid_t leader = fork();
    if (leader == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setsid();
        bare_lead(board, settings);
        _exit(0);
    }
    waitpid(leader, NULL, 0);
    double seconds = (double)settings->for_ns / NS_PER_S;
    double requests = (double)atomic_load(&board->requests);
    bool failed = atomic_load(&board->failures) > 0 || requests <= 0;
    *figures = (struct bare_figures){.locks = (double)atomic_load(&board->locks) / seconds,
                                     .processor_us = (double)atomic_load(&board->processor_ns) /
                                                     1e3 / requests};
    munmap(board, sizeof *board);
    return !failed;
}

#endif
