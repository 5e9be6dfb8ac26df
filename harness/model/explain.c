// Violations of models in words.
#include "harness/base/text.h"
#include "harness/model/holds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a sentence is made of.
struct speech {
    const struct operations *operations;
    const struct model_violation *violation;
    struct text *text;
    int64_t lease_ns; // 0: there is none
};

static const struct operation *operation_of(const struct speech *speech, int which)
{
    size_t index = speech->violation->operations[which];
    return index == SIZE_MAX ? NULL : &speech->operations->items[index];
}

static void say_process(const struct speech *speech, const struct operation *operation)
{
    char name[OPERATION_TEXT_ROOM];
    text_add(speech->text, operation_process(speech->operations, operation->process, name));
}

static void say_place(const struct speech *speech, int64_t instant)
{
    char place[OPERATION_TEXT_ROOM];
    text_add(speech->text, operation_place(speech->operations, instant, place));
}

// " (line 3 to line 5)"
static void say_extent(const struct speech *speech, const struct operation *operation)
{
    text_add(speech->text, " (");
    say_place(speech, operation->invoked);
    text_add(speech->text, " to ");
    say_place(speech, operation->returned);
    text_add(speech->text, ")");
}

static void say_lock(const struct speech *speech, const struct operation *operation)
{
    if (speech->operations->names != NULL && operation->name < speech->operations->name_count)
        text_format(speech->text, "the lock %s", speech->operations->names[operation->name]);
    else
        text_add(speech->text, "the lock");
}

static void say_overlap(const struct speech *speech)
{
    int64_t span_ns =
        operation_span_ns(speech->operations, speech->violation->from, speech->violation->to);
    char length[40];
    if (span_ns >= 0)
        text_format(speech->text, ": for %s at least",
                    text_duration(span_ns, length, sizeof length));
}

// "and did not begin to release it before line 5", ", but its release (line 5 to line 6) failed"
static void say_release(const struct speech *speech, const struct operation *acquire,
                        const struct operation *release, const struct operation *failed)
{
    char lease[40];
    if (speech->lease_ns > 0 && release == NULL) {
        text_format(speech->text, " for a lease of %s from ",
                    text_duration(speech->lease_ns, lease, sizeof lease));
        say_place(speech, acquire->invoked);
        text_add(speech->text, " on");
    } else if (release != NULL && release->kind == OPERATION_RENEW &&
               release->outcome == OUTCOME_NO) {
        text_add(speech->text, " until its renewal was refused");
        say_extent(speech, release);
    } else if (release != NULL && release->kind == OPERATION_RENEW) {
        text_format(speech->text, ", and renewed its lease of %s from ",
                    text_duration(speech->lease_ns, lease, sizeof lease));
        say_place(speech, release->invoked);
        text_add(speech->text, " on");
    } else if (speech->lease_ns > 0 && release->outcome == OUTCOME_OK) {
        text_add(speech->text, " and still held it when it released it with success");
        say_extent(speech, release);
    } else if (failed != NULL && (release == NULL || failed->invoked < release->invoked)) {
        text_add(speech->text, ", but its release");
        say_extent(speech, failed);
        text_add(speech->text, " failed");
        if (failed->error > 0)
            text_format(speech->text, " with %s", speech->operations->errors[failed->error - 1]);
    } else if (release != NULL) {
        text_add(speech->text, " and did not begin to release it before ");
        say_place(speech, release->invoked);
    } else {
        text_add(speech->text, " and never released it");
    }
}

// The first operation of a process after an instant that releases the same lock, and was refused or
// was not; NULL if there is none.
static const struct operation *release_after(const struct speech *speech,
                                             const struct operation *acquire, int64_t instant,
                                             bool refused)
{
    const struct operations *operations = speech->operations;
    for (size_t i = 0; i < operations->count; i++) {
        const struct operation *operation = &operations->items[i];
        if (operation->kind == OPERATION_RELEASE &&
            operation_owner(operations, operation) == operation_owner(operations, acquire) &&
            operation->name == acquire->name && operation->invoked > instant &&
            (operation->outcome == OUTCOME_NO) == refused)
            return operation;
    }
    return NULL;
}

