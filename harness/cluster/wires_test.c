// What each fault does to packets, between sockets of two nodes.
#include "harness/cluster/test_wires.h"
#include "harness/testing/test.h"

#include <netinet/tcp.h>

TEST_MAIN(run_on_wires);

WIRES_TEST(a_cut_lets_nothing_through_and_the_connection_outlives_it)
{
    struct link link = link_open_tcp(&bench->ends[0], &bench->ends[1]);
    tell(link.near, "before");
    hear(link.far, "before");
    int cut = strike(bench, (struct wire_fault){.effect = WIRE_PARTITION, .both_ways = true}, 0, 1);
    tell(link.near, "request");
    tell(link.far, "reply");
    await_packets(bench, cut, 2);
    hear_nothing(link.far);
    hear_nothing(link.near);
    heal(bench, cut);
    hear(link.far, "request"); // sent again by TCP
    hear(link.near, "reply");
    link_close(&link);
}

WIRES_TEST(a_cut_one_way_lets_the_request_through_but_not_the_reply)
{
    struct link link = link_open_tcp(&bench->ends[0], &bench->ends[1]);
    int cut = strike(bench, (struct wire_fault){.effect = WIRE_PARTITION}, 1, 0);
    tell(link.near, "request");
    hear(link.far, "request");
    tell(link.far, "reply");
    await_packets(bench, cut, 1);
    hear_nothing(link.near);
    heal(bench, cut);
    hear(link.near, "reply");
    link_close(&link);
}

WIRES_TEST(a_cut_is_between_its_two_sides_only)
{
    struct error error = {0};
    struct link cut_off = link_open_udp(&bench->ends[0], &bench->ends[2], PORT);
    struct link other = link_open_udp(&bench->ends[0], &bench->ends[1], PORT + 1);
    const char *const from[] = {bench->ends[0].address, bench->ends[1].address};
    const char *const to[] = {bench->ends[2].address};
    struct wire_fault fault = {
        .effect = WIRE_PARTITION, .from = from, .from_count = 2, .to = to, .to_count = 1};
    int cut = wires_strike(bench->wires, &fault, &error);
    assert_true(cut > 0);
    tell(other.near, "through");
    hear(other.far, "through");
    assert_int_equal(packets(bench, cut), 0); // nobody met it
    tell(cut_off.near, "lost");
    await_packets(bench, cut, 1);
    tell(cut_off.far, "back"); // it is one way
    hear(cut_off.near, "back");
    hear_nothing(cut_off.far);
    assert_int_equal(packets(bench, cut), 1);
    link_close(&cut_off);
    link_close(&other);
}

static void expect_reset(int descriptor)
{
    char heard[8];
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, (int)(LIMIT_NS / NS_PER_MS)), 1);
    assert_int_equal(recv(descriptor, heard, sizeof heard, MSG_DONTWAIT), -1);
    assert_int_equal(errno, ECONNRESET);
}

WIRES_TEST(a_reset_reaches_whoever_sends)
{
    struct link link = link_open_tcp(&bench->ends[0], &bench->ends[1]);
    struct link datagrams = link_open_udp(&bench->ends[0], &bench->ends[1], PORT);
    int reset = strike(bench, (struct wire_fault){.effect = WIRE_RESET, .both_ways = true}, 0, 1);
    tell(link.near, "request");
    expect_reset(link.near);
    hear_nothing(link.far); // who sends nothing is not told
    tell(link.far, "reply");
    expect_reset(link.far);
    assert_int_equal(packets(bench, reset), 2);
    // Nobody is let in either, and what is not TCP is told in its own way.
    struct sockaddr_in there = address_of(&bench->ends[1], PORT);
    int late = socket_at(&bench->ends[0], SOCK_STREAM);
    assert_int_equal(connect(late, (struct sockaddr *)&there, sizeof there), -1);
    assert_int_equal(errno, ECONNREFUSED);
    tell(datagrams.near, "lost");
    struct pollfd told = {.fd = datagrams.near};
    assert_int_equal(poll(&told, 1, (int)(LIMIT_NS / NS_PER_MS)), 1);
    assert_int_equal(send(datagrams.near, "x", 1, 0), -1);
    assert_int_equal(errno, ECONNREFUSED);
    heal(bench, reset);
    close(late);
    link_close(&link);
    link_close(&datagrams);
}

static int count_heard(int descriptor)
{
    char heard[64];
    int count = 0;
    while (recv(descriptor, heard, sizeof heard, MSG_DONTWAIT) > 0)
        count++;
    return count;
}

WIRES_TEST(a_loss_takes_its_share_and_counts_it)
{
    int loss = strike(bench, (struct wire_fault){.effect = WIRE_LOSE, .percent = 50}, 0, 1);
    int count = 0;
    for (int i = 0; i < 400; i++) {
        tell(udp.near, "x");
        count += count_heard(udp.far);
    }
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    while (count + packets(bench, loss) < 400) {
        count += count_heard(udp.far);
        assert_true(clock_monotonic_ns() < give_up_ns);
    }
    assert_int_equal(count + packets(bench, loss), 400);
    assert_in_range(count, 100, 300); // ten standard deviations either side
    heal(bench, loss);
    loss = strike(bench, (struct wire_fault){.effect = WIRE_LOSE, .percent = 100}, 0, 1);
    for (int i = 0; i < 50; i++)
        tell(udp.near, "x");
    await_packets(bench, loss, 50);
    hear_nothing(udp.far);
}

