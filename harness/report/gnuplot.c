#include "harness/report/gnuplot.h"

#include "harness/base/text.h"
#include "harness/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Starts it with no input, and output and messages into `pipe_end`. 0, or an errno.
static int spawn(const char *folder, char *const *arguments, int pipe_end, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipe_end, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int failed = posix_spawnp(process, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static void read_all(int descriptor, struct text *said)
{
    char block[4096];
    ssize_t got;
    while ((got = read(descriptor, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0)
            text_add_bytes(said, block, (size_t)got);
    }
}

static int wait_for(pid_t process)
{
    int status = 0;
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return status;
}

// Output and messages of gnuplot go to `said`. Its wait status; -1 with errno set if it could not
// be started.
static int run(const char *folder, char *const *arguments, struct text *said)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t process = 0;
    int failed = spawn(folder, arguments, ends[1], &process);
    close(ends[1]);
    int status = -1;
    if (failed == 0) {
        read_all(ends[0], said);
        status = wait_for(process);
    }
    close(ends[0]);
    if (failed != 0)
        errno = failed;
    return status;
}

// gnuplot underlines the culprit on lines of its own; an error is one line.
static char *one_line(const struct text *said)
{
    char *line = memory_zeroed(said->length + 1, 1);
    size_t length = 0;
    for (size_t i = 0; i < said->length; i++) {
        char c = said->bytes[i];
        bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!blank)
            line[length++] = c;
        else if (length > 0 && line[length - 1] != ' ')
            line[length++] = ' ';
    }
    line[length] = '\0';
    return line;
}

int gnuplot_run(const char *folder, const char *const *scripts, bool *missing, struct error *error)
{
    *missing = false;
    if (access(folder, X_OK) != 0)
        return error_set(error, "gnuplot cannot work in %s: %s", folder, strerror(errno));
    // -d: a person's ~/.gnuplot must not change our pictures.
    const char *arguments[16] = {"gnuplot", "-d"};
    for (size_t i = 0; scripts[i] != NULL && i + 3 < 16; i++)
        arguments[i + 2] = scripts[i];
    struct text said = {0};
    int status = run(folder, (char *const *)(void *)arguments, &said);
    int reason = errno;
    int result = 0;
    if (status == -1 && reason == ENOENT) {
        *missing = true;
        result = error_set(error, "gnuplot is not installed");
    } else if (status == -1) {
        result = error_set(error, "cannot run gnuplot in %s: %s", folder, strerror(reason));
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        char *line = one_line(&said);
        result = error_set(error, "gnuplot failed in %s (%s %d): %s", folder,
                           WIFEXITED(status) ? "exit status" : "signal",
                           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), line);
        free(line);
    }
    text_free(&said);
    return result;
}

bool plots_available(char *note, size_t room)
{
    char *arguments[] = {"gnuplot", "--version", NULL};
    struct text said = {0};
    int status = run("/", arguments, &said);
    bool available = status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    text_free(&said);
    const char *text = "no plots: gnuplot is not installed (Debian: apt install gnuplot-nox); "
                       "`gnuplot NAME.gp` in a trial's folder draws them later";
    size_t length = available ? 0 : strnlen(text, room > 0 ? room - 1 : 0);
    if (room > 0) {
        memcpy(note, text, length);
        note[length] = '\0';
    }
    return available;
}
