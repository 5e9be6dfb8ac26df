// A native plug-in as a scheme: a lock that is loaded into the clients (harness/plugin/lockpick.h).
#include "harness/locks/lock.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/plugin/lockpick.h"
#include "harness/wire/peer.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "host:port", NULL-terminated.
struct address_list {
    char text[MAX_SERVERS][64];
    const char *items[MAX_SERVERS + 1];
};

// A key's, in a client.
struct plugin_client {
    void *library;
    const struct lockpick_plugin *plugin;
    struct lockpick_setup setup;
    struct address_list addresses, sentinels;
    void *state;                  // the plug-in's
    struct history_writer writer; // of losses, from whatever thread
    pthread_mutex_t mutex;        // of the writer
};

// A worker's.
struct plugin_lock {
    struct lockpick_worker worker;
    struct lock *lock;
    int depth; // how often it holds the lock
};

static struct plugin_lock *of(const struct lockpick_worker *worker)
{
    return (struct plugin_lock *)(size_t)worker; // its first member
}

// --- loading -------------------------------------------------------------------------------------

static int check(const struct lockpick_plugin *plugin, const char *path, struct error *error)
{
    if (plugin->abi != LOCKPICK_PLUGIN_ABI || plugin->size != sizeof *plugin)
        return error_set(error,
                         "%s was compiled for version %" PRIu32 " of lockpick.h (%" PRIu32
                         " bytes); this Lockpick has version %d (%zu bytes): compile it again with "
                         "harness/plugin/lockpick.h",
                         path, plugin->abi, plugin->size, LOCKPICK_PLUGIN_ABI, sizeof *plugin);
    if (plugin->acquire == NULL || plugin->release == NULL)
        return error_set(error, "%s has no acquire, or no release", path);
    return 0;
}

// dlopen looks into the system's folders for what has no '/' in its name.
static char *path_of(const struct external_client *external_client)
{
    return external_client->plugin[0] == '/'
               ? memory_string(external_client->plugin)
               : path_join(external_client->folder[0] ? external_client->folder : ".",
                           external_client->plugin);
}

static int load(struct plugin_client *own, const struct external_client *external_client,
                struct error *error)
{
    AUTO_FREE char *path = path_of(external_client);
    int result = -1;
    own->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (own->library == NULL)
        error_set(error, "cannot load the plug-in of the scheme %s: %s", external_client->name,
                  dlerror());
    else if ((own->plugin = dlsym(own->library, "lockpick_plugin")) == NULL)
        error_set(error, "%s is no plug-in: it does not export lockpick_plugin", path);
    else
        result = check(own->plugin, path, error);
    if (result != 0)
        own->plugin = NULL;
    return result;
}

static void list_addresses(const struct endpoint *servers, int count, struct address_list *list)
{
    for (int i = 0; i < count; i++) {
        snprintf(list->text[i], sizeof list->text[i], "%.47s:%d", servers[i].host, servers[i].port);
        list->items[i] = list->text[i];
    }
}

static void describe(struct plugin_client *own, const struct lock_client *client)
{
    static const struct service none;
    const struct service *service = client->service != NULL ? client->service : &none;
    const struct tls_settings *tls = service->tls;
    list_addresses(service->servers, service->server_count, &own->addresses);
    list_addresses(service->sentinels, service->sentinel_count, &own->sentinels);
    own->setup = (struct lockpick_setup){
        .client = client->number,
        .workers = client->workers,
        .lock = client->options.name,
        .kind = service->kind,
        .topology = service->topology,
        .addresses = own->addresses.items,
        .sentinels = own->sentinels.items,
        .user = service->user,
        .password = service->password,
        .database = service_database(service),
        .lease_ms = client->options.lease_ns / NS_PER_MS,
        .retry_ms = client->options.retry_ns / NS_PER_MS,
        .request_ms = client->options.request_ns / NS_PER_MS,
        .permits = lock_scheme_has_permits(client->scheme) ? (int)client->options.permits : 0,
        .jobs = lock_scheme_has(client->scheme, "job-queue") ? (int)client->keys : 0,
        .attempts = (int)client->options.attempts,
        .folder = client->folder,
        .tls_ca = tls != NULL ? tls_ca(tls) : NULL,
        .tls_certificate = tls != NULL ? tls->certificate : NULL,
        .tls_key = tls != NULL ? tls->key : NULL,
        .tls_server_name = tls != NULL ? tls->server_name : NULL,
    };
}

