// One value: from a node to a field.
#include "harness/base/text.h"
#include "harness/scenario/bind.h"
#include "harness/scenario/trigger.h"
#include "harness/scenario/units.h"

#include <stdlib.h>
#include <string.h>

// One value on its way.
struct value {
    struct binding *binding;
    const struct key *key;
    struct node *node; // the one that is read, and blamed: the value, or an item of it
    void *field;
    void *object; // that the field is in
};

static void complain_about_shape(const struct value *value, const char *hint)
{
    const struct node *node = value->node;
    const char *name = value->key->name ? value->key->name : node->key;
    struct quote shown;
    struct text text = {0};
    text_format(&text, "'%s' must be ", name);
    key_wanted(value->key, value->binding->vocabulary, &text);
    if (node->kind != NODE_TEXT)
        text_format(&text, ", not a %s", node->kind == NODE_LIST ? "list" : "mapping");
    else if (node->text[0] == '\0')
        text_add(&text, ", but nothing is there");
    else
        text_format(&text, ", not '%s'", quote(node->text, &shown));
    complain(value->binding->complaints, value->node, "%s%s", text.bytes, hint);
    text_free(&text);
}

static void bind_text(const struct value *value)
{
    const struct key *key = value->key;
    const char *text = value->node->text;
    size_t length = strlen(text);
    bool is_name = key->type == KEY_NAME;
    if (length < (size_t)key->least ||
        (is_name && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)) {
        complain_about_shape(value, "");
        return;
    }
    if (length > (size_t)key->most) {
        complain(value->binding->complaints, value->node,
                 "'%s' must have at most %lld bytes, not %zu", key->name, (long long)key->most,
                 length);
        return;
    }
    *(char **)value->field = memory_string(text);
}

static const char *find_word(const struct value *value, const char *const *words, size_t *index)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], value->node->text) == 0) {
            *index = i;
            return words[i];
        }
    }
    return NULL;
}

static const char *find_in_vocabulary(const struct value *value)
{
    const char *const *words = words_of(value->binding->vocabulary, value->key->words);
    struct suggestion suggestion;
    struct quote shown;
    size_t index;
    const char *word = find_word(value, words, &index);
    if (word != NULL)
        return word;
    struct text known = {0};
    if (*suggest(value->node->text, words, &suggestion) == '\0') {
        text_add(&known, " (known are ");
        words_join(words, "and", &known);
        text_add(&known, ")");
    }
    complain(value->binding->complaints, value->node, "unknown %s '%s'%s%s",
             word_noun(value->key->words), quote(value->node->text, &shown), suggestion.text,
             text_string(&known));
    text_free(&known);
    return NULL;
}

static void bind_word(const struct value *value)
{
    const char *word = find_in_vocabulary(value);
    if (word != NULL)
        *(char **)value->field = memory_string(word);
}

static void bind_choice(const struct value *value)
{
    _Static_assert(sizeof(enum placement) == sizeof(unsigned) &&
                       sizeof(enum expected_verdict) == sizeof(unsigned) &&
                       sizeof(enum boundary) == sizeof(unsigned) &&
                       sizeof(enum arrival_kind) == sizeof(unsigned) &&
                       sizeof(enum persistence) == sizeof(unsigned),
                   "choices are bound as unsigned numbers");
    struct suggestion suggestion;
    size_t index;
    if (find_word(value, value->key->choices, &index) == NULL) {
        complain_about_shape(value, suggest(value->node->text, value->key->choices, &suggestion));
        return;
    }
    unsigned number = (unsigned)index;
    memcpy(value->field, &number, sizeof number);
}

static void complain_about_duration(const struct value *value)
{
    struct text advice = {0};
    duration_advise(value->node->text, value->key->least, value->key->most, &advice);
    if (advice.length > 0)
        complain(value->binding->complaints, value->node, "'%s': %s", value->key->name,
                 advice.bytes);
    else
        complain_about_shape(value, " (units: us, ms, s, m, h)");
    text_free(&advice);
}

