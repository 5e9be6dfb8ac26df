// The nodes that locks are made under: there before any client comes, removed when all have gone.
#include "harness/locks/zookeeper_common.h"

#include "harness/base/text.h"

#include <stdio.h>

#define TOP "/lockpick"
#define SET_UP_NS (10 * NS_PER_S)

void zk_lock_path(const struct lock_options *options, const char *below, const char *name,
                  char path[ZK_PATH_ROOM])
{
    const char *slash = name[0] != '\0' ? "/" : "";
    snprintf(path, ZK_PATH_ROOM, TOP "/%s%s%s%s", options->tag, below, slash, name);
}

static struct zk *open_for_set_up(const struct service *service, struct error *error)
{
    const struct zk_settings settings = {
        .service = service, .session_ns = SET_UP_NS, .request_ns = SET_UP_NS};
    return zk_open(&settings, error);
}

// The top is a container: the server removes it some time after the last lock in it. If it does so
// right now, it is made once more.
static int make_folder(struct zk *zk, const char *path, struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct zk_answer answer;
    enum outcome outcome = OUTCOME_NO;
    for (int tries = 0; tries < 3 && outcome != OUTCOME_OK; tries++) {
        outcome = zk_create(zk, &nobody, &answer, TOP, "", ZK_CONTAINER);
        if (outcome == OUTCOME_OK || answer.reply == ZK_NODE_EXISTS)
            outcome = zk_create(zk, &nobody, &answer, path, "", ZK_PERSISTENT);
        if (answer.reply == ZK_NODE_EXISTS)
            outcome = OUTCOME_OK;
    }
    if (outcome == OUTCOME_OK)
        return 0;
    return error_set(error, "cannot create %s in zookeeper: %s", path, answer.why);
}

static int make_folders(const struct service *service, const struct lock_options *options,
                        const char *const *below, struct error *error)
{
    char path[ZK_PATH_ROOM];
    struct zk *zk = open_for_set_up(service, error);
    int result = zk != NULL ? 0 : -1;
    for (size_t i = 0; below[i] != NULL && result == 0; i++) {
        zk_lock_path(options, below[i], "", path);
        result = make_folder(zk, path, error);
    }
    zk_close(zk);
    return result;
}

int zk_lock_set_up_folders(const struct service *service, const struct lock_options *options,
                           const char *const *below, struct error *error)
{
    // A session may end while the servers are about to elect their leader: once more, then.
    int result = -1;
    for (int tries = 0; result != 0 && tries < 3; tries++)
        result = make_folders(service, options, below, error);
    return result;
}

int zk_lock_set_up(const struct service *service, const struct lock_options *options,
                   struct error *error)
{
    static const char *const only_its_own[] = {"", NULL};
    return zk_lock_set_up_folders(service, options, only_its_own, error);
}

// Sessions of clients that were killed may still end meanwhile, and take their nodes.
static int remove_tree(struct zk *zk, const char *path, struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct zk_answer answer;
    struct zk_names names;
    enum outcome outcome = zk_get_children(zk, &nobody, &answer, path, &names, NULL);
    int result = 0;
    for (size_t i = 0; i < names.count && result == 0; i++) {
        struct text child = {0};
        text_format(&child, "%s/%s", path, names.items[i]);
        result = remove_tree(zk, child.bytes, error);
        text_free(&child);
    }
    zk_names_free(&names);
    if (result == 0 && outcome == OUTCOME_OK)
        outcome = zk_delete(zk, &nobody, &answer, path);
    if (result != 0 || outcome == OUTCOME_OK || answer.reply == ZK_NO_NODE)
        return result;
    return error_set(error, "cannot remove %s from zookeeper: %s", path, answer.why);
}

static int remove_from(const struct service *service, const char *path, struct error *error)
{
    struct zk *zk = open_for_set_up(service, error);
    if (zk == NULL)
        return -1;
    int result = remove_tree(zk, path, error);
    zk_close(zk);
    return result;
}

int zk_lock_clean_up(const struct service *service, const struct lock_options *options,
                     struct error *error)
{
    char path[ZK_PATH_ROOM];
    zk_lock_path(options, "", "", path);
    return remove_from(service, path, error);
}

int zk_locks_clean(const struct service *service, struct error *error)
{
    return remove_from(service, TOP, error);
}
