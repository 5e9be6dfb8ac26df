// Subscriptions against a real server: what is woken, and what a lost connection costs.
#include "harness/wire/redis_subscriber.h"

#include "harness/cluster/test_process_control.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"
#include "harness/wire/redis.h"

#include <pthread.h>

#define CHANNEL "channel:{tag}"

static struct {
    struct test_server server;
    struct actor actor;
    struct redis_connection *publisher;
    struct redis_subscriber *subscriber;
    _Atomic uint32_t stop;
} fixture;

// A message is a number of permits, "all" is one for each that waits, "each" one for each
// subscriber.
static size_t permits(const char *message, size_t subscribers, size_t waiters)
{
    if (strcmp(message, "all") == 0)
        return waiters;
    return strcmp(message, "each") == 0 ? subscribers : (size_t)strtoul(message, NULL, 10);
}

static int start(void **state)
{
    struct error error = {0};
    (void)state;
    fixture.actor = (struct actor){.phase = PHASE_NONE};
    atomic_store(&fixture.stop, 0);
    if (test_server_start(&fixture.server, "redis") != 0)
        return -1;
    struct redis_subscriber_settings settings = {.service = &fixture.server.service,
                                                 .request_ns = 200 * NS_PER_MS,
                                                 .ping_ns = 100 * NS_PER_MS,
                                                 .permits = permits};
    fixture.publisher = redis_open(&fixture.server.service, NS_PER_S, &fixture.actor, &error);
    fixture.subscriber = redis_subscriber_open(&settings, &error);
    return fixture.publisher == NULL || fixture.subscriber == NULL ? -1 : 0;
}

static int stop(void **state)
{
    (void)state;
    redis_subscriber_close(fixture.subscriber);
    redis_close(fixture.publisher);
    test_server_stop(&fixture.server);
    return 0;
}

static int64_t soon(void)
{
    return clock_monotonic_ns() + PATIENCE_NS;
}

static struct redis_subscription *subscribe(void)
{
    struct redis_subscription *subscription =
        redis_subscribe(fixture.subscriber, &fixture.actor, CHANNEL, soon(), &fixture.stop);
    assert_non_null(subscription);
    return subscription;
}

static bool takes(struct redis_subscription *subscription, int64_t until_ns)
{
    return redis_subscription_wait(subscription, &fixture.actor, until_ns, &fixture.stop);
}

// How many connections the message has reached.
static int64_t publish(const char *message)
{
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture.publisher, &answer, "PUBLISH %s %s", CHANNEL, message),
                     OUTCOME_OK);
    return answer.integer;
}

