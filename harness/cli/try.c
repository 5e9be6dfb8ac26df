// try: one's own lock under everything that Lockpick can do to it by itself, beside a sound one.
//
// Two runs. The first looks at each lock for one operation: which requests it sends. The second is
// of the scenarios of try_scenarios.txt, with a fault at each of these requests.
#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/cli/verb.h"
#include "harness/cluster/exploration.h"
#include "harness/explore/lock.h"
#include "harness/run/slots.h"

#include <ctype.h>
#include <errno.h>
#include <sys/mman.h>

#define MOST_TRIED 64   // as many schemes as a scenario may name
#define MOST_REQUESTS 6 // of an acquire, and of a release, at which faults strike
#define PHASES 2        // PHASE_ACQUIRE and PHASE_RELEASE

struct try_options {
    struct run_options run; // first: some of its options are options here
    const char *servers, *traits, *only;
};

static const struct option try_options[] = {
    {"servers", "KIND", "of a program or plug-in: what it locks with (redis, zookeeper, ...)",
     TEXT(struct try_options, servers)},
    {"traits", "LIST", "of those: what it promises (default: " PROGRAM_TRAITS ")",
     TEXT(struct try_options, traits)},
    {"only", "GLOB", "only these of its scenarios: 'lost-*'", TEXT(struct try_options, only)},
    OPTION_SET,
    OPTION_SEED,
    {"repeat", "N", "runs each trial N times (default: once, or 3 times what is left to chance)",
     NUMBER(struct run_options, repeat, 1000)},
    {"again", "N", "runs a trial that could not be decided again, up to N times (default: 0)",
     NUMBER(struct run_options, again, 100)},
    {"jobs", "N", "N trials at a time (default: as many as leave processors and memory free)",
     NUMBER(struct run_options, jobs, MAX_SLOTS)},
    OPTION_OUT,
    OPTION_NO_NAMESPACES,
    OPTIONS_OF_OUTPUTS,
    {.name = NULL},
};

// What was seen of a lock, in memory that the process of the first run shares.
struct look {
    bool was_granted;
    enum verdict verdict;
    char reason[400];
    bool requests_are_known;
    size_t requests[PHASES];
    char commands[PHASES][MOST_REQUESTS][sizeof(struct event_command)]; // "": not known
};

struct tried_lock {
    struct string_list traits;
    const char *server; // kind; NULL: none
};

struct trying {
    struct try_options *options;
    struct text schemes; // the locks, as items of a scenario's list
    char *servers;       // the line that says how those are to be, of a scenario; NULL: none does
    struct string_list names; // of the locks, as schemes
    struct tried_lock locks[MOST_TRIED];
    struct look *looks;
    const char *own; // trait of the locks that is for one workload alone; NULL: they have none
};

// --- which locks ---------------------------------------------------------------------------------

// The rest of the settled line that begins with the key, for the caller to free; NULL: there is
// none.
static char *settled_line(const struct scenario *scenario, const char *key)
{
    size_t length = strlen(key);
    const char *line = scenario->settled;
    while (*line != '\0' && strncmp(line, key, length) != 0)
        line += strcspn(line, "\n") + 1;
    if (*line == '\0')
        return NULL;
    return text_formatted("%.*s", (int)(strcspn(line, "\n") - length), line + length);
}

static int add_schemes_of(const char *path, const struct vocabulary *vocabulary,
                          struct trying *trying, struct error *error)
{
    int result = 0;
    struct scenario *scenario = verb_load_scenario(path, &trying->options->run, vocabulary);
    if (scenario == NULL)
        return -1;
    AUTO_FREE char *schemes = settled_line(scenario, "schemes: ");
    bool is_list = schemes[0] == '[';
    AUTO_FREE char *items =
        text_formatted("%.*s", (int)strlen(schemes) - 2 * is_list, schemes + is_list);
    text_add_item(&trying->schemes, items);
    // What else its scenarios differ in is no matter of the locks.
    for (const struct scenario *each = scenario; each != NULL && result == 0; each = each->next) {
        char *servers = settled_line(each, "servers: ");
        if (servers != NULL && trying->servers != NULL && strcmp(servers, trying->servers) != 0)
            result = error_set(error,
                               "%s: its 'servers' are %s, and an earlier scenario's %s; locks are "
                               "tried together on the same ones: try them one after the other, or "
                               "set the key that differs (--set servers.redis.topology=single)",
                               path, servers, trying->servers);
        free(trying->servers != NULL ? servers : NULL);
        trying->servers = trying->servers != NULL ? trying->servers : servers;
    }
    scenario_free(scenario);
    return result;
}

