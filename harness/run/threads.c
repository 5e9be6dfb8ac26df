#include "harness/run/threads.h"

#include <stdlib.h>
#include <string.h>

void threads_begin(struct threads *threads, int count, struct explored_servers *servers,
                   const struct text *kept)
{
    threads->count = count;
    threads->has_threads = false;
    threads->events = 1;
    threads->servers = servers;
    threads->kept = kept;
    threads->last_in_line = threads->ended = 0;
    threads->error.text[0] = '\0';
    memset(threads->crashed, 0, sizeof threads->crashed);
    memset(threads->clock_leases, 0, sizeof threads->clock_leases);
    for (int i = 0; i < MOST_EXPLORED_CLIENTS * CLIENT_THREADS; i++)
        threads->rests[i / CLIENT_THREADS][i % CLIENT_THREADS].events = threads->events;
}

void threads_free(struct threads *threads)
{
    for (int i = 0; i < MOST_EXPLORED_CLIENTS * CLIENT_THREADS; i++) {
        gate_free(&threads->gates[i / CLIENT_THREADS][i % CLIENT_THREADS]);
        text_free(&threads->rests[i / CLIENT_THREADS][i % CLIENT_THREADS].kept);
    }
}

// Every gate of every client, crashed or not, by a number from 0. NULL behind the last.
static struct step_gate *gate_numbered(struct threads *threads, int number)
{
    return number < threads->count * CLIENT_THREADS
               ? &threads->gates[number / CLIENT_THREADS][number % CLIENT_THREADS]
               : NULL;
}

void threads_are_started(struct threads *threads)
{
    for (int i = 0; i < threads->count; i++) {
        for (int thread = THREAD_WORKER + 1; thread < CLIENT_THREADS; thread++)
            threads->has_threads |= threads->gates[i][thread].is_there;
    }
}

bool thread_is_worker(int thread)
{
    return thread == THREAD_WORKER || thread == THREAD_SECOND_WORKER;
}

bool client_is_over(const struct threads *threads, int client)
{
    const struct step_gate *second = &threads->gates[client - 1][THREAD_SECOND_WORKER];
    return threads->crashed[client - 1] ||
           (threads->gates[client - 1][THREAD_WORKER].place == GATE_OVER &&
            (!second->is_there || second->place == GATE_OVER));
}

struct step_gate *thread_gate(const struct threads *threads, struct move move)
{
    return (struct step_gate *)(size_t)&threads->gates[move.client - 1][move.thread];
}

bool threads_next(const struct threads *threads, int *number, struct move *step)
{
    int count = threads->count * (threads->has_threads ? CLIENT_THREADS : 1);
    for (int at = (*number)++; at < count; at = (*number)++) {
        *step = (struct move){.kind = MOVE_STEP,
                              .client = (uint8_t)(at % threads->count + 1),
                              .thread = (uint8_t)(at / threads->count)};
        if (!threads->crashed[step->client - 1] && thread_gate(threads, *step)->is_there)
            return true;
    }
    return false;
}

static bool finds_else(const struct threads *threads, const struct rest *rest)
{
    return rest->kept.length != threads->kept->length ||
           memcmp(text_string(&rest->kept), text_string(threads->kept), rest->kept.length) != 0;
}

bool thread_can(const struct threads *threads, struct move step)
{
    const struct step_gate *gate = thread_gate(threads, step);
    if (threads->crashed[step.client - 1] || !gate->is_there || gate->place == GATE_OVER ||
        gate->place == GATE_BLOCKED)
        return false;
    const struct rest *rest = &threads->rests[step.client - 1][step.thread];
    if (gate->place == GATE_SLEEPING)
        return rest->events < threads->events || finds_else(threads, rest);
    return gate->place != GATE_WAITING || gate->until_ns <= clock_monotonic_ns();
}

bool threads_first(const struct threads *threads, struct move last, struct move *step)
{
    *step = (struct move){.kind = MOVE_STEP, .client = last.client, .thread = last.thread};
    if (last.client != 0 && thread_can(threads, *step))
        return true;
    for (int i = 0; threads_next(threads, &i, step);) {
        if (thread_can(threads, *step))
            return true;
    }
    return false;
}

bool threads_sleep(const struct threads *threads)
{
    struct move step;
    bool sleep = false;
    for (int i = 0; !sleep && threads_next(threads, &i, &step);)
        sleep = thread_gate(threads, step)->place == GATE_SLEEPING;
    return sleep;
}

void thread_stands(struct threads *threads, struct move step, bool has_slept, bool has_lost)
{
    struct rest *rest = &threads->rests[step.client - 1][step.thread];
    const struct step_gate *gate = thread_gate(threads, step);
    bool had_lost = rest->events == 0 && !has_slept && gate->phase == PHASE_ACQUIRE;
    rest->events = has_lost || had_lost ? 0 : threads->events;
    rest->kept.length = 0;
    if (gate->place == GATE_SLEEPING)
        text_add_bytes(&rest->kept, text_string(threads->kept), threads->kept->length);
}

