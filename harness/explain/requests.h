// What external clients sent for a lock, as their proxies saw it: requests with their answers.
#ifndef LOCKPICK_EXPLAIN_REQUESTS_H
#define LOCKPICK_EXPLAIN_REQUESTS_H

#include "harness/check/check.h"
#include "harness/point/point.h"

struct seen_request {
    struct event_command command;
    int client, worker;           // worker 0: not known whose it is
    enum phase phase;             // PHASE_NONE: in the background, or not known in which
    unsigned words;               // REQUEST_NX, ...
    int64_t key, value;           // hashes; 0: none
    int64_t ttl_ms;               // 0: no such word
    int64_t sent_ns, answered_ns; // TIME_NEVER: no answer was seen
    enum reply_kind reply;        // valid if answered_ns is not TIME_NEVER
};

// In the order in which they were sent. Free with requests_free.
struct requests {
    struct seen_request *items;
    size_t count;
};

// Those with a key that were sent between two times.
void requests_between(const struct digest *digest, int64_t from_ns, int64_t to_ns,
                      struct requests *requests);
void requests_free(struct requests *requests);

// How somebody came to hold the lock, by what was sent in its acquire.
enum grant_proof {
    GRANT_UNSEEN,     // nothing was seen of its client, or not whose it was, or not what it means
    GRANT_GIVEN,      // the server granted it: `request` is the one
    GRANT_REFUSED,    // each request that would have taken the lock was refused: `request` the last
    GRANT_UNANSWERED, // the last one had no answer when the client held already
    GRANT_NOT_ASKED,  // it sent nothing that could take it
};
struct grant_seen {
    enum grant_proof proof;
    const struct seen_request *request; // NULL if GRANT_UNSEEN or GRANT_NOT_ASKED
};

// `requests` must cover the hold's acquire.
struct grant_seen request_of_grant(const struct digest *digest, const struct requests *requests,
                                   const struct hold *hold);

// The first request that took the lock away from a holder whose grant was `grant`, or put another's
// in its place, before `until_ns`, and not certainly before it; NULL if none was seen. `own`: the
// holder.
const struct seen_request *request_that_removed(const struct requests *requests,
                                                const struct seen_request *grant,
                                                const struct hold *own, int64_t until_ns);

// The first renewal of the lock (by its key) after `from_ns` that was done without a look at whose
// it is, and not by a worker of that client (or, `is_its`, by one); NULL if none was seen.
const struct seen_request *renewal_unchecked(const struct requests *requests, int64_t key,
                                             int client, bool is_its, int64_t from_ns);

// True if it was answered, and the answer is that it was done.
bool request_was_done(const struct seen_request *request);

// True if it writes the key whoever has it; if it removes the key whoever has it; if it prolongs it
// whoever has it.
bool request_overwrites(const struct seen_request *request);
bool request_deletes(const struct seen_request *request);
bool request_prolongs(const struct seen_request *request);

#endif