static int add_lock(const char *lock, const struct vocabulary *vocabulary, struct trying *trying,
                    struct error *error)
{
    const struct try_options *options = trying->options;
    if (text_matches(lock, "*.yaml") || text_matches(lock, "*.yml"))
        return add_schemes_of(lock, vocabulary, trying, error);
    const struct explored_lock wanted = {.lock = lock,
                                         .servers = options->servers,
                                         .traits = options->traits != NULL ? options->traits
                                                                           : PROGRAM_TRAITS};
    char name[LOCK_NAME_ROOM];
    AUTO_TEXT struct text item = {0};
    if (!lock_write_item(&wanted, name, &item))
        return error_set(error,
                         "there is no scheme '%s'%s; a program or a plug-in needs --servers, which "
                         "says what it locks with",
                         lock, suggest(lock, vocabulary->schemes));
    text_add_item(&trying->schemes, item.bytes);
    return 0;
}

// --- scenarios -----------------------------------------------------------------------------------

// Adds what the text says, of so many bytes, with these schemes.
static int add_scenario(const struct trying *trying, const char *name, const char *text,
                        size_t length, const char *beside, const char *expect,
                        const struct vocabulary *vocabulary, struct scenario_set *set,
                        struct error *error)
{
    const struct run_options *options = &trying->options->run;
    struct diagnostics *diagnostics = diagnostics_new();
    AUTO_FREE char *path = text_formatted("try/%s.yaml", name);
    AUTO_TEXT struct text whole = {0};
    text_format(&whole, "version: 1\nname: %s\n%.*sschemes: [%s%s]\n%s", name, (int)length, text,
                trying->schemes.bytes, beside, expect);
    if (trying->servers != NULL)
        text_format(&whole, "servers: %s\n", trying->servers);
    set->scenarios = memory_resized(set->scenarios, (set->count + 1) * sizeof *set->scenarios);
    int result = scenario_parse(path, whole.bytes, whole.length, vocabulary, options->overrides,
                                options->override_count, &set->scenarios[set->count], diagnostics);
    set->count += result == 0;
    diagnostics_print(diagnostics, stderr);
    diagnostics_free(diagnostics);
    return result == 0 ? 0 : error_set(error, "the scenario %s cannot be run", name);
}

// --- their templates -----------------------------------------------------------------------------

// A scenario of try_scenarios.txt, with what it says of itself.
struct template
{
    char name[65], each[16], needs[32], promised[64]; // "": it does not say
    bool looks;                                       // is of the first run
    struct {
        char who[64], what[64]; // locks of which these properties may be violated all the same
    } admits[2];
    const char *text;
    size_t length;
};

extern const char template_try_scenarios[];

// Takes the next one at *at, which is behind it then. False if there is none.
static bool take_template(const char **at, struct template *template)
{
    static const char begins[] = "\n=== ";
    const char *line = strstr(*at, begins);
    if (line == NULL)
        return false;
    *template = (struct template){.name = ""};
    sscanf(line, "\n=== %64s", template->name);
    while (*(line = strchr(line + 1, '\n')) != '\0' && line[1] == '@') {
        template->looks |= strncmp(line, "\n@looks\n", 8) == 0;
        sscanf(line, "\n@each %15s", template->each);
        sscanf(line, "\n@needs %31s", template->needs);
        sscanf(line, "\n@promised %63[^\n]", template->promised);
        size_t next = template->admits[0].who[0] != '\0';
        sscanf(line, "\n@admits %63[^:\n]: %63[^\n]", template->admits[next].who,
               template->admits[next].what);
    }
    template->text = line + 1;
    *at = strstr(template->text, begins);
    *at = *at != NULL ? *at : template->text + strlen(template->text);
    template->length = (size_t)(*at - template->text);
    return true;
}

// True if the lock has all traits of one of the alternatives: "lease, session", "lease+!session".
static bool has_any(const struct tried_lock *lock, const char *alternatives)
{
    while (*alternatives != '\0') {
        bool has_all = true;
        while (strcspn(alternatives, ", ") > 0) {
            bool is_not = *alternatives == '!';
            size_t length = strcspn(alternatives, "+, ");
            AUTO_FREE char *trait =
                text_formatted("%.*s", (int)length - is_not, alternatives + is_not);
            has_all &= string_list_has(&lock->traits, trait) != is_not;
            alternatives += length;
            alternatives += *alternatives == '+';
        }
        if (has_all)
            return true;
        alternatives += strspn(alternatives, ", ");
    }
    return false;
}