// Whose own second acquire was granted: which of its releases is of which acquire says nothing.
static void say_twice(const struct speech *speech)
{
    const struct operation *earlier = operation_of(speech, 0);
    const struct operation *later = operation_of(speech, 2);
    text_add(speech->text, "it had been granted it already at ");
    say_place(speech, earlier->returned);
    say_release(speech, earlier, release_after(speech, earlier, later->returned, false),
                release_after(speech, earlier, earlier->returned, true));
}

static void say_exclusion(const struct speech *speech)
{
    const struct operation *earlier = operation_of(speech, 0);
    const struct operation *later = operation_of(speech, 2);
    say_process(speech, later);
    text_add(speech->text, " was granted ");
    say_lock(speech, later);
    text_add(speech->text, later->shared ? " as a reader at " : " at ");
    say_place(speech, later->returned);
    text_add(speech->text, " although ");
    if (operation_owner(speech->operations, earlier) ==
            operation_owner(speech->operations, later) &&
        earlier->shared == later->shared && speech->lease_ns == 0) {
        say_twice(speech);
    } else {
        say_process(speech, earlier);
        text_format(speech->text, " had been granted it%s at ",
                    earlier->shared ? " as a reader" : "");
        say_place(speech, earlier->returned);
        say_release(speech, earlier, operation_of(speech, 1),
                    release_after(speech, earlier, earlier->returned, true));
    }
    say_overlap(speech);
}

// --- permits -------------------------------------------------------------------------------------

// So many holders are named.
#define MOST_NAMED 8

// The holds of the lock of an operation; free with model_holds_free.
static void find_holds(const struct speech *speech, const struct operation *of,
                       const struct model_options *options, struct model_holds *holds)
{
    const struct operations *operations = speech->operations;
    struct model_decision ignored = {.linearizable = true};
    size_t *chosen = memory_new((operations->count + 1) * sizeof *chosen);
    size_t count = 0;
    for (size_t i = 0; i < operations->count; i++) {
        if (operations->items[i].name == of->name)
            chosen[count++] = i;
    }
    model_holds_make(operations, chosen, count, options, NESTING_PERMITS, holds, &ignored);
    free(chosen);
}

static void say_holder(const struct speech *speech, const struct model_hold *hold)
{
    const struct operation *items = speech->operations->items;
    say_process(speech, &items[hold->acquire]);
    text_add(speech->text, " (from ");
    say_place(speech, hold->from);
    text_add(speech->text, hold->release != NO_OPERATION ? " to " : " on");
    if (hold->release != NO_OPERATION)
        say_place(speech, hold->to);
    text_add(speech->text, ")");
}

// Whoever had a permit when the last one was given away once too often.
static void say_permits(const struct speech *speech, const struct model_options *options)
{
    const struct operation *later = operation_of(speech, 2);
    size_t given = speech->violation->operations[2];
    struct model_holds holds;
    size_t named = 0;
    find_holds(speech, later, options, &holds);
    say_process(speech, later);
    text_add(speech->text, " was granted a permit of ");
    say_lock(speech, later);
    text_add(speech->text, " at ");
    say_place(speech, later->returned);
    text_format(speech->text, " although all %" PRId64 " permits were out: ", options->permits);
    for (size_t i = 0; i < holds.count && holds.items[i].acquire != given; i++) {
        if (holds.items[i].to < later->returned)
            continue;
        if (named++ < MOST_NAMED) {
            text_add(speech->text, named > 1 ? ", " : "");
            say_holder(speech, &holds.items[i]);
        }
    }
    if (named > MOST_NAMED)
        text_format(speech->text, " and %zu more", named - MOST_NAMED);
    model_holds_free(&holds);
}

