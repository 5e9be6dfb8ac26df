# A row for each who holds, and one for servers; below, a violation that is too short to be seen.
# Each look: its name, colour, top above and bottom below the middle of its row, style, and words of the legend.
$looks << END
waits            grey     0.06  0     lines    "waits"
releases         slate    0.11 -0.01  bars     "releases"
possible         pale_blue  0.16 0.04 bars     "may be held"
possible-shared  pale_green 0.16 0.04 bars     ""
holds            blue     0.24  0.12  bars     "holds"
certain          blue     0.24  0.12  bars     "held for certain"
certain-shared   green    0.24  0.12  bars     "held by a reader"
leases           sky     -0.19  0.29  bars     "lease valid"
overlaps         pale_red 0.24  0.12  bars     "two or more hold"
dead             blue     0.24  0.12  hatched  "held by the dead client"
maybe-dead       grey     0.24  0.12  hatched  "may be held by the dead client"
unanswered       grey     0.16  0.04  hatched  "acquire without an answer"
refusal          grey     0.04  0.06  bars     "refused"
stray            dark_red 0.04  0.06  bars     ""
read             black    0.36  0     marks    "read"
write            black    0.36  0     marks    "write"
refused          red      0.36  0     marks    "write refused"
long-write       black    0.27  0     dotted   "until it is answered"
fault            shade    0.48  0.48  shades   "fault"
violation        red      0.24  0.12  bars     "violation"
death            black    0.06  0     marks    ""
END
array called[21]; array colour[21]; array top_of[21]; array bottom[21]; array style[21]; array meaning[21]; array found[21]
stats $looks using (i = int($0) + 1, called[i] = strcol(1), colour[i] = value(strcol(2)), top_of[i] = $3, bottom[i] = $4, style[i] = strcol(5), meaning[i] = strcol(6), found[i] = 0) nooutput
number(look) = sum [i = 1:21] (called[i] eq look ? i : 0)
find(look) = (found[number(look)] = 1)
do for [p = 1:1 + enlarged] {
    eval begin_panel
    # Waits and releases of less than a pixel cannot be told from nothing.
    stats data index 'bars:' using (seen($2, $3) && (extent($2, $3) >= 1 || (strcol(4) ne 'waits' && strcol(4) ne 'releases')) ? find(strcol(4)) : 0) nooutput
    stats data index 'marks:' using (seen($2, $2) ? find(strcol(3)) : 0) nooutput
}
stats data index 'servers:' every ::::3 using (find('fault')) nooutput
array at[21]; array line[21]; beyond = 12; legends = 0
do for [i = 1:21] {
    at[i] = NaN; line[i] = NaN; long = 42 + 7.9 * strlen(meaning[i])
    if (found[i] && strlen(meaning[i])) {
        if (beyond + long > width || legends == 0) { legends = legends + 1; beyond = 12 }
        at[i] = beyond; line[i] = legends - 0.5; beyond = beyond + long
    }
}
# What struck servers has a row below the others, in which each has a slot: more than four would be too thin.
array slot[4]; array strikes[2]; array panel_rows[2]
count_strikes = "eval begin_panel; n = 0; strikes[p] = 0; stats data index 'servers:' every ::::3 using (n = n + 1, \
    slot[n] = seen($1, $2) ? strikes[p] + 0.5 : NaN, strikes[p] = strikes[p] + seen($1, $2)) nooutput"
