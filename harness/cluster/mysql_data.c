#include "harness/cluster/mysql_data.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/data_cache.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)", perhaps
// after warnings that begin with a date.
void mysql_version(char *out, size_t room)
{
    const char *const arguments[] = {"mariadbd", "--no-defaults", "--version", NULL};
    version_ask("mariadbd", arguments, " Ver ", "- \n", out, room);
}

// Not in /tmp: each server that starts removes whatever temporary tables it finds in its folder for
// them, another server's too.
static int install(const char *data, struct process_limit limit, struct error *error)
{
    struct text option = {0};
    struct text temporary = {0};
    struct text output = {0};
    text_format(&option, "--datadir=%s", data);
    text_format(&temporary, "--tmpdir=%s", data);
    const char *const arguments[] = {"mariadb-install-db",
                                     "--no-defaults",
                                     option.bytes,
                                     temporary.bytes,
                                     "--auth-root-authentication-method=normal",
                                     "--skip-test-db",
                                     geteuid() == 0 ? "--user=root" : "--skip-name-resolve",
                                     "--innodb-log-file-size=8M",
                                     NULL};
    int status = process_run(arguments, "", -1, limit, &output, error);
    if (status > 0)
        error_set(error, "mariadb-install-db could not make %s: %.500s", data,
                  text_string(&output));
    text_free(&output);
    text_free(&temporary);
    text_free(&option);
    return status == 0 ? 0 : -1;
}

// Where the data are kept; NULL if there is no such place, or the version is not known. The caller
// frees.
static char *cache_path(void)
{
    char name[80];
    mysql_version(name, sizeof name);
    if (version_number(name) == NULL)
        return NULL;
    *strchr(name, ' ') = '-';
    return data_cache_path(name);
}

static int make(const char *data, struct process_limit limit, struct error *error)
{
    char *cache = cache_path();
    int result = 0;
    if (cache == NULL || data_cache_fetch(cache, data, limit) != 0) {
        // Half a copy is no place to install into.
        bool made = folder_remove(data, error) == 0 && folder_make(data, error) == 0 &&
                    install(data, limit, error) == 0;
        result = made ? 0 : -1;
        if (made && cache != NULL)
            data_cache_keep(data, cache, limit);
    }
    free(cache);
    return result;
}

int mysql_data_provide(const struct node *node, struct error *error)
{
    char *marker = path_join(node->data, "mysql");
    bool is_there = access(marker, F_OK) == 0;
    free(marker);
    if (is_there)
        return 0; // a restart
    return make(node->data, node_limit(node), error);
}
