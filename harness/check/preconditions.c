#include "harness/check/preconditions.h"

#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/by_lock.h"
#include "harness/check/describe.h"
#include "harness/check/faults.h"
#include "harness/check/stalls.h"
#include "harness/check/sweep.h"
#include "harness/point/point.h"
#include "harness/workloads/workload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>

// "fault 1 (pause client-1 after read)", cut to what leaves room for the rest of a reason.
static struct words name_of(const struct fault_instance *instance)
{
    struct words words;
    _Static_assert(sizeof words.text >= 160, "the room of a fault's name");
    snprintf(words.text, sizeof words.text, "fault %d (%.120s)", instance->number,
             fault_title(instance));
    return words;
}

// --- why a fault never struck --------------------------------------------------------------------

#define FOR_EACH_POINT(point, instance)                                                            \
    FOR_EACH (point_name, point, (instance)->points, (instance)->point_count)

// True if the fault waits for a request, and what it waits for is one of the words, or is not.
static bool waits_for(const struct fault_instance *instance, const char *const *words, bool is_one)
{
    FOR_EACH_POINT (point, instance) {
        if (point->moment != MOMENT_AT && text_is_one_of(point->what, words) == is_one)
            return true;
    }
    return false;
}

// True if the fault waits for a command, which this scheme may not send: reads, writes and holds
// come with every scheme.
static bool waits_for_command(const struct fault_instance *instance)
{
    return waits_for(instance, (const char *const[]){"read", "write", NULL}, false);
}

// True if another program has the lock, which is asked by a driver.
static bool is_driven(const struct trial_model *model)
{
    const struct external_client *external_client = model->trial->external_client;
    return external_client != NULL && external_client->plugin == NULL;
}

// True if it waits for a command that a program sends for one of its workers, or for one purpose:
// with several workers it cannot always be told which (scripts/drivers/README.md).
static bool waits_for_one_of_several(const struct trial_model *model,
                                     const struct fault_instance *instance)
{
    static const char *const known[] = {"acquire", "release", "renew", "read",
                                        "write",   "holds",   NULL};
    if (!is_driven(model) || model->trial->scenario->clients.threads == 1)
        return false;
    FOR_EACH_POINT (point, instance) {
        if (!text_is_one_of(point->what, known) && (point->worker != 0 || point->phase[0] != '\0'))
            return true;
    }
    return false;
}

#define COMMANDS_SAID 6

// The commands that the point's client sent to servers in the point's phase, as its proxy saw them.
// Returns how many different ones there are, at most COMMANDS_SAID; 0 if the very one is among them
// that the point waits for, or if nothing was seen.
static size_t find_sent(const struct trial_model *model, const struct point_name *point,
                        struct event_command sent[COMMANDS_SAID])
{
    size_t count = 0;
    FOR_EACH_EVENT (event, model) {
        if (event->kind != EVENT_REQUEST || event->client != point->client)
            continue;
        enum phase phase = (enum phase)(event->detail >> REQUEST_PHASE);
        struct event_command command = event_command(event);
        if (point->phase[0] != '\0' && strcmp(point->phase, phase_name(phase)) != 0)
            continue;
        if (strncasecmp(command.text, point->what, sizeof command.text - 1) == 0)
            return 0;
        size_t known = 0;
        while (known < count && strcmp(sent[known].text, command.text) != 0)
            known++;
        if (known == count && count < COMMANDS_SAID)
            sent[count++] = command;
    }
    return count;
}

