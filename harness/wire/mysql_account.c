#include "harness/wire/mysql_account.h"

#include "harness/wire/mysql.h"

#include <stdio.h>

void mysql_account_table(const char *tag, char table[MYSQL_TABLE_ROOM])
{
    snprintf(table, MYSQL_TABLE_ROOM, "lockpick_%s_account", tag);
}

int mysql_account_make(const struct service *service, const char *tag, struct error *error)
{
    char table[MYSQL_TABLE_ROOM];
    char create[256];
    char insert[128];
    const char *const texts[] = {create, insert, NULL};
    mysql_account_table(tag, table);
    snprintf(create, sizeof create,
             "CREATE TABLE IF NOT EXISTS %s (id INT PRIMARY KEY, value BIGINT NOT NULL, "
             "version BIGINT NOT NULL, token BIGINT NOT NULL) ENGINE = InnoDB",
             table);
    snprintf(insert, sizeof insert, "INSERT IGNORE INTO %s VALUES (1, 0, 0, 0)", table);
    return mysql_execute_all(service, texts, error);
}

int mysql_account_drop(const struct service *service, const char *tag, struct error *error)
{
    char table[MYSQL_TABLE_ROOM];
    char drop[128];
    const char *const texts[] = {drop, NULL};
    mysql_account_table(tag, table);
    snprintf(drop, sizeof drop, "DROP TABLE IF EXISTS %s", table);
    return mysql_execute_all(service, texts, error);
}

int mysql_tables_clean(const struct service *service, struct error *error)
{
    static const char *const texts[] = {
        "SET SESSION group_concat_max_len = 1000000",
        "SELECT CONCAT('DROP TABLE ', GROUP_CONCAT(table_name)) INTO @drop "
        "FROM information_schema.tables "
        "WHERE table_schema = DATABASE() AND table_name LIKE 'lockpick\\_t%'",
        "SET @drop = COALESCE(@drop, 'DO 0')",
        "PREPARE clean FROM @drop",
        "EXECUTE clean",
        NULL};
    return mysql_execute_all(service, texts, error);
}
