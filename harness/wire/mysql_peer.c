#include "harness/wire/mysql_peer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define LOOK_NS (10 * NS_PER_MS) // how often somebody with patience is asked for it

// --- waiting -------------------------------------------------------------------------------------

// Waits for what the library waits for, and puts what has come in its place. False if the time is
// up.
static bool wait_for(struct mysql_peer *link, int *status)
{
    const struct mysql_patience *patience = link->patience;
    struct pollfd look = {.fd = mysql_get_socket(link->session),
                          .events = (short)((*status & MYSQL_WAIT_READ ? POLLIN : 0) |
                                            (*status & MYSQL_WAIT_WRITE ? POLLOUT : 0) |
                                            (*status & MYSQL_WAIT_EXCEPT ? POLLPRI : 0))};
    for (;;) {
        int64_t left_ns = peer_left_ns(&link->peer);
        if (left_ns <= 0 || (patience != NULL && patience->is_over(patience->context)))
            return false;
        if (patience != NULL)
            left_ns = time_earlier(left_ns, LOOK_NS);
        struct timespec length = {.tv_sec = left_ns / NS_PER_S, .tv_nsec = left_ns % NS_PER_S};
        int count = ppoll(&look, 1, &length, NULL);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0)
            break;
    }
    char first;
    bool is_over = (look.revents & (POLLHUP | POLLERR)) != 0;
    if ((look.revents & POLLIN) != 0)
        link->is_closed = recv(look.fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
    *status = (is_over || look.revents & POLLIN ? MYSQL_WAIT_READ : 0) |
              (is_over || look.revents & POLLOUT ? MYSQL_WAIT_WRITE : 0) |
              (look.revents & POLLPRI ? MYSQL_WAIT_EXCEPT : 0);
    return true;
}

enum mysql_end mysql_peer_execute(struct mysql_peer *link, const char *statement, MYSQL_RES **rows)
{
    int failed = 0;
    int status = mysql_real_query_start(&failed, link->session, statement, strlen(statement));
    *rows = NULL;
    for (; status != 0; status = mysql_real_query_cont(&failed, link->session, status)) {
        if (!wait_for(link, &status))
            return MYSQL_TIME_UP;
    }
    if (failed != 0)
        return MYSQL_FAILED;
    status = mysql_store_result_start(rows, link->session);
    for (; status != 0; status = mysql_store_result_cont(rows, link->session, status)) {
        if (!wait_for(link, &status))
            return MYSQL_TIME_UP;
    }
    return *rows != NULL || mysql_errno(link->session) == 0 ? MYSQL_DONE : MYSQL_FAILED;
}

// --- opening and closing -------------------------------------------------------------------------

static void start_library(void)
{
    mysql_library_init(0, NULL, NULL);
}

enum mysql_end mysql_peer_open(struct mysql_peer *link, const struct peer *peer,
                               const struct mysql_login *login, unsigned *number,
                               struct error *error)
{
    // The library keeps a state of its own, which two threads must not begin to make at once: the
    // one thing here that is global.
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_library);
    *link = (struct mysql_peer){.peer = *peer, .session = mysql_init(NULL)};
    if (link->session == NULL)
        memory_give_up();
    const unsigned tcp = MYSQL_PROTOCOL_TCP;
    mysql_options(link->session, MYSQL_OPT_NONBLOCK, NULL);
    mysql_options(link->session, MYSQL_OPT_PROTOCOL, &tcp); // to localhost, too
    if (login->first != NULL)
        mysql_options(link->session, MYSQL_INIT_COMMAND, login->first);
    MYSQL *connected = NULL;
    bool in_time = true;
    int status = mysql_real_connect_start(&connected, link->session, peer->at.host, login->user,
                                          login->password, login->database, (unsigned)peer->at.port,
                                          NULL, 0);
    while (in_time && status != 0) {
        in_time = wait_for(link, &status);
        if (in_time)
            status = mysql_real_connect_cont(&connected, link->session, status);
    }
    *number = 0;
    if (connected != NULL)
        return MYSQL_DONE;
    *number = in_time ? mysql_errno(link->session) : 0;
    error_set(error, "%s: no connection in time", peer->name);
    if (in_time)
        error_set(error, "%s: %s (error %u)", peer->name, mysql_error(link->session), *number);
    mysql_peer_close(link);
    return in_time ? MYSQL_FAILED : MYSQL_TIME_UP;
}

void mysql_peer_close(struct mysql_peer *link)
{
    if (link->session != NULL)
        mysql_close(link->session);
    link->session = NULL;
}

bool mysql_peer_has_hung_up(const struct mysql_peer *link, bool *by_server)
{
    struct pollfd look = {.fd = mysql_get_socket(link->session), .events = POLLIN};
    char first;
    *by_server = false;
    if (poll(&look, 1, 0) == 0)
        return false;
    *by_server = recv(look.fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
    return true;
}

// --- statements ----------------------------------------------------------------------------------

int mysql_peer_ask(struct mysql_peer *link, const char *statement, char *answer, size_t room,
                   struct error *error)
{
    MYSQL_RES *rows;
    enum mysql_end end = mysql_peer_execute(link, statement, &rows);
    MYSQL_ROW row = rows != NULL ? mysql_fetch_row(rows) : NULL;
    snprintf(answer, room, "%s", row != NULL && row[0] != NULL ? row[0] : "");
    mysql_free_result(rows);
    if (end == MYSQL_DONE)
        return 0;
    return error_set(error, "%s was told '%.300s' and answers: %s", link->peer.name, statement,
                     end == MYSQL_FAILED ? mysql_error(link->session) : "nothing in time");
}
