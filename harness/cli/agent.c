// agent: what `launch:` of a scenario starts on another host, for one client.
#include "harness/wire/agent.h"
#include "harness/base/error.h"
#include "harness/cli/verb.h"

#include <unistd.h>

static int run(const struct words *words, void *options)
{
    struct error error = {0};
    (void)options;
    if (words->count == 0 && isatty(STDIN_FILENO))
        return usage_error(&agent_verb, "it is spoken to by a run, which 'hosts' of a scenario has "
                                        "launch it; see scripts/drivers/README.md");
    if (words->count == 0)
        agent_serve();
    if (words->count != 2)
        return usage_error(&agent_verb, "a strike and the id of a driver, or no words");
    if (!text_is_one_of(words->items[0], agent_strikes))
        return no_such(&agent_verb, "strike", words->items[0], agent_strikes);
    return agent_strike(words->items[0], words->items[1], &error) == 0
               ? EXIT_AS_EXPECTED
               : verb_fails(&agent_verb, EXIT_ENVIRONMENT, "%s", error.text);
}

extern const char template_help_agent[];
const struct verb agent_verb = {
    .name = "agent",
    .arguments = "[stop|continue|kill ID]",
    .summary = "Runs the driver of a client here, for a run on another host",
    .help = template_help_agent,
    .run = run,
};
