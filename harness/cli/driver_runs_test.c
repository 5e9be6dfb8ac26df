// The drivers that ship, each with the library whose lock it tries, on a real server. What a
// library is missing for is skipped, and the command that installs it is said. (template.py,
// native/flock.c, and other ways to use redis-py's lock: see exec_runs_test.) The checkout that
// they are in has a path that no shell, URL or list of paths takes as it is.
#include "harness/cli/test_runs.h"
#include "harness/report/test_json_path.h"

#define OPERATIONS 20
#define PLACE "../../scripts/drivers"

#define CHECKOUT "/Z\u00e4 \u0141\"q' #:,=%s $HOME `x`\n;&<a>{b}*?" // in the folder
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

// Makes a checkout with the drivers and that scenario in it.
static void make_checkout(const char *name, const char *scenario)
{
    struct text path = {0};
    text_format(&path, "%s%s/scripts", folder, name);
    assert_int_equal(folder_make(path.bytes, NULL), 0);
    setenv("CHECKOUT_SCRIPTS", path.bytes, 1);
    text_free(&path);
    assert_int_equal(system("cp -r scripts/drivers \"$CHECKOUT_SCRIPTS/\""), 0);
    text_format(&path, "%s%s/scenarios/bench", folder, name);
    assert_int_equal(folder_make(path.bytes, NULL), 0);
    write_in(path.bytes, "drivers.yaml", scenario);
    setenv("CHECKOUT_SCENARIOS", path.bytes, 1);
    text_free(&path);
}

// Runs the scenario of the checkout that was made last; the result is to be freed.
static json_t *run_in_checkout(void)
{
    char *path = path_join(getenv("CHECKOUT_SCENARIOS"), "out/result.json");
    struct command_result result =
        run_lockpick("run \"$CHECKOUT_SCENARIOS/drivers.yaml\" --keep-going --jobs 3 --quiet "
                     "--out \"$CHECKOUT_SCENARIOS/out\"");
    json_t *json = json_load_file(path, 0, NULL);
    if (json == NULL)
        fprintf(stderr, "%s", text_string(&result.errors));
    command_free(&result);
    free(path);
    return json;
}

// One run of all of them, as they share their servers.
static int run_drivers(void **state)
{
    struct text shipped = {0};
    struct text scenario = {0};
    if (make_test_folder(state) != 0 ||
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
    make_checkout(CHECKOUT, scenario.bytes);
    result_json = run_in_checkout();
    text_free(&scenario);
    text_free(&shipped);
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

// Node finds no module by a URL with a backslash in it; what a library is lost for says so.
TEST(under_a_path_with_a_backslash_locks_in_javascript_work_or_say_why_not)
{
    static const char scenario[] =
        "version: 1\nname: drivers\nabout: For a test.\nworkload: {kind: increment, operations: "
        "4}\n"
        "clients: {processes: 2}\nschemes:\n"
        "  - exec: {name: redlock-4, command: [node, " PLACE "/node/redlock.js, redlock-4],\n"
        "           servers: redis, traits: [exclusive, lease], patience: 60s,\n"
        "           needs: [node, " PLACE "/node/node_modules/redlock-4/package.json]}\n"
        "  - exec: {name: redlock-5, command: [node, " PLACE "/node/redlock.js, redlock-5],\n"
        "           servers: redis, traits: [exclusive, lease], patience: 60s,\n"
        "           needs: [node, " PLACE "/node/node_modules/redlock-5/package.json]}\n";
    make_checkout("/back\\slash", scenario);
    json_t *json = run_in_checkout();
    const char *verdicts[2];
    for (size_t i = 0; i < 2; i++)
        verdicts[i] =
            json_string_value(json_at(json_array_get(json_at(json, "trials"), i), "verdict"));
    if (strcmp(verdicts[0], "SKIPPED") == 0) {
        json_decref(json);
        skip();
    }
    assert_string_not_equal(verdicts[0], "ERROR");
    assert_string_equal(verdicts[1], "ERROR");
    assert_non_null(
        strstr(json_string_value(json_at(json_array_get(json_at(json, "trials"), 1), "reason")),
               "with a \\ in its path: move the checkout"));
    json_decref(json);
}

#define SHIPPED(test_name, scheme)                                                                 \
    TEST_OF(test_name, its_lock_is_taken_and_released, .initial_state = scheme)

SHIPPED(the_lock_of_redis_py_is_taken_and_released, "redis-py");
SHIPPED(the_lock_of_redlock_4_is_taken_and_released, "node-redlock-4");
SHIPPED(the_lock_of_redlock_5_is_taken_and_released, "node-redlock-5");
SHIPPED(the_lock_of_sesamecare_redlock_is_taken_and_released, "sesamecare-redlock");
SHIPPED(the_lock_of_redis_semaphore_is_taken_and_released, "redis-semaphore");
SHIPPED(the_lock_of_symfony_is_taken_and_released, "symfony");
SHIPPED(the_lock_of_kazoo_is_taken_and_released, "kazoo");
SHIPPED(the_lock_of_curator_is_taken_and_released, "curator");
SHIPPED(the_lock_of_pymysql_is_taken_and_released, "pymysql");
SHIPPED(the_lock_of_etcdctl_is_taken_and_released, "etcdctl");
SHIPPED(the_lock_of_etcds_lock_service_is_taken_and_released, "etcd-lock-service");
