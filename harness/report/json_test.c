// result.json: each value where it belongs, null where nothing is known, and each key documented.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/report/test_run.h"

#include <ctype.h>
#include <math.h>

static json_t *json;

static int end(void **state)
{
    json_decref(json);
    json = NULL;
    json_decref(test.results[0].evidence);
    return test_run_teardown(state);
}

// What is written of the run as it is now.
static const json_t *written(void)
{
    AUTO_FREE char *text = report_json(test_report(&test.run));
    json_error_t error;
    assert_lacks(text, "nan");
    assert_lacks(text, "NaN");
    json_decref(json);
    json = json_loads(text, 0, &error);
    if (json == NULL)
        fail_msg("%s in %s", error.text, text);
    return json;
}

static const json_t *first_trial(const char *key)
{
    const json_t *value = json_object_get(json_find(written(), "trials.0"), key);
    assert_non_null(value);
    return value;
}

// An acquire of an open loop, that began 8 ms late and took 2 ms.
static struct trial_result *add_measured(void)
{
    struct trial_result *result = ADD("redis-setnx", SAFE, NONE);
    test_model(&test)->hold_count = 0;
    test_hold(&test, 1, 10, 12, 30)->intended_ns = AT(2);
    statistics_make(&test.model, &result->statistics);
    (void)latencies_write(&test.model, NULL, &result->latencies, NULL);
    return result;
}

TEST_WITH(an_empty_run_is_valid, test_run_setup, end)
{
    assert_json_all(written(), (const char *const[][2]){{"schema", "\"lockpick-result-1\""},
                                                        {"trials", "[]"},
                                                        {"exit_code", "0"},
                                                        {NULL, NULL}});
}

TEST_WITH(a_violation_is_there_in_full, test_run_setup, end)
{
    struct trial_result *result = ADD("redis-setnx", UNSAFE, MISSED);
    struct finding *finding = test_find(result, &test_stale_holder, true);
    finding->evidence = (struct evidence){{3, SIZE_MAX}, {SIZE_MAX, 5}, AT(20), AT(50)};
    finding->windows = (struct distribution){2, 1, 2, 3, 4};
    result->evidence = json_pack("{s:s}", "property", "stale-holder");
    result->plots[PICTURE_THROUGHPUT].svg = "<svg></svg>";
    result->plots[PICTURE_SLICES].is_drawn = true;
    test_model(&test);
    test_hold(&test, 1, 0, 1, 2);
    statistics_make(&test.model, &result->statistics);
    strcpy(result->judgement.reason, "12 µs, then 13 \xc2"); // cut inside a character
    static const char *const rows[][2] = {
        {"seed", "\"18446744073709551615\""},
        {"exit_code", "1"},
        {"trials.0.verdict", "\"UNSAFE\""},
        {"trials.0.reason", "\"12 µs, then 13 ?\""},
        {"trials.0.seed", "\"7\""},
        {"trials.0.expectation.result", "\"missed\""},
        {"trials.0.scenario.clients.placement", "\"free\""},
        {"trials.0.scenario.lock.lease_ns", "300000000"},
        {"trials.0.findings.0.property", "\"stale-holder\""},
        {"trials.0.findings.0.state", "\"violated\""},
        {"trials.0.findings.0.harmless", "true"},
        {"trials.0.findings.0.windows.max_ns", "4"},
        {"trials.0.findings.0.evidence",
         "{\"from_at_ns\":20000000,\"to_at_ns\":50000000,\"holds\":[3],\"accesses\":[5]}"},
        {"trials.0.evidence.property", "\"stale-holder\""},
        {"trials.0.statistics.holds", "1"},
        {"trials.0.statistics.hand_off", "null"},
        {"trials.0.files", "[\"throughput.svg\",\"latency-over-time.svg\"]"},
        {NULL, NULL}};
    assert_json_all(written(), rows);
}

TEST_WITH(only_a_leader_has_a_term, test_run_setup, end)
{
    test.scenario.workload.acts = 7;
    test.scenario.workload.every_ns = 30;
    ADD("redis-setnx", SAFE, NONE);
    assert_null(json_find(first_trial("scenario"), "workload.term"));
    test.scenario.workload.kind = (char[]){"leader"};
    assert_json_all(
        first_trial("scenario"),
        (const char *const[][2]){{"workload.term", "{\"acts\":7,\"every_ns\":30}"}, {NULL, NULL}});
}

