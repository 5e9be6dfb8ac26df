// A document is said in blocks, by functions that know no medium; a writer for each medium prints
// them: as a page, as Markdown, at a terminal.
#include "harness/report/document.h"

#include "harness/base/scope.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct look_form look_forms[LOOK_COUNT] = {
    [LOOK_STRONG] = {NULL, NULL, COLOUR_BOLD},
    [LOOK_LEAD] = {"lead", NULL, COLOUR_BOLD},
    [LOOK_SMALL] = {"small", NULL, COLOUR_PLAIN},
    [LOOK_QUIET] = {"quiet", NULL, COLOUR_GREY},
    [LOOK_REMARK] = {"remark", NULL, COLOUR_PLAIN},
    [LOOK_BRIEF] = {"brief", NULL, COLOUR_PLAIN},
    [LOOK_MISSED] = {"missed", NULL, COLOUR_RED},
    [LOOK_SAFE] = {"safe", "✓", COLOUR_GREEN},
    [LOOK_UNSAFE] = {"unsafe", "✗", COLOUR_RED},
    [LOOK_STUCK] = {"stuck", "‖", COLOUR_MAGENTA},
    [LOOK_UNKNOWN] = {"unknown", "?", COLOUR_YELLOW},
    [LOOK_SKIPPED] = {"skipped", "»", COLOUR_GREY},
    [LOOK_ERROR] = {"error", "!", COLOUR_RED},
    [LOOK_UNFIT] = {"unfit", "–", COLOUR_GREY},
};

struct doc_block *doc_inside(struct document *d, enum doc_kind kind)
{
    for (size_t i = d->depth; i-- > 0;) {
        if (d->blocks[i].kind == kind)
            return &d->blocks[i];
    }
    return NULL;
}

static const struct doc_block *innermost(const struct document *d)
{
    return &d->blocks[d->depth - 1];
}

// --- at a terminal -------------------------------------------------------------------------------

static void print_wrapped(struct document *d, enum look look, enum colour colour, const char *words)
{
    AUTO_TEXT struct text shown = {0};
    if (d->wrapping.columns == 0)
        d->wrapping.columns = terminal_columns(d->out);
    wrap(&d->wrapping, look == LOOK_COMMAND, words, &shown);
    colour_print(d->out, d->is_coloured, colour, text_string(&shown));
}

// Sections have no titles there, what is in a fold is indented.
static void print_indented(struct document *d, const char *words)
{
    AUTO_TEXT struct text lines = {0};
    for (bool at_start = true; *words != '\0'; words++) {
        text_format(&lines, "%s%c", at_start && *words != '\n' ? "    " : "", *words);
        at_start = *words == '\n';
    }
    if (lines.length > 0 && lines.bytes[lines.length - 1] != '\n')
        text_add(&lines, "\n");
    print_wrapped(d, LOOK_PLAIN, COLOUR_PLAIN, text_string(&lines));
}

static void terminal_say(struct document *d, enum look look, const char *target, const char *words)
{
    const struct doc_block *block = innermost(d);
    (void)target;
    if (block->kind == DOC_CELL) {
        text_format(&d->text, look == LOOK_BELOW ? " (%s)" : "%s", words);
        d->look = look != LOOK_PLAIN ? look : d->look;
    } else if (block->kind == DOC_CODE) {
        print_indented(d, words);
    } else {
        print_wrapped(d, look, look_forms[look != LOOK_PLAIN ? look : block->look].colour, words);
    }
}

// A blank line, but for the first block and below a heading.
static void separate(struct document *d)
{
    if (d->has_begun && !d->has_heading)
        print_wrapped(d, LOOK_PLAIN, COLOUR_PLAIN, "\n");
    d->has_begun = true;
    d->has_heading = false;
}

static void terminal_begin(struct document *d, struct doc_block *block)
{
    if (block->kind == DOC_TABLE) {
        for (size_t i = 0; i < d->table.count; i++)
            d->titles[i] = d->table.columns[i].title;
        d->titles[d->table.count] = NULL;
        d->printed = table_new(d->titles);
        for (size_t i = 0; i < d->table.count; i++) {
            if (d->table.columns[i].is_figure)
                table_align_right(d->printed, (int)i);
        }
    } else if (block->kind == DOC_CELL) {
        d->look = block->look;
    } else if (block->kind == DOC_TERM) {
        print_wrapped(d, LOOK_PLAIN, COLOUR_PLAIN, block->title);
        print_wrapped(d, LOOK_PLAIN, COLOUR_PLAIN, ": ");
    } else if (block->kind == DOC_PARAGRAPH && doc_inside(d, DOC_FOLD) != NULL) {
        print_wrapped(d, LOOK_PLAIN, COLOUR_PLAIN, "  ");
    } else if (block->kind == DOC_HEADING || block->kind == DOC_PARAGRAPH ||
               block->kind == DOC_FOLD) {
        separate(d);
    }
}

