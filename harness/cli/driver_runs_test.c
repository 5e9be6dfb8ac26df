// The drivers that ship, each with the library whose lock it tries, on a real server. What a
// library is missing for is skipped, and the command that installs it is said. (template.py,
// native/flock.c, and other ways to use redis-py's lock: see exec_runs_test.)
#include "harness/cli/test_foreign.h"
#include "harness/report/test_json_path.h"
#include "harness/testing/test.h"

#define OPERATIONS 20
#define PLACE "../../scripts/drivers"

static char folder[] = "/tmp/lockpick-driver-runs-XXXXXX";
static json_t *result_json;

// Adds the programs among the schemes of scenarios/bench/clients.yaml, that they stay right; of two
// that differ by an argument one will do where it takes seconds.
static void add_programs(const char *scenario, struct text *out)
{
    bool is_program = false;
    const char *line = strstr(scenario, "\nschemes:\n") + strlen("\nschemes:\n");
    for (; strncmp(line, "expect:", 7) != 0; line = strchr(line, '\n') + 1) {
        const char *next = strchr(line, '\n') + 1;
        if (strncmp(line, "  - ", 4) == 0)
            is_program = strncmp(line, "  - exec:\n", 10) == 0 &&
                         strncmp(next, "      name: curator-semaphore\n", 30) != 0;
        if (is_program)
            text_add_bytes(out, line, (size_t)(next - line));
    }
}

// Its lock has no lease, so that clients-faults.yaml is not for it, nor is clients.yaml.
static const char of_mysql[] =
    "  - exec:\n"
    "      name: pymysql\n"
    "      command: [/usr/bin/python3, " PLACE "/pymysql-lock.py, get-lock]\n"
    "      servers: mysql\n"
    "      traits: [exclusive, session, owner-checked]\n"
    "      needs: /usr/lib/python3/dist-packages/pymysql/__init__.py\n"
    "      install: scripts/setup --with drivers\n"
    "      patience: 60s\n";

// One run of all of them, as they share their servers.
static int run_drivers(void **state)
{
    (void)state;
    struct text shipped = {0};
    struct text scenario = {0};
    struct text json = {0};
    char *drivers = realpath("scripts/drivers", NULL);
    if (drivers == NULL || test_folder_make(folder) != 0 ||
        file_read("scenarios/bench/clients.yaml", &shipped, NULL) != 0)
        return -1;
    text_format(&scenario,
                "version: 1\nname: drivers\nabout: For a test.\n"
                "workload: {kind: increment, operations: %d}\n"
                "clients: {processes: 2}\n"
                "lock: {lease: 10s, wait: 30s, retry: 5ms, request: 5s}\nschemes:\n",
                OPERATIONS);
    add_programs(shipped.bytes, &scenario);
    text_add(&scenario, of_mysql);
    while (foreign_replace(&scenario, PLACE, drivers)) {
    }
    struct command_result result = foreign_run(folder, "drivers", scenario.bytes, "--quiet");
    foreign_read(folder, "drivers/result.json", &json);
    result_json = json_loads(text_string(&json), 0, NULL);
    if (result_json == NULL)
        fprintf(stderr, "%s", text_string(&result.errors));
    command_free(&result);
    text_free(&json);
    text_free(&scenario);
    text_free(&shipped);
    free(drivers);
    return result_json == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    (void)state;
    json_decref(result_json);
    return test_folder_remove(folder);
}

static json_t *trial_of(const char *scheme)
{
    json_t *trials = json_at(result_json, "trials");
    for (size_t i = 0; i < json_array_size(trials); i++) {
        json_t *trial = json_array_get(trials, i);
        if (strcmp(json_string_value(json_at(trial, "scheme")), scheme) == 0)
            return trial;
    }
    fail_msg("%s was not run; is it in scenarios/bench/clients.yaml?", scheme);
    return NULL;
}

static void its_lock_is_taken_and_released(void **state)
{
    json_t *trial = trial_of(*state);
    const char *verdict = json_string_value(json_at(trial, "verdict"));
    const char *reason = json_string_value(json_at(trial, "reason"));
    if (strcmp(verdict, "SKIPPED") == 0) {
        print_message("%s\n", reason);
        skip();
    }
    // On a busy machine it may be that nobody competed: UNKNOWN.
    if (strcmp(verdict, "SAFE") != 0 && strcmp(verdict, "UNKNOWN") != 0)
        fail_msg("%s: %s: %s", (const char *)*state, verdict, reason);
    assert_int_equal(json_integer_value(json_at(trial, "statistics.holds")), OPERATIONS);
    assert_int_equal(json_integer_value(json_at(trial, "statistics.release.count")), OPERATIONS);
    assert_int_equal(json_integer_value(json_at(trial, "statistics.unknown")), 0);
}

// What a scenario says between `schemes:` and the next key.
static struct text schemes_of(const char *path)
{
    struct text scenario = {0};
    struct text schemes = {0};
    assert_int_equal(file_read(path, &scenario, NULL), 0);
    const char *line = strstr(scenario.bytes, "\nschemes:\n") + strlen("\nschemes:\n");
    for (const char *next; *line == ' '; line = next) {
        next = strchr(line, '\n') + 1;
        text_add_bytes(&schemes, line, (size_t)(next - line));
    }
    text_free(&scenario);
    return schemes;
}

TEST_GROUP(run_drivers, remove_folder);

// So that a report of all of them has no gaps.
TEST(what_clients_cost_and_what_breaks_them_is_tried_of_the_same_schemes)
{
    static const char *const others[] = {"scenarios/bench/clients-faults.yaml",
                                         "scenarios/bench/clients-pause.yaml"};
    struct text wanted = schemes_of("scenarios/bench/clients.yaml");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct text schemes = schemes_of(others[i]);
        if (strcmp(schemes.bytes, wanted.bytes) != 0)
            fail_msg("%s has other schemes than clients.yaml", others[i]);
        text_free(&schemes);
    }
    text_free(&wanted);
}

#define DRIVER(test_name, scheme)                                                                  \
    TEST_OF(test_name, its_lock_is_taken_and_released, .initial_state = scheme)

DRIVER(the_lock_of_redis_py_is_taken_and_released, "redis-py");
DRIVER(the_lock_of_redlock_4_is_taken_and_released, "node-redlock-4");
DRIVER(the_lock_of_redlock_5_is_taken_and_released, "node-redlock-5");
DRIVER(the_lock_of_sesamecare_redlock_is_taken_and_released, "sesamecare-redlock");
DRIVER(the_lock_of_redis_semaphore_is_taken_and_released, "redis-semaphore");
DRIVER(the_lock_of_symfony_is_taken_and_released, "symfony");
DRIVER(the_lock_of_kazoo_is_taken_and_released, "kazoo");
DRIVER(the_lock_of_curator_is_taken_and_released, "curator");
DRIVER(the_lock_of_pymysql_is_taken_and_released, "pymysql");
DRIVER(the_lock_of_etcdctl_is_taken_and_released, "etcdctl");
DRIVER(the_lock_of_etcds_lock_service_is_taken_and_released, "etcd-lock-service");
