// Whose slot of a Redis Cluster the lock is in.
#include "harness/cluster/redis_control_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The slots of a node are the numbers and ranges behind the eighth word of its line.
static bool has_slot(const char *line, int slot)
{
    int blanks = 0;
    for (const char *next = line; *next != '\0' && *next != '\n'; next++) {
        int first;
        int last;
        if (*next != ' ' || ++blanks < 8)
            continue;
        int numbers = sscanf(next + 1, "%d-%d", &first, &last);
        if (numbers >= 1 && slot >= first && slot <= (numbers == 2 ? last : first))
            return true;
    }
    return false;
}

// The beginning of the line that `here` is in.
static const char *line_of(const char *text, const char *here)
{
    while (here > text && here[-1] != '\n')
        here--;
    return here;
}

static int owns_now(struct redis_link *link, const struct lock_identity *lock, struct error *error)
{
    redisReply *slot = redis_link_ask(link, error, "CLUSTER KEYSLOT %s", lock->name);
    redisReply *nodes = slot != NULL ? redis_link_ask(link, error, "CLUSTER NODES") : NULL;
    int result = -1;
    if (nodes != NULL && nodes->type == REDIS_REPLY_STRING && slot->type == REDIS_REPLY_INTEGER) {
        const char *self = strstr(nodes->str, "myself,");
        result = self != NULL && has_slot(line_of(nodes->str, self), (int)slot->integer);
    } else if (nodes != NULL) {
        error_set(error, "%s does not say which slots it has", link->node->name);
    }
    freeReplyObject(nodes);
    freeReplyObject(slot);
    return result;
}

int redis_owns(const struct node *node, const struct lock_identity *lock, struct error *error)
{
    struct redis_link link;
    if (!redis_in_cluster(node))
        return 1;
    if (redis_link_open(&link, node, error) != 0)
        return -1;
    int result = owns_now(&link, lock, error);
    redis_link_close(&link);
    return result;
}
