// A YAML text as a tree of nodes that know where they were written, and diagnostics about them.
#ifndef LOCKPICK_SCENARIO_YAML_H
#define LOCKPICK_SCENARIO_YAML_H

#include "harness/scenario/scenario.h"

// Where a part of a scenario was written: in the file, or in a `--set`.
struct origin {
    const char *path;
    const struct override *override; // NULL: in the file
    struct diagnostics *diagnostics; // about what was written there
};

enum node_kind { NODE_TEXT, NODE_LIST, NODE_MAP };

struct node {
    enum node_kind kind;
    const struct origin *origin;
    struct place place;
    char *key; // in a map; else NULL
    struct place key_place;
    char *text; // of a NODE_TEXT
    struct node **children;
    size_t count;
    const char *meant; // of an unknown key: the one that it seems to stand for, or NULL
    bool bad;          // somebody refused it: its value cannot be relied on
};

// Reads one document. Aliases, anchors, tags, further documents and deep nesting are refused
// about: none has a use in a scenario. Returns the root, or NULL after a diagnostic if the text is
// no YAML; `origin` must outlive it. Free with node_free.
struct node *tree_read(const struct origin *origin, const char *text, size_t length);

struct node *node_new(enum node_kind kind, const struct origin *origin, struct place place);
// A NODE_TEXT; `text` is copied.
struct node *node_new_text(const char *text, const struct origin *origin, struct place place);
void node_free(struct node *node);

// Adds the child, which then belongs to the parent; `key` (NULL in a list) is copied.
void node_add(struct node *parent, const char *key, struct node *child);

// The first child of that key, or NULL; NULL also if `map` is NULL or no map.
struct node *node_child(const struct node *map, const char *key);

// Of a list, where one value without brackets will do: how many items it has, and which. NULL has
// none.
size_t item_count(const struct node *list);
struct node *item_node(struct node *list, size_t index);

// True if the map has that key, or an unknown one that seems to stand for it: to call it missing
// would be one diagnostic too many.
bool node_has(const struct node *map, const char *key);

// True if neither the node nor anything below it was refused. NULL is fine.
bool node_fine(const struct node *node);

// Refuses the node's value, or its key, and marks it bad (NULL: nothing is there to be refused):
// "path:line:col: message", or
// "--set path=value: message" without the place. The same words are not added again: a `--set` goes
// to every file of a run, and a file with several workloads is read once for each.
__attribute__((format(printf, 2, 3))) void refuse(struct node *node, const char *format, ...);
__attribute__((format(printf, 2, 3))) void refuse_key(struct node *node, const char *format, ...);

// Complains where a mapping begins, which is not wrong itself.
__attribute__((format(printf, 2, 3))) void refuse_missing(const struct node *map,
                                                          const char *format, ...);

// Refuses a place without a node.
__attribute__((format(printf, 3, 4))) void refuse_at(const struct origin *origin,
                                                     struct place place, const char *format, ...);

// Adds a message as it is, for a file that cannot be read.
void diagnostics_add_plain(struct diagnostics *diagnostics, const char *message);

// Sorts the diagnostics from number `first` on by line and column; those about no line come last.
void diagnostics_sort(struct diagnostics *diagnostics, size_t first);

// Text of a file as a message can show it: short, on one line, no control characters; good until
// its block ends.
struct quote {
    char text[64];
};
#define quote(text) quote_in(text, &(struct quote){{0}})
const char *quote_in(const char *text, struct quote *out);

#endif
