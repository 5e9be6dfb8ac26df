// From a tree to structs by the table of keys, and `--set path=value` into the tree before.
#include "harness/base/scope.h"
#include "harness/scenario/keys.h"
#include "harness/scenario/trigger.h"

#include <stdlib.h>
#include <string.h>

static void *field_of(const struct key *key, void *object)
{
    return (char *)object + key->offset;
}

// Of a section for each of several words: the struct of one of them.
static void *item_of(const struct key *key, size_t word, void *object)
{
    return (char *)field_of(key, object) + word * key->section->size;
}

// --- one value -----------------------------------------------------------------------------------

// One value on its way.
struct value {
    const struct vocabulary *vocabulary;
    const struct key *key;
    struct node *node; // the one that is read, and blamed: the value, or an item of it
    void *object;      // that the field is in
};

static void refuse_shape(const struct value *value, const char *hint)
{
    struct node *node = value->node;
    AUTO_TEXT struct text text = {0};
    text_format(&text, "'%s' must be ", value->key->name ? value->key->name : node->key);
    key_wanted(value->key, value->vocabulary, &text);
    if (node->kind != NODE_TEXT)
        text_format(&text, ", not a %s", node->kind == NODE_LIST ? "list" : "mapping");
    else if (node->text[0] == '\0')
        text_add(&text, ", but nothing is there");
    else
        text_format(&text, ", not '%s'", quote(node->text));
    refuse(node, "%s%s", text.bytes, hint);
}

// Of a list: as one more item.
static void put(const struct value *value, const char *text)
{
    void *field = field_of(value->key, value->object);
    if (value->key->type < KEY_POINTS)
        *(char **)field = memory_string(text);
    else
        string_list_add(field, text);
}

