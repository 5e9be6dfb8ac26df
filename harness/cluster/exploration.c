#include "harness/cluster/exploration.h"

#include "harness/base/clock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

// Between two looks at what is about to end, of the machine's time.
#define PAUSE_NS (50 * NS_PER_US)
#define LIMIT_NS (60 * NS_PER_S) // of an answer

void explored_set_clocks(const struct explored_servers *servers, int64_t now_ns)
{
    for (int i = 0; i < servers->group->count; i++) {
        struct clock_shift *clock = servers->group->nodes[i].clock;
        if (clock != NULL)
            clock_freeze(clock, servers->zero_unix_ns, now_ns);
    }
}

int explored_open(struct explored_servers *servers, struct error *error)
{
    const struct server_group *group = servers->group;
    for (; servers->session_count < group->count; servers->session_count++) {
        if (session_open(&servers->sessions[servers->session_count],
                         &group->nodes[servers->session_count], NULL, SESSION_PATIENCE_S,
                         error) != 0)
            return -1;
    }
    servers->memory = memory_zeroed(1, servers->how->memory_bytes);
    return servers->how->prepare != NULL ? servers->how->prepare(servers, error) : 0;
}

void explored_close(struct explored_servers *servers)
{
    if (servers->memory != NULL && servers->how->restore != NULL)
        servers->how->restore(servers);
    for (int i = 0; i < servers->session_count; i++)
        session_close(&servers->sessions[i]);
    free(servers->memory);
}

struct session *explored_session(struct explored_servers *servers, int server, struct error *error)
{
    struct session *session = &servers->sessions[server];
    session->error = error;
    session->peer.give_up_ns = clock_monotonic_ns() + LIMIT_NS; // by a clock that may stand still
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
