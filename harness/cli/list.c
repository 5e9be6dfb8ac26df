// list: what there is to choose from.
#include "faults/fault.h"
#include "harness/base/scope.h"
#include "harness/base/table.h"
#include "harness/base/terminal.h"
#include "harness/cli/verb.h"
#include "harness/cluster/server.h"
#include "harness/locks/lock.h"
#include "harness/stores/store.h"
#include "harness/wire/commands.h"
#include "harness/workloads/workload.h"

#include <stdarg.h>
#include <string.h>

// A row: the first `bold` cells stand out.
#define ROW(table, bold, ...) row_of(table, bold, __VA_ARGS__, (char *)NULL)
__attribute__((sentinel)) static void row_of(struct table *table, int bold, ...)
{
    va_list cells;
    va_start(cells, bold);
    for (const char *cell; (cell = va_arg(cells, const char *)) != NULL;)
        table_cell(table, bold-- > 0 ? COLOUR_BOLD : COLOUR_PLAIN, cell);
    va_end(cells);
}

static void print(struct table *table)
{
    table_print(table, stdout, colour_wanted(stdout));
    table_free(table);
}

// The words with commas between them.
static struct text joined(const char *const *words)
{
    struct text text = {0};
    text_join(&text, words, NULL);
    return text;
}

static void list_schemes(void)
{
    struct table *table = TABLE_OF("SCHEME", "TRAITS", "HOW IT LOCKS", "WHAT BREAKS IT");
    struct table *traits = TABLE_OF("TRAIT", "MEANING");
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        AUTO_TEXT struct text has = joined(scheme->traits);
        ROW(table, 1, scheme->name, has.length > 0 ? has.bytes : "-", scheme->summary,
            scheme->breaks);
    }
    print(table);
    puts("");
    for (size_t i = 0; lock_traits[i].name != NULL; i++)
        ROW(traits, 1, lock_traits[i].name, lock_traits[i].meaning);
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        char needs[48];
        snprintf(needs, sizeof needs, "needs %s", server_catalogue[i]->form.title);
        if (server_catalogue[i]->form.title != NULL)
            ROW(traits, 1, server_catalogue[i]->name, needs);
    }
    print(traits);
}

// Adds the words of rights that are not there yet.
static void add_rights(struct text *text, const char *rights)
{
    AUTO_FREE char *copy = memory_string(rights != NULL ? rights : "");
    char *rest = copy;
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        AUTO_TEXT struct text all = {0}, wanted = {0};
        text_format(&all, "%s ", text_string(text));
        text_format(&wanted, " %s ", word);
        if (word[0] != '\0' && strstr(text_string(&all), text_string(&wanted)) == NULL)
            text_format(text, " %s", word);
    }
}

// What its user needs on a server that runs already, and that keeps the guarded value, too, if it
// can.
static void print_rights(const struct lock_scheme *scheme)
{
    const struct server_kind *server =
        scheme->server != NULL ? server_kind_find(scheme->server) : NULL;
    const struct store_kind *store = server != NULL ? store_kind_find(server->name) : NULL;
    if (server != NULL && server->form.login == LOGIN_NONE && !server->form.is_custom)
        printf("\nA server of yours (%s, external:) knows no users: who reaches it may use it.\n",
               server->form.title);
    if (server == NULL || server->form.grant == NULL)
        return;
    AUTO_TEXT struct text rights = {0};
    if (scheme->rights != NULL) {
        add_rights(&rights, scheme->rights);
        add_rights(&rights, store != NULL ? store->rights : NULL);
        add_rights(&rights, server->form.rights);
    }
    printf("\nOn a server of yours (%s, external:)%s, its user needs:\n  %s%s\n",
           server->form.title, store != NULL ? " that keeps the guarded value, too" : "",
           server->form.grant, text_string(&rights));
}

static void list_scheme(const struct lock_scheme *scheme)
{
    static const char *const single[] = {"single", NULL};
    struct table *table = TABLE_OF("SCHEME", scheme->name);
    AUTO_TEXT struct text has = joined(scheme->traits);
    AUTO_TEXT struct text works_on =
        joined(scheme->topologies != NULL ? scheme->topologies : single);
    ROW(table, 0, "how it locks", scheme->summary);
    ROW(table, 0, "what breaks it", scheme->breaks);
    ROW(table, 0, "traits", has.length > 0 ? has.bytes : "-");
    if (scheme->server != NULL)
        ROW(table, 0, "topologies", works_on.bytes);
    if (scheme->undeclared_keys != NULL)
        ROW(table, 0, "undeclared keys", scheme->undeclared_keys);
    print(table);
    print_rights(scheme);
}

