// MariaDB servers that refuse writes, end connections, and forget.
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/control_pause.h"
#include "harness/cluster/mysql_control_link.h"
#include "harness/cluster/mysql_data.h"
#include "harness/cluster/mysql_server.h"

#include <mysql/mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- deny ----------------------------------------------------------------------------------------

const char *const mysql_refusals[] = {"readonly", NULL};

// Whether a write by a client is refused: 1, 0, or -1 with `error` set. It changes nothing, and no
// replica is told of it.
static int refuses_clients(const struct node *node, struct error *error)
{
    struct mysql_link client;
    if (mysql_link_open_as(&client, node, MYSQL_CLIENT_ACCOUNT, error) != 0)
        return -1;
    struct error answer = {0};
    int result = mysql_link_tell(&client, &answer, "SET SESSION sql_log_bin = 0");
    if (result == 0 &&
        mysql_link_tell(&client, &answer, "DROP DATABASE IF EXISTS lockpick_proof") != 0)
        result = mysql_errno(client.session) == ER_OPTION_PREVENTS_STATEMENT ? 1 : -1;
    if (result < 0)
        error_set(error, "%s", answer.text);
    mysql_link_close(&client);
    return result;
}

// The server would wait for tables that somebody has locked, and go on to wait when we have given
// up: so it is told not to, again and again.
static int set_read_only(struct mysql_link *link, bool refuses, struct error *error)
{
    if (mysql_link_tell(link, error, "SET SESSION lock_wait_timeout = 0") != 0)
        return -1;
    while (mysql_link_tell(link, error, "SET GLOBAL read_only = %d", refuses) != 0) {
        if (mysql_errno(link->session) != ER_LOCK_WAIT_TIMEOUT ||
            !control_pause(link->give_up_ns, "nobody keeps tables locked (LOCK TABLES)", error))
            return -1;
    }
    return 0;
}

// A replica refuses writes all along, whoever asks it to serve again.
int mysql_deny(const struct node *node, const char *refusal, bool refuses, struct error *error)
{
    struct mysql_link link;
    if (refusal != NULL && !text_is_one_of(refusal, mysql_refusals))
        return error_set(error, "MariaDB has no way '%s' to refuse writes", refusal);
    if (mysql_link_open(&link, node, error) != 0)
        return -1;
    int follows = mysql_link_follows(&link, error);
    bool wanted = refuses || follows == 1;
    int result = follows < 0 ? -1 : set_read_only(&link, wanted, error);
    mysql_link_close(&link);
    if (result != 0)
        return -1;
    int refused = refuses_clients(node, error);
    if (refused < 0 || refused == wanted)
        return refused < 0 ? -1 : 0;
    return error_set(error, "%s was told read_only = %d, but %s a client's write", node->name,
                     wanted, refused ? "refuses" : "takes");
}

// --- disconnect ----------------------------------------------------------------------------------

const char *const mysql_links[] = {"connection", NULL};

struct ids {
    unsigned long long *items;
    size_t count;
};

// `host` is "10.77.1.4:40112".
static bool is_of(const char *host, const struct client_end *client)
{
    const char *colon = strrchr(host, ':');
    size_t length = strlen(client->address);
    if (colon == NULL || (size_t)(colon - host) != length ||
        strncmp(host, client->address, length) != 0)
        return false;
    for (int i = 0; client->ports != NULL && i < client->port_count; i++) {
        if (client->ports[i] == strtol(colon + 1, NULL, 10))
            return true;
    }
    return client->ports == NULL;
}

// Our own links are no client's, one that was closed a moment ago included; nor is that of a
// replica that is sent what is committed.
static int find_sessions(struct mysql_link *link, const struct client_end *client,
                         struct ids *found, struct error *error)
{
    MYSQL_ROW row;
    MYSQL_RES *rows = mysql_link_ask(link, error,
                                     "SELECT ID, HOST FROM information_schema.PROCESSLIST "
                                     "WHERE USER <> '" MYSQL_OWN_ACCOUNT "' "
                                     "AND COMMAND NOT LIKE 'Binlog Dump%%'");
    if (rows == NULL)
        return -1;
    while ((row = mysql_fetch_row(rows)) != NULL) {
        if (row[1] == NULL || !is_of(row[1], client))
            continue;
        found->items = memory_resized(found->items, (found->count + 1) * sizeof *found->items);
        found->items[found->count++] = strtoull(row[0], NULL, 10);
    }
    mysql_free_result(rows);
    return 0;
}