// Of commands that the lock does not send: what it sends instead, and how to strike there.
static bool say_sent(const struct trial_model *model, const struct fault_instance *instance,
                     struct text *out)
{
    struct event_command sent[COMMANDS_SAID];
    const struct point_name *point = &instance->points[0];
    size_t count = 0;
    for (size_t i = instance->point_count; i-- > 0;) { // the first one's last
        count = find_sent(model, &instance->points[i], sent);
        if (count == 0)
            return false;
    }
    text_add(out, "its point was never reached: ");
    if (point->phase[0] != '\0')
        text_format(out, "in its %s ", point->phase);
    text_format(out, "client-%d sent ", point->client);
    for (size_t i = 0; i < count; i++)
        text_format(out, "%s%s", i > 0 ? ", " : "", sent[i].text);
    if (point->phase[0] != '\0')
        text_format(out, "; 'client-%d %s request in %s' strikes whatever it sends", point->client,
                    point->moment == MOMENT_AFTER ? "after" : "before", point->phase);
    return true;
}

static void say_why_never_asked(const struct trial_model *model,
                                const struct fault_instance *instance, struct text *out)
{
    static const char *const asked_of_drivers[] = {"acquire", "release", "renew", NULL};
    bool waits = waits_for_command(instance);
    const char *why = "its point was never reached";
    if (instance->at_ns > 0 && instance->point_count > 0)
        why = "the trial ended before its time, or its point was not reached from then on";
    else if (instance->at_ns >= 0)
        why = "the trial ended before its time; more operations would make it longer";
    else if (model->trial->external_client == NULL && waits_for(instance, asked_of_drivers, true))
        why = "its point was never reached: acquire, release and renew are what is asked of "
              "drivers; of this scheme, say 'request in release', or name its command";
    else if (waits && model->trial->external_client != NULL && say_sent(model, instance, out))
        return;
    else if (waits_for_one_of_several(model, instance))
        why = "its point was never reached; is it a command that this scheme sends? And which "
              "worker's it is, and in what phase, is known for certain with clients: {threads: 1}";
    else if (waits)
        why = "its point was never reached; is it a command that this scheme sends? see lockpick "
              "history";
    else if (instance->after != 0 || instance->nth > 1)
        why = "its point was never reached so often or so late; more operations would do";
    text_add(out, why);
}

static bool fault_took_effect(const struct trial_model *model, const struct fault_record *record,
                              struct text *why)
{
    bool in_effect = took_effect(record);
    if (in_effect && !record->failed)
        return true;
    text_format(why, "%s %s: ", name_of(record->instance).text,
                in_effect ? "was never over" : "never took effect");
    if (in_effect)
        text_add(why, "its end was tried and FAILED");
    else if (record->failed)
        text_add(why, "it was tried and FAILED");
    else if (record->asked_ns == TIME_NEVER)
        say_why_never_asked(model, record->instance, why);
    else
        text_add(why, "it was asked for, but nothing proves that it took effect");
    if (record->reason[0] != '\0')
        text_format(why, ": %.160s", record->reason);
    else if (record->failed && record->failure > 0)
        text_format(why, ": %s", strerror(record->failure));
    return false;
}

bool fault_was_absent(const struct trial_model *model, struct text *what)
{
    bool any_drawn = false; // took effect
    FOR_EACH_FAULT (record, model) {
        any_drawn |= record->instance->drawn && took_effect(record);
    }
    FOR_EACH_FAULT (record, model) {
        if (!took_effect(record) && !(record->instance->drawn && any_drawn))
            return say(what, "%s", name_of(record->instance).text);
    }
    return false;
}

// --- what a fault met ----------------------------------------------------------------------------

