// list: what there is to choose from.
#include "faults/fault.h"
#include "harness/base/table.h"
#include "harness/base/text.h"
#include "harness/cli/verb.h"
#include "harness/cluster/topology.h"
#include "harness/locks/lock.h"
#include "harness/wire/commands.h"
#include "harness/workloads/workload.h"

#include <stdio.h>
#include <string.h>

static void print(struct table *table)
{
    table_print(table, stdout, colour_wanted(stdout));
    table_free(table);
}

static void list_schemes(void)
{
    static const char *const headings[] = {"SCHEME", "TRAITS", "HOW IT LOCKS", "WHAT BREAKS IT",
                                           NULL};
    struct table *table = table_new(headings);
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        struct text traits = {0};
        for (size_t j = 0; scheme->traits[j] != NULL; j++)
            text_format(&traits, "%s%s", j == 0 ? "" : ", ", scheme->traits[j]);
        table_cell(table, COLOUR_BOLD, scheme->name);
        table_cell(table, COLOUR_PLAIN, traits.length ? traits.bytes : "-");
        table_cell(table, COLOUR_PLAIN, scheme->summary);
        table_cell(table, COLOUR_PLAIN, scheme->breaks);
        text_free(&traits);
    }
    print(table);
    puts("");
    static const char *const trait_headings[] = {"TRAIT", "MEANING", NULL};
    table = table_new(trait_headings);
    for (size_t i = 0; lock_traits[i].name != NULL; i++) {
        table_cell(table, COLOUR_BOLD, lock_traits[i].name);
        table_cell(table, COLOUR_PLAIN, lock_traits[i].meaning);
    }
    print(table);
}

// The table of the README.
static void list_schemes_as_markdown(void)
{
    puts("| scheme | how it locks | what breaks it | traits |\n|---|---|---|---|");
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        printf("| `%s` | %s | %s | ", scheme->name, scheme->summary, scheme->breaks);
        for (size_t j = 0; scheme->traits[j] != NULL; j++)
            printf("%s%s", j == 0 ? "" : ", ", scheme->traits[j]);
        puts(" |");
    }
}

static void list_topologies(void)
{
    static const char *const headings[] = {"SERVER", "TOPOLOGY", "NODES", "WHAT IT IS", NULL};
    struct table *table = table_new(headings);
    for (size_t i = 0; topology_catalogue[i] != NULL; i++) {
        const struct topology *topology = topology_catalogue[i];
        char nodes[40];
        snprintf(nodes, sizeof nodes, topology->least == topology->most ? "%d" : "%d (%d to %d)",
                 topology->usual, topology->least, topology->most);
        table_cell(table, COLOUR_BOLD, topology->server);
        table_cell(table, COLOUR_BOLD, topology->name);
        table_cell(table, COLOUR_PLAIN, nodes);
        table_cell(table, COLOUR_PLAIN, topology->summary);
    }
    print(table);
}

static void list_workloads(void)
{
    static const char *const headings[] = {"WORKLOAD", "WHAT CLIENTS DO", NULL};
    struct table *table = table_new(headings);
    for (size_t i = 0; workload_catalogue[i] != NULL; i++) {
        table_cell(table, COLOUR_BOLD, workload_catalogue[i]->name);
        table_cell(table, COLOUR_PLAIN, workload_catalogue[i]->summary);
    }
    print(table);
}

// A cell of words, or "-" if there are none.
static void list_words(struct table *table, const char *const *words)
{
    struct text text = {0};
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        text_format(&text, "%s%s", i > 0 ? ", " : "", words[i]);
    table_cell(table, COLOUR_PLAIN, text.length > 0 ? text.bytes : "-");
    text_free(&text);
}

static void list_targets(struct table *table, unsigned strikes)
{
    static const char *const names[] = {"client", "worker", "server", "wire"};
    const char *struck[sizeof names / sizeof *names + 1] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((strikes & (1U << i)) != 0)
            struck[count++] = names[i];
    }
    list_words(table, struck);
}

static const char *const *options_of(const struct fault_form *form)
{
    for (size_t i = 0; form->ways != NULL && form->hows[i] != NULL; i++) {
        if (form->ways[i]->options != NULL)
            return form->ways[i]->options;
    }
    return form->options;
}

