// Servers that run already, as their owners set them up: what lets a client in, and what an owner
// is told who is not let in. On real ones.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/process.h"
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"
#include "harness/testing/text.h"
#include "harness/wire/test_protocols.h"
#include "harness/wire/zookeeper.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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
    MUST_BE(0, server_tell(node, of->requests, &error));
    struct service right = service_of(server, of->user, "secret");
    struct service wrong = service_of(server, of->user, "guess");
    void *client = connector->open(&right, REQUEST_NS, &actor, &error);
    if (client == NULL)
        fail_msg("%s", error.text);
    assert_int_equal(of->protocol->ask(client, true), OUTCOME_OK);
    connector->close(client);
    MUST_FAIL(NULL, connector->open(&wrong, REQUEST_NS, &actor, &error), of->told);
    assert_null(strstr(error.text, "guess"));
}

SERVERS_TEST(etcd_is_told_again_who_asks_when_it_has_forgotten, .kind = "etcd")
{
    struct actor actor = {.phase = PHASE_NONE};
    int64_t lease;
    struct service right = service_of(server, "root", "secret");
    MUST_BE(0, server_tell(node, guarded[1].requests, &error));
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

SERVERS_TEST(sentinels_let_in_who_has_the_password_of_theirs, .kind = "redis",
             .topology = "sentinel")
{
    static const struct {
        const char *password, *told; // NULL: it is let in
    } cases[] = {{"", "say where its password is by 'sentinel-password'"},
                 {"guess", "check what 'sentinel-password' names"},
                 {"secret", NULL}};
    struct actor actor = {.phase = PHASE_NONE};
    struct service service = service_of(server, "", "");
    snprintf(service.database, sizeof service.database, SENTINEL_MASTER);
    for (int i = 0; i < server->cluster.count; i++) {
        if (strcmp(server->cluster.nodes[i].role, "sentinel") == 0)
            must_answer(&server->cluster.nodes[i], "ACL SETUSER default resetpass >secret", "+OK");
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(service.sentinel_password, sizeof service.sentinel_password, "%s",
                 cases[i].password);
        void *client = redis_connector.open(&service, REQUEST_NS, &actor, &error);
        if ((client != NULL) != (cases[i].told == NULL))
            fail_msg("'%s': %s", cases[i].password, error.text);
        if (client == NULL)
            assert_has(error.text, cases[i].told);
        else
            redis_connector.close(client);
    }
    assert_null(strstr(error.text, "guess"));
}

// --- where they are ------------------------------------------------------------------------------

static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(descriptor, (struct sockaddr *)&address, &length), 0);
    close(descriptor);
    return ntohs(address.sin_port);
}

TEST(a_service_that_cannot_be_reached_is_told_with_what_to_do)
{
    struct service service = {.kind = "redis", .server_count = 2};
    struct error error;
    for (int i = 0; i < 2; i++)
        service.servers[i] = (struct endpoint){.host = "127.0.0.1", .port = free_port()};
    assert_int_equal(service_reach(&service, &error), -1);
    assert_has(error.text, "cannot connect to redis at 127.0.0.1:");
    assert_has(error.text, "Connection refused; start it, open the way to it");
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)service.servers[1].port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(service_reach(&service, &error), 0);
    close(listener);
    snprintf(service.servers[0].host, sizeof service.servers[0].host, "no-such-host.invalid");
    service.server_count = 1;
    assert_int_equal(service_reach(&service, &error), -1);
    assert_has(error.text, "cannot find the host of redis at no-such-host.invalid");
    assert_has(error.text, "correct its address");
}

// --- TLS -----------------------------------------------------------------------------------------

