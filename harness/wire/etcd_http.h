// HTTP to one etcd or several: one request after the other, over a connection that is kept.
#ifndef LOCKPICK_WIRE_ETCD_HTTP_H
#define LOCKPICK_WIRE_ETCD_HTTP_H

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/history/event.h"
#include "harness/wire/service.h"

#include <stdbool.h>
#include <stdint.h>

struct etcd_http;

// A request that is not over when its answer comes to an end, but when the caller has seen enough,
// or does not want to wait any longer. `is_over` is asked whenever a part of the answer has come,
// and every few milliseconds besides.
struct etcd_patience {
    bool (*is_over)(void *context, const char *answer_so_far);
    void *context;
    bool is_endless; // it never ends by itself: it gets a connection of its own, which goes with it
};

// Makes a client of the service's servers that starts with server `first` (from 0, modulo their
// number). NULL with `error` set. The caller closes with etcd_http_close; `service` must live as
// long.
struct etcd_http *etcd_http_open(const struct service *service, int first, int64_t request_ns,
                                 struct error *error);
void etcd_http_close(struct etcd_http *http);

// Posts `body` to `path` and waits for `request_ns` or, with `patience` (else NULL), as long as
// that lasts. Where no connection can be made, the next server is tried, each once.
//   OK       answered: see etcd_http_status and etcd_http_answer
//   NO       certainly not sent to any server
//   UNKNOWN  no whole answer; the next request goes to the next server
enum outcome etcd_http_post(struct etcd_http *http, const char *path, const char *body,
                            const struct etcd_patience *patience);

// Another limit for the requests to come.
void etcd_http_set_limit(struct etcd_http *http, int64_t request_ns);

// Of the last request: the status code, and as much of the body as has come, "" if nothing.
long etcd_http_status(const struct etcd_http *http);
const char *etcd_http_answer(const struct etcd_http *http);

// Of the last request that was not OK: what went wrong, and with whom.
const char *etcd_http_error(const struct etcd_http *http);

// "etcd at 10.0.0.1:2379": where the last request went to.
const char *etcd_http_server(const struct etcd_http *http);

#endif