static void bind_string(const struct value *value)
{
    const struct key *key = value->key;
    const char *text = value->node->text;
    size_t length = strlen(text);
    bool is_name = key->type == KEY_NAME || key->type == KEY_NAMES;
    bool is_item = key->type >= KEY_POINTS;
    if ((!is_item && length < (size_t)key->least) ||
        (is_name && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") != length))
        refuse_shape(value, "");
    else if (!is_item && length > (size_t)key->most)
        refuse(value->node, "'%s' must have at most %lld bytes, not %zu", key->name,
               (long long)key->most, length);
    else if (key->type == KEY_TEXTS && (length == 0 || length > 4000))
        refuse(value->node, "an item of '%s' must have 1 to 4000 bytes, not %zu", key->name,
               length);
    else
        put(value, text);
}

static void bind_word(const struct value *value)
{
    static const char *const nouns[] = {[WORDS_WORKLOADS] = "workload",
                                        [WORDS_STORES] = "store",
                                        [WORDS_FAULTS] = "fault",
                                        [WORDS_PROPERTIES] = "property",
                                        [WORDS_PROMISES] = "trait",
                                        [WORDS_DRAWS] = "fault",
                                        [WORDS_MOMENTS] = "moment",
                                        [WORDS_SERVERS] = "kind of server",
                                        [WORDS_NONE_AND_SERVERS] = "kind of server",
                                        [WORDS_PROTOCOLS] = "protocol"};
    const char *const *words = words_of(value->vocabulary, value->key->words);
    const char *word = value->node->text;
    AUTO_TEXT struct text advice = {0};
    if (text_is_one_of(word, words)) {
        put(value, word);
        return;
    }
    const char *now = value->key->words == WORDS_DRAWS ? word_of_today("random", word) : NULL;
    if (now != NULL)
        text_format(&advice, "it is called '%s' now", now);
    else
        words_advise(word, words, &advice);
    refuse(value->node, "unknown %s '%s' (%s)", nouns[value->key->words], quote(word),
           advice.bytes);
}

static void bind_choice(const struct value *value)
{
    _Static_assert(sizeof(enum placement) == sizeof(unsigned) &&
                       sizeof(enum expected_verdict) == sizeof(unsigned) &&
                       sizeof(enum boundary) == sizeof(unsigned) &&
                       sizeof(enum arrival_kind) == sizeof(unsigned) &&
                       sizeof(enum persistence) == sizeof(unsigned),
                   "choices are bound as unsigned numbers");
    const char *const *choices = value->key->choices;
    int index = text_index(value->node->text, choices);
    if (index < 0)
        refuse_shape(value, suggest(value->node->text, choices));
    else
        memcpy(field_of(value->key, value->object), &index, sizeof index);
}

static void bind_number(const struct value *value)
{
    const struct key *key = value->key;
    const char *text = value->node->text;
    AUTO_TEXT struct text advice = {0};
    int64_t number = key->word_means;
    bool is_word = key->word != NULL && strcmp(text, key->word) == 0;
    enum reading reading = is_word ? READING_FINE : key_forms[key->type].read(text, &number);
    if (is_word || (reading == READING_FINE && number >= key->least && number <= key->most)) {
        *(int64_t *)field_of(key, value->object) = number;
        return;
    }
    if (reading == READING_WRONG && key->type == KEY_DURATION)
        duration_advise(text, key->least, key->most, &advice);
    if (advice.length > 0)
        refuse(value->node, "'%s': %s", key->name, advice.bytes);
    else
        refuse_shape(value, reading == READING_WRONG && key->type == KEY_DURATION
                                ? " (units: us, ms, s, m, h)"
                                : "");
}

static void bind_switch(const struct value *value)
{
    static const char *const words[] = {"false", "true", NULL};
    int on = text_index(value->node->text, words);
    if (on < 0)
        refuse_shape(value, "");
    else
        *(bool *)field_of(value->key, value->object) = on == 1;
}

static void bind_client(const struct value *value)
{
    struct error error;
    struct target target;
    if (target_read(value->node->text, value->vocabulary, &target, &error) != 0)
        refuse(value->node, "'%s': %s", value->key->name, error.text);
    else if (target.client == 0 || target.worker != 0)
        refuse_shape(value, "");
    else
        *(struct target *)field_of(value->key, value->object) = target;
}

static const struct fault_form *form_of(const struct vocabulary *vocabulary, const char *verb)
{
    return &vocabulary->fault_forms[text_index(verb, vocabulary->faults)];
}

// A verb with its target, a trigger or an end, by the small grammars of trigger.h.
static void bind_part_of_fault(const struct value *value)
{
    struct fault_instance *instance = value->object;
    const char *text = value->node->text;
    struct error error;
    int result;
    const struct vocabulary *vocabulary = value->vocabulary;
    const struct fault_form *form =
        value->key->type == KEY_VERB ? form_of(vocabulary, value->node->key) : &instance->form;
    bool is_command = value->key->type == KEY_VERB && (form->strikes & STRIKES_BY_COMMAND) != 0;
    if (!is_command && (value->node->kind != NODE_TEXT || text[0] == '\0')) {
        refuse_shape(value, "");
        return;
    }
    if (value->key->type == KEY_VERB) {
        instance->form = *form;
        instance->verb = form->name;
    }
    if (is_command) {
        bind_section(vocabulary, value->key->section, value->node, instance);
        snprintf(instance->target.server, sizeof instance->target.server, "servers");
        if (!node_has(value->node, "undo"))
            instance->form.lasting = LASTS_NEVER;
        return;
    }
    struct fault_instance read = *instance;
    if (value->key->type == KEY_POINTS)
        result = when_read(text, vocabulary, &read, &error);
    else if (value->key->type == KEY_UNTIL)
        result = until_read(text, vocabulary, &read, &error);
    else if ((instance->form.strikes & STRIKES_WIRE) != 0)
        result = wire_read(text, vocabulary, &read, &error);
    else
        result = target_read(text, vocabulary, &read.target, &error);
    if (result == 0)
        *instance = read;
    else
        refuse(value->node, "'%s': %s", value->key->name ? value->key->name : value->node->key,
               error.text);
}

static void bind_limit(const struct value *value)
{
    struct error error;
    if (limit_read(value->node->text, field_of(value->key, value->object), &error) != 0)
        refuse(value->node, "'%s': %s", quote(value->node->text), error.text);
}

// Longer than any name; and a glob of many stars takes very long to match.
#define MAX_PATTERN 64

static void bind_pattern(const struct value *value)
{
    const struct vocabulary *vocabulary = value->vocabulary;
    const char *pattern = value->node->text;
    for (size_t i = 0; strlen(pattern) <= MAX_PATTERN && vocabulary->schemes[i] != NULL; i++) {
        if (scheme_is_meant(pattern, vocabulary->schemes[i], vocabulary->scheme_forms[i].traits)) {
            put(value, pattern);
            return;
        }
    }
    AUTO_TEXT struct text advice = {0};
    scheme_advise(pattern, vocabulary, &advice);
    refuse(value->node, "'%s' is no scheme, glob or trait of one%s", quote(pattern),
           text_string(&advice));
}

// A scheme that the file brings along is meant by its name; external.c has bound it.
static void bind_brought_scheme(const struct value *value)
{
    const struct node *exec = node_child(value->node, "exec");
    const struct node *name =
        node_child(exec != NULL ? exec : node_child(value->node, "plugin"), "name");
    if (name != NULL && name->kind == NODE_TEXT && !name->bad)
        put(value, name->text);
}

static void (*const binders[])(const struct value *value) = {
    [KEY_TEXT] = bind_string,   [KEY_NAME] = bind_string,          [KEY_WORD] = bind_word,
    [KEY_CHOICE] = bind_choice, [KEY_WHOLE] = bind_number,         [KEY_DURATION] = bind_number,
    [KEY_OFFSET] = bind_number, [KEY_RATE] = bind_number,          [KEY_PERCENTAGE] = bind_number,
    [KEY_BELOW] = bind_number,  [KEY_DECIMAL] = bind_number,       [KEY_SWITCH] = bind_switch,
    [KEY_CLIENT] = bind_client, [KEY_VERB] = bind_part_of_fault,   [KEY_UNTIL] = bind_part_of_fault,
    [KEY_LIMIT] = bind_limit,   [KEY_POINTS] = bind_part_of_fault, [KEY_WORDS] = bind_word,
    [KEY_NAMES] = bind_string,  [KEY_TEXTS] = bind_string,         [KEY_PATTERNS] = bind_pattern,
};

static void bind_list(struct value value)
{
    const struct node *list = value.node;
    const struct key *key = value.key;
    if (list->count < (size_t)key->least || list->count > (size_t)key->most) {
        refuse(value.node, "'%s' must have %lld to %lld items, not %zu", key->name,
               (long long)key->least, (long long)key->most, list->count);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        value.node = list->children[i];
        if (value.node->kind == NODE_MAP && key->section != NULL)
            bind_brought_scheme(&value);
        else if (value.node->kind != NODE_TEXT)
            refuse(value.node, "an item of '%s' must be a text", key->name);
        else if (!value.node->bad)
            binders[key->type](&value);
    }
}

static void bind_value(const struct vocabulary *vocabulary, const struct key *key,
                       struct node *node, void *object)
{
    struct value value = {vocabulary, key, node, object};
    if (key->type == KEY_VERB)
        bind_part_of_fault(&value);
    else if (key->type >= KEY_POINTS && node->kind == NODE_LIST)
        bind_list(value);
    else if (node->kind == NODE_MAP && key->section != NULL)
        bind_brought_scheme(&value);
    else if (node->kind != NODE_TEXT || node->text[0] == '\0')
        refuse_shape(&value, "");
    else
        binders[key->type](&value);
}

// --- sections ------------------------------------------------------------------------------------

// "workload", "servers.redis", or "" at the root.
static const char *title_of(const struct section *section, const struct node *map, char *out,
                            size_t room)
{
    size_t length = strlen(section->name);
    bool is_one_of_many = length > 0 && section->name[length - 1] == '.';
    snprintf(out, room, "%s%s", section->name, is_one_of_many ? map->key : "");
    return out;
}

static void refuse_unknown(const struct vocabulary *vocabulary, const struct section *section,
                           const struct node *map, struct node *child)
{
    char where[48];
    title_of(section, map, where, sizeof where);
    const char *now = word_of_today(section->name, child->key);
    if (now != NULL) {
        child->meant = now;
        refuse_key(child, "'%s' in %s is called '%s' now", child->key, where, now);
        return;
    }
    AUTO_FREE const char **names = key_names(section, vocabulary);
    AUTO_TEXT struct text hint = {0};
    // What strikes somebody is a fault, and everything else a key.
    struct fault_instance read = {0};
    struct error none;
    const struct key *verb = key_find(section, vocabulary->faults[0], vocabulary);
    bool is_fault = verb != NULL && verb->type == KEY_VERB && child->kind == NODE_TEXT &&
                    (target_read(child->text, vocabulary, &read.target, &none) == 0 ||
                     wire_read(child->text, vocabulary, &read, &none) == 0);
    child->meant = words_advise(child->key, is_fault ? vocabulary->faults : names, &hint);
    if (child->meant == NULL && is_fault)
        child->meant = vocabulary->faults[0]; // or another one
    refuse_key(child, "unknown key '%s'%s%s (%s)", quote(child->key), *where ? " in " : "", where,
               hint.bytes);
}

// Says nothing if they are the same.
static void refuse_second(const struct node *first, struct node *second)
{
    if (first == second)
        return;
    if (strcmp(first->key, second->key) == 0)
        refuse_key(second, "duplicate key '%s' (the first is in line %d)", second->key,
                   first->key_place.line);
    else
        refuse_key(second, "'%s' besides '%s' of line %d: one fault does one thing", second->key,
                   first->key, first->key_place.line);
}

// A key without a name is any of its words.
static void check_not_missing(const struct vocabulary *vocabulary, const struct section *section,
                              const struct key *key, const struct node *map)
{
    const char *const one[] = {key->name, NULL};
    const char *const *names = key->name != NULL ? one : words_of(vocabulary, key->words);
    char where[48];
    AUTO_TEXT struct text text = {0};
    bool has = false;
    for (size_t i = 0; names[i] != NULL; i++) {
        has = has || node_has(map, names[i]);
        text_format(&text, "%s'%s'", i == 0 ? "" : " or ", names[i]);
    }
    if (!has)
        refuse_missing(map, "missing key %s%s%s", text.bytes, *section->name ? " in " : "",
                       title_of(section, map, where, sizeof where));
}

// What a value is if nothing says it.
static void bind_default(const struct vocabulary *vocabulary, const struct key *key, void *object)
{
    static const struct origin origin = {.path = "default"};
    if (key->type == KEY_SECTION && key->name != NULL) {
        bind_section(vocabulary, key->section, NULL, field_of(key, object));
    } else if (key->fallback != NULL) {
        struct node *node = node_new_text(key->fallback, &origin, (struct place){0});
        bind_value(vocabulary, key, node, object);
        node_free(node);
    }
}

// Turns an item of such a list that is a text, where a text will do, into the mapping that it
// stands for.
static void expand_text(const struct key *key, struct node *item)
{
    if (key->text_is == NULL || item->kind != NODE_TEXT || item->bad)
        return;
    struct node *value = node_new_text(item->text, item->origin, item->place);
    value->key_place = item->place;
    free(item->text);
    item->text = NULL;
    item->kind = NODE_MAP;
    node_add(item, key->text_is, value);
}

// A list of mappings: one struct for each, also for what is none, so that the numbers agree.
static void bind_sections(const struct vocabulary *vocabulary, const struct key *key,
                          struct node *list, void *object)
{
    const struct section *section = key->section;
    if (key->one_will_do)
        expand_text(key, list);
    size_t count = item_count(list);
    if (list->kind != NODE_LIST && !(key->one_will_do && list->kind == NODE_MAP)) {
        refuse(list, "'%s' must be a list ('- ' before each item)%s", key->name,
               key->one_will_do ? " or one mapping ('key: value')" : "");
        return;
    }
    if (count > (size_t)key->most) {
        refuse(list, "'%s' must have at most %lld items, not %zu", key->name, (long long)key->most,
               count);
        return;
    }
    if (count < (size_t)key->least) {
        refuse(list, "'%s' must have at least %lld item%s", key->name, (long long)key->least,
               key->least == 1 ? "" : "s");
        return;
    }
    char *items = memory_zeroed(count, section->size);
    for (size_t i = 0; i < count; i++) {
        struct node *item = item_node(list, i);
        expand_text(key, item);
        if (key->text_is != NULL && item->kind == NODE_LIST)
            refuse(item, "an item of '%s' must be a text or a mapping", key->name);
        bind_section(vocabulary, section, item, items + i * section->size);
    }
    memcpy(field_of(key, object), &items, sizeof items);
    memcpy((char *)object + key->count_offset, &count, sizeof count);
}

// `seen` tells for each key of the section where it was said.
static void bind_child(const struct vocabulary *vocabulary, const struct section *section,
                       const struct node *map, struct node *child, struct node **seen, void *object)
{
    const struct key *key = key_find(section, child->key, vocabulary);
    if (key == NULL) {
        refuse_unknown(vocabulary, section, map, child);
        return;
    }
    if (key->type == KEY_SECTION && key->name == NULL) { // bound with those that are not said
        refuse_second(node_child(map, child->key), child);
        return;
    }
    struct node **first = &seen[key - section->keys];
    if (*first != NULL) {
        refuse_second(*first, child);
        return;
    }
    *first = child;
    if (child->bad && child->kind == NODE_TEXT)
        return; // the reader has refused it
    if (key->type == KEY_SECTION)
        bind_section(vocabulary, key->section, child, field_of(key, object));
    else if (key->type == KEY_SECTIONS)
        bind_sections(vocabulary, key, child, object);
    else
        bind_value(vocabulary, key, child, object);
}

void bind_section(const struct vocabulary *vocabulary, const struct section *section,
                  struct node *map, void *object)
{
    struct node *seen[MAX_KEYS] = {NULL};
    char title[48];
    if (section->blank != NULL)
        memcpy(object, section->blank, section->size);
    if (map != NULL && map->kind != NODE_MAP) {
        if (!map->bad && *section->name == '\0')
            refuse(map, "a scenario must be a mapping ('key: value')");
        else if (!map->bad)
            refuse(map, "%s'%s' must be a mapping ('key: value')",
                   section->item != NULL ? "an item of " : "",
                   title_of(section, map, title, sizeof title));
        map = NULL;
    }
    if (map != NULL && section->place_offset != 0)
        memcpy((char *)object + section->place_offset, &map->place, sizeof map->place);
    for (size_t i = 0; map != NULL && i < map->count; i++)
        bind_child(vocabulary, section, map, map->children[i], seen, object);
    for (size_t i = 0; i < section->key_count; i++) {
        const struct key *key = &section->keys[i];
        const char *const *words =
            key->type == KEY_SECTION && key->name == NULL ? words_of(vocabulary, key->words) : NULL;
        // A section for each of several words, with defaults for those that are not said.
        for (size_t word = 0; words != NULL && words[word] != NULL && (int64_t)word < key->most;
             word++)
            bind_section(vocabulary, key->section, node_child(map, words[word]),
                         item_of(key, word, object));
        // A section that is there has seen to its own defaults.
        if (seen[i] == NULL || (key->type != KEY_SECTION && !node_fine(seen[i])))
            bind_default(vocabulary, key, object);
        if (map != NULL && key->required)
            check_not_missing(vocabulary, section, key, map);
    }
}

void unbind_section(const struct section *section, void *object)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const struct key *key = &section->keys[i];
        void *field = field_of(key, object);
        if (key->type <= KEY_WORD) {
            free(*(char **)field);
        } else if (key->type >= KEY_WORDS && key->type <= KEY_PATTERNS) {
            string_list_free(field);
        } else if (key->type == KEY_VERB) {
            unbind_section(key->section, object);
        } else if (key->type == KEY_SECTION) {
            for (size_t j = 0; j < (key->name != NULL ? 1 : (size_t)key->most); j++)
                unbind_section(key->section, item_of(key, j, object));
        } else if (key->type == KEY_SECTIONS) {
            char *items;
            size_t count;
            memcpy(&items, field, sizeof items);
            memcpy(&count, (char *)object + key->count_offset, sizeof count);
            for (size_t j = 0; j < count; j++)
                unbind_section(key->section, items + j * key->section->size);
            free(items);
        }
    }
}

