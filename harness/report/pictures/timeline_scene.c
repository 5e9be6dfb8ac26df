#include "harness/report/pictures/timeline_scene.h"

#include "harness/base/rank.h"

#include <stdlib.h>

// --- which part of the trial ---------------------------------------------------------------------

// Holds shown of a trial without a violation.
#define PEACEFUL_HOLDS 20
// A violation that is shorter than one in so many parts of the window is shown again, larger.
#define LEAST_SHARE 33
// What was lost is shown with the violation unless it is so many times as far away as that is long.
#define FARTHEST 3

const struct hold *scene_evidence(const struct scene *scene, size_t which)
{
    size_t hold = scene->evidence[which];
    return hold == SIZE_MAX ? NULL : &scene->digest->holds[hold];
}

bool scene_is_evidence(const struct scene *scene, size_t hold)
{
    return hold == scene->evidence[0] || hold == scene->evidence[1];
}

bool scene_shows(const struct scene *scene, enum shows what)
{
    return scene->finding != NULL && scene->finding->check->shows == what;
}

static void find_evidence(struct scene *scene)
{
    const struct digest *digest = scene->digest;
    const struct evidence *evidence = &scene->finding->evidence;
    size_t found = 0;
    for (size_t i = 0; i < 2; i++) {
        if (evidence->holds[i] < digest->hold_count)
            scene->evidence[found++] = evidence->holds[i];
    }
    for (size_t i = 0; i < 2 && found < 2; i++) {
        if (evidence->accesses[i] >= digest->access_count)
            continue;
        size_t hold = digest->accesses[evidence->accesses[i]].hold;
        if (hold < digest->hold_count && hold != scene->evidence[0])
            scene->evidence[found++] = hold;
    }
    // Of a silence: the hold that was not given back, if that is where it comes from.
    if (found == 0 && scene->told && scene->diagnosis.finding == scene->finding &&
        scene->diagnosis.holds[0] != NULL)
        scene->evidence[0] = (size_t)(scene->diagnosis.holds[0] - digest->holds);
}

// With a margin on both sides; but outside the trial there is only as much as sets bars off from
// the edge. Begins at a round time: the axis may count from there.
static void set_window(struct scene *scene, int64_t from_ns, int64_t to_ns, int64_t margin_ns)
{
    int64_t started_ns = scene->digest->started_ns;
    int64_t sliver = time_later((to_ns - from_ns) / 60, 1000);
    margin_ns = time_later(margin_ns, 1000);
    scene->from_ns = time_later(from_ns - margin_ns, time_earlier(started_ns, from_ns) - sliver);
    scene->to_ns =
        time_earlier(to_ns + margin_ns, time_later(scene->digest->ended_ns, to_ns) + sliver);
    int64_t step = 1;
    while (step * 200 < scene->to_ns - scene->from_ns)
        step *= 10;
    if (scene->from_ns > started_ns)
        scene->from_ns -= (scene->from_ns - started_ns) % step;
}

// The whole of both holds; every write of theirs until it was answered; and where a value was lost,
// or a unit sold twice, if that is not far away.
static void choose_violation(struct scene *scene)
{
    static const char *const losses[] = {"lost-update", "oversell", "run-once", NULL};
    const struct digest *digest = scene->digest;
    int64_t from = scene->finding->evidence.from_ns;
    int64_t to = time_later(scene->finding->evidence.to_ns, from);
    for (size_t i = 0; i < 2; i++) {
        const struct hold *hold = scene_evidence(scene, i);
        from = hold != NULL ? time_earlier(from, hold->granted_ns) : from;
        to = hold != NULL ? time_later(to, hold->released_ns) : to;
    }
    int64_t least = from - FARTHEST * time_later(to - from, NS_PER_MS);
    int64_t most = to + FARTHEST * time_later(to - from, NS_PER_MS);
    for (size_t i = 0; i < digest->access_count; i++) {
        const struct access *access = &digest->accesses[i];
        if (access->is_write && scene_is_evidence(scene, access->hold) &&
            access->returned_ns <= most)
            to = time_later(to, access->returned_ns);
    }
    for (size_t i = 0; i < scene->judgement->finding_count; i++) {
        const struct finding *finding = &scene->judgement->findings[i];
        if (finding->state == FINDING_VIOLATED && text_is_one_of(finding->check->name, losses) &&
            finding->evidence.to_ns > 0 && finding->evidence.from_ns >= least &&
            finding->evidence.to_ns <= most) {
            from = time_earlier(from, finding->evidence.from_ns);
            to = time_later(to, finding->evidence.to_ns);
        }
    }
    set_window(scene, from, to, (to - from) / 5);
}

