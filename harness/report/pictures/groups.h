// Schemes by the server that they lock with; and groups of so few that their curves can be told
// apart in one panel.
#ifndef LOCKPICK_REPORT_GROUPS_H
#define LOCKPICK_REPORT_GROUPS_H

#include "harness/report/pictures/picture.h"

// The kinds of servers that schemes lock with, from 0, which is none. The kind of a scheme, after
// its traits; and what a kind is called: "no server", "Redis".
size_t scheme_kind_count(void);
size_t scheme_kind(const struct trial *trial);
const char *scheme_kind_name(size_t kind);

// The curve of a scheme in a picture of panels, one for each group.
struct scheme_curve {
    const struct trial *trial;
    bool is_marked;       // by an asterisk
    double rank;          // the highest comes first in the legend, NaN last
    size_t group, number; // from 1; set by scheme_groups_make
};

// Groups curves by kind, in the order of the kinds. Tells the template group_N, the title of each
// group from first + 1 on: `prefix` and, if there are several, "Redis (1 of 3)" or "etcd,
// ZooKeeper". Returns how many there are.
size_t scheme_groups_make(struct scheme_curve *curves, size_t count, size_t first,
                          const char *prefix, struct picture *picture);

// Writes the block "legend GROUP NUMBER": what a legend calls the scheme; and a point that no axis
// has, so that nothing but the legend has it.
void scheme_legend(const struct scheme_curve *curve, struct picture *picture);

#endif
