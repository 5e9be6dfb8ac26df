// Servers of a scenario's own: programs that are known by nothing but what is said of them. The
// tests' are a lock service of scripts/drivers and, as if nobody knew it, etcd.
#include "harness/base/custom_server.h"
#include "harness/base/file.h"
#include "harness/cluster/process.h"
#include "harness/cluster/test_control.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST TEST_LIST
#define SERVICE                                                                                    \
    "/usr/bin/python3", "lock-service.py", "--listen", "{address}:{port}", "--data", "{data}"
#define USUAL(limit_s)                                                                             \
    .environment = TEST_NONE, .folder = "scripts/drivers", .peer = "{address}:{peer-port}",        \
    .ready_status = 200, .boot_ns = (limit_s)*NS_PER_S, .leads = TEST_NONE, .protocol = "http"
#define LIMIT_S 60
#define NOT_ASKED .ready_command = TEST_NONE

// Whether the service answers a POST with the status.
static bool answers_post(const struct node *node, const char *path, const char *body,
                         const char *status)
{
    AUTO_TEXT struct text url = {0}, answer = {0};
    text_format(&url, "http://%s:%d%s", node->end.address, node->port, path);
    process_run(LIST("curl", "-s", "-w", "%{http_code}", "-d", body, url.bytes), "", -1,
                PROCESS_LIMIT, &answer, NULL);
    return strstr(text_string(&answer), status) != NULL;
}

#define ACQUIRE "/acquire", "{\"name\": \"lock\", \"ttl_ms\": 3600000}"

SERVERS_TEST(a_service_is_booted_dies_and_comes_back_with_its_data_or_without, .kind = "custom")
{
    MUST_BE(1, DO(node, leads, NULL));
    assert_true(answers_post(node, ACQUIRE, "200"));
    assert_true(answers_post(node, ACQUIRE, "409"));
    die(node);
    MUST_BE(-1, DO(node, leads, NULL));
    come_back(node, LOSS_NONE);
    assert_true(answers_post(node, ACQUIRE, "409"));
    die(node);
    come_back(node, LOSS_ALL);
    assert_true(answers_post(node, ACQUIRE, "200"));
    stand_still(node);
    assert_true(server_stands_still(node));
    go_on(node);
    assert_true(answers_post(node, ACQUIRE, "409"));
}

#define ETCD_LEADS                                                                                 \
    "sh", "-c",                                                                                    \
        "curl -sm 1 -d '{}' http://{address}:{port}/v3/maintenance/status | "                      \
        "python3 -c 'import json, sys; it = json.load(sys.stdin); "                                \
        "sys.exit(it[\"leader\"] != it[\"header\"][\"member_id\"])'"

static const struct custom_server etcds = {
    .folder = ".",
    .environment = LIST("ETCD_NAME={name}", "ETCD_INITIAL_CLUSTER={peers}"),
    .command = LIST("etcd", "--data-dir", "{data}", "--listen-client-urls",
                    "http://{address}:{port}", "--advertise-client-urls", "http://{address}:{port}",
                    "--listen-peer-urls", "http://{address}:{peer-port}",
                    "--initial-advertise-peer-urls", "http://{address}:{peer-port}"),
    .peer = "{name}=http://{address}:{peer-port}",
    .ready_path = "/health",
    .ready_status = 200,
    .ready_command = TEST_NONE,
    .boot_ns = 60 * NS_PER_S,
    .leads = LIST(ETCD_LEADS),
    .protocol = "http"};

SERVERS_TEST(servers_that_know_each_other_form_an_ensemble_and_tell_who_leads, .kind = "custom",
             .topology = "ensemble", .custom = &etcds)
{
    int leader = number_of_leader(server);
    assert_true(answers_post(node, "/v3/kv/put", "{\"key\": \"YQ==\"}", "\"revision\""));
    die(node_of(server, leader));
    MUST_COME_TO_BE(true, number_that(server, true) != 0 && number_that(server, true) != leader);
    come_back(node_of(server, leader), LOSS_NONE);
    MUST_BE(0, DO(node_of(server, leader), leads, NULL));
}