// When what is tried meets the fault. One worker stands still as soon as it has come to its point,
// and a conductor that is late says so when others have long gone on. A server that was killed or
// restarted is met while it goes down and comes back, and a client is dead before its end is
// noticed, which may take seconds; what a lost request, of the very client that the fault cuts off,
// left on the servers is met until its lease runs out.
static struct span time_of_meeting(const struct trial_model *model,
                                   const struct fault_record *record)
{
    const struct fault_instance *instance = record->instance;
    const struct point_name *point = &instance->points[0];
    const struct event *reached = record->reached;
    struct span time = {record->in_effect_ns, record->healed_ns};
    if (fault_can(instance, FAULT_STOPS) && instance->target.worker != 0 && reached != NULL &&
        reached->client == instance->target.client && reached->worker == instance->target.worker)
        time.from_ns = time_earlier(reached->at_ns, record->in_effect_ns);
    bool loses_request = instance->side_counts[0] > 0 && instance->point_count > 0 &&
                         point->moment == MOMENT_BEFORE && waits_for_command(instance) &&
                         wire_names_client(instance, point->client);
    if (loses_request && time.to_ns != TIME_NEVER)
        time.to_ns += model->trial->scenario->lock.lease_ns;
    if (instance->side_counts[0] > 0 || !fault_can(instance, FAULT_KILLS) ||
        fault_can(instance, FAULT_MOVES_LEADER))
        return time;
    time.from_ns = time_earlier(record->asked_ns, record->in_effect_ns);
    if (time.to_ns != TIME_NEVER)
        time.to_ns += 100 * NS_PER_MS;
    return time;
}

// True if that came into the time, and is not the fault's target's own: of a worker that cannot go
// for the lock because of the fault, or sends only what the fault keeps back.
static bool meets(const struct trial_model *model, const struct fault_instance *instance,
                  struct span time, int64_t from_ns, int64_t to_ns, const struct hold *of)
{
    const struct target *target = &instance->target;
    bool is_target = fault_can(instance, FAULT_STOPS | FAULT_KILLS) &&
                     target->client == of->client &&
                     (target->worker == 0 || target->worker == of->worker);
    if (instance->side_counts[0] > 0)
        is_target =
            wire_names_client(instance, of->client) && !wire_names_all_clients(model, instance);
    return to_ns >= time.from_ns && from_ns <= time.to_ns && !is_target;
}

// True if somebody other than the fault's target had an acquire in progress while it was in effect,
// or, where nobody waits for the lock, an access of the guarded value.
static bool met_somebody(const struct trial_model *model, const struct fault_record *record)
{
    const struct fault_instance *instance = record->instance;
    const struct span time = time_of_meeting(model, record);
    for (size_t i = 0; i < acquire_count(model); i++) {
        const struct hold *hold = acquire_at(model, i);
        int64_t to_ns = i < model->hold_count ? hold->granted_ns
                                              : time_earlier(hold->returned_ns, hold->died_ns);
        if (meets(model, instance, time, hold->invoked_ns, to_ns, hold))
            return true;
    }
    for (size_t i = 0; i < model->access_count && !trial_model_excludes(model); i++) {
        const struct access *access = &model->accesses[i];
        if (meets(model, instance, time, access->invoked_ns, access->returned_ns,
                  &model->holds[access->hold]))
            return true;
    }
    return false;
}

// True if the fault took effect, was over when it had to be, and something met it.
static bool fault_is_proven(const struct trial_model *model, const struct fault_record *record,
                            struct text *why)
{
    const struct clients_settings *clients = &model->trial->scenario->clients;
    const struct fault_instance *instance = record->instance;
    const struct words what = name_of(instance);
    if (!fault_took_effect(model, record, why))
        return false;
    // It was to end by a cause or its bound, and ended only because the trial did. One at a set
    // time may be cut short: those of `every` and `random` go on until the end.
    if (instance->bound_ns > 0 && instance->bound_ns != NO_BOUND && instance->at_ns < 0 &&
        record->healed_ns != TIME_NEVER && record->heal_reason == HEAL_END)
        return !say(why,
                    "%s was still on when the trial ended: what its end brings was not seen; more "
                    "operations would last until then",
                    what.text);
    if (instance->side_counts[0] > 0 && record->met == 0)
        return !say(why, "%s met no packet: nothing went between those nodes meanwhile", what.text);
    if (fault_can(instance, FAULT_HINDERS_DISK) && record->met == 0)
        return !say(why, "%s met no write: the server asked nothing of its disk meanwhile",
                    what.text);
    return met_somebody(model, record) ||
           !say(why,
                "%s met no traffic: nobody else went for the lock %s it; let another client "
                "compete: more operations, more clients.processes (now %" PRId64 ")%s",
                what.text, instance->bound_ns >= 0 ? "during" : "after", clients->processes,
                clients->start_first.client == 0 ? ", or start-first" : "");
}