// --- overrides -----------------------------------------------------------------------------------

// Every path that `wrong` could have been meant to be; items of a list only below the number that
// `wrong` itself has.
static void collect_paths(const struct section *section, const struct vocabulary *vocabulary,
                          const char *prefix, const char *wrong, struct string_list *paths)
{
    AUTO_FREE const char **names = key_names(section, vocabulary);
    for (size_t i = 0; names[i] != NULL; i++) {
        AUTO_TEXT struct text path = {0};
        text_format(&path, "%s%s", prefix, names[i]);
        const struct key *key = key_find(section, names[i], vocabulary);
        string_list_add(paths, path.bytes);
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
    }
}

// "did you mean 'clients.threads'?", or the keys of the section that all but the last word of the
// path lead to (NULL: there is none).
static void refuse_path(const struct vocabulary *vocabulary, const struct origin *origin,
                        const struct section *section)
{
    const char *wrong = origin->override->path;
    const char *dot = strrchr(wrong, '.');
    size_t length = dot != NULL ? (size_t)(dot - wrong) + 1 : 0;
    AUTO_LIST struct string_list paths = {0};
    AUTO_TEXT struct text advice = {0};
    AUTO_FREE const char **beside = section != NULL ? key_names(section, vocabulary) : NULL;
    const char *whole = NULL; // `clients.threads` for `threads`
    collect_paths(&scenario_section, vocabulary, "", wrong, &paths);
    for (size_t i = 0; whole == NULL && i < paths.count; i++) {
        const char *last = strrchr(paths.items[i], '.');
        whole = last != NULL && strcmp(last + 1, wrong) == 0 ? paths.items[i] : NULL;
    }
    char first[16];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(wrong, "."), wrong);
    const char *now = word_of_today(first, wrong + length);
    const char *nearest = text_nearest(wrong + length, beside);
    if (now == NULL && nearest == NULL && beside == NULL && whole == NULL)
        whole = text_nearest(wrong, (const char *const *)paths.items);
    if (now != NULL) {
        text_format(&advice, ": '%s' is called '%.*s%s' now", wrong, (int)length, wrong, now);
    } else if (nearest != NULL) {
        text_format(&advice, " (did you mean '%.*s%s'?)", (int)length, wrong, nearest);
    } else if (beside != NULL) {
        text_format(&advice, ": '%.*s' has ", (int)length - 1, wrong);
        text_join(&advice, beside, NULL);
    } else if (whole != NULL) {
        text_format(&advice, " (did you mean '%s'?)", whole);
    }
    refuse_at(origin, (struct place){0}, "unknown key%s", text_string(&advice));
}

