# A row for each who holds, and one for servers; below, a violation that is too short to be seen.
array at[21]; array line[21]; item = 0; beyond = 12; legends = 0
next(words) = (item = item + 1, at[item] = beyond + 42 + 7.9 * strlen(words) > width ? 12 : beyond, legends = at[item] == 12 ? legends + 1 : legends, \
    line[item] = legends - 0.5, beyond = at[item] + 42 + 7.9 * strlen(words))
stats data index 'legend:' using (next(strcol(3))) nooutput
eval place_labels(1)
if (enlarged) { eval place_labels(2) }
first = top + 18 * cause_lines + 20 * legends + 18 * lanes_1 + 12
each = rows_1 > 6 ? 40 : 54
second = first + each * rows_1 + 80 + (enlarged ? 18 * lanes_2 : 0)
height = first + each * rows_1 + 62 + (enlarged ? 18 * lanes_2 + each * rows_2 + 80 : 0) + below
set label 3 cause at screen X(12), Y(top + 6) left textcolor rgb dark_red
eval frame('')
shade = 0xf6edb0
# Of what each look has: colour; top and bottom, above and below the middle of its row.
looks = 'holds certain certain-shared possible possible-shared releases leases overlaps dead maybe-dead unanswered refusal stray violation fault read write refused death waits long-write'
array colours[21] = [blue, blue, green, 0xa8d4f2, 0x9fd9c6, 0x7d93a3, sky, 0xF0B48F, blue, grey, grey, grey, dark_red, red, shade, black, black, red, black, grey, black]
array tops[21] = [24, 24, 24, 16, 16, 11, -19, 24, 24, 24, 16, 4, 4, 24, 48, 36, 36, 36, 6, 6, 27]
array bottoms[21] = [12, 12, 12, 4, 4, -1, 29, 12, 12, 12, 4, 6, 6, 12, 48, 0, 0, 0, 0, 0, 0]
number(look) = sum [i = 1:21] (word(looks, i) eq look ? i : 0)
colour(look) = colours[number(look)]
above(look) = 0.01 * tops[number(look)]
under(look) = 0.01 * bottoms[number(look)]
shape(look) = look eq 'read' ? 10 : look eq 'write' ? 9 : 2
size(look) = look eq 'death' ? 1.3 : 0.78
set lmargin at screen 0; set rmargin at screen 1
set tmargin at screen Y(top + 18 * cause_lines); set bmargin at screen Y(top + 18 * cause_lines + 20 * (legends > 0 ? legends : 1))
unset xtics; unset ytics; unset border; unset grid
set xrange [0:width]; set yrange [(legends > 0 ? legends : 1):0]
of(block, from) = strcol(1) eq block ? at[$0 + 1] + from : NaN
plot data index 'legend:' using (of('bars', 10)):(line[$0 + 1]):(10):((above(strcol(2)) + under(strcol(2))) * 0.8):(colour(strcol(2))) with boxxyerror linecolor rgb variable fillstyle solid noborder, \
     data index 'legend:' using (of('shades', 10)):(line[$0 + 1]):(10):(0.28):(colour(strcol(2))) with boxxyerror linecolor rgb variable fillstyle solid border rgb grey, \
     data index 'legend:' using (of('hatched', 10)):(line[$0 + 1]):(10):(0.28):(colour(strcol(2))) with boxxyerror linecolor rgb variable fillstyle pattern 4 border, \
     data index 'legend:' using (of('lines', 0)):(line[$0 + 1]):(20):(0):(colour(strcol(2))) with vectors nohead linewidth 1.4 linecolor rgb variable, \
     data index 'legend:' using (of('dotted', 0)):(line[$0 + 1]):(20):(0) with vectors nohead linewidth 1.2 dashtype 3 linecolor rgb black, \
     data index 'legend:' using (of('marks', 10)):(line[$0 + 1]):(size(strcol(2))):(shape(strcol(2))):(colour(strcol(2))) with points pointsize variable pointtype variable linewidth 1.6 linecolor rgb variable, \
     data index 'legend:' using (at[$0 + 1] + 26):(line[$0 + 1]):3 with labels left textcolor rgb dark
