// `lockpick help scenario`: from the table that binds the keys.
#include "harness/base/table.h"
#include "harness/base/text.h"
#include "harness/scenario/keys.h"
#include "harness/scenario/trigger.h"

#include <stdlib.h>
#include <string.h>

// help_NAME.txt.
extern const char template_help_introduction[];
extern const char template_help_grammars[];
extern const char template_help_example[];

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
        text_free(&value);
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
    struct text text = {0};
    text_join(&text, words, last);
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
    struct text percentiles = {0};
    percentiles_list("", &percentiles);
    fprintf(out,
            "\nFigures (thresholds): %s; <, <=, >, >= or ==.\n"
            "One that was not measured, for want of values or because the driver was the limit, is "
            "not met.\n\n",
            percentiles.bytes);
    text_free(&percentiles);
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
