#include "harness/wire/driver_parts.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PING_EVERY_NS (50 * NS_PER_MS)
// Who looks so much later than it was to has stood still itself.
#define LATE_NS (100 * NS_PER_MS)
// No two machines' clocks go at rates that differ by more than one part in so many: they are slewed
// by half of that at most.
#define RATE_SHARE 1000
#define SLACK_NS NS_PER_MS

void driver_host_open(struct driver *driver)
{
    const struct driver_settings *settings = &driver->settings;
    struct driver_host *host = &driver->host;
    host->address = agent_address_of(settings->external_client, settings->tag, settings->client);
    if (host->address.host != NULL && settings->history != NULL)
        history_writer_start(&host->writer, settings->history, 0, WORKER_OF_HOST(settings->client));
}

void driver_host_close(struct driver *driver)
{
    struct driver_host *host = &driver->host;
    struct percentiles took;
    percentiles_make(host->round_trips, host->count, &took);
    if (host->count > 0 && driver->settings.history != NULL)
        history_append(&host->writer,
                       (struct event){.kind = EVENT_ROUND_TRIP,
                                      .round_trip = {.number = driver->settings.client,
                                                     .p50_ns = took.ns[PERCENTILE_p50],
                                                     .most_ns = took.ns[PERCENTILE_max],
                                                     .count = (int64_t)host->count}});
    free(host->round_trips);
}

// --- whether it lives ----------------------------------------------------------------------------

static void record_stall(struct driver *driver, int64_t to_ns)
{
    struct driver_host *host = &driver->host;
    const struct stall stall = {.from_ns = host->heard_ns,
                                .to_ns = to_ns,
                                .of = STALLED_DRIVER,
                                .number = driver->settings.client};
    if (driver->settings.history != NULL)
        history_append(&host->writer, stall_event(&stall));
}

static void hear_pong(struct driver *driver, int64_t number, enum process_way way)
{
    struct driver_host *host = &driver->host;
    int64_t now_ns = clock_monotonic_ns();
    if (number != host->ping || host->asked_ns == 0)
        return;
    int64_t took_ns = now_ns - host->asked_ns;
    // How long the way is the first one cannot tell: it may have stood still itself.
    bool is_first = host->count == 0;
    host->least_ns = is_first ? took_ns : time_earlier(host->least_ns, took_ns);
    *APPEND(host->round_trips, host->count, host->room) = took_ns;
    if (took_ns - (is_first ? 0 : host->least_ns) >= PROCESS_STALL_NS ||
        (way == PROCESS_STOOD_STILL && !host->stood_still))
        record_stall(driver, now_ns);
    host->stood_still = false;
    host->heard_ns = now_ns;
    host->asked_ns = 0;
    atomic_store(&host->way, way);
}

bool driver_host_hear(struct driver *driver, const char *line, size_t length)
{
    struct driver_host *host = &driver->host;
    struct error error = {0};
    int64_t number;
    enum process_way way;
    if (host->address.host == NULL)
        return false;
    if (host->has_answered) {
        bool is_pong = agent_read_pong(line, length, &number, &way);
        if (is_pong)
            hear_pong(driver, number, way);
        return is_pong;
    }
    host->has_answered = true;
    host->heard_ns = clock_monotonic_ns();
    if (agent_read_answer(line, length, host->address.host, &error) != 0)
        driver_fail(driver, "was not started: %s", error.text);
    return true;
}

int driver_host_look(struct driver *driver)
{
    char ping[48];
    struct driver_process *process = &driver->process;
    struct driver_host *host = &driver->host;
    int64_t now_ns = clock_monotonic_ns();
    if (!host->has_answered)
        return -1;
    if (host->looked_ns != 0 && now_ns - host->looked_ns > PING_EVERY_NS + LATE_NS) {
        host->stood_still = true;
        host->asked_ns = 0;
        host->heard_ns = now_ns;
    }
    host->looked_ns = now_ns;
    if (host->asked_ns != 0 && now_ns - host->heard_ns >= STALL_PIECE_NS) {
        record_stall(driver, now_ns);
        host->heard_ns = now_ns;
    }
    if (host->asked_ns == 0 && now_ns - host->heard_ns >= PING_EVERY_NS &&
        pthread_mutex_trylock(&process->sending) == 0) {
        // As short as it is, a pipe takes all of it or nothing.
        int length = snprintf(ping, sizeof ping, "{\"ping\": %" PRId64 "}\n", host->ping + 1);
        if (write(process->input, ping, (size_t)length) == length) {
            host->asked_ns = now_ns;
            host->ping++;
        }
        pthread_mutex_unlock(&process->sending);
    }
    return (int)(PING_EVERY_NS / 2 / NS_PER_MS);
}

// --- times ---------------------------------------------------------------------------------------

// Of times by another clock only differences mean anything: they must lie within the call, and the
// call within the time for which we waited for its answer.
bool driver_host_times_make_sense(const struct driver_line *line, int64_t waited_ns)
{
    return line->from_ns <= line->to_ns &&
           line->to_ns - line->from_ns <= waited_ns + waited_ns / RATE_SHARE + SLACK_NS &&
           (line->request_ns == 0 || line->from_ns == 0 ||
            (line->request_ns >= line->from_ns && line->request_ns <= line->to_ns));
}

// The call began after it was asked for: so much later than it began, the lease began at the
// earliest.
int64_t driver_host_lease_ns(const struct driver_line *line, int64_t asked_ns, int64_t lease_ns)
{
    int64_t after_ns = 0;
    bool says_call = line->from_ns > 0;
    int64_t valid_ns = time_earlier(line->valid_ms, lease_ns / NS_PER_MS) * NS_PER_MS;
    int64_t left_ns =
        time_earlier(time_later(line->valid_until_ns - line->to_ns, -lease_ns), lease_ns);
    if (says_call && line->valid_until_ns > 0)
        after_ns = left_ns + line->to_ns - line->from_ns - lease_ns;
    else if (line->valid_until_ns > 0)
        after_ns = -lease_ns;
    else if (line->valid_ms >= 0)
        after_ns = valid_ns + line->to_ns - line->from_ns - lease_ns;
    else if (says_call && line->request_ns > 0)
        after_ns = line->request_ns - line->from_ns;
    return asked_ns + after_ns - llabs(after_ns) / RATE_SHARE;
}
