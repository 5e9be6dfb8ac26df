#include "harness/scenario/trigger.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/scenario/units.h"
#include "harness/scenario/yaml.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const phase_words[] = {"acquire", "release", "renew", "read", "write", NULL};

const char *const cause_words[] = {"holds", "reads",  "writes", "releases", "dies",
                                   "tries", "renews", "loses",  NULL};

#define LEAST_BOUND_NS NS_PER_MS
#define MOST_BOUND_NS (3600 * NS_PER_S)

// --- words ---------------------------------------------------------------------------------------

// A text as words, taken one by one.
struct words {
    char bytes[256];
    char *items[32];
    size_t count;
    size_t next;
};

// Splits at blanks; a comma is a word of its own.
static int split(const char *text, struct words *words, struct error *error)
{
    static const char blanks[] = " \t\n";
    size_t length = 0;
    *words = (struct words){0};
    for (; *text != '\0'; text++) {
        if (length + 4 > sizeof words->bytes)
            return error_set(error, "too long");
        if (*text == ',')
            words->bytes[length++] = ' ';
        words->bytes[length++] = *text;
        if (*text == ',')
            words->bytes[length++] = ' ';
    }
    char *rest = NULL;
    for (char *word = strtok_r(words->bytes, blanks, &rest); word != NULL;
         word = strtok_r(NULL, blanks, &rest)) {
        if (words->count == sizeof words->items / sizeof *words->items)
            return error_set(error, "too many words");
        words->items[words->count++] = word;
    }
    return 0;
}

// The next word, or "" at the end.
static const char *peek(const struct words *words)
{
    return words->next < words->count ? words->items[words->next] : "";
}

// Takes the next word if it is this one.
static bool take(struct words *words, const char *word)
{
    bool is_next = strcmp(peek(words), word) == 0;
    words->next += is_next;
    return is_next;
}

// Takes the next word if it is one of the list (NULL-terminated): its index, else -1.
static int take_one_of(struct words *words, const char *const *list)
{
    for (int i = 0; list[i] != NULL; i++) {
        if (take(words, list[i]))
            return i;
    }
    return -1;
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
    return *peek(words) == '\0' ? 0 : expected(words, "no more words", NULL, error);
}

// Takes a word such as `client-3` if `prefix` is `client-`; *number is 0 if the word is another.
static int take_numbered(struct words *words, const char *prefix, int *number, struct error *error)
{
    const char *word = peek(words);
    size_t length = strlen(prefix);
    int64_t value = 0;
    struct quote shown;
    *number = 0;
    if (strncmp(word, prefix, length) != 0)
        return 0;
    enum reading reading = whole_number_read(word + length, &value);
    if (reading == READING_WRONG)
        return error_set(error, "expected a number after '%s', not '%s'", prefix,
                         quote(word + length, &shown));
    if (reading == READING_TOO_LARGE || value < 1 || value > 99999)
        return error_set(error, "there is no %s (they count from 1)", quote(word, &shown));
    *number = (int)value;
    words->next++;
    return 0;
}

// client-N [worker-M]
static int take_client(struct words *words, int *client, int *worker, struct error *error)
{
    if (take_numbered(words, "client-", client, error) != 0)
        return -1;
    if (*client == 0)
        return expected(words, "a client such as client-1", NULL, error);
    return take_numbered(words, "worker-", worker, error);
}

// --- points --------------------------------------------------------------------------------------

// Commands are written in capitals: what is near is looked for in them.
static int no_such_command(const struct words *words, const char *const *commands,
                           struct error *error)
{
    static const char what[] = "read, write, request or a command of a server";
    static const char *const accesses[] = {"read", "write", NULL};
    char upper[sizeof words->bytes] = {0};
    struct quote shown;
    for (size_t i = 0; peek(words)[i] != '\0'; i++)
        upper[i] = (char)toupper((unsigned char)peek(words)[i]);
    const char *nearest = text_nearest(upper, commands);
    if (nearest == NULL)
        return expected(words, what, accesses, error);
    return error_set(error, "expected %s, not '%s' (did you mean '%s'?)", what,
                     quote(peek(words), &shown), nearest);
}