// How many were still there to be ended, or -1 with `error` set.
static int end_sessions(struct mysql_link *link, const struct ids *ids, struct error *error)
{
    int ended = 0;
    for (size_t i = 0; i < ids->count; i++) {
        if (mysql_link_tell(link, error, "KILL CONNECTION %llu", ids->items[i]) == 0)
            ended++;
        else if (mysql_errno(link->session) != ER_NO_SUCH_THREAD)
            return -1;
    }
    return ended;
}

static int await_end(struct mysql_link *link, const struct ids *ids, struct error *error)
{
    for (size_t i = 0; i < ids->count;) {
        int lives = mysql_link_is_so(
            link, error, "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = %llu",
            ids->items[i]);
        if (lives < 0 || (lives == 1 && !control_pause(link->give_up_ns,
                                                       "the client's sessions are gone", error)))
            return -1;
        i += lives == 0;
    }
    return 0;
}

int mysql_disconnect(const struct node *node, const struct client_end *client, const char *kind,
                     struct error *error)
{
    struct mysql_link link;
    struct ids found = {0};
    if (kind != NULL && !text_is_one_of(kind, mysql_links))
        return error_set(error, "MariaDB knows no link '%s' of a client", kind);
    if (mysql_link_open(&link, node, error) != 0)
        return -1;
    int ended = -1;
    if (find_sessions(&link, client, &found, error) == 0)
        ended = end_sessions(&link, &found, error);
    if (ended > 0 && await_end(&link, &found, error) != 0)
        ended = -1;
    free(found.items);
    mysql_link_close(&link);
    return ended;
}

// --- forget --------------------------------------------------------------------------------------

// Which group a server belongs to: whose replica it is; which members its Galera cluster last had.
static const char *const memberships[] = {"master.info", "gvwstate.dat"};
#define MEMBERSHIPS (sizeof memberships / sizeof *memberships)

// Of a member that has nothing of the cluster's, and must be sent everything; it never makes a
// cluster of its own.
#define NEW_MEMBER                                                                                 \
    "# GALERA saved state\n"                                                                       \
    "version: 2.1\n"                                                                               \
    "uuid:    00000000-0000-0000-0000-000000000000\n"                                              \
    "seqno:   -1\n"                                                                                \
    "safe_to_bootstrap: 0\n"

static int write_into(const struct node *node, const char *name, const char *bytes, size_t length,
                      struct error *error)
{
    char *path = path_join(node->data, name);
    int result = file_write(path, bytes, length, error);
    free(path);
    return result;
}

static void read_memberships(const struct node *node, struct text *texts)
{
    for (size_t i = 0; i < MEMBERSHIPS; i++) {
        char *path = path_join(node->data, memberships[i]);
        if (access(path, F_OK) == 0)
            file_read(path, &texts[i], NULL);
        free(path);
    }
}

static int start_anew(const struct node *node, struct error *error)
{
    return folder_remove(node->data, error) != 0 || folder_make(node->data, error) != 0
               ? -1
               : mysql_data_provide(node, error);
}

int mysql_forget(const struct node *node, enum loss loss, struct error *error)
{
    struct text texts[MEMBERSHIPS] = {{0}};
    if (loss != LOSS_ALL)
        return 0;
    read_memberships(node, texts);
    int result = start_anew(node, error);
    for (size_t i = 0; i < MEMBERSHIPS; i++) {
        if (result == 0 && texts[i].length > 0)
            result = write_into(node, memberships[i], texts[i].bytes, texts[i].length, error);
        text_free(&texts[i]);
    }
    if (result == 0 && mysql_is_topology(node, MYSQL_GALERA))
        result = write_into(node, "grastate.dat", NEW_MEMBER, strlen(NEW_MEMBER), error);
    return result;
}
