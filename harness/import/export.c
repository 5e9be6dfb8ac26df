#include "harness/import/export.h"

#include "harness/base/text.h"
#include "harness/import/entry.h"

#include <inttypes.h>
#include <stdlib.h>

// An invocation or a return.
struct mark {
    int64_t instant;
    size_t operation;
};

// One line, but for the format.
struct line {
    size_t index;
    uint32_t process;
    const char *type;
    const char *function;
    const char *name; // of the lock, NULL if there is but one
    int64_t token;    // 0: none
    int64_t time_ns;
};

static int compare_marks(const void *left, const void *right)
{
    const struct mark *a = left;
    const struct mark *b = right;
    if (a->instant != b->instant)
        return a->instant < b->instant ? -1 : 1;
    return (a->operation > b->operation) - (a->operation < b->operation);
}

static struct mark *sorted_marks(const struct operations *operations)
{
    struct mark *marks = memory_new((2 * operations->count + 1) * sizeof *marks);
    for (size_t i = 0; i < operations->count; i++) {
        marks[2 * i] = (struct mark){operations->items[i].invoked, i};
        marks[2 * i + 1] = (struct mark){operations->items[i].returned, i};
    }
    qsort(marks, 2 * operations->count, sizeof *marks, compare_marks);
    return marks;
}

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

// nil, a token, or either with the name of its lock.
static void add_value(struct text *text, const struct line *line, const char *nothing)
{
    if (line->name != NULL) {
        text_add(text, "[");
        add_text(text, line->name);
        text_add(text, ", ");
    }
    if (line->token != 0)
        text_format(text, "%" PRId64, line->token);
    else
        text_add(text, nothing);
    if (line->name != NULL)
        text_add(text, "]");
}

static void add_edn(struct text *text, const struct line *line)
{
    text_format(text, "{:index %zu, :process %u, :type :%s, :f :%s, :value ", line->index,
                line->process, line->type, line->function);
    add_value(text, line, "nil");
    text_format(text, ", :time %" PRId64 "}\n", line->time_ns);
}

static void add_json(struct text *text, const struct line *line)
{
    text_format(text, "{\"index\":%zu,\"process\":%u,\"type\":\"%s\",\"f\":\"%s\",\"value\":",
                line->index, line->process, line->type, line->function);
    add_value(text, line, "null");
    text_format(text, ",\"time\":%" PRId64 "}\n", line->time_ns);
}

static const char *type_of(const struct operation *operation, bool is_return)
{
    if (!is_return)
        return "invoke";
    return operation->outcome == OUTCOME_OK   ? "ok"
           : operation->outcome == OUTCOME_NO ? "fail"
                                              : "info";
}

static int write_line(enum import_format format, const struct line *line, struct text *text,
                      FILE *out)
{
    text->length = 0;
    if (format == IMPORT_EDN)
        add_edn(text, line);
    else
        add_json(text, line);
    return fwrite(text->bytes, 1, text->length, out) == text->length ? 0 : -1;
}

int export_history(enum import_format format, const struct operations *operations, FILE *out)
{
    struct mark *marks = sorted_marks(operations);
    struct text text = {0};
    int64_t last_ns = 0;
    int result = 0;
    for (size_t i = 0; i < 2 * operations->count && result == 0; i++) {
        const struct operation *operation = &operations->items[marks[i].operation];
        bool is_return = (marks[i].instant & 1) != 0; // also of what never returned
        if (marks[i].instant != INSTANT_NEVER)
            last_ns = moment_of(marks[i].instant) - operations->zero_ns;
        const struct line line = {
            .index = i,
            .process = operation->process,
            .type = type_of(operation, is_return),
            .function = entry_function((enum operation_kind)operation->kind, operation->shared),
            .name = operations->names != NULL ? operations->names[operation->name] : NULL,
            .token = is_return && operation->outcome == OUTCOME_OK ? operation->token : 0,
            .time_ns = last_ns,
        };
        result = write_line(format, &line, &text, out);
    }
    text_free(&text);
    free(marks);
    return result;
}