// read|write|COMMAND [in PHASE]
static int take_what(struct words *words, const char *const *commands, struct point_name *point,
                     struct error *error)
{
    const char *what = peek(words);
    bool is_access = strcmp(what, "read") == 0 || strcmp(what, "write") == 0;
    if (!is_access && strcmp(what, "request") != 0) {
        size_t known = 0;
        while (commands[known] != NULL && strcasecmp(commands[known], what) != 0)
            known++;
        what = commands[known];
    }
    if (what == NULL || strlen(what) >= sizeof point->what)
        return no_such_command(words, commands, error);
    if (point->moment == MOMENT_BEFORE && strcmp(what, "read") == 0)
        return error_set(error, "there is no point before a read: it follows 'client-%d holds'",
                         point->client);
    memcpy(point->what, what, strlen(what) + 1);
    words->next++;
    if (!take(words, "in"))
        return *peek(words) == '\0' ? 0 : expected(words, "'in' or no more words", NULL, error);
    int phase = take_one_of(words, phase_words);
    if (phase < 0)
        return expected(words, "acquire, release, renew, read or write", phase_words, error);
    if (is_access)
        return error_set(error, "'%s' is done in one phase only: leave 'in %s' out", what,
                         phase_words[phase]);
    memcpy(point->phase, phase_words[phase], strlen(phase_words[phase]) + 1);
    return expect_end(words, error);
}

static int take_point(struct words *words, const char *const *commands, struct point_name *point,
                      struct error *error)
{
    static const char *const moments[] = {"before", "after", "holds", NULL};
    if (take_client(words, &point->client, &point->worker, error) != 0)
        return -1;
    int moment = take_one_of(words, moments);
    if (moment < 0)
        return expected(words, "before, after or holds", moments, error);
    point->moment = (enum moment)moment;
    if (point->moment != MOMENT_AT)
        return take_what(words, commands, point, error);
    memcpy(point->what, "holds", sizeof "holds");
    return expect_end(words, error);
}

int point_name_read(const char *text, const char *const *commands, struct point_name *point,
                    struct error *error)
{
    struct words words;
    *point = (struct point_name){0};
    return split(text, &words, error) != 0 ? -1 : take_point(&words, commands, point, error);
}

// --- targets -------------------------------------------------------------------------------------

static bool is_numbered_server(const char *word)
{
    static const char *const names[] = {"server-",    "follower-", "redis-",     "sentinel-",
                                        "zookeeper-", "etcd-",     "memcached-", "mysql-",
                                        "postgres-",  "store-",    NULL};
    for (size_t i = 0; names[i] != NULL; i++) {
        const char *digits = word + strlen(names[i]);
        if (strncmp(word, names[i], strlen(names[i])) == 0 && *digits >= '1' && *digits <= '9' &&
            strspn(digits, "0123456789") == strlen(digits) && strlen(digits) <= 2)
            return true;
    }
    return false;
}

static int take_target(struct words *words, bool is_side, struct target *target,
                       struct error *error)
{
    static const char *const single[] = {"leader", "store", NULL};
    static const char *const several[] = {"followers", "servers", "clients", "others", NULL};
    static const char *const near[] = {"client-1",    "server-1", "leader",  "followers",
                                       "others",      "store",    "redis-1", "sentinel-1",
                                       "zookeeper-1", "etcd-1",   "mysql-1", NULL};
    const char *word = peek(words);
    *target = (struct target){0};
    if (strncmp(word, "client-", 7) == 0)
        return take_client(words, &target->client, &target->worker, error);
    if (!is_numbered_server(word) && !text_is_one_of(word, single) &&
        !(is_side && text_is_one_of(word, several)))
        return expected(words, "a client such as client-1 or a server such as server-1", near,
                        error);
    snprintf(target->server, sizeof target->server, "%s", word);
    words->next++;
    return 0;
}

int target_read(const char *text, struct target *target, struct error *error)
{
    struct words words;
    if (split(text, &words, error) != 0 || take_target(&words, false, target, error) != 0)
        return -1;
    return expect_end(&words, error);
}

