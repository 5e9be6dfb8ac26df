#include "harness/report/pictures/groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// As many line types as style.gp has.
#define GROUP_MOST 7

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

// Numbers the curves of each group by their ranks; equal ones stay in their order.
static void number(struct scheme_curve *curves, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double rank = isnan(curves[i].rank) ? -INFINITY : curves[i].rank;
        curves[i].number = 1;
        for (size_t j = 0; j < count; j++) {
            double other = isnan(curves[j].rank) ? -INFINITY : curves[j].rank;
            curves[i].number +=
                curves[j].group == curves[i].group && (other > rank || (other >= rank && j < i));
        }
    }
}

size_t scheme_groups_make(struct scheme_curve *curves, size_t count, struct scheme_group **groups)
{
    size_t made = 0;
    size_t used = 0; // of the last group
    *groups = memory_zeroed(count + 1, sizeof **groups);
    for (size_t kind = 0; kind < SCHEME_KINDS; kind++) {
        size_t size = 0;
        for (size_t i = 0; i < count; i++)
            size += scheme_kind_rank(curves[i].trial) == kind;
        // Of a large kind several groups of the same size, but for one; small kinds share one.
        size_t parts = (size + GROUP_MOST - 1) / GROUP_MOST;
        bool joins = made > 0 && used + size <= GROUP_MOST;
        size_t seen = 0;
        size_t part = 0;
        for (size_t i = 0; i < count; i++) {
            if (scheme_kind_rank(curves[i].trial) != kind)
                continue;
            if (!joins && seen == part * size / parts) {
                char *title = (*groups)[made++].title;
                used = 0;
                part++;
                if (parts > 1)
                    snprintf(title, sizeof(*groups)->title, "%s (%zu of %zu)", kinds[kind].name,
                             part, parts);
            }
            curves[i].group = made;
            used++;
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
    number(curves, count);
    return made;
}

void scheme_legend(struct picture *picture, size_t group, const struct scheme_curve *curve)
{
    struct text name = {0};
    struct picture_block *block =
        picture_block(picture, "legend %zu %zu: name, at none", group, curve->number);
    text_format(&name, "%s%s", curve->trial->scheme, curve->is_marked ? "*" : "");
    picture_row(block, "%s\n-1 -1", name.bytes);
    text_free(&name);
}
