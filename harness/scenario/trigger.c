#include "harness/scenario/trigger.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/scenario/complaints.h"
#include "harness/scenario/units.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const phase_words[] = {"acquire", "release", "renew", "read", "write", NULL};
const char *const cause_words[] = {"holds", "reads", "writes", "releases", "dies", NULL};

#define LEAST_BOUND_NS NS_PER_MS
#define MOST_BOUND_NS (3600 * NS_PER_S)

static const char *const moment_words[] = {"before", "after", "holds", NULL};

// A text as words, taken one by one.
struct words {
    char bytes[128];
    char *items[8];
    size_t count;
    size_t next;
};

static int split(const char *text, struct words *words, struct error *error)
{
    *words = (struct words){0};
    if (strlen(text) >= sizeof words->bytes)
        return error_set(error, "too long");
    memcpy(words->bytes, text, strlen(text) + 1);
    char *rest = NULL;
    for (char *word = strtok_r(words->bytes, " \t\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\n", &rest)) {
        if (words->count == sizeof words->items / sizeof *words->items)
            return error_set(error, "too many words");
        words->items[words->count++] = word;
    }
    return 0;
}

static const char *peek(const struct words *words)
{
    return words->next < words->count ? words->items[words->next] : "";
}

static bool take(struct words *words, const char *word)
{
    if (strcmp(peek(words), word) != 0)
        return false;
    words->next++;
    return true;
}

// The error for a next word that is not what it should be; `near` (or NULL) is what it could have
// been meant to be.
static int expected(const struct words *words, const char *what, const char *const *near,
                    struct error *error)
{
    static const char *const nothing[] = {NULL};
    struct quote shown;
    struct suggestion suggestion;
    const char *word = peek(words);
    if (*word == '\0')
        return error_set(error, "expected %s, but it ends there", what);
    return error_set(error, "expected %s, not '%s'%s", what, quote(word, &shown),
                     suggest(word, near ? near : nothing, &suggestion));
}

static int expect_end(const struct words *words, struct error *error)
{
    return words->next == words->count ? 0 : expected(words, "no more words", NULL, error);
}

// `client-3` if `prefix` is `client-`. 1 if taken, 0 if the word is another, -1 if it is wrong.
static int take_numbered(struct words *words, const char *prefix, int *number, struct error *error)
{
    const char *word = peek(words);
    size_t length = strlen(prefix);
    if (strncmp(word, prefix, length) != 0)
        return 0;
    int64_t value = 0;
    enum reading reading = whole_number_read(word + length, &value);
    struct quote shown;
    if (reading == READING_WRONG)
        return error_set(error, "expected a number after '%s', not '%s'", prefix,
                         quote(word + length, &shown));
    if (reading == READING_TOO_LARGE || value < 1 || value > 99999)
        return error_set(error, "there is no %s (they count from 1)", quote(word, &shown));
    *number = (int)value;
    words->next++;
    return 1;
}

// client-N [worker-M]
static int take_who(struct words *words, int *client, int *worker, struct error *error)
{
    *worker = 0;
    int taken = take_numbered(words, "client-", client, error);
    if (taken == 0)
        return expected(words, "a client such as client-1", NULL, error);
    if (taken > 0)
        taken = take_numbered(words, "worker-", worker, error);
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
    static const char what[] = "read, write or a command of a server";
    char upper[sizeof words->bytes] = {0};
    for (size_t i = 0; peek(words)[i] != '\0'; i++) {
        char byte = peek(words)[i];
        upper[i] = byte >= 'a' && byte <= 'z' ? (char)(byte - 'a' + 'A') : byte;
    }
    const char *nearest = text_nearest(upper, commands);
    const char *const near[] = {nearest ? nearest : "read", nearest ? NULL : "write", NULL};
    struct quote shown;
    if (nearest != NULL)
        return error_set(error, "expected %s, not '%s' (did you mean '%s'?)", what,
                         quote(peek(words), &shown), nearest);
    return expected(words, what, near, error);
}

