// The story of a violation: who held the lock when, what each read and wrote, what struck
// meanwhile, and what would have prevented it.
#include "harness/check/describe.h"
#include "harness/check/silence.h"
#include "harness/check/updates.h"
#include "harness/check/wrongful_release.h"
#include "harness/report/report.h"
#include "harness/report/story_cast.h"

#include <stdlib.h>
#include <string.h>

#define FENCING "a fencing token checked by the store (fenced: true)"

// --- what is told besides the evidence's holds ---------------------------------------------------

// The hold that was granted because the lock had been removed, if there is one.
static size_t granted_after_removal(const struct digest *digest, const struct evidence *evidence)
{
    const struct hold *wronged = &digest->holds[evidence->holds[0]];
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (i != evidence->holds[0] && i != evidence->holds[1] &&
            hold->granted_ns > evidence->from_ns && hold->granted_ns < wronged->returned_ns &&
            hold->granted_ns >= wronged->granted_ns)
            return i;
    }
    return SIZE_MAX;
}

static void tell_removal(struct story *story, const struct finding *finding)
{
    story->needs_ends = true;
    story->wronged = finding->evidence.holds[0];
    story->culprit = finding->evidence.holds[1];
    story->certainly = wrongful_release_is_certain(story->digest, &finding->evidence);
    story_add_hold(story, granted_after_removal(story->digest, &finding->evidence));
}

static void tell_waiters(struct story *story, const struct silence *silence)
{
    int told = 0;
    for (size_t i = 0; i < story->digest->attempt_count && told < 3; i++) {
        char who[DESCRIBE_ROOM];
        const struct attempt *attempt = &story->digest->attempts[i];
        if (attempt->returned_ns < silence->from_ns || i == silence->attempt || attempt->died)
            continue;
        describe_worker(story->digest, attempt->client, attempt->worker, who);
        story_line_add(&story->lines, attempt->invoked_ns, LINE_HELPFUL, SIZE_MAX, who,
                       "goes for the lock and waits");
        told++;
    }
}

// The acquire that may have left the lock behind.
static void tell_lost_acquire(struct story *story, const struct silence *silence)
{
    char who[DESCRIBE_ROOM];
    if (silence->attempt == SIZE_MAX)
        return;
    const struct attempt *attempt = &story->digest->attempts[silence->attempt];
    describe_worker(story->digest, attempt->client, attempt->worker, who);
    story_line_add(&story->lines, attempt->invoked_ns, LINE_NEEDED, SIZE_MAX, who,
                   "begins to acquire the lock");
    if (attempt->died && !story_fault_killed(story->digest, attempt->client))
        story_line_add(&story->lines, attempt->died_ns, LINE_NEEDED, SIZE_MAX, who,
                       "dies, acquiring the lock");
    if (!attempt->died)
        story_line_add(&story->lines, attempt->returned_ns, LINE_NEEDED, SIZE_MAX, who,
                       "gets no answer to its acquire");
}

static void tell_silence(struct story *story, const struct finding *finding)
{
    char length[DESCRIBE_ROOM];
    struct silence silence = silence_find(story->digest);
    story->needs_ends = true;
    tell_lost_acquire(story, &silence);
    tell_waiters(story, &silence);
    text_duration(finding->evidence.to_ns - finding->evidence.from_ns, length, sizeof length);
    story_line_add(&story->lines, finding->evidence.to_ns, LINE_KEY, SIZE_MAX, "nobody",
                   "has been granted the lock for %s", length);
}

// --- what it means -------------------------------------------------------------------------------

// Acknowledged increments that are not in the final value, whatever is told; 0 if that is not
// known, or if all are.
static int64_t lost_in_all(const struct digest *digest)
{
    struct updates updates;
    if (strcmp(digest->trial->scenario->workload.kind, "increment") != 0 ||
        !digest->initial_known || !digest->final_known)
        return 0;
    updates_count(digest, &updates);
    int64_t missing = updates.acknowledged - (digest->final_value - digest->initial_value);
    return missing > 0 ? missing : 0;
}

static void tell_loss(const struct digest *digest, struct text *out)
{
    struct updates updates;
    int64_t lost = lost_in_all(digest);
    if (lost == 0)
        return;
    updates_count(digest, &updates);
    text_format(out, "In all, %lld of %lld acknowledged increment%s %s lost. ", (long long)lost,
                (long long)updates.acknowledged, plural(updates.acknowledged),
                lost == 1 ? "was" : "were");
}

static bool has_trait_named(const struct trial *trial, const char *trait)
{
    return trial->traits != NULL && trial_has_trait(trial, trait);
}