// NODE[, NODE...]
static int take_side(struct words *words, struct fault_step *step, int side, struct error *error)
{
    do {
        size_t *count = &step->side_counts[side];
        if (*count == MAX_SIDE)
            return error_set(error, "at most %d names on one side", MAX_SIDE);
        struct target *target = &step->sides[side][*count];
        if (take_target(words, true, target, error) != 0)
            return -1;
        if (target->worker != 0)
            return error_set(error, "a wire ends at a whole client: leave worker-%d out",
                             target->worker);
        ++*count;
    } while (take(words, ","));
    return 0;
}

int wire_read(const char *text, struct fault_step *step, struct error *error)
{
    static const char *const ways[] = {"from", "to", NULL};
    struct words words;
    step->side_counts[0] = step->side_counts[1] = 0;
    if (split(text, &words, error) != 0 || take_side(&words, step, 0, error) != 0)
        return -1;
    step->target = step->sides[0][0];
    if (*peek(&words) == '\0') {
        step->side_counts[1] = 1;
        step->sides[1][0] = (struct target){.server = "others"};
        return 0;
    }
    int way = take_one_of(&words, ways);
    if (way < 0)
        return expected(&words, "',', 'from' (both ways) or 'to' (one way)", ways, error);
    step->one_way = way == 1;
    return take_side(&words, step, 1, error) != 0 ? -1 : expect_end(&words, error);
}

// --- causes --------------------------------------------------------------------------------------

// of client-N gone|expired
static int take_lease(struct words *words, struct cause *cause, struct error *error)
{
    static const char *const ends[] = {"gone", "expired", NULL};
    cause->kind = CAUSE_LEASE_GONE;
    if (!take(words, "of"))
        return expected(words, "'of' and a client", NULL, error);
    if (take_client(words, &cause->target.client, &cause->target.worker, error) != 0)
        return -1;
    if (cause->target.worker != 0)
        return error_set(error, "a server knows clients only: leave worker-%d out",
                         cause->target.worker);
    return take_one_of(words, ends) >= 0 ? 0 : expected(words, "gone or expired", NULL, error);
}

// SERVER is leader|up, or FAULT is over
static int take_state(struct words *words, struct cause *cause, struct error *error)
{
    static const char *const states[] = {"leader", "master", "primary", "up", "over", NULL};
    static const char *const beginnings[] = {"client-1", "lease",    "session",
                                             "leader",   "server-1", NULL};
    static const enum cause_kind kinds[] = {CAUSE_LEADS, CAUSE_LEADS, CAUSE_LEADS, CAUSE_SERVES,
                                            CAUSE_OVER};
    struct words subject = *words;
    words->next++;
    if (!take(words, "is"))
        return expected(&subject,
                        "a cause such as 'client-2 holds', 'lease of client-1 gone', 'server-2 is "
                        "leader' or 'NAME is over'",
                        beginnings, error);
    int state = take_one_of(words, states);
    if (state < 0)
        return expected(words, "leader, up or over", states, error);
    cause->kind = kinds[state];
    if (cause->kind != CAUSE_OVER)
        return take_target(&subject, false, &cause->target, error);
    snprintf(cause->fault, sizeof cause->fault, "%s", peek(&subject));
    return 0;
}

static int take_cause(struct words *words, struct cause *cause, struct error *error)
{
    if (take(words, "lease") || take(words, "session"))
        return take_lease(words, cause, error);
    if (*peek(words) == '\0')
        return expected(words, "a cause such as 'client-2 holds'", NULL, error);
    if (strncmp(peek(words), "client-", 7) != 0)
        return take_state(words, cause, error);
    if (take_client(words, &cause->target.client, &cause->target.worker, error) != 0)
        return -1;
    int word = take_one_of(words, cause_words);
    if (word < 0)
        return expected(words, "holds, reads, writes, releases, dies, tries, renews or loses",
                        cause_words, error);
    cause->kind = (enum cause_kind)(word + 1);
    return 0;
}

