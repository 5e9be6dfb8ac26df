// End to end, the program as a user calls it: cases/*_test.cases, of which cases/README.md says how
// they are written. Each file is a test program of its own, build/harness/cli/NAME_test.
#include "harness/base/growing.h"
#include "harness/cli/test_command.h"
#include "harness/testing/text.h"

#include <glob.h>
#include <limits.h>
#include <stdarg.h>

// In which scenarios, runs and drivers lie; '@' stands for it in arguments and commands.
TEST_FOLDER("/tmp/lockpick-cli-test-XXXXXX");

// The words of that format, with the folder for each '@'. The caller frees `bytes`.
static struct text in_place(const char *format, va_list arguments)
{
    char words[16384];
    struct text out = {0};
    vsnprintf(words, sizeof words, format, arguments);
    for (const char *next = words; *next != '\0'; next++) {
        if (*next == '@')
            text_add(&out, folder);
        else
            text_add_bytes(&out, next, 1);
    }
    return out;
}

__attribute__((format(printf, 1, 2))) static char *path_of(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text path = in_place(format, arguments);
    va_end(arguments);
    return path.bytes;
}

// The exit status of a command of the shell.
__attribute__((format(printf, 1, 2))) static int shell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text line = in_place(format, arguments);
    va_end(arguments);
    int status = system(line.bytes);
    text_free(&line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Fails unless the file of the folder has those words.
static void expect_content(const char *name, const char *words)
{
    AUTO_TEXT struct text content = {0};
    AUTO_FREE char *path = path_join(folder, name);
    (void)file_read(path, &content, NULL);
    if (strstr(text_string(&content), words) == NULL)
        fail_msg("no '%s' in %s: %.2000s", words, path, text_string(&content));
}

// Replaces the first `old` in a text by `new`. False if there is none.
static bool replace(struct text *text, const char *old, const char *new)
{
    const char *found = text->bytes != NULL ? strstr(text->bytes, old) : NULL;
    struct text result = {0};
    if (found == NULL)
        return false;
    text_add_bytes(&result, text->bytes, (size_t)(found - text->bytes));
    text_add(&result, new);
    text_add(&result, found + strlen(old));
    text_free(text);
    *text = result;
    return true;
}

// "    says 2 as expected", and the lines below it that are further in.
struct row {
    int line;
    char *word, *rest;
    struct text block;
};

struct rows {
    struct row *items;
    size_t count, room;
};

// What "<name>" stands for.
struct definition {
    char *name;
    struct text value;
};

struct definitions {
    struct definition *items;
    size_t count, room;
};

struct test_case {
    const struct case_file *file;
    struct test test;
    struct rows rows;
};

struct case_file {
    char *path;
    struct definitions texts;
    struct rows before;
    struct test_case *cases[200];
    size_t count;
    struct test group, main;
};

// --- reading -------------------------------------------------------------------------------------

static _Noreturn void refuse(const char *path, int line, const char *why)
{
    fprintf(stderr, "%s:%d: %s\n", path, line, why);
    exit(2);
}

// Cuts "word rest" in two.
static struct row *add_row(struct rows *rows, int line, const char *text)
{
    struct row *row = APPEND(rows->items, rows->count, rows->room);
    size_t length = strcspn(text, " ");
    *row = (struct row){.line = line, .word = memory_string(text)};
    row->word[length] = '\0';
    row->rest = row->word + length + (text[length] == ' ');
    return row;
}

static struct test_case *add_case(struct case_file *file, const char *name)
{
    static int place;
    struct test_case *added = memory_zeroed(1, sizeof *added);
    char *title = memory_string(name);
    for (char *at = title; *at != '\0'; at++)
        *at = *at == ' ' ? '_' : *at;
    added->file = file;
    place++;
    added->test = (struct test){
        .file = file->path, .place = place, .cmocka = {.name = title, .initial_state = added}};
    file->cases[file->count++] = added;
    return added;
}

static void read_case_file(struct case_file *file)
{
    AUTO_TEXT struct text content = {0};
    struct rows *rows = NULL;  // that further ones belong to
    struct text *block = NULL; // that further lines belong to,
    size_t inward = 0;         // of which so many spaces are cut off
    size_t blank = 0;          // lines before this one
    int number = 0;
    if (file_read(file->path, &content, NULL) != 0)
        refuse(file->path, 1, "cannot be read");
    char *next = content.bytes;
    for (char *line; (line = strsep(&next, "\n")) != NULL;) {
        size_t indent = strspn(line, " ");
        number++;
        if (line[indent] == '\0') {
            blank++;
        } else if (block != NULL && indent >= inward) {
            for (; blank > 0 && block->length > 0; blank--)
                text_add(block, "\n");
            text_format(block, "%s\n", line + inward);
            blank = 0;
        } else if (line[indent] != '#') {
            blank = 0;
            block = NULL;
            if (indent == 4 && rows != NULL) {
                block = &add_row(rows, number, line + indent)->block;
                inward = 8;
            } else if (strncmp(line, "text ", 5) == 0) {
                struct definitions *texts = &file->texts;
                struct definition *text = APPEND(texts->items, texts->count, texts->room);
                *text = (struct definition){.name = memory_string(line + 5)};
                block = &text->value;
                inward = 4;
                rows = NULL;
            } else if (strcmp(line, "before") == 0) {
                rows = &file->before;
            } else if (strncmp(line, "case ", 5) == 0) {
                rows = &add_case(file, line + 5)->rows;
            } else {
                refuse(file->path, number, "neither `text NAME`, `before`, `case NAME` nor a row");
            }
        }
    }
    for (size_t i = 0; i < file->count; i++)
        add_row(&file->cases[i]->rows, number, "")->word = NULL;
    add_row(&file->before, number, "")->word = NULL;
}

// --- what is done --------------------------------------------------------------------------------

struct playing {
    const struct case_file *file;
    const struct row *row;
    struct definitions here; // of the row of a table
    char *rest, *block;      // of the row, expanded
    bool is_skipped;         // something that is needed is not there
    int code;                // of what was called last
    struct text out, errors; // what it said; or what was read
};

static const char *value_of(const struct playing *playing, const char *name, size_t length)
{
    const struct definitions *const all[] = {&playing->here, &playing->file->texts};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < all[i]->count; j++) {
            const struct definition *one = &all[i]->items[j];
            if (strlen(one->name) == length && strncmp(one->name, name, length) == 0)
                return text_string(&one->value);
        }
    return length == 4 && strncmp(name, "here", 4) == 0      ? folder
           : length == 7 && strncmp(name, "project", 7) == 0 ? getenv("PROJECT")
                                                             : NULL;
}

