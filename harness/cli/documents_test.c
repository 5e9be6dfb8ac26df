// What the README.md files say, held against what the code declares and what is there.
#include "faults/fault.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/check/check.h"
#include "harness/testing/test.h"
#include "harness/wire/driver_line.h"
#include "harness/workloads/workload.h"

#include <ctype.h>
#include <glob.h>
#include <unistd.h>

static char *contents(const char *path)
{
    struct text text = {0};
    struct error error = {0};
    MUST_BE(0, file_read(path, &text, &error));
    return text.bytes;
}

// --- tables --------------------------------------------------------------------------------------

// Whether a row of the table that has that heading begins with it: "| `a`, `b` |", or with the mark
// around it.
static bool has_row(const char *table, const char *mark, const char *name)
{
    AUTO_FREE char *marked = text_formatted("%s%s%s", mark, name, mark);
    for (const char *row = table; row != NULL && row[0] == '|'; row = strchr(row, '\n') + 1) {
        const char *end = strchr(row + 1, '|');
        const char *at = strstr(row, marked);
        if (at != NULL && at < end)
            return true;
    }
    return false;
}

// How many names there are in the first cells of the table.
static size_t names_in(const char *table, const char *mark)
{
    size_t marks = 0;
    for (const char *row = table; row[0] == '|'; row = strchr(row, '\n') + 1) {
        const char *end = strchr(row + 1, '|');
        for (const char *at = row; (at = strstr(at, mark)) != NULL && at < end; at += strlen(mark))
            marks++;
    }
    return marks / 2;
}

// The rows of the document's table of that heading.
static const char *rows_of(const char *document, const char *heading)
{
    const char *table = strstr(document, heading);
    assert_non_null(table);
    table = strchr(strchr(table, '\n') + 1, '\n') + 1;
    return table;
}

static void assert_table(const char *path, const char *heading, const char *mark,
                         const char *const *names, size_t count)
{
    AUTO_FREE char *document = contents(path);
    const char *table = rows_of(document, heading);
    for (size_t i = 0; i < count; i++) {
        if (!has_row(table, mark, names[i]))
            fail_msg("%s: no row of '%s' names %s%s%s", path, heading, mark, names[i], mark);
    }
    if (names_in(table, mark) != count)
        fail_msg("%s: the rows of '%s' name %zu, and there are %zu", path, heading,
                 names_in(table, mark), count);
}

TEST(the_tables_of_verdicts_name_each_verdict)
{
    const char *names[VERDICT_NOT_APPLICABLE + 1];
    for (enum verdict verdict = 0; verdict <= VERDICT_NOT_APPLICABLE; verdict++)
        names[verdict] = verdict_name(verdict);
    assert_table("README.md", "| verdict | it means |", "**", names, VERDICT_NOT_APPLICABLE + 1);
    assert_table("results/README.md", "| verdict | it means |", "**", names,
                 VERDICT_NOT_APPLICABLE + 1);
}

TEST(the_table_of_properties_names_each_check)
{
    const char *names[100];
    size_t count = 0;
    for (; check_catalogue[count] != NULL; count++)
        names[count] = check_catalogue[count]->name;
    assert_table("results/README.md", "| property | broken when |", "`", names, count);
}

TEST(the_table_of_workloads_names_each_workload)
{
    const char *names[100];
    size_t count = 0;
    for (; workload_catalogue[count] != NULL; count++)
        names[count] = workload_catalogue[count]->name;
    assert_table("scenarios/README.md", "| workload | what clients do |", "`", names, count);
}

TEST(the_table_of_answers_names_each_answer_of_a_driver)
{
    const char *names[DRIVER_WORDS];
    size_t count = 0;
    for (enum driver_word word = 0; word < DRIVER_WORDS; word++) {
        if (word != DRIVER_HELLO && word != DRIVER_LOST && word != DRIVER_MEASURED)
            names[count++] = driver_word_name(word);
    }
    assert_table("scripts/drivers/README.md", "| answer | say it if | Lockpick takes it for |", "`",
                 names, count);
}