// --- the first run -------------------------------------------------------------------------------

// The trait among these whose locks are for one workload alone; NULL: none.
static const char *own_trait(const char *const *traits, const struct vocabulary *vocabulary)
{
    for (size_t i = 0; vocabulary->workloads[i] != NULL; i++) {
        const struct workload_form *form = &vocabulary->workload_forms[i];
        if (form->why_only != NULL && text_is_one_of(form->trait, traits))
            return form->trait;
    }
    return NULL;
}

static bool is_same(const char *one, const char *other)
{
    return strcmp(one != NULL ? one : "", other != NULL ? other : "") == 0;
}

// Which traits its locks have says only a plan.
static int see_own_trait(struct trying *trying, const struct scenario_set *set,
                         const struct vocabulary *vocabulary, struct error *error)
{
    struct plan plan = {0};
    int result = plan_make(set->scenarios, 1, vocabulary, NULL, 1, 1, &plan, error);
    for (size_t i = 0; i < plan.count && result == 0; i++) {
        const char *own = own_trait(plan.trials[i].traits, vocabulary);
        if (i > 0 && !is_same(own, trying->own))
            result = error_set(
                error, "%s and %s are for different workloads: try them one after the other",
                plan.trials[0].scheme, plan.trials[i].scheme);
        trying->own = own;
    }
    plan_free(&plan);
    return result;
}

// The last scenario is the one that is planned.
static int load_looks(void *context, const struct vocabulary *vocabulary, struct scenario_set *set,
                      struct error *error)
{
    struct trying *trying = context;
    const struct run_options *options = &trying->options->run;
    struct template template;
    int result = 0;
    for (size_t i = 0; i < options->path_count && result == 0; i++)
        result = add_lock(options->paths[i], vocabulary, trying, error);
    for (const char *at = template_try_scenarios; result == 0 && take_template(&at, &template);) {
        if (!template.looks || (set->count > 0 && !is_same(template.needs, trying->own)))
            continue;
        result = add_scenario(trying, "look", template.text, template.length, "", "", vocabulary,
                              set, error);
        if (result == 0 && set->count == 1)
            result = see_own_trait(trying, set, vocabulary, error);
    }
    return result;
}

static int plan_looks(void *context, const struct scenario_set *set,
                      const struct vocabulary *vocabulary, uint64_t seed, struct plan *plan,
                      struct error *error)
{
    struct trying *trying = context;
    if (plan_make(set->scenarios + set->count - 1, 1, vocabulary, NULL, 1, seed, plan, error) != 0)
        return -1;
    if (plan->count > MOST_TRIED)
        return error_set(error, "%zu locks; at most %d can be tried at a time", plan->count,
                         MOST_TRIED);
    for (size_t i = 0; i < plan->count; i++) {
        const struct trial *trial = &plan->trials[i];
        struct tried_lock *lock = &trying->locks[i];
        string_list_add(&trying->names, trial->scheme);
        for (size_t j = 0; trial->traits[j] != NULL; j++)
            string_list_add(&lock->traits, trial->traits[j]);
        lock->server = trial->external_client != NULL ? trial->external_client->server
                                                      : lock_scheme_find(trial->scheme)->server;
        lock->server = lock->server != NULL ? server_kind_find(lock->server)->name : NULL;
        if (lock->server != NULL)
            string_list_add(&lock->traits, lock->server);
    }
    return 0;
}

// The names of an external lock's requests, as far as its proxy could tell them.
static void note_commands(const struct history *history, struct look *look)
{
    size_t counts[PHASES] = {0};
    FOR_EACH (event, event, history->events, history->count) {
        unsigned phase = event->detail >> REQUEST_PHASE;
        if (event->kind == EVENT_REQUEST && phase < PHASES && counts[phase] < MOST_REQUESTS)
            memcpy(look->commands[phase][counts[phase]++], event_command(event).text,
                   sizeof(struct event_command));
    }
}

