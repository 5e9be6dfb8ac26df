#include "harness/check/gates.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/text.h"
#include "harness/check/describe.h"
#include "harness/check/served.h"
#include "harness/check/servers_down.h"
#include "harness/check/wire_sides.h"
#include "harness/point/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Cut to what leaves room for the rest of the reason.
static void describe_step(const struct fault_step *step, char *out, size_t room)
{
    snprintf(out, room, "fault %d (%.120s)", step->number,
             step->text != NULL ? step->text : step->verb);
}

// True if the fault waits for a command, which this scheme may not send: reads, writes and holds
// come with every scheme.
static bool waits_for_command(const struct fault_step *step)
{
    for (size_t i = 0; i < step->point_count; i++) {
        const char *what = step->points[i].what;
        if (step->points[i].moment != MOMENT_AT && strcmp(what, "read") != 0 &&
            strcmp(what, "write") != 0)
            return true;
    }
    return false;
}

// True if it waits for what is asked of a driver, of a scheme that has none.
static bool waits_for_driver(const struct digest *digest, const struct fault_step *step)
{
    static const char *const asked[] = {"acquire", "release", "renew", NULL};
    for (size_t i = 0; i < step->point_count && digest->trial->foreign == NULL; i++) {
        if (step->points[i].moment != MOMENT_AT && text_is_one_of(step->points[i].what, asked))
            return true;
    }
    return false;
}

// True if it waits for a command that a program sends for one of its workers, or for one purpose:
// with several workers it cannot always be told which (scripts/drivers/README.md).
static bool waits_for_one_of_several(const struct digest *digest, const struct fault_step *step)
{
    static const char *const known[] = {"acquire", "release", "renew", "read",
                                        "write",   "holds",   NULL};
    const struct foreign_settings *foreign = digest->trial->foreign;
    bool tells =
        foreign == NULL || foreign->plugin != NULL || digest->trial->scenario->clients.threads == 1;
    for (size_t i = 0; i < step->point_count && !tells; i++) {
        const struct point_name *point = &step->points[i];
        if (!text_is_one_of(point->what, known) && (point->worker != 0 || point->phase[0] != '\0'))
            return true;
    }
    return false;
}

#define COMMANDS_SAID 6