size_t drawn_faults(const struct trial_model *model, size_t *struck)
{
    size_t drawn = 0;
    *struck = 0;
    FOR_EACH_FAULT (record, model) {
        AUTO_TEXT struct text ignored = {0};
        drawn += record->instance->drawn;
        *struck += record->instance->drawn && fault_is_proven(model, record, &ignored);
    }
    return drawn;
}

static bool faults_proven(const struct trial_model *model, struct text *why)
{
    size_t struck;
    size_t drawn = drawn_faults(model, &struck);
    FOR_EACH_FAULT (record, model) {
        // What was drawn need not have struck, but what took a server down must have brought it
        // back.
        bool is_demanded = !record->instance->drawn || (took_effect(record) && record->failed &&
                                                        fault_can(record->instance, FAULT_KILLS));
        if (is_demanded && !fault_is_proven(model, record, why))
            return false;
    }
    if (drawn == 0 || struck > 0 || drawn < model->fault_count)
        return true;
    text_format(why, "none of %zu drawn faults struck: ", drawn);
    fault_is_proven(model, &model->faults[0], why);
    return false;
}

// --- servers that are down -----------------------------------------------------------------------

bool servers_were_left_down(const struct trial_model *model, struct text *why)
{
    FOR_EACH_FAULT (record, model) {
        if (took_effect(record) && fault_can(record->instance, FAULT_SHOWS_AT_START) &&
            record->instance->form.lasting == LASTS_NEVER)
            return say(why, "%s: a server with damaged data may answer anything",
                       name_of(record->instance).text);
        bool stays_struck =
            took_effect(record) && fault_can(record->instance, FAULT_REFUSES | FAULT_STOPS);
        if (record->failed && record->instance->target.client == 0 &&
            record->asked_ns != TIME_NEVER &&
            (stays_struck || fault_can(record->instance, FAULT_KILLS | FAULT_BY_COMMAND)) &&
            !fault_took_effect(model, record, why))
            return true;
    }
    return false;
}

// True if the fault had one of the lock's servers down, or standing still, at that time.
static bool is_down_at(const struct fault_record *record, int64_t at_ns)
{
    const struct fault_instance *instance = record->instance;
    bool is_of_lock = instance->target.client == 0 && instance->side_counts[0] == 0 &&
                      !target_is_store(&instance->target);
    // A failover takes its leader down before another one leads.
    int64_t from_ns = time_earlier(record->asked_ns, record->in_effect_ns);
    return is_of_lock && fault_can(instance, FAULT_KILLS | FAULT_STOPS) && from_ns <= at_ns &&
           (took_effect(record) || !record->failed) && at_ns < record->healed_ns;
}

void tell_servers_down(const struct trial_model *model, int64_t from_ns, int64_t to_ns,
                       struct text *out)
{
    const struct trial *trial = model->trial;
    int most = 0;
    int64_t most_at_ns = from_ns;
    AUTO_TEXT struct text which = {0};
    FOR_EACH_FAULT (added, model) {
        // They are the most when one more goes down, or when the time begins.
        int64_t at_ns = time_later(from_ns, time_earlier(added->asked_ns, added->in_effect_ns));
        int down = 0;
        FOR_EACH_FAULT (record, model) {
            down += at_ns <= to_ns && is_down_at(record, at_ns);
        }
        most_at_ns = down > most ? at_ns : most_at_ns;
        most = down > most ? down : most;
    }
    FOR_EACH_FAULT (record, model) {
        if (is_down_at(record, most_at_ns))
            text_format(&which, "%s%d", which.length > 0 ? ", " : "", record->instance->number);
    }
    int left = trial->servers - most;
    bool is_short = trial->servers > 0 &&
                    (trial->topology->by_majority ? 2 * left <= trial->servers : left <= 0);
    if (most > 0 && is_short)
        text_format(out, "; %d of %d server%s %s down (fault%s %s)", most, trial->servers,
                    plural(trial->servers), most == 1 ? "was" : "were", plural(most),
                    text_string(&which));
}

