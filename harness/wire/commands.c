#include "harness/wire/commands.h"

#include "harness/wire/driver.h"
#include "harness/wire/etcd.h"
#include "harness/wire/memcached.h"
#include "harness/wire/mysql.h"
#include "harness/wire/parser.h"
#include "harness/wire/postgres.h"
#include "harness/wire/redis.h"
#include "harness/wire/zookeeper.h"

#include <stddef.h>

const char *const *const wire_commands[] = {
    redis_commands,    etcd_commands,   mysql_commands,
    postgres_commands, zk_commands,     memcached_commands,
    driver_commands,   parser_commands, NULL,
};
