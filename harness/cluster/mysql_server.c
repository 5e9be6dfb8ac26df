// MariaDB. Its data folder takes a second to make: it is made once per machine, and copied.
#include "harness/cluster/mysql_server.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/data_cache.h"
#include "harness/cluster/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)".
static void version(char *out, size_t room)
{
    const char *const arguments[] = {"mariadbd", "--no-defaults", "--version", NULL};
    struct text output = {0};
    snprintf(out, room, "mariadbd");
    if (process_run(arguments, "", -1, &output, NULL) == 0) {
        const char *number = strpbrk(text_string(&output), "0123456789");
        if (number != NULL)
            snprintf(out, room, "mariadbd %.*s", (int)strcspn(number, "- "), number);
    }
    text_free(&output);
}

// --- the data ------------------------------------------------------------------------------------

static int install(const char *data, struct error *error)
{
    struct text option = {0};
    struct text output = {0};
    text_format(&option, "--datadir=%s", data);
    const char *const arguments[] = {"mariadb-install-db",
                                     "--no-defaults",
                                     option.bytes,
                                     "--auth-root-authentication-method=normal",
                                     "--skip-test-db",
                                     geteuid() == 0 ? "--user=root" : "--skip-name-resolve",
                                     "--innodb-log-file-size=8M",
                                     NULL};
    int status = process_run(arguments, "", -1, &output, error);
    if (status > 0)
        error_set(error, "mariadb-install-db could not make %s: %.500s", data,
                  text_string(&output));
    text_free(&output);
    text_free(&option);
    return status == 0 ? 0 : -1;
}

static int provide_data(const struct node *node, struct error *error)
{
    char name[80];
    version(name, sizeof name);
    *strchr(name, ' ') = '-';
    char *cache = strchr(name, '-') != NULL ? data_cache_path(name) : NULL;
    char *marker = path_join(node->data, "mysql");
    char *data = realpath(node->data, NULL);
    int result = 0;
    if (access(marker, F_OK) != 0 && (cache == NULL || data_cache_fetch(cache, data) != 0)) {
        result = install(data, error);
        if (result == 0 && cache != NULL)
            data_cache_keep(data, cache);
    }
    free(data);
    free(marker);
    free(cache);
    return result;
}

// --- the kind ------------------------------------------------------------------------------------

static pid_t start(const struct node *node, struct error *error)
{
    char port[32];
    char address[64];
    char server_id[32];
    char *data = realpath(node->data, NULL);
    struct text folder = {0};
    text_format(&folder, "--datadir=%s", data != NULL ? data : node->data);
    free(data);
    snprintf(port, sizeof port, "--port=%d", node->port);
    snprintf(address, sizeof address, "--bind-address=%s", node->end.address);
    snprintf(server_id, sizeof server_id, "--server-id=%d", node->number);
    // Inside a namespace, or on loopback, nobody else can reach it: no password is needed.
    const char *const arguments[] = {"mariadbd",
                                     "--no-defaults",
                                     folder.bytes,
                                     port,
                                     address,
                                     server_id,
                                     "--socket=server.sock",
                                     "--pid-file=server.pid",
                                     "--skip-grant-tables",
                                     "--skip-name-resolve",
                                     "--max-connections=10000",
                                     "--innodb-buffer-pool-size=32M",
                                     "--innodb-log-file-size=8M",
                                     "--innodb-flush-log-at-trx-commit=1",
                                     geteuid() == 0 ? "--user=root" : NULL,
                                     NULL};
    pid_t id = provide_data(node, error) != 0 ? -1 : server_run(node, arguments, false, error);
    text_free(&folder);
    return id;
}

// It notes its process id once it listens.
static int ready(const struct node *node, struct error *error)
{
    (void)error;
    char *path = path_join(node->data, "server.pid");
    struct text noted = {0};
    bool ours = file_read(path, &noted, NULL) == 0 && atoi(text_string(&noted)) == node->server;
    int descriptor = ours ? server_connect(node) : -1;
    char greeting[8];
    bool greets = descriptor >= 0 && read(descriptor, greeting, sizeof greeting) > 0;
    if (descriptor >= 0)
        close(descriptor);
    text_free(&noted);
    free(path);
    return greets ? 0 : 1;
}

const struct server_kind mysql_server = {
    .name = "mysql",
    .program = "mariadbd",
    .package = "mariadb-server",
    .port = 3306,
    .extra_ports = 2,
    .boot_limit_s = 90,
    .version = version,
    .start = start,
    .ready = ready,
};