// --- whether everybody was served ----------------------------------------------------------------

// Without a fault: none was on, or being recovered from, between an acquire's invoke and return.
// Whoever lost the race for a lock that others held all the time was not turned away. Stalls excuse
// nothing: whatever kept a client from the lock, it was not seen to get it.

// So many refusals of a lock that was free throughout are no chance meeting, as of two who ask a
// quorum at once and both have to let go again.
#define MANY_REFUSALS 3
// So many acquires without an answer are few, whatever their share; above it, one in ten is.
#define FEW_UNANSWERED 2
// Whoever waits looks again within that time, even if nothing is said of it.
#define LEAST_RETRY_NS (10 * NS_PER_MS)
// How many of the holds before an acquire are looked at for one that it has to wait for.
#define LOOK_BACK 16

// True if no fault was on between the two times, and no target may not have recovered from it.
static bool is_undisturbed(const struct trial_model *model, int64_t from_ns, int64_t to_ns)
{
    FOR_EACH_FAULT (record, model) {
        bool is_of_client = record->instance->target.client > 0;
        int64_t over_ns = record->healed_ns;
        if (over_ns == TIME_NEVER && record->instance->bound_ns < 0 && is_of_client)
            over_ns = record->in_effect_ns;
        if (over_ns != TIME_NEVER && !is_of_client)
            over_ns += model->trial->scenario->lock.stuck_after_ns;
        if (record->asked_ns <= to_ns && over_ns >= from_ns)
            return false;
    }
    return true;
}

// Until when a lock that nobody is known to have released may have been held.
static int64_t given_back_by_ns(const struct trial_model *model, int64_t valid_until_ns)
{
    return valid_until_ns == TIME_NEVER
               ? TIME_NEVER
               : valid_until_ns + model->trial->scenario->lock.stuck_after_ns;
}

// Times at which somebody may have held some lock, one after the other.
static struct spans busy_make(const struct trial_model *model)
{
    const size_t room = acquire_count(model);
    struct spans busy = {memory_new(room * sizeof *busy.items), 0, room};
    bool has_lease = trial_has_trait(model->trial, "lease");
    FOR_EACH_HOLD (hold, model) {
        bool is_over = hold->returned_ns != TIME_NEVER && hold->answer != RELEASE_UNKNOWN;
        int64_t by_ns = is_over ? hold->returned_ns : given_back_by_ns(model, hold->valid_until_ns);
        span_add(&busy, (struct span){hold->invoked_ns, by_ns});
    }
    FOR_EACH_ATTEMPT (attempt, model) {
        int64_t by_ns = time_earlier(attempt->returned_ns, attempt->died_ns);
        if (attempt->outcome != OUTCOME_UNKNOWN)
            continue;
        if (by_ns != TIME_NEVER && has_lease)
            by_ns = given_back_by_ns(model, by_ns + model->trial->scenario->lock.lease_ns);
        span_add(&busy, (struct span){attempt->invoked_ns, has_lease ? by_ns : TIME_NEVER});
    }
    spans_join(&busy);
    return busy;
}

// The longest time between the two for which nobody can have held any lock.
static int64_t longest_free_ns(const struct spans *busy, int64_t from_ns, int64_t to_ns)
{
    int64_t longest_ns = 0;
    for (size_t i = FIRST_FROM(busy->items, busy->count, to_ns, from_ns);
         i < busy->count && busy->items[i].from_ns < to_ns; i++) {
        longest_ns = time_later(longest_ns, busy->items[i].from_ns - from_ns);
        from_ns = time_later(from_ns, busy->items[i].to_ns);
    }
    return time_later(longest_ns, to_ns - time_earlier(from_ns, to_ns));
}

