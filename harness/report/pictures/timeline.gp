# A row for each who holds, and one for servers; below, a violation that is too short to be seen.
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
set lmargin at screen 0; set rmargin at screen 1
set tmargin at screen Y(top + 18 * lines(cause)); set bmargin at screen Y(top + 18 * lines(cause) + 20 * (legends > 0 ? legends : 1))
unset xtics; unset ytics; unset border; unset grid
set xrange [0:width]; set yrange [(legends > 0 ? legends : 1):0]; set samples 21
plot @legend
# A pixel less of each bar, so that a hold and its successor are two bars; but two at least. More of what is red.
shown(from, to) = to - from > 4 * dot ? to - dot : widened(from, to, 2)
widened(from, to, least) = to - from < least * dot ? from + least * dot : to
# Of the row's look: where a bar begins if it is of that style; its top, bottom and colour.
look(n) = number(strcol(n))
bar(kind) = style[look(4)] eq kind ? $2 : NaN
do for [p = 1:1 + enlarged] {
    panel_y = p == 1 ? first : second; tall = each * panel_rows[p]
    eval count_strikes
    eval time_panel
    dot = (high - low) / (width - 30.0 - left)
    eval put_texts
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
         for [wrong = 0:1] data index 'marks:' using ($4 > 10 * dot && is_wrong(look(3)) == wrong ? $2 : NaN):($1 - top_of[look(3)]):(size(look(3))):(shape(look(3))):(colour[look(3)]) with points pointsize variable pointtype variable linewidth 1.6 linecolor rgb variable, \
         @texts_placed, \
         data index 'places:' using 1:(NaN):xtic(2), \
         data index 'rows:' using (NaN):1:ytic(cut(strcol(2), 22))
}
unset multiplot
