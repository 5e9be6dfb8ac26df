// Every key of a scenario file, declared once: bound, validated and explained from one table.
#ifndef LOCKPICK_SCENARIO_KEYS_H
#define LOCKPICK_SCENARIO_KEYS_H

#include "harness/scenario/scenario.h"

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
    KEY_WORDS,      // struct string_list, of the vocabulary's `words`
    KEY_NAMES,      // struct string_list, of names of a-z, 0-9 and '-'
    KEY_TEXTS,      // struct string_list
    KEY_PATTERNS,   // struct string_list, of names, globs or traits of schemes, and of schemes that
                    // the file brings along: mappings of `section`
    KEY_VERB,       // the key itself is one of `words`: the verb and the target of a fault_step
    KEY_LIMIT,      // struct limit
    KEY_POINTS,     // the points of a fault_step
    KEY_UNTIL,      // the cause and the bound of a fault_step
    KEY_SECTION,    // a mapping; the struct of `section`
    KEY_SECTIONS,   // a list of mappings; a pointer to an array of such structs
};

// Which list of the vocabulary a word is of.
enum word_list {
    WORDS_WORKLOADS,
    WORDS_STORES,
    WORDS_FAULTS,
    WORDS_PROPERTIES,
    WORDS_PROMISES,
    WORDS_DRAWS,
    WORDS_MOMENTS,
};

#define MAX_KEYS 24 // of one section

struct section;

struct key {
    const char *name; // NULL: the key is any of `words`
    enum key_type type;
    size_t offset;       // of the field in the section's struct
    size_t count_offset; // KEY_SECTIONS: of its size_t count
    bool one_will_do;    // KEY_SECTIONS: one mapping is a list of one
    const char *text_is; // KEY_SECTIONS: a text is a mapping that says but that key; or NULL
    bool required;
    // Of numbers and durations: the value; of texts: the bytes; of lists: the items.
    int64_t least, most;
    const char *fallback;      // the default, as a file would say it; NULL: the field stays blank
    const char *fallback_text; // instead of `fallback`, for people
    const char *const *choices;
    const char *word; // of a KEY_WHOLE: what may be said instead of a number
    int64_t word_means;
    enum word_list words;
    const struct section *section;
    const char *help;
};

// The keys of one mapping, and the struct that they fill.
struct section {
    const char *name; // "" for the root
    const char *about;
    const struct key *keys; // the last one's help is NULL
    size_t size;            // of the struct
    const void *blank;      // its initial bytes, or NULL for zeroes
    size_t place_offset;    // of its struct place, or SIZE_MAX
    const char *item;       // of a list of such mappings: what one is called
};

extern const struct section scenario_section;
extern const struct section exec_section;
extern const struct section plugin_section;

const char *const *words_of(const struct vocabulary *vocabulary, enum word_list words);

// How the fault of that name is written down, or NULL.
const struct fault_form *fault_form_find(const struct vocabulary *vocabulary, const char *name);

// "workload", "property": what one word of the list is.
const char *word_noun(enum word_list words);

// The section's key of that name, or NULL.
const struct key *key_find(const struct section *section, const char *name,
                           const struct vocabulary *vocabulary);

// The names of a section's keys, NULL-terminated; the caller frees the array (not the names).
const char **key_names(const struct section *section, const struct vocabulary *vocabulary);

// What a value must be, as in "must be ...": "a whole number from 1 to 64". Appends to `out`.
struct text;
void key_wanted(const struct key *key, const struct vocabulary *vocabulary, struct text *out);

// Appends "a, b or c". `last` is "or" or "and".
void words_join(const char *const *words, const char *last, struct text *out);

#endif
