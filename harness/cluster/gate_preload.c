// Who may connect to a server on loopback ports, where every user of the machine could: who runs
// Lockpick, and the server's own user (its peers). The server itself asks the kernel whose the
// other end is, before it reads a byte: accept() of this preload, which it is started with. So
// nothing changes for clients of any library, and what has no passwords is closed, too: memcached,
// the bus of a Redis Cluster, the ports by which members of Galera and ZooKeeper talk to each
// other. A program that asks the kernel itself (Go: etcd) escapes.
//
// Whose a connection was that is closed by now, the kernel does not know: what was sent on one that
// its client gave up before the server took it, as a server that stands still does not, is lost.
//
// A part of the shared library that is loaded before all others (LD_PRELOAD) into a server. Without
// its variable, every call goes straight to libc.
#include "harness/cluster/cluster.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

typedef int accept_function(int listener, struct sockaddr *address, socklen_t *length, int flags);

// Set once, when the library is loaded.
static accept_function *libc_accept4;
static bool is_guarded;
static uid_t guest;

__attribute__((constructor)) static void load(void)
{
    const char *variable = getenv(GATE_VARIABLE);
    void *found = dlsym(RTLD_NEXT, "accept4");
    memcpy(&libc_accept4, &found, sizeof found); // C does not turn one into the other
    is_guarded = variable != NULL && variable[0] != '\0';
    guest = is_guarded ? (uid_t)strtoul(variable, NULL, 10) : 0;
}

// --- whose is the other end ----------------------------------------------------------------------

// As IPv4: that of the loopback device, also where a server listens by IPv6 (Java). False if it is
// none.
static bool as_ipv4(const struct sockaddr_storage *address, struct sockaddr_in *out)
{
    memcpy(out, address, sizeof *out);
    if (address->ss_family == AF_INET)
        return true;
    struct sockaddr_in6 six;
    memcpy(&six, address, sizeof six);
    if (address->ss_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&six.sin6_addr))
        return false;
    *out = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = six.sin6_port};
    memcpy(&out->sin_addr, &six.sin6_addr.s6_addr[12], sizeof out->sin_addr);
    return true;
}

// The kernel's word about the socket of `peer` that is connected to `own`. A closed one belongs to
// nobody, and where there is none any more, one that listens there is named instead.
static bool ask(int channel, const struct sockaddr_in *peer, const struct sockaddr_in *own,
                uid_t *user)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 body;
    } request = {.head = {.nlmsg_len = sizeof request,
                          .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                          .nlmsg_flags = NLM_F_REQUEST},
                 .body = {.sdiag_family = AF_INET,
                          .sdiag_protocol = IPPROTO_TCP,
                          .idiag_states = ~0U,
                          .id = {.idiag_sport = peer->sin_port,
                                 .idiag_dport = own->sin_port,
                                 .idiag_src = {peer->sin_addr.s_addr},
                                 .idiag_dst = {own->sin_addr.s_addr},
                                 .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};
    union {
        struct nlmsghdr head;
        char bytes[4096];
    } answer;
    struct inet_diag_msg socket;
    if (send(channel, &request, sizeof request, 0) != sizeof request)
        return false;
    ssize_t got = recv(channel, &answer, sizeof answer, 0);
    if (got < (ssize_t)NLMSG_LENGTH(sizeof socket) || answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY)
        return false;
    memcpy(&socket, NLMSG_DATA(&answer.head), sizeof socket);
    *user = socket.idiag_uid;
    return socket.idiag_state != TCP_LISTEN && socket.idiag_inode != 0;
}

static bool find_user(int connection, uid_t *user)
{
    struct sockaddr_storage peer;
    struct sockaddr_storage own;
    socklen_t length = sizeof peer;
    socklen_t own_length = sizeof own;
    struct sockaddr_in from;
    struct sockaddr_in to;
    if (getpeername(connection, (struct sockaddr *)&peer, &length) != 0 ||
        getsockname(connection, (struct sockaddr *)&own, &own_length) != 0)
        return false;
    if (peer.ss_family == AF_UNIX) {
        struct ucred who;
        socklen_t room = sizeof who;
        bool is_known = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &room) == 0;
        *user = who.uid;
        return is_known;
    }
    int channel = as_ipv4(&peer, &from) && as_ipv4(&own, &to)
                      ? socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)
                      : -1;
    bool is_known = channel >= 0 && ask(channel, &from, &to, user);
    if (channel >= 0)
        close(channel);
    return is_known;
}

static bool may_enter(int connection)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    uid_t user = (uid_t)-1;
    int before = errno;
    bool is_known = find_user(connection, &user);
    bool may = is_known && (user == guest || user == geteuid());
    // Once: the log is not to be filled by strangers.
    if (!may && !atomic_flag_test_and_set(&told))
        fprintf(stderr, "lockpick: refused a connection of %s %ld: only user %ld may connect\n",
                is_known ? "user" : "who cannot be told,", is_known ? (long)user : -1L,
                (long)guest);
    errno = before;
    return may;
}

// --- accepting -----------------------------------------------------------------------------------

EXPORTED int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags)
{
    socklen_t room = length != NULL ? *length : 0;
    for (;;) {
        int connection = libc_accept4(listener, address, length, flags);
        if (connection < 0 || !is_guarded || may_enter(connection))
            return connection;
        close(connection);
        if (length != NULL)
            *length = room;
    }
}

EXPORTED int accept(int listener, struct sockaddr *address, socklen_t *length)
{
    return accept4(listener, address, length, 0);
}