// In the server's folder, which is its user's: an authority "ca", which vouches for "server" (at
// 127.0.0.1, and by the name lock.example) and for "client"; and another authority, "strange".
static void make_certificates(const struct node *node)
{
    AUTO_TEXT struct text command = {0};
    text_format(&command,
                "cd %s && make() { openssl req -x509 -newkey ec -pkeyopt "
                "ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=$1 -keyout $1.key -out "
                "$1.pem \"${@:2}\" 2>>openssl.log; } && make ca && make strange && "
                "make server -CA ca.pem -CAkey ca.key -addext "
                "subjectAltName=IP:127.0.0.1,DNS:lock.example && "
                "make client -CA ca.pem -CAkey ca.key",
                node->home);
    const char *const arguments[] = {"bash", "-c", command.bytes, NULL};
    struct error error = {0};
    AUTO_TEXT struct text output = {0};
    if (process_run(arguments, "", -1, PROCESS_LIMIT, &output, &error) != 0)
        fail_msg("%s%s (see %s/openssl.log)", text_string(&output), error.text, node->home);
}

// Each asks who comes by TLS for a certificate of its own.
static const struct {
    struct test_group group;
    const struct protocol *protocol;
    bool has_other_port;   // for TLS
    const char *arguments; // $PORT: that port
    const char *user;
    const char *const *requests; // NULL: none
} secured[] = {
    {{.kind = "redis"},
     &redis,
     true,
     "--tls-port $PORT --tls-cert-file $PWD/server.pem --tls-key-file $PWD/server.key "
     "--tls-ca-cert-file $PWD/ca.pem",
     "",
     NULL},
    {{.kind = "etcd"},
     &etcd,
     true,
     "--listen-client-urls http://127.0.0.1:$PLAIN,https://127.0.0.1:$PORT --cert-file server.pem "
     "--key-file server.key --trusted-ca-file ca.pem --client-cert-auth",
     "",
     NULL},
    {{.kind = "mysql"},
     &mysql,
     false,
     "--ssl-cert=$PWD/server.pem --ssl-key=$PWD/server.key --ssl-ca=$PWD/ca.pem",
     "me",
     (const char *const[]){"CREATE USER me@'%' REQUIRE X509", "GRANT ALL ON *.* TO me@'%'", NULL}},
    {{.kind = "postgres"},
     &postgres,
     false,
     "-c ssl=on -c ssl_cert_file=$PWD/server.pem -c ssl_key_file=$PWD/server.key -c "
     "ssl_ca_file=$PWD/ca.pem -c hba_file=$PWD/secure.conf",
     "me",
     (const char *const[]){"CREATE ROLE me LOGIN", NULL}},
};

struct secure_client {
    const struct connector *connector;
    const struct protocol *protocol;
    struct service service;
};

// A client is refused, with that in the message.
static void expect_refusal(const struct secure_client *client, const char *says)
{
    struct actor actor = {.phase = PHASE_NONE};
    struct error error = {0};
    void *opened = client->connector->open(&client->service, REQUEST_NS, &actor, &error);
    if (opened != NULL)
        fail_msg("%s is spoken to, but not '%s'", client->protocol->kind, says);
    assert_has(error.text, says);
}

static void expect_answer(const struct secure_client *client)
{
    struct actor actor = {.phase = PHASE_NONE};
    struct error error = {0};
    void *opened = client->connector->open(&client->service, REQUEST_NS, &actor, &error);
    if (opened == NULL)
        fail_msg("%s", error.text);
    for (int i = 0; i < 100; i++) {
        if (client->protocol->ask(opened, true) != OUTCOME_OK)
            fail_msg("%s", client_error(opened));
    }
    client->connector->close(opened);
}

