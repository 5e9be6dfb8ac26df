// How often the lock was held, a bar for each trial.
#include "harness/report/pictures/picture.h"

static bool write(const struct picture_subject *subject, struct picture *picture)
{
    const struct run_result *run = subject->run;
    struct picture_block *rows = picture_block(picture, "rows: row holds scheme");
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].has_history)
            picture_row(rows, "%zu %zu %s", count++, (size_t)run->trials[i].statistics.holds,
                        run->trials[i].trial->scheme);
    }
    picture_tell(picture, "rows = %zu", count);
    text_add(&picture->title, "How often the lock was held");
    text_format(&picture->alternative, "Holds of %zu trial%s.", count, count == 1 ? "" : "s");
    return count > 0;
}

PICTURE(tally, .name = "tally", .title = "A tally of holds", .place = PLACE_VERDICTS, .width = 700,
        .write = write);
