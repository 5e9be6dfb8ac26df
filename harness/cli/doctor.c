// doctor: what this machine has and lacks for a run, and what to do about it.
#include "harness/base/clock_shift.h"
#include "harness/base/limits.h"
#include "harness/base/table.h"
#include "harness/base/text.h"
#include "harness/cli/verb.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"
#include "harness/cluster/wires.h"
#include "harness/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct findings {
    struct table *table;
    int missing; // what a run cannot do without
};

static void note(struct findings *findings, const char *what, bool good, bool needed,
                 const char *detail)
{
    table_cell(findings->table, COLOUR_PLAIN, what);
    if (good)
        table_cell(findings->table, COLOUR_GREEN, "ok");
    else
        table_cell(findings->table, needed ? COLOUR_RED : COLOUR_YELLOW,
                   needed ? "MISSING" : "limited");
    table_cell(findings->table, COLOUR_PLAIN, detail);
    findings->missing += !good && needed;
}

// Has `look` print lines "WHAT|+DETAIL", or -DETAIL of what cannot be had, in an empty sandbox,
// whose conductor is a process of its own; notes them. False if there was none.
static bool ask_sandbox(struct findings *findings,
                        int (*look)(const struct sandbox *sandbox, void *answer))
{
    char line[700];
    FILE *answer = tmpfile();
    bool told = answer != NULL && sandbox_run(false, look, answer) == 0;
    if (told)
        rewind(answer);
    while (told && fgets(line, sizeof line, answer) != NULL) {
        char *detail = strchr(line, '|');
        line[strcspn(line, "\n")] = '\0';
        if (detail == NULL)
            continue;
        *detail++ = '\0';
        note(findings, line, *detail == '+', false, detail + 1);
    }
    if (answer != NULL)
        fclose(answer);
    return told;
}

static int look_around(const struct sandbox *sandbox, void *answer)
{
    if (sandbox->isolation == ISOLATION_NAMESPACES)
        fputs("namespaces|+runs are hermetic, without root\n", answer);
    else
        fprintf(answer,
                "namespaces|-%s; runs use loopback ports instead, and faults that cut the network "
                "are skipped. Remedy: sysctl kernel.unprivileged_userns_clone=1, or run as root\n",
                sandbox->why_loopback);
    return fflush(answer);
}

// Says of each effect whether it can be had there, and by what means.
static int try_wires(const struct sandbox *sandbox, void *answer)
{
    static const struct {
        const char *name;
        enum wire_effect effect;
    } effects[] = {{"partition wires", WIRE_PARTITION}, {"buffer wires", WIRE_BUFFER}};
    struct error error = {0};
    if (sandbox->isolation != ISOLATION_NAMESPACES)
        return 0;
    struct wires *wires = wires_open(&error);
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
        const char *means = wires != NULL ? wires_means(wires, effects[i].effect, &error) : NULL;
        fprintf(answer, "%s|%c%s\n", effects[i].name, means != NULL ? '+' : '-',
                means != NULL ? means : error.text);
    }
    wires_close(wires);
    return fflush(answer);
}

static void check_servers(struct findings *findings)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        const struct server_kind *kind = server_catalogue[i];
        char detail[200];
        bool good = server_is_installed(kind);
        if (good)
            server_version(kind, detail, sizeof detail);
        else
            snprintf(detail, sizeof detail,
                     "its schemes are skipped; apt-get install %s (or: scripts/setup)",
                     kind->package);
        note(findings, kind->name, good, false, detail);
    }
}

static void check_limits(struct findings *findings)
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
        note(findings, need->what, enough, false, detail);
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(detail, sizeof detail, "%ld%s", processors,
             processors > 1 ? "" : "; client and server always share it");
    note(findings, "processors", processors > 1, false, detail);
}

static int run(const struct words *words, void *options)
{
    (void)options;
    if (words->count > 0)
        return usage_error(&doctor_verb, "it takes no arguments");
    static const char *const headings[] = {"WHAT", "STATE", "DETAIL", NULL};
    struct findings findings = {.table = table_new(headings)};
    check_servers(&findings);
    if (!ask_sandbox(&findings, look_around))
        note(&findings, "namespaces", false, false, "no sandbox could be made");
    note(&findings, "ip (iproute2)", program_exists("ip"), false,
         program_exists("ip") ? "wires the nodes" : "apt-get install iproute2");
    ask_sandbox(&findings, try_wires);
    struct error error = {0};
    char *preload = clock_preload_path(&error);
    note(&findings, "server clocks", preload != NULL, false,
         preload != NULL ? preload : error.text);
    free(preload);
    char plots[200] = "draws the plots";
    bool plotting = plots_available(plots, sizeof plots);
    note(&findings, "gnuplot", plotting, false, plotting ? "draws the plots" : plots);
    check_limits(&findings);
    table_print(findings.table, stdout, colour_wanted(stdout));
    table_free(findings.table);
    puts(findings.missing ? "\nSomething needed is missing: scripts/setup installs it."
                          : "\nReady: lockpick run scenarios/increment");
    return findings.missing ? EXIT_ENVIRONMENT : 0;
}

const struct verb doctor_verb = {
    .name = "doctor",
    .arguments = "",
    .summary = "Says what this machine has and lacks for a run, and what to do about it",
    .run = run,
};
