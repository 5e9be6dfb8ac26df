// etcd: one server, or an ensemble.
//
// leads: as the leader that the server itself knows of. One that knows of none serves nobody, and
// does not answer. A leader that was cut off, or stood still, goes on believing for an election
// time-out.
//
// has_lock: whether this very server's copy of the store, which may lag behind the leader's, has a
// key of the lock's: of those that want it, the oldest holds. Where a key alone is no hold, its
// value decides (is_held of the scheme).
//
// flush: every key of the group, whichever server is asked; leases stay. deny: "no-space" raises
// etcd's alarm for a store that is full. It concerns the whole group: keys and leases can neither
// be made nor changed, but read, kept alive, deleted and revoked.
//
// disconnect: a request comes on any connection, and the leases, which are etcd's sessions, do not
// tell whose they are. evict: it is no cache.
//
// LOSS_ALL is for a server of its own. The other members of a group remember one that comes back
// empty, and what it had promised them: etcd refuses to start it ("has already been bootstrapped").
#include "harness/wire/etcd.h"
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/cluster/exploration.h"
#include "harness/locks/lock.h"
#include "harness/wire/parser.h"

#include <inttypes.h>
#include <resolv.h> // base64
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How often a leader is heard of, and how long it may be silent: half of what is usual, so that
// another one mostly leads within 0.7 s. No lease is shorter than one and a half times the latter,
// in whole seconds.
#define HEARTBEAT_MS "50"
#define ELECTION_MS "500"

static pid_t start(const struct node *node, struct error *error)
{
    const struct server_group *group = node->group;
    AUTO_TEXT struct text peers = {0};
    for (int i = 0; i < group->count; i++)
        text_format(&peers, "%s%s=http://%s:%d", i > 0 ? "," : "", group->nodes[i].name,
                    group->nodes[i].end.address, group->nodes[i].extra_ports[0]);
    const char *address = node->end.address;
    return server_run(node, false, error,
                      "etcd --name %s --data-dir data --log-level warn"
                      " --listen-client-urls http://%s:%d --advertise-client-urls http://%s:%d"
                      " --listen-peer-urls http://%s:%d"
                      " --initial-advertise-peer-urls http://%s:%d"
                      " --initial-cluster %s --initial-cluster-token %s"
                      " --heartbeat-interval " HEARTBEAT_MS " --election-timeout " ELECTION_MS,
                      node->name, address, node->port, address, node->port, address,
                      node->extra_ports[0], address, node->extra_ports[0], text_string(&peers),
                      group->nodes[0].home);
}

// Posts a body to a path: "PATH BODY".
static int ask(struct session *session, const char *request)
{
    AUTO_TEXT struct text message = {0};
    const char *body = strchr(request, ' ') + 1;
    text_format(&message, "POST %.*s HTTP/1.0\r\nContent-Length: %zu\r\n\r\n%s",
                (int)(body - 1 - request), request, strlen(body), body);
    if (session_converse(session, message.bytes, message.length) != 0)
        return -1;
    const char *answer = text_string(&session->answer);
    const char *content = strstr(answer, "\r\n\r\n");
    bool is_error = content == NULL || content[4] != '{' || session_has(session, "\"error\":");
    return is_error ? session_unexpected(session, content != NULL ? content + 4 : answer, request)
                    : 0;
}

// What it reads by majority tells that it has a leader. On a node of its own only ours can listen;
// on loopback a stranger may, but not under this name with this address of its own.
static bool ready(const struct node *node)
{
    char wanted[96];
    snprintf(wanted, sizeof wanted, "\"clientURLs\":[\"http://%s:%d\"]", node->end.address,
             node->port);
    return node_says(node, "/v3/kv/range {\"key\":\"AA==\"}", "header") &&
           node_says(node, "/v3/cluster/member/list {}", wanted);
}

// --- control -------------------------------------------------------------------------------------

// Numbers of 64 bits travel as strings, and zeros not at all.
static unsigned long long number_of(const struct session *session, const char *name)
{
    char sign[32];
    snprintf(sign, sizeof sign, "\"%s\":\"", name);
    const char *found = strstr(text_string(&session->answer), sign);
    return found != NULL ? strtoull(found + strlen(sign), NULL, 10) : 0;
}

static int ask_status(struct session *session)
{
    return session_ask(session, "/v3/maintenance/status {}");
}

static int leads(struct session *session)
{
    if (ask_status(session) != 0)
        return -1;
    unsigned long long leader = number_of(session, "leader");
    return leader == 0 ? error_set(session->error, "%s serves nobody: it knows no leader",
                                   session->node->name)
                       : leader == number_of(session, "member_id");
}

// Whether the first key of the answer has a value that is a hold's.
static bool has_value_of_hold(const struct session *session, const struct lock_scheme *scheme)
{
    static const char sign[] = "\"value\":\"";
    char value[ETCD_VALUE_ROOM] = "";
    const char *found = strstr(text_string(&session->answer), sign);
    if (found == NULL)
        return false;
    found += sizeof sign - 1;
    AUTO_FREE char *coded = text_formatted("%.*s", (int)strcspn(found, "\""), found);
    b64_pton(coded, (unsigned char *)value, sizeof value - 1);
    return scheme->is_held(value);
}

