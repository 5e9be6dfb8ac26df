// The evidence of a violation for machines.
#include "harness/explain/diagnosis.h"
#include "harness/testing/test.h"

#include "harness/check/test_history.h"

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
    build_rows(&build, "2-320 fault pause client-1\n"
                       "0 start\n"
                       "0-1 client-1 acquire lease=300 token=7\n"
                       "1-310 client-2 acquire lease=609 token=8\n"
                       "312 client-2 write 1 saw=0\n"
                       "321 client-1 write 1 saw=0\n"
                       "330-331 client-1 release not-owner\n"
                       "332-333 client-2 release\n"
                       "500 stop\n"
                       "501 final 1");
    build_judge(&build);
    json_auto_t *object = evidence_json(&build.model, &build.judgement);
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
}

TEST_WITH(of_a_peaceful_trial_there_is_no_evidence, start, stop)
{
    build_rows(&build, "0 start\n0-1 client-1 hold lease=300\n500 stop\n501 final 0");
    build_judge(&build);
    assert_null(evidence_json(&build.model, &build.judgement));
}
