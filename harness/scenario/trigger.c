#include "harness/scenario/trigger.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"
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
    const struct vocabulary *vocabulary;
    struct error *error; // of whatever is wrong with them
};

// Splits at blanks; a comma is a word of its own.
static int split(const char *text, const struct vocabulary *vocabulary, struct words *words,
                 struct error *error)
{
    static const char blanks[] = " \t\n";
    size_t length = 0;
    *words = (struct words){.vocabulary = vocabulary, .error = error};
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
    int index = text_index(peek(words), list);
    words->next += index >= 0;
    return index;
}

// The error for a next word that is not what it should be; `near` (or NULL) is what it could have
// been meant to be.
static int expected(const struct words *words, const char *what, const char *const *near)
{
    const char *word = peek(words);
    if (*word == '\0')
        return error_set(words->error, "expected %s, but it ends there", what);
    return error_set(words->error, "expected %s, not '%s'%s", what, quote(word),
                     suggest(word, near));
}

static int expect_end(const struct words *words, const char *what)
{
    return *peek(words) == '\0' ? 0 : expected(words, what, NULL);
}

// Takes a word such as `client-3` if `prefix` is `client-`; *number is 0 if the word is another.
static int take_numbered(struct words *words, const char *prefix, int *number)
{
    const char *word = peek(words);
    size_t length = strlen(prefix);
    int64_t value = 0;
    *number = 0;
    if (strncmp(word, prefix, length) != 0)
        return 0;
    enum reading reading = whole_number_read(word + length, &value);
    if (reading == READING_WRONG)
        return error_set(words->error, "expected a number after '%s', not '%s'", prefix,
                         quote(word + length));
    if (reading == READING_TOO_LARGE || value < 1 || value > 99999)
        return error_set(words->error, "there is no %s (they count from 1)", quote(word));
    *number = (int)value;
    words->next++;
    return 0;
}

// client-N [worker-M]
static int take_client(struct words *words, int *client, int *worker)
{
    if (take_numbered(words, "client-", client) != 0)
        return -1;
    if (*client == 0)
        return expected(words, "a client such as client-1", NULL);
    return take_numbered(words, "worker-", worker);
}

// --- points --------------------------------------------------------------------------------------

// read|write|COMMAND [in PHASE]
static int take_what(struct words *words, struct point_name *point)
{
    const char *const *commands = words->vocabulary->commands;
    static const char *const accesses[] = {"read", "write", NULL};
    static const char wanted[] = "read, write, request or a command of a server";
    const char *what = peek(words);
    bool is_access = text_is_one_of(what, accesses);
    if (!is_access && strcmp(what, "request") != 0) {
        const char *const *known = commands;
        while (*known != NULL && strcasecmp(*known, what) != 0)
            known++;
        what = *known;
    }
    if (what == NULL || strlen(what) >= sizeof point->what) {
        // Commands are written in capitals: what is near is looked for in them.
        char upper[sizeof words->bytes] = {0};
        for (size_t i = 0; peek(words)[i] != '\0'; i++)
            upper[i] = (char)toupper((unsigned char)peek(words)[i]);
        const char *advice = suggest(upper, commands);
        return *advice == '\0' ? expected(words, wanted, accesses)
                               : error_set(words->error, "expected %s, not '%s'%s", wanted,
                                           quote(peek(words)), advice);
    }
    if (point->moment == MOMENT_BEFORE && strcmp(what, "read") == 0)
        return error_set(words->error,
                         "there is no point before a read: it follows 'client-%d holds'",
                         point->client);
    strcpy(point->what, what);
    words->next++;
    if (!take(words, "in"))
        return expect_end(words, "'in' or no more words");
    int phase = take_one_of(words, phase_words);
    if (phase < 0)
        return expected(words, "acquire, release, renew, read or write", phase_words);
    if (is_access)
        return error_set(words->error, "'%s' is done in one phase only: leave 'in %s' out", what,
                         phase_words[phase]);
    strcpy(point->phase, phase_words[phase]);
    return expect_end(words, "no more words");
}

static int take_point(struct words *words, struct point_name *point)
{
    static const char *const moments[] = {"before", "after", "holds", NULL};
    *point = (struct point_name){0};
    if (take_client(words, &point->client, &point->worker) != 0)
        return -1;
    int moment = take_one_of(words, moments);
    if (moment < 0)
        return expected(words, "before, after or holds", moments);
    point->moment = (enum moment)moment;
    if (point->moment != MOMENT_AT)
        return take_what(words, point);
    strcpy(point->what, "holds");
    return expect_end(words, "no more words");
}