// What begins with the lock's name and a slash; serializable: of this server's own copy.
static int has_lock(struct session *session)
{
    const struct lock_scheme *scheme = lock_scheme_find(session->lock->scheme);
    bool reads_value = scheme != NULL && scheme->is_held != NULL;
    char name[ETCD_KEY_ROOM], from[ETCD_CODED_ROOM], to[ETCD_CODED_ROOM];
    int length = snprintf(name, sizeof name, "%.150s/", session->lock->name);
    b64_ntop((unsigned char *)name, (size_t)length, from, sizeof from);
    name[length - 1] = '/' + 1;
    b64_ntop((unsigned char *)name, (size_t)length, to, sizeof to);
    if (session_ask(session,
                    "/v3/kv/range {\"serializable\":true,\"count_only\":%s,\"key\":\"%s\","
                    "\"range_end\":\"%s\"}",
                    reads_value ? "false" : "true", from, to) != 0)
        return -1;
    return reads_value ? has_value_of_hold(session, scheme) : number_of(session, "count") > 0;
}

// From the key of one zero byte, to the end of all.
static int flush(struct session *session)
{
    return session_ask(session, "/v3/kv/deleterange {\"key\":\"AA==\",\"range_end\":\"AA==\"}");
}

static int deny(struct session *session, bool refuses)
{
    if (ask_status(session) != 0 ||
        session_ask(session,
                    "/v3/maintenance/alarm {\"action\":\"%s\",\"memberID\":\"%llu\",\"alarm\":"
                    "\"NOSPACE\"}",
                    refuses ? "ACTIVATE" : "DEACTIVATE", number_of(session, "member_id")) != 0)
        return -1;
    return refuses;
}

static int refuses(struct session *session)
{
    // The key is "lockpick-deny".
    if (session_ask(session, "/v3/kv/put {\"key\":\"bG9ja3BpY2stZGVueQ==\"}") == 0)
        return 0;
    return session_has(session, "database space exceeded") ? 1 : -1;
}

// --- exploration (exploration.h) -----------------------------------------------------------------

#define MOST_KEYS 64

struct memory {
    struct etcd_connection *connection;
    struct actor actor;
    struct etcd_leases leases;
    struct etcd_entry keys[MOST_KEYS]; // as they were after so many changes
    size_t key_count;
    int64_t revision; // of the store, which the next key's is told by
    uint64_t listed_at;
    // Of programs: their leases are found as etcd tells of them, and last for minutes by its clock.
    // One that is kept alive is not seen to be.
    int64_t now_ns;
    struct parser *parser;
};

static int prepare(struct explored_servers *servers, struct error *error)
{
    struct memory *memory = servers->memory;
    memory->actor = (struct actor){.phase = PHASE_NONE};
    memory->connection = etcd_open(servers->service, PEER_SET_UP_NS, &memory->actor, error);
    memory->leases.looks = memory->connection;
    memory->parser = servers->has_programs ? parser_new("etcd") : NULL;
    servers->service->leases = &memory->leases;
    return memory->connection != NULL ? 0 : -1;
}

static int fail(const struct memory *memory, struct error *error)
{
    return error_set(error, "%s", client_error(memory->connection));
}

static const struct etcd_lease *lease_of(const struct etcd_leases *leases, int64_t id)
{
    size_t at = 0;
    while (at < leases->count && leases->all[at].id != id)
        at++;
    return at < leases->count ? &leases->all[at] : NULL;
}

// What was granted since this was asked last lasts from then on; what is not there any more was
// revoked.
static int find_leases(struct explored_servers *servers, struct error *error)
{
    static const char sign[] = "\"ID\":\"";
    struct memory *memory = servers->memory;
    struct session *session = explored_session(servers, 0, error);
    struct etcd_leases found = {.count = 0};
    if (session_ask(session, "/v3/lease/leases {}") != 0)
        return -1;
    for (const char *at = text_string(&session->answer); (at = strstr(at, sign)) != NULL;) {
        at += sizeof sign - 1;
        *APPEND(found.all, found.count, found.room) = (struct etcd_lease){strtoll(at, NULL, 10), 0};
    }
    int result = 0;
    for (size_t i = 0; i < found.count && result == 0; i++) {
        struct etcd_lease *lease = &found.all[i];
        const struct etcd_lease *known = lease_of(&memory->leases, lease->id);
        if (known == NULL)
            result = session_ask(session, "/v3/lease/timetolive {\"ID\":%" PRId64 "}", lease->id);
        lease->until_ns =
            known != NULL ? known->until_ns
                          : memory->now_ns + (int64_t)number_of(session, "grantedTTL") * NS_PER_S;
    }
    free(memory->leases.all);
    memory->leases.all = found.all;
    memory->leases.count = found.count;
    memory->leases.room = found.room;
    return result;
}

