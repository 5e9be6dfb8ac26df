#include "harness/scenario/bind.h"

#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

static void *field_of(const struct key *key, void *object)
{
    return (char *)object + key->offset;
}

// " in workload", or "" at the root.
static const char *inside(const struct section *section, char *out, size_t room)
{
    snprintf(out, room, "%s%s", *section->name ? " in " : "", section->name);
    return out;
}

static void complain_about_unknown(struct binding *binding, const struct section *section,
                                   struct node *child)
{
    struct quote shown;
    char where[32];
    const char **names = key_names(section, binding->vocabulary);
    const char *nearest = text_nearest(child->key, names);
    struct text hint = {0};
    child->meant = nearest;
    if (nearest != NULL) {
        text_format(&hint, "did you mean '%s'?", nearest);
    } else {
        text_add(&hint, "known are ");
        words_join(names, "and", &hint);
    }
    complain_key(binding->complaints, child, "unknown key '%s'%s (%s)", quote(child->key, &shown),
                 inside(section, where, sizeof where), hint.bytes);
    text_free(&hint);
    free(names);
}

static void complain_about_second(struct binding *binding, const struct node *first,
                                  struct node *second)
{
    if (strcmp(first->key, second->key) == 0)
        complain_key(binding->complaints, second, "duplicate key '%s' (the first is in line %d)",
                     second->key, first->key_place.line);
    else
        complain_key(binding->complaints, second,
                     "'%s' besides '%s' of line %d: one fault does one thing", second->key,
                     first->key, first->key_place.line);
}

// The keys that would do: one, or any verb.
static const char *const *names_of(const struct binding *binding, const struct key *key,
                                   const char *one[2])
{
    one[0] = key->name;
    one[1] = NULL;
    return key->name != NULL ? one : words_of(binding->vocabulary, key->words);
}

static void check_not_missing(struct binding *binding, const struct section *section,
                              const struct key *key, const struct node *map)
{
    const char *one[2];
    const char *const *names = names_of(binding, key, one);
    char where[32];
    struct text text = {0};
    bool has = false;
    for (size_t i = 0; names[i] != NULL; i++) {
        has = has || node_has(map, names[i]);
        text_format(&text, "%s'%s'", i == 0 ? "" : " or ", names[i]);
    }
    // The mapping itself is not wrong, so it is not marked.
    if (!has)
        complaints_add(binding->complaints, map->origin, node_heading(map), "missing key %s%s",
                       text.bytes, inside(section, where, sizeof where));
    text_free(&text);
}

static void bind_default(struct binding *binding, const struct key *key, void *object)
{
    if (key->type == KEY_SECTION) {
        bind_section(binding, key->section, NULL, field_of(key, object));
    } else if (key->fallback != NULL) {
        static const struct origin origin = {.path = "default"};
        struct node *node = node_new(NODE_TEXT, &origin, (struct place){0});
        node->text = memory_string(key->fallback);
        bind_value(binding, key, node, object);
        node_free(node);
    }
}

void bind_expand_text(const struct key *key, struct node *item)
{
    if (key->text_is == NULL || item->kind != NODE_TEXT || item->bad)
        return;
    struct node *value = node_new(NODE_TEXT, item->origin, item->place);
    value->text = item->text;
    value->key_place = item->place;
    item->text = NULL;
    item->kind = NODE_MAP;
    node_add(item, key->text_is, value);
}

// A list of mappings: one struct for each, also for what is none, so that the numbers agree.
static void bind_sections(struct binding *binding, const struct key *key, struct node *list,
                          void *object)
{
    const struct section *section = key->section;
    if (key->one_will_do)
        bind_expand_text(key, list);
    bool is_one = key->one_will_do && list->kind == NODE_MAP;
    if (list->kind != NODE_LIST && !is_one) {
        complain(binding->complaints, list, "'%s' must be a list ('- ' before each item)%s",
                 key->name, key->one_will_do ? " or one mapping ('key: value')" : "");
        return;
    }
    size_t count = is_one ? 1 : list->count;
    if (count > (size_t)key->most) {
        complain(binding->complaints, list, "'%s' must have at most %lld items, not %zu", key->name,
                 (long long)key->most, count);
        return;
    }
    if (count < (size_t)key->least) {
        complain(binding->complaints, list, "'%s' must have at least %lld item%s", key->name,
                 (long long)key->least, key->least == 1 ? "" : "s");
        return;
    }
    char *items = memory_zeroed(count, section->size);
    for (size_t i = 0; i < count; i++) {
        struct node *item = is_one ? list : list->children[i];
        bind_expand_text(key, item);
        if (key->text_is != NULL && item->kind == NODE_LIST)
            complain(binding->complaints, item, "an item of '%s' must be a text or a mapping",
                     key->name);
        bind_section(binding, section, item, items + i * section->size);
    }
    memcpy(field_of(key, object), &items, sizeof items);
    memcpy((char *)object + key->count_offset, &count, sizeof count);
}

