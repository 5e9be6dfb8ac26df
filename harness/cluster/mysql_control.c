#include "harness/cluster/mysql_control.h"

#include "harness/cluster/mysql_control_link.h"
#include "harness/cluster/mysql_server.h"
#include "harness/wire/mysql.h"

#include <mysql/mysqld_error.h>
#include <stdio.h>
#include <string.h>

static bool has_replicas(const struct node *node)
{
    return mysql_is_topology(node, MYSQL_REPLICA) || mysql_is_topology(node, MYSQL_SEMI_SYNC);
}

// --- leads ---------------------------------------------------------------------------------------

static int leads_now(struct mysql_link *link, struct error *error)
{
    if (mysql_is_topology(link->node, MYSQL_GALERA))
        return mysql_link_is_so(link, error,
                                "SELECT COUNT(*) = 2 FROM information_schema.GLOBAL_STATUS WHERE "
                                "(VARIABLE_NAME = 'WSREP_READY' AND VARIABLE_VALUE = 'ON') OR "
                                "(VARIABLE_NAME = 'WSREP_CLUSTER_STATUS' AND "
                                "VARIABLE_VALUE = 'Primary')");
    if (!has_replicas(link->node))
        return mysql_link_is_so(link, error, "SELECT 1");
    int takes_writes = mysql_link_is_so(link, error, "SELECT NOT @@GLOBAL.read_only");
    if (takes_writes != 1)
        return takes_writes;
    int follows = mysql_link_follows(link, error);
    return follows < 0 ? -1 : !follows;
}

static int leads(const struct node *node, struct error *error)
{
    struct mysql_link link;
    if (mysql_link_open(&link, node, error) != 0)
        return -1;
    int result = leads_now(&link, error);
    mysql_link_close(&link);
    return result;
}

// --- promote -------------------------------------------------------------------------------------

// What it has received it has promised, to a semi-synchronous primary, to keep.
static int apply_received(struct mysql_link *link, struct error *error)
{
    char position[256] = "";
    if (mysql_link_tell(link, error, "STOP SLAVE IO_THREAD") != 0)
        return -1;
    MYSQL_RES *rows = mysql_link_ask(link, error, "SHOW SLAVE STATUS");
    if (rows == NULL)
        return -1;
    MYSQL_ROW row = mysql_fetch_row(rows);
    for (unsigned i = 0; row != NULL && i < mysql_num_fields(rows); i++) {
        if (strcmp(mysql_fetch_field_direct(rows, i)->name, "Gtid_IO_Pos") == 0 && row[i] != NULL)
            snprintf(position, sizeof position, "%s", row[i]);
    }
    mysql_free_result(rows);
    int late = mysql_link_is_so(link, error, "SELECT MASTER_GTID_WAIT('%s', 0.8)", position);
    return late == 1 ? error_set(error,
                                 "%s did not apply what it had received (up to %s) within a second",
                                 link->node->name, position)
                     : late;
}

// One that was semi-synchronous waits for replicas of its own, if it has any.
static int become_semi_sync_primary(struct mysql_link *link, struct error *error)
{
    return mysql_link_tell(link, error,
                           "SET GLOBAL rpl_semi_sync_slave_enabled = 0, "
                           "GLOBAL rpl_semi_sync_master_wait_no_slave = 0, "
                           "GLOBAL rpl_semi_sync_master_enabled = 1");
}

static int promote_now(struct mysql_link *link, struct error *error)
{
    int follows = mysql_link_follows(link, error);
    if (follows < 0 || (follows == 1 && (apply_received(link, error) != 0 ||
                                         mysql_link_tell(link, error, "STOP SLAVE") != 0 ||
                                         mysql_link_tell(link, error, "RESET SLAVE ALL") != 0)))
        return -1;
    if (follows == 1 && mysql_is_topology(link->node, MYSQL_SEMI_SYNC) &&
        become_semi_sync_primary(link, error) != 0)
        return -1;
    if (mysql_link_tell(link, error, "SET GLOBAL read_only = 0") != 0)
        return -1;
    int leading = leads_now(link, error);
    return leading == 0 ? error_set(error, "%s was promoted, but does not lead", link->node->name)
                        : (leading < 0 ? -1 : 0);
}

