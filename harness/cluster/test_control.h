// For tests of what can be done to servers (control.h): real ones on loopback, one group of a kind;
// and the schemes whose locks are looked for.
#ifndef LOCKPICK_CLUSTER_TEST_CONTROL_H
#define LOCKPICK_CLUSTER_TEST_CONTROL_H

#include "harness/cluster/test_outage.h"
#include "harness/locks/test_acts.h"

static inline void check_has_lock(struct fixture *fixture, const struct lock_scheme *scheme)
{
    const struct node *node = &fixture->server.cluster.nodes[0];
    const struct server_control *control = node->kind->control;
    struct grant grant;
    struct error error;
    struct lock_identity lock = {
        .name = fixture->name, .tag = fixture->tag, .scheme = scheme->name};
    MUST_BE(0, control->has_lock(node, &lock, &error));
    hold_to(scheme, acquire(fixture, 0, &grant) == OUTCOME_OK, "not let in");
    MUST_BE(1, control->has_lock(node, &lock, &error));
    hold_to(scheme, acquire(fixture, 1, &grant) == OUTCOME_NO, "the second is not kept out");
    lock.name = "lockpick:{other}:lock";
    lock.tag = "other";
    MUST_BE(0, control->has_lock(node, &lock, &error));
    lock_release(&fixture->locks[0]);
    lock.name = fixture->name;
    lock.tag = fixture->tag;
    MUST_BE(0, control->has_lock(node, &lock, &error));
}

// That the first server has the lock as held from each exclusive scheme's grant to its release.
static inline void check_all_have_lock(const char *server)
{
    static struct fixture fixture;
    const struct contract contract = {.server = server};
    const struct lock_scheme *scheme;
    fixture = (struct fixture){.serial = 0};
    assert_int_equal(fixture_start(&fixture, &contract), 0);
    FOR_EACH_SCHEME (&fixture, scheme) {
        if (!lock_scheme_has(scheme, "exclusive"))
            continue;
        open_scheme(&fixture, scheme, false);
        check_has_lock(&fixture, scheme);
        close_scheme(&fixture);
    }
    fixture_stop(&fixture);
}

#endif
