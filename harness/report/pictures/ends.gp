# Names of curves, beside the panel, each where its curve ends, or as near as the others leave room.
# Of a template: named(n) and curve(n) are the blocks of the name and of the points of curve n, `end` is what of a point
# stands on the logarithmic upward axis, from `low` to `high`, which is `each` pixels long: `eval name_ends(end)` before its
# ranges are set.
array ends[7]; array end_names[7]; array end_places[7]
step = 16
above(n) = 1 + sum [m = 1:7] (ends[m] > ends[n] || (ends[m] == ends[n] && m < n))
at_rank(r) = sum [n = 1:7] (ends[n] == ends[n] && above(n) == r ? n : 0)
name_ends(end) = "set xrange [*:*]; set yrange [*:*]; do for [n = 1:7] { ends[n] = NaN; end_names[n] = ''; \
stats data index named(n) every ::::0 using (end_names[n] = strcol(1), 1) nooutput; \
stats data index curve(n) using (v = ".end.", ends[n] = v == v && v > 0 ? v : ends[n], 1) nooutput }; \
count = sum [n = 1:7] (ends[n] == ends[n]); room = each; \
do for [r = 1:count] { n = at_rank(r); y = each * log(1.0 * ends[n] / low) / log(1.0 * high / low); \
end_places[n] = y < room ? y : room; room = end_places[n] - step }; room = 0; \
do for [r = 1:count] { n = at_rank(count + 1 - r); \
end_places[n] = end_places[n] > room ? end_places[n] : room; room = end_places[n] + step }; \
do for [n = 1:7] { unset label 20 + n; unset arrow 20 + n; if (ends[n] == ends[n]) { y = 1.0 * end_places[n] / each; \
set arrow 20 + n from graph 1.015, graph y rto screen X(28), screen 0 nohead linestyle n; \
set label 20 + n end_names[n] at graph 1, graph y left offset screen X(50), screen 0 font ',12' textcolor rgb dark } }"
