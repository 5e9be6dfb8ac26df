// Where a service is and who we are to it, in one word: `redis://user@host:6379/0`; and where its
// password is.
#ifndef LOCKPICK_BASE_URL_H
#define LOCKPICK_BASE_URL_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define URL_MOST_HOSTS 8

struct url {
    char scheme[16];
    char user[64]; // "" if none
    struct {
        char host[48];
        int port; // 0: not said
    } hosts[URL_MOST_HOSTS];
    int host_count; // at least 1
    char path[64];  // what comes after the '/', "" if nothing
};

// By TLS, which a service is spoken to by; files are of PEM.
struct tls_settings {
    char *ca; // certificates that vouch for the server's; TLS_OF_SYSTEM; NULL: no TLS
    char *certificate, *key; // that the server may ask for; NULL: none
    char *server_name;       // that its certificate is made out to; NULL: as in the URL
};
#define TLS_OF_SYSTEM "system"

// The file of `ca`: of the system's, what Debian's ca-certificates makes.
const char *tls_ca(const struct tls_settings *settings);

// Reads `scheme://[user@]host[:port][,host[:port]...][/path]`; %XX stands for a byte in the user,
// and an IPv6 address stands in brackets, which `host` is without. A
// password is refused: it would come into process lists, logs and folders of runs. 0, or -1 with
// `error` set, which never quotes it.
int url_read(const char *text, struct url *url, struct error *error);

// Whether a text says where a password is: `env:NAME`, in a variable of the environment, or
// `file:PATH`, in the first line of a file.
bool password_is_named(const char *where);

// Reads it to `out`. 0, or -1 with `error` set, which never quotes it.
int password_read(const char *where, char *out, size_t room, struct error *error);

#endif
