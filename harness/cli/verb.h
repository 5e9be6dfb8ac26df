// A verb of the command line: `lockpick VERB ...`. One small file each, one line in main.c.
#ifndef LOCKPICK_CLI_VERB_H
#define LOCKPICK_CLI_VERB_H

#include <stdio.h>

// Exit codes of every verb.
enum exit_code {
    EXIT_AS_EXPECTED = 0,  // every expectation met
    EXIT_MISSED = 1,       // some expectation not met
    EXIT_USAGE = 2,        // wrong usage, or a scenario that is wrong
    EXIT_INCONCLUSIVE = 3, // some verdict is UNKNOWN
    EXIT_ENVIRONMENT = 4,  // something is missing on this machine, or broke
    EXIT_THRESHOLD = 5,    // a threshold was missed
};

struct verb {
    const char *name;
    const char *arguments; // as in the usage line
    const char *summary;
    void (*print_help)(FILE *out); // optional: the rest of `lockpick help VERB`
    // argv[0] is the verb. Returns the exit code.
    int (*run)(int argc, char **argv);
};

extern const struct verb run_verb;
extern const struct verb find_verb;
extern const struct verb list_verb;
extern const struct verb history_verb;
extern const struct verb check_verb;
extern const struct verb report_verb;
extern const struct verb compare_verb;
extern const struct verb table_verb;
extern const struct verb doctor_verb;
extern const struct verb clean_verb;
extern const struct verb help_verb;

extern const struct verb *const verb_catalogue[]; // NULL-terminated

// The verb with this name, or NULL.
const struct verb *verb_find(const char *name);

// "lockpick VERB: message" on standard error, and where to read on. Returns EXIT_USAGE.
__attribute__((format(printf, 2, 3))) int usage_error(const struct verb *verb, const char *format,
                                                      ...);

#endif
