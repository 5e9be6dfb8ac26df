# Draw matrix.svg again with: gnuplot matrix.gp
reset
name = 'matrix'
data = 'matrix.dat'
width = 1100

# What all pictures share: colours, and a frame of a title, above, and notes, below. Colours are told apart by colour-blind
# people (Okabe and Ito's; sky, orange and purple are darker, for thin lines to be seen on white); the pale ones are of areas.
set encoding utf8
set micro
blue = 0x0072B2; sky = 0x3A94CF; green = 0x009E73; orange = 0xBF8000; red = 0xD55E00
dark_red = 0xa03c00; purple = 0xC06A98; grey = 0x8a8a8a; dark = 0x333333; black = 0x111111; brown = 0x6b5900
stuck = 0x6f174c # the ink of STUCK, as in page.css
slate = 0x7389a0; pale_blue = 0xa8d4f2; pale_green = 0x9fd9c6; pale_red = 0xf0b48f
shade = 0xf6edb0; pale_shade = 0xfaf6d8 # of faults, in all pictures
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
# Texts are broken into lines between words; a longer word has a line of its own. How many characters they have, of 15
# and of 12 pixels in the widest common sans-serif face (DejaVu).
large = int((width - 24) / 9.2); small = int((width - 24) / 7.3)
gap(text, at) = at < 1 ? strstrt(text.' ', ' ') : text[at:at] eq ' ' ? at : gap(text, at - 1)
broken(text, most) = strlen(text) <= most ? text : (end = gap(text, most + 1), substr(text, 1, end - 1)).\
    (end < strlen(text) ? "\n".broken(substr(text, end + 1, strlen(text)), most) : '')
joined(text, line) = strlen(text) ? text."\n".line : line
lines(text) = strlen(text) ? 1 + sum [i = 1:strlen(text)] (text[i:i] eq "\n") : 0
# Of a template: puts a note before the others. How high all of them are together: `below = note('...')`.
note(text) = (notes = broken(text, small).(strlen(notes) ? "\n".notes : ''), 17 * lines(notes) + 14)
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
# What `stats` found, or else, where it found nothing.
undefine TIMES* RATES* P50* P99* COSTS*
known(variable, otherwise) = exists(variable) ? value(variable) : otherwise

costs = 1
shares = 0
panel_0 = 'locks/s'
panel_1 = 'acquire p99'
title = ''
title = joined(title, broken('Which lock survives which fault, and what it costs', large))
cause = ''
notes = ''
notes = joined(notes, broken('Beside ✗, what was broken first: D double-grant, X wrongful-release, H stale-holder, L lost-update.', small))
notes = joined(notes, broken('No fault, and costs: in cost-one-key (8 clients of 1 thread). Of several trials, a number a second is their median. Bars are logarithmic, with a line at each power of ten. –: not measured. *: driver-bound, the lock may be faster than what asked for it.', small))
notes = joined(notes, broken('Measured on: Linux 6.18.44-fc-v595, 2 processors of AMD EPYC; placement free: not pinned; spread: each node pinned, one after the other over the processors; redis: in memory only; redis: log flushed at each write; zookeeper: log flushed at each write; etcd: log flushed at each write; memcached: in memory only; mysql: log flushed at each commit; postgres: log flushed at each commit.', small))
top = 12 + 21 * lines(title)
below = 17 * lines(notes) + 14

# What pictures of schemes and scenarios share.
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
# What verdicts look like, and the legend of those that occur: `plot @legend` draws it.
# As in page.css.
colour(verdict) = verdict eq 'SAFE' ? 0x9fd9c6 : verdict eq 'UNSAFE' ? 0xb34700 : verdict eq 'STUCK' ? 0xe3a9cc : \
    verdict eq 'UNKNOWN' ? 0xfbe08a : verdict eq 'SKIPPED' ? 0xf2f2f2 : verdict eq 'ERROR' ? dark : 0xffffff
ink(verdict) = verdict eq 'SAFE' ? 0x06402f : verdict eq 'UNSAFE' || verdict eq 'ERROR' ? 0xffffff : \
    verdict eq 'STUCK' ? stuck : verdict eq 'UNKNOWN' ? 0x574100 : verdict eq 'SKIPPED' ? 0x555555 : 0x6a6a6a
# A sign tells each verdict in grey, too. Those that occur are explained below, two beside each other.
verdicts = 'SAFE UNSAFE STUCK UNKNOWN SKIPPED ERROR n/a'
array signs[7] = ['✓', '✗', '‖', '?', '»', '!', '–']
array meanings[7] = ['', '', ': nobody was granted any more', '', ': something is missing here', ': the harness failed', ': they do not go together']
array place[7]
number(verdict) = sum [v = 1:7] (word(verdicts, v) eq verdict ? v : 0)
legends = 0
do for [v = 1:7] {
    found = 0
    stats data index 'cells:' using (found = found + (strcol(3) eq word(verdicts, v))) nooutput
    place[v] = found ? legends : -1
    legends = legends + (found > 0)
}
at(v) = 24 + 330 * (int(place[v]) % 2)
line(v) = place[v] < 0 ? NaN : int(place[v]) / 2 + 0.5
legend = "'+' using (at(int($0) + 1)):(line(int($0) + 1)):(12):(0.36):(colour(word(verdicts, int($0) + 1))) with boxxyerror fillstyle solid border rgb 0xb0b0b0 linecolor rgb variable, \
    '+' using (at(int($0) + 1)):(line(int($0) + 1)):(signs[int($0) + 1]):(ink(word(verdicts, int($0) + 1))) with labels center font ',12' textcolor rgb variable, \
    '+' using (at(int($0) + 1) + 18):(line(int($0) + 1)):(word(verdicts, int($0) + 1).meanings[int($0) + 1]) with labels left font ',12' textcolor rgb dark"
