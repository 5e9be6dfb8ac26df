// What must agree between keys: combinations that cannot be run, or could never come true.
#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/base/url.h"
#include "harness/scenario/keys.h"
#include "harness/scenario/moves.h"
#include "harness/scenario/units.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Workers with a connection for each key: a Redis server takes 10,000 clients.
#define MAX_CONNECTIONS 10000
// Workers of programs, whose connections are their own affair: of each key a worker keeps 2.5 KB.
#define MAX_WORKERS 20000
#define MAX_KEPT 400000

// --- where something is said ---------------------------------------------------------------------

// The mapping that has the path's last word as a key, NULL if the file does not say it.
static struct node *map_of(const struct rules *rules, const char *path, const char **key)
{
    const char *dot = strchr(path, '.');
    char section[16];
    *key = dot != NULL ? dot + 1 : path;
    snprintf(section, sizeof section, "%.*s", (int)strcspn(path, "."), path);
    return dot != NULL ? node_child(rules->root, section) : rules->root;
}

struct node *said(const struct rules *rules, const char *path)
{
    const char *key;
    const struct node *map = map_of(rules, path, &key);
    return node_child(map, key);
}

bool knows(const struct rules *rules, const char *path)
{
    const char *key;
    const struct node *map = map_of(rules, path, &key);
    return map == NULL || (map->kind == NODE_MAP && node_fine(node_child(map, key)));
}

static struct node *told(const struct rules *rules, const char *path)
{
    struct node *node = said(rules, path);
    return node_fine(node) ? node : NULL;
}

void check_who(const struct rules *rules, struct node *node, int client, int worker)
{
    const struct clients_settings *clients = &rules->scenario->clients;
    if (knows(rules, "clients.processes") && client > clients->processes)
        refuse(node, "there is no client-%d: clients.processes is %lld", client,
               (long long)clients->processes);
    if (knows(rules, "clients.threads") && worker > clients->threads)
        refuse(node, "there is no worker-%d: clients.threads is %lld", worker,
               (long long)clients->threads);
}

// "lock.retry of 3s is longer than lock.wait of 1s"; `why` follows.
static void refuse_times(struct node *node, const char *what, int64_t longer_ns, const char *other,
                         int64_t shorter_ns, const char *why)
{
    AUTO_TEXT struct text times = {0};
    text_format(&times, "%s of ", what);
    duration_write(longer_ns, &times);
    text_format(&times, " is longer than %s of ", other);
    duration_write(shorter_ns, &times);
    refuse(node, "%s%s", times.bytes, why);
}

// --- workload ------------------------------------------------------------------------------------

// How the workload's kind is written down; NULL: it is not known.
static const struct workload_form *workload_form(const struct rules *rules)
{
    int kind = text_index(rules->scenario->workload.kind, rules->vocabulary->workloads);
    return kind < 0 ? NULL : &rules->vocabulary->workload_forms[kind];
}

static void must_be(const struct node *workload, const struct key_rule *rule)
{
    for (; rule != NULL && rule->key != NULL; rule++) {
        if (!node_has(workload, rule->key))
            refuse_missing(workload, "missing key '%s' in workload: %s", rule->key, rule->why);
    }
}

static void must_not_be(const struct node *workload, const struct key_rule *rule)
{
    for (; rule != NULL && rule->key != NULL; rule++)
        refuse_key(node_child(workload, rule->key), "'%s' has no meaning here: %s", rule->key,
                   rule->why);
}

// Each kind has its own measure of how much is done.
static void check_amount_of_work(const struct rules *rules, const struct workload_form *form)
{
    static const struct key_rule operations[] = {
        {"operations", "how much is to be done (or 'for': how long)"}, {NULL, NULL}};
    const struct scenario *scenario = rules->scenario;
    const struct node *workload = node_child(rules->root, "workload");
    struct node *load = node_child(rules->root, "load");
    struct node *by_time = said(rules, "workload.for");
    struct node *limit = said(rules, "limit");
    int64_t for_ns = scenario->workload.for_ns;
    // Also if what the phases say is wrong, which they are told.
    bool load_says_how_long = load != NULL && (for_ns > 0 || !node_fine(load));
    must_be(workload, form->needs);
    if (!form->ends_with_its_work && by_time == NULL && !node_has(workload, "for") &&
        !load_says_how_long)
        must_be(workload, operations);
    else if (!form->ends_with_its_work && by_time != NULL &&
             said(rules, "workload.operations") != NULL)
        refuse_key(by_time, "'for' besides 'operations': a trial ends by one of them");
    if ((by_time != NULL || load != NULL) && knows(rules, "workload.for") && node_fine(load) &&
        knows(rules, "limit") && for_ns > scenario->limit_ns)
        refuse_times(limit != NULL  ? limit
                     : load != NULL ? load
                                    : by_time,
                     load != NULL ? "load" : "workload.for", for_ns, "the limit",
                     scenario->limit_ns, "");
}

