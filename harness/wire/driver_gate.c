#include "harness/wire/driver_parts.h"

#include "harness/base/clock_shift.h"
#include "harness/base/futex.h"
#include "harness/base/scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

// A program that is not at rest for so long, of the machine's time, does not come to rest. Time in
// which it runs, or waits for a processor, counts for a tenth: it may be loading its libraries on a
// busy machine.
#define PATIENCE_NS (20 * NS_PER_S)
#define AT_WORK 10
#define SLICE_NS (100 * NS_PER_MS) // after which it is seen whether it is at work
// What the program does by itself nobody tells: it is looked at again after that time.
#define FIRST_LOOK_NS (50 * NS_PER_US)
#define LAST_LOOK_NS NS_PER_MS
// After the end of a schedule it may make so many steps until it has answered.
#define MOST_FREE_STEPS 40
// And without a gate, until it has said hello.
#define MOST_OF_WARM_UP 400

int driver_gate_describe(const struct driver_exploration *exploration,
                         struct text environment[DRIVER_VARIABLES], struct error *error)
{
    const char *others = getenv("LD_PRELOAD");
    AUTO_FREE char *preload =
        preload_path("lockpick-program.so", "LOCKPICK_PROGRAM_PRELOAD", error);
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

static bool is_at_rest(struct driver *driver)
{
    struct driver_process *process = &driver->process;
    HOLD_MUTEX(&process->looking);
    driver->restless =
        !has_said_all(process)           ? "it has not read what it was told"
        : !proxy_is_quiet(driver->proxy) ? "an answer, or what it has sent, is under way"
        : !rest_is_still(driver->settings.exploration->rest, &process->threads) ? "it is at work"
                                                                                : NULL;
    // Nothing that was seen before its threads stood still has changed by then.
    return driver->restless == NULL && proxy_is_quiet(driver->proxy) && has_said_all(process);
}

// False if it does not come to rest, or has failed.
static bool await_rest(struct driver *driver)
{
    _Atomic uint32_t *changed = &driver->settings.exploration->rest->changed;
    int64_t look_ns = FIRST_LOOK_NS;
    int64_t spent_ns = 0;
    int64_t from_ns = clock_of_machine_ns();
    while (spent_ns < PATIENCE_NS) {
        uint32_t seen = atomic_load(changed);
        if (atomic_load(&driver->failed) != 0)
            return false;
        if (is_at_rest(driver))
            return true;
        int64_t now_ns = clock_of_machine_ns();
        if (now_ns - from_ns > SLICE_NS) {
            spent_ns += driver_process_is_at_work(driver) ? SLICE_NS / AT_WORK : SLICE_NS;
            from_ns = now_ns;
        }
        futex_wait_until_ns(changed, seen, now_ns + look_ns);
        look_ns = time_earlier(2 * look_ns, LAST_LOOK_NS);
    }
    return false;
}

bool driver_gate_is_idle(struct driver *driver)
{
    struct parsed_request request;
    bool is_reply;
    return await_rest(driver) && !proxy_stands(driver->proxy, &request, &is_reply);
}

// --- steps ---------------------------------------------------------------------------------------

// True if the driver goes on by itself.
static bool is_free(const struct step_gate *step)
{
    return step == NULL || atomic_load(&step->order) == GATE_END;
}

// What it does next: lets a request go, or ends a sleep. False: there is nothing, or it has failed.
static bool make_step(struct driver *driver, struct step_gate *step)
{
    const struct driver_exploration *exploration = driver->settings.exploration;
    struct parsed_request request;
    bool is_reply = false;
    if (proxy_stands(driver->proxy, &request, &is_reply)) {
        if (strcmp(request.name, PARSER_UNKNOWN) == 0) {
            driver_fail(driver,
                        "cannot be explored: it has sent a request that Lockpick cannot read; of "
                        "etcd, it reads the JSON gateway's, not gRPC, as its client in Go speaks");
            return false;
        }
        enum gate_order order = GATE_GO;
        if (step != NULL) {
            if (!is_reply)
                snprintf(step->what, sizeof step->what, "%s", request.name);
            gate_stand(step, is_reply ? GATE_AFTER_REPLY : GATE_BEFORE_REQUEST);
            order = is_free(step) ? GATE_GO : (enum gate_order)atomic_load(&step->order);
            if (order == GATE_LOSE_REQUEST || order == GATE_LOSE_REPLY)
                gate_hear(step, "lost", 4);
        }
        proxy_let_go(driver->proxy, order);
        return true;
    }
    int64_t until_ns = rest_sleeps_until_ns(exploration->rest);
    if (is_free(step) && until_ns == TIME_NEVER)
        return false;
    if (!is_free(step)) {
        bool is_short = until_ns <= clock_monotonic_ns() + exploration->short_ns;
        step->until_ns = until_ns;
        gate_stand(step, is_short ? GATE_SLEEPING : GATE_WAITING);
    }
    if (is_free(step)) {
        exploration->sleep(exploration->context, until_ns);
        rest_end_sleeps(exploration->rest, until_ns);
    } else {
        rest_end_sleeps(exploration->rest, clock_monotonic_ns());
    }
    return true;
}

bool driver_gate_wait(struct driver *driver, const struct actor *actor, _Atomic uint32_t *word)
{
    const struct driver_exploration *exploration = driver->settings.exploration;
    struct step_gate *step = actor->gate;
    if (step != NULL)
        step->phase = actor->phase; // a request is for what was asked
    int most = step == NULL ? MOST_OF_WARM_UP : MOST_FREE_STEPS;
    for (int steps = 0; steps < most; steps += is_free(step)) {
        if (!await_rest(driver)) {
            if (atomic_load(&driver->failed) == 0)
                driver_fail(driver, "does not come to rest: %s",
                            driver->restless != NULL ? driver->restless : "nobody sees why");
            return true;
        }
        AUTO_TEXT struct text heard = {0};
        proxy_take_heard(driver->proxy, &heard);
        if (step != NULL)
            gate_name_times(text_string(&heard), heard.length, exploration->began_unix_ns,
                            exploration->part_ns, &step->heard);
        if (atomic_load(word) != 0)
            return true;
        if (!make_step(driver, step))
            break;
    }
    return atomic_load(&driver->failed) != 0;
}

// -------------------------------------------------------------------------------------------------

bool driver_gate_reaches(const struct driver *driver, struct error *error)
{
    if (atomic_load(&driver->settings.exploration->rest->processes[0]) != 0)
        return true;
    error_set(error,
              "the program cannot be explored: its clock cannot be set, nor its sleeps be ended. A "
              "program that is linked statically, as Go's are without cgo, asks the kernel itself");
    return false;
}

bool driver_gate_may_be_granted(const struct parsed_request *request)
{
    static const char *const names[] = {"EVAL",  "EVALSHA", "FCALL", // of Redis
                                        "add",   "cas",     "set",   // of memcached
                                        "grant", // of etcd: a lease counts from there
                                        NULL};
    return request->ttl_ms > 0 || text_is_one_of(request->name, names);
}