static int conduct_looks(void *context, const struct sandbox *sandbox, const struct plan *plan,
                         char *folder)
{
    struct trying *trying = context;
    struct run_result run = {.folder = folder, .seed = plan->seed};
    struct run_options options = trying->options->run;
    options.quiet = options.keep_going = true;
    perform_plan(plan, &options, sandbox, &run);
    FOR_EACH (trial_result, result, run.trials, run.count) {
        struct look *look = &trying->looks[result->trial - plan->trials];
        const struct herd *herd = &result->statistics.herd;
        struct history history = {0};
        AUTO_FREE char *path = path_join(result->folder, "history.bin");
        look->was_granted = result->has_history && result->statistics.holds > 0;
        look->verdict = result->judgement.verdict;
        snprintf(look->reason, sizeof look->reason, "%s", result->judgement.reason);
        look->requests_are_known = herd->is_known;
        look->requests[PHASE_ACQUIRE] = herd->is_known ? (size_t)herd->acquire_requests : 0;
        look->requests[PHASE_RELEASE] = herd->is_known ? (size_t)herd->release_requests : 0;
        if (look->was_granted && history_load(path, &history, &(struct error){0}) == 0)
            note_commands(&history, look);
        history_free(&history);
    }
    performed_free(&run);
    return EXIT_AS_EXPECTED;
}

// --- the second run ------------------------------------------------------------------------------

static size_t most_requests(const struct trying *trying, enum phase phase)
{
    size_t most = 0;
    for (size_t i = 0; i < trying->names.count; i++) {
        size_t count = trying->looks[i].requests[phase];
        most = count > most ? count : most;
    }
    return most < MOST_REQUESTS ? most : MOST_REQUESTS;
}

// "set"; "get-2" of a command that comes again; "request-2" if it has no name, or not one of all
// locks.
static void add_request(const struct trying *trying, enum phase phase, size_t nth, struct text *out)
{
    const struct look *look = &trying->looks[0];
    const char *command = look->commands[phase][nth - 1];
    size_t earlier = 0, all = 0;
    if (trying->names.count > 1 || command[0] == '\0') {
        text_add(out, "request");
        if (most_requests(trying, phase) > 1)
            text_format(out, "-%zu", nth);
        return;
    }
    for (size_t i = 0; i < MOST_REQUESTS; i++) {
        bool is_same = strcmp(look->commands[phase][i], command) == 0;
        earlier += is_same && i + 1 < nth;
        all += is_same;
    }
    for (; *command != '\0'; command++)
        text_format(out, "%c", isalnum((unsigned char)*command) ? tolower(*command) : '-');
    if (all > 1)
        text_format(out, "-%zu", earlier + 1);
}

// The first scheme of the catalogue on servers of the kind that keeps what it promises, with the
// trait that locks of its own workload have; NULL: none.
static const char *sound_scheme(const char *server, const char *own)
{
    for (size_t i = 0; server != NULL && lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        if (scheme->server != NULL && strcmp(scheme->server, server) == 0 &&
            (own != NULL
                 ? lock_scheme_has(scheme, own)
                 : scheme->own_store == NULL && lock_scheme_has(scheme, "exclusive") &&
                       lock_scheme_has(scheme, "owner-checked") &&
                       (lock_scheme_has(scheme, "lease") || lock_scheme_has(scheme, "session"))))
            return scheme->name;
    }
    return NULL;
}

// Adds it with a fault at the nth request of the phase, if it is for each of them.
static int add_template(const struct trying *trying, const struct template *template,
                        enum phase phase, size_t nth, const char *beside,
                        const struct vocabulary *vocabulary, struct scenario_set *set,
                        struct error *error)
{
    static const char place[] = "<request>", number[] = "<nth>";
    const char *at = strstr(template->name, place);
    AUTO_TEXT struct text name = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_TEXT struct text expect = {0};
    text_format(&name, "%.*s", (int)(at != NULL ? at - template->name : 64), template->name);
    if (at != NULL) {
        add_request(trying, phase, nth, &name);
        text_add(&name, at + strlen(place));
    }
    if (trying->options->only != NULL && !text_matches(name.bytes, trying->options->only))
        return 0;
    const char *end = template->text + template->length;
    for (const char *next = template->text; next < end;) {
        at = strstr(next, number);
        at = at != NULL && at < end ? at : end;
        text_add_bytes(&text, next, (size_t)(at - next));
        if (at < end)
            text_format(&text, "%zu", nth);
        next = at < end ? at + strlen(number) : end;
    }
    for (size_t i = 0; i < trying->names.count; i++) {
        const struct tried_lock *lock = &trying->locks[i];
        if (!has_any(lock, template->promised[0] != '\0' ? template->promised : "!nobody") ||
            (template->needs[0] != '\0' && !has_any(lock, template->needs)))
            continue;
        text_format(&expect, "%s  - {schemes: %s, verdict: safe",
                    expect.length == 0 ? "expect:\n" : "", trying->names.items[i]);
        for (size_t j = 0; j < 2; j++) {
            if (has_any(lock, template->admits[j].who))
                text_format(&expect, ", allow: [%s]", template->admits[j].what);
        }
        text_add(&expect, "}\n");
    }
    return add_scenario(trying, name.bytes, text.bytes, text.length, beside, text_string(&expect),
                        vocabulary, set, error);
}