static int open_client(struct lock_client *client, struct error *error)
{
    struct plugin_client *own = client->state;
    char text[256] = "it does not say why";
    pthread_mutex_init(&own->mutex, NULL);
    if (client->history != NULL)
        history_writer_start(&own->writer, client->history, client->number, 0);
    if (load(own, client->scheme->external_client, error) != 0)
        return -1;
    describe(own, client);
    if (own->plugin->open_client == NULL ||
        own->plugin->open_client(&own->setup, &own->state, text, sizeof text) == 0)
        return 0;
    text[sizeof text - 1] = '\0';
    own->plugin = NULL; // it has nothing to close
    return error_set(error, "the plug-in of the scheme %s cannot open: %s", client->scheme->name,
                     text);
}

// The library stays loaded: it may have threads.
static void close_client(struct lock_client *client)
{
    struct plugin_client *own = client->state;
    if (own->plugin != NULL && own->plugin->close_client != NULL)
        own->plugin->close_client(own->state);
    pthread_mutex_destroy(&own->mutex);
}

// --- what a plug-in may call ---------------------------------------------------------------------

static int64_t now_ms(const struct lockpick_worker *worker)
{
    return clock_now_ns(&of(worker)->lock->actor->clock) / NS_PER_MS;
}

static bool must_give_up(const struct lockpick_worker *worker)
{
    return lock_must_give_up(of(worker)->lock);
}

static void lost(struct lockpick_worker *worker, enum lockpick_loss reason)
{
    struct lock *lock = of(worker)->lock;
    struct plugin_client *own = lock->client->state;
    HOLD_MUTEX(&own->mutex);
    lock_lose(lock, (enum lost_reason)reason, &own->writer);
}

// --- a worker ------------------------------------------------------------------------------------

static int open_lock(struct lock *lock, struct error *error)
{
    const struct plugin_client *own = lock->client->state;
    struct plugin_lock *state = lock->state;
    state->lock = lock;
    state->worker = (struct lockpick_worker){.setup = &own->setup,
                                             .number = lock->actor->worker,
                                             .client = own->state,
                                             .now_ms = now_ms,
                                             .must_give_up = must_give_up,
                                             .lost = lost};
    if (own->plugin->open == NULL || own->plugin->open(&state->worker) == 0)
        return 0;
    return error_set(error, "its plug-in cannot open: %.255s", state->worker.error);
}

static void close_lock(struct lock *lock)
{
    const struct plugin_client *own = lock->client->state;
    struct plugin_lock *state = lock->state;
    if (own->plugin->close != NULL)
        own->plugin->close(&state->worker);
}

// When the lease was asked for, on the machine's clock, if the acquire was called at `called_ns`.
static int64_t asked_for_ns(const struct lock *lock, const struct lockpick_grant *got,
                            int64_t called_ns)
{
    int64_t lease_ns = lock->options.lease_ns;
    if (got->request_ns > 0)
        return got->request_ns;
    if (got->valid_ms < 0)
        return called_ns;
    return clock_monotonic_ns() - lease_ns +
           time_earlier(got->valid_ms, lease_ns / NS_PER_MS) * NS_PER_MS;
}

