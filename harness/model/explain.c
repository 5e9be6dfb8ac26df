// Violations of models in words.
#include "harness/base/scope.h"
#include "harness/model/holds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// What a sentence is made of.
struct sentence {
    const struct operations *operations;
    const struct model_options *options;
    const struct model_violation *violation;
    const struct operation *of[MODEL_EVIDENCE + 2]; // the evidence; then what `also` names
    struct text *text;
};

enum { ALSO = MODEL_EVIDENCE };

static void add_place(const struct sentence *sentence, int64_t instant)
{
    char place[OPERATION_TEXT_ROOM];
    text_add(sentence->text, operation_place(sentence->operations, instant, place));
}

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

// {who 0} is the process of the evidence's operation 0; {at 0} where that returned, {from 0} where
// it was invoked; {extent 0} " (line 3 to line 5)"; {lock 0}, {token 0}; {lease}, {permits},
// {limit}.
static void add_word(const void *context, const char *word, struct text *text)
{
    const struct sentence *sentence = context;
    const struct operations *operations = sentence->operations;
    const char *digit = strpbrk(word, "0123456789");
    const struct operation *operation = digit != NULL ? sentence->of[*digit - '0'] : NULL;
    char name[OPERATION_TEXT_ROOM];
    if (begins(word, "who")) {
        text_add(text, operation_process(operations, operation->process, name));
    } else if (begins(word, "at")) {
        add_place(sentence, operation->returned);
    } else if (begins(word, "from")) {
        add_place(sentence, operation->invoked);
    } else if (begins(word, "extent")) {
        text_add(text, " (");
        add_place(sentence, operation->invoked);
        text_add(text, " to ");
        add_place(sentence, operation->returned);
        text_add(text, ")");
    } else if (begins(word, "lock")) {
        text_add(text, "the lock");
        if (operations->names != NULL && operation->name < operations->name_count)
            text_format(text, " %s", operations->names[operation->name]);
    } else if (begins(word, "lease")) {
        text_add(text, text_duration(sentence->options->lease_ns, name, sizeof name));
    } else {
        text_format(text, "%" PRId64,
                    begins(word, "token")     ? operation->token
                    : begins(word, "permits") ? sentence->options->permits
                                              : sentence->options->depth_limit);
    }
}

static void add(const struct sentence *sentence, const char *words)
{
    text_fill(sentence->text, words, add_word, sentence);
}

