#include "harness/base/text.h"
#include "harness/scenario/keys.h"
#include "harness/scenario/test_parsing.h"
#include "harness/scenario/trigger.h"
#include "harness/testing/text.h"

static char *reference(void)
{
    return PRINTED(scenario_print_reference(out, &test_vocabulary));
}

TEST(the_example_of_the_reference_is_a_valid_scenario)
{
    AUTO_FREE char *text = reference();
    const char *heading = strstr(text, "A complete example\n");
    assert_non_null(heading);
    struct scenario *scenario = parse(strchr(heading, '\n') + 1);
    assert_int_equal(scenario->fault_count, 2);
    assert_int_equal(scenario->expectation_count, 1);
}

static void expect_keys_of(const struct section *section, const char *text)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const struct key *key = &section->keys[i];
        assert_non_null(strstr(text, key->help));
        assert_true(key->required || key->fallback != NULL || key->fallback_text != NULL);
        if (key->name != NULL)
            assert_non_null(strstr(text, key->name));
        if (key->section != NULL)
            expect_keys_of(key->section, text);
    }
}

TEST(every_key_of_the_table_is_explained)
{
    AUTO_FREE char *text = reference();
    expect_keys_of(&scenario_section, text);
}

TEST(every_word_of_the_vocabulary_and_the_grammars_is_named)
{
    const char *const *const lists[] = {test_schemes, test_traits,   test_workloads, test_stores,
                                        test_faults,  test_commands, test_properties};
    AUTO_FREE char *text = reference();
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (size_t j = 0; lists[i][j] != NULL; j++)
            assert_non_null(strstr(text, lists[i][j]));
    }
    assert_non_null(strstr(text, "the same with 'or " DEFAULT_BOUND "'\n"));
    assert_non_null(strstr(text, "PHASE is acquire, release, renew, read or write\n"));
    assert_non_null(
        strstr(text, "DOES is holds, reads, writes, releases, dies, tries, renews or loses\n"));
}

TEST(no_section_has_more_keys_than_a_binding_keeps_track_of)
{
    for (size_t i = 0; i < scenario_section.key_count; i++) {
        const struct section *section = scenario_section.keys[i].section;
        assert_true(section == NULL || section->key_count <= MAX_KEYS);
    }
    assert_true(scenario_section.key_count <= MAX_KEYS);
}