static enum outcome outcome_of(struct lock *lock, enum lockpick_outcome outcome,
                               const struct lockpick_grant *got, int64_t called_ns)
{
    const struct plugin_lock *state = lock->state;
    if (outcome == LOCKPICK_BROKEN)
        error_set(&lock->error, "its plug-in says: %.255s", state->worker.error);
    else if ((unsigned)outcome > LOCKPICK_NO_JOB)
        error_set(&lock->error, "its plug-in answers an acquire by %d, which is no outcome",
                  (int)outcome);
    else if (outcome == LOCKPICK_OK && lock->options.fenced && got->token <= 0)
        error_set(&lock->error, "the workload is fenced, but its plug-in has given no token");
    else if (outcome == LOCKPICK_OK && got->request_ns != 0 &&
             (got->request_ns < called_ns || got->request_ns > clock_monotonic_ns()))
        error_set(&lock->error,
                  "its plug-in says a request_ns outside of the call of acquire; it is "
                  "CLOCK_MONOTONIC in nanoseconds");
    else
        return outcome == LOCKPICK_NO_JOB ? OUTCOME_NO : (enum outcome)outcome;
    return OUTCOME_BROKEN;
}

// At that depth.
static enum outcome ask(struct lock *lock, struct grant *grant, int depth)
{
    _Static_assert((int)LOCKPICK_OK == (int)OUTCOME_OK && (int)LOCKPICK_NO == (int)OUTCOME_NO &&
                       (int)LOCKPICK_UNKNOWN == (int)OUTCOME_UNKNOWN,
                   "outcomes of plug-ins are outcomes");
    const struct plugin_client *own = lock->client->state;
    struct plugin_lock *state = lock->state;
    struct lockpick_grant got = {.valid_ms = -1};
    int64_t called_ns = clock_monotonic_ns();
    state->worker.shared = lock->mode == LOCK_SHARED;
    state->worker.depth = depth;
    point(lock->actor, POINT_BEFORE, "acquire");
    lock->actor->is_uncounted = true; // what the plug-in sends, nobody sees
    enum lockpick_outcome answer = own->plugin->acquire(&state->worker, &got);
    enum outcome outcome = outcome_of(lock, answer, &got, called_ns);
    if (answer == LOCKPICK_NO_JOB)
        grant->detail = ACQUIRE_GONE;
    if (outcome == OUTCOME_OK && depth == 1)
        grant->token = lock->options.fenced ? got.token : 0;
    // To enter again renews the lease only if the plug-in says so.
    bool says_when = got.valid_ms >= 0 || got.request_ns > 0;
    if (outcome == OUTCOME_OK && (depth == 1 || says_when))
        lock_date_grant(lock, asked_for_ns(lock, &got, called_ns), says_when, grant);
    if (outcome == OUTCOME_OK)
        state->depth = depth;
    grant->job = got.job;
    point(lock->actor, POINT_AFTER, "acquire");
    return outcome;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    return ask(lock, grant, 1);
}

static enum outcome reenter(struct lock *lock, struct grant *grant)
{
    const struct plugin_lock *state = lock->state;
    lock->give_up_ns = 0;
    return ask(lock, grant, state->depth + 1);
}

static enum release_answer release(struct lock *lock)
{
    const struct plugin_client *own = lock->client->state;
    struct plugin_lock *state = lock->state;
    state->worker.depth = state->depth;
    state->worker.done = lock->is_done;
    state->depth -= state->depth > 0;
    point(lock->actor, POINT_BEFORE, "release");
    lock->actor->is_uncounted = true;
    enum lockpick_release answer = own->plugin->release(&state->worker);
    point(lock->actor, POINT_AFTER, "release");
    if (answer == LOCKPICK_RELEASED)
        return lock_removed_answer(lock);
    if (answer == LOCKPICK_NOT_OWNER)
        return RELEASE_NOT_OWNER;
    if (answer == LOCKPICK_GONE)
        return RELEASE_GONE;
    if (answer != LOCKPICK_RELEASE_UNKNOWN)
        error_set(&lock->error, "its plug-in answers a release by %d, which is no answer",
                  (int)answer);
    return RELEASE_UNKNOWN;
}

// --- as a program --------------------------------------------------------------------------------