// The first operation of a process after an instant that releases the same lock, and was refused or
// was not; NULL if there is none.
static const struct operation *release_after(const struct sentence *sentence,
                                             const struct operation *acquire, int64_t instant,
                                             bool refused)
{
    const struct operations *operations = sentence->operations;
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

// How the hold of operation 0 ended: by a release or a renewal, or not.
static void add_release(struct sentence *sentence, const struct operation *release)
{
    const struct operation *earlier = sentence->of[0];
    const struct operation *failed = release_after(sentence, earlier, earlier->returned, true);
    bool has_leases = sentence->options->lease_ns > 0;
    bool renews = release != NULL && release->kind == OPERATION_RENEW;
    sentence->of[ALSO] = release;
    sentence->of[ALSO + 1] = failed;
    if (has_leases && release == NULL) {
        add(sentence, " for a lease of {lease} from {from 0} on");
    } else if (renews && release->outcome == OUTCOME_NO) {
        add(sentence, " until its renewal was refused{extent 4}");
    } else if (renews) {
        add(sentence, ", and renewed its lease of {lease} from {from 4} on");
    } else if (has_leases && release->outcome == OUTCOME_OK) {
        add(sentence, " and still held it when it released it with success{extent 4}");
    } else if (failed != NULL && (release == NULL || failed->invoked < release->invoked)) {
        add(sentence, ", but its release{extent 5} failed");
        if (failed->error > 0)
            text_format(sentence->text, " with %s",
                        sentence->operations->errors[failed->error - 1]);
    } else {
        add(sentence, release != NULL ? " and did not begin to release it before {from 4}"
                                      : " and never released it");
    }
}

static void add_exclusion(struct sentence *sentence)
{
    const struct operation *earlier = sentence->of[0];
    const struct operation *later = sentence->of[2];
    char length[40];
    int64_t span_ns =
        operation_span_ns(sentence->operations, sentence->violation->from, sentence->violation->to);
    // Whose own second acquire was granted: which of its releases is of which acquire says nothing.
    bool is_own = operation_owner(sentence->operations, earlier) ==
                      operation_owner(sentence->operations, later) &&
                  earlier->shared == later->shared && sentence->options->lease_ns == 0;
    add(sentence, "{who 2} was granted {lock 2}");
    add(sentence, later->shared ? " as a reader at {at 2} although " : " at {at 2} although ");
    if (is_own)
        add(sentence, "it had been granted it already at {at 0}");
    else
        add(sentence, earlier->shared ? "{who 0} had been granted it as a reader at {at 0}"
                                      : "{who 0} had been granted it at {at 0}");
    add_release(sentence, is_own ? release_after(sentence, earlier, later->returned, false)
                                 : sentence->of[1]);
    if (span_ns >= 0)
        text_format(sentence->text, ": for %s at least",
                    text_duration(span_ns, length, sizeof length));
}

// --- permits -------------------------------------------------------------------------------------

// So many holders are named.
#define MOST_NAMED 8

// Whoever had a permit when the last one was given away once too often.
static void add_permits(struct sentence *sentence)
{
    const struct operations *operations = sentence->operations;
    struct model_analysis ignored = {.linearizable = true};
    AUTO_FREE size_t *chosen = memory_new((operations->count + 1) * sizeof *chosen);
    struct model_input input = {operations, chosen, 0, sentence->options};
    struct model_holds holds; // of that lock
    size_t named = 0;
    for (size_t i = 0; i < operations->count; i++) {
        if (operations->items[i].name == sentence->of[2]->name)
            chosen[input.count++] = i;
    }
    model_holds_make(&input, NESTING_PERMITS, &holds, &ignored);
    add(sentence,
        "{who 2} was granted a permit of {lock 2} at {at 2} although all {permits} permits "
        "were out: ");
    for (size_t i = 0; i < holds.count; i++) {
        const struct model_hold *hold = &holds.items[i];
        if (hold->acquire == sentence->violation->operations[2])
            break;
        if (hold->to < sentence->of[2]->returned || named++ >= MOST_NAMED)
            continue;
        sentence->of[ALSO] = &operations->items[hold->acquire];
        add(sentence, named > 1 ? ", {who 4} (from " : "{who 4} (from ");
        add_place(sentence, hold->from);
        text_add(sentence->text, hold->release != NO_OPERATION ? " to " : " on");
        if (hold->release != NO_OPERATION)
            add_place(sentence, hold->to);
        text_add(sentence->text, ")");
    }
    if (named > MOST_NAMED)
        text_format(sentence->text, " and %zu more", named - MOST_NAMED);
    model_holds_free(&holds);
}

// --- other rules ---------------------------------------------------------------------------------

static void add_ownership(const struct sentence *sentence, bool is_ownerless)
{
    const struct operation *release = sentence->of[0];
    const struct operation *acquire = sentence->of[1];
    add(sentence, release->kind == OPERATION_RENEW ? "{who 0} renewed {lock 0}"
                                                   : "{who 0} released {lock 0}");
    if (acquire != NULL)
        add(sentence, release->shared ? " as a reader" : " as the writer");
    add(sentence, "{extent 0}, ");
    if (acquire == NULL)
        add(sentence, is_ownerless ? "which nobody held" : "which it did not hold");
    else
        add(sentence, acquire->shared ? "but held it as a reader since {at 1}"
                                      : "but held it as the writer since {at 1}");
    add(sentence, ", and was told that it had");
}

void model_explain(const struct model *model, const struct operations *operations,
                   const struct model_options *options, const struct model_violation *violation,
                   char *text, size_t room)
{
    AUTO_TEXT struct text words = {0};
    struct sentence sentence = {
        .operations = operations, .options = options, .violation = violation, .text = &words};
    for (size_t i = 0; i < MODEL_EVIDENCE; i++)
        sentence.of[i] = violation->operations[i] != SIZE_MAX
                             ? &operations->items[violation->operations[i]]
                             : NULL;
    switch (violation->rule) {
    case RULE_EXCLUSION:
        if (model->is_ownerless) { // by whom it was acquired last, since when nobody did
            add(&sentence, "{who 2} was granted {lock 2}{extent 2} although ");
            add(&sentence, options->permits > 1 ? "all {permits} permits were out: the last to "
                                                : "it was taken: by ");
            add(&sentence, "{who 0}{extent 0}, and no release came between the two");
        } else if (model->has_permits && options->permits > 1) {
            add_permits(&sentence);
        } else {
            add_exclusion(&sentence);
        }
        break;
    case RULE_OWNERSHIP:
        add_ownership(&sentence, model->is_ownerless);
        break;
    case RULE_TOKEN:
        add(&sentence, "{who 0} was given token {token 0}{extent 0}, but {who 1} had been given "
                       "{token 1}{extent 1}");
        add(&sentence, sentence.of[2] != NULL ? " in the same hold" : " before");
        break;
    case RULE_DEPTH:
        add(&sentence, "{who 0} was granted {lock 0}{extent 0} although it held it ");
        add(&sentence, options->depth_limit == 1 ? "already, and may hold it only once"
                                                 : "{limit} times, which is the limit");
        break;
    case RULE_FAILED_FREE:
        add(&sentence, "{who 0} was refused {lock 0}{extent 0} although ");
        add(&sentence, sentence.of[1] != NULL ? "it held it itself and may acquire it again"
                                              : "nobody can have held it at any time in between");
        break;
    }
    snprintf(text, room, "%s", text_string(&words));
}
