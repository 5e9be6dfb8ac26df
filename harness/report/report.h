// From judgements to what people read. Rendering never changes a verdict.
#ifndef LOCKPICK_REPORT_REPORT_H
#define LOCKPICK_REPORT_REPORT_H

#include "harness/base/text.h"
#include "harness/check/check.h"
#include "harness/explain/story.h"
#include "harness/stats/latencies.h"
#include "harness/stats/statistics.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// --- where a run happened: without it no figure can be compared with another ---------------------

// How many processes ran or wanted to, on average over the last one, five and fifteen minutes, as
// in /proc/loadavg: of the whole machine, and of Lockpick's own trials too.
struct machine_load {
    bool is_known;
    double averages[3];
};

// "" or 0: not known.
struct environment {
    char lockpick_version[32];
    char kernel[128];
    char processor[128];
    int processors;
    int lanes;            // the most trials that were conducted at a time
    char servers[400];    // "redis-server 7.0.15, mariadbd 10.11.6": those that the run used
    char isolation[160];  // "namespaces", "namespaces, with ...", or "loopback (why)"
    char placement[240];  // "free: not pinned", "spread: pinned": of all its scenarios
    char durability[400]; // "redis: no persistence; mysql: log flushed at each commit"
    char clock_source[32];
    char governor[32];   // of the processors' speed, for example "performance"
    char began[40];      // ISO 8601, UTC: "2026-11-21T14:00:00Z"
    int64_t duration_ns; // of the whole run; 0: not known
    struct machine_load load_at_begin, load_at_end;
};

// Lists what differs between two environments and bears on costs, a line each, in words: "kernel:
// Linux 6.1 and Linux 6.18". Nothing is added if figures of the two may be compared. What is not
// known of one of them differs from what is known of the other. The loads are those of the last
// minute before the beginning. They differ if they are further apart than half a processor for each
// processor, and than a quarter of the higher one. Of a run that began while the load of the other
// was still dying away, the rest of that does not count.
// Returns how many lines were added.
size_t environment_differences(const struct environment *a, const struct environment *b,
                               struct text *out);

// The key `environment` of result.json: null is what is not known. The caller owns it.
json_t *environment_json(const struct environment *environment);

// Reads it; of older results, which lack some of it, that is not known. NULL: nothing is.
void environment_from_json(const json_t *object, struct environment *environment);

// Adds, in the same way, what bears on costs and of which neither of two such objects tells.
void environment_unknown(const json_t *a, const json_t *b, struct text *out);

// --- what came of it -----------------------------------------------------------------------------

// The pictures of a trial. Those before PICTURES_OF_PAGE may be in a page, the others are but
// files.
enum trial_picture {
    PICTURE_TIMELINE,
    PICTURE_THROUGHPUT,
    PICTURE_LATENCY,
    PICTURE_OPERATIONS,
    PICTURE_SLICES,
    PICTURE_ALL
};

#define PICTURES_OF_PAGE PICTURE_OPERATIONS

// A picture of a trial or of a run, see pictures/picture.h. Free with plots_free or
// run_pictures_free.
struct plot {
    const struct picture_kind *kind;
    char *folder;      // in which its files lie; NULL: there is nothing to draw. Owned
    char *alternative; // in words, for who cannot see it. Owned
    char *svg;         // inline, or NULL. Owned
    bool is_waiting;   // to be drawn
    bool is_drawn;     // its `.svg` lies in the folder
};

// One trial, finished.
struct trial_result {
    const struct trial *trial;
    struct judgement judgement;
    struct statistics statistics;
    struct latency_record latencies;
    bool has_history;  // false: skipped, or failed before there was one
    bool is_cut_short; // its history ends early: it was interrupted or killed
    bool lacks_files;  // some in its folder could not be written
    int lanes;         // how many trials were conducted at a time, this one included; 0: not this
    char *folder;      // its own, inside the run's
    char *story;       // in words; "" if there is nothing to tell. Owned
    struct story_span span; // when that was
    json_t *evidence;       // the same for machines, see evidence_json; NULL if none. Owned
    struct plot plots[PICTURE_ALL];
};

// True if its times are those of a clock that went by itself: a schedule lets time pass only where
// it says so, and nothing is measured by that.
static inline bool trial_was_timed(const struct trial_result *result)
{
    return result->has_history && result->trial->scenario->schedule.count == 0;
}

// Where a picture is shown.
enum picture_place {
    PLACE_VERDICTS, // in the page of a run: beside its verdicts,
    PLACE_COSTS,    // its costs,
    PLACE_RECOVERY, // how soon faults were recovered from;
    PLACE_TRIAL,    // beside each trial; or, if not in the page,
    PLACE_FOLDER,   // linked there
};

struct run_result {
    char *folder; // "results/2026-11-21T02-03-04-increment"
    uint64_t seed;
    struct environment environment;
    struct trial_result *trials;
    size_t count;        // finished ones
    size_t planned;      // as many as the plan has
    bool has_plots;      // gnuplot was there
    char plot_note[200]; // why there are none
    int64_t duration_ns;
    bool strict;           // what was skipped counts as a missing environment
    struct plot *pictures; // of all of it, in plots/; owned
    size_t picture_count;
    char *remarks;    // what bears on all of it, a line each, as of runs that were merged; or NULL
    bool lacks_files; // pictures of it could not be written
    bool is_brief;    // no trial has files beside the report; result.json is brief, see json.c
};

// The name of its files, without ending.
const char *picture_name(enum trial_picture which);

