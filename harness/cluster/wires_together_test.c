// Several faults on one link, several processes with faults in one namespace, and what goes wrong.
#include "harness/cluster/test_wires.h"
#include "harness/testing/test.h"

#include <sys/mount.h>
#include <sys/wait.h>

static const struct wire_fault cut = {.effect = WIRE_PARTITION};
static const struct wire_fault hold = {.effect = WIRE_BUFFER};

TEST_MAIN(run_on_wires);

WIRES_TEST(what_two_holds_keep_waits_for_both)
{
    for (int first_healed = 0; first_healed < 2; first_healed++) {
        int holds[] = {strike(bench, hold, 0, 1), strike(bench, hold, 0, 1)};
        tell(udp.near, "a");
        tell(udp.near, "b");
        await_packets(bench, holds[0], 2);
        assert_int_equal(packets(bench, holds[1]), 0);
        heal(bench, holds[first_healed]);
        tell(udp.near, "c");
        await_packets(bench, holds[1 - first_healed], 3);
        hear_nothing(udp.far);
        heal(bench, holds[1 - first_healed]);
        hear(udp.far, "a");
        hear(udp.far, "b");
        hear(udp.far, "c");
    }
}

WIRES_TEST(what_was_on_its_way_when_a_cut_came_is_lost)
{
    int held = strike(bench, hold, 0, 1);
    tell(udp.near, "held");
    await_packets(bench, held, 1);
    int cut_off = strike(bench, cut, 0, 1);
    tell(udp.near, "cut off");
    await_packets(bench, cut_off, 1);
    assert_int_equal(packets(bench, held), 1); // a cut beats a hold
    heal(bench, held);
    await_packets(bench, cut_off, 2);
    heal(bench, cut_off);
    tell(udp.near, "after");
    hear(udp.far, "after");
}

WIRES_TEST(what_was_delayed_when_a_hold_came_is_held)
{
    struct wire_fault fault = {.effect = WIRE_DELAY, .delay_ns = 1000 * NS_PER_S};
    int delay = strike(bench, fault, 0, 1);
    tell(udp.near, "slow");
    await_packets(bench, delay, 1);
    int held = strike(bench, hold, 0, 1);
    assert_int_equal(packets(bench, held), 0);
    heal(bench, delay);
    await_packets(bench, held, 1);
    tell(udp.near, "fast");
    await_packets(bench, held, 2);
    hear_nothing(udp.far);
    heal(bench, held);
    hear(udp.far, "slow");
    hear(udp.far, "fast");
}

WIRES_TEST(two_delays_add_up_and_one_ends_without_the_other)
{
    int64_t delay_ns = 30 * NS_PER_MS;
    struct wire_fault fault = {.effect = WIRE_DELAY, .delay_ns = delay_ns};
    int delays[] = {strike(bench, fault, 0, 1), strike(bench, fault, 0, 1)};
    for (int left = 2; left > 0; left--) {
        int64_t start_ns = clock_monotonic_ns();
        tell(udp.near, "slow");
        hear(udp.far, "slow");
        assert_true(clock_monotonic_ns() - start_ns >= left * delay_ns);
        heal(bench, delays[left - 1]);
    }
}

WIRES_TEST(faults_can_come_and_go_many_times)
{
    int last = 0;
    for (int round = 0; round < MAX_WIRE_QUEUES + 8; round++) {
        int held = strike(bench, hold, 0, 1);
        assert_true(held > last);
        last = held;
        tell(udp.near, "x");
        await_packets(bench, held, 1);
        hear_nothing(udp.far);
        heal(bench, held);
        hear(udp.far, "x");
    }
    expect_rules(0);
}

WIRES_TEST(closing_ends_every_fault_and_leaves_no_rule)
{
    for (enum wire_effect effect = WIRE_PARTITION; effect <= WIRE_BUFFER; effect++) {
        struct wire_fault fault = {.effect = effect, .both_ways = true, .percent = 50};
        strike(bench, fault, 0, 1);
    }
    strike(bench, hold, 0, 2);
    expect_rules(6);
    wires_close(bench->wires);
    bench->wires = NULL;
    expect_rules(0);
    expect_no_queues();
    tell(udp.near, "free");
    hear(udp.far, "free");
    wires_close(NULL);
}

// --- several processes ---------------------------------------------------------------------------

// As another lane does it.
static int come_and_go(struct bench *bench, int rounds)
{
    struct error error = {0};
    for (int round = 0; round < rounds; round++) {
        struct wires *wires = wires_open(&error);
        struct bench own = *bench;
        own.wires = wires;
        bool good = wires != NULL;
        for (enum wire_effect effect = WIRE_PARTITION; good && effect <= WIRE_BUFFER; effect++) {
            struct wire_fault fault = {.effect = effect, .percent = 50};
            int number = try_strike(&own, fault, 1, 2, &error);
            good = number > 0 && wires_packets(wires, number, &error) == 0 &&
                   (round % 2 == 0 || wires_heal(wires, number, &error) == 0);
        }
        wires_close(wires);
        if (!good) {
            fprintf(stderr, "round %d: %s\n", round, error.text);
            return 1;
        }
    }
    return 0;
}

