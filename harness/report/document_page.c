// A document as one page of HTML: no script, no font, nothing fetched from afar.
#include "harness/report/document.h"

#include <string.h>

extern const char template_page[]; // page.css

void html_add(struct text *out, const char *string)
{
    static const char marks[] = "&<>\"'";
    while (*string != '\0') {
        size_t plain = strcspn(string, marks);
        text_add_bytes(out, string, plain);
        string += plain;
        if (*string != '\0')
            text_format(out, "&#%d;", *string++);
    }
}

void html_add_address(struct text *out, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.~/";
    for (; *path != '\0'; path++) {
        if (strchr(plain, *path) != NULL)
            text_add_bytes(out, path, 1);
        else
            text_format(out, "%%%02X", (unsigned)(unsigned char)*path);
    }
}

// --- words ---------------------------------------------------------------------------------------

static void say(struct document *d, enum look look, const char *target, const char *words)
{
    struct text *out = &d->text;
    const char *tag = target != NULL        ? "a"
                      : look == LOOK_STRONG ? "b"
                      : look == LOOK_BELOW  ? "small"
                      : look == LOOK_PLAIN  ? NULL
                                            : "span";
    if (look == LOOK_BELOW || (strcmp(words, "\n") == 0 && doc_inside(d, DOC_CODE) == NULL))
        text_add(out, "<br>");
    if (tag != NULL)
        text_format(out, "<%s", tag);
    if (look_forms[look].style != NULL)
        text_format(out, " class=\"%s%s\"", look_forms[look].sign != NULL ? "chip " : "",
                    look_forms[look].style);
    if (target != NULL) {
        text_add(out, target[0] == '#' ? " href=\"#" : " href=\"");
        html_add_address(out, target + (target[0] == '#'));
        text_add(out, "\"");
    }
    text_add(out, tag != NULL ? ">" : "");
    if (look_forms[look].sign != NULL)
        text_format(out, "%s ", look_forms[look].sign);
    html_add(out, words);
    if (tag != NULL)
        text_format(out, "</%s>", tag);
}

// --- tables --------------------------------------------------------------------------------------

static bool has_figures(const struct doc_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->columns[i].is_figure)
            return true;
    }
    return false;
}

// The groups, above the titles of their columns.
static void add_groups(struct text *out, const struct doc_table *table)
{
    const struct doc_column *columns = table->columns;
    size_t end = 0;
    text_add(out, "<tr>");
    for (size_t i = 0; i < table->count; i = end) {
        const char *group = columns[i].group;
        for (end = i + 1; end < table->count && group != NULL && columns[end].group != NULL &&
                          strcmp(columns[end].group, group) == 0;)
            end++;
        if (group == NULL)
            text_add(out, "<td></td>");
        else
            text_format(out, "<th scope=\"colgroup\" colspan=\"%zu\">%s</th>", end - i, group);
    }
    text_add(out, "</tr>");
}

