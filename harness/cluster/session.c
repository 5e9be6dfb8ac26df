#include "harness/cluster/session.h"

#include "harness/base/scope.h"
#include "harness/cluster/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_NS (3 * NS_PER_MS)
#define LAST_NS (50 * NS_PER_MS) // so much is left for an answer after the last pause

int session_open(struct session *session, const struct node *node, const char *account, int limit_s,
                 struct error *error)
{
    char name[56];
    struct endpoint endpoint = {.port = node->port};
    snprintf(endpoint.host, sizeof endpoint.host, "%s", node->end.address);
    snprintf(name, sizeof name, "%s on", node->name);
    *session = (struct session){.node = node,
                                .error = error,
                                .peer = peer_at(&endpoint, name, limit_s * NS_PER_S),
                                .account = account,
                                .descriptor = -1};
    int result = node->kind->open != NULL ? node->kind->open(session) : 0;
    if (result != 0)
        session_close(session);
    return result;
}

void session_close(struct session *session)
{
    if (session->client != NULL)
        session->node->kind->close(session);
    free(session->client);
    text_free(&session->answer);
    *session = (struct session){.descriptor = -1};
}

int session_converse(struct session *session, const void *request, size_t length)
{
    int descriptor = peer_connect(&session->peer, session->error);
    if (descriptor < 0)
        return -1;
    int result = peer_send(&session->peer, descriptor, request, length, session->error);
    while (result == 0)
        result = peer_receive(&session->peer, descriptor, &session->answer, session->error);
    close(descriptor);
    return result > 0 ? 0 : -1;
}

static int ask(struct session *session, const char *format, va_list arguments)
{
    AUTO_FREE char *request = NULL;
    if (vasprintf(&request, format, arguments) < 0)
        memory_give_up();
    text_free(&session->answer);
    session->answer = (struct text){0};
    return session->node->kind->ask(session, request);
}

int session_ask(struct session *session, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = ask(session, format, arguments);
    va_end(arguments);
    return result;
}

int session_tell(struct session *session, const char *const *requests)
{
    int result = 0;
    for (; result == 0 && *requests != NULL; requests++)
        result = session_ask(session, "%s", *requests);
    return result;
}

int session_ask_lines(struct session *session, const char *lines, struct text *answers)
{
    AUTO_FREE char *requests = memory_string(lines);
    char *rest = NULL;
    for (char *line = strtok_r(requests, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (session_ask(session, "%s", line) != 0)
            return -1;
        if (answers != NULL)
            text_format(answers, "%s;\n", text_string(&session->answer));
    }
    return 0;
}

int session_is_so(struct session *session, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = ask(session, format, arguments);
    va_end(arguments);
    const char *answer = text_string(&session->answer);
    return result != 0 ? -1 : answer[0] == 't' || strtoll(answer, NULL, 10) != 0;
}

bool session_answered(const struct session *session, const char *beginning)
{
    return strncmp(text_string(&session->answer), beginning, strlen(beginning)) == 0;
}

bool session_has(const struct session *session, const char *part)
{
    return strstr(text_string(&session->answer), part) != NULL;
}

int session_unexpected(const struct session *session, const char *answer, const char *request)
{
    return peer_unexpected(&session->peer, answer, request, session->error);
}

bool session_pause(const struct session *session, const char *what)
{
    if (peer_left_ns(&session->peer) > LAST_NS) {
        clock_sleep_until_ns(clock_monotonic_ns() + PAUSE_NS);
        return true;
    }
    if (what != NULL)
        error_set(session->error, "after a second it is not yet so that %s", what);
    return false;
}

int server_ask(const struct node *node, const char *request, struct text *answer,
               struct error *error)
{
    AUTO_CLOSE struct session session = {0};
    if (session_open(&session, node, NULL, SESSION_PATIENCE_S, error) != 0)
        return -1;
    int result = session_ask(&session, "%s", request);
    text_add(answer, text_string(&session.answer));
    return result;
}

int server_tell(const struct node *node, const char *const *requests, struct error *error)
{
    AUTO_CLOSE struct session session = {0};
    return session_open(&session, node, NULL, SESSION_PATIENCE_S, error) != 0
               ? -1
               : session_tell(&session, requests);
}

bool node_says(const struct node *node, const char *request, const char *wanted)
{
    AUTO_CLOSE struct session session = {0};
    return session_open(&session, node, NULL, SESSION_LIMIT_S, NULL) == 0 &&
           session_ask(&session, "%s", request) == 0 && session_has(&session, wanted);
}