do for [p = 1:1 + enlarged] { eval place_labels; eval count_strikes; panel_rows[p] = rows + (strikes[p] > 0) }
first = top + 18 * lines(cause) + 20 * legends + 18 * lanes[1] + 12
each = panel_rows[1] > 6 ? 40 : 54
second = first + each * panel_rows[1] + 80 + (enlarged ? 18 * lanes[2] : 0)
height = first + each * panel_rows[1] + 62 + (enlarged ? 18 * lanes[2] + each * panel_rows[2] + 80 : 0) + below
set label 3 cause at screen X(12), Y(top + 6) left textcolor rgb dark_red
eval frame('')
shape(i) = called[i] eq 'read' ? 10 : called[i] eq 'write' ? 9 : 2
size(i) = called[i] eq 'death' ? 1.3 : 0.78
set lmargin at screen 0; set rmargin at screen 1
set tmargin at screen Y(top + 18 * lines(cause)); set bmargin at screen Y(top + 18 * lines(cause) + 20 * (legends > 0 ? legends : 1))
unset xtics; unset ytics; unset border; unset grid
set xrange [0:width]; set yrange [(legends > 0 ? legends : 1):0]; set samples 21
i(n) = int(n) + 1
key(kind, n) = style[i(n)] eq kind ? at[i(n)] : NaN
plot '+' using (key('bars', $0) + 10):(line[i($0)]):(10):((top_of[i($0)] + bottom[i($0)]) * 0.8):(colour[i($0)]) with boxxyerror linecolor rgb variable fillstyle solid noborder, \
     '+' using (key('shades', $0) + 10):(line[i($0)]):(10):(0.28):(colour[i($0)]) with boxxyerror linecolor rgb variable fillstyle solid border rgb grey, \
     '+' using (key('hatched', $0) + 10):(line[i($0)]):(10):(0.28):(colour[i($0)]) with boxxyerror linecolor rgb variable fillstyle pattern 4 border, \
     '+' using (key('lines', $0)):(line[i($0)]):(20):(0):(colour[i($0)]) with vectors nohead linewidth 1.4 linecolor rgb variable, \
     '+' using (key('dotted', $0)):(line[i($0)]):(20):(0) with vectors nohead linewidth 1.2 dashtype 3 linecolor rgb black, \
     '+' using (key('marks', $0) + 10):(line[i($0)]):(size(i($0))):(shape(i($0))):(colour[i($0)]) with points pointsize variable pointtype variable linewidth 1.6 linecolor rgb variable, \
     '+' using (at[i($0)] + 26):(line[i($0)]):(meaning[i($0)]) with labels left textcolor rgb dark
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
array mark_at[999]; array mark_row[999]; array mark_words[999]; array mark_value[999]
value_side(at, last, next, words, number) = extent(at, next) >= room(words) ? 3 : \
    extent(last, at) - 9 * (last >= low) >= room(words) && pixel(at) - taken >= room(words) ? 1 : extent(at, next) >= room(number) ? 4 : 0
find_marks = "marks = 0; stats data index 'marks:' using ($4 > 10 * dot && seen($2, $2) && marks < 999 ? (marks = marks + 1, mark_row[marks] = $1, \
    mark_at[marks] = $2, mark_words[marks] = strcol(5), mark_value[marks] = strcol(6), marks) : 0) nooutput"
# What struck servers is told inside (1), behind (2) or before it (3); in brief, where there is room for no more.
slot_y(i) = rows + 0.54 + 0.92 * slot[i] / strikes[p] - 0.03
fit(words) = 7.3 * strlen(words) + 10
strike_side(from, to, words) = extent(from, to) >= fit(words) ? 1 : extent(to, high) >= fit(words) ? 2 : extent(low, from) >= fit(words) ? 3 : 0
put_strike(s, from, to, words) = seen(from, to) ? put(s == 3 ? 1 : s > 0 ? 3 : 0, within(s == 2 ? to : from, low, high), slot_y(n), brown, words) : 0
put_strikes = "n = 0; stats data index 'servers:' every ::::3 using (n = n + 1, s = strike_side($1, $2, strcol(3).strcol(4)), \
    put_strike(s > 0 ? s : strike_side($1, $2, strcol(3).strcol(5)), $1, $2, strcol(3).(s > 0 ? strcol(4) : strcol(5)))) nooutput"
