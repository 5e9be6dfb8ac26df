#include "harness/scenario/yaml.h"

#include "harness/base/rank.h"
#include "harness/base/scope.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define MAX_DEPTH 16
// More than any scenario needs, and few enough to go through in no time.
#define MAX_NODES 20000
// Further diagnostics are counted, and not told.
#define MOST_COMPLAINTS 200

// --- diagnostics ---------------------------------------------------------------------------------

struct diagnostic {
    int64_t place; // its line, then its column, as sort_by_key takes them
    char *text;
};

struct diagnostics *diagnostics_new(void)
{
    return memory_zeroed(1, sizeof(struct diagnostics));
}

void diagnostics_print(const struct diagnostics *diagnostics, FILE *out)
{
    for (size_t i = 0; i < diagnostics->count; i++)
        fprintf(out, "%s\n", diagnostics->items[i].text);
    if (diagnostics->count >= MOST_COMPLAINTS)
        fprintf(out, "there may be more that is wrong: these are the first %d diagnostics\n",
                MOST_COMPLAINTS);
}

void diagnostics_free(struct diagnostics *diagnostics)
{
    for (size_t i = 0; diagnostics != NULL && i < diagnostics->count; i++)
        free(diagnostics->items[i].text);
    if (diagnostics != NULL)
        free(diagnostics->items);
    free(diagnostics);
}

// Takes `text` over.
static void append(struct diagnostics *diagnostics, struct place place, char *text)
{
    size_t count = diagnostics->count++;
    diagnostics->items =
        memory_resized(diagnostics->items, (count + 1) * sizeof *diagnostics->items);
    diagnostics->items[count] =
        (struct diagnostic){.place = (int64_t)place.line << 32 | place.column, .text = text};
}

void diagnostics_add_plain(struct diagnostics *diagnostics, const char *message)
{
    diagnostics->made++;
    append(diagnostics, (struct place){0}, memory_string(message));
}

static void add(const struct origin *origin, struct place place, const char *format,
                va_list arguments)
{
    struct diagnostics *diagnostics = origin->diagnostics;
    char message[1024];
    vsnprintf(message, sizeof message, format, arguments);
    diagnostics->made++;
    // What is said of a server may be a password, in the wrong place.
    bool is_quoted =
        origin->override != NULL && strncmp(origin->override->path, "servers.", 8) != 0;
    char *text =
        origin->override == NULL
            ? text_formatted("%s:%d:%d: %s", origin->path, place.line, place.column, message)
            : text_formatted("--set %s=%s: %s", origin->override->path,
                             is_quoted ? quote(origin->override->value) : "...", message);
    text_clean_line(text_clean_message(text)); // the name of a file may have a newline
    bool is_told = diagnostics->count < MOST_COMPLAINTS;
    for (size_t i = 0; is_told && i < diagnostics->count; i++)
        is_told = strcmp(diagnostics->items[i].text, text) != 0;
    if (is_told)
        append(diagnostics, origin->override == NULL ? place : (struct place){INT_MAX, 0}, text);
    else
        free(text);
}

#define ADD(origin, place)                                                                         \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    add(origin, place, format, arguments);                                                         \
    va_end(arguments)

void refuse(struct node *node, const char *format, ...)
{
    if (node == NULL)
        return;
    ADD(node->origin, node->place);
    node->bad = true;
}

void refuse_key(struct node *node, const char *format, ...)
{
    if (node == NULL)
        return;
    ADD(node->origin, node->key_place);
    node->bad = true;
}

void refuse_missing(const struct node *map, const char *format, ...)
{
    ADD(map->origin, map->key != NULL ? map->key_place : map->place);
}

void refuse_at(const struct origin *origin, struct place place, const char *format, ...)
{
    ADD(origin, place);
}

void diagnostics_sort(struct diagnostics *diagnostics, size_t first)
{
    if (diagnostics->count > first + 1)
        sort_by_key(diagnostics->items + first, diagnostics->count - first,
                    sizeof *diagnostics->items);
}

