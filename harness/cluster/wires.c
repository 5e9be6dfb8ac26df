// A packet passes the `forward` hook so:
//
//   chain `before` of our table       cuts, resets, losses
//   chain FORWARD of iptables' table  delays, then holds: to a queue, and from there here again
//   chain `after` of our table        cuts and resets once more, for what was on its way
//
// nft cannot say "to a queue" to a kernel without NFT_QUEUE; iptables can, wherever there is
// xt_NFQUEUE. Its tables are nftables' too, so the rest is the same for both.
//
// Chains at the hook are shared by all processes and stay: when one is removed, the kernel drops
// whatever waits in any queue (nf_queue_nf_hook_drop), and when one is added, packets that wait
// lose their place.
#include "harness/cluster/wires.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/cluster/process.h"
#include "harness/cluster/wires_queue.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHAIN_BYTES 29 // as many as iptables allows, and a final NUL
#define OUR_TABLE "lockpick"
#define QUEUE_TABLE "filter"

// A listing of a table that another process is changing may show rules twice, or miss some: one
// that does not show what it should is read again, so many times at most.
#define LOOKS 20
#define LOOKS_TO_TIDY 4 // of a fault that is over

// A tool takes a moment, on a machine that drowns a second; one that takes longer hangs, and the
// fault with it.
#define TOOL_LIMIT ((struct process_limit){.seconds = 20})

// True for the effects that need a queue.
static bool is_queued(enum wire_effect effect)
{
    return effect == WIRE_DELAY || effect == WIRE_BUFFER;
}

// What the kernel shows of a fault.
struct view {
    int chains, rules, jumps;
    int64_t packets;
    struct text removal; // the nft commands that remove the jumps
};

static const char *table_of(enum wire_effect effect)
{
    return is_queued(effect) ? QUEUE_TABLE : OUR_TABLE;
}

struct tool {
    const char *name, *package;
    const char *const *options; // to take commands
};
static const struct tool nft = {"nft", "nftables", (const char *const[]){"-f", "-", NULL}};
static const struct tool iptables = {"iptables-nft-restore", "iptables",
                                     (const char *const[]){"--noflush", NULL}};

static int run_tool(const struct tool *tool, const char *const *options, const char *input,
                    struct text *output, struct error *error)
{
    const char *arguments[8] = {tool->name};
    int count = 1;
    while (*options != NULL)
        arguments[count++] = *options++;
    arguments[count] = NULL;
    int status = process_run(arguments, input, -1, TOOL_LIMIT, output, error);
    if (status < 0)
        error_wrap(error, "%s cannot be used (if it is missing: apt-get install %s)", tool->name,
                   tool->package);
    else if (status > 0)
        error_set(error, "%s failed with status %d: %.600s", tool->name, status,
                  text_string(output));
    return status == 0 ? 0 : -1;
}

static int tell(const struct tool *tool, const char *commands, struct error *error)
{
    struct text output = {0};
    int result = run_tool(tool, tool->options, commands, &output, error);
    text_free(&output);
    return result;
}

// --- asking the kernel ---------------------------------------------------------------------------

static void view_rule(struct view *view, json_t *rule, const char *table, const char *chain)
{
    const char *place = json_string_value(json_object_get(rule, "chain"));
    bool is_ours = place != NULL && strcmp(place, chain) == 0;
    if (is_ours)
        view->rules++;
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(rule, "expr"), i, part)
    {
        json_t *counter = json_object_get(part, "counter");
        const char *target =
            json_string_value(json_object_get(json_object_get(part, "jump"), "target"));
        if (is_ours)
            view->packets += json_integer_value(json_object_get(counter, "packets"));
        if (target != NULL && strcmp(target, chain) == 0) {
            view->jumps++;
            text_format(&view->removal, "delete rule ip %s %s handle %lld\n", table, place,
                        (long long)json_integer_value(json_object_get(rule, "handle")));
        }
    }
}

// Fills in `view` from what nft lists: `table`, or only `chain` in it. The caller frees its text.
// 0, or -1 with `error` set.
static int read_listing(const char *table, const char *chain, bool whole_table, struct view *view,
                        struct error *error)
{
    const char *const options[] = {"-j", "list", whole_table ? "table" : "chain",
                                   "ip", table,  whole_table ? NULL : chain,
                                   NULL};
    struct text output = {0};
    *view = (struct view){0};
    int result = run_tool(&nft, options, "", &output, error);
    // What comes before it are warnings.
    const char *start = result == 0 ? strstr(text_string(&output), "{\"nftables\"") : NULL;
    json_t *all = start != NULL ? json_loads(start, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    if (result == 0 && all == NULL)
        result = error_set(error, "nft -j list, asked for chain %s, did not answer in JSON: %.300s",
                           chain, text_string(&output));
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(all, "nftables"), i, item)
    {
        const char *name =
            json_string_value(json_object_get(json_object_get(item, "chain"), "name"));
        json_t *rule = json_object_get(item, "rule");
        if (name != NULL && strcmp(name, chain) == 0)
            view->chains++;
        if (rule != NULL)
            view_rule(view, rule, table, chain);
    }
    json_decref(all);
    text_free(&output);
    return result;
}

