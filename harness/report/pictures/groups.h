// Schemes by the server that they lock with; and groups of so few that their curves can be told
// apart in one panel.
#ifndef LOCKPICK_REPORT_GROUPS_H
#define LOCKPICK_REPORT_GROUPS_H

#include "harness/report/pictures/picture.h"

// As many line types as style.gp has.
#define GROUP_MOST 7

struct scheme_group {
    size_t members[GROUP_MOST]; // indices into the trials that were grouped
    size_t count;
    char title[80]; // "Redis (1 of 3)", "etcd, ZooKeeper"; "" if there is but one group
};

// "Redis": the server that the scheme locks with, after its traits; "no server".
const char *scheme_kind(const struct trial *trial);

// The place of that kind among all kinds, in the order of the catalogue; "no server" is 0.
size_t scheme_kind_rank(const struct trial *trial);
#define SCHEME_KINDS 7

// Groups trials by kind, in the order in which the catalogue has the kinds; inside a group they are
// sorted by `rank`, the highest first and NaN last: so are legends. Returns how many groups there
// are; the caller frees them.
size_t scheme_groups_make(const struct trial *const *trials, const double *ranks, size_t count,
                          struct scheme_group **groups);

// Writes the block "legend GROUP NUMBER": what a legend calls the scheme, with an asterisk if it is
// marked; and a point that no axis has, so that nothing but the legend has it.
void scheme_group_name(struct picture *picture, size_t group, size_t number, const char *scheme,
                       bool is_marked);

#endif
