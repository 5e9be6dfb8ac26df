// Every key of a scenario file, declared once: bound, validated and explained from one table.
#ifndef LOCKPICK_SCENARIO_KEYS_H
#define LOCKPICK_SCENARIO_KEYS_H

#include "harness/scenario/units.h"
#include "harness/scenario/yaml.h"

// What a value must be, and the field that it is bound to.
enum key_type {
    KEY_TEXT,       // char *
    KEY_NAME,       // char *; lower-case letters, digits and '-'
    KEY_WORD,       // char *; one of the vocabulary's `words`
    KEY_CHOICE,     // an enum; the index of the word in `choices`
    KEY_WHOLE,      // int64_t
    KEY_DURATION,   // int64_t, in nanoseconds
    KEY_OFFSET,     // int64_t, in nanoseconds, forward or back
    KEY_RATE,       // int64_t, each hour
    KEY_PERCENTAGE, // int64_t
    KEY_DECIMAL,    // int64_t, in thousandths
    KEY_BELOW,      // int64_t, in nanoseconds, with a '<' before it
    KEY_SWITCH,     // bool
    KEY_CLIENT,     // struct target: a client without a worker
    KEY_VERB,       // the key itself is one of `words`: the verb and the target of a fault_instance
    KEY_UNTIL,      // the cause and the bound of a fault_instance
    KEY_LIMIT,      // struct limit
    KEY_POINTS,     // the points of one; from here on lists, of which one item alone will do
    KEY_WORDS,      // struct string_list, of the vocabulary's `words`
    KEY_NAMES,      // struct string_list, of names of a-z, 0-9 and '-'
    KEY_TEXTS,      // struct string_list
    KEY_PATTERNS,   // struct string_list, of names, globs or traits of schemes, and of schemes that
                    // the file brings along: mappings of `section`
    KEY_SECTION,    // a mapping; the struct of `section`; without a name, one for each of `words`
    KEY_SECTIONS,   // a list of mappings; a pointer to an array of such structs
};

// Which list of the vocabulary a word is of.
enum word_list {
    WORDS_WORKLOADS,
    WORDS_STORES,
    WORDS_SERVERS,
    WORDS_NONE_AND_SERVERS,
    WORDS_FAULTS,
    WORDS_PROPERTIES,
    WORDS_PROMISES,
    WORDS_DRAWS,
    WORDS_MOMENTS,
    WORDS_PROTOCOLS,
};

#define MAX_KEYS 24 // of one section
#define MOST_WORKLOADS 64

struct section;

struct key {
    const char *name; // NULL: the key is any of `words`
    enum key_type type;
    size_t offset; // of the field in the section's struct
    const char *help;
    // Of numbers and durations: the value; of texts: the bytes; of lists: the items; of a
    // KEY_SECTION: how many mappings, where a list of them makes a scenario of each.
    int64_t least, most;
    bool required;
    const char *fallback;      // the default, as a file would say it; NULL: the field stays blank
    const char *fallback_text; // instead of `fallback`, for people
    const char *const *choices;
    const char *word; // of a KEY_WHOLE: what may be said instead of a number
    int64_t word_means;
    enum word_list words;
    const struct section *section;
    size_t count_offset; // KEY_SECTIONS: of its size_t count
    bool one_will_do;    // KEY_SECTIONS: one mapping is a list of one
    const char *text_is; // KEY_SECTIONS: a text is a mapping that says but that key; or NULL
};

// The keys of one mapping, and the struct that they fill.
struct section {
    const char *name; // "" for the root; of one for each of several words, what is before the word
    const char *about;
    const struct key *keys;
    size_t key_count;
    size_t size;         // of the struct
    const void *blank;   // its initial bytes, or NULL for zeroes
    size_t place_offset; // of its struct place; 0: it has none
    const char *item;    // of a list of such mappings: what one is called
};

extern const struct section scenario_section;
extern const struct section exec_section;
extern const struct section plugin_section;
extern const struct section server_section;

const char *const *words_of(const struct vocabulary *vocabulary, enum word_list words);

