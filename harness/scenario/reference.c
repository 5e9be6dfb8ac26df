// `lockpick help scenario`: from the table that binds the keys.
#include "harness/base/table.h"
#include "harness/base/text.h"
#include "harness/scenario/keys.h"
#include "harness/scenario/trigger.h"

#include <stdlib.h>
#include <string.h>

static const char introduction[] =
    "A scenario is a YAML file: what clients do under a lock, what strikes them, and what must "
    "come\n"
    "out. Durations are whole numbers with a unit: 50us, 250ms, 10s, 2m, 1h. Where a list is "
    "meant,\n"
    "one value without brackets will do. Everything wrong with a file is reported in one pass, as\n"
    "file:line:column: message. --set clients.threads=8 acts as if the file had said so; so does\n"
    "--set faults.1.until=3s for an item of a list.\n";

static const char grammars[] =
    "Points (when)\n"
    "  WHO before WHAT [in PHASE]     a worker is about to do it: read, write, a command (GET), "
    "or\n"
    "                                 request: any command\n"
    "  WHO after WHAT [in PHASE]      a worker has done it\n"
    "  WHO holds                      a worker was granted the lock\n"
    "  The worker that gets there waits until the fault is in effect. There is no 'before read':\n"
    "  it is where 'holds' is. Reads and writes of a store that is a server are requests too.\n"
    "  acquire, release and renew are what a driver (exec) is asked; 'after request in release' "
    "is\n"
    "  between the requests of any lock to its servers.\n"
    "\n"
    "Causes (until, and when)\n"
    "  WHO DOES                       a client does it; before the fault was in effect does not "
    "count\n"
    "  lease of client-N gone         the servers do not have its lock any more (or: session of\n"
    "                                 client-N expired)\n"
    "  SERVER is leader               (or master, primary) it decides who gets the lock\n"
    "  SERVER is up                   it answers\n"
    "  NAME is over                   an earlier fault has ended\n"
    "  until: CAUSE or DURATION       whichever comes first\n"
    "  until: CAUSE                   the same with 'or " DEFAULT_BOUND "'\n"
    "  until: DURATION                for so long\n"
    "  until: end                     to the end of the trial\n"
    "\n"
    "Order\n"
    "  after: NAME                    armed once that fault is in effect (one that is over at "
    "once:\n"
    "                                 once it is over); without 'when' and 'at' it strikes then\n"
    "  The worker at the point goes on once the fault, and all that follow it at once, stand.\n"
    "\n"
    "Targets (pause: ..., kill: ...)\n"
    "  client-N                       the whole process, with all its threads\n"
    "  client-N worker-M              that thread only; for pause\n"
    "  server-N                       the lock's Nth server; or by the name of its node: redis-2,\n"
    "                                 sentinel-1, zookeeper-3, ...\n"
    "  leader, follower-N             by what they are when the fault strikes\n"
    "  store                          the server of the guarded value\n"
    "Wires (cut: ..., delay: ..., loss: ..., hold: ...)\n"
    "  NODE, NODE from NODE, NODE     both ways; 'to' instead of 'from': that way only. A NODE is "
    "a\n"
    "                                 target, or servers, followers, clients, others\n"
    "  NODE                           from all others\n"
    "  A reply is lost by a cut of SERVER to CLIENT before its request.\n"
    "\n"
    "where\n"
    "  WHO is client-N or client-N worker-M; both count from 1\n";

static const char example[] = //
    "version: 1\n"
    "name: pause-outlives-lease\n"
    "about: A pause longer than the lease, between reading the balance and writing it back.\n"
    "workload: {kind: increment, store: shm, operations: 40}\n"
    "clients: {processes: 3, threads: 1, lead: client-1}\n"
    "lock: {lease: 300ms, wait: 5s, retry: 10ms}\n"
    "schemes: [redis-setnx-expire, \"redis-set-px-*\"]\n"
    "faults:\n"
    "  - name: first\n"
    "    when: client-1 after read            # the nth time with `nth: 3`; or `at: 2s`\n"
    "    pause: client-1\n"
    "    until: client-2 writes or 3s\n"
    "  - after: first\n"
    "    when: [client-2 after DEL in release, client-2 after EVAL in release]\n"
    "    kill: client-2\n"
    "expect:\n"
    "  - schemes: redis-set-px-*\n"
    "    verdict: unsafe\n"
    "    because: [stale-holder, lost-update]\n"
    "    allow: double-grant\n"
    "limit: 60s\n";

