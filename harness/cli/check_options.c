#include "harness/cli/check_options.h"

#include "harness/base/growing.h"
#include "harness/cli/options.h"
#include "harness/import/entry.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const failed_releases[] = {"held", "released", NULL};
static const char *const failed_acquires[] = {"nothing", "busy", NULL};
static const char *const owners[] = {"process", "client", NULL};
static const char *const values[] = {"shape", "name", "permits", "token", "nothing", NULL};

enum option {
    OPTION_MODEL,
    OPTION_PERMITS,
    OPTION_DEPTH,
    OPTION_LEASE,
    OPTION_OWNER,
    OPTION_CONCURRENCY,
    OPTION_F,
    OPTION_VALUE,
    OPTION_FAILED,
    OPTION_FAILED_RELEASE,
    OPTION_FAILED_ACQUIRE,
    OPTION_PICTURE,
    OPTION_JSON,
    OPTION_COUNT
};

static const struct option_form forms[] = {
    {"model", "MODEL", "what the lock must be; without it, a run is judged by its scenario"},
    {"permits", "K", "of the semaphore: how many may be held at once"},
    {"depth", "N", "of the reentrant: how often one may hold it (default: any number)"},
    {"lease", "TIME", "of mutex and fenced, as 300ms or 5s (see above)"},
    {"owner", "process|client", "who holds what a process acquires (see above)"},
    {"concurrency", "N", "how many processes there were at first (default: found out)"},
    {"f", "NAME=MEANING", "an f NAME is acquire, release, ... or skip (repeatable)"},
    {"value", "MEANING", "what a value alone says: name, permits, token or nothing"},
    {"failed", "ERROR=MEANING",
     "what a failure with that error means: held or released, nothing or busy"},
    {"map-failed-release", "held|released", "what any other failed release means (see above)"},
    {"map-failed-acquire", "nothing|busy", "what any other failed acquire means (see above)"},
    {"picture", "FILE", "draws the first violation: an SVG"},
    {"json", "", "prints all of it as JSON"},
};

const char *failed_release_name(enum failed_release mapping)
{
    return failed_releases[mapping];
}

const char *failed_acquire_name(enum failed_acquire mapping)
{
    return failed_acquires[mapping];
}

static void add_models(struct text *text)
{
    for (size_t i = 0; model_catalogue[i] != NULL; i++)
        text_format(text, "%s%s", i > 0 ? ", " : "", model_catalogue[i]->name);
}

static int take_model(const char *name, struct check_options *options, struct error *error)
{
    const char *names[16] = {0};
    struct text models = {0};
    options->model = model_find(name);
    if (options->model != NULL)
        return 0;
    for (size_t i = 0; i < 15 && model_catalogue[i] != NULL; i++)
        names[i] = model_catalogue[i]->name;
    const char *nearest = text_nearest(name, names);
    add_models(&models);
    if (nearest != NULL)
        error_set(error, "there is no model '%s' (did you mean '%s'?)", name, nearest);
    else
        error_set(error, "there is no model '%s'; expected one of %s", name, text_string(&models));
    text_free(&models);
    return -1;
}

// The index of the word.
static int take_word(enum option option, const char *text, const char *const *words, int *which,
                     struct error *error)
{
    struct text all = {0};
    for (*which = 0; words[*which] != NULL; ++*which) {
        if (strcmp(words[*which], text) == 0)
            return 0;
    }
    for (int i = 0; words[i] != NULL; i++)
        text_format(&all, "%s%s", i > 0 ? words[i + 1] == NULL ? " or " : ", " : "", words[i]);
    error_set(error, "--%s takes %s, not '%s'", forms[option].name, text_string(&all), text);
    text_free(&all);
    return -1;
}

static int take_lease(const char *text, int64_t *lease_ns, struct error *error)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    char *end;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double ns = number * units[i].ns;
        if (end != text && strcmp(end, units[i].name) == 0 && ns >= 1 && ns < 1e17) {
            *lease_ns = (int64_t)ns;
            return 0;
        }
    }
    return error_set(error, "--lease takes a time, as 300ms, 5s or 2m, not '%s'", text);
}

// "FROM=TO" at its last '='. `from` is the caller's to free.
static int split(enum option option, const char *rule, size_t count, char **from, const char **to,
                 struct error *error)
{
    const char *equals = strrchr(rule, '=');
    rule += *rule == ':' && equals != rule + 1; // a keyword, as EDN writes it
    if (equals == NULL || equals == rule || equals[1] == '\0')
        return error_set(error, "--%s takes %s, not '%s'", forms[option].name, forms[option].value,
                         rule);
    if (count == CHECK_MOST_RULES)
        return error_set(error, "--%s may be given %d times", forms[option].name, CHECK_MOST_RULES);
    *from = memory_string(rule);
    (*from)[equals - rule] = '\0';
    *to = equals + 1;
    return 0;
}

