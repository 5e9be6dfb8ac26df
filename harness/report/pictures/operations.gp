# Each operation as a dot; colour and shape together tell the kinds apart, in grey too.
names = 'granted released not-granted released-late write-refused acquire-unknown release-unknown write-unknown'
array shapes[8] = [7, 6, 9, 13, 5, 2, 1, 3]
array sizes[8] = [size, size, 0.7, 0.7, 0.6, 0.8, 0.8, 0.8]
array colours[8] = [blue, green, orange, dark, purple, red, red, red]
least = 1e9; most = 1e-9
do for [i = 1:8] {
    stats data index word(names, i).':' using ($2*1e-9) name 'TIMES' nooutput
    least = known('TIMES_min', least) < least ? TIMES_min : least
    most = known('TIMES_max', most) > most ? TIMES_max : most
}
keys = 18 * ceil(legends / 2.0)
p = 1
eval place_labels
height = top + keys + 18 * lanes[1] + 14 + 300 + 60 + below
eval frame('')
set key at screen X(8), Y(top) left top horizontal Left reverse samplen 1 font ',13'
panel_y = top + keys + 18 * lanes[1] + 14; tall = 300
eval time_panel
set logscale y
set yrange [10**floor(log10(least)) : 10**(floor(log10(most)) + 1)]
set ytics format '%.0s %cs'
plot data index 'bands:' using 1:(0):1:2:(0):(1):(pale($3)) axes x1y2 with boxxyerror fillstyle solid noborder linecolor rgb variable, \
     data index 'strikes:' using 1:(0):(0):(1):2 axes x1y2 with vectors nohead linewidth 1.6 dashtype 2 linecolor rgb variable, \
     for [i = 1:8] data index word(names, i).':' using 1:($2*1e-9) with points pointtype shapes[i] pointsize sizes[i] linecolor rgb colours[i] title columnheader(1)
unset multiplot
