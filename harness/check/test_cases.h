// For tests: files of histories and what is expected of them, cases/*.events; cases/README.md says
// how they are written.
#ifndef LOCKPICK_CHECK_TEST_CASES_H
#define LOCKPICK_CHECK_TEST_CASES_H

#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/check/test_history.h"

#include <glob.h>
#include <math.h>

#define MOST_EXPECTED 40
#define MOST_ROWS 400

struct lines {
    char **items;
    size_t count;
};

// A case, or one of its variants, on its way.
struct reading {
    const char *file;
    struct lines lines;
    struct build build;
    size_t rows[MOST_ROWS], row_count;              // lines
    size_t expected[MOST_EXPECTED], expected_count; // likewise
    size_t *wrong;  // how much is not as it was expected, in all cases
    unsigned *seen; // in which states each check was, as bits
    void (*decide)(struct reading *reading, size_t line); // once it is judged
};

static void read_rows_in_turn(struct reading *reading)
{
    size_t *rows = reading->rows;
    for (size_t i = 1; i < reading->row_count; i++) {
        size_t row = rows[i], j = i;
        double turn = turn_of(reading->lines.items[row]);
        for (; j > 0 && turn_of(reading->lines.items[rows[j - 1]]) > turn; j--)
            rows[j] = rows[j - 1];
        rows[j] = row;
    }
    for (size_t i = 0; i < reading->row_count; i++)
        read_row(&reading->build, reading->file, rows[i], reading->lines.items[rows[i]]);
}

// --- cases ---------------------------------------------------------------------------------------

static __attribute__((format(printf, 3, 4))) void complain(struct reading *reading, size_t line,
                                                           const char *format, ...)
{
    char text[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("%s:%zu: %s\n", reading->file, line + 1, text);
    ++*reading->wrong;
}

// --- what is expected ----------------------------------------------------------------------------

#define OF(type, name, kind, member)                                                               \
    {                                                                                              \
        name, FIELD_##kind, offsetof(struct type, member)                                          \
    }

// A field in the words of the files: times and durations in milliseconds, indices from 1.
static inline double shown(const struct field *field, const void *base)
{
    const void *at = (const char *)base + field->offset;
    bool is_narrow = field->kind == FIELD_INT || field->kind == FIELD_BOOL;
    int64_t time_ns = is_narrow ? 0 : *(const int64_t *)at;
    switch (field->kind) {
    case FIELD_INT:
        return *(const int *)at;
    case FIELD_BOOL:
        return *(const bool *)at;
    case FIELD_TIME:
        return time_ns == TIME_NEVER ? NEVER_MS
               : time_ns == 0        ? 0
                                     : (double)(time_ns - NS_PER_S) / (double)NS_PER_MS;
    case FIELD_SPAN:
        return time_ns == TIME_NEVER ? NEVER_MS : (double)time_ns / (double)NS_PER_MS;
    case FIELD_INDEX:
        return (double)(*(const size_t *)at + 1);
    case FIELD_RATIO:
        return *(const double *)at;
    default:
        return (double)time_ns;
    }
}

static inline void compare_fields(struct reading *reading, struct row *row,
                                  const struct field *fields, const void *base, bool all)
{
    for (const struct field *field = fields; field->name != NULL; field++) {
        const char *value = take_value(row, field->name);
        if (value == NULL && !all)
            continue;
        double wanted = value == NULL                 ? 0
                        : strcmp(value, "never") == 0 ? NEVER_MS
                                                      : strtod(value, NULL);
        double found = shown(field, base);
        if (isnan(found) != isnan(wanted) || found - wanted > 1e-6 || wanted - found > 1e-6)
            complain(reading, row->line, "%s is %g", field->name, found);
    }
    all_taken(row);
}

struct family {
    const char *name;
    const struct field *fields;
    const void *base;
    size_t size, count; // of items, counted from 1; size 0: there is one, and all its fields count
};

// Of the families' figures those that a row names. False if no family is called so.
static inline bool compare_family(struct reading *reading, struct row *row, const char *name,
                                  const struct family *families, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct family *family = &families[i];
        size_t index = 0;
        if (strcmp(family->name, name) != 0)
            continue;
        if (family->size > 0 && family->count != SIZE_MAX)
            index = (size_t)atoi(take_next(row)) - 1;
        if (family->size > 0 && index >= family->count)
            complain(reading, row->line, "there are only %zu", family->count);
        else
            compare_fields(reading, row, family->fields,
                           (const char *)family->base + index * family->size, family->size == 0);
        return true;
    }
    return false;
}

