#include "harness/wire/driver_gate.h"

#include "harness/base/clock_shift.h"
#include "harness/base/futex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

// A program that is at work for so long, of the machine's time, does not come to rest.
#define PATIENCE_NS (20 * NS_PER_S)
// What the program does by itself nobody tells: it is looked at again after that time.
#define FIRST_LOOK_NS (50 * NS_PER_US)
#define LAST_LOOK_NS NS_PER_MS
// After the end of a schedule it may make so many steps until it has answered.
#define MOST_FREE_STEPS 40
// And without a gate, until it has said hello.
#define MOST_OF_WARM_UP 400

int driver_gate_describe(const struct driver_exploration *exploration, struct text environment[3],
                         struct error *error)
{
    const char *others = getenv("LD_PRELOAD");
    char *preload = rest_preload_path(error);
    if (preload == NULL)
        return -1;
    text_format(&environment[0], "LD_PRELOAD=%s%s%s", preload, others != NULL ? ":" : "",
                others != NULL ? others : "");
    text_format(&environment[1], CLOCK_SHIFT_VARIABLE "=%s", exploration->clock_path);
    text_format(&environment[2], REST_VARIABLE "=%s", exploration->rest_path);
    bool is_possible = strpbrk(preload, " :") == NULL;
    if (!is_possible)
        error_set(error, "the path %s has a space or a colon, which LD_PRELOAD cannot have",
                  preload);
    free(preload);
    return is_possible ? 0 : -1;
}

// --- rest ----------------------------------------------------------------------------------------

// True if nobody has anything to read, and nobody is reading.
static bool has_said_all(const struct driver_process *process)
{
    int to = 0;
    int from = 0;
    return ioctl(process->input, FIONREAD, &to) == 0 && to == 0 &&
           ioctl(process->output, FIONREAD, &from) == 0 && from == 0 &&
           !atomic_load(&process->is_hearing);
}

static bool is_at_rest(struct driver_gate *gate)
{
    gate->restless = !has_said_all(gate->process)   ? "it has not read what it was told"
                     : !proxy_is_quiet(gate->proxy) ? "an answer, or what it has sent, is under way"
                     : !rest_is_still(gate->exploration->rest) ? "it is at work"
                                                               : NULL;
    // Nothing that was seen before its threads stood still has changed by then.
    return gate->restless == NULL && proxy_is_quiet(gate->proxy) && has_said_all(gate->process);
}

// False if it does not come to rest, or has failed.
static bool await_rest(struct driver_gate *gate)
{
    _Atomic uint32_t *changed = &gate->exploration->rest->changed;
    int64_t look_ns = FIRST_LOOK_NS;
    int64_t give_up_ns = clock_of_machine_ns() + PATIENCE_NS;
    for (;;) {
        uint32_t seen = atomic_load(changed);
        if (atomic_load(gate->failed) != 0)
            return false;
        if (is_at_rest(gate))
            return true;
        int64_t now_ns = clock_of_machine_ns();
        if (now_ns > give_up_ns)
            return false;
        futex_wait_until_ns(changed, seen, now_ns + look_ns);
        look_ns = time_earlier(2 * look_ns, LAST_LOOK_NS);
    }
}

bool driver_gate_is_idle(struct driver_gate *gate)
{
    struct parsed_request request;
    bool is_reply;
    return await_rest(gate) && !proxy_stands(gate->proxy, &request, &is_reply);
}

// --- steps ---------------------------------------------------------------------------------------

static void hear(const struct driver_gate *gate, struct step_gate *step)
{
    const struct driver_exploration *exploration = gate->exploration;
    struct text heard = {0};
    proxy_take_heard(gate->proxy, &heard);
    if (step != NULL)
        gate_name_times(text_string(&heard), heard.length, exploration->began_unix_ns,
                        exploration->part_ns, &step->heard);
    text_free(&heard);
}

static bool has_ended(const struct step_gate *step)
{
    return step != NULL && atomic_load(&step->order) == GATE_END;
}

static enum gate_order stand(struct step_gate *step, enum gate_place place, const char *what)
{
    if (what != NULL)
        snprintf(step->what, sizeof step->what, "%s", what);
    gate_stand(step, place);
    return has_ended(step) ? GATE_GO : (enum gate_order)atomic_load(&step->order);
}

static void sleep_on(const struct driver_gate *gate, struct step_gate *step, int64_t until_ns)
{
    if (step != NULL && !has_ended(step)) {
        bool is_short = until_ns <= clock_monotonic_ns() + gate->exploration->short_ns;
        step->until_ns = until_ns;
        stand(step, is_short ? GATE_SLEEPING : GATE_WAITING, NULL);
    }
    bool is_free = step == NULL || has_ended(step);
    if (is_free)
        gate->exploration->sleep(gate->exploration->context, until_ns);
    rest_end_sleeps(gate->exploration->rest, is_free ? until_ns : clock_monotonic_ns());
}

static void fail(const struct driver_gate *gate, const char *why)
{
    if (atomic_load(gate->failed) == 0)
        driver_fail(gate->process->driver, "%s: %s", "does not come to rest", why);
}

// What it does next: lets a request go, or ends a sleep. False: there is nothing.
static bool make_step(struct driver_gate *gate, struct step_gate *step)
{
    struct parsed_request request;
    bool is_reply = false;
    enum gate_order order = GATE_GO;
    if (proxy_stands(gate->proxy, &request, &is_reply)) {
        if (step != NULL)
            order = stand(step, is_reply ? GATE_AFTER_REPLY : GATE_BEFORE_REQUEST,
                          is_reply ? NULL : request.name);
        if (step != NULL && (order == GATE_LOSE_REQUEST || order == GATE_LOSE_REPLY))
            gate_hear(step, "lost", 4);
        proxy_let_go(gate->proxy, order);
        return true;
    }
    int64_t until_ns = rest_sleeps_until_ns(gate->exploration->rest);
    bool is_free = step == NULL || has_ended(step);
    if (is_free && until_ns == TIME_NEVER)
        return false;
    sleep_on(gate, step, until_ns);
    return true;
}

bool driver_gate_wait(struct driver_gate *gate, const struct actor *actor, _Atomic uint32_t *word)
{
    struct step_gate *step = actor->gate;
    if (step != NULL)
        step->phase = actor->phase; // a request is for what was asked
    int most = step == NULL ? MOST_OF_WARM_UP : MOST_FREE_STEPS;
    for (int steps = 0; steps < most; steps += step == NULL || has_ended(step)) {
        if (!await_rest(gate)) {
            fail(gate, gate->restless != NULL ? gate->restless : "nobody sees why");
            return true;
        }
        hear(gate, step);
        if (atomic_load(word) != 0)
            return true;
        if (!make_step(gate, step))
            break;
    }
    return false;
}

// -------------------------------------------------------------------------------------------------

bool driver_gate_reaches(const struct driver_gate *gate, struct error *error)
{
    if (atomic_load(&gate->exploration->rest->processes[0]) != 0)
        return true;
    error_set(error,
              "the program cannot be explored: its clock cannot be set, nor its sleeps be ended. A "
              "program that is linked statically, as Go's are, asks the kernel itself");
    return false;
}

bool driver_gate_may_be_granted(const struct parsed_request *request)
{
    static const char *const scripts[] = {"EVAL", "EVALSHA", "FCALL", NULL};
    return request->ttl_ms > 0 || text_is_one_of(request->name, scripts);
}