// TIME_NEVER: some job is left, or it is no queue that was tried.
static int64_t last_job_over_ns(const struct trial_model *model)
{
    int64_t over_ns = 0;
    FOR_EACH_LOCK (locks, model)
        over_ns = time_later(over_ns, job_over_ns(&locks.part));
    return over_ns;
}

// What became of acquires without a fault.
enum answer { REFUSED, UNANSWERED, WAITING, GRANTED, ANSWERS }; // WAITING: still, at the end

struct answers {
    size_t of[ANSWERS];
};

static size_t all_of(const struct answers *answers)
{
    size_t sum = 0;
    for (enum answer i = 0; i < ANSWERS; i++)
        sum += answers->of[i];
    return sum;
}

static void tell_answers(const struct answers *answers, struct text *out)
{
    static const char *const names[] = {"not-held", "unknown", "still waiting at the end"};
    bool any = false;
    for (enum answer i = 0; i < GRANTED; i++) {
        if (answers->of[i] > 0)
            text_format(out, "%s%zu × %s", any ? ", " : "", answers->of[i], names[i]);
        any |= answers->of[i] > 0;
    }
}

// What is known of one client.
struct asker {
    bool has_held;
    struct answers answers;
    bool turned_away;     // at least once when the lock was to be had, or without having waited
    size_t free_refusals; // of a lock that was free throughout, however shortly
};

struct served {
    const struct trial_model *model;
    int64_t over_ns; // since when no job of a queue is left; TIME_NEVER: some is, or it is none
    struct asker *askers; // by client number
    size_t asker_count;
    struct answers all;
    struct answers contended; // asked while another held the lock; but for those granted, only if
                              // they came back long before their wait was over
    struct spans busy;        // made only for those who have never held
};

static struct asker *asker_of(struct served *served, int client)
{
    served->askers =
        reaching(served->askers, &served->asker_count, (size_t)client, sizeof *served->askers);
    return &served->askers[client];
}

// True if another held that lock, as far as one can tell, when it was asked for.
static bool had_holder(const struct trial_model *model, int64_t key, int64_t at_ns)
{
    size_t end = first_grant(model, at_ns);
    for (size_t i = end; i > 0 && end - i < LOOK_BACK; i--) {
        const struct hold *hold = &model->holds[i - 1];
        if (hold->key == key && hold->released_ns > at_ns)
            return true;
    }
    return false;
}

// How long it was to wait at most.
static int64_t wait_ns_of(const struct trial_model *model, const struct hold *attempt)
{
    return attempt->give_up_ns > 0 ? attempt->give_up_ns - attempt->invoked_ns
                                   : model->trial->scenario->lock.wait_ns;
}

// True if the lock was free for long enough for whoever waits for it, looking again and again, to
// be granted it; or, of one who tries it once, throughout, as often as is no chance.
static bool was_free(struct served *served, struct asker *asker, const struct hold *attempt)
{
    const struct lock_settings *lock = &served->model->trial->scenario->lock;
    int64_t slack_ns = 2 * time_later(lock->retry_ns, LEAST_RETRY_NS);
    if (served->busy.items == NULL)
        served->busy = busy_make(served->model);
    int64_t free_ns = longest_free_ns(&served->busy, attempt->invoked_ns, attempt->returned_ns);
    asker->free_refusals += free_ns == attempt->returned_ns - attempt->invoked_ns;
    return (wait_ns_of(served->model, attempt) > 0 && free_ns > slack_ns) ||
           asker->free_refusals >= MANY_REFUSALS;
}

// Of one that was still under way when the trial ended: true if it had been for so long that
// somebody should have been granted the lock; or if a program, which is not told of the end,
// refused it although the lock was free.
static bool waited_in_vain(struct served *served, struct asker *asker, const struct hold *attempt)
{
    const struct trial_model *model = served->model;
    int64_t enough_ns = model->trial->scenario->lock.stuck_after_ns;
    if (enough_ns > 0 && model->ended_ns - attempt->invoked_ns > enough_ns)
        return true;
    return is_driven(model) && attempt->outcome == OUTCOME_NO &&
           attempt->returned_ns != TIME_NEVER && was_free(served, asker, attempt);
}