static void close_double_grant(const struct story *story, const struct finding *finding,
                               struct text *out)
{
    char length[DESCRIBE_ROOM];
    const struct evidence *evidence = &finding->evidence;
    const struct trial *trial = story->digest->trial;
    text_duration(evidence->to_ns - evidence->from_ns, length, sizeof length);
    text_format(out, "Two holders coexisted for %s", length);
    if (story->digest->holds[evidence->holds[0]].proven_until_ns != TIME_NEVER)
        text_format(out,
                    " while the lease of each was valid: the lock%s broke its promise. What would "
                    "have limited the harm: " FENCING ".",
                    has_trait_named(trial, "redis") ? " service" : "");
    else if (has_trait_named(trial, "redis"))
        text_add(out,
                 ": this lock lets two in. What would have prevented it: a lock that checks and "
                 "takes in one step, at the server.");
    else if (has_trait_named(trial, "local"))
        text_add(out,
                 ": this lock keeps apart the workers of one process, and knows nothing of others. "
                 "What would have prevented it: a lock at a server that all clients ask.");
    else
        text_add(out,
                 ": this lock lets two in. What would have prevented it: a lock that checks and "
                 "takes in one step, at a server that all clients ask.");
}

static bool store_refused_writes(const struct digest *digest)
{
    for (size_t i = 0; i < digest->access_count; i++) {
        if (digest->accesses[i].is_write && digest->accesses[i].outcome == OUTCOME_NO)
            return true;
    }
    return false;
}

static void close_stale_holder(const struct story *story, const struct finding *finding,
                               struct text *out)
{
    char length[DESCRIBE_ROOM];
    const struct evidence *evidence = &finding->evidence;
    text_duration(evidence->to_ns - evidence->from_ns, length, sizeof length);
    text_format(out, "Two holders coexisted for %s. ", length);
    if (!finding->harmless && story->harm)
        text_add(out, "What would have prevented the harm: " FENCING ".");
    else if (!finding->harmless)
        text_add(out, "No harm was seen this time. What would rule it out: " FENCING ".");
    else if (store_refused_writes(story->digest))
        text_add(out,
                 "It did no harm: the store checks fencing tokens, and refused the stale write.");
    else
        text_add(out, "It did no harm: the store checks fencing tokens, and no stale write came.");
}

static void close_stale_write(const struct story *story, const struct finding *finding,
                              struct text *out)
{
    (void)story;
    if (finding->evidence.accesses[1] != SIZE_MAX)
        text_add(out,
                 "The store accepted an old fencing token after it had answered a newer one. What "
                 "would have prevented it: a store that remembers the highest token it has seen.");
    else
        text_add(out,
                 "The store accepted a write of a worker that had lost the lock to another. What "
                 "would have prevented it: " FENCING ".");
}

static void close_lost_update(const struct story *story, const struct finding *finding,
                              struct text *out)
{
    if (lost_in_all(story->digest) <= 0)
        text_format(out, "%lld increment%s wrong. ", (long long)finding->count,
                    finding->count == 1 ? " went" : "s went");
    text_add(out, "What would have prevented it: a lock that excludes, or a store that writes only "
                  "if the value is still the one that was read.");
}

static void close_oversell(const struct story *story, const struct finding *finding,
                           struct text *out)
{
    (void)story;
    (void)finding;
    text_add(out,
             "The stock was sold wrongly. What would have prevented it: a lock that excludes, or a "
             "store that takes a unit only if the stock is still the one that was read.");
}

static void close_run_once(const struct story *story, const struct finding *finding,
                           struct text *out)
{
    (void)story;
    text_format(out,
                "%lld job%s not done exactly once. What would have prevented it: a lock that lets "
                "one in at a time, or a store that refuses to note a job twice.",
                (long long)finding->count, finding->count == 1 ? " was" : "s were");
}

static void close_unstable_read(const struct story *story, const struct finding *finding,
                                struct text *out)
{
    (void)story;
    (void)finding;
    text_add(out, "A shared hold promises that nobody writes while it lasts. What would have "
                  "prevented it: a writer that waits for every reader.");
}

static void close_reentrancy(const struct story *story, const struct finding *finding,
                             struct text *out)
{
    (void)story;
    (void)finding;
    text_add(out, "A reentrant lock counts how often its holder has entered. What would have "
                  "prevented it: a count that belongs to the holder and is kept as long as the "
                  "lock.");
}

static void close_wrongful_release(const struct story *story, const struct finding *finding,
                                   struct text *out)
{
    (void)finding;
    if (story->culprit == SIZE_MAX)
        text_add(out,
                 "The lock vanished although its holder had not released it and its lease had not "
                 "run out.");
    else
        text_add(out,
                 story->certainly
                     ? "A release removed a lock that was not its own. What would have prevented "
                       "it: comparing the owner and deleting in one step, at the server."
                     : "A release may have removed a lock that was not its own. What would prevent "
                       "that: comparing the owner and deleting in one step, at the server.");
}