// Puts the value of the override where the map says that key, or has room for it.
static void replace_child(struct node *map, const struct key *key, const char *name,
                          const struct origin *origin)
{
    const char *text = origin->override->value;
    bool is_tree = key->type != KEY_TEXT && (text[0] == '[' || text[0] == '{');
    struct node *value = is_tree ? tree_read(origin, text, strlen(text))
                                 : node_new_text(text, origin, (struct place){0});
    size_t i = 0;
    while (i < map->count && strcmp(map->children[i]->key, name) != 0)
        i++;
    if (value == NULL)
        return;
    if (i == map->count) {
        node_add(map, name, value);
        return;
    }
    value->key = memory_string(name);
    node_free(map->children[i]);
    map->children[i] = value;
}

// The item of a list whose number the path names.
static struct node *enter_item(struct node *map, const struct key *key, const char *number,
                               const struct origin *origin)
{
    const struct section *section = key->section;
    struct node *list = node_child(map, section->name);
    // One mapping, where that will do, is its own first item.
    size_t count = list != NULL && list->kind != NODE_TEXT ? item_count(list) : 0;
    int64_t index = 0;
    if (number == NULL || whole_number_read(number, &index) != READING_FINE || index < 1 ||
        (size_t)index > count) {
        refuse_at(origin, (struct place){0},
                  "'%s' needs the number of an item: items count from 1; there %s %zu %s%s",
                  section->name, count == 1 ? "is" : "are", count, section->item,
                  count == 1 ? "" : "s");
        return NULL;
    }
    struct node *item = item_node(list, (size_t)index - 1);
    expand_text(key, item);
    return item->kind == NODE_MAP ? item : NULL;
}