static void terminal_end(struct document *d, struct doc_block *block)
{
    if (block->kind == DOC_CELL) {
        const char *words = text_string(&d->text);
        bool is_dash = strcmp(words, "–") == 0 && d->look == LOOK_PLAIN;
        table_cell(d->printed, is_dash ? COLOUR_GREY : look_forms[d->look].colour, words);
        text_free(&d->text);
    } else if (block->kind == DOC_TABLE) {
        separate(d);
        table_print(d->printed, d->out, d->is_coloured);
        table_free(d->printed);
    } else if (block->kind == DOC_HEADING || block->kind == DOC_PARAGRAPH ||
               block->kind == DOC_SUMMARY || block->kind == DOC_ITEM || block->kind == DOC_TERM) {
        print_wrapped(d, LOOK_PLAIN, COLOUR_PLAIN, "\n");
        d->has_heading = block->kind == DOC_HEADING;
    }
}

// --- Markdown, as GitHub and others show it in a comment -----------------------------------------

// In so many bytes at most: what has no room is taken back; rows and folds are counted at the end
// of their section.

// So that no character means anything to Markdown or HTML, not even inside of a table. The number
// and the unit of a figure stay together, however narrow the column.
static void add_plain(struct text *out, const char *words, bool is_figure)
{
    for (; *words != '\0'; words++) {
        if (strchr("|&<>*_`~[]\\", *words) != NULL)
            text_format(out, "&#%d;", *words);
        else if (is_figure && *words == ' ')
            text_add(out, "\u00a0");
        else
            text_add_bytes(out, strchr("\r\n", *words) != NULL ? " " : words, 1);
    }
}

// A block that nothing in it ends.
static void add_code(struct text *out, const char *words)
{
    AUTO_TEXT struct text fence = {0};
    size_t longest = 2;
    for (const char *at = words; *at != '\0';) {
        size_t length = strspn(at, "`");
        longest = length > longest ? length : longest;
        at += length > 0 ? length : 1;
    }
    for (size_t i = 0; i <= longest; i++)
        text_add(&fence, "`");
    bool ends_line = words[0] != '\0' && words[strlen(words) - 1] == '\n';
    text_format(out, "%stext\n%s%s%s", fence.bytes, words, ends_line ? "" : "\n", fence.bytes);
}

static void markdown_say(struct document *d, enum look look, const char *target, const char *words)
{
    const struct doc_block *block = innermost(d);
    struct text *out = &d->text;
    (void)target;
    text_add(out, look == LOOK_BELOW ? " (" : look == LOOK_STRONG ? "<b>" : "");
    if (block->kind == DOC_CODE)
        add_code(out, words);
    else if (strcmp(words, "\n") == 0)
        text_add(out, "<br>");
    else
        add_plain(out, words, block->kind == DOC_CELL && d->table.columns[block->column].is_figure);
    text_add(out, look == LOOK_BELOW ? ")" : look == LOOK_STRONG ? "</b>" : "");
}

static const struct {
    const char *begin, *end;
} marks[DOC_KINDS] = {
    [DOC_HEADING] = {"\n**", "**\n"},
    [DOC_PARAGRAPH] = {"\n", "\n"},
    [DOC_CODE] = {"\n", "\n"},
    [DOC_LIST] = {"\n", NULL},
    [DOC_ITEM] = {"- ", "\n"},
    [DOC_TERMS] = {"\n", "\n"},
    [DOC_ROW] = {"", "|\n"},
    [DOC_CELL] = {"| ", " "},
    [DOC_FOLD] = {"\n<details", "\n</details>\n"},
    [DOC_SUMMARY] = {"<summary>", "</summary>\n"},
};

// False if there is no room for the block, which is taken back. Folds have room as a whole.
static bool fits(struct document *d, const struct doc_block *block)
{
    bool is_fold = block->kind == DOC_FOLD;
    bool is_over = d->text.length > d->most_bytes || (d->is_full && !is_fold);
    if (!is_over || block->kind == DOC_CELL ||
        (doc_inside(d, DOC_FOLD) != NULL && !is_fold && block->kind != DOC_ROW))
        return true;
    d->text.bytes[d->text.length = block->start] = '\0';
    d->left += block->weight;
    d->is_full = d->is_full || !is_fold;
    return false;
}

