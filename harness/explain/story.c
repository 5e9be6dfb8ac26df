// The story of a violation: who held the lock when, what each read and wrote, what struck
// meanwhile, and what would have prevented it.
#include "harness/explain/story.h"
#include "harness/check/describe.h"
#include "harness/check/hanging_release.h"
#include "harness/check/silence.h"
#include "harness/check/wrongful_release.h"
#include "harness/explain/account.h"
#include "harness/explain/one_lock.h"
#include "harness/explain/story_cast.h"

#include <stdlib.h>
#include <string.h>

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

// True if an earlier acquire of the same worker has been told of.
static bool waited_before(const struct digest *digest, size_t index, int64_t from_ns)
{
    const struct attempt *attempt = &digest->attempts[index];
    for (size_t i = 0; i < index; i++) {
        const struct attempt *other = &digest->attempts[i];
        if (other->client == attempt->client && other->worker == attempt->worker &&
            other->returned_ns >= from_ns)
            return true;
    }
    return false;
}

static void tell_waiters(struct story *story, const struct account *account, int64_t from_ns)
{
    int told = 0;
    for (size_t i = 0; i < story->digest->attempt_count && told < 3; i++) {
        char who[DESCRIBE_ROOM];
        const struct attempt *attempt = &story->digest->attempts[i];
        if (attempt->returned_ns < from_ns || i == account->attempt || attempt->died ||
            waited_before(story->digest, i, from_ns))
            continue;
        describe_worker(story->digest, attempt->client, attempt->worker, who);
        story_line_add(&story->lines, attempt->invoked_ns, LINE_HELPFUL, SIZE_MAX, who,
                       "goes for the lock and waits");
        told++;
    }
}

// The acquire that may have left the lock behind.
static void tell_lost_acquire(struct story *story, size_t lost, bool any_worker)
{
    char who[DESCRIBE_ROOM];
    if (lost == SIZE_MAX)
        return;
    const struct attempt *attempt = &story->digest->attempts[lost];
    describe_worker(story->digest, attempt->client, attempt->worker, who);
    story_line_add(&story->lines, attempt->invoked_ns, LINE_NEEDED, SIZE_MAX, who,
                   "begins to acquire the lock%s",
                   any_worker ? ", as others of its client do" : "");
    if (attempt->died && !story_fault_killed(story->digest, attempt->client))
        story_line_add(&story->lines, attempt->died_ns, LINE_NEEDED, SIZE_MAX, who,
                       "dies, acquiring the lock");
    if (!attempt->died)
        story_line_add(&story->lines, attempt->returned_ns, LINE_NEEDED, SIZE_MAX, who,
                       "gets no answer to its acquire");
}

static void tell_silence(struct story *story, const struct account *account)
{
    char length[DESCRIBE_ROOM];
    const struct finding *finding = account->finding;
    struct silence silence = silence_find(story->digest);
    story->needs_ends = true;
    story_add_hold(story, silence.hold);
    tell_lost_acquire(story, account->attempt, account->any_worker);
    tell_waiters(story, account, silence.from_ns);
    text_duration(finding->evidence.to_ns - finding->evidence.from_ns, length, sizeof length);
    story_line_add(&story->lines, finding->evidence.to_ns, LINE_KEY, SIZE_MAX, "nobody",
                   "has been granted the lock for %s", length);
}

static void tell_hanging_release(struct story *story, const struct account *account)
{
    char who[DESCRIBE_ROOM];
    char length[DESCRIBE_ROOM];
    const struct evidence *evidence = &account->finding->evidence;
    story->needs_ends = true;
    story_add_hold(story, evidence->holds[0]);
    tell_waiters(story, account, evidence->from_ns);
    describe_holder(story->digest, evidence->holds[0], who);
    text_duration(evidence->to_ns - story->digest->holds[evidence->holds[0]].released_ns, length,
                  sizeof length);
    story_line_add(&story->lines, evidence->to_ns, LINE_KEY, SIZE_MAX, who,
                   "has waited for the answer to its release for %s", length);
}

// --- the whole -----------------------------------------------------------------------------------

static void tell_particulars(struct story *story, const struct account *account)
{
    enum shows shows = account->finding->check->shows;
    if (shows == SHOWS_REMOVAL)
        tell_removal(story, account->finding);
    else if (shows == SHOWS_SILENCE && is_of_hanging_release(story->digest, account->finding))
        tell_hanging_release(story, account);
    else if (shows == SHOWS_SILENCE)
        tell_silence(story, account);
}

// If a hold that takes part removed the lock of another, its release says so whatever is told; but
// of two who hold one and the same lock at once nobody can tell whose it is that goes.
static void tell_of_removal(struct story *story, const struct account *account)
{
    const struct judgement *judgement = account->judgement;
    if (account->root == ROOT_REMOVED && account->culprit != SIZE_MAX) {
        story->needs_ends = true;
        story->wronged = account->holds[0];
        story->culprit = account->culprit;
        story->certainly = account->certainty == CERTAINTY_PROVEN;
        return;
    }
    if (account->finding->check->shows == SHOWS_TWO_VALID)
        return;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = &judgement->findings[i];
        const struct evidence *evidence = &finding->evidence;
        if (finding->state != FINDING_VIOLATED || finding->check->shows != SHOWS_REMOVAL ||
            !story_has_hold(story, evidence->holds[1]) ||
            !wrongful_release_is_certain(story->digest, evidence))
            continue;
        story->wronged = evidence->holds[0];
        story->culprit = evidence->holds[1];
        story->certainly = true;
    }
}