// A worker's that is asked by lines.
struct program {
    struct external_client external_client;
    struct lock_scheme scheme;
    struct service service;
    struct lock_client client;
    struct actor actor;
    struct lock lock;
    bool is_open;
};

static void say(json_t *line)
{
    AUTO_FREE char *text = json_dumps(line, 0);
    printf("%s\n", text);
    fflush(stdout);
    json_decref(line);
}

static void say_lost(struct lockpick_worker *worker, enum lockpick_loss reason)
{
    say(json_pack("{s:s, s:i, s:s, s:s}", "answer", "lost", "worker", worker->number, "lock",
                  worker->setup->lock, "reason", lost_reason_name((enum lost_reason)reason)));
}

static int64_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void read_text(const json_t *object, const char *key, char *text, size_t room)
{
    const char *read = json_string_value(json_object_get(object, key));
    snprintf(text, room, "%s", read != NULL ? read : "");
}

static void hear_hello(const json_t *hello, struct program *program)
{
    static const _Atomic uint32_t never;
    const json_t *servers = json_object_get(hello, "servers");
    const json_t *locks = json_object_get(hello, "locks");
    struct service *service = &program->service;
    size_t number;
    const json_t *address;
    read_text(servers, "kind", service->kind, sizeof service->kind);
    read_text(servers, "topology", service->topology, sizeof service->topology);
    json_array_foreach(json_object_get(servers, "addresses"), number, address)
    {
        struct endpoint *server = &service->servers[service->server_count++];
        sscanf(json_string_value(address), "%47[^:]:%d", server->host, &server->port);
    }
    program->scheme = plugin_scheme(&program->external_client);
    program->client =
        (struct lock_client){.scheme = &program->scheme,
                             .service = service,
                             .options = {.name = json_string_value(json_array_get(locks, 0)),
                                         .lease_ns = number_of(hello, "lease_ms") * NS_PER_MS,
                                         .retry_ns = number_of(hello, "retry_ms") * NS_PER_MS,
                                         .request_ns = number_of(hello, "request_ms") * NS_PER_MS,
                                         .attempts = number_of(hello, "attempts")},
                             .keys = json_array_size(locks),
                             .number = (int)number_of(hello, "client"),
                             .workers = 1,
                             .folder = ".",
                             .stop = &never};
    program->actor = (struct actor){.client = program->client.number, .worker = 1};
    program->lock = (struct lock){.client = &program->client, .actor = &program->actor};
}

// By the first request, which tells of permits; a queue, which may be filled by that, by the hello.
// 0, or -1 with the lock's error set.
static int open_program(struct program *program, int64_t permits)
{
    struct lock *lock = &program->lock;
    if (program->is_open)
        return 0;
    program->client.options.permits = permits;
    program->is_open =
        lock_client_open(&program->client, &lock->error) == 0 && lock_open(lock, &lock->error) == 0;
    if (program->is_open)
        ((struct plugin_lock *)lock->state)->worker.lost = say_lost;
    return program->is_open ? 0 : -1;
}

static json_t *acquire_as_asked(struct lock *lock, const json_t *request)
{
    static const char *const words[] = {"held", "not-held", "unknown", "error", "gone"};
    const struct plugin_client *own = lock->client->state;
    struct plugin_lock *state = lock->state;
    struct lockpick_grant got = {.valid_ms = -1};
    int64_t called_ns = clock_monotonic_ns();
    lock->give_up_ns = called_ns + number_of(request, "wait_ms") * NS_PER_MS;
    enum lockpick_outcome answer = own->plugin->acquire(&state->worker, &got);
    enum outcome outcome = outcome_of(lock, answer, &got, called_ns);
    json_t *line =
        json_pack("{s:s}", "answer", words[outcome == OUTCOME_NO ? (int)answer : (int)outcome]);
    if (outcome == OUTCOME_OK && got.job > 0)
        json_object_set_new(line, "job", json_integer(got.job));
    if (outcome == OUTCOME_OK && got.token > 0)
        json_object_set_new(line, "token", json_integer(got.token));
    if (outcome == OUTCOME_OK && got.request_ns > 0)
        json_object_set_new(line, "request_ns", json_integer(got.request_ns));
    else if (outcome == OUTCOME_OK && got.valid_ms >= 0)
        json_object_set_new(line, "valid_ms", json_integer(got.valid_ms));
    return line;
}

