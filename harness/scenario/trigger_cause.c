// Causes, bounds, targets and wires.
#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/scenario/complaints.h"
#include "harness/scenario/trigger.h"
#include "harness/scenario/units.h"
#include "harness/scenario/words.h"

#include <stdio.h>
#include <string.h>

const char *const cause_words[] = {"holds", "reads",  "writes", "releases", "dies",
                                   "tries", "renews", "loses",  NULL};

#define LEAST_BOUND_NS NS_PER_MS
#define MOST_BOUND_NS (3600 * NS_PER_S)

// --- targets -------------------------------------------------------------------------------------

static const char *const single_servers[] = {"leader", "store", NULL};
static const char *const several_nodes[] = {"followers", "servers", "clients", "others", NULL};
static const char *const numbered_servers[] = {"server-",    "follower-", "redis-",     "sentinel-",
                                               "zookeeper-", "etcd-",     "memcached-", "mysql-",
                                               "postgres-",  "store-",    NULL};
static const char *const target_words[] = {"client-1",    "server-1", "leader",  "followers",
                                           "others",      "store",    "redis-1", "sentinel-1",
                                           "zookeeper-1", "etcd-1",   "mysql-1", NULL};

static bool is_numbered_server(const char *word)
{
    for (size_t i = 0; numbered_servers[i] != NULL; i++) {
        size_t length = strlen(numbered_servers[i]);
        const char *digits = word + length;
        if (strncmp(word, numbered_servers[i], length) == 0 && *digits >= '1' && *digits <= '9' &&
            strspn(digits, "0123456789") == strlen(digits) && strlen(digits) <= 2)
            return true;
    }
    return false;
}

static int take_target(struct words *words, bool is_side, struct target *target,
                       struct error *error)
{
    *target = (struct target){0};
    const char *word = words_peek(words);
    if (strncmp(word, "client-", 7) == 0)
        return take_client(words, &target->client, &target->worker, error);
    bool is_known = is_numbered_server(word) || text_is_one_of(word, single_servers) ||
                    (is_side && text_is_one_of(word, several_nodes));
    if (!is_known)
        return words_expected(words, "a client such as client-1 or a server such as server-1",
                              target_words, error);
    snprintf(target->server, sizeof target->server, "%s", word);
    words->next++;
    return 0;
}

int target_read(const char *text, struct target *target, struct error *error)
{
    struct words words;
    if (words_split(text, &words, error) != 0 || take_target(&words, false, target, error) != 0)
        return -1;
    return words_expect_end(&words, error);
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
    } while (words_take(words, ","));
    return 0;
}

int wire_read(const char *text, struct fault_step *step, struct error *error)
{
    static const char *const ways[] = {"from", "to", NULL};
    struct words words;
    step->side_counts[0] = step->side_counts[1] = 0;
    if (words_split(text, &words, error) != 0 || take_side(&words, step, 0, error) != 0)
        return -1;
    step->target = step->sides[0][0];
    if (words_at_end(&words)) {
        step->side_counts[1] = 1;
        step->sides[1][0] = (struct target){.server = "others"};
        return 0;
    }
    int way = words_take_one_of(&words, ways);
    if (way < 0)
        return words_expected(&words, "',', 'from' (both ways) or 'to' (one way)", ways, error);
    step->one_way = way == 1;
    return take_side(&words, step, 1, error) != 0 ? -1 : words_expect_end(&words, error);
}

// --- causes --------------------------------------------------------------------------------------

// of client-N gone|expired
static int take_lease(struct words *words, struct cause *cause, struct error *error)
{
    cause->kind = CAUSE_LEASE_GONE;
    if (!words_take(words, "of"))
        return words_expected(words, "'of' and a client", NULL, error);
    if (take_client(words, &cause->target.client, &cause->target.worker, error) != 0)
        return -1;
    if (cause->target.worker != 0)
        return error_set(error, "a server knows clients only: leave worker-%d out",
                         cause->target.worker);
    if (words_take(words, "gone") || words_take(words, "expired"))
        return 0;
    return words_expected(words, "gone or expired", NULL, error);
}