WIRES_TEST(processes_do_not_get_in_each_others_way)
{
    int start[2];
    pid_t children[4];
    assert_int_equal(pipe2(start, O_CLOEXEC), 0);
    // Before a queue has brought its thread: sanitizers want children with threads to come of a
    // process without.
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            char end_of_file;
            close(start[1]);
            _exit(read(start[0], &end_of_file, 1) == 0 ? come_and_go(bench, 6) : 2);
        }
    }
    int held = strike(bench, hold, 0, 1);
    tell(udp.near, "held");
    await_packets(bench, held, 1);
    close(start[0]);
    close(start[1]);
    for (int i = 0; i < 4; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    // What waits here has outlived that others' rules were removed.
    hear_nothing(udp.far);
    heal(bench, held);
    hear(udp.far, "held");
    expect_rules(0);
}

WIRES_TEST(one_process_can_have_two_sets_of_wires)
{
    struct bench other = *bench;
    struct error error = {0};
    other.wires = wires_open(&error);
    assert_non_null(other.wires);
    int ours = strike(bench, hold, 0, 1);
    int theirs = strike(&other, hold, 1, 0);
    tell(udp.near, "there");
    tell(udp.far, "back");
    await_packets(bench, ours, 1);
    await_packets(&other, theirs, 1);
    wires_close(other.wires);
    heal(bench, ours);
    hear(udp.far, "there");
    hear(udp.near, "back");
}

// --- what goes wrong -----------------------------------------------------------------------------

WIRES_TEST(a_number_that_no_fault_has_is_an_error)
{
    struct error error = {0};
    int number = strike(bench, cut, 0, 1);
    MUST_FAIL(-1, wires_heal(bench->wires, number + 1, &error), "in effect: 1");
    heal(bench, number);
    assert_int_equal(wires_packets(bench->wires, number, &error), -1);
    MUST_FAIL(-1, wires_heal(bench->wires, number, &error), "no fault on wires has the number 1");
}

WIRES_TEST(no_more_delays_than_there_are_queues)
{
    struct error error = {0};
    for (int i = 0; i < MAX_WIRE_QUEUES; i++)
        strike(bench, hold, 0, 1);
    MUST_FAIL(-1, try_strike(bench, hold, 0, 1, &error), "no more can be had");
    expect_rules(MAX_WIRE_QUEUES);
}

// Runs a shell command on the rules of the only fault there is; $chain is the name of its chain.
static void tamper(const char *command)
{
    AUTO_TEXT struct text script = {0};
    text_format(&script,
                "PATH=$PATH:/usr/sbin\n"
                "chain=$(nft list ruleset | sed -n 's/.*chain \\(lockpick-[0-9-]*\\).*/\\1/p')\n%s",
                command);
    const char *const arguments[] = {"sh", "-c", script.bytes, NULL};
    struct text output = printed(arguments, -1);
    text_free(&output);
}

WIRES_TEST(a_fault_whose_rules_were_removed_is_not_taken_for_in_effect)
{
    struct error error = {0};
    int number = strike(bench, cut, 0, 1);
    tamper("nft flush chain ip lockpick $chain");
    MUST_FAIL(-1, wires_packets(bench->wires, number, &error), "somebody removed them");
    heal(bench, number); // gone is gone
    expect_rules(0);
}

// What keeps a chain from being removed, as another process's change of the table does for a while,
// keeps nobody cut off.
WIRES_TEST(a_fault_is_over_although_its_chain_cannot_be_removed)
{
    struct link link = link_open_tcp(&bench->ends[0], &bench->ends[1]);
    int number = strike(bench, cut, 0, 1);
    tamper("nft add map ip lockpick keeper '{ type mark : verdict ; }' && "
           "nft add element ip lockpick keeper \"{ 77 : jump $chain }\"");
    heal(bench, number);
    tell(link.near, "after");
    hear(link.far, "after");
    tamper("nft flush chain ip lockpick before && nft flush chain ip lockpick after && "
           "nft delete map ip lockpick keeper && nft delete chain ip lockpick $chain");
    link_close(&link);
}

WIRES_TEST(a_fault_that_the_kernel_does_not_show_as_set_fails)
{
    struct error error = {0};
    strike(bench, cut, 0, 1);
    // Somebody has a jump to the chain that the second fault will be in.
    tamper("iptables-nft -N ${chain%1}2 && iptables-nft -A FORWARD -j ${chain%1}2");
    MUST_FAIL(-1, try_strike(bench, hold, 0, 1, &error), "2 of 1 jumps");
    expect_rules(1);
}

WIRES_TEST(what_is_not_installed_is_named_and_the_rest_works)
{
    struct error error = {0};
    assert_string_equal(wires_means(bench->wires, WIRE_PARTITION, &error), "nftables");
    // In the sandbox's own view of the files, nobody can execute the program.
    const char *program = "/usr/sbin/iptables-nft-restore";
    assert_int_equal(mount("/dev/null", program, NULL, MS_BIND, NULL), 0);
    const char *means = wires_means(bench->wires, WIRE_BUFFER, &error);
    bool others = wires_means(bench->wires, WIRE_RESET, &error) != NULL &&
                  wires_means(bench->wires, WIRE_LOSE, &error) != NULL;
    umount(program);
    assert_null(means);
    assert_non_null(strstr(error.text, "apt-get install iptables"));
    assert_true(others);
    assert_string_equal(wires_means(bench->wires, WIRE_BUFFER, &error), "a queue in user space");
    assert_string_equal(wires_means(bench->wires, WIRE_DELAY, &error), "a queue in user space");
    expect_no_queues(); // it was only asked
    expect_rules(0);
}
