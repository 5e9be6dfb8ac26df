// The key `scenario` of a trial in result.json: all that was asked of the lock and bears on what it
// costs, so that two results of which this is equal may be compared.
//
//    name, about, path  strings
//    workload      kind, store: strings; fenced: boolean; boundary: "none", "inner" or "wrapped";
//                  operations, stock, buyers, jobs, depth, permits, keys: integers; readers:
//                  integer, in a hundred; skew: number; for_ns, warm_up_ns (of it), hold_ns,
//                  think_ns: integers
//    load          array of phases, none if all is one closed loop: for_ns (null: to the end),
//                  clients: integers; rate, to: numbers each second, or null; arrivals: "poisson"
//                  or "fixed"; warm_up: boolean; find: null, or what a rate that is looked for must
//                  stay below, as in percentiles, without count: integers, 0: no limit
//    clients       processes, threads: integers; placement: "free", "spread" or "together"; lead:
//                  integer, the client that starts first, 0: all together
//    lock          lease_ns, wait_ns, retry_ns, request_ns, stuck_after_ns: integers; told_ns: 0:
//    not stated servers       object, of each kind ("redis", ...) of which anything was said:
//    topology: string
//                  or null (as the scheme asks for); nodes: integer, 0: as many as is usual;
//                  persistence: "none", "aof-everysec" or "aof-always"; external: boolean, they are
//                  somebody else's
//    faults        array of {number: integer, verb, text: strings}
#ifndef LOCKPICK_REPORT_JSON_SCENARIO_H
#define LOCKPICK_REPORT_JSON_SCENARIO_H

#include "harness/scenario/scenario.h"

#include <jansson.h>

// The caller owns what it returns.
json_t *scenario_json(const struct scenario *scenario);

#endif
