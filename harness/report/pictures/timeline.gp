# A row for each worker, and one for servers; below, a violation that is too short to be seen.
first = top + 18 * cause_lines + 20 * legends + 18 * lanes + 12
each = rows > 6 ? 40 : 54
second = first + each * rows + 80 + (enlarged ? 18 * lanes2 : 0)
height = first + each * rows + 62 + (enlarged ? 18 * lanes2 + each * rows2 + 80 : 0) + below
set label 3 cause at screen X(12), Y(top + 6) left textcolor rgb dark_red
eval frame('')
shade = 0xf6edb0; muted = 0x7d93a3; light_red = 0xF0B48F; black = 0x111111
colour(look) = look eq 'holds' ? blue : look eq 'releases' ? muted : look eq 'leases' ? sky : look eq 'overlaps' ? light_red : look eq 'struck' ? shade : red
thin(look) = look eq 'releases' || look eq 'leases'
is_box(look) = thin(look) || look eq 'holds' || look eq 'overlaps' || look eq 'struck' || look eq 'violation'
place(look, its, left) = its eq look ? left : NaN
set lmargin at screen 0; set rmargin at screen 1
set tmargin at screen Y(top + 18 * cause_lines); set bmargin at screen Y(top + 18 * cause_lines + 20 * (legends > 0 ? legends : 1))
unset xtics; unset ytics; unset border; unset grid
set xrange [0:width]; set yrange [(legends > 0 ? legends : 1):0]
plot data index 'legend:' using (is_box(strcol(3)) ? $1 + 10 : NaN):($2 + 0.5):(10):(thin(strcol(3)) ? 0.12 : 0.28):(colour(strcol(3))) with boxxyerror linecolor rgb variable fillstyle solid noborder, \
     data index 'legend:' using (place('struck', strcol(3), $1) + 10):($2 + 0.5):(10):(0.28) with boxxyerror linecolor rgb grey fillstyle empty border, \
     data index 'legend:' using (place('dead', strcol(3), $1) + 10):($2 + 0.5):(10):(0.28) with boxxyerror linecolor rgb blue fillstyle pattern 4 border, \
     data index 'legend:' using (place('maybe_dead', strcol(3), $1) + 10):($2 + 0.5):(10):(0.28) with boxxyerror linecolor rgb grey fillstyle pattern 4 border, \
     data index 'legend:' using (place('waits', strcol(3), $1)):($2 + 0.5):(20):(0) with vectors nohead linewidth 1.6 linecolor rgb grey, \
     data index 'legend:' using (place('long_writes', strcol(3), $1)):($2 + 0.5):(20):(0) with vectors nohead linewidth 1.2 dashtype 3 linecolor rgb black, \
     data index 'legend:' using (place('reads', strcol(3), $1) + 10):($2 + 0.5) with points pointtype 10 pointsize 0.75 linewidth 1.5 linecolor rgb black, \
     data index 'legend:' using (place('writes', strcol(3), $1) + 10):($2 + 0.5) with points pointtype 9 pointsize 0.8 linecolor rgb black, \
     data index 'legend:' using (place('refused', strcol(3), $1) + 10):($2 + 0.5) with points pointtype 2 pointsize 0.8 linewidth 2 linecolor rgb red, \
     data index 'legend:' using ($1 + 26):($2 + 0.5):4 with labels left textcolor rgb dark
