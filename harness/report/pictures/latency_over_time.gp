# Percentiles of acquire in slices of the trial; faults as bands and lines, and labels above.
below = note("A slice has what was granted in it; where nothing was, it has no line.")
stats data index 'slices' using ($4*1e-9) name 'LEAST' nooutput
stats data index 'slices' using ($6*1e-9) name 'MOST' nooutput
p = 1
eval place_labels
height = top + 18 * lanes[1] + 40 + 250 + 60 + below
eval frame('')
set key at screen X(8), Y(top) left top horizontal Left reverse samplen 2 font ',13'
panel_y = top + 18 * lanes[1] + 40; tall = 250
eval time_panel
set logscale y
set yrange [10**floor(log10(LEAST_min)) : 10**(floor(log10(MOST_max)) + 1)]
set ytics format '%.0s %cs'
plot @fault_bands, \
     @fault_lines, \
     data index 'slices' using 1:($4*1e-9):($2 - $1):(0) with vectors nohead linewidth 3.2 linecolor rgb blue title 'p50', \
     data index 'slices' using 1:($5*1e-9):($2 - $1):(0) with vectors nohead linewidth 2.6 linecolor rgb orange title 'p99', \
     data index 'slices' using 1:($6*1e-9):($2 - $1):(0) with vectors nohead linewidth 1.2 dashtype (4,4) linecolor rgb dark title 'slowest'
unset multiplot
