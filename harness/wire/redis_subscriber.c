#include "harness/wire/redis_subscriber.h"

#include "harness/base/futex.h"
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/base/text.h"
#include "harness/point/gate.h"
#include "harness/wire/redis.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// How often a waiter looks whether the trial has ended, and the thread tries to connect.
#define SLICE_NS (20 * NS_PER_MS)

// What the server was asked for about a channel; its subscribers say what is wanted.
enum asked { ASKED_NOTHING, ASKED_TO_ENTER, ENTERED, ASKED_TO_LEAVE };

struct redis_subscription {
    struct redis_subscriber *subscriber;
    struct redis_subscription *next;
    char *channel;
    enum asked asked;
    size_t subscribers, waiters, permits;
    _Atomic uint32_t bell; // rung when a subscriber has something new to look at
};

struct redis_subscriber {
    struct redis_subscriber_settings settings;
    pthread_t thread;
    bool is_started;
    int alarm;             // an eventfd: wakes the thread
    _Atomic uint32_t bell; // the same of one with a gate
    // The thread's:
    struct redis_route route; // to the single server, the master, or any server of a cluster
    struct redis_peer link;
    size_t unanswered; // requests
    int64_t asked_ns;  // since when the server is waited for, if any is unanswered
    int64_t heard_ns;  // when it last said anything
    // With a gate, messages that have come and are not taken yet.
    redisReply **kept;
    size_t kept_count, kept_room;
    // For all:
    pthread_mutex_t mutex; // guards what follows, and the subscriptions
    struct redis_subscription *subscriptions;
    bool stopping;
    struct error refusal; // of what it will never do, for want of a right; "": of nothing
};

static void wake_thread(struct redis_subscriber *subscriber)
{
    futex_ring(&subscriber->bell);
    (void)!eventfd_write(subscriber->alarm, 1);
}

static struct redis_subscription *find(struct redis_subscriber *subscriber, const char *channel)
{
    struct redis_subscription *each = subscriber->subscriptions;
    while (each != NULL && strcmp(each->channel, channel) != 0)
        each = each->next;
    return each;
}

static void forget(struct redis_subscriber *subscriber, struct redis_subscription *gone)
{
    struct redis_subscription **link = &subscriber->subscriptions;
    while (*link != gone)
        link = &(*link)->next;
    *link = gone->next;
    free(gone->channel);
    free(gone);
}

// --- the connection, the thread's ----------------------------------------------------------------

// Patient, if there is an `error` to be set, else one attempt within `request_ns`. True if a server
// lets us in.
static bool connect_link(struct redis_subscriber *subscriber, struct error *error)
{
    static const struct clock clock = {0};
    struct error ignored;
    struct redis_route *route = &subscriber->route;
    struct redis_peer *link = &subscriber->link;
    int64_t request_ns = subscriber->settings.request_ns;
    enum redis_entry entry = error != NULL
                                 ? redis_route_connect_patiently(route, &clock, link, error)
                                 : redis_route_connect(route, request_ns, link, &ignored);
    if (entry != ENTRY_OPEN)
        return false;
    redis_peer_limit(link, request_ns);
    if (subscriber->settings.gate != NULL)
        peer_reset_at_end(link->context->fd);
    subscriber->unanswered = 0;
    subscriber->heard_ns = clock_monotonic_ns();
    return true;
}

// The server has forgotten us, and so all is to be asked again; in a cluster, of another one.
static void give_up_connection(struct redis_subscriber *subscriber)
{
    redis_peer_close(&subscriber->link);
    redis_route_turn(&subscriber->route);
    struct redis_subscription *next;
    for (struct redis_subscription *each = subscriber->subscriptions; each != NULL; each = next) {
        next = each->next;
        each->asked = ASKED_NOTHING;
        if (each->subscribers == 0)
            forget(subscriber, each);
    }
}

static void ask(struct redis_subscriber *subscriber, const char *command, const char *channel)
{
    if (subscriber->unanswered++ == 0)
        subscriber->asked_ns = clock_monotonic_ns();
    redisAppendCommand(subscriber->link.context, channel != NULL ? "%s %s" : "%s", command,
                       channel);
}

// The request that is to be made about the channel; NULL: none.
static const char *wanted_of(const struct redis_subscription *subscription)
{
    if (subscription->asked == ASKED_NOTHING && subscription->subscribers > 0)
        return "SUBSCRIBE";
    return subscription->asked == ENTERED && subscription->subscribers == 0 ? "UNSUBSCRIBE" : NULL;
}

