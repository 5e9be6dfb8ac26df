# Each operation as a dot; colour and shape together tell the kinds apart, in grey too.
keys = 18 * ceil(legends / 2.0)
eval place_labels(1)
height = top + keys + 18 * lanes_1 + 14 + 300 + 60 + below
eval frame('')
set key at screen X(8), Y(top) left top horizontal Left reverse samplen 1 font ',13'
eval time_panel(top + keys + 18 * lanes_1 + 14, 300, 1)
set logscale y
set yrange [10**floor(log10(times_least*1e-9)) : 10**(floor(log10(times_most*1e-9)) + 1)]
set ytics format '%.0s %cs'
plot data index 'bands 1:' using 1:(0):1:2:(0):(1):(pale($3)) axes x1y2 with boxxyerror fillstyle solid noborder linecolor rgb variable, \
     data index 'strikes 1:' using 1:(0):(0):(1):2 axes x1y2 with vectors nohead linewidth 1.6 dashtype 2 linecolor rgb variable, \
     data index 'granted:' using 1:($2*1e-9) with points pointtype 7 pointsize size linecolor rgb blue title columnheader(1), \
     data index 'released:' using 1:($2*1e-9) with points pointtype 6 pointsize size linecolor rgb green title columnheader(1), \
     data index 'not-granted:' using 1:($2*1e-9) with points pointtype 9 pointsize 0.7 linecolor rgb orange title columnheader(1), \
     data index 'released-late:' using 1:($2*1e-9) with points pointtype 13 pointsize 0.7 linecolor rgb dark title columnheader(1), \
     data index 'write-refused:' using 1:($2*1e-9) with points pointtype 5 pointsize 0.6 linecolor rgb purple title columnheader(1), \
     data index 'acquire-unknown:' using 1:($2*1e-9) with points pointtype 2 pointsize 0.8 linecolor rgb red title columnheader(1), \
     data index 'release-unknown:' using 1:($2*1e-9) with points pointtype 1 pointsize 0.8 linecolor rgb red title columnheader(1), \
     data index 'write-unknown:' using 1:($2*1e-9) with points pointtype 3 pointsize 0.8 linecolor rgb red title columnheader(1)
unset multiplot
