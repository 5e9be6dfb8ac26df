// What is sent to Redis is what hiredis would have sent, byte by byte.
#include "harness/wire/redis_peer.h"

#include "harness/testing/test.h"

#include <hiredis/hiredis.h>
#include <limits.h>

static struct text command; // as a connection keeps it: used again and again

static void assert_command(char *expected, long long length)
{
    assert_int_equal(command.length, length);
    assert_memory_equal(command.bytes, expected, (size_t)length);
    redisFreeCommand(expected);
}

#define ASSERT_AS_HIREDIS(...)                                                                     \
    do {                                                                                           \
        char *expected = NULL;                                                                     \
        int length = redisFormatCommand(&expected, __VA_ARGS__);                                   \
        assert_true(redis_command_print(&command, __VA_ARGS__));                                   \
        assert_command(expected, length);                                                          \
    } while (0)

static int free_command(void **state);

TEST_GROUP(NULL, free_command);

TEST(a_command_is_printed_as_hiredis_prints_it)
{
    char long_text[5000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    ASSERT_AS_HIREDIS("PING");
    ASSERT_AS_HIREDIS("SET %s %s NX PX %lld", "lockpick:{t1}:lock", "token", 30000LL);
    ASSERT_AS_HIREDIS("SET %s %lld", "key", LLONG_MIN);
    ASSERT_AS_HIREDIS("SET %s %lld", "key", LLONG_MAX);
    ASSERT_AS_HIREDIS("EXPIRE %s %d", "key", INT_MIN);
    ASSERT_AS_HIREDIS("SET key %s", "");
    ASSERT_AS_HIREDIS("SET key %s", "two words\r\nand a line");
    ASSERT_AS_HIREDIS("SET key %s", long_text);
    ASSERT_AS_HIREDIS("  SET   key  value ");
    ASSERT_AS_HIREDIS("CLUSTER ADDSLOTS 1 2 3 4 5 6 7 8 9 10");
}

TEST(a_command_of_words_is_as_hiredis_makes_it)
{
    const char *words[] = {"EVALSHA", "0123", "1", "a key", "", "value"};
    const int count = sizeof words / sizeof *words;
    char *expected = NULL;
    long long length = redisFormatCommandArgv(&expected, count, words, NULL);
    redis_command_begin(&command, (size_t)count);
    for (int i = 0; i < count; i++)
        redis_command_add(&command, words[i]);
    assert_command(expected, length);
}

TEST(a_conversion_that_is_not_known_makes_no_command)
{
    assert_false(redis_command_print(&command, "SET key %b", "value", (size_t)5));
    assert_false(redis_command_print(&command, "SET key %5d", 1));
    assert_false(redis_command_print(&command, "SET key:%s", "1"));
    assert_true(redis_command_print(&command, "SET key %s", "value"));
}

static int free_command(void **state)
{
    (void)state;
    text_free(&command);
    return 0;
}