// The table of harness/locks/README.md.
static void list_schemes_as_markdown(void)
{
    puts("| scheme | how it locks | what breaks it | traits |\n|---|---|---|---|");
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        AUTO_TEXT struct text has = joined(scheme->traits);
        printf("| `%s` | %s | %s | %s |\n", scheme->name, scheme->summary, scheme->breaks,
               text_string(&has));
    }
}

static void list_topologies(void)
{
    struct table *table = TABLE_OF("SERVER", "TOPOLOGY", "NODES", "WHAT IT IS");
    const struct topology *topology;
    for (size_t i = 0; (topology = topology_at(i)) != NULL; i++) {
        char nodes[40];
        snprintf(nodes, sizeof nodes,
                 topology->form.least == topology->form.most ? "%d" : "%d (%d to %d)",
                 topology->form.usual, topology->form.least, topology->form.most);
        ROW(table, 2, topology->form.server, topology->form.name, nodes, topology->summary);
    }
    print(table);
}

static void list_workloads(void)
{
    struct table *table = TABLE_OF("WORKLOAD", "WHAT CLIENTS DO");
    for (size_t i = 0; workload_catalogue[i] != NULL; i++)
        ROW(table, 1, workload_catalogue[i]->name, workload_catalogue[i]->summary);
    print(table);
}

static const char *const *options_of(const struct fault_form *form)
{
    for (size_t i = 0; form->ways != NULL && form->hows[i] != NULL; i++) {
        if (form->ways[i]->options != NULL)
            return form->ways[i]->options;
    }
    return form->options;
}

// What of a fault's ways is not so of the fault.
static void note_ways(const struct fault_form *form, struct text *out)
{
    for (size_t i = 0; form->ways != NULL && form->hows[i] != NULL; i++) {
        const struct fault_form *way = form->ways[i];
        if (way->lasting != form->lasting && way->lasting == LASTS_BOUNDED)
            text_format(out, "`until` is required with %s's `how: %s`.\n", form->name,
                        form->hows[i]);
        else if (way->lasting != form->lasting && way->lasting == LASTS_NEVER)
            text_format(out, "Nothing ends %s's `how: %s`.\n", form->name, form->hows[i]);
        for (size_t j = 0; form->options == NULL && way->options != NULL && way->options[j]; j++)
            text_format(out, "Only %s's `how: %s` takes `%s`.\n", form->name, form->hows[i],
                        way->options[j]);
    }
}

static void list_faults(void)
{
    static const char *const kinds[] = {"client", "worker", "server", "wire",
                                        "by command"}; // by STRIKES_*
    static const char *const untils[] = {[LASTS_NEVER] = "-",
                                         [LASTS_IF_TOLD] = "or for good",
                                         [LASTS_BRIEFLY] = "or at once",
                                         [LASTS_ON] = "or the end",
                                         [LASTS_BOUNDED] = "required"};
    struct table *table = TABLE_OF("FAULT", "STRIKES", "UNTIL", "HOW", "TAKES", "WHAT IT DOES");
    AUTO_TEXT struct text between = {0};
    AUTO_TEXT struct text of_ways = {0};
    for (size_t i = 0; fault_catalogue[i] != NULL; i++) {
        const struct fault_form *form = &fault_catalogue[i]->form;
        struct text words[] = {{0}, joined(form->hows), joined(options_of(form))};
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
            if ((form->strikes & (1U << kind)) != 0)
                text_add_item(&words[0], kinds[kind]);
        }
        for (size_t j = 0; j < 3; j++)
            text_add(&words[j], words[j].length > 0 ? "" : "-");
        if (fault_is_between(form))
            text_add_item(&between, form->name);
        note_ways(form, &of_ways);
        ROW(table, 1, form->name, words[0].bytes, untils[form->lasting], words[1].bytes,
            words[2].bytes, fault_catalogue[i]->summary);
        for (size_t j = 0; j < 3; j++)
            text_free(&words[j]);
    }
    print(table);
    AUTO_TEXT struct text notes = {0};
    text_format(
        &notes,
        "The first way of `how` is the usual one, unless the kind of server has only others.\n"
        "%sServers that run already (external) are struck by your commands (exec); what goes "
        "between "
        "them\nand clients, by %s.\n",
        text_string(&of_ways), text_string(&between));
    terminal_print(stdout, notes.bytes);
}