static void ask_for(struct redis_subscriber *subscriber, struct redis_subscription *subscription)
{
    const char *command = wanted_of(subscription);
    subscription->asked = subscription->asked == ENTERED ? ASKED_TO_LEAVE : ASKED_TO_ENTER;
    ask(subscriber, command, subscription->channel);
}

// When the server is to be looked after again at the latest: it owes an answer, or is to be asked
// for a sign of life.
static int64_t next_look_ns(const struct redis_subscriber *subscriber)
{
    return subscriber->unanswered > 0 ? subscriber->asked_ns + subscriber->settings.request_ns
                                      : subscriber->heard_ns + subscriber->settings.ping_ns;
}

// Sends what is to be asked. False if the connection is lost, or has been silent for too long.
static bool talk(struct redis_subscriber *subscriber)
{
    int done = 0;
    for (struct redis_subscription *each = subscriber->subscriptions; each != NULL;
         each = each->next) {
        if (wanted_of(each) != NULL)
            ask_for(subscriber, each);
    }
    if (clock_monotonic_ns() >= next_look_ns(subscriber)) {
        if (subscriber->unanswered > 0)
            return false;
        ask(subscriber, "PING", NULL);
    }
    struct peer limit = {.give_up_ns = clock_monotonic_ns() + subscriber->settings.request_ns};
    for (;;) {
        if (redis_peer_write(&subscriber->link, &done) != REDIS_OK)
            return false;
        if (done)
            return true;
        if (!peer_await(&limit, subscriber->link.context->fd, redis_peer_wants(&subscriber->link)))
            return false;
    }
}

static const char *text_of(const redisReply *reply, size_t item)
{
    return item < reply->elements && reply->element[item]->str != NULL ? reply->element[item]->str
                                                                       : "";
}

// False for an error, after which nothing can be relied on. PONG is a status while nothing is
// subscribed, else an array of two.
static bool understand(struct redis_subscriber *subscriber, const redisReply *reply)
{
    if (reply->type == REDIS_REPLY_ERROR && redis_begins_with(reply->str, "NOPERM")) {
        struct redis_answer ignored;
        redis_understand(&subscriber->link.peer, reply, &ignored, &subscriber->refusal);
    }
    if (reply->type != REDIS_REPLY_STATUS && reply->type != REDIS_REPLY_ARRAY)
        return false;
    const char *what = text_of(reply, 0);
    if (strcmp(what, "message") != 0) {
        subscriber->unanswered -= subscriber->unanswered > 0;
        subscriber->asked_ns = clock_monotonic_ns();
    }
    struct redis_subscription *subscription =
        reply->elements == 3 ? find(subscriber, text_of(reply, 1)) : NULL;
    if (subscription == NULL)
        return true;
    if (strcmp(what, "message") == 0) {
        subscription->permits += subscriber->settings.permits(
            text_of(reply, 2), subscription->subscribers, subscription->waiters);
        futex_ring(&subscription->bell);
    } else if (strcmp(what, "subscribe") == 0) {
        subscription->asked = ENTERED;
        futex_ring(&subscription->bell);
    } else if (strcmp(what, "unsubscribe") == 0) {
        subscription->asked = ASKED_NOTHING;
        if (subscription->subscribers == 0)
            forget(subscriber, subscription);
    }
    return true;
}

// Reads what has come. False if the connection is lost.
static bool hear(struct redis_subscriber *subscriber)
{
    bool fine = redis_peer_read(&subscriber->link) == REDIS_OK;
    subscriber->heard_ns = clock_monotonic_ns();
    while (fine) {
        void *reply = NULL;
        fine = redisGetReplyFromReader(subscriber->link.context, &reply) == REDIS_OK;
        if (reply == NULL)
            break;
        fine = understand(subscriber, reply);
        freeReplyObject(reply);
    }
    return fine;
}

// --- the thread ----------------------------------------------------------------------------------

