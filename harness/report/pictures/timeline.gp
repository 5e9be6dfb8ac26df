# A row for each who holds, and one for servers; below, a violation that is too short to be seen.
array at[21]; array line[21]; item = 0; beyond = 12; legends = 0
next(words) = (item = item + 1, at[item] = beyond + 42 + 7.9 * strlen(words) > width ? 12 : beyond, legends = at[item] == 12 ? legends + 1 : legends, \
    line[item] = legends - 0.5, beyond = at[item] + 42 + 7.9 * strlen(words))
stats data index 'legend:' using (next(strcol(3))) nooutput
# What struck servers has a row below the others, in which each has a slot: more than four would be too thin.
array slot[4]; array strikes[2]; array panel_rows[2]
count_strikes = "eval begin_panel; n = 0; strikes[p] = 0; stats data index 'servers:' every ::::3 using (n = n + 1, \
    slot[n] = seen($1, $2) ? strikes[p] + 0.5 : NaN, strikes[p] = strikes[p] + seen($1, $2)) nooutput"
do for [p = 1:1 + enlarged] { eval place_labels; eval count_strikes; panel_rows[p] = rows + (strikes[p] > 0) }
first = top + 18 * cause_lines + 20 * legends + 18 * lanes[1] + 12
each = panel_rows[1] > 6 ? 40 : 54
second = first + each * panel_rows[1] + 80 + (enlarged ? 18 * lanes[2] : 0)
height = first + each * panel_rows[1] + 62 + (enlarged ? 18 * lanes[2] + each * panel_rows[2] + 80 : 0) + below
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
# A pixel less of each bar, so that a hold and its successor are two bars; but two at least. More of what is red.
shown(from, to) = to - from > 4 * dot ? to - dot : widened(from, to, 2)
widened(from, to, least) = to - from < least * dot ? from + least * dot : to
# Words stand left of a time (1), around it (2), or right of it (3), where there is room for them; 0: nowhere.
room(words) = 7.9 * strlen(words) + 18
array text[999]; array text_x[999]; array text_y[999]; array text_side[999]; array text_colour[999]
put(side, time, y, colour, words) = side == 0 || texts == 999 ? 0 : (texts = texts + 1, text_side[texts] = side, \
    text_x[texts] = time, text_y[texts] = y, text_colour[texts] = colour, text[texts] = words, side)
standing(i, side) = text_side[i] == side ? text_x[i] : NaN
words_side(where, from, to, words) = !seen(from, to) ? 0 : where eq 'centre' ? 2 : \
    where eq 'inside' ? 2 * (extent(from, to) >= room(words) + 122) : where eq 'right' || extent(to, high) > room(words) - 6 ? 3 : 1
put_words = "stats data index 'words:' using (put(words_side(strcol(4), $1, $2, strcol(6)), middle($1, $2), $3, value(strcol(5)), strcol(6))) nooutput"
# Values cover neither other marks nor the value before; where there is less room, the number alone (4).
value_side(at, last, next, words, number) = !seen(at, at) ? 0 : extent(at, next) >= room(words) ? 3 : \
    extent(last, at) - 9 * (last >= low) >= room(words) && pixel(at) - taken >= room(words) ? 1 : extent(at, next) >= room(number) ? 4 : 0
put_value(s, at, y, words) = (put(s == 4 ? 3 : s, at, y, black, words), taken = pixel(at) + (s > 2 ? room(words) - 9 : 9))
put_values = "taken = left; n = 0; stats data index 'values '.p.':' using (taken = n == $2 && taken < pixel($1) ? taken : left, n = $2, \
    s = value_side($1, $3, $4, strcol(5).strcol(6), strcol(6)), put_value(s, $1, $2, s == 4 ? strcol(6) : strcol(5).strcol(6))) nooutput"
# What struck servers is told inside (1), behind (2) or before it (3); in brief, where there is room for no more.
slot_y(i) = rows + 0.54 + 0.92 * slot[i] / strikes[p] - 0.03
fit(words) = 7.3 * strlen(words) + 10
strike_side(from, to, words) = extent(from, to) >= fit(words) ? 1 : extent(to, high) >= fit(words) ? 2 : extent(low, from) >= fit(words) ? 3 : 0
put_strike(s, from, to, words) = seen(from, to) ? put(s == 3 ? 1 : s > 0 ? 3 : 0, within(s == 2 ? to : from, low, high), slot_y(n), brown, words) : 0
put_strikes = "n = 0; stats data index 'servers:' every ::::3 using (n = n + 1, s = strike_side($1, $2, strcol(3).strcol(4)), \
    put_strike(s > 0 ? s : strike_side($1, $2, strcol(3).strcol(5)), $1, $2, strcol(3).(s > 0 ? strcol(4) : strcol(5)))) nooutput"