static int look(enum wire_effect effect, const char *chain, struct view *view, struct error *error)
{
    return read_listing(table_of(effect), chain, true, view, error);
}

// --- what a fault is made of ---------------------------------------------------------------------

static void add_list(struct text *text, const char *const *addresses, int count)
{
    for (int i = 0; i < count; i++)
        text_format(text, "%s%s", i > 0 ? "," : "", addresses[i]);
}

// One way. Returns how many rules were added.
static int add_nft_rules(struct text *text, const struct wire_fault *fault, bool forwards,
                         const char *chain)
{
    static const char *const cut[] = {"counter drop", NULL};
    static const char *const reset[] = {"meta l4proto tcp counter reject with tcp reset",
                                        "counter reject with icmp type port-unreachable", NULL};
    struct text loss = {0};
    text_format(&loss, "numgen random mod 100 < %d counter drop", fault->percent);
    const char *const lose[] = {loss.bytes, NULL};
    // nft refuses a share of 100 of 100.
    const char *const *verdicts = fault->effect == WIRE_RESET                          ? reset
                                  : fault->effect == WIRE_LOSE && fault->percent < 100 ? lose
                                                                                       : cut;
    int count = 0;
    for (; verdicts[count] != NULL; count++) {
        text_format(text, "add rule ip " OUR_TABLE " %s ip saddr { ", chain);
        add_list(text, forwards ? fault->from : fault->to,
                 forwards ? fault->from_count : fault->to_count);
        text_add(text, " } ip daddr { ");
        add_list(text, forwards ? fault->to : fault->from,
                 forwards ? fault->to_count : fault->from_count);
        text_format(text, " } %s\n", verdicts[count]);
    }
    text_free(&loss);
    return count;
}

static int set_nft_rules(const struct wire_fault *fault, const char *chain, struct view *wanted,
                         struct error *error)
{
    struct text commands = {0};
    text_format(&commands, "create chain ip " OUR_TABLE " %s\n", chain);
    wanted->rules = add_nft_rules(&commands, fault, true, chain);
    if (fault->both_ways)
        wanted->rules += add_nft_rules(&commands, fault, false, chain);
    wanted->jumps = fault->effect == WIRE_LOSE ? 1 : 2;
    text_format(&commands, "add rule ip " OUR_TABLE " before jump %s\n", chain);
    if (fault->effect != WIRE_LOSE)
        text_format(&commands, "add rule ip " OUR_TABLE " after jump %s\n", chain);
    int result = tell(&nft, commands.bytes, error);
    text_free(&commands);
    return result;
}

// A packet that was in the queue comes by again, marked, so that it meets the other faults.
static int set_queue_rules(const struct wire_fault *fault, const char *chain,
                           const struct wire_detour *detour, struct view *wanted,
                           struct error *error)
{
    struct text commands = {0};
    text_format(&commands, "*" QUEUE_TABLE "\n:%s - [0:0]\n", chain);
    for (int way = 0; way < (fault->both_ways ? 2 : 1); way++) {
        text_format(&commands, "-A %s -%c ", chain, way == 0 ? 's' : 'd');
        add_list(&commands, fault->from, fault->from_count);
        text_format(&commands, " -%c ", way == 0 ? 'd' : 's');
        add_list(&commands, fault->to, fault->to_count);
        text_format(&commands, " -j NFQUEUE --queue-num %d\n", detour->number);
        wanted->rules += fault->from_count * fault->to_count;
    }
    wanted->jumps = 1;
    // Delays are first, holds last: what was delayed is still held.
    text_format(&commands, "-%c FORWARD -m mark ! --mark 0x%x/0x%x -j %s\nCOMMIT\n",
                fault->effect == WIRE_DELAY ? 'I' : 'A', detour->mark, detour->mark, chain);
    int result = tell(&iptables, commands.bytes, error);
    text_free(&commands);
    return result;
}

static int prepare_rules(struct error *error)
{
    return tell(&nft,
                "add table ip " OUR_TABLE "\n"
                "add chain ip " OUR_TABLE
                " before { type filter hook forward priority -10; policy accept; }\n"
                "add chain ip " OUR_TABLE
                " after { type filter hook forward priority 10; policy accept; }\n",
                error);
}

