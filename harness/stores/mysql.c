// A row in a MySQL server: SELECT, then UPDATE, each a transaction of its own, or both together in
// one. Fenced, each step checks the token in the row, and remembers the newest one seen by a read
// or a write.
#include "harness/stores/store.h"

#include "harness/base/clock.h"
#include "harness/wire/mysql.h"

static const struct sql_statement raise_token = {
    "UPDATE", "UPDATE %s SET token = ?, version = version + 1 WHERE id = 1 AND token <= ?"};

static const struct sql_statement write_fenced = {
    "UPDATE",
    "UPDATE %s SET value = ?, token = ?, version = version + 1 WHERE id = 1 AND token <= ?"};

struct mysql_store {
    // The session of the open transaction, 0 if there is none; `is_undone`: it was rolled back
    // before its end, and what follows must not take effect by itself.
    int64_t transaction;
    bool is_undone;
};

static int use_table(struct store *store, struct error *error)
{
    char table[SQL_TABLE_ROOM];
    (void)error;
    mysql_table_name(store->tag, "account", table);
    sql_use_table(store->connection, table);
    return 0;
}

static enum outcome vanished(struct store *store)
{
    char table[SQL_TABLE_ROOM];
    mysql_table_name(store->tag, "account", table);
    error_set(&store->error, "the row of the guarded value is gone from the table %s", table);
    return OUTCOME_BROKEN;
}

// --- without a fence, perhaps in a transaction ---------------------------------------------------

// Requests in the open transaction, or as a transaction of its own.
static enum outcome request(struct store *store, struct sql_answer *answer,
                            const struct sql_statement *statement,
                            const struct sql_argument *arguments)
{
    struct mysql_store *state = store->state;
    *answer = (struct sql_answer){0};
    if (state->is_undone)
        return OUTCOME_NO;
    enum outcome outcome =
        sql_request_in(store->connection, state->transaction, answer, statement, arguments, NULL);
    bool over =
        answer->error == MYSQL_DEADLOCK || sql_session(store->connection) != state->transaction;
    state->is_undone = state->transaction != 0 && over;
    return outcome;
}

static enum outcome read_value(struct store *store, struct sql_answer *answer, int64_t *value)
{
    enum outcome outcome = request(store, answer, &mysql_read_value, NULL);
    if (outcome != OUTCOME_OK)
        return outcome;
    *value = answer->values[0].number;
    return answer->rows == 1 ? OUTCOME_OK : vanished(store);
}

static enum outcome begin(struct store *store)
{
    struct mysql_store *state = store->state;
    struct sql_answer answer;
    state->transaction = 0;
    state->is_undone = false;
    enum outcome outcome = request(store, &answer, &mysql_begin, NULL);
    if (outcome == OUTCOME_OK)
        state->transaction = sql_session(store->connection);
    return store_noted(store, outcome);
}

// A transaction whose session has ended was never committed: it is rolled back.
static enum outcome commit(struct store *store)
{
    struct mysql_store *state = store->state;
    struct sql_answer answer;
    enum outcome outcome = request(store, &answer, &mysql_commit_work, NULL);
    state->transaction = 0;
    state->is_undone = false;
    if (outcome != OUTCOME_OK)
        sql_end_session(store->connection);
    return outcome == OUTCOME_NO ? outcome : store_noted(store, outcome);
}

// --- with a fence --------------------------------------------------------------------------------

// An UPDATE that only a token as new as the row's gets through. NO: the token is old.
static enum outcome update_if_new(struct store *store, const struct sql_statement *statement,
                                  const struct sql_argument *arguments)
{
    struct sql_answer answer;
    enum outcome outcome = store_noted(store, request(store, &answer, statement, arguments));
    return outcome == OUTCOME_OK && answer.affected == 0 ? OUTCOME_NO : outcome;
}

// Raises the token and reads in one transaction, so that no older token gets in between.
static enum outcome read_fenced(struct store *store, int64_t token, int64_t *value)
{
    const struct sql_argument arguments[] = {{NULL, token}, {NULL, token}};
    struct sql_answer answer;
    enum outcome outcome = begin(store);
    if (outcome != OUTCOME_OK)
        return outcome;
    outcome = update_if_new(store, &raise_token, arguments);
    if (outcome == OUTCOME_OK)
        outcome = store_noted(store, read_value(store, &answer, value));
    enum outcome end = commit(store);
    if (outcome != OUTCOME_OK)
        return outcome;
    return store_noted(store, end);
}

// --- the kind ------------------------------------------------------------------------------------

static enum outcome read_step(struct store *store, int64_t token, int64_t *value)
{
    struct sql_answer answer;
    return store->fenced ? read_fenced(store, token, value)
                         : store_noted(store, read_value(store, &answer, value));
}

static enum outcome write_step(struct store *store, int64_t token, int64_t value)
{
    const struct sql_argument arguments[] = {{NULL, value}, {NULL, token}, {NULL, token}};
    struct sql_answer answer;
    if (store->fenced)
        return update_if_new(store, &write_fenced, arguments);
    enum outcome outcome =
        store_noted(store, request(store, &answer, &mysql_write_value, arguments));
    return outcome == OUTCOME_OK && answer.affected == 0 ? vanished(store) : outcome;
}

static int set_up(const struct service *service, const char *name, const char *tag,
                  struct error *error)
{
    (void)name;
    return mysql_account_make(service, tag, error);
}

static int clean_up(const struct service *service, const char *name, const char *tag,
                    struct error *error)
{
    (void)name;
    return mysql_table_drop(service, tag, "account", error);
}

const struct store_kind mysql_store = {
    .name = "mysql",
    .summary = "a row in a MySQL server of its own, read by SELECT and written by UPDATE",
    .server = "mysql",
    .connector = &sql_connector,
    .state_bytes = sizeof(struct mysql_store),
    .open = use_table,
    .read = read_step,
    .write = write_step,
    .begin = begin,
    .commit = commit,
    .set_up = set_up,
    .clean_up = clean_up,
};
