// A driver's relay: whose requests they are that pass it, and what follows for whoever waits.
#include "harness/wire/driver_relay.h"

#include "harness/base/futex.h"
#include "harness/base/text.h"
#include "harness/wire/driver_inside.h"

#include <stdlib.h>

// Shorter ones are no stops: nobody held the request.
#define STOP_NS NS_PER_MS
// Stops that follow each other within that time are one: an attempt may be older than all of them.
#define TOGETHER_NS (100 * NS_PER_MS)
// The network, or the server, is to blame for the time that a reply takes longer.
#define SLOW_NS (25 * NS_PER_MS)
// The next request of an attempt follows within that time.
#define NEXT_NS (2 * NS_PER_MS)

static enum phase phase_of(enum driver_ask ask)
{
    static const enum phase phases[] = {[DRIVER_ACQUIRE] = PHASE_ACQUIRE,
                                        [DRIVER_RELEASE] = PHASE_RELEASE,
                                        [DRIVER_RENEW] = PHASE_RENEW,
                                        [DRIVER_MEASURE] = PHASE_NONE};
    return phases[ask];
}

// True if another worker holds a lock that its library renews by itself, in the background.
static bool others_are_renewed(const struct driver *driver, int worker)
{
    const char *const *traits = driver->settings.foreign->traits;
    const struct driver_hold *hold = driver->holds;
    while (hold != NULL && (!hold->held || hold->worker == worker))
        hold = hold->next;
    return hold != NULL && traits != NULL && text_is_one_of("renewed", traits);
}

// What the driver is busy with when it sends something is what it sends it for: with one request
// under way, that of its worker; with several of one kind, at least their phase is known.
static void ask(void *context, struct tap_request *request)
{
    struct driver *driver = context;
    pthread_mutex_lock(&driver->mutex);
    struct pending *first = driver->pending;
    bool is_alike = first != NULL;
    for (const struct pending *each = first; each != NULL; each = each->next)
        is_alike = is_alike && each->ask == first->ask;
    request->asked_ns = clock_monotonic_ns();
    request->phase = is_alike ? phase_of(first->ask) : PHASE_NONE;
    request->worker = is_alike && first->next == NULL ? first->worker : 0;
    request->is_certain = request->worker != 0 && !others_are_renewed(driver, request->worker);
    for (struct pending *each = first; each != NULL && !request->is_certain; each = each->next) {
        if (each->doubtful_ns == 0)
            each->doubtful_ns = request->asked_ns;
    }
    if (is_alike)
        first->commands++;
    for (struct pending *each = first; each != NULL && !is_alike; each = each->next)
        each->is_uncounted = true;
    pthread_mutex_unlock(&driver->mutex);
}

// The driver is told the reply to a request that was certainly that worker's. It was still asking
// then, so that what it may have sent before has not been granted.
static void tell(struct driver *driver, const struct tap_request *request, int64_t now_ns)
{
    pthread_mutex_lock(&driver->mutex);
    for (struct pending *each = driver->pending; each != NULL; each = each->next) {
        if (!request->is_certain || each->worker != request->worker)
            continue;
        each->told_ns = now_ns;
        if (each->doubtful_ns < request->asked_ns)
            each->doubtful_ns = 0;
    }
    pthread_mutex_unlock(&driver->mutex);
}

static void note_reply(void *context, const struct tap_request *request)
{
    struct driver *driver = context;
    struct driver_stops *stops = &driver->stops;
    int64_t now_ns = clock_monotonic_ns();
    tell(driver, request, now_ns);
    pthread_mutex_lock(&stops->mutex);
    if (now_ns - request->asked_ns >= SLOW_NS) {
        bool is_next = request->asked_ns - stops->replied_ns < NEXT_NS;
        stops->asked_ns =
            is_next ? time_earlier(stops->asked_ns, request->asked_ns) : request->asked_ns;
        stops->replied_ns = now_ns;
    }
    pthread_mutex_unlock(&stops->mutex);
}

