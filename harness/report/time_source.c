#include "harness/report/time_source.h"

unsigned time_source_of(const struct history *history)
{
    bool any = false;
    bool straight = true;
    bool loops = true;
    size_t answers = 0;
    size_t calls = 0;
    for (size_t i = 0; history != NULL && i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (event->kind == EVENT_WORKER_START) {
            any = true;
            straight &= (event->detail & WAY_STRAIGHT) != 0;
            loops &= (event->detail & WAY_OWN_LOOP) != 0;
        }
        answers += (event->kind == EVENT_ACQUIRE_RETURN || event->kind == EVENT_RELEASE_RETURN) &&
                   event->outcome != OUTCOME_UNKNOWN;
        calls += event->kind == EVENT_CALL;
    }
    if (!any)
        return 0;
    bool is_own = loops || (calls > 0 && calls >= answers);
    return (straight ? TIMES_STRAIGHT : 0) | (is_own ? TIMES_OWN : 0) |
           (loops ? TIMES_OWN_LOOP : 0);
}

const char *time_source_words(unsigned source, bool several)
{
    static const char *const words[TIME_SOURCES][2] = {
        [0] = {"its times include a line of JSON each way, and the proxy that each of its requests "
               "passes",
               "their times include a line of JSON each way, and the proxy that each of their "
               "requests passes"},
        [TIMES_STRAIGHT] = {"its times include a line of JSON each way",
                            "their times include a line of JSON each way"},
        [TIMES_OWN] = {"acquire and release are timed by its own clock, and include the proxy that "
                       "each of its requests passes; locks/s and hand-off also a line of JSON each "
                       "way",
                       "acquire and release are timed by their own clocks, and include the proxy "
                       "that each of their requests passes; locks/s and hand-off also a line of "
                       "JSON each way"},
        [TIMES_OWN | TIMES_STRAIGHT] = {"acquire and release are timed by its own clock; locks/s "
                                        "and hand-off include a line of JSON each way",
                                        "acquire and release are timed by their own clocks; "
                                        "locks/s and hand-off include a line of JSON each way"},
        [TIMES_OWN | TIMES_STRAIGHT | TIMES_OWN_LOOP] =
            {"timed by its own clock, in a loop of its own, straight to its servers",
             "timed by their own clocks, in loops of their own, straight to their servers"},
    };
    const char *found = words[source % TIME_SOURCES][several];
    return found != NULL ? found : words[0][several];
}
