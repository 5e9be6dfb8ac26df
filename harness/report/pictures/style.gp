# What all pictures share: colours, told apart by colour-blind people and by their lightness in grey
# (Okabe and Ito's), and a frame of a title, above, and notes, below.
set encoding utf8
set micro
blue = 0x0072B2; sky = 0x56B4E9; green = 0x009E73; orange = 0xE69F00; red = 0xD55E00
dark_red = 0xa03c00; purple = 0xCC79A7; grey = 0x8a8a8a; dark = 0x333333; black = 0x111111; brown = 0x6b5900
set style line 1 linecolor rgb blue dashtype 1 pointtype 7 linewidth 2 pointsize 0.7
set style line 2 linecolor rgb orange dashtype (9,3) pointtype 5 linewidth 2 pointsize 0.7
set style line 3 linecolor rgb green dashtype (2,3) pointtype 9 linewidth 2 pointsize 0.7
set style line 4 linecolor rgb red dashtype (9,3,2,3) pointtype 13 linewidth 2 pointsize 0.7
set style line 5 linecolor rgb purple dashtype 1 pointtype 4 linewidth 2 pointsize 0.7
set style line 6 linecolor rgb sky dashtype (14,3) pointtype 6 linewidth 2 pointsize 0.7
set style line 7 linecolor rgb dark dashtype (4,3) pointtype 8 linewidth 2 pointsize 0.7
# Places in pixels from the top left, and how wide a text of 12 pixels is.
X(pixels) = pixels / (width + 0.0)
Y(pixels) = 1 - pixels / (height + 0.0)
letters(count) = 7.3 * count
cut(text, most) = strlen(text) > most ? substr(text, 1, most - 1).'…' : text
top = 12 + 21 * title_lines
below = 17 * notes_lines + 14
# The next of 1, 2 and 5 times a power of ten; and numbers at 2 and 5, too, of a logarithmic axis that
# has few others.
digit(value) = value / 10**floor(log10(value) + 1e-9)
down(value) = 10**floor(log10(value) + 1e-9) * (digit(value) >= 4.999 ? 5 : digit(value) >= 1.999 ? 2 : 1)
up(value) = 10**floor(log10(value) + 1e-9) * (digit(value) <= 1.001 ? 1 : digit(value) <= 2.001 ? 2 : digit(value) <= 5.001 ? 5 : 10)
fine_tics(axis, least, most) = most / least > 300 ? '' : \
    'do for [power = -9:9] { set '.axis.'tics add (2 * 10.0**power, 5 * 10.0**power) }'
# Writes the name of the upward axis beyond its numbers: gnuplot guesses how wide they are.
name_y(words) = "set label 9 '".words."' at graph 0, graph 0.5 offset screen ".sprintf('%.4f', -X(84)).",0 center rotate by 90 font ',12' textcolor rgb dark"
# Once `height` is known: draws title and notes, and begins the panels.
frame(layout) = "set terminal svg size width,height dynamic font 'sans-serif,13' background '#ffffff' noenhanced; \
set output name.'.svg'; set key noautotitle; unset key; \
set label 1 title at screen X(12),Y(18) left font ',15' textcolor rgb 0x111111; \
set label 2 notes at screen X(12),Y(height-below+10) left font ',12' textcolor rgb 0x555555; \
set multiplot ".layout."; unset border; unset tics; set xrange [0:1]; set yrange [0:1]; plot 1/0; \
unset label; set xrange [*:*]; set yrange [*:*]; set border 3 linecolor rgb 0x666666; \
set tics font ',12' textcolor rgb dark; unset mxtics; unset mytics; \
set xtics nomirror out offset 0,0.4; set ytics nomirror out offset 0.5,0; \
set xlabel '' font ',12' textcolor rgb dark offset 0,0.9; set ylabel '' font ',12' textcolor rgb dark; \
set grid linecolor rgb 0xdddddd linewidth 0.7;".(strlen(layout) ? 'set multiplot previous' : '')
# Time: panel p shows what is between from_p and to_p, in ms (in lines, of a history without a clock).
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
# The colour of a fault's band, behind what is drawn on it: a quarter of its own.
pale(colour) = (int(colour) >> 2 & 0x3f3f3f) + 0xbfbfbf
# A grid, in tables of at most `most` columns: each has the rows with an entry of the block `entries` in it, in groups,
# which begin with a row for their name. Table t shows the columns first(t) to first(t + 1) - 1; y(t, row) is -9 where it has no such row.
array places[1]; array heads[1] # gnuplot takes no function for one that fills an array, unless there is one
first(t) = all_columns * (t - 1) / tables
shows(t, column) = column >= first(t) && column < first(t + 1)
table_of(column) = 1 + sum [t = 2:tables] (column >= first(t))
y(t, row) = places[(t - 1) * all_rows + int(row) + 1]
set_y(t, row, value) = (places[(t - 1) * all_rows + int(row) + 1] = value)
head(t, row) = heads[(t - 1) * all_rows + int(row) + 1]
set_head(t, row, value) = (heads[(t - 1) * all_rows + int(row) + 1] = value)
wide(t) = first(t + 1) - first(t)
make_tables = "stats data index 'columns:' using (strlen(cut(strcol(2), 36))) nooutput; all_columns = int(STATS_records); headings = STATS_max; \
stats data index 'rows:' using 1 nooutput; all_rows = int(STATS_records); tables = (all_columns + most - 1) / most; names = 0; sum_rows = 0; \
array rows[tables]; array places[tables * all_rows]; array heads[tables * all_rows]; \
do for [i = 1:tables * all_rows] { places[i] = -9; heads[i] = -9 }; \
stats data index entries using ($2 < 0 ? 0 : set_y(table_of($2), $1, 0)) nooutput; \
do for [t = 1:tables] { n = 0; kind = ''; stats data index 'rows:' using (y(t, $1) < 0 ? 0 : ( \
names = strlen(cut(strcol(3), 36)) > names ? strlen(cut(strcol(3), 36)) : names, set_head(t, $1, strcol(2) ne kind ? n : -9), \
n = n + (strcol(2) ne kind), kind = strcol(2), set_y(t, $1, n), n = n + 1)) nooutput; rows[t] = n; sum_rows = sum_rows + n }; \
columns = 0; do for [t = 1:tables] { columns = wide(t) > columns ? wide(t) : columns }"
# What `stats` found, or else, where it found nothing.
undefine TIMES* RATES* P50* P99* COSTS*
known(variable, otherwise) = exists(variable) ? value(variable) : otherwise
