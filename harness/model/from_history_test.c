// Operations as they are read from a trial's history, and what models make of them.
#include "harness/model/from_history.h"

#include "harness/history/test_file.h"
#include "harness/model/model.h"
#include "harness/testing/test.h"

#define CHUNK HISTORY_CHUNK_BYTES

struct fixture {
    struct test_file test;
    struct history_writer writers[4]; // of the harness and three clients' only workers
    struct operations operations;
    struct history_condition condition;
};

static void begin(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    test_file_begin(&fixture->test, 100000);
    for (int i = 0; i < 4; i++)
        history_writer_start(&fixture->writers[i], &fixture->test.file, i, i > 0);
}

static void note(struct fixture *fixture, int client, int64_t at_ns, enum event_kind kind,
                 enum outcome outcome, unsigned detail, int64_t operation, int64_t token)
{
    history_append(&fixture->writers[client], (struct event){.at_ns = at_ns,
                                                             .kind = (uint8_t)kind,
                                                             .outcome = (uint8_t)outcome,
                                                             .detail = (uint8_t)detail,
                                                             .args = {operation, token}});
}

static void acquire(struct fixture *fixture, int client, int64_t from_ns, int64_t to_ns,
                    enum outcome outcome)
{
    note(fixture, client, from_ns, EVENT_ACQUIRE_INVOKE, OUTCOME_OK, 0, from_ns, 0);
    note(fixture, client, to_ns, EVENT_ACQUIRE_RETURN, outcome, 0, from_ns, from_ns);
}

// The release of what was acquired at `operation`.
static void release(struct fixture *fixture, int client, int64_t operation, int64_t from_ns,
                    int64_t to_ns, enum release_answer answer)
{
    bool refused = answer == RELEASE_NOT_OWNER || answer == RELEASE_GONE;
    enum outcome outcome = refused ? OUTCOME_NO : OUTCOME_OK;
    note(fixture, client, from_ns, EVENT_RELEASE_INVOKE, OUTCOME_OK, 0, operation, 0);
    note(fixture, client, to_ns, EVENT_RELEASE_RETURN,
         answer == RELEASE_UNKNOWN ? OUTCOME_UNKNOWN : outcome, answer, operation, 0);
}

static void nest(struct fixture *fixture, int client, int64_t at_ns, bool in, enum outcome outcome,
                 int64_t operation)
{
    note(fixture, client, at_ns, in ? EVENT_REENTER_INVOKE : EVENT_LEAVE_INVOKE, OUTCOME_OK, 0,
         operation, 2);
    note(fixture, client, at_ns + 1, in ? EVENT_REENTER_RETURN : EVENT_LEAVE_RETURN, outcome,
         !in && outcome == OUTCOME_UNKNOWN ? RELEASE_UNKNOWN : RELEASE_RELEASED, operation, 2);
}

static void read_open(struct fixture *fixture)
{
    struct error error;
    if (operations_from_history(fixture->test.path, &fixture->operations, &fixture->condition,
                                &error) != 0)
        fail_msg("%s", error.text);
}

static void read_closed(struct fixture *fixture)
{
    history_file_close(&fixture->test.file);
    read_open(fixture);
    assert_int_equal(fixture->condition.state, HISTORY_WHOLE);
}

static bool is_linearizable(const struct fixture *fixture, const char *model,
                            enum failed_acquire failed_acquire)
{
    struct model_decision decision;
    struct error error;
    const struct model_options options = {.failed_acquire = failed_acquire};
    if (model_decide(model_find(model), &fixture->operations, &options, &decision, &error) != 0)
        fail_msg("%s", error.text);
    bool linearizable = decision.linearizable;
    model_decision_free(&decision);
    return linearizable;
}

static void end(struct fixture *fixture)
{
    operations_free(&fixture->operations);
    if (fixture->test.file.header != NULL)
        history_file_close(&fixture->test.file);
    unlink(fixture->test.path);
}

static void assert_operation(const struct fixture *fixture, size_t index, enum operation_kind kind,
                             enum outcome outcome, uint32_t process, int64_t from_ns, int64_t to_ns)
{
    const struct operation *operation = &fixture->operations.items[index];
    assert_true(index < fixture->operations.count);
    assert_int_equal(operation->kind, kind);
    assert_int_equal(operation->outcome, outcome);
    assert_int_equal(operation->process, process);
    assert_int_equal(operation->invoked, instant_of_invocation(from_ns));
    assert_int_equal(operation->returned,
                     to_ns == TIME_NEVER ? INSTANT_NEVER : instant_of_return(to_ns));
}