// Puts keys' own names in the place of other names that they have, and, in a stored file, the words
// of today in that of the words of its time.
void words_renew(struct node *root, bool is_stored);

// The name of a key of the section, which `name` may be another name for; else `name` itself.
const char *word_meant(const char *section, const char *name);
// Another name of that key, or NULL.
const char *word_other(const char *section, const char *name);

// True if a list in the place of its value makes a scenario of each item. Not at the root, whose
// keys are about the whole file, nor in items of lists.
bool key_is_swept(const struct section *section, const struct key *key);

// The section's key of that name, or NULL.
const struct key *key_find(const struct section *section, const char *name,
                           const struct vocabulary *vocabulary);

// The names of a section's keys, NULL-terminated; the caller frees the array (not the names).
const char **key_names(const struct section *section, const struct vocabulary *vocabulary);

// What values of a type look like.
struct key_form {
    const char *noun;    // as in "must be ..."
    const char *brief;   // what fits into a column of the reference; NULL: all of it does
    const char *pattern; // an extended regular expression of all of a text; NULL: there is none
    enum reading (*read)(const char *text, int64_t *number); // of numbers
};
extern const struct key_form key_forms[]; // by enum key_type

// What a value must be, as in "must be ...": "a whole number from 1 to 64". Appends to `out`.
struct text;
void key_wanted(const struct key *key, const struct vocabulary *vocabulary, struct text *out);

// Appends "did you mean 'threads'?", or "known are a, b and c" if no word is near; the word that is
// near, or NULL.
const char *words_advise(const char *wrong, const char *const *words, struct text *out);

// Fills `object`, the struct of `section`, from `map`, and with defaults where it says nothing.
// `map` may be NULL: defaults only. Refuses every key that is unknown, doubled, missing,
// or has a wrong value; such a field keeps its default, or stays blank.
void bind_section(const struct vocabulary *vocabulary, const struct section *section,
                  struct node *map, void *object);

// Frees the memory that the fields of `object` own.
void unbind_section(const struct section *section, void *object);

// Applies `--set`s to the tree, as if the file had said so. Each origin is that of one override.
void overrides_apply(const struct vocabulary *vocabulary, const struct origin *origins,
                     size_t count, struct node *root);

// external.c: sets what the servers that the scenario brings along are started with, once all is
// bound.
void external_complete(struct scenario *scenario);

// external.c: binds what the root's `schemes` bring along, before anything else is bound: patterns
// may mean it. Sets the scenario's `execs`, and its `vocabulary` if there are any.
void external_bind(const struct vocabulary *vocabulary, struct node *root,
                   struct scenario *scenario);
void external_free(struct scenario *scenario);

// validate.c: what must agree between keys; combinations that cannot be run, or could never come
// true. Checks every rule whose values were all read without a diagnostic.
void validate(const struct scenario *scenario, const struct vocabulary *vocabulary,
              struct node *root);

// --- what validate.c and validate_faults.c share -------------------------------------------------

// A scenario as bound, and where each of its values was written.
struct rules {
    const struct scenario *scenario;
    const struct vocabulary *vocabulary;
    struct node *root;
};

// What must agree within a fault, between faults, and between a fault and the rest of the file.
void validate_faults(const struct rules *rules);

// The node of a path such as "limit" or "workload.for", or NULL if the file does not say it.
struct node *said(const struct rules *rules, const char *path);

// True if nothing was refused there, so that the bound value can be relied on.
bool knows(const struct rules *rules, const char *path);

// Complains if the clients do not have that worker (0: any).
void check_who(const struct rules *rules, struct node *node, int client, int worker);

// That what this key names can be executed, if it is a path, which must be a full one. One in PATH
// is looked for when it is to be started. `node` may be NULL.
void check_program(struct node *node, const char *program);

// Refuses `launch` in the mapping without `hosts`.
void check_launch(const struct node *map, const char *whose);

// as_run.c: keeps in a scenario without diagnostics what its tree says, for scenario_as_run.
void settle(const struct node *root, struct scenario *scenario);

#endif