static int take_rename(struct check_options *options, const char *rule, struct error *error)
{
    char *from = NULL;
    const char *to;
    size_t count = options->import.rename_count;
    if (split(OPTION_F, rule, count, &from, &to, error) != 0)
        return -1;
    to += *to == ':';
    options->renames[count] = (struct import_rename){from, to};
    options->import.rename_count++;
    if (entry_knows_function(to))
        return 0;
    return error_set(error,
                     "--f %s: '%s' is none that Lockpick knows; expected acquire, release, "
                     "renew, skip, or another that `lockpick help check` lists",
                     rule, to);
}

static int take_failure(struct check_options *options, const char *rule, struct error *error)
{
    static const struct import_failure meanings[] = {{"held", false, CLAIM_NOTHING},
                                                     {"released", false, CLAIM_LOCK},
                                                     {"nothing", true, CLAIM_NOTHING},
                                                     {"busy", true, CLAIM_LOCK}};
    char *from = NULL;
    const char *to;
    size_t count = options->import.failure_count;
    if (split(OPTION_FAILED, rule, count, &from, &to, error) != 0)
        return -1;
    options->import.failure_count++;
    options->failures[count] = (struct import_failure){.error = from};
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (strcmp(meanings[i].error, to) != 0)
            continue;
        options->failures[count].of_acquire = meanings[i].of_acquire;
        options->failures[count].claim = meanings[i].claim;
        return 0;
    }
    return error_set(error,
                     "--failed %s: expected held or released, of a release; nothing or "
                     "busy, of an acquire",
                     rule);
}

static int take_option(void *context, int option, const char *value, struct error *error)
{
    struct check_options *options = context;
    int which = 0;
    int result = 0;
    switch ((enum option)option) {
    case OPTION_MODEL:
        return take_model(value, options, error);
    case OPTION_PERMITS:
        return option_number("permits", value, INT64_MAX, &options->model_options.permits, error);
    case OPTION_DEPTH:
        return option_number("depth", value, INT64_MAX, &options->model_options.depth_limit, error);
    case OPTION_LEASE:
        return take_lease(value, &options->model_options.lease_ns, error);
    case OPTION_OWNER:
        result = take_word(OPTION_OWNER, value, owners, &which, error);
        options->import.owner = (enum import_owner)which;
        options->says_owner = true;
        return result;
    case OPTION_CONCURRENCY:
        return option_number("concurrency", value, 1 << 24, &options->import.concurrency, error);
    case OPTION_F:
        return take_rename(options, value, error);
    case OPTION_VALUE:
        result = take_word(OPTION_VALUE, value, values, &which, error);
        options->import.value = (enum value_meaning)which;
        return result;
    case OPTION_FAILED:
        return take_failure(options, value, error);
    case OPTION_FAILED_RELEASE:
        result = take_word(OPTION_FAILED_RELEASE, value, failed_releases, &which, error);
        options->model_options.failed_release = (enum failed_release)which;
        options->says_failed_release = true;
        return result;
    case OPTION_FAILED_ACQUIRE:
        result = take_word(OPTION_FAILED_ACQUIRE, value, failed_acquires, &which, error);
        options->model_options.failed_acquire = (enum failed_acquire)which;
        return result;
    case OPTION_PICTURE:
        options->picture = value;
        return 0;
    case OPTION_JSON:
        options->json = true;
        return 0;
    case OPTION_COUNT:
        break;
    }
    return -1;
}

static int take_path(void *context, const char *word, struct error *error)
{
    struct check_options *options = context;
    (void)error;
    *APPEND(options->paths, options->path_count, options->path_room) = word;
    return 0;
}

static const struct option_set option_set = {forms, OPTION_COUNT, take_option, take_path};

// What only a model can do, and what only some models can.
static int check_together(struct check_options *options, struct error *error)
{
    const struct model_options *given = &options->model_options;
    const struct model *model = options->model;
    const struct import_options *import = &options->import;
    bool any = given->permits > 0 || given->depth_limit > 0 || given->lease_ns > 0 ||
               options->says_failed_release || options->says_owner || given->failed_acquire != 0 ||
               import->rename_count > 0 || import->failure_count > 0 || import->value != 0 ||
               import->concurrency > 0 || options->picture != NULL;
    if (options->path_count == 0 && !isatty(STDIN_FILENO) && model != NULL)
        take_path(options, "-", error);
    if (options->path_count == 0)
        return error_set(error, "which history? Give a file, a folder of them, or - for standard "
                                "input; or the folder of a trial or run");
    if (model == NULL && any)
        return error_set(error, "these options need a --model; without one, a run is judged by its "
                                "own scenario");
    if (model == NULL)
        return 0;
    options->import.has_tokens = model->has_tokens;
    options->import.has_permits = model->has_permits;
    options->import.has_leases = given->lease_ns > 0;
    for (size_t i = 0; i < import->failure_count; i++) {
        if (import->failures[i].claim == CLAIM_LOCK && import->failures[i].of_acquire &&
            !model->decides_busy)
            return error_set(error, "--failed %s=busy: the model %s does not decide that",
                             import->failures[i].error, model->name);
    }
    if (options->picture != NULL &&
        (given->lease_ns > 0 || import->owner == OWNER_IS_CLIENT || model->is_ownerless))
        return error_set(error, "--picture draws holds that their own process ends: not those of "
                                "--lease, --owner client, ownerless or tokens");
    return model_check_options(model, given, error);
}