TEST(acquires_and_releases_keep_their_times_outcomes_and_tokens)
{
    struct fixture fixture;
    begin(&fixture);
    note(&fixture, 0, 5, EVENT_BARRIER_OPEN, OUTCOME_OK, 0, 0, 0);
    acquire(&fixture, 1, 10, 20, OUTCOME_OK);
    release(&fixture, 1, 10, 30, 40, RELEASE_RELEASED);
    acquire(&fixture, 2, 11, 15, OUTCOME_NO);
    acquire(&fixture, 2, 41, 42, OUTCOME_OK);
    release(&fixture, 2, 41, 43, 44, RELEASE_GONE);
    acquire(&fixture, 2, 50, 51, OUTCOME_OK);
    release(&fixture, 2, 50, 52, 53, RELEASE_UNCHECKED);
    read_closed(&fixture);
    assert_int_equal(fixture.operations.count, 7);
    assert_int_equal(fixture.operations.zero_ns, 5);
    assert_operation(&fixture, 0, OPERATION_ACQUIRE, OUTCOME_OK, 0, 10, 20);
    assert_int_equal(fixture.operations.items[0].token, 10);
    assert_operation(&fixture, 1, OPERATION_RELEASE, OUTCOME_OK, 0, 30, 40);
    assert_operation(&fixture, 2, OPERATION_ACQUIRE, OUTCOME_NO, 1, 11, 15);
    assert_int_equal(fixture.operations.items[2].token, 0);
    assert_operation(&fixture, 4, OPERATION_RELEASE, OUTCOME_NO, 1, 43, 44);
    assert_operation(&fixture, 6, OPERATION_RELEASE, OUTCOME_OK, 1, 52, 53);
    assert_int_equal(fixture.operations.process_count, 2);
    assert_string_equal(fixture.operations.processes[1], "client-2 worker-1");
    end(&fixture);
}

TEST(after_an_unknown_outcome_a_worker_goes_on_as_another_process)
{
    struct fixture fixture;
    begin(&fixture);
    acquire(&fixture, 1, 10, 20, OUTCOME_UNKNOWN);
    acquire(&fixture, 1, 30, 40, OUTCOME_OK);
    release(&fixture, 1, 30, 50, 60, RELEASE_UNKNOWN);
    acquire(&fixture, 1, 70, 80, OUTCOME_OK);
    read_closed(&fixture);
    assert_operation(&fixture, 0, OPERATION_ACQUIRE, OUTCOME_UNKNOWN, 0, 10, TIME_NEVER);
    assert_operation(&fixture, 1, OPERATION_ACQUIRE, OUTCOME_OK, 1, 30, 40);
    assert_operation(&fixture, 2, OPERATION_RELEASE, OUTCOME_UNKNOWN, 1, 50, TIME_NEVER);
    assert_operation(&fixture, 3, OPERATION_ACQUIRE, OUTCOME_OK, 2, 70, 80);
    assert_string_equal(fixture.operations.processes[2], "client-1 worker-1 #3");
    assert_true(is_linearizable(&fixture, "mutex", FAILED_ACQUIRE_BUSY));
    end(&fixture);
}

TEST(a_restarted_worker_is_another_process_and_the_dead_one_s_operation_stays_open)
{
    struct fixture fixture;
    begin(&fixture);
    note(&fixture, 1, 10, EVENT_ACQUIRE_INVOKE, OUTCOME_OK, 0, 1, 0);
    note(&fixture, 0, 15, EVENT_PROCESS_DEATH, OUTCOME_OK, 0, 0, 0);
    history_writer_start(&fixture.writers[1], &fixture.test.file, 1, 1);
    acquire(&fixture, 1, 20, 30, OUTCOME_OK);
    read_closed(&fixture);
    assert_operation(&fixture, 0, OPERATION_ACQUIRE, OUTCOME_UNKNOWN, 0, 10, TIME_NEVER);
    assert_operation(&fixture, 1, OPERATION_ACQUIRE, OUTCOME_OK, 1, 20, 30);
    end(&fixture);
}

