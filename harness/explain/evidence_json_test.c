// The evidence of a violation for machines.
#include "harness/explain/diagnosis.h"
#include "harness/testing/test.h"

#include "harness/check/build_history_test_support.h"

#include <jansson.h>

static struct build build;

static int start(void **state)
{
    (void)state;
    build_start(&build, "increment");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    build_free(&build);
    return 0;
}

static double number_of(const json_t *object, const char *key)
{
    assert_true(json_is_real(json_object_get(object, key)));
    return json_real_value(json_object_get(object, key));
}

TEST_WITH(the_evidence_is_there_for_machines, start, stop)
{
    build_fault(&build, "pause", 1, 2, 320);
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 300, 7);
    build_acquire(&build, 2, 2, 1, 310, 610, 8);
    build_write(&build, 2, 2, 312, 1, 0, 0, OUTCOME_OK);
    build_write(&build, 1, 1, 321, 1, 0, 0, OUTCOME_OK);
    build_release(&build, 1, 1, 330, 331, RELEASE_NOT_OWNER);
    build_release(&build, 2, 2, 332, 333, RELEASE_RELEASED);
    build_stop(&build, 500, STOP_DONE);
    build_final(&build, 501, 1);
    build_judge(&build);
    char *text = evidence_json(&build.model, &build.judgement);
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    json_t *hold = json_array_get(json_object_get(object, "holds"), 0);
    json_t *stretched = json_object_get(hold, "stretched");
    size_t event = (size_t)json_integer_value(json_object_get(hold, "grant_event"));
    assert_string_equal(json_string_value(json_object_get(object, "property")), "stale-holder");
    assert_true(number_of(object, "from_s") > 0.3099 && number_of(object, "from_s") < 0.3101);
    assert_true(number_of(hold, "granted_s") > 0.0009 && number_of(hold, "granted_s") < 0.0011);
    assert_int_equal(json_integer_value(json_object_get(hold, "token")), 7);
    assert_string_equal(json_string_value(json_object_get(stretched, "by")), "fault");
    assert_true(number_of(stretched, "length_s") > 0.317 &&
                number_of(stretched, "length_s") < 0.319);
    assert_int_equal(build.events[event].kind, EVENT_ACQUIRE_RETURN);
    assert_int_equal(json_array_size(json_object_get(object, "accesses")), 2);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(object, "store"), "lost")),
                     1);
    assert_int_equal(json_array_size(json_object_get(object, "also")), 2);
    json_decref(object);
    free(text);
}

TEST_WITH(of_a_peaceful_trial_there_is_no_evidence, start, stop)
{
    build_begin(&build, 0);
    build_hold(&build, 1, 1, 0, 1, 300);
    build_stop(&build, 500, STOP_DONE);
    build_final(&build, 501, 0);
    build_judge(&build);
    char *text = evidence_json(&build.model, &build.judgement);
    assert_string_equal(text, "");
    free(text);
}
