// wrongful-release: a hold whose lock vanished from the server inside its lease although the holder
// had not released it. Its own release says so: "not yours" or "gone", answered while the lease
// must still have been valid. Schemes that cannot tell (UNCHECKED) never prove it.
#include "harness/check/catalogue.h"
#include "harness/check/describe.h"
#include "harness/check/sweep.h"

#include <stdio.h>

static bool is_wronged(const struct digest *digest, const struct hold *hold)
{
    bool vanished = hold->answer == RELEASE_NOT_OWNER || hold->answer == RELEASE_GONE;
    if (!vanished || hold->returned_ns == TIME_NEVER)
        return false;
    if (hold->returned_ns >= hold_lease_end_ns(digest, hold))
        return false;
    // A release that lasted as long as a request's time-out may have been sent twice: the second
    // then finds what the first has done.
    int64_t request_ns = digest->trial->scenario->lock.request_ns;
    return request_ns <= 0 || hold->returned_ns - hold->released_ns < request_ns;
}

// How well `other` explains that the lock of `wronged` vanished; 0: not at all. From GUILT_CERTAIN
// on it was a release that had no business inside the wronged hold.
#define GUILT_CERTAIN 4
static int guilt(const struct digest *digest, const struct hold *wronged, const struct hold *other)
{
    if ((other->client == wronged->client && other->worker == wronged->worker) ||
        !other->release_invoked || other->released_ns >= wronged->returned_ns)
        return 0;
    bool answered = other->returned_ns != TIME_NEVER;
    // The server may have granted as early as the acquire's invoke.
    if (answered && other->returned_ns <= wronged->invoked_ns)
        return 0;
    bool lease_over =
        hold_lease_end_ns(digest, other) <= (answered ? other->returned_ns : other->released_ns);
    if (!answered || other->answer == RELEASE_UNKNOWN)
        return lease_over ? 2 : 1;
    if (other->answer != RELEASE_RELEASED && other->answer != RELEASE_UNCHECKED)
        return 0;
    if (lease_over)
        return 5;
    if (other->returned_ns > wronged->returned_ns)
        return 0;
    // One that began before the grant may be the ordinary hand-off.
    return other->released_ns >= wronged->granted_ns ? GUILT_CERTAIN : 3;
}

static size_t find_culprit(const struct digest *digest, size_t wronged)
{
    size_t culprit = SIZE_MAX;
    int most = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        int found = i == wronged ? 0 : guilt(digest, &digest->holds[wronged], &digest->holds[i]);
        if (found > 0 && found >= most) { // of equals the latest: what it removed was there
            most = found;
            culprit = i;
        }
    }
    return culprit;
}

static void describe(const struct digest *digest, struct finding *finding)
{
    char wronged[DESCRIBE_ROOM];
    char culprit[DESCRIBE_ROOM];
    char by[120] = "no release in the history explains it";
    const struct evidence *evidence = &finding->evidence;
    const struct hold *hold = &digest->holds[evidence->holds[0]];
    describe_holder(digest, evidence->holds[0], wronged);
    if (evidence->holds[1] != SIZE_MAX)
        snprintf(by, sizeof by, "the release of %s %s it",
                 describe_holder(digest, evidence->holds[1], culprit),
                 guilt(digest, hold, &digest->holds[evidence->holds[1]]) >= GUILT_CERTAIN
                     ? "removed"
                     : "may have removed");
    snprintf(
        finding->text, sizeof finding->text,
        "%s's lock vanished while it held it%s: its release was answered \"%s\"; %s (%lld such "
        "hold%s)",
        wronged, hold->proven_until_ns == TIME_NEVER ? "" : " and its lease was valid",
        hold->answer == RELEASE_NOT_OWNER ? "not yours" : "gone", by, (long long)finding->count,
        plural(finding->count));
}

static void decide(const struct digest *digest, struct finding *finding)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (!is_wronged(digest, hold))
            continue;
        finding->count++;
        if (first == SIZE_MAX || hold->returned_ns < digest->holds[first].returned_ns)
            first = i;
    }
    if (first == SIZE_MAX) {
        finding_say(finding, "no holder found its lock gone while its lease was valid");
        return;
    }
    const struct hold *wronged = &digest->holds[first];
    size_t culprit = find_culprit(digest, first);
    int64_t from_ns = culprit == SIZE_MAX
                          ? wronged->released_ns
                          : time_later(wronged->granted_ns, digest->holds[culprit].released_ns);
    finding->state = FINDING_VIOLATED;
    finding->evidence =
        (struct evidence){{first, culprit}, {SIZE_MAX, SIZE_MAX}, from_ns, wronged->returned_ns};
    describe(digest, finding);
}

const struct check wrongful_release_check = {
    .name = "wrongful-release",
    .summary = "no lock vanishes from the server inside its lease unless its holder releases it",
    .decide = decide,
};