static void wait_until_reached(int64_t connections)
{
    int64_t until_ns = soon();
    while (publish("0") != connections) {
        assert_true(clock_monotonic_ns() < until_ns);
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
}

TEST_WITH(once_subscribed_no_message_is_missed, start, stop)
{
    for (int round = 0; round < 50; round++) {
        struct redis_subscription *subscription = subscribe();
        assert_int_equal(publish("1"), 1);
        assert_true(takes(subscription, soon()));
        redis_unsubscribe(subscription, &fixture.actor);
    }
}

TEST_WITH(all_subscribers_of_a_channel_share_one_subscription_until_the_last_leaves, start, stop)
{
    struct redis_subscription *first = subscribe();
    struct redis_subscription *second = subscribe();
    assert_ptr_equal(first, second);
    assert_int_equal(publish("each"), 1);
    assert_true(takes(first, soon()));
    assert_true(takes(second, soon()));
    redis_unsubscribe(first, &fixture.actor);
    assert_int_equal(publish("0"), 1);
    redis_unsubscribe(second, &fixture.actor);
    wait_until_reached(0);
}

TEST_WITH(surplus_permits_stay_until_the_last_subscriber_leaves, start, stop)
{
    struct redis_subscription *subscription = subscribe();
    publish("2");
    publish("1");
    for (int taken = 0; taken < 3; taken++)
        assert_true(takes(subscription, soon()));
    assert_false(takes(subscription, 0));
    publish("2");
    assert_true(takes(subscription, soon()));
    redis_unsubscribe(subscription, &fixture.actor);
    subscription = subscribe();
    assert_false(takes(subscription, 0));
    redis_unsubscribe(subscription, &fixture.actor);
}

struct waiter {
    struct actor actor;
    struct redis_subscription *subscription;
    bool was_woken;
    pthread_t thread;
};

static void *wait_for_permit(void *context)
{
    struct waiter *waiter = context;
    waiter->was_woken =
        redis_subscription_wait(waiter->subscription, &waiter->actor, soon(), &fixture.stop);
    return NULL;
}

TEST_WITH(one_message_can_wake_all_that_wait, start, stop)
{
    struct waiter waiters[3];
    for (int i = 0; i < 3; i++) {
        waiters[i] = (struct waiter){.subscription = subscribe()};
        assert_int_equal(pthread_create(&waiters[i].thread, NULL, wait_for_permit, &waiters[i]), 0);
    }
    while (redis_subscriber_waiters(fixture.subscriber, CHANNEL) < 3)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    publish("all");
    for (int i = 0; i < 3; i++) {
        pthread_join(waiters[i].thread, NULL);
        assert_true(waiters[i].was_woken);
    }
    // It has released as many permits as were taken: the next one's is the only one there is.
    publish("1");
    assert_true(takes(waiters[0].subscription, soon()));
    assert_false(takes(waiters[0].subscription, 0));
    for (int i = 0; i < 3; i++)
        redis_unsubscribe(waiters[i].subscription, &fixture.actor);
}

TEST_WITH(a_lost_connection_is_made_anew_and_subscribed_again, start, stop)
{
    struct redis_answer answer;
    struct redis_subscription *subscription = subscribe();
    assert_int_equal(redis_request(fixture.publisher, &answer, "CLIENT KILL TYPE pubsub"),
                     OUTCOME_OK);
    assert_int_equal(answer.integer, 1);
    wait_until_reached(1);
    publish("1");
    assert_true(takes(subscription, soon()));
    redis_unsubscribe(subscription, &fixture.actor);
}

// The server's number of the connection that is subscribed.
static int64_t number_of_subscriber(void)
{
    struct redis_answer answer;
    int64_t until_ns = soon();
    do {
        assert_true(clock_monotonic_ns() < until_ns);
        assert_int_equal(redis_request(fixture.publisher, &answer, "CLIENT LIST TYPE pubsub"),
                         OUTCOME_OK);
    } while (strncmp(answer.text, "id=", 3) != 0);
    return strtoll(answer.text + 3, NULL, 10);
}

TEST_WITH(a_server_that_falls_silent_is_left_and_found_again, start, stop)
{
    struct redis_answer answer;
    struct redis_subscription *subscription = subscribe();
    int64_t number = number_of_subscriber();
    stand_still(&fixture.server.cluster.nodes[0]);
    // By the time that this has failed, a ping and its answer are overdue.
    assert_int_equal(redis_request(fixture.publisher, &answer, "GET key"), OUTCOME_UNKNOWN);
    go_on(&fixture.server.cluster.nodes[0]);
    int64_t until_ns = soon();
    while (number_of_subscriber() == number)
        assert_true(clock_monotonic_ns() < until_ns);
    wait_until_reached(1);
    publish("1");
    assert_true(takes(subscription, soon()));
    redis_unsubscribe(subscription, &fixture.actor);
}

TEST_WITH(a_subscription_that_is_not_confirmed_is_given_up_in_time, start, stop)
{
    stand_still(&fixture.server.cluster.nodes[0]);
    assert_null(redis_subscribe(fixture.subscriber, &fixture.actor, CHANNEL,
                                clock_monotonic_ns() + 100 * NS_PER_MS, &fixture.stop));
    atomic_store(&fixture.stop, 1); // the trial ends
    assert_null(
        redis_subscribe(fixture.subscriber, &fixture.actor, CHANNEL, soon(), &fixture.stop));
    atomic_store(&fixture.stop, 0);
    go_on(&fixture.server.cluster.nodes[0]);
    wait_until_reached(0);
    redis_unsubscribe(subscribe(), &fixture.actor);
}

TEST_WITH(a_wait_ends_with_the_trial, start, stop)
{
    struct redis_subscription *subscription = subscribe();
    struct waiter waiter = {.subscription = subscription};
    assert_int_equal(pthread_create(&waiter.thread, NULL, wait_for_permit, &waiter), 0);
    atomic_store(&fixture.stop, 1);
    pthread_join(waiter.thread, NULL);
    assert_false(waiter.was_woken);
    redis_unsubscribe(subscription, &fixture.actor);
}

TEST(a_port_where_nobody_listens_is_named)
{
    struct service nowhere = {.servers = {{.host = "127.0.0.1", .port = 1}}, .server_count = 1};
    struct redis_subscriber_settings settings = {.service = &nowhere, .request_ns = NS_PER_S};
    struct error error;
    MUST_FAIL(NULL, redis_subscriber_open(&settings, &error), "127.0.0.1:1");
}
