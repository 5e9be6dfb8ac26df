#include "harness/check/describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct words worker_name(const struct trial_model *model, int client, int worker)
{
    struct words words;
    bool is_one_of_many = worker != 0 && model->trial->scenario->clients.threads > 1;
    snprintf(words.text, sizeof words.text, is_one_of_many ? "client-%d worker-%d" : "client-%d",
             client, worker);
    return words;
}

struct words holder_name(const struct trial_model *model, size_t hold)
{
    return worker_name(model, model->holds[hold].client, model->holds[hold].worker);
}

struct words lasting(int64_t length_ns)
{
    struct words words = {""};
    text_duration(length_ns, words.text, sizeof words.text);
    return words;
}

void finding_say(struct finding *finding, const char *format, ...)
{
    size_t length = strlen(finding->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text + length, sizeof finding->text - length, format, arguments);
    va_end(arguments);
}

bool say(struct text *text, const char *format, ...)
{
    char words[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    text_add(text, words);
    return true;
}

const char *plural(long long count)
{
    return count == 1 ? "" : "s";
}

const char *describe_doubt(const struct trial_model *model, const struct hold *one,
                           const struct hold *other)
{
    if (external_client_host(model->trial->external_client, 1) != NULL)
        return "what a driver on another host says takes its time to come here, and a lease may "
               "have been over by then";
    if (one->is_unanchored || other->is_unanchored)
        return "it is not known which of several requests was granted, and so when its lease was "
               "over: let its driver say request_ns";
    return "after so long a standstill its server may have ended it early although it was answered";
}

static void add_of_permits(const void *context, const char *word, struct text *out)
{
    const struct permits_told *told = context;
    if (strcmp(word, "permits") == 0)
        text_format(out, "%lld", (long long)trial_model_permits(told->model));
    else if (strcmp(word, "window") == 0)
        text_add(out, lasting(told->model->trial->scenario->lock.lease_ns).text);
    else if (strcmp(word, "length") == 0)
        text_add(out, lasting(told->length_ns).text);
    else
        text_add(out, strcmp(word, "who") == 0 ? told->who : told->them);
}

void permits_tell(const struct permits_told *told, const char *words, struct text *out)
{
    text_fill(out, words, add_of_permits, told);
}
