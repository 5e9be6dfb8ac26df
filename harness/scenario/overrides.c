// `--set path=value`: edits of the tree, so that what they say is bound and checked like the file.
#include "harness/base/text.h"
#include "harness/scenario/bind.h"
#include "harness/scenario/units.h"

#include <stdlib.h>
#include <string.h>

struct paths {
    char **items;
    size_t count;
};

// Every path that `wrong` could have been meant to be; items of a list only below the number that
// `wrong` itself has.
static void collect_paths(const struct section *section, const struct vocabulary *vocabulary,
                          const char *prefix, const char *wrong, struct paths *paths)
{
    const char **names = key_names(section, vocabulary);
    for (size_t i = 0; names[i] != NULL; i++) {
        struct text path = {0};
        text_format(&path, "%s%s", prefix, names[i]);
        const struct key *key = key_find(section, names[i], vocabulary);
        paths->items = memory_resized(paths->items, (paths->count + 2) * sizeof *paths->items);
        paths->items[paths->count++] = memory_string(path.bytes);
        paths->items[paths->count] = NULL;
        text_add(&path, ".");
        bool below = key->type == KEY_SECTION;
        if (key->type == KEY_SECTIONS && strncmp(wrong, path.bytes, path.length) == 0) {
            const char *number = wrong + path.length;
            size_t digits = strspn(number, "0123456789");
            below = digits > 0 && number[digits] == '.';
            text_add_bytes(&path, number, digits + 1);
        }
        if (below)
            collect_paths(key->section, vocabulary, path.bytes, wrong, paths);
        text_free(&path);
    }
    free(names);
}

// `threads` for `clients.threads`.
static const char *find_by_last_part(const struct paths *paths, const char *wrong)
{
    for (size_t i = 0; i < paths->count; i++) {
        const char *dot = strrchr(paths->items[i], '.');
        if (dot != NULL && strcmp(dot + 1, wrong) == 0)
            return paths->items[i];
    }
    return NULL;
}

// " (did you mean 'clients.threads'?)", or which keys there are where `wrong` looks for one: "", if
// there is no such place.
static void advise_on_key(const struct paths *paths, const char *wrong, struct text *advice)
{
    const char *dot = strrchr(wrong, '.');
    size_t length = dot != NULL ? (size_t)(dot - wrong) + 1 : 0;
    struct paths near = {.items = memory_zeroed(paths->count + 1, sizeof *near.items)};
    for (size_t i = 0; i < paths->count && length > 0; i++) {
        const char *path = paths->items[i];
        if (strncmp(path, wrong, length) == 0 && strchr(path + length, '.') == NULL)
            near.items[near.count++] = paths->items[i] + length;
    }
    const char *meant = text_nearest(wrong + length, (const char *const *)near.items);
    if (meant != NULL)
        text_format(advice, " (did you mean '%.*s%s'?)", (int)length, wrong, meant);
    else if (near.count > 0)
        text_format(advice, ": '%.*s' has", (int)length - 1, wrong);
    for (size_t i = 0; i < near.count && meant == NULL; i++)
        text_format(advice, "%s %s", i > 0 ? "," : "", near.items[i]);
    free(near.items);
}

static void complain_about_path(struct binding *binding, const struct origin *origin)
{
    const char *wrong = origin->override->path;
    struct paths paths = {0};
    struct text advice = {0};
    collect_paths(&scenario_section, binding->vocabulary, "", wrong, &paths);
    advise_on_key(&paths, wrong, &advice);
    const char *meant = find_by_last_part(&paths, wrong);
    if (meant == NULL && advice.length == 0)
        meant = text_nearest(wrong, (const char *const *)paths.items);
    if (meant != NULL)
        text_format(&advice, " (did you mean '%s'?)", meant);
    complaints_add(binding->complaints, origin, (struct place){0}, "unknown key%s",
                   text_string(&advice));
    text_free(&advice);
    for (size_t i = 0; i < paths.count; i++)
        free(paths.items[i]);
    free(paths.items);
}

static struct node *read_value(struct binding *binding, const struct key *key,
                               const struct origin *origin)
{
    const char *value = origin->override->value;
    bool is_text = key->type < KEY_WORDS || key->type == KEY_VERB || key->type == KEY_UNTIL;
    if (!is_text && (value[0] == '[' || value[0] == '{'))
        return tree_read(origin, value, strlen(value), binding->complaints);
    struct node *node = node_new(NODE_TEXT, origin, (struct place){0});
    node->text = memory_string(value);
    return node;
}

static void replace_child(struct node *map, const char *name, struct node *value)
{
    struct node *old = node_child(map, name);
    for (size_t i = 0; i < map->count; i++) {
        if (map->children[i] != old)
            continue;
        value->key = memory_string(name);
        map->children[i] = value;
        node_free(old);
        return;
    }
    node_add(map, name, value);
}

// A step down to a section that may not be there yet. NULL if the file has something else there,
// which it is told otherwise.
static struct node *enter(struct node *map, const char *name, const struct origin *origin)
{
    struct node *child = node_child(map, name);
    if (child == NULL) {
        child = node_new(NODE_MAP, origin, (struct place){0});
        node_add(map, name, child);
    }
    return child->kind == NODE_MAP ? child : NULL;
}

// The item of a list whose number the path names.
static struct node *enter_item(struct binding *binding, struct node *map, const struct key *key,
                               const char *number, const struct origin *origin)
{
    const struct section *section = key->section;
    const char *name = section->name;
    struct node *list = node_child(map, name);
    // One mapping, where that will do, is its own first item.
    struct node *one = list != NULL && list->kind == NODE_MAP ? list : NULL;
    size_t count = list != NULL && list->kind == NODE_LIST ? list->count : one != NULL;
    int64_t index = 0;
    if (number == NULL || whole_number_read(number, &index) != READING_FINE || index < 1 ||
        (size_t)index > count) {
        complaints_add(binding->complaints, origin, (struct place){0},
                       "'%s' needs the number of an item: items count from 1; there %s %zu %s%s",
                       name, count == 1 ? "is" : "are", count, section->item,
                       count == 1 ? "" : "s");
        return NULL;
    }
    struct node *item = one != NULL ? one : list->children[index - 1];
    bind_expand_text(key, item);
    return item->kind == NODE_MAP ? item : NULL;
}

static void apply(struct binding *binding, const struct origin *origin, struct node *root)
{
    const struct section *section = &scenario_section;
    struct node *map = root;
    char *path = memory_string(origin->override->path);
    char *rest = path;
    while (map != NULL) {
        char *name = strsep(&rest, ".");
        const struct key *key = key_find(section, name, binding->vocabulary);
        if (key == NULL || (rest != NULL && key->section == NULL)) {
            complain_about_path(binding, origin);
            break;
        }
        if (rest == NULL) {
            struct node *value = read_value(binding, key, origin);
            if (value != NULL)
                replace_child(map, name, value);
            break;
        }
        if (key->type == KEY_SECTION)
            map = enter(map, name, origin);
        else
            map = enter_item(binding, map, key, strsep(&rest, "."), origin);
        section = key->section;
        if (rest == NULL && map != NULL) {
            complain_about_path(binding, origin);
            break;
        }
    }
    free(path);
}

void overrides_apply(struct binding *binding, const struct origin *origins, size_t count,
                     struct node *root)
{
    for (size_t i = 0; i < count; i++)
        apply(binding, &origins[i], root);
}
