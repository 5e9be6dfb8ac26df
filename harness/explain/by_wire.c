// What two holds at once, or a lock that vanished, come from, by what the proxies of external
// clients saw.
#include "harness/explain/account.h"

#include "harness/base/text.h"

// The hold in whose release the request was sent; SIZE_MAX if it was in none, or nobody knows.
static size_t hold_released_by(const struct digest *digest, const struct seen_request *request)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->client != request->client || !hold->release_invoked ||
            request->sent_ns < hold->released_ns || request->sent_ns > hold->returned_ns ||
            (request->worker != 0 && hold->worker != request->worker))
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = i;
    }
    return found;
}

// The request that the same release or acquire sent to the same key right before; client 0: none.
static struct seen_request sent_before(const struct requests *requests,
                                       const struct seen_request *request)
{
    struct seen_request before = {.client = 0};
    for (size_t i = 0; i < requests->count && &requests->items[i] != request; i++) {
        const struct seen_request *each = &requests->items[i];
        if (each->client == request->client && each->worker == request->worker &&
            each->phase == request->phase && each->phase == PHASE_RELEASE &&
            each->key == request->key)
            before = *each;
        else if (each->client == request->client && each->worker == request->worker)
            before = (struct seen_request){.client = 0};
    }
    return before;
}

// A grant that was none: proven by what was answered to the requests of its acquire.
static bool find_false_grant(struct account *account, const struct requests *requests, size_t which)
{
    const struct digest *digest = account->digest;
    const struct hold *hold = &digest->holds[account->holds[which]];
    bool has_other = account->holds[1] != SIZE_MAX;
    struct grant_seen seen = request_of_grant(digest, requests, hold);
    struct grant_seen others = {GRANT_UNSEEN, NULL};
    if (has_other)
        others = request_of_grant(digest, requests, &digest->holds[account->holds[1 - which]]);
    static const enum root roots[] = {[GRANT_REFUSED] = ROOT_REFUSED,
                                      [GRANT_UNANSWERED] = ROOT_UNANSWERED_GRANT,
                                      [GRANT_NOT_ASKED] = ROOT_NOT_ASKED};
    if (seen.proof == GRANT_UNSEEN || seen.proof == GRANT_GIVEN)
        return false;
    // To find its own value there is to hold it again; but the value was another's.
    bool is_shared = seen.proof == GRANT_REFUSED && others.request != NULL &&
                     others.request->value == seen.request->value && seen.request->value != 0;
    account_conclude(account, is_shared ? ROOT_SAME_VALUE : roots[seen.proof], true);
    if (seen.request != NULL)
        account->request = *seen.request;
    // Whoever was not granted it is told second.
    if (which == 0 && has_other) {
        account->holds[0] = account->holds[1];
        account->holds[1] = (size_t)(hold - digest->holds);
    }
    return true;
}

// What the server was asked for ended before the other was let in, and the holder believed in more:
// proven by its request, which nothing has prolonged.
static bool find_short_lease(struct account *account, const struct requests *requests,
                             const struct seen_request *grant, int64_t until_ns)
{
    const struct hold *hold = &account->digest->holds[account->holds[0]];
    for (size_t i = 0; i < requests->count; i++) {
        const struct seen_request *request = &requests->items[i];
        bool is_later = request->key == grant->key && request->client == hold->client &&
                        request != grant && request->phase != PHASE_RELEASE &&
                        request->answered_ns >= grant->answered_ns && request->sent_ns <= until_ns;
        if (is_later && ((request->words & REQUEST_COMPARES) != 0 || request_prolongs(request) ||
                         request_overwrites(request)))
            return false;
    }
    if ((grant->words & REQUEST_UNTIL) != 0) {
        account_conclude(account, ROOT_CLOCK, true);
    } else {
        int64_t ends_ns = grant->sent_ns + grant->ttl_ms * NS_PER_MS;
        int64_t drift_ns = allowed_drift_ns(grant->ttl_ms * NS_PER_MS);
        if (grant->ttl_ms == 0 || ends_ns > until_ns || hold->valid_until_ns <= ends_ns + drift_ns)
            return false;
        account_conclude(account, ROOT_COUNTED_LATE, true);
    }
    account->request = *grant;
    return true;
}

// Brings the two into the order in which the server granted it to them.
static void order_by_grants(struct account *account, const struct requests *requests)
{
    const struct digest *digest = account->digest;
    const struct hold *second = &digest->holds[account->holds[1]];
    const struct seen_request *one =
        request_of_grant(digest, requests, &digest->holds[account->holds[0]]).request;
    const struct seen_request *other = request_of_grant(digest, requests, second).request;
    if (one == NULL || other == NULL || other->answered_ns > one->sent_ns)
        return;
    account->holds[1] = account->holds[0];
    account->holds[0] = (size_t)(second - digest->holds);
}

static bool find_in_requests(struct account *account, const struct requests *requests,
                             int64_t until_ns)
{
    const struct digest *digest = account->digest;
    bool has_other = account->holds[1] != SIZE_MAX;
    if ((has_other && find_false_grant(account, requests, 1)) ||
        find_false_grant(account, requests, 0))
        return true;
    if (has_other) {
        order_by_grants(account, requests);
        until_ns = digest->holds[account->holds[1]].granted_ns;
    }
    const struct hold *hold = &digest->holds[account->holds[0]];
    struct grant_seen seen = request_of_grant(digest, requests, hold);
    if (seen.proof != GRANT_GIVEN)
        return false;
    const struct seen_request *remover =
        request_that_removed(requests, seen.request, hold, until_ns);
    if (remover != NULL) {
        bool by_value = (remover->words & REQUEST_COMPARES) != 0;
        account_conclude(account,
                         by_value                   ? ROOT_SAME_VALUE
                         : request_deletes(remover) ? ROOT_REMOVED
                                                    : ROOT_OVERWRITTEN,
                         remover->sent_ns >= seen.request->answered_ns &&
                             remover->answered_ns <= until_ns);
        account->culprit = hold_released_by(digest, remover);
        account->request = *remover;
        account->before = sent_before(requests, remover);
        return true;
    }
    const struct seen_request *renewal =
        has_other ? renewal_unchecked(requests, seen.request->key, hold->client, true, until_ns)
                  : NULL;
    if (renewal != NULL) {
        account_conclude(account, ROOT_RENEWED_OTHER, true);
        account->request = *renewal;
        return true;
    }
    return find_short_lease(account, requests, seen.request, until_ns);
}

// Two holds at once, or one whose lock vanished, by what the proxies saw.
bool account_find_by_wire(struct account *account, int64_t until_ns)
{
    const struct digest *digest = account->digest;
    const struct hold *hold = &digest->holds[account->holds[0]];
    struct requests requests;
    int64_t from_ns = hold->invoked_ns;
    int64_t to_ns = until_ns;
    if (digest->trial->foreign == NULL || digest->history == NULL)
        return false;
    if (account->holds[1] != SIZE_MAX) {
        const struct hold *other = &digest->holds[account->holds[1]];
        from_ns = time_earlier(from_ns, other->invoked_ns);
        to_ns = time_later(to_ns, time_earlier(hold->released_ns, other->released_ns));
    }
    requests_between(digest, from_ns, to_ns, &requests);
    bool found = find_in_requests(account, &requests, until_ns);
    requests_free(&requests);
    return found;
}
