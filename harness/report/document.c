#include "harness/report/document.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

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
    [LOOK_STUCK] = {"stuck", "‖", COLOUR_RED},
    [LOOK_UNKNOWN] = {"unknown", "?", COLOUR_YELLOW},
    [LOOK_SKIPPED] = {"skipped", "–", COLOUR_GREY},
    [LOOK_ERROR] = {"error", "!", COLOUR_RED},
    [LOOK_UNFIT] = {"unfit", "–", COLOUR_GREY},
};

static const struct doc_writer *writer_of(const struct document *d)
{
    return d->medium == PAGE       ? &page_writer
           : d->medium == MARKDOWN ? &markdown_writer
                                   : &terminal_writer;
}

struct doc_block *doc_inside(struct document *d, enum doc_kind kind)
{
    for (size_t i = d->depth; i-- > 0;) {
        if (d->blocks[i].kind == kind)
            return &d->blocks[i];
    }
    return NULL;
}

static void end_innermost(struct document *d)
{
    struct doc_block *block = &d->blocks[d->depth - 1];
    writer_of(d)->end(d, block);
    d->depth--;
}

void doc_end(struct document *d, enum doc_kind kind)
{
    if (doc_inside(d, kind) == NULL)
        return;
    while (d->blocks[d->depth - 1].kind != kind)
        end_innermost(d);
    end_innermost(d);
}

static bool contains(enum doc_kind outer, enum doc_kind inner)
{
    switch (inner) {
    case DOC_SECTION:
        return false;
    case DOC_ITEM:
        return outer == DOC_LIST;
    case DOC_TERM:
        return outer == DOC_TERMS;
    case DOC_ROW:
        return outer == DOC_TABLE;
    case DOC_CELL:
        return outer == DOC_ROW;
    case DOC_LINE:
        return outer == DOC_CELL;
    default:
        return outer == DOC_SECTION || outer == DOC_FOLD;
    }
}

void doc_begin(struct document *d, struct doc_block block)
{
    while (d->depth > 0 && !contains(d->blocks[d->depth - 1].kind, block.kind))
        end_innermost(d);
    assert(d->depth < DOC_DEPTH);
    struct doc_block *outer = d->depth > 0 ? &d->blocks[d->depth - 1] : NULL;
    if (block.kind == DOC_CELL)
        block.column = outer->column++;
    block.start = d->text.length;
    d->blocks[d->depth++] = block;
    writer_of(d)->begin(d, &d->blocks[d->depth - 1]);
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
    while (d->depth > 0 && !contains(d->blocks[d->depth - 1].kind, inner) &&
           !contains(d->blocks[d->depth - 1].kind, outer))
        end_innermost(d);
    if (d->depth == 0 || d->blocks[d->depth - 1].kind != outer)
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
    writer_of(d)->say(d, LOOK_PLAIN, NULL, text);
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
    d->group = NULL;
    doc_begin(d, (struct doc_block){.kind = DOC_TABLE});
}

void doc_row(struct document *d, const char *group, size_t weight)
{
    doc_begin(d, (struct doc_block){.kind = DOC_ROW, .group = group, .weight = weight});
}

static void say(struct document *d, enum look look, const char *target, const char *format,
                va_list arguments)
{
    char *words = NULL;
    if (vasprintf(&words, format, arguments) < 0)
        memory_give_up();
    if (words[0] != '\0' && !d->is_dropped)
        writer_of(d)->say(d, look, target, words);
    free(words);
}

#define SAY(d, look, target, format)                                                               \
    do {                                                                                           \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        say(d, look, target, format, arguments);                                                   \
        va_end(arguments);                                                                         \
    } while (0)

void doc_heading(struct document *d, const char *id, const char *format, ...)
{
    doc_begin(d, (struct doc_block){.kind = DOC_HEADING, .id = id});
    SAY(d, LOOK_PLAIN, NULL, format);
}

void doc_paragraph(struct document *d, enum look look, const char *format, ...)
{
    doc_begin(d, (struct doc_block){.kind = DOC_PARAGRAPH, .look = look});
    SAY(d, LOOK_PLAIN, NULL, format);
}

void doc_cell(struct document *d, enum look look, const char *format, ...)
{
    doc_begin(d, (struct doc_block){.kind = DOC_CELL, .look = look});
    SAY(d, LOOK_PLAIN, NULL, format);
}

void doc_say(struct document *d, enum look look, const char *format, ...)
{
    SAY(d, look, NULL, format);
}

void doc_link(struct document *d, enum look look, const char *target, const char *format, ...)
{
    SAY(d, look, target, format);
}

void doc_break(struct document *d)
{
    if (!d->is_dropped)
        writer_of(d)->say(d, LOOK_PLAIN, NULL, "\n");
}

void doc_finish(struct document *d)
{
    while (d->depth > 0)
        end_innermost(d);
}
