#include "harness/scenario/tree.h"

#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define MAX_DEPTH 16
// More than any scenario needs, and few enough that whoever goes through them takes no time.
#define MAX_NODES 20000

// --- nodes ---------------------------------------------------------------------------------------

struct node *node_new(enum node_kind kind, const struct origin *origin, struct place place)
{
    struct node *node = memory_zeroed(1, sizeof *node);
    node->kind = kind;
    node->origin = origin;
    node->place = place;
    return node;
}

void node_free(struct node *node)
{
    if (node == NULL)
        return;
    for (size_t i = 0; i < node->count; i++)
        node_free(node->children[i]);
    free(node->children);
    free(node->key);
    free(node->text);
    free(node);
}

void node_add(struct node *parent, const char *key, struct node *child)
{
    // Doubles the room whenever the count is a power of two.
    if ((parent->count & (parent->count - 1)) == 0) {
        size_t room = parent->count ? 2 * parent->count : 1;
        parent->children = memory_resized(parent->children, room * sizeof(struct node *));
    }
    if (key != NULL)
        child->key = memory_string(key);
    parent->children[parent->count++] = child;
}

struct node *node_child(const struct node *map, const char *key)
{
    if (map == NULL || map->kind != NODE_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++) {
        if (strcmp(map->children[i]->key, key) == 0)
            return map->children[i];
    }
    return NULL;
}

bool node_has(const struct node *map, const char *key)
{
    for (size_t i = 0; map != NULL && map->kind == NODE_MAP && i < map->count; i++) {
        const struct node *child = map->children[i];
        if (strcmp(child->key, key) == 0 ||
            (child->meant != NULL && strcmp(child->meant, key) == 0))
            return true;
    }
    return false;
}

bool node_fine(const struct node *node)
{
    if (node == NULL)
        return true;
    bool fine = !node->bad;
    for (size_t i = 0; fine && i < node->count; i++)
        fine = node_fine(node->children[i]);
    return fine;
}

struct place node_heading(const struct node *node)
{
    return node->key != NULL ? node->key_place : node->place;
}

void complain(struct complaints *complaints, struct node *node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complaints_add_list(complaints, node->origin, node->place, format, arguments);
    va_end(arguments);
    node->bad = true;
}

void complain_key(struct complaints *complaints, struct node *node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complaints_add_list(complaints, node->origin, node->key_place, format, arguments);
    va_end(arguments);
    node->bad = true;
}

// --- reading -------------------------------------------------------------------------------------

struct reader {
    yaml_parser_t parser;
    const struct origin *origin;
    const char *text;
    size_t length;
    struct complaints *complaints;
    size_t nodes;
    bool failed; // and complained about: nothing more can be read
};

static struct place place_of(yaml_mark_t mark)
{
    return (struct place){(int)mark.line + 1, (int)mark.column + 1};
}

// Bytes that are no text at all are reported by libyaml with an offset only.
static struct place place_of_offset(const struct reader *reader, size_t offset)
{
    struct place place = {1, 1};
    for (size_t i = 0; i < offset && i < reader->length; i++) {
        place.column++;
        if (reader->text[i] == '\n')
            place = (struct place){place.line + 1, 1};
    }
    return place;
}

static void complain_about_syntax(struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem ? parser->problem : "it cannot be read";
    reader->failed = true;
    if (parser->error == YAML_MEMORY_ERROR)
        memory_give_up();
    if (parser->error == YAML_READER_ERROR)
        complaints_add(reader->complaints, reader->origin,
                       place_of_offset(reader, parser->problem_offset), "not YAML: %s", problem);
    else if (parser->context != NULL && parser->context_mark.line != parser->problem_mark.line)
        complaints_add(reader->complaints, reader->origin, place_of(parser->problem_mark),
                       "not YAML: %s %s that begins in line %d", problem, parser->context,
                       (int)parser->context_mark.line + 1);
    else
        complaints_add(reader->complaints, reader->origin, place_of(parser->problem_mark),
                       "not YAML: %s%s%s", problem, parser->context ? " " : "",
                       parser->context ? parser->context : "");
}

// False after the end of what can be read; else the caller deletes the event.
static bool next_event(struct reader *reader, yaml_event_t *event)
{
    if (reader->failed)
        return false;
    if (yaml_parser_parse(&reader->parser, event))
        return true;
    complain_about_syntax(reader);
    return false;
}

static struct node *read_node(struct reader *reader, const yaml_event_t *event, int depth);

static void check_properties(struct reader *reader, struct node *node, const yaml_char_t *anchor,
                             const yaml_char_t *tag)
{
    struct quote shown;
    if (anchor != NULL)
        complain(reader->complaints, node, "anchors are not supported: write it without '&%s'",
                 quote((const char *)anchor, &shown));
    if (tag != NULL)
        complain(reader->complaints, node, "tags are not supported: write it without '%s'",
                 quote((const char *)tag, &shown));
}

