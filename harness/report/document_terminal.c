// A document at a terminal. Sections have no titles there, what is in a fold is indented.
#include "harness/report/document.h"

#include <string.h>

static void print_indented(FILE *out, const char *text)
{
    bool at_start = true;
    for (; *text != '\0'; text++) {
        if (at_start && *text != '\n')
            fputs("    ", out);
        fputc(*text, out);
        at_start = *text == '\n';
    }
    if (!at_start)
        fputc('\n', out);
}

static void say(struct document *d, enum look look, const char *target, const char *words)
{
    const struct doc_block *block = &d->blocks[d->depth - 1];
    (void)target;
    if (block->kind == DOC_CELL) {
        text_format(&d->text, look == LOOK_BELOW ? " (%s)" : "%s", words);
        d->look = look != LOOK_PLAIN ? look : d->look;
    } else if (block->kind == DOC_CODE) {
        print_indented(d->out, words);
    } else {
        colour_print(d->out, d->is_coloured,
                     look_forms[look != LOOK_PLAIN ? look : block->look].colour, words);
    }
}

// A blank line, but for the first block and below a heading.
static void separate(struct document *d)
{
    if (d->has_begun && !d->has_heading)
        fputc('\n', d->out);
    d->has_begun = true;
    d->has_heading = false;
}

static void begin(struct document *d, struct doc_block *block)
{
    bool is_folded = doc_inside(d, DOC_FOLD) != NULL;
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
        fprintf(d->out, "%s: ", block->title);
    } else if (block->kind == DOC_PARAGRAPH && is_folded) {
        fputs("  ", d->out);
    } else if (block->kind == DOC_HEADING || block->kind == DOC_PARAGRAPH ||
               block->kind == DOC_FOLD) {
        separate(d);
    }
}

static void end(struct document *d, struct doc_block *block)
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
        fputc('\n', d->out);
        d->has_heading = block->kind == DOC_HEADING;
    }
}

const struct doc_writer terminal_writer = {begin, end, say};
