// Keys and their values in words, for complaints and for the reference.
#include "harness/scenario/keys.h"

#include "harness/base/text.h"
#include "harness/scenario/units.h"

#include <stdint.h>
#include <string.h>

// The traits that a scheme which is a program may have. The others need its harness's own store.
static const char *const promises[] = {"exclusive", "lease",   "owner-checked", "fenced",
                                       "reentrant", "shared",  "permits",       "fair",
                                       "renewed",   "session", "local",         NULL};

// When drawn faults strike.
static const char *const moments[] = {"times", "points", NULL};

const char *const *words_of(const struct vocabulary *vocabulary, enum word_list words)
{
    const char *const *const lists[] = {
        [WORDS_WORKLOADS] = vocabulary->workloads,
        [WORDS_STORES] = vocabulary->stores,
        [WORDS_FAULTS] = vocabulary->faults,
        [WORDS_PROPERTIES] = vocabulary->properties,
        [WORDS_PROMISES] = promises,
        [WORDS_DRAWS] = vocabulary->draws,
        [WORDS_MOMENTS] = moments,
    };
    return lists[words];
}

const struct fault_form *fault_form_find(const struct vocabulary *vocabulary, const char *name)
{
    for (size_t i = 0; vocabulary->faults[i] != NULL; i++) {
        if (strcmp(vocabulary->faults[i], name) == 0)
            return &vocabulary->fault_forms[i];
    }
    return NULL;
}

const char *word_noun(enum word_list words)
{
    static const char *const nouns[] = {"workload", "store", "fault", "property",
                                        "trait",    "fault", "moment"};
    return nouns[words];
}

const struct key *key_find(const struct section *section, const char *name,
                           const struct vocabulary *vocabulary)
{
    for (const struct key *key = section->keys; key->help != NULL; key++) {
        if (key->name != NULL ? strcmp(key->name, name) == 0
                              : text_is_one_of(name, words_of(vocabulary, key->words)))
            return key;
    }
    return NULL;
}

const char **key_names(const struct section *section, const struct vocabulary *vocabulary)
{
    const char **names = memory_zeroed(1, sizeof *names);
    size_t count = 0;
    for (const struct key *key = section->keys; key->help != NULL; key++) {
        const char *const one[] = {key->name, NULL};
        const char *const *more = key->name ? one : words_of(vocabulary, key->words);
        for (; *more != NULL; more++) {
            names = memory_resized(names, (count + 2) * sizeof *names);
            names[count++] = *more;
        }
    }
    names[count] = NULL;
    return names;
}

void words_join(const char *const *words, const char *last, struct text *out)
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (i > 0 && words[i + 1] == NULL)
            text_format(out, " %s ", last);
        else if (i > 0)
            text_add(out, ", ");
        text_add(out, words[i]);
    }
}

static void write_range(const struct key *key, struct text *out)
{
    bool is_duration = key->type == KEY_DURATION || key->type == KEY_OFFSET;
    bool is_rate = key->type == KEY_RATE;
    int64_t ends[] = {key->least, key->most};
    for (size_t i = 0; i < 2; i++) {
        text_add(out, i == 0 ? " from " : " to ");
        if (is_duration)
            duration_write(ends[i], out);
        else if (is_rate)
            rate_write(ends[i], out);
        else if (key->type == KEY_DECIMAL)
            text_format(out, "%g", (double)ends[i] / 1000);
        else
            text_format(out, "%lld", (long long)ends[i]);
    }
}

void key_wanted(const struct key *key, const struct vocabulary *vocabulary, struct text *out)
{
    static const char *const nouns[] = {
        [KEY_TEXT] = "a text",
        [KEY_NAME] = "a name of a-z, 0-9 and '-'",
        [KEY_WHOLE] = "a whole number",
        [KEY_DURATION] = "a duration",
        [KEY_OFFSET] = "a duration such as 10s or -10s",
        [KEY_RATE] = "a rate such as 500/s or 30/min",
        [KEY_PERCENTAGE] = "a percentage such as 30%",
        [KEY_DECIMAL] = "a number such as 0.99",
        [KEY_BELOW] = "a limit such as '< 50ms'",
        [KEY_SWITCH] = "true or false",
        [KEY_CLIENT] = "a client such as client-1",
        [KEY_NAMES] = "a list of names of a-z, 0-9 and '-'",
        [KEY_TEXTS] = "a list of texts",
        [KEY_PATTERNS] = "a list of names, globs or traits of schemes",
        [KEY_LIMIT] = "a limit such as acquire.p99 < 50ms",
        [KEY_VERB] = "a target such as client-1 or server-1",
        [KEY_POINTS] = "a point such as 'client-1 after read'",
        [KEY_UNTIL] = "a cause such as 'client-2 holds or 3s'",
        [KEY_SECTION] = "a mapping of keys",
        [KEY_SECTIONS] = "a list",
    };
    if (key->type == KEY_CHOICE) {
        words_join(key->choices, "or", out);
    } else if (key->type == KEY_WORD || key->type == KEY_WORDS) {
        text_add(out, key->type == KEY_WORDS ? "a list of " : "");
        words_join(words_of(vocabulary, key->words), "or", out);
    } else if (key->least == key->most && key->most != 0) {
        text_format(out, "%lld", (long long)key->most);
    } else {
        text_add(out, nouns[key->type]);
        if (key->type >= KEY_WHOLE && key->type <= KEY_DECIMAL)
            write_range(key, out);
        if (key->word != NULL)
            text_format(out, ", or %s", key->word);
    }
}
