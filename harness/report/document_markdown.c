// A document as GitHub and others show it in a comment, in so many bytes at most. What has no room
// is taken back; rows and folds are counted at the end of their section.
#include "harness/report/document.h"

#include <string.h>

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
    struct text fence = {0};
    size_t longest = 2;
    for (const char *at = words; *at != '\0';) {
        size_t length = strspn(at, "`");
        longest = length > longest ? length : longest;
        at += length > 0 ? length : 1;
    }
    for (size_t i = 0; i <= longest; i++)
        text_add(&fence, "`");
    text_format(out, "%stext\n%s%s%s", fence.bytes, words,
                words[0] != '\0' && words[strlen(words) - 1] == '\n' ? "" : "\n", fence.bytes);
    text_free(&fence);
}

static void say(struct document *d, enum look look, const char *target, const char *words)
{
    const struct doc_block *block = &d->blocks[d->depth - 1];
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
} marks[] = {
    [DOC_HEADING] = {"\n**", "**\n"},
    [DOC_PARAGRAPH] = {"\n", "\n"},
    [DOC_CODE] = {"\n", "\n"},
    [DOC_LIST] = {"\n", NULL},
    [DOC_ITEM] = {"- ", "\n"},
    [DOC_TERMS] = {"\n", "\n"},
    [DOC_ROW] = {"", "|\n"},
    [DOC_CELL] = {"| ", " "},
    [DOC_FOLD] = {"\n<details>", "\n</details>\n"},
    [DOC_SUMMARY] = {"<summary>", "</summary>\n"},
    [DOC_PICTURE] = {NULL, NULL},
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

static void begin(struct document *d, struct doc_block *block)
{
    struct text *out = &d->text;
    text_add(out, marks[block->kind].begin != NULL ? marks[block->kind].begin : "");
    if (block->kind == DOC_SECTION && block->title[0] != '\0')
        text_format(out, "\n#### %s\n", block->title);
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

static void end(struct document *d, struct doc_block *block)
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

const struct doc_writer markdown_writer = {begin, end, say};
