// What an editor knows of a scenario file: a JSON schema (draft 7), made from the table of keys.
// What must agree between keys, and what a text may say, is left to the program.
#include "harness/base/scope.h"
#include "harness/scenario/keys.h"

#include <jansson.h>

static json_t *section_schema(const struct section *section, const struct vocabulary *vocabulary);

static json_t *one_of(const char *const *words)
{
    json_t *list = json_array();
    for (size_t i = 0; words[i] != NULL; i++)
        json_array_append_new(list, json_string(words[i]));
    return json_pack("{s:o}", "enum", list);
}

// What YAML may take for a number or a truth value is a text, too.
static json_t *any_text(void)
{
    return json_pack("{s:[s, s, s]}", "type", "string", "number", "boolean");
}

static json_t *either(json_t *one, json_t *other)
{
    return json_pack("{s:[o, o]}", "anyOf", one, other);
}

static json_t *list_of(const struct key *key, json_t *item)
{
    return json_pack("{s:s, s:o, s:I, s:I}", "type", "array", "items", item, "minItems",
                     (json_int_t)key->least, "maxItems", (json_int_t)key->most);
}

// A scheme that the file brings along: {exec: ...} or {plugin: ...}.
static json_t *brought_scheme(const struct vocabulary *vocabulary)
{
    return json_pack("{s:s, s:{s:o, s:o}, s:b, s:i, s:i}", "type", "object", "properties", "exec",
                     section_schema(&exec_section, vocabulary), "plugin",
                     section_schema(&plugin_section, vocabulary), "additionalProperties", false,
                     "minProperties", 1, "maxProperties", 1);
}

// Names are proposed, and any other text is fine: globs, traits, schemes of the file's own.
static json_t *pattern(const struct key *key, const struct vocabulary *vocabulary)
{
    json_t *name = either(one_of(vocabulary->schemes), any_text());
    return key->section != NULL ? either(name, brought_scheme(vocabulary)) : name;
}

// Of one value; of lists, of one item.
static json_t *value_schema(const struct key *key, const struct vocabulary *vocabulary)
{
    const char *form = key_forms[key->type].pattern;
    const char *const word[] = {key->word, NULL};
    if (form != NULL) {
        AUTO_FREE char *whole = text_formatted("^%s$", form);
        return json_pack("{s:s, s:s}", "type", "string", "pattern", whole);
    }
    switch (key->type) {
    case KEY_WORD:
    case KEY_WORDS:
        return one_of(words_of(vocabulary, key->words));
    case KEY_CHOICE:
        return one_of(key->choices);
    case KEY_WHOLE: {
        json_t *number = json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum",
                                   (json_int_t)key->least, "maximum", (json_int_t)key->most);
        return key->word != NULL ? either(number, one_of(word)) : number;
    }
    case KEY_DECIMAL:
        return json_pack("{s:s, s:f, s:f}", "type", "number", "minimum", (double)key->least / 1000,
                         "maximum", (double)key->most / 1000);
    case KEY_SWITCH:
        return json_pack("{s:s}", "type", "boolean");
    case KEY_PATTERNS:
        return pattern(key, vocabulary);
    case KEY_SECTION:
    case KEY_SECTIONS:
        return section_schema(key->section, vocabulary);
    case KEY_VERB:
        return either(any_text(), section_schema(key->section, vocabulary));
    default:
        return any_text();
    }
}

static json_t *key_schema(const struct section *section, const struct key *key,
                          const struct vocabulary *vocabulary)
{
    json_t *one = value_schema(key, vocabulary);
    if (key->text_is != NULL)
        one = either(any_text(), one);
    bool is_only_list = key->type == KEY_SECTIONS && !key->one_will_do;
    bool has_list = key->type >= KEY_POINTS && key->type != KEY_SECTION;
    has_list = has_list || (key->type == KEY_SECTION && key->name != NULL && key->most > 1);
    json_t *schema = is_only_list ? list_of(key, one)
                     : has_list   ? either(one, list_of(key, json_deep_copy(one)))
                     : key_is_swept(section, key)
                         ? either(one, json_pack("{s:s, s:o, s:i}", "type", "array", "items",
                                                 json_deep_copy(one), "minItems", 1))
                         : one;
    AUTO_TEXT struct text help = {0};
    const char *usual = key->fallback_text != NULL ? key->fallback_text : key->fallback;
    text_add(&help, key->help);
    if (usual != NULL)
        text_format(&help, *usual == '(' ? " %s" : " (if not said: %s)", usual);
    json_object_set_new(schema, "description", json_string(help.bytes));
    return schema;
}

static json_t *section_schema(const struct section *section, const struct vocabulary *vocabulary)
{
    json_t *properties = json_object();
    json_t *required = json_array();
    json_auto_t *exactly_one = json_array();
    for (size_t i = 0; i < section->key_count; i++) {
        const struct key *key = &section->keys[i];
        const char *const one[] = {key->name, NULL};
        const char *const *names = key->name != NULL ? one : words_of(vocabulary, key->words);
        for (; *names != NULL; names++) {
            const char *other = word_other(section->name, *names);
            json_object_set_new(properties, *names, key_schema(section, key, vocabulary));
            if (other != NULL)
                json_object_set_new(properties, other, key_schema(section, key, vocabulary));
            if (key->required && key->name != NULL)
                json_array_append_new(required, json_string(*names));
            else if (key->required)
                json_array_append_new(exactly_one, json_pack("{s:[s]}", "required", *names));
        }
    }
    json_t *schema =
        json_pack("{s:s, s:s, s:o, s:o, s:b}", "type", "object", "description", section->about,
                  "properties", properties, "required", required, "additionalProperties", false);
    if (json_array_size(exactly_one) > 0)
        json_object_set(schema, "oneOf", exactly_one);
    return schema;
}

char *scenario_schema(const struct vocabulary *vocabulary)
{
    json_auto_t *schema = section_schema(&scenario_section, vocabulary);
    json_object_set_new(schema, "$schema", json_string("http://json-schema.org/draft-07/schema#"));
    json_object_set_new(schema, "title", json_string("A scenario of Lockpick"));
    return json_dumps(schema, JSON_INDENT(1));
}
