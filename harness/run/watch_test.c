// When a trial counts as stuck, by what the watch has seen of it: cases/watch.cases.
#include "harness/run/watch.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/history/event.h"
#include "harness/testing/cases.h"

#define MS NS_PER_MS
static const struct lock_settings lock = {.request_ns = 200 * MS, .stuck_after_ns = 3 * NS_PER_S};

static const char waiting[] = "900 asks client-1\n950 holds client-1\n990 lets-go client-1\n"
                              "1000 free client-1\n1100 asks client-2\n";
static const char releasing[] = "1200 holds client-2\n1300 lets-go client-2\n1310 free client-2\n"
                                "1400 asks client-1\n1410 holds client-1\n4000 lets-go client-1\n";

struct line {
    int64_t at_ns, length_ns;
    char what[20];
    int client;
};

// False if it is something that must hold.
static bool see(struct watch *watch, const struct line *line)
{
    static const struct {
        const char *what;
        enum event_kind kind;
        enum outcome outcome;
    } events[] = {{"asks", EVENT_ACQUIRE_INVOKE, OUTCOME_OK},
                  {"holds", EVENT_ACQUIRE_RETURN, OUTCOME_OK},
                  {"refused", EVENT_ACQUIRE_RETURN, OUTCOME_NO},
                  {"lets-go", EVENT_RELEASE_INVOKE, OUTCOME_OK},
                  {"free", EVENT_RELEASE_RETURN, OUTCOME_OK},
                  {"dies", EVENT_PROCESS_DEATH, OUTCOME_OK},
                  {"fault", EVENT_FAULT_IN_EFFECT, OUTCOME_OK},
                  {"healed", EVENT_FAULT_HEALED, OUTCOME_OK}};
    static const char *const stalls[] = {
        [STALLED_MACHINE] = "stall", [STALLED_CONDUCTOR] = "conductor", [STALLED_CLIENT] = "still"};
    struct event event = {0};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (strcmp(events[i].what, line->what) == 0)
            event = (struct event){.kind = (uint8_t)events[i].kind,
                                   .outcome = (uint8_t)events[i].outcome,
                                   .client = (uint16_t)line->client};
    }
    for (size_t i = 0; i < sizeof stalls / sizeof *stalls; i++) {
        if (stalls[i] != NULL && strcmp(stalls[i], line->what) == 0)
            event = stall_event(&(struct stall){.of = (enum stalled)i,
                                                .number = line->client,
                                                .from_ns = line->at_ns - line->length_ns,
                                                .to_ns = line->at_ns});
    }
    event.at_ns = line->at_ns;
    event.worker = event.kind != EVENT_PROCESS_DEATH;
    if (event.kind != EVENT_NONE)
        watch_see(watch, &event);
    return event.kind != EVENT_NONE;
}

static bool holds(struct watch *watch, const struct line *line)
{
    int64_t at_ns = line->at_ns;
    bool is_stuck = watch_is_stuck(watch, at_ns + MS, lock.stuck_after_ns);
    bool is_unanswered = watch_is_unanswered(watch, at_ns + MS, &lock);
    return strcmp(line->what, "longest-wait") == 0 ? watch->longest_wait_ns == line->length_ns
           : strcmp(line->what, "stuck-after") == 0
               ? is_stuck && !watch_is_stuck(watch, at_ns, lock.stuck_after_ns)
           : strcmp(line->what, "unanswered-after") == 0
               ? is_unanswered && !watch_is_unanswered(watch, at_ns, &lock)
           : strcmp(line->what, "stuck") == 0            ? is_stuck
           : strcmp(line->what, "never-stuck") == 0      ? !is_stuck
           : strcmp(line->what, "never-unanswered") == 0 ? !is_unanswered
                                                         : false;
}

static void follow(const struct written_case *one, struct watch *watch, const char *lines)
{
    AUTO_FREE char *copy = memory_string(lines);
    for (char *rest = copy, *words; (words = strsep(&rest, "\n")) != NULL && *words != '\0';) {
        struct line line = {0};
        long long at_ms, length_ms = 0;
        const char *client = strstr(words, "client-");
        assert_in_range(sscanf(words, "%lld %19s %lld", &at_ms, line.what, &length_ms), 2, 3);
        line.at_ns = at_ms * MS;
        line.length_ns = length_ms * MS;
        line.client = client != NULL ? atoi(client + strlen("client-")) : 0;
        if (!see(watch, &line) && !holds(watch, &line))
            fail_case(one, "not so: %s", words);
    }
}

static void play(const struct written_case *one)
{
    struct watch watch;
    bool is_external = strncmp(one->name, "external:", 9) == 0;
    watch_start(&watch, 2, 1, 0, is_external);
    if (!is_external)
        follow(one, &watch, waiting);
    if (strncmp(one->name, "releasing:", 10) == 0)
        follow(one, &watch, releasing);
    follow(one, &watch, one->body.bytes);
    watch_free(&watch);
}

TEST(a_trial_is_stuck_or_unanswered_when_the_cases_say_so)
{
    each_case("harness/run/cases/watch.cases", 11, play);
}

TEST(a_release_may_take_as_long_as_its_requests)
{
    static const struct written_case none = {.name = "a release"};
    struct watch watch;
    struct lock_settings slow = lock;
    slow.request_ns = NS_PER_S;
    watch_start(&watch, 2, 1, 0, false);
    follow(&none, &watch, waiting);
    follow(&none, &watch, releasing);
    assert_false(watch_is_unanswered(&watch, 19000 * MS, &slow));
    assert_true(watch_is_unanswered(&watch, 19001 * MS, &slow));
    watch_free(&watch);
}
