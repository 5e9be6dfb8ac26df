# What all pictures over time share: the axis, labels above it, and faults behind it.
# Panel p shows what is between from_p and to_p, in ms (in lines, of a history without a clock).
low = 0; high = 1
array centre[99]; array half[99]; array lane[99]; array lanes[2]
within(value, least, most) = value < least ? least : value > most ? most : value
seen(from, to) = to >= low && from <= high
middle(from, to) = (within(from, low, high) + within(to, low, high)) / 2.0
extent(from, to) = pixel(within(to, low, high)) - pixel(within(from, low, high))
pixel(time) = left + (time - low) / (high - low) * (width - 30.0 - left)
begin_panel = "low = value(sprintf('from_%d', p)); high = value(sprintf('to_%d', p))"
# Labels above it, of which there may be five lanes: each has the lowest in which it covers none before it.
covered(i, l) = sum [j = 1:i - 1] (lane[j] == l && abs(centre[j] - centre[i]) < half[j] + half[i] + 10)
lowest(i) = covered(i, 0) ? covered(i, 1) ? covered(i, 2) ? covered(i, 3) ? covered(i, 4) ? -1 : 4 : 3 : 2 : 1 : 0
place_labels = begin_panel."; n = 0; lanes[p] = 0; stats data index 'labels:' every ::::98 using (n = n + 1, \
half[n] = 3.95 * strlen(cut(strcol(4), 92)), lane[n] = -1, \
centre[n] = within(pixel(middle($1, $2)), half[n] + 6, width - half[n] - 6), \
lane[n] = seen($1, $2) ? lowest(n) : -1, lanes[p] = lane[n] >= lanes[p] ? lane[n] + 1 : lanes[p]) nooutput"
# Its axis counts from when all began or, far into that, from where the panel begins.
time_axis = "unit = high - low >= 2000 ? 1000.0 : high - low >= 2 ? 1.0 : high - low >= 0.002 ? 1e-3 : 1e-6; \
zero = p > 1 || high >= 10000 * unit ? low : 0; step = up((high - low) / 10.0); \
since = zero == 0 ? ' since '.whole.' began' : ', counted from '.(zero < 1 ? sprintf('%.9g µs', zero * 1000) : sprintf('%.9g s', zero / 1000)).' after '.whole.' began'; \
set xlabel (unit == 1000 ? 's' : unit == 1 ? 'ms' : unit == 1e-3 ? 'µs' : 'ns').since; \
do for [i = ceil((low - zero) / step - 1e-9):floor((high - zero) / step + 1e-9)] { \
set xtics add (sprintf(zero == 0 ? '%.9g' : '+%.9g', i * step / unit) zero + i * step) }"
# Panel p, `tall` pixels high, below its labels, which end `panel_y` pixels from the top.
time_panel = "eval place_labels; set lmargin at screen X(left); set rmargin at screen X(width - 30); set clip two; \
set xrange [low:high]; set y2range [0:1]; unset xtics; unset ytics; unset border; unset grid; unset arrow; set xlabel ''; \
set tmargin at screen Y(panel_y - 4 - 18 * (lanes[p] > 0 ? lanes[p] : 1)); set bmargin at screen Y(panel_y - 4); set yrange [0:lanes[p] > 0 ? lanes[p] : 1]; \
plot 1/0, data index 'labels:' every ::::98 using (low + (centre[$0 + 1] - left) / (width - 30.0 - left) * (high - low)):(lane[$0 + 1] < 0 ? NaN : lane[$0 + 1] + 0.5):(cut(strcol(4), 92)):(value(strcol(3))) with labels center textcolor rgb variable; \
set tmargin at screen Y(panel_y); set bmargin at screen Y(panel_y + tall); set yrange [*:*]; set border 3; set grid; \
set ytics nomirror out offset 0.5,0 font ',13' textcolor rgb dark; set xtics nomirror out offset 0,0.4 font ',13' textcolor rgb dark; set xtics (); \
if (strlen(whole)) { eval time_axis }"
# Faults, behind what is drawn: bands while they last, dashed lines where they are instants.
fault_bands = "data index 'bands:' using 1:(0):1:2:(0):(1) axes x1y2 with boxxyerror fillstyle solid noborder linecolor rgb pale_shade"
fault_lines = "data index 'strikes:' using 1:(0):(0):(1) axes x1y2 with vectors nohead linewidth 1.6 dashtype 2 linecolor rgb brown"