// Follows the path from `map`, of that section; in a list of mappings, each of which makes a
// scenario of its own, to all of them.
static void apply(const struct vocabulary *vocabulary, const struct origin *origin,
                  const struct section *section, struct node *map, const char *path)
{
    AUTO_FREE char *words = memory_string(path);
    char *rest = words;
    while (map != NULL) {
        const char *said = strsep(&rest, ".");
        const char *name = said != NULL ? word_meant(section->name, said) : NULL;
        const struct key *key = name != NULL ? key_find(section, name, vocabulary) : NULL;
        if (key != NULL && rest != NULL && key->type == KEY_VERB &&
            (form_of(vocabulary, name)->strikes & STRIKES_BY_COMMAND) == 0) {
            refuse_at(origin, (struct place){0}, "'%s' has a target, and no keys below it", name);
            return;
        }
        if (key == NULL || (rest != NULL && (key->section == NULL || key->type == KEY_PATTERNS))) {
            bool is_last =
                name != NULL && key == NULL && rest == NULL && section != &scenario_section;
            refuse_path(vocabulary, origin, is_last ? section : NULL);
            return;
        }
        if (rest == NULL) {
            replace_child(map, key, name, origin);
            return;
        }
        section = key->section;
        if (key->type != KEY_SECTION && key->type != KEY_VERB) {
            map = enter_item(map, key, strsep(&rest, "."), origin);
            continue;
        }
        struct node *child = node_child(map, name);
        if (child == NULL) {
            child = node_new(NODE_MAP, origin, (struct place){0});
            node_add(map, name, child);
        }
        for (size_t i = 0; child->kind == NODE_LIST && key->most > 1 && i < child->count; i++) {
            if (child->children[i]->kind == NODE_MAP)
                apply(vocabulary, origin, section, child->children[i], rest);
        }
        // What the file has there instead of a section it is told otherwise.
        map = child->kind == NODE_MAP ? child : NULL;
    }
}

void overrides_apply(const struct vocabulary *vocabulary, const struct origin *origins,
                     size_t count, struct node *root)
{
    for (size_t i = 0; i < count; i++) {
        apply(vocabulary, &origins[i], &scenario_section, root, origins[i].override->path);
        words_renew(root, false); // of what it has in braces
    }
}
