// The row in which MySQL keeps a guarded value: one table for each trial, with one row, shared by
// the store and the schemes that guard it by its own row lock or version.
#ifndef LOCKPICK_WIRE_MYSQL_ACCOUNT_H
#define LOCKPICK_WIRE_MYSQL_ACCOUNT_H

#include "harness/base/error.h"
#include "harness/wire/service.h"

#define MYSQL_TABLE_ROOM 64

// "lockpick_t17x2k_account". Its columns: id, always 1; value; version, which changes with each
// write, so that none is taken for one that changed nothing; token, the highest that was seen.
void mysql_account_table(const char *tag, char table[MYSQL_TABLE_ROOM]);

// Makes the table and its row, or drops it; what is there, or gone, already is fine. 0, or -1 with
// `error` set.
int mysql_account_make(const struct service *service, const char *tag, struct error *error);
int mysql_account_drop(const struct service *service, const char *tag, struct error *error);

// Drops every table of Lockpick's, of whatever run. 0, or -1 with `error` set.
int mysql_tables_clean(const struct service *service, struct error *error);

#endif
