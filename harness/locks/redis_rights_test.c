// What each Redis scheme asks of its server: no more than the rights that it declares, each of
// which it needs; and of its scripts, that they are sent the keys that they use.
#include "harness/locks/test_redis.h"

#include "harness/base/scope.h"

#include <hiredis/hiredis.h>
#include <hiredis/sds.h>
#include <strings.h>

#define LEASE_NS (600 * NS_PER_MS)

static const struct contract of_one = {REDIS_CONTRACT, .topology = "sentinel",
                                       .with_limiters = true};
static const struct contract of_several = {
    .server = "redis", .topology = "independent", .request_ns = 250 * NS_PER_MS};

// Tells each server that keeps data.
static void tell_all(const struct fixture *fixture, const char *request)
{
    const struct cluster *cluster = &fixture->server.cluster;
    struct error error = {0};
    for (int i = 0; i < cluster->count; i++) {
        if (strcmp(cluster->nodes[i].role, "sentinel") != 0 &&
            server_tell(&cluster->nodes[i], (const char *const[]){request, NULL}, &error) != 0)
            fail_msg("%s", error.text);
    }
}

static void be_user(struct fixture *fixture, const char *name)
{
    struct service *service = &fixture->server.service;
    snprintf(service->user, sizeof service->user, "%s", name);
    snprintf(service->password, sizeof service->password, "%s", name[0] != '\0' ? "secret" : "");
}

// --- all that a scheme does ----------------------------------------------------------------------

// What was refused to the scheme's user since the log was reset, or NULL; the caller frees it.
static char *refusal(const struct fixture *fixture)
{
    for (int i = 0; i < fixture->server.cluster.count; i++) {
        AUTO_TEXT struct text answer = {0};
        if (server_ask(&fixture->server.cluster.nodes[i], "ACL LOG", &answer, NULL) == 0 &&
            strstr(answer.bytes, "scheme") != NULL)
            return memory_string(answer.bytes);
    }
    return NULL;
}

// A worker acquires, is held at its first point, where it may have lined up, and then waits on;
// what it gets it gives back.
static void begin_to_line_up(struct fixture *fixture, int worker, struct act *act,
                             _Atomic int *granted)
{
    const struct point_match match = {.side = POINT_AFTER, .phase = PHASE_ACQUIRE};
    const struct point_trap *trap = set_trap(fixture, worker, worker + 1, 1, match, 1);
    act->granted = granted;
    begin_to_wait(act, &fixture->locks[worker], 2 * LEASE_NS);
    AWAIT(atomic_load(&trap->state) == POINT_REACHED || atomic_load(&act->is_over));
    point_let_go(&fixture->board, &fixture->board.traps[worker]);
}

// Holds the lock, enters it again, is renewed, keeps two others waiting, and releases it, which one
// of them waits for; the server has forgotten its scripts by then. A job is given back like that,
// and is then done.
static void hold_once(struct fixture *fixture, const struct lock_scheme *scheme)
{
    struct grant grant;
    struct act waiting[2] = {{0}};
    struct lock *holder = &fixture->locks[0];
    _Atomic int granted = 0;
    const struct point_match renewal = {.side = POINT_AFTER, .phase = PHASE_RENEW};
    struct point_trap *trap = set_trap(fixture, 0, 1, 0, renewal, 2);
    if (scheme->release == NULL) { // a limiter
        acquire(fixture, 0);
        tell_all(fixture, "SCRIPT FLUSH");
        acquire(fixture, 1);
        return;
    }
    holder->options.wait_ns = NS_PER_S;
    if (lock_acquire(holder, &grant) == OUTCOME_OK) {
        if (scheme->reenter != NULL && lock_reenter(holder, &grant) == OUTCOME_OK)
            lock_leave(holder);
        fixture->locks[1].options.wait_ns = 100 * NS_PER_MS;
        if (acquire(fixture, 1) == OUTCOME_OK)
            lock_release(&fixture->locks[1]);
        for (int i = 0; i < 2; i++)
            begin_to_line_up(fixture, i + 1, &waiting[i], &granted);
        AUTO_FREE char *refused = refusal(fixture); // what comes later adds nothing to it
        if (refused != NULL)
            atomic_store(&fixture->stop, 1);
        else if (scheme->renewal != NULL)
            AWAIT(atomic_load(&trap->state) == POINT_REACHED ||
                  clock_monotonic_ns() > grant.valid_until_ns + LEASE_NS);
        else if (lock_scheme_has(scheme, "lease"))
            clock_sleep_until_ns(grant.valid_until_ns);
        point_let_go(&fixture->board, trap);
        tell_all(fixture, "SCRIPT FLUSH");
        enum release_answer answer = lock_release(holder);
        // Nobody waits for what was not released.
        atomic_store(&fixture->stop, refused != NULL || answer == RELEASE_UNKNOWN);
        for (int i = 0; i < 2; i++)
            end_of(&waiting[i]);
        atomic_store(&fixture->stop, 0);
        holder->is_done = lock_scheme_has(scheme, "job-queue");
        if (holder->is_done && acquire(fixture, 0) == OUTCOME_OK &&
            acquire(fixture, 1) != OUTCOME_OK)
            lock_release(holder);
    }
    point_let_go(&fixture->board, trap);
}

