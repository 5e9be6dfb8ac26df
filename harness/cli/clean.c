// clean: removes from a server of the user's what runs that were killed have left there.
#include "harness/base/scope.h"
#include "harness/cli/verb.h"
#include "harness/cluster/server.h"
#include "harness/run/servers.h"
#include "harness/wire/recognize.h"

#include <string.h>

static const struct option clean_options[] = {
    {"password", "WHERE", "of the user in the URL: env:NAME or file:PATH",
     TEXT(struct server_settings, password)},
    {"sentinel-password", "WHERE", "of its sentinels, likewise",
     TEXT(struct server_settings, sentinel_password)},
    {"ca", "FILE", "by TLS: certificates that vouch for the server's, or " TLS_OF_SYSTEM,
     TEXT(struct server_settings, tls.ca)},
    {"certificate", "FILE", "by TLS: one's own", TEXT(struct server_settings, tls.certificate)},
    {"key", "FILE", "by TLS: its private key", TEXT(struct server_settings, tls.key)},
    {"server-name", "NAME", "by TLS: that the server's certificate is made out to",
     TEXT(struct server_settings, tls.server_name)},
    {.name = NULL},
};

static bool has_scheme(const char *url, const char *scheme)
{
    size_t length = scheme != NULL ? strlen(scheme) : 0;
    return length > 0 && strncmp(url, scheme, length) == 0 && url[length] == ':';
}

static int run(const struct words *words, void *options)
{
    struct server_settings *settings = options;
    struct error error = {0};
    struct service service;
    AUTO_TEXT struct text urls = {0};
    if (words->count < 1 || words->count > 2)
        return usage_error(&clean_verb, "one URL, and the topology if it is not single");
    const char *url = words->items[0];
    settings->external = (char *)(size_t)url;
    settings->topology = (char *)(size_t)words->items[1];
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        const struct server_kind *kind = server_catalogue[i];
        if (kind->clean == NULL)
            continue;
        text_format(&urls, "%s%s://", urls.length > 0 ? ", " : "", kind->name);
        if (!has_scheme(url, kind->name) && !has_scheme(url, kind->form.tls_scheme))
            continue;
        if (service_of_external(kind->name, settings, &service, &error) != 0)
            return usage_error(&clean_verb, "%s", error.text);
        return service_reach(&service, &error) == 0 &&
                       service_recognize(&service, NULL, &error) == 0 &&
                       kind->clean(&service, &error) == 0
                   ? EXIT_AS_EXPECTED
                   : verb_fails(&clean_verb, EXIT_ENVIRONMENT, "%s", error.text);
    }
    return usage_error(
        &clean_verb,
        "the URL begins with one of %s; what runs leave on other servers ends by itself",
        text_string(&urls));
}

extern const char template_help_clean[];
const struct verb clean_verb = {
    .name = "clean",
    .arguments = "URL [TOPOLOGY] [options]",
    .summary = "Removes what killed runs have left on a server of yours",
    .help = template_help_clean,
    .options = clean_options,
    .room = sizeof(struct server_settings),
    .run = run,
};
