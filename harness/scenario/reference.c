// The reference of scenario files: `lockpick help scenario`, from the table of keys.
#include "harness/base/scope.h"
#include "harness/base/table.h"
#include "harness/scenario/keys.h"
#include "harness/scenario/trigger.h"

#include <string.h>

// help_NAME.txt.
extern const char template_help_introduction[];
extern const char template_help_grammars[];
extern const char template_help_example[];

// What is written after the key, short enough for a column.
static void describe_value(const struct key *key, const struct vocabulary *vocabulary,
                           struct text *out)
{
    static const char *const words[] = {[WORDS_PROPERTIES] = "properties",
                                        [WORDS_PROMISES] = "traits of schemes",
                                        [WORDS_DRAWS] = "names of faults, " LOST_REPLY,
                                        [WORDS_MOMENTS] = NULL};
    const char *brief = key->type == KEY_WORDS ? words[key->words]
                        : key->text_is != NULL ? "a list of limits, or mappings"
                        : key->type == KEY_WHOLE && key->most == INT64_MAX
                            ? "a whole number"
                            : key_forms[key->type].brief;
    if (brief != NULL)
        text_add(out, brief);
    else
        key_wanted(key, vocabulary, out);
}

static void print_section(const struct section *section, const struct vocabulary *vocabulary,
                          FILE *out)
{
    static const char *const headings[] = {"key", "value", "default", "meaning", NULL};
    struct table *table = table_new(headings);
    for (size_t i = 0; i < section->key_count; i++) {
        const struct key *key = &section->keys[i];
        AUTO_TEXT struct text value = {0};
        describe_value(key, vocabulary, &value);
        table_cell(table, COLOUR_PLAIN,
                   key->name != NULL          ? key->name
                   : key->type == KEY_SECTION ? "KIND"
                                              : "FAULT");
        table_cell(table, COLOUR_PLAIN, value.bytes);
        table_cell(table, COLOUR_PLAIN,
                   key->required        ? "required"
                   : key->fallback_text ? key->fallback_text
                                        : key->fallback);
        table_cell(table, COLOUR_PLAIN, key->help);
    }
    size_t length = strlen(section->name);
    bool is_one_of_many = length > 0 && section->name[length - 1] == '.';
    fprintf(out, "\n%s%s%s%s\n\n", section->name, is_one_of_many ? "KIND" : "",
            length > 0 ? ": " : "", section->about);
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
    AUTO_TEXT struct text text = {0};
    text_join(&text, words, last);
    fprintf(out, "  %s%s\n", name, text_string(&text));
}

// What `thresholds` can limit.
static void print_metrics(FILE *out)
{
    static const char *const headings[] = {"figure", "limit", "meaning", NULL};
    struct table *table = table_new(headings);
    for (enum metric i = 0; i < METRIC_COUNT; i++) {
        AUTO_TEXT struct text name = {0};
        text_format(&name, "%s%s", metric_forms[i].name, metric_is_latency(i) ? ".p99" : "");
        table_cell(table, COLOUR_PLAIN, name.bytes);
        table_cell(table, COLOUR_PLAIN, metric_wanted(i));
        table_cell(table, COLOUR_PLAIN, metric_forms[i].meaning);
    }
    AUTO_TEXT struct text percentiles = {0};
    percentiles_list("", &percentiles);
    fprintf(out,
            "\nFigures (thresholds): %s; <, <=, >, >= or ==.\n"
            "One that was not measured, for want of values or because the driver was the limit, is "
            "not met.\n\n",
            percentiles.bytes);
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

static void print_topologies(const struct topology_form *topologies, FILE *out)
{
    const char *server = "";
    fputs("\nTopologies (servers), the usual one first", out);
    for (; topologies->name != NULL; topologies++) {
        bool same = strcmp(topologies->server, server) == 0;
        server = topologies->server;
        fprintf(out, "%s%s%s%s", same ? ", " : "\n  ", same ? "" : server, same ? "" : ": ",
                topologies->name);
    }
    fputs("\n", out);
}

void scenario_print_reference(FILE *out, const struct vocabulary *vocabulary)
{
    fputs(template_help_introduction, out);
    print_section(&scenario_section, vocabulary, out);
    fprintf(out, "\n%s", template_help_grammars);
    print_words("WHAT is read, write, or a command: ", vocabulary->commands, "or", out);
    print_words("PHASE is ", phase_words, "or", out);
    print_words("FAULT is ", words_of(vocabulary, WORDS_FAULTS), "or", out);
    print_words("DOES is ", cause_words, "or", out);
    print_words("KIND is ", words_of(vocabulary, WORDS_SERVERS), "or", out);
    print_metrics(out);
    print_topologies(vocabulary->topologies, out);
    print_names("Schemes", vocabulary->schemes, out);
    print_names("Traits of schemes", vocabulary->traits, out);
    print_names("Properties (because, allow)", vocabulary->properties, out);
    fprintf(out, "\nA complete example\n\n%s", template_help_example);
}
