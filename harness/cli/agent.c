// agent: what `launch:` of a scenario starts on another host, for one client or one server; and
// what explore starts for a client of a plug-in.
#include "harness/wire/agent.h"
#include "harness/cli/verb.h"
#include "harness/locks/lock.h"

#include <string.h>
#include <unistd.h>

static int run(const struct words *words, void *options)
{
    struct error error;
    (void)options;
    if (words->count == 0 && isatty(STDIN_FILENO))
        return usage_error(&agent_verb, "it is spoken to by a run, which 'hosts' of a scenario has "
                                        "launch it; see scripts/drivers/README.md");
    if (words->count == 0)
        agent_serve();
    if (words->count >= 2 && strcmp(words->items[0], "plugin") == 0)
        return plugin_speak(words->items[1], words->items + 2, &error) == 0
                   ? EXIT_AS_EXPECTED
                   : verb_fails(&agent_verb, EXIT_ENVIRONMENT, "%s", error.text);
    bool keeps_server = words->count == 2 && strcmp(words->items[0], "server") == 0;
    if (words->count != 2 || (!keeps_server && strcmp(words->items[0], "strike") != 0))
        return usage_error(&agent_verb, "strike and the id of a driver, server and its id, plugin, "
                                        "a file and its traits, or no words");
    if (keeps_server)
        agent_serve_server(words->items[1]);
    else
        agent_strike_as_told(words->items[1]);
    return EXIT_AS_EXPECTED;
}

extern const char template_help_agent[];
const struct verb agent_verb = {
    .name = "agent",
    .arguments = "[strike ID | server ID | plugin FILE [TRAIT...]]",
    .summary = "Runs a client's driver, or a server, here, for a run on another host",
    .help = template_help_agent,
    .run = run,
};