static int load_trials(void *context, const struct vocabulary *vocabulary, struct scenario_set *set,
                       struct error *error)
{
    const struct trying *trying = context;
    AUTO_TEXT struct text beside = {0};
    AUTO_TEXT struct text names = {0};
    AUTO_LIST struct string_list sound = {0};
    struct template template;
    int result = 0;
    for (size_t i = 0; i < trying->names.count; i++) {
        const char *scheme = sound_scheme(trying->locks[i].server, trying->own);
        if (scheme == NULL || string_list_has(&trying->names, scheme) ||
            string_list_has(&sound, scheme))
            continue;
        string_list_add(&sound, scheme);
        text_format(&beside, ", %s", scheme);
    }
    for (const char *at = template_try_scenarios; result == 0 && take_template(&at, &template);) {
        if (template.looks)
            continue;
        enum phase phase =
            strcmp(template.each, phase_name(PHASE_RELEASE)) == 0 ? PHASE_RELEASE : PHASE_ACQUIRE;
        size_t count = template.each[0] != '\0' ? most_requests(trying, phase) : 1;
        bool is_for_any =
            trying->own != NULL ? is_same(template.needs, trying->own) : template.needs[0] == '\0';
        for (size_t i = 0; trying->own == NULL && i < trying->names.count; i++)
            is_for_any |= has_any(&trying->locks[i], template.needs);
        if (is_for_any && count > 0)
            text_add_item(&names, template.name);
        for (size_t nth = 1; is_for_any && nth <= count && result == 0; nth++)
            result = add_template(trying, &template, phase, nth, text_string(&beside), vocabulary,
                                  set, error);
    }
    return result == 0 && set->count == 0
               ? error_set(error, "--only %s: no scenario for this lock is called so; there are %s",
                           trying->options->only, text_string(&names))
               : result;
}

static int conduct(void *context, const struct sandbox *sandbox, const struct plan *plan,
                   char *folder)
{
    return verb_conducts(&((struct trying *)context)->options->run, sandbox, plan, folder);
}

// --- what is said --------------------------------------------------------------------------------

// "my-lock sends SET to acquire, and GET, DEL to release"
static void tell_requests(const struct trying *trying, size_t index)
{
    static const char *const before[PHASES] = {"", ", and "};
    const struct look *look = &trying->looks[index];
    if (!look->requests_are_known) {
        fprintf(stderr, "which requests %s sends is not known: faults strike around them only\n",
                trying->names.items[index]);
        return;
    }
    fprintf(stderr, "%s sends ", trying->names.items[index]);
    for (enum phase phase = 0; phase < PHASES; phase++) {
        size_t count = look->requests[phase];
        fputs(before[phase], stderr);
        for (size_t i = 0; i < count && i < MOST_REQUESTS && look->commands[phase][0][0] != '\0';
             i++)
            fprintf(stderr, "%s%s", i > 0 ? ", " : "", look->commands[phase][i]);
        if (look->commands[phase][0][0] == '\0' || count > MOST_REQUESTS)
            fprintf(stderr, "%s%zu request%s", count > MOST_REQUESTS ? ", ... " : "", count,
                    count == 1 ? "" : "s");
        fprintf(stderr, " to %s", phase_name(phase));
    }
    fputc('\n', stderr);
}

