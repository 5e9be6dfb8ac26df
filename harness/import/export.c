#include "harness/import/import.h"

#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/import/entry.h"

#include <inttypes.h>

static void add_text(struct text *text, const char *string)
{
    text_add(text, "\"");
    for (; *string != '\0'; string++) {
        if (*string == '"' || *string == '\\')
            text_add(text, "\\");
        text_add_bytes(text, string, 1);
    }
    text_add(text, "\"");
}

// An invocation or a return as a line. Its value is nothing, a token, or either with the name of
// its lock.
static void add_line(const struct operations *operations, const struct ranked *mark, size_t index,
                     int64_t time_ns, enum import_format format, struct text *text)
{
    static const char *const types[] = {[OUTCOME_OK] = "ok",
                                        [OUTCOME_NO] = "fail",
                                        [OUTCOME_UNKNOWN] = "info",
                                        [OUTCOME_BROKEN] = "info"};
    const struct operation *operation = &operations->items[mark->index];
    bool is_return = (mark->value & 1) != 0; // also of what never returned
    bool is_edn = format == IMPORT_EDN;
    text_format(text,
                is_edn ? "{:index %zu, :process %u, :type :%s, :f :%s, :value "
                       : "{\"index\":%zu,\"process\":%u,\"type\":\"%s\",\"f\":\"%s\",\"value\":",
                index, operation->process, is_return ? types[operation->outcome] : "invoke",
                entry_function((enum operation_kind)operation->kind, operation->shared));
    if (operations->names != NULL) {
        text_add(text, "[");
        add_text(text, operations->names[operation->name]);
        text_add(text, ", ");
    }
    if (is_return && operation->outcome == OUTCOME_OK && operation->token != 0)
        text_format(text, "%" PRId64, operation->token);
    else
        text_add(text, is_edn ? "nil" : "null");
    text_add(text, operations->names != NULL ? "]" : "");
    text_format(text, is_edn ? ", :time %" PRId64 "}\n" : ",\"time\":%" PRId64 "}\n", time_ns);
}

int export_history(enum import_format format, const struct operations *operations, FILE *out)
{
    // The instants of invocations and returns, each with its operation.
    AUTO_FREE struct ranked *marks = memory_new((2 * operations->count + 1) * sizeof *marks);
    AUTO_TEXT struct text text = {0};
    int64_t last_ns = 0;
    int result = 0;
    for (size_t i = 0; i < operations->count; i++) {
        marks[2 * i] = (struct ranked){operations->items[i].invoked, i};
        marks[2 * i + 1] = (struct ranked){operations->items[i].returned, i};
    }
    sort_ranked(marks, 2 * operations->count);
    for (size_t i = 0; i < 2 * operations->count && result == 0; i++) {
        if (marks[i].value != INSTANT_NEVER)
            last_ns = moment_of(marks[i].value) - operations->zero_ns;
        text.length = 0;
        add_line(operations, &marks[i], i, last_ns, format, &text);
        result = fwrite(text.bytes, 1, text.length, out) == text.length ? 0 : -1;
    }
    return result;
}