SERVERS_TEST_OF_EACH(by_tls_both_sides_show_who_they_are, secured)
{
    char file[4][100];
    static const char *const names[] = {"ca.pem", "client.pem", "client.key", "strange.pem"};
    struct secure_client client = {of->protocol->connector, of->protocol,
                                   service_of(server, of->user, "")};
    for (int i = 0; i < 4; i++)
        snprintf(file[i], sizeof file[i], "%s/%s", node->home, names[i]);
    struct tls_settings tls = {.ca = file[0], .certificate = file[1], .key = file[2]};
    client.service.tls = &tls;
    make_certificates(node);
    // Who does not speak TLS yet is not spoken to.
    expect_refusal(&client, "must speak TLS");
    if (of->requests != NULL && server_tell(node, of->requests, &error) != 0)
        fail_msg("%s", error.text);
    AUTO_TEXT struct text wrapper = {0};
    AUTO_FREE char *program = path_join(node->home, "secure");
    AUTO_FREE char *accounts = path_join(node->home, "secure.conf");
    int port = of->has_other_port ? free_port() : node->port;
    text_format(&wrapper, "#!/bin/sh\nPLAIN=%d PORT=%d\nexec %s \"$@\" %s\n", node->port, port,
                node->kind->program, of->arguments);
    assert_int_equal(file_write(program, wrapper.bytes, wrapper.length, &error), 0);
    assert_int_equal(chmod(program, 0755), 0);
    static const char hba[] =
        "hostssl all me all trust clientcert=verify-ca\nhost all postgres all "
        "trust\n";
    assert_int_equal(file_write(accounts, hba, strlen(hba), &error), 0);
    die(node);
    node->program = program;
    come_back(node, LOSS_NONE);
    client.service.servers[0].port = port;
    expect_answer(&client);
    // A certificate is made out to a name, too.
    if (node->kind->form.why_no_server_name == NULL) {
        tls.server_name = (char[]){"lock.example"};
        expect_answer(&client);
        tls.server_name = (char[]){"other.example"};
        expect_refusal(&client, "made out to other.example");
        tls.server_name = NULL;
    }
    snprintf(client.service.servers[0].host, sizeof client.service.servers[0].host, "localhost");
    expect_refusal(&client, "made out to localhost");
    client.service.servers[0] = server->service.servers[0];
    client.service.servers[0].port = port;
    tls.ca = file[3];
    expect_refusal(&client, file[3]);
    tls.ca = file[0];
    tls.certificate = tls.key = NULL;
    expect_refusal(&client, "");
}

SERVERS_TEST(several_servers_of_redis_are_asked_at_once_by_tls, .kind = "redis",
             .topology = "independent", .count = 3)
{
    char ca[100];
    struct tls_settings tls = {.ca = ca};
    struct service service = service_of(server, "", "");
    struct actor actor = {.phase = PHASE_NONE};
    const char *const words[] = {"SET", "key", "value"};
    struct redis_said said[MAX_SERVERS];
    make_certificates(node);
    snprintf(ca, sizeof ca, "%s/ca.pem", node->home);
    AUTO_FREE char *key = path_join(node->home, "server.key");
    assert_int_equal(chmod(key, 0644), 0); // the server may be another user
    service.tls = &tls;
    MUST_FAIL(NULL, redis_many_open(&service, REQUEST_NS, &actor, &error), "must speak TLS");
    for (int i = 0; i < 3; i++) {
        AUTO_TEXT struct text request = {0};
        struct node *each = node_of(server, i + 1);
        service.servers[i].port = free_port();
        text_format(&request,
                    "CONFIG SET tls-cert-file %s/server.pem tls-key-file %s/server.key "
                    "tls-ca-cert-file %s/ca.pem tls-auth-clients no tls-port %d",
                    node->home, node->home, node->home, service.servers[i].port);
        must_answer(each, request.bytes, "+OK");
    }
    struct redis_many *many = redis_many_open(&service, REQUEST_NS, &actor, &error);
    if (many == NULL)
        fail_msg("%s", error.text);
    for (int round = 0; round < 50; round++) {
        redis_many_ask(many, words, 3, NULL, said);
        for (int i = 0; i < 3; i++)
            assert_int_equal(said[i].outcome, OUTCOME_OK);
    }
    redis_many_close(many);
}
