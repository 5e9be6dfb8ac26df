// What a picture says, for tests.
#ifndef LOCKPICK_REPORT_TEST_SAYS_H
#define LOCKPICK_REPORT_TEST_SAYS_H

#include "harness/report/pictures/picture.h"
#include "harness/testing/test.h"

// Fails unless the picture has each of the words (NULL-terminated) in its data, title,
// cause, notes, values or alternative; those that begin with '!' it must not have.
static inline void check_words(const struct picture *picture, const char *const *words)
{
    const struct text *const texts[] = {&picture->data,  &picture->title,  &picture->cause,
                                        &picture->notes, &picture->values, &picture->alternative};
    for (; *words != NULL; words++) {
        bool wanted = **words != '!';
        bool found = false;
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            found |= strstr(text_string(texts[i]), *words + !wanted) != NULL;
        if (found != wanted)
            fail_msg("%s in the picture: %s\n%s\n%s\n%s\n%s", wanted ? "not" : "found", *words,
                     text_string(texts[0]), text_string(texts[1]), text_string(texts[3]),
                     text_string(texts[4]));
    }
}

#define PICTURE_SAYS(picture, ...) check_words(picture, (const char *const[]){__VA_ARGS__, NULL})

#endif
