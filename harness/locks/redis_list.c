// Queues of jobs in a list of Redis. One is the reliable queue of Redis's documentation of LMOVE:
// who takes a job moves it to a second list, from which it is removed when it is done; a job of a
// worker that died stays there, and somebody has to look after it. The other one is the plain
// queue: who takes a job removes it, so that a worker that dies takes it along. Neither knows who
// has which job.
#include "harness/base/scope.h"
#include "harness/base/text.h"
#include "harness/locks/redis_common.h"

#include <stdio.h>
#include <stdlib.h>

// Of both lists, how many jobs there are; and gives one back.
static const struct redis_script count = {
    "return redis.call('LLEN', KEYS[1]) + redis.call('LLEN', KEYS[2])"};
static const struct redis_script put_back = {
    "local own = redis.call('LREM', KEYS[2], 1, ARGV[1]) "
    "if own == 1 then redis.call('LPUSH', KEYS[1], ARGV[1]) end "
    "return own"};

// Keys of the two lists.
struct lists {
    char jobs[96], taken[96];
};

static struct lists lists_of(const struct lock_options *options)
{
    struct lists lists;
    snprintf(lists.jobs, sizeof lists.jobs, "%s:jobs", options->queue);
    snprintf(lists.taken, sizeof lists.taken, "%s:taken", options->queue);
    return lists;
}

#define ASK(lock, answer, ...)                                                                     \
    lock_noted(lock, redis_request((lock)->connection, answer, __VA_ARGS__))

struct list_lock {
    int64_t job; // the current or last one
};

static int set_up(const struct service *service, const struct lock_options *options,
                  struct error *error)
{
    return redis_add_job(service, options, lists_of(options).jobs, error);
}

static enum outcome run(struct lock *lock, const struct redis_script *script, const char *job,
                        struct redis_answer *answer)
{
    struct lists lists = lists_of(&lock->options);
    const char *const keys[] = {lists.jobs, lists.taken, NULL};
    const char *const arguments[] = {job, NULL};
    return lock_noted(lock, redis_eval(lock->connection, answer, script, keys, arguments));
}

// Of no job: whether there is any left.
static enum outcome taken(struct lock *lock, enum outcome outcome, struct redis_answer *answer,
                          struct grant *grant)
{
    struct list_lock *state = lock->state;
    if (outcome != OUTCOME_OK)
        return outcome;
    if (answer->kind != REDIS_NIL) {
        grant->job = state->job = strtoll(answer->text, NULL, 10);
        return OUTCOME_OK;
    }
    outcome = run(lock, &count, "", answer);
    if (outcome == OUTCOME_OK && answer->integer == 0)
        grant->detail = ACQUIRE_GONE;
    return outcome == OUTCOME_BROKEN ? outcome : OUTCOME_NO;
}

static enum outcome move(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    struct lists lists = lists_of(&lock->options);
    enum outcome outcome = ASK(lock, &answer, "LMOVE %s %s LEFT RIGHT", lists.jobs, lists.taken);
    return taken(lock, outcome, &answer, grant);
}

static enum outcome pop(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    enum outcome outcome = ASK(lock, &answer, "LPOP %s", lists_of(&lock->options).jobs);
    return taken(lock, outcome, &answer, grant);
}

static enum release_answer give_back_moved(struct lock *lock)
{
    const struct list_lock *state = lock->state;
    struct redis_answer answer;
    AUTO_FREE char *job = text_formatted("%lld", (long long)state->job);
    enum outcome outcome = lock->is_done
                               ? ASK(lock, &answer, "LREM %s 1 %lld",
                                     lists_of(&lock->options).taken, (long long)state->job)
                               : run(lock, &put_back, job, &answer);
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    return answer.integer == 1 ? RELEASE_UNCHECKED : RELEASE_GONE;
}

static enum release_answer give_back_popped(struct lock *lock)
{
    const struct list_lock *state = lock->state;
    struct redis_answer answer;
    if (lock->is_done)
        return RELEASE_UNCHECKED;
    return ASK(lock, &answer, "LPUSH %s %lld", lists_of(&lock->options).jobs,
               (long long)state->job) == OUTCOME_OK
               ? RELEASE_UNCHECKED
               : RELEASE_UNKNOWN;
}

#define REDIS_LIST                                                                                 \
    REDIS_SCHEME, .traits = LOCK_TRAITS("exclusive", "job-queue", "redis"), .set_up = set_up,      \
                  .kind = (const struct redis_script *const[]){&count, &put_back, NULL},           \
                  .lock_bytes = sizeof(struct list_lock)

const struct lock_scheme redis_list_move_scheme = {
    .name = "redis-list-move",
    .summary = "a queue: LMOVE to a list of jobs that are taken, LREM of one that is done",
    .breaks = "a crash of a worker, or a lost reply: nobody is given that job again",
    .rights = REDIS_KEYS REDIS_SCRIPTS "+rpush +lpush +lmove +lrem +llen",
    REDIS_LIST,
    .try_acquire = move,
    .release = give_back_moved,
};

const struct lock_scheme redis_list_pop_scheme = {
    .name = "redis-list-pop",
    .summary = "a queue: LPOP",
    .breaks = "a crash of a worker, or a lost reply: the job is gone, and nobody has done it",
    .rights = REDIS_KEYS REDIS_SCRIPTS "+rpush +lpush +lpop +llen",
    REDIS_LIST,
    .try_acquire = pop,
    .release = give_back_popped,
};
