#include "harness/cluster/redis_control_link.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/cluster/topology.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define LIMIT_NS NS_PER_S

static struct timeval time_left(const struct redis_link *link)
{
    int64_t left_ns = link->give_up_ns - clock_monotonic_ns();
    if (left_ns < NS_PER_MS)
        left_ns = NS_PER_MS; // none at all would be for ever
    return (struct timeval){.tv_sec = left_ns / NS_PER_S,
                            .tv_usec = left_ns % NS_PER_S / NS_PER_US};
}

int redis_link_open(struct redis_link *link, const struct node *node, struct error *error)
{
    *link = (struct redis_link){.node = node, .give_up_ns = clock_monotonic_ns() + LIMIT_NS};
    link->context = redisConnectWithTimeout(node->end.address, node->port, time_left(link));
    if (link->context != NULL && link->context->err == 0)
        return 0;
    error_set(error, "cannot connect to %s on %s:%d: %s", node->name, node->end.address, node->port,
              link->context != NULL ? link->context->errstr : "out of memory");
    redis_link_close(link);
    return -1;
}

void redis_link_close(struct redis_link *link)
{
    if (link->context != NULL)
        redisFree(link->context);
    link->context = NULL;
}

redisReply *redis_link_next(struct redis_link *link, struct error *error)
{
    void *reply = NULL;
    const struct node *node = link->node;
    redisSetTimeout(link->context, time_left(link));
    if (redisGetReply(link->context, &reply) == REDIS_OK)
        return reply;
    error_set(error, "%s on %s:%d does not answer: %s", node->name, node->end.address, node->port,
              link->context->errstr);
    return NULL;
}

static redisReply *ask(struct redis_link *link, struct error *error, const char *format,
                       va_list arguments)
{
    if (redisvAppendCommand(link->context, format, arguments) == REDIS_OK)
        return redis_link_next(link, error);
    error_set(error, "cannot write a request '%s': %s", format, link->context->errstr);
    return NULL;
}

redisReply *redis_link_ask(struct redis_link *link, struct error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    redisReply *reply = ask(link, error, format, arguments);
    va_end(arguments);
    return reply;
}

int redis_link_tell(struct redis_link *link, struct error *error, const char *format, ...)
{
    va_list arguments;
    char request[160];
    va_start(arguments, format);
    redisReply *reply = ask(link, error, format, arguments);
    va_end(arguments);
    if (reply == NULL)
        return -1;
    va_start(arguments, format);
    vsnprintf(request, sizeof request, format, arguments);
    va_end(arguments);
    int result = redis_is_error(reply, "") ? redis_unexpected(link, request, reply, error) : 0;
    freeReplyObject(reply);
    return result;
}

bool redis_is_error(const redisReply *reply, const char *word)
{
    return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, word, strlen(word)) == 0;
}

int redis_unexpected(const struct redis_link *link, const char *request, const redisReply *reply,
                     struct error *error)
{
    const struct node *node = link->node;
    char number[32];
    snprintf(number, sizeof number, "%lld", reply->integer);
    return error_set(error, "%s on %s:%d answers '%.300s' to %s", node->name, node->end.address,
                     node->port, reply->str != NULL ? reply->str : number, request);
}

int redis_info_number(struct redis_link *link, const char *section, const char *field,
                      long long *number, struct error *error)
{
    char wanted[64];
    redisReply *reply = redis_link_ask(link, error, "INFO %s", section);
    if (reply == NULL)
        return -1;
    snprintf(wanted, sizeof wanted, "\n%s:", field);
    const char *found = reply->str != NULL ? strstr(reply->str, wanted) : NULL;
    if (found != NULL)
        *number = strtoll(found + strlen(wanted), NULL, 10);
    else
        error_set(error, "%s does not tell its %s", link->node->name, field);
    freeReplyObject(reply);
    return found != NULL ? 0 : -1;
}

int redis_is_master(struct redis_link *link, struct error *error)
{
    redisReply *reply = redis_link_ask(link, error, "ROLE");
    if (reply == NULL)
        return -1;
    int result;
    if (reply->type == REDIS_REPLY_ARRAY && reply->elements > 0 && reply->element[0]->str != NULL)
        result = strcmp(reply->element[0]->str, "master") == 0;
    else
        result = redis_unexpected(link, "ROLE", reply, error);
    freeReplyObject(reply);
    return result;
}

bool redis_in_cluster(const struct node *node)
{
    return strcmp(node->group->settings.topology->name, "cluster") == 0;
}
