// What the Redisson schemes share: Redisson 4.7's names, its way to wait, to unlock and to renew.
// All values on the wire are Redisson's, argument for argument. Its scripts are described in its
// sources, github.com/redisson/redisson; they stand here in a layout of our own.
//
// What is ours: the lease is options.lease_ns (Redisson's is 30 s by default) and every wait ends
// when the trial does. Redisson's unlock latch lasts for the command time-out and the delays of all
// retries; ours is counted from options.request_ns in the same way. Messages are published by
// PUBLISH on a cluster too, as by a Redisson that finds no sharded channels there.
#ifndef LOCKPICK_LOCKS_REDISSON_COMMON_H
#define LOCKPICK_LOCKS_REDISSON_COMMON_H

#include "harness/locks/redis_common.h"
#include "harness/locks/redisson_sweeper.h"
#include "harness/locks/watchdog.h"
#include "harness/wire/redis_subscriber.h"

#define REDISSON_NAME 192  // room for any name of a key, field or channel
#define REDISSON_HOLDER 64 // for a UUID and the number of a thread
#define REDISSON_NUMBER 24 // room for a number in decimal digits
#define REDISSON_PUBLISH "PUBLISH"
#define REDISSON_WAKES_ONE "0" // the messages
#define REDISSON_WAKES_ALL "1"

// How an unlock was answered.
enum redisson_answer {
    REDISSON_FREED,      // 1
    REDISSON_STILL_HELD, // 0: the holder's count is not down to nothing yet
    REDISSON_NOT_HELD,   // nil: not by this thread
    REDISSON_NO_ANSWER,
};

// One kind of Redisson lock.
struct redisson_kind {
    const char *channel;                       // prefix of its channel's name
    const struct redis_script *const *scripts; // which each worker sends; NULL-terminated
    size_t (*permits)(const char *message, size_t subscribers, size_t waiters);
    bool is_renewed; // has a lease and a watchdog
    // One attempt. NO with how long the lock is busy in *ttl_ms, -1 for no end. A fair one
    // queues up if the caller `will_wait`.
    enum outcome (*attempt)(struct lock *lock, struct grant *grant, bool will_wait,
                            int64_t *ttl_ms);
    // Gives back what an attempt got.
    enum redisson_answer (*unlock)(struct lock *lock);
    // Whether `unlock` may be sent although nobody knows whether we hold it.
    bool is_owner_checked;
    // Optional: leaves the queue.
    enum outcome (*give_up)(struct lock *lock);
};

// lock_client->state: an instance of Redisson.
struct redisson_client {
    char id[37]; // its UUID
    struct redis_subscriber *subscriber;
    struct redisson_sweeper *sweeper;
    struct watchdog *watchdog; // NULL: nothing is renewed
    struct redis_connection *renewer;
};

// lock->state: a thread of it.
struct redisson_lock {
    struct redis_lock redis; // first, so that redis_of() works
    const struct redisson_kind *kind;
    char holder[REDISSON_HOLDER]; // "<UUID>:<number of the thread>"
    char field[REDISSON_NAME];    // of the lock's hash: the holder, a writer's has a suffix
    bool is_reading;              // the current hold is a reader's
    bool place_in_doubt;          // the last attempt had no answer: it may have used up our place
    char channel[REDISSON_NAME];  // where it waits
    char lease[REDISSON_NUMBER];  // in ms
    char latch[REDISSON_NAME];    // key of the current unlock's latch
    char latch_lease[REDISSON_NUMBER];
};

// For a scheme's `open_client`, `close_client`, `open`, `close` and `clean_up`. Who ends while it
// holds the lock is not renewed any more.
int redisson_client_open(struct lock_client *client, const struct redisson_kind *kind,
                         struct error *error);
void redisson_client_close(struct lock_client *client);
int redisson_lock_open(struct lock *lock, const struct redisson_kind *kind, struct error *error);
void redisson_lock_close(struct lock *lock);
int redisson_clean_up(const struct service *service, const struct lock_options *options,
                      struct error *error);

