# Draw recovery.svg again with: gnuplot recovery.gp
reset
name = 'recovery'
data = 'recovery.dat'
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

title = ''
title = joined(title, broken('How soon the lock is granted again after a fault', large))
cause = ''
notes = ''
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
# A column for each scenario, in which all have the same logarithmic scale; a row for each scheme.
entries = 'dots:'; most = 10
eval make_tables
effects = 0; leaders = 0; healings = 0; nevers = 0
stats data index 'dots:' using (effects = effects + (strcol(3) eq 'after-effect'), leaders = leaders + (strcol(3) eq 'leaderless'), healings = healings + (strcol(3) eq 'after-healing'), nevers = nevers + (strcol(3) eq 'never')) nooutput
below = note("A dot for each trial and fault, on a logarithmic scale. Who is not disturbed ".(leaders ? "acts on." : "is granted again at once."))
stats data index 'dots:' using ($4 > 0 ? $4*1e-9 : NaN) name 'TIMES' nooutput
low = floor(log10(known('TIMES_min', 1))); high = ceil(log10(known('TIMES_max', 10))); high = high > low ? high : low + 1
slant = 0.72 * letters(headings) + 16
left = letters(names) + 20
each = (width - left - 12 - slant > 200 * columns) ? 200 : (width - left - 12 - slant) / columns
height = top + 17 * sum_rows + tables * (slant + 44) + 64 + below
eval frame('')
unset grid
unset border
set lmargin at screen X(left)
step = ceil(44 / (0.84 * each / (high - low)))
number(power) = gprintf('%.0s %cs', 10.0**power)
at(column, logarithm) = column + 0.08 + 0.84 * (logarithm - low) / (high - low)
set xtics scale 0 font ',10' textcolor rgb 0x555555 offset 0,0.5
set ytics scale 0
set x2tics rotate by 45 left scale 0
set key at screen X(12), Y(height - below - 52) top left Left reverse font ',12'
panel_top = top
do for [t = 1:tables] {
    n = rows[t]
    count = wide(t)
    set rmargin at screen X(left + each * count)
    set tmargin at screen Y(panel_top + slant)
    set bmargin at screen Y(panel_top + slant + 17 * n)
    panel_top = panel_top + slant + 17 * n + 44
    set xrange [0:count]; set x2range [0:count]; set yrange [n - 0.5 : -0.5]
    unset object; unset arrow; set xtics ()
    do for [c = 0:count - 1] {
        set object rectangle from c, graph 0 to c + 1, graph 1 behind fillcolor rgb (c % 2 ? 0xfbfbfb : 0xf4f4f4) fillstyle solid noborder
        do for [power = low:high] { set arrow from at(c, power), graph 0 to at(c, power), graph 1 nohead back linecolor rgb 0xdcdcdc linewidth 0.7 }
        do for [power = low:high:step] { if ((c + 1.08 - at(c, power)) * each > 3.1 * (strlen(number(power)) + strlen(number(low))) + 6 || c == count - 1) { set xtics add (number(power) at(c, power)) }}
    }
    dot(what, column, named) = what eq named && shows(t, column) ? column - first(t) : NaN
    plot data index 'rows:' using (NaN):(y(t, $1)):ytic(cut(strcol(3), 36)), \
         data index 'columns:' using ($1 - first(t) + 0.5):(NaN):x2tic(cut(strcol(2), 36)) axes x2y1, \
         data index 'rows:' using (0):(head(t, $1)):2 with labels left offset screen X(12 - left),0 font ',11' textcolor rgb 0x6a6a6a, \
         data index 'dots:' using (at(dot(strcol(3), $2, 'leaderless'), log10($4 < 1 ? 1 : $4) - 9)):(y(t, $1)) with points pointtype 7 pointsize 0.55 linecolor rgb blue title t == 1 && leaders ? "the longest time without an accepted act after the fault took effect" : '', \
         data index 'dots:' using (at(dot(strcol(3), $2, 'after-effect'), log10($4 < 1 ? 1 : $4) - 9)):(y(t, $1) - 0.18) with points pointtype 7 pointsize 0.55 linecolor rgb blue title t == 1 && effects ? "from the fault's taking effect to the next grant" : '', \
         data index 'dots:' using (at(dot(strcol(3), $2, 'after-healing'), log10($4 < 1 ? 1 : $4) - 9)):(y(t, $1) + 0.18) with points pointtype 9 pointsize 0.6 linecolor rgb orange title t == 1 && healings ? "from the fault's healing to the next grant" : '', \
         data index 'dots:' using (at(dot(strcol(3), $2, 'never'), high)):(y(t, $1)) with points pointtype 2 pointsize 0.8 linewidth 1.6 linecolor rgb stuck title t == 1 && nevers ? "nobody was granted until the trial's end, although somebody waited" : ''
}
unset multiplot