// --- reading
// ----------------------------------------------------------------------------------------

static size_t find_rows(const struct reading *reading, size_t line)
{
    const char *name = strstr(reading->lines.items[line], "use ") + 4;
    for (size_t i = 0; i < reading->lines.count; i++) {
        if (begins(reading->lines.items[i], "rows") &&
            strcmp(strstr(reading->lines.items[i], "rows ") + 5, name) == 0)
            return i + 1;
    }
    fail_msg("%s:%zu: no such rows", reading->file, line + 1);
    return 0;
}

static bool ends_rows(const char *line)
{
    return begins(line, "case") || begins(line, "rows") || begins(line, "variant");
}

// Reads the rows from a line on to the next case, or variant. Returns that.
static size_t read_rows(struct reading *reading, size_t line)
{
    for (; line < reading->lines.count && !ends_rows(reading->lines.items[line]); line++) {
        const char *text = reading->lines.items[line];
        text += strspn(text, " ");
        if (begins(text, "use"))
            read_rows(reading, find_rows(reading, line));
        else if (begins(text, "->") && reading->expected_count < MOST_EXPECTED)
            reading->expected[reading->expected_count++] = line;
        else if (*text != '\0' && *text != '#' && reading->row_count < MOST_ROWS)
            reading->rows[reading->row_count++] = line;
    }
    return line;
}

// The case at a line, with the variant at another; 0: without.
static size_t run_case(const char *file, struct lines lines, size_t line, size_t variant,
                       const struct reading *fresh)
{
    struct reading reading = *fresh;
    reading.file = file;
    reading.lines = lines;
    build_start(&reading.build, "increment");
    size_t end = read_rows(&reading, line + 1);
    if (variant != 0)
        end = read_rows(&reading, variant + 1);
    bool has_variants = end < lines.count && begins(lines.items[end], "variant");
    if (variant != 0 || !has_variants) {
        read_rows_in_turn(&reading);
        build_judge(&reading.build);
        if (reading.expected_count == 0)
            complain(&reading, line, "nothing is expected");
        fresh->decide(&reading, variant != 0 ? variant : line);
    }
    build_free(&reading.build);
    return end;
}

static size_t run_file(const char *file, const struct reading *fresh)
{
    AUTO_TEXT struct text bytes = {0};
    struct lines lines = {0};
    size_t room = 0, cases = 0;
    if (file_read(file, &bytes, NULL) != 0)
        fail_msg("%s cannot be read", file);
    char *rest = bytes.bytes;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n"))
        *APPEND(lines.items, lines.count, room) = line;
    for (size_t line = 0; line < lines.count;) {
        if (!begins(lines.items[line], "case")) {
            line++;
            continue;
        }
        size_t end = run_case(file, lines, line, 0, fresh);
        for (; end < lines.count && begins(lines.items[end], "variant"); cases++)
            end = run_case(file, lines, line, end, fresh);
        cases++;
        line = end;
    }
    free(lines.items);
    return cases;
}

// Has `decide` look at each case, and each variant, of the files, once it has been judged. `seen`
// has room for each check, or is NULL. Returns how much is not as it was expected.
static size_t run_events(const char *files, void (*decide)(struct reading *reading, size_t line),
                         unsigned *seen)
{
    glob_t found;
    size_t wrong = 0;
    const struct reading fresh = {.wrong = &wrong, .seen = seen, .decide = decide};
    assert_int_equal(glob(files, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        assert_true(run_file(found.gl_pathv[i], &fresh) > 0);
    globfree(&found);
    return wrong;
}

#endif
