#include "harness/cluster/zookeeper_control.h"

#include "harness/base/file.h"
#include "harness/cluster/zookeeper_control_link.h"
#include "harness/cluster/zookeeper_server.h"

#include <stdlib.h>
#include <string.h>

int zookeeper_ask_serving(const struct node *node, const char *word, struct text *answer,
                          struct error *error)
{
    *answer = (struct text){0};
    int result = zookeeper_ask(node, word, answer, error);
    const char *words = text_string(answer);
    if (result == 0 && strstr(words, "not currently serving requests") != NULL)
        result = error_set(error, "%s serves nobody: it is in no quorum", node->name);
    else if (result == 0 && (words[0] == '\0' || strstr(words, "not in the whitelist") != NULL))
        result = error_set(error, "%s on %s:%d answers '%.100s' to %s", node->name,
                           node->end.address, node->port, words, word);
    if (result != 0)
        text_free(answer);
    return result;
}

// --- leads ---------------------------------------------------------------------------------------

static int leads(const struct node *node, struct error *error)
{
    struct text answer;
    if (zookeeper_ask_serving(node, "srvr", &answer, error) != 0)
        return -1;
    int result = strstr(text_string(&answer), "Mode: leader") != NULL ||
                 strstr(text_string(&answer), "Mode: standalone") != NULL;
    text_free(&answer);
    return result;
}

// --- has_lock ------------------------------------------------------------------------------------

// Where the nodes that hold are, as harness/locks has them: in the lock's own folder, or below.
static const char *holds_below(const struct lock_identity *lock)
{
    return strcmp(lock->scheme, "curator-semaphore-mutex") == 0 ? "/leases" : "";
}

// Each ephemeral node has a line of its own in the dump: a tab, and its path.
static bool is_dumped(const char *dump, const struct lock_identity *lock)
{
    struct text folder = {0};
    bool found = false;
    text_format(&folder, "\n\t/lockpick/%s%s/", lock->tag, holds_below(lock));
    for (const char *line = dump; !found && (line = strstr(line, folder.bytes)) != NULL;) {
        line += folder.length;
        found = line[strcspn(line, "/\n")] == '\n';
    }
    text_free(&folder);
    return found;
}

static int has_lock(const struct node *node, const struct lock_identity *lock, struct error *error)
{
    struct text dump;
    if (zookeeper_ask_serving(node, "dump", &dump, error) != 0)
        return -1;
    int result = is_dumped(text_string(&dump), lock);
    text_free(&dump);
    return result;
}

// --- forget --------------------------------------------------------------------------------------

static int forget(const struct node *node, enum loss loss, struct error *error)
{
    if (loss != LOSS_ALL)
        return 0;
    char *data = path_join(node->data, "version-2");
    int result = folder_remove(data, error);
    free(data);
    return result;
}

// --- all -----------------------------------------------------------------------------------------

const struct server_control zookeeper_control = {
    .leads = leads,
    .has_lock = has_lock,
    .links = zookeeper_links,
    .disconnect = zookeeper_disconnect,
    .forget = forget,
};