// --- targets -------------------------------------------------------------------------------------

// Whatever has a number: the lock's servers in their order, those that do not lead, the store's,
// and each by its node's name.
static bool is_numbered_server(const char *word, const struct vocabulary *vocabulary)
{
    static const char *const names[] = {"server", "follower", "store", "sentinel", NULL};
    const char *const *kinds = vocabulary->none_and_servers + 1;
    const char *dash = strrchr(word, '-'); // a kind may have some in its name
    char name[16];
    if (dash == NULL || dash[1] < '1' || strspn(dash + 1, "0123456789") != strlen(dash + 1) ||
        strlen(dash + 1) > 2)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(dash - word), word);
    return text_is_one_of(name, names) || text_is_one_of(name, kinds);
}

static int expected_target(const struct words *words)
{
    static const char *const always[] = {"client-1", "server-1", "leader",     "followers",
                                         "others",   "store",    "sentinel-1", NULL};
    const char *const *kinds = words->vocabulary->none_and_servers + 1;
    AUTO_LIST struct string_list near = {0};
    for (size_t i = 0; always[i] != NULL; i++)
        string_list_add(&near, always[i]);
    for (size_t i = 0; kinds[i] != NULL; i++) {
        AUTO_FREE char *node = text_formatted("%s-1", kinds[i]);
        string_list_add(&near, node);
    }
    return expected(words, "a client such as client-1 or a server such as server-1",
                    (const char *const *)near.items);
}

static int take_target(struct words *words, bool is_side, struct target *target)
{
    static const char *const single[] = {"leader", "store", NULL};
    static const char *const several[] = {"followers", "servers", "clients", "others", NULL};
    const char *word = peek(words);
    *target = (struct target){0};
    if (strncmp(word, "client-", 7) == 0)
        return take_client(words, &target->client, &target->worker);
    if (!is_numbered_server(word, words->vocabulary) && !text_is_one_of(word, single) &&
        !(is_side && text_is_one_of(word, several)))
        return expected_target(words);
    snprintf(target->server, sizeof target->server, "%s", word);
    words->next++;
    return 0;
}

bool target_is_store(const struct target *target)
{
    return strcmp(target->server, "store") == 0 || strncmp(target->server, "store-", 6) == 0;
}

int target_read(const char *text, const struct vocabulary *vocabulary, struct target *target,
                struct error *error)
{
    struct words words;
    if (split(text, vocabulary, &words, error) != 0 || take_target(&words, false, target) != 0)
        return -1;
    return expect_end(&words, "no more words");
}

// NODE[, NODE...]
static int take_side(struct words *words, struct fault_instance *instance, int side)
{
    do {
        size_t *count = &instance->side_counts[side];
        struct target *target = &instance->sides[side][*count];
        if (*count == MAX_SIDE)
            return error_set(words->error, "at most %d names on one side", MAX_SIDE);
        if (take_target(words, true, target) != 0)
            return -1;
        if (target->worker != 0)
            return error_set(words->error, "a wire ends at a whole client: leave worker-%d out",
                             target->worker);
        ++*count;
    } while (take(words, ","));
    return 0;
}

int wire_read(const char *text, const struct vocabulary *vocabulary,
              struct fault_instance *instance, struct error *error)
{
    static const char *const ways[] = {"from", "to", NULL};
    struct words words;
    instance->side_counts[0] = instance->side_counts[1] = 0;
    if (split(text, vocabulary, &words, error) != 0 || take_side(&words, instance, 0) != 0)
        return -1;
    instance->target = instance->sides[0][0];
    if (*peek(&words) == '\0') {
        instance->side_counts[1] = 1;
        instance->sides[1][0] = (struct target){.server = "others"};
        return 0;
    }
    int way = take_one_of(&words, ways);
    if (way < 0)
        return expected(&words, "',', 'from' (both ways) or 'to' (one way)", ways);
    instance->one_way = way == 1;
    return take_side(&words, instance, 1) != 0 ? -1 : expect_end(&words, "no more words");
}

// --- causes --------------------------------------------------------------------------------------

// of client-N gone|expired
static int take_lease(struct words *words, struct cause *cause)
{
    static const char *const ends[] = {"gone", "expired", NULL};
    cause->kind = CAUSE_LEASE_GONE;
    if (!take(words, "of"))
        return expected(words, "'of' and a client", NULL);
    if (take_client(words, &cause->target.client, &cause->target.worker) != 0)
        return -1;
    if (cause->target.worker != 0)
        return error_set(words->error, "a server knows clients only: leave worker-%d out",
                         cause->target.worker);
    return take_one_of(words, ends) >= 0 ? 0 : expected(words, "gone or expired", NULL);
}

