#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/cli/performance.h"
#include "harness/cluster/server.h"
#include "harness/drive/fit.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

// The first line of a file, or "unknown".
static void first_line(const char *path, char *out, size_t room)
{
    struct text content = {0};
    bool read = file_read(path, &content, NULL) == 0;
    int length = (int)strcspn(text_string(&content), "\n");
    snprintf(out, room, "%.*s", read ? length : 7, read ? text_string(&content) : "unknown");
    text_free(&content);
}

static void processor_name(char *out, size_t room)
{
    struct text information = {0};
    snprintf(out, room, "unknown");
    if (file_read("/proc/cpuinfo", &information, NULL) == 0) {
        const char *name = strstr(text_string(&information), "model name");
        name = name ? strchr(name, ':') : NULL;
        if (name != NULL)
            snprintf(out, room, "%.*s", (int)strcspn(name + 2, "\n"), name + 2);
    }
    text_free(&information);
}

static bool is_used(const struct plan *plan, const char *server)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (trial_uses(&plan->trials[i], server))
            return true;
    }
    return false;
}

static void name_servers(const struct plan *plan, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; server_catalogue[i] != NULL && used < room; i++) {
        const struct server_kind *kind = server_catalogue[i];
        char version[64];
        if (is_used(plan, kind->name) && server_is_installed(kind))
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "",
                                     server_version(kind, version, sizeof version));
    }
}

void environment_describe(const struct sandbox *sandbox, const struct plan *plan,
                          struct environment *environment)
{
    *environment = (struct environment){0};
    snprintf(environment->lockpick_version, sizeof environment->lockpick_version, "%s",
             LOCKPICK_VERSION);
    struct utsname system;
    uname(&system);
    snprintf(environment->kernel, sizeof environment->kernel, "%.40s %.80s", system.sysname,
             system.release);
    processor_name(environment->processor, sizeof environment->processor);
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        environment->processors = CPU_COUNT(&allowed);
    name_servers(plan, environment->servers, sizeof environment->servers);
    if (sandbox->isolation == ISOLATION_NAMESPACES)
        snprintf(environment->isolation, sizeof environment->isolation, "namespaces");
    else
        snprintf(environment->isolation, sizeof environment->isolation, "loopback (%.140s)",
                 sandbox->why_loopback);
    first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
               environment->clock_source, sizeof environment->clock_source);
    time_t now = (time_t)(clock_realtime_ns() / NS_PER_S);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(environment->began, sizeof environment->began, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