TEST(the_table_of_faults_names_each_fault)
{
    AUTO_FREE char *document = contents("faults/README.md");
    const char *table = rows_of(document, "| fault | strikes | what happens |");
    for (size_t i = 0; fault_catalogue[i] != NULL; i++) {
        if (!has_row(table, "`", fault_catalogue[i]->form.name))
            fail_msg("faults/README.md: no row for %s", fault_catalogue[i]->form.name);
    }
}

// Of the library that broke, the table on the first page says which property; another word would
// be of no use to who looks it up.
TEST(the_table_of_what_was_found_names_properties)
{
    AUTO_FREE char *document = contents("README.md");
    const char *row = rows_of(document, "| library | what breaks it | property broken |");
    for (; row[0] == '|'; row = strchr(row, '\n') + 1) {
        AUTO_FREE char *line = text_formatted("%.*s", (int)strcspn(row, "\n"), row);
        char *cell = strrchr(line, ' '); // before the last bar
        *cell = '\0';
        cell = strrchr(line, ' ') + 1;
        size_t at = 0;
        while (check_catalogue[at] != NULL && strcmp(check_catalogue[at]->name, cell) != 0)
            at++;
        if (check_catalogue[at] == NULL)
            fail_msg("README.md: '%s' is no property", cell);
    }
}

TEST(the_tables_of_rooms_drivers_and_stored_runs_name_all_that_are_there)
{
    static const struct {
        const char *path, *of, *mark, *end; // of what is there; what stands before and behind it
    } tables[] = {
        {"harness/README.md", "harness/*/", "", "/"},
        {"scripts/drivers/README.md", "scripts/drivers/*-*.[pj]*", "(", ")"},
        {"scripts/drivers/README.md", "scripts/drivers/node/re*.js", "(node/", ")"},
        {"results/golden/README.md", "results/golden/runs/*.tar.xz", "`", "`"},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        AUTO_FREE char *document = contents(tables[i].path);
        glob_t found;
        assert_int_equal(glob(tables[i].of, 0, NULL, &found), 0);
        for (size_t j = 0; j < found.gl_pathc; j++) {
            char *path = found.gl_pathv[j];
            if (path[strlen(path) - 1] == '/')
                path[strlen(path) - 1] = '\0';
            char *name = strrchr(path, '/') + 1;
            char *archive = strstr(name, ".tar.xz");
            if (archive != NULL)
                *archive = '\0';
            AUTO_FREE char *said = text_formatted("%s%s%s", tables[i].mark, name, tables[i].end);
            if (strstr(document, said) == NULL)
                fail_msg("%s does not name %s", tables[i].path, said);
        }
        globfree(&found);
    }
}

TEST(a_row_too_few_or_too_many_is_found)
{
    static const char table[] = "| **SAFE** | kept |\n| **SKIPPED**, **n/a** | **ERROR** |\n\n";
    assert_true(has_row(table, "**", "SAFE"));
    assert_true(has_row(table, "**", "n/a"));
    assert_false(has_row(table, "**", "ERROR"));
    assert_false(has_row(table, "**", "AFE"));
    assert_int_equal(names_in(table, "**"), 3);
}

// --- links ---------------------------------------------------------------------------------------

// The name that GitHub gives to a heading.
static char *anchor_of(const char *heading)
{
    struct text anchor = {0};
    for (; *heading != '\0' && *heading != '\n'; heading++) {
        if (isalnum((unsigned char)*heading) || strchr("-_", *heading) != NULL)
            text_format(&anchor, "%c", tolower((unsigned char)*heading));
        else if (*heading == ' ')
            text_add(&anchor, "-");
    }
    text_add(&anchor, "");
    return anchor.bytes;
}