int64_t threads_next_timer_ns(const struct threads *threads, int64_t most_ns)
{
    struct move step;
    int64_t now_ns = clock_monotonic_ns();
    int64_t next_ns = TIME_NEVER;
    for (int i = 0; threads_next(threads, &i, &step);) {
        const struct step_gate *gate = thread_gate(threads, step);
        if (gate->place == GATE_WAITING && gate->until_ns > now_ns)
            next_ns = time_earlier(next_ns, gate->until_ns);
    }
    return next_ns <= now_ns + most_ns ? next_ns : TIME_NEVER;
}

void threads_settle(struct threads *threads, bool may_have_published)
{
    bool goes_on = threads->has_threads;
    struct move step;
    while (goes_on) {
        goes_on = false;
        for (int i = 0; threads_next(threads, &i, &step);) {
            struct step_gate *gate = thread_gate(threads, step);
            if (step.thread == THREAD_SUBSCRIBER || !gate_is_rung(gate))
                continue;
            gate_let_go(gate, GATE_LOOK);
            goes_on = true;
        }
    }
    for (int i = 0; threads->has_threads && threads_next(threads, &i, &step);) {
        struct step_gate *gate = thread_gate(threads, step);
        if ((may_have_published && gate->is_subscribed) ||
            (step.thread == THREAD_SUBSCRIBER && gate_is_rung(gate)))
            gate_let_go(gate, GATE_LOOK);
    }
}

void threads_hear(struct threads *threads, const char *what)
{
    struct step_gate *gate;
    for (int i = 0; (gate = gate_numbered(threads, i)) != NULL; i++) {
        if (gate->is_there && (gate->heard.length > 0 || gate->remembers))
            gate_hear(gate, what, strlen(what));
    }
}

bool threads_are_late(const struct threads *threads, int64_t late_ns)
{
    int64_t now_ns = clock_monotonic_ns();
    bool are_late = false;
    for (int i = 0; i < threads->count; i++) {
        const struct step_gate *gate = &threads->gates[i][THREAD_WATCHDOG];
        are_late |= gate->is_there && !threads->crashed[i] && gate->until_ns < now_ns - late_ns;
    }
    return are_late;
}

// --- states --------------------------------------------------------------------------------------

// Where a thread stands, and all that it knows. A thread that waits for nothing but what a worker
// will give it to do knows nothing that matters.
static void tell_thread(const struct threads *threads, int client, int thread, struct text *names,
                        struct text *out)
{
    const struct step_gate *gate = &threads->gates[client][thread];
    const struct rest *rest = &threads->rests[client][thread];
    bool is_asleep = gate->place == GATE_SLEEPING; // else what has happened is nothing to it
    bool has_lost = rest->events == 0;
    bool has_happened = is_asleep && rest->events < threads->events;
    bool is_idle = !thread_is_worker(thread) && gate->place == GATE_WAITING &&
                   gate->until_ns == TIME_NEVER && !gate->is_subscribed;
    // Who has waited for longer at the server may be served first. 0: it does not wait there.
    int line = gate->line != 0;
    for (int i = 0; i < threads->count * CLIENT_THREADS; i++) {
        uint64_t other = threads->gates[i / CLIENT_THREADS][i % CLIENT_THREADS].line;
        line += other != 0 && other < gate->line;
    }
    bool loses_answer = line != 0 && atomic_load(&gate->order) == GATE_LOSE_REPLY;
    text_format(out, "\n%d %lld %d %d %s %d %d %d %d\n", gate->remembers ? client : 0,
                (long long)gate->operation, (int)gate->place, (int)gate->phase, gate->what,
                has_happened, has_lost, line, loses_answer);
    if (is_asleep && !has_happened && finds_else(threads, rest))
        gate_name_tokens(text_string(&rest->kept), rest->kept.length, names, out);
    int64_t left_ns = gate->until_ns - clock_monotonic_ns();
    if (gate->place == GATE_WAITING && gate->until_ns != TIME_NEVER)
        text_format(out, "%lld %lld\n", (long long)time_later(left_ns / TIMER_PART_NS, 0),
                    left_ns < TIMER_SOON_NS ? (long long)time_later(left_ns / NS_PER_US, 0) : -1LL);
    if (!is_idle || gate->remembers)
        gate_name_tokens(text_string(&gate->heard), gate->heard.length, names, out);
    gate_name_tokens(text_string(&gate->kept), gate->kept.length, names, out);
}

static void tell_client(const struct threads *threads, int client, struct text *names,
                        struct text *out)
{
    text_format(out, "\n%d", threads->clock_leases[client]);
    for (int thread = 0; thread < CLIENT_THREADS; thread++) {
        if (threads->gates[client][thread].is_there)
            tell_thread(threads, client, thread, names, out);
    }
}

// The client's number, and what is known of it, but for all others.
struct standing {
    int client;
    struct text text;
};

static int order_of_standings(const void *a, const void *b)
{
    const struct text *one = &((const struct standing *)a)->text;
    const struct text *other = &((const struct standing *)b)->text;
    size_t length = one->length < other->length ? one->length : other->length;
    int order = memcmp(text_string(one), text_string(other), length);
    return order != 0 ? order : (one->length > other->length) - (one->length < other->length);
}

