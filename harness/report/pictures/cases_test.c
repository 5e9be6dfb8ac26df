// What pictures of trials show: cases/*.events, rows of which are those of harness/check/cases. Of
// a case, as it is judged:
//
//   -> timeline: 1 6 500 "fault" 0     its picture has these words, in its data, values or texts;
//                                      \n is the end of a line, and with '!' before it has not
//   -> timeline from_1 2,120           a number that its template is told lies between
//   -> operations none                 there is no such picture
#include "harness/check/test_cases.h"
#include "harness/report/pictures/test_svg.h"

static const struct picture_kind *kind_of(struct reading *reading, size_t line, const char *name)
{
    static const struct {
        const char *name;
        const struct picture_kind *kind;
    } kinds[] = {{"timeline", &timeline_picture},
                 {"operations", &operations_picture},
                 {"throughput", &throughput_picture},
                 {"latency-over-time", &latency_over_time_picture}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].kind;
    }
    fail_msg("%s:%zu: no such picture", reading->file, line + 1);
    return NULL;
}

static void compare_words(struct reading *reading, size_t line, const struct picture *picture,
                          const char *wanted)
{
    AUTO_TEXT struct text words = {0};
    bool is_lacking = *wanted == '!';
    for (wanted += is_lacking; *wanted != '\0'; wanted++) {
        bool is_end = strncmp(wanted, "\\n", 2) == 0;
        text_add_bytes(&words, is_end ? "\n" : wanted, 1);
        wanted += is_end;
    }
    if (picture_has(picture, text_string(&words)) == is_lacking)
        complain(reading, line, "it has%s these words:\n%s\n%s\n%s\n%s", is_lacking ? "" : " not",
                 text_string(&picture->data), text_string(&picture->title),
                 text_string(&picture->values), text_string(&picture->notes));
}

// "NAME LEAST,MOST"
static void compare_value(struct reading *reading, struct row *row, const struct picture *picture)
{
    double least, most;
    const char *name = take_next(row);
    const char *at = strstr(text_string(&picture->values), name);
    double value = at != NULL ? strtod(at + strlen(name) + strlen(" = "), NULL) : NAN;
    if (sscanf(take_next(row), "%lf,%lf", &least, &most) != 2 || !(value >= least) ||
        !(value <= most))
        complain(reading, row->line, "it is %g", value);
}

static void compare(struct reading *reading, size_t line)
{
    struct picture picture = {0};
    struct row row = {.file = reading->file, .line = line};
    AUTO_FREE char *copy = memory_string(strstr(reading->lines.items[line], "->") + 2);
    char *words = strstr(copy, ": ");
    if (words != NULL)
        *words = '\0';
    split(copy, &row);
    const struct picture_kind *kind = kind_of(reading, line, take_next(&row));
    const struct build *build = &reading->build;
    bool is_there = picture_write(
        kind, &(struct picture_subject){.model = &build->model, .judgement = &build->judgement},
        &picture);
    if (is_there == take_word(&row, "none"))
        complain(reading, line, "it is%s there", is_there ? "" : " not");
    else if (words != NULL)
        compare_words(reading, line, &picture, words + 2);
    else if (is_there)
        compare_value(reading, &row, &picture);
    all_taken(&row);
    picture_free(&picture);
}

static void draw_case(struct reading *reading, size_t line)
{
    (void)line;
    for (size_t i = 0; i < reading->expected_count; i++)
        compare(reading, reading->expected[i]);
}

TEST(every_case_is_drawn_as_it_says)
{
    assert_int_equal(run_events("harness/report/pictures/cases/*.events", draw_case, NULL), 0);
}