// A notification ends the wait of the one acquire that is under way; of several it is not known
// whose.
static void note_notices(void *context, int64_t count)
{
    struct driver *driver = context;
    struct pending *first = NULL;
    int waiting = 0;
    pthread_mutex_lock(&driver->mutex);
    for (struct pending *each = driver->pending; each != NULL; each = each->next) {
        if (each->ask != DRIVER_ACQUIRE)
            continue;
        waiting++;
        first = each;
    }
    if (first != NULL && (count < 0 || waiting > 1))
        first->are_wakeups_uncounted = true;
    else if (first != NULL)
        first->wakeups += count;
    pthread_mutex_unlock(&driver->mutex);
}

static void count_stop(struct driver_stops *stops, bool begins, int64_t now_ns)
{
    pthread_mutex_lock(&stops->mutex);
    if (begins && stops->under_way++ == 0)
        stops->began_ns = now_ns;
    if (!begins && --stops->under_way == 0 && now_ns - stops->began_ns > STOP_NS) {
        if (stops->began_ns - stops->until_ns > TOGETHER_NS)
            stops->from_ns = stops->began_ns;
        stops->until_ns = now_ns;
    }
    pthread_mutex_unlock(&stops->mutex);
}

static void stop(void *context, const struct tap_request *request, bool begins)
{
    struct driver *driver = context;
    int64_t now_ns = clock_monotonic_ns();
    count_stop(&driver->stops, begins, now_ns);
    if (!begins)
        tell(driver, request, now_ns);
    _Atomic uint32_t *word = &driver->stops.of_workers[request->worker];
    if (begins)
        atomic_fetch_add(word, 1);
    else if (atomic_fetch_sub(word, 1) == 1)
        futex_wake_all(word);
}

int driver_relay_start(struct driver *driver, struct error *error)
{
    const struct driver_settings *settings = &driver->settings;
    const struct service *service = settings->service;
    if (!settings->has_relay || service == NULL)
        return 0;
    pthread_mutex_init(&driver->stops.mutex, NULL);
    size_t workers = (size_t)settings->workers + 1; // 0: not known
    driver->stops.of_workers = memory_zeroed(workers, sizeof *driver->stops.of_workers);
    const struct relay_settings relay = {.service = service,
                                         .client = settings->client,
                                         .board = settings->board,
                                         .history = settings->history,
                                         .ask = ask,
                                         .replied = note_reply,
                                         .noticed = note_notices,
                                         .stop = stop,
                                         .context = driver};
    driver->relay = relay_start(&relay, error);
    return driver->relay != NULL ? 0 : -1;
}

void driver_relay_stop(struct driver *driver)
{
    relay_stop(driver->relay);
    if (driver->stops.of_workers == NULL)
        return;
    pthread_mutex_destroy(&driver->stops.mutex);
    free(driver->stops.of_workers);
}

bool driver_relay_stops(struct driver *driver, int64_t *since_ns)
{
    struct driver_stops *stops = &driver->stops;
    if (driver->relay == NULL)
        return false;
    pthread_mutex_lock(&stops->mutex);
    bool is_now = stops->under_way > 0;
    int64_t from_ns = stops->from_ns;
    int64_t until_ns = stops->until_ns;
    if (is_now && stops->began_ns - until_ns > TOGETHER_NS)
        from_ns = stops->began_ns;
    pthread_mutex_unlock(&stops->mutex);
    if (is_now || until_ns > *since_ns)
        *since_ns = time_earlier(*since_ns, from_ns);
    return is_now;
}

void driver_relay_slowness(struct driver *driver, int64_t *since_ns)
{
    struct driver_stops *stops = &driver->stops;
    if (driver->relay == NULL)
        return;
    pthread_mutex_lock(&stops->mutex);
    if (stops->replied_ns > *since_ns)
        *since_ns = time_earlier(*since_ns, stops->asked_ns);
    pthread_mutex_unlock(&stops->mutex);
}

void driver_relay_await(struct driver *driver, int worker)
{
    if (driver->relay == NULL)
        return;
    _Atomic uint32_t *word = &driver->stops.of_workers[worker];
    for (uint32_t count; (count = atomic_load(word)) != 0;)
        futex_wait_until_ns(word, count, TIME_NEVER);
}
