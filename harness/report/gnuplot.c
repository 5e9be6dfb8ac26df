// Running gnuplot.
#include "harness/base/scope.h"
#include "harness/cluster/process.h"
#include "harness/report/pictures/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

// On a machine that is busy.
#define START_LIMIT_S 15
#define SCRIPT_LIMIT_S 10

// As many pictures take about as long as starting gnuplot does; and so many folders' names fit into
// one argument.
#define FEWEST_OF_A_PROCESS 8
#define MOST_OF_A_PROCESS 24
#define MOST_PROCESSES 16

static const char not_installed[] = "gnuplot is not installed (Debian: apt install gnuplot-nox)";

// gnuplot at work.
struct drawer {
    const struct plot_wish *wishes;
    size_t count;
    pid_t process; // -1: it could not be started
    int said;      // the end of the pipe from which its output and messages are read
};

void gnuplot_quote(struct text *out, const char *string, size_t most)
{
    text_add(out, "'");
    for (size_t i = 0; i < most && string[i] != '\0'; i++) {
        text_add_bytes(out, (unsigned char)string[i] < ' ' ? " " : &string[i], 1);
        text_add(out, string[i] == '\'' ? "'" : "");
    }
    text_add(out, "'");
}

// -1 with `error` set. -d: a person's ~/.gnuplot must not change our pictures.
static int start(struct drawer *drawer, struct error *error)
{
    AUTO_TEXT struct text commands = {0};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(error, "cannot run gnuplot in %s: pipe: %s", drawer->wishes[0].folder,
                         strerror(errno));
    FOR_EACH (plot_wish, wish, drawer->wishes, drawer->count) {
        AUTO_FREE char *folder = realpath(wish->folder, NULL);
        text_add(&commands, "cd ");
        gnuplot_quote(&commands, folder != NULL ? folder : wish->folder, SIZE_MAX);
        text_format(&commands, "; load '%s.gp'; ", wish->plot->kind->name);
    }
    const char *const arguments[] = {"gnuplot", "-d", "-e", commands.bytes, NULL};
    const struct process_settings settings = {
        .arguments = arguments, .output = ends[1], .network_namespace = -1, .processor = -1};
    drawer->process = process_start(&settings, error);
    drawer->said = ends[0];
    close(ends[1]);
    if (drawer->process < 0)
        close(ends[0]);
    return drawer->process < 0 ? -1 : 0;
}

// Waits until its scripts are drawn. 0, or -1 with `error` set to what it said.
static int await(const struct drawer *drawer, struct error *error)
{
    AUTO_TEXT struct text said = {0};
    AUTO_TEXT struct text line = {0}; // gnuplot underlines the culprit on lines of its own
    const struct process_limit limit = {.seconds =
                                            START_LIMIT_S + SCRIPT_LIMIT_S * (int)drawer->count};
    int status = process_wait(drawer->process, "gnuplot", limit, drawer->said, &said, error);
    close(drawer->said);
    if (status <= 0)
        return status;
    char *rest = said.bytes;
    for (char *word; rest != NULL && (word = strtok_r(rest, " \n\t\r", &rest)) != NULL;)
        text_format(&line, "%s%s", line.length > 0 ? " " : "", word);
    return error_set(error, "gnuplot failed in %s (%s %d): %s", drawer->wishes[0].folder,
                     status < 128 ? "exit status" : "signal", status < 128 ? status : status - 128,
                     text_string(&line));
}

static size_t within(size_t value, size_t least, size_t most)
{
    return value < least ? least : value > most ? most : value;
}

int gnuplot_run(const struct plot_wish *wishes, size_t count, bool *missing, struct error *error)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t processes = within(processors < 1 ? 1 : (size_t)processors, 1, MOST_PROCESSES);
    int result = 0;
    *missing = count > 0 && !program_exists("gnuplot");
    if (*missing)
        return error_set(error, not_installed);
    FOR_EACH (plot_wish, wish, wishes, count) {
        if (access(wish->folder, X_OK) != 0)
            return error_set(error, "gnuplot cannot work in %s: %s", wish->folder, strerror(errno));
    }
    for (size_t done = 0; done < count;) {
        struct drawer drawers[MOST_PROCESSES];
        size_t started = 0;
        size_t share = within((count - done + processes - 1) / processes, FEWEST_OF_A_PROCESS,
                              MOST_OF_A_PROCESS);
        for (; started < processes && done < count; started++) {
            drawers[started] =
                (struct drawer){&wishes[done], within(share, 0, count - done), -1, -1};
            done += drawers[started].count;
            result |= start(&drawers[started], result == 0 ? error : NULL);
        }
        for (size_t i = 0; i < started; i++) {
            if (drawers[i].process > 0)
                result |= await(&drawers[i], result == 0 ? error : NULL);
        }
    }
    return result;
}

bool plots_available(char *note, size_t room)
{
    const char *const arguments[] = {"gnuplot", "--version", NULL};
    const struct process_limit limit = {.seconds = START_LIMIT_S};
    AUTO_TEXT struct text said = {0};
    struct error error = {0};
    int status =
        program_exists("gnuplot") ? process_run(arguments, "", -1, limit, &said, &error) : 1;
    if (status > 0)
        error_set(&error, not_installed);
    if (status != 0)
        snprintf(note, room, "no plots: %s; `gnuplot NAME.gp` in a trial's folder draws them later",
                 error.text);
    else if (room > 0)
        note[0] = '\0';
    return status == 0;
}
