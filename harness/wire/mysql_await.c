#include "harness/wire/mysql_await.h"

#include "harness/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define LOOK_NS (10 * NS_PER_MS) // how often somebody with patience is asked for it

// How long one poll may take; nothing is left once the time is up.
static int64_t left_ns(const struct mysql_limit *limit)
{
    int64_t left = limit->give_up_ns - clock_monotonic_ns();
    const struct mysql_patience *patience = limit->patience;
    if (patience == NULL)
        return left;
    if (patience->is_over(patience->context))
        return 0;
    return left < LOOK_NS ? left : LOOK_NS;
}

static short events_of(int status)
{
    int events = (status & MYSQL_WAIT_READ ? POLLIN : 0) |
                 (status & MYSQL_WAIT_WRITE ? POLLOUT : 0) |
                 (status & MYSQL_WAIT_EXCEPT ? POLLPRI : 0);
    return (short)events;
}

static int status_of(short events)
{
    return (events & (POLLIN | POLLHUP | POLLERR) ? MYSQL_WAIT_READ : 0) |
           (events & (POLLOUT | POLLHUP | POLLERR) ? MYSQL_WAIT_WRITE : 0) |
           (events & POLLPRI ? MYSQL_WAIT_EXCEPT : 0);
}

// Waits for what the library waits for, and puts what has come in its place. False if the time is
// up.
static bool wait_for(MYSQL *session, int *status, const struct mysql_limit *limit)
{
    struct pollfd look = {.fd = mysql_get_socket(session), .events = events_of(*status)};
    for (;;) {
        int64_t left = left_ns(limit);
        if (left <= 0)
            return false;
        struct timespec length = {.tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S};
        int count = ppoll(&look, 1, &length, NULL);
        if (count > 0) {
            char first;
            if (limit->closed != NULL && (look.revents & POLLIN) != 0)
                *limit->closed = recv(look.fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
            *status = status_of(look.revents);
            return true;
        }
        if (count < 0 && errno != EINTR)
            return false;
    }
}

enum await_end mysql_await_connect(MYSQL *session, const struct endpoint *endpoint,
                                   const struct service *service, const char *database,
                                   const struct mysql_limit *limit)
{
    MYSQL *connected = NULL;
    const char *user = service->user[0] != '\0' ? service->user : "root";
    int status =
        mysql_real_connect_start(&connected, session, endpoint->host, user, service->password,
                                 database, (unsigned)endpoint->port, NULL, 0);
    while (status != 0) {
        if (!wait_for(session, &status, limit))
            return AWAIT_TIME_UP;
        status = mysql_real_connect_cont(&connected, session, status);
    }
    return connected != NULL ? AWAIT_DONE : AWAIT_FAILED;
}

enum await_end mysql_await_query(MYSQL *session, const char *text, const struct mysql_limit *limit)
{
    int failed = 0;
    int status = mysql_real_query_start(&failed, session, text, strlen(text));
    while (status != 0) {
        if (!wait_for(session, &status, limit))
            return AWAIT_TIME_UP;
        status = mysql_real_query_cont(&failed, session, status);
    }
    return failed == 0 ? AWAIT_DONE : AWAIT_FAILED;
}

enum await_end mysql_await_result(MYSQL *session, MYSQL_RES **result,
                                  const struct mysql_limit *limit)
{
    *result = NULL;
    int status = mysql_store_result_start(result, session);
    while (status != 0) {
        if (!wait_for(session, &status, limit))
            return AWAIT_TIME_UP;
        status = mysql_store_result_cont(result, session, status);
    }
    return *result != NULL ? AWAIT_DONE : AWAIT_FAILED;
}

enum await_end mysql_await_prepare(MYSQL *session, MYSQL_STMT *statement, const char *text,
                                   const struct mysql_limit *limit)
{
    int failed = 0;
    int status = mysql_stmt_prepare_start(&failed, statement, text, strlen(text));
    while (status != 0) {
        if (!wait_for(session, &status, limit))
            return AWAIT_TIME_UP;
        status = mysql_stmt_prepare_cont(&failed, statement, status);
    }
    return failed == 0 ? AWAIT_DONE : AWAIT_FAILED;
}

enum await_end mysql_await_execute(MYSQL *session, MYSQL_STMT *statement,
                                   const struct mysql_limit *limit)
{
    int failed = 0;
    int status = mysql_stmt_execute_start(&failed, statement);
    while (status != 0) {
        if (!wait_for(session, &status, limit))
            return AWAIT_TIME_UP;
        status = mysql_stmt_execute_cont(&failed, statement, status);
    }
    return failed == 0 ? AWAIT_DONE : AWAIT_FAILED;
}

enum await_end mysql_await_rows(MYSQL *session, MYSQL_STMT *statement,
                                const struct mysql_limit *limit)
{
    int failed = 0;
    int status = mysql_stmt_store_result_start(&failed, statement);
    while (status != 0) {
        if (!wait_for(session, &status, limit))
            return AWAIT_TIME_UP;
        status = mysql_stmt_store_result_cont(&failed, statement, status);
    }
    return failed == 0 ? AWAIT_DONE : AWAIT_FAILED;
}

bool mysql_has_hung_up(MYSQL *session, bool *by_server)
{
    struct pollfd look = {.fd = mysql_get_socket(session), .events = POLLIN};
    char first;
    *by_server = false;
    if (poll(&look, 1, 0) == 0)
        return false;
    *by_server = recv(look.fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
    return true;
}
