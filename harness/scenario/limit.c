// The limits of `thresholds`: `acquire.p99 < 50ms`, `violations == 0`.
#include "harness/base/scope.h"
#include "harness/scenario/units.h"
#include "harness/scenario/yaml.h"

#include <stdio.h>
#include <string.h>

static const struct {
    enum reading (*read)(const char *text, int64_t *number);
    double size; // of what is read, in the unit of a bound
    const char *wanted;
} units[] = {
    [UNIT_TIME] = {duration_read, 1, "a duration such as 50ms"},
    [UNIT_RATE] = {rate_read, 3600, "a rate such as 500/s"},
    [UNIT_COUNT] = {whole_number_read, 1, "a whole number"},
    [UNIT_NUMBER] = {decimal_read, 1000, "a number such as 4 or 2.5"},
    [UNIT_SHARE] = {decimal_read, 1000, "a number from 0 to 1"},
};

const struct metric_form metric_forms[METRIC_COUNT] = {
    [METRIC_ACQUIRE] = {"acquire", UNIT_TIME,
                        "from its asking, in an open loop from when it was to begin, to the grant"},
    [METRIC_ACQUIRE_UNCORRECTED] = {"acquire-uncorrected", UNIT_TIME,
                                    "open loop: from its asking to the grant"},
    [METRIC_RELEASE] = {"release", UNIT_TIME, "from its asking to the answer"},
    [METRIC_HOLD] = {"hold", UNIT_TIME, "from the grant to the asking of the release"},
    [METRIC_HAND_OFF] = {"hand-off", UNIT_TIME,
                         "from a release to the next grant, where somebody waited"},
    [METRIC_TOLD] = {"told", UNIT_TIME,
                     "from a loss, by another's grant, until its holder is told or stops"},
    [METRIC_THROUGHPUT] = {"throughput", UNIT_RATE, "grants; the median of the repeats"},
    [METRIC_VIOLATIONS] = {"violations", UNIT_COUNT, "of any property that did harm; the sum"},
    [METRIC_JAIN] = {"jain", UNIT_SHARE, "Jain's index of shares; the median of the repeats"},
    [METRIC_COMMANDS] = {"commands", UNIT_NUMBER, "to servers, for each grant"},
    [METRIC_LONGEST_WAIT] = {"longest-wait", UNIT_TIME, "of any acquire, granted or not"},
    [METRIC_RECOVERY] = {"recovery", UNIT_TIME,
                         "from a fault's taking effect to the next grant; the longest"},
    [METRIC_UNAVAILABLE] = {"unavailable", UNIT_TIME,
                            "after a fault: nobody granted, but wanted; the longest"},
    [METRIC_LEADERLESS] = {"leaderless", UNIT_TIME,
                           "leader: after a fault, nobody acted; the longest"},
    [METRIC_EXPIRED] = {"expired-grants", UNIT_COUNT,
                        "of whose lease nothing was left when they came; the sum"},
};

const char *const relation_names[] = {
    [RELATION_AT_MOST] = "<=", [RELATION_AT_LEAST] = ">=", [RELATION_IS] = "==",
    [RELATION_BELOW] = "<",    [RELATION_ABOVE] = ">",     NULL};

const char *metric_wanted(enum metric metric)
{
    return units[metric_forms[metric].unit].wanted;
}

// --- reading -------------------------------------------------------------------------------------

static int unknown_metric(const char *name, struct error *error)
{
    AUTO_LIST struct string_list names = {
        0}; // that a limit can begin with: "acquire.p99", "throughput"
    AUTO_TEXT struct text known = {0};
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        bool is_latency = metric_is_latency(metric);
        for (size_t i = 0; i < (is_latency ? PERCENTILE_COUNT : 1); i++) {
            char whole[32];
            snprintf(whole, sizeof whole, "%s%s%s", metric_forms[metric].name,
                     is_latency ? "." : "", is_latency ? percentile_forms[i].name : "");
            string_list_add(&names, whole);
        }
        text_add_item(&known, metric_forms[metric].name);
        text_add(&known, is_latency ? ".p99" : "");
    }
    text_add(&known, "; ");
    percentiles_list("", &known);
    const char *advice = suggest(name, (const char *const *)names.items);
    if (*advice != '\0')
        return error_set(error, "unknown metric '%s'%s", quote(name), advice);
    return error_set(error, "unknown metric '%s' (known are %s of those that have a percentile)",
                     quote(name), known.bytes);
}