# Of the row's look: where a bar begins if it is of that style; its top, bottom and colour.
look(n) = number(strcol(n))
bar(kind) = style[look(4)] eq kind ? $2 : NaN
do for [p = 1:1 + enlarged] {
    panel_y = p == 1 ? first : second; tall = each * panel_rows[p]
    eval count_strikes
    eval time_panel
    dot = (high - low) / (width - 30.0 - left)
    texts = 0; nothing = put(2, low - 1, 0, black, ' ') + put(2, low - 1, 0, black, ' ')
    eval put_words; eval put_strikes; eval find_marks; taken = left
    do for [m = 1:marks] {
        is_first = m == 1 || mark_row[m > 1 ? m - 1 : 1] != mark_row[m]
        is_last = m == marks || mark_row[m < marks ? m + 1 : m] != mark_row[m]
        taken = is_first ? left : taken
        words = mark_words[m].mark_value[m]
        if (strlen(words)) {
            s = value_side(mark_at[m], is_first ? low : mark_at[m > 1 ? m - 1 : 1], is_last ? high : mark_at[m < marks ? m + 1 : m], words, mark_value[m])
            nothing = put(s == 4 ? 3 : s, mark_at[m], mark_row[m] - 0.36, black, s == 4 ? mark_value[m] : words)
            taken = pixel(mark_at[m]) + (s > 2 ? room(s == 4 ? mark_value[m] : words) - 9 : 9)
        }
    }
    set samples texts
    set yrange [panel_rows[p] + 0.5 : 0.5]
    set ytics scale 0 offset 0,0; set grid noytics
    if (strikes[p] > 0) { set ytics ('servers, network' rows + 1) }
    do for [i = 1:panel_rows[p] - 1] { set arrow from graph 0, first i + 0.5 to graph 1, first i + 0.5 nohead back linewidth 0.7 linecolor rgb 0xcccccc }
    if (p == 2) { set label 4 'The violation, enlarged' at screen X(12), Y(second - 18 * lanes[2] - 16) left font ',15' textcolor rgb black }
    plot data index 'bars:' using (bar('shades')):1:2:3:($1 - 0.48):($1 + 0.48) with boxxyerror fillstyle solid noborder linecolor rgb shade, \
         data index 'servers:' every ::::3 using 1:(slot_y($0 + 1)):1:(shown($1, $2)):(slot_y($0 + 1) - 0.46 / strikes[p] + 0.03):(slot_y($0 + 1) + 0.46 / strikes[p] - 0.03) with boxxyerror linecolor rgb shade fillstyle solid border rgb 0xd8c860, \
         data index 'tint:' using 1:(1):1:(widened($1, $2, 3)):(0.5):($3 + 0.5) with boxxyerror fillstyle transparent solid 0.22 noborder linecolor rgb red, \
         data index 'bars:' using (bar('lines')):($1 - top_of[look(4)]):($3 - $2):(0):(colour[look(4)]) with vectors nohead linewidth 1.4 linecolor rgb variable, \
         data index 'bars:' using (bar('bars')):1:2:(shown($2, $3)):($1 - top_of[look(4)] + 0.05 * $5):($1 + bottom[look(4)] - 0.05 * $5):(colour[look(4)]) with boxxyerror fillstyle solid noborder linecolor rgb variable, \
         data index 'bars:' using (bar('hatched')):1:2:(shown($2, $3)):($1 - top_of[look(4)]):($1 + bottom[look(4)]):(colour[look(4)]) with boxxyerror linecolor rgb variable fillstyle pattern 4 border, \
         data index 'tint:' using 1:(0.5):(0):3 with vectors nohead linewidth 1.2 linecolor rgb red, \
         data index 'tint:' using (widened($1, $2, 3)):(0.5):(0):3 with vectors nohead linewidth 1.2 linecolor rgb red, \
         data index 'strikes:' using 1:(0):(0):(1) axes x1y2 with vectors nohead linewidth 1.6 dashtype 2 linecolor rgb brown, \
         data index 'bars:' using (bar('dotted')):($1 - top_of[look(4)]):($3 - $2):(0) with vectors nohead linewidth 1.2 dashtype 3 linecolor rgb black, \
         data index 'marks:' using ($4 > 10 * dot ? $2 : NaN):($1 - top_of[look(3)]):(size(look(3))):(shape(look(3))):(colour[look(3)]) with points pointsize variable pointtype variable linewidth 1.6 linecolor rgb variable, \
         '+' using (standing($0 + 1, 1)):(text_y[$0 + 1]):(text[$0 + 1]):(text_colour[$0 + 1]) with labels right offset -0.8,0 font ',12' textcolor rgb variable, \
         '+' using (standing($0 + 1, 2)):(text_y[$0 + 1]):(text[$0 + 1]):(text_colour[$0 + 1]) with labels center font ',12' textcolor rgb variable, \
         '+' using (standing($0 + 1, 3)):(text_y[$0 + 1]):(text[$0 + 1]):(text_colour[$0 + 1]) with labels left offset 0.8,0 font ',12' textcolor rgb variable, \
         data index 'places:' using 1:(NaN):xtic(2), \
         data index 'rows:' using (NaN):1:ytic(cut(strcol(2), 22))
}
unset multiplot