// True if the words are of a point: the client is followed by one of its moments, or by nothing
// that a cause could be made of.
static bool is_point(struct words words)
{
    struct error ignored;
    int client, worker;
    if (strncmp(peek(&words), "client-", 7) != 0)
        return false;
    return take_client(&words, &client, &worker, &ignored) != 0 ||
           strcmp(peek(&words), "holds") == 0 || !text_is_one_of(peek(&words), cause_words);
}

int when_read(const char *text, const char *const *commands, struct point_name *point,
              struct cause *cause, struct error *error)
{
    struct words words;
    *point = (struct point_name){0};
    *cause = (struct cause){.kind = CAUSE_NONE};
    if (split(text, &words, error) != 0)
        return -1;
    if (is_point(words))
        return take_point(&words, commands, point, error);
    return take_cause(&words, cause, error) != 0 ? -1 : expect_end(&words, error);
}

// The error for what is no duration; `3 s` comes as two words.
static int no_duration(const struct words *words, struct error *error)
{
    const char *unit = words->next + 1 < words->count ? words->items[words->next + 1] : "";
    struct text joined = {0};
    struct text advice = {0};
    text_format(&joined, "%s%s%s", peek(words), *unit ? " " : "", unit);
    duration_advise(text_string(&joined), LEAST_BOUND_NS, MOST_BOUND_NS, &advice);
    int result = advice.length > 0 ? error_set(error, "%s", advice.bytes)
                                   : expected(words, "a duration such as 500ms or 3s", NULL, error);
    text_free(&joined);
    text_free(&advice);
    return result;
}

