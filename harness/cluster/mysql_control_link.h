// For mysql_control*.c only: the connection over which a MariaDB server is controlled, and what is
// done over it.
#ifndef LOCKPICK_CLUSTER_MYSQL_CONTROL_LINK_H
#define LOCKPICK_CLUSTER_MYSQL_CONTROL_LINK_H

#include "harness/cluster/control.h"

#include <mysql/mysql.h>
#include <stdint.h>

// One connection for one operation, which takes about a second at most.
struct mysql_link {
    const struct node *node;
    MYSQL *session;
    int64_t give_up_ns; // CLOCK_MONOTONIC
};

// As MYSQL_OWN_ACCOUNT. 0, or -1 with `error` set and nothing to be closed.
int mysql_link_open(struct mysql_link *link, const struct node *node, struct error *error);

// The same as another account.
int mysql_link_open_as(struct mysql_link *link, const struct node *node, const char *account,
                       struct error *error);
void mysql_link_close(struct mysql_link *link);

// Executes one statement. 0, or -1 with `error` set; mysql_errno tells the number then.
__attribute__((format(printf, 3, 4))) int mysql_link_tell(struct mysql_link *link,
                                                          struct error *error, const char *format,
                                                          ...);

// The rows that one statement brings, which the caller frees; NULL with `error` set.
__attribute__((format(printf, 3, 4))) MYSQL_RES *mysql_link_ask(struct mysql_link *link,
                                                                struct error *error,
                                                                const char *format, ...);

// Whether the first value that the statement brings is a number other than 0: 1, 0 (also if it
// brings none), or -1 with `error` set.
__attribute__((format(printf, 3, 4))) int mysql_link_is_so(struct mysql_link *link,
                                                           struct error *error, const char *format,
                                                           ...);

// 1 if it follows another server, 0 if not, -1 with `error` set.
int mysql_link_follows(struct mysql_link *link, struct error *error);

bool mysql_is_topology(const struct node *node, const char *name);

// Parts of mysql_control.
int mysql_deny(const struct node *node, const char *refusal, bool refuses, struct error *error);
int mysql_disconnect(const struct node *node, const struct client_end *client, const char *kind,
                     struct error *error);
int mysql_forget(const struct node *node, enum loss loss, struct error *error);
extern const char *const mysql_refusals[], *const mysql_links[];

#endif
