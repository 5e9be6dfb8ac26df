#include "harness/cluster/exploration.h"

#include "harness/base/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

// Between two looks at what is about to end, of the machine's time.
#define PAUSE_NS (50 * NS_PER_US)

void explored_set_clocks(const struct explored_servers *servers, int64_t now_ns)
{
    for (int i = 0; i < servers->group->count; i++) {
        struct clock_shift *clock = servers->group->nodes[i].clock;
        if (clock != NULL)
            clock_freeze(clock, servers->zero_unix_ns, now_ns);
    }
}

int explored_open_session(struct explored_servers *servers, size_t bytes, struct error *error)
{
    struct session *session = memory_zeroed(1, bytes);
    const struct node *node = &servers->group->nodes[0];
    if (session_open(session, node, NULL, SESSION_PATIENCE_S, error) != 0) {
        free(session);
        return -1;
    }
    session->peer.give_up_ns = TIME_NEVER; // by a clock that is about to stand still
    servers->probe = session;
    return 0;
}

void explored_close_session(struct explored_servers *servers)
{
    if (servers->probe != NULL)
        session_close(servers->probe);
    free(servers->probe);
}

struct session *explored_session(const struct explored_servers *servers, struct error *error)
{
    struct session *session = servers->probe;
    session->error = error;
    return session;
}

int explored_await_sessions(struct session *session, const char *question, const uint64_t *open,
                            size_t count)
{
    static const struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct text whole = {0};
    text_format(&whole, "%s(0", question);
    for (size_t i = 0; i < count; i++)
        text_format(&whole, ", %" PRIu64, open[i]);
    text_add(&whole, ")");
    int are_others = session_is_so(session, "%s", whole.bytes);
    while (are_others == 1) {
        nanosleep(&pause, NULL);
        are_others = session_is_so(session, "%s", whole.bytes);
    }
    text_free(&whole);
    return are_others;
}