static json_t *release_as_asked(struct lock *lock)
{
    static const char *const words[] = {"released", "not-owner", "gone", "unknown"};
    const struct plugin_client *own = lock->client->state;
    struct plugin_lock *state = lock->state;
    unsigned answer = (unsigned)own->plugin->release(&state->worker);
    if (answer <= LOCKPICK_RELEASE_UNKNOWN)
        return json_pack("{s:s}", "answer", words[answer]);
    error_set(&lock->error, "its plug-in answers a release by %u, which is no answer", answer);
    return json_pack("{s:s}", "answer", "error");
}

static json_t *do_as_asked(struct program *program, const json_t *request)
{
    struct lock *lock = &program->lock;
    if (open_program(program, number_of(request, "permits")) != 0)
        return json_pack("{s:s}", "answer", "error");
    struct lockpick_worker *worker = &((struct plugin_lock *)lock->state)->worker;
    int64_t depth = number_of(request, "depth");
    char word[16];
    read_text(request, "mode", word, sizeof word);
    worker->shared = strcmp(word, "shared") == 0;
    worker->depth = (int)time_later(depth, 1);
    worker->done = json_is_true(json_object_get(request, "done"));
    read_text(request, "do", word, sizeof word);
    return strcmp(word, "acquire") == 0 ? acquire_as_asked(lock, request) : release_as_asked(lock);
}

int plugin_speak(const char *path, const char *const *traits, struct error *error)
{
    struct program program = {
        .external_client = {.name = path, .plugin = path, .folder = "", .traits = traits}};
    AUTO_FREE char *line = NULL;
    size_t room = 0;
    bool is_greeted = false;
    int result = 0;
    json_auto_t *hello = NULL; // the lock's name is of it
    while (result == 0 && getline(&line, &room, stdin) > 0) {
        json_auto_t *heard = json_loads(line, 0, NULL);
        if (heard == NULL)
            result = error_set(error, "it was told what is no line of the protocol: %s", line);
        else if (!is_greeted) {
            hello = json_incref(heard);
            hear_hello(hello, &program);
            if (text_is_one_of("job-queue", traits) && open_program(&program, 0) != 0)
                result = error_set(error, "%s", program.lock.error.text);
            say(json_pack("{s:i, s:s}", "hello", 1, "driver", path));
            is_greeted = true;
        } else if (json_object_get(heard, "id") != NULL) {
            json_t *answer = do_as_asked(&program, heard);
            json_object_set(answer, "id", json_object_get(heard, "id"));
            if (program.lock.error.text[0] != '\0')
                json_object_set_new(answer, "why", json_string(program.lock.error.text));
            say(answer);
        } else
            break; // quit
    }
    if (program.is_open) {
        lock_close(&program.lock);
        lock_client_close(&program.client);
    }
    return result;
}

struct lock_scheme plugin_scheme(const struct external_client *external_client)
{
    return (struct lock_scheme){
        .name = external_client->name,
        .summary = "a native plug-in",
        .breaks = "what its scenario says",
        .traits = external_client->traits,
        .server = external_client->server,
        .topologies = external_client->topologies,
        .external_client = external_client,
        .client_bytes = sizeof(struct plugin_client),
        .open_client = open_client,
        .close_client = close_client,
        .lock_bytes = sizeof(struct plugin_lock),
        .open = open_lock,
        .close = close_lock,
        .try_acquire = try_acquire,
        .wait = lock_waits_no_more,
        .release = release,
        .reenter = reenter,
        .leave = release,
    };
}
