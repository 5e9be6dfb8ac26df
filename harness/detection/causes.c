// causes: whether the causes that were told in these runs are the true ones, by a file that says
// what is true: of each case the scenario, the scheme, the property, and the causes that are right,
// written down from the source of the scheme and what is known of the failure, not from what
// Lockpick says.
//
// Strictly: a case is right if every cause told of it is one of the right ones, proven or possible;
// wrong if one was told as proven that is not; else unexplained, be it that nothing was said, or
// that what was said to be possible is not true. Cases of which these runs have no violation do not
// count.
#include "harness/base/growing.h"
#include "harness/base/text.h"
#include "harness/cli/verb.h"
#include "harness/detection/result.h"

#include <stdlib.h>

extern const struct verb causes_verb;

enum outcome_of_case { CASE_UNSEEN, CASE_RIGHT, CASE_UNEXPLAINED, CASE_WRONG };

#define FIELDS 5

// One line of the file: "scenario | scheme | property | cause, cause | what is true".
struct truth {
    char *line;
    char *fields[FIELDS];
    enum outcome_of_case outcome;
    bool is_proven; // all that was told was
    bool is_false;  // what was said to be possible is not true
    char *told;     // that decided it; NULL: nothing yet
};

struct truths {
    struct truth *items;
    size_t count, room;
};

// --- reading -------------------------------------------------------------------------------------

static char *trimmed(char *text)
{
    while (*text == ' ')
        text++;
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\n'))
        text[--length] = '\0';
    return text;
}

static int read_line(struct truths *truths, const char *line)
{
    struct truth truth = {.line = memory_string(line), .is_proven = true};
    char *next = truth.line;
    for (size_t i = 0; i < FIELDS; i++) {
        char *field = strsep(&next, i + 1 < FIELDS ? "|" : "");
        if (field == NULL) {
            free(truth.line);
            return -1;
        }
        truth.fields[i] = trimmed(field);
    }
    *APPEND(truths->items, truths->count, truths->room) = truth;
    return 0;
}

static int read_truths(const char *path, struct truths *truths)
{
    char line[1000];
    int number = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        fprintf(stderr, "lockpick causes: cannot read %s\n", path);
        return -1;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        number++;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (read_line(truths, line) != 0) {
            fprintf(stderr, "%s:%d: must be scenario | scheme | property | causes | what is true\n",
                    path, number);
            fclose(file);
            return -1;
        }
    }
    fclose(file);
    return 0;
}

// --- judging -------------------------------------------------------------------------------------

static bool lists(const char *causes, const char *id)
{
    size_t length = strlen(id);
    for (const char *at = causes; *at != '\0';) {
        size_t word = strcspn(at, ", ");
        if (word == length && strncmp(at, id, length) == 0)
            return true;
        at += word;
        at += strspn(at, ", ");
    }
    return false;
}

static void judge_cause(struct truth *truth, const json_t *cause)
{
    const char *id = text_of(cause, "id");
    const char *certainty = text_of(cause, "certainty");
    bool is_right = lists(truth->fields[3], id);
    bool is_proven = strcmp(certainty, "proven") == 0;
    enum outcome_of_case outcome = is_right    ? CASE_RIGHT
                                   : is_proven ? CASE_WRONG
                                               : CASE_UNEXPLAINED;
    truth->is_proven = truth->is_proven && is_proven;
    if (outcome <= truth->outcome)
        return;
    truth->outcome = outcome;
    truth->is_false = !is_right && strcmp(certainty, "possible") == 0;
    free(truth->told);
    truth->told = memory_string(text_of(cause, "text"));
}

static void judge_account(struct truths *truths, const json_t *trial, const json_t *account)
{
    const char *scenario = text_of(json_object_get(trial, "scenario"), "name");
    for (size_t i = 0; i < truths->count; i++) {
        struct truth *truth = &truths->items[i];
        if (strcmp(truth->fields[0], scenario) == 0 &&
            strcmp(truth->fields[1], text_of(trial, "scheme")) == 0 &&
            (strcmp(truth->fields[2], "*") == 0 ||
             strcmp(truth->fields[2], text_of(account, "property")) == 0))
            judge_cause(truth, json_object_get(account, "cause"));
    }
}

static int judge_run(const char *path, struct truths *truths)
{
    struct error error;
    size_t index, number;
    const json_t *trial, *other;
    json_t *root = result_load(path, &error);
    if (root == NULL) {
        fprintf(stderr, "lockpick causes: %s\n", error.text);
        return -1;
    }
    json_array_foreach(json_object_get(root, "trials"), index, trial)
    {
        const char *verdict = text_of(trial, "verdict");
        const json_t *evidence = json_object_get(trial, "evidence");
        if (strcmp(verdict, "UNSAFE") != 0 && strcmp(verdict, "STUCK") != 0)
            continue;
        judge_account(truths, trial, evidence);
        json_array_foreach(json_object_get(evidence, "others"), number, other)
        {
            judge_account(truths, trial, other);
        }
    }
    json_decref(root);
    return 0;
}

// --- printing ------------------------------------------------------------------------------------

static int print(const struct truths *truths)
{
    static const char *const names[] = {"not seen", "right", "unexplained", "**WRONG**"};
    size_t counts[CASE_WRONG + 1] = {0};
    size_t proven = 0;
    size_t false_guesses = 0;
    puts("\n| cause | scenario | scheme | what is true | what was told |\n|---|---|---|---|---|");
    for (size_t i = 0; i < truths->count; i++) {
        const struct truth *truth = &truths->items[i];
        counts[truth->outcome]++;
        proven += truth->outcome == CASE_RIGHT && truth->is_proven;
        false_guesses += truth->is_false;
        printf("| %s | %s | %s | %s | %s |\n", names[truth->outcome], truth->fields[0],
               truth->fields[1], truth->fields[4], truth->told != NULL ? truth->told : "");
    }
    size_t seen = truths->count - counts[CASE_UNSEEN];
    printf("\n%zu of %zu cases seen: the cause of %zu is right (%zu proven, %zu possible), of %zu "
           "wrong, of %zu unexplained (of these %zu guesses that are not true).\n",
           seen, truths->count, counts[CASE_RIGHT], proven, counts[CASE_RIGHT] - proven,
           counts[CASE_WRONG], counts[CASE_UNEXPLAINED], false_guesses);
    bool is_well = seen > 0 && counts[CASE_WRONG] == 0 && 10 * counts[CASE_UNEXPLAINED] < seen;
    return is_well ? EXIT_AS_EXPECTED : EXIT_MISSED;
}

static int run(const struct words *words, void *options)
{
    (void)options;
    struct truths truths = {0};
    if (words->count < 2)
        return usage_error(&causes_verb, "which truths, and which results?");
    int code = read_truths(words->items[0], &truths) == 0 ? EXIT_AS_EXPECTED : EXIT_USAGE;
    for (size_t i = 1; i < words->count && code == EXIT_AS_EXPECTED; i++)
        code = judge_run(words->items[i], &truths) == 0 ? EXIT_AS_EXPECTED : EXIT_USAGE;
    if (code == EXIT_AS_EXPECTED)
        code = print(&truths);
    for (size_t i = 0; i < truths.count; i++) {
        free(truths.items[i].line);
        free(truths.items[i].told);
    }
    free(truths.items);
    return code;
}

const struct verb causes_verb = {
    .name = "causes",
    .arguments = "TRUTHS RESULT.json...",
    .summary = "Tells whether the causes that were told in these runs are true",
    .run = run,
};
