// Where two runs happened, as far as it bears on costs.
#include "harness/report/comparison.h"

#include <string.h>

struct field {
    const char *key;
    const char *name;
    bool may_be_empty; // of a lock that asks no server, "" is known
};

// False if the result does not say, or says that nobody knew.
static bool is_known(const struct run_figures *run, const struct field *field)
{
    const json_t *value = json_object_get(json_object_get(run->result, "environment"), field->key);
    const char *text = json_string_value(value);
    if (text != NULL)
        return (text[0] != '\0' || field->may_be_empty) && strcmp(text, "unknown") != 0 &&
               strstr(text, "not known") == NULL;
    return json_integer_value(value) > 0 || json_array_size(value) > 0;
}

void comparison_environments(const struct run_figures *a, const struct run_figures *b,
                             struct text *out)
{
    // All but the governor, of which many machines tell nothing.
    static const struct field fields[] = {
        {"lockpick_version", "Lockpick", false},
        {"servers", "servers", true},
        {"durability", "durability", true},
        {"placement", "placement", false},
        {"isolation", "isolation", false},
        {"kernel", "kernel", false},
        {"processor", "processor", false},
        {"processors", "processors", false},
        {"clock_source", "clock source", false},
        {"lanes", "trials at a time", false},
        {"load_at_begin", "load of the machine at the beginning", false},
    };
    environment_differences(&a->environment, &b->environment, out);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!is_known(a, &fields[i]) && !is_known(b, &fields[i]))
            text_format(out, "%s: known of neither\n", fields[i].name);
    }
}