static int read_metric(const char *name, struct limit *limit, struct error *error)
{
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        size_t length = strlen(metric_forms[metric].name);
        if (strncmp(name, metric_forms[metric].name, length) != 0)
            continue;
        const char *rest = name + length;
        limit->metric = metric;
        if (*rest == '\0' && metric_is_latency(metric)) {
            AUTO_TEXT struct text known = {0};
            percentiles_list(".", &known);
            return error_set(error, "'%s' needs a percentile: %s%s", name, name, known.bytes);
        }
        if (*rest == '\0')
            return 0;
        for (enum percentile i = 0;
             *rest == '.' && metric_is_latency(metric) && i < PERCENTILE_COUNT; i++) {
            const struct percentile_form *form = &percentile_forms[i];
            limit->percentile = i;
            if (strcmp(rest + 1, form->name) == 0 || strcmp(rest + 1, form->id) == 0)
                return 0;
        }
    }
    return unknown_metric(name, error);
}

static int read_bound(const char *text, struct limit *limit, struct error *error)
{
    enum metric_unit unit = metric_forms[limit->metric].unit;
    AUTO_TEXT struct text advice = {0};
    int64_t number = 0;
    enum reading reading = units[unit].read(text, &number);
    limit->bound = (double)number / units[unit].size;
    if (reading == READING_FINE && number >= 0 && (unit != UNIT_SHARE || limit->bound <= 1))
        return 0;
    if (unit == UNIT_TIME)
        duration_advise(text, 1, INT64_MAX, &advice);
    if (advice.length > 0)
        return error_set(error, "%s", advice.bytes);
    return error_set(error, "'%s' takes %s, not '%s'", metric_forms[limit->metric].name,
                     units[unit].wanted, quote(text));
}

// Copies what lies between the two, without the blanks around it.
static void copy_trimmed(const char *from, const char *to, char *out, size_t room)
{
    from += strspn(from, " ");
    while (to > from && to[-1] == ' ')
        to--;
    snprintf(out, room, "%.*s", (int)(to - from), from);
}

int limit_read(const char *text, struct limit *limit, struct error *error)
{
    char name[80];
    char value[80];
    const char *at = text + strcspn(text, "<>=");
    enum relation which = 0;
    *limit = (struct limit){0};
    while (relation_names[which] != NULL &&
           strncmp(at, relation_names[which], strlen(relation_names[which])) != 0)
        which++;
    copy_trimmed(text, at, name, sizeof name);
    if (relation_names[which] == NULL || name[0] == '\0')
        return error_set(error, "expected a metric, one of <, <=, >, >= and ==, and a value: "
                                "acquire.p99 < 50ms");
    const char *after = at + strlen(relation_names[which]);
    copy_trimmed(after, after + strlen(after), value, sizeof value);
    limit->relation = which;
    if (read_metric(name, limit, error) != 0 || read_bound(value, limit, error) != 0)
        return -1;
    snprintf(limit->text, sizeof limit->text, "%.26s %s %.30s", name, relation_names[which], value);
    return 0;
}

bool limit_is_met(const struct limit *limit, double measured)
{
    switch (limit->relation) {
    case RELATION_AT_MOST:
        return measured <= limit->bound;
    case RELATION_AT_LEAST:
        return measured >= limit->bound;
    case RELATION_BELOW:
        return measured < limit->bound;
    case RELATION_ABOVE:
        return measured > limit->bound;
    default:
        return measured >= limit->bound && measured <= limit->bound;
    }
}
