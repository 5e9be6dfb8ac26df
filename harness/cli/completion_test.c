#include "harness/cli/verb.h"
#include "harness/testing/text.h"

// Whether `word` stands there by itself.
static bool has_word(const char *text, const char *word)
{
    static const char inside[] = "abcdefghijklmnopqrstuvwxyz-";
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        if ((at == text || strchr(inside, at[-1]) == NULL) &&
            (at[length] == '\0' || strchr(inside, at[length]) == NULL))
            return true;
    }
    return false;
}

// In what bash is given, all options of a verb stand in one line, and in what zsh is given behind
// its name; in what fish is given, each in a line with the verb's name.
static void expect_option(enum shell shell, const char *text, const struct verb *verb,
                          const char *option)
{
    static const char *const marks[] = {"*:%s:*:-*)", "\n    %s)\n", "_from %s' -l "};
    static const char *const ends[] = {"\n", "\n        ;;",
                                       "\ncomplete -c lockpick -n __fish_use"};
    char mark[64], name[64];
    snprintf(mark, sizeof mark, marks[shell], verb->name);
    snprintf(name, sizeof name, shell == SHELL_FISH ? "-l %s" : "--%s", option);
    const char *begin = strstr(text, mark);
    assert_non_null(begin);
    const char *end = strstr(begin + strlen(mark) - 1, ends[shell]);
    char *part =
        text_formatted("%.*s", end != NULL ? (int)(end - begin) : (int)strlen(begin), begin);
    if (!has_word(part, name))
        fail_msg("no %s of %s for %s in:\n%s", name, verb->name, shell_names[shell], part);
    free(part);
}

TEST(each_verb_and_each_of_its_options_is_completed_in_each_shell)
{
    for (enum shell shell = SHELL_BASH; shell <= SHELL_FISH; shell++) {
        AUTO_TEXT struct text text = {0};
        completion_write(shell, &text);
        for (size_t i = 0; verb_catalogue[i] != NULL; i++) {
            const struct verb *verb = verb_catalogue[i];
            assert_true(has_word(text.bytes, verb->name));
            for (const struct option *option = verb->options;
                 option != NULL && option->name != NULL; option++)
                expect_option(shell, text.bytes, verb, option->name);
        }
    }
}
