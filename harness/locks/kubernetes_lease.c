// Kubernetes' Lease, as client-go elects leaders by it (tools/leaderelection: leaderelection.go,
// resourcelock/leaselock.go): one record that says who leads, and that stays. Each write is a
// compare-and-set of the version that was read (its resourceVersion, here etcd's mod_revision). The
// times in it are not believed: a candidate counts the lease by its own monotonic clock, from when
// it saw the record change. So clocks may differ, but not the rates at which they go.
//
// The leader writes the record anew each retry period. While that fails, even because another one
// leads, it leads on until the renew deadline is over. ReleaseOnCancel: it gives the lease back by
// a record of nobody. kubernetes-lease, as client-go up to 0.33, writes that if the record is still
// of the version that it observed. kubernetes-lease-1-34, as 0.34.0 to 0.36.3 (kubernetes#132849),
// reads the record, for its version only, and goes by the record observed before: it gives back
// whoever's lease it finds. (0.37, kubernetes#137988, does so again and again until it succeeds.)
//
// Of a lease, the leader's retry period and renew deadline are the same parts as by default there:
// 2 s and 10 s of 15 s. How often a candidate looks is the scenario's `retry`.
#include "harness/locks/etcd_common.h"

#include "harness/point/gate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// lock->state.
struct election {
    char key[ETCD_KEY_ROOM];
    struct etcd_entry observed; // the record, as the worker has read or written it last
    int64_t observed_ns;        // when it was seen to have changed, on the client's clock
};

// What a record says: who leads, "" for nobody, for how long, and since when by its own clock.
struct term {
    char holder[TOKEN_DIGITS + 1];
    int64_t lease_us, renewed_us;
};

#define RECORD                                                                                     \
    "{\"leaseDurationMicroseconds\":%" PRId64 ",\"renewTime\":%" PRId64 ",\"holderIdentity\":\""

// Of no record: nobody's.
static struct term term_of(const char *record)
{
    struct term term = {.holder = ""};
    sscanf(record, RECORD "%40[0-9a-f]", &term.lease_us, &term.renewed_us, term.holder);
    return term;
}

static bool is_over(const struct election *election, int64_t now_ns)
{
    return election->observed_ns + term_of(election->observed.value).lease_us * NS_PER_US <= now_ns;
}

static bool leads(const struct lock *lock)
{
    const struct election *election = lock->state;
    return strcmp(term_of(election->observed.value).holder, lock->token) == 0;
}

static void observe(struct lock *lock, const struct etcd_entry *entry, const struct clock *clock)
{
    struct election *election = lock->state;
    if (strcmp(entry->value, election->observed.value) != 0)
        election->observed_ns = clock_now_ns(clock);
    election->observed = *entry;
    // Its worker goes by that, whoever asked.
    gate_hear_text(lock->actor->gate, "observed %" PRId64 "\n", entry->mod_revision);
}

// Writes the record if it is still of that version; *found is what is there then.
static enum outcome write_record(struct lock *lock, struct etcd_connection *connection,
                                 const struct clock *clock, int64_t version, const char *holder,
                                 bool *is_written, struct etcd_entry *found)
{
    const struct election *election = lock->state;
    char record[ETCD_VALUE_ROOM];
    snprintf(record, sizeof record, RECORD "%s\"}", lock->options.lease_ns / NS_PER_US,
             clock_wall_ns(clock) / NS_PER_US, holder);
    enum outcome outcome =
        etcd_write_if(connection, election->key, version, record, is_written, found);
    if (outcome == OUTCOME_OK && *is_written)
        observe(lock, found, clock);
    return outcome;
}

static enum outcome write_own(struct lock *lock, struct etcd_connection *connection,
                              const struct clock *clock)
{
    const struct election *election = lock->state;
    bool is_written;
    struct etcd_entry ignored;
    enum outcome outcome = write_record(lock, connection, clock, election->observed.mod_revision,
                                        lock->token, &is_written, &ignored);
    return outcome == OUTCOME_OK && !is_written ? OUTCOME_NO : outcome;
}

// Who leads writes at first what it takes for the next version; everybody else, and who has failed
// at that, reads the record, and writes it if it is nobody's, its own, or over.
static enum outcome acquire_or_renew(struct lock *lock, struct etcd_connection *connection,
                                     const struct clock *clock)
{
    struct election *election = lock->state;
    int64_t now_ns = clock_now_ns(clock);
    struct etcd_entry found;
    enum outcome first = OUTCOME_NO;
    if (leads(lock) && !is_over(election, now_ns))
        first = write_own(lock, connection, clock);
    if (first == OUTCOME_OK || first == OUTCOME_BROKEN)
        return first;
    enum outcome outcome = etcd_get(connection, election->key, &found);
    if (outcome == OUTCOME_OK) {
        observe(lock, &found, clock);
        bool is_free = term_of(found.value).holder[0] == '\0' || leads(lock);
        outcome =
            is_free || is_over(election, now_ns) ? write_own(lock, connection, clock) : OUTCOME_NO;
    }
    // The first may be done even now.
    return outcome == OUTCOME_NO ? first : outcome;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    grant->valid_until_ns = lease_ends_ns(lock);
    return lock_noted(lock, acquire_or_renew(lock, lock->connection, &lock->actor->clock));
}

