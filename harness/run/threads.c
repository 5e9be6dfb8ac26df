#include "harness/run/threads.h"

#include <stdlib.h>
#include <string.h>

void threads_begin(struct threads *threads, int count)
{
    threads->count = count;
    threads->has_threads = false;
    threads->changes = 1;
    memset(threads->crashed, 0, sizeof threads->crashed);
    memset(threads->rested, 0, sizeof threads->rested);
}

void threads_free(struct threads *threads)
{
    for (int i = 0; i < MOST_EXPLORED_CLIENTS * CLIENT_THREADS; i++)
        gate_free(&threads->gates[i / CLIENT_THREADS][i % CLIENT_THREADS]);
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

struct step_gate *thread_gate(struct threads *threads, struct move move)
{
    return &threads->gates[move.client - 1][move.thread];
}

static const struct step_gate *gate_at(const struct threads *threads, struct move step)
{
    return &threads->gates[step.client - 1][step.thread];
}

int threads_most(const struct threads *threads)
{
    return threads->count * (threads->has_threads ? CLIENT_THREADS : 1);
}

bool thread_at(const struct threads *threads, int number, struct move *step)
{
    *step = (struct move){.kind = MOVE_STEP,
                          .client = (uint8_t)(number % threads->count + 1),
                          .thread = (uint8_t)(number / threads->count)};
    return !threads->crashed[step->client - 1] && gate_at(threads, *step)->is_there;
}

bool thread_can(const struct threads *threads, struct move step)
{
    const struct step_gate *gate = gate_at(threads, step);
    if (threads->crashed[step.client - 1] || !gate->is_there || gate->place == GATE_OVER ||
        gate->place == GATE_BLOCKED)
        return false;
    if (gate->place == GATE_SLEEPING)
        return threads->rested[step.client - 1][step.thread] < threads->changes;
    return gate->place != GATE_WAITING || gate->until_ns <= clock_monotonic_ns();
}

bool threads_first(const struct threads *threads, struct move last, struct move *step)
{
    *step = (struct move){.kind = MOVE_STEP, .client = last.client, .thread = last.thread};
    if (last.client != 0 && thread_can(threads, *step))
        return true;
    for (int i = 0; i < threads_most(threads); i++) {
        if (thread_at(threads, i, step) && thread_can(threads, *step))
            return true;
    }
    return false;
}

int64_t threads_next_timer_ns(const struct threads *threads, int64_t most_ns)
{
    struct move step;
    int64_t now_ns = clock_monotonic_ns();
    int64_t next_ns = TIME_NEVER;
    for (int i = 0; i < threads_most(threads); i++) {
        const struct step_gate *gate;
        if (!thread_at(threads, i, &step))
            continue;
        gate = gate_at(threads, step);
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
        for (int i = 0; i < threads_most(threads); i++) {
            if (!thread_at(threads, i, &step) || step.thread == THREAD_SUBSCRIBER ||
                !gate_is_rung(gate_at(threads, step)))
                continue;
            gate_let_go(thread_gate(threads, step), GATE_LOOK);
            goes_on = true;
        }
    }
    for (int i = 0; i < threads->count && threads->has_threads; i++) {
        struct step_gate *gate = &threads->gates[i][THREAD_SUBSCRIBER];
        if (gate->is_there && !threads->crashed[i] &&
            ((may_have_published && gate->is_subscribed) || gate_is_rung(gate)))
            gate_let_go(gate, GATE_LOOK);
    }
}

void threads_hear(struct threads *threads, const char *what)
{
    for (int i = 0; i < threads_most(threads); i++) {
        struct step_gate *gate = &threads->gates[i % threads->count][i / threads->count];
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

// Who has waited for longer at the server may be served first. 0: the thread does not wait there.
static int place_in_line(const struct threads *threads, const struct step_gate *gate)
{
    int place = gate->line != 0;
    for (int i = 0; i < threads->count * CLIENT_THREADS; i++) {
        uint64_t line = threads->gates[i / CLIENT_THREADS][i % CLIENT_THREADS].line;
        place += line != 0 && line < gate->line;
    }
    return place;
}

// Where a thread stands, and all that it knows. A thread that waits for nothing but what a worker
// will give it to do knows nothing that matters.
static void tell_thread(const struct threads *threads, int client, const struct step_gate *gate,
                        struct text *names, struct text *out)
{
    int64_t thread = gate - threads->gates[client];
    bool is_idle = !thread_is_worker((int)thread) && gate->place == GATE_WAITING &&
                   gate->until_ns == TIME_NEVER && !gate->is_subscribed;
    int line = place_in_line(threads, gate);
    bool loses_answer = line != 0 && atomic_load(&gate->order) == GATE_LOSE_REPLY;
    text_format(out, "\n%d %lld %d %d %s %d %d %d\n", gate->remembers ? client : 0,
                (long long)gate->operation, (int)gate->place, (int)gate->phase, gate->what,
                threads->rested[client][thread] < threads->changes, line, loses_answer);
    if (gate->place == GATE_WAITING && gate->until_ns != TIME_NEVER)
        text_format(
            out, "%lld\n",
            (long long)time_later((gate->until_ns - clock_monotonic_ns()) / TIMER_PART_NS, -1));
    if (!is_idle || gate->remembers)
        gate_name_tokens(text_string(&gate->heard), gate->heard.length, names, out);
    gate_name_tokens(text_string(&gate->kept), gate->kept.length, names, out);
}

static void tell_client(const struct threads *threads, int client, struct text *names,
                        struct text *out)
{
    for (int thread = 0; thread < (threads->has_threads ? CLIENT_THREADS : 1); thread++) {
        const struct step_gate *gate = &threads->gates[client][thread];
        if (gate->is_there)
            tell_thread(threads, client, gate, names, out);
    }
}

// The client's number, and what is known of it with its tokens named by their order in it alone.
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
    for (int i = 0; i < threads->count * CLIENT_THREADS; i++)
        threads->gates[i % threads->count][i / threads->count].remembers = true;
}
