// Pieces that the protocols of a tap are read with: frames, lines, names.
#include "harness/wire/tap_protocol.h"

#include <ctype.h>
#include <string.h>

#define MOST_DIGITS 12

void tap_name(struct tap_request *request, const uint8_t *bytes, size_t length, bool upper)
{
    size_t taken = length < TAP_NAME_ROOM - 1 ? length : TAP_NAME_ROOM - 1;
    bool fits = length > 0;
    for (size_t i = 0; i < taken; i++) {
        fits = fits && (isalnum(bytes[i]) || memchr("_-.", bytes[i], 3) != NULL);
        request->name[i] = (char)(upper ? toupper(bytes[i]) : bytes[i]);
    }
    request->name[taken] = '\0';
    if (!fits)
        strcpy(request->name, "request");
}

size_t tap_skip(uint64_t *left, size_t length)
{
    size_t skipped = *left < length ? (size_t)*left : length;
    *left -= skipped;
    return skipped;
}

// --- frames --------------------------------------------------------------------------------------

void frame_next(struct frame *frame)
{
    frame->have = 0;
    frame->seen = frame->total = 0;
}

enum tap_result frame_read(struct frame *frame, size_t lead, uint64_t (*length_of)(const uint8_t *),
                           const uint8_t *bytes, size_t length, size_t *used)
{
    size_t at = 0;
    while (at < length) {
        if (frame->have < lead) {
            frame->head[frame->have++] = bytes[at++];
            frame->seen++;
            if (frame->have == lead && (frame->total = length_of(frame->head)) < lead)
                return TAP_LOST;
        } else {
            uint64_t left = frame->total - frame->seen;
            size_t taken = tap_skip(&left, length - at);
            size_t room = FRAME_HEAD - frame->have;
            size_t kept = taken < room ? taken : room;
            memcpy(frame->head + frame->have, bytes + at, kept);
            frame->have += kept;
            frame->seen += taken;
            at += taken;
        }
        if (frame->have >= lead && frame->seen == frame->total) {
            *used = at;
            return TAP_WHOLE;
        }
    }
    *used = length;
    return TAP_MORE;
}

uint32_t frame_number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// --- lines ---------------------------------------------------------------------------------------

void line_next(struct line *line)
{
    memset(line, 0, sizeof *line);
}

static void keep(struct line *line, char letter)
{
    line->length++;
    if (line->have < LINE_HEAD - 1)
        line->head[line->have++] = letter;
    if (line->tail_have == sizeof line->tail - 1)
        memmove(line->tail, line->tail + 1, --line->tail_have);
    line->tail[line->tail_have++] = letter;
}

static void drop_return(char *text, size_t *length)
{
    if (*length > 0 && text[*length - 1] == '\r')
        (*length)--;
    text[*length] = '\0';
}

enum tap_result line_read(struct line *line, const uint8_t *bytes, size_t length, size_t *used)
{
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '\n') {
            keep(line, (char)bytes[i]);
            if (line->length > LONGEST_LINE)
                return TAP_LOST;
            continue;
        }
        if (line->length == line->have)
            drop_return(line->head, &line->have);
        drop_return(line->tail, &line->tail_have);
        *used = i + 1;
        return TAP_WHOLE;
    }
    *used = length;
    return TAP_MORE;
}

size_t line_word(const struct line *line, int number, const char **word)
{
    const char *at = line->head;
    for (;; number--) {
        at += strspn(at, " ");
        size_t length = strcspn(at, " ");
        *word = at;
        if (number == 0 || length == 0)
            return length;
        at += length;
    }
}

int64_t line_number(const char *word, size_t length)
{
    int64_t number = 0;
    if (length == 0 || length > MOST_DIGITS)
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)word[i]))
            return -1;
        number = number * 10 + (word[i] - '0');
    }
    return number;
}