static void markdown_begin(struct document *d, struct doc_block *block)
{
    struct text *out = &d->text;
    text_add(out, marks[block->kind].begin != NULL ? marks[block->kind].begin : "");
    if (block->kind == DOC_SECTION && block->title[0] != '\0')
        text_format(out, "\n#### %s\n", block->title);
    if (block->kind == DOC_FOLD)
        text_add(out, block->is_open ? " open>" : ">");
    if (block->kind == DOC_TERM)
        text_format(out, "%s%s: ", out->bytes[out->length - 1] == '\n' ? "" : " · ", block->title);
    if (block->kind != DOC_TABLE)
        return;
    text_add(out, "\n");
    for (size_t i = 0; i < d->table.count; i++)
        text_format(out, "| %s ", d->table.columns[i].title);
    text_add(out, "|\n|");
    for (size_t i = 0; i < d->table.count; i++)
        text_add(out, d->table.columns[i].is_figure ? "--:|" : "---|");
    text_add(out, "\n");
    (void)fits(d, block);
}

static void markdown_end(struct document *d, struct doc_block *block)
{
    if (block->kind == DOC_SECTION) {
        if (d->left > 0)
            text_format(&d->text, "\nand %zu more, in report.html\n", d->left);
        d->left = 0;
        d->is_full = false;
    } else if (marks[block->kind].end != NULL && fits(d, block)) {
        text_add(&d->text, marks[block->kind].end);
    }
}

// --- a page of HTML: no script, no font, nothing fetched from afar -------------------------------

extern const char template_page[]; // page.css

void html_add(struct text *out, const char *string)
{
    for (; *string != '\0'; string++) {
        if (strchr("&<>\"'", *string) != NULL)
            text_format(out, "&#%d;", *string);
        else
            text_add_bytes(out, string, 1);
    }
}

void html_add_address(struct text *out, const char *path)
{
    for (; *path != '\0'; path++) {
        unsigned char byte = (unsigned char)*path;
        if (byte < 0x80 && (isalnum(byte) || strchr("-_.~/", byte) != NULL))
            text_add_bytes(out, path, 1);
        else
            text_format(out, "%%%02X", (unsigned)byte);
    }
}

static void page_say(struct document *d, enum look look, const char *target, const char *words)
{
    struct text *out = &d->text;
    const struct look_form *form = &look_forms[look];
    const char *tag = target != NULL         ? "a"
                      : look == LOOK_STRONG  ? "b"
                      : look == LOOK_BELOW   ? "small"
                      : look == LOOK_COMMAND ? "code"
                      : look == LOOK_PLAIN   ? NULL
                                             : "span";
    if (look == LOOK_BELOW || (strcmp(words, "\n") == 0 && doc_inside(d, DOC_CODE) == NULL))
        text_add(out, "<br>");
    if (tag != NULL)
        text_format(out, "<%s", tag);
    if (form->style != NULL)
        text_format(out, " class=\"%s%s\"", form->sign != NULL ? "chip " : "", form->style);
    if (target != NULL) {
        text_add(out, target[0] == '#' ? " href=\"#" : " href=\"");
        html_add_address(out, target + (target[0] == '#'));
        text_add(out, "\"");
    }
    if (target != NULL && d->tip != NULL) {
        text_add(out, " title=\"");
        html_add(out, d->tip);
        text_add(out, "\"");
    }
    text_add(out, tag != NULL ? ">" : "");
    if (form->sign != NULL)
        text_format(out, "%s%s", form->sign, words[0] != '\0' ? " " : "");
    html_add(out, words);
    if (tag != NULL)
        text_format(out, "</%s>", tag);
}

static bool has_figures(const struct doc_table *table)
{
    bool any = false;
    for (size_t i = 0; i < table->count; i++)
        any |= table->columns[i].is_figure;
    return any;
}

