#include "harness/report/pictures/groups.h"

#include "harness/cluster/server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// As many line types as style.gp has.
#define GROUP_MOST 7

size_t scheme_kind_count(void)
{
    size_t count = 1;
    while (server_catalogue[count - 1] != NULL)
        count++;
    return count;
}

const char *scheme_kind_name(size_t kind)
{
    return kind == 0 ? "no server" : server_catalogue[kind - 1]->form.title;
}

size_t scheme_kind(const struct trial *trial)
{
    for (size_t i = 0; server_catalogue[i] != NULL && trial->traits != NULL; i++) {
        if (server_catalogue[i]->form.title != NULL &&
            text_is_one_of(server_catalogue[i]->name, trial->traits))
            return i + 1;
    }
    return 0;
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

// Of a large kind there are several groups of the same size, but for one; small kinds share one.
size_t scheme_groups_make(struct scheme_curve *curves, size_t count, size_t first,
                          const char *prefix, struct picture *picture)
{
    struct text *titles = memory_zeroed(count + 1, sizeof *titles);
    size_t made = 0;
    size_t used = 0; // of the last group
    for (size_t kind = 0; kind < scheme_kind_count(); kind++) {
        size_t size = 0;
        for (size_t i = 0; i < count; i++)
            size += scheme_kind(curves[i].trial) == kind;
        size_t parts = (size + GROUP_MOST - 1) / GROUP_MOST;
        bool joins = made > 0 && used + size <= GROUP_MOST;
        for (size_t i = 0, seen = 0, part = 0; i < count; i++) {
            if (scheme_kind(curves[i].trial) != kind)
                continue;
            if (!joins && seen++ == part * size / parts) {
                used = 0;
                part++;
                if (parts > 1)
                    text_format(&titles[made], "%s (%zu of %zu)", scheme_kind_name(kind), part,
                                parts);
                made++;
            }
            curves[i].group = first + made;
            used++;
        }
        if (parts == 1)
            text_format(&titles[made - 1], "%s%s", titles[made - 1].length > 0 ? ", " : "",
                        scheme_kind_name(kind));
    }
    for (size_t i = 0; i < made; i++) {
        struct text whole = {0};
        text_format(&whole, "%s%s%s", prefix, made > 1 && *prefix != '\0' ? ": " : "",
                    made > 1 ? text_string(&titles[i]) : "");
        picture_tell(picture, "group_%zu = %s", first + i + 1, text_string(&whole));
        text_free(&whole);
        text_free(&titles[i]);
    }
    free(titles);
    number(curves, count);
    return made;
}

void scheme_legend(const struct scheme_curve *curve, struct picture *picture)
{
    char name[120];
    snprintf(name, sizeof name, "%s%s", curve->trial->scheme, curve->is_marked ? "*" : "");
    picture_row(
        picture_block(picture, "legend %zu %zu: name, at none", curve->group, curve->number),
        "%s\n-1 -1", name);
}
