#include "faults/fault.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/cluster/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Less than the schedule waits for a fault's end.
#define ANSWER_NS (25 * NS_PER_S)

static bool is_struck(const struct fault_environment *environment, int client)
{
    bool is = false;
    const struct scenario *scenario = environment->scenario;
    for (size_t i = 0; i < scenario->fault_count; i++)
        is |= scenario->faults[i].target.client == client && scenario->faults[i].target.worker == 0;
    return is;
}

static int start(struct fault_client *client, const char *log_path, struct error *error)
{
    int to[2], from[2];
    AUTO_LIST struct string_list command = {0};
    agent_command(&client->driver, "strike", &command);
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return error_set(error, "cannot make a pipe: %s", strerror(errno));
    const struct process_settings settings = {.arguments = (const char *const *)command.items,
                                              .log_path = log_path,
                                              .streams = (const int[]){to[0], from[1]},
                                              .network_namespace = -1,
                                              .processor = -1};
    client->striker = (struct striker){.to = to[1], .from = from[0]};
    client->striker.process = process_start(&settings, error);
    close(to[0]);
    close(from[1]);
    fcntl(from[0], F_SETFL, O_NONBLOCK);
    if (client->striker.process > 0)
        return 0;
    return error_wrap(error, "no agent was launched on host %s", client->driver.host);
}

int strikers_start(const struct fault_environment *environment, struct error *error)
{
    for (int i = 0; i < environment->client_count; i++) {
        struct fault_client *client = &environment->clients[i];
        AUTO_FREE char *log =
            text_formatted("%s/striker-of-client-%d.log", environment->folder, i + 1);
        if (client->driver.host != NULL && is_struck(environment, i + 1) &&
            start(client, log, error) != 0)
            return -1;
    }
    return 0;
}

void strikers_stop(const struct fault_environment *environment)
{
    for (int i = 0; i < environment->client_count; i++) {
        struct striker *striker = &environment->clients[i].striker;
        if (striker->to > 0)
            close(striker->to);
        if (striker->from > 0)
            close(striker->from);
        process_kill(striker->process);
        *striker = (struct striker){0};
    }
}

// Reads what has come. False if nothing more will.
static bool hear(struct striker *striker)
{
    for (;;) {
        char byte;
        ssize_t got = read(striker->from, &byte, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && errno == EAGAIN;
        if (byte != '\n') {
            if (striker->length < sizeof striker->heard - 1)
                striker->heard[striker->length++] = byte;
            continue;
        }
        striker->heard[striker->length] = '\0';
        striker->length = 0;
        striker->answered++;
        memcpy(striker->answers[striker->answered % 2], striker->heard, sizeof striker->heard);
    }
}

enum strike_state strike_elsewhere(struct fault_strike *strike, int what, struct error *error)
{
    struct fault_client *client = strike->client;
    struct striker *striker = &client->striker;
    const char *verb = agent_strikes[what];
    bool is_open = hear(striker);
    int64_t now_ns = clock_monotonic_ns();
    if (strike->question == 0 && striker->asked == striker->answered && is_open) {
        AUTO_FREE char *line = text_formatted("%s\n", verb);
        strike->acted_ns = now_ns;
        strike->question = ++striker->asked;
        is_open = write(striker->to, line, strlen(line)) == (ssize_t)strlen(line);
    }
    const char *answer = strike->question > 0 && striker->answered >= strike->question
                             ? striker->answers[strike->question % 2]
                             : NULL;
    bool is_late = strike->question > 0 && now_ns - strike->acted_ns > ANSWER_NS;
    if (answer == NULL && is_open && !is_late)
        return STRIKE_PENDING;
    strike->question = 0;
    if (answer != NULL && strcmp(answer, AGENT_HAS_STRUCK) == 0)
        return STRIKE_IN_EFFECT;
    errno = 0;
    return error_set(error,
                     "the agent to %s its driver on host %s %s%.200s (striker-of-client-%d.log)",
                     verb, client->driver.host,
                     answer != NULL ? "says: "
                     : is_late      ? "did not answer within 25 s"
                                    : "has ended",
                     answer != NULL ? answer : "", strike->instance->target.client);
}