const char *quote_in(const char *text, struct quote *out)
{
    static const char more[] = "...";
    size_t room = sizeof out->text - sizeof more;
    size_t length = 0;
    for (const char *next = text; *next != '\0';) {
        // A character of UTF-8 is never cut.
        char shown[8];
        uint32_t character = 0;
        size_t bytes = utf8_decode(next, &character);
        if (*next == '\n')
            snprintf(shown, sizeof shown, "\\n");
        else if (bytes == 0 || character < 0x20 || character == 0x7f)
            snprintf(shown, sizeof shown, "\\x%02x", (unsigned char)*next);
        else
            snprintf(shown, sizeof shown, "%.*s", (int)bytes, next);
        size_t added = strlen(shown);
        if (length + added > room) {
            memcpy(out->text + length, more, sizeof more);
            return out->text;
        }
        memcpy(out->text + length, shown, added);
        length += added;
        next += bytes > 0 ? bytes : 1;
    }
    out->text[length] = '\0';
    return out->text;
}

// --- nodes ---------------------------------------------------------------------------------------

struct node *node_new(enum node_kind kind, const struct origin *origin, struct place place)
{
    struct node *node = memory_zeroed(1, sizeof *node);
    *node = (struct node){.kind = kind, .origin = origin, .place = place};
    return node;
}

struct node *node_new_text(const char *text, const struct origin *origin, struct place place)
{
    struct node *node = node_new(NODE_TEXT, origin, place);
    node->text = memory_string(text);
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
    for (size_t i = 0; map != NULL && map->kind == NODE_MAP && i < map->count; i++) {
        if (strcmp(map->children[i]->key, key) == 0)
            return map->children[i];
    }
    return NULL;
}

size_t item_count(const struct node *list)
{
    return list == NULL ? 0 : list->kind == NODE_LIST ? list->count : 1;
}

struct node *item_node(struct node *list, size_t index)
{
    return list->kind == NODE_LIST ? list->children[index] : list;
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
    bool fine = node == NULL || !node->bad;
    for (size_t i = 0; node != NULL && fine && i < node->count; i++)
        fine = node_fine(node->children[i]);
    return fine;
}

// --- reading -------------------------------------------------------------------------------------

struct reader {
    yaml_parser_t parser;
    const struct origin *origin;
    const char *text;
    size_t length;
    size_t nodes;
    bool failed; // and refused: nothing more can be read
};

static struct place place_of(yaml_mark_t mark)
{
    return (struct place){(int)mark.line + 1, (int)mark.column + 1};
}

static void refuse_syntax(struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem ? parser->problem : "it cannot be read";
    if (parser->error == YAML_MEMORY_ERROR)
        memory_give_up();
    if (parser->error == YAML_READER_ERROR) {
        // Bytes that are no text at all are reported by libyaml with an offset only.
        struct place place = {1, 1};
        for (size_t i = 0; i < parser->problem_offset && i < reader->length; i++) {
            place.column++;
            if (reader->text[i] == '\n')
                place = (struct place){place.line + 1, 1};
        }
        refuse_at(reader->origin, place, "not YAML: %s", problem);
    } else if (parser->context != NULL && parser->context_mark.line != parser->problem_mark.line) {
        refuse_at(reader->origin, place_of(parser->problem_mark),
                  "not YAML: %s %s that begins in line %d", problem, parser->context,
                  (int)parser->context_mark.line + 1);
    } else {
        refuse_at(reader->origin, place_of(parser->problem_mark), "not YAML: %s%s%s", problem,
                  parser->context ? " " : "", parser->context ? parser->context : "");
    }
}

// False after the end of the text, as far as it can be read; else the caller deletes the event.
static bool next_event(struct reader *reader, yaml_event_t *event)
{
    if (reader->failed)
        return false;
    if (yaml_parser_parse(&reader->parser, event))
        return true;
    refuse_syntax(reader);
    reader->failed = true;
    return false;
}

static struct node *read_node(struct reader *reader, const yaml_event_t *event, int depth);

static void check_properties(struct node *node, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor != NULL)
        refuse(node, "anchors are not supported: write it without '&%s'",
               quote((const char *)anchor));
    if (tag != NULL)
        refuse(node, "tags are not supported: write it without '%s'", quote((const char *)tag));
}

