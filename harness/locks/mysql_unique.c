// The classic lock table: a row with the lock's name, which a unique index lets only one insert.
// Nothing ever removes the row of a holder that crashed.
//
// The row's id grows, but is no fencing token: it is drawn before the index decides who gets in, so
// that a later holder may have drawn an earlier one.
#include "harness/locks/sql_common.h"

static const struct sql_statement insert_row = {
    "INSERT", "INSERT INTO %s (unique_mutex, holder_id, create_time) VALUES (?, ?, NOW(6))"};

static const struct sql_statement delete_row = {
    "DELETE", "DELETE FROM %s WHERE unique_mutex = ? AND holder_id = ?"};

static int set_up(const struct service *service, const struct lock_options *options,
                  struct error *error)
{
    return mysql_lock_table_make(service, options,
                                 "id BIGINT AUTO_INCREMENT PRIMARY KEY, "
                                 "unique_mutex VARCHAR(64) NOT NULL UNIQUE, "
                                 "holder_id VARCHAR(64) NOT NULL, "
                                 "create_time DATETIME(6) NOT NULL",
                                 error);
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    (void)grant;
    return mysql_insert_row(lock, &insert_row);
}

static enum release_answer release(struct lock *lock)
{
    return mysql_give_back_row(lock, &delete_row);
}

const struct lock_scheme mysql_unique_scheme = {
    .name = "mysql-unique",
    .summary = "INSERT into a table with a unique index; DELETE one's own row to release",
    .breaks = "a crash of the holder, which leaves the row for ever",
    .traits = LOCK_TRAITS("exclusive", "owner-checked", "mysql"),
    MYSQL_SCHEME,
    .set_up = set_up,
    .held_when = MYSQL_ROW_IS_THERE,
    .clean_up = mysql_lock_table_drop,
    .try_acquire = try_acquire,
    .release = release,
};
