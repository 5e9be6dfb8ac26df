// Where a server listens.
#ifndef LOCKPICK_WIRE_ENDPOINT_H
#define LOCKPICK_WIRE_ENDPOINT_H

struct endpoint {
    char host[48];
    int port;
};

#endif