// True if all its schemes are programs that it brings along.
static bool has_but_programs(const struct scenario *scenario)
{
    return scenario->exec_count > 0 && scenario->schemes.count == scenario->exec_count;
}

// Locks beside each other: operations choose between them.
static void check_keys(const struct rules *rules)
{
    const struct scenario *scenario = rules->scenario;
    const struct workload_settings *workload = &scenario->workload;
    struct node *keys = told(rules, "workload.keys");
    struct node *skew = said(rules, "workload.skew");
    int64_t workers = scenario->clients.processes * scenario->clients.threads;
    int64_t count = scenario_key_count(scenario);
    if (skew != NULL && knows(rules, "workload.keys") && workload->skew > 0 && workload->keys <= 1)
        refuse_key(skew, "'skew' says how unlike 'keys' are taken: it needs 2 or more");
    if (keys == NULL || !knows(rules, "clients.processes") || !knows(rules, "clients.threads"))
        return;
    if (workload->keys == KEYS_OWN && workers > MOST_KEYS)
        refuse(keys, "'keys' of %lld workers' own: at most %d can be", (long long)workers,
               MOST_KEYS);
    int most = has_but_programs(scenario) ? MAX_KEPT : MAX_CONNECTIONS;
    if (workload->keys > 1 && workers * count > most)
        refuse(keys, "%lld workers with a connection for each of %lld keys; at most %d can be",
               (long long)workers, (long long)count, most);
}

static void check_workload(const struct rules *rules)
{
    const struct workload_settings *workload = &rules->scenario->workload;
    const struct vocabulary *vocabulary = rules->vocabulary;
    const struct workload_form *form = workload_form(rules);
    const struct node *map = node_child(rules->root, "workload");
    struct node *boundary = told(rules, "workload.boundary");
    if (map == NULL || map->kind != NODE_MAP || form == NULL)
        return;
    check_amount_of_work(rules, form);
    check_keys(rules);
    bool has_transaction = boundary != NULL && workload->boundary != BOUNDARY_NONE &&
                           workload->store != NULL && knows(rules, "workload.store");
    if (has_transaction && !text_is_one_of(workload->store, vocabulary->transactional) &&
        strcmp(workload->store, "same") != 0)
        refuse_key(boundary,
                   "'boundary' has no meaning here: the store %s knows no transactions; "
                   "store: %s does",
                   workload->store, vocabulary->transactional[0]);
    else if (has_transaction && workload->fenced)
        refuse_key(boundary,
                   "'boundary' besides 'fenced': a fenced store checks each step by itself");
    for (size_t i = 0; vocabulary->workloads[i] != NULL; i++) {
        if (form->own != vocabulary->workload_forms[i].own)
            must_not_be(map, vocabulary->workload_forms[i].own);
    }
    must_not_be(map, form->refuses);
}

// --- load ----------------------------------------------------------------------------------------

// What is done in a warm-up would be missing from a certain amount of work.
static void check_warm_up(const struct rules *rules, struct node *node)
{
    if (node_fine(node) && rules->scenario->workload.for_ns == 0 && knows(rules, "workload.for") &&
        node_has(node_child(rules->root, "workload"), "kind"))
        refuse_key(node, "'warm-up' needs a workload that runs for a time ('for'): what is done "
                         "meanwhile would be missing from the rest");
}

