// For tests: servers that stand still, die and come back; and what comes to be so some time later.
#ifndef LOCKPICK_CLUSTER_TEST_PROCESS_CONTROL_H
#define LOCKPICK_CLUSTER_TEST_PROCESS_CONTROL_H

#include "harness/base/clock.h"
#include "harness/cluster/control.h"
#include "harness/testing/test.h"

// Goes on until `question` is answered like this; fails the test if it never is.
#define MUST_COME_TO_BE(expected, question)                                                        \
    do {                                                                                           \
        int64_t give_up_ns_ = clock_monotonic_ns() + PATIENCE_NS;                                  \
        while ((question) != (expected)) {                                                         \
            if (clock_monotonic_ns() > give_up_ns_)                                                \
                fail_msg("%s never is %d: %s", #question, (int)(expected), error.text);            \
            clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);                            \
        }                                                                                          \
    } while (0)

static inline void stand_still(const struct node *node)
{
    struct error error = {0};
    MUST_COME_TO_BE(0, server_stop(node, &error));
}

static inline void go_on(const struct node *node)
{
    struct error error = {0};
    MUST_BE(0, server_continue(node, &error));
}

static inline void die(struct node *node)
{
    struct error error = {0};
    MUST_BE(0, server_kill(node, &error));
}

static inline void come_back(struct node *node, enum loss loss)
{
    struct error error = {0};
    MUST_BE(0, server_restart(node, loss, &error));
    MUST_COME_TO_BE(0, server_is_back(node, &error));
}

#endif