static void bind_child(struct binding *binding, const struct key *key, struct node *child,
                       void *object)
{
    if (child->bad && child->kind == NODE_TEXT)
        return; // the reader has complained
    if (key->type == KEY_SECTION)
        bind_section(binding, key->section, child, field_of(key, object));
    else if (key->type == KEY_SECTIONS)
        bind_sections(binding, key, child, object);
    else
        bind_value(binding, key, child, object);
}

// Binds what the map says; `seen` tells for each key of the table where.
static void bind_map(struct binding *binding, const struct section *section, struct node *map,
                     struct node **seen, void *object)
{
    for (size_t i = 0; i < map->count; i++) {
        struct node *child = map->children[i];
        const struct key *key = key_find(section, child->key, binding->vocabulary);
        if (key == NULL) {
            complain_about_unknown(binding, section, child);
            continue;
        }
        struct node **first = &seen[key - section->keys];
        if (*first != NULL) {
            complain_about_second(binding, *first, child);
            continue;
        }
        *first = child;
        bind_child(binding, key, child, object);
    }
}

static void complain_about_shape(struct binding *binding, const struct section *section,
                                 struct node *node)
{
    bool is_item = section->place_offset != SIZE_MAX;
    if (node->bad)
        return; // the reader has complained
    if (*section->name == '\0')
        complain(binding->complaints, node, "a scenario must be a mapping ('key: value')");
    else
        complain(binding->complaints, node, "%s'%s' must be a mapping ('key: value')",
                 is_item ? "an item of " : "", section->name);
}

void bind_section(struct binding *binding, const struct section *section, struct node *map,
                  void *object)
{
    struct node *seen[MAX_KEYS] = {NULL};
    if (section->blank != NULL)
        memcpy(object, section->blank, section->size);
    if (map != NULL && map->kind != NODE_MAP) {
        complain_about_shape(binding, section, map);
        map = NULL;
    }
    if (map != NULL) {
        if (section->place_offset != SIZE_MAX)
            memcpy((char *)object + section->place_offset, &map->place, sizeof map->place);
        bind_map(binding, section, map, seen, object);
    }
    for (size_t i = 0; section->keys[i].help != NULL; i++) {
        const struct key *key = &section->keys[i];
        // A section that is there has seen to its own defaults.
        if (seen[i] == NULL || (key->type != KEY_SECTION && !node_fine(seen[i])))
            bind_default(binding, key, object);
        if (map != NULL && key->required)
            check_not_missing(binding, section, key, map);
    }
}

static void free_list(struct string_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
}

static void unbind_sections(const struct key *key, void *object)
{
    char *items;
    size_t count;
    memcpy(&items, field_of(key, object), sizeof items);
    memcpy(&count, (char *)object + key->count_offset, sizeof count);
    for (size_t i = 0; i < count; i++)
        unbind_section(key->section, items + i * key->section->size);
    free(items);
}

void unbind_section(const struct section *section, void *object)
{
    for (const struct key *key = section->keys; key->help != NULL; key++) {
        void *field = field_of(key, object);
        if (key->type == KEY_TEXT || key->type == KEY_NAME || key->type == KEY_WORD)
            free(*(char **)field);
        else if (key->type >= KEY_WORDS && key->type <= KEY_PATTERNS)
            free_list(field);
        else if (key->type == KEY_SECTION)
            unbind_section(key->section, field);
        else if (key->type == KEY_SECTIONS)
            unbind_sections(key, object);
    }
}