static int promote(const struct node *node, struct error *error)
{
    struct mysql_link link;
    if (!has_replicas(node))
        return error_set(error, "%s is no replica that could be promoted", node->name);
    if (mysql_link_open(&link, node, error) != 0)
        return -1;
    int result = promote_now(&link, error);
    mysql_link_close(&link);
    return result;
}

// --- has_lock ------------------------------------------------------------------------------------

// A server that was not yet sent the table, or has lost it, has no lock.
static int unless_there_is_no_table(struct mysql_link *link, int result)
{
    unsigned number = mysql_errno(link->session);
    bool is_missing = number == ER_NO_SUCH_TABLE || number == ER_BAD_DB_ERROR;
    return result < 0 && is_missing ? 0 : result;
}

// The table is mysql_common.c's.
static int has_row(struct mysql_link *link, const struct lock_identity *lock, struct error *error)
{
    bool expires = strcmp(lock->scheme, "mysql-unique-timeout") == 0;
    int result = mysql_link_is_so(
        link, error, "SELECT COUNT(*) FROM lockpick.lockpick_%s_lock WHERE unique_mutex = '%s'%s",
        lock->tag, lock->name, expires ? " AND lock_until > NOW(6)" : "");
    return unless_there_is_no_table(link, result);
}

static int has_name(struct mysql_link *link, const struct lock_identity *lock, struct error *error)
{
    return mysql_link_is_so(link, error, "SELECT IS_USED_LOCK('%s') IS NOT NULL", lock->name);
}

// The server's own tables of transactions and locks are renewed only when nobody has looked at them
// for 0.1 s, and name no table. So this locks the row itself: shared, and for this statement only.
static int has_row_locked(struct mysql_link *link, const struct lock_identity *lock,
                          struct error *error)
{
    char table[MYSQL_TABLE_ROOM];
    mysql_account_table(lock->tag, table);
    MYSQL_RES *rows = mysql_link_ask(
        link, error, "SELECT id FROM lockpick.%s WHERE id = 1 LOCK IN SHARE MODE NOWAIT", table);
    int result = rows != NULL ? 0 : -1;
    mysql_free_result(rows);
    if (mysql_errno(link->session) == ER_LOCK_WAIT_TIMEOUT)
        return 1;
    return unless_there_is_no_table(link, result);
}

static const struct {
    const char *scheme;
    int (*look)(struct mysql_link *link, const struct lock_identity *lock, struct error *error);
} looks[] = {
    {"mysql-unique", has_row},
    {"mysql-unique-timeout", has_row},
    {"mysql-get-lock", has_name},
    {"mysql-for-update", has_row_locked},
    {"mysql-for-update-late", has_row_locked},
};

static int has_lock_now(struct mysql_link *link, const struct lock_identity *lock,
                        struct error *error)
{
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        if (strcmp(looks[i].scheme, lock->scheme) == 0)
            return looks[i].look(link, lock, error);
    }
    return error_set(error, "MariaDB cannot tell whether a lock of the scheme %s is held",
                     lock->scheme);
}

static int has_lock(const struct node *node, const struct lock_identity *lock, struct error *error)
{
    struct mysql_link link;
    if (mysql_link_open(&link, node, error) != 0)
        return -1;
    int result = has_lock_now(&link, lock, error);
    mysql_link_close(&link);
    return result;
}

// --- all -----------------------------------------------------------------------------------------

const struct server_control mysql_control = {
    .leads = leads,
    .promote = promote,
    .has_lock = has_lock,
    .refusals = mysql_refusals,
    .deny = mysql_deny,
    .links = mysql_links,
    .disconnect = mysql_disconnect,
    .forget = mysql_forget,
};