static enum outcome renew(struct renewal *renewal)
{
    return acquire_or_renew(renewal->lock, renewal->lock->client->connection,
                            &renewal->actor->clock);
}

static int64_t renew_deadline_ns(const struct lock_options *options)
{
    return options->lease_ns * 10 / 15;
}

static const struct watchdog_settings renewal = {
    .renew = renew,
    .patience_ns = renew_deadline_ns,
};

static int open_client(struct lock_client *client, struct error *error)
{
    (void)error;
    client->renewal_ns = client->options.lease_ns * 2 / 15;
    return 0;
}

// Each worker is a candidate of its own, by the same name all the time.
static int open_lock(struct lock *lock, struct error *error)
{
    struct election *election = lock->state;
    (void)error;
    snprintf(election->key, sizeof election->key, "%s/lease", lock->options.name);
    lock_new_token(lock, TOKEN_DIGITS);
    if (lock->actor->gate != NULL)
        lock->actor->gate->spans_operations = true;
    return 0;
}

// Writes a record of nobody in the place of that version. Nothing is sent by one that has observed
// that it leads no more.
static enum release_answer give_back(struct lock *lock, struct etcd_entry record)
{
    bool is_written = false;
    if (leads(lock)) {
        enum outcome outcome = write_record(lock, lock->connection, &lock->actor->clock,
                                            record.mod_revision, "", &is_written, &record);
        if (lock_noted(lock, outcome) != OUTCOME_OK)
            return RELEASE_UNKNOWN;
    }
    struct term term = term_of(record.value);
    if (is_written)
        return RELEASE_RELEASED;
    // Its own, by a renewal without an answer: it stays until it is over.
    if (strcmp(term.holder, lock->token) == 0)
        return RELEASE_UNKNOWN;
    return term.holder[0] != '\0' ? RELEASE_NOT_OWNER : RELEASE_GONE;
}

static enum release_answer release_observed(struct lock *lock)
{
    const struct election *election = lock->state;
    return give_back(lock, election->observed);
}

static enum release_answer release_newest(struct lock *lock)
{
    const struct election *election = lock->state;
    struct etcd_entry found;
    if (lock_noted(lock, etcd_get(lock->connection, election->key, &found)) != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (found.key[0] == '\0')
        return RELEASE_GONE;
    enum release_answer answer = give_back(lock, found);
    return answer == RELEASE_RELEASED ? RELEASE_UNCHECKED : answer;
}

// The record stays when it is over, and when it is given back.
static bool is_held(const char *value)
{
    struct term term = term_of(value);
    return term.holder[0] != '\0' &&
           term.renewed_us + term.lease_us > clock_realtime_ns() / NS_PER_US;
}

static int clean_up(const struct service *service, const struct lock_options *options,
                    struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    char key[ETCD_KEY_ROOM];
    int64_t ignored;
    struct etcd_connection *connection = etcd_open(service, options->request_ns, &nobody, error);
    if (connection == NULL)
        return -1;
    snprintf(key, sizeof key, "%s/lease", options->name);
    int result =
        etcd_delete(connection, key, &ignored) == OUTCOME_OK
            ? 0
            : error_set(error, "cannot delete the record %s: %s", key, client_error(connection));
    etcd_close(connection);
    return result;
}

#define BREAKS                                                                                     \
    "a pause longer than the lease, after which it leads on until its renew deadline is over; "    \
    "clocks that go at different rates"
#define KUBERNETES_LEASE                                                                           \
    .server = "etcd", .topologies = etcd_topologies, .clean_up = clean_up, .is_held = is_held,     \
    .connector = &etcd_connector, .open_client = open_client,                                      \
    .lock_bytes = sizeof(struct election), .open = open_lock, .renewal = &renewal,                 \
    .try_acquire = try_acquire

const struct lock_scheme kubernetes_lease_scheme = {
    .name = "kubernetes-lease",
    .summary = "Kubernetes' Lease, as client-go elects leaders: one record, compared and set",
    .breaks = BREAKS,
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "renewed", "etcd"),
    KUBERNETES_LEASE,
    .release = release_observed,
};

const struct lock_scheme kubernetes_lease_1_34_scheme = {
    .name = "kubernetes-lease-1-34",
    .summary = "kubernetes-lease, as client-go 0.34 and later give it back: whoever's it is",
    .breaks = "the release of one whose lease is over gives another's back; " BREAKS,
    .traits = LOCK_TRAITS("exclusive", "lease", "renewed", "etcd"),
    KUBERNETES_LEASE,
    .release = release_newest,
};
