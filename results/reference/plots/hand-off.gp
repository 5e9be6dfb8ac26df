# Draw hand-off.svg again with: gnuplot hand-off.gp
reset
name = 'hand-off'
data = 'hand-off.dat'
width = 1000

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

rows = 57
title = ''
title = joined(title, broken('Hand-off: from a release to the next grant, without faults', large))
cause = ''
notes = ''
notes = joined(notes, broken('* in some repeat driver-bound, or late in beginning acquires: the figure may tell of the driver, not of the lock.', small))
notes = joined(notes, broken('Not shown: 2 more scenarios without faults.', small))
top = 12 + 21 * lines(title)
below = 17 * lines(notes) + 14

# A row for each scheme: the median, and a bar from there to the 99th percentile.
below = note("Only releases during which somebody waited. The point is the median, the bar goes on to the 99th percentile (of at least 100 hand-offs). Fastest first.")
stats data index 'rows' using (strlen(strcol(4))) name 'NAMES' nooutput
stats data index 'rows' using (strlen(strcol(5))) name 'FIGURES' nooutput
stats data index 'rows' using ($2*1e-9) name 'LEAST' nooutput
stats data index 'rows' using ((valid(3) && $3 > $2 ? $3 : $2)*1e-9) name 'MOST' nooutput
height = top + 10 + 20 * rows + 54 + below
eval frame('')
set lmargin at screen X(24 + letters(NAMES_max))
set rmargin at screen X(width - letters(FIGURES_max) - 18)
set tmargin at screen Y(top + 6)
set bmargin at screen Y(top + 6 + 20 * rows)
set yrange [rows - 0.5 : -0.5]
set y2range [rows - 0.5 : -0.5]
set ytics scale 0
set y2tics scale 0
set grid noytics
set logscale x
set xrange [down(LEAST_min) : up(1.01 * (MOST_max > LEAST_max ? MOST_max : LEAST_max))]
set x2range [0:1]
set xtics format '%.0s %cs'
set xlabel 'release to the next grant'
plot data index 'rows' using ($2*1e-9):1:(($3 - $2)*1e-9):(0):ytic(4):y2tic(5) with vectors nohead linewidth 7 linecolor rgb sky, \
     data index 'rows' using ($2*1e-9):1 with points pointtype 7 pointsize 0.75 linecolor rgb blue, \
     data index 'scenarios' using (0):1:2 axes x2y1 with labels left offset 0.5,0 textcolor rgb dark
unset multiplot
