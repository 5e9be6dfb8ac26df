// For tests of what can be done to servers (control.h): groups of real ones on loopback, asked past
// all that is tested.
#ifndef LOCKPICK_CLUSTER_TEST_CONTROL_H
#define LOCKPICK_CLUSTER_TEST_CONTROL_H

#include "harness/base/scope.h"
#include "harness/cluster/test_process_control.h"
#include "harness/cluster/test_server.h"

#define TEST_LOCK "lockpick:{t1}:lock"

static inline struct lock_identity test_lock_of(const char *scheme)
{
    return (struct lock_identity){.name = TEST_LOCK, .tag = "t1", .scheme = scheme};
}

// What one of the acts of the node's kind answers; the error goes to `error`.
#define DO(node, act, lock) control_do(node, (node)->kind->control->act, lock, &error)

static inline void start_servers(struct test_server *server, const char *kind, const char *topology,
                                 int count, enum persistence persistence)
{
    assert_int_equal(test_group_start(server, (struct test_group){.kind = kind,
                                                                  .topology = topology,
                                                                  .count = count,
                                                                  .persistence = persistence}),
                     0);
}

// The server of that number, from 1.
static inline struct node *node_of(struct test_server *server, int number)
{
    return &server->cluster.nodes[number - 1];
}

// A test on a group of real servers, given as a struct test_group: `server`, of which `node` is the
// first, and room for an error.
#define SERVERS_TEST(name, ...)                                                                    \
    static const struct {                                                                          \
        struct test_group group;                                                                   \
    } name##_groups[] = {{{__VA_ARGS__}}};                                                         \
    SERVERS_TEST_OF_EACH(name, name##_groups)

// The same on one group after the other, each the `group` of a case, which is `of`.
#define SERVERS_TEST_OF_EACH(name, cases)                                                          \
    static void name##_on(struct test_server *server, struct node *node, struct error error,       \
                          const __typeof__(*(cases)) *of);                                         \
    TEST(name)                                                                                     \
    {                                                                                              \
        for (size_t i = 0; i < sizeof(cases) / sizeof *(cases); i++) {                             \
            struct test_server server;                                                             \
            assert_int_equal(test_group_start(&server, (cases)[i].group), 0);                      \
            name##_on(&server, node_of(&server, 1), (struct error){0}, &(cases)[i]);               \
            test_server_stop(&server);                                                             \
        }                                                                                          \
    }                                                                                              \
    static void name##_on(__attribute__((unused)) struct test_server *server,                      \
                          __attribute__((unused)) struct node *node,                               \
                          __attribute__((unused)) struct error error,                              \
                          __attribute__((unused)) const __typeof__(*(cases)) *of)

// Sets a variable of the environment, or unsets it; what it was before, which the caller frees.
static inline char *test_variable_set(const char *name, const char *value)
{
    const char *before = getenv(name);
    char *kept = before != NULL ? memory_string(before) : NULL;
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
    return kept;
}

// Whether the answer to the request has that in it, which may be an error.
static inline bool answers(const struct node *node, const char *request, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    server_ask(node, request, &text, NULL);
    return strstr(text_string(&text), expected) != NULL;
}

static inline void must_answer(const struct node *node, const char *request, const char *expected)
{
    struct error error = {0};
    AUTO_TEXT struct text text = {0};
    server_ask(node, request, &text, &error);
    if (strstr(text_string(&text), expected) == NULL)
        fail_msg("%s answers\n%s\nto\n%s\n%s", node->name, text_string(&text), request, error.text);
}

static inline void must_come_to_answer(const struct node *node, const char *request,
                                       const char *expected)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (!answers(node, request, expected) && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    must_answer(node, request, expected);
}

// Waits until `leads` says that of the node.
static inline void await_leads(const struct node *node, int expected)
{
    struct error error = {0};
    MUST_COME_TO_BE(expected, DO(node, leads, NULL));
}

// The first server that leads, or that does not; 0 if there is none.
static inline int number_that(struct test_server *server, bool leads)
{
    struct error error;
    for (int number = 1; number <= server->service.server_count; number++) {
        if (DO(node_of(server, number), leads, NULL) == leads)
            return number;
    }
    return 0;
}

static inline int number_of_leader(struct test_server *server)
{
    struct error error = {.text = "nobody leads"};
    int number;
    MUST_COME_TO_BE(true, (number = number_that(server, true)) != 0);
    return number;
}

// Calls again and again until the eviction is over.
static inline enum eviction evict_lock(const struct node *node, const struct lock_identity *lock,
                                       const char *policy, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    enum eviction state;
    while ((state = control_evict(node, lock, policy, error)) == EVICTION_GOES_ON) {
        if (clock_monotonic_ns() > give_up_ns)
            fail_msg("%s never evicts the lock of %s", node->name, lock->scheme);
    }
    return state;
}

// --- clients -------------------------------------------------------------------------------------

// A client of a server, as one of a trial is; end it with session_close. `error` must live as long.
static inline struct session start_client(const struct node *node, struct error *error)
{
    struct session client;
    if (session_open(&client, node, "root", SESSION_PATIENCE_S, error) != 0)
        fail_msg("%s", error->text);
    return client;
}

// Whether the server does what the client says.
static inline bool client_says(struct session *client, const char *request)
{
    client->peer.give_up_ns = clock_monotonic_ns() + SESSION_PATIENCE_S * NS_PER_S;
    return session_ask(client, "%s", request) == 0;
}

static inline void must_do(struct session *client, const char *request)
{
    if (!client_says(client, request))
        fail_msg("%s", client->error->text);
}

// The server must refuse that, in those words.
static inline void must_refuse(struct session *client, const char *request, const char *words)
{
    *client->error = (struct error){0};
    if (client_says(client, request) || strstr(client->error->text, words) == NULL)
        fail_msg("'%s' is answered by '%s' (%s)", request, text_string(&client->answer),
                 client->error->text);
}

// Whether its connection is there, found out by a question.
static inline bool client_lives(struct session *client)
{
    struct error ignored, *error = client->error;
    client->error = &ignored;
    bool is_redis = strcmp(client->node->kind->name, "redis") == 0;
    bool lives =
        client_says(client, is_redis ? "ROLE" : "SELECT 1") || session_answered(client, "-");
    client->error = error;
    return lives;
}

#endif
