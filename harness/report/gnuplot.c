#include "harness/report/gnuplot.h"

#include "harness/base/text.h"
#include "harness/cluster/process.h"
#include "harness/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

// On a machine that is busy.
#define START_LIMIT_S 15
#define SCRIPT_LIMIT_S 10

// gnuplot at work.
struct drawer {
    const char *folder; // that it was started in
    pid_t process;
    int said;    // the end of the pipe from which its output and messages are read; -1: none
    int refused; // 0, or the errno with which it could not be started
    size_t scripts;
};

// Starts it with no input.
static struct drawer start(const char *folder, char *const *arguments)
{
    struct drawer drawer = {.folder = folder, .said = -1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        drawer.refused = errno;
        return drawer;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    drawer.refused =
        posix_spawnp(&drawer.process, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    drawer.said = ends[0];
    close(ends[1]);
    return drawer;
}

// Its exit status, or 128 and its signal; output and messages go to `said`. -1 with `error` set if
// it could not be started, or was killed as it took longer than so many seconds.
static int finish(const struct drawer *drawer, int limit_s, struct text *said, struct error *error)
{
    int status = drawer->refused == 0 ? process_wait(drawer->process, "gnuplot",
                                                     (struct process_limit){.seconds = limit_s},
                                                     drawer->said, said, error)
                                      : error_set(error, "cannot run gnuplot in %s: %s",
                                                  drawer->folder, strerror(drawer->refused));
    if (drawer->said >= 0)
        close(drawer->said);
    return status;
}

// Waits until its scripts are drawn. 0, or -1 with `error` set to what it said.
static int await(const struct drawer *drawer, bool *missing, struct error *error)
{
    struct text said = {0};
    struct text line = {0}; // gnuplot underlines the culprit on lines of its own; an error is one
    int status =
        finish(drawer, START_LIMIT_S + SCRIPT_LIMIT_S * (int)drawer->scripts, &said, error);
    if (drawer->refused == ENOENT) {
        *missing = true;
        error_set(error, "gnuplot is not installed (Debian: apt install gnuplot-nox)");
    } else if (status > 0) {
        char *rest = said.bytes;
        for (char *word; rest != NULL && (word = strtok_r(rest, " \n\t\r", &rest)) != NULL;)
            text_format(&line, "%s%s", line.length > 0 ? " " : "", word);
        error_set(error, "gnuplot failed in %s (%s %d): %s", drawer->folder,
                  status < 128 ? "exit status" : "signal", status < 128 ? status : status - 128,
                  text_string(&line));
    }
    text_free(&line);
    text_free(&said);
    return status == 0 ? 0 : -1;
}

void gnuplot_quote(struct text *out, const char *string, size_t length)
{
    text_add(out, "'");
    for (size_t i = 0; i < length; i++) {
        text_add_bytes(out, (unsigned char)string[i] < ' ' ? " " : &string[i], 1);
        text_add(out, string[i] == '\'' ? "'" : "");
    }
    text_add(out, "'");
}

// --- many ----------------------------------------------------------------------------------------

// As many pictures take about as long as starting gnuplot does.
#define FEWEST_OF_A_PROCESS 8
#define MOST_OF_A_PROCESS 64
#define MOST_PROCESSES 16

// -d: a person's ~/.gnuplot must not change our pictures.
static struct drawer start_many(const struct gnuplot_script *scripts, size_t count)
{
    char *arguments[2 + 3 * MOST_OF_A_PROCESS + 1] = {"gnuplot", "-d"};
    struct text words[2 * MOST_OF_A_PROCESS] = {0};
    size_t used = 2;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(scripts[i].folder, scripts[i - 1].folder) != 0) {
            char *whole = realpath(scripts[i].folder, NULL);
            const char *folder = whole != NULL ? whole : scripts[i].folder;
            text_add(&words[2 * i], "cd ");
            gnuplot_quote(&words[2 * i], folder, strlen(folder));
            free(whole);
            arguments[used++] = "-e";
            arguments[used++] = words[2 * i].bytes;
        }
        text_format(&words[2 * i + 1], "%s.gp", scripts[i].name);
        arguments[used++] = words[2 * i + 1].bytes;
    }
    struct drawer drawer = start(scripts[0].folder, arguments);
    drawer.scripts = count;
    for (size_t i = 0; i < 2 * count; i++)
        text_free(&words[i]);
    return drawer;
}

int gnuplot_run(const struct gnuplot_script *scripts, size_t count, bool *missing,
                struct error *error)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t processes = processors < 1 ? 1 : (size_t)processors;
    int result = 0;
    processes = processes > MOST_PROCESSES ? MOST_PROCESSES : processes;
    *missing = false;
    for (size_t i = 0; i < count; i++) {
        if (access(scripts[i].folder, X_OK) != 0)
            return error_set(error, "gnuplot cannot work in %s: %s", scripts[i].folder,
                             strerror(errno));
    }
    for (size_t done = 0; done < count && !*missing;) {
        struct drawer drawers[MOST_PROCESSES];
        size_t started = 0;
        size_t share = (count - done + processes - 1) / processes;
        share = share < FEWEST_OF_A_PROCESS ? FEWEST_OF_A_PROCESS
                : share > MOST_OF_A_PROCESS ? MOST_OF_A_PROCESS
                                            : share;
        for (; started < processes && done < count; started++) {
            size_t here = count - done < share ? count - done : share;
            drawers[started] = start_many(scripts + done, here);
            done += here;
        }
        for (size_t i = 0; i < started; i++) {
            if (await(&drawers[i], missing, result == 0 ? error : NULL) != 0)
                result = -1;
        }
    }
    return result;
}

bool plots_available(char *note, size_t room)
{
    char *arguments[] = {"gnuplot", "--version", NULL};
    struct text said = {0};
    struct error error = {0};
    struct drawer drawer = start("/", arguments);
    int status = finish(&drawer, START_LIMIT_S, &said, &error);
    text_free(&said);
    if (drawer.refused != 0 || status > 0)
        error_set(&error, "gnuplot is not installed (Debian: apt install gnuplot-nox)");
    if (status != 0)
        snprintf(note, room, "no plots: %s; `gnuplot NAME.gp` in a trial's folder draws them later",
                 error.text);
    else if (room > 0)
        note[0] = '\0';
    return status == 0;
}
