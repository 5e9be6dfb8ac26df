// exec: a command of the user's strikes, for what only the operator of a server can do: fails over
// a managed one, deletes a pod. In effect once another one, its proof, succeeds, which is run again
// until then, and must not succeed before; a third one undoes it. They are run in the folder that
// Lockpick is called in, with the addresses of the servers in their environment as a driver has
// them, and what they print is in fault-N.log of the trial's folder. Where servers that run already
// are reached by a gateway, commands are run by that, on the host's network.
#include "faults/fault.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/gateway.h"
#include "harness/wire/peer.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

// The longest that one may take: less than the schedule waits for a fault's end.
#define COMMAND_NS (25 * NS_PER_S)
#define PROOF_NS (30 * NS_PER_S)  // from the end of the first until the proof
#define AGAIN_NS (50 * NS_PER_MS) // after a proof that failed

// How far it has come: which command runs, or is to be run next.
enum { PROVES_BEFORE, STARTS, PROVES, UNDOES };

static const struct string_list *command_of(const struct fault_strike *strike)
{
    const struct fault_instance *instance = strike->instance;
    return strike->progress == STARTS   ? &instance->start
           : strike->progress == UNDOES ? &instance->undo
                                        : &instance->proof;
}

static enum availability available(const struct fault_prospect *prospect, struct error *why)
{
    const struct fault_instance *instance = prospect->instance;
    const struct string_list *const commands[] = {&instance->start, &instance->proof,
                                                  &instance->undo};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const char *program = commands[i]->count > 0 ? commands[i]->items[0] : NULL;
        if (program == NULL || strchr(program, '/') != NULL || program_exists(program))
            continue;
        error_set(why, "found no %s in PATH, which 'exec' is to run", program);
        return FAULT_MISSING;
    }
    return FAULT_AVAILABLE;
}

// --- a command -----------------------------------------------------------------------------------

static char *log_of(const struct fault_strike *strike)
{
    return text_formatted("%s/fault-%d.log", strike->environment->folder, strike->instance->number);
}

static enum strike_state begin(struct fault_strike *strike, int progress, struct error *error)
{
    const struct fault_environment *about = strike->environment;
    struct text variables[SERVICE_VARIABLES] = {{0}};
    AUTO_FREE char *log = log_of(strike);
    const struct service *service = about->outside != NULL ? about->outside : about->service;
    if (service != NULL)
        service_tell(service, variables);
    const char *const environment[] = {variables[0].bytes, variables[1].bytes, NULL};
    strike->progress = progress;
    strike->acted_ns = clock_monotonic_ns();
    const struct process_settings settings = {.arguments =
                                                  (const char *const *)command_of(strike)->items,
                                              .environment = environment,
                                              .log_path = log,
                                              .own_group = true,
                                              .network_namespace = -1,
                                              .processor = -1};
    strike->process = about->gateway != NULL ? gateway_command(about->gateway, &settings, error)
                                             : process_start(&settings, error);
    for (size_t i = 0; i < SERVICE_VARIABLES; i++)
        text_free(&variables[i]);
    return strike->process > 0 ? STRIKE_PENDING : STRIKE_FAILED;
}

// With all that it has started.
static void end(struct fault_strike *strike)
{
    if (strike->process > 0)
        kill(-strike->process, SIGKILL);
    process_kill(strike->process);
    strike->process = 0;
}

// Says how the command has ended, with the last line that it, or one before it, has printed.
static void say_end(const struct fault_strike *strike, const char *how, struct error *error)
{
    static const char *const names[] = {"proof", "start", "proof", "undo"};
    AUTO_FREE char *log = log_of(strike);
    AUTO_TEXT struct text printed = {0};
    char *last = NULL;
    if (file_read(log, &printed, NULL) == 0 && printed.length > 0) {
        if (printed.bytes[printed.length - 1] == '\n')
            printed.bytes[printed.length - 1] = '\0';
        last = strrchr(printed.bytes, '\n');
        last = last != NULL ? last + 1 : printed.bytes;
    }
    error_set(error, "its '%s' (%s) %s; the last line of %s is: %.200s", names[strike->progress],
              command_of(strike)->items[0], how, log, last != NULL ? last : "(nothing)");
}

