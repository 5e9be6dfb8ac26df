// doctor: what this machine has and lacks for a run, and what to do about it.
#include "harness/base/clock_shift.h"
#include "harness/base/limits.h"
#include "harness/base/scope.h"
#include "harness/base/table.h"
#include "harness/cli/verb.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"
#include "harness/cluster/wires.h"
#include "harness/report/report.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void note(struct table *table, const char *what, bool good, const char *detail)
{
    table_cell(table, COLOUR_PLAIN, what);
    table_cell(table, good ? COLOUR_GREEN : COLOUR_YELLOW, good ? "ok" : "limited");
    table_cell(table, COLOUR_PLAIN, detail);
}

static const struct {
    const char *name;
    enum wire_effect effect;
} effects[] = {{"partition wires", WIRE_PARTITION}, {"buffer wires", WIRE_BUFFER}};

#define EFFECTS (sizeof effects / sizeof *effects)

// What can be had in an empty sandbox: namespaces, then each effect. Its conductor, a process of
// its own, finds that out.
struct prospect {
    bool good;
    char detail[1100]; // "": not looked at
};

static int look_around(const struct sandbox *sandbox, void *context)
{
    struct prospect *prospects = context;
    struct error error = {0};
    prospects[0].good = sandbox->isolation == ISOLATION_NAMESPACES;
    if (prospects[0].good)
        snprintf(prospects[0].detail, sizeof prospects[0].detail,
                 "runs are hermetic, without root");
    else
        snprintf(prospects[0].detail, sizeof prospects[0].detail,
                 "%s; runs use loopback ports instead, and faults that cut the network are "
                 "skipped. Remedy: %s",
                 sandbox->why_loopback,
                 geteuid() == 0 ? "docker run --privileged, of a container; a chroot has none"
                                : "sysctl kernel.unprivileged_userns_clone=1, or run as root");
    struct wires *wires = prospects[0].good ? wires_open(&error) : NULL;
    for (size_t i = 0; i < EFFECTS && prospects[0].good; i++) {
        struct prospect *prospect = &prospects[i + 1];
        const char *means = wires != NULL ? wires_means(wires, effects[i].effect, &error) : NULL;
        prospect->good = means != NULL;
        snprintf(prospect->detail, sizeof prospect->detail, "%s",
                 means != NULL ? means : error.text);
    }
    wires_close(wires);
    return 0;
}

static void check_servers(struct table *table)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        const struct server_kind *kind = server_catalogue[i];
        char detail[200];
        if (kind->form.is_custom)
            continue;
        bool good = server_is_installed(kind);
        if (good)
            server_version(kind, detail, sizeof detail);
        else
            snprintf(detail, sizeof detail,
                     "its schemes are skipped; apt-get install %s (or: scripts/setup)",
                     kind->package);
        note(table, kind->name, good, detail);
    }
}

static void check_limits(struct table *table)
{
    char detail[200];
    for (const struct limit_need *need = limit_needs; need->what != NULL; need++) {
        unsigned long long allowed;
        bool enough = limit_suffices(need, &allowed);
        if (!enough)
            snprintf(detail, sizeof detail, "%llu; raise them to %llu: ulimit %s %llu", allowed,
                     need->enough, need->option, need->enough);
        else if (allowed == ~0ULL)
            snprintf(detail, sizeof detail, "unlimited");
        else
            snprintf(detail, sizeof detail, "%llu%s", allowed,
                     need->resource == RLIMIT_NOFILE && allowed < 10240
                         ? "; thousands of clients need 10240: ulimit -Hn 10240"
                         : "");
        note(table, need->what, enough, detail);
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(detail, sizeof detail, "%ld%s", processors,
             processors > 1 ? "" : "; client and server always share it");
    note(table, "processors", processors > 1, detail);
}

static int run(const struct words *words, void *options)
{
    (void)options;
    if (words->count > 0)
        return usage_error(&doctor_verb, "it takes no arguments");
    struct table *table = TABLE_OF("WHAT", "STATE", "DETAIL");
    struct error error = {0};
    check_servers(table);
    struct prospect *prospects = memory_shared((EFFECTS + 1) * sizeof *prospects);
    (void)sandbox_run(false, look_around, prospects);
    note(table, "namespaces", prospects[0].good,
         prospects[0].detail[0] != '\0' ? prospects[0].detail : "no sandbox could be made");
    bool has_ip = program_exists("ip");
    note(table, "ip (iproute2)", has_ip, has_ip ? "wires the nodes" : "apt-get install iproute2");
    for (size_t i = 0; i < EFFECTS && prospects[i + 1].detail[0] != '\0'; i++)
        note(table, effects[i].name, prospects[i + 1].good, prospects[i + 1].detail);
    AUTO_FREE char *preload = clock_preload_path(&error);
    note(table, "server clocks", preload != NULL, preload != NULL ? preload : error.text);
    char plots[200];
    bool plotting = plots_available(plots, sizeof plots);
    note(table, "gnuplot", plotting, plotting ? "draws the plots" : plots);
    check_limits(table);
    table_print(table, stdout, colour_wanted(stdout));
    table_free(table);
    puts("\nReady: lockpick run scenarios/increment");
    return EXIT_AS_EXPECTED;
}

const struct verb doctor_verb = {
    .name = "doctor",
    .arguments = "",
    .summary = "Says what this machine has and lacks for a run, and what to do about it",
    .run = run,
};