TEST_WITH(all_that_was_asked_of_the_lock_is_there, test_run_setup, end)
{
    struct load_settings phases[] = {
        {.for_ns = NS_PER_S, .clients = 1, .warm_up = true},
        {.rate = 1800, .to = 2 * INT64_C(3600), .arrivals = ARRIVALS_FIXED}};
    test.scenario.load = phases;
    test.scenario.load_count = 2;
    test.scenario.workload.permits = 3;
    test.scenario.workload.readers = 90;
    test.scenario.workload.depth = 2;
    test.scenario.workload.jobs = 100;
    test.scenario.workload.boundary = BOUNDARY_WRAPPED;
    test.scenario.clients.start_first.client = 1;
    test.scenario.servers[0] = (struct server_settings){.kind = "redis", .nodes = 7};
    test.scenario.servers[1] = (struct server_settings){
        .kind = "mysql", .external = (char[]){"mysql://user:secret@host/"}};
    ADD("redis-setnx", SAFE, NONE);
    static const char *const rows[][2] = {
        {"workload.permits", "3"},
        {"workload.readers", "90"},
        {"workload.depth", "2"},
        {"workload.jobs", "100"},
        {"workload.boundary", "\"wrapped\""},
        {"clients.start_first", "1"},
        {"servers.redis.nodes", "7"},
        {"servers.mysql", "{\"topology\":null,\"nodes\":0,\"persistence\":\"none\","
                          "\"external\":true}"}, // and no word of its password
        {"load.0.for_ns", "1000000000"},
        {"load.0.clients", "1"},
        {"load.0.warm_up", "true"},
        {"load.0.rate", "null"},
        {"load.1.for_ns", "null"},
        {"load.1.rate", "0.5"},
        {"load.1.to", "2.0"},
        {"load.1.arrivals", "\"fixed\""},
        {NULL, NULL}};
    assert_json_all(first_trial("scenario"), rows);
    assert_int_equal(json_object_size(json_find(json, "trials.0.scenario.servers")), 2);
}

// --- statistics ----------------------------------------------------------------------------------

TEST_WITH(every_figure_is_there, test_run_setup, end)
{
    struct trial_result *result = add_measured();
    struct statistics *statistics = &result->statistics;
    statistics->due = 9;
    statistics->begun = 1;
    statistics->commands_per_hold = 2.5;
    statistics->driver_bound = (struct driver_bound){true, "why", {[PERCENTILE_p999] = true}};
    statistics->recoveries =
        (struct recoveries){.items = {{2, 10, TIME_NEVER, 30, -1}}, .count = 1};
    statistics->worst_stalls[0] = (struct stall){
        .from_ns = 3, .to_ns = 9, .of = STALLED_SERVER, .number = 1, .server = "redis-1"};
    statistics->worst_stall_count = 1;
    statistics->resources = (struct resources){
        .is_known = true,
        .covered_ns = 5,
        .machine_busy_ns = 8,
        .processors = 2,
        .clients = {.processes = 2, .processor_ns = 7, .knows_network = true, .sent_bytes = 4}};
    static const char *const rows[][2] = {
        {"counted_ns", "1000000000"},
        {"expired_grants", "0"},
        {"acquire.p9999_ns", "10000000"},
        {"acquire_uncorrected.p50_ns", "2000000"},
        {"acquire_on_time.max_ns", "2000000"},
        {"lateness.max_ns", "8000000"},
        {"load", "{\"due\":9,\"begun\":1}"},
        {"commands_per_hold", "2.5"},
        {"least_grants", "1"},
        {"driver_bound", "{\"is_bound\":true,\"reason\":\"why\",\"late\":[\"p99.9\"]}"},
        {"recoveries.0", "{\"fault\":2,\"after_effect_ns\":10,\"after_heal_ns\":null,"
                         "\"unavailable_ns\":30}"},
        {"worst_stalls.0", "{\"of\":\"redis-1\",\"from_ns\":3,\"length_ns\":6}"},
        {"resources.machine_busy_ns", "8"},
        {"resources.clients.processor_ns", "7"},
        {"resources.clients.sent_bytes", "4"},
        {"resources.clients.is_complete", "false"},
        {"resources.clients.voluntary_switches", "null"},
        {"resources.servers", "null"},
        {NULL, NULL}};
    assert_json_all(first_trial("statistics"), rows);
    statistics->leased = 0;
    assert_json(first_trial("statistics"), "expired_grants", "null");
}

