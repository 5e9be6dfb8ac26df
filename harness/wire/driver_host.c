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

// No two machines' clocks go at rates that differ by more than one part in so many: they are slewed
// by half of that at most.
#define RATE_SHARE 1000
#define SLACK_NS NS_PER_MS

void driver_host_open(struct driver *driver)
{
    const struct driver_settings *settings = &driver->settings;
    struct driver_host *host = &driver->host;
    host->address = agent_address_of(settings->external_client, settings->tag, settings->client);
    if (host->address.host == NULL || settings->history == NULL)
        return;
    history_writer_start(&host->writer, settings->history, 0, WORKER_OF_HOST(settings->client));
    host->pulse = (struct pulse){.whose = {.of = STALLED_DRIVER, .number = settings->client},
                                 .writer = &host->writer};
}

void driver_host_close(struct driver *driver)
{
    struct driver_host *host = &driver->host;
    struct percentiles took;
    percentiles_make(host->pulse.round_trips, host->pulse.count, &took);
    if (host->pulse.count > 0 && driver->settings.history != NULL)
        history_append(&host->writer,
                       (struct event){.kind = EVENT_ROUND_TRIP,
                                      .round_trip = {.number = driver->settings.client,
                                                     .p50_ns = took.ns[PERCENTILE_p50],
                                                     .most_ns = took.ns[PERCENTILE_max],
                                                     .count = (int64_t)host->pulse.count}});
    free(host->pulse.round_trips);
}

// --- whether it lives ----------------------------------------------------------------------------

static void hear_pong(struct driver_host *host, int64_t number, enum process_way way)
{
    if (number != host->ping || host->pulse.asked_ns == 0)
        return;
    pulse_hear(&host->pulse, way);
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
            hear_pong(host, number, way);
        return is_pong;
    }
    host->has_answered = true;
    if (agent_read_answer(line, length, host->address.host, &error) != 0)
        driver_fail(driver, "was not started: %s", error.text);
    return true;
}

int driver_host_look(struct driver *driver)
{
    char ping[48];
    struct driver_process *process = &driver->process;
    struct driver_host *host = &driver->host;
    if (!host->has_answered)
        return -1;
    if (pulse_look(&host->pulse) && pthread_mutex_trylock(&process->sending) == 0) {
        // As short as it is, a pipe takes all of it or nothing.
        int length = snprintf(ping, sizeof ping, "{\"ping\": %" PRId64 "}\n", host->ping + 1);
        if (write(process->input, ping, (size_t)length) == length) {
            pulse_asked(&host->pulse);
            host->ping++;
        }
        pthread_mutex_unlock(&process->sending);
    }
    return PULSE_LOOK_MS;
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