// A box around it scrolls sideways where the page is too narrow: by the keyboard, too. Groups stand
// above the titles of their columns.
static void begin_table(struct text *out, const struct doc_table *table)
{
    const struct doc_column *columns = table->columns;
    bool figures = has_figures(table);
    bool any_group = false;
    size_t end = 0;
    const char *style = figures ? "figures" : table->style != NULL ? table->style : "words";
    text_add(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    html_add(out, table->name);
    text_format(out, "\"><table class=\"%s\"><thead><tr>", style);
    for (size_t i = 0; i < table->count; i++)
        any_group |= columns[i].group != NULL;
    for (size_t i = 0; i < table->count && any_group; i = end) {
        const char *group = columns[i].group;
        for (end = i + 1; end < table->count && group != NULL && columns[end].group != NULL &&
                          strcmp(columns[end].group, group) == 0;)
            end++;
        if (group == NULL)
            text_add(out, "<td></td>");
        else
            text_format(out, "<th scope=\"colgroup\" colspan=\"%zu\">%s</th>", end - i, group);
    }
    text_add(out, any_group ? "</tr><tr>" : "");
    for (size_t i = 0; i < table->count; i++) {
        bool is_word = figures && i > 0 && !columns[i].is_figure;
        text_format(out, "<th scope=\"col\"%s>", is_word ? " class=\"word\"" : "");
        html_add(out, columns[i].title);
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
    if (row->group != NULL && strcmp(row->group, text_string(&d->group)) != 0) {
        text_format(&d->text, "%s<tr><th class=\"group\" scope=\"rowgroup\" colspan=\"%zu\">",
                    d->rows > 0 ? "</tbody><tbody>" : "", table->count);
        html_add(&d->text, row->group);
        text_add(&d->text, "</th></tr>\n");
        text_free(&d->group);
        text_add(&d->group, row->group);
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

static const struct {
    const char *begin, *end;
} tags[DOC_KINDS] = {
    [DOC_SECTION] = {"<section", "</section>\n"},
    [DOC_PARAGRAPH] = {"<p", "</p>\n"},
    [DOC_CODE] = {"<pre tabindex=\"0\"", "</pre>\n"},
    [DOC_LIST] = {"<ul", "</ul>\n"},
    [DOC_ITEM] = {"<li", "</li>\n"},
    [DOC_TERMS] = {"<dl", "</dl>\n"},
    [DOC_TERM] = {"<dt", "</dd>\n"},
    [DOC_FOLD] = {"<details", "</div></details>\n"},
    [DOC_SUMMARY] = {"<summary", NULL},
    [DOC_TABLE] = {NULL, "</tbody></table></div>\n"},
    [DOC_ROW] = {NULL, "</tr>\n"},
    [DOC_LINE] = {"<div class=\"cell\"", "</div>"},
};

static void page_begin(struct document *d, struct doc_block *block)
{
    struct text *out = &d->text;
    bool is_fold = block->kind == DOC_FOLD || block->kind == DOC_SUMMARY;
    const char *tag = block->kind != DOC_HEADING        ? tags[block->kind].begin
                      : doc_inside(d, DOC_FOLD) != NULL ? "<h4"
                                                        : "<h3";
    if (block->kind == DOC_TABLE)
        begin_table(out, &d->table);
    else if (block->kind == DOC_ROW)
        begin_row(d, block);
    else if (block->kind == DOC_CELL && !d->is_dropped)
        begin_cell(d, block);
    if (tag == NULL)
        return;
    text_add(out, tag);
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

static void page_end(struct document *d, struct doc_block *block)
{
    struct text *out = &d->text;
    if (block->kind == DOC_CELL && !d->is_dropped)
        text_add(out, block->column == 0 ? "</th>" : "</td>");
    else if (block->kind == DOC_SUMMARY)
        // The id lies inside, as browsers open what is closed around the target of a link.
        text_format(out, "</summary>\n<div class=\"inside\"%s%s%s>\n",
                    block->id != NULL ? " id=\"" : "", block->id != NULL ? block->id : "",
                    block->id != NULL ? "\"" : "");
    else if (block->kind == DOC_HEADING)
        text_add(out, doc_inside(d, DOC_FOLD) != NULL ? "</h4>\n" : "</h3>\n");
    else if (tags[block->kind].end != NULL && !d->is_dropped)
        text_add(out, tags[block->kind].end);
    if (block->kind == DOC_ROW)
        d->is_dropped = false;
    if (block->kind != DOC_TABLE)
        return;
    if (d->left > 0)
        text_format(out, "<p class=\"quiet\">And %zu more, in result.json.</p>\n", d->left);
    d->left = 0;
    text_free(&d->group);
}

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
    text_format(&page,
                "<nav aria-label=\"Sections\">%s</nav>\n</header>\n<main id=\"content\">\n%s"
                "</main>\n</body>\n</html>\n",
                text_string(&d->contents), d->text.bytes + d->contents_at);
    text_free(&d->text);
    text_free(&d->contents);
    return page.bytes;
}

// --- blocks --------------------------------------------------------------------------------------

// Is called for each block and each word, in order. `target` may be NULL; `words` may be "\n",
// which breaks the line.
static const struct writer {
    void (*begin)(struct document *d, struct doc_block *block);
    void (*end)(struct document *d, struct doc_block *block);
    void (*say)(struct document *d, enum look look, const char *target, const char *words);
} writers[] = {[TERMINAL] = {terminal_begin, terminal_end, terminal_say},
               [MARKDOWN] = {markdown_begin, markdown_end, markdown_say},
               [PAGE] = {page_begin, page_end, page_say}};

static void end_innermost(struct document *d)
{
    writers[d->medium].end(d, &d->blocks[d->depth - 1]);
    d->depth--;
}

void doc_end(struct document *d, enum doc_kind kind)
{
    if (doc_inside(d, kind) == NULL)
        return;
    while (innermost(d)->kind != kind)
        end_innermost(d);
    end_innermost(d);
}

static bool contains(enum doc_kind outer, enum doc_kind inner)
{
    // Of what has one place only.
    static const enum doc_kind places[DOC_KINDS] = {
        [DOC_ITEM] = DOC_LIST, [DOC_TERM] = DOC_TERMS, [DOC_ROW] = DOC_TABLE,
        [DOC_CELL] = DOC_ROW,  [DOC_LINE] = DOC_CELL,
    };
    if (inner == DOC_SECTION || places[inner] != DOC_SECTION)
        return inner != DOC_SECTION && outer == places[inner];
    return outer == DOC_SECTION || outer == DOC_FOLD;
}

void doc_begin(struct document *d, struct doc_block block)
{
    while (d->depth > 0 && !contains(innermost(d)->kind, block.kind))
        end_innermost(d);
    assert(d->depth < DOC_DEPTH);
    if (block.kind == DOC_CELL)
        block.column = d->blocks[d->depth - 1].column++;
    block.start = d->text.length;
    d->blocks[d->depth++] = block;
    writers[d->medium].begin(d, &d->blocks[d->depth - 1]);
}

void doc_section(struct document *d, const char *id, const char *link, const char *title)
{
    doc_begin(d, (struct doc_block){.kind = DOC_SECTION, .id = id, .title = title});
    if (link != NULL)
        text_format(&d->contents, "<a href=\"#%s\">%s</a>", id, link);
}

void doc_fold(struct document *d, const char *id, bool is_open)
{
    doc_begin(d, (struct doc_block){.kind = DOC_FOLD, .id = id, .is_open = is_open, .weight = 1});
    doc_begin(d, (struct doc_block){.kind = DOC_SUMMARY, .id = id});
}

// Begins a list or terms, unless the innermost block but one is some.
static void continue_with(struct document *d, enum doc_kind outer, enum doc_kind inner)
{
    while (d->depth > 0 && !contains(innermost(d)->kind, inner) &&
           !contains(innermost(d)->kind, outer))
        end_innermost(d);
    if (d->depth == 0 || innermost(d)->kind != outer)
        doc_begin(d, (struct doc_block){.kind = outer});
}

void doc_item(struct document *d, enum look look)
{
    continue_with(d, DOC_LIST, DOC_ITEM);
    doc_begin(d, (struct doc_block){.kind = DOC_ITEM, .look = look});
}

void doc_code(struct document *d, const char *text)
{
    doc_begin(d, (struct doc_block){.kind = DOC_CODE});
    writers[d->medium].say(d, LOOK_PLAIN, NULL, text);
}

void doc_term(struct document *d, const char *name, const char *meaning)
{
    continue_with(d, DOC_TERMS, DOC_TERM);
    doc_begin(d, (struct doc_block){.kind = DOC_TERM, .title = name});
    doc_say(d, LOOK_PLAIN, "%s", meaning[0] != '\0' ? meaning : "–");
}

void doc_table(struct document *d, struct doc_table table)
{
    doc_end(d, DOC_TABLE);
    d->table = table;
    d->rows = 0;
    doc_begin(d, (struct doc_block){.kind = DOC_TABLE});
}

void doc_row(struct document *d, const char *group, size_t weight)
{
    doc_begin(d, (struct doc_block){.kind = DOC_ROW, .group = group, .weight = weight});
}

void doc_link_to(struct document *d, enum look look, const char *target, char *words)
{
    if ((words[0] != '\0' || d->tip != NULL) && !d->is_dropped)
        writers[d->medium].say(d, look, target, words);
    d->tip = NULL;
    free(words);
}

void doc_break(struct document *d)
{
    doc_say(d, LOOK_PLAIN, "\n");
}

void doc_finish(struct document *d)
{
    while (d->depth > 0)
        end_innermost(d);
}