// A box around it scrolls sideways where the page is too narrow: by the keyboard, too.
static void begin_table(struct text *out, const struct doc_table *table)
{
    bool figures = has_figures(table);
    bool groups = false;
    for (size_t i = 0; i < table->count; i++)
        groups = groups || table->columns[i].group != NULL;
    text_add(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    html_add(out, table->name);
    text_format(out, "\"><table class=\"%s\"><thead>",
                figures                ? "figures"
                : table->style != NULL ? table->style
                                       : "words");
    if (groups)
        add_groups(out, table);
    text_add(out, "<tr>");
    for (size_t i = 0; i < table->count; i++) {
        bool is_word = figures && i > 0 && !table->columns[i].is_figure;
        text_format(out, "<th scope=\"col\"%s>", is_word ? " class=\"word\"" : "");
        html_add(out, table->columns[i].title);
        text_add(out, "</th>");
    }
    text_add(out, "</tr></thead><tbody>\n");
}

static void begin_row(struct document *d, const struct doc_block *row)
{
    const struct doc_table *table = &d->table;
    d->is_dropped = table->most_rows > 0 && d->rows >= table->most_rows;
    if (d->is_dropped) {
        d->left++;
        return;
    }
    if (row->group != d->group) {
        text_format(&d->text, "%s<tr><th class=\"group\" scope=\"rowgroup\" colspan=\"%zu\">",
                    d->rows > 0 ? "</tbody><tbody>" : "", table->count);
        html_add(&d->text, row->group);
        text_add(&d->text, "</th></tr>\n");
        d->group = row->group;
    }
    d->rows++;
    text_add(&d->text, "<tr>");
}

// Narrow screens show the title of the column in a cell of the matrix.
static void begin_cell(struct document *d, const struct doc_block *cell)
{
    const struct doc_column *column = &d->table.columns[cell->column];
    struct text *out = &d->text;
    if (cell->column == 0) {
        text_add(out, "<th scope=\"row\">");
        return;
    }
    text_add(out, "<td");
    if (cell->share > 0)
        text_format(out, " class=\"bar\" style=\"--share:%.0f%%\"", 100 * cell->share);
    else if (cell->look != LOOK_PLAIN)
        text_format(out, " class=\"%s\"", look_forms[cell->look].style);
    else if (!column->is_figure && has_figures(&d->table))
        text_add(out, " class=\"word\"");
    if (d->table.style != NULL && strncmp(d->table.style, "matrix", 6) == 0) {
        text_add(out, " data-label=\"");
        html_add(out, column->title);
        text_add(out, "\"");
    }
    text_add(out, ">");
}

static void end_table(struct document *d)
{
    text_add(&d->text, "</tbody></table></div>\n");
    if (d->left > 0)
        text_format(&d->text, "<p class=\"quiet\">And %zu more, in result.json.</p>\n", d->left);
    d->left = 0;
}

// --- blocks --------------------------------------------------------------------------------------

static const struct {
    const char *begin, *end;
} tags[] = {
    [DOC_SECTION] = {"<section", "</section>\n"},
    [DOC_PARAGRAPH] = {"<p", "</p>\n"},
    [DOC_CODE] = {"<pre tabindex=\"0\"", "</pre>\n"},
    [DOC_LIST] = {"<ul", "</ul>\n"},
    [DOC_ITEM] = {"<li", "</li>\n"},
    [DOC_TERMS] = {"<dl", "</dl>\n"},
    [DOC_TERM] = {"<dt", "</dd>\n"},
    [DOC_FOLD] = {"<details", "</div></details>\n"},
    [DOC_SUMMARY] = {"<summary", NULL},
    [DOC_ROW] = {NULL, "</tr>\n"},
    [DOC_LINE] = {"<div class=\"cell\"", "</div>"},
};

static void begin(struct document *d, struct doc_block *block)
{
    struct text *out = &d->text;
    bool is_fold = block->kind == DOC_FOLD || block->kind == DOC_SUMMARY;
    if (block->kind == DOC_TABLE)
        begin_table(out, &d->table);
    else if (block->kind == DOC_ROW)
        begin_row(d, block);
    else if (block->kind == DOC_CELL && !d->is_dropped)
        begin_cell(d, block);
    else if (block->kind == DOC_HEADING)
        text_add(out, doc_inside(d, DOC_FOLD) != NULL ? "<h4" : "<h3");
    else if (block->kind < DOC_PICTURE && tags[block->kind].begin != NULL)
        text_add(out, tags[block->kind].begin);
    if (block->kind >= DOC_PICTURE ||
        (tags[block->kind].begin == NULL && block->kind != DOC_HEADING))
        return;
    if (look_forms[block->look].style != NULL)
        text_format(out, " class=\"%s\"", look_forms[block->look].style);
    if (block->id != NULL && !is_fold)
        text_format(out, " id=\"%s\"", block->id);
    text_add(out, block->is_open ? " open>" : ">");
    if (block->kind == DOC_SECTION)
        text_format(out, "<h2>%s</h2>\n", block->title);
    else if (block->kind == DOC_TERM)
        text_format(out, "%s</dt><dd>", block->title);
}

static void end(struct document *d, struct doc_block *block)
{
    struct text *out = &d->text;
    if (block->kind == DOC_TABLE)
        end_table(d);
    else if (block->kind == DOC_CELL && !d->is_dropped)
        text_add(out, block->column == 0 ? "</th>" : "</td>");
    else if (block->kind == DOC_SUMMARY)
        // The id lies inside, as browsers open what is closed around the target of a link.
        text_format(out, "</summary>\n<div class=\"inside\"%s%s%s>\n",
                    block->id != NULL ? " id=\"" : "", block->id != NULL ? block->id : "",
                    block->id != NULL ? "\"" : "");
    else if (block->kind == DOC_HEADING)
        text_add(out, doc_inside(d, DOC_FOLD) != NULL ? "</h4>\n" : "</h3>\n");
    else if (block->kind < DOC_SUMMARY && tags[block->kind].end != NULL && !d->is_dropped)
        text_add(out, tags[block->kind].end);
    if (block->kind == DOC_ROW)
        d->is_dropped = false;
}

const struct doc_writer page_writer = {begin, end, say};

// The policy keeps the browser from asking anybody for anything, whatever the names in the page are
// made to look like; pictures may come from the files beside it.
char *doc_finish_page(struct document *d, const char *name, const char *title)
{
    struct text page = {0};
    doc_finish(d);
    text_add(&page, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "img-src 'self' data: file:; style-src 'unsafe-inline'\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                    "<title>");
    html_add(&page, title);
    text_format(
        &page,
        "</title>\n<style>\n%s</style>\n</head>\n<body>\n"
        "<a class=\"skip\" href=\"#content\">Skip to the report</a>\n<header>\n<h1>%s</h1>\n",
        template_page, name);
    text_add_bytes(&page, d->text.bytes, d->contents_at);
    text_format(&page, "<nav aria-label=\"Sections\">%s</nav>\n</header>\n<main id=\"content\">\n",
                text_string(&d->contents));
    text_add(&page, d->text.bytes + d->contents_at);
    text_add(&page, "</main>\n</body>\n</html>\n");
    text_free(&d->text);
    text_free(&d->contents);
    return page.bytes;
}
