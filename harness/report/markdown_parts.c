#include "harness/report/markdown_parts.h"

#include <string.h>

void markdown_add(struct text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("|&<>*_`~[]\\", *text) != NULL)
            text_format(out, "&#%d;", *text);
        else
            text_add_bytes(out, strchr("\r\n", *text) != NULL ? " " : text, 1);
    }
}

void markdown_cell(struct text *out, const char *text)
{
    text_add(out, "| ");
    markdown_add(out, text);
    text_add(out, " ");
}

bool markdown_fit(struct text *out, struct text *part, size_t most)
{
    bool fits = out->length + part->length < most;
    if (fits)
        text_add(out, text_string(part));
    text_free(part);
    *part = (struct text){0};
    return fits;
}

void markdown_block(struct text *out, const char *text)
{
    struct text fence = {0};
    size_t longest = 2;
    for (const char *at = text; *at != '\0';) {
        size_t length = strspn(at, "`");
        longest = length > longest ? length : longest;
        at += length > 0 ? length : 1;
    }
    for (size_t i = 0; i <= longest; i++)
        text_add(&fence, "`");
    text_format(out, "%stext\n%s%s%s\n", text_string(&fence), text,
                text[0] != '\0' && text[strlen(text) - 1] == '\n' ? "" : "\n", text_string(&fence));
    text_free(&fence);
}