TEST(readers_are_readers_when_they_release_too)
{
    struct fixture fixture;
    begin(&fixture);
    for (int client = 1; client <= 2; client++) {
        note(&fixture, client, 10, EVENT_ACQUIRE_INVOKE, OUTCOME_OK, 1, client, 0);
        note(&fixture, client, 20, EVENT_ACQUIRE_RETURN, OUTCOME_OK, 0, client, 0);
        release(&fixture, client, client, 30, 40, RELEASE_RELEASED);
    }
    acquire(&fixture, 3, 20, 29, OUTCOME_OK);
    read_closed(&fixture);
    for (size_t i = 0; i < 4; i++)
        assert_true(fixture.operations.items[i].shared);
    assert_false(fixture.operations.items[4].shared);
    assert_false(is_linearizable(&fixture, "read-write", FAILED_ACQUIRE_NOTHING));
    fixture.operations.count = 4; // without the writer
    assert_true(is_linearizable(&fixture, "read-write", FAILED_ACQUIRE_NOTHING));
    end(&fixture);
}

TEST(reentries_are_acquires_and_leaves_releases)
{
    struct fixture fixture;
    begin(&fixture);
    acquire(&fixture, 1, 10, 20, OUTCOME_OK);
    nest(&fixture, 1, 21, true, OUTCOME_OK, 10);
    nest(&fixture, 1, 23, false, OUTCOME_OK, 10);
    release(&fixture, 1, 10, 30, 40, RELEASE_RELEASED);
    acquire(&fixture, 2, 25, 31, OUTCOME_OK);
    read_closed(&fixture);
    assert_int_equal(fixture.operations.count, 5);
    assert_true(is_linearizable(&fixture, "reentrant", FAILED_ACQUIRE_NOTHING));
    fixture.operations.items[4].returned = instant_of_return(29); // inside the outer hold
    assert_false(is_linearizable(&fixture, "reentrant", FAILED_ACQUIRE_NOTHING));
    end(&fixture);
}

TEST(a_reentry_or_leave_of_unknown_outcome_makes_the_release_one)
{
    for (int leaves = 0; leaves < 2; leaves++) {
        struct fixture fixture;
        begin(&fixture);
        acquire(&fixture, 1, 10, 20, OUTCOME_OK);
        nest(&fixture, 1, 21, true, leaves ? OUTCOME_OK : OUTCOME_UNKNOWN, 10);
        if (leaves)
            nest(&fixture, 1, 23, false, OUTCOME_UNKNOWN, 10);
        release(&fixture, 1, 10, 30, 40, RELEASE_RELEASED);
        acquire(&fixture, 2, 25, 29, OUTCOME_OK);
        read_closed(&fixture);
        struct operation *last = &fixture.operations.items[fixture.operations.count - 1];
        assert_int_equal(last[-1].outcome, OUTCOME_UNKNOWN);
        assert_false(is_linearizable(&fixture, "reentrant", FAILED_ACQUIRE_NOTHING));
        last->returned = instant_of_return(32);
        assert_true(is_linearizable(&fixture, "reentrant", FAILED_ACQUIRE_NOTHING));
        end(&fixture);
    }
}

TEST(what_happens_in_the_same_nanosecond_is_in_its_worker_s_order)
{
    struct fixture fixture;
    begin(&fixture);
    acquire(&fixture, 1, 10, 10, OUTCOME_OK);
    release(&fixture, 1, 10, 10, 10, RELEASE_RELEASED);
    acquire(&fixture, 1, 10, 12, OUTCOME_OK);
    read_closed(&fixture);
    assert_operation(&fixture, 0, OPERATION_ACQUIRE, OUTCOME_OK, 0, 10, 10);
    assert_operation(&fixture, 1, OPERATION_RELEASE, OUTCOME_OK, 0, 11, 11);
    assert_operation(&fixture, 2, OPERATION_ACQUIRE, OUTCOME_OK, 0, 12, 12);
    end(&fixture);
}

// Client 1 holds from 20 to 30 of each 100, and client 2 from 60 to 70. The six events of a turn
// lie in chunks of 85 differently each time.
static void take_turns(struct fixture *fixture, int64_t turns)
{
    for (int64_t i = 0; i < turns; i++) {
        for (int client = 1; client <= 2; client++) {
            int64_t from_ns = i * 100 + client * 40 - 30;
            acquire(fixture, client, from_ns, from_ns + 10, OUTCOME_OK);
            note(fixture, client, from_ns + 15, EVENT_READ_INVOKE, OUTCOME_OK, 0, from_ns, 0);
            note(fixture, client, from_ns + 16, EVENT_READ_RETURN, OUTCOME_OK, 0, from_ns, 0);
            release(fixture, client, from_ns, from_ns + 20, from_ns + 30, RELEASE_RELEASED);
        }
        acquire(fixture, 3, i * 100 + 22, i * 100 + 28, OUTCOME_NO);
    }
}

