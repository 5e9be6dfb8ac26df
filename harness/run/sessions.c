#include "harness/run/sessions.h"

void sessions_begin(struct sessions *sessions, struct explored_servers *servers,
                    struct threads *threads)
{
    *sessions = (struct sessions){.servers = servers, .threads = threads};
}

static bool are_kept(const struct sessions *sessions)
{
    return sessions->servers->how->is_blocked != NULL;
}

static void note(struct sessions *sessions, const struct error *error)
{
    if (sessions->error.text[0] == '\0')
        sessions->error = *error;
}

// Every gate of every client, crashed or not, by a number from 0. NULL behind the last.
static struct step_gate *gate_numbered(const struct sessions *sessions, int number)
{
    struct threads *threads = sessions->threads;
    return number < threads->count * CLIENT_THREADS
               ? &threads->gates[number / CLIENT_THREADS][number % CLIENT_THREADS]
               : NULL;
}

// Whether the request under way waits for others. Else its answer is, too.
static bool is_blocked(struct sessions *sessions, struct step_gate *gate)
{
    struct error error = {0};
    uint64_t session = atomic_load(&gate->session_in_use);
    int blocked = sessions->servers->how->is_blocked(sessions->servers, session, &error);
    if (blocked < 0)
        note(sessions, &error);
    return blocked == 1;
}

void sessions_let_go(struct sessions *sessions, struct step_gate *gate, enum gate_order order)
{
    if (!are_kept(sessions)) {
        gate_let_go(gate, order);
        return;
    }
    gate_send_off(gate, order);
    while (!gate_stands_soon(gate)) {
        if (is_blocked(sessions, gate)) {
            gate_leave_blocked(gate, ++sessions->last_in_line);
            return;
        }
    }
}

static void await_ended(struct sessions *sessions)
{
    uint64_t open[MOST_EXPLORED_CLIENTS * CLIENT_THREADS * GATE_SESSIONS];
    size_t count = 0;
    struct error error = {0};
    struct step_gate *gate;
    for (int i = 0; (gate = gate_numbered(sessions, i)) != NULL; i++) {
        bool has_crashed = sessions->threads->crashed[i / CLIENT_THREADS];
        for (int at = 0; at < GATE_SESSIONS && !has_crashed; at++) {
            uint64_t session = atomic_load(&gate->sessions[at]);
            if (session != 0)
                open[count++] = session;
        }
    }
    if (sessions->servers->how->await_sessions(sessions->servers, open, count, &error) != 0)
        note(sessions, &error);
}

// Whether some have ended since this was asked last.
static bool have_ended(struct sessions *sessions)
{
    uint64_t ended = 0;
    struct step_gate *gate;
    for (int i = 0; (gate = gate_numbered(sessions, i)) != NULL; i++)
        ended +=
            atomic_load(&gate->ended_sessions) + sessions->threads->crashed[i / CLIENT_THREADS];
    bool are_more = ended != sessions->ended;
    sessions->ended = ended;
    return are_more;
}

// What a thread does once it is answered, to end its session, may let others in.
void sessions_settle(struct sessions *sessions)
{
    struct step_gate *gate;
    if (!are_kept(sessions))
        return;
    do {
        if (have_ended(sessions))
            await_ended(sessions);
        for (int i = 0; (gate = gate_numbered(sessions, i)) != NULL; i++) {
            while (gate->line != 0 && !is_blocked(sessions, gate)) {
                if (gate_stands_soon(gate))
                    gate->line = 0;
            }
        }
    } while (have_ended(sessions));
}

static void end_all_of(struct sessions *sessions, const struct step_gate *gate)
{
    struct error error = {0};
    for (int at = 0; at < GATE_SESSIONS; at++) {
        uint64_t session = atomic_load(&gate->sessions[at]);
        if (session != 0 &&
            sessions->servers->how->end_session(sessions->servers, session, &error) != 0)
            note(sessions, &error);
    }
}

void sessions_crash(struct sessions *sessions, int client)
{
    for (int thread = 0; are_kept(sessions) && thread < CLIENT_THREADS; thread++)
        end_all_of(sessions, &sessions->threads->gates[client - 1][thread]);
}

void sessions_end(struct sessions *sessions)
{
    struct step_gate *gate;
    for (int i = 0; (gate = gate_numbered(sessions, i)) != NULL; i++) {
        if (gate->line == 0)
            continue;
        gate_end(gate);
        end_all_of(sessions, gate);
    }
}
