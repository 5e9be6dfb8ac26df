#include "harness/report/pictures/groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *trait;
    const char *name;
} kinds[SCHEME_KINDS] = {
    {NULL, "no server"},        {"redis", "Redis"},   {"memcached", "memcached"}, {"etcd", "etcd"},
    {"zookeeper", "ZooKeeper"}, {"mysql", "MariaDB"}, {"postgres", "PostgreSQL"},
};

size_t scheme_kind_rank(const struct trial *trial)
{
    for (size_t i = 1; i < SCHEME_KINDS && trial->traits != NULL; i++) {
        if (text_is_one_of(kinds[i].trait, trial->traits))
            return i;
    }
    return 0;
}

const char *scheme_kind(const struct trial *trial)
{
    return kinds[scheme_kind_rank(trial)].name;
}

static void add_member(struct scheme_group *group, size_t member, const double *ranks)
{
    size_t place = group->count++;
    for (;
         place > 0 && !isnan(ranks[member]) && !(ranks[group->members[place - 1]] >= ranks[member]);
         place--)
        group->members[place] = group->members[place - 1];
    group->members[place] = member;
}

size_t scheme_groups_make(const struct trial *const *trials, const double *ranks, size_t count,
                          struct scheme_group **groups)
{
    size_t made = 0;
    *groups = memory_zeroed(count + 1, sizeof **groups);
    for (size_t kind = 0; kind < SCHEME_KINDS; kind++) {
        size_t size = 0;
        for (size_t i = 0; i < count; i++)
            size += scheme_kind_rank(trials[i]) == kind;
        // Of a large kind several groups of the same size, but for one; small kinds share one.
        size_t parts = (size + GROUP_MOST - 1) / GROUP_MOST;
        bool joins = size > 0 && made > 0 && (*groups)[made - 1].count + size <= GROUP_MOST;
        size_t seen = 0;
        size_t part = 0;
        for (size_t i = 0; i < count; i++) {
            if (scheme_kind_rank(trials[i]) != kind)
                continue;
            if (!joins && seen == part * size / parts) {
                part++;
                if (parts > 1)
                    snprintf((*groups)[made].title, sizeof(*groups)[made].title, "%s (%zu of %zu)",
                             kinds[kind].name, part, parts);
                made++;
            }
            add_member(&(*groups)[made - 1], i, ranks);
            seen++;
        }
        if (parts == 1) {
            char *title = (*groups)[made - 1].title;
            size_t length = strlen(title);
            snprintf(title + length, sizeof(*groups)->title - length, "%s%s",
                     length > 0 ? ", " : "", kinds[kind].name);
        }
    }
    if (made == 1)
        (*groups)[0].title[0] = '\0';
    return made;
}

void scheme_group_name(struct picture *picture, size_t group, size_t number, const char *scheme,
                       bool is_marked)
{
    struct text name = {0};
    text_format(&name, "%s%s", scheme, is_marked ? "*" : "");
    picture_block(picture, "legend %zu %zu: name, at none", group, number);
    picture_cell(picture, text_string(&name));
    text_add(&picture->data, "\n-1 -1\n");
    text_free(&name);
}
