// What is promised of each kind of server: what it keeps when it dies.
#include "harness/cluster/test_words.h"
#include "harness/testing/test.h"

static const struct {
    struct test_group group;
    bool outlives_power_cut, outlives_crash; // or else it is lost
} kept[] = {
    {{.kind = "redis"}, false, false},
    {{.kind = "redis", .persistence = PERSISTENCE_AOF_ALWAYS}, true, true},
    {{.kind = "redis", .persistence = PERSISTENCE_AOF_EVERYSEC}, false, true},
    {{.kind = "memcached"}, false, false},
    {{.kind = "etcd"}, true, true},
    {{.kind = "mysql"}, true, true},
    {{.kind = "postgres"}, true, true},
};

SERVERS_TEST_OF_EACH(what_a_server_has_written_outlives_its_death_as_far_as_it_promises, kept)
{
    const struct words *words = words_of(of->group.kind);
    const struct {
        enum loss loss;
        bool survives;
    } deaths[] = {{LOSS_UNSYNCED, of->outlives_power_cut},
                  {LOSS_NONE, of->outlives_crash},
                  {LOSS_ALL, false}};
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++) {
        must_answer(node, words->write, "");
        must_answer(node, words->read, words->kept);
        die(node);
        node->died_ns = 0; // as if in the moment in which it has written, however long this takes
        come_back(node, deaths[i].loss);
        if (answers(node, words->read, words->kept) != deaths[i].survives)
            fail_msg("%s, death %zu: it %s", of->group.kind, i,
                     deaths[i].survives ? "is lost" : "survives");
        MUST_COME_TO_BE(1, DO(node, leads, NULL));
    }
    const char *const take[] = {words->take, NULL}; // and it serves
    MUST_BE(0, server_tell(node, words->prepare, &error));
    MUST_BE(0, server_tell(node, take, &error));
}