// Time stands still for clients, so that a lease ends when it should: by this. That its keys are
// gone is known once it is answered.
static int set_time(struct explored_servers *servers, int64_t now_ns, struct error *error)
{
    struct memory *memory = servers->memory;
    if (servers->has_programs && find_leases(servers, error) != 0)
        return -1;
    memory->now_ns = now_ns;
    for (size_t i = memory->leases.count; i-- > 0;) {
        const struct etcd_lease *lease = &memory->leases.all[i];
        if (lease->until_ns <= now_ns && etcd_revoke(memory->connection, lease->id) != OUTCOME_OK)
            return fail(memory, error);
    }
    return 0;
}

static void restore(struct explored_servers *servers)
{
    struct memory *memory = servers->memory;
    servers->service->leases = NULL;
    etcd_close(memory->connection);
    parser_free(memory->parser);
    free(memory->leases.all);
}

// Leases without keys are forgotten.
static int empty(struct explored_servers *servers, struct error *error)
{
    struct memory *memory = servers->memory;
    if (servers->has_programs && find_leases(servers, error) != 0)
        return -1;
    while (servers->has_programs && memory->leases.count > 0) {
        if (etcd_revoke(memory->connection, memory->leases.all[0].id) != OUTCOME_OK)
            return fail(memory, error);
    }
    memory->leases.base_revision = 0;
    memory->leases.count = 0;
    return etcd_delete_all(memory->connection, &memory->leases.base_revision) == OUTCOME_OK
               ? 0
               : fail(memory, error);
}

// All keys of programs, as etcd tells them.
static int image_of_programs(struct explored_servers *servers, struct text *image,
                             struct error *error)
{
    struct memory *memory = servers->memory;
    struct session *session = explored_session(servers, 0, error);
    if (session_ask(session, "/v3/kv/range {\"key\":\"AA==\",\"range_end\":\"AA==\"}") != 0)
        return -1;
    parser_tell(memory->parser, &session->answer, image);
    return 0;
}

// A key is told by its lock's name and its lease, after which it is named.
static int image(struct explored_servers *servers, struct text *image, struct error *error)
{
    struct memory *memory = servers->memory;
    if (servers->has_programs)
        return image_of_programs(servers, image, error);
    if (memory->listed_at != memory->leases.changes &&
        etcd_list(memory->connection, memory->keys, MOST_KEYS, &memory->key_count,
                  &memory->revision) != OUTCOME_OK)
        return fail(memory, error);
    if (memory->key_count == MOST_KEYS)
        return error_set(error, "etcd keeps %d keys or more: too many to tell states apart",
                         MOST_KEYS);
    memory->listed_at = memory->leases.changes;
    text_format(image, "%" PRId64 "\n", memory->revision);
    for (size_t i = 0; i < memory->key_count; i++)
        text_format(image, "%.*s %032" PRIx64 " %" PRId64 " %" PRId64 " %s\n",
                    (int)strcspn(memory->keys[i].key, "/"), memory->keys[i].key,
                    (uint64_t)memory->keys[i].lease, memory->keys[i].create_revision,
                    memory->keys[i].mod_revision, memory->keys[i].value);
    for (size_t i = 0; i < memory->leases.count; i++) {
        const struct etcd_lease *lease = &memory->leases.all[i];
        text_format(image, "%032" PRIx64 " %" PRId64 "\n", (uint64_t)lease->id,
                    (lease->until_ns - clock_monotonic_ns()) / servers->part_ns);
    }
    return 0;
}

static const struct server_exploration exploration = {
    .holds_threads = true,
    .memory_bytes = sizeof(struct memory),
    .prepare = prepare,
    .restore = restore,
    .empty = empty,
    .image = image,
    .set_time = set_time,
};

// --- all -----------------------------------------------------------------------------------------

static const struct server_control control = {
    .leads = leads,
    .has_lock = has_lock,
    .flush = flush,
    .refusals = (const char *const[]){"no-space", NULL},
    .deny = deny,
    .refuses = refuses,
};

static const struct topology single = SINGLE_SERVER("etcd");
static const struct topology ensemble = ENSEMBLE_OF_SERVERS("etcd");

const struct server_kind etcd_server = {
    .name = "etcd",
    // It raises short leases to whole seconds, and looks twice a second.
    .form = {.title = "etcd",
             .durability = {"etcd: log flushed at each write"},
             .late_expiry_ns = 2 * NS_PER_S,
             .login = LOGIN_BY_BOTH,
             .grant = "etcdctl role grant-permission --prefix ROLE readwrite lockpick",
             .tls_scheme = "https"},
    .program = "etcd",
    .package = "etcd-server",
    .port = 2379,
    .extra_ports = 1,
    .boot_limit_s = 60,
    .topologies = (const struct topology *const[]){&single, &ensemble, NULL},
    .start = start,
    .ready = ready,
    .ask = ask,
    .keeps_data = true,
    .must_remember = true,
    .control = &control,
    .exploration = &exploration,
};