// Each way in which the lock can be held, up to the first refusal, which is its result.
static char *do_all(struct fixture *fixture, const struct lock_scheme *scheme)
{
    int modes = lock_scheme_has(scheme, "shared") ? LOCK_SHARED : LOCK_EXCLUSIVE;
    int most = lock_scheme_has(scheme, "fenced") ? 1 : 0;
    char *refused = NULL;
    for (int fenced = 0; fenced <= most && refused == NULL; fenced++) {
        struct error error = {0};
        struct lock_options options = next_lock(fixture, fenced);
        int open = 0;
        options.lease_ns = LEASE_NS;
        if (scheme->set_up == NULL ||
            scheme->set_up(&fixture->server.service, &options, &error) == 0) {
            while (open < WORKERS && try_open_worker(fixture, scheme, open, &options, &error) == 0)
                open++;
        }
        refused = refusal(fixture);
        for (int mode = LOCK_EXCLUSIVE; open == WORKERS && mode <= modes && refused == NULL;
             mode++) {
            for (int i = 0; i < WORKERS; i++)
                fixture->locks[i].mode = (enum lock_mode)mode;
            hold_once(fixture, scheme);
            refused = refusal(fixture);
        }
        while (open-- > 0) {
            lock_close(&fixture->locks[open]);
            lock_client_close(&fixture->clients[open]);
        }
        if (scheme->clean_up != NULL)
            scheme->clean_up(&fixture->server.service, &options, &error);
    }
    return refused != NULL ? refused : refusal(fixture);
}

// --- rights --------------------------------------------------------------------------------------

// Lets the scheme's user do what it declares, but for one word of that (NULL: all of it), and sees
// it do all that it does. What was refused to it, or NULL; the caller frees it.
static char *refused(struct fixture *fixture, const struct lock_scheme *scheme, const char *without)
{
    AUTO_TEXT struct text request = {0};
    AUTO_FREE char *words = memory_string(scheme->rights);
    text_format(&request, "ACL SETUSER scheme reset on >secret %s",
                server_kind_find("redis")->form.rights);
    char *rest = words;
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        if (without == NULL || strcmp(word, without) != 0)
            text_format(&request, " %s", word);
    }
    tell_all(fixture, request.bytes);
    tell_all(fixture, "ACL LOG RESET");
    return do_all(fixture, scheme);
}

// A busy machine may keep a scheme from doing all that it does.
static bool is_needed(struct fixture *fixture, const struct lock_scheme *scheme, const char *word)
{
    for (int i = 0; i < 3; i++) {
        AUTO_FREE char *answer = refused(fixture, scheme, word);
        if (answer != NULL)
            return true;
    }
    return false;
}

static void every_scheme_has_the_rights_that_it_needs_and_no_others(void **state)
{
    struct fixture *fixture = *state;
    const struct lock_scheme *scheme;
    be_user(fixture, "scheme");
    FOR_EACH_SCHEME (fixture, scheme) {
        struct error ignored;
        if (scheme->rights == NULL)
            fail_msg("%s: it does not say what it needs", scheme->name);
        if (scheme->is_possible != NULL && !scheme->is_possible(&fixture->server.service, &ignored))
            continue;
        AUTO_FREE char *answer = refused(fixture, scheme, NULL);
        if (answer != NULL)
            fail_msg("%s: more than '%s': %s", scheme->name, scheme->rights, answer);
        AUTO_FREE char *words = memory_string(scheme->rights);
        char *rest = words;
        for (char *word; (word = strsep(&rest, " ")) != NULL;) {
            if (!is_needed(fixture, scheme, word))
                fail_msg("%s: it does not need '%s'", scheme->name, word);
        }
    }
    be_user(fixture, "");
}

// --- keys of scripts -----------------------------------------------------------------------------

static redisContext *connect_to(const struct node *node)
{
    redisContext *context = redisConnect(node->end.address, node->port);
    assert_true(context != NULL && context->err == 0);
    return context;
}