static void choose_beginning(struct scene *scene)
{
    const struct digest *digest = scene->digest;
    int64_t from = digest->hold_count > 0 ? digest->holds[0].granted_ns : digest->started_ns;
    int64_t to = digest->hold_count > 0 ? from : digest->ended_ns;
    for (size_t i = 0; i < digest->hold_count && i < PEACEFUL_HOLDS; i++)
        to = time_later(to, digest->holds[i].released_ns);
    set_window(scene, from, to, (to - from) / 20);
}

bool scene_is_apart(const struct scene *scene)
{
    const struct hold *a = scene_evidence(scene, 0);
    const struct hold *b = scene_evidence(scene, 1);
    return scene->finding->evidence.accesses[0] != SIZE_MAX && a != NULL && b != NULL &&
           (a->released_ns <= b->granted_ns || b->released_ns <= a->granted_ns);
}

bool scene_zoom(struct scene *scene)
{
    if (scene->finding == NULL)
        return false;
    const struct evidence *evidence = &scene->finding->evidence;
    int64_t length = evidence->to_ns - evidence->from_ns;
    bool found_late = scene_shows(scene, SHOWS_REMOVAL) && scene->evidence[1] == SIZE_MAX;
    if (found_late || scene_is_apart(scene) || length <= 0 ||
        length >= (scene->to_ns - scene->from_ns) / LEAST_SHARE)
        return false;
    set_window(scene, evidence->from_ns, evidence->to_ns, length);
    scene->from_ns = time_later(scene->from_ns, scene->digest->started_ns);
    return true;
}

// --- whose rows ----------------------------------------------------------------------------------

int scene_row(const struct scene *scene, int client, int worker)
{
    for (size_t i = 0; i < scene->row_count; i++) {
        if (scene->rows[i].client == client && scene->rows[i].worker == worker)
            return (int)i + 1;
    }
    return 0;
}

// Workers that have no row.
struct hidden {
    int64_t *keys;
    size_t count;
};

static void see_worker(struct scene *scene, int client, int worker, int64_t from_ns, int64_t to_ns,
                       struct hidden *hidden)
{
    if (from_ns > scene->to_ns || to_ns < scene->from_ns || scene_row(scene, client, worker) > 0)
        return;
    if (scene->row_count < TIMELINE_ROWS)
        scene->rows[scene->row_count++] = (struct worker){client, worker};
    else
        hidden->keys[hidden->count++] = ((int64_t)client << 32) | worker;
}

static int compare_workers(const void *left, const void *right)
{
    const struct worker *a = left;
    const struct worker *b = right;
    return a->client != b->client ? (a->client > b->client) - (a->client < b->client)
                                  : (a->worker > b->worker) - (a->worker < b->worker);
}

// Those of the evidence, then holders, then those that only waited or released.
static void choose_rows(struct scene *scene)
{
    const struct digest *digest = scene->digest;
    struct hidden hidden = {
        memory_new((2 * digest->hold_count + digest->attempt_count + 1) * sizeof *hidden.keys), 0};
    for (size_t i = 0; i < 2; i++) {
        const struct hold *hold = scene_evidence(scene, i);
        if (hold != NULL)
            see_worker(scene, hold->client, hold->worker, scene->from_ns, scene->to_ns, &hidden);
    }
    scene->evidence_rows = scene->row_count;
    for (size_t i = 0; i < 2 * digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i % digest->hold_count];
        bool holds = i < digest->hold_count;
        see_worker(scene, hold->client, hold->worker, holds ? hold->granted_ns : hold->invoked_ns,
                   holds ? hold->released_ns
                         : time_earlier(hold->returned_ns,
                                        time_later(hold->released_ns, digest->ended_ns)),
                   &hidden);
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        see_worker(scene, attempt->client, attempt->worker, attempt->invoked_ns,
                   attempt->returned_ns, &hidden);
    }
    qsort(scene->rows + scene->evidence_rows, scene->row_count - scene->evidence_rows,
          sizeof *scene->rows, compare_workers);
    sort_values(hidden.keys, hidden.count);
    for (size_t i = 0; i < hidden.count; i++)
        scene->hidden += i == 0 || hidden.keys[i] != hidden.keys[i - 1];
    free(hidden.keys);
}

struct scene scene_make(const struct digest *digest, const struct judgement *judgement)
{
    struct scene scene = {.digest = digest,
                          .judgement = judgement,
                          .finding = judgement_first_violation(judgement),
                          .evidence = {SIZE_MAX, SIZE_MAX}};
    scene.told = diagnosis_make(digest, judgement, &scene.diagnosis);
    if (scene.finding != NULL)
        find_evidence(&scene);
    if (scene.finding != NULL && scene.finding->evidence.to_ns > 0)
        choose_violation(&scene);
    else
        choose_beginning(&scene);
    choose_rows(&scene);
    return scene;
}