static void list_faults(void)
{
    static const char *const headings[] = {"FAULT", "STRIKES",      "UNTIL", "HOW",
                                           "TAKES", "WHAT IT DOES", NULL};
    static const char *const untils[] = {[LASTS_NEVER] = "-",
                                         [LASTS_IF_TOLD] = "or for good",
                                         [LASTS_BRIEFLY] = "or at once",
                                         [LASTS_ON] = "or the end",
                                         [LASTS_BOUNDED] = "required"};
    struct table *table = table_new(headings);
    for (size_t i = 0; fault_catalogue[i] != NULL; i++) {
        const struct fault_form *form = &fault_catalogue[i]->form;
        table_cell(table, COLOUR_BOLD, form->name);
        list_targets(table, form->strikes);
        table_cell(table, COLOUR_PLAIN, untils[form->lasting]);
        list_words(table, form->hows);
        list_words(table, options_of(form));
        table_cell(table, COLOUR_PLAIN, fault_catalogue[i]->summary);
    }
    print(table);
    puts("The first way of `how` is the usual one, unless the kind of server has only others.\n"
         "`until` is required with evict's `how: noeviction`, which leaves nothing behind; nothing "
         "ends\ndisk's `how: corrupt`. Of disk's ways only `slow` takes `by`.");
}

static void list_points(void)
{
    static const char *const headings[] = {"POINT", "WHERE A WORKER CAN BE STOPPED", NULL};
    static const char *const points[][2] = {
        {"client-N holds", "it was granted the lock, and has done nothing yet"},
        {"client-N after read", "it has read the guarded value"},
        {"client-N before write", "it is about to write the guarded value back"},
        {"client-N after write", "it has written the guarded value"},
        {"client-N before COMMAND", "a request is about to be sent"},
        {"client-N after COMMAND", "a request was answered, or given up"},
        {"... in PHASE", "only while it does that: acquire, release, renew, read, write"},
        {"client-N worker-M ...", "only that worker; else whichever worker gets there first"},
    };
    struct table *table = table_new(headings);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        table_cell(table, COLOUR_BOLD, points[i][0]);
        table_cell(table, COLOUR_PLAIN, points[i][1]);
    }
    print(table);
    fputs("\nCOMMAND is what a scheme or store sends:", stdout);
    for (size_t i = 0; wire_commands[i] != NULL; i++) {
        fputs("\n ", stdout);
        for (size_t j = 0; wire_commands[i][j] != NULL; j++)
            printf(" %s", wire_commands[i][j]);
    }
    puts("");
}

static const struct {
    const char *name;
    void (*print)(void);
    const char *what;
} lists[] = {
    {"schemes", list_schemes, "every lock: its traits, how it locks, what breaks it"},
    {"topologies", list_topologies, "how servers of a kind can belong together"},
    {"workloads", list_workloads, "what clients do under the lock"},
    {"faults", list_faults, "what can strike, whom, and how it ends"},
    {"points", list_points, "where a worker can be stopped: what `when:` can say"},
};

static void list_names(const char *heading, const char *name)
{
    printf("%s%s", heading, name);
}

// What there is, by name: enough to write a first scenario.
static void list_all(void)
{
    static const char *const headings[] = {"LIST", "WHAT IT SHOWS", NULL};
    struct table *table = table_new(headings);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        table_cell(table, COLOUR_BOLD, lists[i].name);
        table_cell(table, COLOUR_PLAIN, lists[i].what);
    }
    print(table);
    for (size_t i = 0; lock_catalogue[i] != NULL; i++)
        list_names(i == 0       ? "\nschemes:    "
                   : i % 5 == 0 ? ",\n            "
                                : ", ",
                   lock_catalogue[i]->name);
    for (size_t i = 0; workload_catalogue[i] != NULL; i++)
        list_names(i == 0 ? "\nworkloads:  " : ", ", workload_catalogue[i]->name);
    for (size_t i = 0; fault_catalogue[i] != NULL; i++)
        list_names(i == 0 ? "\nfaults:     " : ", ", fault_catalogue[i]->form.name);
    puts("");
}

static int run(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "schemes") == 0 && strcmp(argv[2], "--markdown") == 0) {
        list_schemes_as_markdown();
        return 0;
    }
    if (argc == 1) {
        list_all();
        return 0;
    }
    if (argc != 2)
        return usage_error(&list_verb, "one list at a time");
    const char *names[sizeof lists / sizeof *lists + 1] = {0};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        names[i] = lists[i].name;
        if (strcmp(lists[i].name, argv[1]) == 0) {
            lists[i].print();
            return 0;
        }
    }
    const char *nearest = text_nearest(argv[1], names);
    if (nearest == NULL)
        return usage_error(&list_verb, "there is no list of '%s'", argv[1]);
    return usage_error(&list_verb, "there is no list of '%s' (did you mean '%s'?)", argv[1],
                       nearest);
}

static void print_help(FILE *out)
{
    fputs("Without a word, the names of all. The lists:\n", out);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        fprintf(out, "  %-11s %s\n", lists[i].name, lists[i].what);
    fputs("\nlist schemes --markdown prints the table of the README.\n", out);
}

const struct verb list_verb = {
    .name = "list",
    .arguments = "[schemes|workloads|faults|...]",
    .summary = "Lists what a scenario can choose from",
    .print_help = print_help,
    .run = run,
};