// Sleeps until the server says something (true), a worker wants something, or it is time to look.
static bool sleep_until(const struct redis_subscriber *subscriber, int64_t until_ns)
{
    const redisContext *context = subscriber->link.context;
    int64_t left_ns = until_ns - clock_monotonic_ns();
    int left_ms = left_ns <= 0 ? 0 : (int)time_earlier(left_ns / NS_PER_MS + 1, 3600000);
    struct pollfd ends[2] = {{.fd = subscriber->alarm, .events = POLLIN},
                             {.fd = context != NULL ? context->fd : -1, .events = POLLIN}};
    if (poll(ends, 2, left_ms) <= 0)
        return false;
    uint64_t count;
    if (ends[0].revents != 0 && read(subscriber->alarm, &count, sizeof count) < 0)
        return false;
    return ends[1].revents != 0;
}

static void *serve(void *context)
{
    struct redis_subscriber *subscriber = context;
    HOLD_MUTEX(&subscriber->mutex);
    while (!subscriber->stopping) {
        bool is_connected = subscriber->link.context != NULL;
        bool fine = !is_connected || talk(subscriber);
        // What may take long is done without the mutex.
        pthread_mutex_unlock(&subscriber->mutex);
        bool has_said = false;
        if (is_connected && fine)
            has_said = sleep_until(subscriber, next_look_ns(subscriber));
        else if (!is_connected && !connect_link(subscriber, NULL))
            sleep_until(subscriber, clock_monotonic_ns() + SLICE_NS);
        pthread_mutex_lock(&subscriber->mutex);
        if (!fine || (has_said && !hear(subscriber)))
            give_up_connection(subscriber);
    }
    return NULL;
}

// --- the thread, with a gate ---------------------------------------------------------------------

static void forget_messages(struct redis_subscriber *subscriber)
{
    while (subscriber->kept_count > 0)
        freeReplyObject(subscriber->kept[--subscriber->kept_count]);
}

// What has come and was not taken is lost with the connection. Another one is there at once, but
// nothing is subscribed to over it yet.
static void lose_link(struct redis_subscriber *subscriber)
{
    forget_messages(subscriber);
    give_up_connection(subscriber);
    connect_link(subscriber, NULL);
}

// Reads until the server has answered the last request, and keeps the messages that come before.
// NULL if the connection is lost.
static redisReply *read_answer(struct redis_subscriber *subscriber)
{
    redisReply *reply = NULL;
    while (subscriber->link.context != NULL &&
           redis_peer_reply(&subscriber->link, &reply) == REDIS_OK) {
        if (strcmp(text_of(reply, 0), "message") != 0)
            return reply;
        *APPEND(subscriber->kept, subscriber->kept_count, subscriber->kept_room) = reply;
    }
    return NULL;
}

// All that was published until now comes before the answer.
static void look_for_messages(struct redis_subscriber *subscriber)
{
    if (!subscriber->settings.gate->is_subscribed)
        return;
    ask(subscriber, "PING", NULL);
    AUTO_REPLY redisReply *reply = read_answer(subscriber);
    if (reply == NULL)
        lose_link(subscriber);
}

// SUBSCRIBE or UNSUBSCRIBE, and its confirmation.
static void make_request(struct redis_subscriber *subscriber,
                         struct redis_subscription *subscription, enum gate_order order)
{
    struct step_gate *gate = subscriber->settings.gate;
    if (order == GATE_LOSE_REQUEST) {
        lose_link(subscriber);
        return;
    }
    ask_for(subscriber, subscription);
    AUTO_REPLY redisReply *reply = read_answer(subscriber);
    if (order == GATE_GO_AND_STAND) {
        pthread_mutex_unlock(&subscriber->mutex);
        gate_stand(gate, GATE_AFTER_REPLY);
        pthread_mutex_lock(&subscriber->mutex);
    }
    if (reply == NULL || order == GATE_LOSE_REPLY || !understand(subscriber, reply))
        lose_link(subscriber);
}

static void take_message(struct redis_subscriber *subscriber, enum gate_order order)
{
    struct step_gate *gate = subscriber->settings.gate;
    redisReply *reply = subscriber->kept[0];
    if (order != GATE_GO) {
        lose_link(subscriber);
        return;
    }
    memmove(subscriber->kept, subscriber->kept + 1,
            --subscriber->kept_count * sizeof *subscriber->kept);
    gate_hear(gate, text_of(reply, 2), strlen(text_of(reply, 2)));
    understand(subscriber, reply);
    freeReplyObject(reply);
}