// With what each <name> stands for, but for the end of its last line.
static char *expanded(const struct playing *playing, const char *text)
{
    struct text out = {0};
    text_add(&out, "");
    for (; *text != '\0'; text++) {
        size_t length = *text == '<' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz-") : 0;
        const char *value =
            length > 0 && text[length + 1] == '>' ? value_of(playing, text + 1, length) : NULL;
        if (value == NULL) {
            text_add_bytes(&out, text, 1);
            continue;
        }
        AUTO_FREE char *inner = expanded(playing, value);
        size_t end = strlen(inner);
        text_add_bytes(&out, inner, end > 0 && inner[end - 1] == '\n' ? end - 1 : end);
        text += length + 1;
    }
    return out.bytes;
}

__attribute__((format(printf, 2, 3))) static _Noreturn void fail_row(const struct playing *playing,
                                                                     const char *format, ...)
{
    char why[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    // More than a message of cmocka's holds.
    fprintf(stderr, "%s%s", text_string(&playing->out), text_string(&playing->errors));
    for (size_t i = 0; i < playing->here.count; i++)
        fprintf(stderr, "with %s: %s\n", playing->here.items[i].name,
                text_string(&playing->here.items[i].value));
    fail_msg("%s:%d: %s %s: %s", playing->file->path, playing->row->line, playing->row->word,
             playing->row->rest, why);
    abort();
}

static void forget_said(struct playing *playing)
{
    text_free(&playing->out);
    text_free(&playing->errors);
}

// By bash, in the project's folder. What the call before it said is then in @/.said and
// @/.said-errors.
static void call(struct playing *playing, const char *command)
{
    write_in(folder, ".command", command);
    forget_said(playing);
    playing->code = shell("cd @ && { mv -f .out .said; mv -f .errors .said-errors; } 2>/dev/null; "
                          "cd \"$PROJECT\" && bash @/.command >@/.out 2>@/.errors </dev/null");
    AUTO_FREE char *out = path_of("@/.out");
    AUTO_FREE char *errors = path_of("@/.errors");
    (void)file_read(out, &playing->out, NULL);
    (void)file_read(errors, &playing->errors, NULL);
}

// --- the rows ------------------------------------------------------------------------------------

static void take_file(struct playing *playing)
{
    (void)playing;
    write_in(folder, playing->rest, playing->block);
}

// `copy PATH NAME`, changed by the lines of the block: after "-" what is replaced, after "+" by
// what.
static void take_copy(struct playing *playing)
{
    char name[80], path[200];
    AUTO_TEXT struct text whole = {0};
    if (sscanf(playing->rest, "%199s %79s", path, name) != 2 || file_read(path, &whole, NULL) != 0)
        fail_row(playing, "no such file");
    for (const char *at = playing->block; *at != '\0';) {
        struct text parts[2] = {{0}, {0}};
        for (int i = 0; i < 2; i++)
            for (; *at == "-+"[i]; at += strcspn(at, "\n") + 1)
                text_format(&parts[i], "%s%.*s", parts[i].bytes != NULL ? "\n" : "",
                            (int)strcspn(at, "\n") - 1, at + 1);
        if (parts[0].length == 0 || !replace(&whole, parts[0].bytes, text_string(&parts[1])))
            fail_row(playing, "no '%s' in %s", text_string(&parts[0]), path);
        text_free(&parts[0]);
        text_free(&parts[1]);
    }
    write_in(folder, name, text_string(&whole));
}

static void call_lockpick(struct playing *playing, const char *arguments)
{
    AUTO_TEXT struct text command = {0};
    text_format(&command, "\"$LOCKPICK\" ");
    for (const char *at = arguments; *at != '\0'; at++)
        text_add_bytes(&command, *at == '@' ? folder : at, *at == '@' ? strlen(folder) : 1);
    call(playing, command.bytes);
}

static void take_lockpick(struct playing *playing)
{
    call_lockpick(playing, playing->rest);
}

// `scenario NAME [OPTIONS]`: kept as @/NAME.yaml, and run into @/NAME.
static void take_scenario(struct playing *playing)
{
    char name[80] = "";
    struct text scenario = {0}, line = {0};
    size_t length = strcspn(playing->rest, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, playing->rest);
    if (strncmp(playing->block, "version:", 8) != 0)
        text_format(&scenario, "version: 1\nname: %s\nabout: For a test.\n", name);
    text_add(&scenario, playing->block);
    text_format(&line, "%s.yaml", name);
    write_in(folder, line.bytes, scenario.bytes);
    text_free(&line);
    assert_int_equal(shell("rm -rf @/%s", name), 0);
    text_format(&line, "run @/%s.yaml --keep-going --jobs 3 --out @/%s%s", name, name,
                playing->rest + length);
    call_lockpick(playing, line.bytes);
    text_free(&line);
    text_free(&scenario);
}

static bool is_followed_by(const struct playing *playing, const char *word)
{
    const struct row *next = playing->row + 1;
    return next->word != NULL && strcmp(next->word, word) == 0;
}

// A line of the shell, in the folder; it must end well unless the next row says how it ends.
static void take_shell(struct playing *playing)
{
    AUTO_TEXT struct text command = {0};
    text_format(&command, "cd %s\n%s%s%s", folder, playing->rest,
                *playing->block != '\0' ? "\n" : "", playing->block);
    call(playing, command.bytes);
    if (playing->code != 0 && !is_followed_by(playing, "->"))
        fail_row(playing, "exit status %d", playing->code);
}

static void take_code(struct playing *playing)
{
    bool is_one = false;
    char *rest = playing->rest;
    for (char *code; (code = strsep(&rest, " ")) != NULL;)
        is_one |= atoi(code) == playing->code;
    if (!is_one)
        fail_row(playing, "exit status %d", playing->code);
}

static void take_need(struct playing *playing)
{
    call(playing, playing->rest);
    playing->is_skipped = playing->code != 0;
    if (playing->is_skipped)
        print_message("it needs: %s\n%s", playing->rest, text_string(&playing->out));
}

static void take_reading(struct playing *playing)
{
    AUTO_FREE char *path = path_of("@/%s", playing->rest);
    forget_said(playing);
    if (file_read(path, &playing->out, NULL) != 0)
        fail_row(playing, "it cannot be read");
}

// With what "\n" stands for.
static bool is_in(const struct text *text, const char *words)
{
    AUTO_TEXT struct text wanted = {0};
    text_add(&wanted, words);
    while (replace(&wanted, "\\n", "\n"))
        continue;
    bool is = strstr(text_string(text), wanted.bytes) != NULL;
    return is;
}

// `says`, or what `or` does in the rows below; `output` and `errors`, on that stream alone;
// `lacks`.
static void take_saying(struct playing *playing)
{
    char kind = playing->row->word[0];
    bool is = false;
    const struct row *row = playing->row;
    do {
        AUTO_FREE char *words = expanded(playing, row++->rest);
        is |= (kind != 'e' && is_in(&playing->out, words)) ||
              (kind != 'o' && is_in(&playing->errors, words));
    } while (row->word != NULL && strcmp(row->word, "or") == 0);
    if (is != (kind != 'l'))
        fail_row(playing, is ? "it says that" : "it does not say that");
}

static void take_nothing(struct playing *playing)
{
    (void)playing;
}

// The value at the path, or for PATH.# how many there are; a new reference.
static json_t *value_at(const json_t *root, const char *path)
{
    char parent[200];
    size_t length = strlen(path);
    snprintf(parent, sizeof parent, "%s", path);
    bool is_count = length > 2 && strcmp(path + length - 2, ".#") == 0;
    parent[is_count ? length - 2 : length] = '\0';
    json_t *value = json_find(root, parent);
    if (!is_count)
        return json_incref(value);
    return json_is_array(value) ? json_integer((json_int_t)json_array_size(value)) : NULL;
}

// `json PATH = VALUE`; the value is JSON, or another path. What is wanted of a text may be a part
// of it: `json PATH has "part"`.
static void take_json(struct playing *playing)
{
    static const char *const operators[] = {"=", "!=", "<", "<=", ">", ">=", "has", NULL};
    char path[200], operator[8];
    int end = 0;
    if (sscanf(playing->rest, "%199s %7s %n", path, operator, & end) != 2 ||
        !text_is_one_of(operator, operators))
        fail_row(playing, "it is no `json PATH OPERATOR VALUE`");
    json_auto_t *root = json_loads(text_string(&playing->out), 0, NULL);
    json_auto_t *found = value_at(root, path);
    json_auto_t *wanted = json_loads(playing->rest + end, JSON_DECODE_ANY, NULL);
    wanted = wanted != NULL ? wanted : value_at(root, playing->rest + end);
    if (found == NULL || wanted == NULL)
        fail_row(playing, "there is no %s", found == NULL ? path : playing->rest + end);
    double a = json_number_value(found), b = json_number_value(wanted);
    bool are_numbers = json_is_number(found) && json_is_number(wanted);
    bool are_equal = are_numbers ? a <= b && a >= b : json_equal(found, wanted) == 1;
    bool is = strcmp(operator, "=") == 0    ? are_equal
              : strcmp(operator, "!=") == 0 ? !are_equal
              : strcmp(operator, "has") == 0
                  ? json_is_string(found) && json_is_string(wanted) &&
                        strstr(json_string_value(found), json_string_value(wanted)) != NULL
                  : are_numbers &&
                        ((operator[0] == '<' ? a < b : a> b) || (operator[1] == '=' && are_equal));
    AUTO_FREE char *text = json_dumps(found, JSON_ENCODE_ANY);
    if (!is)
        fail_row(playing, "it is %s", text);
}

static const struct {
    const char *word;
    void (*take)(struct playing *playing);
} words[] = {{"file", take_file},         {"copy", take_copy},     {"lockpick", take_lockpick},
             {"scenario", take_scenario}, {"$", take_shell},       {"->", take_code},
             {"needs", take_need},        {"read", take_reading},  {"says", take_saying},
             {"or", take_nothing},        {"output", take_saying}, {"errors", take_saying},
             {"lacks", take_saying},      {"json", take_json}};

static void play_row(struct playing *playing)
{
    size_t i = 0;
    playing->rest = expanded(playing, playing->row->rest);
    playing->block = expanded(playing, text_string(&playing->row->block));
    while (i < sizeof words / sizeof *words && strcmp(words[i].word, playing->row->word) != 0)
        i++;
    if (i == sizeof words / sizeof *words)
        fail_row(playing, "there is no such row");
    words[i].take(playing);
    free(playing->rest);
    free(playing->block);
}

// Up to the row without a word that ends them, or to what is needed and is not there.
static void play_rows(struct playing *playing, const struct row *rows)
{
    playing->is_skipped = false;
    for (playing->row = rows; playing->row->word != NULL && !playing->is_skipped; playing->row++)
        play_row(playing);
    forget_said(playing);
}

// Cuts the first cell off "a | b"; it may be empty, and the last has what is left.
static char *cut_cell(char **rest, bool is_last)
{
    char *cell = *rest;
    char *bar = is_last ? NULL : cell - 1;
    do {
        bar = bar != NULL ? strchr(bar + 1, '|') : NULL;
    } while (bar != NULL && ((bar > cell && bar[-1] != ' ') || strchr(" ", bar[1]) == NULL));
    char *end = bar != NULL ? bar : cell + strlen(cell);
    *rest = bar != NULL ? bar + 1 + strspn(bar + 1, " ") : end;
    while (bar != NULL && end > cell && end[-1] == ' ')
        end--;
    *end = '\0';
    return cell;
}

// All further rows for each of the table's.
static void play_table(struct playing *playing, const struct row *table)
{
    char *names[8], *header = memory_string(table->rest), *rest = header;
    size_t columns = 0;
    for (; columns < 8 && *rest != '\0'; columns++)
        names[columns] = cut_cell(&rest, false);
    struct definition cells[8] = {{0}};
    playing->here = (struct definitions){.items = cells, .count = columns};
    AUTO_FREE char *content = memory_string(text_string(&table->block));
    char *next = content;
    bool are_skipped = true;
    for (char *line; (line = strsep(&next, "\n")) != NULL && *line != '\0';) {
        for (size_t i = 0; i < columns; i++) {
            cells[i].name = names[i];
            text_add(&cells[i].value, cut_cell(&line, i + 1 == columns));
        }
        play_rows(playing, table + 1);
        are_skipped &= playing->is_skipped;
        for (size_t i = 0; i < columns; i++)
            text_free(&cells[i].value);
    }
    playing->is_skipped = are_skipped;
    free(header);
}

// --- the tests -----------------------------------------------------------------------------------

static void play_case(void **state)
{
    const struct test_case *one = *state;
    struct playing playing = {.file = one->file};
    const struct row *first = one->rows.items;
    if (strcmp(first->word, "each") == 0)
        play_table(&playing, first);
    else
        play_rows(&playing, first);
    if (playing.is_skipped)
        skip();
}

static const struct case_file *played; // the file of this program

static int prepare(void **state)
{
    struct playing playing = {.file = played};
    char path[PATH_MAX];
    unsetenv("GITHUB_STEP_SUMMARY"); // of a workflow that runs these tests
    unsetenv("GITHUB_ACTIONS");
    if (make_test_folder(state) != 0 || realpath(lockpick_path(), path) == NULL)
        return -1;
    setenv("LOCKPICK", path, 1);
    setenv("PROJECT", realpath(".", path), 1);
    play_rows(&playing, played->before.items);
    return 0;
}

static struct case_file *files;
static size_t file_count;

static int play_file(int count, char **arguments)
{
    const char *slash = strrchr(arguments[0], '/');
    const char *name = slash != NULL ? slash + 1 : arguments[0];
    for (size_t i = 0; i < file_count; i++) {
        const char *own = strrchr(files[i].path, '/') + 1;
        if (strncmp(own, name, strlen(name)) == 0 && own[strlen(name)] == '.')
            played = &files[i];
    }
    return tests_run(count, arguments);
}

// A runner that lets everything pass would be no test.
TEST(a_row_that_does_not_hold_fails_the_case_and_names_its_place)
{
    static const char *const rows[] = {"$ false",
                                       "$ true\n    -> 1",
                                       "$ echo one\n    says two",
                                       "$ echo one >&2\n    output one",
                                       "$ echo one\n    errors one",
                                       "$ echo one\n    lacks one",
                                       "$ echo '[1]'\n    json 0 = 2",
                                       "$ echo '[1]'\n    json 0 > 1",
                                       "$ echo '[1]'\n    json 0 > 0.#",
                                       "$ echo '[\"one\"]'\n    json 0 has \"two\"",
                                       "$ echo '[1]'\n    json 1 = 1",
                                       "read none",
                                       "sais one"};
    char program[PATH_MAX];
    assert_int_equal(make_test_folder(NULL), 0);
    assert_non_null(realpath("/proc/self/exe", program));
    assert_int_equal(shell("mkdir -p @/harness/cli/cases"), 0);
    for (size_t i = 0; i <= sizeof rows / sizeof *rows; i++) {
        bool is_right = i == sizeof rows / sizeof *rows; // but for this one
        AUTO_TEXT struct text content = {0};
        text_format(&content, "case one\n    %s\n", is_right ? "$ true" : rows[i]);
        write_in(folder, "harness/cli/cases/wrong_test.cases", content.bytes);
        int code =
            shell("cd @; LOCKPICK=/bin/true bash -c 'exec -a wrong_test %s' >said 2>&1", program);
        if ((code == 0) != is_right)
            fail_msg("'%s' ended with %d", rows[i], code);
        expect_content("said", is_right ? "[  PASSED  ] 1" : "harness/cli/cases/wrong_test.cases:");
    }
    remove_test_folder(NULL);
}

// Before main, as with all tests.
__attribute__((constructor)) static void register_files(void)
{
    glob_t found;
    if (glob("harness/cli/cases/*_test.cases", 0, NULL, &found) != 0)
        return;
    files = memory_zeroed(found.gl_pathc, sizeof *files);
    for (; file_count < found.gl_pathc; file_count++) {
        struct case_file *file = &files[file_count];
        file->path = memory_string(found.gl_pathv[file_count]);
        read_case_file(file);
        file->group =
            (struct test){.file = file->path,
                          .begins_group = true,
                          .cmocka = {.setup_func = prepare, .teardown_func = remove_test_folder}};
        file->main = (struct test){.file = file->path, .main = play_file};
        test_register(&file->group);
        test_register(&file->main);
        for (size_t i = 0; i < file->count; i++) {
            file->cases[i]->test.cmocka.test_func = play_case;
            test_register(&file->cases[i]->test);
        }
    }
    globfree(&found);
}
