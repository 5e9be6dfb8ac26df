// Running gnuplot.
#include "harness/base/scope.h"
#include "harness/cluster/process.h"
#include "harness/report/pictures/picture.h"

#include <errno.h>
#include <unistd.h>

// On a machine that is busy.
#define START_LIMIT_S 15
#define SCRIPT_LIMIT_S 10

// As many pictures take about as long as starting gnuplot does; and more would leave little to draw
// beside them.
#define FEWEST_OF_A_PROCESS 8
#define MOST_OF_A_PROCESS 24

static const char not_installed[] = "gnuplot is not installed (Debian: apt install gnuplot-nox)";

void gnuplot_quote(struct text *out, const char *string, size_t most)
{
    text_add(out, "'");
    for (size_t i = 0; i < most && string[i] != '\0'; i++) {
        text_add_bytes(out, (unsigned char)string[i] < ' ' ? " " : &string[i], 1);
        text_add(out, string[i] == '\'' ? "'" : "");
    }
    text_add(out, "'");
}

static size_t within(size_t value, size_t least, size_t most)
{
    return value < least ? least : value > most ? most : value;
}

// xargs starts as many processes as may be, and ends when all have. -d: a person's ~/.gnuplot must
// not change our pictures.
int gnuplot_run(struct plot *const *plots, size_t count, bool *missing, struct error *error)
{
    size_t processors = within((size_t)sysconf(_SC_NPROCESSORS_ONLN), 1, 16);
    size_t share =
        within((count + processors - 1) / processors, FEWEST_OF_A_PROCESS, MOST_OF_A_PROCESS);
    share = within(share, 1, count);
    size_t seconds = START_LIMIT_S + SCRIPT_LIMIT_S * share;
    AUTO_FREE char *at_once = text_formatted("-P%zu", processors);
    AUTO_FREE char *words = text_formatted("-n%zu", 2 * share);
    AUTO_FREE char *limit = text_formatted("%zu", seconds);
    const char *const arguments[] = {"xargs", "-d\\n", at_once,   words, "timeout", "-v",
                                     "-k1",   limit,   "gnuplot", "-d",  NULL};
    AUTO_TEXT struct text commands = {0}; // a line for each word
    AUTO_TEXT struct text said = {0};
    AUTO_TEXT struct text line = {0}; // gnuplot underlines the culprit on lines of its own
    *missing = count > 0 && !program_exists("gnuplot");
    if (*missing)
        return error_set(error, not_installed);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *folder = realpath(plots[i]->folder, NULL);
        if (folder == NULL || access(folder, X_OK) != 0)
            return error_set(error, "gnuplot cannot work in %s: %s", plots[i]->folder,
                             strerror(errno));
        text_add(&commands, "-e\ncd ");
        gnuplot_quote(&commands, folder, SIZE_MAX);
        text_format(&commands, "; load '%s.gp'\n", plots[i]->kind->name);
    }
    if (count == 0)
        return 0;
    int status = process_run(
        arguments, commands.bytes, -1,
        (struct process_limit){.seconds = (int)(seconds * (count / share + 2))}, &said, error);
    if (status <= 0)
        return status;
    char *rest = said.bytes;
    for (char *word; rest != NULL && (word = strtok_r(rest, " \n\t\r", &rest)) != NULL;)
        text_format(&line, "%s%s", line.length > 0 ? " " : "", word);
    return error_set(error, "gnuplot failed in %s%s (exit status %d): %s", plots[0]->folder,
                     count > 1 ? ", or in another folder of that run" : "", status,
                     text_string(&line));
}

bool plots_available(char *note, size_t room)
{
    const char *const arguments[] = {"gnuplot", "--version", NULL};
    const struct process_limit limit = {.seconds = START_LIMIT_S};
    AUTO_TEXT struct text said = {0};
    struct error error = {0};
    int status = -1;
    if (!program_exists("gnuplot"))
        error_set(&error, not_installed);
    else if ((status = process_run(arguments, "", -1, limit, &said, &error)) > 0)
        error_set(&error, "gnuplot --version failed (exit status %d): %.200s", status,
                  text_string(&said));
    if (status != 0)
        snprintf(note, room, "no plots: %s; `gnuplot NAME.gp` in a trial's folder draws them later",
                 text_clean_line(error.text));
    else if (room > 0)
        note[0] = '\0';
    return status == 0;
}
