#include "harness/explain/fault_text.h"

#include "harness/check/describe.h"
#include "harness/scenario/trigger.h"

#include <stdio.h>
#include <string.h>

#define NAME_ROOM 100

// --- who -----------------------------------------------------------------------------------------

// A role with the name of whoever had it. The schedule notes it when the fault strikes: "redis-1",
// of a failover "redis-1 redis-2", and of one that failed later more.
static const char *role(const struct fault_record *record, const char *server, char *out,
                        size_t room)
{
    char name[32] = "";
    if (strcmp(server, "leader") != 0)
        return server;
    bool known = sscanf(record->reason, "%31[a-z0-9-]", name) == 1 && strchr(name, '-') != NULL;
    snprintf(out, room, known ? "the leader %s" : "the leader", name);
    return out;
}

static void target_name(const struct fault_record *record, const struct target *target, char *out,
                        size_t room)
{
    static const struct {
        const char *name;
        const char *words;
    } groups[] = {{"others", "all others"},
                  {"servers", "the servers"},
                  {"clients", "the clients"},
                  {"followers", "its followers"},
                  {"store", "the store"}};
    if (target->client != 0) {
        snprintf(out, room, "client-%d", target->client);
        return;
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (strcmp(target->server, groups[i].name) == 0) {
            snprintf(out, room, "%s", groups[i].words);
            return;
        }
    }
    char named[NAME_ROOM];
    snprintf(out, room, "%s", role(record, target->server, named, sizeof named));
}

const char *fault_target_text(const struct trial_model *model, const struct fault_record *record,
                              char *out, size_t room)
{
    const struct target *target = &record->instance->target;
    if (target->client != 0 && target->worker != 0 && model->trial->scenario->clients.threads > 1)
        snprintf(out, room, "client-%d worker-%d", target->client, target->worker);
    else if (target->client != 0 && target->worker != 0)
        snprintf(out, room, "client-%d's worker", target->client);
    else
        target_name(record, target, out, room);
    return out;
}