static void check_phase(const struct rules *rules, size_t index, struct node *item)
{
    const struct scenario *scenario = rules->scenario;
    const struct load_settings *phase = &scenario->load[index];
    struct node *clients = node_child(item, "clients");
    if (!node_has(item, "rate")) {
        refuse_key(node_child(item, "to"),
                   "'to' without 'rate': a ramp goes from one rate to another");
        refuse_key(
            node_child(item, "arrivals"),
            "'arrivals' without 'rate': in a closed loop each worker begins when it is free");
    } else if (phase->for_ns == 0 && node_fine(node_child(item, "for"))) {
        refuse_key(node_child(item, "to"), "'to' without 'for': a ramp lasts for a time");
    }
    if (clients != NULL && !clients->bad && knows(rules, "clients.processes") &&
        phase->clients > scenario->clients.processes)
        refuse(clients, "%lld clients cannot take part: clients.processes is %lld",
               (long long)phase->clients, (long long)scenario->clients.processes);
    if (index + 1 < scenario->load_count && item->kind == NODE_MAP && !node_has(item, "for"))
        refuse_missing(item, "missing key 'for' in load: only the last phase may go on until the "
                             "work is done");
    if (phase->warm_up)
        check_warm_up(rules, node_child(item, "warm-up"));
}

// A rate is looked for in trials that measure nothing else.
static void check_find(const struct load_settings *phase, struct node *find, size_t measured)
{
    const struct percentiles *target = &phase->find;
    int limits = 0;
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        limits += target->ns[i] > 0;
    if (limits != 1)
        refuse_key(find, "'find' needs one limit, such as {p99: < 50ms}");
    else if (phase->rate == 0 || phase->to != 0 || phase->for_ns == 0)
        refuse_key(find, "'find' needs a 'rate' to begin with, no ramp, and a time ('for')");
    else if (measured > 1 || phase->warm_up)
        refuse_key(find, "'find' must be in the only phase that is no warm-up");
}

// What the phases say together, and beside them the rest of the file. All of it was read.
static void check_phases(const struct rules *rules, struct node *load)
{
    const struct scenario *scenario = rules->scenario;
    const struct workload_form *form = workload_form(rules);
    const struct load_settings *last = &scenario->load[scenario->load_count - 1];
    struct node *last_node = item_node(load, scenario->load_count - 1);
    struct node *by_time = said(rules, "workload.for");
    struct node *work = said(rules, "workload.operations");
    double operations = 0;
    size_t measured = 0;
    size_t open = 0;
    for (size_t i = 0; i < scenario->load_count; i++) {
        operations += load_operations(&scenario->load[i]);
        measured += !scenario->load[i].warm_up;
        open += scenario->load[i].rate > 0;
    }
    if (measured == 0)
        refuse_key(load, "every phase of 'load' is a warm-up: nothing would be measured");
    if (operations > MOST_OPERATIONS)
        refuse_key(load,
                   "'load' asks for %.0f operations; at most %d can be: a lower rate, or a "
                   "shorter time",
                   operations, MOST_OPERATIONS);
    // How many operations are left for the last phase must be known before, to draw when they
    // begin; in a closed loop before it nobody knows how many are done.
    if (open < scenario->load_count && last->for_ns == 0 && last->rate > 0)
        refuse_key(node_child(last_node, "rate"),
                   "'rate' without 'for' after a phase without 'rate': how many operations that "
                   "one leaves is not known");
    for (size_t i = 0; i < scenario->load_count; i++) {
        struct node *find = node_child(item_node(load, i), "find");
        if (find != NULL)
            check_find(&scenario->load[i], find, measured);
    }
    if (open == scenario->load_count)
        refuse_key(said(rules, "workload.think"),
                   "'think' besides 'load' with a 'rate': that says when operations begin");
    if (by_time != NULL && (scenario->load_count > 1 || node_has(item_node(load, 0), "for")))
        refuse_key(by_time, "'for' besides 'load', whose phases say how long they last");
    else if (work != NULL && scenario->workload.for_ns > 0)
        refuse_key(work,
                   "'operations' besides 'load', whose phases all end by time; without 'for' the "
                   "last one goes on until they are done");
    if (form != NULL && form->ends_with_its_work && scenario->workload.for_ns > 0)
        refuse_key(node_child(last_node, "for"),
                   "'for' has no meaning in the last phase here: %s ends when all have come",
                   scenario->workload.kind);
}

