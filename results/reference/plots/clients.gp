# Draw clients.svg again with: gnuplot clients.gp
reset
name = 'clients'
data = 'clients.dat'
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

group_1 = ''.'no server, Redis'
group_2 = ''.'Redis'
group_3 = ''.'Redis'
group_4 = ''.'ZooKeeper, etcd'
group_5 = ''.'etcd, memcached, MariaDB'
group_6 = ''.'MariaDB, PostgreSQL'
groups = 6
locks_0 = 'one lock for all'
columns = '0 '
load = 'clients'
title = ''
title = joined(title, broken('Throughput and acquire p99 against the number of clients, without faults: cost-alone, cost-one-key', large))
cause = ''
notes = ''
notes = joined(notes, broken('* in some repeat driver-bound, or late in beginning acquires: the figure may tell of the driver, not of the lock.', small))
top = 12 + 21 * lines(title)
below = 17 * lines(notes) + 14

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
# For each group of schemes, throughput, and acquire p99 below it; beside each other, kinds of locks.
stats data using (strlen(strcol(1))) name 'NAMES' nooutput
stats data index 'places' using 1 name 'LOADS' nooutput
stats data using ($3 > 0 ? $3 : NaN) name 'RATES' nooutput
stats data using ($4 > 0 ? $4 : NaN) name 'RATES4' nooutput
stats data using ($6*1e-9) name 'P99' nooutput
rates_least = known('RATES_min', 1); rates_most = known('RATES4_max', 10); p99_least = known('P99_min', 1); p99_most = known('P99_max', 10)
legend = 64 + letters(NAMES_max)
each = 190
panels = exists('P99_min') ? 2 : 1 # of a few acquires there is no p99
gap = groups > 1 ? 92 : 76 # with a line for the servers of a group
height = top + panels * groups * (each + gap) + below
eval frame(sprintf("layout %d,%d margins screen X(98),X(width-legend),Y(height-below-48),Y(top+gap-50) spacing screen X(112),X(gap)*width/height", panels * groups, words(columns)))
set logscale xy
set xlabel load
do for [g = 1:groups] { do for [panel = 0:panels - 1] { do for [c in columns] {
    set label 1 (panel ? '' : value('locks_'.c)) at graph 0, graph 1 offset 0,0.8 left
    set label 2 (panel || groups == 1 || c ne word(columns, 1) ? '' : value(sprintf('group_%d', g))) at graph 0, graph 1 offset 0,1.9 left
    eval name_y(panel ? 'acquire p99' : 'locks/s')
    set format y panel ? '%.0s %cs' : '%.0s%c/s'
    set ytics autofreq
    eval panel ? fine_tics('y', p99_least, p99_most) : fine_tics('y', rates_least, rates_most)
    low = panel ? down(p99_least) : down(rates_least); high = panel ? up(p99_most) : up(rates_most); end = panel ? '($6*1e-9)' : '($2)'
    curve(n) = c eq word(columns, words(columns)) ? sprintf('curve %d %s %d:', g, c, n) : 'none'; named(n) = sprintf('name %d %d:', g, n)
    eval name_ends(end)
    set xrange [LOADS_min / 1.15 : LOADS_max * 1.15]; set yrange [low : high]
    plot for [n = 1:7] data index sprintf('curve %d %s %d:', g, c, n) using 1:(panel ? $6*1e-9 : $2) with linespoints linestyle n, \
         for [n = 1:7] data index sprintf('curve %d %s %d:', g, c, n) using 1:(panel ? NaN : $3):(0):($4 - $3) with vectors nohead linestyle n linewidth 1 dashtype 1, \
         for [n = 1:7] data index sprintf('curve %d %s %d:', g, c, n) using 1:($7 == 1 ? NaN : panel ? $6*1e-9 : $2) with points pointtype 6 pointsize 1.6 linewidth 1.5 linecolor rgb dark_red, \
         data index 'places' using 1:(NaN):xtic(2)
}}}
unset multiplot