static void close_fencing_order(const struct story *story, const struct finding *finding,
                                struct text *out)
{
    (void)story;
    (void)finding;
    text_add(out,
             "A store that trusts such tokens refuses the newer holder and lets the older one "
             "write. What would have prevented it: drawing the token in the same step that grants "
             "the lock.");
}

static void close_stuck(const struct story *story, const struct finding *finding, struct text *out)
{
    (void)finding;
    struct silence silence = silence_find(story->digest);
    bool leased = false;
    for (size_t i = 0; i < story->digest->hold_count && !leased; i++)
        leased = story->digest->holds[i].valid_until_ns != TIME_NEVER;
    if (silence.cause == SILENCE_DIED_ACQUIRING)
        text_add(out,
                 "The lock was left behind by a worker that died before it had it. What would have "
                 "prevented it: taking the lock and setting its lease in one step.");
    else if (silence.cause == SILENCE_LOST_RELEASE && !leased)
        text_add(out,
                 "Nothing frees this lock when a release is lost. What would have prevented it: a "
                 "lease, set in the same step that takes the lock.");
    else if (silence.hold != SIZE_MAX && !leased && silence.cause != SILENCE_RELEASED)
        text_add(out,
                 "Nothing frees this lock when its holder dies. What would have prevented it: a "
                 "lease, set in the same step that takes the lock.");
    else
        text_add(out, "The lock is free, or should be, and still nobody gets it.");
}

// --- the whole -----------------------------------------------------------------------------------

static const struct telling {
    const char *property;
    void (*add)(struct story *story,
                const struct finding *finding); // more than the evidence, or NULL
    void (*close)(const struct story *story, const struct finding *finding, struct text *out);
} tellings[] = {
    {"double-grant", NULL, close_double_grant},
    {"stale-holder", NULL, close_stale_holder},
    {"stale-write", NULL, close_stale_write},
    {"lost-update", NULL, close_lost_update},
    {"oversell", NULL, close_oversell},
    {"run-once", NULL, close_run_once},
    {"unstable-read", NULL, close_unstable_read},
    {"reentrancy", NULL, close_reentrancy},
    {"wrongful-release", tell_removal, close_wrongful_release},
    {"fencing-order", NULL, close_fencing_order},
    {"stuck", tell_silence, close_stuck},
};

static const struct telling *telling_of(const struct finding *finding)
{
    for (size_t i = 0; i < sizeof tellings / sizeof *tellings; i++) {
        if (strcmp(tellings[i].property, finding->check->name) == 0)
            return &tellings[i];
    }
    return NULL;
}

// If a hold that takes part removed the lock of another, its release says so whatever is told; but
// of two who hold one and the same lock at once nobody can tell whose it is that goes.
static void tell_of_removal(struct story *story, const struct finding *told,
                            const struct judgement *judgement)
{
    if (strcmp(told->check->name, "double-grant") == 0)
        return;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        const struct evidence *evidence = &finding->evidence;
        if (finding->state != FINDING_VIOLATED ||
            strcmp(finding->check->name, "wrongful-release") != 0 ||
            !story_has_hold(story, evidence->holds[1]) ||
            !wrongful_release_is_certain(story->digest, evidence))
            continue;
        story->wronged = evidence->holds[0];
        story->culprit = evidence->holds[1];
        story->certainly = true;
    }
}

static bool harm_was_found(const struct judgement *judgement)
{
    static const char *const harms[] = {"stale-write", "lost-update", "oversell"};
    for (size_t i = 0; i < judgement->finding_count; i++) {
        for (size_t j = 0; j < sizeof harms / sizeof *harms; j++) {
            if (finding_counts(&judgement->findings[i]) &&
                strcmp(judgement->findings[i].check->name, harms[j]) == 0)
                return true;
        }
    }
    return false;
}

char *story_tell(const struct digest *digest, const struct judgement *judgement)
{
    const struct finding *finding = judgement_first_violation(judgement);
    if (finding == NULL)
        return memory_string("");
    const struct telling *telling = telling_of(finding);
    struct story story = {.digest = digest,
                          .culprit = SIZE_MAX,
                          .wronged = SIZE_MAX,
                          .harm = harm_was_found(judgement)};
    struct text out = {0};
    story_add_hold(&story, finding->evidence.holds[0]);
    story_add_hold(&story, finding->evidence.holds[1]);
    tell_of_removal(&story, finding, judgement);
    if (telling != NULL && telling->add != NULL)
        telling->add(&story, finding);
    story_tell_holds(&story);
    story_tell_faults(&story);
    story_lines_tell(&story.lines, digest->started_ns, &out);
    story_lines_free(&story.lines);
    if (out.length == 0)
        text_format(&out, "  %s.\n", finding->text);
    if (telling != NULL) {
        text_add(&out, "  ");
        tell_loss(digest, &out);
        telling->close(&story, finding, &out);
        text_add(&out, "\n");
    }
    return out.bytes;
}