do for [p = 1:1 + enlarged] {
    s = p == 1 ? '' : '2'
    eval time_panel(150, p == 1 ? first : second, each * value('rows'.s), s)
    n = value('rows'.s)
    pixel = (value('to'.s) - value('from'.s)) / (width - 180.0)
    # A pixel less of each bar, so that a hold and its successor are two bars; but two at least.
    shown(from, to) = to - from > 4 * pixel ? to - pixel : to - from < 2 * pixel ? from + 2 * pixel : to
    set yrange [n + 0.5 : 0.5]
    set ytics scale 0 offset 0,0; set grid noytics
    do for [i = 1:n - 1] { set arrow from graph 0, first i + 0.5 to graph 1, first i + 0.5 nohead back linewidth 0.7 linecolor rgb 0xcccccc }
    if (p == 2) { set label 4 'The violation, enlarged' at screen X(12), Y(second - 18 * lanes2 - 16) left font ',15' textcolor rgb black }
    plot data index 'struck'.s.':' using 2:1:2:3:($1 - 0.48):($1 + 0.48) with boxxyerror fillstyle solid noborder linecolor rgb shade, \
         data index 'servers'.s.':' using 1:3:1:2:3:4 with boxxyerror linecolor rgb shade fillstyle solid border rgb 0xd8c860, \
         data index 'tint'.s.':' using 1:(1):1:2:(0.5):3 with boxxyerror fillstyle transparent solid 0.22 noborder linecolor rgb red, \
         data index 'waits'.s.':' using 2:($1 - 0.06):($3 - $2):(0) with vectors nohead linewidth 1.6 linecolor rgb grey, \
         data index 'releases'.s.':' using 2:1:2:3:($1 - 0.11):($1 - 0.01) with boxxyerror fillstyle solid noborder linecolor rgb muted, \
         data index 'holds'.s.':' using 2:1:2:(shown($2, $3)):($1 - 0.24):($1 + 0.12) with boxxyerror fillstyle solid noborder linecolor rgb blue, \
         data index 'leases'.s.':' using 2:1:2:(shown($2, $3)):($1 + 0.19):($1 + 0.29) with boxxyerror fillstyle solid noborder linecolor rgb sky, \
         data index 'overlaps'.s.':' using 2:1:2:(shown($2, $3)):($1 - 0.24):($1 + 0.12) with boxxyerror fillstyle solid noborder linecolor rgb light_red, \
         data index 'dead'.s.':' using 2:1:2:(shown($2, $3)):($1 - 0.24):($1 + 0.12) with boxxyerror linecolor rgb blue fillstyle pattern 4 border, \
         data index 'maybe_dead'.s.':' using 2:1:2:(shown($2, $3)):($1 - 0.24):($1 + 0.12) with boxxyerror linecolor rgb grey fillstyle pattern 4 border, \
         data index 'violation'.s.':' using 2:1:2:3:($1 - 0.24):($1 + 0.12) with boxxyerror fillstyle solid noborder linecolor rgb red, \
         data index 'tint'.s.':' using 1:(0.5):(0):($3 - 0.5) with vectors nohead linewidth 1.2 linecolor rgb red, \
         data index 'tint'.s.':' using 2:(0.5):(0):($3 - 0.5) with vectors nohead linewidth 1.2 linecolor rgb red, \
         data index 'strikes'.s.':' using 1:(0):(0):(1):2 axes x1y2 with vectors nohead linewidth 1.6 dashtype 2 linecolor rgb variable, \
         data index 'long_writes'.s.':' using 2:($1 - 0.27):($3 - $2):(0) with vectors nohead linewidth 1.2 dashtype 3 linecolor rgb black, \
         data index 'reads'.s.':' using 2:($1 - 0.36) with points pointtype 10 pointsize 0.75 linewidth 1.5 linecolor rgb black, \
         data index 'writes'.s.':' using 2:($1 - 0.36) with points pointtype 9 pointsize 0.8 linecolor rgb black, \
         data index 'refused'.s.':' using 2:($1 - 0.36) with points pointtype 2 pointsize 0.8 linewidth 2 linecolor rgb red, \
         data index 'deaths'.s.':' using 2:($1 - 0.06) with points pointtype 2 pointsize 1.3 linewidth 2.6 linecolor rgb black, \
         data index 'leftward'.s.':' using 1:2:4:3 with labels right offset -0.8,0 font ',12' textcolor rgb variable, \
         data index 'centred'.s.':' using 1:2:4:3 with labels center font ',12' textcolor rgb variable, \
         data index 'rightward'.s.':' using 1:2:4:3 with labels left offset 0.8,0 font ',12' textcolor rgb variable, \
         data index 'rows'.s.':' using (NaN):1:ytic(2)
}
unset multiplot
