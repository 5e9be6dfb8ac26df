// Schemes by the server that they lock with; and groups of so few that their curves can be told
// apart in one panel.
#ifndef LOCKPICK_REPORT_GROUPS_H
#define LOCKPICK_REPORT_GROUPS_H

#include "harness/report/pictures/picture.h"

// "Redis": the server that the scheme locks with, after its traits; "no server".
const char *scheme_kind(const struct trial *trial);

// The place of that kind among all kinds, in the order of the catalogue; "no server" is 0.
size_t scheme_kind_rank(const struct trial *trial);
#define SCHEME_KINDS 7

// The curve of a scheme in a picture of panels, one for each group.
struct scheme_curve {
    const struct trial *trial;
    bool is_marked;       // by an asterisk
    double rank;          // the highest comes first in the legend, NaN last
    size_t group, number; // from 1; set by scheme_groups_make
};

struct scheme_group {
    char title[80]; // "Redis (1 of 3)", "etcd, ZooKeeper"; "" if there is but one group
};

// Groups curves by kind, in the order in which the catalogue has the kinds. Returns how many groups
// there are; the caller frees them.
size_t scheme_groups_make(struct scheme_curve *curves, size_t count, struct scheme_group **groups);

// Writes the block "legend GROUP NUMBER": what a legend calls the scheme; and a point that no axis
// has, so that nothing but the legend has it.
void scheme_legend(struct picture *picture, size_t group, const struct scheme_curve *curve);

#endif
