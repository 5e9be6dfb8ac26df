// Each operation as a dot at its latency: what was granted and released, what was refused, and what
// never got an answer. Of very many that went well not all are drawn; the caption says so.
#include "harness/report/pictures/trial_time.h"

#include <stdio.h>
#include <stdlib.h>

// A picture of more dots is slow to show, and says no more.
#define MOST_OF_A_CLASS 2500
// Fewer operations than that have larger dots.
#define FEW 300
// For each of so many stretches of time the slowest of each kind are kept.
#define STRETCHES 100

enum kind {
    DOT_GRANTED,
    DOT_RELEASED,
    DOT_NOT_GRANTED,
    DOT_RELEASED_LATE,
    DOT_REFUSED,
    DOT_ACQUIRE_UNKNOWN,
    DOT_RELEASE_UNKNOWN,
    DOT_WRITE_UNKNOWN,
    KIND_COUNT
};

// Their colours and shapes are the template's.
static const struct {
    const char *name, *meaning;
    bool went_well;
} kinds[KIND_COUNT] = {
    [DOT_GRANTED] = {"granted", "granted", true},
    [DOT_RELEASED] = {"released", "released", true},
    [DOT_NOT_GRANTED] = {"not-granted", "not granted in time", false},
    [DOT_RELEASED_LATE] = {"released-late", "released, but lost before", false},
    [DOT_REFUSED] = {"write-refused", "write refused by the store", false},
    [DOT_ACQUIRE_UNKNOWN] = {"acquire-unknown", "acquire without an answer", false},
    [DOT_RELEASE_UNKNOWN] = {"release-unknown", "release without an answer", false},
    [DOT_WRITE_UNKNOWN] = {"write-unknown", "write without an answer", false},
};

struct operation {
    int64_t at_ns; // of its invocation
    int64_t latency_ns;
    enum kind kind;
    bool is_drawn;
};

struct operations {
    struct operation *items;
    size_t count;
    size_t of_kind[KIND_COUNT];
};

// --- collecting ----------------------------------------------------------------------------------

struct collecting {
    const struct digest *digest;
    struct operations *operations;
};

// What came to no end was waited for until the client died or the trial ended. What began after the
// end is left out.
static void add(const struct collecting *to, enum kind kind, int64_t from_ns, int64_t returned_ns,
                int64_t died_ns)
{
    struct operations *operations = to->operations;
    int64_t ended_ns = to->digest->ended_ns;
    int64_t to_ns = returned_ns != TIME_NEVER ? returned_ns : time_earlier(died_ns, ended_ns);
    if (from_ns > ended_ns)
        return;
    operations->of_kind[kind]++;
    operations->items[operations->count++] = (struct operation){
        .at_ns = from_ns, .latency_ns = to_ns > from_ns ? to_ns - from_ns : 1, .kind = kind};
}

static enum kind kind_of_release(const struct hold *hold)
{
    if (hold->returned_ns == TIME_NEVER || hold->answer == RELEASE_UNKNOWN)
        return DOT_RELEASE_UNKNOWN;
    bool is_lost = hold->answer == RELEASE_NOT_OWNER || hold->answer == RELEASE_GONE;
    return is_lost ? DOT_RELEASED_LATE : DOT_RELEASED;
}

static struct operations collect(const struct digest *digest)
{
    size_t most = 2 * digest->hold_count + digest->attempt_count + digest->access_count;
    struct operations operations = {.items = memory_new((most + 1) * sizeof *operations.items)};
    const struct collecting to = {digest, &operations};
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        add(&to, DOT_GRANTED, hold_acquire_began_ns(hold), hold->granted_ns, TIME_NEVER);
        if (hold->release_invoked)
            add(&to, kind_of_release(hold), hold_release_began_ns(hold), hold->returned_ns,
                hold->died_ns);
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        add(&to, attempt->outcome == OUTCOME_NO ? DOT_NOT_GRANTED : DOT_ACQUIRE_UNKNOWN,
            attempt->invoked_ns, attempt->returned_ns,
            attempt->died ? attempt->died_ns : TIME_NEVER);
    }
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        if (access->is_write && access->outcome != OUTCOME_OK)
            add(&to, access->outcome == OUTCOME_NO ? DOT_REFUSED : DOT_WRITE_UNKNOWN,
                access->invoked_ns, access->returned_ns, TIME_NEVER);
    }
    return operations;
}

