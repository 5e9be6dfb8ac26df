#include "harness/base/url.h"

#include "harness/base/file.h"
#include "harness/base/scope.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Copies text[0..length) to `out`; if `is_encoded`, %XX becomes a byte. -1 if it does not fit, or
// has a wrong %XX.
static int copy(const char *text, size_t length, bool is_encoded, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        char byte = text[i];
        if (is_encoded && byte == '%') {
            if (length - i < 3 || !isxdigit((unsigned char)text[i + 1]) ||
                !isxdigit((unsigned char)text[i + 2]))
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

// The length of the host at the beginning of text[0..length), which is "host", "host:port" or, of
// an IPv6 address, "[host]:port"; with its brackets. 0 with `error` set.
static size_t host_length(const char *text, size_t length, struct error *error)
{
    const char *colon = memchr(text, ':', length);
    const char *bracket = memchr(text, ']', length);
    size_t host = colon != NULL ? (size_t)(colon - text) : length;
    bool is_bracketed = length > 0 && text[0] == '[';
    if (is_bracketed && bracket != NULL)
        host = (size_t)(bracket + 1 - text);
    const char *last_colon = memrchr(text, ':', length);
    if (is_bracketed ? bracket == NULL : colon != last_colon)
        error_set(error, "an IPv6 address must stand in brackets: [::1]:PORT");
    else if (host < length && text[host] != ':')
        error_set(error, "only ':' and a port may come after the ']' of an IPv6 address");
    else if (host == 0)
        error_set(error, "a host's name is missing");
    else
        return host;
    return 0;
}

static int read_host(const char *text, size_t length, struct url *url, struct error *error)
{
    struct in6_addr ignored;
    if (url->host_count == URL_MOST_HOSTS)
        return error_set(error, "more than %d hosts", URL_MOST_HOSTS);
    size_t host = host_length(text, length, error);
    bool is_bracketed = text[0] == '[';
    int number = url->host_count++;
    char *name = url->hosts[number].host;
    if (host == 0)
        return -1;
    if (copy(text + is_bracketed, host - 2 * is_bracketed, false, name,
             sizeof url->hosts[number].host) != 0)
        return error_set(error, "the host '%.*s' is too long", (int)host, text);
    if (is_bracketed && inet_pton(AF_INET6, name, &ignored) != 1)
        return error_set(error, "'%s' is no IPv6 address, which '[' begins", name);
    if (host == length)
        return 0;
    char digits[8];
    const char *colon = text + host;
    size_t count = length - host - 1;
    int port = copy(colon + 1, count, false, digits, sizeof digits) == 0 ? atoi(digits) : 0;
    if (port < 1 || port > 65535 || strspn(digits, "0123456789") != count)
        return error_set(error, "a port must be a whole number from 1 to 65535");
    url->hosts[number].port = port;
    return 0;
}

int url_read(const char *text, struct url *url, struct error *error)
{
    *url = (struct url){0};
    const char *separator = strstr(text, "://");
    if (separator == NULL || separator == text ||
        copy(text, (size_t)(separator - text), false, url->scheme, sizeof url->scheme) != 0)
        return error_set(error, "it does not begin with a kind of server and '://'");
    const char *rest = separator + 3;
    // Also of a password that has a '/' in it.
    const char *at = strrchr(rest, '@');
    const char *path = at != NULL ? at : rest;
    path += strcspn(path, "/");
    size_t length = (size_t)(path - rest);
    if (strchr(path, '?') != NULL)
        return error_set(error, "what comes after a '?' would be ignored: leave it out");
    if (at != NULL) {
        if (memchr(rest, ':', (size_t)(at - rest)) != NULL)
            return error_set(error, "a password in it would come into process lists, logs and the "
                                    "run's folder: leave it out, and say where it is by "
                                    "'password': env:NAME or file:PATH");
        if (copy(rest, (size_t)(at - rest), true, url->user, sizeof url->user) != 0)
            return error_set(error, "the user before the '@' is too long, or has a wrong %%XX");
        length -= (size_t)(at + 1 - rest);
        rest = at + 1;
    }
    if (*path == '/' && copy(path + 1, strlen(path + 1), false, url->path, sizeof url->path) != 0)
        return error_set(error, "what comes after the last '/' is too long");
    for (const char *end = rest + length; rest <= end;) {
        const int number = url->host_count;
        const char *comma = memchr(rest, ',', (size_t)(end - rest));
        size_t one = comma != NULL ? (size_t)(comma - rest) : (size_t)(end - rest);
        if (read_host(rest, one, url, error) != 0)
            return -1;
        for (int i = 0; i < number; i++) {
            if (strcmp(url->hosts[i].host, url->hosts[number].host) == 0 &&
                url->hosts[i].port == url->hosts[number].port)
                return error_set(error, "'%.*s' stands there twice: it would count as two servers",
                                 (int)one, rest);
        }
        rest += one + 1;
    }
    return 0;
}

bool password_is_named(const char *where)
{
    return (strncmp(where, "env:", 4) == 0 && where[4] != '\0') ||
           (strncmp(where, "file:", 5) == 0 && where[5] != '\0');
}

int password_read(const char *where, char *out, size_t room, struct error *error)
{
    AUTO_TEXT struct text file = {0};
    if (!password_is_named(where))
        return error_set(error, "a password is given by where it is: env:NAME or file:PATH");
    const char *name = strchr(where, ':') + 1;
    bool is_file = where[0] == 'f';
    if (is_file && file_read(name, &file, error) != 0)
        return -1;
    const char *from = is_file ? text_string(&file) : getenv(name);
    if (from == NULL)
        return error_set(error, "the environment has no variable %s: export it before the run",
                         name);
    size_t length = strcspn(from, "\r\n");
    if (length == 0)
        return error_set(error, "%s: it is empty", where);
    return copy(from, length, false, out, room) == 0
               ? 0
               : error_set(error, "%s: it is longer than %zu bytes", where, room - 1);
}

const char *tls_ca(const struct tls_settings *settings)
{
    return strcmp(settings->ca, TLS_OF_SYSTEM) == 0 ? "/etc/ssl/certs/ca-certificates.crt"
                                                    : settings->ca;
}