static void check_load(const struct rules *rules)
{
    const struct scenario *scenario = rules->scenario;
    struct node *load = node_child(rules->root, "load");
    struct node *lead = said(rules, "clients.start-first");
    if (lead != NULL && (load != NULL || scenario->workload.warm_up_ns > 0))
        refuse_key(lead, "'start-first' besides '%s': a phase begins for all at once",
                   load != NULL ? "load" : "warm-up");
    if (scenario->workload.warm_up_ns > 0)
        check_warm_up(rules, said(rules, "workload.warm-up"));
    for (size_t i = 0; load != NULL && i < scenario->load_count; i++)
        check_phase(rules, i, item_node(load, i));
    if (load != NULL && scenario->load_count > 0 && node_fine(load))
        check_phases(rules, load);
}

// --- servers -------------------------------------------------------------------------------------

const struct server_settings *scenario_server(const struct scenario *scenario, const char *kind)
{
    static const struct server_settings usual = {.kind = ""};
    for (const struct server_settings *each = scenario->servers; each->kind != NULL; each++) {
        if (strcmp(each->kind, kind) == 0)
            return each;
    }
    return &usual;
}

static void check_topology(const struct rules *rules, struct node *map, const char *kind,
                           const struct server_settings *settings)
{
    struct node *node = node_child(map, "topology");
    struct node *nodes = node_child(map, "nodes");
    const struct topology_form *topology = NULL;
    AUTO_LIST struct string_list names = {0};
    if (node != NULL && (node->bad || settings->topology == NULL))
        return;
    for (const struct topology_form *each = rules->vocabulary->topologies;
         node != NULL && each->name != NULL; each++) {
        if (strcmp(each->server, kind) != 0)
            continue;
        string_list_add(&names, each->name);
        if (strcmp(each->name, settings->topology) == 0)
            topology = each;
    }
    if (node != NULL && topology == NULL) {
        AUTO_TEXT struct text advice = {0};
        words_advise(node->text, (const char *const *)names.items, &advice);
        refuse(node, "%s has no topology '%s' (%s)", kind, quote(node->text), text_string(&advice));
    }
    if (nodes == NULL || nodes->bad)
        return;
    if (node == NULL)
        refuse_key(nodes, "'nodes' without 'topology': say which one is to have that many");
    else if (topology != NULL &&
             (settings->nodes < topology->least || settings->nodes > topology->most))
        refuse(nodes, "%s of %s has from %d to %d nodes, not %lld", topology->name, kind,
               topology->least, topology->most, (long long)settings->nodes);
}

int external_read(const char *kind, const struct server_form *form,
                  const struct server_settings *settings, struct url *url, bool *is_by_tls,
                  struct error *error)
{
    const struct tls_settings *tls = &settings->tls;
    if (url_read(settings->external, url, error) != 0)
        return error_wrap(error, "'external' must be a URL such as %s://host:port", kind);
    bool has_tls_scheme = form->tls_scheme != NULL && strcmp(url->scheme, form->tls_scheme) == 0;
    *is_by_tls = has_tls_scheme || tls->ca != NULL;
    if (strcmp(url->scheme, kind) != 0 && !has_tls_scheme)
        return error_set(error, "'external' of %s must begin with %s://%s%s%s, not %s://", kind,
                         kind, form->tls_scheme != NULL ? " (by TLS: " : "",
                         form->tls_scheme != NULL ? form->tls_scheme : "",
                         form->tls_scheme != NULL ? "://)" : "", url->scheme);
    if (*is_by_tls && form->why_no_tls != NULL)
        return error_set(error, "%s is not spoken to by TLS: %s", kind, form->why_no_tls);
    if (tls->server_name != NULL && form->why_no_server_name != NULL)
        return error_set(error, "'server-name' would be ignored: %s", form->why_no_server_name);
    if ((tls->certificate == NULL) != (tls->key == NULL))
        return error_set(error, "'tls' of %s needs both 'certificate' and 'key', or neither", kind);
    if (tls->ca == NULL && (tls->server_name != NULL || tls->key != NULL))
        return error_set(error, "'tls' of %s needs 'ca': a file, or system", kind);
    bool has_user = url->user[0] != '\0';
    bool has_password = settings->password != NULL;
    if (form->login == LOGIN_NONE && (has_user || has_password))
        return error_set(error, "%s here knows no users and no passwords: leave the %s out", kind,
                         has_user ? "user" : "password");
    if (has_user && !has_password && form->login > LOGIN_ANY)
        return error_set(error,
                         "%s does not hear of a user without a password: say where that is "
                         "('password': env:NAME or file:PATH), or leave the user out",
                         kind);
    if (has_password && !has_user && form->login == LOGIN_BY_BOTH)
        return error_set(error, "a password for %s needs a user: %s://USER@...", kind, kind);
    return url->path[0] == '\0' || form->has_databases
               ? 0
               : error_set(error, "%s has no databases: leave '/%s' out", kind, url->path);
}

