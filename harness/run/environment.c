#include "harness/base/clock.h"
#include "harness/cluster/server.h"
#include "harness/run/perform.h"
#include "harness/run/servers.h"
#include "harness/run/usage.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

// Adds "what" unless it is there already, or there is no more room.
static void add_once(char *list, size_t room, const char *between, const char *what)
{
    size_t length = strlen(list);
    const char *before = strstr(list, what);
    if (before == NULL && length + 2 + strlen(what) < room)
        snprintf(list + length, room - length, "%s%s", length > 0 ? between : "", what);
}

static void name_servers(const struct plan *plan, char *out, size_t room)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        const struct server_kind *kind = server_catalogue[i];
        char version[64];
        bool is_used = false;
        const char *asked = ""; // each binary of a row of trials is asked once
        for (size_t j = 0; j < plan->count; j++) {
            const struct trial *trial = &plan->trials[j];
            const struct server_settings *settings = scenario_server(trial->scenario, kind->name);
            if (!trial_uses(trial, kind->name))
                continue;
            if (kind->form.is_custom && settings->external == NULL)
                add_once(out, room, ", ", settings->custom.server.command[0]);
            else if (settings->hosts.count > 0) // whose version is not asked
                add_once(out, room, ", ", kind->name);
            else if (settings->binary == NULL)
                is_used = true;
            else if (strcmp(asked, settings->binary) != 0 && program_exists(settings->binary))
                add_once(out, room, ", ",
                         program_version(asked = settings->binary, version, sizeof version));
        }
        if (is_used && kind->program != NULL && server_is_installed(kind))
            add_once(out, room, ", ", server_version(kind, version, sizeof version));
    }
}

// In the order of the catalogue, so that it does not depend on that of the plan.
static void describe_durability(const struct plan *plan, char *out, size_t room)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        const char *server = server_catalogue[i]->name;
        for (size_t j = 0; j < plan->count; j++) {
            const struct trial *trial = &plan->trials[j];
            const struct server_settings *settings = scenario_server(trial->scenario, server);
            if (settings == NULL || !trial_uses(trial, server))
                continue;
            const char *const *durability = server_catalogue[i]->form.durability;
            const char *words = settings->external != NULL ? "somebody else's servers: not known"
                                : durability[settings->persistence] != NULL
                                    ? durability[settings->persistence]
                                    : durability[PERSISTENCE_NONE];
            if (words != NULL)
                add_once(out, room, "; ", words);
        }
    }
}

static void describe_placement(const struct plan *plan, char *out, size_t room)
{
    static const char *const words[] = {
        [PLACEMENT_FREE] = "free: not pinned",
        [PLACEMENT_SPREAD] = "spread: each node pinned, one after the other over the processors",
        [PLACEMENT_TOGETHER] = "together: all nodes pinned to one processor"};
    for (enum placement placement = 0; placement <= PLACEMENT_TOGETHER; placement++) {
        for (size_t i = 0; i < plan->count; i++) {
            if (plan->trials[i].scenario->clients.placement == placement)
                add_once(out, room, "; ", words[placement]);
        }
    }
}

struct machine_load machine_load_read(void)
{
    char line[128];
    struct machine_load load = {0};
    load.is_known = sscanf(line_of_file("/proc/loadavg", "", line, sizeof line), "%lf %lf %lf",
                           &load.averages[0], &load.averages[1], &load.averages[2]) == 3;
    return load;
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
    line_of_file("/proc/cpuinfo", "model name\t: ", environment->processor,
                 sizeof environment->processor);
    environment->processors = processors_allowed();
    name_servers(plan, environment->servers, sizeof environment->servers);
    if (sandbox->isolation == ISOLATION_NAMESPACES)
        snprintf(environment->isolation, sizeof environment->isolation, "namespaces%s",
                 sandbox_has_gateway(sandbox)
                     ? ", with a gateway to external servers, whose way is in all times"
                     : "");
    else
        snprintf(environment->isolation, sizeof environment->isolation, "loopback (%.140s)",
                 sandbox->why_loopback);
    line_of_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "",
                 environment->clock_source, sizeof environment->clock_source);
    describe_placement(plan, environment->placement, sizeof environment->placement);
    describe_durability(plan, environment->durability, sizeof environment->durability);
    line_of_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "", environment->governor,
                 sizeof environment->governor);
    if (strcmp(environment->governor, "unknown") == 0)
        environment->governor[0] = '\0';
    environment->load_at_begin = machine_load_read();
    time_t now = (time_t)(clock_realtime_ns() / NS_PER_S);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(environment->began, sizeof environment->began, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