static int take_bound(struct words *words, int64_t *bound_ns, struct error *error)
{
    if (take(words, "end")) {
        *bound_ns = NO_BOUND;
        return expect_end(words, error);
    }
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

int until_read(const char *text, struct cause *cause, int64_t *bound_ns, struct error *error)
{
    struct words words;
    *cause = (struct cause){.kind = CAUSE_NONE};
    if (split(text, &words, error) != 0)
        return -1;
    const char *first = peek(&words);
    if ((*first >= '0' && *first <= '9') || *first == '-' || strcmp(first, "end") == 0)
        return take_bound(&words, bound_ns, error);
    if (take_cause(&words, cause, error) != 0)
        return -1;
    if (take(&words, "or"))
        return take_bound(&words, bound_ns, error);
    duration_read(DEFAULT_BOUND, bound_ns);
    return *peek(&words) == '\0' ? 0 : expected(&words, "'or' and a duration", NULL, error);
}

// --- a fault in words ----------------------------------------------------------------------------

bool fault_takes(const struct fault_step *step, const char *option)
{
    return step->form.options != NULL && text_is_one_of(option, step->form.options);
}

bool fault_can(const struct fault_step *step, unsigned traits)
{
    unsigned mine = step->form.traits;
    if (step->how != NULL && step->form.keeps != NULL &&
        text_is_one_of(step->how, step->form.keeps))
        mine &= ~(unsigned)(FAULT_EMPTIES | FAULT_MAY_FORGET);
    return (mine & traits) != 0;
}

void target_write(const struct target *target, struct text *out)
{
    if (target->client == 0)
        text_add(out, target->server);
    else
        text_format(out, "client-%d", target->client);
    if (target->client != 0 && target->worker != 0)
        text_format(out, " worker-%d", target->worker);
}

// `itself`: whoever reaches the point is the one who is struck, and was named already.
static void describe_point(const struct point_name *point, bool itself, struct text *out)
{
    if (point->moment == MOMENT_AT || !itself)
        text_add(out, "when ");
    if (itself && point->moment == MOMENT_AT)
        text_add(out, "it ");
    if (!itself) {
        target_write(&(struct target){.client = point->client, .worker = point->worker}, out);
        text_add(out, point->moment == MOMENT_AT ? " " : " is ");
    }
    if (point->moment != MOMENT_AT)
        text_add(out, point->moment == MOMENT_BEFORE ? "before " : "after ");
    text_add(out, strcmp(point->what, "request") == 0 ? "a request" : point->what);
    if (point->phase[0] != '\0')
        text_format(out, " in %s", point->phase);
}

static void describe_cause(const struct cause *cause, struct text *out)
{
    if (cause->kind == CAUSE_LEASE_GONE) {
        text_format(out, "the lease of client-%d is gone", cause->target.client);
        return;
    }
    if (cause->kind == CAUSE_OVER) {
        text_format(out, "%s is over", cause->fault);
        return;
    }
    target_write(&cause->target, out);
    if (cause->kind == CAUSE_LEADS || cause->kind == CAUSE_SERVES)
        text_add(out, cause->kind == CAUSE_LEADS ? " is leader" : " is up");
    else
        text_format(out, " %s", cause_words[cause->kind - 1]);
}

static void describe_trigger(const struct fault_step *step, struct text *out)
{
    if (step->cause.kind != CAUSE_NONE) {
        text_add(out, " when ");
        describe_cause(&step->cause, out);
        return;
    }
    if (step->every_ns > 0) {
        text_add(out, " every ");
        duration_write(step->every_ns, out);
        return;
    }
    if (step->point_count == 0 && step->at_ns < 0) {
        text_format(out, " once %s is in effect", step->after_name);
        return;
    }
    if (step->point_count == 0) {
        text_add(out, " at ");
        duration_write(step->at_ns, out);
        return;
    }
    for (size_t i = 0; i < step->point_count; i++) {
        const struct point_name *point = &step->points[i];
        text_add(out, i == 0 ? " " : " or ");
        describe_point(point,
                       point->client == step->target.client && point->worker == step->target.worker,
                       out);
    }
    if (step->nth > 1) {
        static const char *const endings[] = {"th", "st", "nd", "rd"};
        bool is_teen = step->nth % 100 >= 11 && step->nth % 100 <= 13;
        text_format(out, " (%lld%s time)", (long long)step->nth,
                    endings[is_teen || step->nth % 10 > 3 ? 0 : step->nth % 10]);
    }
    if (step->at_ns > 0) {
        text_add(out, " from ");
        duration_write(step->at_ns, out);
        text_add(out, " on");
    }
}

void fault_describe_action(const struct fault_step *step, struct text *out)
{
    text_format(out, "%s ", step->verb);
    if (step->side_counts[0] == 0)
        target_write(&step->target, out);
    for (int side = 0; side < 2 && step->side_counts[0] > 0; side++) {
        text_add(out, side == 0 ? "" : step->one_way ? " to " : " from ");
        for (size_t i = 0; i < step->side_counts[side]; i++) {
            text_add(out, i > 0 ? ", " : "");
            target_write(&step->sides[side][i], out);
        }
    }
    // What only some faults take, in the order of the reference.
    if (step->by_ns != 0) {
        text_add(out, step->by_ns > 0 ? " by " : " by -");
        duration_write(step->by_ns > 0 ? step->by_ns : -step->by_ns, out);
    }
    if (step->jitter_ns > 0 && fault_takes(step, "jitter")) {
        text_add(out, " ± ");
        duration_write(step->jitter_ns, out);
    }
    if (fault_can(step, FAULT_MOVES_CLOCK) && step->rate != 100)
        text_format(out, " at %lld%% of its rate", (long long)step->rate);
    if (step->share > 0)
        text_format(out, " of %lld%%", (long long)step->share);
    if (step->to != NULL)
        text_format(out, " to %s", step->to);
    if (step->how != NULL)
        text_format(out, " (%s)", step->how);
}

char *fault_describe(const struct fault_step *step)
{
    struct text text = {0};
    fault_describe_action(step, &text);
    describe_trigger(step, &text);
    if (step->until.kind != CAUSE_NONE) {
        text_add(&text, " until ");
        describe_cause(&step->until, &text);
        if (step->bound_ns != NO_BOUND) {
            text_add(&text, " or ");
            duration_write(step->bound_ns, &text);
        }
    } else if (step->bound_ns > 0 && step->bound_ns != NO_BOUND) {
        text_add(&text, " for ");
        duration_write(step->bound_ns, &text);
    }
    return text.bytes;
}
