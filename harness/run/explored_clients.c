#include "harness/run/programs.h"

#include "harness/base/file.h"
#include "harness/run/client.h"
#include "harness/run/replay.h"
#include "harness/wire/driver.h"

#include <stdlib.h>
#include <string.h>

// So many short sleeps are no lease: more than a schedule has moves.
#define SLEEPS_OF_LEASE 300

struct programs {
    struct programs_settings settings;
    struct clock_shift *clock; // as they are shown it
    char *clock_path;
    struct driver_exploration explorations[MOST_EXPLORED_CLIENTS];
    struct lock_client *clients[MOST_EXPLORED_CLIENTS]; // NULL: its program is to be started
};

// --- opening and closing -------------------------------------------------------------------------

static int describe(struct programs *programs, int client, const char *folder, struct error *error)
{
    struct driver_exploration *exploration = &programs->explorations[client];
    int64_t lease_ns = programs->settings.state->trial->scenario->lock.lease_ns;
    struct text name = {0};
    text_format(&name, "program-%d.rest", client + 1);
    *exploration = (struct driver_exploration){.clock_path = programs->clock_path,
                                               .rest_path = path_join(folder, name.bytes),
                                               .short_ns = lease_ns / SLEEPS_OF_LEASE,
                                               .part_ns = lease_ns / 2,
                                               .sleep = programs->settings.sleep,
                                               .context = programs->settings.context};
    text_free(&name);
    exploration->rest = rest_create(exploration->rest_path, error);
    return exploration->rest != NULL ? 0 : -1;
}

struct programs *programs_open(const struct programs_settings *settings, const char *folder,
                               struct error *error)
{
    struct programs *programs = memory_zeroed(1, sizeof *programs);
    char *whole = realpath(folder, NULL);
    programs->settings = *settings;
    programs->clock_path = path_join(whole != NULL ? whole : folder, "programs.clock");
    programs->clock = clock_shift_create(programs->clock_path, error);
    int result = programs->clock != NULL ? 0 : -1;
    for (int i = 0; i < settings->count && result == 0; i++)
        result = describe(programs, i, whole != NULL ? whole : folder, error);
    free(whole);
    settings->state->programs = programs->clients;
    if (result == 0)
        return programs;
    programs_close(programs);
    return NULL;
}

// Programs start and end by the machine's time.
static void close_program(struct programs *programs, int client)
{
    if (programs->clients[client] == NULL)
        return;
    clock_follow(NULL);
    client_close(programs->clients[client]);
    clock_follow(programs->settings.clock);
    programs->clients[client] = NULL;
}

void programs_close(struct programs *programs)
{
    if (programs == NULL)
        return;
    for (int i = 0; i < programs->settings.count; i++) {
        close_program(programs, i);
        rest_close(programs->explorations[i].rest);
        free((void *)(size_t)programs->explorations[i].rest_path);
    }
    programs->settings.state->programs = NULL;
    clock_shift_close(programs->clock);
    free(programs->clock_path);
    free(programs);
}

void programs_tell_image(const struct programs *programs, struct text *image)
{
    const struct driver_exploration *first = &programs->explorations[0];
    struct text told = {0};
    gate_name_times(text_string(image), image->length, first->began_unix_ns, first->part_ns, &told);
    image->length = 0;
    text_add_bytes(image, text_string(&told), told.length);
    text_free(&told);
}

void programs_set_zero(struct programs *programs, int64_t began_unix_ns)
{
    for (int i = 0; i < programs->settings.count; i++)
        programs->explorations[i].began_unix_ns = began_unix_ns;
}

void programs_set_time(struct programs *programs, int64_t zero_unix_ns, int64_t now_ns)
{
    clock_freeze(programs->clock, zero_unix_ns, now_ns);
}

// One operation that nothing holds up.
static int warm_up(struct programs *programs, int number, struct error *error)
{
    const struct trial_state *state = programs->settings.state;
    struct step_gate gates[CLIENT_THREADS] = {{.is_there = false}};
    struct gated_client *client = client_start_gated(state, gates, number, 1, error);
    if (client == NULL)
        return -1;
    gate_await(&gates[THREAD_WORKER]);
    client_join_gated(client);
    gate_free(&gates[THREAD_WORKER]);
    const char *broken = state_broken(state);
    return broken == NULL ? 0 : error_set(error, "%s", broken);
}

static int start(struct programs *programs, int client, struct error *error)
{
    struct trial_state *state = programs->settings.state;
    struct driver_exploration *exploration = &programs->explorations[client];
    memset(exploration->rest, 0, sizeof *exploration->rest);
    clock_follow(NULL);
    programs->clients[client] = client_open(state, client + 1, NULL, exploration);
    clock_follow(programs->settings.clock);
    const char *broken = state_broken(state);
    if (programs->clients[client] == NULL)
        return error_set(error, "%s", broken != NULL ? broken : "a program could not be started");
    return programs->settings.empty(programs->settings.context, error) != 0
               ? -1
               : warm_up(programs, client + 1, error);
}

int programs_begin(struct programs *programs, struct error *error)
{
    int result = 0;
    for (int i = 0; i < programs->settings.count && result == 0; i++)
        result = programs->clients[i] == NULL ? start(programs, i, error) : 0;
    return result;
}

void programs_end(struct programs *programs, const bool *struck)
{
    for (int i = 0; i < programs->settings.count; i++) {
        if (programs->clients[i] != NULL && (struck[i] || !exec_is_idle(programs->clients[i])))
            close_program(programs, i);
    }
}
