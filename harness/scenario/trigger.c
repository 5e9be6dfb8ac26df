#include "harness/scenario/trigger.h"

#include "harness/base/text.h"
#include "harness/scenario/complaints.h"
#include "harness/scenario/words.h"

#include <string.h>
#include <strings.h>

const char *const phase_words[] = {"acquire", "release", "renew", "read", "write", NULL};

static const char *const moment_words[] = {"before", "after", "holds", NULL};

int take_client(struct words *words, int *client, int *worker, struct error *error)
{
    *worker = 0;
    int taken = words_take_numbered(words, "client-", client, error);
    if (taken == 0)
        return words_expected(words, "a client such as client-1", NULL, error);
    if (taken > 0)
        taken = words_take_numbered(words, "worker-", worker, error);
    return taken < 0 ? -1 : 0;
}

static const char *find_command(const char *const *commands, const char *word)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcasecmp(commands[i], word) == 0)
            return commands[i];
    }
    return NULL;
}

static int no_such_command(const struct words *words, const char *const *commands,
                           struct error *error)
{
    static const char what[] = "read, write, request or a command of a server";
    char upper[sizeof words->bytes] = {0};
    for (size_t i = 0; words_peek(words)[i] != '\0'; i++) {
        char byte = words_peek(words)[i];
        upper[i] = byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte;
    }
    const char *nearest = text_nearest(upper, commands);
    const char *const near[] = {nearest ? nearest : "read", nearest ? NULL : "write", NULL};
    struct quote shown;
    if (nearest != NULL)
        return error_set(error, "expected %s, not '%s' (did you mean '%s'?)", what,
                         quote(words_peek(words), &shown), nearest);
    return words_expected(words, what, near, error);
}

// read|write|COMMAND [in PHASE]
static int take_what(struct words *words, const char *const *commands, struct point_name *point,
                     struct error *error)
{
    const char *word = words_peek(words);
    bool is_access = strcmp(word, "read") == 0 || strcmp(word, "write") == 0;
    bool is_general = is_access || strcmp(word, "request") == 0;
    const char *what = is_general ? word : find_command(commands, word);
    if (what == NULL || strlen(what) >= sizeof point->what)
        return no_such_command(words, commands, error);
    if (point->moment == MOMENT_BEFORE && strcmp(what, "read") == 0)
        return error_set(error, "there is no point before a read: it follows 'client-%d holds'",
                         point->client);
    memcpy(point->what, what, strlen(what) + 1);
    words->next++;
    if (!words_take(words, "in"))
        return 0;
    for (size_t i = 0; phase_words[i] != NULL; i++) {
        if (strcmp(words_peek(words), phase_words[i]) != 0)
            continue;
        if (is_access)
            return error_set(error, "'%s' is done in one phase only: leave 'in %s' out", what,
                             phase_words[i]);
        memcpy(point->phase, phase_words[i], strlen(phase_words[i]) + 1);
        words->next++;
        return 0;
    }
    return words_expected(words, "acquire, release, renew, read or write", phase_words, error);
}

// What follows the client of a point.
static int take_point(struct words *words, const char *const *commands, struct point_name *point,
                      struct error *error)
{
    point->moment = MOMENT_AT;
    if (words_take(words, "holds")) {
        memcpy(point->what, "holds", sizeof "holds");
        return words_expect_end(words, error);
    }
    if (words_take(words, "before"))
        point->moment = MOMENT_BEFORE;
    else if (words_take(words, "after"))
        point->moment = MOMENT_AFTER;
    else
        return words_expected(words, "before, after or holds", moment_words, error);
    if (take_what(words, commands, point, error) != 0)
        return -1;
    if (point->phase[0] == '\0' && !words_at_end(words))
        return words_expected(words, "'in' or no more words", NULL, error);
    return words_expect_end(words, error);
}

int point_name_read(const char *text, const char *const *commands, struct point_name *point,
                    struct error *error)
{
    struct words words;
    *point = (struct point_name){0};
    if (words_split(text, &words, error) != 0 ||
        take_client(&words, &point->client, &point->worker, error) != 0)
        return -1;
    return take_point(&words, commands, point, error);
}

// True if the words are of a point: the client is followed by one of its moments, or by nothing
// that a cause could be made of.
static bool is_point(const struct words *words)
{
    if (strncmp(words_peek(words), "client-", 7) != 0)
        return false;
    struct words rest = *words;
    struct error ignored;
    int client;
    int worker;
    if (take_client(&rest, &client, &worker, &ignored) != 0)
        return true;
    const char *next = words_peek(&rest);
    return strcmp(next, "holds") == 0 || !text_is_one_of(next, cause_words);
}

int when_read(const char *text, const char *const *commands, struct point_name *point,
              struct cause *cause, struct error *error)
{
    struct words words;
    *point = (struct point_name){0};
    *cause = (struct cause){.kind = CAUSE_NONE};
    if (words_split(text, &words, error) != 0)
        return -1;
    if (is_point(&words))
        return point_name_read(text, commands, point, error);
    return take_cause(&words, cause, error) != 0 ? -1 : words_expect_end(&words, error);
}