// The commands that the point's client sent to servers in the point's phase, as its proxy saw them.
// Returns how many different ones there are, at most COMMANDS_SAID; 0 if the very one is among them
// that the point waits for, or if nothing was seen.
static size_t find_sent(const struct digest *digest, const struct point_name *point,
                        struct event_command sent[COMMANDS_SAID])
{
    size_t count = 0;
    for (size_t i = 0; i < digest->history->count; i++) {
        const struct event *event = &digest->history->events[i];
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
static bool say_sent(const struct digest *digest, const struct fault_step *step, char *out,
                     size_t room)
{
    struct event_command sent[COMMANDS_SAID];
    const struct point_name *point = &step->points[0];
    size_t count = 0;
    for (size_t i = step->point_count; i-- > 0;) { // the first one's last
        count = find_sent(digest, &step->points[i], sent);
        if (count == 0)
            return false;
    }
    struct text list = {0};
    for (size_t i = 0; i < count; i++)
        text_format(&list, "%s%s", i > 0 ? ", " : "", sent[i].text);
    if (point->phase[0] != '\0')
        snprintf(out, room,
                 "its point was never reached: in its %s client-%d sent %s; 'client-%d %s request "
                 "in %s' strikes whatever it sends",
                 point->phase, point->client, list.bytes, point->client,
                 point->moment == MOMENT_AFTER ? "after" : "before", point->phase);
    else
        snprintf(out, room, "its point was never reached: client-%d sent %s", point->client,
                 list.bytes);
    text_free(&list);
    return true;
}

// `out` has room for what only the history can tell.
static const char *why_never_asked(const struct digest *digest, const struct fault_step *step,
                                   char *out, size_t room)
{
    if (step->at_ns > 0 && step->point_count > 0)
        return "the trial ended before its time, or its point was not reached from then on";
    if (step->at_ns >= 0)
        return "the trial ended before its time; more operations would make it longer";
    if (waits_for_driver(digest, step))
        return "its point was never reached: acquire, release and renew are what is asked of "
               "drivers; of this scheme, say 'request in release', or name its command";
    if (waits_for_command(step) && digest->trial->foreign != NULL &&
        say_sent(digest, step, out, room))
        return out;
    if (waits_for_one_of_several(digest, step))
        return "its point was never reached; is it a command that this scheme sends? And which "
               "worker's it is, and in what phase, is known for certain with clients: {threads: 1}";
    if (waits_for_command(step))
        return "its point was never reached; is it a command that this scheme sends? see lockpick "
               "history";
    if (step->after != 0 || step->nth > 1)
        return "its point was never reached so often or so late; more operations would do";
    return "its point was never reached";
}

static bool fault_took_effect(const struct digest *digest, const struct fault_record *record,
                              char *reason, size_t room)
{
    char what[160];
    char never[220];
    const struct fault_step *step = record->step;
    const char *why = "it was asked for, but nothing proves that it took effect";
    const char *verdict =
        record->in_effect_ns == TIME_NEVER ? "never took effect" : "was never over";
    if (record->in_effect_ns != TIME_NEVER && !record->failed)
        return true;
    if (record->in_effect_ns != TIME_NEVER)
        why = "its end was tried and FAILED";
    else if (record->failed)
        why = "it was tried and FAILED";
    else if (record->asked_ns == TIME_NEVER)
        why = why_never_asked(digest, step, never, sizeof never);
    bool known = record->failed && record->failure > 0;
    describe_step(step, what, sizeof what);
    if (record->reason[0] != '\0')
        snprintf(reason, room, "%s %s: %s: %.160s", what, verdict, why, record->reason);
    else
        snprintf(reason, room, "%s %s: %s%s%s", what, verdict, why, known ? ": " : "",
                 known ? strerror(record->failure) : "");
    return false;
}

bool fault_was_absent(const struct digest *digest, char *what, size_t room)
{
    bool any_drawn = false; // took effect
    for (size_t i = 0; i < digest->fault_count; i++)
        any_drawn |= digest->faults[i].step->drawn && digest->faults[i].in_effect_ns != TIME_NEVER;
    for (size_t i = 0; i < digest->fault_count; i++) {
        if (digest->faults[i].in_effect_ns != TIME_NEVER ||
            (digest->faults[i].step->drawn && any_drawn))
            continue;
        describe_step(digest->faults[i].step, what, room);
        return true;
    }
    return false;
}

bool servers_were_left_down(const struct digest *digest, char *reason, size_t room)
{
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (record->in_effect_ns != TIME_NEVER && fault_can(record->step, FAULT_SHOWS_AT_START) &&
            record->step->form.lasting == LASTS_NEVER) {
            char what[160];
            describe_step(record->step, what, sizeof what);
            snprintf(reason, room, "%s: a server with damaged data may answer anything", what);
            return true;
        }
        bool stays_struck = record->in_effect_ns != TIME_NEVER &&
                            fault_can(record->step, FAULT_REFUSES | FAULT_STOPS);
        if (record->failed && record->step->target.client == 0 && record->asked_ns != TIME_NEVER &&
            (stays_struck || fault_can(record->step, FAULT_KILLS)) &&
            !fault_took_effect(digest, record, reason, room))
            return true;
    }
    return false;
}

// True if the fault was to end by a cause or its bound, and ended only because the trial did. One
// at a set time may be cut short: those of `every` and `random` go on until the end.
static bool was_cut_short(const struct fault_record *record, char *reason, size_t room)
{
    char what[160];
    const struct fault_step *step = record->step;
    bool should_end = step->bound_ns > 0 && step->bound_ns != NO_BOUND && step->at_ns < 0;
    if (!should_end || record->healed_ns == TIME_NEVER || record->heal_reason != HEAL_END)
        return false;
    describe_step(step, what, sizeof what);
    snprintf(reason, room,
             "%s was still on when the trial ended: what its end brings was not seen; more "
             "operations would last until then",
             what);
    return true;
}

// True if the worker cannot go for the lock because of the fault, or what it sends is only what the
// fault keeps back.
static bool is_target(const struct digest *digest, const struct fault_step *step, int client,
                      int worker)
{
    if (step->side_counts[0] > 0)
        return wire_names_client(step, client) && !wire_names_all_clients(digest, step);
    bool silences = fault_can(step, FAULT_STOPS | FAULT_KILLS);
    return silences && step->target.client == client &&
           (step->target.worker == 0 || step->target.worker == worker);
}

// True if the fault waits for a request of the very client that it cuts off.
static bool loses_request(const struct fault_step *step)
{
    const struct point_name *point = &step->points[0];
    return step->side_counts[0] > 0 && step->point_count > 0 && point->moment == MOMENT_BEFORE &&
           waits_for_command(step) && wire_names_client(step, point->client);
}

// From when on the fault was on its target: one worker stands still as soon as it has come to its
// point, and a conductor that is late says so when others have long gone on.
static int64_t began_ns(const struct fault_record *record)
{
    const struct target *target = &record->step->target;
    const struct event *reached = record->reached;
    bool holds_it = fault_can(record->step, FAULT_STOPS) && target->worker != 0 &&
                    reached != NULL && reached->client == target->client &&
                    reached->worker == target->worker;
    return holds_it ? time_earlier(reached->at_ns, record->in_effect_ns) : record->in_effect_ns;
}

// When what is tried meets the fault. A server that was killed or restarted is met while it goes
// down and comes back, and a client is dead before its end is noticed, which may take seconds; what
// a lost request left on the servers is met until its lease runs out.
static struct stall time_of_meeting(const struct digest *digest, const struct fault_record *record)
{
    const struct fault_step *step = record->step;
    struct stall time = {.from_ns = began_ns(record), .to_ns = record->healed_ns};
    if (loses_request(step) && time.to_ns != TIME_NEVER)
        time.to_ns += digest->trial->scenario->lock.lease_ns;
    if (step->side_counts[0] > 0 || !fault_can(step, FAULT_KILLS) ||
        fault_can(step, FAULT_MOVES_LEADER))
        return time;
    time.from_ns = time_earlier(record->asked_ns, record->in_effect_ns);
    if (time.to_ns != TIME_NEVER)
        time.to_ns += 100 * NS_PER_MS;
    return time;
}

// True if somebody other than the fault's target read or wrote the guarded value meanwhile.
static bool accessed_meanwhile(const struct digest *digest, const struct fault_step *step,
                               struct stall time)
{
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        const struct hold *hold = &digest->holds[access->hold];
        if (access->returned_ns >= time.from_ns && access->invoked_ns <= time.to_ns &&
            !is_target(digest, step, hold->client, hold->worker))
            return true;
    }
    return false;
}

