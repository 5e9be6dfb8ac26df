// clean: removes from a server of the user's what runs that were killed have left there.
#include "harness/cli/verb.h"
#include "harness/locks/zookeeper_common.h"
#include "harness/run/servers.h"
#include "harness/wire/mysql.h"
#include "harness/wire/redis.h"

#include <stdio.h>
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

static int run(int argc, char **argv)
{
    struct error error = {0};
    struct service service;
    if (argc < 2 || argc > 3)
        return usage_error(&clean_verb, "one URL, and the topology if it is not single");
    struct server_settings settings = {.external = argv[1], .topology = argc > 2 ? argv[2] : NULL};
    size_t length = strcspn(argv[1], ":");
    for (size_t i = 0; i < sizeof cleaners / sizeof *cleaners; i++) {
        const struct cleaner *cleaner = &cleaners[i];
        if (strlen(cleaner->kind) != length || strncmp(argv[1], cleaner->kind, length) != 0)
            continue;
        if (service_of_external(cleaner->kind, &settings, &service, &error) != 0)
            return usage_error(&clean_verb, "%s", error.text);
        if (cleaner->clean(&service, &error) == 0)
            return EXIT_AS_EXPECTED;
        fprintf(stderr, "lockpick clean: %s\n", error.text);
        return EXIT_ENVIRONMENT;
    }
    return usage_error(&clean_verb,
                       "the URL begins with redis://, mysql:// or zookeeper://; what runs leave in "
                       "etcd, memcached and PostgreSQL ends by itself");
}

static void print_help(FILE *out)
{
    fputs(
        "A run removes what it has made on a server of yours (external:) when it ends. One that "
        "was\n"
        "killed leaves keys lockpick:{t...}, tables lockpick_t... or nodes below /lockpick. This\n"
        "removes them all, those of a run that lasts as well: see that none does. The URL is that "
        "of\n"
        "the scenario; TOPOLOGY is single (if not said), sentinel, cluster, independent or "
        "ensemble.\n"
        "\nexit codes: 0 nothing is left, 2 usage, 4 the server could not be reached or refused\n",
        out);
}

const struct verb clean_verb = {
    .name = "clean",
    .arguments = "URL [TOPOLOGY]",
    .summary = "Removes what killed runs have left on a server of yours",
    .print_help = print_help,
    .run = run,
};
