// A YAML text as a tree of nodes that know where they were written.
#ifndef LOCKPICK_SCENARIO_TREE_H
#define LOCKPICK_SCENARIO_TREE_H

#include "harness/scenario/complaints.h"

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
    bool bad;          // somebody complained about it: what it says is not to be relied on
};

// Reads one document. Aliases, anchors, tags, further documents and deep nesting are complained
// about, for none of them has a use in a scenario. Returns the root, or NULL after a complaint if
// the text is no YAML; `origin` must outlive it. Free with node_free.
struct node *tree_read(const struct origin *origin, const char *text, size_t length,
                       struct complaints *complaints);

struct node *node_new(enum node_kind kind, const struct origin *origin, struct place place);
void node_free(struct node *node);

// Adds the child, which then belongs to the parent; `key` (NULL in a list) is copied.
void node_add(struct node *parent, const char *key, struct node *child);

// The first child of that key, or NULL; NULL also if `map` is NULL or no map.
struct node *node_child(const struct node *map, const char *key);

// True if the map has that key, or an unknown one that seems to stand for it: to call it missing
// would be one complaint too many.
bool node_has(const struct node *map, const char *key);

// True if neither the node nor anything below it was complained about. NULL is fine.
bool node_fine(const struct node *node);

// Where a mapping begins for people: at its key if it has one.
struct place node_heading(const struct node *node);

// Complains about the node's value, or about its key, and marks it bad.
__attribute__((format(printf, 3, 4))) void complain(struct complaints *complaints,
                                                    struct node *node, const char *format, ...);
__attribute__((format(printf, 3, 4))) void complain_key(struct complaints *complaints,
                                                        struct node *node, const char *format, ...);

#endif