do for [p = 1:1 + enlarged] {
    panel_y = p == 1 ? first : second; tall = each * panel_rows[p]
    eval count_strikes
    eval time_panel
    dot = (high - low) / (width - 30.0 - left)
    texts = 0; nothing = put(2, low - 1, 0, black, ' ') + put(2, low - 1, 0, black, ' ')
    eval put_words; eval put_values; eval put_strikes; set samples texts
    set yrange [panel_rows[p] + 0.5 : 0.5]
    set ytics scale 0 offset 0,0; set grid noytics
    if (strikes[p] > 0) { set ytics ('servers, network' rows + 1) }
    do for [i = 1:panel_rows[p] - 1] { set arrow from graph 0, first i + 0.5 to graph 1, first i + 0.5 nohead back linewidth 0.7 linecolor rgb 0xcccccc }
    if (p == 2) { set label 4 'The violation, enlarged' at screen X(12), Y(second - 18 * lanes[2] - 16) left font ',15' textcolor rgb black }
    plot data index 'shades:' using 2:1:2:3:($1 - 0.48):($1 + 0.48) with boxxyerror fillstyle solid noborder linecolor rgb shade, \
         data index 'servers:' every ::::3 using 1:(slot_y($0 + 1)):1:(shown($1, $2)):(slot_y($0 + 1) - 0.46 / strikes[p] + 0.03):(slot_y($0 + 1) + 0.46 / strikes[p] - 0.03) with boxxyerror linecolor rgb shade fillstyle solid border rgb 0xd8c860, \
         data index 'tint:' using 1:(1):1:(widened($1, $2, 3)):(0.5):($3 + 0.5) with boxxyerror fillstyle transparent solid 0.22 noborder linecolor rgb red, \
         data index 'lines:' using 2:($1 - above(strcol(4))):($3 - $2):(0):(colour(strcol(4))) with vectors nohead linewidth 1.4 linecolor rgb variable, \
         data index 'bars:' using 2:1:2:(shown($2, $3)):($1 - above(strcol(4)) + 0.05 * $5):($1 + under(strcol(4)) - 0.05 * $5):(colour(strcol(4))) with boxxyerror fillstyle solid noborder linecolor rgb variable, \
         data index 'hatched:' using 2:1:2:(shown($2, $3)):($1 - above(strcol(4))):($1 + under(strcol(4))):(colour(strcol(4))) with boxxyerror linecolor rgb variable fillstyle pattern 4 border, \
         data index 'tint:' using 1:(0.5):(0):3 with vectors nohead linewidth 1.2 linecolor rgb red, \
         data index 'tint:' using (widened($1, $2, 3)):(0.5):(0):3 with vectors nohead linewidth 1.2 linecolor rgb red, \
         data index 'strikes:' using 1:(0):(0):(1):2 axes x1y2 with vectors nohead linewidth 1.6 dashtype 2 linecolor rgb variable, \
         data index 'dotted:' using 2:($1 - above('long-write')):($3 - $2):(0) with vectors nohead linewidth 1.2 dashtype 3 linecolor rgb black, \
         data index 'marks:' using ($5 > 10 * dot ? $2 : NaN):($1 - above(strcol(3))):(size(strcol(3))):(shape(strcol(3))):(colour(strcol(3))) with points pointsize variable pointtype variable linewidth 1.6 linecolor rgb variable, \
         '+' using (standing($0 + 1, 1)):(text_y[$0 + 1]):(text[$0 + 1]):(text_colour[$0 + 1]) with labels right offset -0.8,0 font ',12' textcolor rgb variable, \
         '+' using (standing($0 + 1, 2)):(text_y[$0 + 1]):(text[$0 + 1]):(text_colour[$0 + 1]) with labels center font ',12' textcolor rgb variable, \
         '+' using (standing($0 + 1, 3)):(text_y[$0 + 1]):(text[$0 + 1]):(text_colour[$0 + 1]) with labels left offset 0.8,0 font ',12' textcolor rgb variable, \
         data index 'places:' using 1:(NaN):xtic(2), \
         data index 'rows:' using (NaN):1:ytic(2)
}
unset multiplot