// Writes into the trial's folder what its plots before `end` are drawn from, `.dat` and `.gp`: they
// wait for plots_draw. Of fewer than LEAST_FOR_PERCENTILES acquires there is none of latency. 0, or
// -1 with `error` set if files could not be written.
int plots_write(const struct trial_model *model, struct trial_result *result,
                enum trial_picture end, struct error *error);

// Draws plots that wait for it into their folders, and passes over the others. Many at once take a
// fraction of the time: see gnuplot_run. 0, or -1 with `error` set to why one of them could not be
// drawn; the others are all the same. Without gnuplot nothing is drawn, and that is no error.
int plots_draw(struct plot *const *plots, size_t count, struct error *error);

// All of so many trials.
int plots_draw_all(struct trial_result *results, size_t count, struct error *error);

// Frees what they have in the result.
void plots_free(struct trial_result *result);

// True if gnuplot can be run; else `note` says which package to install.
bool plots_available(char *note, size_t room);

// The verdict table, then the story of each first violation that was not expected (and, unless
// `quiet`, one of each scenario whose violations were), then how the run ended.
struct run_report;
void report_print(const struct run_report *report, FILE *out, bool coloured, bool quiet);

// Of locks that were tried, each with the sound ones of its server beside it: a story for each
// cause that was found first, then a row for each fault that one of them did not survive, with its
// cause and the command that repeats it, said once where they are alike.
struct string_list;
void report_print_tried(const struct run_report *report, const struct string_list *locks, FILE *out,
                        bool coloured);

// By these locks alone: 1 one did not keep what it promises; else 4 a trial failed, or something is
// missing; else 3 not all of that could be decided; else 0.
int report_tried_exit_code(const struct run_report *report, const struct string_list *locks);

// Of each trial the verdict, the reason, the story, what every check found, and where its files
// are.
void report_explain(const struct run_report *report, FILE *out, bool coloured);

// result.json: everything above for machines; FORMATS.md says what its keys mean.
// The caller frees the text.
char *report_json(const struct run_report *report);

// The same as a value, which the caller owns.
struct json_t *report_json_value(const struct run_report *report);

// One trial of it, never brief.
struct json_t *report_trial_json(const struct trial_result *result);

// Draws of the plots that wait for it those that report.html has room for, those that tell most
// first: of a run of which no other picture is kept. 0, or -1 with `error` set as plots_draw.
int html_draw_pictures(struct run_result *run, struct error *error);

// report.html: one page, with the pictures that tell most in it. The caller frees the text.
char *report_html(const struct run_report *report);

// report.md, as GitHub, GitLab and others show a run in a comment: the verdicts as a table, those
// first that need somebody's eyes; each trial that was not as expected, or not decided, with its
// story, folded; the thresholds; what each lock cost; where it was measured. Fewer bytes than the
// 65,536 characters that GitHub takes of one comment: what there is no room for is counted, and
// said to be in report.html. No text of a scenario or a story becomes Markdown or HTML. The caller
// frees it.
char *report_markdown(const struct run_report *report);

// The same in fewer than so many bytes, of which there must be some thousands: for the file that
// $GITHUB_STEP_SUMMARY names, below the MiB that GitHub takes of one step.
#define GITHUB_SUMMARY_BYTES (1000 * 1000)
char *report_markdown_within(const struct run_report *report, size_t most_bytes);

// A run as a table for spreadsheets, a line a trial. RFC 4180: comma-separated, lines end in CR LF,
// the first one names the columns; fields with a comma, a quote or a line break in them are quoted.
// Columns are only ever added, at the end; names that end in _ns are integers, in nanoseconds. A
// field is empty where nothing is known or was measured. What the columns mean is said in
// FORMATS.md. The caller frees the text.
char *report_csv(const struct run_report *report);

#define CSV_BEGINS "trial,scenario,scheme,"

// The process exit code of a run: 1 an expectation missed; else 4 environment missing or broken;
// else 5 a threshold missed; else 3 inconclusive, a verdict or a threshold; else 0.
int report_exit_code(const struct run_report *report);

// --- for CI servers ------------------------------------------------------------------------------

// Every trial and every threshold is a test case, and passes, fails, breaks or is skipped alike in
// each format. A missed expectation is a failure, and so is one that could not be decided; ERROR is
// an error; what was not tried is skipped, and so is what could not be decided where nothing was
// expected, as it neither passed nor failed. A threshold is a failure if it was missed or not
// measured. Trials that a run ended before are told once.

#define JUNIT_BEGINS "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lockpick\""

// junit.xml, in the dialect that Jenkins, GitLab and GitHub's actions agree on: a test suite for
// each scenario. Trials that a run ended before are one error. Valid XML whatever bytes a story
// has. The caller frees the text.
char *report_junit(const struct run_report *report);

// Version 13 of the Test Anything Protocol, which Perl's harness speaks: a line for each case, and
// below those that are "not ok" what is known of them, as a YAML block of plain keys, quoted
// strings and a list of lines. SKIP says why. Of a run that ended early, the trials that did not
// finish are counted in a comment: the exit code tells of them. Text that would break a line is
// quoted or left out, whatever bytes it has. The caller frees the text.
char *report_tap(const struct run_report *report);

// Prints workflow commands of GitHub Actions, each at the line of the scenario that was not met: an
// error for a missed expectation, for ERROR and, in a strict run, for what was skipped; a warning
// for UNKNOWN and for each reason to skip. Likewise for thresholds: an error for one that was
// missed, a warning for one that was not measured. Then every story in a group that can be
// unfolded, and the summary as a notice. Paths are those of the command line, which GitHub takes to
// be relative to the repository. Escaped as in packages/core/src/command.ts of
// github.com/actions/toolkit.
void report_github(const struct run_report *report, FILE *out);

#endif