// A rate limiter, and a queue, refuse at once whoever comes when all is given out.
static bool is_waited_for(const struct trial_model *model)
{
    return !workload_find(model->trial->scenario->workload.kind)->never_gives_back &&
           !trial_has_queue(model->trial);
}

static void see_attempt(struct served *served, const struct hold *attempt)
{
    const struct trial_model *model = served->model;
    struct asker *asker = asker_of(served, attempt->client);
    bool is_open = attempt->returned_ns > model->ended_ns;
    if (attempt->died || attempt->is_gone || attempt->returned_ns > served->over_ns ||
        attempt->invoked_ns >= model->ended_ns ||
        !is_undisturbed(model, attempt->invoked_ns,
                        time_earlier(attempt->returned_ns, model->ended_ns)))
        return;
    enum answer came = is_open ? WAITING : attempt->outcome == OUTCOME_NO ? REFUSED : UNANSWERED;
    if (is_open && (asker->has_held || !waited_in_vain(served, asker, attempt)))
        return;
    bool came_early = is_waited_for(model) &&
                      attempt->returned_ns - attempt->invoked_ns < wait_ns_of(model, attempt) / 2;
    asker->answers.of[came]++;
    served->all.of[came]++;
    served->contended.of[came] +=
        !is_open && came_early && had_holder(model, attempt->key, attempt->invoked_ns);
    asker->turned_away |= came != REFUSED;
    if (came == REFUSED && !asker->has_held)
        asker->turned_away |= came_early || was_free(served, asker, attempt);
}

static bool tell_who_was_not_served(const struct served *served, struct text *why)
{
    size_t count = 0, first = 0;
    for (size_t i = served->asker_count; i-- > 0;) {
        bool was_served = served->askers[i].has_held || !served->askers[i].turned_away;
        count += !was_served;
        first = was_served ? first : i;
    }
    if (count == 0)
        return false;
    const struct answers *answers = &served->askers[first].answers;
    text_format(why, "client-%zu asked %zu time%s without a fault and never held the lock: ", first,
                all_of(answers), plural((long long)all_of(answers)));
    tell_answers(answers, why);
    if (count > 1)
        text_format(why, "; nor did %zu other client%s", count - 1, plural((long long)count - 1));
    return true;
}

static bool tell_that_nobody_waited(const struct served *served, struct text *why)
{
    const struct answers *contended = &served->contended;
    size_t failed = contended->of[REFUSED] + contended->of[UNANSWERED];
    if (contended->of[GRANTED] * 2 > failed || failed < MANY_REFUSALS)
        return false;
    text_format(why,
                "%zu acquires without a fault found the lock held and came back long before their "
                "wait of %s was over (",
                failed, lasting(served->model->trial->scenario->lock.wait_ns).text);
    tell_answers(contended, why);
    return say(why,
               "), and only %zu were granted it: that one can wait for it was not seen ('lock: "
               "{wait: 0ms, retry: 0ms}' is for locks that nobody waits for)",
               contended->of[GRANTED]);
}

// O(n log n) of the acquires.
static bool everybody_was_served(const struct trial_model *model, struct text *why)
{
    struct served served = {.model = model, .over_ns = last_job_over_ns(model)};
    if (!trial_model_excludes(model))
        return true;
    FOR_EACH_HOLD (hold, model) {
        asker_of(&served, hold->client)->has_held = true;
        if (!is_undisturbed(model, hold->invoked_ns, hold->granted_ns))
            continue;
        served.all.of[GRANTED]++;
        served.contended.of[GRANTED] += had_holder(model, hold->key, hold->invoked_ns);
    }
    FOR_EACH_ATTEMPT (attempt, model) {
        see_attempt(&served, attempt);
    }
    size_t unanswered = served.all.of[UNANSWERED];
    bool hollow = tell_who_was_not_served(&served, why);
    if (!hollow && unanswered > FEW_UNANSWERED && unanswered * 10 > all_of(&served.all))
        hollow =
            say(why,
                "%zu of %zu acquires without a fault came back without an answer (unknown): of "
                "so many it is not known whether they got the lock",
                unanswered, all_of(&served.all));
    hollow = hollow || tell_that_nobody_waited(&served, why);
    free(served.askers);
    free(served.busy.items);
    return !hollow;
}