// Whether the command has ended, and well; `*has_run` becomes false if it was killed, or was none.
static enum strike_state look(struct fault_strike *strike, bool *has_run, struct error *error)
{
    int status = 0;
    char text[32];
    char how[64];
    pid_t ended = waitpid(strike->process, &status, WNOHANG);
    if (ended == 0) {
        if (clock_monotonic_ns() - strike->acted_ns < COMMAND_NS)
            return STRIKE_PENDING;
        end(strike);
        *has_run = false;
        say_end(strike, "did not end within 25 s, and was killed", error);
        errno = ETIMEDOUT;
        return STRIKE_FAILED;
    }
    strike->process = 0;
    if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return STRIKE_IN_EFFECT;
    // 126 and 127 are a shell's word for a program that could not be run.
    *has_run = ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) < 126;
    snprintf(how, sizeof how, "ended by %s", process_end(status, text, sizeof text));
    say_end(strike, how, error);
    errno = 0;
    return STRIKE_FAILED;
}

// What has failed is told once it is undone, as far as that can be.
static enum strike_state tell_failure(struct fault_strike *strike, enum strike_state undone,
                                      struct error *error)
{
    if (undone == STRIKE_FAILED)
        error_wrap(&strike->why, "not undone (%s)", error->text);
    *error = strike->why;
    errno = 0;
    return STRIKE_FAILED;
}

// What has begun, and is not proven, is undone.
static enum strike_state give_up(struct fault_strike *strike, struct error *error)
{
    strike->why = *error;
    if (strike->instance->undo.count == 0)
        return tell_failure(strike, STRIKE_IN_EFFECT, error);
    enum strike_state undone = begin(strike, UNDOES, error);
    return undone == STRIKE_PENDING ? undone : tell_failure(strike, undone, error);
}

static enum strike_state go_on_undoing(struct fault_strike *strike, struct error *error)
{
    bool has_run;
    bool has_failed = strike->why.text[0] != '\0';
    enum strike_state undone = look(strike, &has_run, error);
    return undone == STRIKE_PENDING || !has_failed ? undone : tell_failure(strike, undone, error);
}

// --- the fault -----------------------------------------------------------------------------------

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    AUTO_TEXT struct text command = {0};
    for (size_t i = 0; i < strike->instance->start.count; i++)
        text_format(&command, " %s", strike->instance->start.items[i]);
    snprintf(strike->found, sizeof strike->found, "%s", text_clean(command.bytes) + 1);
    return begin(strike, PROVES_BEFORE, error);
}

static enum strike_state prove(struct fault_strike *strike, struct error *error)
{
    int64_t now_ns = clock_monotonic_ns();
    if (strike->process == 0) // its proof has failed
        return now_ns - strike->acted_ns < AGAIN_NS ? STRIKE_PENDING : begin(strike, PROVES, error);
    if (strike->progress == UNDOES)
        return go_on_undoing(strike, error);
    bool has_run = true;
    enum strike_state state = look(strike, &has_run, error);
    if (state == STRIKE_PENDING)
        return state;
    switch (strike->progress) {
    case PROVES_BEFORE:
        if (state == STRIKE_FAILED)
            return has_run ? begin(strike, STARTS, error) : state;
        return error_set(error, "its proof succeeds before it has struck, and so proves nothing: "
                                "write one that fails until then");
    case STARTS:
        strike->since_ns = now_ns;
        return state == STRIKE_FAILED ? give_up(strike, error) : begin(strike, PROVES, error);
    default:
        strike->acted_ns = now_ns;
        if (state == STRIKE_IN_EFFECT || now_ns - strike->since_ns < PROOF_NS)
            return state == STRIKE_FAILED ? STRIKE_PENDING : state;
        error_wrap(error, "no proof within %d s", (int)(PROOF_NS / NS_PER_S));
        return give_up(strike, error);
    }
}

// Also of one that is not proven yet. What has not begun needs not be undone.
static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    if (strike->progress == UNDOES)
        return go_on_undoing(strike, error);
    end(strike);
    return strike->progress == PROVES_BEFORE || strike->instance->undo.count == 0
               ? STRIKE_IN_EFFECT
               : begin(strike, UNDOES, error);
}

const struct fault exec_fault = {
    .form = {.name = "exec",
             .strikes = STRIKES_BY_COMMAND,
             .traits = FAULT_BY_COMMAND | FAULT_MAY_FORGET | FAULT_DISCONNECTS,
             .lasting = LASTS_ON,
             .told = "a command strikes:{found}",
             .over = "what the command did is undone",
             .lost = " were struck by a command, and have {who}'s lock no more",
             .mitigation = "a lock server that keeps its locks through that; or a fencing token "
                           "checked by the store (fenced: true)"},
    .summary = "runs a command of yours, until its proof succeeds; 'undo' ends it",
    .available = available,
    .inject = inject,
    .prove = prove,
    .heal = heal,
};