static bool has_anchor(const char *document, const char *anchor)
{
    for (const char *at = document; (at = strstr(at, "\n#")) != NULL;) {
        at += 1 + strspn(at + 1, "#");
        AUTO_FREE char *name = anchor_of(at + strspn(at, " "));
        if (strcmp(name, anchor) == 0)
            return true;
    }
    return false;
}

// The reason why the link of a document leads nowhere, "" if it does not.
static struct text wrong_with(const char *path, const char *link)
{
    struct text reason = {0};
    const char *anchor = strchr(link, '#');
    AUTO_FREE char *file =
        text_formatted("%.*s%.*s", (int)(strrchr(path, '/') + 1 - path), path,
                       (int)(anchor != NULL ? anchor - link : (long)strlen(link)), link);
    bool is_here = anchor == link;
    text_add(&reason, "");
    if (strncmp(link, "http", 4) == 0)
        return reason;
    if (!is_here && access(file, F_OK) != 0) {
        text_format(&reason, "%s is not there", file);
    } else if (anchor != NULL) {
        AUTO_FREE char *there = contents(is_here ? path : file);
        if (!has_anchor(there, anchor + 1))
            text_format(&reason, "it has no heading '%s'", anchor + 1);
    }
    return reason;
}

static void for_each_document(void (*act)(const char *path, const char *document))
{
    static const char *const depths[] = {"./README.md", "./[!b]*/README.md", "./[!b]*/*/README.md",
                                         "./[!b]*/*/*/README.md"}; // not those in build/
    size_t count = 0;
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        glob_t found;
        if (glob(depths[i], 0, NULL, &found) != 0)
            continue;
        for (size_t j = 0; j < found.gl_pathc; j++) {
            AUTO_FREE char *document = contents(found.gl_pathv[j]);
            act(found.gl_pathv[j], document);
            count++;
        }
        globfree(&found);
    }
    assert_true(count >= 15);
}

static void assert_links(const char *path, const char *document)
{
    for (const char *at = document; (at = strstr(at, "](")) != NULL;) {
        at += 2;
        AUTO_FREE char *link = text_formatted("%.*s", (int)strcspn(at, ")\n"), at);
        AUTO_TEXT struct text reason = wrong_with(path, link);
        if (reason.length > 0)
            fail_msg("%s: (%s): %s", path, link, reason.bytes);
    }
}

TEST(links_of_the_documents_lead_somewhere)
{
    for_each_document(assert_links);
}

// Scenarios and scripts that a document names by their path in the project.
static void assert_paths(const char *path, const char *document)
{
    static const char *const folders[] = {"scenarios/", "scripts/"};
    for (size_t i = 0; i < 2; i++) {
        for (const char *at = document; (at = strstr(at, folders[i])) != NULL;) {
            bool begins = at == document || strchr(" `\n", at[-1]) != NULL;
            size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789-_./*");
            while (at[length - 1] == '.')
                length--;
            AUTO_FREE char *name = text_formatted("%.*s", (int)length, at);
            glob_t found;
            at += length;
            if (!begins)
                continue;
            if (glob(name, 0, NULL, &found) != 0)
                fail_msg("%s: %s is not there", path, name);
            globfree(&found);
        }
    }
}

TEST(scenarios_and_scripts_that_documents_name_are_there)
{
    for_each_document(assert_paths);
}

TEST(a_link_to_nowhere_is_found)
{
    static const struct {
        const char *link, *reason;
    } links[] = {{"results/README.md", ""},
                 {"results/REAMDE.md", "./results/REAMDE.md is not there"},
                 {"results/README.md#how-to-read-a-verdict", ""},
                 {"results/README.md#how-to-read", "it has no heading 'how-to-read'"},
                 {"#verdicts", ""},
                 {"#verdict", "it has no heading 'verdict'"},
                 {"https://lockpick.example/nowhere", ""}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        AUTO_TEXT struct text reason = wrong_with("./README.md", links[i].link);
        assert_string_equal(reason.bytes, links[i].reason);
    }
}
