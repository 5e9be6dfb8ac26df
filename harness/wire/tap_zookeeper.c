// ZooKeeper: each message has its length in front; a request then its xid and type, a reply its
// xid. The first of each side is the beginning of the session.
#include "harness/wire/tap_protocol.h"

#include <string.h>

#define LONGEST (64 * 1024 * 1024)
#define SHORTEST_REQUEST 8
#define SHORTEST_REPLY 16
#define XID_OF_WATCH (-1)

struct state {
    struct frame request, reply;
    bool asked_to_connect, connected;
};

static uint64_t length_of(const uint8_t *head)
{
    uint32_t length = frame_number(head);
    return length == 0 || length > LONGEST ? 0 : (uint64_t)length + 4;
}

static const char *name_of(int32_t type)
{
    static const struct {
        int32_t type;
        const char *name;
    } names[] = {{-11, "close"},      {1, "create"},          {2, "delete"},
                 {3, "exists"},       {4, "getData"},         {5, "setData"},
                 {6, "getACL"},       {7, "setACL"},          {8, "getChildren"},
                 {9, "sync"},         {11, "ping"},           {12, "getChildren2"},
                 {13, "check"},       {14, "multi"},          {15, "create"},
                 {16, "reconfig"},    {18, "removeWatches"},  {19, "create"},
                 {20, "delete"},      {21, "create"},         {22, "multiRead"},
                 {100, "auth"},       {101, "setWatches"},    {102, "sasl"},
                 {105, "setWatches"}, {103, "getEphemerals"}, {106, "addWatch"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].type == type)
            return names[i].name;
    }
    return "request";
}

// 0 stands for the beginning of the session, so that xids must not be 0.
static int64_t id_of(int32_t xid)
{
    return (int64_t)xid + ((int64_t)1 << 40);
}

static enum tap_result read_request(void *context, const uint8_t *bytes, size_t length,
                                    size_t *used, struct tap_request *request)
{
    struct state *state = context;
    enum tap_result result = frame_read(&state->request, 4, length_of, bytes, length, used);
    if (result != TAP_WHOLE)
        return result;
    const uint8_t *body = state->request.head + 4;
    bool is_short = state->request.have < 4 + SHORTEST_REQUEST;
    frame_next(&state->request);
    if (!state->asked_to_connect) {
        state->asked_to_connect = true;
        strcpy(request->name, "connect");
        request->id = -1;
        return TAP_WHOLE;
    }
    if (is_short)
        return TAP_LOST;
    strcpy(request->name, name_of((int32_t)frame_number(body + 4)));
    request->id = id_of((int32_t)frame_number(body));
    return TAP_WHOLE;
}

static enum tap_result read_reply(void *context, const uint8_t *bytes, size_t length, size_t *used,
                                  const struct tap_request *front, int64_t *id)
{
    struct state *state = context;
    (void)front;
    enum tap_result result = frame_read(&state->reply, 4, length_of, bytes, length, used);
    if (result != TAP_WHOLE)
        return result;
    int32_t xid = (int32_t)frame_number(state->reply.head + 4);
    bool is_short = state->reply.have < 4 + SHORTEST_REPLY;
    frame_next(&state->reply);
    if (is_short)
        return TAP_LOST;
    *id = state->connected ? id_of(xid) : -1;
    if (state->connected && xid == XID_OF_WATCH)
        *id = TAP_NOTICE;
    state->connected = true;
    return TAP_WHOLE;
}

const struct tap_protocol tap_zookeeper = {.kind = "zookeeper",
                                           .state_bytes = sizeof(struct state),
                                           .read_request = read_request,
                                           .read_reply = read_reply,
                                           .tells_notices = true};