// read|write|COMMAND [in PHASE]
static int take_what(struct words *words, const char *const *commands, struct point_name *point,
                     struct error *error)
{
    bool is_access = strcmp(peek(words), "read") == 0 || strcmp(peek(words), "write") == 0;
    const char *what = is_access ? peek(words) : find_command(commands, peek(words));
    if (what == NULL || strlen(what) >= sizeof point->what)
        return no_such_command(words, commands, error);
    if (point->moment == MOMENT_BEFORE && strcmp(what, "read") == 0)
        return error_set(error, "there is no point before a read: it follows 'client-%d holds'",
                         point->client);
    memcpy(point->what, what, strlen(what) + 1);
    words->next++;
    if (!take(words, "in"))
        return 0;
    for (size_t i = 0; phase_words[i] != NULL; i++) {
        if (strcmp(peek(words), phase_words[i]) != 0)
            continue;
        if (is_access)
            return error_set(error, "'%s' is done in one phase only: leave 'in %s' out", what,
                             phase_words[i]);
        memcpy(point->phase, phase_words[i], strlen(phase_words[i]) + 1);
        words->next++;
        return 0;
    }
    return expected(words, "acquire, release, renew, read or write", phase_words, error);
}

int point_name_read(const char *text, const char *const *commands, struct point_name *point,
                    struct error *error)
{
    struct words words;
    *point = (struct point_name){0};
    if (split(text, &words, error) != 0 ||
        take_who(&words, &point->client, &point->worker, error) != 0)
        return -1;
    point->moment = MOMENT_AT;
    if (take(&words, "holds")) {
        memcpy(point->what, "holds", sizeof "holds");
        return expect_end(&words, error);
    }
    if (take(&words, "before"))
        point->moment = MOMENT_BEFORE;
    else if (take(&words, "after"))
        point->moment = MOMENT_AFTER;
    else
        return expected(&words, "before, after or holds", moment_words, error);
    if (take_what(&words, commands, point, error) != 0)
        return -1;
    if (point->phase[0] == '\0' && words.next < words.count)
        return expected(&words, "'in' or no more words", NULL, error);
    return expect_end(&words, error);
}

// The error for what is no duration; `3 s` comes as two words.
static int no_duration(const struct words *words, struct error *error)
{
    const char *word = peek(words);
    const char *unit = words->next + 1 < words->count ? words->items[words->next + 1] : "";
    struct text joined = {0};
    struct text advice = {0};
    text_format(&joined, "%s%s%s", word, *unit ? " " : "", unit);
    duration_advise(text_string(&joined), LEAST_BOUND_NS, MOST_BOUND_NS, &advice);
    int result = advice.length > 0 ? error_set(error, "%s", advice.bytes)
                                   : expected(words, "a duration such as 500ms or 3s", NULL, error);
    text_free(&joined);
    text_free(&advice);
    return result;
}

static int take_bound(struct words *words, int64_t *bound_ns, struct error *error)
{
    enum reading reading = duration_read(peek(words), bound_ns);
    struct quote shown;
    if (reading == READING_WRONG)
        return no_duration(words, error);
    if (reading == READING_TOO_LARGE || *bound_ns < LEAST_BOUND_NS || *bound_ns > MOST_BOUND_NS)
        return error_set(error, "a fault may last from 1ms to 1h, not %s",
                         quote(peek(words), &shown));
    words->next++;
    return expect_end(words, error);
}

static int take_cause(struct words *words, struct cause *cause, struct error *error)
{
    if (take_who(words, &cause->client, &cause->worker, error) != 0)
        return -1;
    for (int i = 0; cause_words[i] != NULL; i++) {
        if (take(words, cause_words[i])) {
            cause->kind = (enum cause_kind)(i + 1);
            return 0;
        }
    }
    return expected(words, "holds, reads, writes, releases or dies", cause_words, error);
}

int until_read(const char *text, struct cause *cause, int64_t *bound_ns, struct error *error)
{
    struct words words;
    *cause = (struct cause){.kind = CAUSE_NONE};
    if (split(text, &words, error) != 0)
        return -1;
    char first = peek(&words)[0];
    if ((first >= '0' && first <= '9') || first == '-')
        return take_bound(&words, bound_ns, error);
    if (take_cause(&words, cause, error) != 0)
        return -1;
    if (words.next == words.count) {
        duration_read(DEFAULT_BOUND, bound_ns);
        return 0;
    }
    if (!take(&words, "or"))
        return expected(&words, "'or' and a duration", NULL, error);
    return take_bound(&words, bound_ns, error);
}

int target_read(const char *text, struct target *target, struct error *error)
{
    struct words words;
    if (split(text, &words, error) != 0 ||
        take_who(&words, &target->client, &target->worker, error) != 0)
        return -1;
    return expect_end(&words, error);
}
