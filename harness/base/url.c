#include "harness/base/url.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Copies text[0..length) to `out`. -1 if it does not fit.
static int copy(const char *text, size_t length, char *out, size_t room)
{
    if (length >= room)
        return -1;
    memcpy(out, text, length);
    out[length] = '\0';
    return 0;
}

// The same, and %XX becomes a byte.
static int copy_decoded(const char *text, size_t length, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        char byte = text[i];
        if (byte == '%') {
            if (length - i < 3)
                return -1;
            if (!isxdigit((unsigned char)text[i + 1]) || !isxdigit((unsigned char)text[i + 2]))
                return -1;
            const char digits[] = {text[i + 1], text[i + 2], '\0'};
            byte = (char)strtol(digits, NULL, 16);
            i += 2;
        }
        if (used + 1 >= room)
            return -1;
        out[used++] = byte;
    }
    out[used] = '\0';
    return 0;
}

static int read_credentials(const char *text, size_t length, struct url *url, struct error *error)
{
    const char *colon = memchr(text, ':', length);
    size_t user = colon != NULL ? (size_t)(colon - text) : length;
    if (copy_decoded(text, user, url->user, sizeof url->user) != 0)
        return error_set(error, "the user before the '@' is too long, or has a wrong %%XX");
    if (colon != NULL &&
        copy_decoded(colon + 1, length - user - 1, url->password, sizeof url->password) != 0)
        return error_set(error, "the password before the '@' is too long, or has a wrong %%XX");
    return 0;
}

static int read_port(const char *text, size_t length, int *port, struct error *error)
{
    char digits[8];
    if (copy(text, length, digits, sizeof digits) != 0 || length == 0 ||
        strspn(digits, "0123456789") != length || atoi(digits) < 1 || atoi(digits) > 65535)
        return error_set(error, "a port must be a whole number from 1 to 65535, not '%.*s'",
                         (int)length, text);
    *port = atoi(digits);
    return 0;
}

static int read_host(const char *text, size_t length, struct url *url, struct error *error)
{
    if (url->host_count == URL_MOST_HOSTS)
        return error_set(error, "more than %d hosts", URL_MOST_HOSTS);
    const char *colon = memchr(text, ':', length);
    size_t host = colon != NULL ? (size_t)(colon - text) : length;
    int number = url->host_count++;
    if (host == 0)
        return error_set(error, "a host's name is missing");
    if (copy(text, host, url->hosts[number].host, sizeof url->hosts[number].host) != 0)
        return error_set(error, "the host '%.*s' is too long", (int)host, text);
    return colon == NULL ? 0
                         : read_port(colon + 1, length - host - 1, &url->hosts[number].port, error);
}

static int read_hosts(const char *text, size_t length, struct url *url, struct error *error)
{
    for (;;) {
        const char *comma = memchr(text, ',', length);
        size_t one = comma != NULL ? (size_t)(comma - text) : length;
        if (read_host(text, one, url, error) != 0)
            return -1;
        if (comma == NULL)
            return 0;
        text += one + 1;
        length -= one + 1;
    }
}

int url_read(const char *text, struct url *url, struct error *error)
{
    *url = (struct url){0};
    const char *separator = strstr(text, "://");
    if (separator == NULL || separator == text ||
        copy(text, (size_t)(separator - text), url->scheme, sizeof url->scheme) != 0)
        return error_set(error, "it does not begin with a kind of server and '://'");
    const char *rest = separator + 3;
    size_t length = strcspn(rest, "/");
    const char *path = rest + length;
    // The last '@': a password may hold one, though it should be written %40.
    const char *at = memrchr(rest, '@', length);
    if (at != NULL) {
        size_t credentials = (size_t)(at - rest);
        if (read_credentials(rest, credentials, url, error) != 0)
            return -1;
        rest = at + 1;
        length -= credentials + 1;
    }
    if (*path == '/' && copy(path + 1, strlen(path + 1), url->path, sizeof url->path) != 0)
        return error_set(error, "what comes after the last '/' is too long");
    return read_hosts(rest, length, url, error);
}

bool url_has_password(const char *text)
{
    for (const char *at = text; (at = strstr(at, "://")) != NULL;) {
        at += strlen("://");
        if (at[strcspn(at, "@/ \t\r\n\"'")] == '@')
            return true;
    }
    return false;
}
