// Where a service is and who we are to it, in one word: `redis://user:password@host:6379/0`.
#ifndef LOCKPICK_BASE_URL_H
#define LOCKPICK_BASE_URL_H

#include "harness/base/error.h"

#include <stdbool.h>

#define URL_MOST_HOSTS 8

struct url {
    char scheme[16];
    char user[64];      // "" if none
    char password[128]; // "" if none
    struct {
        char host[48];
        int port; // 0: not said
    } hosts[URL_MOST_HOSTS];
    int host_count; // at least 1
    char path[64];  // what comes after the '/', "" if nothing
};

// Reads `scheme://[user[:password]@]host[:port][,host[:port]...][/path]`; %XX stands for a byte in
// user and password. 0, or -1 with `error` set, which never quotes the password.
int url_read(const char *text, struct url *url, struct error *error);

// True if a URL that is somewhere in the text has a user or password.
bool url_has_password(const char *text);

#endif