void check_program(struct node *node, const char *program)
{
    struct stat about;
    if (!node_fine(node) || program == NULL || strchr(program, '/') == NULL)
        return;
    errno = 0;
    if (program[0] != '/')
        refuse(node, "'%s' must be the name of a program in PATH, or its full path, not '%s'",
               node->key, quote(program));
    else if (stat(program, &about) != 0 || !S_ISREG(about.st_mode) || access(program, X_OK) != 0)
        refuse(node, "'%s': %s cannot be executed: %s", node->key, quote(program),
               errno != 0 ? strerror(errno) : "it is no file");
}

static void check_placeholder(struct node *node, const char *text)
{
    char word[40];
    AUTO_TEXT struct text advice = {0};
    if (node == NULL || !node_fine(node) || !custom_finds_unknown(text, word, sizeof word))
        return;
    words_advise(word, custom_placeholders, &advice);
    refuse(node, "nothing is known of {%s} (%s)", word, text_string(&advice));
}

static void check_placeholders(struct node *list, const struct string_list *texts)
{
    for (size_t i = 0; list != NULL && node_fine(list) && i < texts->count; i++)
        check_placeholder(item_node(list, i), texts->items[i]);
}

static void check_custom_server(struct node *map, const char *kind,
                                const struct custom_settings *custom)
{
    struct node *command = node_child(map, "command");
    struct node *external = node_child(map, "external");
    struct node *env = node_child(map, "env");
    struct node *ready = node_child(map, "ready");
    if (command == NULL && external == NULL)
        refuse_missing(map, "missing key 'command' in servers.%s: it starts the server", kind);
    if (command != NULL && external != NULL)
        refuse_key(command, "'command' besides 'external': Lockpick does not start that server");
    refuse_key(node_child(map, "binary"), "'binary' besides 'command': the program is said there");
    for (size_t i = 0; node_fine(env) && i < custom->environment.count; i++) {
        if (strchr(custom->environment.items[i], '=') == NULL)
            refuse(item_node(env, i), "a variable must be NAME=value");
    }
    if (ready != NULL && (custom->server.ready_log != NULL) + (custom->server.ready_path != NULL) +
                                 (custom->ready_command.count > 0) >
                             1)
        refuse(ready, "'ready' is one of log, http and command, not several");
    check_placeholders(command, &custom->command);
    check_placeholders(env, &custom->environment);
    check_placeholders(node_child(map, "leads"), &custom->leads);
    check_placeholder(node_child(map, "peer"), custom->server.peer);
    check_placeholders(node_child(ready, "command"), &custom->ready_command);
    check_placeholder(node_child(ready, "http"), custom->server.ready_path);
}

// `key` of a kind of servers, if it is there, says where a password is.
static void check_password(const struct node *map, const char *key, const char *where)
{
    struct node *password = node_child(map, key);
    if (!node_fine(password))
        return;
    if (node_child(map, "external") == NULL)
        refuse_key(password,
                   "'%s' without 'external': servers that Lockpick boots let everybody in", key);
    else if (where != NULL && !password_is_named(where))
        refuse(password,
               "'%s' must say where it is, env:NAME or file:PATH: itself it would be kept in the "
               "run's folder",
               key);
}

