// For tests that use the ZooKeeper client library. Include it in one file of a program.
#ifndef LOCKPICK_WIRE_TEST_ZOOKEEPER_LIBRARY_H
#define LOCKPICK_WIRE_TEST_ZOOKEEPER_LIBRARY_H

// What the sanitizers must overlook in the library: it leaks what it still has to tell when a
// session is closed that has just been cut off, as zk_expire does; and its sessions share a buffer
// in which they write addresses for the log.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libzookeeper_mt";
}

const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race_top:vsprintf";
}

#endif
