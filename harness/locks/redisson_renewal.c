// Redisson's watchdog: the requests that renew the holds of one client.
#include "harness/locks/redisson_common.h"

#define MOST_WORDS (2 * REDIS_MOST_ITEMS + 4)

// KEYS n1..nk, ARGV lease, holder 1..k: for each 1 (renewed) or 0 (not ours).
const struct redis_script redisson_renewal_script = {
    "local result = {} "
    "for i = 1, #KEYS do "
    "  if redis.call('HEXISTS', KEYS[i], ARGV[i + 1]) == 1 then "
    "    redis.call('PEXPIRE', KEYS[i], ARGV[1]) "
    "    table.insert(result, 1) "
    "  else "
    "    table.insert(result, 0) "
    "  end "
    "end "
    "return result"};

// KEYS n1, prefix of n1's time-out keys, n2, ...; ARGV lease, then for each n how many readers, and
// each of them. The answer is one per lock, not per reader: 1 as long as any of them reads.
const struct redis_script redisson_read_renewal_script = {
    "local result = {} "
    "local next = 2 "
    "for i = 1, #KEYS, 2 do "
    "  local any = false "
    "  local readers = tonumber(ARGV[next]) "
    "  for reader = next + 1, next + readers do "
    "    local count = redis.call('HGET', KEYS[i], ARGV[reader]) "
    "    if count ~= false then "
    "      any = true "
    "      for n = count, 1, -1 do "
    "        redis.call('PEXPIRE', KEYS[i + 1] .. ':' .. ARGV[reader] .. ':rwlock_timeout:' .. n, "
    "          ARGV[1]) "
    "      end "
    "    end "
    "  end "
    "  next = next + 1 + readers "
    "  if any then "
    "    redis.call('PEXPIRE', KEYS[i], ARGV[1]) "
    "    table.insert(result, 1) "
    "  else "
    "    table.insert(result, 0) "
    "  end "
    "end "
    "return result"};

// One request for those that write, or those that read.
struct batch {
    bool is_reading;
    size_t count;
    struct renewal *renewals[REDIS_MOST_ITEMS];
};

static void collect(struct batch *batch, struct renewal *renewals, size_t count)
{
    batch->count = 0;
    for (size_t i = 0; i < count && batch->count < REDIS_MOST_ITEMS; i++) {
        const struct redisson_lock *hold = renewals[i].holder;
        if (hold->is_reading == batch->is_reading)
            batch->renewals[batch->count++] = &renewals[i];
    }
}

static const struct redisson_lock *hold_of(const struct batch *batch, size_t i)
{
    return batch->renewals[i]->holder;
}

static enum outcome send_exclusive(const struct batch *batch, struct redis_connection *connection,
                                   struct redis_answer *answer)
{
    const char *keys[MOST_WORDS] = {0};
    const char *arguments[MOST_WORDS] = {hold_of(batch, 0)->lease};
    for (size_t i = 0; i < batch->count; i++) {
        keys[i] = batch->renewals[i]->lock->options.name;
        arguments[i + 1] = hold_of(batch, i)->field;
    }
    return redis_eval(connection, answer, &redisson_renewal_script, keys, arguments);
}

// All readers of a client read the same lock.
static enum outcome send_reading(const struct batch *batch, struct redis_connection *connection,
                                 struct redis_answer *answer)
{
    const char *name = batch->renewals[0]->lock->options.name;
    char prefix[REDISSON_NAME];
    char readers[REDISSON_NUMBER];
    const char *const keys[] = {name, redisson_tagged(prefix, name), NULL};
    const char *arguments[MOST_WORDS] = {hold_of(batch, 0)->lease,
                                         redisson_number(readers, (int64_t)batch->count)};
    for (size_t i = 0; i < batch->count; i++)
        arguments[i + 2] = hold_of(batch, i)->holder;
    return redis_eval(connection, answer, &redisson_read_renewal_script, keys, arguments);
}

static void renew_batch(struct redisson_client *client, struct actor *actor,
                        const struct batch *batch)
{
    struct redis_answer answer;
    int64_t now_ns = clock_now_ns(&actor->clock);
    enum outcome outcome = batch->is_reading ? send_reading(batch, client->renewer, &answer)
                                             : send_exclusive(batch, client->renewer, &answer);
    for (size_t i = 0; i < batch->count; i++) {
        struct renewal *renewal = batch->renewals[i];
        // A refusal is no word about the lock: it may well be ours.
        renewal->outcome = outcome == OUTCOME_NO ? OUTCOME_UNKNOWN : outcome;
        if (outcome != OUTCOME_OK)
            continue;
        if (answer.items[batch->is_reading ? 0 : i] == 1)
            renewal->valid_until_ns = now_ns + renewal->lock->options.lease_ns;
        else
            renewal->outcome = OUTCOME_NO;
    }
}

void redisson_renew(void *context, struct actor *actor, struct renewal *renewals, size_t count)
{
    for (int reading = 0; reading < 2; reading++) {
        struct batch batch = {.is_reading = reading == 1};
        collect(&batch, renewals, count);
        if (batch.count > 0)
            renew_batch(context, actor, &batch);
    }
}