do for [p = 1:1 + enlarged] {
    eval time_panel(p == 1 ? first : second, each * value(sprintf('rows_%d', p)), p)
    n = value(sprintf('rows_%d', p))
    pixel = (value(sprintf('to_%d', p)) - value(sprintf('from_%d', p))) / (width - 30.0 - left)
    # A pixel less of each bar, so that a hold and its successor are two bars; but two at least.
    shown(from, to) = to - from > 4 * pixel ? to - pixel : to - from < 2 * pixel ? from + 2 * pixel : to
    set yrange [n + 0.5 : 0.5]
    # What struck servers: more of it than four would be too thin. Its words are inside of it, else behind or before it.
    strikes = 0
    stats data index sprintf('servers %d:', p) every ::::3 using (strikes = strikes + 1) nooutput
    middle(i) = n - 0.46 + 0.92 * (i + 0.5) / strikes - 0.03
    x(time) = left + (time - value(sprintf('from_%d', p))) / pixel
    room(words) = 7.3 * strlen(words) + 10
    side(words) = x($2) - x($1) >= room(words) ? 1 : width - 30 - x($2) >= room(words) ? 2 : x($1) - left >= room(words) ? 3 : 0
    said(half) = side(strcol(3).strcol(4)) ? strcol(3).strcol(4) : strcol(3).strcol(5)
    set ytics scale 0 offset 0,0; set grid noytics
    do for [i = 1:n - 1] { set arrow from graph 0, first i + 0.5 to graph 1, first i + 0.5 nohead back linewidth 0.7 linecolor rgb 0xcccccc }
    if (lines) { set xtics () }
    if (p == 2) { set label 4 'The violation, enlarged' at screen X(12), Y(second - 18 * lanes_2 - 16) left font ',15' textcolor rgb black }
    plot data index sprintf('shades %d:', p) using 2:1:2:3:($1 - 0.48):($1 + 0.48) with boxxyerror fillstyle solid noborder linecolor rgb shade, \
         data index sprintf('servers %d:', p) every ::::3 using 1:(middle($0)):1:2:(middle($0) - 0.46 / strikes + 0.03):(middle($0) + 0.46 / strikes - 0.03) with boxxyerror linecolor rgb shade fillstyle solid border rgb 0xd8c860, \
         data index sprintf('tint %d:', p) using 1:(1):1:2:(0.5):($3 + 0.5) with boxxyerror fillstyle transparent solid 0.22 noborder linecolor rgb red, \
         data index sprintf('lines %d:', p) using 2:($1 - above(strcol(4))):($3 - $2):(0):(colour(strcol(4))) with vectors nohead linewidth 1.4 linecolor rgb variable, \
         data index sprintf('bars %d:', p) using 2:1:2:(shown($2, $3)):($1 - above(strcol(4)) + 0.05 * $5):($1 + under(strcol(4)) - 0.05 * $5):(colour(strcol(4))) with boxxyerror fillstyle solid noborder linecolor rgb variable, \
         data index sprintf('hatched %d:', p) using 2:1:2:(shown($2, $3)):($1 - above(strcol(4))):($1 + under(strcol(4))):(colour(strcol(4))) with boxxyerror linecolor rgb variable fillstyle pattern 4 border, \
         data index sprintf('tint %d:', p) using 1:(0.5):(0):3 with vectors nohead linewidth 1.2 linecolor rgb red, \
         data index sprintf('tint %d:', p) using 2:(0.5):(0):3 with vectors nohead linewidth 1.2 linecolor rgb red, \
         data index sprintf('strikes %d:', p) using 1:(0):(0):(1):2 axes x1y2 with vectors nohead linewidth 1.6 dashtype 2 linecolor rgb variable, \
         data index sprintf('dotted %d:', p) using 2:($1 - above('long-write')):($3 - $2):(0) with vectors nohead linewidth 1.2 dashtype 3 linecolor rgb black, \
         data index sprintf('marks %d:', p) using 2:($1 - above(strcol(4))):(size(strcol(4))):(shape(strcol(4))):(colour(strcol(4))) with points pointsize variable pointtype variable linewidth 1.6 linecolor rgb variable, \
         data index sprintf('servers %d:', p) every ::::3 using (side(said(0)) == 1 ? $1 : side(said(0)) == 2 ? $2 : NaN):(middle($0)):(said(0)) with labels left offset 0.8,0 font ',12' textcolor rgb brown, \
         data index sprintf('servers %d:', p) every ::::3 using (side(said(0)) == 3 ? $1 : NaN):(middle($0)):(said(0)) with labels right offset -0.8,0 font ',12' textcolor rgb brown, \
         data index sprintf('words %d:', p) using (strcol(4) eq 'left' ? $1 : NaN):2:5:(value(strcol(3))) with labels right offset -0.8,0 font ',12' textcolor rgb variable, \
         data index sprintf('words %d:', p) using (strcol(4) eq 'centre' ? $1 : NaN):2:5:(value(strcol(3))) with labels center font ',12' textcolor rgb variable, \
         data index sprintf('words %d:', p) using (strcol(4) eq 'right' ? $1 : NaN):2:5:(value(strcol(3))) with labels left offset 0.8,0 font ',12' textcolor rgb variable, \
         data index 'places' using 1:(NaN):xtic(2), \
         data index sprintf('rows %d:', p) using (NaN):1:ytic(2)
}
unset multiplot