TEST_WITH(what_was_not_measured_is_null, test_run_setup, end)
{
    struct trial_result *result = ADD("redis-setnx", SAFE, NONE);
    statistics_make(test_model(&test), &result->statistics);
    result->statistics.holds_per_second = INFINITY;
    result->statistics.fairness = NAN;
    static const char *const nothing[] = {
        "acquire",   "acquire_uncorrected", "lateness",         "acquire_on_time",
        "load",      "commands_per_hold",   "holds_per_second", "fairness",
        "resources", "driver_bound.reason"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        assert_json(first_trial("statistics"), nothing[i], "null");
    assert_json(first_trial("statistics"), "recoveries", "[]");
    assert_json(first_trial("statistics"), "phases", "[]");
}

TEST_WITH(each_phase_has_figures_of_its_own, test_run_setup, end)
{
    struct load_phase phases[] = {
        {.from_ns = AT(0), .to_ns = AT(20), .clients = 1, .counts = false},
        {AT(20), AT(520), 3, 7000, true}};
    struct trial_result *result = ADD("redis-setnx", SAFE, NONE);
    test_model(&test)->phases = phases;
    test.model.phase_count = 2;
    test_hold(&test, 1, 60, 70, 80)->intended_ns = AT(40);
    test.model.due_operations = test.model.begun_operations = 1;
    (void)latencies_write(&test.model, NULL, &result->latencies, NULL);
    static const char *const rows[][2] = {{"0.counts", "false"},
                                          {"0.acquire", "null"},
                                          {"1.from_ns", "20000000"},
                                          {"1.to_ns", "520000000"},
                                          {"1.clients", "3"},
                                          {"1.rate_per_1000_s", "7000"},
                                          {"1.grants", "1"},
                                          {"1.holds_per_second", "2.0"},
                                          {"1.due", "1"},
                                          {"1.held", "1"},
                                          {"1.acquire.max_ns", "30000000"},
                                          {NULL, NULL}};
    assert_json_all(json_object_get(first_trial("statistics"), "phases"), rows);
}

TEST_WITH(repeats_have_one_cost_and_one_histogram, test_run_setup, end)
{
    AUTO(histogram_free) struct histogram both = {0};
    AUTO_TEXT struct text encoded = {0};
    for (int i = 0; i < 2; i++)
        histogram_merge(&both, &add_measured()->latencies.histograms[LATENCY_ACQUIRE]);
    histogram_encode(&both, &encoded);
    ADD("none", SKIPPED, NONE)->has_history = false;
    static const char *const rows[][2] = {
        {"costs.0.scheme", "\"redis-setnx\""},
        {"costs.0.repeats", "2"},
        {"costs.0.holds_per_second.median", "1.0"},
        // 8 of the 10 ms from the intended beginning were the driver's.
        {"costs.0.late", "[\"p50\",\"p90\",\"p95\",\"p99\",\"p99.9\",\"p99.99\",\"max\"]"},
        {"costs.0.acquire.count", "2"},
        {"costs.0.acquire.max_ns", "10000000"},
        {"costs.0.hand_off", "null"},
        {"costs.0.histograms.hand_off", "null"},
        {"trials.2.statistics", "null"},
        {"trials.2.evidence", "null"},
        {NULL, NULL}};
    assert_json_all(written(), rows);
    assert_int_equal(json_array_size(json_find(json, "costs")), 1);
    assert_string_equal(json_string_value(json_find(json, "costs.0.histograms.acquire")),
                        encoded.bytes);
}

// --- liveness, fairness, herd --------------------------------------------------------------------

TEST_WITH(waits_shares_and_requests_are_there_or_null, test_run_setup, end)
{
    static const char *const fair[] = {"exclusive", "fair", NULL};
    struct statistics *statistics = &ADD("redis-setnx", SAFE, NONE)->statistics;
    test.trials[0].traits = fair;
    statistics->liveness = (struct liveness){.after_release = {3, 10, 20, 30},
                                             .heals = {{2, 77}},
                                             .heal_count = 1,
                                             .longest_wait_ns = 40,
                                             .unserved_ns = 50};
    statistics->turns = (struct fairness){.workers = 4,
                                          .jain = 0.5,
                                          .least_grants = 1,
                                          .most_grants = 5,
                                          .grants = 10,
                                          .order = ORDER_QUEUED,
                                          .contested = 8,
                                          .out_of_turn = 2,
                                          .overtaken = 1,
                                          .deepest = 2,
                                          .deepest_wait_ns = 99};
    statistics->herd = (struct herd){.is_known = true,
                                     .grants = 4,
                                     .acquire_requests = 30,
                                     .release_requests = 4,
                                     .renewals = 1,
                                     .wakeups = 28};
    static const char *const rows[][2] = {
        {"liveness.after_release", "{\"count\":3,\"p50_ns\":10,\"p99_ns\":20,\"max_ns\":30}"},
        {"liveness.after_crash", "null"},
        {"liveness.after_expiry", "null"},
        {"liveness.after_heal", "null"},
        {"liveness.heals", "[{\"fault\":2,\"wait_ns\":77}]"},
        {"liveness.longest_wait_ns", "40"},
        {"liveness.unserved_ns", "50"},
        {"fairness.workers", "4"},
        {"fairness.jain", "0.5"},
        {"fairness.least_share", "0.1"},
        {"fairness.most_share", "0.5"},
        {"fairness.promised", "true"},
        {"fairness.turns.proven", "true"},
        {"fairness.turns.contested", "8"},
        {"fairness.turns.out_of_turn", "2"},
        {"fairness.turns.out_of_turn_share", "0.25"},
        {"fairness.turns.deepest", "2"},
        {"fairness.turns.deepest_wait_ns", "99"},
        {"herd.grants", "4"},
        {"herd.requests_per_grant", "8.5"},
        {"herd.acquire_requests_per_grant", "7.5"},
        {"herd.release_requests_per_grant", "1.0"},
        {"herd.renewals_per_grant", "0.25"},
        {"herd.wakeups_per_grant", "7.0"},
        {NULL, NULL}};
    assert_json_all(json_find(written(), "trials.0"), rows);
}

TEST_WITH(what_may_be_known_or_not_is_true_false_or_null, test_run_setup, end)
{
    struct statistics *statistics = &ADD("redis-setnx", SAFE, NONE)->statistics;
    statistics->turns.order = ORDER_ASKED;
    assert_json(first_trial("fairness"), "turns.proven", "false");
    static const char *const orphans[] = {"null", "false", "true"};
    for (enum residual_lock left = RESIDUAL_UNKNOWN; left <= RESIDUAL_ORPHAN; left++) {
        statistics->liveness.left = left;
        assert_json(first_trial("liveness"), "orphan", orphans[left]);
    }
}

TEST_WITH(what_is_not_known_is_null, test_run_setup, end)
{
    struct trial_result *result = ADD("redis-setnx", SAFE, NONE);
    static const char *const rows[][2] = {
        {"fairness.jain", "null"},  {"fairness.least_share", "null"},
        {"fairness.turns", "null"}, {"fairness.promised", "false"},
        {"herd", "null"},           {NULL, NULL}};
    static const char *const nothing[][2] = {
        {"liveness", "null"}, {"fairness", "null"}, {"herd", "null"}, {NULL, NULL}};
    assert_json_all(json_find(written(), "trials.0"), rows);
    result->statistics.herd = (struct herd){.is_known = true, .acquire_requests = 3};
    assert_json(first_trial("herd"), "requests_per_grant", "null");
    result->has_history = false;
    assert_json_all(json_find(written(), "trials.0"), nothing);
}

// --- documents -----------------------------------------------------------------------------------

static bool is_part_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_documented(const char *documents, const char *key)
{
    for (const char *at = documents; (at = strstr(at, key)) != NULL; at++) {
        if (!is_part_of_word(at[-1]) && !is_part_of_word(at[strlen(key)]))
            return true;
    }
    return false;
}

static size_t walk(const char *documents, const json_t *value)
{
    size_t keys = 0;
    const char *key;
    json_t *item;
    size_t index;
    json_array_foreach(value, index, item)
    {
        keys += walk(documents, item);
    }
    json_object_foreach((json_t *)(size_t)value, key, item)
    {
        if (!is_documented(documents, key))
            fail_msg("result.json has the key '%s', which nothing documents", key);
        keys += 1 + walk(documents, item);
    }
    return keys;
}

TEST_WITH(each_key_is_documented, test_run_setup, end)
{
    struct error error;
    AUTO_TEXT struct text documents = {0};
    MUST_BE(0, file_read("harness/report/FORMATS.md", &documents, &error));
    struct trial_result *result = add_measured();
    test_find(result, &test_stale_holder, false)->windows =
        (struct distribution){.count = 1, .min_ns = 1, .median_ns = 1, .p90_ns = 1, .max_ns = 1};
    result->statistics.due = result->statistics.begun = 1;
    result->statistics.worst_stall_count = 1;
    result->statistics.recoveries = (struct recoveries){.count = 1};
    result->statistics.resources =
        (struct resources){.is_known = true, .clients = {.processes = 1}};
    assert_true(is_documented(documents.bytes, "holds_per_second"));
    assert_false(is_documented(documents.bytes, "holds_per_secon"));
    assert_true(walk(documents.bytes, written()) > 150);
}