static void add_names(const char *words, const char *const *names, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++)
        text_format(out, "%s%s", i == 0 ? words : i + 1 == count ? " and " : ", ", names[i]);
    text_add(out, count > 0 ? "." : "");
}

// What it cost, what it comes from, what would have prevented it, what else comes of it.
static void tell_end(const struct account *account, struct text *out)
{
    char length[DESCRIBE_ROOM];
    int64_t acknowledged = 0;
    int64_t lost = increments_lost(account->digest, &acknowledged);
    struct text end = {0};
    if (account->cause[0] != '\0')
        text_format(out, "  Cause: %s.\n", account->cause);
    int64_t permits = digest_permits(account->digest);
    text_duration(account->overlap_ns, length, sizeof length);
    if (account->overlap_ns > 0 && permits > 1)
        text_format(&end, "More than %lld believed to hold a permit for %s. ", (long long)permits,
                    length);
    else if (account->overlap_ns > 0)
        text_format(&end, "Both believed to hold it for %s. ", length);
    if (lost > 0)
        text_format(&end, "In all, %lld of %lld acknowledged increment%s %s lost. ",
                    (long long)lost, (long long)acknowledged, plural(acknowledged),
                    lost == 1 ? "was" : "were");
    add_names("Of the same cause: ", account->also, account->also_count, &end);
    while (end.length > 0 && end.bytes[end.length - 1] == ' ')
        end.bytes[--end.length] = '\0';
    if (end.length > 0)
        text_format(out, "  %s\n", end.bytes);
    if (account->remedy[0] != '\0')
        text_format(out, "  %s\n", account->remedy);
    text_free(&end);
}

// Where there are several locks, each line says which one.
static void add_named(struct text *out, const char *lines, int64_t key)
{
    static const char the_lock[] = "the lock";
    for (const char *at = lines; *at != '\0';) {
        const char *next = strstr(at, the_lock);
        size_t length = next != NULL ? (size_t)(next - at) : strlen(at);
        text_format(out, "%.*s", (int)length, at);
        if (next != NULL)
            text_format(out, "lock %lld", (long long)key);
        at += length + (next != NULL ? strlen(the_lock) : 0);
    }
}

static void tell_lines(struct story *story, const struct account *account, int64_t key,
                       struct text *out)
{
    struct text lines = {0};
    story_add_hold(story, account->holds[0]);
    story_add_hold(story, account->holds[1]);
    story_add_hold(story, account->culprit);
    for (size_t i = 0; i < account->other_count; i++)
        story_add_hold(story, account->others[i]);
    tell_of_removal(story, account);
    tell_particulars(story, account);
    story_tell_holds(story);
    story_tell_faults(story, account->fault);
    story_lines_tell(&story->lines, account->digest->started_ns, &lines);
    if (lines.length == 0)
        text_format(&lines, "  %s.\n", account->finding->text);
    if (key > 0)
        add_named(out, lines.bytes, key);
    else
        text_add(out, lines.bytes);
    text_free(&lines);
}

static bool is_of_same_holds(const struct account *one, const struct account *other)
{
    return one->holds[0] == other->holds[0] && one->culprit == other->culprit &&
           (one->holds[1] == other->holds[1] || one->holds[1] == SIZE_MAX ||
            other->holds[1] == SIZE_MAX);
}

// One account: its lines, unless they are told already, and what is to be said of it.
static void tell_account(const struct account *account, bool is_told, int64_t key, struct text *out)
{
    enum shows shows = account->finding->check->shows;
    struct story story = {.digest = account->digest,
                          .culprit = SIZE_MAX,
                          .wronged = SIZE_MAX,
                          .tokens = shows == SHOWS_TOKENS || shows == SHOWS_LATE_WRITE ||
                                    account->digest->trial->scenario->workload.fenced};
    if (!is_told)
        tell_lines(&story, account, key, out);
    story_lines_free(&story.lines);
    tell_end(account, out);
}

char *story_tell(const struct digest *digest, const struct judgement *judgement)
{
    struct account *accounts = memory_new(MAX_CHECKS * sizeof *accounts);
    struct one_lock one;
    struct text out = {0};
    text_add(&out, "");
    one_lock_start(digest, judgement, &one);
    size_t count = accounts_make(one.digest, one.judgement, accounts);
    for (size_t i = 0; i < count; i++) {
        long long times = (long long)accounts[i].finding->count;
        if (i > 0)
            text_format(&out,
                        "  Besides, %s (%lld time%s; that it follows from the above is not "
                        "proven):\n",
                        accounts[i].finding->check->name, times, plural(times));
        tell_account(&accounts[i], i > 0 && is_of_same_holds(&accounts[0], &accounts[i]), one.key,
                     &out);
    }
    if (count > 0 && one.key > 0)
        text_format(&out, "  All this is about lock %lld of %lld.\n", (long long)one.key,
                    (long long)scenario_key_count(digest->trial->scenario));
    one_lock_end(&one);
    free(accounts);
    return out.bytes;
}