// Says at the gate what is kept, and whether more can come.
static void show_at_gate(const struct redis_subscriber *subscriber)
{
    struct step_gate *gate = subscriber->settings.gate;
    gate->kept.length = 0;
    for (size_t i = 0; i < subscriber->kept_count; i++)
        text_format(&gate->kept, "%s %s\n", text_of(subscriber->kept[i], 1),
                    text_of(subscriber->kept[i], 2));
    gate->is_subscribed = false;
    for (const struct redis_subscription *each = subscriber->subscriptions; each != NULL;
         each = each->next)
        gate->is_subscribed |= each->asked == ENTERED;
}

// Messages first, in the order in which they came; then what is to be asked.
static void *serve_by_steps(void *context)
{
    struct redis_subscriber *subscriber = context;
    struct step_gate *gate = subscriber->settings.gate;
    HOLD_MUTEX(&subscriber->mutex);
    while (!subscriber->stopping) {
        uint32_t bell = atomic_load(&subscriber->bell);
        struct redis_subscription *wanted = subscriber->subscriptions;
        while (wanted != NULL && wanted_of(wanted) == NULL)
            wanted = wanted->next;
        bool has_message = subscriber->kept_count > 0;
        enum gate_place place = has_message      ? GATE_BEFORE_MESSAGE
                                : wanted != NULL ? GATE_BEFORE_REQUEST
                                                 : GATE_WAITING;
        const char *what = has_message ? "message" : wanted != NULL ? wanted_of(wanted) : "";
        show_at_gate(subscriber);
        pthread_mutex_unlock(&subscriber->mutex);
        enum gate_order order = gate_stand_or_wait(gate, place, what, &subscriber->bell, bell);
        pthread_mutex_lock(&subscriber->mutex);
        if (order == GATE_LOOK)
            look_for_messages(subscriber);
        else if (order != GATE_END && has_message)
            take_message(subscriber, order);
        else if (order != GATE_END && wanted != NULL)
            make_request(subscriber, wanted, order);
    }
    return NULL;
}

// --- opening and closing -------------------------------------------------------------------------

struct redis_subscriber *redis_subscriber_open(const struct redis_subscriber_settings *settings,
                                               struct error *error)
{
    struct redis_subscriber *subscriber = memory_zeroed(1, sizeof *subscriber);
    struct step_gate *gate = settings->gate;
    subscriber->settings = *settings;
    subscriber->route = redis_route_to(settings->service);
    subscriber->alarm = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    pthread_mutex_init(&subscriber->mutex, NULL);
    if (subscriber->alarm < 0) {
        error_set(error, "cannot make an eventfd for subscriptions");
    } else if (!connect_link(subscriber, error)) {
        error_wrap(error, "cannot subscribe to channels");
    } else {
        int reason = pthread_create(&subscriber->thread, NULL,
                                    gate != NULL ? serve_by_steps : serve, subscriber);
        subscriber->is_started = reason == 0;
        if (reason == 0 && gate != NULL)
            gate_await(gate);
        if (reason == 0)
            return subscriber;
        error_set(error, "cannot start the thread of subscriptions: %s", strerror(reason));
    }
    redis_subscriber_close(subscriber);
    return NULL;
}

void redis_subscriber_close(struct redis_subscriber *subscriber)
{
    if (subscriber == NULL)
        return;
    if (subscriber->is_started) {
        pthread_mutex_lock(&subscriber->mutex);
        subscriber->stopping = true;
        pthread_mutex_unlock(&subscriber->mutex);
        wake_thread(subscriber);
        pthread_join(subscriber->thread, NULL);
    }
    while (subscriber->subscriptions != NULL)
        forget(subscriber, subscriber->subscriptions);
    forget_messages(subscriber);
    free(subscriber->kept);
    redis_peer_close(&subscriber->link);
    if (subscriber->alarm >= 0)
        close(subscriber->alarm);
    pthread_mutex_destroy(&subscriber->mutex);
    free(subscriber);
}

// --- for workers ---------------------------------------------------------------------------------