// SERVER is leader|up, or FAULT is over
static int take_state(struct words *words, struct cause *cause)
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
                        beginnings);
    int state = take_one_of(words, states);
    if (state < 0)
        return expected(words, "leader, up or over", states);
    cause->kind = kinds[state];
    if (cause->kind != CAUSE_OVER)
        return take_target(&subject, false, &cause->target);
    snprintf(cause->fault, sizeof cause->fault, "%s", peek(&subject));
    return 0;
}

static int take_cause(struct words *words, struct cause *cause)
{
    *cause = (struct cause){.kind = CAUSE_NONE};
    if (take(words, "lease") || take(words, "session"))
        return take_lease(words, cause);
    if (*peek(words) == '\0')
        return expected(words, "a cause such as 'client-2 holds'", NULL);
    if (strncmp(peek(words), "client-", 7) != 0)
        return take_state(words, cause);
    if (take_client(words, &cause->target.client, &cause->target.worker) != 0)
        return -1;
    int word = take_one_of(words, cause_words);
    if (word < 0)
        return expected(words, "holds, reads, writes, releases, dies, tries, renews or loses",
                        cause_words);
    cause->kind = (enum cause_kind)(word + 1);
    return 0;
}

int when_read(const char *text, const struct vocabulary *vocabulary,
              struct fault_instance *instance, struct error *error)
{
    struct words words;
    int client, worker;
    if (split(text, vocabulary, &words, error) != 0)
        return -1;
    // Of a point the client is followed by one of its moments, or by nothing that a cause could be
    // made of.
    struct words ahead = words;
    ahead.error = NULL;
    bool is_client = strncmp(peek(&words), "client-", 7) == 0;
    if (is_client &&
        (take_client(&ahead, &client, &worker) != 0 || strcmp(peek(&ahead), "holds") == 0 ||
         !text_is_one_of(peek(&ahead), cause_words)))
        return take_point(&words, &instance->points[instance->point_count++]);
    return take_cause(&words, &instance->cause) != 0 ? -1 : expect_end(&words, "no more words");
}

static int take_bound(struct words *words, int64_t *bound_ns)
{
    *bound_ns = NO_BOUND;
    if (take(words, "end"))
        return expect_end(words, "no more words");
    enum reading reading = duration_read(peek(words), bound_ns);
    if (reading == READING_WRONG) {
        // `3 s` comes as two words.
        const char *unit = words->next + 1 < words->count ? words->items[words->next + 1] : "";
        AUTO_TEXT struct text joined = {0};
        AUTO_TEXT struct text advice = {0};
        text_format(&joined, "%s%s%s", peek(words), *unit ? " " : "", unit);
        duration_advise(text_string(&joined), LEAST_BOUND_NS, MOST_BOUND_NS, &advice);
        return advice.length > 0 ? error_set(words->error, "%s", advice.bytes)
                                 : expected(words, "a duration such as 500ms or 3s", NULL);
    }
    if (reading == READING_TOO_LARGE || *bound_ns < LEAST_BOUND_NS || *bound_ns > MOST_BOUND_NS)
        return error_set(words->error, "a fault may last from 1ms to 1h, not %s",
                         quote(peek(words)));
    words->next++;
    return expect_end(words, "no more words");
}

int until_read(const char *text, const struct vocabulary *vocabulary,
               struct fault_instance *instance, struct error *error)
{
    struct words words;
    if (split(text, vocabulary, &words, error) != 0)
        return -1;
    const char *first = peek(&words);
    instance->until = (struct cause){.kind = CAUSE_NONE};
    if ((*first >= '0' && *first <= '9') || *first == '-' || strcmp(first, "end") == 0)
        return take_bound(&words, &instance->bound_ns);
    if (take_cause(&words, &instance->until) != 0)
        return -1;
    if (take(&words, "or"))
        return take_bound(&words, &instance->bound_ns);
    duration_read(DEFAULT_BOUND, &instance->bound_ns);
    return expect_end(&words, "'or' and a duration");
}

// --- a fault in words ----------------------------------------------------------------------------

bool fault_takes(const struct fault_instance *instance, const char *option)
{
    return text_is_one_of(option, instance->form.options);
}

bool fault_can(const struct fault_instance *instance, unsigned traits)
{
    return (instance->form.traits & traits) != 0;
}

void fault_choose_way(struct fault_instance *instance)
{
    const struct fault_form form = instance->form;
    int way = instance->how != NULL ? text_index(instance->how, form.hows) : 0;
    if (form.ways != NULL && way >= 0)
        instance->form = *form.ways[way];
}