static void bind_number(const struct value *value)
{
    static enum reading (*const readers[])(const char *, int64_t *) = {
        [KEY_WHOLE] = whole_number_read, [KEY_DURATION] = duration_read,
        [KEY_RATE] = rate_read,          [KEY_PERCENTAGE] = percentage_read,
        [KEY_DECIMAL] = decimal_read,    [KEY_BELOW] = below_read,
    };
    int64_t number = 0;
    if (value->key->word != NULL && strcmp(value->node->text, value->key->word) == 0) {
        *(int64_t *)value->field = value->key->word_means;
        return;
    }
    enum reading reading = readers[value->key->type](value->node->text, &number);
    if (reading == READING_WRONG && value->key->type == KEY_DURATION)
        complain_about_duration(value);
    else if (reading != READING_FINE || number < value->key->least || number > value->key->most)
        complain_about_shape(value, "");
    else
        *(int64_t *)value->field = number;
}

static void bind_switch(const struct value *value)
{
    bool on;
    if (switch_read(value->node->text, &on) == READING_FINE)
        *(bool *)value->field = on;
    else
        complain_about_shape(value, "");
}

// What a small grammar said, with the key before it.
static void complain_about_grammar(const struct value *value, const struct error *error)
{
    complain(value->binding->complaints, value->node, "'%s': %s",
             value->key->name ? value->key->name : value->node->key, error->text);
}

static void bind_target(const struct value *value)
{
    struct error error;
    struct target target = {0};
    if (target_read(value->node->text, &target, &error) != 0)
        complain_about_grammar(value, &error);
    else if (value->key->type == KEY_CLIENT && (target.client == 0 || target.worker != 0))
        complain_about_shape(value, "");
    else
        *(struct target *)value->field = target;
}

static void bind_verb(const struct value *value)
{
    struct error error;
    struct fault_step *step = value->object;
    const struct fault_form *form = fault_form_find(value->binding->vocabulary, value->node->key);
    step->verb = form->name;
    step->form = *form;
    if ((form->strikes & STRIKES_WIRE) == 0)
        bind_target(value);
    else if (wire_read(value->node->text, step, &error) != 0)
        complain_about_grammar(value, &error);
}

// Forward, or back with a minus sign.
static void bind_offset(const struct value *value)
{
    const struct key *key = value->key;
    const char *text = value->node->text;
    bool back = *text == '-';
    int64_t offset_ns = 0;
    if (duration_read(text + (back || *text == '+'), &offset_ns) != READING_FINE ||
        offset_ns > key->most) {
        complain_about_shape(value, "");
        return;
    }
    *(int64_t *)value->field = back ? -offset_ns : offset_ns;
}

static void bind_point(const struct value *value)
{
    struct error error;
    struct point_name point;
    struct cause cause;
    struct fault_step *step = value->object;
    if (when_read(value->node->text, value->binding->vocabulary->commands, &point, &cause,
                  &error) != 0)
        complain_about_grammar(value, &error);
    else if (cause.kind == CAUSE_NONE)
        step->points[step->point_count++] = point;
    else
        step->cause = cause;
}

static void bind_until(const struct value *value)
{
    struct error error;
    struct fault_step *step = value->object;
    struct cause cause;
    int64_t bound_ns = 0;
    if (until_read(value->node->text, &cause, &bound_ns, &error) != 0) {
        complain_about_grammar(value, &error);
        return;
    }
    step->until = cause;
    step->bound_ns = bound_ns;
}

static void add_to_list(const struct value *value, const char *word)
{
    struct string_list *list = value->field;
    list->items = memory_resized(list->items, (list->count + 1) * sizeof *list->items);
    list->items[list->count++] = memory_string(word);
}

static void bind_word_of_list(const struct value *value)
{
    const char *word = find_in_vocabulary(value);
    if (word != NULL)
        add_to_list(value, word);
}

// Longer than any name; and a glob of many stars takes very long to match.
#define MAX_PATTERN 64

static bool means_a_scheme(const struct vocabulary *vocabulary, const char *pattern)
{
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++) {
        if (scheme_is_meant(pattern, vocabulary->schemes[i], vocabulary->scheme_traits[i]))
            return true;
    }
    return false;
}

