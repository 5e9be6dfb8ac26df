// clean: removes from a server of the user's what runs that were killed have left there.
#include "harness/cli/verb.h"
#include "harness/locks/zookeeper_common.h"
#include "harness/run/servers.h"
#include "harness/wire/mysql.h"
#include "harness/wire/redis.h"

#include <string.h>

static int clean_redis(const struct service *service, struct error *error)
{
    return redis_clean(service, "*lockpick:{t*", error); // Redisson's names have more before it
}

// Kinds that keep what nobody removes: in etcd all keys have leases, in memcached expiries, and
// PostgreSQL's locks end with their session.
static const struct cleaner {
    const char *kind;
    int (*clean)(const struct service *service, struct error *error);
} cleaners[] = {
    {"redis", clean_redis}, {"mysql", mysql_tables_clean}, {"zookeeper", zk_locks_clean}};

static int run(const struct words *words, void *options)
{
    (void)options;
    struct error error = {0};
    struct service service;
    if (words->count < 1 || words->count > 2)
        return usage_error(&clean_verb, "one URL, and the topology if it is not single");
    const char *url = words->items[0];
    struct server_settings settings = {.external = (char *)(size_t)url,
                                       .topology = (char *)(size_t)words->items[1]};
    for (size_t i = 0; i < sizeof cleaners / sizeof *cleaners; i++) {
        const struct cleaner *cleaner = &cleaners[i];
        size_t length = strlen(cleaner->kind);
        if (strncmp(url, cleaner->kind, length) != 0 || url[length] != ':')
            continue;
        if (service_of_external(cleaner->kind, &settings, &service, &error) != 0)
            return usage_error(&clean_verb, "%s", error.text);
        return cleaner->clean(&service, &error) == 0
                   ? EXIT_AS_EXPECTED
                   : verb_fails(&clean_verb, EXIT_ENVIRONMENT, "%s", error.text);
    }
    return usage_error(&clean_verb,
                       "the URL begins with redis://, mysql:// or zookeeper://; what runs leave in "
                       "etcd, memcached and PostgreSQL ends by itself");
}

extern const char template_help_clean[];
const struct verb clean_verb = {
    .name = "clean",
    .arguments = "URL [TOPOLOGY]",
    .summary = "Removes what killed runs have left on a server of yours",
    .help = template_help_clean,
    .run = run,
};