// True if somebody other than the fault's target had an acquire in progress while it was in effect,
// or, where nobody waits for the lock, an access.
static bool acquired_meanwhile(const struct digest *digest, const struct fault_record *record)
{
    const struct fault_step *step = record->step;
    const struct stall time = time_of_meeting(digest, record);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->granted_ns >= time.from_ns && hold->invoked_ns <= time.to_ns &&
            !is_target(digest, step, hold->client, hold->worker))
            return true;
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        if (attempt->returned_ns >= time.from_ns && attempt->died_ns >= time.from_ns &&
            attempt->invoked_ns <= time.to_ns &&
            !is_target(digest, step, attempt->client, attempt->worker))
            return true;
    }
    return !digest_excludes(digest) && accessed_meanwhile(digest, step, time);
}

// True if the fault took effect, was over when it had to be, and something met it.
static bool fault_is_proven(const struct digest *digest, const struct fault_record *record,
                            char *reason, size_t room)
{
    char what[160];
    const struct clients_settings *clients = &digest->trial->scenario->clients;
    if (!fault_took_effect(digest, record, reason, room) || was_cut_short(record, reason, room))
        return false;
    describe_step(record->step, what, sizeof what);
    if (record->step->side_counts[0] > 0 && record->met == 0) {
        snprintf(reason, room, "%s met no packet: nothing went between those nodes meanwhile",
                 what);
        return false;
    }
    if (fault_can(record->step, FAULT_HINDERS_DISK) && record->met == 0) {
        snprintf(reason, room, "%s met no write: the server asked nothing of its disk meanwhile",
                 what);
        return false;
    }
    if (acquired_meanwhile(digest, record))
        return true;
    snprintf(reason, room,
             "%s met no traffic: nobody else went for the lock %s it; let another client "
             "compete: more operations, more clients.processes (now %" PRId64 ")%s",
             what, record->step->bound_ns >= 0 ? "during" : "after", clients->processes,
             clients->lead.client == 0 ? ", or lead" : "");
    return false;
}

// What was drawn need not have struck, but what took a server down must have brought it back.
static bool is_demanded(const struct fault_record *record)
{
    return !record->step->drawn || (record->in_effect_ns != TIME_NEVER && record->failed &&
                                    fault_can(record->step, FAULT_KILLS));
}

size_t drawn_faults(const struct digest *digest, size_t *struck)
{
    char reason[300];
    size_t drawn = 0;
    *struck = 0;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        drawn += record->step->drawn;
        *struck += record->step->drawn && fault_is_proven(digest, record, reason, sizeof reason);
    }
    return drawn;
}

static bool faults_proven(const struct digest *digest, char *reason, size_t room)
{
    char first[300];
    size_t struck;
    size_t drawn = drawn_faults(digest, &struck);
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (is_demanded(record) && !fault_is_proven(digest, record, reason, room))
            return false;
    }
    if (drawn == 0 || struck > 0 || drawn < digest->fault_count)
        return true;
    fault_is_proven(digest, &digest->faults[0], first, sizeof first);
    snprintf(reason, room, "none of %zu drawn faults struck: %s", drawn, first);
    return false;
}

