#include "harness/cluster/gateway.h"

#include "harness/base/scope.h"
#include "harness/cluster/connections.h"
#include "harness/wire/peer.h"
#include "harness/wire/proxy.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// The leash, and a listener for each server.
#define MOST_DESCRIPTORS (1 + MAX_SERVERS)
#define COMMAND_BYTES (64 * 1024)
#define COMMAND_WORDS 2048
#define MOST_VARIABLES 16 // of a command's environment, and what else is told of it

// Descriptors of a message, as the kernel wants them.
union descriptors {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(MOST_DESCRIPTORS * sizeof(int))];
};

// --- on the host's network -----------------------------------------------------------------------

// A request of the sandbox's: how many descriptors came with it; 0: the sandbox has ended.
static int hear(int socket, struct service *service, int *descriptors)
{
    union descriptors control;
    struct iovec part = {.iov_base = service, .iov_len = sizeof *service};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (got != (ssize_t)sizeof *service || head == NULL || head->cmsg_type != SCM_RIGHTS)
        return got < 0 && errno == EINTR ? hear(socket, service, descriptors) : 0;
    size_t length = head->cmsg_len - CMSG_LEN(0);
    memcpy(descriptors, CMSG_DATA(head), length);
    return (int)(length / sizeof(int));
}

static void raise_alarm(void *leash, const struct error *error)
{
    (void)!send(*(const int *)leash, error, sizeof *error, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Listeners follow the leash. 0, or -1 with `error` set.
static int pass_on(const struct service *service, const int *leash, struct error *error)
{
    struct sockaddr_storage onward[MAX_SERVERS];
    // What is spoken to a server that Lockpick does not know may begin otherwise.
    if (!server_kind_find(service->kind)->form.is_custom && service_reach(service, error) != 0)
        return -1;
    for (int i = 0; i < service->server_count; i++) {
        struct peer peer = peer_at(&service->servers[i], service->kind, PEER_SET_UP_NS);
        if (peer_find(&peer, &onward[i], error) != 0)
            return -1;
    }
    const struct proxy_alarm alarm = {raise_alarm, (void *)(size_t)leash};
    return proxy_between(leash + 1, onward, service->server_count, &alarm, error) != NULL ? 0 : -1;
}

// A process that lives until its leash ends.
static void be_proxies(const struct service *service, const int *descriptors)
{
    struct error error = {0};
    int leash = descriptors[0];
    if (pass_on(service, descriptors, &error) == 0)
        error.text[0] = '\0'; // another server than the first was reached
    if (send(leash, &error, sizeof error, MSG_NOSIGNAL) < 0 || error.text[0] != '\0')
        _exit(1);
    struct pollfd end = {.fd = leash};
    while (poll(&end, 1, -1) < 0 && errno == EINTR)
        continue;
    _exit(0);
}

// Ends the process as another one has ended.
static void end_by(int status)
{
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
}

// A process that lives until its command has ended; with its leash it ends the command. What it is
// told comes by the leash: the path of the log, how many arguments, those, and the environment.
static void be_command(int leash)
{
    static char told[COMMAND_BYTES];
    const char *words[COMMAND_WORDS + 1] = {NULL};
    struct error error;
    int count = 0;
    ssize_t length = recv(leash, told, sizeof told, 0);
    for (const char *at = told; at < told + length && count < COMMAND_WORDS; at += strlen(at) + 1)
        words[count++] = at;
    int arguments = count > 2 ? atoi(words[1]) : 0;
    const char *const *environment = &words[2 + arguments];
    AUTO_FREE const char **command = memory_zeroed((size_t)arguments + 1, sizeof *command);
    memcpy(command, &words[2], (size_t)arguments * sizeof *command);
    signal(SIGCHLD, SIG_DFL); // it is to be waited for
    const struct process_settings settings = {.arguments = command,
                                              .environment = environment,
                                              .log_path = words[0],
                                              .own_group = true,
                                              .network_namespace = -1,
                                              .processor = -1};
    int status = W_EXITCODE(127, 0);
    pid_t id = process_start(&settings, &error);
    if (id < 0) {
        FILE *log = fopen(words[0], "ae");
        if (log != NULL) {
            fprintf(log, "%s\n", error.text);
            fclose(log);
        }
    } else {
        struct pollfd ends[] = {{.fd = pidfd_open(id, 0), .events = POLLIN},
                                {.fd = leash, .events = POLLIN}};
        while (poll(ends, 2, -1) < 0 && errno == EINTR)
            continue;
        if (ends[0].revents == 0)
            kill(-id, SIGKILL);
        waitpid(id, &status, 0);
    }
    (void)!send(leash, &status, sizeof status, MSG_NOSIGNAL);
    _exit(0);
}

static void be_gateway(int socket, pid_t parent)
{
    struct service service;
    int descriptors[MOST_DESCRIPTORS];
    int count;
    setsid(); // the terminal's Ctrl-C is for the first process, which ends us all
    prctl(PR_SET_NAME, "gateway");
    signal(SIGCHLD, SIG_IGN); // children leave nothing to wait for
    if (process_settle(parent, -1, -1) != 0)
        _exit(1);
    pid_t self = getpid();
    while ((count = hear(socket, &service, descriptors)) > 0) {
        pid_t id = fork();
        if (id == 0) {
            close(socket);
            if (process_settle(self, -1, -1) == 0 && service.server_count > 0)
                be_proxies(&service, descriptors);
            else
                be_command(descriptors[0]);
            _exit(1);
        }
        while (count-- > 0)
            close(descriptors[count]);
    }
    _exit(0);
}

int gateway_start(struct gateway *gateway, struct error *error)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return error_set(error, "cannot make a socket for a gateway: %s", strerror(errno));
    pid_t parent = getpid();
    fflush(NULL);
    pid_t id = fork();
    if (id == 0) {
        close(ends[0]);
        be_gateway(ends[1], parent);
    }
    int reason = errno;
    close(ends[1]);
    *gateway = (struct gateway){id, ends[0]};
    if (id > 0)
        return 0;
    close(ends[0]);
    *gateway = (struct gateway){0};
    return error_set(error, "cannot fork a gateway: %s", strerror(reason));
}

void gateway_stop(struct gateway *gateway)
{
    if (gateway->process <= 0)
        return;
    process_kill(gateway->process); // its children die with it
    close(gateway->socket);
    *gateway = (struct gateway){0};
}

// --- in the sandbox ------------------------------------------------------------------------------

bool sandbox_has_gateway(const struct sandbox *sandbox)
{
    return sandbox->isolation == ISOLATION_NAMESPACES && sandbox->gateway != NULL &&
           sandbox->gateway->process > 0;
}

// Of the service goes what tells where it is, and nothing secret; of a command's, nothing.
static int ask(const struct gateway *gateway, const struct service *service, const int *descriptors,
               struct error *error)
{
    union descriptors control = {0};
    struct service asked = {.server_count = service->server_count};
    struct iovec part = {.iov_base = &asked, .iov_len = sizeof asked};
    size_t length = (size_t)(1 + service->server_count) * sizeof(int);
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(length)};
    memcpy(asked.kind, service->kind, sizeof asked.kind);
    memcpy(asked.servers, service->servers, sizeof asked.servers);
    control.head = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(length), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.head), descriptors, length);
    return sendmsg(gateway->socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof asked
               ? 0
               : error_set(error, "the gateway to %s cannot be asked: %s",
                           service->kind[0] != '\0' ? service->kind : "the host", strerror(errno));
}