// Who of the clients stands where is no difference, for they are alike. A client that is over does
// nothing more, unless it has threads.
void threads_tell(struct threads *threads, struct text *names, struct text *out)
{
    struct standing standings[MOST_EXPLORED_CLIENTS] = {{0}};
    size_t count = 0;
    for (int i = 0; i < threads->count; i++) {
        struct text own = {0};
        bool is_over = threads->gates[i][THREAD_WORKER].place == GATE_OVER && !threads->has_threads;
        if (threads->crashed[i] || is_over)
            continue;
        text_add_bytes(&own, text_string(names), names->length);
        standings[count].client = i;
        tell_client(threads, i, &own, &standings[count++].text);
        text_free(&own);
    }
    qsort(standings, count, sizeof *standings, order_of_standings);
    memset(threads->ranked, 0, sizeof threads->ranked);
    for (size_t i = 0; i < count; i++) {
        threads->ranked[i] = standings[i].client + 1;
        tell_client(threads, standings[i].client, names, out);
        text_free(&standings[i].text);
    }
}

void threads_remember(struct threads *threads)
{
    struct step_gate *gate;
    for (int i = 0; (gate = gate_numbered(threads, i)) != NULL; i++)
        gate->remembers = true;
}

// --- sessions ------------------------------------------------------------------------------------

static bool are_kept(const struct threads *threads)
{
    return threads->servers->how->is_blocked != NULL;
}

static void note(struct threads *threads, const struct error *error)
{
    if (threads->error.text[0] == '\0')
        threads->error = *error;
}

// Whether the request under way waits for others. Else its answer is, too.
static bool is_blocked(struct threads *threads, struct step_gate *gate)
{
    struct error error = {0};
    uint64_t session = atomic_load(&gate->session_in_use);
    int blocked = threads->servers->how->is_blocked(threads->servers, session, &error);
    if (blocked < 0)
        note(threads, &error);
    return blocked == 1;
}

void sessions_let_go(struct threads *threads, struct step_gate *gate, enum gate_order order)
{
    if (!are_kept(threads)) {
        gate_let_go(gate, order);
        return;
    }
    gate_send_off(gate, order);
    while (!gate_stands_soon(gate)) {
        if (is_blocked(threads, gate)) {
            gate_leave_blocked(gate, ++threads->last_in_line);
            return;
        }
    }
}

static void await_ended(struct threads *threads)
{
    uint64_t open[MOST_EXPLORED_CLIENTS * CLIENT_THREADS * GATE_SESSIONS];
    size_t count = 0;
    struct error error = {0};
    struct step_gate *gate;
    for (int i = 0; (gate = gate_numbered(threads, i)) != NULL; i++) {
        bool has_crashed = threads->crashed[i / CLIENT_THREADS];
        for (int at = 0; at < GATE_SESSIONS && !has_crashed; at++) {
            uint64_t session = atomic_load(&gate->sessions[at]);
            if (session != 0)
                open[count++] = session;
        }
    }
    if (explored_await_sessions(threads->servers, open, count, &error) != 0)
        note(threads, &error);
}

// Whether some have ended since this was asked last.
static bool have_ended(struct threads *threads)
{
    uint64_t ended = 0;
    struct step_gate *gate;
    for (int i = 0; (gate = gate_numbered(threads, i)) != NULL; i++)
        ended += atomic_load(&gate->ended_sessions) + threads->crashed[i / CLIENT_THREADS];
    bool are_more = ended != threads->ended;
    threads->ended = ended;
    return are_more;
}

// What a thread does once it is answered, to end its session, may let others in.
void sessions_settle(struct threads *threads)
{
    struct step_gate *gate;
    if (!are_kept(threads))
        return;
    do {
        if (have_ended(threads))
            await_ended(threads);
        for (int i = 0; (gate = gate_numbered(threads, i)) != NULL; i++) {
            while (gate->line != 0 && !is_blocked(threads, gate)) {
                if (gate_stands_soon(gate))
                    gate->line = 0;
            }
        }
    } while (have_ended(threads));
}

static void end_all_of(struct threads *threads, const struct step_gate *gate)
{
    struct error error = {0};
    for (int at = 0; at < GATE_SESSIONS; at++) {
        uint64_t session = atomic_load(&gate->sessions[at]);
        if (session != 0 && explored_end_session(threads->servers, session, &error) != 0)
            note(threads, &error);
    }
}

void sessions_crash(struct threads *threads, int client)
{
    for (int thread = 0; are_kept(threads) && thread < CLIENT_THREADS; thread++)
        end_all_of(threads, &threads->gates[client - 1][thread]);
}

void sessions_end(struct threads *threads)
{
    struct step_gate *gate;
    for (int i = 0; (gate = gate_numbered(threads, i)) != NULL; i++) {
        if (gate->line == 0)
            continue;
        gate_send_off(gate, GATE_END);
        end_all_of(threads, gate);
    }
}