static bool ended_as_planned(const struct digest *digest, char *reason, size_t room)
{
    char length[DESCRIBE_ROOM];
    text_duration(digest->ended_ns - digest->started_ns, length, sizeof length);
    if (!digest->stop_known)
        snprintf(reason, room, "the history breaks off after %s: the trial was not ended", length);
    else if (digest->stop_reason == STOP_LIMIT)
        snprintf(reason, room, "the trial ran into its time limit after %s with %zu holds", length,
                 digest->hold_count);
    else if (digest->stop_reason == STOP_BROKEN)
        snprintf(reason, room, "the harness or its set-up failed after %s", length);
    else if (digest->stop_reason == STOP_STUCK)
        snprintf(
            reason, room,
            "the trial was ended after %s because nobody was granted the lock, but its history "
            "does not prove it stuck",
            length);
    else
        return true;
    servers_down_tell(digest, digest->ended_ns - digest->trial->scenario->lock.stuck_after_ns,
                      digest->ended_ns, reason, room);
    return false;
}

// A driver that cannot reach its servers says that it does not know, each time.
static void say_nobody_held(const struct digest *digest, char *reason, size_t room)
{
    size_t unknown = 0;
    for (size_t i = 0; i < digest->attempt_count; i++)
        unknown += digest->attempts[i].outcome == OUTCOME_UNKNOWN ? 1 : 0;
    bool is_lost = digest->trial->foreign != NULL && digest->trial->foreign->plugin == NULL &&
                   unknown > 0 && unknown == digest->attempt_count;
    snprintf(reason, room, "nobody was ever granted the lock (%zu acquires tried)%s",
             digest->attempt_count,
             is_lost ? ": its driver answered each of them with unknown; does it ask the servers "
                       "that the scenario names (servers: redis gives it LOCKPICK_REDIS)? See "
                       "driver-of-client-1.log"
                     : "");
}

bool gates_open(const struct digest *digest, char *reason, size_t room)
{
    if (!ended_as_planned(digest, reason, room) || !faults_proven(digest, reason, room))
        return false;
    if (digest->hold_count == 0) {
        say_nobody_held(digest, reason, room);
        return false;
    }
    return everybody_was_served(digest, reason, room);
}

bool history_is_whole(const struct digest *digest, char *reason, size_t room)
{
    if (digest->history->condition.state == HISTORY_WHOLE)
        return true;
    snprintf(reason, room, "%s; what there is of it (%zu hold%s) shows no violation",
             digest->history->condition.text, digest->hold_count,
             plural((long long)digest->hold_count));
    return false;
}

bool machine_may_be_to_blame(const struct digest *digest, char *reason, size_t room)
{
    if (!digest->history->condition.harness_lost || !trial_has_trait(digest->trial, "lease"))
        return false;
    snprintf(reason, room,
             "%s; a lease seems broken, but what is lost may have said that the machine stood "
             "still, or that its clock was set",
             digest->history->condition.text);
    return true;
}

// Who went for a lock last, by its key: 0 is nobody.
struct takers {
    size_t *last;
    size_t count;
};

// True if somebody else had gone for it before.
static bool is_another(struct takers *takers, int64_t key, int client, int worker)
{
    size_t who = ((size_t)client << 16) + (size_t)worker + 1;
    takers->last = reaching(takers->last, &takers->count, (size_t)key, sizeof *takers->last);
    size_t before = takers->last[key];
    takers->last[key] = who;
    return before != 0 && before != who;
}

bool was_contended(const struct digest *digest, char *reason, size_t room)
{
    struct takers takers = {0};
    bool contended = false;
    for (size_t i = 0; !contended && i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        contended = is_another(&takers, hold->key, hold->client, hold->worker);
    }
    for (size_t i = 0; !contended && digest->hold_count > 0 && i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        contended = is_another(&takers, attempt->key, attempt->client, attempt->worker);
    }
    free(takers.last);
    if (!contended)
        snprintf(reason, room,
                 "only one worker ever went for %s lock: exclusion was not put to the test; more "
                 "clients, threads or operations would",
                 scenario_key_count(digest->trial->scenario) > 1 ? "each" : "the");
    return contended;
}

bool harness_was_broken(const struct digest *digest, char *reason, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < digest->history->count; i++)
        count += digest->history->events[i].outcome == OUTCOME_BROKEN;
    if (count > 0)
        snprintf(reason, room, "%zu request%s failed because the harness or its set-up is wrong",
                 count, plural((long long)count));
    return count > 0;
}

bool clock_was_set(const struct digest *digest, char *reason, size_t room)
{
    char step[DESCRIBE_ROOM];
    if (digest->clock_step_ns == 0 || !trial_has_trait(digest->trial, "lease"))
        return false;
    snprintf(
        reason, room,
        "somebody set the machine's clock by %s during the trial, and the server expires leases "
        "by it; run it again",
        text_duration(digest->clock_step_ns, step, sizeof step));
    return true;
}