WIRES_TEST(a_stream_gets_through_a_loss)
{
    struct link link = link_open_tcp(&bench->ends[0], &bench->ends[1]);
    int loss = strike(bench, (struct wire_fault){.effect = WIRE_LOSE, .percent = 30}, 0, 1);
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_NS;
    while (packets(bench, loss) == 0) {
        tell(link.near, "request");
        hear(link.far, "request");
        assert_true(clock_monotonic_ns() < give_up_ns);
    }
    link_close(&link);
}

WIRES_TEST(a_delay_is_part_of_every_round_trip)
{
    struct link link = link_open_tcp(&bench->ends[0], &bench->ends[1]);
    int64_t delay_ns = 20 * NS_PER_MS;
    struct wire_fault fault = {.effect = WIRE_DELAY, .both_ways = true, .delay_ns = delay_ns};
    int delay = strike(bench, fault, 0, 1);
    for (int i = 0; i < 10; i++) {
        int64_t start_ns = clock_monotonic_ns();
        tell(link.near, "request");
        hear(link.far, "request");
        assert_true(clock_monotonic_ns() - start_ns >= delay_ns);
        tell(link.far, "reply");
        hear(link.near, "reply");
        assert_true(clock_monotonic_ns() - start_ns >= 2 * delay_ns);
    }
    assert_true(packets(bench, delay) >= 20);
    // What is on its way when the delay ends comes at once.
    heal(bench, delay);
    fault.delay_ns = 1000 * NS_PER_S;
    delay = strike(bench, fault, 0, 1);
    tell(link.near, "slow");
    await_packets(bench, delay, 1);
    hear_nothing(link.far);
    heal(bench, delay);
    hear(link.far, "slow");
    link_close(&link);
}

WIRES_TEST(jitter_varies_the_delay_but_not_the_order)
{
    int64_t delay_ns = 20 * NS_PER_MS;
    int64_t jitter_ns = 15 * NS_PER_MS;
    struct wire_fault fault = {
        .effect = WIRE_DELAY, .delay_ns = delay_ns, .jitter_ns = jitter_ns, .seed = 7};
    strike(bench, fault, 0, 1);
    int64_t sent_ns = clock_monotonic_ns();
    for (int i = 0; i < 100; i++) {
        char words[16];
        snprintf(words, sizeof words, "%d", i);
        tell(udp.near, words);
    }
    for (int i = 0; i < 100; i++) {
        char words[16];
        snprintf(words, sizeof words, "%d", i);
        hear(udp.far, words);
        assert_true(clock_monotonic_ns() - sent_ns >= delay_ns - jitter_ns);
    }
}

// The node waits ten seconds for an answer before it sends anything again.
static void be_patient(const struct network_end *end)
{
    const char *const arguments[] = {"ip",     "route",         "change",  "default",
                                     "via",    "10.77.255.254", "dev",     "eth0",
                                     "onlink", "rto_min",       "10000ms", NULL};
    struct text output = printed(arguments, end->network_namespace);
    text_free(&output);
}

static unsigned retransmissions(int descriptor)
{
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    assert_int_equal(getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length), 0);
    return info.tcpi_total_retrans;
}

WIRES_TEST(a_held_reply_comes_at_the_end_without_being_sent_again)
{
    be_patient(&bench->ends[0]);
    be_patient(&bench->ends[1]);
    struct link link = link_open_tcp(&bench->ends[0], &bench->ends[1]);
    int hold = strike(bench, (struct wire_fault){.effect = WIRE_BUFFER}, 1, 0);
    tell(link.near, "request");
    hear(link.far, "request"); // executed
    tell(link.far, "reply");
    await_packets(bench, hold, 1);
    hear_nothing(link.near);
    heal(bench, hold);
    hear(link.near, "reply");
    assert_int_equal(retransmissions(link.far), 0);
    assert_int_equal(retransmissions(link.near), 0);
    link_close(&link);
}

#define HELD 1600 // more than the kernel keeps unless told to
#define LINKS 8   // ... and so few for each that its socket has room for them

WIRES_TEST(thousands_of_packets_are_held_and_come_in_order)
{
    struct link links[LINKS];
    for (int i = 0; i < LINKS; i++)
        links[i] = link_open_udp(&bench->ends[0], &bench->ends[1], PORT + i);
    int hold = strike(bench, (struct wire_fault){.effect = WIRE_BUFFER}, 0, 1);
    for (int i = 0; i < HELD; i++) {
        char words[16];
        snprintf(words, sizeof words, "%d", i / LINKS);
        tell(links[i % LINKS].near, words);
        if (i % 100 == 0)
            await_packets(bench, hold, i + 1);
    }
    await_packets(bench, hold, HELD);
    for (int i = 0; i < LINKS; i++)
        hear_nothing(links[i].far);
    heal(bench, hold);
    for (int i = 0; i < HELD; i++) {
        char words[16];
        snprintf(words, sizeof words, "%d", i / LINKS);
        hear(links[i % LINKS].far, words);
    }
    for (int i = 0; i < LINKS; i++)
        link_close(&links[i]);
}