// What is written after the key, short enough for a column.
static void describe_value(const struct key *key, const struct vocabulary *vocabulary,
                           struct text *out)
{
    struct text wanted = {0};
    const char *shown;
    key_wanted(key, vocabulary, &wanted);
    shown = wanted.bytes;
    if (key->type == KEY_PATTERNS)
        shown = "names, globs, traits";
    else if (key->type == KEY_WORDS)
        shown = key->words == WORDS_PROPERTIES ? "properties"
                : key->words == WORDS_PROMISES ? "traits of schemes"
                : key->words == WORDS_DRAWS    ? "names of faults, " LOST_REPLY
                                               : shown;
    else if (key->type == KEY_POINTS)
        shown = "a point, or up to 4 of one client";
    else if (key->type == KEY_UNTIL)
        shown = "a cause, a duration, or both";
    else if (key->type == KEY_VERB)
        shown = "a target, or a wire";
    else if (key->type == KEY_SECTIONS)
        shown = key->text_is != NULL ? "a list of limits, or mappings" : "a list of mappings";
    else if (key->type == KEY_WHOLE && key->most == INT64_MAX)
        shown = "a whole number";
    text_add(out, shown);
    text_free(&wanted);
}

static void print_section(const struct section *section, const struct vocabulary *vocabulary,
                          FILE *out)
{
    static const char *const headings[] = {"key", "value", "default", "meaning", NULL};
    struct table *table = table_new(headings);
    for (size_t i = 0; i < section->key_count; i++) {
        const struct key *key = &section->keys[i];
        struct text value = {0};
        describe_value(key, vocabulary, &value);
        table_cell(table, COLOUR_PLAIN, key->name != NULL ? key->name : "FAULT");
        table_cell(table, COLOUR_PLAIN, value.bytes);
        table_cell(table, COLOUR_PLAIN,
                   key->required        ? "required"
                   : key->fallback_text ? key->fallback_text
                                        : key->fallback);
        table_cell(table, COLOUR_PLAIN, key->help);
        text_free(&value);
    }
    fprintf(out, "\n%s%s%s\n\n", section->name, *section->name ? ": " : "", section->about);
    table_print(table, out, false);
    table_free(table);
    for (size_t i = 0; i < section->key_count; i++) {
        const struct key *key = &section->keys[i];
        bool again = i > 0 && key->section == key[-1].section;
        if (key->section != NULL && !again)
            print_section(key->section, vocabulary, out);
        if (key->section == &exec_section)
            print_section(&plugin_section, vocabulary, out);
    }
}

static void print_words(const char *name, const char *const *words, const char *last, FILE *out)
{
    struct text text = {0};
    words_join(words, last, &text);
    fprintf(out, "  %s%s\n", name, text_string(&text));
    text_free(&text);
}

// What `thresholds` can limit.
static void print_metrics(FILE *out)
{
    static const char *const headings[] = {"figure", "limit", "meaning", NULL};
    struct table *table = table_new(headings);
    struct metric_words words;
    for (size_t i = 0; metric_describe(i, &words); i++) {
        struct text name = {0};
        text_format(&name, "%s%s", words.name, metric_is_latency((enum metric)i) ? ".p99" : "");
        table_cell(table, COLOUR_PLAIN, name.bytes);
        table_cell(table, COLOUR_PLAIN, words.value);
        table_cell(table, COLOUR_PLAIN, words.meaning);
        text_free(&name);
    }
    fputs(
        "\nFigures (thresholds): p50, p90, p99, p99.9, p99.99 or max; <, <=, >, >= or ==. One "
        "that\n"
        "was not measured, for want of values or because the driver was the limit, is not met.\n\n",
        out);
    table_print(table, out, false);
    table_free(table);
}

// Names one below the other: there may be many.
static void print_names(const char *heading, const char *const *names, FILE *out)
{
    fprintf(out, "\n%s\n", heading);
    for (size_t i = 0; names[i] != NULL; i++)
        fprintf(out, "  %s\n", names[i]);
}

static void print_topologies(const struct topology_name *topologies, FILE *out)
{
    const char *server = "";
    fputs("\nTopologies (servers), the usual one first", out);
    for (; topologies->name != NULL; topologies++) {
        bool same = strcmp(topologies->server, server) == 0;
        if (same)
            fprintf(out, ", %s", topologies->name);
        else
            fprintf(out, "\n  %s: %s", topologies->server, topologies->name);
        server = topologies->server;
    }
    fputs("\n", out);
}

void scenario_print_reference(FILE *out, const struct vocabulary *vocabulary)
{
    fputs(introduction, out);
    print_section(&scenario_section, vocabulary, out);
    fprintf(out, "\n%s", grammars);
    print_words("WHAT is read, write, or a command: ", vocabulary->commands, "or", out);
    print_words("PHASE is ", phase_words, "or", out);
    print_words("FAULT is ", words_of(vocabulary, WORDS_FAULTS), "or", out);
    print_words("DOES is ", cause_words, "or", out);
    print_metrics(out);
    print_topologies(vocabulary->topologies, out);
    print_names("Schemes", vocabulary->schemes, out);
    print_names("Traits of schemes", vocabulary->traits, out);
    print_names("Properties (because, allow)", vocabulary->properties, out);
    fprintf(out, "\nA complete example\n\n%s", example);
}
