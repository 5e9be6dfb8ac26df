// For tests of ensembles: who leads them.
#ifndef LOCKPICK_CLUSTER_TEST_ENSEMBLE_H
#define LOCKPICK_CLUSTER_TEST_ENSEMBLE_H

#include "harness/cluster/test_control.h"

// The server of that number, from 1.
static inline struct node *member(struct test_server *server, int number)
{
    return &server->cluster.nodes[number - 1];
}

// The first server that leads, or that does not; 0 if there is none.
static inline int number_that(struct test_server *server, bool leads)
{
    struct error ignored;
    for (int number = 1; number <= server->cluster.count; number++) {
        const struct node *node = member(server, number);
        if (node->kind->control->leads(node, &ignored) == leads)
            return number;
    }
    return 0;
}

static inline int number_of_leader(struct test_server *server)
{
    struct error error = {.text = "nobody leads"};
    int number;
    MUST_COME_TO_BE(true, (number = number_that(server, true)) != 0);
    return number;
}

#endif