// The words, each with its end.
static void add_words(struct text *told, const char *const *words)
{
    for (; words != NULL && *words != NULL; words++)
        text_add_bytes(told, *words, strlen(*words) + 1);
}

pid_t gateway_command(const struct gateway *gateway, const struct process_settings *settings,
                      struct error *error)
{
    static const struct service none = {.server_count = 0};
    AUTO_TEXT struct text told = {0};
    int leash[2];
    char count[16];
    int arguments = 0;
    while (settings->arguments[arguments] != NULL)
        arguments++;
    snprintf(count, sizeof count, "%d", arguments);
    add_words(&told, (const char *const[]){settings->log_path, count, NULL});
    add_words(&told, settings->arguments);
    add_words(&told, settings->environment);
    if (told.length > COMMAND_BYTES || arguments + MOST_VARIABLES > COMMAND_WORDS)
        return error_set(error, "a command of %zu bytes is too long for the gateway that runs it",
                         told.length);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, leash) != 0)
        return error_set(error, "cannot make a socket for a command: %s", strerror(errno));
    int result = send(leash[0], told.bytes, told.length, MSG_NOSIGNAL) == (ssize_t)told.length
                     ? ask(gateway, &none, &leash[1], error)
                     : error_set(error, "cannot tell the gateway a command: %s", strerror(errno));
    close(leash[1]);
    pid_t parent = getpid();
    pid_t id = result == 0 ? fork() : -1;
    if (id == 0) {
        int status = W_EXITCODE(127, 0); // if the gateway ends
        setpgid(0, 0);
        if (process_settle(parent, -1, -1) == 0)
            (void)!recv(leash[0], &status, sizeof status, 0);
        end_by(status);
    }
    if (result == 0 && id < 0)
        error_set(error, "cannot fork for a command: %s", strerror(errno));
    close(leash[0]);
    return id;
}

