#include "harness/cluster/exploration.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Between two looks at what is about to end, of the machine's time.
#define PAUSE_NS (50 * NS_PER_US)
#define LIMIT_NS (60 * NS_PER_S) // of an answer

bool explored_has_clock(const struct explored_servers *servers, int server)
{
    return servers->how->set_time == NULL && servers->group->nodes[server].clock != NULL;
}

void explored_set_clocks(const struct explored_servers *servers, int64_t now_ns)
{
    for (int i = 0; i < servers->group->count; i++) {
        struct clock_shift *clock = servers->group->nodes[i].clock;
        if (clock != NULL)
            clock_freeze(clock, servers->zero_unix_ns + servers->ahead_ns[i], now_ns);
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

int explored_end_session(struct explored_servers *servers, uint64_t number, struct error *error)
{
    struct session *session = explored_session(servers, 0, error);
    struct server_client client = {0};
    snprintf(client.id, sizeof client.id, "%" PRIu64, number);
    return session->node->kind->control->end(session, &client) < 0 ? -1 : 0;
}

int explored_await_sessions(struct explored_servers *servers, const uint64_t *open, size_t count,
                            struct error *error)
{
    static const struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct session *session = explored_session(servers, 0, error);
    AUTO_TEXT struct text question = {0};
    int are_others;
    text_format(&question, "%s(0", servers->how->count_sessions);
    for (size_t i = 0; i < count; i++)
        text_format(&question, ", %" PRIu64, open[i]);
    text_add(&question, ")");
    while ((are_others = session_is_so(session, "%s", question.bytes)) == 1)
        nanosleep(&pause, NULL);
    return are_others;
}