// Whatever chunk is lost, what is left shows no violation: holds whose end is lost have ended.
TEST(a_lost_chunk_makes_no_violation)
{
    struct fixture fixture;
    begin(&fixture);
    take_turns(&fixture, 100);
    history_file_close(&fixture.test.file);
    struct text bytes = {0};
    assert_int_equal(file_read(fixture.test.path, &bytes, NULL), 0);
    for (size_t chunk = 1; chunk < bytes.length / CHUNK; chunk++) {
        bytes.bytes[chunk * CHUNK + 70] ^= 4;
        test_file_put(&fixture.test, bytes.bytes, bytes.length);
        bytes.bytes[chunk * CHUNK + 70] ^= 4;
        fixture.operations = (struct operations){0};
        read_open(&fixture);
        assert_int_equal(fixture.condition.state, HISTORY_DAMAGED);
        assert_true(fixture.operations.count > 300);
        assert_true(is_linearizable(&fixture, "mutex", FAILED_ACQUIRE_BUSY));
        operations_free(&fixture.operations);
    }
    text_free(&bytes);
    end(&fixture);
}

TEST(a_violation_outside_of_a_lost_chunk_is_still_one)
{
    struct fixture fixture;
    begin(&fixture);
    take_turns(&fixture, 100);
    acquire(&fixture, 1, 10010, 10020, OUTCOME_OK);
    acquire(&fixture, 2, 10010, 10021, OUTCOME_OK);
    release(&fixture, 1, 10010, 10030, 10040, RELEASE_RELEASED);
    release(&fixture, 2, 10010, 10030, 10040, RELEASE_RELEASED);
    struct text bytes = test_file_bytes(&fixture.test);
    bytes.bytes[2 * CHUNK + 100] ^= 1;
    test_file_put(&fixture.test, bytes.bytes, bytes.length);
    text_free(&bytes);
    read_open(&fixture);
    assert_int_equal(fixture.condition.state, HISTORY_DAMAGED);
    assert_false(is_linearizable(&fixture, "mutex", FAILED_ACQUIRE_NOTHING));
    end(&fixture);
}

TEST(a_killed_run_ends_each_hold_with_the_last_that_is_known_of_it)
{
    struct fixture fixture;
    begin(&fixture);
    acquire(&fixture, 1, 10, 20, OUTCOME_OK);
    note(&fixture, 1, 25, EVENT_READ_INVOKE, OUTCOME_OK, 0, 10, 0);
    acquire(&fixture, 2, 11, 30, OUTCOME_OK);
    read_open(&fixture);
    assert_int_equal(fixture.condition.state, HISTORY_UNFINISHED);
    assert_operation(&fixture, 2, OPERATION_RELEASE, OUTCOME_UNKNOWN, 0, 25, TIME_NEVER);
    assert_true(is_linearizable(&fixture, "mutex", FAILED_ACQUIRE_NOTHING));
    end(&fixture);
}

// Lock `key` of several.
static void acquire_of(struct fixture *fixture, int client, int64_t key, int64_t from_ns,
                       int64_t to_ns)
{
    history_append(&fixture->writers[client], (struct event){.at_ns = from_ns,
                                                             .kind = EVENT_ACQUIRE_INVOKE,
                                                             .args = {from_ns, 0, 0, key}});
    note(fixture, client, to_ns, EVENT_ACQUIRE_RETURN, OUTCOME_OK, 0, from_ns, 0);
}

TEST(several_locks_are_decided_each_for_itself)
{
    for (int64_t second = 1; second <= 2; second++) {
        struct fixture fixture;
        begin(&fixture);
        acquire_of(&fixture, 1, 2, 10, 20);
        acquire_of(&fixture, 2, second, 11, 21);
        release(&fixture, 1, 10, 30, 40, RELEASE_RELEASED);
        release(&fixture, 2, 11, 31, 41, RELEASE_RELEASED);
        read_closed(&fixture);
        assert_int_equal(fixture.operations.name_count, 2);
        assert_string_equal(fixture.operations.names[1], "2");
        assert_int_equal(fixture.operations.items[1].name, 1);
        assert_int_equal(is_linearizable(&fixture, "mutex", FAILED_ACQUIRE_NOTHING), second == 1);
        end(&fixture);
    }
}