static void bind_pattern(const struct value *value)
{
    const struct vocabulary *vocabulary = value->binding->vocabulary;
    const char *pattern = value->node->text;
    if (strlen(pattern) <= MAX_PATTERN && means_a_scheme(vocabulary, pattern)) {
        add_to_list(value, pattern);
        return;
    }
    struct suggestion suggestion;
    struct quote shown;
    if (*suggest(pattern, vocabulary->schemes, &suggestion) == '\0')
        suggest(pattern, vocabulary->traits, &suggestion);
    complain(value->binding->complaints, value->node, "'%s' is no scheme, glob or trait of one%s",
             quote(pattern, &shown), suggestion.text);
}

static void bind_name_of_list(const struct value *value)
{
    const char *name = value->node->text;
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name))
        complain_about_shape(value, "");
    else
        add_to_list(value, name);
}

static void bind_limit(const struct value *value)
{
    struct error error;
    struct quote shown;
    if (limit_read(value->node->text, value->field, &error) != 0)
        complain(value->binding->complaints, value->node, "'%s': %s",
                 quote(value->node->text, &shown), error.text);
}

static void bind_text_of_list(const struct value *value)
{
    size_t length = strlen(value->node->text);
    if (length == 0 || length > 4000)
        complain(value->binding->complaints, value->node,
                 "an item of '%s' must have 1 to 4000 bytes, not %zu", value->key->name, length);
    else
        add_to_list(value, value->node->text);
}

// A scheme that the file brings along is meant by its name; foreign.c has bound it.
static void bind_foreign(const struct value *value)
{
    const struct node *exec = node_child(value->node, "exec");
    const struct node *map = exec != NULL ? exec : node_child(value->node, "plugin");
    const struct node *name = node_child(map, "name");
    if (name != NULL && name->kind == NODE_TEXT && !name->bad)
        add_to_list(value, name->text);
}

struct binder {
    void (*bind)(const struct value *value);
    bool is_list; // of texts, each of which is bound; one text alone will do
};

static const struct binder binders[] = {
    [KEY_TEXT] = {bind_text, false},         [KEY_NAME] = {bind_text, false},
    [KEY_WORD] = {bind_word, false},         [KEY_CHOICE] = {bind_choice, false},
    [KEY_WHOLE] = {bind_number, false},      [KEY_DURATION] = {bind_number, false},
    [KEY_OFFSET] = {bind_offset, false},     [KEY_RATE] = {bind_number, false},
    [KEY_DECIMAL] = {bind_number, false},    [KEY_BELOW] = {bind_number, false},
    [KEY_PERCENTAGE] = {bind_number, false}, [KEY_SWITCH] = {bind_switch, false},
    [KEY_CLIENT] = {bind_target, false},     [KEY_NAMES] = {bind_name_of_list, true},
    [KEY_WORDS] = {bind_word_of_list, true}, [KEY_PATTERNS] = {bind_pattern, true},
    [KEY_TEXTS] = {bind_text_of_list, true}, [KEY_VERB] = {bind_verb, false},
    [KEY_POINTS] = {bind_point, true},       [KEY_UNTIL] = {bind_until, false},
    [KEY_LIMIT] = {bind_limit, false},
};

static void bind_list(const struct binder *binder, struct value *value)
{
    struct node *list = value->node;
    const struct key *key = value->key;
    if (list->count < (size_t)key->least || list->count > (size_t)key->most) {
        complain(value->binding->complaints, list, "'%s' must have %lld to %lld items, not %zu",
                 key->name, (long long)key->least, (long long)key->most, list->count);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        value->node = list->children[i];
        if (value->node->kind == NODE_MAP && key->section != NULL)
            bind_foreign(value);
        else if (value->node->kind != NODE_TEXT)
            complain(value->binding->complaints, value->node, "an item of '%s' must be a text",
                     key->name);
        else if (!value->node->bad)
            binder->bind(value);
    }
}

void bind_value(struct binding *binding, const struct key *key, struct node *node, void *object)
{
    const struct binder *binder = &binders[key->type];
    struct value value = {.binding = binding,
                          .key = key,
                          .node = node,
                          .field = (char *)object + key->offset,
                          .object = object};
    if (binder->is_list && node->kind == NODE_LIST)
        bind_list(binder, &value);
    else if (node->kind == NODE_MAP && key->section != NULL)
        bind_foreign(&value);
    else if (node->kind != NODE_TEXT || node->text[0] == '\0')
        complain_about_shape(&value, "");
    else
        binder->bind(&value);
}