# A cell for each scheme under each fault, and one without; at the right, what each costs without.
entries = 'cells:'; most = costs ? 20 : 24
eval make_tables
array smallest[2]; array largest[2]
do for [i = 1:costs ? 2 : 0] {
    stats data index 'costs:' using (column(i + 1) > 0 ? log10(column(i + 1)) : NaN) name 'COSTS' nooutput
    smallest[i] = known('COSTS_min', 0); largest[i] = known('COSTS_max', 1)
}
share(all, alike) = alike < all ? sprintf('%d/%d', alike, all) : ''
slant = 0.72 * letters(headings) + 20
left = letters(names) + 20
edge = costs ? -1.4 : 0
cell = (width - left - 12 - (costs ? 300 : slant)) / (columns - edge)
cell = cell > 42 ? 42 : cell
right = left + cell * (columns - edge)
row = shares ? 28 : 20
height = top + row * sum_rows + tables * (slant + 16) + 24 * ceil(legends / 2.0) + 8 + below
eval frame('')
unset grid
unset border
set tics scale 0
unset xtics
set x2tics rotate by 45 left
panel_top = top
do for [t = 1:tables] {
    n = rows[t]
    set tmargin at screen Y(panel_top + slant)
    set bmargin at screen Y(panel_top + slant + row * n)
    panel_top = panel_top + slant + row * n + 16
    set yrange [n - 0.5 : -0.5]
    set lmargin at screen X(left)
    set rmargin at screen X(right)
    set xrange [edge : columns]; set x2range [edge : columns]
    set x2tics ()
    if (costs) { set x2tics add ('no fault' -0.8) }
    set ytics ()
    x(column) = column < 0 ? -0.8 : shows(t, column) ? column - first(t) + 0.5 : NaN
    plot data index 'rows:' using (NaN):(y(t, $1)):ytic(cut(strcol(3), 36)), \
         data index 'columns:' using (shows(t, $1) ? $1 - first(t) + 0.5 : -9):(NaN):x2tic(cut(strcol(2), 36)) axes x2y1, \
         data index 'rows:' using (edge):(head(t, $1)):2 with labels left offset screen X(12 - left),0 font ',11' textcolor rgb 0x6a6a6a, \
         data index 'cells:' using (x($2)):(y(t, $1)):(0.46):(0.44):(colour(strcol(3))) with boxxyerror fillstyle solid noborder linecolor rgb variable, \
         data index 'cells:' using (x($2)):(y(t, $1) - ($6 < $5 ? 0.18 : 0)):(signs[number(strcol(3))].strcol(4)):(ink(strcol(3))) with labels center font ',12' textcolor rgb variable, \
         data index 'cells:' using (x($2)):(y(t, $1) + 0.27):(share($5, $6)):(ink(strcol(3))) with labels center font ',9' textcolor rgb variable
    if (!costs) { continue }
    unset x2tics; unset ytics
    do for [panel = 0:1] {
        low = ceil(smallest[panel + 1]) - 1; high = ceil(largest[panel + 1]); low = low > high - 2 ? high - 2 : low
        from = right + 10 + 145 * panel
        set lmargin at screen X(from + 66)
        set rmargin at screen X(from + 130)
        set xrange [low:high]
        set label 1 (panel ? panel_1 : panel_0) at graph 0, graph 1 right offset -0.7,0.8 font ',12' textcolor rgb dark
        unset arrow
        do for [power = low:high] { set arrow from power, graph 0 to power, graph 1 nohead back linecolor rgb 0xe2e2e2 linewidth 0.7 }
        plot data index 'costs:' using (low):(y(t, $1)):(low):(log10(column(panel + 2))):(y(t, $1) - 0.25):(y(t, $1) + 0.25) with boxxyerror fillstyle solid noborder linecolor rgb (panel ? sky : blue), \
             data index 'costs:' using (low):(y(t, $1)):(strcol(panel ? 5 : 4)) with labels right offset -0.7,0 font ',11' textcolor rgb dark
    }
    unset label 1; unset arrow
    set x2tics rotate by 45 left scale 0
}
set tmargin at screen Y(panel_top)
set bmargin at screen Y(panel_top + 24 * ceil(legends / 2.0))
set lmargin at screen X(0)
set rmargin at screen X(width)
unset x2tics; unset ytics; unset xtics
set xrange [0:width]; set yrange [ceil(legends / 2.0):0]; set samples 7
plot @legend
unset multiplot