static void list_points(void)
{
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
    struct table *table = TABLE_OF("POINT", "WHERE A WORKER CAN BE STOPPED");
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        ROW(table, 1, points[i][0], points[i][1]);
    print(table);
    AUTO_TEXT struct text commands = {0};
    text_add(&commands, "\nCOMMAND is what a scheme or store sends:\n");
    for (size_t i = 0; wire_commands[i] != NULL; i++) {
        text_add(&commands, " ");
        for (size_t j = 0; wire_commands[i][j] != NULL; j++)
            text_format(&commands, " %s", wire_commands[i][j]);
        text_add(&commands, "\n");
    }
    terminal_print(stdout, commands.bytes);
}

static const struct {
    const char *name;
    void (*print)(void);
    const char *what;
} lists[] = {
    {"schemes", list_schemes,
     "every lock: its traits, how it locks, what breaks it; with a name behind it, that one, and "
     "what its user must be allowed on a server of yours"},
    {"topologies", list_topologies, "how servers of a kind can belong together"},
    {"workloads", list_workloads, "what clients do under the lock"},
    {"faults", list_faults, "what can strike, whom, and how it ends"},
    {"points", list_points, "where a worker can be stopped: what `when:` can say"},
};

#define LIST_COUNT (sizeof lists / sizeof *lists)

// What there is, by name: enough to write a first scenario.
static void list_all(void)
{
    struct table *table = TABLE_OF("LIST", "WHAT IT SHOWS");
    for (size_t i = 0; i < LIST_COUNT; i++)
        ROW(table, 1, lists[i].name, lists[i].what);
    print(table);
    struct vocabulary *vocabulary = vocabulary_new();
    AUTO_TEXT struct text workloads = joined(vocabulary->workloads);
    AUTO_TEXT struct text faults = joined(vocabulary->faults);
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++)
        printf("%s%s",
               i == 0       ? "\nschemes:    "
               : i % 5 == 0 ? ",\n            "
                            : ", ",
               vocabulary->schemes[i]);
    printf("\nworkloads:  %s\nfaults:     %s\n", workloads.bytes, faults.bytes);
    vocabulary_free(vocabulary);
}

static const struct option list_options[] = {
    {"markdown", "", "of schemes: prints the table of harness/locks/README.md",
     .kind = OPTION_FLAG},
    {.name = NULL},
};

static int run_of_scheme(const char *name, bool as_markdown)
{
    const struct lock_scheme *scheme = lock_scheme_find(name);
    struct vocabulary *vocabulary = vocabulary_new();
    int status = EXIT_AS_EXPECTED;
    if (scheme == NULL)
        status = no_such(&list_verb, "scheme", name, vocabulary->schemes);
    else if (as_markdown)
        status = usage_error(&list_verb, "--markdown is of all schemes");
    else
        list_scheme(scheme);
    vocabulary_free(vocabulary);
    return status;
}

static int run(const struct words *words, void *options)
{
    const char *names[LIST_COUNT + 1] = {0};
    const char *wanted = words->items[0];
    bool as_markdown = *(bool *)options;
    bool is_of_schemes = wanted != NULL && strcmp(wanted, "schemes") == 0;
    if (words->count > (is_of_schemes ? 2 : 1))
        return usage_error(&list_verb, "one list at a time, or one scheme");
    if (words->count == 2)
        return run_of_scheme(words->items[1], as_markdown);
    if (as_markdown && !is_of_schemes)
        return usage_error(&list_verb, "--markdown is of schemes only");
    for (size_t i = 0; i < LIST_COUNT; i++)
        names[i] = lists[i].name;
    int index = text_index(wanted, names);
    if (wanted != NULL && index < 0)
        return no_such(&list_verb, "list of", wanted, names);
    if (wanted == NULL)
        list_all();
    else if (as_markdown)
        list_schemes_as_markdown();
    else
        lists[index].print();
    return EXIT_AS_EXPECTED;
}

static void add_lists(const char *word, struct text *out)
{
    (void)word;
    for (size_t i = 0; i < LIST_COUNT; i++)
        text_format(out, "  %-11s %s\n", lists[i].name, lists[i].what);
}

extern const char template_help_list[];
const struct verb list_verb = {
    .name = "list",
    .arguments = "[schemes [NAME]|workloads|faults|...]",
    .summary = "Lists what a scenario can choose from",
    .help = template_help_list,
    .fill = add_lists,
    .options = list_options,
    .room = sizeof(bool),
    .run = run,
};
