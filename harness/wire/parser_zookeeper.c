// ZooKeeper: each message has its length in front; a request then its xid and type, a reply its
// xid. The first of each side is the beginning of the session.
#include "harness/wire/parser_protocol.h"

#include <string.h>

#define LEAD 4
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

// The whole message's, as struct protocol has it.
static int64_t length_of(const char *bytes, size_t have, uint32_t shortest)
{
    uint32_t body = have >= LEAD ? uint32_at(bytes) : 0;
    if (have >= LEAD && (body == 0 || body < shortest || body > LONGEST_MESSAGE))
        return MESSAGE_LOST;
    return have >= LEAD && have - LEAD >= body ? LEAD + (int64_t)body : 0;
}

// 0 stands for the oldest, so that xids must not be 0.
static int64_t id_of(int32_t xid)
{
    return (int64_t)xid + ((int64_t)1 << 40);
}

static int64_t request(void *context, const char *bytes, size_t have,
                       struct parsed_request *request)
{
    struct state *state = context;
    int64_t length = length_of(bytes, have, state->asked_to_connect ? SHORTEST_REQUEST : 0);
    if (length <= 0)
        return length;
    strcpy(request->name, state->asked_to_connect ? PARSER_UNKNOWN : "connect");
    request->id = ID_OF_SESSION;
    if (state->asked_to_connect) {
        int32_t type = (int32_t)uint32_at(bytes + LEAD + 4);
        request->id = id_of((int32_t)uint32_at(bytes + LEAD));
        for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
            if (requests[i].type == type)
                strcpy(request->name, requests[i].name);
        }
    }
    state->asked_to_connect = true;
    return length;
}

static int64_t reply(void *context, const char *bytes, size_t have,
                     const struct parsed_request *front, struct parsed_reply *reply)
{
    struct state *state = context;
    int64_t length = length_of(bytes, have, SHORTEST_REPLY);
    (void)front;
    if (length <= 0)
        return length;
    int32_t xid = (int32_t)uint32_at(bytes + LEAD);
    reply->id = !state->connected ? ID_OF_SESSION : xid == XID_OF_WATCH ? REPLY_NOTICE : id_of(xid);
    state->connected = true;
    return length;
}

const struct protocol protocol_zookeeper = {.kind = "zookeeper",
                                            .state_bytes = sizeof(struct state),
                                            .tells_notices = true,
                                            .request = request,
                                            .reply = reply};
