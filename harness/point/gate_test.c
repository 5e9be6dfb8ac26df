// Gates: what a worker has heard, as the state of a schedule tells it.
#include "harness/point/gate.h"
#include "harness/testing/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char one[] = "0123456789abcdef0123456789abcdef01234567";
static const char other[] = "fedcba9876543210fedcba9876543210fedcba98";

static void hear(struct step_gate *gate, const char *before, const char *token)
{
    gate_hear(gate, before, strlen(before));
    gate_hear(gate, token, strlen(token));
    gate_hear(gate, " NO", 3);
}

TEST(tokens_are_named_by_their_order_and_a_scripts_digest_is_none)
{
    AUTO_TEXT struct text names = {0};
    AUTO_TEXT struct text out = {0};
    AUTO_TEXT struct text text = {0};
    text_format(&text, "SET a %s, GET %s %s; EVALSHA\r\n$40\r\n%s; 12 abc", one, other, one, other);
    gate_name_tokens(text.bytes, text.length, &names, &out);
    AUTO_FREE char *expected = NULL;
    assert_true(asprintf(&expected, "SET a <0>, GET <1> <0>; EVALSHA\r\n$40\r\n%s; 12 abc", other) >
                0);
    assert_string_equal(out.bytes, expected);
    out.length = 0;
    gate_name_tokens(other, strlen(other), &names, &out);
    assert_int_equal(out.length, 3);
    assert_memory_equal(out.bytes, "<1>", 3);
}

TEST(tokens_of_other_programs_are_told_by_their_place_too)
{
    static const char text[] = "SET lock kR7+xYz0aB3/Qw9LmN4pTs6VuE1cDf2gHj5iKo8=\r\n GET "
                               "a1B2c3D4e5F6g7H8 SomeLongWordOnly "
                               "kR7+xYz0aB3/Qw9LmN4pTs6VuE1cDf2gHj5iKo8=";
    AUTO_TEXT struct text names = {0};
    AUTO_TEXT struct text out = {0};
    gate_name_tokens(text, strlen(text), &names, &out);
    assert_string_equal(text_string(&out), "SET lock <0>\r\n GET <1> SomeLongWordOnly <0>");
}

TEST(times_of_day_are_told_by_how_much_later_they_are)
{
    static const char text[] =
        "1795413652 1795413653.25 $1795413952010\r\n:1795413652000000000 12345 "
        "1295413652 a1795413652 17954136520";
    AUTO_TEXT struct text out = {0};
    gate_name_times(text, strlen(text), 1795413652 * NS_PER_S, 150 * NS_PER_S, &out);
    assert_string_equal(text_string(&out),
                        "{0} {0} ${2}\r\n:{0} 12345 1295413652 a1795413652 17954136520");
}

TEST(an_attempt_in_vain_with_the_same_answers_teaches_nothing)
{
    struct step_gate gate = {.is_there = true};
    hear(&gate, "SET ", one);
    gate_tried_in_vain(&gate);
    size_t length = gate.heard.length;
    hear(&gate, "SET ", other);
    gate_tried_in_vain(&gate);
    assert_int_equal(gate.heard.length, length);
    assert_non_null(strstr(gate.heard.bytes, other));
    hear(&gate, "GET ", one);
    gate_tried_in_vain(&gate);
    assert_int_equal(gate.heard.length, 2 * length);
    gate.remembers = true;
    hear(&gate, "GET ", one);
    gate_tried_in_vain(&gate);
    gate_next_operation(&gate);
    assert_int_equal(gate.heard.length, 3 * length);
    gate.remembers = false;
    gate_next_operation(&gate);
    assert_int_equal(gate.heard.length, 0);
    text_free(&gate.heard);
}

TEST(what_a_thread_hears_while_it_connects_does_not_count)
{
    struct step_gate gate = {.is_free = true};
    hear(&gate, "SET ", one);
    assert_int_equal(gate.heard.length, 0);
}

// A thread that waits for its bell, twice.
struct waiter {
    struct step_gate gate;
    _Atomic uint32_t bell;
};

static void *wait_twice(void *context)
{
    struct waiter *waiter = context;
    gate_wait(&waiter->gate, &waiter->bell, 0, TIME_NEVER);
    gate_wait(&waiter->gate, &waiter->bell, 1, 5);
    return NULL;
}

TEST(a_thread_that_waits_stands_until_it_is_let_go_and_tells_who_has_rung)
{
    struct waiter waiter = {.bell = 0};
    pthread_t thread;
    gate_start(&waiter.gate, false);
    assert_int_equal(pthread_create(&thread, NULL, wait_twice, &waiter), 0);
    gate_await(&waiter.gate);
    assert_int_equal(waiter.gate.place, GATE_WAITING);
    assert_false(gate_is_rung(&waiter.gate));
    atomic_store(&waiter.bell, 1);
    assert_true(gate_is_rung(&waiter.gate));
    gate_let_go(&waiter.gate, GATE_LOOK);
    assert_int_equal(waiter.gate.until_ns, 5);
    assert_false(gate_is_rung(&waiter.gate));
    gate_send_off(&waiter.gate, GATE_END);
    pthread_join(thread, NULL);
    assert_memory_equal(waiter.gate.heard.bytes, "rungtime", 8);
    gate_free(&waiter.gate);
}