// Nothing of it can be controlled but the connections that end at its node.
static const struct server_control control = {CONNECTIONS_CONTROL};
static const struct server_kind external_server = {
    .name = "a server that runs already", .ask = connections_ask, .control = &control};

static void plan_nodes(struct external_group *external, const struct service *service)
{
    struct server_group *group = &external->group;
    *group = (struct server_group){.nodes = external->nodes, .count = service->server_count};
    group->settings.count = group->count;
    group->settings.topology = topology_find(service->kind, service->topology);
    for (int i = 0; i < group->count; i++) {
        external->nodes[i] = (struct node){.kind = &external_server,
                                           .group = group,
                                           .role = "member",
                                           .number = i + 1,
                                           .port = service->servers[i].port,
                                           .processor = -1};
        snprintf(external->nodes[i].name, sizeof external->nodes[i].name, "%s-%d", service->kind,
                 i + 1);
    }
}

// Its listeners are the gateway's once it was asked; what it answers, comes by the leash.
static int give_away(struct external_group *external, const struct gateway *gateway, int leash,
                     const struct service *service, struct error *error)
{
    int descriptors[MOST_DESCRIPTORS] = {leash};
    int count = 1;
    int result = 0;
    struct error answer;
    for (int i = 0; i < external->group.count && result == 0; i++) {
        const struct node *node = &external->nodes[i];
        descriptors[count] = network_listen(node->end.network_namespace, node->port, error);
        result = descriptors[count] < 0 ? -1 : 0;
        count += result == 0;
    }
    if (result == 0)
        result = ask(gateway, service, descriptors, error);
    while (count-- > 0)
        close(descriptors[count]);
    if (result != 0)
        return -1;
    ssize_t got = recv(external->leash, &answer, sizeof answer, MSG_WAITALL);
    if (got != (ssize_t)sizeof answer)
        return error_set(error, "the gateway to %s gives no answer: it has ended", service->kind);
    return answer.text[0] == '\0' ? 0 : error_set(error, "%s", answer.text);
}

int external_group_open(struct external_group *external, const struct gateway *gateway, int serial,
                        struct service *service, struct error *error)
{
    struct network_end ends[MAX_SERVERS];
    int leash[2];
    *external = (struct external_group){0};
    if (network_build(ends, service->server_count, serial, error) != 0)
        return -1;
    external->outside = *service;
    plan_nodes(external, service);
    for (int i = 0; i < external->group.count; i++)
        external->nodes[i].end = ends[i];
    int result = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, leash);
    if (result != 0) {
        external->leash = -1;
        error_set(error, "cannot make a socket for a gateway: %s", strerror(errno));
    } else {
        external->leash = leash[0];
        result = give_away(external, gateway, leash[1], service, error);
    }
    if (result == 0 && service->tls != NULL && service->tls->server_name == NULL) {
        external->tls = *service->tls;
        external->tls.server_name = external->outside.servers[0].host;
        service->tls = &external->tls;
    }
    for (int i = 0; i < external->group.count && result == 0; i++)
        snprintf(service->servers[i].host, sizeof service->servers[i].host, "%s", ends[i].address);
    if (result != 0)
        external_group_close(external);
    return result;
}

int external_group_check(const struct external_group *external, struct error *error)
{
    struct error alarm;
    const char *name = external->nodes[0].name;
    ssize_t got =
        external->group.count > 0 ? recv(external->leash, &alarm, sizeof alarm, MSG_DONTWAIT) : -1;
    if (got == 0)
        return error_set(error, "the gateway to %s has ended, which no fault asked for", name);
    return got == sizeof alarm ? error_set(error, "the gateway to %s: %s", name, alarm.text) : 0;
}

void external_group_close(struct external_group *external)
{
    struct network_end ends[MAX_SERVERS];
    if (external->group.count == 0)
        return;
    if (external->leash >= 0) {
        shutdown(external->leash, SHUT_RDWR); // who was forked has it, too
        close(external->leash);
    }
    for (int i = 0; i < external->group.count; i++)
        ends[i] = external->nodes[i].end;
    network_remove(ends, external->group.count);
    *external = (struct external_group){0};
}