// --- the trial -----------------------------------------------------------------------------------

static bool ended_as_planned(const struct trial_model *model, struct text *why)
{
    int64_t stuck_after_ns = model->trial->scenario->lock.stuck_after_ns;
    struct words length = lasting(model->ended_ns - model->started_ns);
    if (!model->stop_known)
        text_format(why, "the history breaks off after %s: the trial was not ended", length.text);
    else if (model->stop_reason == STOP_LIMIT)
        text_format(why, "the trial ran into its time limit after %s with %zu holds", length.text,
                    model->hold_count);
    else if (model->stop_reason == STOP_BROKEN)
        text_format(why, "the harness or its set-up failed after %s", length.text);
    else if (model->stop_reason == STOP_STUCK && last_job_over_ns(model) == TIME_NEVER)
        text_format(why,
                    "the trial was ended after %s because nobody was granted the lock, but its "
                    "history does not prove it stuck",
                    length.text);
    else
        return true;
    if (model->stop_reason == STOP_STUCK &&
        stalled_ns(model, STALLS_OF_ALL, model->started_ns, model->ended_ns) > stuck_after_ns / 10)
        text_format(why, ": %s",
                    describe_stalls(model, STALLS_OF_ALL, model->started_ns, model->ended_ns).text);
    tell_servers_down(model, model->ended_ns - stuck_after_ns, model->ended_ns, why);
    return false;
}

// A driver that cannot reach its servers says that it does not know, each time.
static bool was_held(const struct trial_model *model, struct text *why)
{
    size_t unknown = 0;
    if (model->hold_count > 0)
        return true;
    FOR_EACH_ATTEMPT (attempt, model) {
        unknown += attempt->outcome == OUTCOME_UNKNOWN;
    }
    text_format(why, "nobody was ever granted the lock (%zu acquires tried)", model->attempt_count);
    if (is_driven(model) && unknown > 0 && unknown == model->attempt_count)
        text_add(why, ": its driver answered each of them with unknown; does it ask the servers "
                      "that the scenario names (servers: redis gives it LOCKPICK_REDIS)? See "
                      "driver-of-client-1.log");
    return false;
}

bool preconditions_hold(const struct trial_model *model, struct text *why)
{
    return ended_as_planned(model, why) && faults_proven(model, why) && was_held(model, why) &&
           everybody_was_served(model, why);
}

bool was_contended(const struct trial_model *model, struct text *why)
{
    AUTO_FREE size_t *last = NULL; // who went for a lock before, by its key: 0 is nobody
    size_t count = 0;
    bool contended = false;
    for (size_t i = 0; model->hold_count > 0 && i < acquire_count(model); i++) {
        const struct hold *hold = acquire_at(model, i);
        size_t who = ((size_t)hold->client << 16) + (size_t)hold->worker + 1;
        // Whoever asks a queue for a job goes for all of them.
        size_t key = trial_has_queue(model->trial) ? 0 : (size_t)hold->key;
        last = reaching(last, &count, key, sizeof *last);
        contended |= last[key] != 0 && last[key] != who;
        last[key] = who;
    }
    return contended ||
           !say(why,
                "only one worker ever went for %s lock: exclusion was not put to the test; more "
                "clients, threads or operations would",
                scenario_key_count(model->trial->scenario) > 1 ? "each" : "the");
}
