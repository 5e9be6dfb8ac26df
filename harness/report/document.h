// A document is said once, in blocks and in the order of reading; a writer prints them as a page,
// as Markdown or at a terminal.
//
// A block ends where the next one begins that it cannot contain: a paragraph with the next
// paragraph, a cell with the next cell or row, a table with whatever is no part of it. Only folds
// are ended by doc_end. Words are said into the innermost block.
#ifndef LOCKPICK_REPORT_DOCUMENT_H
#define LOCKPICK_REPORT_DOCUMENT_H

#include "harness/base/table.h"
#include "harness/base/terminal.h"
#include "harness/base/text.h"

#include <stdio.h>

enum medium { TERMINAL, MARKDOWN, PAGE };

// How words look, or a paragraph. The last ones are chips of the page: of a colour, with a sign.
enum look {
    LOOK_PLAIN,
    LOOK_STRONG,
    LOOK_LEAD,    // what is to be read first
    LOOK_SMALL,   // smaller
    LOOK_QUIET,   // smaller and paler
    LOOK_REMARK,  // a paragraph that bears on all of the document
    LOOK_BRIEF,   // a paragraph of a few words, beside others
    LOOK_BELOW,   // of a cell: below its figure
    LOOK_COMMAND, // a line to be copied
    LOOK_MISSED,  // bad news
    LOOK_SAFE,
    LOOK_UNSAFE,
    LOOK_STUCK,
    LOOK_UNKNOWN,
    LOOK_SKIPPED,
    LOOK_ERROR,
    LOOK_UNFIT,
    LOOK_COUNT
};

// Its class in the style sheet of the page; the sign of a chip, as no verdict stands by its colour
// alone; its colour at a terminal.
struct look_form {
    const char *style, *sign;
    enum colour colour;
};

extern const struct look_form look_forms[LOOK_COUNT];

// A column of a table; figures end at its right.
struct doc_column {
    const char *title; // '\n' where a narrow column may break it
    const char *group; // above its title and those beside it of the same group; NULL: none
    bool is_figure;
};

// clang-format off
#define WORDS(title) {(title), NULL, false}
#define FIGURE(title) {(title), NULL, true}
// clang-format on

struct doc_table {
    const char *name; // for those who cannot see it
    const struct doc_column *columns;
    size_t count;
    size_t most_rows;  // of a page, which says how many more there are; 0: as many as there are
    const char *style; // its class in the style sheet, if it has no figures; or NULL
};

// The columns of an array, and how many they are.
#define COLUMNS(array) (array), sizeof(array) / sizeof *(array)

enum doc_kind {
    DOC_SECTION,
    DOC_HEADING,
    DOC_PARAGRAPH,
    DOC_CODE, // words whose blanks and lines count
    DOC_LIST,
    DOC_ITEM,
    DOC_TERMS,
    DOC_TERM, // its name is its title, its meaning is said
    DOC_TABLE,
    DOC_ROW,
    DOC_CELL,
    DOC_LINE, // one of several below each other in a cell
    DOC_FOLD,
    DOC_SUMMARY,
    DOC_PICTURE, // see html_pictures.c
    DOC_KINDS
};

struct doc_block {
    enum doc_kind kind;
    enum look look;
    const char *id, *title;
    bool is_open;         // of a fold
    const char *group;    // of a row: the heading above it and its neighbours
    double share;         // of a cell: that of its bar, up to 1
    size_t weight;        // of a row or a fold: for how many trials it stands
    size_t column, start; // the writer's: which cell it is, where its text begins
};

#define DOC_DEPTH 8
#define DOC_MOST_COLUMNS 40

// Zero-initialise all but what is given.
struct document {
    enum medium medium;              // given
    const struct run_report *report; // given: of what it tells
    FILE *out;                       // given for a terminal
    bool is_coloured, is_quiet;      // given for a terminal
    size_t most_bytes;               // given for Markdown: of its text; what has no room is counted
    struct text text;                // what was written of a page, of Markdown
    struct text contents;            // links to its sections
    size_t contents_at;              // where in the text they are to be
    struct doc_block blocks[DOC_DEPTH]; // that are open, the innermost last
    const char *tip; // given: what the next link of a page says in full; NULL: its words
    size_t depth;
    size_t rows, left; // in the table; what had no room
    bool is_dropped;   // what is said now
    struct text group; // of the row before, on a page
    bool is_full;      // of Markdown: the section
    struct doc_table table;
    // Of a terminal: the table, its titles, how its cell looks, and what comes before.
    struct table *printed;
    const char *titles[DOC_MOST_COLUMNS + 1];
    enum look look;
    bool has_begun, has_heading;
    struct wrapping wrapping;
    // Of a page: which pictures are in it, see html_pictures.c.
    bool *embeds, *embeds_whole;
    size_t whole_bytes, trial_bytes;
};

// Begins a block, and ends those that cannot contain it.
void doc_begin(struct document *d, struct doc_block block);

// Ends the innermost block of the kind, and all that is in it.
void doc_end(struct document *d, enum doc_kind kind);

// A section, with its name among the contents.
void doc_section(struct document *d, const char *id, const char *link, const char *title);

// Blocks, each with its first words, as of printf, which may be "".
#define doc_heading(d, name, ...)                                                                  \
    (doc_begin(d, (struct doc_block){.kind = DOC_HEADING, .id = (name)}),                          \
     doc_say(d, LOOK_PLAIN, __VA_ARGS__))
#define doc_paragraph(d, how, ...)                                                                 \
    (doc_begin(d, (struct doc_block){.kind = DOC_PARAGRAPH, .look = (how)}),                       \
     doc_say(d, LOOK_PLAIN, __VA_ARGS__))
#define doc_cell(d, how, ...)                                                                      \
    (doc_begin(d, (struct doc_block){.kind = DOC_CELL, .look = (how)}),                            \
     doc_say(d, LOOK_PLAIN, __VA_ARGS__))

void doc_item(struct document *d, enum look look);
void doc_code(struct document *d, const char *text);
void doc_term(struct document *d, const char *name, const char *meaning);

// A fold; what is said next is its summary. `id` is that of its contents.
void doc_fold(struct document *d, const char *id, bool is_open);

// Its columns must be there until its last cell.
void doc_table(struct document *d, struct doc_table table);
void doc_row(struct document *d, const char *group, size_t weight);

// Says words, which stay words whatever is in them; leading to a place of the page ("#trial-1") or
// to a file, if the target is not NULL: on paper they are but words.
#define doc_link(d, look, target, ...) doc_link_to(d, look, target, text_formatted(__VA_ARGS__))
void doc_link_to(struct document *d, enum look look, const char *target,
                 char *words); // which it frees
#define doc_say(d, look, ...) doc_link(d, look, NULL, __VA_ARGS__)

// Goes on in the next line of the same block.
void doc_break(struct document *d);

// Ends all blocks. The text of a page or of Markdown is the caller's.
void doc_finish(struct document *d);

// The same of a page, with its head, its style and its contents around it: the name is its heading,
// the title that of its window. Returns all of it, which the caller frees.
char *doc_finish_page(struct document *d, const char *name, const char *title);

// Adds text so that it is only text, in an element or in a quoted attribute; or as a relative
// address.
void html_add(struct text *out, const char *string);
void html_add_address(struct text *out, const char *path);

// The innermost block of the kind, or NULL.
struct doc_block *doc_inside(struct document *d, enum doc_kind kind);

#endif