bool fault_is_between(const struct fault_form *form)
{
    bool ends_links = (form->traits & FAULT_DISCONNECTS) != 0;
    return (form->strikes & STRIKES_WIRE) != 0 ||
           ((form->strikes & STRIKES_CLIENT) != 0 && ends_links);
}

static void target_write(const struct target *target, struct text *out)
{
    if (target->client == 0)
        text_add(out, target->server);
    else
        text_format(out, "client-%d", target->client);
    if (target->client != 0 && target->worker != 0)
        text_format(out, " worker-%d", target->worker);
}

static void add_duration(struct text *out, const char *before, int64_t duration_ns)
{
    text_add(out, before);
    duration_write(duration_ns, out);
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
    } else if (cause->kind == CAUSE_OVER) {
        text_format(out, "%s is over", cause->fault);
    } else {
        target_write(&cause->target, out);
        text_format(out, " %s",
                    cause->kind == CAUSE_LEADS    ? "is leader"
                    : cause->kind == CAUSE_SERVES ? "is up"
                                                  : cause_words[cause->kind - 1]);
    }
}

static void describe_points(const struct fault_instance *instance, struct text *out)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    for (size_t i = 0; i < instance->point_count; i++) {
        const struct point_name *point = &instance->points[i];
        text_add(out, i == 0 ? " " : " or ");
        describe_point(point,
                       point->client == instance->target.client &&
                           point->worker == instance->target.worker,
                       out);
    }
    bool is_teen = instance->nth % 100 >= 11 && instance->nth % 100 <= 13;
    if (instance->nth > 1)
        text_format(out, " (%lld%s time)", (long long)instance->nth,
                    endings[is_teen || instance->nth % 10 > 3 ? 0 : instance->nth % 10]);
    if (instance->at_ns > 0) {
        add_duration(out, " from ", instance->at_ns);
        text_add(out, " on");
    }
}

static void describe_trigger(const struct fault_instance *instance, struct text *out)
{
    if (instance->cause.kind != CAUSE_NONE) {
        text_add(out, " when ");
        describe_cause(&instance->cause, out);
    } else if (instance->every_ns > 0) {
        add_duration(out, " every ", instance->every_ns);
    } else if (instance->point_count > 0) {
        describe_points(instance, out);
    } else if (instance->at_ns >= 0) {
        add_duration(out, " at ", instance->at_ns);
    } else {
        text_format(out, " once %s is in effect", instance->after_name);
    }
}

void fault_describe_action(const struct fault_instance *instance, struct text *out)
{
    text_format(out, "%s ", instance->verb);
    if (instance->start.count > 0)
        text_add(out, instance->start.items[0]);
    else if (instance->side_counts[0] == 0)
        target_write(&instance->target, out);
    for (int side = 0; side < 2 && instance->side_counts[0] > 0; side++) {
        text_add(out, side == 0 ? "" : instance->one_way ? " to " : " from ");
        for (size_t i = 0; i < instance->side_counts[side]; i++) {
            text_add(out, i > 0 ? ", " : "");
            target_write(&instance->sides[side][i], out);
        }
    }
    // What only some faults take, in the order of the reference.
    if (instance->by_ns != 0)
        add_duration(out, instance->by_ns > 0 ? " by " : " by -",
                     instance->by_ns > 0 ? instance->by_ns : -instance->by_ns);
    if (instance->jitter_ns > 0 && fault_takes(instance, "jitter"))
        add_duration(out, " ± ", instance->jitter_ns);
    if (fault_can(instance, FAULT_MOVES_CLOCK) && instance->rate != 100)
        text_format(out, " at %lld%% of its rate", (long long)instance->rate);
    if (instance->share > 0)
        text_format(out, " of %lld%%", (long long)instance->share);
    if (instance->to != NULL)
        text_format(out, " to %s", instance->to);
    if (instance->how != NULL)
        text_format(out, " (%s)", instance->how);
}

char *fault_describe(const struct fault_instance *instance)
{
    struct text text = {0};
    fault_describe_action(instance, &text);
    describe_trigger(instance, &text);
    if (instance->until.kind != CAUSE_NONE) {
        text_add(&text, " until ");
        describe_cause(&instance->until, &text);
    }
    if (instance->bound_ns != NO_BOUND &&
        (instance->until.kind != CAUSE_NONE || instance->bound_ns > 0))
        add_duration(&text, instance->until.kind != CAUSE_NONE ? " or " : " for ",
                     instance->bound_ns);
    return text.bytes;
}
