// Binds a tree to structs by the table of keys.
#ifndef LOCKPICK_SCENARIO_BIND_H
#define LOCKPICK_SCENARIO_BIND_H

#include "harness/scenario/keys.h"
#include "harness/scenario/tree.h"

struct binding {
    const struct vocabulary *vocabulary;
    struct complaints *complaints;
};

// Fills `object`, the struct of `section`, from `map`, and with defaults where it says nothing.
// `map` may be NULL: defaults only. Complains about every key that is unknown, doubled, missing,
// or has a wrong value; such a field keeps its default, or stays blank.
void bind_section(struct binding *binding, const struct section *section, struct node *map,
                  void *object);

// Turns an item of such a list that is a text, where a text will do, into the mapping that it
// stands for. Nothing happens to any other, or to one that was complained about.
void bind_expand_text(const struct key *key, struct node *item);

// Frees whatever the fields of `object` own.
void unbind_section(const struct section *section, void *object);

// Binds one value (bind_value.c). Complains if it is wrong.
void bind_value(struct binding *binding, const struct key *key, struct node *node, void *object);

// Applies `--set`s to the tree, as if the file had said so. Each origin is that of one override.
void overrides_apply(struct binding *binding, const struct origin *origins, size_t count,
                     struct node *root);

#endif