static const struct custom_server leaderless = {USUAL(LIMIT_S), NOT_ASKED,
                                                .command = LIST(SERVICE)};

SERVERS_TEST(who_leads_an_ensemble_is_known_only_if_it_is_said, .kind = "custom",
             .topology = "ensemble", .count = 2, .custom = &leaderless)
{
    MUST_BE(-1, DO(node, leads, NULL));
    assert_non_null(strstr(error.text, "servers.custom.leads"));
}

// Serves once it has said so, half a second after it has begun to listen, and each time again.
#define SAYS_READY                                                                                 \
    "sh", "-c", "touch began; sleep 0.5; date +%s%N >> said; echo It is open; sleep 1000"

static const struct custom_server by_log = {USUAL(LIMIT_S), NOT_ASKED, .command = LIST(SAYS_READY),
                                            .ready_log = "is open"};
static const struct custom_server by_command = {USUAL(LIMIT_S), .command = LIST(SAYS_READY),
                                                .ready_command =
                                                    LIST("test", "-e", "{data}/../said")};
static const struct {
    struct test_group group;
} speakers[] = {{{.kind = "custom", .custom = &by_log}},
                {{.kind = "custom", .custom = &by_command}}};

static bool has_said(const struct node *node)
{
    AUTO_FREE char *path = path_join(node->home, "said");
    return access(path, F_OK) == 0;
}

SERVERS_TEST_OF_EACH(a_server_is_ready_when_its_log_or_a_command_says_so_of_this_start, speakers)
{
    AUTO_FREE char *path = path_join(node->home, "said");
    assert_true(has_said(node));
    die(node);
    assert_int_equal(unlink(path), 0);
    come_back(node, LOSS_NONE);
    assert_true(has_said(node));
}

static void expect_refusal(const struct custom_server *custom, const char *words)
{
    struct test_server server;
    struct error error = {0};
    int result =
        test_group_open(&server, (struct test_group){.kind = "custom", .custom = custom}, &error);
    if (result == 0 || strstr(error.text, words) == NULL)
        fail_msg("%s", result == 0 ? "it came up" : error.text);
}

TEST(a_server_that_does_not_come_up_is_told_with_what_it_said)
{
    const struct custom_server missing = {USUAL(LIMIT_S), NOT_ASKED,
                                          .command = LIST("/no/such/program")};
    const struct custom_server ends = {USUAL(LIMIT_S), NOT_ASKED,
                                       .command = LIST("sh", "-c", "echo no room; exit 1")};
    const struct custom_server silent = {USUAL(1), NOT_ASKED, .command = LIST("sleep", "1000")};
    expect_refusal(&missing, "/no/such/program");
    expect_refusal(&ends, "no room");
    expect_refusal(&silent, "within 1 s");
}

TEST(a_library_can_be_loaded_into_what_is_not_linked_statically)
{
    const struct custom_server script = {.command = LIST("./lock-service.py"),
                                         .folder = "scripts/drivers"};
    const struct custom_server program = {.command = LIST("sh")};
    assert_true(custom_takes_preload(&script));
    assert_true(custom_takes_preload(&program));
    // The smallest header of a program that has no interpreter.
    Elf64_Ehdr header = {.e_ident = ELFMAG, .e_phoff = sizeof header, .e_phnum = 1};
    Elf64_Phdr segment = {.p_type = PT_LOAD};
    char path[] = "/tmp/lockpick-custom-test-XXXXXX";
    int file = mkstemp(path);
    assert_int_equal(write(file, &header, sizeof header), sizeof header);
    assert_int_equal(write(file, &segment, sizeof segment), sizeof segment);
    fchmod(file, 0700);
    close(file);
    const struct custom_server lone = {.command = LIST(path)};
    assert_false(custom_takes_preload(&lone));
    unlink(path);
}