// Of a lock that anyone may release: by whom it was acquired last, since when nobody did.
static void say_taken(const struct speech *speech, const struct model_options *options)
{
    const struct operation *earlier = operation_of(speech, 0);
    const struct operation *later = operation_of(speech, 2);
    say_process(speech, later);
    text_add(speech->text, " was granted ");
    say_lock(speech, later);
    say_extent(speech, later);
    if (options->permits > 1)
        text_format(speech->text, " although all %" PRId64 " permits were out: the last to ",
                    options->permits);
    else
        text_add(speech->text, " although it was taken: by ");
    say_process(speech, earlier);
    say_extent(speech, earlier);
    text_add(speech->text, ", and no release came between the two");
}

static void say_ownership(const struct speech *speech, bool is_ownerless)
{
    const struct operation *release = operation_of(speech, 0);
    const struct operation *acquire = operation_of(speech, 1);
    say_process(speech, release);
    text_add(speech->text, release->kind == OPERATION_RENEW ? " renewed " : " released ");
    say_lock(speech, release);
    if (acquire != NULL)
        text_add(speech->text, release->shared ? " as a reader" : " as the writer");
    say_extent(speech, release);
    if (acquire == NULL) {
        text_add(speech->text, is_ownerless ? ", which nobody held, and was told that it had"
                                            : ", which it did not hold, and was told that it had");
        return;
    }
    text_format(speech->text, ", but held it as %s since ",
                acquire->shared ? "a reader" : "the writer");
    say_place(speech, acquire->returned);
    text_add(speech->text, ", and was told that it had");
}

static void say_token(const struct speech *speech)
{
    const struct operation *acquire = operation_of(speech, 0);
    const struct operation *earlier = operation_of(speech, 1);
    say_process(speech, acquire);
    text_format(speech->text, " was given token %" PRId64, acquire->token);
    say_extent(speech, acquire);
    text_add(speech->text, ", but ");
    say_process(speech, earlier);
    text_format(speech->text, " had been given %" PRId64, earlier->token);
    say_extent(speech, earlier);
    text_add(speech->text, operation_of(speech, 2) != NULL ? " in the same hold" : " before");
}

static void say_depth(const struct speech *speech, int64_t limit)
{
    const struct operation *acquire = operation_of(speech, 0);
    say_process(speech, acquire);
    text_add(speech->text, " was granted ");
    say_lock(speech, acquire);
    say_extent(speech, acquire);
    if (limit == 1)
        text_add(speech->text, " although it held it already, and may hold it only once");
    else
        text_format(speech->text, " although it held it %" PRId64 " times, which is the limit",
                    limit);
}

static void say_refusal(const struct speech *speech)
{
    const struct operation *refused = operation_of(speech, 0);
    say_process(speech, refused);
    text_add(speech->text, " was refused ");
    say_lock(speech, refused);
    say_extent(speech, refused);
    text_add(speech->text, operation_of(speech, 1) != NULL
                               ? " although it held it itself and may acquire it again"
                               : " although nobody can have held it at any time in between");
}

void model_explain(const struct model *model, const struct operations *operations,
                   const struct model_options *options, const struct model_violation *violation,
                   char *text, size_t room)
{
    struct text words = {0};
    struct speech speech = {operations, violation, &words, options->lease_ns};
    switch (violation->rule) {
    case RULE_EXCLUSION:
        if (model->is_ownerless)
            say_taken(&speech, options);
        else if (model->has_permits && options->permits > 1)
            say_permits(&speech, options);
        else
            say_exclusion(&speech);
        break;
    case RULE_OWNERSHIP:
        say_ownership(&speech, model->is_ownerless);
        break;
    case RULE_TOKEN:
        say_token(&speech);
        break;
    case RULE_DEPTH:
        say_depth(&speech, options->depth_limit);
        break;
    case RULE_FAILED_FREE:
        say_refusal(&speech);
        break;
    }
    snprintf(text, room, "%s", text_string(&words));
    text_free(&words);
}
