// The schemes that need no server, and the list of traits itself.
#include "harness/locks/test_contract.h"
#include "harness/testing/test.h"

static const struct contract local_contract = {.server = NULL};

CONTRACT_GROUP(local_contract);

SCHEME_TEST(inside_one_process_a_local_scheme_keeps_the_neighbour_out, IS("process-mutex"))
{
    struct grant grant;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    struct lock neighbour = fixture->locks[0]; // another worker of the same client
    assert_int_equal(lock_acquire(&neighbour, &grant), OUTCOME_NO);
    lock_release(&fixture->locks[0]);
    assert_int_equal(lock_acquire(&neighbour, &grant), OUTCOME_OK);
    lock_release(&neighbour);
}

TEST(a_scheme_names_its_server_among_its_traits_and_only_that)
{
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        const struct lock_scheme *scheme = lock_catalogue[i];
        for (size_t j = 0; server_catalogue[j] != NULL; j++) {
            const char *server = server_catalogue[j]->name;
            hold_to(scheme,
                    (scheme->server != NULL && strcmp(scheme->server, server) == 0) ==
                        lock_scheme_has(scheme, server),
                    "the trait that names its server is wrong");
        }
        for (size_t j = 0; scheme->traits[j] != NULL; j++) {
            size_t known = 0;
            while (lock_traits[known].name != NULL &&
                   strcmp(lock_traits[known].name, scheme->traits[j]) != 0)
                known++;
            hold_to(scheme,
                    lock_traits[known].name != NULL || server_kind_find(scheme->traits[j]) != NULL,
                    scheme->traits[j]);
        }
    }
}

CONTRACT_TESTS;