static void add_side(const struct fault_record *record, int side, struct text *out)
{
    const struct fault_instance *instance = record->instance;
    size_t count = instance->side_counts[side];
    for (size_t i = 0; i < count; i++) {
        char name[NAME_ROOM];
        target_name(record, &instance->sides[side][i], name, sizeof name);
        text_format(out, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", name);
    }
}

// --- where it was --------------------------------------------------------------------------------

static void tell_point(const struct trial_model *model, const struct fault_record *record,
                       const struct point_name *point, bool same_side, struct text *out)
{
    static const char *const moments[] = {[MOMENT_BEFORE] = "before ", [MOMENT_AFTER] = "after "};
    char worker[24] = "";
    bool other_worker = point->worker != 0 && point->worker != record->instance->target.worker &&
                        model->trial->scenario->clients.threads > 1;
    if (other_worker)
        snprintf(worker, sizeof worker, "worker-%d", point->worker);
    if (point->moment == MOMENT_AT)
        text_format(out, "while %s holds the lock", other_worker ? worker : "it");
    else
        text_format(out, "%s%s%s%s", same_side ? "" : moments[point->moment], worker,
                    other_worker ? "'s " : "",
                    strcmp(point->what, "request") == 0 ? "a request" : point->what);
}

void fault_text_point(const struct trial_model *model, const struct fault_record *record,
                      struct text *out)
{
    const struct fault_instance *instance = record->instance;
    // Which of its points it was that the target came to, from 0; -1 if that is not recorded.
    int met = record->reached != NULL && record->asked_ns != TIME_NEVER
                  ? (int)record->reached->point_reached.alternative - 1
                  : -1;
    bool told = false;
    for (size_t i = 0; i < instance->point_count; i++) {
        const struct point_name *point = &instance->points[i];
        if (point->client != instance->target.client || (met >= 0 && met != (int)i))
            continue;
        text_add(out, told ? " or " : " ");
        bool same_side = told && point->moment == instance->points[i - 1].moment;
        told = true;
        tell_point(model, record, point, same_side, out);
        bool same_phase_follows = met < 0 && i + 1 < instance->point_count &&
                                  strcmp(instance->points[i + 1].phase, point->phase) == 0;
        if (point->phase[0] != '\0' && !same_phase_follows)
            text_format(out, " in %s", point->phase);
    }
}

// --- what it does --------------------------------------------------------------------------------

// "3 min", "250 ms".
static void add_span(int64_t span_ns, struct text *out)
{
    char span[40];
    if (span_ns >= 60 * NS_PER_S && span_ns % (60 * NS_PER_S) == 0)
        text_format(out, "%lld min", (long long)(span_ns / (60 * NS_PER_S)));
    else
        text_add(out, text_duration(span_ns, span, sizeof span));
}

// With a blank before it.
static void tell_clock(const struct fault_instance *instance, struct text *out)
{
    if (instance->by_ns != 0) {
        text_add(out, instance->by_ns > 0 ? " jumps ahead by " : " jumps back by ");
        add_span(instance->by_ns > 0 ? instance->by_ns : -instance->by_ns, out);
    }
    if (instance->by_ns != 0 && instance->rate != 100)
        text_add(out, " and");
    if (instance->rate == 0)
        text_add(out, " stands still");
    else if (instance->rate != 100)
        text_format(out, " runs at %lld%% of its speed", (long long)instance->rate);
}

// Who, and the verb that goes with them: "client-1 and the leader are".
static void add_are(const struct fault_record *record, struct text *out)
{
    const struct target *first = &record->instance->sides[0][0];
    bool many = record->instance->side_counts[0] > 1 || strcmp(first->server, "servers") == 0 ||
                strcmp(first->server, "clients") == 0 || strcmp(first->server, "followers") == 0;
    add_side(record, 0, out);
    text_add(out, many ? " are" : " is");
}

struct deed {
    const struct trial_model *model;
    const struct fault_record *record;
};

static void add_word(const void *context, const char *word, struct text *out)
{
    char room[NAME_ROOM];
    const struct deed *deed = context;
    const struct fault_record *record = deed->record;
    const struct fault_instance *instance = record->instance;
    const char *found = strstr(record->reason, FOUND_MARK);
    if (strcmp(word, "target") == 0)
        text_add(out, fault_target_text(deed->model, record, room, sizeof room));
    else if (strcmp(word, "a") == 0)
        add_side(record, 0, out);
    else if (strcmp(word, "b") == 0)
        add_side(record, 1, out);
    else if (strcmp(word, "are") == 0)
        add_are(record, out);
    else if (strcmp(word, "between") == 0)
        fault_text_fill(deed->model, record,
                        instance->one_way ? "from {a} to {b}" : "between {a} and {b}", out);
    else if (strcmp(word, "by") == 0)
        add_span(instance->by_ns, out);
    else if (strcmp(word, "share") == 0)
        text_format(out, "%lld%%", (long long)instance->share);
    else if (strcmp(word, "how") == 0 && instance->how != NULL)
        text_format(out, " (%s)", instance->how);
    else if (strcmp(word, "next") == 0)
        text_add(out, sscanf(record->reason, "%*[a-z0-9-] %31[a-z0-9-]", room) == 1
                          ? room
                          : "another server");
    else if (strcmp(word, "found") == 0 && found != NULL) // with a blank before it
        text_add(out, found + strlen(FOUND_MARK) - 1);
    else if (strcmp(word, "goes-wrong") == 0)
        tell_clock(instance, out);
}

void fault_text_fill(const struct trial_model *model, const struct fault_record *record,
                     const char *words, struct text *out)
{
    const struct deed deed = {model, record};
    text_fill(out, words, add_word, &deed);
}

void fault_text(const struct trial_model *model, const struct fault_record *record,
                struct text *out)
{
    const struct fault_instance *instance = record->instance;
    const struct fault_form *form = &instance->form;
    if (form->told == NULL) {
        fault_describe_action(instance, out);
        return;
    }
    fault_text_fill(
        model, record,
        instance->one_way && form->told_one_way != NULL ? form->told_one_way : form->told, out);
    if (form->then != NULL) {
        text_add(out, ", and ");
        fault_text_fill(model, record, form->then, out);
    }
}

void fault_text_end(const struct trial_model *model, const struct fault_record *record,
                    struct text *out)
{
    const struct fault_instance *instance = record->instance;
    if (instance->form.over == NULL)
        text_format(out, "%s of ", instance->verb);
    fault_text_fill(model, record,
                    instance->form.over != NULL ? instance->form.over : "{target} is over", out);
}

int64_t fault_struck_ns(const struct fault_record *record)
{
    bool is_sudden =
        fault_can(record->instance, FAULT_KILLS) || record->instance->form.lasting == LASTS_NEVER;
    return is_sudden ? time_earlier(record->asked_ns, record->in_effect_ns) : record->in_effect_ns;
}
