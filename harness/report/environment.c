#include "harness/report/report.h"

#include "harness/base/clock.h"
#include "harness/report/fields.h"

#include <math.h>
#include <string.h>
#include <time.h>

// How far the loads of two machines may be apart: for each of their processors, and in parts of the
// higher one.
#define LOAD_MARGIN 0.5
#define LOAD_SHARE 0.25

// In which the kernel's average of the last minute falls to 1/e.
#define LOAD_FADES_S 60.0

// What differs between two machines, in the order in which it is told.
static const struct fact {
    struct field field;
    const char *name;
    bool may_be_empty;   // of a lock that asks no server, "" is known
    bool may_be_unknown; // many machines tell nothing of it
} facts[] = {
#define OF(member) FIELD(struct environment, member)
    {OF(lockpick_version), "Lockpick", false, false},
    {OF(servers), "servers", true, false},
    {OF(durability), "durability", true, false},
    {OF(placement), "placement", false, false},
    {OF(isolation), "isolation", false, false},
    {OF(kernel), "kernel", false, false},
    {OF(processor), "processor", false, false},
    {OF(processors), "processors", false, false},
    {OF(governor), "governor", false, true},
    {OF(clock_source), "clock source", false, false},
    {OF(lanes), "trials at a time", false, false},
    {MADE("load_at_begin", NULL), "load of the machine at the beginning", false, false},
#undef OF
};

#define FACTS (sizeof facts / sizeof *facts)

// The load when `environment` began, without what was left of the other run's own by then: what
// that had added from its beginning to its end. Of a run that was not over by then, nothing is
// known.
static double load_without(const struct environment *environment, const struct environment *other)
{
    double load = environment->load_at_begin.averages[0];
    double added = other->load_at_end.averages[0] - other->load_at_begin.averages[0];
    struct tm times[2] = {{0}};
    const char *end = strptime(environment->began, "%Y-%m-%dT%H:%M:%SZ", &times[0]);
    const char *other_end = strptime(other->began, "%Y-%m-%dT%H:%M:%SZ", &times[1]);
    if (end == NULL || other_end == NULL || other->duration_ns <= 0 ||
        !other->load_at_end.is_known || added <= 0)
        return load;
    double since_s = difftime(timegm(&times[0]), timegm(&times[1])) -
                     (double)other->duration_ns / (double)NS_PER_S;
    if (since_s < -1) // began is in whole seconds
        return load;
    return fmax(0, load - added * exp(-fmax(since_s, 0) / LOAD_FADES_S));
}

size_t environment_differences(const struct environment *a, const struct environment *b,
                               struct text *out)
{
    size_t count = 0;
    for (const struct fact *fact = facts; fact < facts + FACTS; fact++) {
        const char *one = (const char *)a + fact->field.offset;
        const char *other = (const char *)b + fact->field.offset;
        if (fact->field.kind == FIELD_CHARS && strcmp(one, other) != 0)
            text_format(out, "%s: %s and %s\n", fact->name, one[0] != '\0' ? one : "not known",
                        other[0] != '\0' ? other : "not known");
        else if (fact->field.kind == FIELD_INT && *(const int *)one != *(const int *)other)
            text_format(out, "%s: %d and %d\n", fact->name, *(const int *)one, *(const int *)other);
        else
            continue;
        count++;
    }
    double one = load_without(a, b);
    double other = load_without(b, a);
    int processors = a->processors < b->processors ? a->processors : b->processors;
    double margin = fmax(LOAD_MARGIN * fmax(processors, 1), LOAD_SHARE * fmax(one, other));
    bool is_known_of_one = a->load_at_begin.is_known != b->load_at_begin.is_known;
    bool differs = a->load_at_begin.is_known && fabs(one - other) > margin;
    if (is_known_of_one)
        text_add(out, "load of the machine at the beginning: known of one only\n");
    else if (differs)
        text_format(out, "load of the machine at the beginning: %.2f and %.2f\n", one, other);
    return count + (is_known_of_one || differs);
}

// --- JSON ----------------------------------------------------------------------------------------

static const struct field fields[] = {
    FIELDS(struct environment, lockpick_version, kernel, processor, processors, lanes, servers,
           isolation, placement, durability, clock_source),
    FIELD_IF("governor", struct environment, governor, governor),
    FIELD_IF("load_at_begin", struct environment, load_at_begin.averages, load_at_begin.is_known),
    FIELD_IF("load_at_end", struct environment, load_at_end.averages, load_at_end.is_known),
    FIELD(struct environment, began),
    {0}};

json_t *environment_json(const struct environment *environment)
{
    return fields_json(fields, environment);
}

static struct machine_load load_of(const json_t *value)
{
    struct machine_load load = {.is_known = json_array_size(value) == 3};
    for (size_t i = 0; load.is_known && i < 3; i++)
        load.averages[i] = json_number_value(json_array_get(value, i));
    return load;
}

void environment_from_json(const json_t *object, struct environment *environment)
{
    *environment = (struct environment){
        .load_at_begin = load_of(json_object_get(object, "load_at_begin")),
        .load_at_end = load_of(json_object_get(object, "load_at_end")),
    };
    for (const struct field *field = fields; field->kind != FIELD_END; field++) {
        void *at = (char *)environment + field->offset;
        if (field->kind == FIELD_CHARS)
            snprintf(at, field->size, "%s", text_at(object, field->key));
        else if (field->kind == FIELD_INT)
            *(int *)at = (int)json_integer_value(json_object_get(object, field->key));
    }
}

// False if the result does not say, or says that nobody knew.
static bool is_known(const json_t *environment, const struct fact *fact)
{
    const json_t *value = json_object_get(environment, fact->field.key);
    const char *text = json_string_value(value);
    if (text != NULL)
        return (text[0] != '\0' || fact->may_be_empty) && strcmp(text, "unknown") != 0 &&
               strstr(text, "not known") == NULL;
    return json_integer_value(value) > 0 || json_array_size(value) > 0;
}

void environment_unknown(const json_t *a, const json_t *b, struct text *out)
{
    for (size_t i = 0; i < FACTS; i++) {
        if (!facts[i].may_be_unknown && !is_known(a, &facts[i]) && !is_known(b, &facts[i]))
            text_format(out, "%s: known of neither\n", facts[i].name);
    }
}