// The items of a list, or the keys and values of a map.
static void read_children(struct reader *reader, struct node *parent, int depth)
{
    yaml_event_t event;
    bool ends = false;
    while (!ends && next_event(reader, &event)) {
        ends = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        struct node *child = ends ? NULL : read_node(reader, &event, depth + 1);
        yaml_event_delete(&event);
        if (child != NULL && parent->kind == NODE_LIST) {
            node_add(parent, NULL, child);
            continue;
        }
        if (child == NULL)
            continue;
        if (child->kind != NODE_TEXT && !child->bad)
            refuse(child, "a key must be a word, not a list or a mapping");
        if (next_event(reader, &event)) {
            struct node *value = read_node(reader, &event, depth + 1);
            yaml_event_delete(&event);
            value->key_place = child->place;
            if (child->bad)
                node_free(value);
            else
                node_add(parent, child->text, value);
        }
        node_free(child);
    }
}

static struct node *read_text(const struct origin *origin, const yaml_event_t *event)
{
    struct node *node =
        node_new_text((const char *)event->data.scalar.value, origin, place_of(event->start_mark));
    AUTO_FREE char *clean = text_clean(memory_string(node->text));
    if (strlen(node->text) != event->data.scalar.length)
        refuse(node, "the text contains a NUL character");
    else if (strcmp(clean, node->text) != 0)
        refuse(node, "the text contains a control character: '%s'", quote(node->text));
    check_properties(node, event->data.scalar.anchor, event->data.scalar.tag);
    return node;
}

// Always a node; what could not be read of it is refused.
static struct node *read_node(struct reader *reader, const yaml_event_t *event, int depth)
{
    struct place place = place_of(event->start_mark);
    if (++reader->nodes == MAX_NODES) {
        refuse_at(reader->origin, place,
                  "a scenario has at most %d keys and values: here they are too many", MAX_NODES);
        reader->failed = true;
    }
    if (event->type == YAML_SCALAR_EVENT)
        return read_text(reader->origin, event);
    if (event->type == YAML_ALIAS_EVENT) {
        struct node *alias = node_new_text("", reader->origin, place);
        refuse(alias, "aliases are not supported: write it out, or quote '*%s' if it is a glob",
               quote((const char *)event->data.alias.anchor));
        return alias;
    }
    bool is_list = event->type == YAML_SEQUENCE_START_EVENT;
    struct node *node = node_new(is_list ? NODE_LIST : NODE_MAP, reader->origin, place);
    if (depth >= MAX_DEPTH) {
        refuse(node, "nested more than %d deep", MAX_DEPTH);
        reader->failed = true;
        return node;
    }
    if (is_list)
        check_properties(node, event->data.sequence_start.anchor, event->data.sequence_start.tag);
    else
        check_properties(node, event->data.mapping_start.anchor, event->data.mapping_start.tag);
    read_children(reader, node, depth);
    return node;
}

struct node *tree_read(const struct origin *origin, const char *text, size_t length)
{
    struct reader reader = {.origin = origin, .text = text, .length = length};
    struct node *root = NULL;
    yaml_event_t event;
    bool ended = false;
    int documents = 0;
    if (!yaml_parser_initialize(&reader.parser))
        memory_give_up();
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, length);
    while (!ended && next_event(&reader, &event)) {
        if (event.type == YAML_DOCUMENT_START_EVENT && ++documents > 1) {
            refuse_at(origin, place_of(event.start_mark),
                      "a second document begins here: one file holds one scenario");
            ended = true;
        }
        ended = ended || event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_SCALAR_EVENT || event.type == YAML_ALIAS_EVENT ||
            event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT)
            root = read_node(&reader, &event, 0);
        yaml_event_delete(&event);
    }
    if (root == NULL && !reader.failed)
        refuse_at(origin, (struct place){1, 1}, "there is nothing in it");
    yaml_parser_delete(&reader.parser);
    if (reader.failed) {
        node_free(root);
        root = NULL;
    }
    return root;
}