// How the first run ended, of which these are the files: EXIT_AS_EXPECTED if some lock was granted.
static int tell_looks(const struct trying *trying, const char *folder)
{
    const struct run_options *options = &trying->options->run;
    int code = EXIT_INCONCLUSIVE;
    size_t granted = 0;
    for (size_t i = 0; i < trying->names.count; i++) {
        const struct look *look = &trying->looks[i];
        granted += look->was_granted;
        if (look->was_granted && !options->quiet && !options->json && !options->tap)
            tell_requests(trying, i);
        if (look->was_granted)
            continue;
        verb_fails(&try_verb, 0, "%s was not granted once, with nobody else there: %s: %s",
                   trying->names.items[i], verdict_name(look->verdict), look->reason);
        if (look->verdict == VERDICT_ERROR || look->verdict == VERDICT_SKIPPED)
            code = EXIT_ENVIRONMENT;
    }
    if (granted > 0)
        return EXIT_AS_EXPECTED;
    fprintf(stderr, "files: %s/trials\n", folder);
    return code;
}

// The search that finds more, of the locks that it can be made of.
static void hand_on(const struct trying *trying)
{
    const struct try_options *options = trying->options;
    AUTO_TEXT struct text locks = {0};
    bool any_program = false;
    for (size_t i = 0; i < options->run.path_count; i++) {
        const char *lock = options->run.paths[i];
        const struct lock_scheme *scheme = lock_scheme_find(lock);
        const char *server = scheme != NULL ? scheme->server : options->servers;
        const struct server_kind *kind = server != NULL ? server_kind_find(server) : NULL;
        const struct server_exploration *how = kind != NULL ? kind->exploration : NULL;
        if (how == NULL || (scheme == NULL && (how->only_ours || how->is_blocked != NULL)) ||
            text_matches(lock, "*.y*ml"))
            continue;
        any_program |= scheme == NULL;
        text_add(&locks, " ");
        text_add_shell_word(&locks, lock);
    }
    if (locks.length == 0 || options->run.json || options->run.tap)
        return;
    if (any_program) {
        text_add(&locks, " --servers ");
        text_add_shell_word(&locks, options->servers);
        text_add(&locks, " --traits ");
        text_add_shell_word(&locks, options->traits != NULL ? options->traits : PROGRAM_TRAITS);
    }
    printf("every order of its steps, with the shortest that breaks it: lockpick explore%s\n",
           locks.bytes);
}

// --- the verb ------------------------------------------------------------------------------------

static int look(struct trying *trying, const struct words *words)
{
    static const struct scenario_run how = {
        .load = load_looks, .plan = plan_looks, .conduct = conduct_looks};
    char folder[] = "/tmp/lockpick-try-XXXXXX";
    struct error error = {0};
    if (mkdtemp(folder) == NULL)
        return verb_fails(&try_verb, EXIT_ENVIRONMENT, "cannot make a folder in /tmp: %s",
                          strerror(errno));
    struct run_options options = {.out = folder,
                                  .seed = trying->options->run.seed,
                                  .jobs = trying->options->run.jobs,
                                  .no_namespaces = trying->options->run.no_namespaces};
    int code = verb_runs_scenarios(&try_verb, words, &options, &how, trying);
    if (code == EXIT_AS_EXPECTED)
        code = tell_looks(trying, folder);
    if (code != EXIT_ENVIRONMENT && code != EXIT_INCONCLUSIVE && folder_remove(folder, &error) != 0)
        verb_fails(&try_verb, 0, "%s", error.text);
    return code;
}

static int run(const struct words *words, void *from)
{
    static const struct scenario_run how = {.load = load_trials, .conduct = conduct};
    struct trying trying = {.options = from,
                            .looks = memory_shared(MOST_TRIED * sizeof *trying.looks)};
    struct run_options *options = &trying.options->run;
    if (words->count == 0)
        return usage_error(&try_verb, "which lock? Give a program, a scheme, or a scenario's file");
    options->paths = words->items;
    options->path_count = words->count;
    options->keep_going = true;
    options->tried = &trying.names;
    int code = look(&trying, words);
    if (code == EXIT_AS_EXPECTED) {
        code = verb_runs_scenarios(&try_verb, words, options, &how, &trying);
        if (code != EXIT_USAGE)
            hand_on(&trying);
    }
    for (size_t i = 0; i < trying.names.count; i++)
        string_list_free(&trying.locks[i].traits);
    string_list_free(&trying.names);
    text_free(&trying.schemes);
    free(trying.servers);
    munmap(trying.looks, MOST_TRIED * sizeof *trying.looks);
    return code;
}

extern const char template_help_try[];
const struct verb try_verb = {
    .name = "try",
    .arguments = "LOCK... [options]",
    .summary = "Tries a lock of yours under every fault, beside a sound one",
    .help = template_help_try,
    .options = try_options,
    .room = sizeof(struct try_options),
    .run = run,
};
