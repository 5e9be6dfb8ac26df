// ZooKeeper: each message has its length in front; a request then its xid and type, a reply its
// xid. The first of each side is the beginning of the session.
#include "harness/wire/parser_protocol.h"

#include <string.h>

#define LEAD 4
#define LONGEST (64 * 1024 * 1024)
#define SHORTEST_REQUEST 8
#define SHORTEST_REPLY 16
#define XID_OF_WATCH (-1)
#define ID_OF_SESSION (-1)

struct state {
    bool asked_to_connect, connected;
};

static const struct {
    int32_t type;
    const char *name;
} requests[] = {{-11, "close"},      {1, "create"},          {2, "delete"},
                {3, "exists"},       {4, "getData"},         {5, "setData"},
                {6, "getACL"},       {7, "setACL"},          {8, "getChildren"},
                {9, "sync"},         {11, "ping"},           {12, "getChildren2"},
                {13, "check"},       {14, "multi"},          {15, "create"},
                {16, "reconfig"},    {18, "removeWatches"},  {19, "create"},
                {20, "delete"},      {21, "create"},         {22, "multiRead"},
                {100, "auth"},       {101, "setWatches"},    {102, "sasl"},
                {105, "setWatches"}, {103, "getEphemerals"}, {106, "addWatch"}};

static int64_t body_of(const struct part *lead, bool is_request)
{
    uint32_t body = part_uint32(lead, 0);
    (void)is_request;
    return body == 0 || body > LONGEST ? -1 : (int64_t)body;
}

// 0 stands for the oldest, so that xids must not be 0.
static int64_t id_of(int32_t xid)
{
    return (int64_t)xid + ((int64_t)1 << 40);
}

static enum parse request(void *context, struct part *part, struct parsed_request *request)
{
    struct state *state = context;
    int32_t xid = (int32_t)part_uint32(part, LEAD);
    int32_t type = (int32_t)part_uint32(part, LEAD + 4);
    if (state->asked_to_connect && part->length < LEAD + SHORTEST_REQUEST)
        return PARSE_LOST;
    strcpy(request->name, state->asked_to_connect ? "request" : "connect");
    request->id = state->asked_to_connect ? id_of(xid) : ID_OF_SESSION;
    for (size_t i = 0; state->asked_to_connect && i < sizeof requests / sizeof *requests; i++) {
        if (requests[i].type == type)
            strcpy(request->name, requests[i].name);
    }
    state->asked_to_connect = true;
    return PARSE_WHOLE;
}

static enum parse reply(void *context, struct part *part, const struct parsed_request *front,
                        int64_t *id)
{
    struct state *state = context;
    int32_t xid = (int32_t)part_uint32(part, LEAD);
    (void)front;
    if (part->length < LEAD + SHORTEST_REPLY)
        return PARSE_LOST;
    *id = !state->connected ? ID_OF_SESSION : xid == XID_OF_WATCH ? REPLY_NOTICE : id_of(xid);
    state->connected = true;
    return PARSE_WHOLE;
}

const struct protocol protocol_zookeeper = {.kind = "zookeeper",
                                            .state_bytes = sizeof(struct state),
                                            .tells_notices = true,
                                            .lead = LEAD,
                                            .body = body_of,
                                            .request = request,
                                            .reply = reply};