static void read_list(struct reader *reader, struct node *list, int depth)
{
    yaml_event_t event;
    while (next_event(reader, &event)) {
        bool ends = event.type == YAML_SEQUENCE_END_EVENT;
        if (!ends)
            node_add(list, NULL, read_node(reader, &event, depth + 1));
        yaml_event_delete(&event);
        if (ends)
            return;
    }
}

static void read_map(struct reader *reader, struct node *map, int depth)
{
    yaml_event_t event;
    while (next_event(reader, &event)) {
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            return;
        }
        struct node *key = read_node(reader, &event, depth + 1);
        yaml_event_delete(&event);
        if (key->kind != NODE_TEXT && !key->bad)
            complain(reader->complaints, key, "a key must be a word, not a list or a mapping");
        if (next_event(reader, &event)) {
            struct node *value = read_node(reader, &event, depth + 1);
            yaml_event_delete(&event);
            value->key_place = key->place;
            if (key->bad || key->kind != NODE_TEXT)
                node_free(value);
            else
                node_add(map, key->text, value);
        }
        node_free(key);
    }
}

static struct node *read_text(struct reader *reader, const yaml_event_t *event)
{
    struct quote shown;
    struct node *node = node_new(NODE_TEXT, reader->origin, place_of(event->start_mark));
    node->text = memory_string((const char *)event->data.scalar.value);
    char *clean = text_clean(memory_string(node->text));
    if (strlen(node->text) != event->data.scalar.length)
        complain(reader->complaints, node, "the text contains a NUL character");
    else if (strcmp(clean, node->text) != 0)
        complain(reader->complaints, node, "the text contains a control character: '%s'",
                 quote(node->text, &shown));
    free(clean);
    check_properties(reader, node, event->data.scalar.anchor, event->data.scalar.tag);
    return node;
}

static struct node *read_alias(struct reader *reader, const yaml_event_t *event)
{
    struct quote shown;
    struct node *node = node_new(NODE_TEXT, reader->origin, place_of(event->start_mark));
    node->text = memory_string("");
    complain(reader->complaints, node,
             "aliases are not supported: write it out, or quote '*%s' if it is a glob",
             quote((const char *)event->data.alias.anchor, &shown));
    return node;
}

// Always a node; what could not be read of it is complained about.
static struct node *read_node(struct reader *reader, const yaml_event_t *event, int depth)
{
    if (++reader->nodes == MAX_NODES) {
        complaints_add(reader->complaints, reader->origin, place_of(event->start_mark),
                       "a scenario has at most %d keys and values: here they are too many",
                       MAX_NODES);
        reader->failed = true;
    }
    if (event->type == YAML_SCALAR_EVENT)
        return read_text(reader, event);
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, event);
    bool is_list = event->type == YAML_SEQUENCE_START_EVENT;
    struct node *node =
        node_new(is_list ? NODE_LIST : NODE_MAP, reader->origin, place_of(event->start_mark));
    if (depth >= MAX_DEPTH) {
        complain(reader->complaints, node, "nested more than %d deep", MAX_DEPTH);
        reader->failed = true;
    } else if (is_list) {
        check_properties(reader, node, event->data.sequence_start.anchor,
                         event->data.sequence_start.tag);
        read_list(reader, node, depth);
    } else {
        check_properties(reader, node, event->data.mapping_start.anchor,
                         event->data.mapping_start.tag);
        read_map(reader, node, depth);
    }
    return node;
}

static struct node *read_stream(struct reader *reader)
{
    struct node *root = NULL;
    yaml_event_t event;
    bool ended = false;
    int documents = 0;
    while (!ended && next_event(reader, &event)) {
        if (event.type == YAML_DOCUMENT_START_EVENT && ++documents > 1) {
            complaints_add(reader->complaints, reader->origin, place_of(event.start_mark),
                           "a second document begins here: one file holds one scenario");
            ended = true;
        }
        ended = ended || event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_SCALAR_EVENT || event.type == YAML_ALIAS_EVENT ||
            event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT)
            root = read_node(reader, &event, 0);
        yaml_event_delete(&event);
    }
    if (root == NULL && !reader->failed)
        complaints_add(reader->complaints, reader->origin, (struct place){1, 1},
                       "there is nothing in it");
    return root;
}

struct node *tree_read(const struct origin *origin, const char *text, size_t length,
                       struct complaints *complaints)
{
    struct reader reader = {
        .origin = origin, .text = text, .length = length, .complaints = complaints};
    if (!yaml_parser_initialize(&reader.parser))
        memory_give_up();
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
    struct node *root = read_stream(&reader);
    yaml_parser_delete(&reader.parser);
    if (reader.failed) {
        node_free(root);
        root = NULL;
    }
    return root;
}