// Waits until the kernel shows what was set. 0, or -1 with `error` set.
static int prove(enum wire_effect effect, const char *chain, const struct view *wanted,
                 struct error *error)
{
    struct view view = {0};
    for (int i = 0; i < LOOKS; i++) {
        int result = look(effect, chain, &view, error);
        text_free(&view.removal);
        if (result != 0)
            return -1;
        if (view.rules == wanted->rules && view.jumps == wanted->jumps)
            return 0;
    }
    return error_set(error,
                     "the kernel took the rules of chain %s but shows %d of %d, and %d of %d jumps "
                     "to them; see nft list ruleset",
                     chain, view.rules, wanted->rules, view.jumps, wanted->jumps);
}

static int remove_rules(enum wire_effect effect, const char *chain, struct error *error)
{
    // An empty chain stops nothing: with that the fault is over, however long it takes to tidy up a
    // table that other processes change, too.
    char empty[80];
    snprintf(empty, sizeof empty, "flush chain ip %s %s\n", table_of(effect), chain);
    bool is_over = tell(&nft, empty, NULL) == 0;
    // Gone is what the kernel says it has removed and does not show, or does not show twice.
    int absences = 0;
    struct error last = {.text = "it is removed, but still there"};
    for (int i = 0; i < (is_over ? LOOKS_TO_TIDY : LOOKS) && absences < 2; i++) {
        struct view view;
        int result = look(effect, chain, &view, error);
        if (result == 0 && view.chains == 0 && view.jumps == 0) {
            absences++;
        } else if (result == 0) {
            text_format(&view.removal, "flush chain ip %s %s\ndelete chain ip %s %s\n",
                        table_of(effect), chain, table_of(effect), chain);
            absences = tell(&nft, view.removal.bytes, &last) == 0 ? 1 : 0;
        }
        text_free(&view.removal);
        if (result != 0)
            return is_over ? 0 : -1;
    }
    return absences == 2 || is_over
               ? 0
               : error_set(error, "cannot remove chain %s: %s", chain, last.text);
}

static int set_rules(const struct wire_fault *fault, const char *chain,
                     const struct wire_detour *detour, struct error *error)
{
    struct view wanted = {0};
    if ((is_queued(fault->effect) ? set_queue_rules(fault, chain, detour, &wanted, error)
                                  : set_nft_rules(fault, chain, &wanted, error)) != 0)
        return -1;
    if (prove(fault->effect, chain, &wanted, error) == 0)
        return 0;
    remove_rules(fault->effect, chain, NULL);
    return -1;
}

static int64_t count_packets(enum wire_effect effect, const char *chain, struct error *error)
{
    struct view view;
    // One chain alone, which nobody else changes, is always shown as it is.
    int result = read_listing(table_of(effect), chain, false, &view, error);
    text_free(&view.removal);
    if (result == 0 && view.rules == 0)
        result = error_set(error, "the rules of chain %s are gone: somebody removed them", chain);
    return result == 0 ? view.packets : -1;
}

// --- wires
// ----------------------------------------------------------------------------------------

#define EFFECTS (WIRE_BUFFER + 1)

// A fault in effect.
struct struck {
    int number;
    enum wire_effect effect;
    int place; // of its queue, or -1
};

struct wires {
    int socket;      // only for its port, which no other process of this namespace has
    uint32_t port;   // ... and which our chains are named after
    int last_number; // of a fault
    struct struck *struck;
    size_t count;
    struct wire_queues *queues; // NULL until they are needed
    bool tried[EFFECTS];        // and found to work
};

