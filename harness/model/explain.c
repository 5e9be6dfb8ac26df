// Violations of models in words.
#include "harness/base/text.h"
#include "harness/model/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// What a sentence is made of.
struct speech {
    const struct operations *operations;
    const struct model_violation *violation;
    struct text *text;
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

static void say_exclusion(const struct speech *speech, int64_t permits)
{
    const struct operation *earlier = operation_of(speech, 0);
    const struct operation *release = operation_of(speech, 1);
    const struct operation *later = operation_of(speech, 2);
    say_process(speech, later);
    text_format(speech->text, " was granted %s", permits > 1 ? "a permit of " : "");
    say_lock(speech, later);
    text_add(speech->text, later->shared ? " as a reader at " : " at ");
    say_place(speech, later->returned);
    text_add(speech->text, " although ");
    say_process(speech, earlier);
    if (permits > 1)
        text_format(speech->text, " and others held all %" PRId64 " of them; it", permits);
    text_format(speech->text, " had been granted it%s at ", earlier->shared ? " as a reader" : "");
    say_place(speech, earlier->returned);
    if (release != NULL) {
        text_add(speech->text, " and did not begin to release it before ");
        say_place(speech, release->invoked);
    } else {
        text_add(speech->text, " and never released it");
    }
    say_overlap(speech);
}

static void say_ownership(const struct speech *speech)
{
    const struct operation *release = operation_of(speech, 0);
    say_process(speech, release);
    text_add(speech->text, " released ");
    say_lock(speech, release);
    say_extent(speech, release);
    text_add(speech->text, ", which it did not hold, and was told that it had");
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
    struct speech speech = {operations, violation, &words};
    switch (violation->rule) {
    case RULE_EXCLUSION:
        say_exclusion(&speech, model->has_permits ? options->permits : 1);
        break;
    case RULE_OWNERSHIP:
        say_ownership(&speech);
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