static void check_servers(const struct rules *rules)
{
    const struct node *servers = node_child(rules->root, "servers");
    const char *const *kinds = rules->vocabulary->none_and_servers + 1;
    for (size_t i = 0; kinds[i] != NULL; i++) {
        const struct server_settings *settings = scenario_server(rules->scenario, kinds[i]);
        const struct server_form *form = &rules->vocabulary->server_forms[i];
        struct node *map = node_child(servers, kinds[i]);
        if (map == NULL || map->kind != NODE_MAP)
            continue;
        check_topology(rules, map, kinds[i], settings);
        struct node *external = node_child(map, "external");
        if (external != NULL && !external->bad && settings->external != NULL) {
            struct url url;
            bool is_by_tls;
            struct error error;
            if (external_read(kinds[i], form, settings, &url, &is_by_tls, &error) != 0)
                refuse(external, "%s", error.text);
            refuse_key(node_child(map, "nodes"),
                       "'nodes' besides 'external': its URL says how many there are");
            refuse_key(node_child(map, "persistence"),
                       "'persistence' besides 'external': Lockpick does not start that server");
            refuse_key(node_child(map, "binary"),
                       "'binary' besides 'external': Lockpick does not start that server");
            refuse_key(node_child(map, "hosts"),
                       "'hosts' besides 'external': Lockpick does not start that server");
        }
        check_launch(map, "servers");
        if (form->why_not_remote != NULL)
            refuse_key(node_child(map, "hosts"), "'hosts' of %s: %s", kinds[i],
                       form->why_not_remote);
        if (settings->hosts.count == 0)
            check_program(node_child(map, "binary"), settings->binary);
        if (form->is_custom)
            check_custom_server(map, kinds[i], &settings->custom);
        for (size_t j = 0; j < server_section.key_count && !form->is_custom; j++) {
            const struct key *key = &server_section.keys[j];
            if (key->offset >= offsetof(struct server_settings, custom))
                refuse_key(
                    node_child(map, key->name),
                    "'%s' is for a server of one's own (servers.custom): how %s is started is "
                    "known",
                    key->name, kinds[i]);
        }
        if (external == NULL)
            refuse_key(node_child(map, "tls"), "'tls' without 'external': servers that Lockpick "
                                               "boots are spoken to in plain");
        check_password(map, "password", settings->password);
        check_password(map, "sentinel-password", settings->sentinel_password);
        if (external != NULL &&
            (settings->topology == NULL || strcmp(settings->topology, "sentinel") != 0))
            refuse_key(node_child(map, "sentinel-password"),
                       "'sentinel-password' without 'topology: sentinel': there are no sentinels");
        if (form->durability[PERSISTENCE_AOF_EVERYSEC] == NULL)
            refuse_key(node_child(map, "persistence"), "'persistence' cannot be chosen here (%s)",
                       form->durability[PERSISTENCE_NONE]);
    }
}

// --- clients and lock ----------------------------------------------------------------------------

static void check_clients(const struct rules *rules)
{
    const struct clients_settings *clients = &rules->scenario->clients;
    struct node *lead = told(rules, "clients.start-first");
    struct node *node = said(rules, "clients.threads");
    if (node == NULL)
        node = said(rules, "clients.processes");
    int most = has_but_programs(rules->scenario) ? MAX_WORKERS : MAX_CONNECTIONS;
    if (node != NULL && knows(rules, "clients.threads") && knows(rules, "clients.processes") &&
        clients->processes * clients->threads > most)
        refuse(node, "%lld processes of %lld threads are %lld workers; at most %d can be",
               (long long)clients->processes, (long long)clients->threads,
               (long long)(clients->processes * clients->threads), most);
    if (lead != NULL)
        check_who(rules, lead, clients->start_first.client, 0);
}

static void check_lock(const struct rules *rules)
{
    const struct lock_settings *lock = &rules->scenario->lock;
    struct node *lease = told(rules, "lock.lease");
    struct node *node = said(rules, "lock.retry");
    if (node == NULL)
        node = said(rules, "lock.wait");
    if (node != NULL && knows(rules, "lock.retry") && knows(rules, "lock.wait") &&
        lock->retry_ns > lock->wait_ns)
        refuse_times(node, "lock.retry", lock->retry_ns, "lock.wait", lock->wait_ns,
                     ": there would be no second attempt");
    // Servers count leases in milliseconds: one that they cut would end before its holder believes.
    if (lease != NULL && lock->lease_ns % NS_PER_MS != 0)
        refuse(lease, "'lease' must be a whole number of milliseconds: write %lldms, not %s",
               (long long)(lock->lease_ns / NS_PER_MS + 1), lease->text);
}

