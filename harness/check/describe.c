#include "harness/check/describe.h"

#include <stdarg.h>
#include <stdio.h>

const char *describe_worker(const struct digest *digest, int client, int worker, char *out)
{
    if (worker != 0 && digest->trial->scenario->clients.threads > 1)
        snprintf(out, DESCRIBE_ROOM, "client-%d worker-%d", client, worker);
    else
        snprintf(out, DESCRIBE_ROOM, "client-%d", client);
    return out;
}

const char *describe_holder(const struct digest *digest, size_t hold, char *out)
{
    return describe_worker(digest, digest->holds[hold].client, digest->holds[hold].worker, out);
}

struct words holder_name(const struct digest *digest, size_t hold)
{
    struct words words;
    describe_holder(digest, hold, words.text);
    return words;
}

struct words lasting(int64_t length_ns)
{
    struct words words;
    text_duration(length_ns, words.text, sizeof words.text);
    return words;
}

void finding_say(struct finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
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

const char *describe_doubt(const struct hold *one, const struct hold *other)
{
    if (one->is_unanchored || other->is_unanchored)
        return "it is not known which of several requests was granted, and so when its lease was "
               "over: let its driver say request_ns";
    return "after so long a standstill its server may have ended it early although it was answered";
}