// --- thinning ------------------------------------------------------------------------------------

// Marks the slowest of each kind in each stretch of the trial.
static void keep_slowest(struct operations *operations, const struct trial_time *time)
{
    struct operation *slowest[KIND_COUNT][STRETCHES] = {0};
    double span = (double)(time->to_ns - time->from_ns);
    for (size_t i = 0; i < operations->count; i++) {
        struct operation *operation = &operations->items[i];
        double share = (double)(operation->at_ns - time->from_ns) / span * STRETCHES;
        int stretch = share < 0 ? 0 : share >= STRETCHES ? STRETCHES - 1 : (int)share;
        struct operation **best = &slowest[operation->kind][stretch];
        if (*best == NULL || operation->latency_ns > (*best)->latency_ns)
            *best = operation;
    }
    for (size_t i = 0; i < KIND_COUNT * STRETCHES; i++) {
        if (slowest[i / STRETCHES][i % STRETCHES] != NULL)
            slowest[i / STRETCHES][i % STRETCHES]->is_drawn = true;
    }
}

// Of each kind that went well, or of the others, every `step`th; 1: all.
static void keep_every(struct operations *operations, bool went_well, size_t step)
{
    size_t places[KIND_COUNT] = {0};
    for (size_t i = 0; i < operations->count; i++) {
        struct operation *operation = &operations->items[i];
        if (kinds[operation->kind].went_well != went_well)
            continue;
        operation->is_drawn = operation->is_drawn || places[operation->kind] % step == 0;
        places[operation->kind]++;
    }
}

static void thin(struct operations *operations, const struct trial_time *time, bool went_well)
{
    size_t total = 0;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++)
        total += kinds[kind].went_well == went_well ? operations->of_kind[kind] : 0;
    size_t step = (total + MOST_OF_A_CLASS - 1) / MOST_OF_A_CLASS;
    keep_every(operations, went_well, step > 0 ? step : 1);
    if (step > 1)
        picture_note(time->picture,
                     "Of %zu operations that %s, every %zuth is drawn, and the slowest of each "
                     "kind in each hundredth of the time.",
                     total, went_well ? "went well" : "did not go well", step);
}

// --- written -------------------------------------------------------------------------------------

// What the legend says of the kind, and a dot for each.
static void write_kind(const struct trial_time *time, const struct operations *operations,
                       enum kind kind)
{
    picture_block(time->picture, "%s: at(%s) latency(ns)", kinds[kind].name, time->unit);
    text_format(&time->picture->data, "\"%s (%zu)\"\n", kinds[kind].meaning,
                operations->of_kind[kind]);
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->items[i];
        if (operation->is_drawn && operation->kind == kind)
            text_format(&time->picture->data, "%.9g %lld\n", trial_time_at(time, operation->at_ns),
                        (long long)operation->latency_ns);
    }
}

static void write_dots(struct trial_time *time, struct operations *operations)
{
    struct picture_range range = {0};
    size_t legends = 0;
    trial_faults(time, true);
    keep_slowest(operations, time);
    thin(operations, time, true);
    thin(operations, time, false);
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        if (operations->of_kind[kind] > 0)
            write_kind(time, operations, kind);
        legends += operations->of_kind[kind] > 0;
    }
    for (size_t i = 0; i < operations->count; i++)
        picture_widen(&range, (double)operations->items[i].latency_ns);
    picture_range(time->picture, "times", &range);
    picture_number(time->picture, "legends", (double)legends);
    // Few dots are larger.
    picture_number(time->picture, "size", operations->count < FEW ? 0.63 : 0.35);
    trial_time_end(time);
}

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct digest *digest = subject->digest;
    struct operations operations = collect(digest);
    bool any = operations.count > 0;
    if (any) {
        struct trial_time time;
        trial_time_start(&time, picture, digest, 92, digest->started_ns, digest->ended_ns, "");
        picture_title(picture, "Latency of each operation, by when it began: %s, %s",
                      digest->trial->scenario->name, digest->trial->scheme);
        write_dots(&time, &operations);
    }
    free(operations.items);
    return any;
}

extern const char template_operations[];
const struct picture_kind operations_picture = {.name = "operations",
                                                .title = "Each operation",
                                                .place = PLACE_FOLDER,
                                                .width = TRIAL_WIDTH,
                                                .template = template_operations,
                                                .write = write};