// --- expectations and thresholds -----------------------------------------------------------------

static void check_who_is_expected(const struct rules *rules, const struct expectation *expectation,
                                  struct node *node)
{
    const struct scenario *scenario = rules->scenario;
    const struct vocabulary *vocabulary = rules->vocabulary;
    AUTO_TEXT struct text meant = {0}; // "'none' or 'lease'"
    AUTO_TEXT struct text tried = {0};
    size_t known = 0, count = 0, first = 0;
    // Those that --set names in their place may be a few of those that a file expects something of.
    bool may_be_idle =
        said(rules, "schemes")->origin->override != NULL && node->origin->override == NULL;
    for (size_t i = 0; i < expectation->schemes.count; i++) {
        text_format(&meant, "%s'%s'", i == 0 ? "" : " or ", quote(expectation->schemes.items[i]));
    }
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++) {
        const char *scheme = vocabulary->schemes[i];
        const char *const *traits = vocabulary->scheme_forms[i].traits;
        bool is_meant = patterns_mean(&expectation->schemes, scheme, traits);
        known += is_meant;
        if (!scenario_tries(scenario, vocabulary, i))
            continue;
        text_add_item(&tried, scheme);
        if (!is_meant)
            continue;
        count++;
        // One that is about this workload only leaves the others to this expectation.
        const struct expectation *found = scenario_expectation(scenario, scheme, traits);
        first += found == expectation || found->workloads.count > 0;
    }
    if (may_be_idle && known > 0)
        return;
    if (count == 0)
        refuse(node, "%s means no scheme of this scenario (it tries %s)", text_string(&meant),
               text_string(&tried));
    else if (first == 0)
        refuse(node, "%s means only schemes that earlier expectations are about",
               text_string(&meant));
}

// Why the scenario cannot break that property, or NULL if it can.
static const char *why_never_broken(const struct rules *rules, const char *property)
{
    const char *kind = rules->scenario->workload.kind;
    int index = text_index(property, rules->vocabulary->properties);
    if (index < 0)
        return NULL;
    const struct property_form *form = &rules->vocabulary->property_forms[index];
    bool is_elsewhere = form->workloads != NULL && kind != NULL && knows(rules, "workload.kind") &&
                        !text_is_one_of(kind, form->workloads);
    if (is_elsewhere || form->needs == NULL || !knows(rules, form->needs))
        return is_elsewhere ? form->why_not : NULL;
    // Whether the number of that path is 0, or its switch off.
    char section[16];
    snprintf(section, sizeof section, "%.*s", (int)strcspn(form->needs, "."), form->needs);
    const struct key *outer = key_find(&scenario_section, section, rules->vocabulary);
    const struct key *key =
        key_find(outer->section, strchr(form->needs, '.') + 1, rules->vocabulary);
    const char *field = (const char *)rules->scenario + outer->offset + key->offset;
    bool lacks = key->type == KEY_SWITCH ? !*(const bool *)field : *(const int64_t *)field == 0;
    return lacks ? form->why_not : NULL;
}

// `because` or `allow`.
static void check_properties(const struct rules *rules, struct node *list)
{
    for (size_t i = 0; i < item_count(list); i++) {
        struct node *node = item_node(list, i);
        const char *why =
            node->kind == NODE_TEXT && !node->bad ? why_never_broken(rules, node->text) : NULL;
        if (why != NULL)
            refuse(node, "'%s' cannot be found here: %s", node->text, why);
    }
}

static void check_expectation(const struct rules *rules, const struct expectation *expectation,
                              struct node *item)
{
    const struct scenario *scenario = rules->scenario;
    struct node *verdict = node_child(item, "verdict");
    struct node *because = node_child(item, "because");
    struct node *patterns = node_child(item, "schemes");
    bool knows_verdict = verdict != NULL && !verdict->bad;
    if (knows_verdict && expectation->verdict == EXPECT_SAFE)
        refuse_key(because, "'because' with verdict safe: nothing is to be violated (see 'allow')");
    // The time of a schedule is its own.
    if (knows_verdict && expectation->verdict == EXPECT_STUCK && scenario->schedule.count == 0 &&
        knows(rules, "limit") && knows(rules, "lock.stuck-after") && knows(rules, "lock.lease") &&
        scenario->lock.stuck_after_ns >= scenario->limit_ns)
        refuse(verdict, "'stuck' cannot come out: the limit is over before lock.stuck-after");
    check_properties(rules, because);
    check_properties(rules, node_child(item, "allow"));
    if (knows(rules, "schemes") && scenario->schemes.count > 0 && patterns != NULL &&
        node_fine(patterns) && expectation_counts(scenario, expectation))
        check_who_is_expected(rules, expectation, patterns);
}