struct wires *wires_open(struct error *error)
{
    struct wires *wires = memory_zeroed(1, sizeof *wires);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    socklen_t length = sizeof address;
    int result = 0;
    wires->socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
    if (wires->socket < 0 ||
        bind(wires->socket, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(wires->socket, (struct sockaddr *)&address, &length) != 0)
        result = error_set(error, "cannot talk to the kernel's packet filter: %s", strerror(errno));
    wires->port = address.nl_pid;
    if (result == 0)
        result = prepare_rules(error);
    if (result == 0)
        return wires;
    wires_close(wires);
    return NULL;
}

void wires_close(struct wires *wires)
{
    if (wires == NULL)
        return;
    while (wires->count > 0) {
        size_t left = wires->count;
        wires_heal(wires, wires->struck[left - 1].number, NULL);
        wires->count = left - 1; // nobody is there to be told of an error
    }
    wire_queues_close(wires->queues);
    free(wires->struck);
    if (wires->socket >= 0)
        close(wires->socket);
    free(wires);
}

// --- checks --------------------------------------------------------------------------------------

static int check_addresses(const char *const *addresses, int count, const char *side,
                           struct error *error)
{
    struct in_addr ignored;
    if (count <= 0)
        return error_set(error, "a fault on wires needs addresses it goes %s, and was given none",
                         side);
    for (int i = 0; i < count; i++) {
        if (inet_pton(AF_INET, addresses[i], &ignored) != 1)
            return error_set(error, "a fault on wires cannot go %s \"%s\": not an IPv4 address",
                             side, addresses[i]);
    }
    return 0;
}

static int check(const struct wire_fault *fault, struct error *error)
{
    if (check_addresses(fault->from, fault->from_count, "from", error) != 0 ||
        check_addresses(fault->to, fault->to_count, "to", error) != 0)
        return -1;
    if (fault->effect == WIRE_LOSE && (fault->percent < 1 || fault->percent > 100))
        return error_set(error, "%d %% of the packets cannot be lost: 1 to 100 can",
                         fault->percent);
    if (fault->effect == WIRE_DELAY && (fault->delay_ns < 0 || fault->jitter_ns < 0))
        return error_set(error, "packets cannot be delayed by less than nothing");
    return 0;
}

static struct struck *find(struct wires *wires, int number, struct error *error)
{
    for (size_t i = 0; i < wires->count; i++) {
        if (wires->struck[i].number == number)
            return &wires->struck[i];
    }
    error_set(error, "no fault on wires has the number %d (struck so far: %d; in effect: %zu)",
              number, wires->last_number, wires->count);
    return NULL;
}

// --- faults --------------------------------------------------------------------------------------

static const char *name_chain(const struct wires *wires, int number, char *out)
{
    snprintf(out, CHAIN_BYTES, "lockpick-%u-%d", wires->port, number);
    return out;
}

static int take_queue(struct wires *wires, const struct wire_fault *fault,
                      struct wire_detour *detour, struct error *error)
{
    if (wires->queues == NULL)
        wires->queues = wire_queues_open((uint16_t)wires->port, error);
    return wires->queues == NULL ? -1 : wire_queue_take(wires->queues, fault, detour, error);
}

int wires_strike(struct wires *wires, const struct wire_fault *fault, struct error *error)
{
    char chain[CHAIN_BYTES];
    struct wire_detour detour = {0};
    struct struck struck = {.number = wires->last_number + 1, .effect = fault->effect, .place = -1};
    if (check(fault, error) != 0)
        return -1;
    if (is_queued(fault->effect)) {
        struck.place = take_queue(wires, fault, &detour, error);
        if (struck.place < 0)
            return -1;
    }
    if (set_rules(fault, name_chain(wires, struck.number, chain), &detour, error) != 0) {
        if (struck.place >= 0)
            wire_queue_give_back(wires->queues, struck.place);
        return -1;
    }
    wires->last_number = struck.number;
    wires->struck = memory_resized(wires->struck, (wires->count + 1) * sizeof *wires->struck);
    wires->struck[wires->count++] = struck;
    return struck.number;
}

int64_t wires_packets(struct wires *wires, int number, struct error *error)
{
    char chain[CHAIN_BYTES];
    const struct struck *struck = find(wires, number, error);
    return struck == NULL ? -1
                          : count_packets(struck->effect, name_chain(wires, number, chain), error);
}

int wires_heal(struct wires *wires, int number, struct error *error)
{
    char chain[CHAIN_BYTES];
    struct struck *struck = find(wires, number, error);
    if (struck == NULL)
        return -1;
    // Before the rules are removed: else packets that meet them no more would overtake.
    if (struck->place >= 0)
        wire_queue_release(wires->queues, struck->place);
    if (remove_rules(struck->effect, name_chain(wires, number, chain), error) != 0)
        return -1;
    if (struck->place >= 0)
        wire_queue_give_back(wires->queues, struck->place);
    *struck = wires->struck[--wires->count];
    return 0;
}

// No fault needs the thread: without one, a process that forks is better off.
static void end_idle_queues(struct wires *wires)
{
    for (size_t i = 0; i < wires->count; i++) {
        if (wires->struck[i].place >= 0)
            return;
    }
    wire_queues_close(wires->queues);
    wires->queues = NULL;
}

const char *wires_means(struct wires *wires, enum wire_effect effect, struct error *why)
{
    static const char *const nobody[] = {"192.0.2.1"}; // RFC 5737: for examples only
    static const char *const nobody_else[] = {"192.0.2.2"};
    struct wire_fault fault = {.effect = effect,
                               .from = nobody,
                               .from_count = 1,
                               .to = nobody_else,
                               .to_count = 1,
                               .percent = 50};
    if (!wires->tried[effect]) {
        int number = wires_strike(wires, &fault, why);
        wires->tried[effect] = number > 0 && wires_heal(wires, number, why) == 0;
        end_idle_queues(wires);
    }
    if (!wires->tried[effect])
        return NULL;
    return is_queued(effect) ? "a queue in user space" : "nftables";
}
