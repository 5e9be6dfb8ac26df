// Every picture of a run, in the order in which they are shown. A new one is one new file with its
// template, and a line here.
#include "harness/report/pictures/picture.h"

#define PICTURES(DRAWN)                                                                            \
    DRAWN(matrix)                                                                                  \
    DRAWN(matrix_of_leaders)                                                                       \
    DRAWN(matrix_of_jobs)                                                                          \
    DRAWN(matrix_of_limiters)                                                                      \
    DRAWN(unsafe_window)                                                                           \
    DRAWN(recovery)                                                                                \
    DRAWN(leaderless)                                                                              \
    DRAWN(percentiles)                                                                             \
    DRAWN(clients)                                                                                 \
    DRAWN(rates)                                                                                   \
    DRAWN(hand_off)                                                                                \
    DRAWN(fairness)

#define DECLARED(name) extern const struct picture_kind name##_picture;
PICTURES(DECLARED)

#define LISTED(name) &name##_picture,
const struct picture_kind *const picture_catalogue[] = {PICTURES(LISTED) NULL};
