#include "harness/wire/striker.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/cluster/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Less than the schedule waits for a fault's end.
#define ANSWER_NS (25 * NS_PER_S)

// Less than who launched an agent is patient, and more than it takes an agent to tidy up.
#define END_NS (5 * NS_PER_S)
#define LOOK_EVERY_NS NS_PER_MS

int striker_start(struct striker *striker, const struct agent_address *address, const char *verb,
                  const char *log_path, struct error *error)
{
    int to[2], from[2];
    const char *slash = strrchr(log_path, '/');
    AUTO_LIST struct string_list command = {0};
    agent_command(address, verb, &command);
    *striker = (struct striker){0};
    snprintf(striker->log, sizeof striker->log, "%s", slash != NULL ? slash + 1 : log_path);
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        return error_set(error, "cannot make a pipe: %s", strerror(errno));
    const struct process_settings settings = {.arguments = (const char *const *)command.items,
                                              .log_path = log_path,
                                              .streams = (const int[]){to[0], from[1]},
                                              .network_namespace = -1,
                                              .processor = -1};
    striker->to = to[1];
    striker->from = from[0];
    striker->process = process_start(&settings, error);
    close(to[0]);
    close(from[1]);
    fcntl(from[0], F_SETFL, O_NONBLOCK);
    if (striker->process > 0)
        return 0;
    return error_wrap(error, "no agent was launched on host %s", address->host);
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

bool striker_tell(struct striker *striker, const char *line)
{
    striker->asked++;
    return write(striker->to, line, strlen(line)) == (ssize_t)strlen(line);
}

int striker_ask(struct striker *striker, struct strike_question *question, const char *line,
                int64_t *came_of_it, struct error *error)
{
    bool is_open = hear(striker);
    int64_t now_ns = clock_monotonic_ns();
    if (question->number == 0 && striker->asked == striker->answered && is_open) {
        is_open = striker_tell(striker, line);
        *question = (struct strike_question){striker->asked, now_ns};
    }
    const char *answer = question->number > 0 && striker->answered >= question->number
                             ? striker->answers[question->number % 2]
                             : NULL;
    bool is_late = question->number > 0 && now_ns - question->asked_ns > ANSWER_NS;
    if (answer == NULL && is_open && !is_late)
        return 1;
    question->number = 0;
    if (answer != NULL && sscanf(answer, AGENT_HAS_STRUCK " %" SCNd64, came_of_it) == 1)
        return 0;
    errno = 0;
    return error_set(error, "the agent to %.*s %s %s%.200s (%s)", (int)strcspn(line, " \n"), line,
                     striker->whom,
                     answer != NULL ? "says: "
                     : is_late      ? "did not answer within 25 s"
                                    : "has ended",
                     answer != NULL ? answer : "", striker->log);
}

const char *striker_await(struct striker *striker, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + ANSWER_NS;
    bool is_open = hear(striker);
    while (striker->answered < striker->asked && is_open && clock_monotonic_ns() < give_up_ns) {
        struct pollfd answer = {.fd = striker->from, .events = POLLIN};
        poll(&answer, 1, (int)(ANSWER_NS / NS_PER_MS / 10));
        is_open = hear(striker);
    }
    if (striker->answered == striker->asked)
        return striker->answers[striker->answered % 2];
    error_set(error, "%s", is_open ? "did not answer within 25 s" : "has ended");
    return NULL;
}

void strikers_end(struct striker *const *strikers, size_t count)
{
    int64_t give_up_ns = clock_monotonic_ns() + END_NS;
    for (size_t i = 0; i < count; i++) {
        if (strikers[i]->to > 0)
            close(strikers[i]->to);
        if (strikers[i]->from > 0)
            close(strikers[i]->from);
    }
    for (size_t i = 0; i < count; i++) {
        struct striker *striker = strikers[i];
        while (striker->process > 0 && striker->is_prepared && clock_monotonic_ns() < give_up_ns) {
            if (waitpid(striker->process, NULL, WNOHANG) != 0)
                striker->process = 0;
            else
                clock_sleep_until_ns(clock_monotonic_ns() + LOOK_EVERY_NS);
        }
        process_kill(striker->process);
        *striker = (struct striker){0};
    }
}
