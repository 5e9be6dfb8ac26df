// What a scenario says, --set included, and a file that does the same again.
#include "harness/base/text.h"
#include "harness/scenario/keys.h"

#include <inttypes.h>
#include <string.h>

// --- what was said -------------------------------------------------------------------------------

// In double quotes, so that whatever it holds is a text, unless it is plain.
static void write_quoted(const char *string, struct text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-%";
    if (string[0] != '\0' && string[0] != '-' && string[0] != '%' &&
        strspn(string, plain) == strlen(string)) {
        text_add(out, string);
        return;
    }
    text_add(out, "\"");
    for (const char *next = string; *next != '\0'; next++) {
        if (*next == '"' || *next == '\\')
            text_format(out, "\\%c", *next);
        else if (*next == '\n')
            text_add(out, "\\n");
        else if (*next == '\t')
            text_add(out, "\\t");
        else
            text_format(out, "%c", *next);
    }
    text_add(out, "\"");
}

static void write_node(const struct node *node, struct text *out);

// The keys of a map but those that are left out, without braces.
static void write_keys(const struct node *map, const char *const *except, struct text *out)
{
    bool is_first = true;
    for (size_t i = 0; i < map->count; i++) {
        const struct node *child = map->children[i];
        if (text_is_one_of(child->key, except))
            continue;
        text_format(out, "%s%s: ", is_first ? "" : ", ", child->key);
        write_node(child, out);
        is_first = false;
    }
}

// On one line, in flow style.
static void write_node(const struct node *node, struct text *out)
{
    if (node->kind == NODE_TEXT) {
        write_quoted(node->text, out);
    } else if (node->kind == NODE_MAP) {
        text_add(out, "{");
        write_keys(node, NULL, out);
        text_add(out, "}");
    } else {
        text_add(out, "[");
        for (size_t i = 0; i < node->count; i++) {
            text_add(out, i > 0 ? ", " : "");
            write_node(node->children[i], out);
        }
        text_add(out, "]");
    }
}

// Those that are about this one of the file's workloads: the others are not in what is written.
static void settle_expectations(const struct node *list, const struct scenario *scenario,
                                struct text *head)
{
    static const char *const apart[] = {"workloads", NULL};
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!expectation_counts(scenario, &scenario->expectations[i]))
            continue;
        text_add(head, kept++ > 0 ? ", {" : "expect: [{");
        write_keys(list->children[i], apart, head);
        if (scenario->expectations[i].workloads.count > 0)
            text_format(head, ", workloads: [%s]", scenario->label);
        text_add(head, "}");
    }
    text_add(head, kept > 0 ? "]\n" : "");
}

// Each is a line of the list; what comes again and again is kept apart, to be written out later.
static void settle_faults(const struct node *list, struct fault_instance *instances,
                          struct text *faults)
{
    for (size_t i = 0; i < list->count; i++) {
        struct fault_instance *instance = &instances[i];
        const char *const repetition[] = {"every",
                                          fault_takes(instance, "jitter") ? NULL : "jitter", NULL};
        struct text text = {0};
        if (instance->every_ns > 0) {
            write_keys(list->children[i], repetition, &text);
            instance->settled = text.bytes;
            continue;
        }
        text_add(faults, "  - ");
        write_node(list->children[i], faults);
        text_add(faults, "\n");
    }
}

void settle(const struct node *root, struct scenario *scenario)
{
    static const char *const apart[] = {"name", "seed", "trial", NULL};
    struct text head = {0};
    struct text faults = {0};
    struct text random = {0};
    for (size_t i = 0; i < root->count; i++) {
        const struct node *child = root->children[i];
        struct text *out = strcmp(child->key, "random") == 0 ? &random : &head;
        if (strcmp(child->key, "faults") == 0) {
            settle_faults(child, scenario->faults, &faults);
        } else if (strcmp(child->key, "expect") == 0) {
            settle_expectations(child, scenario, &head);
        } else if (!text_is_one_of(child->key, apart)) {
            text_format(out, "%s: ", child->key);
            write_node(child, out);
            text_add(out, "\n");
        }
    }
    scenario->settled = text_take(&head);
    scenario->settled_faults = text_take(&faults);
    scenario->settled_random = text_take(&random);
}

// --- as it is run --------------------------------------------------------------------------------

bool scenario_is_open(const struct scenario *scenario)
{
    bool is_open = scenario->random.of.count > 0;
    for (size_t i = 0; i < scenario->fault_count; i++)
        is_open |= scenario->faults[i].every_ns > 0;
    return is_open;
}

bool scenario_was_drawn(const struct scenario *scenario)
{
    bool was_drawn = false;
    for (size_t i = 0; i < scenario->fault_count; i++)
        was_drawn |= scenario->faults[i].drawn;
    return was_drawn;
}

char *scenario_as_run(const struct scenario *scenario, uint64_t seed, const char *drawn,
                      const char *trial)
{
    struct text out = {0};
    text_format(&out, "# %s as it was run: lockpick run this file does the same again.",
                scenario->path);
    text_clean_line(out.bytes);
    text_format(&out, "\nname: %s\n%sseed: %" PRIu64 "\n", scenario->name, scenario->settled, seed);
    if (trial != NULL)
        text_format(&out, "trial: %s\n", trial);
    const char *lines = drawn != NULL ? drawn : "";
    bool has_faults = scenario->settled_faults[0] != '\0' || lines[0] != '\0';
    text_format(&out, "%s%s%s%s", drawn == NULL ? scenario->settled_random : "",
                has_faults ? "faults:\n" : "", scenario->settled_faults, lines);
    return out.bytes;
}