int check_options_parse(int argc, char **argv, struct check_options *options, struct error *error)
{
    *options = (struct check_options){0};
    options->import.renames = options->renames;
    options->import.failures = options->failures;
    if (options_parse(&option_set, argc, argv, options, error) != 0)
        return -1;
    return check_together(options, error);
}

void check_options_free(struct check_options *options)
{
    for (size_t i = 0; i < CHECK_MOST_RULES; i++) {
        free((void *)(size_t)options->renames[i].from);
        free((void *)(size_t)options->failures[i].error);
    }
    free(options->paths);
}

void check_options_print(FILE *out)
{
    fputs(
        "HISTORY is a trial or run of Lockpick's (its folder, or a history.bin), or another\n"
        "tool's history, or a folder of those, or - (standard input); plain or gzipped.\n"
        "Another tool's is Jepsen's operation maps as EDN, or as JSON, one a line or in one list:\n"
        "\n"
        "  {:process 0, :type :invoke, :f :acquire, :value nil, :time 3291485317}\n"
        "  {\"process\":0,\"type\":\"ok\",\"f\":\"acquire\",\"value\":17,\"time\":3291985317}\n"
        "\n"
        "order   By index, if every line has one; else the lines' own. time is in nanoseconds,\n"
        "        and only says how long things took (but for --lease): it may go back.\n"
        "f       acquire, release (also lock, unlock, acquire-write, release-write, write-lock,\n"
        "        write-unlock); of readers acquire-shared, release-shared (also acquire-read,\n"
        "        release-read, read-lock, read-unlock); release and unlock end a reader's hold as\n"
        "        well as a writer's; of leases renew (also refresh, extend).\n"
        "value   nil says nothing; [NAME VALUE] names one of several locks; a map may have name\n"
        "        or lock, token or fence, permits or count, client or owner, uid or id; a number\n"
        "        alone is the token of a successful acquire (0: not known), or permits, where the\n"
        "        model has them. Any other is refused until --value says what it means.\n"
        "owner   A process; after an :info nobody knows what became of its operation, and Jepsen\n"
        "        goes on under a number higher by the concurrency. --owner client: the same "
        "client\n"
        "        holds what either acquired (a session, a node, a thread: etcd's lease kept by "
        "the\n"
        "        client, Hazelcast's endpoint), as values say it, or process modulo concurrency.\n"
        "        Unsaid, it is the process; where the client would be found right, undecided.\n"
        "\n"
        "A release that failed says of the lock, by --map-failed-release:\n"
        "  held      nothing: the process still holds it, if it did\n"
        "  released  that its process does not hold it from then on: as if it had succeeded, at\n"
        "            some moment between its invocation and its answer, if the process held it,\n"
        "            and else nothing. Up to its invocation the process counts as the holder: one\n"
        "            who was granted the lock before that is a violation all the same, but for a\n"
        "            --lease that had run out\n"
        "In a history of Lockpick's it is released: the server said that the lock was not its\n"
        "holder's; of another tool's it is held, as :fail says no more than that nothing was "
        "done.\n"
        "An acquire that failed says nothing; or, by --map-failed-acquire busy, that the lock was\n"
        "taken at some moment between its invocation and its answer.\n"
        "\n"
        "--lease: a hold may end, without a word of its holder, from the moment on that lies the\n"
        "lease behind the invocation of its acquire, or of the last renewal that succeeded. Who\n"
        "releases or renews with success still held it.\n\n"
        "models:\n",
        out);
    for (size_t i = 0; model_catalogue[i] != NULL; i++)
        fprintf(out, "  %-17s %s\n", model_catalogue[i]->name, model_catalogue[i]->summary);
    fputc('\n', out);
    options_print(&option_set, 37, out);
    fputs(
        "\nexit codes: 0 nothing is wrong (nothing is in an empty history), 1 a violation was\n"
        "found, 2 usage, or a malformed history (FILE:LINE: message), 3 it cannot be decided, and\n"
        "why; of several the gravest: 2, 1, 3, 0; of a run judged by its scenario, those of\n"
        "lockpick run\n",
        out);
}
