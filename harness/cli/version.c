// version: which Lockpick this is, and what it was put together from.
#include "harness/base/table.h"
#include "harness/cli/verb.h"

#include <curl/curl.h>
#include <gnu/libc-version.h>
#include <hiredis/hiredis.h>
#include <mysql/mysql.h>
#include <postgresql/libpq-fe.h>
#include <yaml.h>
#include <zlib.h>
#include <zookeeper/zookeeper_version.h>

#define NUMBER_OF(macro) WORDS_OF(macro)
#define WORDS_OF(number) #number

static int run(const struct words *words, void *options)
{
    (void)options;
    if (words->count > 0)
        return usage_error(&version_verb, "it takes no words, not '%s'", words->items[0]);
    char postgres[24];
    int number = PQlibVersion();
    snprintf(postgres, sizeof postgres, "%d.%d", number / 10000, number % 10000);
    const char *const rows[][2] = {
        {"libc", gnu_get_libc_version()},
        {"hiredis",
         NUMBER_OF(HIREDIS_MAJOR) "." NUMBER_OF(HIREDIS_MINOR) "." NUMBER_OF(HIREDIS_PATCH)},
        {"zookeeper", ZOO_VERSION},
        {"mysqlclient", mysql_get_client_info()},
        {"libpq", postgres},
        {"curl", curl_version_info(CURLVERSION_NOW)->version},
        {"yaml", yaml_get_version_string()},
        {"jansson", jansson_version_str()},
        {"zlib", zlibVersion()},
    };
    printf("lockpick " LOCKPICK_VERSION "%s\n",
           LOCKPICK_COMMIT[0] != '\0' ? " (commit " LOCKPICK_COMMIT ")" : "");
    struct table *table = TABLE_OF("library", "version");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        table_cell(table, COLOUR_PLAIN, rows[i][0]);
        table_cell(table, COLOUR_PLAIN, rows[i][1]);
    }
    table_print(table, stdout, colour_wanted(stdout));
    table_free(table);
    return EXIT_AS_EXPECTED;
}

const struct verb version_verb = {
    .name = "version",
    .arguments = "",
    .summary = "Says which Lockpick this is, and with which libraries it works",
    .run = run,
};
