#include "harness/cli/verb.h"

#include <string.h>

const char *const shell_names[] = {"bash", "zsh", "fish", NULL};

// Words that stand between quotes: with a backslash before each of `special`, and `quote` for one.
static void add_quoted(struct text *out, const char *words, const char *special, const char *quote)
{
    for (; *words != '\0'; words++) {
        if (*words == '\'')
            text_add(out, quote);
        else
            text_format(out, "%s%c", strchr(special, *words) != NULL ? "\\" : "", *words);
    }
}

static void add_words(struct text *out, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        text_format(out, "%s%s", i == 0 ? "" : " ", words[i]);
}

static void add_verbs(struct text *out)
{
    for (size_t i = 0; verb_catalogue[i] != NULL; i++)
        text_format(out, "%s%s", i == 0 ? "" : " ", verb_catalogue[i]->name);
}

// What `lockpick help` can be asked for.
static void add_subjects(struct text *out)
{
    text_add(out, "scenario ");
    add_verbs(out);
}

static const struct option *options_of(const struct verb *verb)
{
    static const struct option none = {.name = NULL};
    return verb->options != NULL ? verb->options : &none;
}

// What is completed stands in $2, and what is before it in $3.
static void write_bash(struct text *out)
{
    text_add(out,
             "_lockpick()\n{\n    local words=\n    case $COMP_CWORD:${COMP_WORDS[1]}:$3:$2 in\n"
             "    1:*) words='");
    add_verbs(out);
    text_add(out, "' ;;\n");
    for (size_t i = 0; verb_catalogue[i] != NULL; i++) {
        const struct verb *verb = verb_catalogue[i];
        const struct option *options = options_of(verb);
        for (const struct option *option = options; option->name != NULL; option++) {
            if (option->kind != OPTION_WORD)
                continue;
            text_format(out, "    *:%s:--%s:*) words='", verb->name, option->name);
            add_words(out, option->words);
            text_add(out, "' ;;\n");
        }
        text_format(out, "    *:%s:*:-*) words='--help", verb->name);
        for (const struct option *option = options; option->name != NULL; option++)
            text_format(out, " --%s", option->name);
        text_add(out, "' ;;\n");
    }
    text_add(out, "    *:help:*) words='");
    add_subjects(out);
    text_add(out,
             "' ;;\n    esac\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$2\")\n}\n"
             "complete -o default -F _lockpick lockpick\n");
}

// As _arguments reads it: *--NAME=[HELP]:ARGUMENT:ACTION.
static void add_zsh_option(struct text *out, const struct option *option)
{
    bool takes_value = option->argument[0] != '\0';
    text_format(out, "            '%s--%s%s[", takes_value ? "*" : "", option->name,
                takes_value ? "=" : "");
    add_quoted(out, option->help, "[]:\\", "'\\''");
    text_add(out, "]");
    if (takes_value) {
        text_add(out, ":");
        add_quoted(out, option->argument, ":\\", "'\\''");
        text_add(out, option->kind == OPTION_WORD ? ":(" : ":_files");
    }
    if (option->kind == OPTION_WORD) {
        add_words(out, option->words);
        text_add(out, ")");
    }
    text_add(out, "' \\\n");
}

static void write_zsh(struct text *out)
{
    text_add(out, "_lockpick()\n{\n    local -a verbs=(\n");
    for (size_t i = 0; verb_catalogue[i] != NULL; i++) {
        text_format(out, "        '%s:", verb_catalogue[i]->name);
        add_quoted(out, verb_catalogue[i]->summary, "\\", "'\\''");
        text_add(out, "'\n");
    }
    text_add(out, "    )\n    if ((CURRENT == 2)); then\n        _describe verb verbs\n"
                  "        return\n    fi\n    shift words\n    ((CURRENT--))\n"
                  "    case $words[1] in\n");
    for (size_t i = 0; verb_catalogue[i] != NULL; i++) {
        const struct verb *verb = verb_catalogue[i];
        text_format(out, "    %s)\n        _arguments \\\n", verb->name);
        for (const struct option *option = options_of(verb); option->name != NULL; option++)
            add_zsh_option(out, option);
        text_add(out, "            '--help[says what the verb does]' \\\n            '*:");
        if (verb == &help_verb) {
            text_add(out, "subject:(");
            add_subjects(out);
            text_add(out, ")'");
        } else {
            text_add(out, "file:_files'");
        }
        text_add(out, "\n        ;;\n");
    }
    text_add(out, "    esac\n}\n_lockpick \"$@\"\n");
}

static void write_fish(struct text *out)
{
    for (size_t i = 0; verb_catalogue[i] != NULL; i++) {
        const struct verb *verb = verb_catalogue[i];
        text_format(out, "complete -c lockpick -n __fish_use_subcommand -f -a %s -d '", verb->name);
        add_quoted(out, verb->summary, "\\", "\\'");
        text_add(out, "'\n");
        for (const struct option *option = options_of(verb); option->name != NULL; option++) {
            text_format(out, "complete -c lockpick -n '__fish_seen_subcommand_from %s' -l %s",
                        verb->name, option->name);
            if (option->kind == OPTION_WORD) {
                text_add(out, " -x -a '");
                add_words(out, option->words);
                text_add(out, "'");
            } else if (option->argument[0] != '\0') {
                text_add(out, " -r");
            }
            text_add(out, " -d '");
            add_quoted(out, option->help, "\\", "\\'");
            text_add(out, "'\n");
        }
    }
    text_add(out, "complete -c lockpick -n '__fish_seen_subcommand_from help' -f -a '");
    add_subjects(out);
    text_add(out, "'\n");
}

void completion_write(enum shell shell, struct text *out)
{
    static void (*const writers[])(struct text * out) = {
        [SHELL_BASH] = write_bash, [SHELL_ZSH] = write_zsh, [SHELL_FISH] = write_fish};
    text_format(out, "%s# Made by `lockpick help --completion %s`.\n",
                shell == SHELL_ZSH ? "#compdef lockpick\n" : "", shell_names[shell]);
    writers[shell](out);
}
