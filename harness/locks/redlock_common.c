#include "harness/locks/redlock_common.h"

const char *const redlock_topologies[] = {"independent", NULL};

const struct redis_script redlock_unlock_script = {
    "local value = redis.call('GET', KEYS[1]) "
    "if value == ARGV[1] then redis.call('DEL', KEYS[1]) return 1 "
    "elseif value then return 0 "
    "else return -1 end"};

const struct redis_script redlock_extend_script = {
    "local value = redis.call('GET', KEYS[1]) "
    "if value == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1 "
    "elseif value then return 0 "
    "else return -1 end"};

int redlock_quorum(const struct votes *votes)
{
    return votes->count / 2 + 1;
}

int votes_for(const struct votes *votes, int64_t value)
{
    int found = 0;
    for (int i = 0; i < votes->count; i++)
        found += votes->items[i].outcome == OUTCOME_OK && votes->items[i].value == value;
    return found;
}

int votes_unknown(const struct votes *votes)
{
    int found = 0;
    for (int i = 0; i < votes->count; i++)
        found += votes->items[i].outcome == OUTCOME_UNKNOWN;
    return found;
}

int64_t redlock_server_ns(const struct lock_options *options)
{
    int64_t limit_ns = options->lease_ns / 20;
    if (limit_ns < 5 * NS_PER_MS)
        limit_ns = 5 * NS_PER_MS;
    return limit_ns < options->request_ns ? limit_ns : options->request_ns;
}

int64_t redlock_valid_until_ns(const struct lock_options *options, int64_t asked_ns)
{
    int64_t drift_ns = options->lease_ns / 100 + 2 * NS_PER_MS;
    return asked_ns + options->lease_ns - drift_ns;
}

enum outcome redlock_refused(const struct votes *granted, const struct votes *unlocked)
{
    int may_hold = 0;
    for (int i = 0; i < granted->count; i++) {
        const struct vote *vote = &granted->items[i];
        bool may_have_granted =
            vote->outcome == OUTCOME_UNKNOWN || (vote->outcome == OUTCOME_OK && vote->value == 1);
        may_hold += may_have_granted && unlocked->items[i].outcome != OUTCOME_OK;
    }
    return may_hold >= redlock_quorum(granted) ? OUTCOME_UNKNOWN : OUTCOME_NO;
}

enum release_answer redlock_released(const struct votes *votes)
{
    int unanswered = 0;
    for (int i = 0; i < votes->count; i++)
        unanswered += votes->items[i].outcome != OUTCOME_OK;
    if (votes_for(votes, 1) >= redlock_quorum(votes))
        return RELEASE_RELEASED;
    if (votes_for(votes, 1) + unanswered >= redlock_quorum(votes))
        return RELEASE_UNKNOWN;
    return votes_for(votes, 0) > 0 ? RELEASE_NOT_OWNER : RELEASE_GONE;
}

enum outcome redlock_extended(const struct votes *votes, int64_t valid_until_ns, int64_t now_ns)
{
    int unanswered = 0;
    for (int i = 0; i < votes->count; i++)
        unanswered += votes->items[i].outcome != OUTCOME_OK;
    if (votes_for(votes, 1) >= redlock_quorum(votes))
        return now_ns < valid_until_ns ? OUTCOME_OK : OUTCOME_UNKNOWN;
    return votes_for(votes, 1) + unanswered >= redlock_quorum(votes) ? OUTCOME_UNKNOWN : OUTCOME_NO;
}