// SERVER is leader|up, or FAULT is over
static int take_state(struct words *words, struct cause *cause, struct error *error)
{
    static const char *const states[] = {"leader", "master", "primary", "up", "over", NULL};
    static const char *const beginnings[] = {"client-1", "lease",    "session",
                                             "leader",   "server-1", NULL};
    static const enum cause_kind kinds[] = {CAUSE_LEADS, CAUSE_LEADS, CAUSE_LEADS, CAUSE_SERVES,
                                            CAUSE_OVER};
    struct words rest = *words;
    const char *subject = words_peek(words);
    words->next++;
    int state = words_take(words, "is") ? words_take_one_of(words, states) : -1;
    if (state < 0 && words->next == rest.next + 1)
        return words_expected(&rest,
                              "a cause such as 'client-2 holds', 'lease of client-1 gone', "
                              "'server-2 is leader' or 'NAME is over'",
                              beginnings, error);
    if (state < 0)
        return words_expected(words, "leader, up or over", states, error);
    cause->kind = kinds[state];
    if (cause->kind != CAUSE_OVER)
        return take_target(&rest, false, &cause->target, error);
    snprintf(cause->fault, sizeof cause->fault, "%s", subject);
    return 0;
}

int take_cause(struct words *words, struct cause *cause, struct error *error)
{
    if (words_take(words, "lease") || words_take(words, "session"))
        return take_lease(words, cause, error);
    if (strncmp(words_peek(words), "client-", 7) != 0)
        return words_at_end(words)
                   ? words_expected(words, "a cause such as 'client-2 holds'", NULL, error)
                   : take_state(words, cause, error);
    if (take_client(words, &cause->target.client, &cause->target.worker, error) != 0)
        return -1;
    int word = words_take_one_of(words, cause_words);
    if (word < 0)
        return words_expected(words, "holds, reads, writes, releases, dies, tries, renews or loses",
                              cause_words, error);
    cause->kind = (enum cause_kind)(word + 1);
    return 0;
}

// --- until ---------------------------------------------------------------------------------------

// The error for what is no duration; `3 s` comes as two words.
static int no_duration(const struct words *words, struct error *error)
{
    const char *word = words_peek(words);
    const char *unit = words->next + 1 < words->count ? words->items[words->next + 1] : "";
    struct text joined = {0};
    struct text advice = {0};
    text_format(&joined, "%s%s%s", word, *unit ? " " : "", unit);
    duration_advise(text_string(&joined), LEAST_BOUND_NS, MOST_BOUND_NS, &advice);
    int result = advice.length > 0
                     ? error_set(error, "%s", advice.bytes)
                     : words_expected(words, "a duration such as 500ms or 3s", NULL, error);
    text_free(&joined);
    text_free(&advice);
    return result;
}

static int take_bound(struct words *words, int64_t *bound_ns, struct error *error)
{
    if (words_take(words, "end")) {
        *bound_ns = NO_BOUND;
        return words_expect_end(words, error);
    }
    enum reading reading = duration_read(words_peek(words), bound_ns);
    struct quote shown;
    if (reading == READING_WRONG)
        return no_duration(words, error);
    if (reading == READING_TOO_LARGE || *bound_ns < LEAST_BOUND_NS || *bound_ns > MOST_BOUND_NS)
        return error_set(error, "a fault may last from 1ms to 1h, not %s",
                         quote(words_peek(words), &shown));
    words->next++;
    return words_expect_end(words, error);
}

int until_read(const char *text, struct cause *cause, int64_t *bound_ns, struct error *error)
{
    struct words words;
    *cause = (struct cause){.kind = CAUSE_NONE};
    if (words_split(text, &words, error) != 0)
        return -1;
    const char *first = words_peek(&words);
    if ((*first >= '0' && *first <= '9') || *first == '-' || strcmp(first, "end") == 0)
        return take_bound(&words, bound_ns, error);
    if (take_cause(&words, cause, error) != 0)
        return -1;
    if (words_at_end(&words)) {
        duration_read(DEFAULT_BOUND, bound_ns);
        return 0;
    }
    if (!words_take(&words, "or"))
        return words_expected(&words, "'or' and a duration", NULL, error);
    return take_bound(&words, bound_ns, error);
}
