#include "harness/report/pictures/timeline.h"

// How each is drawn, and what the legend says of it (NULL: its words stand beside it). Colours and
// heights are the template's.
static const struct {
    const char *name, *block, *words;
} looks[LOOK_COUNT] = {
    [LOOK_WAITS] = {"waits", "lines", "waits"},
    [LOOK_RELEASES] = {"releases", "bars", "releases"},
    [LOOK_POSSIBLE] = {"possible", "bars", "may be held"},
    [LOOK_POSSIBLE_SHARED] = {"possible-shared", "bars", NULL},
    [LOOK_HOLDS] = {"holds", "bars", "holds"},
    [LOOK_CERTAIN] = {"certain", "bars", "held for certain"},
    [LOOK_CERTAIN_SHARED] = {"certain-shared", "bars", "held by a reader"},
    [LOOK_LEASES] = {"leases", "bars", "lease valid"},
    [LOOK_OVERLAPS] = {"overlaps", "bars", "two or more hold"},
    [LOOK_DEAD] = {"dead", "hatched", "held by the dead client"},
    [LOOK_MAYBE_DEAD] = {"maybe-dead", "hatched", "may be held by the dead client"},
    [LOOK_UNANSWERED] = {"unanswered", "hatched", "acquire without an answer"},
    [LOOK_REFUSAL] = {"refusal", "bars", "refused"},
    [LOOK_STRAY] = {"stray", "bars", NULL},
    [LOOK_READ] = {"read", "marks", "read"},
    [LOOK_WRITE] = {"write", "marks", "write"},
    [LOOK_REFUSED] = {"refused", "marks", "write refused"},
    [LOOK_LONG_WRITE] = {"long-write", "dotted", "until it is answered"},
    [LOOK_FAULT] = {"fault", "shades", "fault"},
    [LOOK_VIOLATION] = {"violation", "bars", "violation"},
    [LOOK_DEATH] = {"death", "marks", NULL},
};

void timeline_add(struct timeline *timeline, enum look look, size_t row, int64_t from, int64_t to,
                  int64_t value)
{
    const struct axis *axis = &timeline->axis;
    bool is_small = to - from < axis_pixels(axis, 1);
    picture_row(picture_block(axis->picture, "%s %d: row from to look value", looks[look].block,
                              axis->panel),
                "%zu %.12g %.12g %s %lld", row, axis_at(axis, from), axis_at(axis, to),
                looks[look].name, (long long)value);
    // Waits and releases of less than a pixel cannot be told from nothing.
    if (!is_small || (look != LOOK_WAITS && look != LOOK_RELEASES))
        timeline->seen[look] = true;
}

void timeline_say(struct timeline *timeline, enum side side, int64_t at, double row, double above,
                  unsigned colour, const char *words)
{
    static const char *const sides[] = {"left", "centre", "right"};
    const struct axis *axis = &timeline->axis;
    picture_row(picture_block(axis->picture, "words %d: at row colour side text", axis->panel),
                "%.12g %g %u %s %s", axis_at(axis, at), row - above, colour, sides[side], words);
}

void timeline_name_row(struct timeline *timeline, size_t row, const char *name)
{
    picture_row(picture_block(timeline->axis.picture, "rows %d: row name", timeline->axis.panel),
                "%zu %s", row, name);
}

void timeline_tint(struct timeline *timeline, int64_t from, int64_t to, size_t rows)
{
    const struct axis *axis = &timeline->axis;
    picture_row(picture_block(axis->picture, "tint %d: from to rows", axis->panel),
                "%.12g %.12g %zu", axis_at(axis, from), axis_at(axis, to), rows);
}

void timeline_end(struct timeline *timeline, size_t rows)
{
    picture_tell(timeline->axis.picture, "rows_%d = %zu\nleft = %d", timeline->axis.panel,
                 rows > 0 ? rows : 1, timeline->axis.left);
    axis_end(&timeline->axis);
}

void timeline_legend(struct picture *picture, const bool *seen)
{
    double left = 12;
    int line = 0;
    bool any = false;
    for (size_t i = 0; i < LOOK_COUNT; i++) {
        if (!seen[i] || looks[i].words == NULL)
            continue;
        double width = 26 + axis_text_width(looks[i].words) + 16;
        if (left + width > TRIAL_WIDTH) {
            left = 12;
            line++;
        }
        any = true;
        picture_row(picture_block(picture, "legend: left(px) line block look text"),
                    "%g %d %s %s %s", left, line, looks[i].block, looks[i].name, looks[i].words);
        left += width;
    }
    picture_tell(picture, "legends = %d", any ? line + 1 : 0);
}