static void check_threshold(const struct rules *rules, const struct threshold *threshold,
                            struct node *item)
{
    const struct scenario *scenario = rules->scenario;
    const struct vocabulary *vocabulary = rules->vocabulary;
    enum metric metric = threshold->limit.metric;
    struct node *limit = node_child(item, "limit");
    struct node *schemes = node_child(item, "schemes");
    const char *why = NULL;
    bool has_rate = false;
    for (size_t i = 0; i < scenario->load_count; i++)
        has_rate |= scenario->load[i].rate > 0;
    if (metric == METRIC_ACQUIRE_UNCORRECTED && knows(rules, "load") && !has_rate)
        why = "only a load with a rate has one beside the corrected: say acquire";
    else if ((metric == METRIC_RECOVERY || metric == METRIC_UNAVAILABLE ||
              metric == METRIC_LEADERLESS) &&
             !scenario_has_faults(scenario) && knows(rules, "faults") && knows(rules, "random"))
        why = "the scenario has no faults";
    if (why != NULL && limit != NULL && node_fine(limit))
        refuse(limit, "'%s' cannot be measured here: %s", threshold->limit.text, why);
    bool means_one = false;
    for (size_t i = 0; vocabulary->schemes[i] != NULL; i++) {
        const char *const *traits = vocabulary->scheme_forms[i].traits;
        means_one |= scenario_tries(scenario, vocabulary, i) &&
                     patterns_mean(&threshold->schemes, vocabulary->schemes[i], traits);
    }
    if (!means_one && knows(rules, "schemes") && scenario->schemes.count > 0 && schemes != NULL &&
        node_fine(schemes))
        refuse(schemes, "'schemes' means no scheme of this scenario");
}

// Steps are held and time stands still: nothing else may strike, and nothing may take time.
static void check_schedule(const struct rules *rules)
{
    static const char *const others[] = {"faults", "random", "load", NULL};
    const struct scenario *scenario = rules->scenario;
    struct node *schedule = node_child(rules->root, "schedule");
    size_t count = node_fine(schedule) ? scenario->schedule.count : 0;
    for (size_t i = 0; i < count; i++) {
        struct move move;
        char what[MOVE_WHAT_ROOM];
        struct error error = {0};
        struct node *item = item_node(schedule, i);
        if (move_read(scenario->schedule.items[i], &move, what, &error) != 0)
            refuse(item, "%s", error.text);
        else
            check_who(rules, item, move.client, 0);
    }
    for (size_t i = 0; scenario->schedule.count > 0 && others[i] != NULL; i++)
        refuse_key(node_child(rules->root, others[i]),
                   "'%s' besides 'schedule': its moves are all that happens", others[i]);
    const struct workload_form *form = workload_form(rules);
    if (scenario->schedule.count > 0 && knows(rules, "workload.operations") &&
        scenario->workload.operations == 0 && (form == NULL || !form->has_jobs))
        refuse_key(schedule, "'schedule' needs workload.operations: its moves take no time");
}

void validate(const struct scenario *scenario, const struct vocabulary *vocabulary,
              struct node *root)
{
    const struct rules rules = {scenario, vocabulary, root};
    check_workload(&rules);
    check_load(&rules);
    check_servers(&rules);
    check_clients(&rules);
    check_lock(&rules);
    for (size_t i = 0; i < scenario->expectation_count; i++)
        check_expectation(&rules, &scenario->expectations[i],
                          node_child(root, "expect")->children[i]);
    validate_faults(&rules);
    for (size_t i = 0; i < scenario->threshold_count; i++)
        check_threshold(&rules, &scenario->thresholds[i],
                        item_node(node_child(root, "thresholds"), i));
    check_schedule(&rules);
}