// The keys of a request, by the server's word. An error: it has none.
static redisReply *keys_of(redisContext *client, sds *words, int count)
{
    const char *request[64] = {"COMMAND", "GETKEYS"};
    assert_true(count <= 62);
    memcpy(request + 2, words, (size_t)count * sizeof *words);
    return redisCommandArgv(client, count + 2, request, NULL);
}

static size_t count_keys(const redisReply *keys)
{
    return keys != NULL && keys->type == REDIS_REPLY_ARRAY ? keys->elements : 0;
}

static bool is_among(const char *key, const redisReply *keys)
{
    for (size_t i = 0; i < count_keys(keys); i++) {
        if (strcmp(keys->element[i]->str, key) == 0)
            return true;
    }
    return false;
}

// Reads what MONITOR shows, "TIME [DATABASE CLIENT] "WORD" ...", up to the echo of the scheme's
// name; a script's requests stand behind the one that runs it. How many keys its scripts were not
// sent, all of them such as the scheme says.
static int count_undeclared(redisContext *monitor, redisContext *client,
                            const struct lock_scheme *scheme)
{
    AUTO_REPLY redisReply *sent = NULL;
    int undeclared = 0;
    for (bool is_over = false; !is_over;) {
        AUTO_REPLY redisReply *line = NULL;
        int count = 0;
        if (redisGetReply(monitor, (void **)&line) != REDIS_OK)
            fail_msg("MONITOR: %s", monitor->errstr);
        const char *request = strstr(line->str, "] ");
        sds *words = sdssplitargs(request != NULL ? request + 2 : "", &count);
        if (strstr(line->str, " lua] ") != NULL) {
            AUTO_REPLY redisReply *used = keys_of(client, words, count);
            for (size_t i = 0; i < count_keys(used); i++) {
                const char *key = used->element[i]->str;
                if (is_among(key, sent))
                    continue;
                undeclared++;
                if (scheme->undeclared_keys == NULL || !text_matches(key, scheme->undeclared_keys))
                    fail_msg("%s: a script uses %s, which it was not sent: %s", scheme->name, key,
                             line->str);
            }
        } else if (count > 0 && strncasecmp(words[0], "EVAL", 4) == 0) {
            freeReplyObject(sent);
            sent = keys_of(client, words, count);
        }
        is_over = count == 2 && strcmp(words[1], scheme->name) == 0;
        sdsfreesplitres(words, count);
    }
    return undeclared;
}

static void scripts_are_sent_the_keys_that_they_use(void **state)
{
    struct fixture *fixture = *state;
    const struct node *node = &fixture->server.cluster.nodes[0];
    const struct lock_scheme *scheme;
    FOR_EACH_SCHEME (fixture, scheme) {
        redisContext *monitor = connect_to(node);
        redisContext *client = connect_to(node);
        freeReplyObject(redisCommand(monitor, "MONITOR"));
        free(do_all(fixture, scheme));
        freeReplyObject(redisCommand(client, "ECHO %s", scheme->name));
        hold_to(scheme,
                (count_undeclared(monitor, client, scheme) > 0) ==
                    (scheme->undeclared_keys != NULL),
                "its scripts are sent all the keys that they use, but it says otherwise");
        redisFree(client);
        redisFree(monitor);
    }
}

#define RIGHTS_TESTS                                                                               \
    TEST_AGAIN(scripts_are_sent_the_keys_that_they_use);                                           \
    TEST_AGAIN(every_scheme_has_the_rights_that_it_needs_and_no_others)

static int start_one(void **state)
{
    return start_calmly(state, &of_one);
}

TEST_GROUP(start_one, stop_contract);
RIGHTS_TESTS;

// Else who waits for a message that never comes would look like one whom the lock kept waiting.
SCHEME_TEST_WITH(who_must_not_subscribe_is_told_of_the_right_that_is_missing, IS("redisson"),
                 tell_all(fixture, "ACL SETUSER scheme reset on >secret ~* +@all");
                 be_user(fixture, "scheme"); open_scheme(fixture, scheme, false))
{
    struct grant grant;
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    fixture->locks[1].options.wait_ns = PATIENCE_NS;
    assert_int_equal(lock_acquire(&fixture->locks[1], &grant), OUTCOME_BROKEN);
    assert_non_null(strstr(fixture->locks[1].error.text, "NOPERM"));
    assert_non_null(strstr(fixture->locks[1].error.text, "lockpick list schemes NAME"));
    lock_release(&fixture->locks[0]);
    be_user(fixture, "");
}

CONTRACT_GROUP(of_several);
RIGHTS_TESTS;
