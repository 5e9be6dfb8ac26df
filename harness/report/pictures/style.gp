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
# Labels above panel n, of which there may be five lanes: each has the lowest in which it covers none before it.
array centre[99]; array half[99]; array lane[99]
covered(i, l) = sum [j = 1:i - 1] (lane[j] == l && abs(centre[j] - centre[i]) < half[j] + half[i] + 10)
lowest(i) = covered(i, 0) ? covered(i, 1) ? covered(i, 2) ? covered(i, 3) ? covered(i, 4) ? -1 : 4 : 3 : 2 : 1 : 0
within(value, low, high) = value < low ? low : value > high ? high : value
place_labels(n) = sprintf("seen = 0; lanes_%d = 0; stats data index 'labels %d:' every ::::98 using (seen = seen + 1, \
half[seen] = 3.95 * strlen(cut(strcol(3), 92)), \
centre[seen] = within(left + ($1 - from_%d) / (to_%d - from_%d) * (width - 30 - left), half[seen] + 6, width - half[seen] - 6), \
lane[seen] = lowest(seen), lanes_%d = lane[seen] >= lanes_%d ? lane[seen] + 1 : lanes_%d) nooutput", n, n, n, n, n, n, n, n)
# Panel n, `high` pixels high, over the time of a trial, below its labels, which end above it.
time_panel(above, high, n) = sprintf("set lmargin at screen X(left); set rmargin at screen X(width - 30); \
set xrange [from_%d:to_%d]; set y2range [0:1]; unset xtics; unset ytics; unset border; unset grid; unset arrow; set xlabel ''; \
eval place_labels(%d); lanes = lanes_%d; \
set tmargin at screen Y(%d - 18 * (lanes > 0 ? lanes : 1)); set bmargin at screen Y(%d); set yrange [0:lanes > 0 ? lanes : 1]; \
plot 1/0, data index 'labels %d:' every ::::98 using (from_%d + (centre[$0 + 1] - left) / (width - 30 - left) * (to_%d - from_%d)):(lane[$0 + 1] < 0 ? NaN : lane[$0 + 1] + 0.5):(cut(strcol(3), 92)):(value(strcol(2))) with labels center textcolor rgb variable; \
set tmargin at screen Y(%d); set bmargin at screen Y(%d); set yrange [*:*]; set border 3; set grid; \
set ytics nomirror out offset 0.5,0 font ',13' textcolor rgb dark; set xtics nomirror out offset 0,0.4 font ',13' textcolor rgb dark format plus_%d.'%%.12g'; set xlabel axis_%d", \
n, n, n, n, above - 4, above - 4, n, n, n, n, above, above + high, n, n)
# The colour of a fault's band, behind what is drawn on it: a quarter of its own.
pale(colour) = (int(colour) >> 2 & 0x3f3f3f) + 0xbfbfbf
# Of a grid: sizes of its tables, which have rows, groups and columns of names.
size_tables = "names = 0; headings = 0; columns = 0; all_rows = 0; array rows[tables]; array wide[tables]; \
do for [t = 1:tables] { \
stats data index sprintf('rows %d:', t) using 1 nooutput; rows[t] = STATS_max + 1; all_rows = all_rows + rows[t]; \
stats data index sprintf('rows %d:', t) using (strlen(cut(strcol(2), 36))) nooutput; names = STATS_max > names ? STATS_max : names; \
stats data index sprintf('columns %d:', t) using (strlen(cut(strcol(2), 36))) nooutput; headings = STATS_max > headings ? STATS_max : headings; \
wide[t] = STATS_records; columns = wide[t] > columns ? wide[t] : columns }"
# What `stats` found, or else, where it found nothing.
undefine TIMES* RATES* P50* P99* COSTS*
known(variable, otherwise) = exists(variable) ? value(variable) : otherwise