// Shorthands for lock->client->state and lock->state.
struct redisson_client *redisson_client_of(const struct lock *lock);
struct redisson_lock *redisson_of(const struct lock *lock);

// "{name}", or the name as it is if it has braces, so that all keys of a lock are on one server of
// a cluster; "prefix:{name}" likewise. Returns `out`, which has room for REDISSON_NAME.
char *redisson_tagged(char *out, const char *name);
char *redisson_prefixed(char *out, const char *prefix, const char *name);

// Writes a number as Redisson's arguments are written. Returns `out`.
char *redisson_number(char out[REDISSON_NUMBER], int64_t number);

// The wall clock of the client, in milliseconds since 1970: CLOCK_REALTIME, with the client's
// offset from the true time.
int64_t redisson_wall_ms(const struct lock *lock);

// For a kind's `permits`: "0" wakes one, "1" wakes all that wait now.
size_t redisson_lock_permits(const char *message, size_t subscribers, size_t waiters);

// For a scheme's `acquire`: tries, subscribes, tries again, and waits for a message or the end of
// the holder's lease before each further attempt. What a kind without owners got without an answer
// stays UNKNOWN; else it is given back. With replicas, a grant that none of them has in time is
// given back too. (Redisson waits for as many as it believes alive, and is content with one: so one
// is what is waited for here. When it knows that all are down it does not wait at all. It also
// waits after further entries, unlocks and renewals, but what it learns there changes nothing.)
enum outcome redisson_acquire(struct lock *lock, struct grant *grant, int64_t give_up_ns);

// For a kind's `attempt`: runs a script that answers nil (held) or the milliseconds until the lock
// expires.
enum outcome redisson_attempt(struct lock *lock, const struct redis_script *script,
                              const char *const *keys, const char *const *arguments,
                              int64_t *ttl_ms);

// For a fair kind's `attempt`, with its outcome: records that we have our place, for `kept_ns`,
// when a first attempt was told so, and anew after one without an answer: that may have been
// granted and given back, so that the place is another one. (Else further attempts keep the place,
// or take another one without being told.)
void redisson_queued(struct lock *lock, const struct grant *grant, enum outcome outcome,
                     int64_t kept_ns);

// For a kind's `unlock`: draws the name of a new latch, which is then among the script's keys.
const char *redisson_new_latch(struct lock *lock);

// For a kind's `unlock`: runs the script. If its answer is lost it runs it once more, on a new
// connection: the latch answers for a first one that was executed. The latch is deleted when there
// is an answer, and nobody waits for that.
enum redisson_answer redisson_unlock(struct lock *lock, const struct redis_script *script,
                                     const char *const *keys, const char *const *arguments);

// For a scheme's `reenter`: one attempt, which raises the count.
enum outcome redisson_reenter(struct lock *lock, struct grant *grant);

// For a scheme's `release` and `leave`. The watchdog lets go of the lock before it is released.
enum release_answer redisson_release(struct lock *lock);
enum release_answer redisson_leave(struct lock *lock);

// For a scheme's `force_release`: runs a script that answers 1 (removed) or 0 (not there).
enum release_answer redisson_force(struct lock *lock, const struct redis_script *script,
                                   const char *const *keys, const char *const *arguments);

// For the watchdog's settings: renews the holds of a client; `context` is its redisson_client.
// Redisson drops a hold silently once the server says that it is not ours any more; here the holder
// is told.
void redisson_renew(void *context, struct actor *actor, struct renewal *renewals, size_t count);
extern const struct redis_script redisson_renewal_script, redisson_read_renewal_script;

// Unlock and forced unlock of the kinds that are one hash and one channel.
enum redisson_answer redisson_unlock_plain(struct lock *lock);
enum release_answer redisson_force_plain(struct lock *lock);
extern const struct redis_script redisson_unlock_script;

#endif
