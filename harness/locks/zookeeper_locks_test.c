// The schemes on one ZooKeeper server, held to their contract.
#include "harness/locks/test_contract.h"

#include "harness/locks/zookeeper_queue.h"
#include "harness/wire/zookeeper.h"

// The lowest number is the holder's: takes its node away.
static bool evict(struct fixture *fixture, const struct lock_scheme *scheme)
{
    bool has_leases = strcmp(scheme->name, "curator-semaphore-mutex") == 0;
    struct actor nobody = {.phase = PHASE_NONE};
    struct zk_answer answer;
    struct zk_names names;
    char path[ZK_PATH_ROOM];
    zk_lock_path(&fixture->locks[0].options, has_leases ? "/leases" : "", "", path);
    assert_int_equal(zk_get_children(fixture->probe, &nobody, &answer, path, &names, NULL),
                     OUTCOME_OK);
    const char *lowest = NULL;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        if (lowest == NULL || strcmp(strrchr(name, '_') != NULL && strrchr(name, '-') != NULL
                                         ? name + strlen(name) - 10
                                         : name,
                                     lowest + strlen(lowest) - 10) < 0)
            lowest = name;
    }
    if (lowest != NULL) {
        zk_lock_path(&fixture->locks[0].options, has_leases ? "/leases" : "", lowest, path);
        assert_int_equal(zk_delete(fixture->probe, &nobody, &answer, path), OUTCOME_OK);
    }
    zk_names_free(&names);
    return true;
}

static const struct contract zookeeper_contract = {
    .server = "zookeeper",
    .lease_ns = 4 * NS_PER_S,
    .evict = evict,
};

static int start(void **state)
{
    static struct fixture fixture;
    struct error error = {0};
    if (fixture_start(&fixture, &zookeeper_contract) != 0)
        return -1;
    const struct zk_settings settings = {.service = &fixture.server.service,
                                         .session_ns = 4 * NS_PER_S,
                                         .request_ns = NS_PER_S};
    fixture.probe = zk_open(&settings, &error);
    *state = &fixture;
    return fixture.probe == NULL ? -1 : 0;
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    zk_close(fixture->probe);
    fixture_stop(fixture);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {CONTRACT_TESTS};
    return cmocka_run_group_tests(tests, start, stop);
}
