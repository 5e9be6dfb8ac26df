// Servers that run already, as their owners set them up: what lets a client in, and what an owner
// is told who is not let in. On real ones.
#include "harness/base/file.h"
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"
#include "harness/testing/text.h"
#include "harness/wire/test_protocols.h"
#include "harness/wire/zookeeper.h"

#define REQUEST_NS (5 * NS_PER_S)

// --- users and passwords -------------------------------------------------------------------------

// Each with an account "me", or etcd's "root", whose password is "secret".
static const struct {
    struct test_group group;
    const struct protocol *protocol;
    const char *user;
    const char *const *requests; // that make the account
    const char *told;            // to who has a wrong password
} guarded[] = {
    {{.kind = "redis"},
     &redis,
     "me",
     (const char *const[]){"ACL SETUSER me on >secret ~* +@all", "ACL SETUSER default -@all +acl",
                           NULL},
     "check the user in the server's URL"},
    {{.kind = "etcd"},
     &etcd,
     "root",
     (const char *const[]){"/v3/auth/user/add {\"name\":\"root\",\"password\":\"secret\"}",
                           "/v3/auth/role/add {\"name\":\"root\"}",
                           "/v3/auth/user/grant {\"user\":\"root\",\"role\":\"root\"}",
                           "/v3/auth/enable {}", NULL},
     "check the user in its URL"},
    {{.kind = "mysql"},
     &mysql,
     "me",
     (const char *const[]){"CREATE USER me@'%' IDENTIFIED BY 'secret'",
                           "GRANT ALL ON *.* TO me@'%'", NULL},
     "Access denied for user 'me'"},
    {{.kind = "postgres"},
     &postgres,
     "me",
     (const char *const[]){"CREATE ROLE me LOGIN PASSWORD 'secret'", "SELECT pg_reload_conf()",
                           NULL},
     "password authentication failed for user \"me\""},
};

static struct service service_of(const struct test_server *server, const char *user,
                                 const char *password)
{
    struct service service = server->service;
    service.external = true;
    snprintf(service.user, sizeof service.user, "%s", user);
    snprintf(service.password, sizeof service.password, "%s", password);
    return service;
}

SERVERS_TEST_OF_EACH(who_has_the_password_is_let_in_and_nobody_else, guarded)
{
    const struct connector *connector = of->protocol->connector;
    struct actor actor = {.phase = PHASE_NONE};
    if (strcmp(of->group.kind, "postgres") == 0)
        assert_int_equal(server_write(node, "hba.conf",
                                      "host all me all scram-sha-256\nhost all all all trust\n",
                                      &error),
                         0);
    if (server_tell(node, of->requests, &error) != 0)
        fail_msg("%s", error.text);
    struct service right = service_of(server, of->user, "secret");
    struct service wrong = service_of(server, of->user, "guess");
    void *client = connector->open(&right, REQUEST_NS, &actor, &error);
    if (client == NULL)
        fail_msg("%s", error.text);
    assert_int_equal(of->protocol->ask(client, true), OUTCOME_OK);
    connector->close(client);
    assert_null(connector->open(&wrong, REQUEST_NS, &actor, &error));
    assert_has(error.text, of->told);
    assert_null(strstr(error.text, "guess"));
}

SERVERS_TEST(etcd_is_told_again_who_asks_when_it_has_forgotten, .kind = "etcd")
{
    struct actor actor = {.phase = PHASE_NONE};
    int64_t lease;
    struct service right = service_of(server, "root", "secret");
    if (server_tell(node, guarded[1].requests, &error) != 0)
        fail_msg("%s", error.text);
    struct etcd_connection *client = etcd_open(&right, REQUEST_NS, &actor, &error);
    assert_int_equal(etcd_grant(client, 60, &lease), OUTCOME_OK);
    // What a restart does: its tokens are kept in its memory.
    process_kill(node->server);
    node->server = 0;
    assert_int_equal(server_restart(node, LOSS_NONE, &error), 0);
    for (enum outcome outcome = OUTCOME_NO; outcome != OUTCOME_OK;) {
        outcome = etcd_grant(client, 60, &lease);
        if (outcome == OUTCOME_BROKEN)
            fail_msg("%s", client_error(client));
    }
    etcd_close(client);
}

SERVERS_TEST(of_zookeeper_nodes_are_theirs_who_made_them, .kind = "zookeeper")
{
    struct actor actor = {.phase = PHASE_NONE};
    struct zk_answer answer;
    struct service mine = service_of(server, "me", "secret");
    struct service stranger = service_of(server, "me", "guess");
    struct zk_settings settings = {
        .service = &mine, .session_ns = 4 * NS_PER_S, .request_ns = REQUEST_NS};
    struct zk *zk = zk_open(&settings, &error);
    settings.service = &stranger;
    struct zk *other = zk_open(&settings, &error);
    assert_true(zk != NULL && other != NULL);
    assert_int_equal(zk_create(zk, &actor, &answer, "/mine", "", ZK_PERSISTENT), OUTCOME_OK);
    assert_int_equal(zk_create(other, &actor, &answer, "/mine/a", "", ZK_EPHEMERAL),
                     OUTCOME_BROKEN);
    assert_has(answer.why, "not authenticated");
    assert_int_equal(zk_create(zk, &actor, &answer, "/mine/a", "", ZK_EPHEMERAL), OUTCOME_OK);
    zk_close(other);
    zk_close(zk);
}
