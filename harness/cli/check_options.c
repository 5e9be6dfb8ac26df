#include "harness/cli/check_options.h"

#include "harness/base/text.h"
#include "harness/cli/options.h"

#include <stdlib.h>
#include <string.h>

static const char *const failed_releases[] = {"held", "released", NULL};
static const char *const failed_acquires[] = {"nothing", "busy", NULL};

enum option {
    OPTION_MODEL,
    OPTION_PERMITS,
    OPTION_DEPTH,
    OPTION_FAILED_RELEASE,
    OPTION_FAILED_ACQUIRE,
    OPTION_PICTURE,
    OPTION_JSON,
    OPTION_COUNT
};

static const struct option_form forms[] = {
    {"model", "MODEL", "what the lock must be; without it, a run is judged by its own scenario"},
    {"permits", "K", "of the semaphore: how many may be held at once"},
    {"depth", "N", "of the reentrant models: how often one may hold it (default: any number)"},
    {"map-failed-release", "held|released",
     "what a failed release means: it is still held, or it was lost before (default: see above)"},
    {"map-failed-acquire", "nothing|busy",
     "what a failed acquire means: nothing (default), or that the lock was taken then"},
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
static int take_mapping(enum option option, const char *text, const char *const *words, int *which,
                        struct error *error)
{
    for (*which = 0; words[*which] != NULL; ++*which) {
        if (strcmp(words[*which], text) == 0)
            return 0;
    }
    return error_set(error, "--%s takes %s or %s, not '%s'", forms[option].name, words[0], words[1],
                     text);
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
    case OPTION_FAILED_RELEASE:
        result = take_mapping((enum option)option, value, failed_releases, &which, error);
        options->model_options.failed_release = (enum failed_release)which;
        options->says_failed_release = true;
        return result;
    case OPTION_FAILED_ACQUIRE:
        result = take_mapping((enum option)option, value, failed_acquires, &which, error);
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
    if (options->path != NULL)
        return error_set(error, "one history at a time: %s, or %s?", options->path, word);
    options->path = word;
    return 0;
}

static const struct option_set option_set = {forms, OPTION_COUNT, take_option, take_path};

// What only a model can do, and what only some models can.
static int check_together(const struct check_options *options, struct error *error)
{
    const struct model_options *given = &options->model_options;
    const struct model *model = options->model;
    bool any = given->permits > 0 || given->depth_limit > 0 || options->says_failed_release ||
               given->failed_acquire != 0 || options->picture != NULL;
    if (options->path == NULL)
        return error_set(error, "which history? Give a file, or the folder of a trial or run");
    if (model == NULL && any)
        return error_set(error, "these options need a --model; without one, a run is judged by its "
                                "own scenario");
    if (model == NULL)
        return 0;
    if (model->has_permits && given->permits == 0)
        return error_set(error, "the model %s needs --permits K", model->name);
    if (!model->has_permits && given->permits > 0)
        return error_set(error, "--permits: the model %s has none; the semaphore has", model->name);
    if (!model->has_depth && given->depth_limit > 0)
        return error_set(error,
                         "--depth: the model %s has none; reentrant and reentrant-fenced "
                         "have",
                         model->name);
    if (!model->decides_busy && given->failed_acquire == FAILED_ACQUIRE_BUSY)
        return error_set(error,
                         "--map-failed-acquire busy: the model %s does not decide that; leave it "
                         "out, and failed acquires mean nothing",
                         model->name);
    return 0;
}

int check_options_parse(int argc, char **argv, struct check_options *options, struct error *error)
{
    *options = (struct check_options){0};
    if (options_parse(&option_set, argc, argv, options, error) != 0)
        return -1;
    return check_together(options, error);
}

void check_options_print(FILE *out)
{
    fputs("HISTORY is a trial or run of Lockpick's (its folder, or a history.bin), or another\n"
          "tool's history: Jepsen's operation maps as EDN, or as JSON, one a line or in one list:\n"
          "\n"
          "  {:process 0, :type :invoke, :f :acquire, :value nil, :time 3291485317}\n"
          "  {\"process\":0,\"type\":\"ok\",\"f\":\"acquire\",\"value\":17,\"time\":3291985317}\n"
          "\n"
          "f: acquire, release (also lock, unlock, acquire-write, release-write); of readers\n"
          "acquire-shared, release-shared (also acquire-read, release-read, read-lock,\n"
          "read-unlock); release and unlock end a reader's hold as well as a writer's. value:\n"
          "of a successful acquire its fencing token, alone or under token or fence in a map\n"
          "(0 or nil: not known); [NAME VALUE] names one of several locks. The order of the\n"
          "lines is that of real time; time is in nanoseconds.\n"
          "\n"
          "A release that failed: in a history of Lockpick's the server said that the lock was\n"
          "not its holder's any more, so that is what it means there; another tool's :fail says\n"
          "no more than that nothing was done, so the lock is taken to be held still. The answer\n"
          "names what was assumed, and what the other meaning would change.\n\n"
          "models:\n",
          out);
    for (size_t i = 0; model_catalogue[i] != NULL; i++)
        fprintf(out, "  %-17s %s\n", model_catalogue[i]->name, model_catalogue[i]->summary);
    fputc('\n', out);
    options_print(&option_set, 35, out);
    fputs("\nexit codes: 0 nothing is wrong, 1 a violation was found, 2 usage, or a malformed\n"
          "history (FILE:LINE: message), 3 it cannot be decided, and why; of a run judged by\n"
          "its scenario, those of lockpick run\n",
          out);
}