// Sleeps, without the mutex, until the bell rings or it is time to look again. False if the time is
// up, by the client's clock, or the trial ends.
static bool wait_for_bell(struct redis_subscription *subscription, struct actor *actor,
                          int64_t until_ns, const _Atomic uint32_t *stop)
{
    const struct clock *clock = &actor->clock;
    if (clock_now_ns(clock) >= until_ns || atomic_load_explicit(stop, memory_order_relaxed) != 0)
        return false;
    int64_t soon_ns = clock_monotonic_ns() + SLICE_NS;
    uint32_t bell = atomic_load(&subscription->bell);
    pthread_mutex_unlock(&subscription->subscriber->mutex);
    if (actor->gate != NULL)
        gate_wait(actor->gate, &subscription->bell, bell, until_ns);
    else
        futex_wait_until_ns(&subscription->bell, bell,
                            time_earlier(clock_machine_ns(clock, until_ns), soon_ns));
    pthread_mutex_lock(&subscription->subscriber->mutex);
    return true;
}

struct redis_subscription *redis_subscribe(struct redis_subscriber *subscriber, struct actor *actor,
                                           const char *channel, int64_t give_up_ns,
                                           const _Atomic uint32_t *stop)
{
    pthread_mutex_lock(&subscriber->mutex);
    const struct redis_subscription *known = find(subscriber, channel);
    bool is_first = known == NULL || known->asked != ENTERED || known->subscribers == 0;
    is_first = is_first && actor->gate == NULL;
    pthread_mutex_unlock(&subscriber->mutex);
    if (is_first)
        point(actor, POINT_BEFORE, "SUBSCRIBE");
    pthread_mutex_lock(&subscriber->mutex);
    struct redis_subscription *subscription = find(subscriber, channel);
    if (subscription == NULL) {
        subscription = memory_zeroed(1, sizeof *subscription);
        subscription->subscriber = subscriber;
        subscription->channel = memory_string(channel);
        subscription->next = subscriber->subscriptions;
        subscriber->subscriptions = subscription;
    }
    if (subscription->subscribers++ == 0) // the first one finds an empty latch
        subscription->permits = 0;
    wake_thread(subscriber);
    bool in_time = true;
    while (in_time && subscription->asked != ENTERED)
        in_time = subscriber->refusal.text[0] == '\0' &&
                  wait_for_bell(subscription, actor, give_up_ns, stop);
    if (!in_time)
        subscription->subscribers--;
    pthread_mutex_unlock(&subscriber->mutex);
    if (is_first)
        point(actor, POINT_AFTER, "SUBSCRIBE");
    return in_time ? subscription : NULL;
}

bool redis_subscription_wait(struct redis_subscription *subscription, struct actor *actor,
                             int64_t until_ns, const _Atomic uint32_t *stop)
{
    pthread_mutex_t *mutex = &subscription->subscriber->mutex;
    HOLD_MUTEX(mutex);
    subscription->waiters++;
    // Who waits for no time at all asks again and again.
    if (actor->gate != NULL && subscription->permits == 0 &&
        clock_now_ns(&actor->clock) >= until_ns) {
        pthread_mutex_unlock(mutex);
        gate_stand(actor->gate, GATE_SLEEPING);
        pthread_mutex_lock(mutex);
    }
    bool in_time = true;
    while (in_time && subscription->permits == 0)
        in_time = wait_for_bell(subscription, actor, until_ns, stop);
    subscription->waiters--;
    if (in_time) {
        subscription->permits--;
        actor->wakeups++;
    }
    return in_time;
}

bool redis_subscriber_is_refused(struct redis_subscriber *subscriber, struct error *error)
{
    HOLD_MUTEX(&subscriber->mutex);
    if (subscriber->refusal.text[0] == '\0')
        return false;
    *error = subscriber->refusal;
    return true;
}

size_t redis_subscriber_waiters(struct redis_subscriber *subscriber, const char *channel)
{
    HOLD_MUTEX(&subscriber->mutex);
    const struct redis_subscription *subscription = find(subscriber, channel);
    return subscription != NULL ? subscription->waiters : 0;
}

void redis_unsubscribe(struct redis_subscription *subscription, struct actor *actor)
{
    struct redis_subscriber *subscriber = subscription->subscriber;
    pthread_mutex_lock(&subscriber->mutex);
    bool is_last = subscription->subscribers == 1 && actor->gate == NULL;
    pthread_mutex_unlock(&subscriber->mutex);
    if (is_last)
        point(actor, POINT_BEFORE, "UNSUBSCRIBE");
    pthread_mutex_lock(&subscriber->mutex);
    subscription->subscribers--;
    pthread_mutex_unlock(&subscriber->mutex);
    wake_thread(subscriber);
    if (is_last)
        point(actor, POINT_AFTER, "UNSUBSCRIBE");
}
